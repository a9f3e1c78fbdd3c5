"""One engine, shared by threads and tasks."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import firmground
from firmground import Budget, Engine, HookReply, InputError, ModelError, Settings
from firmground.core.claim import Assessment
from firmground.core.decision import Step, Verdict
from firmground.core.finding import Fault, FaultKind, Findings
from firmground.core.ports import Inquiry, ModelReply, ModelRequest
from firmground.decide import ADVISORY, Policy, decide
from firmground.decide.rules import Contradiction, FailedHooks, Faulted
from firmground.engine.clients import LoopThread
from firmground.engine.judges import judge_of
from firmground.hooks import Registered
from firmground.testing import FunctionHook, FunctionModel
from firmground.verify.judge import LexicalJudge

SOURCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day."
RIGHT = "The Alder bridge opened in 1932."
WRONG = "The Alder bridge opened in 1952."


@pytest.fixture
def engine() -> Any:
    with Engine(judge="lexical") as made:
        yield made


def test_many_threads_get_what_one_gets(engine: Engine) -> None:
    answers = [f"The Alder bridge opened in {1900 + n}." for n in range(40)]
    alone = [engine.check(answer, SOURCE).to_dict() for answer in answers]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda a: engine.check(a, SOURCE).to_dict(), answers))
    assert together == alone
    assert sum(document["verdict"] == "stands" for document in alone) == 1


def test_many_tasks_get_what_one_gets_and_the_loop_stays_free(engine: Engine) -> None:
    async def all_at_once() -> tuple[list[Any], int]:
        done = asyncio.Event()
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while not done.is_set():
                beats += 1
                await asyncio.sleep(0)

        pulse = asyncio.create_task(beat())
        answers = [f"The Alder bridge opened in {1925 + n}." for n in range(16)]
        found = await asyncio.gather(*(engine.acheck(answer, SOURCE) for answer in answers))
        done.set()
        await pulse
        return [one.to_dict() for one in found], beats

    found, beats = asyncio.run(all_at_once())
    assert [one["verdict"] for one in found].count("stands") == 1
    assert beats > 16


@dataclass(frozen=True)
class WatchedJudge:
    """The lexical judge, noting in which threads and how many at a time it computed."""

    inner: LexicalJudge
    seen: dict[str, int]
    lock: threading.Lock

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        raise AssertionError("a judge that computes is not awaited")

    def examine(self, inquiry: Inquiry) -> Any:
        with self.lock:
            self.seen["now"] = self.seen.get("now", 0) + 1
            self.seen["most"] = max(self.seen.get("most", 0), self.seen["now"])
            self.seen[threading.current_thread().name] = 1
        time.sleep(0.005)
        try:
            return self.inner.examine(inquiry)
        finally:
            with self.lock:
                self.seen["now"] -= 1


def test_judging_runs_in_a_bounded_number_of_the_engines_threads() -> None:
    seen: dict[str, int] = {}
    judge = WatchedJudge(inner=LexicalJudge(), seen=seen, lock=threading.Lock())

    async def many() -> None:
        async with Engine(judge=judge, threads=2) as engine:
            await asyncio.gather(*(engine.acheck(RIGHT, SOURCE) for _ in range(12)))

    asyncio.run(many())
    assert seen["most"] <= 2
    assert threading.current_thread().name not in seen


def test_weights_are_loaded_once_by_threads_that_begin_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = []
    judge_of.cache_clear()

    def slowly(checks: object) -> str:
        loaded.append(1)
        time.sleep(0.05)
        return "lexical slow"

    monkeypatch.setattr("firmground.engine.judges._lexical", slowly)
    with Engine(judge="lexical") as engine, ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda _: engine.check(RIGHT, SOURCE), range(6)))
    judge_of.cache_clear()
    assert len(loaded) == 1


def test_plain_calls_work_inside_a_running_loop(engine: Engine) -> None:
    async def cell() -> list[bool]:
        rows = [{"answer": RIGHT, "evidence": SOURCE}]
        with Engine(judge="cascade:lexical,lexical") as cascade:
            made = [engine.check(RIGHT, SOURCE), cascade.check(RIGHT, SOURCE)]
            return [
                bool(one) for one in (*made, *engine.check_many(rows), *cascade.check_many(rows))
            ]

    assert asyncio.run(cell()) == [True] * 4


def test_a_closed_engine_says_so_and_closing_twice_is_fine() -> None:
    engine = Engine(judge="lexical")
    engine.close()
    engine.close()
    with pytest.raises(InputError, match="the engine is closed"):
        engine.check(RIGHT, SOURCE)


def test_the_engine_owns_the_ledger_and_every_call_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with Engine(judge="lexical", ledger=path) as engine, ThreadPoolExecutor(4) as threads:
        kept = list(threads.map(lambda _: engine.check(RIGHT, SOURCE).run_id, range(8)))
    assert len(set(kept)) == 8
    assert None not in kept


def test_settings_are_one_value_and_the_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text(
        '[policy]\nbase = "strict"\nname = "own"\n[judge]\nuse = "lexical"\n'
        '[engine]\nthreads = 3\n[ledger]\nfile = "log.sqlite"\n[budget]\nmodel_calls = 7\n'
    )
    opened = []
    real = Path.open

    def counting(self: Path, *given: Any, **options: Any) -> Any:
        if self == file:
            opened.append(1)
        return real(self, *given, **options)

    monkeypatch.setattr(Path, "open", counting)
    with Engine(file) as engine:
        result = engine.check(RIGHT, SOURCE)
    assert len(opened) == 1
    assert (result.decision.policy, engine.settings.threads) == ("own", 3)
    assert engine.settings.budget == Budget(model_calls=7)
    assert (tmp_path / "log.sqlite").is_file()
    with pytest.raises(InputError, match="threads"):
        Settings(threads=0)


def test_the_policy_can_be_another_one_for_one_call(engine: Engine) -> None:
    assert engine.check(WRONG, SOURCE, policy="advisory").answer == WRONG
    assert engine.check(WRONG, SOURCE).answer is None


def test_a_deadline_that_passes_is_a_fault_and_never_a_pass() -> None:
    @dataclass(frozen=True)
    class Slow:
        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            await asyncio.sleep(5)
            raise AssertionError

    with Engine(judge=Slow()) as engine:
        result = engine.check(RIGHT, SOURCE, deadline_seconds=0.05)
    assert result.verdict is Verdict.COULD_NOT_TELL
    assert [fault.kind for fault in result.findings.faults] == [FaultKind.TIMEOUT]
    assert {claim.standing for claim in result.claims} == {"unverifiable"}


def test_advisory_releases_an_answer_that_fell_and_never_says_that_it_stands() -> None:
    result = firmground.check(WRONG, SOURCE, judge="lexical", policy="advisory")
    assert result.answer == WRONG
    assert (bool(result), result.stands, str(result.verdict)) == (False, False, "does_not_stand")
    assert result.to_dict()["verdict"] == "does_not_stand"
    assert result.decision.released
    assert "released by policy advisory" in repr(result)


@pytest.mark.parametrize(
    "findings",
    [
        Findings(faults=(Fault(source="judge", kind=FaultKind.CRASHED),)),
        Findings(hooks=(Fault(source="files", kind=FaultKind.CRASHED),)),
        Findings(dependence=Fault(source="probe", kind=FaultKind.UNREACHABLE)),
        Findings(agreement=Fault(source="consensus", kind=FaultKind.TIMEOUT)),
    ],
)
def test_no_policy_can_waive_a_fault_or_leave_it_out(findings: Findings) -> None:
    bare = Policy(name="bare", rules=(Contradiction(),), waived=("contradiction",))
    most = replace(
        ADVISORY,
        waived=tuple(r.name for r in ADVISORY.rules if r.name != Faulted.name),
        escalate=(),
    )
    for policy in (bare, most, ADVISORY):
        decision = decide(findings, policy)
        assert decision.step is not Step.PROCEED
        assert decision.verdict is not Verdict.STANDS
    with pytest.raises(InputError, match="cannot be waived"):
        Policy(name="blind", rules=(Faulted(),), waived=("faults",))


def test_a_refusal_of_a_hook_can_be_waived_and_a_crash_cannot() -> None:
    policy = Policy(name="open", rules=(FailedHooks(),), waived=("hooks",))
    no = decide(Findings(hooks=(HookReply(source="h", passed=False, message="no"),)), policy)
    assert (no.step, no.verdict) == (Step.PROCEED, Verdict.DOES_NOT_STAND)
    crash = decide(Findings(hooks=(Fault(source="h", kind=FaultKind.CRASHED),)), policy)
    assert crash.step is Step.ABSTAIN


def test_hooks_given_as_objects_are_asked() -> None:
    hook = FunctionHook(
        name="books", function=lambda case: HookReply(source="books", passed=False, message="no")
    )
    with Engine(judge="lexical", hooks=[Registered(hook=hook, inline=True)]) as engine:
        (objection,) = engine.check(RIGHT, SOURCE).decision.objections
    assert (objection.rule, objection.reason) == ("hooks", "books said no: no")


def test_many_rows_ask_the_hooks_too_and_several_workers_say_that_they_cannot() -> None:
    hook = FunctionHook(
        name="books", function=lambda case: HookReply(source="books", passed=False, message="no")
    )
    rows = [{"answer": RIGHT, "evidence": SOURCE}]
    with Engine(judge="lexical", hooks=[Registered(hook=hook, inline=True)]) as engine:
        (result,) = engine.check_many(rows)
        assert not result
        with pytest.raises(InputError, match="use workers=1"):
            list(engine.check_many(rows, workers=2))


def test_evidence_and_callbacks_belong_to_the_call() -> None:
    told: list[str] = []
    model = FunctionModel(function=lambda request: RIGHT)
    with Engine(judge="lexical", model=model) as engine:
        asked = engine.ask(
            "When did the Alder bridge open?",
            SOURCE,
            preflight=False,
            tell=lambda stage, message: told.append(stage),
        )
        assert asked
        assert asked.answer == RIGHT
        assert {"answer", "verify", "decision"} <= set(told)
        with pytest.raises(InputError, match="either evidence or a retriever"):
            engine.ask("When did the Alder bridge open?")


def test_a_model_the_engine_owns_is_asked_from_any_loop_and_closed() -> None:
    home = LoopThread()
    loops = set()

    async def answer(request: ModelRequest) -> ModelReply:
        loops.add(id(asyncio.get_running_loop()))
        return ModelReply(texts=("yes",), model="m")

    class Client:
        complete = staticmethod(answer)

    model = home.owned(Client())
    request = ModelRequest(messages=())
    texts = [asyncio.run(model.complete(request)).texts for _ in range(3)]
    assert texts == [("yes",)] * 3
    assert len(loops) == 1
    home.close()

    async def broken(request: ModelRequest) -> ModelReply:
        raise ModelError("gone")

    class Broken:
        complete = staticmethod(broken)

    again = LoopThread()
    with pytest.raises(ModelError, match="gone"):
        asyncio.run(again.owned(Broken()).complete(request))
    again.close()


def test_an_owned_model_streams_across_loops_and_passes_failures_on() -> None:
    home = LoopThread()
    request = ModelRequest(messages=())

    async def collected(model: Any) -> list[str]:
        return [piece async for piece in home.owned(model).stream(request)]

    whole = FunctionModel(function=lambda request: "It opened in 1932.", piece=5)
    assert asyncio.run(collected(whole)) == ["It op", "ened ", "in 19", "32."]

    class Breaks(FunctionModel):
        async def stream(self, request: ModelRequest) -> Any:
            yield "It "
            raise ModelError("broke off")

    with pytest.raises(ModelError, match="broke off"):
        asyncio.run(collected(Breaks(function=lambda request: "")))
    home.close()


def test_the_functions_share_one_engine_also_after_it_was_closed() -> None:
    from firmground.engine import default_engine

    first = default_engine()
    assert default_engine() is first
    first.close()
    assert firmground.check(RIGHT, SOURCE, judge="lexical")
    assert default_engine() is not first


def test_deprecated_names_work_and_warn() -> None:
    with pytest.warns(DeprecationWarning, match="use Result"):
        assert firmground.Outcome is firmground.Result
    for name in ("Pipeline", "Evaluator", "Findings", "Kind", "Escalation"):
        with pytest.warns(DeprecationWarning, match=name):
            assert getattr(firmground, name) is not None
