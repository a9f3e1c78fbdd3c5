"""What the neural verifier reads: the claim, the sentence before it, and selected evidence.

Training and run time build their inputs here, so they cannot drift apart. Every token
carries a kind beside its id, which tells the model what exact matching already knows:
whether a claim word stands in the evidence shown, only elsewhere in it, or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from firmground.core.segment import words
from firmground.verify.select import Index, build_index, select, word_terms
from firmground.verify.units import EvidenceUnit, readable_path, units

LONGEST_INPUT = 144
LONGEST_CLAIM = 64
LONGEST_CONTEXT = 20
LONGEST_UNIT = 56
LONGEST_ABOUT = 20
MOST_UNITS = 12
# Fields beside a matching one are shown too if there is room: "open daily" needs every day.
# A claim that shares few words with the evidence is still shown this much of it.
_LEAST_EVIDENCE = 64
_MOST_FILLERS = 8
_LARGEST_FAMILY = 24
_LONGEST_SIBLING = 40
# So many tokens in a row that were there before are a repetition.
_REPEAT = 6
_SURROGATE = re.compile("[\ud800-\udfff]")


class TokenKind(IntEnum):
    """What is known about a token before the model looks at it."""

    EVIDENCE = 0
    EVIDENCE_SHARED = 1
    CONTEXT = 2
    PLAIN = 3
    SHOWN = 4
    ELSEWHERE = 5
    ABSENT = 6
    NUMBER_SHOWN = 7
    NUMBER_ELSEWHERE = 8
    NUMBER_ABSENT = 9


class Encoding(Protocol):
    """The part of a tokenizers encoding that is read here."""

    @property
    def ids(self) -> list[int]:
        """Token numbers."""

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token lies in the text."""


class Tokenizer(Protocol):
    """The part of `tokenizers.Tokenizer` that is used here."""

    def encode(self, sequence: str, *, add_special_tokens: bool) -> Encoding:
        """Tokenise a text."""

    def token_to_id(self, token: str) -> int | None:
        """Give the number of a special token."""


@dataclass(frozen=True, slots=True)
class _TokenizedText:
    """A tokenised text: ids, where they lie, and the match terms of the word each belongs to."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    terms: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A unit ready to be shown: what it is about, its label in two parts, and its value."""

    about: _TokenizedText
    parent: _TokenizedText
    name: _TokenizedText
    value: _TokenizedText


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedEvidence:
    """Evidence tokenised and indexed once, for any number of claims."""

    units: tuple[EvidenceUnit, ...]
    index: Index
    terms: frozenset[str]
    families: dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputWindow:
    """One input of the model: `[CLS] claim [SEP] context [SEP] evidence [SEP]`.

    The claim comes first, so that the last layer need only look at the head of the input;
    `claim_offsets[i]` are the claim characters of token `1 + i`.
    """

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    claim_offsets: tuple[tuple[int, int], ...]
    shown: tuple[int, ...]


def prepare(evidence: Sequence[str]) -> tuple[PreparedEvidence, tuple[int, ...]]:
    """Cut and index evidence texts as one body; beside it, which text each unit is from."""
    cut = [units(text) for text in evidence]
    body = tuple(unit for part in cut for unit in part)
    origin = tuple(at for at, part in enumerate(cut) for _ in part)
    return prepare_units(body, build_index(body)), origin


def prepare_units(body: tuple[EvidenceUnit, ...], index: Index) -> PreparedEvidence:
    """Make units that were cut and indexed elsewhere ready for the model."""
    return PreparedEvidence(
        units=body,
        index=build_index(body, context=True) if any(unit.about for unit in body) else index,
        terms=frozenset(index.postings),
        families=_families(body),
    )


class InputBuilder:
    """Builds model inputs over one tokenizer; keeps the tokens of units it has shown."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._cls = self._special("[CLS]")
        self._sep = self._special("[SEP]")
        self._comma, self._colon, self._semicolon, self._dot = (
            tokenizer.encode(mark, add_special_tokens=False).ids[0] for mark in ",:;."
        )

    def windows(
        self,
        claim: str,
        context: str,
        evidence: PreparedEvidence,
        cache: dict[int, _Tokens],
        *,
        longest: int = LONGEST_INPUT,
    ) -> tuple[InputWindow, ...]:
        """Build the inputs for a claim: one, or several if it is too long or repeats itself.

        `cache` holds tokenised units of this evidence and is filled on the way.
        """
        whole, before = self._pieces((claim, context))
        found = []
        for start, end in _parts_of(whole):
            part = _slice(whole, start, end)
            text = claim[part.offsets[0][0] : part.offsets[-1][1]] if part.ids else claim
            ranked = select(text, evidence.units, evidence.index, limit=MOST_UNITS)
            ranked = _with_siblings(ranked, evidence)
            found.append(self._window(part, before, ranked, evidence, cache, room=longest))
        return tuple(found)

    def _window(
        self,
        claim: _TokenizedText,
        context: _TokenizedText,
        ranked: Sequence[int],
        evidence: PreparedEvidence,
        cache: dict[int, _Tokens],
        *,
        room: int,
    ) -> InputWindow:
        before = _slice(context, max(0, len(context.ids) - LONGEST_CONTEXT), len(context.ids))
        if _echoes(claim, before, evidence.terms):
            before = _slice(before, 0, 0)
        room -= len(claim.ids) + len(before.ids) + 4
        self._tokenise(ranked, evidence.units, cache)
        shown, used = _fit(ranked, cache, room)
        if used < _LEAST_EVIDENCE:
            fillers = _fillers(ranked, len(evidence.units))
            self._tokenise(fillers, evidence.units, cache)
            more, _ = _fit(fillers, cache, min(room, _LEAST_EVIDENCE) - used)
            shown = sorted({*shown, *more})
        ids, terms = self._render(shown, evidence.units, cache)
        ids, terms = ids[:room], terms[:room]
        wanted = {term for word in claim.terms for term in word}
        kinds = [
            TokenKind.EVIDENCE_SHARED if not wanted.isdisjoint(word) else TokenKind.EVIDENCE
            for word in terms
        ]
        in_view = frozenset(term for word in terms for term in word)
        claim_kinds = [_claim_kind(word, in_view, evidence.terms) for word in claim.terms]
        return InputWindow(
            ids=(self._cls, *claim.ids, self._sep, *before.ids, self._sep, *ids, self._sep),
            kinds=(
                0, *claim_kinds, TokenKind.PLAIN,
                *(TokenKind.CONTEXT for _ in before.ids), TokenKind.CONTEXT,
                *kinds, 0,
            ),
            claim_offsets=claim.offsets,
            shown=tuple(shown),
        )  # fmt: skip

    def _render(
        self, shown: Sequence[int], body: Sequence[EvidenceUnit], cache: dict[int, _Tokens]
    ) -> tuple[list[int], list[tuple[str, ...]]]:
        """Write units in their order; record siblings share their label, equal ones their value."""
        ids: list[int] = []
        terms: list[tuple[str, ...]] = []

        def add(piece: _TokenizedText, mark: int | None = None) -> None:
            ids.extend(piece.ids)
            terms.extend(piece.terms)
            if mark is not None:
                ids.append(mark)
                terms.append(())

        for place, at in enumerate(shown):
            tokens = cache[at]
            previous = cache[shown[place - 1]] if place else None
            if tokens.about.ids and (previous is None or previous.about.ids != tokens.about.ids):
                add(tokens.about, self._colon)
            if body[at].path is None:
                add(tokens.value)
                continue
            following = cache[shown[place + 1]] if place + 1 < len(shown) else None
            same_parent = previous is not None and previous.parent.ids == tokens.parent.ids
            if not same_parent and tokens.parent.ids:
                add(tokens.parent)
            repeats = same_parent and previous is not None and previous.name.ids == tokens.name.ids
            twin = (
                following is not None
                and following.parent.ids == tokens.parent.ids
                and following.value.ids == tokens.value.ids
                and following.name.ids != tokens.name.ids
            )
            if not repeats:
                add(tokens.name, self._comma if twin else self._colon)
            if not twin:
                add(tokens.value, self._semicolon)
        return ids, terms

    def _tokenise(
        self, wanted: Sequence[int], body: Sequence[EvidenceUnit], cache: dict[int, _Tokens]
    ) -> None:
        new = [at for at in wanted if at not in cache]
        texts: list[str] = []
        for at in new:
            texts.extend((body[at].about, *_parts(body[at])))
        pieces = self._pieces(texts)
        for place, at in enumerate(new):
            about, parent, name, value = pieces[4 * place : 4 * place + 4]
            cache[at] = _Tokens(
                _slice(about, 0, LONGEST_ABOUT), parent, name, _slice(value, 0, LONGEST_UNIT)
            )

    def _pieces(self, texts: Sequence[str]) -> list[_TokenizedText]:
        # A lone surrogate has no UTF-8; one character for one keeps every offset true.
        sound = [_SURROGATE.sub("\ufffd", text) for text in texts]
        # One by one: a batch would start a thread for every core, however few were asked for.
        encoded = [self._tokenizer.encode(text, add_special_tokens=False) for text in sound]
        return [_piece(text, encoding) for text, encoding in zip(texts, encoded, strict=True)]

    def _special(self, token: str) -> int:
        found = self._tokenizer.token_to_id(token)
        if found is None:
            raise ValueError(f"the tokenizer has no {token} token")
        return found


def _families(body: Sequence[EvidenceUnit]) -> dict[str, tuple[int, ...]]:
    """Group the short fields of records by the path above them."""
    groups: dict[str, list[int]] = {}
    for at, unit in enumerate(body):
        parent = _parent(unit)
        if parent and unit.end - unit.start <= _LONGEST_SIBLING:
            groups.setdefault(parent, []).append(at)
    return {
        parent: tuple(group) for parent, group in groups.items() if len(group) <= _LARGEST_FAMILY
    }


def _parent(unit: EvidenceUnit) -> str:
    return unit.path.rpartition(".")[0] if unit.path is not None else ""


def _with_siblings(ranked: Sequence[int], evidence: PreparedEvidence) -> tuple[int, ...]:
    order = dict.fromkeys(ranked)
    for at in ranked:
        order.update(dict.fromkeys(evidence.families.get(_parent(evidence.units[at]), ())))
    return tuple(order)


def _parts(unit: EvidenceUnit) -> tuple[str, str, str]:
    if unit.path is None:
        return "", "", unit.text
    label = readable_path(unit.path)
    parent, _, _ = unit.path.rpartition(".")
    above = readable_path(parent)
    return above, label[len(above) :].strip(), unit.text[len(label) + 2 :]


def _piece(text: str, encoding: Encoding) -> _TokenizedText:
    offsets = tuple(encoding.offsets)
    terms: list[tuple[str, ...]] = []
    found = words(text)
    at = 0
    for start, end in offsets:
        while at < len(found) and found[at].end <= start:
            at += 1
        inside = at < len(found) and found[at].start < end
        terms.append(word_terms(found[at].text) if inside else ())
    return _TokenizedText(tuple(encoding.ids), offsets, tuple(terms))


def _slice(piece: _TokenizedText, start: int, end: int) -> _TokenizedText:
    return _TokenizedText(piece.ids[start:end], piece.offsets[start:end], piece.terms[start:end])


def _fit(ranked: Sequence[int], cache: dict[int, _Tokens], room: int) -> tuple[list[int], int]:
    """Take units best first while they fit, at least one; give them in reading order, and cost."""
    taken: list[int] = []
    parents: set[tuple[int, ...]] = set()
    titles: set[tuple[int, ...]] = set()
    used = 0
    for at in ranked:
        tokens = cache[at]
        cost = len(tokens.name.ids) + len(tokens.value.ids) + (2 if tokens.name.ids else 0)
        cost += 0 if tokens.parent.ids in parents else len(tokens.parent.ids)
        cost += (
            0 if tokens.about.ids in titles or not tokens.about.ids else len(tokens.about.ids) + 1
        )
        if used + cost <= room or not taken:
            taken.append(at)
            parents.add(tokens.parent.ids)
            titles.add(tokens.about.ids)
            used += cost
    return sorted(taken), used


def _fillers(ranked: Sequence[int], size: int) -> tuple[int, ...]:
    """Name units beside the best ones, then those the evidence opens with."""
    beside = [near for at in ranked[:3] for near in (at + 1, at - 1) if 0 <= near < size]
    order = dict.fromkeys((*beside, *range(min(size, _MOST_FILLERS))))
    return tuple(at for at in order if at not in set(ranked))[:_MOST_FILLERS]


def _claim_kind(word: tuple[str, ...], shown: frozenset[str], known: frozenset[str]) -> TokenKind:
    if not word:
        return TokenKind.PLAIN
    number = word[0][:1].isdigit()
    if _among(word, shown):
        return TokenKind.NUMBER_SHOWN if number else TokenKind.SHOWN
    if _among(word, known):
        return TokenKind.NUMBER_ELSEWHERE if number else TokenKind.ELSEWHERE
    return TokenKind.NUMBER_ABSENT if number else TokenKind.ABSENT


def _parts_of(claim: _TokenizedText) -> list[tuple[int, int]]:
    """Cut a claim where an input is full, and where it begins to say again what it has said.

    Said twice in one input, a claim would be read as evidence for itself.
    """
    parts: list[tuple[int, int]] = []
    start = 0
    seen: set[tuple[int, ...]] = set()
    for at in range(len(claim.ids)):
        if at - start >= LONGEST_CLAIM or _wording(claim, at) in seen:
            parts.append((start, at))
            start = at
            seen.clear()
        ended = at + 1 - _REPEAT
        if ended >= start and (said := _wording(claim, ended)):
            seen.add(said)
    return [*parts, (start, len(claim.ids))]


def _wording(claim: _TokenizedText, at: int) -> tuple[int, ...]:
    """Give the next few tokens, none where a number is among them: opening hours are alike."""
    near = claim.terms[at : at + _REPEAT]
    if len(near) < _REPEAT or any(word and word[0][:1].isdigit() for word in near):
        return ()
    return claim.ids[at : at + _REPEAT]


def _echoes(claim: _TokenizedText, context: _TokenizedText, known: frozenset[str]) -> bool:
    """Say whether the sentence before would vouch for the claim in the evidence's place.

    The model leans on whatever stands beside the claim. A sentence that says most of it, or that
    shares a word with it which no evidence has, explains no reference: it would be a witness.
    """
    said = frozenset(term for word in context.terms for term in word)
    told = {word for word in claim.terms if word}
    shared = [word for word in told if _among(word, said)]
    return 2 * len(shared) > len(told) or any(not _among(word, known) for word in shared)


def _among(word: tuple[str, ...], terms: frozenset[str]) -> bool:
    return word[0] in terms or word[-1] in terms or all(term in terms for term in word)
