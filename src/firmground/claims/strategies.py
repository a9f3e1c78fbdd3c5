"""The four ways in which the run-DAG parent looks for an answer in its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from firmground.claims import words as en
from firmground.claims.audit import AuditMode, EntityPolicy, VerifierMethod, mode_of
from firmground.claims.norm import compared, content_tokens, content_words, strip_wikitext
from firmground.claims.tokens import tokens
from firmground.core.layout import LineKind, lines
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences

_QUOTE_MARK = lazy_pattern('["“”„‟]')
_PARENTHESIS = lazy_pattern(r"\(([^()]{1,300})\)\s*[.!?]?\s*\Z")
_URL = lazy_pattern(r"(?:https?://|www\.)\S")
_SHORTEST_SPAN = 12
_PARAPHRASE_SHARE = 0.85
_PARAPHRASE_WORDS = 4
_LOWER_WORDS = 2
_NEAR = 300
_NEAR_ENOUGH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditUnit:
    """One piece of the answer that was looked for: `answer[start:end]`."""

    text: str
    start: int
    end: int
    verified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The contexts in the form in which they are compared."""

    texts: tuple[str, ...]
    words: frozenset[str]

    def hold(self, piece: str) -> bool:
        """True when some context has the piece as a substring."""
        wanted = compared(piece)
        return bool(wanted) and any(wanted in text for text in self.texts)


def sources_of(contexts: Sequence[str]) -> Sources:
    """Strip wiki markup and normalise the contexts once."""
    texts = tuple(compared(strip_wikitext(one)) for one in contexts)
    return Sources(texts=texts, words=frozenset[str]().union(*map(content_words, texts)))


def strip_trailing_citation(text: str) -> str:
    """Take off one closing parenthesis that names a source or an address."""
    match = _PARENTHESIS.search(text[-400:])
    if match is None:
        return text
    inside = match.group(1).strip().lower()
    named = any(
        inside.startswith(tail) and not inside[len(tail) : len(tail) + 1].isalpha()
        for tail in en.SOURCE_TAILS
    )
    if not (named or _URL.search(inside)):
        return text
    return text[: max(0, len(text) - 400) + match.start()].rstrip()


def quote_units(answer: str) -> Iterator[tuple[int, int]]:
    """Pair double quotation marks as they come: first with second, third with fourth."""
    marks = [match.start() for match in _QUOTE_MARK.finditer(answer)]
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        if answer[opening + 1 : closing].strip():
            yield opening + 1, closing


def span_units(answer: str) -> Iterator[tuple[int, int]]:
    """List items and sentences, without list marks and trailing citations."""
    for line in lines(answer):
        if line.kind in (LineKind.RULE, LineKind.FENCE, LineKind.HEADING):
            continue
        for span in sentences(answer[line.body : line.end]):
            start, end = line.body + span.start, line.body + span.end
            text = strip_trailing_citation(answer[start:end]).rstrip(" .!?,;:")
            if len(text) >= _SHORTEST_SPAN:
                yield start, start + len(text)


def entity_units(answer: str) -> Iterator[tuple[int, int]]:
    """Capitalised phrases of several words, each of them once."""
    seen: set[str] = set()
    start = end = count = 0
    found = tokens(answer)
    for place, one in enumerate(found):
        adjoining = count > 0 and answer[end : one.start] == " "
        if one.text[0].isupper() and (adjoining or one.text.lower() not in en.FUNCTION_OPENERS):
            if not adjoining:
                start, count = one.start, 0
            count, end = count + 1, one.end
            last = place + 1 == len(found)
            goes_on = not last and answer[end : found[place + 1].start] == " "
            if count > 1 and not (goes_on and found[place + 1].text[0].isupper()):
                name = compared(answer[start:end])
                if name not in seen:
                    seen.add(name)
                    yield start, end
        else:
            count = 0


def prose_units(answer: str) -> Iterator[tuple[int, int]]:
    """Spans with at least two content words in lower case, so that they say something."""
    for start, end in span_units(answer):
        lower = [
            one.text
            for one in tokens(answer[start:end])
            if one.text[0].islower() and len(one.text) >= 4 and one.text not in en.STOPWORDS
        ]
        if len(lower) >= _LOWER_WORDS:
            yield start, end


def paraphrase_share(text: str, words: frozenset[str], *, fewest: int = _PARAPHRASE_WORDS) -> float:
    """Share of a text's content words that the sources have; 0 when it has too few to decide."""
    wanted = set(content_tokens(text, shortest=4))
    if len(wanted) < fewest:
        return 0.0
    return sum(word in words for word in wanted) / len(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one strategy found."""

    method: VerifierMethod
    units: tuple[AuditUnit, ...]
    mode: AuditMode

    @property
    def n_verified(self) -> int:
        """How many units were found in the sources."""
        return sum(unit.verified for unit in self.units)


def by_quote(answer: str, sources: Sources) -> Found:
    """Every quotation as an exact substring."""
    units = _units(answer, quote_units(answer), sources.hold)
    return _counted(VerifierMethod.QUOTE, units)


def by_span(answer: str, sources: Sources) -> Found:
    """Every sentence and list item as an exact substring."""
    units = _units(answer, span_units(answer), sources.hold)
    return _counted(VerifierMethod.SPAN, units)


def by_entity(answer: str, sources: Sources, policy: EntityPolicy) -> Found:
    """Every name of several words; how much that is worth is a matter of policy."""
    units: tuple[AuditUnit, ...] = ()
    if policy is not EntityPolicy.DROP:
        units = _units(answer, entity_units(answer), sources.hold)
    found = _counted(VerifierMethod.ENTITY, units)
    if found.mode is not AuditMode.STRICT or policy is EntityPolicy.STRICT:
        return found
    near = policy is EntityPolicy.PROXIMITY and _near_together(units, sources)
    mode = AuditMode.STRICT if near else AuditMode.HYBRID
    return Found(method=found.method, units=units, mode=mode)


def by_paraphrase(answer: str, sources: Sources) -> Found:
    """Every prose span whose content words nearly all stand somewhere in the sources."""

    def said(text: str) -> bool:
        return paraphrase_share(text, sources.words) >= _PARAPHRASE_SHARE

    return _counted(VerifierMethod.PARAPHRASE, _units(answer, prose_units(answer), said))


def _units(
    answer: str, spans: Iterator[tuple[int, int]], test: Callable[[str], bool]
) -> tuple[AuditUnit, ...]:
    return tuple(
        AuditUnit(text=answer[start:end], start=start, end=end, verified=test(answer[start:end]))
        for start, end in spans
    )


def _counted(method: VerifierMethod, units: tuple[AuditUnit, ...]) -> Found:
    verified = sum(unit.verified for unit in units)
    return Found(method=method, units=units, mode=mode_of(len(units), verified))


def _near_together(units: tuple[AuditUnit, ...], sources: Sources) -> bool:
    """True when three different names stand within three hundred characters of one source."""
    names = [compared(unit.text) for unit in units if unit.verified]
    if len(names) < _NEAR_ENOUGH:
        return False
    return any(_cluster(text, names) for text in sources.texts)


def _cluster(text: str, names: list[str]) -> bool:
    hits = sorted((at, n) for n, name in enumerate(names) for at in _places(text, name))
    left = 0
    inside: dict[int, int] = {}
    for place, (at, name) in enumerate(hits):
        inside[name] = inside.get(name, 0) + 1
        while left < place and at + len(names[name]) - hits[left][0] > _NEAR:
            gone = hits[left][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            left += 1
        if len(inside) >= _NEAR_ENOUGH:
            return True
    return False


def _places(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + len(name))
