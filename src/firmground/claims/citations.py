"""Checks each quotation and each citation marker of an ordinary answer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from firmground.claims.quotes import Quotation, quotations, word_count
from firmground.claims.repair import paraphrased, repair_quote, verbatim_run
from firmground.claims.sources import QuoteLocation, QuoteSources
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
    """Check every quotation and, given assessments, every marker by what its claim rests on.

    Without assessments only markers that name no evidence are reported, because a string search
    cannot say whether a source supports a sentence. Words quoted from the question are not a
    quotation of a source.
    """
    quote_sources = QuoteSources(evidence)
    found = [
        *quotation_findings(answer, quote_sources, question),
        *unresolved_markers(answer, quote_sources),
        *marker_findings(answer, quote_sources, assessments),
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def quotation_findings(
    answer: str, quote_sources: QuoteSources, question: str = ""
) -> Iterator[CitationFinding]:
    """Say of every quotation whether a source has it, and whether it is the cited one."""
    ends = [span.end for span in sentences(answer)]
    pointers = markers(answer)
    asked = QuoteIndex(question)
    for one in quotations(answer):
        if not one.sought or asked.find_exact(one.sought, any_case=True):
            continue
        cited = _cited_beside(answer, one, pointers, ends)
        positions = {quote_sources.resolve(label) for label in cited} - {None}
        finding = _judge(answer, one, quote_sources, {n for n in positions if n is not None})
        if finding is not None:
            yield finding


def unresolved_markers(answer: str, quote_sources: QuoteSources) -> Iterator[CitationFinding]:
    """Report every marker with a label that names no evidence."""
    for one in markers(answer):
        lost = [label for label in one.labels if quote_sources.resolve(label) is None]
        if lost:
            named = ", ".join(lost)[:120]
            yield CitationFinding(
                start=one.start,
                end=one.end,
                status=CitationStatus.UNRESOLVED,
                reason=f"no evidence goes by the name {named}",
            )


def marker_findings(
    answer: str, quote_sources: QuoteSources, assessments: Sequence[Assessment]
) -> Iterator[CitationFinding]:
    """Say of every marker whether the claim it stands with rests on the evidence it names."""
    citing: dict[str, list[Assessment]] = {}
    for assessed in sorted(assessments, key=lambda a: a.claim.start):
        for label in assessed.claim.cited if assessed.claim.checkable else ():
            citing.setdefault(label, []).append(assessed)
    for one in markers(answer):
        about = _nearest(one, citing)
        if about is not None and any(
            quote_sources.resolve(label) is not None for label in one.labels
        ):
            yield _attributed(one, about, quote_sources)


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


def _attributed(marker: Marker, about: Assessment, quote_sources: QuoteSources) -> CitationFinding:
    named = {n for n in map(quote_sources.resolve, marker.labels) if n is not None}
    ids = {quote_sources.evidence[n].id for n in named}
    rests_on = [span.evidence_id for span in about.evidence]
    on_named = next((one for one in rests_on if one in ids), "")
    if about.standing is Standing.UNVERIFIABLE:
        status, reason, home = CitationStatus.UNRESOLVED, "the claim could not be checked", ""
    elif not about.standing.stands:
        status, home = CitationStatus.MISATTRIBUTED, on_named
        reason = f"the cited source does not support it: the claim is {about.standing}"
    elif on_named:
        status, reason, home = CitationStatus.SUPPORTED, "the cited source supports it", on_named
    elif also := _says_so_too(about, quote_sources, named):
        status, reason, home = CitationStatus.SUPPORTED, "the cited source says so too", also
    elif rests_on:
        home = rests_on[0]
        status, reason = (
            CitationStatus.MISATTRIBUTED,
            "another source than the cited one supports it",
        )
    else:
        status, reason, home = CitationStatus.UNRESOLVED, "no evidence span was reported", ""
    return CitationFinding(
        start=marker.start, end=marker.end, status=status, reason=reason, evidence_id=home
    )


def _says_so_too(about: Assessment, quote_sources: QuoteSources, named: set[int]) -> str | None:
    """Name a cited source that has the same words although the judge rested on another."""
    cited = [quote_sources.evidence[n] for n in sorted(named)]
    texts = {one.id: one.text for one in quote_sources.evidence}
    found = [texts.get(span.evidence_id, "")[span.start : span.end] for span in about.evidence]
    for one in cited:
        index = QuoteIndex(one.text)
        if any(index.find_exact(piece) is not None for piece in found if piece.strip()):
            return one.id
    return paraphrased(about.claim.text, cited)


def _judge(
    answer: str, one: Quotation, quote_sources: QuoteSources, cited: set[int]
) -> CitationFinding | None:
    places = quote_sources.find(one.sought)
    exact = [place for place in places if place.match.exact or _recased(one, place, quote_sources)]
    if exact:
        return _verbatim(one, exact, cited, quote_sources)
    stitched = _spliced(one, quote_sources, cited) or _patchwork(one, quote_sources)
    if stitched is not None:
        return stitched
    patch = repair_quote(answer, one, quote_sources)
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


def _verbatim(
    one: Quotation, exact: list[QuoteLocation], cited: set[int], quote_sources: QuoteSources
) -> CitationFinding:
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


def _recased(one: Quotation, place: QuoteLocation, quote_sources: QuoteSources) -> bool:
    """True when only the first letter differs, as it must where a quotation opens a sentence."""
    if place.match.grade is not Grade.CASE:
        return False
    found = quote_sources.evidence[place.position].text[place.match.start : place.match.end]
    index = QuoteIndex(found[:1] + one.sought[1:])
    return index.find_exact(found) is not None


def _spliced(
    one: Quotation, quote_sources: QuoteSources, cited: set[int]
) -> CitationFinding | None:
    """Judge a quotation with ellipses by its pieces."""
    pieces = [part for part in _ELISION.split(one.sought) if any(map(str.isalnum, part))]
    if len(pieces) < 2:
        return None
    homes = [quote_sources.verbatim(piece.strip(" ,;:")) for piece in pieces]
    if not all(homes):
        return None
    for place in homes[0]:
        in_order = _honest_elision(place, pieces, quote_sources)
        if in_order and (not cited or place.position in cited):
            reason = "verbatim, with a marked elision inside one passage"
            return _finding(one, CitationStatus.SUPPORTED, reason, place.evidence_id)
        if in_order:
            reason = "the words are in another source than the cited one"
            return _finding(one, CitationStatus.MISATTRIBUTED, reason, place.evidence_id)
    reason = f"{len(pieces)} pieces from different places are joined by an ellipsis"
    return _finding(one, CitationStatus.STITCHED, reason, homes[0][0].evidence_id)


def _honest_elision(
    first: QuoteLocation,
    pieces: list[str],
    quote_sources: QuoteSources,
    *,
    interrupted: bool = False,
) -> bool:
    """True when every piece follows the one before it closely, in the same source.

    With `interrupted`, the source must also close and open quotation marks in between, as it does
    around `he said`.
    """
    text = quote_sources.evidence[first.position].text
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


def _patchwork(one: Quotation, quote_sources: QuoteSources) -> CitationFinding | None:
    """Catch a quotation put together from verbatim pieces without saying so."""
    rest, first = one.sought, ""
    pieces: list[str] = []
    while rest and len(pieces) < _MOST_PIECES:
        found = tokens(rest)
        count, home = verbatim_run(rest, quote_sources, from_end=False, any_case=True)
        if count < _FEWEST_WORDS:
            return None
        first = first or home
        pieces.append(rest[found[0].start : found[count - 1].end])
        rest = rest[found[count - 1].end :] if count < len(found) else ""
        rest = rest if tokens(rest) else ""
    if rest or len(pieces) < 2:
        return None
    for place in quote_sources.verbatim(pieces[0], any_case=True):
        if _honest_elision(place, pieces, quote_sources, interrupted=True):
            reason = "verbatim speech, without the words between that say who speaks"
            return _finding(one, CitationStatus.SUPPORTED, reason, place.evidence_id)
    reason = f"{len(pieces)} pieces from different places are joined as one quotation"
    return _finding(one, CitationStatus.STITCHED, reason, first)


def _why_not(places: tuple[QuoteLocation, ...]) -> str:
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
