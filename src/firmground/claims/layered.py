"""The run-DAG parent's layered verifier: quotes, then spans, then names, then paraphrase.

It is shown beside firmground's own verdict and never replaces it. Its ceiling is known: finding
words in a source is not finding the statement, so it passes negations, wrong attributions and
facts put together from different places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.claims.audit import AuditMode, EntityPolicy, VerifierMethod
from firmground.claims.norm import compared, strip_wikitext
from firmground.claims.prose import is_refusal
from firmground.claims.strategies import (
    AuditUnit,
    Found,
    Sources,
    by_entity,
    by_paraphrase,
    by_quote,
    by_span,
    paraphrase_share,
    sources_of,
)

_PREFIX = 60
_PARAPHRASE = 0.85
_PARTLY = 0.40


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredVerdict:
    """What the layered verifier says of an answer."""

    audit_mode: AuditMode
    method: VerifierMethod
    n_units: int
    n_verified: int
    units: tuple[AuditUnit, ...]
    refused: bool = False


def layered_verify(
    answer: str,
    contexts: Sequence[str],
    *,
    entity_policy: EntityPolicy = EntityPolicy.PROXIMITY,
) -> LayeredVerdict:
    """Try the strategies in order; the first that finds anything gives the verdict.

    An answer with quotations gets no benefit of paraphrase. A refusal is ungrounded, by no method,
    with no units.
    """
    if is_refusal(answer):
        return _verdict(None, refused=True)
    sources = sources_of(contexts)
    quoted = by_quote(answer, sources)
    if quoted.n_verified:
        return _verdict(quoted)
    for attempt in _further(answer, sources, entity_policy, paraphrase=not quoted.units):
        found = attempt()
        if found.n_verified:
            return _verdict(found)
    return _verdict(None, unfound=quoted.units or by_span(answer, sources).units)


def _further(
    answer: str, sources: Sources, policy: EntityPolicy, *, paraphrase: bool
) -> tuple[Callable[[], Found], ...]:
    attempts: tuple[Callable[[], Found], ...] = (
        lambda: by_span(answer, sources),
        lambda: by_entity(answer, sources, policy),
    )
    return (*attempts, lambda: by_paraphrase(answer, sources)) if paraphrase else attempts


def _verdict(
    found: Found | None, *, unfound: tuple[AuditUnit, ...] = (), refused: bool = False
) -> LayeredVerdict:
    units = found.units if found else unfound
    return LayeredVerdict(
        audit_mode=found.mode if found else AuditMode.UNGROUNDED,
        method=found.method if found else VerifierMethod.NONE,
        n_units=len(units),
        n_verified=sum(unit.verified for unit in units),
        units=units,
        refused=refused,
    )


class InspectClass(StrEnum):
    """What a unit of an answer is to the sources, for a person who looks into a verdict."""

    VERBATIM_IN_BASE = "verbatim_in_base"
    VERBATIM_IN_RAW_ONLY = "verbatim_in_raw_only"
    """Only the text with its wiki markup has it."""
    TRAILING_ARTIFACT = "trailing_artifact"
    """Its first sixty characters are verbatim; something was added behind them."""
    PARAPHRASE = "paraphrase"
    PARTIAL_PARAPHRASE = "partial_paraphrase"
    NO_OVERLAP = "no_overlap"


def inspect_units(
    units: Sequence[AuditUnit], contexts: Sequence[str]
) -> tuple[tuple[AuditUnit, InspectClass], ...]:
    """Class every unit by how it stands in the contexts, with and without wiki markup."""
    base = sources_of(contexts)
    raw = tuple(compared(one) for one in contexts)
    return tuple((unit, _inspect(unit.text, base, raw)) for unit in units)


def inspect_text(text: str, contexts: Sequence[str]) -> InspectClass:
    """Class one piece of text by how it stands in the contexts."""
    return _inspect(text, sources_of(contexts), tuple(compared(one) for one in contexts))


def _inspect(text: str, base: Sources, raw: tuple[str, ...]) -> InspectClass:
    wanted = compared(text)
    if base.hold(text):
        return InspectClass.VERBATIM_IN_BASE
    if wanted and any(wanted in one for one in raw):
        return InspectClass.VERBATIM_IN_RAW_ONLY
    if base.hold(strip_wikitext(text)):
        return InspectClass.VERBATIM_IN_BASE
    if len(wanted) > _PREFIX and any(wanted[:_PREFIX] in one for one in base.texts):
        return InspectClass.TRAILING_ARTIFACT
    share = paraphrase_share(text, base.words, fewest=1)
    if share >= _PARAPHRASE:
        return InspectClass.PARAPHRASE
    return InspectClass.PARTIAL_PARAPHRASE if share >= _PARTLY else InspectClass.NO_OVERLAP
