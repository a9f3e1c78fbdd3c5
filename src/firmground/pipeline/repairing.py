"""Repairs of one flagged answer: by the evidence itself, by a model, or by patches."""

from __future__ import annotations

from firmground.compose import Guidance, spans_request
from firmground.core.canon import Value, pack_text
from firmground.core.claim import Standing
from firmground.core.finding import Agreement, with_corrections
from firmground.core.question import Question
from firmground.pipeline.loop import Attempt, Draft
from firmground.pipeline.repair_order import SpanRepairRequest
from firmground.revise import (
    PatchKind,
    Revision,
    Unsupported,
    flagged,
    mostly,
    put_in,
    read_replacements,
    repair_answer,
)

CORRECTABLE = frozenset(
    "number_differs date_differs time_differs identifier_differs name_differs".split()
)
"""Notes that name one value in the answer and the value in the evidence that belongs there."""


def guidance_from(last: Attempt) -> Guidance:
    """What a rewrite must know: each objection, and what hooks advised."""
    decision = last.judged.decision
    told = [f"{o.rule}: {o.reason}" for o in decision.objections]
    for assessment in last.judged.findings.assessments:
        if not assessment.standing.stands:
            told.append(f"{assessment.claim.text!r} is {assessment.standing}: {assessment.reason}")
    for hook in last.judged.findings.hooks:
        advice = getattr(hook, "guidance", "")
        if advice:
            told.append(f"{hook.source} advises: {advice}")
    return Guidance(answer=last.draft.answer, objections=tuple(told))


def voted(last: Attempt) -> Draft | None:
    """Put in the corrections that other models voted for; None when there are none."""
    draft, seen = last.draft, last.judged.findings.agreement
    if not isinstance(seen, Agreement) or draft.marks:
        return None
    lines = [pack_text(str(one)) for one in seen.corrections if one.accepted]
    after = with_corrections(draft.answer, seen.corrections)
    if not lines or not after.strip():
        return None
    made: Value = {"by": "consensus", "patches": [*lines]}
    return Draft(answer=after, evidence=draft.evidence, made=made, revises=True)


def corrected(last: Attempt) -> Draft | None:
    """Put in what the evidence says, if that repairs every flagged claim; else None."""
    draft, revision = _repaired(last, Unsupported.SPARE)
    only = all(patch.kind is PatchKind.CORRECT for patch in revision.patches)
    return draft if only else None


def patched(unsupported: Unsupported, last: Attempt) -> Draft | None:
    """Repair what can be repaired by offsets; None when nothing would be left or changed."""
    return _repaired(last, unsupported)[0]


def spans_ask(
    question: Question, last: Attempt, *, max_tokens: int | None = None, seed: int | None = None
) -> SpanRepairRequest | None:
    """Ask a model about the flagged pieces only; None when there are none, or little else."""
    draft, found = last.draft, last.judged.findings
    named = frozenset(at for o in last.judged.decision.objections for at in o.claims)
    pieces = flagged(draft.answer, found.assessments, named)
    if not pieces or mostly(draft.answer, pieces):
        return None
    request = spans_request(
        question,
        draft.evidence,
        guidance=guidance_from(last),
        spans=[piece.text for piece in pieces],
        max_tokens=max_tokens,
        seed=seed,
    )

    def put(reply: str) -> tuple[Revision | None, tuple[str, ...]]:
        said = read_replacements(reply, pieces)
        if said is None:
            return None, ("it gave no replacement that could be used",)
        return put_in(draft.answer, pieces, said), said.refused

    return SpanRepairRequest(request=request, put=put, pieces=len(pieces))


def _says_something(last: Attempt, revision: Revision) -> bool:
    """True if a repair leaves a claim that stood, or puts in what the evidence says."""
    return any(
        one.standing in (Standing.GROUNDED, Standing.COMPLEMENTARY)
        for one in last.judged.findings.assessments
    ) or any(patch.kind is PatchKind.CORRECT for patch in revision.patches)


def _repaired(last: Attempt, unsupported: Unsupported) -> tuple[Draft | None, Revision]:
    draft = last.draft
    revision = repair_answer(
        draft.answer,
        last.judged.findings.assessments,
        draft.evidence,
        correctable=CORRECTABLE,
        unsupported=unsupported,
        citations=last.judged.findings.citations,
    )
    if not revision.patches or not revision.after.strip() or not _says_something(last, revision):
        return None, revision
    made: Value = {"by": "patch", "patches": [pack_text(line) for line in revision.diff]}
    repaired = Draft(
        answer=revision.after,
        evidence=draft.evidence,
        made=made,
        marks=revision.marks(draft.marks),
        revises=True,
    )
    return repaired, revision
