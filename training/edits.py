"""Hard negatives: a true sentence with one fact changed, and where it was changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Edit = tuple[str, int, int]

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*")
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_OPPOSITES = dict(
    pair
    for a, b in (
        ("before", "after"), ("increase", "decrease"), ("more", "fewer"),
        ("first", "last"), ("always", "never"), ("rose", "fell"), ("won", "lost"),
        ("younger", "older"), ("higher", "lower"), ("largest", "smallest"), ("best", "worst"),
        ("north", "south"), ("east", "west"), ("positive", "negative"), ("good", "poor"),
        ("friendly", "rude"), ("clean", "dirty"), ("fast", "slow"), ("hot", "cold"),
        ("expensive", "affordable"), ("small", "large"), ("male", "female"), ("mother", "father"),
        ("brother", "sister"), ("son", "daughter"), ("husband", "wife"), ("early", "late"),
        ("alive", "dead"), ("guilty", "innocent"), ("some", "all"), ("open", "closed"),
        ("indoor", "outdoor"), ("free", "paid"), ("accepts", "rejects"), ("left", "right"),
    )
    for pair in ((a, b), (b, a))
)  # fmt: skip
_NEGATABLE = re.compile(
    r"\b(is|are|was|were|can|will|does|did|has|have|should|could)\b(?! not|n't)"
)
_OFFERS = re.compile(r"\b(offers|provides|accepts|allows|features|includes|serves|has)\b")
_NEGATED = re.compile(r"\b(is|are|was|were|can|will|does|did|has|have) not\b")
_LINKS = ("following", "after", "amid", "during", "while")


def edit(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    """Change one fact of a sentence; give the new text and the changed span, or None."""
    makers: list[Callable[[str, str, random.Random], Edit | None]] = [
        _number, _number, _name, _name, _calendar, _opposite, _negate, _unnegate, _cause,
    ]  # fmt: skip
    dice.shuffle(makers)
    for make in makers:
        found = make(sentence, evidence, dice)
        if found is not None and found[0] != sentence:
            return found
    return None


def _swap(sentence: str, start: int, end: int, new: str) -> Edit:
    return sentence[:start] + new + sentence[end:], start, start + len(new)


def _number(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = dice.choice(found)
    others = [m.group() for m in _NUMBER.finditer(evidence[:6000]) if m.group() != match.group()]
    if others and dice.random() < 0.4:
        return _swap(sentence, match.start(), match.end(), dice.choice(others))
    return _swap(sentence, match.start(), match.end(), _near(match.group(), dice))


def _near(number: str, dice: random.Random) -> str:
    if "." in number:
        return f"{float(number.replace(',', '')) + dice.choice([-1, 1, 0.5, 2, -0.5]):.1f}".lstrip(
            "-"
        )
    value = int(number.replace(",", ""))
    if 1800 <= value <= 2100:
        return str(value + dice.choice([-10, -2, -1, 1, 2, 10]))
    moved = value + dice.choice([-3, -2, -1, 1, 2, 3, 5, 10, value, 9 * value])
    return f"{abs(moved) or value + 1:,}" if "," in number else str(abs(moved) or value + 1)


def _name(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    found = [m for m in _NAME.finditer(sentence) if m.group().split()[0] not in (*_DAYS, *_MONTHS)]
    others = [m.group() for m in _NAME.finditer(evidence[:6000])]
    others = [n for n in others if n not in sentence and n.split()[0] not in (*_DAYS, *_MONTHS)]
    if not found or not others:
        return None
    match = dice.choice(found)
    return _swap(sentence, match.start(), match.end(), dice.choice(others))


def _calendar(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    for names in dice.sample([_DAYS, _MONTHS], 2):
        found = list(re.finditer(r"\b(?:" + "|".join(names) + r")\b", sentence))
        if found:
            match = dice.choice(found)
            new = dice.choice([name for name in names if name != match.group()])
            return _swap(sentence, match.start(), match.end(), new)
    return None


def _opposite(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    found = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m.group() in _OPPOSITES]
    if not found:
        return None
    match = dice.choice(found)
    return _swap(sentence, match.start(), match.end(), _OPPOSITES[match.group()])


def _negate(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    if dice.random() < 0.4:
        offers = _OFFERS.search(sentence)
        if offers:
            verb = "have" if offers.group() == "has" else offers.group()[:-1]
            return _swap(sentence, offers.start(), offers.end(), f"does not {verb}")
    found = list(_NEGATABLE.finditer(sentence))
    if not found or dice.random() < 0.5:
        return None
    match = dice.choice(found)
    return _swap(sentence, match.start(), match.end(), f"{match.group()} not")


def _unnegate(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    found = list(_NEGATED.finditer(sentence))
    if not found:
        return None
    match = dice.choice(found)
    return _swap(sentence, match.start(), match.end(), match.group(1))


def _cause(sentence: str, evidence: str, dice: random.Random) -> Edit | None:
    if any(word in evidence.lower() for word in ("because", "caused", "due to")):
        return None
    found = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m.group() in _LINKS]
    if not found:
        return None
    match = dice.choice(found)
    return _swap(sentence, match.start(), match.end(), "because of")
