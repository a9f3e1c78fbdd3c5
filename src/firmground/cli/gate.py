"""``firmground gate``: measure whether the answer changes without its evidence, and decide."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firmground.bench.dependence import DependenceTrial, bench_calls, run_bench
from firmground.bench.items import BenchItem, built_in
from firmground.cli._consult import watching
from firmground.cli._model import alone_at, model_options, open_model, wrapped
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    print_json,
    say,
    say_wrapped,
)
from firmground.core.decision import Decision, Step
from firmground.core.evidence import Evidence, Trust
from firmground.core.family import named_otherwise
from firmground.core.finding import Dependence, Fault, Findings
from firmground.core.metering import MeteredModel
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rule import Rule
from firmground.engine.gating import (
    beginning,
    dependence_document,
    dependence_rule,
    measure_dependence,
    named_document,
)
from firmground.engine.models import ObservedModel
from firmground.errors import InputError
from firmground.probe import PROFILES, ProbeProfile, plan_probe
from firmground.probe.measure import check_options


@click.command(short_help="Does an answer move without documents?")
@model_options
@click.option("--question", help="What was asked.")
@click.option("--context", "contexts", multiple=True, help="A document, or @FILE; may be repeated.")
@click.option("--option", "options", multiple=True, help="One of the choices; free text if none.")
@click.option("--answer", help="The answer to watch; by default what the model says.")
@click.option(
    "--trust", type=click.Choice([t.label for t in Trust]), default="retrieved",
    show_default=True, help="Trust in the documents.",
)  # fmt: skip
@click.option(
    "--profile", "profile_name", type=click.Choice(sorted(PROFILES)), default="default",
    show_default=True, help="How to measure and judge.",
)  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), help="Sensitivity that counts as much.")
@click.option("--samples", type=click.IntRange(min=1), help="Draws in each arm.")
@click.option("--max-calls", type=click.IntRange(min=0), help="Most calls to the model.")
@click.option("--no-logprobs", is_flag=True, help="Draw replies even where logprobs are offered.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what it would cost and stop.")
@click.option("--demo", is_flag=True, help="Six poisoned questions: how many wrong answers ship?")
@json_option
def command(
    *,
    question: str | None,
    contexts: Sequence[str],
    options: Sequence[str],
    answer: str | None,
    trust: str,
    profile_name: str,
    threshold: float | None,
    samples: int | None,
    max_calls: int | None,
    no_logprobs: bool,
    only_plan: bool,
    demo: bool,
    as_json: bool,
    cache: Path | None,
    record: Path | None,
    replay: Path | None,
    **where: Any,
) -> None:
    """Measure how far an answer depends on its documents, and decide whether it may be released.

    Without --option the answer is free text. Exit codes: 0 it may be released, 1 it may not, 2
    inconclusive.
    """
    profile = _profile(profile_name, samples, max_calls, no_logprobs)
    rule = dependence_rule(profile, threshold)
    if options:
        check_options(options, answer)

    async def with_model(run: Any) -> Any:
        async with open_model(**alone_at(where), asked=replay is None) as asker:
            model: Model = wrapped(asker, cache=cache, record=record, replay=replay)
            watch = watching()
            tally = MeteredModel(
                ObservedModel(model, name=asker.model, watch=watch) if watch else model
            )
            found = await run(tally)
            for said in tally.answered:
                if told := named_otherwise(asker.model, said):
                    say(f"firmground: {told}", err=True)
            return found

    if demo:
        mode = "choice" if options else "free"
        if only_plan:
            _print_plan_of_demo(mode, profile)
            return
        trials = asyncio.run(with_model(lambda model: _demo(model, profile, mode)))
        sys.exit(_print_demo(trials, rule, as_json=as_json))
    evidence = tuple(_evidence(text, trust) for text in contexts)
    if not question or not evidence:
        raise InputError("give --question and at least one --context, or --demo")
    plan = plan_probe(
        mode="choice" if options else "free",
        documents=len(evidence),
        profile=profile,
        options=len(options) or 2,
    )
    if only_plan:
        print_json({"mode": plan.mode, "calls": plan.calls, "at_most": plan.at_most,
                    "dropped": list(plan.dropped), "fits": plan.fits})  # fmt: skip
        return
    asked = Question(text=question)
    seen = asyncio.run(
        with_model(
            lambda m: measure_dependence(m, asked, evidence, options, answer, profile=profile)
        )
    )
    decision = decide(Findings(dependence=seen), (rule,))
    sys.exit(_print_gate(seen, decision, evidence, as_json=as_json))


def _profile(
    name: str, samples: int | None, max_calls: int | None, no_logprobs: bool
) -> ProbeProfile:
    profile = PROFILES[name]
    return replace(
        profile,
        samples=profile.samples if samples is None else samples,
        max_calls=profile.max_calls if max_calls is None else max_calls,
        top_logprobs=0 if no_logprobs else profile.top_logprobs,
    )


def _evidence(text: str, trust: str) -> Evidence:
    level = Trust.parse(trust)
    if not text.strip():
        raise InputError("--context is empty")
    if not text.startswith("@"):
        return Evidence(text=text, trust=level)
    path = Path(text[1:])
    try:
        return Evidence(text=path.read_text(encoding="utf-8"), trust=level, origin=str(path))
    except OSError as error:
        raise InputError(f"--context {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"--context {path}: not UTF-8 at byte {error.start}") from None


def _print_gate(
    seen: Dependence | Fault, decision: Decision, evidence: Sequence[Evidence], *, as_json: bool
) -> int:
    if isinstance(seen, Fault):
        if as_json:
            print_json(dependence_document(seen, decision, evidence))
        else:
            say_wrapped(f"ERROR  could not measure ({seen.kind}): {seen.message}", hang=7)
        return COULD_NOT_TELL
    answered = decision.step is Step.PROCEED
    if as_json:
        print_json(dependence_document(seen, decision, evidence))
    else:
        _print_lines(seen, decision, evidence)
    return HOLDS if answered else DOES_NOT_HOLD


def _print_lines(seen: Dependence, decision: Decision, evidence: Sequence[Evidence]) -> None:
    word = "ANSWER " if decision.step is Step.PROCEED else "ABSTAIN"
    low, high = seen.interval
    say_wrapped(f"{word} {seen.answer}", hang=8)
    held = f" ({seen.without})" if seen.without else ""
    lines = [
        f"shift {seen.believed_with - seen.believed_without:+.2f} [{low:+.2f}, {high:+.2f}]: "
        f"believed {seen.believed_with:.2f} with the documents, "
        f"{seen.believed_without:.2f} without",
        f"prior {seen.prior}{held}, documents: {seen.lean}, noise {seen.noise:.2f}",
        f"sources for it {seen.corroborating}, against {seen.opposing}",
        *(
            f"weight {weight:+.2f}  {named_document(name, evidence)}"
            for name, weight in seen.per_evidence
        ),
        *(f"{objection.rule}: {objection.reason}" for objection in decision.objections),
        *(f"note: {remark}" for remark in seen.remarks),
        counted(seen.calls, "call"),
    ]
    for line in lines:
        say_wrapped(f"  {line}", hang=2)


def _print_plan_of_demo(mode: str, profile: ProbeProfile) -> None:
    items = _poisoned()
    calls = bench_calls(items, mode=mode, profile=profile, documents=1)
    print_json({"mode": mode, "questions": len(items), "at_most": calls})


async def _demo(
    model: Model, profile: ProbeProfile, mode: str
) -> tuple[tuple[DependenceTrial, ...], int]:
    report = await run_bench(model, _poisoned(), mode=mode, profile=profile)
    return report.trials, len(report.faults)


def _poisoned() -> tuple[BenchItem, ...]:
    """The six questions of the demonstration with their poisoned documents alone."""
    return tuple(
        replace(item, documents=tuple(doc for doc in item.documents if doc.poison))
        for item in built_in("demo")
    )


def _print_demo(
    outcome: tuple[tuple[DependenceTrial, ...], int], rule: Rule, *, as_json: bool
) -> int:
    trials, faults = outcome
    rows = [
        (trial, decide(Findings(dependence=trial.seen), (rule,)).step is not Step.PROCEED)
        for trial in trials
    ]
    wrong = [held for trial, held in rows if not trial.correct]
    summary = {
        "poisoned": len(rows),
        "wrong": len(wrong),
        "wrong_held_back": sum(wrong),
        "wrong_shipped": len(wrong) - sum(wrong),
        "right_held_back": sum(held for trial, held in rows if trial.correct),
        "could_not_measure": faults,
    }
    if as_json:
        print_json(summary)
    else:
        asked = {item.id: item.question for item in _poisoned()}
        for number, (trial, held) in enumerate(rows, 1):
            mark = "held back" if held else "shipped  "
            right = "right" if trial.correct else "WRONG"
            question = beginning(asked.get(trial.item, trial.item), 34)
            say(f"{number}  {mark}  {right}  {question}  {beginning(trial.seen.answer, 18)}")
        say_wrapped(", ".join(f"{name.replace('_', ' ')} {n}" for name, n in summary.items()))
    return COULD_NOT_TELL if not rows else HOLDS
