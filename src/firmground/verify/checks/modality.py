"""Mood: what may be, is planned or is alleged is not what is, was done or is proven."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Word
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of, tokens
from firmground.verify.select import word_terms
from firmground.verify.values.verbs import verb_key

_POSSIBLE = lazy_pattern(
    r"\b(?:may|might|could|possibly|perhaps|potentially|könnte\w*|möglicherweise|pourrait|podría)\b",
    re.IGNORECASE,
)
_PLANNED = lazy_pattern(
    r"\b(?:plan(?:s|ned|ning)?|expect(?:s|ed|ing)?|intend(?:s|ed|ing)?|hop(?:es?|ed|ing)|"
    r"aim(?:s|ed|ing)?|propos(?:es?|ed|ing)|scheduled|due|poised|threaten(?:s|ed|ing)?|"
    r"vow(?:s|ed)?|pledg(?:es?|ed)|is set|are set) to\b"
    r"|\b(?:is|are|was|were) (?:considering|weighing|mulling|contemplating)\b",
    re.IGNORECASE,
)
_ALLEGED = lazy_pattern(
    r"\b(?:(?:accused|suspected) of|charged with|allegedly|reportedly|"
    r"(?:alleged|believed|rumou?red|said|suspected) to)\b",
    re.IGNORECASE,
)
# A claim with any of these is no bare assertion, whoever is meant by it.
_HEDGED = lazy_pattern(
    r"\b(?:may|might|could|can|would|should|possibl[ey]|perhaps|potential(?:ly)?|probably|likely|"
    r"plan\w*|expect\w*|intend\w*|intention|hop(?:es?|ed|ing)|aim\w*|propos\w+|schedul\w+|due|set|"
    r"poised|threat\w*|vow\w*|pledg\w*|wants?|going|upcoming|future|seek\w*|tr(?:y|ies|ied|ying)|"
    r"attempt\w*|if|whether|accus\w+|suspect\w*|charg\w+|alleg\w+|report\w*|claim\w*|believ\w+|"
    r"rumou?r\w*|said|says?|saying|according|told|suggest\w*|appear\w*|seem\w*|consider\w*|"
    r"prosecut\w+|investigat\w+|apparent\w*|suppos\w+|thought|stat(?:es|ed|ing|ements?)|question\w*|think\w*|decid\w+|agree\w*|"
    r"soll(?:te|en)?|will soll|können|könnte\w*|pourrait|podría)\b",
    re.IGNORECASE,
)
_ACCUSED = lazy_pattern(r"\b(?:accused|suspected|charged|indicted|arrested)\b", re.IGNORECASE)
_PROVEN = lazy_pattern(r"\b(?:convicted|(?:found )?guilty|sentenced)\b", re.IGNORECASE)
_WILL = lazy_pattern(r"\b(?:will|shall|wird|werden)\b|['’]ll\b", re.IGNORECASE)
_PASSED_OVER = frozenset("have has be been also soon then even still".split())
_SHORTEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mood:
    """One way of saying less than that it is so."""

    code: str
    words: re.Pattern[str]
    will_is_fine: bool
    """True when ``will`` says no more than the source does."""


_MOODS = (
    _Mood(code="possibility_as_fact", words=_POSSIBLE, will_is_fine=False),
    _Mood(code="plan_as_fact", words=_PLANNED, will_is_fine=True),
    _Mood(code="allegation_as_fact", words=_ALLEGED, will_is_fine=False),
)


def check_modality(case: Case) -> tuple[CheckNote, ...]:
    """Object when the claim asserts what its source only holds possible, plans or alleges."""
    if case.about_source or _hedged(case.claim.text) or denials(case.claim.text):
        return ()
    notes = (_weaker(case, mood) for mood in _MOODS if not (mood.will_is_fine and _will(case)))
    return tuple(note for note in (*notes, _proven(case)) if note is not None)[:1]


def _hedged(text: str) -> bool:
    return any(m.group() != "May" for m in _HEDGED.finditer(text))


def _will(case: Case) -> bool:
    return bool(_WILL.search(case.claim.text))


def _weaker(case: Case, mood: _Mood) -> CheckNote | None:
    for passage in case.passages:
        for hedge, verb in _ruled(passage, mood.words):
            word = _asserted(case, verb)
            if word is None or not _same_matter(case, passage, verb, hedge):
                continue
            if any(_asserts(other, verb) for other in case.passages):
                return None
            shown = passage.text[hedge[0] : hedge[1]]
            reason = f"says “{word.text}” as a fact, source says only “{shown}”"
            at, span = (word.start, word.end), (passage.span(*hedge),)
            return case.note("modality", mood.code, Standing.UNGROUNDED, reason, at, span)
    return None


def _proven(case: Case) -> CheckNote | None:
    """Object to a conviction where every source tells only of an accusation."""
    said = _PROVEN.search(case.claim.text)
    if (
        said is None
        or denials(case.claim.text)
        or any(_PROVEN.search(p.text) for p in case.passages)
    ):
        return None
    own = span_terms(case, *said.span())
    for passage in case.passages:
        given = _ACCUSED.search(passage.text)
        if given is not None and case.mirrors(passage, own):
            reason = f"says “{said.group()}”, source says only “{given.group()}”"
            span = (passage.span(*given.span()),)
            code = "allegation_as_fact"
            return case.note("modality", code, Standing.UNGROUNDED, reason, said.span(), span)
    return None


def _ruled(passage: Passage, hedges: re.Pattern[str]) -> Iterator[tuple[tuple[int, int], Word]]:
    """Give each hedge of prose with the verb that it rules."""
    if passage.path is not None:
        return
    for hedge in hedges.finditer(passage.text):
        if hedge.group() == "May":
            continue
        after = (w for w in tokens(passage.text) if w.start >= hedge.end())
        verb = next((w for w in after if w.text.lower() not in _PASSED_OVER), None)
        if verb is not None and _is_verb(verb.text):
            yield hedge.span(), verb


def _is_verb(word: str) -> bool:
    """True for a word that may be a verb; ``could not`` holds nothing possible."""
    return len(word) >= _SHORTEST and word.islower() and word != "not"


def _asserted(case: Case, verb: Word) -> Word | None:
    """Find the verb in the claim, unless it opens an order or is only something ``to`` be done."""
    key = verb_key(verb.text)
    for before, word in pairwise(case.words):
        if verb_key(word.text) == key and before.text.lower() != "to":
            return word
    return None


def _same_matter(case: Case, passage: Passage, verb: Word, hedge: tuple[int, int]) -> bool:
    own = {
        t for w in case.words if verb_key(w.text) == verb_key(verb.text) for t in word_terms(w.text)
    }
    theirs = frozenset((*own, *word_terms(verb.text)))
    return case.mirrors(passage, theirs) or case.alike(
        passage, theirs, theirs | terms_of(passage.text[slice(*hedge)])
    )


def _asserts(passage: Passage, verb: Word) -> bool:
    """True when a passage says the verb somewhere without a hedge that rules it."""
    key = verb_key(verb.text)
    ruled = [w.start for mood in _MOODS for _, w in _ruled(passage, mood.words)]
    return any(verb_key(w.text) == key and w.start not in ruled for w in tokens(passage.text))
