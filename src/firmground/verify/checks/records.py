"""Records: a claim that gives a value where the record says no, or says nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import clauses, denied_at
from firmground.verify.reading import EvidenceIndex, Passage, terms_of
from firmground.verify.select import stem, word_terms
from firmground.verify.units import readable_path

_EMPTY = frozenset({"none", "null", "", "nan", "n/a", "unknown"})
_NO = frozenset({"false", "no", "'no'", "u'no'"})
_YES = frozenset({"true", "yes", "free", "paid"})
_FREE = lazy_pattern(r"\b(?:free|complimentary|kostenlos\w*|gratuite?s?|gratis)\b", re.IGNORECASE)
_PAID = lazy_pattern(
    r"\b(?:paid|for a fee|chargeable|kostenpflichtig\w*|payante?s?)\b", re.IGNORECASE
)
# Words that name the kind of thing and not the property.
_GENERIC = frozenset(
    stem(w) for w in "restaurants restaurant business attributes has is good for by the of".split()
)
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "ambience": ("ambiance", "atmosphere", "vibe", "setting", "environment", "decor"),
    "takeout": ("takeaway", "carryout", "togo"),
    "wifi": ("internet", "wireless"),
    "reservations": ("reservation", "reserve", "book", "booking"),
    "delivery": ("deliver", "delivers", "delivering"),
    "groups": ("group", "parties"),
    "garage": ("garages",),
}
_HEDGE = lazy_pattern(
    r"\b(?:unclear|unknown|unspecified|whether|may|might|if|depending|mixed|not sure|"
    r"according to|reviewers?|customers?|guests?|patrons?)\b",
    re.IGNORECASE,
)
_MOST_FIELDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A yes-or-no field of a record: what must be said to speak of it, and what it holds."""

    passage: Passage
    own: frozenset[str]
    """Words of the field itself; all must be said, alone or joined."""
    joined: str
    parent: frozenset[str]
    """Words of the field it belongs to; one must be said, if there are any."""
    meant: frozenset[str]
    """Other words for the field."""
    value: str
    """``yes``, ``no`` or ``nothing``."""
    price: str = ""
    """``free`` or ``paid``, if the record says which."""


def check_records(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to what a record denies, and to values where it holds none."""
    if case.about_source or not case.reading.fields:
        return ()
    held = properties(case.reading)
    notes: list[CheckNote] = []
    for start, end in clauses(case.claim.text):
        said = terms_of(case.claim.text[start:end]) | _pairs(case.claim.text[start:end])
        for one in held:
            if _spoken_of(one, said):
                note = _judge(case, one, start, end)
                notes.extend([note] if note else [])
    return tuple(notes)


@lru_cache(maxsize=2)
def properties(reading: EvidenceIndex) -> tuple[Property, ...]:
    """Read the yes-or-no fields of records."""
    fields = reading.fields[:_MOST_FIELDS]
    return tuple(one for field in fields if (one := _property(field)) is not None)


def _property(field: Passage) -> Property | None:
    path = (field.path or "").split(".")
    raw = field.value.strip().strip("'\"").lower()
    value = "no" if raw in _NO else "nothing" if raw in _EMPTY else "yes" if raw in _YES else ""
    if not value or any(part.isdigit() for part in path):
        return None
    words = [w for w in readable_path(path[-1]).split() if stem(w) not in _GENERIC]
    above = readable_path(path[-2]).split() if len(path) > 1 else []
    own = frozenset(stem(word) for word in words)
    if not own:
        return None
    return Property(
        passage=field,
        own=own,
        joined=stem("".join(words)),
        parent=frozenset(stem(word) for word in above) - _GENERIC - own,
        meant=frozenset(stem(o) for w in own for o in _SYNONYMS_BY_STEM.get(w, ())),
        value=value,
        price=raw if raw in ("free", "paid") else "",
    )


def _spoken_of(one: Property, said: frozenset[str]) -> bool:
    own = all(_said(word, said) for word in one.own) or _said(one.joined, said)
    return own and (not one.parent or any(_said(word, said) for word in one.parent))


def _said(word: str, said: frozenset[str]) -> bool:
    return word in said or any(stem(other) in said for other in _SYNONYMS_BY_STEM.get(word, ()))


_SYNONYMS_BY_STEM = {stem(word): others for word, others in _SYNONYMS.items()}


def _pairs(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]+", text.lower())
    return frozenset(stem(a + b) for a, b in pairwise(words))


def _judge(case: CheckCase, one: Property, start: int, end: int) -> CheckNote | None:
    at = _trimmed(case.claim.text, start, end)
    spot = _spot(case, one, start, end)
    denied = denied_at(case.claim.text, *spot)
    label = readable_path((one.passage.path or "").rpartition(".")[2])
    span = (one.passage.span(),)
    named = bool((one.own | {one.joined}) & (terms_of(case.claim.text) | _pairs(case.claim.text)))
    reported = bool(_HEDGE.search(case.claim.text)) or not named or _told_elsewhere(case, one)
    if one.value == "nothing":
        veto = None if denied or reported else Standing.UNGROUNDED
        code = "field_empty_denied" if denied else "field_empty"
        return case.note("records", code, veto, f"the record's {label} is empty", at, span)
    if (
        one.value == "yes"
        and denied
        and not one.price
        and _FREE.search(case.claim.text, start, end)
    ):
        return None  # there may be one that costs something
    wrong_price = bool(one.price) and _other_price(case.claim.text[start:end], one.price)
    if (one.value == "no" or wrong_price) is denied:
        return case.note("records", "field_matches", None, f"the record's {label} agrees", at, span)
    veto = None if reported else Standing.CONTRADICTED
    given = one.price or one.value
    reason = f"{'denies' if denied else 'asserts'} {label}, record says {given}"
    return case.note("records", "field_differs", veto, reason, at, span)


def _other_price(clause: str, price: str) -> bool:
    """True when a clause speaks of the thing at a price that the record does not give."""
    other = _PAID if price == "free" else _FREE
    return bool(other.search(clause))


def _spot(case: CheckCase, one: Property, start: int, end: int) -> tuple[int, int]:
    """Where in the clause the property is named."""
    for word in case.words:
        if start <= word.start < end and any(
            t in one.own or t == one.joined or t in one.meant for t in word_terms(word.text)
        ):
            return word.start, word.end
    return start, end


def _told_elsewhere(case: CheckCase, one: Property) -> bool:
    """True when prose beside the record speaks of the property as well."""
    prose = [p for p in case.passages if p.path is None or len(p.value) > 40]
    return any(one.own <= passage.terms or one.joined in passage.terms for passage in prose)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
