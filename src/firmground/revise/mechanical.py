"""Repair without any model: correct a value to what the evidence says, drop or hedge the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from firmground.core.claim import Assessment, CheckNote, Standing
from firmground.core.evidence import Evidence
from firmground.core.finding import CitationFinding
from firmground.core.marking import MARK, markable
from firmground.revise.dropping import TAIL, begins_a_sentence, drop_span
from firmground.revise.patch import Patch, PatchKind, Revision, apply
from firmground.revise.piece import OMITTED, facts_to_act_on, flagged_words, spared
from firmground.revise.quoting import unquoted

_BREAKS = " ,;:"
_NAMED_BEFORE = re.compile(
    r"\b(?!(?:The|A|An|In|On|At|By|For|From|With|And|But|To|Of|As|When|While|If)\b)"
    r"[A-ZÀ-ÖØ-Þ][\w.'’-]{0,30}[ \u00a0]\Z"
)
_NAMED_BEHIND = re.compile(r"[ \u00a0][A-ZÀ-ÖØ-Þ]")
_MAX_VALUE = 80


class Unsupported(StrEnum):
    """What to do with a claim that cannot be corrected."""

    SPARE = "spare"
    """Leave as much as possible: mark the claim where a mark is enough, else put a sign of omission
    in the place of exactly the flagged words, and drop the claim only when nothing else is left."""
    NARROW = "narrow"
    """The least that helps: cut the piece out if it can be spared, else mark the claim where a
    mark is enough, else drop it."""
    DROP = "drop"
    """The whole claim goes."""
    HEDGE = "hedge"
    """Keep everything and mark every claim; claims with facts to act on still do not stand."""


def repair_answer(
    answer: str,
    assessments: Sequence[Assessment],
    evidence: Sequence[Evidence],
    *,
    correctable: frozenset[str],
    unsupported: Unsupported = Unsupported.SPARE,
    citations: Sequence[CitationFinding] = (),
) -> Revision:
    """Patch every claim that does not stand; claims that do are not touched.

    ``correctable`` names the reason codes whose note points at the value in the answer and at the
    value in the evidence, so that one may replace the other. Of ``citations``, words in quotation
    marks that are in no source lose the quotation marks and keep every word.
    """
    texts = {piece.id: piece.text for piece in evidence}
    plain = list(unquoted(answer, citations))
    patches: list[Patch] = []
    for position, assessment in enumerate(assessments):
        if assessment.standing.stands:
            continue
        fixes = _corrections(answer, assessment, position, texts, correctable)
        if fixes and _covers(fixes, assessment):
            patches += fixes
        else:
            patches += _removed(answer, assessments, position, unsupported)
    return apply(answer, _without_overlap([*plain, *_inside(answer, patches, plain)]))


def _corrections(
    answer: str,
    assessment: Assessment,
    position: int,
    texts: Mapping[str, str],
    correctable: frozenset[str],
) -> list[Patch]:
    fixes = []
    for note in assessment.notes:
        if note.standing is not Standing.CONTRADICTED or note.code not in correctable:
            continue
        patch = _correction(answer, note, position, texts)
        if patch is not None:
            fixes.append(patch)
    return fixes


def _correction(
    answer: str, note: CheckNote, position: int, texts: Mapping[str, str]
) -> Patch | None:
    """Put the evidence's own characters in, when note and evidence name exactly one value each."""
    if note.start is None or note.end is None or len(note.evidence) != 1:
        return None
    span = note.evidence[0]
    value = texts.get(span.evidence_id, "")[span.start : span.end]
    if not value.strip() or len(value) > _MAX_VALUE or value == answer[note.start : note.end]:
        return None
    if note.code == "name_differs" and _part_of_a_name(answer, note.start, note.end):
        return None
    return Patch(
        start=note.start,
        end=note.end,
        replacement=value,
        kind=PatchKind.CORRECT,
        reason=note.reason,
        claim=position,
    )


def _part_of_a_name(answer: str, start: int, end: int) -> bool:
    """True for the ``Patel`` of ``Priya Patel``: another name in its place makes up a third."""
    before = _NAMED_BEFORE.search(answer, max(0, start - 40), start)
    return bool(before or _NAMED_BEHIND.match(answer, end))


def _covers(fixes: Sequence[Patch], assessment: Assessment) -> bool:
    """Correcting is enough only if every flagged piece of the claim is corrected."""
    return all(
        any(fix.start <= problem.start and problem.end <= fix.end for fix in fixes)
        for problem in assessment.problems
    )


def _removed(
    answer: str, assessments: Sequence[Assessment], position: int, unsupported: Unsupported
) -> list[Patch]:
    if unsupported in (Unsupported.DROP, Unsupported.HEDGE):
        return [_remove(answer, assessments, position, unsupported)]
    one = assessments[position]
    enough = markable(answer, one) and MARK.strip() not in one.claim.text
    if unsupported is Unsupported.NARROW and (cuts := spared(answer, one)):
        return _cut(cuts, "", one, position)
    if enough:
        return [_remove(answer, assessments, position, Unsupported.HEDGE)]
    if unsupported is Unsupported.SPARE:
        if cuts := facts_to_act_on(one):
            marked = _remove(answer, assessments, position, Unsupported.HEDGE)
            return [*_cut(cuts, OMITTED, one, position), marked]
        if cuts := flagged_words(one):
            clean = spared(answer, one)
            exact = len(clean) == len(cuts) and _letters(answer, clean) <= _letters(answer, cuts)
            return _cut(clean if exact else cuts, "" if exact else OMITTED, one, position)
    return [_remove(answer, assessments, position, Unsupported.DROP)]


def _letters(answer: str, spans: Sequence[tuple[int, int]]) -> int:
    return sum(sign.isalnum() for low, high in spans for sign in answer[low:high])


def _cut(
    cuts: Sequence[tuple[int, int]], instead: str, one: Assessment, position: int
) -> list[Patch]:
    return [
        Patch(
            start=low,
            end=high,
            replacement=instead,
            kind=PatchKind.DROP,
            reason=one.reason,
            claim=position,
        )
        for low, high in cuts
    ]


def _remove(
    answer: str, assessments: Sequence[Assessment], position: int, unsupported: Unsupported
) -> Patch:
    assessment = assessments[position]
    claim = assessment.claim
    if unsupported is Unsupported.HEDGE:
        at = claim.end - len(claim.text) + len(claim.text.rstrip(TAIL + _BREAKS))
        return Patch(
            start=at,
            end=at,
            replacement=MARK,
            kind=PatchKind.HEDGE,
            reason=assessment.reason,
            claim=position,
        )
    start, end = drop_span(answer, assessments, position)
    instead = ""
    if begins_a_sentence(answer, assessments, position):
        start, end, instead = claim.start, claim.start + len(claim.text.rstrip(_BREAKS)), OMITTED
    return Patch(
        start=start,
        end=end,
        replacement=instead,
        kind=PatchKind.DROP,
        reason=assessment.reason,
        claim=position,
    )


def _inside(answer: str, patches: Sequence[Patch], plain: Sequence[Patch]) -> list[Patch]:
    """A mark behind ``said so."`` goes before the stop when the quotation mark goes."""
    gone = {patch.start for patch in plain}
    return [
        replace(one, start=at, end=at) if one.kind is PatchKind.HEDGE else one
        for one in patches
        for at in (_before_stop(answer, one.start) if one.start - 1 in gone else one.start,)
    ]


def _before_stop(answer: str, at: int) -> int:
    return len(answer[: at - 1].rstrip(TAIL + _BREAKS))


def _without_overlap(patches: Sequence[Patch]) -> list[Patch]:
    """Of two patches that meet, the one that begins first and reaches further stays.

    An insertion where another begins meets nothing. Two claims that go may both want the space
    between them: the second leaves it to the first.
    """
    kept: list[Patch] = []
    for patch in sorted(patches, key=lambda p: (p.start, p.end > p.start, -p.end)):
        if not kept or patch.start >= kept[-1].end:
            kept.append(patch)
        elif patch.end > kept[-1].end and not patch.replacement and not kept[-1].replacement:
            kept.append(replace(patch, start=kept[-1].end))
    return kept
