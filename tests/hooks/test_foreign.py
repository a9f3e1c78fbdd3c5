"""A hook of others is imported and made where it runs: in a worker, never in our process."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.adapters.hooks import build
from firmground.cli.main import cli
from firmground.config.settings import load_settings
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.engine.hook_settings import hooks_from
from firmground.errors import ConfigError
from firmground.hooks import HookEngine

CASE = HookCase(question=None, answer="The tower is 324 m tall.")
GOOD = """
from firmground import HookReply

class Tower:
    name = "tower"
    version = "7"

    async def ask(self, case):
        return HookReply(source=self.name, passed=True, message="fine")
"""
SETTINGS = """[hooks]
deadline_seconds = 300
[[hooks.use]]
type = "python"
factory = "{module}:{name}"
timeout_seconds = {seconds}
"""


def settings(
    folder: Path, module: str, code: str, name: str = "Tower", more: str = "", seconds: int = 120
) -> Path:
    (folder / f"{module}.py").write_text(code)
    path = folder / "firmground.toml"
    path.write_text(SETTINGS.format(module=module, name=name, seconds=seconds) + more)
    return path


def engine(path: Path) -> HookEngine:
    made = hooks_from(load_settings(path))
    assert made is not None
    return made


def test_neither_making_nor_asking_imports_it_here(tmp_path: Path) -> None:
    made = engine(settings(tmp_path, "tower_one", GOOD))
    (hook,) = made.hooks
    assert (hook.name, hook.version) == ("tower", "7")
    (reply,) = asyncio.run(made.run(CASE))
    assert isinstance(reply, HookReply), reply
    assert (reply.passed, reply.version) == (True, "7")
    assert "tower_one" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_what_an_import_prints_and_patches_stays_where_it_happens(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = (
        "import os, sys, json\nprint('hello'); os.write(2, b'hello')\n"
        "json.loads = None\nos.environ['PATCHED'] = '1'\n" + GOOD
    )
    (reply,) = asyncio.run(engine(settings(tmp_path, "tower_two", code)).run(CASE))
    assert isinstance(reply, HookReply), reply
    assert json.loads("1") == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os\nos._exit(0)\n", "ended without a reply"),
        ("import sys\nsys.exit(0)\n", "cannot be imported: SystemExit"),
        ("raise KeyboardInterrupt\n", "cannot be imported: KeyboardInterrupt"),
        ("import os, signal\nos.kill(0, signal.SIGKILL)\n", "ended without a reply"),
        ("def Tower():\n    raise SystemExit(0)\n", "cannot be made: SystemExit"),
        ("def Tower():\n    return 'a tower'\n", "is a str, which has no name and ask"),
        (GOOD.replace('"tower"', "42"), "not plain text"),
        (GOOD.replace('"tower"', r'"to\x1b[31mwer"'), "not plain text"),
        (GOOD.replace('"tower"', '"x" * 300'), "not plain text"),
        ("Tower = None\n", "cannot be made: TypeError"),
        ("", "cannot be imported: AttributeError"),
        ("def broken(:\n", "cannot be imported: SyntaxError"),
    ],
)
def test_whatever_is_wrong_with_it_is_told_with_file_line_and_key(
    tmp_path: Path, code: str, words: str
) -> None:
    path = settings(tmp_path, "tower_three", code)
    with pytest.raises(ConfigError) as refusal:
        engine(path)
    assert f"{path}, line 5: hooks.use[0].factory: tower_three:Tower " in str(refusal.value)
    assert words in str(refusal.value)


@pytest.mark.parametrize("code", ["while True: pass\n", "import time\ntime.sleep(600)\n"])
def test_an_import_that_does_not_end_is_ended(
    tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MAKING_SECONDS", 1.0)
    path = settings(tmp_path, "tower_four", code, seconds=1)
    with pytest.raises(ConfigError, match="no reply within 1 s; ended"):
        engine(path)


def test_an_import_that_fails_later_is_a_fault_and_not_a_pass(tmp_path: Path) -> None:
    made = engine(settings(tmp_path, "tower_five", GOOD))
    (tmp_path / "tower_five.py").write_text("raise RuntimeError('gone')\n")
    (reply,) = asyncio.run(made.run(CASE))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED
    assert "gone" in reply.message


def test_it_can_be_made_while_an_event_loop_runs(tmp_path: Path) -> None:
    path = settings(tmp_path, "tower_six", GOOD)

    async def within() -> str:
        return engine(path).hooks[0].name

    assert asyncio.run(within()) == "tower"


def test_the_environment_reaches_a_factory_only_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWER_NAME", "named")
    code = GOOD.replace('"tower"', '__import__("os").environ.get("TOWER_NAME", "nameless")')
    path = settings(tmp_path, "tower_seven", code)
    assert engine(path).hooks[0].name == "nameless"
    path.write_text(path.read_text() + '[hooks.worker]\nenvironment = ["TOWER_NAME"]\n')
    assert engine(path).hooks[0].name == "named"


def test_the_list_names_the_class_that_the_worker_told(tmp_path: Path) -> None:
    path = settings(tmp_path, "tower_eight", GOOD)
    told = CliRunner().invoke(cli, ["hooks", "list", "--config", str(path)])
    assert told.output.splitlines()[1] == "tower  after  120 s   worker  Tower 7"


def test_options_that_are_no_table_are_an_error(tmp_path: Path) -> None:
    path = settings(tmp_path, "tower_nine", GOOD, more="options = 3\n")
    with pytest.raises(ConfigError, match="options: must be a table"):
        engine(path)


def test_a_module_where_we_happen_to_stand_stands_in_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "struct", "asyncio", "json"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('taken over')\n")
    folder = tmp_path / "settings"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    (reply,) = asyncio.run(engine(settings(folder, "tower_ten", GOOD)).run(CASE))
    assert isinstance(reply, HookReply), reply


def test_a_reference_into_a_class_is_followed(tmp_path: Path) -> None:
    code = GOOD + "\nclass Box:\n    inner = Tower\n"
    made = engine(settings(tmp_path, "tower_eleven", code, name="Box.inner"))
    assert made.hooks[0].name == "tower"
