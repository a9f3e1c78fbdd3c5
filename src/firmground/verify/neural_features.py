"""Facts about a scored claim that the fusion weighs, each readable on its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log
from typing import Final

from firmground.core.segment import words
from firmground.verify.neural_input import InputWindow, PreparedEvidence, TokenKind
from firmground.verify.select import query_terms, word_terms

FEATURES: Final = (
    "claim_ungrounded", "claim_contradicted", "token_peak", "token_top3", "token_mean",
    "token_count", "contradicted_peak", "ungrounded_peak", "content_words", "absent",
    "absent_share", "elsewhere_share", "number_absent", "number_elsewhere", "number_shown",
    "names_absent", "tokens", "record", "units_log", "shown", "coverage", "coverage_best", "hedged",
    "lead_in", "listed", "quoted", "peak_is_absent",
)  # fmt: skip

_HEDGE = re.compile(
    r"\b(?:not (?:mention|specif|provid|stat|clear|explicit|includ|list|available|indicat)\w*"
    r"|no (?:information|mention|specific|details?)|unclear|unable to|cannot"
    r"|does ?n[o']t (?:say|tell|provide|mention))",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")

Row = Sequence[Sequence[float]]


def features(
    claim: str,
    windows: Sequence[InputWindow],
    whole: Row,
    tokens: Sequence[Row],
    evidence: PreparedEvidence,
) -> tuple[float, ...]:
    """Give the features of one claim in the order of `FEATURES`.

    `whole[w]` are class log-odds against `supported` of window w; `tokens[w][i]` are the
    class probabilities (supported, ungrounded, contradicted) of its claim token i.
    """
    bad = sorted((1 - t[0] for row in tokens for t in row), reverse=True) or [0.0]
    kinds = [kind for window in windows for kind in _claim_kinds(window)]
    counts = {kind: kinds.count(kind) for kind in TokenKind}
    content = counts[TokenKind.SHOWN] + counts[TokenKind.ELSEWHERE] + counts[TokenKind.ABSENT]
    coverage, best = _coverage(claim, windows, evidence)
    flat = [t for row in tokens for t in row]
    peak = max(range(len(flat)), key=lambda at: 1 - flat[at][0], default=-1)
    return (
        max(row[0] for row in whole),
        max(row[1] for row in whole),
        bad[0],
        sum(bad[:3]) / 3,
        sum(bad) / len(bad),
        sum(1.0 for b in bad if b > 0.5),
        max((t[2] for t in flat), default=0.0),
        max((t[1] for t in flat), default=0.0),
        content,
        counts[TokenKind.ABSENT],
        counts[TokenKind.ABSENT] / (content or 1),
        counts[TokenKind.ELSEWHERE] / (content or 1),
        counts[TokenKind.NUMBER_ABSENT],
        counts[TokenKind.NUMBER_ELSEWHERE],
        counts[TokenKind.NUMBER_SHOWN],
        _names_absent(claim, evidence),
        len(kinds),
        float(any(evidence.units[at].path is not None for w in windows for at in w.shown)),
        log(1 + len(evidence.units)),
        sum(len(w.shown) for w in windows) / len(windows),
        coverage,
        best,
        float(bool(_HEDGE.search(claim))),
        float(claim.rstrip().endswith(":")),
        float(bool(_LISTED.match(claim))),
        float('"' in claim or "“" in claim),
        float(peak >= 0 and kinds[peak] in (TokenKind.ABSENT, TokenKind.NUMBER_ABSENT)),
    )


def _claim_kinds(window: InputWindow) -> tuple[int, ...]:
    return window.kinds[1 : 1 + len(window.claim_offsets)]


def _names_absent(claim: str, evidence: PreparedEvidence) -> float:
    """Count capitalised words after the first that stand nowhere in the evidence."""
    named = [word.text for word in words(claim)[1:] if word.text[0].isupper()]
    terms = [word_terms(name) for name in named]
    return float(sum(1 for found in terms if found and evidence.terms.isdisjoint(found)))


def _coverage(
    claim: str, windows: Sequence[InputWindow], evidence: PreparedEvidence
) -> tuple[float, float]:
    """Give the weighted share of claim terms known to all the evidence, and to its best unit."""
    rare = log(1 + (evidence.index.size + 0.5) / 0.5)
    weights = {
        term: weight * evidence.index.idf.get(term, rare)
        for term, weight in query_terms(claim).items()
    }
    total = sum(weights.values())
    if not total:
        return 1.0, 1.0
    known = sum(weight for term, weight in weights.items() if term in evidence.terms)
    shown = {at for window in windows for at in window.shown}
    held = [
        {term for word in words(evidence.units[at].text) for term in word_terms(word.text)}
        for at in shown
    ]
    best = max((sum(w for t, w in weights.items() if t in unit) for unit in held), default=0.0)
    return known / total, best / total
