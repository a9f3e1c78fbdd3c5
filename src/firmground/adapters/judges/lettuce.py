"""Models that label every token of an answer: LettuceDetect and its like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmground.adapters.judges.backend import Backend, ModelInput
from firmground.adapters.judges.labels import Classes
from firmground.adapters.judges.opinion import ModelOpinion, ModelTrouble, shares, sound
from firmground.adapters.judges.windows import (
    EvidenceWindow,
    Offsets,
    WindowPiece,
    choose_windows,
    cut_pieces,
    make_windows,
)
from firmground.core.claim import Claim
from firmground.core.marker import blank_markers
from firmground.core.ports import Inquiry
from firmground.errors import ModelError
from firmground.verify.neural_spans import TokenScore, problems
from firmground.verify.scorer import Query

# The words the models were trained with.
_ASKED = (
    "Briefly answer the following question:\n{question}\nBear in mind that your response should be "
    "strictly based on the following {count} passages:\n{evidence}\nIn case the passages do not "
    "contain the necessary information to answer the question, please reply with: "
    '"Unable to answer based on given passages."\noutput:'
)
_TOLD = "Summarize the following text:\n{evidence}\noutput:"
_RANKED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A stretch of the answer that is labelled at once."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLabel:
    """The label of one token, and the window that supports it best."""

    score: TokenScore
    window: EvidenceWindow


class TokenReader:
    """Labels the answer against each window of evidence; one supporting window is enough."""

    def __init__(
        self,
        backend: Backend,
        classes: Classes,
        *,
        name: str,
        version: str,
        longest: int,
        most_windows: int = 24,
        flag_from: float = 0.5,
    ) -> None:
        self.name = name
        self.version = version
        self._backend = backend
        self._classes = classes
        self._longest = longest
        self._most = most_windows
        self._flag_from = flag_from

    def read(
        self, inquiry: Inquiry, queries: Sequence[Query]
    ) -> tuple[ModelOpinion | ModelTrouble, ...]:
        """Return an opinion, or why there is none, for each query."""
        if not queries:
            return ()
        claims = [query.claim for query in queries]
        reading = queries[0].case.reading
        pieces = cut_pieces(reading.passages, self._offsets, self._longest // 3)
        labelled: list[TokenLabel] = []
        troubles: list[tuple[AnswerPart, str]] = []
        windows, unread = 1, 0
        for part in answer_parts(inquiry.answer, claims, self._offsets, self._longest // 3):
            try:
                text = inquiry.answer[part.start : part.end]
                ranked = [p.order for p in reading.select(text, limit=_RANKED)]
                scores, windows, left = self._part(inquiry, part, pieces, ranked)
                labelled += scores
                unread = max(unread, left)
            except ModelError as error:
                troubles.append((part, str(error)))
        return tuple(self._opinion(c, labelled, troubles, windows, unread) for c in claims)

    def _part(
        self,
        inquiry: Inquiry,
        part: AnswerPart,
        pieces: Sequence[WindowPiece],
        ranked: Sequence[int],
    ) -> tuple[list[TokenLabel], int, int]:
        text = inquiry.answer[part.start : part.end]
        question = inquiry.question.text if inquiry.question else ""
        empty = self._encoded(prompt(question, []), text)
        # Each text in a window brings its own heading, a few tokens.
        room = self._longest - len(empty.ids) - 24
        if room < min(self._longest // 4, 64):
            raise ModelError("the question and the answer leave the model no room for evidence")
        every = make_windows(pieces, room)
        chosen = choose_windows(every, ranked, self._most)
        best: dict[int, TokenLabel] = {}
        for window in chosen:
            for at, score in self._labels(question, window, text, part.start):
                if at not in best or score.supported > best[at].score.supported:
                    best[at] = TokenLabel(score=score, window=window)
        return [best[at] for at in sorted(best)], len(chosen), len(every) - len(chosen)

    def _labels(
        self, question: str, window: EvidenceWindow, text: str, first: int
    ) -> list[tuple[int, TokenScore]]:
        encoded = self._encoded(prompt(question, _texts(window)), text)
        if len(encoded.ids) > self._longest:
            if len(window.pieces) == 1:
                raise ModelError(
                    f"{len(encoded.ids)} tokens do not fit the model's {self._longest}"
                )
            half = len(window.pieces) // 2
            halves = (window.pieces[:half], window.pieces[half:])
            return [
                label
                for part in halves
                for label in self._labels(question, EvidenceWindow(pieces=part), text, first)
            ]
        figures = self._backend.run(
            ModelInput(ids=tuple(encoded.ids), types=tuple(encoded.type_ids))
        )
        if len(figures) != len(encoded.ids):
            raise ModelError("the model did not label each token")
        mine = [at for at, belongs in enumerate(encoded.sequence_ids) if belongs == 1]
        places = [_without_space(text, *encoded.offsets[at]) for at in mine]
        return [
            (n, self._score(figures[at], place, first))
            for n, (at, place) in enumerate(zip(mine, places, strict=True))
        ]

    def _encoded(self, asked: str, text: str) -> Any:
        tokenizer = self._backend.tokenizer
        return tokenizer.encode(sound(asked, tokenizer), sound(text, tokenizer))

    def _score(self, figures: Sequence[Any], place: tuple[int, int], first: int) -> TokenScore:
        told = shares(figures, self._classes.count)
        sound_share = told[self._classes.supported]
        at = self._classes.contradicted
        against = told[at] if at is not None else 0.0
        return TokenScore(
            start=first + place[0],
            end=first + place[1],
            supported=sound_share,
            ungrounded=max(0.0, 1 - sound_share - against),
            contradicted=against,
        )

    def _opinion(
        self,
        claim: Claim,
        labelled: Sequence[TokenLabel],
        troubles: Sequence[tuple[AnswerPart, str]],
        windows: int,
        unread: int,
    ) -> ModelOpinion | ModelTrouble:
        for part, reason in troubles:
            if part.start < claim.end and claim.start < part.end:
                return ModelTrouble(reason=reason)
        mine = [
            one
            for one in labelled
            if max(one.score.start, claim.start) < min(one.score.end, claim.end)
        ]
        if not mine:
            return ModelTrouble(reason="the model labelled no token of it")
        worst = min(mine, key=lambda one: one.score.supported)
        tokens = [_within(one.score, claim) for one in mine]
        found = problems(blank_markers(claim.text), tokens, threshold=self._flag_from)
        told_apart = claim.statement == claim.text
        known = self._classes.contradicted is not None
        return ModelOpinion(
            support=worst.score.supported,
            contradiction=max(token.contradicted for token in tokens) if known else None,
            evidence=worst.window.spans,
            pieces=tuple((p.start, p.end, p.probability) for p in found) if told_apart else (),
            windows=windows,
            unread=unread,
        )

    def _offsets(self, text: str) -> Offsets:
        tokenizer = self._backend.tokenizer
        encoded: Any = tokenizer.encode(sound(text, tokenizer), add_special_tokens=False)
        places: Offsets = encoded.offsets
        return places


def prompt(question: str, texts: Sequence[str]) -> str:
    """Write evidence and question in the words the models know."""
    if not question.strip():
        return _TOLD.format(evidence="\n".join(texts))
    numbered = "\n".join(f"passage {at}: {text}" for at, text in enumerate(texts, 1))
    return _ASKED.format(question=question, count=len(texts), evidence=numbered)


def answer_parts(
    answer: str, claims: Sequence[Claim], offsets: Any, longest: int
) -> tuple[AnswerPart, ...]:
    """Cut an answer into parts of at most ``longest`` tokens, between claims where it can."""
    found: list[AnswerPart] = []
    for claim in sorted(claims, key=lambda one: one.start):
        start = max(claim.start, found[-1].end) if found else claim.start
        if start >= claim.end:
            continue
        if found and len(offsets(answer[found[-1].start : claim.end])) <= longest:
            found[-1] = AnswerPart(start=found[-1].start, end=claim.end)
            continue
        places = offsets(answer[start : claim.end])
        edges = [start + places[at][0] for at in range(0, len(places), longest)]
        edges = [start, *edges[1:], claim.end]
        found += [AnswerPart(start=a, end=b) for a, b in pairwise(edges)]
    return tuple(found)


def _texts(window: EvidenceWindow) -> list[str]:
    """One passage for each text of evidence in the window."""
    grouped: dict[str, list[str]] = {}
    for piece in window.pieces:
        grouped.setdefault(piece.span.evidence_id, []).append(piece.text)
    return ["\n".join(texts) for texts in grouped.values()]


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the space that many tokenizers count as the beginning of a word."""
    word = text[start:end]
    return end - len(word.lstrip()), start + len(word.rstrip()) if word.strip() else end


def _within(token: TokenScore, claim: Claim) -> TokenScore:
    """Count a token from the start of the claim, cut to the claim."""
    return TokenScore(
        start=max(token.start, claim.start) - claim.start,
        end=min(token.end, claim.end) - claim.start,
        supported=token.supported,
        ungrounded=token.ungrounded,
        contradicted=token.contradicted,
    )
