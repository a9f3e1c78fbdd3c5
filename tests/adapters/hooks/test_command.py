"""The command hook with real programs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from firmground.adapters.hooks.command import CommandHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError
from firmground.hooks import HookEngine, Registered, enclose

CASE = HookCase(question=None, answer="The tower is 324 m tall.", metadata=(("k", "v"),))
SHELL = "/bin/sh"


def ask(*argv: str, seconds: float = 20.0, **fields: Any) -> HookReply | Fault:
    hook = CommandHook(argv=argv, **fields)
    engine = HookEngine([Registered(hook=hook, inline=True, timeout_seconds=seconds)])
    (reply,) = asyncio.run(engine.run(CASE))
    return reply


def python(code: str, **fields: Any) -> HookReply | Fault:
    return ask(sys.executable, "-I", "-S", "-c", code, **fields)


def test_exit_code_zero_is_yes_and_one_is_no_with_guidance() -> None:
    yes = ask(SHELL, "-c", "echo fine")
    no = ask(SHELL, "-c", "echo wrong; echo say 330 m; exit 1")
    assert isinstance(yes, HookReply)
    assert isinstance(no, HookReply)
    assert (yes.passed, yes.message) == (True, "fine")
    assert (no.passed, no.message, no.guidance) == (False, "wrong", "say 330 m")


@pytest.mark.parametrize("code", [2, 3, 77, 124, 125, 126, 127, 255])
def test_any_other_exit_code_is_a_fault(code: int) -> None:
    assert isinstance(ask(SHELL, "-c", f"exit {code}"), Fault)


def test_a_program_that_a_signal_ended_is_a_fault() -> None:
    assert isinstance(ask(SHELL, "-c", "kill -9 $$"), Fault)


def test_the_case_comes_on_standard_input() -> None:
    reply = python("import json,sys; d=json.load(sys.stdin); print(d['answer'], d['metadata'])")
    assert isinstance(reply, HookReply)
    assert reply.message == "The tower is 324 m tall. {'k': 'v'}"


def test_arguments_reach_the_program_untouched_by_any_shell() -> None:
    reply = ask("/bin/echo", "$(id); `id` | && > /tmp/x *")
    assert isinstance(reply, HookReply)
    assert reply.message == "$(id); `id` | && > /tmp/x *"


def test_the_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "s3cret")
    reply = ask("/usr/bin/env", environment=(("GIVEN", "yes"),))
    assert isinstance(reply, HookReply)
    listing = asyncio.run(
        CommandHook(argv=(SHELL, "-c", "env | tr '\\n' ' '"), environment=(("GIVEN", "yes"),)).ask(
            CASE
        )
    )
    assert isinstance(listing, HookReply)
    assert "GIVEN=yes" in listing.message
    assert "s3cret" not in listing.message


def test_there_is_no_network_not_even_loopback() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('out')"
        shut_in = python(code + "\n")
        let_out = python(code, network=True)
    assert isinstance(shut_in, HookReply)
    assert not shut_in.passed
    assert isinstance(let_out, HookReply)
    assert let_out.passed


def test_where_the_network_cannot_be_taken_away_nothing_is_run(tmp_path: Path) -> None:
    """Seen through the launcher itself, told that the kernel refuses."""
    import json
    import subprocess

    from firmground.hooks import enclose

    mark = tmp_path / "ran"
    source = Path(enclose.__file__).read_text().replace("libc.unshare(", "_refuse(")
    launcher = tmp_path / "enclose.py"
    launcher.write_text(
        source.replace("def enclose", "def _refuse(_):\n    return -1\n\n\ndef enclose")
    )
    settings = {"network": False, "cpu_seconds": 5, "memory_bytes": 1 << 30, "processes": 9}
    run = subprocess.run(
        [sys.executable, "-I", "-S", launcher, json.dumps(settings), "/bin/touch", mark],
        check=False,
    )
    assert run.returncode == enclose.CANNOT_ENCLOSE
    assert not mark.exists()


def test_output_without_end_is_a_fault() -> None:
    reply = ask(SHELL, "-c", "yes")
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


def test_a_program_that_reads_nothing_does_not_hold_us_up() -> None:
    big = HookCase(question=None, answer="x" * 2_000_000)
    reply = asyncio.run(CommandHook(argv=("/bin/true",)).ask(big))
    assert isinstance(reply, HookReply)
    assert reply.passed


def test_memory_is_limited() -> None:
    reply = python("x = bytearray(3 << 30)", memory_bytes=1 << 29)
    assert not (isinstance(reply, HookReply) and reply.passed)


def test_what_runs_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "pids"
    script = f"(setsid sleep 61.25 &); (sleep 61.25 &); echo $$ > {mark}; sleep 61.25"
    reply = ask(SHELL, "-c", script, seconds=4.0)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT
    assert mark.exists()
    for _ in range(50):
        if not _sleepers():
            break
        time.sleep(0.02)
    assert _sleepers() == []


def _sleepers() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes() == b"sleep\x0061.25\x00":
                    found.append(entry.name)
            except OSError:
                continue
    return found


@pytest.mark.parametrize("argv", [(), ("true",), ("./true",), ("/bin/true", "a\0b")])
def test_a_command_that_could_mean_several_programs_is_an_error(argv: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        CommandHook(argv=argv)


def test_a_program_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("echo hello")
    for path in ("/nowhere/at/all", str(plain), str(tmp_path)):
        reply = ask(path)
        assert isinstance(reply, Fault)
        assert reply.kind is FaultKind.MISCONFIGURED


def test_a_file_without_an_interpreter_is_a_fault(tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(b"\x00\x01")
    odd.chmod(0o755)
    assert os.access(odd, os.X_OK)
    assert isinstance(ask(str(odd)), Fault)


def test_failing_before_the_program_starts_is_not_a_no() -> None:
    """Python ends with 1 when it fails, and 1 is how a program says no."""
    fine = {"network": True, "cpu_seconds": 10, "memory_bytes": 1 << 30, "processes": 99}
    bad = json.dumps({**fine, "cpu_seconds": 1 << 70})
    for settings in (bad, "{}", "nonsense"):
        done = subprocess.run(
            [sys.executable, "-I", "-S", enclose.__file__, settings, "/bin/true"],
            capture_output=True,
            check=False,
        )
        assert done.returncode == enclose.CANNOT_ENCLOSE


@pytest.mark.parametrize("field", ["cpu_seconds", "memory_bytes", "processes", "most_output"])
@pytest.mark.parametrize("value", [0, -1, 1 << 70])
def test_limits_that_cannot_be_set_are_an_error(field: str, value: int) -> None:
    with pytest.raises(InputError, match=field):
        CommandHook(argv=("/bin/true",), **{field: value})  # type: ignore[arg-type]


def test_a_program_cannot_gain_privileges() -> None:
    reply = ask("/bin/grep", "NoNewPrivs", "/proc/self/status")
    assert isinstance(reply, HookReply)
    assert reply.message.split() == ["NoNewPrivs:", "1"]


@pytest.mark.parametrize("pair", [("A=B", "c"), ("", "c"), ("A", "c\0"), ("A\0", "c")])
def test_a_variable_that_cannot_be_set_is_an_error(pair: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"environment: .* cannot be set"):
        CommandHook(argv=("/bin/true",), environment=(pair,))


def test_the_end_of_what_it_complained_about_is_told_with_the_fault() -> None:
    code = "import sys; sys.stderr.write('x' * 9000 + 'no such table: towers'); sys.exit(3)"
    reply = python(code)
    assert isinstance(reply, Fault)
    assert reply.message.startswith("ended with code 3: xxx")
    assert reply.message.endswith("no such table: towers")
    assert len(reply.message) < 340


def test_values_of_its_environment_are_taken_out_of_what_it_says() -> None:
    code = "import os, sys; sys.stderr.write(os.environ['KEY'] + ' refused'); sys.exit(3)"
    reply = python(code, environment=(("KEY", "t0p-s3cret-k3y"),))
    assert isinstance(reply, Fault)
    assert reply.message == "ended with code 3: [redacted] refused"


def test_somebody_who_keeps_the_pipe_of_errors_open_holds_up_nothing() -> None:
    assert isinstance(ask(SHELL, "-c", "sleep 30 >/dev/null & exit 3"), Fault)
