"""Quotations: words between quotation marks must stand in the evidence as they are."""

from __future__ import annotations

from firmground.core.claim import CheckNote, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.match import Grade, QuoteMatch, find_quote
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import tokens
from firmground.verify.select import word_terms

_QUOTED = lazy_pattern(
    r"\"([^\"\n]{2,600})\"|“([^”\n]{2,600})”|„([^“”\n]{2,600})[“”]|«\s?([^»\n]{2,600}?)\s?»|"
    r"「([^」\n]{2,600})」|‘([^’\n]{12,600})’(?!\w)"
)
_FEWEST_WORDS = 3
# What a writer leaves out of a quotation, or puts into brackets, is not the source's.
_ELLIPSIS = lazy_pattern(r"\s*(?:\[?…\]?|\[?\.\.\.\]?|\[[^\[\]]{1,40}\])\s*")
_RANK = list(Grade)


def check_quotes(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to quotations that no evidence holds, and say how faithful the others are."""
    return tuple(
        _judge(case, m.start(m.lastindex), m.end(m.lastindex), m.group(m.lastindex))
        for m in _QUOTED.finditer(case.claim.text)
        if m.lastindex and len(m.group(m.lastindex).split()) >= _FEWEST_WORDS
    )


def _judge(case: CheckCase, start: int, end: int, quoted: str) -> CheckNote:
    at = (start, end)
    pieces = [piece.rstrip(",.;") for piece in _ELLIPSIS.split(quoted) if piece.strip(" ,.;")]
    if _title(quoted) or find_quote(quoted, case.question) is not None:
        return case.note("quotes", "quote_of_title", None, "a title or the question itself", at)
    found = [_find(case, piece) for piece in pieces]
    if not pieces or not all(found):
        reason = f"quotes “{_short(quoted)}”, which no source says"
        return case.note("quotes", "quote_absent", Standing.UNGROUNDED, reason, at)
    matches = [one for one in found if one is not None]
    spans = tuple(span for span, _ in matches)
    worst = max((match for _, match in matches), key=lambda match: _RANK.index(match.grade))
    if worst.grade is Grade.SUSPICIOUS:
        reason = "the quotation agrees with the source only through disguised characters"
        return case.note("quotes", "quote_disguised", Standing.UNGROUNDED, reason, at, spans)
    if matches[0][1].after_negation:
        reason = "the source denies the words that are quoted"
        return case.note("quotes", "quote_denied", Standing.CONTRADICTED, reason, at, spans)
    code = "quote_exact" if worst.grade.exact else f"quote_{worst.grade.value}"
    return case.note("quotes", code, None, f"quoted ({worst.grade.value})", at, spans)


def _find(case: CheckCase, piece: str) -> tuple[EvidenceSpan, QuoteMatch] | None:
    best: tuple[EvidenceSpan, QuoteMatch] | None = None
    for evidence_id, index in case.reading.texts:
        match = index.find(piece)
        if match is None or (best and _RANK.index(best[1].grade) <= _RANK.index(match.grade)):
            continue
        best = (
            EvidenceSpan(evidence_id=evidence_id, start=match.start, end=match.end),
            match,
        )
        if match.grade.exact:
            break
    return best


def _title(quoted: str) -> bool:
    """True when every content word is capitalised: the name of a work, not quoted speech."""
    telling = [w.text for w in tokens(quoted) if word_terms(w.text)]
    return len(telling) > 1 and all(word[0].isupper() or word[0].isdigit() for word in telling)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
