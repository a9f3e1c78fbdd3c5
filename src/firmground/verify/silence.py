"""Claims that the documents do not mention something: wrong when a passage speaks of it."""

from __future__ import annotations

from math import fsum

from firmground.core.claim import Assessment, EvidenceType, Problem, Standing
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import Passage, terms_of
from firmground.verify.values.meanings import same_words

_SPOKEN_OF = 0.7
_CONFIDENCE = 0.8
_VALUES = terms_of("number amount many much exact specific name date time reason long often kind")
"""Words for a value, which a passage gives without naming them."""
_MEANT = dict.fromkeys(
    terms_of("price cost fee charge"),
    terms_of("price cost fee charge pay euros dollars pounds free"),
)


def assess_silence(case: CheckCase) -> Assessment:
    """Contradict the claim when one passage holds what it says is missing; else let it stand."""
    topic = case.unmentioned
    spoken = max(case.passages, key=lambda one: _held(case, topic, one), default=None)
    wrong = spoken is not None and _held(case, topic, spoken) >= _SPOKEN_OF
    claim = case.claim
    return Assessment(
        claim=claim,
        standing=Standing.CONTRADICTED if wrong else Standing.GROUNDED,
        confidence=_CONFIDENCE,
        support=1 - _CONFIDENCE if wrong else _CONFIDENCE,
        reason="the evidence speaks of it" if wrong else "no passage speaks of it",
        code="silence_wrong" if wrong else "silence_holds",
        evidence_type=EvidenceType.NEG_EVIDENCE,
        evidence=((spoken or case.reading.passages[0]).span(),),
        problems=(Problem(start=claim.start, end=claim.end, standing=Standing.CONTRADICTED),)
        if wrong
        else (),
    )


def _held(case: CheckCase, topic: str, passage: Passage) -> float:
    """Share of the topic's content words, weighed by rarity, that a passage holds.

    The passage before it counts as well, since that may name what a pronoun stands for.
    """
    wanted = terms_of(topic)
    wanted = wanted - _VALUES or wanted
    before = case.reading.passages[max(0, passage.order - 1)]
    own = passage.terms | terms_of(passage.about)
    if before.evidence_id == passage.evidence_id:
        own |= before.terms
    weight = case.reading.weight
    whole = fsum(map(weight, wanted))
    held = (t for t in wanted if own & {t, *same_words(t), *_MEANT.get(t, ())})
    return fsum(map(weight, held)) / whole if whole else 0.0
