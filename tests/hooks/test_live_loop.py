"""What takes longer for a longer case, a longer reply or more workers is not done on the loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.hooks import hostile

from firmground.adapters.hooks import citation, command
from firmground.adapters.hooks.citation import CitationHook
from firmground.adapters.hooks.command import CommandHook
from firmground.core.evidence import Evidence
from firmground.core.finding import Verdict
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, engine, isolated

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
        (command, "_document", Registered(hook=CommandHook(argv=("/bin/true",)), inline=True)),
        (isolated, "packed", Registered(hook=hostile.Honest(word="324 m"))),
    ],
)
def test_a_long_case_is_read_beside_the_loop(
    module: Any, name: str, hook: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = Where(getattr(module, name))
    monkeypatch.setattr(module, name, where)

    async def asked() -> int:
        await HookEngine([hook]).run(LONG)
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
    where = Where(engine.bound)
    monkeypatch.setattr(engine, "bound", where)
    details = tuple(("line", str(number)) for number in range(5000))
    reply = Verdict(source="x", passed=True, message="", details=details)

    async def asked() -> int:
        hook = Registered(hook=hostile.Says(reply=reply), inline=True)
        (told,) = await HookEngine([hook]).run(SHORT)
        assert isinstance(told, Verdict)
        assert len(told.replied) == 64
        return threading.get_ident()

    assert asyncio.run(asked()) not in where.threads


def test_the_case_is_packed_once_for_all_workers_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = []

    def packed(value: object) -> bytes:
        if isinstance(value, HookCase):
            cases.append(value)
        return original(value)

    original = isolated.packed
    monkeypatch.setattr(isolated, "packed", packed)
    hooks = [Registered(hook=hostile.Honest(word="324 m"), name=f"h{n}") for n in range(3)]
    replies = asyncio.run(HookEngine(hooks).run(LONG))
    assert all(isinstance(reply, Verdict) and reply.passed for reply in replies), replies
    assert cases == [LONG]


def test_workers_are_started_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    starting = most = 0
    original = asyncio.create_subprocess_exec

    async def start(*args: Any, **named: Any) -> Any:
        nonlocal starting, most
        starting += 1
        most = max(most, starting)
        try:
            await asyncio.sleep(0)
            return await original(*args, **named)
        finally:
            starting -= 1

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    hooks = [Registered(hook=hostile.Honest(word="324 m"), name=f"h{n}") for n in range(3)]
    hooks.append(Registered(hook=CommandHook(argv=("/bin/true",)), inline=True))
    asyncio.run(HookEngine(hooks).run(SHORT))
    assert most == 1


def test_citations_that_lead_nowhere_fill_no_prompt() -> None:
    answer = " ".join(f"https://nowhere.example/{number}" for number in range(5000))
    (reply,) = asyncio.run(
        HookEngine([Registered(hook=CitationHook(), inline=True)]).run(
            HookCase(question=None, answer=answer)
        )
    )
    assert isinstance(reply, Verdict)
    assert reply.message == "5000 of 5000 citations lead nowhere"
    assert len(reply.guidance) < 2000
    assert "and 4980 more" in reply.guidance
    assert len(reply.details) == 1000
