"""How credible a result is: cue words, shared context, and the chance of a coincidence."""

from __future__ import annotations

from firmground.verify.derive.cues import cues
from firmground.verify.derive.model import Value
from firmground.verify.derive.search import DerivationPath, Search
from firmground.verify.derive.subject import Subject

_CUE_OF = {
    "sum": "sum", "difference": "difference", "product": "product", "ratio": "ratio",
    "percent": "percent", "percent_change": "percent", "duration": "duration", "moment": "moment",
    "total": "sum", "average": "average", "spread": "difference", "two_step": "",
    "count": "count",
    "count_bound": "count",
}  # fmt: skip
# Above these risks of coincidence a result counts only with a cue, or not at all.
_RISK_WITH_CUE = 0.97
_RISK_WITHOUT = 0.35
_RISK_TWO_STEP = 0.3
_RISK_MOMENT = 0.3
_RELATED = 0.3
_NEAREST = 0.5
_REACH = 28


def best_hit(search: Search, subject: Subject, named: frozenset[str]) -> DerivationPath | None:
    """The most credible way to reach the value, or None when chance explains it as well."""
    risk = search.risk() if search.target.dimension not in ("date", "clock") else _RISK_MOMENT
    ranked = []
    for hit in search.hits:
        cued = is_cued(hit, named)
        allowed = _RISK_WITH_CUE if cued else _RISK_WITHOUT
        if hit.operation == "count_bound" or (hit.operation == "count" and _related(hit, subject)):
            allowed = 1.0  # counted under the statement's own bound or subject, not searched for
        elif _at_hand(hit, subject, local_cues(subject.statement, search.target)):
            allowed = 1.0
        if risk <= (_RISK_TWO_STEP if hit.depth > 1 else allowed):
            ranked.append((_credit(hit, subject, cued=cued), hit))
    return max(ranked, key=lambda pair: pair[0])[1] if ranked else None


def local_cues(statement: str, value: Value) -> frozenset[str]:
    """The operations that words close to a value name."""
    low, high = max(0, value.start - _REACH), value.end + _REACH
    return cues(statement[low : value.start]) | cues(statement[value.end : high])


def _at_hand(hit: DerivationPath, subject: Subject, local: frozenset[str]) -> bool:
    """True when the operands stand together where the statement's words point.

    Small whole numbers are reached by chance nearly always. They count when their operands stand
    in one document, in the passage that shares most of the statement's words, or when they stand
    in one passage and the words beside the value name the operation.
    """
    facts = [item.fact for item in hit.items if item.fact is not None]
    if not facts or hit.depth > 1 or len({fact.evidence_id for fact in facts}) > 1:
        return False
    if max(map(subject.relation, facts)) >= _NEAREST:
        return True
    together = len({fact.passage for fact in facts}) == 1
    return together and is_cued(hit, local)


def _related(hit: DerivationPath, subject: Subject) -> bool:
    return any(item.fact and subject.relation(item.fact) >= _RELATED for item in hit.items)


def is_cued(hit: DerivationPath, named: frozenset[str]) -> bool:
    """True when a word of the statement names the operation."""
    cue = _CUE_OF[hit.operation]
    return cue in named if cue else bool(named & {"sum", "difference", "product"})


def _credit(hit: DerivationPath, subject: Subject, *, cued: bool) -> float:
    """Rank results by relation to the statement, by standing together, and by cue."""
    evident = [item.fact for item in hit.items if item.fact is not None]
    relation = sum(subject.relation(fact) for fact in evident) / max(1, len(evident))
    columns = {fact.column for fact in evident}
    together = len({fact.passage for fact in evident}) == 1 or (
        len(columns) == 1 and "" not in columns
    )
    one_source = len({fact.evidence_id for fact in evident}) == 1
    foreign = sum(map(subject.elsewhere, evident))
    bonus = 0.3 * together + 0.2 * one_source + 0.4 * cued + 0.5 * (hit.operation == "count_bound")
    return relation + bonus - 0.1 * foreign - 0.3 * hit.depth
