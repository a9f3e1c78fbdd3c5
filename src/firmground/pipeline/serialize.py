"""What models and hooks said about an answer, as JSON and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Any

from firmground.core.claim import Assessment
from firmground.core.decision import Decision
from firmground.core.finding import (
    Agreement,
    Dependence,
    Fault,
    FaultKind,
    Findings,
    HookReply,
    ModelUse,
)
from firmground.decide.rule import only_checker_failures

_DIGITS = 6


def models_dict(findings: Findings) -> dict[str, Any]:
    """The four findings that come from models; None where none was asked."""
    return {
        "dependence": _json(findings.dependence),
        "agreement": _json(findings.agreement),
        "judging": _json(findings.judging),
        "models": _json(findings.models),
    }


def _json(value: Any) -> Any:
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, tuple):
        return [_json(one) for one in value]
    if is_dataclass(value):
        return {one.name: _json(getattr(value, one.name)) for one in fields(value)}
    return value


_FROM_STANDINGS = frozenset({"could_not_check", "thin_support", "high_risk"})
"""Rules that add up what was found of the claims."""


def checker_failed(decision: Decision, assessments: Sequence[Assessment]) -> bool:
    """True when the step was decided only by checkers that failed."""
    deciding = {o.rule for o in decision.objections if o.step is decision.step}
    summed_up = "could_not_check" in deciding and deciding <= _FROM_STANDINGS
    return summed_up and only_checker_failures(assessments)


def hooks_list(findings: Findings) -> list[dict[str, Any]]:
    """What every hook said: ``passed``, ``refused``, or the kind of the fault."""
    return [
        {"source": reply.source, "said": _word(reply), "message": reply.message,
         "at": reply.at, "escalate": reply.escalate, "version": reply.version,
         "confidence": getattr(reply, "confidence", None),
         "guidance": getattr(reply, "guidance", ""),
         "details": [list(pair) for pair in getattr(reply, "details", ())]}
        for reply in findings.hooks
    ]  # fmt: skip


def hooks_lines(findings: Findings) -> Iterator[str]:
    """One line for each hook, also for those that had nothing against the answer."""
    for reply in findings.hooks:
        told = f": {reply.message}" if reply.message else ""
        yield f"hook {reply.source} {_TOLD.get(_word(reply), 'could not be asked')}{told}"


_TOLD = {
    "passed": "passed",
    "refused": "said no",
    str(FaultKind.NOT_APPLICABLE): "did not apply",
}


def _word(reply: HookReply | Fault) -> str:
    if isinstance(reply, Fault):
        return str(reply.kind)
    return "passed" if reply.passed else "refused"


def models_lines(findings: Findings) -> Iterator[str]:
    """One line for each finding and for each model that was asked."""
    yield from _dependence(findings.dependence)
    yield from _agreement(findings.agreement)
    seen = findings.judging
    if seen is not None:
        agreed = "" if seen.agreement is None else f", agreement {seen.agreement:.2f}"
        low, high = seen.interval
        # One claim, or one vote, has no spread: that is not certainty.
        known = f"[{low:.2f}, {high:.2f}]" if low < high else "(too few for an interval)"
        yield f"judges: {', '.join(seen.judges)}{agreed}, score {seen.score:.2f} {known}"
    for used in findings.models:
        yield _used(used)
        yield from (f"{used.purpose}: {remark}" for remark in used.remarks)


def _dependence(seen: Dependence | Fault | None) -> Iterator[str]:
    if isinstance(seen, Fault):
        yield f"probe: could not measure ({seen.kind}): {seen.message}"
    elif seen is not None:
        low, high = seen.interval
        shift = seen.believed_with - seen.believed_without
        what = "the claim that moves most" if seen.mode == "claims" else "the answer"
        yield (
            f"probe: {what} moves by {shift:+.2f} [{low:+.2f}, {high:+.2f}] with its evidence; "
            f"prior {seen.prior}, sources for it {seen.corroborating}, against {seen.opposing}"
        )


def _agreement(seen: Agreement | Fault | None) -> Iterator[str]:
    if isinstance(seen, Fault):
        yield f"consensus: {seen.kind}: {seen.message}"
    elif seen is not None:
        own = " (of the generator's own family only)" if seen.same_family else ""
        yield (
            f"consensus: {seen.agreeing} claims supported, {seen.disagreeing} contradicted, "
            f"{seen.abstaining} open, {len(seen.unchecked)} unchecked, by "
            f"{', '.join(seen.families) or 'nobody'}{own}"
        )
        for block in seen.blocks:
            against = [vote for vote in block.votes if vote.label == "CONTRADICTION"]
            if block.label == "CONTRADICTION" and against:
                told = f": {against[0].reason}" if against[0].reason else ""
                yield (
                    f"consensus: claim {block.claim + 1} is contradicted, score {block.score:.2f}, "
                    f"by {len(against)} of {len(block.votes)} votes{told}"
                )
        for one in seen.corrections:
            taken = "accepted" if one.accepted else "not accepted"
            yield f"consensus: correction {taken}: {one}; {one.reason}"


def _used(used: ModelUse) -> str:
    if not used.model:
        return f"{used.purpose}: no model was asked"
    kin = {"generator": ", which wrote the answer", "family": ", of the generator's family"}
    cost = "" if used.cost is None or not used.calls else f", cost {used.cost:.6f}"
    return (
        f"{used.purpose}: {used.model}{kin.get(used.kin, '')}: {used.calls} calls, "
        f"{used.tokens} tokens{cost}{_per_claim(used)}"
    )


def _per_claim(used: ModelUse) -> str:
    if not used.claims:
        return ""
    tokens = sum(one.tokens for one in used.claims) / len(used.claims)
    return f", {tokens:.0f} tokens a claim"
