"""From token probabilities to the exact characters of a claim that do not stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal["ungrounded", "contradicted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSpan:
    """A piece of a claim, `claim[start:end]`, that does not stand, with the model's confidence."""

    start: int
    end: int
    kind: ProblemKind
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenScore:
    """Where a token lies in the claim, and its probability of each class."""

    start: int
    end: int
    supported: float
    ungrounded: float
    contradicted: float


def problems(
    claim: str, tokens: Sequence[TokenScore], *, threshold: float, bridge: int = 2
) -> tuple[ScoredSpan, ...]:
    """Join tokens over the threshold, and up to `bridge` milder ones between, to whole words."""
    joined: list[tuple[int, int]] = []
    for start, end in _runs(claim, tokens, threshold, bridge):
        touches = bool(joined) and start < joined[-1][1]
        joined.append((joined.pop()[0] if touches else start, end))
    return tuple(_problem(tokens[start:end]) for start, end in joined)


def _runs(
    claim: str, tokens: Sequence[TokenScore], threshold: float, bridge: int
) -> Iterator[tuple[int, int]]:
    start = last = -1
    for at, token in enumerate(tokens):
        if 1 - token.supported < threshold:
            continue
        if start >= 0 and at - last - 1 > bridge:
            yield _whole_words(claim, tokens, start, last)
            start = at
        elif start < 0:
            start = at
        last = at
    if start >= 0:
        yield _whole_words(claim, tokens, start, last)


def _whole_words(
    claim: str, tokens: Sequence[TokenScore], start: int, last: int
) -> tuple[int, int]:
    """Grow a run to the word boundaries of the claim."""
    while start > 0 and _glued(claim, tokens[start - 1], tokens[start]):
        start -= 1
    while last + 1 < len(tokens) and _glued(claim, tokens[last], tokens[last + 1]):
        last += 1
    return start, last + 1


def _glued(claim: str, left: TokenScore, right: TokenScore) -> bool:
    if left.end != right.start or left.end == 0:
        return False
    return claim[left.end - 1].isalnum() and claim[right.start : right.start + 1].isalnum()


def _problem(run: Sequence[TokenScore]) -> ScoredSpan:
    contradicted = sum(token.contradicted for token in run)
    ungrounded = sum(token.ungrounded for token in run)
    return ScoredSpan(
        start=run[0].start,
        end=run[-1].end,
        kind="contradicted" if contradicted > ungrounded else "ungrounded",
        probability=max(1 - token.supported for token in run),
    )
