"""The parts of a check, chosen by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from firmground.assemble.consulting import consultation
from firmground.assemble.corroborating import Alone, Needs, one_source_each, resting
from firmground.assemble.judges import DEFAULT_JUDGE, JUDGES, judge_of
from firmground.assemble.model_checks import ModelChecks
from firmground.assemble.pointing import held_to_pointers, json_citations
from firmground.claims import check_citations, prose_claims
from firmground.claims.framed import json_answer_claims, pointer_answer_claims
from firmground.claims.jsonclaims import blank_syntax
from firmground.config.calibration import require_calibrated
from firmground.config.policies import load_policy
from firmground.core.claim import Assessment, Claim
from firmground.core.finding import CitationFinding, Support
from firmground.core.ports import Inquiry, Judge
from firmground.decide import POLICIES, Policy, decide
from firmground.decide.rules import Corroboration
from firmground.errors import InputError, did_you_mean
from firmground.hooks import HookEngine
from firmground.pipeline import Examined, Mode, Parts, Request
from firmground.verify.judge import LexicalJudge
from firmground.verify.risk import RiskWeights
from firmground.verify.support import measure_support
from firmground.verify.suspicious import suspicious_texts

__all__ = [
    "DEFAULT_JUDGE",
    "DEFAULT_POLICY",
    "JUDGES",
    "judge_name",
    "named_judge",
    "named_policy",
    "parts_for",
]

DEFAULT_POLICY = "balanced"


def named_policy(name: str) -> Policy:
    """Return the policy of that name or in that TOML file; an unknown one lists the known ones."""
    if name in POLICIES:
        return POLICIES[name]
    if Path(name).suffix == ".toml" or Path(name).is_file():
        return load_policy(name)
    known = ", ".join(sorted(POLICIES))
    near = did_you_mean(name, POLICIES)
    raise InputError(f"policy {name!r} is unknown{near}; there are {known}, or name a TOML file")


def parts_for(
    *,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    prompt: str = "",
) -> Parts:
    """Return the parts of a check under a policy; ``judge`` is a name or one of your own.

    ``models`` are asked about the answer after the judge has looked at it. ``prompt`` is the digest
    of the prompts the answers are written under, where they are known.
    """
    rules = policy if isinstance(policy, Policy) else named_policy(policy)
    name = judge_name(judge)
    if models is not None and models.judges:
        name = "; then ".join([name, *(f"model {judge_name(one)}" for one in models.judges)])
    require_calibrated(rules, judge=name, prompt=prompt)
    asked = named_judge(judge) if isinstance(judge, str) else judge
    return Parts(
        cut=_cut,
        examine=_examiner(asked),
        judge=name,
        hold=held_to_pointers,
        cite=_cite,
        score=partial(
            _score, judge_of(judge).risk if isinstance(judge, str) else None, rules.criticality
        ),
        rest=partial(resting, needs=_needs(rules), alone=_alone(asked)),
        decide=lambda findings: decide(findings, rules),
        settings="\n".join(
            [name, rules.digest, *_hook_names(hooks), *([models.names] if models else [])]
        ),
        hooks=hooks.run if hooks else None,
        consult=consultation(models) if models else None,
    )


def _needs(policy: Policy) -> Needs:
    found = [rule for rule in policy.rules if isinstance(rule, Corroboration)]
    return found[0].needs if found else one_source_each


def _alone(judge: Judge) -> Alone | None:
    """How our own judges read a part of the evidence; others are not asked once more for it."""
    if not isinstance(judge, LexicalJudge):
        return None
    return lambda inquiry: judge.examine(inquiry).assessments


def _hook_names(hooks: HookEngine | None) -> list[str]:
    return [f"{hook.name} {hook.version}" for hook in hooks.hooks] if hooks else []


def named_judge(name: str) -> Judge:
    """Return the judge of that name, loaded once; an unknown one is an error."""
    return judge_of(name).judge


def judge_name(judge: Judge | str) -> str:
    """What is recorded about who judged: our own by their weights, a model with its prompt."""
    if isinstance(judge, str):
        return judge_of(judge).recorded
    name = str(getattr(judge, "name", type(judge).__name__))
    prompts = getattr(judge, "prompts", ())
    return " ".join([name, *(f"{prompt} sha256:{digest}" for prompt, digest in prompts)])


def _cut(request: Request) -> tuple[Claim, ...]:
    match request.mode:
        case Mode.POINTER:
            return pointer_answer_claims(request.answer, request.question)
        case Mode.JSON:
            return json_answer_claims(request.answer, request.question)
        case _:
            return prose_claims(request.answer, request.question)


def _cite(request: Request, found: tuple[Assessment, ...]) -> tuple[CitationFinding, ...]:
    asked = request.question.text if request.question else ""
    if request.mode is Mode.JSON:
        return json_citations(request)
    return check_citations(request.answer, request.evidence, found, question=asked)


def _score(
    weights: RiskWeights | None,
    criticality: tuple[tuple[str, float], ...],
    request: Request,
    found: tuple[Assessment, ...],
) -> Support:
    ids = {piece.id for piece in request.evidence}
    answer = blank_syntax(request.answer) if request.mode is Mode.JSON else request.answer
    return measure_support(
        answer, found, evidence_ids=ids, risk_weights=weights, criticality=criticality
    )


def _examiner(judge: Judge) -> Callable[[Inquiry], Awaitable[Examined]]:
    async def by_reading(inquiry: Inquiry) -> Examined:
        assert isinstance(judge, LexicalJudge)
        found = judge.examine(inquiry)
        return Examined(
            assessments=found.assessments, unread=found.unread, suspicious=found.suspicious
        )

    async def by_asking(inquiry: Inquiry) -> Examined:
        assessments = await judge.assess(inquiry)
        unread = tuple(p.id for p in inquiry.evidence if not any(map(str.isalnum, p.text)))
        return Examined(
            assessments=assessments, unread=unread, suspicious=suspicious_texts(inquiry)
        )

    return by_reading if isinstance(judge, LexicalJudge) else by_asking
