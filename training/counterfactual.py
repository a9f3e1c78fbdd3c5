"""The same statement over changed evidence, so that only reading tells what it is worth.

Each change is made on the evidence of a contrast set, where the label after it is certain:

- a value of a true statement that stands once in the evidence is replaced there: now it is wrong;
- the same value is replaced in both: it is true again;
- a true statement and its false twin differ in one stretch that stands once in the evidence: with
  the twin's stretch put there, the two exchange their labels;
- the one passage unit that carries a statement in the source's own words is taken away: now nothing
  says it; another unit that shares no content word with it is taken away: nothing changes.
"""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmground.core.segment import sentences

SUPPORTED, UNSUPPORTED, CONTRADICTED = "supported", "unsupported", "contradicted"
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][a-z]{2,}(?:\s[A-Z][a-z]{2,})?\b")
_CONTENT = re.compile(r"[a-z]{4,}|\d+")
# Values of these kinds are worked out or depend on more than one place.
_WORKED_OUT = frozenset(
    "arithmetic duration conversion count comparison order merge not_stated negative".split()
)
_LONGEST_STRETCH = 28
_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A statement over changed evidence."""

    evidence: tuple[str, ...]
    text: str
    label: str
    spans: tuple[tuple[int, int], ...]


def variants(
    evidence: Sequence[str], statements: Sequence[dict], names: Sequence[str], dice: random.Random
) -> Iterator[Variant]:
    """Make what can be made of one set; the order is the set's own."""
    evidence = tuple(evidence)
    true = [row for row in statements if row["label"] == SUPPORTED]
    false = [row for row in statements if row["label"] != SUPPORTED]
    for row in true:
        if row["kind"] not in _WORKED_OUT:
            yield from _replaced(evidence, row["text"], names, dice)
            if row["wording"] == "close":
                yield from _taken_away(evidence, row["text"], dice)
    for wrong in false:
        for right in true:
            yield from _exchanged(evidence, right["text"], wrong["text"])


def _replaced(
    evidence: tuple[str, ...], text: str, names: Sequence[str], dice: random.Random
) -> Iterator[Variant]:
    values = [(m.span(), _other_number(m[0], dice)) for m in _NUMBER.finditer(text)]
    values += [
        (m.span(), dice.choice(names))
        for m in NAME.finditer(text)
        if not _MONTHS & set(m[0].lower().split())
    ]
    dice.shuffle(values)
    for (start, end), new in values[:2]:
        old = text[start:end]
        place = _only_place(evidence, old)
        if place is None or new == old or any(new in one for one in evidence):
            continue
        changed = _with(evidence, place, len(old), new)
        yield Variant(changed, text, CONTRADICTED, ((start, end),))
        yield Variant(changed, text[:start] + new + text[end:], SUPPORTED, ())


def _taken_away(evidence: tuple[str, ...], text: str, dice: random.Random) -> Iterator[Variant]:
    said = set(_CONTENT.findall(text.lower()))
    units = [
        (at, span.start, span.end)
        for at, one in enumerate(evidence)
        for span in sentences(one)
        if span.start  # the title stays
    ]
    if len(said) < 4 or len(units) < 4:
        return
    shares = [
        len(said & set(_CONTENT.findall(evidence[at][a:b].lower()))) / len(said)
        for at, a, b in units
    ]
    order = sorted(range(len(units)), key=lambda i: -shares[i])
    if shares[order[0]] >= 0.7 and shares[order[1]] <= 0.35:
        yield Variant(_without(evidence, units[order[0]]), text, UNSUPPORTED, ((0, len(text)),))
        foreign = [i for i in order if shares[i] == 0]
        if foreign:
            yield Variant(_without(evidence, units[dice.choice(foreign)]), text, SUPPORTED, ())


def _exchanged(evidence: tuple[str, ...], right: str, wrong: str) -> Iterator[Variant]:
    first, second = _tokens(right), _tokens(wrong)
    matcher = difflib.SequenceMatcher(None, [t for t, *_ in first], [t for t, *_ in second], False)
    if matcher.ratio() < 0.75:
        return
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return
    _, i1, i2, j1, j2 = changes[0]
    old_span, new_span = (first[i1][1], first[i2 - 1][2]), (second[j1][1], second[j2 - 1][2])
    old, new = right[slice(*old_span)], wrong[slice(*new_span)]
    place = _only_place(evidence, old)
    if place is None or len(old) > _LONGEST_STRETCH or len(new) > _LONGEST_STRETCH:
        return
    changed = _with(evidence, place, len(old), new)
    if _only_place(changed, new) is None:  # it stands there twice now: a table or a list with both
        return
    yield Variant(changed, wrong, SUPPORTED, ())
    yield Variant(changed, right, CONTRADICTED, (old_span,))


def _tokens(text: str) -> list[tuple[str, int, int]]:
    return [(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]


def _only_place(evidence: Sequence[str], wanted: str) -> tuple[int, int] | None:
    """Find the one place of a stretch between word borders; None if there are none or several."""
    pattern = re.compile(rf"(?<![\w.,:])(?<!\d[.,:]){re.escape(wanted)}(?!\w)(?![.,:]\d)")
    found = [(at, m.start()) for at, one in enumerate(evidence) for m in pattern.finditer(one)]
    return found[0] if len(found) == 1 else None


def _with(
    evidence: tuple[str, ...], place: tuple[int, int], length: int, new: str
) -> tuple[str, ...]:
    at, start = place
    one = evidence[at]
    return (*evidence[:at], one[:start] + new + one[start + length :], *evidence[at + 1 :])


def _without(evidence: tuple[str, ...], unit: tuple[int, int, int]) -> tuple[str, ...]:
    at, start, end = unit
    one = evidence[at]
    return (*evidence[:at], one[:start] + one[end:].lstrip(" "), *evidence[at + 1 :])


def _other_number(text: str, dice: random.Random) -> str:
    """A number of the same form: one or two digits differ, the first is never zero."""
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    found = list(text)
    for at in dice.sample(digits, min(len(digits), dice.choice((1, 1, 2)))):
        low = "123456789" if at == digits[0] else "0123456789"
        if ":" in text and at != digits[-1]:
            low = "12"
        found[at] = dice.choice([d for d in low if d != text[at]] or [text[at]])
    return "".join(found)
