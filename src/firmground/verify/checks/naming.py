"""Proper names and identifiers as they stand in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.reading import EvidenceIndex, tokens
from firmground.verify.select import word_terms
from firmground.verify.values.calendar import MONTH_NAMES, days
from firmground.verify.values.clock import WEEKDAYS, times
from firmground.verify.values.language import language_of
from firmground.verify.values.ordinals import ENGLISH_NTH, ROMAN
from firmground.verify.values.places import aliases
from firmground.verify.values.quantities import quantities

_LINKS = frozenset({"of", "the", "de", "la", "von", "van", "der", "du", "al", "bin", "and", "&"})
_NO_NAMES = frozenset(
    "i a an the this that these those it he she they we you in on at by for from with to as after "
    "before when while although if since because however but and or so then there here what who "
    "how why where which both each some many most all no not one overall additionally customers "
    "users note based according passage passages yes dr mr mrs ms st am pm".split()
)
# A single capital at the head of a sentence is a name only if a verb follows it.
_OPENS_WITH = lazy_pattern(
    r"((?!(?:It|He|She|They|This|That|There|What|Who|We|You|The|One|Each)\b)[A-Z][^\W\d_]{2,})"
    r"\s+(?:is|was|has|had|will|were|said|says|became|began|won|lost|made|sold|sued|grew|"
    r"bought|beat|paid|led|hit|left|met|told|gave|took|held|ran|saw|sent|shot|built|wrote|taught|"
    r"found|owns|owes|leads|"
    r"\w{3,}ed)\b"
)
_HOUSEHOLD = frozenset(
    "ceo cfo tv dvd usa ok faq diy pm am gps pdf id gpa covid covid-19 h2o co2".split()
)
GENERIC = frozenset(
    "corporation company inc ltd llc corp group restaurant city county university college police "
    "governor senator professor doctor captain sergeant general officer judge mayor secretary "
    "representative congressman ambassador chief coach commissioner attorney speaker pope prince "
    "princess lord lady sir detective deputy sheriff "
    "department state street avenue president minister king queen director center centre club "
    "hospital school bank church court association agency party airport island river lake".split()
)
_ARTICLE = lazy_pattern(
    r"\b(?:d(?:er|ie|as|en|em|es)|(?:k|m|d|s)?eine?[nmrs]?|ihre?[nmrs]?|unsere?[nmrs]?|"
    r"diese[nmrs]?|jede[nmrs]?|alle[nmr]?|viele|einige|zum|zur|im|am|beim|vom|ins|ans)"
    r"\s+(?:[a-zäöüß]+\s+)?\Z",
    re.IGNORECASE,
)
_ZONES = frozenset("utc gmt cet cest est edt cst cdt mst mdt pst pdt bst ist jst eet eest".split())
_ROMAN = {
    roman.lower(): (str(at), ENGLISH_NTH[at]) for roman, at in ROMAN.items() if at in ENGLISH_NTH
}
_IDENTIFIER = lazy_pattern(
    r"(?<![\w.@/-])(?:[A-Za-z][\w-]*(?:\.[\w-]+)+\.?[A-Za-z]{2,}|v?\d+(?:\.\d+){2,}(?:[\w.-]*\w)?|"
    r"v\d+(?:\.\d+)*|(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z])[A-Za-z0-9][\w./-]*[A-Za-z0-9]|"
    r"[a-z]+(?:_[a-z0-9]+)+|[\w.+-]+@[\w-]+\.[\w.]+|[a-z][a-z0-9]*(?:-[a-z0-9]+)*-\d+)(?![\w@])"
)
_SPOKEN_NUMBER = lazy_pattern(
    r"(?:(?:mid|early|late|pre|post)-)?\d+(?:st|nd|rd|th|s|am|pm)|[\d-]+-[a-z-]+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A run of capitalised words: ``text[start:end]``, with its telling words."""

    start: int
    end: int
    text: str
    words: tuple[tuple[int, int, str], ...]


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[Name, ...]:
    """Read the proper names of a text; a capital that only opens a sentence is not a name."""
    found: list[Name] = []
    run: list[tuple[int, int, str]] = []
    end = -1
    for at, word in enumerate(tokens(text)):
        gap = text[end : word.start] if end >= 0 else " "
        joined = bool(run) and gap.strip() in ("", "-", "&", ".") and "\n" not in gap
        if _capital(word.text) and (joined or not run):
            if not run and _opens(text, word.start, at) and not _odd_capitals(word.text):
                run = [(word.start, word.end, word.text)] if _runs_on(text, word.end) else []
            else:
                run.append((word.start, word.end, word.text))
        elif not (joined and word.text.lower() in _LINKS):
            _close(found, text, run)
            opened = _capital(word.text) and not _opens(text, word.start, at)
            run = [(word.start, word.end, word.text)] if opened else []
        end = word.end
    _close(found, text, run)
    kept = (_without_measures(text, name) for name in found)
    german = language_of(text) == "de"
    return tuple(n for n in kept if n is not None and not (german and _common_noun(text, n)))


def _without_measures(text: str, name: Name) -> Name | None:
    """Leave out what a number has taken for its unit: ``EUR 25``, ``2 GB``, ``1,2 Mrd. Euro``."""
    taken = [(q.start, q.end) for q in quantities(text) if q.unit]
    words = tuple(w for w in name.words if not any(a <= w[0] and w[1] <= b for a, b in taken))
    if len(words) == len(name.words) or not words:
        return name if words else None
    start, end = words[0][0], words[-1][1]
    return Name(start=start, end=end, text=text[start:end], words=words)


def _common_noun(text: str, name: Name) -> bool:
    """True for ``der Arzt``: German writes every noun with a capital, and names take no article."""
    return len(name.words) == 1 and _ARTICLE.search(text, 0, name.start) is not None


def names_and_subject(text: str, reading: EvidenceIndex) -> tuple[Name, ...]:
    """Read the names, and the single capital that opens the sentence if a verb makes it a name."""
    named = names(text)
    m = _OPENS_WITH.match(text)
    plural = m is not None and m[1].endswith("s") and m[1].lower() not in reading.names
    if m is None or plural or m[1].lower() in reading.common:
        return named
    word = (m.start(1), m.end(1), m[1])
    return (Name(start=word[0], end=word[1], text=m[1], words=(word,)), *named)


@lru_cache(maxsize=4096)
def identifiers(text: str) -> tuple[tuple[int, int, str], ...]:
    """Read versions, hosts, codes and the like; numbers with units, dates and times are not."""
    taken = [(quantity.start, quantity.end) for quantity in quantities(text)]
    taken += [(day.start, day.end) for day in days(text)]
    taken += [(time.start, time.end) for time in times(text)]
    return tuple(
        (m.start(), m.end(), m.group())
        for m in _IDENTIFIER.finditer(text)
        if not any(start < m.end() and m.start() < end for start, end in taken)
        and re.search(r"\d|[._@]", m.group())
        and m.group().lower() not in _HOUSEHOLD
        and not _SPOKEN_NUMBER.fullmatch(m.group())
    )


def shape(identifier: str) -> str:
    """Reduce an identifier to its pattern: ``v1.2.10`` and ``v3.4.5`` are alike."""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", identifier))


def known(word: str, reading: EvidenceIndex, asked: frozenset[str]) -> bool:
    """True when the evidence has a name's word, a close form or another name of the place."""
    lowered = word.lower().removesuffix("'s").removesuffix("’s")
    parts = re.split(r"[-‐‑]", word)
    if len(parts) > 1 and lowered not in reading.names:
        return all(known(part, reading, asked) for part in parts if part[:1].isupper())
    terms = word_terms(word)
    if not terms or lowered in _HOUSEHOLD or lowered in _ZONES or lowered in reading.names:
        return True
    if word.isupper() and lowered in _ROMAN:
        return any(form in reading.lowered for form in _ROMAN[lowered])
    if all(reading.knows(term) or term in asked for term in terms):
        return True
    if any(other in reading.names or reading.knows(other) for other in aliases(lowered)):
        return True
    return _close_form(lowered, reading)


def _close_form(word: str, reading: EvidenceIndex) -> bool:
    """Let ``American`` stand for ``America`` and ``Briton`` for ``British``."""
    if len(word) < 5:
        return False
    head = word[: max(4, len(word) // 2 + 1)]
    return any(name.startswith(head) for name in reading.names)


def _capital(word: str) -> bool:
    return word[0].isupper() and word.lower() not in _NO_NAMES


def _odd_capitals(word: str) -> bool:
    return any(character.isupper() for character in word[1:])


def _opens(text: str, start: int, at: int) -> bool:
    before = text[:start].rstrip(" \"'“‘«*_([-•")
    return at == 0 or not before or before[-1] in ".!?:\n"


def _runs_on(text: str, end: int) -> bool:
    following = re.match(r"[ -]+(?:(?:of|the|de|von|van|&)\s+)?([^\W\d_]+)", text[end : end + 40])
    return following is not None and _capital(following[1])


def _calendar(word: str) -> bool:
    return word in WEEKDAYS or word.removesuffix("s") in WEEKDAYS or word in MONTH_NAMES


def _close(found: list[Name], text: str, run: list[tuple[int, int, str]]) -> None:
    kept = [w for w in run if not _calendar(w[2].lower()) and len(w[2]) > 1]
    if len(kept) == 1 and len(run) > 1 and not text[: kept[0][0]].strip():
        kept = []  # "Open Monday": the capital only opens the sentence
    if kept:
        start, end = kept[0][0], kept[-1][1]
        found.append(Name(start=start, end=end, text=text[start:end], words=tuple(kept)))
    run.clear()
