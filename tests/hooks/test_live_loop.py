"""What takes longer for a longer case, a longer reply or more workers is not done on the loop."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.hooks import hostile

from firmground.adapters.hooks import citation, command
from firmground.adapters.hooks.citation import CitationHook
from firmground.adapters.hooks.command import CommandHook
from firmground.core.evidence import Evidence
from firmground.core.finding import HookReply
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, engine, isolated, processes, workers
from firmground.hooks.reply import bound

LONG = HookCase(
    question=None,
    answer="the tower is 324 m tall [1] " * 4000,
    evidence=(Evidence(text="x" * 100_000),),
)
SHORT = HookCase(question=None, answer="the tower is 324 m tall [1]")


class Where:
    """Notes in which threads something is called."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self.threads: list[int] = []

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.threads.append(threading.get_ident())
        return self._function(*args, **named)


@pytest.mark.parametrize(
    ("module", "name", "hook"),
    [
        (engine, "case_digest", Registered(hook=CitationHook(), inline=True)),
        (citation, "citations", Registered(hook=CitationHook(), inline=True)),
        (
            command,
            "_document",
            Registered(timeout_seconds=300, hook=CommandHook(argv=("/bin/true",)), inline=True),
        ),
        (isolated, "packed", Registered(timeout_seconds=300, hook=hostile.Honest(word="324 m"))),
    ],
)
def test_a_long_case_is_read_beside_the_loop(
    module: Any, name: str, hook: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = Where(getattr(module, name))
    monkeypatch.setattr(module, name, where)

    async def asked() -> int:
        await HookEngine([hook], deadline_seconds=300).run(LONG)
        return threading.get_ident()

    loop = asyncio.run(asked())
    # A hook itself is small and packed at once; the case is what grows.
    assert any(thread != loop for thread in where.threads)
    if name != "packed":
        assert loop not in where.threads


def test_a_short_case_is_not_worth_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    where = Where(citation.citations)
    monkeypatch.setattr(citation, "citations", where)

    async def asked() -> int:
        await HookEngine([Registered(hook=CitationHook(), inline=True)]).run(SHORT)
        return threading.get_ident()

    assert asyncio.run(asked()) in where.threads


def test_a_verdict_with_many_details_is_hashed_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = Where(bound)
    monkeypatch.setattr(engine, "bound", where)
    details = tuple(("line", str(number)) for number in range(5000))
    reply = HookReply(source="x", passed=True, message="", details=details)

    async def asked() -> int:
        hook = Registered(hook=hostile.Says(reply=reply), inline=True)
        (told,) = await HookEngine([hook], deadline_seconds=300).run(SHORT)
        assert isinstance(told, HookReply)
        assert len(told.replied) == 64
        return threading.get_ident()

    assert asyncio.run(asked()) not in where.threads


def test_the_case_is_packed_once_for_all_workers_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = []

    def packed(value: object) -> bytearray:
        if isinstance(value, HookCase):
            cases.append(value)
        return original(value)

    original = workers.packed
    monkeypatch.setattr(isolated, "packed", packed)
    hooks = [
        Registered(timeout_seconds=300, hook=hostile.Honest(word="324 m"), name=f"h{n}")
        for n in range(3)
    ]
    replies = asyncio.run(HookEngine(hooks, deadline_seconds=300).run(LONG))
    assert all(isinstance(reply, HookReply) and reply.passed for reply in replies), replies
    assert cases == [LONG]


@pytest.mark.parametrize("gather", [workers.packed, command._document])
def test_whoever_gathers_much_pauses_for_the_loop(
    gather: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that only works hands over late, each time the loop asks for its turn."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    gather(SHORT)
    assert pauses == []
    texts = tuple(Evidence(text=f"{number} " + "ä" * 50_000) for number in range(20))
    gather(HookCase(question=None, answer="x", evidence=texts))
    assert len(pauses) >= 10
    assert all(seconds > 0 for seconds in pauses)


def test_what_was_gathered_in_pieces_is_whole() -> None:
    assert pickle.loads(workers.packed(LONG)) == LONG
    document = json.loads(command._document(LONG))
    assert (document["answer"], document["evidence"][0]["text"]) == (LONG.answer, "x" * 100_000)


def test_no_process_is_started_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    where = Where(subprocess.Popen)
    monkeypatch.setattr(subprocess, "Popen", where)
    hooks = [
        Registered(timeout_seconds=300, hook=hostile.Honest(word="324 m"), name=f"h{n}")
        for n in range(3)
    ]
    hooks.append(
        Registered(timeout_seconds=300, hook=CommandHook(argv=("/bin/true",)), inline=True)
    )

    async def asked() -> int:
        replies = await HookEngine(hooks, deadline_seconds=300).run(SHORT)
        assert all(isinstance(reply, HookReply) for reply in replies), replies
        return threading.get_ident()

    loop = asyncio.run(asked())
    assert len(where.threads) == 4
    assert loop not in where.threads
    # They end with the thread that started them, so it is always the same one, which stays.
    assert len(set(where.threads)) == 1


def test_a_start_that_nobody_waits_for_any_more_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    original = subprocess.Popen
    may_start, called_off = threading.Event(), threading.Event()

    def slow(*args: Any, **named: Any) -> Any:
        may_start.set()
        called_off.wait()
        made.append(original(*args, **named))
        return made[-1]

    monkeypatch.setattr(subprocess, "Popen", slow)

    async def scenario() -> None:
        task = asyncio.create_task(processes.started(("/bin/sleep", "600"), env={}))
        await asyncio.to_thread(may_start.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        called_off.set()
        for _ in range(3000):
            if made and made[0].stdin.closed:
                return
            await asyncio.sleep(0.01)

    try:
        asyncio.run(scenario())
        assert made[0].stdin.closed
        assert made[0].wait() == -signal.SIGKILL
    finally:
        made[0].kill()


def test_a_forked_copy_of_us_can_start_processes_too() -> None:
    async def code() -> int:
        child = await processes.started(("/bin/true",), env={})
        code = await child.wait()
        child.end()
        return code

    assert asyncio.run(code()) == 0
    copy = os.fork()
    if copy == 0:
        signal.alarm(60)
        os._exit(asyncio.run(code()) + 42)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 42


def test_citations_that_lead_nowhere_fill_no_prompt() -> None:
    answer = " ".join(f"https://nowhere.example/{number}" for number in range(5000))
    (reply,) = asyncio.run(
        HookEngine([Registered(hook=CitationHook(), inline=True)]).run(
            HookCase(question=None, answer=answer)
        )
    )
    assert isinstance(reply, HookReply)
    assert reply.message == "5000 of 5000 citations lead nowhere"
    assert len(reply.guidance) < 2000
    assert "and 4980 more" in reply.guidance
    assert len(reply.details) == 1000


def test_what_a_dead_leader_left_in_its_group_is_ended_too() -> None:
    async def scenario() -> int:
        left = "sleep 600 >/dev/null & echo $!"
        child = await processes.started(("/bin/sh", "-c", left), env={"PATH": "/usr/bin:/bin"})
        pid = int(await child.read())
        assert await child.wait() == 0
        assert os.getpgid(pid) != os.getpgid(0)
        child.end()
        await child.reaped()
        return pid

    pid = asyncio.run(scenario())
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            break
        if state == "Z":
            break
        time.sleep(0.02)
    else:
        raise AssertionError("it lives on")
