"""What became of each quotation and each citation marker of an ordinary answer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from firmground.claims.quotes import Quotation, quotations, word_count
from firmground.claims.repair import paraphrased, repair_quote, verbatim_run
from firmground.claims.sources import Place, Shelf
from firmground.claims.tokens import tokens
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence
from firmground.core.finding import CitationFinding, CitationStatus
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.marker import Marker, markers
from firmground.core.match import Grade, QuoteIndex
from firmground.core.segment import sentences

# An ellipsis, or a word the writer put in brackets for one of the source's own.
_ELISION = lazy_pattern(r"\s*(?:\[[^\[\]\n]{1,40}\]|\(\s?(?:…|\.{3})\s?\)|…|\.{3,4})\s*")
_ASKED = lazy_pattern(r"\b(?:question|query|asked|asks|titled|entitled)\W*$", re.IGNORECASE)
_SPEECH_MARK = lazy_pattern('["“”]')
_CLOSE_BY = 300
_FEWEST_WORDS = 3
_MOST_PIECES = 4
_SAID = lazy_pattern(
    r"(?<![\w-])(?:said|says|say|saying|wrote|writes|states?|stated|called|calls|calling|describ\w+|"
    r"quot\w+|according|added|adds|noted|notes|explain\w+|told|reads?|claim\w+|as)(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)


def check_citations(
    answer: str,
    evidence: Sequence[Evidence],
    assessments: Sequence[Assessment] = (),
    *,
    question: str = "",
) -> tuple[CitationFinding, ...]:
    """Judge every quotation and, given assessments, every marker by what its claim rests on.

    Without assessments only markers that name no evidence are reported, because whether a source
    bears out a sentence is not for a string search to say. Words quoted from the question are no
    quotation of a source.
    """
    shelf = Shelf(evidence)
    found = [
        *quotation_findings(answer, shelf, question),
        *unresolved_markers(answer, shelf),
        *marker_findings(answer, shelf, assessments),
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def quotation_findings(answer: str, shelf: Shelf, question: str = "") -> Iterator[CitationFinding]:
    """Say of every quotation whether a source has it, and whether it is the cited one."""
    ends = [span.end for span in sentences(answer)]
    pointers = markers(answer)
    asked = QuoteIndex(question)
    for one in quotations(answer):
        if not one.sought or asked.find_exact(one.sought, any_case=True):
            continue
        cited = _cited_beside(answer, one, pointers, ends)
        positions = {shelf.resolve(label) for label in cited} - {None}
        finding = _judge(answer, one, shelf, {n for n in positions if n is not None})
        if finding is not None:
            yield finding


def unresolved_markers(answer: str, shelf: Shelf) -> Iterator[CitationFinding]:
    """Report every marker with a label that names no evidence."""
    for one in markers(answer):
        lost = [label for label in one.labels if shelf.resolve(label) is None]
        if lost:
            named = ", ".join(lost)[:120]
            yield CitationFinding(
                start=one.start,
                end=one.end,
                status=CitationStatus.UNRESOLVED,
                reason=f"no evidence goes by the name {named}",
            )


def marker_findings(
    answer: str, shelf: Shelf, assessments: Sequence[Assessment]
) -> Iterator[CitationFinding]:
    """Say of every marker whether the claim it stands with rests on the evidence it names."""
    citing: dict[str, list[Assessment]] = {}
    for assessed in sorted(assessments, key=lambda a: a.claim.start):
        for label in assessed.claim.cited if assessed.claim.checkable else ():
            citing.setdefault(label, []).append(assessed)
    for one in markers(answer):
        about = _nearest(one, citing)
        if about is not None and any(shelf.resolve(label) is not None for label in one.labels):
            yield _attributed(one, about, shelf)


def _nearest(marker: Marker, citing: dict[str, list[Assessment]]) -> Assessment | None:
    """The claim that cites this marker and begins last before it, or else the first after it."""
    found: list[Assessment] = []
    for label in marker.labels:
        citers = citing.get(label, [])
        place = bisect_right(citers, marker.start, key=lambda a: a.claim.start)
        found += citers[max(0, place - 1) : max(1, place)]
    before = [a for a in found if a.claim.start <= marker.start]
    if before:
        return max(before, key=lambda a: a.claim.start)
    return min(found, key=lambda a: a.claim.start, default=None)


def _attributed(marker: Marker, about: Assessment, shelf: Shelf) -> CitationFinding:
    named = {n for n in map(shelf.resolve, marker.labels) if n is not None}
    ids = {shelf.evidence[n].id for n in named}
    rests_on = [span.evidence_id for span in about.evidence]
    on_named = next((one for one in rests_on if one in ids), "")
    if about.standing is Standing.UNVERIFIABLE:
        status, reason, home = CitationStatus.UNRESOLVED, "the claim could not be checked", ""
    elif not about.standing.stands:
        status, home = CitationStatus.MISATTRIBUTED, on_named
        reason = f"the cited source does not bear it out: the claim is {about.standing}"
    elif on_named:
        status, reason, home = CitationStatus.SUPPORTED, "the cited source bears it out", on_named
    elif also := _says_so_too(about, shelf, named):
        status, reason, home = CitationStatus.SUPPORTED, "the cited source says so too", also
    elif rests_on:
        home = rests_on[0]
        status, reason = (
            CitationStatus.MISATTRIBUTED,
            "another source than the cited one bears it out",
        )
    else:
        status, reason, home = CitationStatus.UNRESOLVED, "no evidence span was reported", ""
    return CitationFinding(
        start=marker.start, end=marker.end, status=status, reason=reason, evidence_id=home
    )


def _says_so_too(about: Assessment, shelf: Shelf, named: set[int]) -> str | None:
    """Name a cited source that has the same words although the judge rested on another."""
    cited = [shelf.evidence[n] for n in sorted(named)]
    texts = {one.id: one.text for one in shelf.evidence}
    found = [texts.get(span.evidence_id, "")[span.start : span.end] for span in about.evidence]
    for one in cited:
        index = QuoteIndex(one.text)
        if any(index.find_exact(piece) is not None for piece in found if piece.strip()):
            return one.id
    return paraphrased(about.claim.text, cited)


def _judge(answer: str, one: Quotation, shelf: Shelf, cited: set[int]) -> CitationFinding | None:
    places = shelf.find(one.sought)
    exact = [place for place in places if place.match.exact or _recased(one, place, shelf)]
    if exact:
        return _verbatim(one, exact, cited, shelf)
    stitched = _spliced(one, shelf, cited) or _patchwork(one, shelf)
    if stitched is not None:
        return stitched
    patch = repair_quote(answer, one, shelf)
    if patch is not None:
        reason = f"not verbatim as written; {patch.reason} ({patch.kind})"
        return _finding(one, CitationStatus.REPAIRED, reason, patch.evidence_id)
    if _is_no_quotation(answer, one):
        return None
    return _finding(one, CitationStatus.FABRICATED, _why_not(places), "")


def _is_no_quotation(answer: str, one: Quotation) -> bool:
    """True for a term, a title, a question or a whole paragraph put in quotation marks.

    Nothing is lost by that: the words are still judged as part of the answer's prose.
    """
    before = answer[max(0, one.start - 40) : one.start]
    if _ASKED.search(before):
        return True
    if _SAID.search(before):
        return False
    beside = before.rpartition("\n")[2] + answer[one.end : one.end + 40].partition("\n")[0]
    return word_count(one.text) < _FEWEST_WORDS or not any(map(str.isalnum, beside))


def _verbatim(one: Quotation, exact: list[Place], cited: set[int], shelf: Shelf) -> CitationFinding:
    own = [place for place in exact if place.position in cited] or ([] if cited else exact)
    if not own:
        there = exact[0].evidence_id
        reason = "the words are in another source than the cited one"
        return _finding(one, CitationStatus.MISATTRIBUTED, reason, there)
    reason = "verbatim"
    if own[0].match.grade is Grade.TYPOGRAPHIC:
        reason = "verbatim but for typography"
    if own[0].match.grade is Grade.CASE:
        reason = "verbatim but for the capital at its head"
    if all(place.match.after_negation for place in own):
        reason += "; but the source denies it: a negation stands right before these words"
    return _finding(one, CitationStatus.SUPPORTED, reason, own[0].evidence_id)


def _recased(one: Quotation, place: Place, shelf: Shelf) -> bool:
    """True when only the first letter differs, as it must where a quotation opens a sentence."""
    if place.match.grade is not Grade.CASE:
        return False
    found = shelf.evidence[place.position].text[place.match.start : place.match.end]
    index = QuoteIndex(found[:1] + one.sought[1:])
    return index.find_exact(found) is not None


def _spliced(one: Quotation, shelf: Shelf, cited: set[int]) -> CitationFinding | None:
    """Judge a quotation with ellipses by its pieces."""
    pieces = [part for part in _ELISION.split(one.sought) if any(map(str.isalnum, part))]
    if len(pieces) < 2:
        return None
    homes = [shelf.verbatim(piece.strip(" ,;:")) for piece in pieces]
    if not all(homes):
        return None
    for place in homes[0]:
        in_order = _honest_elision(place, pieces, shelf)
        if in_order and (not cited or place.position in cited):
            reason = "verbatim, with a marked elision inside one passage"
            return _finding(one, CitationStatus.SUPPORTED, reason, place.evidence_id)
        if in_order:
            reason = "the words are in another source than the cited one"
            return _finding(one, CitationStatus.MISATTRIBUTED, reason, place.evidence_id)
    reason = f"{len(pieces)} pieces from different places are joined by an ellipsis"
    return _finding(one, CitationStatus.STITCHED, reason, homes[0][0].evidence_id)


def _honest_elision(
    first: Place, pieces: list[str], shelf: Shelf, *, interrupted: bool = False
) -> bool:
    """True when every piece follows the one before it closely, in the same source.

    With `interrupted`, the source must also close and open quotation marks in between, as it does
    around `he said`.
    """
    text = shelf.evidence[first.position].text
    at = first.match.end
    for piece in pieces[1:]:
        ahead = text[at : at + _CLOSE_BY + len(piece)]
        found = QuoteIndex(ahead).find_exact(piece.strip(" ,;:"), any_case=interrupted)
        if found is None:
            return False
        if interrupted and len(_SPEECH_MARK.findall(ahead[: found.start])) != 2:
            return False
        at += found.end
    return True


def _patchwork(one: Quotation, shelf: Shelf) -> CitationFinding | None:
    """Catch a quotation put together from verbatim pieces without saying so."""
    rest, first = one.sought, ""
    pieces: list[str] = []
    while rest and len(pieces) < _MOST_PIECES:
        found = tokens(rest)
        count, home = verbatim_run(rest, shelf, from_end=False, any_case=True)
        if count < _FEWEST_WORDS:
            return None
        first = first or home
        pieces.append(rest[found[0].start : found[count - 1].end])
        rest = rest[found[count - 1].end :] if count < len(found) else ""
        rest = rest if tokens(rest) else ""
    if rest or len(pieces) < 2:
        return None
    for place in shelf.verbatim(pieces[0], any_case=True):
        if _honest_elision(place, pieces, shelf, interrupted=True):
            reason = "verbatim speech, without the words between that say who speaks"
            return _finding(one, CitationStatus.SUPPORTED, reason, place.evidence_id)
    reason = f"{len(pieces)} pieces from different places are joined as one quotation"
    return _finding(one, CitationStatus.STITCHED, reason, first)


def _why_not(places: tuple[Place, ...]) -> str:
    if not places:
        return "no source has these words"
    reasons = {
        Grade.CASE: "a source has these words only in other capitals",
        Grade.CUT: "the quotation begins or ends inside a word or number of the source",
        Grade.SUSPICIOUS: "a source has these words only if disguised characters are overlooked",
    }
    return reasons.get(places[0].match.grade, "no source has these words")


def _cited_beside(
    answer: str, one: Quotation, pointers: Sequence[Marker], ends: list[int]
) -> tuple[str, ...]:
    """The labels of the first marker behind a quotation in its sentence, or right after it."""
    place = bisect_left(ends, one.end)
    limit = ends[place] if place < len(ends) else len(answer)
    following = bisect_left(pointers, one.start, key=lambda marker: marker.start)
    if following >= len(pointers):
        return ()
    marker = pointers[following]
    gap = answer[limit : marker.start]
    return marker.labels if marker.start <= limit or not gap.strip(' ."') else ()


def _finding(one: Quotation, status: CitationStatus, reason: str, home: str) -> CitationFinding:
    return CitationFinding(
        start=one.start, end=one.end, status=status, reason=reason, evidence_id=home
    )
