"""Breaks of the external checks: each was possible once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground import Budget, Engine, check
from firmground.cli.main import cli
from firmground.config.settings import load_settings
from firmground.core.escalation import Escalation
from firmground.core.finding import Fault, FaultKind, Findings, HookReply
from firmground.core.ports import HookCase
from firmground.decide import ADVISORY, BALANCED, Policy, decide
from firmground.engine.hook_settings import built
from firmground.hooks import BreakerPolicy, Breakers, HookEngine, Phase, Registered, summarise
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "The tower is 324 m tall. It was built in 1889."
ANSWER = "The tower is 324 m tall."
WRONG = "The tower is 999 m tall."
Reply = HookReply | Fault


def no(_: HookCase) -> Reply:
    return HookReply(source="world", passed=False, message="no")


def down(_: HookCase) -> Reply:
    return Fault(source="world", kind=FaultKind.UNREACHABLE, message="nobody there")


def asked(seen: list[HookCase]) -> Callable[[HookCase], Reply]:
    def reply(case: HookCase) -> Reply:
        seen.append(case)
        return HookReply(source="world", passed=True, message="yes")

    return reply


def one(function: Callable[[HookCase], Reply], phase: Phase = Phase.AFTER) -> HookEngine:
    hook = FunctionHook(name="world", function=function)
    return HookEngine([Registered(hook=hook, phase=phase, inline=True)])


def run(engine: HookEngine) -> tuple[Reply, ...]:
    return asyncio.run(engine.run(HookCase(question=None, answer=ANSWER)))


def test_a_hook_of_the_phase_before_is_not_skipped_in_a_check() -> None:
    assert not check(ANSWER, SOURCE, hooks=one(no, Phase.BEFORE), judge="lexical").stands


def test_a_hook_of_the_phase_before_is_not_skipped_when_a_report_is_evaluated() -> None:
    with Engine(judge="lexical", hooks=one(no, Phase.BEFORE)) as engine:
        assert not engine.evaluate(ANSWER, SOURCE).stands


def test_a_hook_of_the_phase_before_in_the_settings_is_not_skipped_by_the_command(
    tmp_path: Path,
) -> None:
    table = '[[hooks.use]]\ntype = "arithmetic"\nphase = "before"\n'
    (tmp_path / "firmground.toml").write_text(table)
    answer = "The tower is 324 m tall. 300 + 24 = 325."
    source = "The tower is 324 m tall. 300 + 24 = 325."
    told = ["check", "-a", answer, "-e", source, "--judge", "lexical"]
    ran = CliRunner().invoke(cli, [*told, "--config", str(tmp_path / "firmground.toml")])
    assert ran.exit_code == 1, ran.output
    assert "arithmetic" in ran.output


def test_a_hook_of_both_phases_is_asked_twice_and_knows_which_time_it_is() -> None:
    seen: list[HookCase] = []
    check(ANSWER, SOURCE, hooks=one(asked(seen), Phase.BOTH), judge="lexical")
    assert [case.validation_passed for case in seen] == [None, True]


def test_a_hook_sees_what_the_checks_before_it_found() -> None:
    seen: list[HookCase] = []
    check(WRONG, SOURCE, hooks=one(asked(seen)), judge="lexical")
    (case,) = seen
    assert case.validation_passed is False
    assert [a.standing for a in case.assessments] == ["contradicted"]
    assert any("324" in objection.reason for objection in case.objections)


def test_a_hook_sees_the_callers_metadata_job_id_and_output_files() -> None:
    seen: list[HookCase] = []
    with Engine(judge="lexical", hooks=one(asked(seen))) as engine:
        told: dict[str, Any] = {
            "metadata": {"backend": "batch"},
            "output_files": ["out/report.txt"],
        }
        engine.check(ANSWER, SOURCE, id="job-7", **told)
        engine.evaluate(ANSWER, SOURCE, id="job-7", **told)
    for case in seen:
        assert case.job_id == "job-7"
        assert case.output_files == ("out/report.txt",)
        assert dict(case.metadata) == {"backend": "batch"}
    assert len(seen) == 2


def test_a_program_that_is_asked_sees_the_verdict_and_the_files(tmp_path: Path) -> None:
    script = tmp_path / "see.py"
    script.write_text(
        "#!/usr/bin/python3\nimport json, sys\ncase = json.load(sys.stdin)\n"
        "print(case['job_id'], case['output_files'], case['validation_passed'],"
        " case['validation_details'][0]['standing'], case['metadata'])\n"
    )
    script.chmod(0o755)
    table = '[[hooks.use]]\ntype = "command"\nargv = ["./see.py"]\nnetwork = true\n'
    (tmp_path / "firmground.toml").write_text(table)
    told = ["check", "-a", ANSWER, "-e", SOURCE, "--judge", "lexical", "--json", "--id", "j1"]
    told += ["--meta", "ticket=T-9", "--output-file", "a.txt"]
    ran = CliRunner().invoke(cli, [*told, "--config", str(tmp_path / "firmground.toml")])
    (reply,) = json.loads(ran.output)["hooks"]
    assert reply["message"] == "j1 ['a.txt'] True grounded {'ticket': 'T-9'}", ran.output


def test_every_reply_says_when_it_was_given() -> None:
    before = datetime.now(UTC)
    hooks = [Registered(hook=FunctionHook(name=n, function=f), inline=True)
             for n, f in (("refuses", no), ("down", down))]  # fmt: skip
    for reply in run(HookEngine(hooks)):
        assert before <= datetime.fromisoformat(reply.at) <= datetime.now(UTC)
    result = check(ANSWER, SOURCE, hooks=HookEngine(hooks), judge="lexical")
    assert all(reply["at"] for reply in result.to_dict()["hooks"])


def test_the_time_of_a_reply_does_not_change_the_root_of_a_run() -> None:
    roots = {check(ANSWER, SOURCE, hooks=one(no), judge="lexical").root for _ in range(3)}
    assert len(roots) == 1


def test_a_target_that_is_down_is_not_asked_by_every_hook_of_one_run() -> None:
    tried: list[str] = []

    def failing(case: HookCase) -> Reply:
        tried.append("asked")
        return down(case)

    hooks = [
        Registered(hook=FunctionHook(name=f"h{n}", function=failing), target="db", inline=True)
        for n in range(10)
    ]
    replies = run(HookEngine(hooks, breakers=Breakers(BreakerPolicy(threshold=3))))
    kinds = [reply.kind for reply in replies if isinstance(reply, Fault)]
    assert len(tried) == 3
    assert kinds == [FaultKind.UNREACHABLE] * 3 + [FaultKind.BREAKER_OPEN] * 7


def test_hooks_of_a_target_that_answers_are_all_asked() -> None:
    seen: list[HookCase] = []
    hooks = [
        Registered(hook=FunctionHook(name=f"h{n}", function=asked(seen)), target="db", inline=True)
        for n in range(10)
    ]
    assert summarise(run(HookEngine(hooks))).passed == 10


def escalated(hooks: HookEngine, policy: Policy = BALANCED) -> list[Escalation]:
    cases: list[Escalation] = []
    with Engine(judge="lexical", hooks=hooks, policy=policy) as engine:
        budget = Budget(regenerations=0, replans=0)
        engine.evaluate(ANSWER, SOURCE, budget=budget, escalate=cases.append)
    return cases


def test_one_hook_can_call_for_a_person_though_the_policy_does_not() -> None:
    calm = Policy(name="calm", rules=BALANCED.rules)
    hook = FunctionHook(name="world", function=no)
    assert not escalated(HookEngine([Registered(hook=hook, inline=True)]), calm)
    loud = HookEngine([Registered(hook=hook, inline=True, escalate=True)])
    (case,) = escalated(loud, calm)
    assert case.reasons[0].rule == "hooks"


def test_one_hook_can_be_left_out_of_what_a_person_is_asked() -> None:
    hook = FunctionHook(name="world", function=no)
    assert escalated(HookEngine([Registered(hook=hook, inline=True)]))
    assert not escalated(HookEngine([Registered(hook=hook, inline=True, escalate=False)]))


def test_a_hook_itself_can_call_for_a_person() -> None:
    def loud(_: HookCase) -> Reply:
        return HookReply(source="world", passed=False, message="no", escalate=True)

    assert escalated(one(loud), Policy(name="calm", rules=BALANCED.rules))


def test_the_settings_say_which_hook_calls_for_a_person(tmp_path: Path) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text('[[hooks.use]]\ntype = "arithmetic"\nescalate = false\n')
    assert built(load_settings(path))[0].escalate is False


def test_the_summary_says_in_words_what_failed() -> None:
    hooks = [Registered(hook=FunctionHook(name=n, function=f), inline=True)
             for n, f in (("yes", asked([])), ("refuses", no), ("down", down))]  # fmt: skip
    told = summarise(run(HookEngine(hooks))).message
    assert told == (
        "2 of 3 external checks did not pass: refuses: no; down: could not be asked "
        "(unreachable): nobody there"
    )
    assert summarise(run(HookEngine(hooks[:1]))).message == "1 external check passed"
    assert summarise(()).message == "no external check was asked"


@pytest.mark.parametrize("rule", ["hooks", "blind_dependence", "disagreement"])
def test_a_fault_of_a_hook_the_probe_or_the_other_models_is_not_waived(rule: str) -> None:
    fault = Fault(source="world", kind=FaultKind.TIMEOUT)
    field = {"hooks": "hooks", "blind_dependence": "dependence", "disagreement": "agreement"}[rule]
    found = Findings(**{field: (fault,) if field == "hooks" else fault})  # type: ignore[arg-type]
    waiving = Policy(name="lax", rules=BALANCED.rules, waived=(rule,))
    for policy in (waiving, ADVISORY):
        objections = decide(found, policy).objections
        assert any(o.fault for o in objections), policy.name


def test_a_hook_sees_metadata_job_id_and_output_files_of_a_question(tmp_path: Path) -> None:
    seen: list[HookCase] = []

    def reply(case: HookCase) -> HookReply:
        seen.append(case)
        return HookReply(source="books", passed=True, message="fine")

    hook = Registered(
        hook=FunctionHook(name="books", function=reply), phase=Phase.BOTH, inline=True
    )
    with Engine(
        judge="lexical",
        hooks=[hook],
        model=FunctionModel(function=lambda request: "It rained."),
    ) as engine:
        engine.ask(
            "Did it rain?", "It rained.", id="job-7", metadata={"sheet": 3}, output_files=["a.txt"]
        )
    assert [case.answer for case in seen] == [None, "It rained."]
    for case in seen:
        assert (case.job_id, dict(case.metadata)) == ("job-7", {"sheet": "3"})
        assert case.output_files == ("a.txt",)


def test_the_command_that_asks_a_question_gives_hooks_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "see.py"
    script.write_text(
        "#!/usr/bin/python3\nimport json, sys\ncase = json.load(sys.stdin)\n"
        "print(case['job_id'], case['output_files'], case['metadata'])\n"
    )
    script.chmod(0o755)
    config = tmp_path / "firmground.toml"
    config.write_text('[[hooks.use]]\ntype = "command"\nargv = ["./see.py"]\nnetwork = true\n')

    def answer(body: dict[str, Any], number: int) -> Answer:
        return 200, {}, completion("It rained.")

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with wire(answer) as server:
        run = CliRunner().invoke(
            cli,
            ["ask", "Did it rain?", "-e", "It rained.", "--judge", "lexical", "--config",
             str(config), "--model", f"m={server.base_url}", "--id", "job-7", "--meta", "sheet=3",
             "--output-file", "a.txt", "--json"],
        )  # fmt: skip
    assert run.exit_code == 0, run.output
    (reply,) = json.loads(run.stdout)["hooks"]
    assert reply["message"] == "job-7 ['a.txt'] {'sheet': '3'}"
