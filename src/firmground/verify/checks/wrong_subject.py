"""Wrong subject: a fact about one thing stated of a similar one: who, to whom, where, how much."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import (
    Clause,
    ContentWord,
    content_words,
    denied,
    iter_clauses,
    keys_of,
    points_back,
)
from firmground.verify.checks.naming import names_and_subject
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage
from firmground.verify.values.clock import Time, alike, times
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.quantities import Quantity, quantities

_FEWEST = 2
_MOST_WORDS = 14
_LONGEST_VALUE = 2
# Between two words that are bound to each other stand small words only.
_BOUND = lazy_pattern(r"[^,;:.()\"“”]*")
_APART = lazy_pattern(r"\b(?:and|or|not|than|with|between|among)\b")
_AGAINST = lazy_pattern(r"\b(?:but|while|whereas)\s+\Z")
_AGAINST_IT = lazy_pattern(r";|\b(?:but|while|whereas)\b", re.IGNORECASE)
_IS = lazy_pattern(r"\b(?:is|was|are|were|be|been|being)\b", re.IGNORECASE)
_NAMING = frozenset({"know", "call", "nam", "titl", "dubb"})
_NEAR = 2
# A place may lie within another one.
_WITHIN = lazy_pattern(r"\b(?:in|at|near|from)\b", re.IGNORECASE)
_SUBJECT_WORDS = 3
_MOST_OTHER = 4
# What a statement with a subject of its own opens with; an order opens with its verb.
_OWN_SUBJECT = lazy_pattern(
    r"(?:the|an?|our|each|either|every|all|one|two|three|some|most|many|in|at|on|group)\b|"
    r"[A-Z][a-z]+s\s",
    re.IGNORECASE,
)
_STANDS_FOR = frozenset({"one", "ones", "so", "it", "them"})
_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
_Told = tuple[Passage, Clause]


def check_wrong_subject(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source gives the value of another one, and this one another value."""
    said = content_words(case.claim.text)
    if case.about_source or denials(case.claim.text) or not _FEWEST < len(said) <= _MOST_WORDS:
        return ()
    given = list(iter_clauses(case, case.passages))
    if not _has_subject(case, said, given):
        return ()  # an order, or a clause whose subject stands elsewhere
    whole = frozenset(word.key for word in said)
    all_there = any(whole <= one.keys | one.taken_over for _, one in given)
    note = None if all_there else _other_number(case, given)
    note = note or _other_word(case, said, given, names_only=all_there)
    return () if note is None else (note,)


def _has_subject(case: CheckCase, said: Sequence[ContentWord], given: Sequence[_Told]) -> bool:
    if _OWN_SUBJECT.match(case.claim.text) or said[0].start in _named(case):
        return True
    # “Copper melts at …, silver melts at …”: before the same verb another one stands.
    pairs = [one.words[:2] for _, one in given if len(one.words) > 1]
    same = [pair for pair in pairs if pair[1].key == said[1].key]
    return {pair[0].key for pair in same} > {said[0].key}


def _other_number(case: CheckCase, given: Sequence[_Told]) -> CheckNote | None:
    """The claim's own subject has another number of the same kind, a sibling has this one."""
    for value in _values(case.claim.text):
        own = keys_of(case.claim.text[value.start : value.end])
        rest = keys_of(case.claim.text) - own
        about = [(p, s) for p, s in given if rest <= s.keys | s.taken_over]
        if len(rest) < _FEWEST or not about:
            continue
        holders = [(p, s) for p, s in given if any(_agree(value, q) for q in _inside(p, s))]
        if not holders or any((p, s) in about or points_back(p.text, s) for p, s in holders):
            continue
        about = [one for one in about if _parallel(case, one, holders, own)]
        note = _number_note(case, value, about)
        if note is not None:
            return note
    return None


def _values(text: str) -> tuple[Quantity | Time, ...]:
    return (*(one for one in quantities(text) if not one.ordinal), *times(text))


def _inside(passage: Passage, one: Clause) -> list[Quantity | Time]:
    return [value for value in _values(passage.text) if one.start <= value.start < one.end]


def _agree(said: Quantity | Time, given: Quantity | Time) -> bool:
    if isinstance(said, Time) or isinstance(given, Time):
        return isinstance(said, Time) and isinstance(given, Time) and alike(said, given)
    return compare(said, given) in _GOOD


def _differ(said: Quantity | Time, given: Quantity | Time) -> bool:
    if isinstance(said, Time) or isinstance(given, Time):
        return isinstance(said, Time) and isinstance(given, Time) and not alike(said, given)
    return compare(said, given) is Match.DIFFERENT and said.bound is given.bound


def _number_note(
    case: CheckCase, value: Quantity | Time, about: Sequence[_Told]
) -> CheckNote | None:
    for passage, one in about:
        unlike = [given for given in _inside(passage, one) if _differ(value, given)]
        if len(unlike) == 1 and not denied(passage.text, one):
            span = (unlike[0].start, unlike[0].end)
            return _note(case, (value.start, value.end), passage, span)
    return None


def _other_word(
    case: CheckCase, said: Sequence[ContentWord], given: Sequence[_Told], *, names_only: bool
) -> CheckNote | None:
    """Beside the same word, the claim's own clause has another one, and a sibling's has this."""
    named = _named(case)
    for low in range(1, len(said)):
        for high in range(low + 1, min(low + _LONGEST_VALUE, len(said)) + 1):
            value, frame = said[low:high], said[low - 1]
            if not _bound(case.claim.text, frame, value[0]):
                continue
            name = all(word.start in named for word in value)
            if names_only and not name:
                continue
            note = _rival(case, (frame, *value), said, given, name=name)
            if note is not None:
                return note
    return None


def _named(case: CheckCase) -> frozenset[int]:
    found = names_and_subject(case.claim.text, case.reading)
    return frozenset(word[0] for name in found for word in name.words)


def _rival(
    case: CheckCase,
    slot: Sequence[ContentWord],
    said: Sequence[ContentWord],
    given: Sequence[_Told],
    *,
    name: bool,
) -> CheckNote | None:
    frame, *value = slot
    keys = tuple(word.key for word in slot)
    rest = frozenset(word.key for word in said) - frozenset(keys[1:])
    holders = [(p, s) for p, s in given if frozenset(keys[1:]) <= s.keys]
    together = [(p, s) for p, s in holders if _follows(p, s, keys)]
    together = together or _contrasted(case, slot, holders)
    if not holders or any(points_back(p.text, s) or denied(p.text, s) for p, s in holders):
        return None
    if name and together and all(frozenset(w.key for w in said) <= s.keys for _, s in together):
        return None
    name = name and not together
    if name and value[-1] is not said[-1]:
        return None  # the name is whom it is said of, not what is said
    if not name and not together:
        return None
    for passage, one in given:
        missing = rest - one.keys - one.taken_over
        # Where the name itself stands elsewhere in the same clause, one other word may be new.
        spared = name and len(rest) > _FEWEST and frozenset(keys[1:]) <= one.keys
        if len(missing) > int(spared) or frame.key in missing or denied(passage.text, one):
            continue
        other = _beside(passage, one, frame.key)
        if not name and not _parallel(case, (passage, one), together, frozenset(keys[1:])):
            continue
        if other is None or other.text in _STANDS_FOR or other.key in keys_of(case.claim.text):
            continue
        if _is_name(value[0]) != _is_name(other) or other.key.isdigit() != value[0].key.isdigit():
            continue
        if not name and frozenset(keys[1:]) & one.keys:
            continue
        if name and (not _elsewhere(case, slot, passage, one) or _past(frame, one)):
            continue
        at = (value[0].start, value[-1].end)
        standing = Standing.CONTRADICTED if name else Standing.UNGROUNDED
        return _note(case, at, passage, (other.start, other.end), standing)
    return None


def _past(frame: ContentWord, one: Clause) -> bool:
    """True for *played for Arsenal* beside *plays for Everton*: both may be so."""
    given = next(word for word in one.words if word.key == frame.key)
    return frame.text.lower().endswith("ed") != given.text.lower().endswith("ed")


def _elsewhere(case: CheckCase, slot: Sequence[ContentWord], passage: Passage, one: Clause) -> bool:
    """True when the name stands apart: before the frame, or in a clause of its own.

    *In Cariati, Calabria* and *by American rapper Logic* say no other than the claim; and who was
    born in Paris and lived in France was born in both.
    """
    frame = next(word for word in one.words if word.key == slot[0].key)
    here = [word for word in content_words(passage.text) if word.key == slot[1].key]
    between = case.claim.text[slot[0].end : slot[1].start]
    given = passage.text[frame.end : next(w.start for w in one.words if w.start > frame.start)]
    small, theirs = between.split()[:1], given.split()[:1]
    if _IS.search(between) or _is_name(frame) or small != theirs or frame.key in _NAMING:
        return False
    if not here:
        return _WITHIN.search(between) is None
    if here[-1].start > frame.start:
        return _AGAINST_IT.search(passage.text, frame.end, here[-1].start) is not None
    return not any(_joined(passage.text, word) for word in here)


def _joined(text: str, name: ContentWord) -> bool:
    """True for a name that is part of a longer one."""
    return any(
        _is_name(word) and (word.end + 1 == name.start or name.end + 1 == word.start)
        for word in content_words(text)
    )


def _parallel(case: CheckCase, own: _Told, holders: Sequence[_Told], value: frozenset[str]) -> bool:
    """True for short statements side by side, of which only the one has the claim's subject."""
    whole = keys_of(case.claim.text)
    subject = frozenset(word.key for word in content_words(case.claim.text)[:_SUBJECT_WORDS])
    passage, one = own
    if points_back(passage.text, one) or len(one.keys - whole) > _MOST_OTHER:
        return False
    return all(
        abs(other.order - passage.order) <= 1
        and other.evidence_id == passage.evidence_id
        and (subject & (one.keys | one.taken_over)) - two.keys - two.taken_over
        and len(two.keys - whole) <= _MOST_OTHER
        and two.words[0].key not in value
        and any(word.key not in whole for word in _before(two, value))
        for other, two in holders
    )


def _before(one: Clause, value: frozenset[str]) -> tuple[ContentWord, ...]:
    """The words of a statement that stand before the value: its subject is among them."""
    at = next((n for n, word in enumerate(one.words) if word.key in value), len(one.words))
    return one.words[:at]


def _is_name(word: ContentWord) -> bool:
    return word.text[0].isupper()


def _beside(passage: Passage, one: Clause, key: str) -> ContentWord | None:
    """The word bound behind the frame, when the statement has the frame just once."""
    at = [n for n, word in enumerate(one.words) if word.key == key]
    if len(at) != 1 or at[0] + 1 >= len(one.words):
        return None
    frame, other = one.words[at[0]], one.words[at[0] + 1]
    return other if _bound(passage.text, frame, other) else None


def _follows(passage: Passage, one: Clause, keys: Sequence[str]) -> bool:
    size = len(keys)
    for at in range(len(one.words) - size + 1):
        run = one.words[at : at + size]
        if tuple(word.key for word in run) == tuple(keys) and _bound(passage.text, run[0], run[1]):
            return True
    return False


def _contrasted(
    case: CheckCase, slot: Sequence[ContentWord], holders: Sequence[_Told]
) -> list[_Told]:
    """“In sales, but … in research”: the same small word, in a clause set against the other."""
    small = case.claim.text[slot[0].end : slot[1].start].lower().split()[:1]
    found = []
    for passage, one in holders:
        value = next(word for word in one.words if word.key == slot[1].key)
        before = passage.text[: value.start].lower().split()
        against = _AGAINST.search(passage.text, 0, one.start) is not None
        if small and against and small[0] in before[-_NEAR:]:
            found.append((passage, one))
    return found


def _bound(text: str, one: ContentWord, other: ContentWord) -> bool:
    between = text[one.end : other.start]
    return _BOUND.fullmatch(between) is not None and not _APART.search(between.lower())


def _note(
    case: CheckCase,
    at: tuple[int, int],
    passage: Passage,
    span: tuple[int, int],
    standing: Standing = Standing.CONTRADICTED,
) -> CheckNote:
    shown, other = case.claim.text[slice(*at)], passage.text[slice(*span)]
    reason = f"says {shown}, which source says of another; of this one it says {other}"
    return case.note(
        "wrong_subject", "said_of_sibling", standing, reason, at, (passage.span(*span),)
    )
