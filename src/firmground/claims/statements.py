"""The self-contained statement that a piece of an answer makes."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re

from firmground.claims import words as en
from firmground.claims.asking import presupposed, uninverted
from firmground.claims.exempt import exempt
from firmground.claims.plain_text import plain_form
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern

_CONNECTIVE = lazy_pattern(
    r"(?:and |but |so )?(?:because|since(?! \d)|as(?! (?:of|for|to|well|long|soon|a|an)\b)|but|however|so|and|though|"
    r"that(?! (?:is|was|are|were|has|had|will|would|can)\b))[, ]\s*(?=\S)",
    re.I,
)
_GROUNDS = lazy_pattern(
    r"(?:given that|given|now that|seeing that|seeing|considering that|considering|knowing that|knowing|although|"
    r"even though|when|before|after|while|whereas|provided that)[, ]\s*(?=\S)",
    re.I,
)
_RELATIVE = lazy_pattern(r",\s(?:which|who)\s([^,?]{3,200})[,?]?")
_OPENS_PHRASE = frozenset("the a an this these those my your our their his her its".split())
_QUESTION_OPENERS = frozenset("what which how when where who why whose".split())
_EXPLETIVE = lazy_pattern(
    r"it(?:'s| is| was) (?:not )?(?:an?|the|one) |it(?:'s| is| was| would be| can be| may be| will be)? (?:not |also |very |always |often )?"
    r"(?:\w+ (?:to|that|for|if|whether|how)\b|seems?|appears?|takes?|took|rains?|depends|turns out|follows)"
)
_LEADING = lazy_pattern(r"(?:(?:and|but|also|however|additionally|furthermore|moreover|then|while|although|though|because|since|as|so|if|when|unless|even though),? )?(it|they|he|she|its|their|his|her)\b('s(?! (?:been|got|had|become))|'re)?(?!')")  # fmt: skip
_POSSESSIVE = frozenset({"its", "their", "his", "her"})
_PLURAL = frozenset({"they", "their"})
_MOST_WORDS = 8


def bare(text: str) -> str:
    """A clause cut from its sentence as a sentence: no link word, a capital, a full stop."""
    match = _CONNECTIVE.match(text)
    said = (text[match.end() :] if match else text).rstrip(" \t\n,;:?!–—-…")
    said = said if said.endswith((".", "。")) else said + "."
    return said[:1].upper() + said[1:]


def grounds(text: str) -> str:
    """The clause "since it is open" or "when it opened" beside a question, as a sentence."""
    match = _GROUNDS.match(text)
    return bare(text[match.end() :] if match else text)


def of_question(text: str) -> str:
    """What a question takes for granted, or else what it suggests."""
    first = plain_tokens(text)[:1]
    relative = _RELATIVE.search(text)
    if first and first[0] in _QUESTION_OPENERS:
        granted = presupposed(text)
        if granted:
            return bare(granted)
    if relative and not (first and first[0] in ("why", "how")):
        subject = _phrase_before(text[: relative.start()])
        if subject:
            return bare(f"{subject} {relative[1]}")
    proposition = uninverted(text)
    return bare(proposition.affirmed) if proposition and not _to_user(text) else bare(text)


def with_subject(text: str, subject: str) -> str:
    """The text with its leading pronoun replaced by what it stands for; empty if it has none."""
    plain = text.lower().replace("’", "'")
    match = _LEADING.match(plain)
    if match is None or not subject or _EXPLETIVE.match(plain, match.start(1)):
        return ""
    if len(plain) != len(text) or (match[1] in _PLURAL) is not is_plural(subject):
        return ""
    name = subject + ("'s" if match[1] in _POSSESSIVE else "")
    verb = {"'s": " is", "'re": " are", None: ""}[match[2]]
    if match.start(1) and name.split(" ")[0] in ("The", "A", "An"):
        name = name[0].lower() + name[1:]
    said = f"{text[: match.start(1)]}{name}{verb}{text[match.end() :]}"
    return said[0].upper() + said[1:] if not match.start(1) else said


def is_plural(subject: str) -> bool:
    """True when a noun phrase looks like several things."""
    found = plain_tokens(subject)
    head = _head_noun(found)
    return (
        " and " in f" {' '.join(found)} "
        or head in en.PLURALS
        or (head.endswith("s") and not head.endswith(("ss", "us", "is", "'s")))
    )


def _head_noun(found: tuple[str, ...]) -> str:
    for place, word in enumerate(found):
        if place and word in ("of", "in", "on", "for", "with", "from", "to", "at", "under", "that"):
            return found[place - 1]
    return found[-1] if found else ""


def with_lead_in(text: str, lead_in: str) -> str:
    """A clipped list item behind the words that introduce the list."""
    if not lead_in or is_clause(text) or exempt(lead_in) is not None:
        return ""
    first, _, rest = text.partition(" ")
    name = not rest or rest.partition(" ")[0].istitle() or not first.istitle()
    return f"{lead_in}: {text if name else text[0].lower() + text[1:]}"


def row_statement(row: str, head: str) -> str:
    """The cells of a table row, each with the head of its column."""
    cells, names = _cells(row), _cells(head)
    if len(names) != len(cells) or not names:
        return "; ".join(filter(None, cells))
    pairs = (f"{n}: {c}" if n and n != c else c for n, c in zip(names, cells, strict=True) if c)
    return "; ".join(pairs)


def _cells(row: str) -> list[str]:
    return [
        plain_form(cell.strip()) if cell.strip() else ""
        for cell in row.strip().strip("|").split("|")
    ]


def is_clause(text: str) -> bool:
    """True when a text has a subject and a verb."""
    found = plain_tokens(text[:400])
    return any(map(is_finite, found[1:])) or (
        len(found) > 3 and not is_finite(found[0]) and any(map(is_finite, found))
    )


def _to_user(text: str) -> bool:
    found = plain_tokens(text[:200])
    return any(word in ("you", "i", "we", "us") for word in found[1:3])


def _phrase_before(text: str) -> str:
    """The noun phrase that ends a stretch: from its last determiner, or its last run of capitals."""
    found = tokens(text[-160:])
    base = max(0, len(text) - 160)
    for place in range(len(found) - 1, max(-1, len(found) - 9), -1):
        if found[place].text.lower() in _OPENS_PHRASE:
            return text[base + found[place].start :]
        if place and found[place].text[0].isupper() and not found[place - 1].text[0].isupper():
            return text[base + found[place].start :]
    return ""
