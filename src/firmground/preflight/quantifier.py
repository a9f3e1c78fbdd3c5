"""How much is asked for: ten rungs, the highest that matches wins.

The order is pinned here, COMPREHENSIVE strongest; a broad question without an anchor is
``unbounded``, any other question without one is ``unknown``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from firmground.errors import InputError
from firmground.preflight.question_text import QuestionText, word_set

CLASSIFIER_VERSION: Final = "firmground-quantifier-1"


class QuantifierLevel(IntEnum):
    """From nothing to everything."""

    ABSENT = 1
    SINGULAR = 2
    PROPORTIONAL = 3
    SMALL_NUM_EXPLICIT = 4
    COMPARATIVE_BOUND = 5
    FEW = 6
    MANY = 7
    ALL = 8
    OPEN_REQUEST = 9
    COMPREHENSIVE = 10


BROAD: Final = frozenset(
    {QuantifierLevel.ALL, QuantifierLevel.OPEN_REQUEST, QuantifierLevel.COMPREHENSIVE}
)
NUMERIC: Final = frozenset({QuantifierLevel.SMALL_NUM_EXPLICIT, QuantifierLevel.COMPARATIVE_BOUND})

_SPELT: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS: Final = {word: value for value, word in enumerate(_SPELT.split(), start=1)} | {
    "dozen": 12,
    "couple": 2,
    "pair": 2,
}
_NUMBER = r"(\d{1,4}|" + "|".join(_NUMBERS) + r")"


def _rung(words: str, pattern: str) -> tuple[frozenset[str], re.Pattern[str]]:
    return word_set(words), re.compile(pattern)


_LADDER: Final[tuple[tuple[QuantifierLevel, frozenset[str], re.Pattern[str]], ...]] = (
    (
        QuantifierLevel.COMPREHENSIVE,
        *_rung(
            "comprehensive comprehensively exhaustive exhaustively complete everything full entire "
            "encyclopedic detail thorough",
            r"\b(?:comprehensive(?:ly)?|exhaustive(?:ly)?|encyclopedic|complete\s+(?:list|history|"
            r"overview|account|guide)|everything\s+(?:about|on|there\s+is)|full\s+(?:list|history|"
            r"account|overview)|entire\s+history|in\s+(?:full|complete)\s+detail|thorough\s+"
            r"(?:overview|account))\b",
        ),
    ),
    (
        QuantifierLevel.OPEN_REQUEST,
        *_rung(
            "tell about know overview discuss describe information introduction",
            r"\b(?:tell\s+(?:me|us)\s+(?:more\s+)?about|what\s+do\s+you\s+know\s+about|"
            r"(?:give|write)\s+(?:me\s+)?(?:an?\s+)?(?:overview|introduction)|information\s+"
            r"(?:about|on)|discuss|talk\s+about|write\s+about)\b|^\s*describe\b",
        ),
    ),
    (
        QuantifierLevel.ALL,
        *_rung(
            "all every each everyone everybody everything whole any",
            r"\b(?:all|every|each|everyone|everybody|everything|the\s+whole|any\s+and\s+all)\b",
        ),
    ),
    (
        QuantifierLevel.MANY,
        *_rung(
            "many numerous lots various multiple plenty dozens hundreds countless",
            r"\b(?<!how\s)(?:many|numerous|lots\s+of|various|multiple|plenty\s+of|dozens|hundreds|"
            r"countless)\b",
        ),
    ),
    (
        QuantifierLevel.FEW,
        *_rung("some few several handful", r"\b(?:some|a\s+few|few|several|a\s+handful)\b"),
    ),
    (
        QuantifierLevel.COMPARATIVE_BOUND,
        *_rung(
            "least most more fewer less up over under minimum maximum",
            r"\b(?:at\s+least|at\s+most|more\s+than|fewer\s+than|less\s+than|up\s+to|over|under|"
            r"(?:a\s+)?(?:minimum|maximum)\s+of)\s+" + _NUMBER + r"\b",
        ),
    ),
    (
        QuantifierLevel.SMALL_NUM_EXPLICIT,
        word_set("list name give what which top first show find recommend write suggest propose"),
        re.compile(
            r"\b(?:list|name|give(?:\s+me)?|what\s+are(?:\s+the)?|which|top|first|show(?:\s+me)?|"
            r"find|recommend|write|suggest|propose)\s+(?:the\s+)?(?:top\s+|first\s+|best\s+)?"
            + _NUMBER
            + r"\s+[a-z]"
        ),
    ),
    (
        QuantifierLevel.PROPORTIONAL,
        *_rung(
            "most half majority percentage percent proportion share fraction third quarter",
            r"\b(?<!\bat\s)(?:most\s+(?:of|people|[a-z]+s\b)|half\s+(?:of|the)|majority|percentage|"
            r"percent|proportion|(?:what|which|the)\s+share\s+of|fraction|a\s+(?:third|quarter)\s+of)",
        ),
    ),
    (
        QuantifierLevel.ABSENT,
        *_rung(
            "no none neither nobody nothing zero without",
            r"\b(?:no|none|neither|nobody|nothing|"
            r"zero|without\s+any)\b",
        ),
    ),
)

_BOUNDED_WORDS = word_set(
    """apostle beatles commandment continent father ocean planet state
    planets continents states fathers apostles commandments months weekdays oceans
    olympics nba nfl mlb nhl bundesliga laliga eu nato g7 g20 moons files repository table
    directory folder document file ticket namespace cluster"""
)
_BOUNDED = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2})s?\b|\bbeatles\b|\b(?:us|u\.s\.|american|german|mexican|brazilian|"
    r"indian|australian)\s+states\b|\b(?:every|each|any)\s+(?:single\s+)?(?:us\s+state|u\.s\.\s+state|"
    r"american\s+state|planet|continent|ocean|founding\s+father|apostle|commandment)\b|\bplanets\b|\bcontinents\b|\bfounding\s+fathers\b|"
    r"\bapostles\b|\bcommandments\b|\boceans\b|\bpremier\s+league\b|\bbundesliga\b|\bla\s+liga\b|"
    r"\bserie\s+a\b|\b(?:nba|nfl|mlb|nhl|nato|eu|g7|g20)\b|\bmoons\s+of\b|"
    r"\bin\s+(?:the|this|that)\s+(?:repository|table|directory|folder|document|file|ticket|"
    r"namespace|cluster|chapter|section|contract|paper)\b|\b(?:the|this)\s+attached\b"
)
_YEARISH = re.compile(r"\b(?:1\d{3}|20\d{2})s?\b")

_SHAPES: Final[dict[str, str]] = {
    word: shape
    for shape, words in (
        ("count", "count"),
        ("compare", "compare contrast"),
        ("list", "list name enumerate"),
        ("explain", "why how explain describe"),
        ("lookup", "who when where what which whose whom"),
        ("yes_no", "is are was were do does did can could has have will would"),
    )
    for word in words.split()
}
_COMPARES: Final = frozenset({"difference", "differences", "versus", "vs"})

CLAIM_CAPS: Final[dict[str, dict[QuantifierLevel, int]]] = {
    "default": {
        QuantifierLevel.ALL: 12,
        QuantifierLevel.COMPREHENSIVE: 15,
        QuantifierLevel.OPEN_REQUEST: 12,
    },
    "hermes-3-8b": {
        QuantifierLevel.ALL: 8,
        QuantifierLevel.COMPREHENSIVE: 5,
        QuantifierLevel.OPEN_REQUEST: 5,
    },
}
"""How many claims a model of this profile can hold together on a broad question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantifier:
    """What the classifier read, and from which words."""

    rung: QuantifierLevel
    matched_token: str = ""
    span: tuple[int, int] | None = None
    explicit_count: int | None = None
    """Only on the two numeric rungs."""
    scope: str = "unknown"
    """``bounded``, ``unbounded`` or ``unknown``."""
    shape: str = "request"

    @property
    def is_broad(self) -> bool:
        """True on the three rungs that ask for everything there is."""
        return self.rung in BROAD

    def as_clause(self) -> dict[str, str | int | bool | None]:
        """The classifier clause of the preflight payload."""
        return {
            "intensity": self.rung.name,
            "matched_token": self.matched_token,
            "explicit_count": self.explicit_count,
            "scope_bound_hint": self.scope,
            "is_broad": self.is_broad,
            "classifier_version": CLASSIFIER_VERSION,
            "operational_shape": self.shape,
        }


def classify(text: str, *, glance: QuestionText | None = None) -> Quantifier:
    """Read how much the question asks for; the highest rung that matches wins."""
    glance = glance or QuestionText.at(text)
    for rung, gate, pattern in _LADDER:
        if glance.words.isdisjoint(gate):
            continue
        match = pattern.search(glance.lower)
        if match:
            return _built(glance, rung, match)
    return _built(glance, QuantifierLevel.SINGULAR, None)


def _built(glance: QuestionText, rung: QuantifierLevel, match: re.Match[str] | None) -> Quantifier:
    span = match.span() if match else None
    return Quantifier(
        rung=rung,
        matched_token=glance.text[span[0] : span[1]].strip() if span else "",
        span=span,
        explicit_count=_count(match) if match and rung in NUMERIC else None,
        scope=_scope(glance, rung),
        shape=_shape(glance),
    )


def _shape(glance: QuestionText) -> str:
    """What kind of reply is wanted, from how the question opens."""
    opening = glance.ordered[:2]
    if opening in (["how", "many"], ["how", "much"]):
        return "count"
    if opening == ["what", "are"]:
        return "list"
    if not glance.words.isdisjoint(_COMPARES):
        return "compare"
    return _SHAPES.get(opening[0], "request") if opening else "request"


def _count(match: re.Match[str]) -> int:
    word = match.group(1)
    return int(word) if word.isdigit() else _NUMBERS[word]


def _scope(glance: QuestionText, rung: QuantifierLevel) -> str:
    anchored = glance.digits and _YEARISH.search(glance.lower) is not None
    if not anchored and not glance.words.isdisjoint(_SCOPE_GATE):
        anchored = _BOUNDED.search(glance.lower) is not None
    if anchored:
        return "bounded"
    return "unbounded" if rung in BROAD else "unknown"


_SCOPE_GATE = _BOUNDED_WORDS | {
    "league",
    "liga",
    "serie",
    "attached",
    "chapter",
    "section",
    "contract",
    "paper",
}


def claim_cap(quantifier: Quantifier, *, model_profile: str = "default") -> int | None:
    """The most claims to ask of this model for this question; None when there is no cap."""
    try:
        caps = CLAIM_CAPS[model_profile.lower()]
    except KeyError:
        raise InputError(
            f"preflight.model_profile {model_profile!r} is unknown; "
            f"use one of {', '.join(sorted(CLAIM_CAPS))}"
        ) from None
    return caps.get(quantifier.rung)
