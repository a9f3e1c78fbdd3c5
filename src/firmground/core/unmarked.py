"""The answer without the marks firmground put into it, and the mapping back.

A mark is meant for the reader. Read as a part of the claim it would change the judgement: its
``not`` would deny the words beside it, and a sentence after it would not be recognized.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.core.claim import Assessment, CheckNote, Claim, Problem
from firmground.core.finding import SuspiciousText
from firmground.core.marking import MARK


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmarked:
    """The answer without marks; every method leads from it to a place in the marked one."""

    marked: str
    text: str
    cuts: tuple[int, ...]
    """Where in ``text`` the marks would stand, in order."""

    def claim(self, claim: Claim) -> Claim:
        """The same claim in the marked answer, with the mark that closes it."""
        start, end = self._at(claim.start), self._end(claim.end)
        end += len(MARK) * (claim.end in self.cuts)
        return replace(claim, text=self.marked[start:end], start=start, end=end)

    def assessment(self, one: Assessment) -> Assessment:
        """The same assessment, speaking of the marked answer."""
        return replace(
            one,
            claim=self.claim(one.claim),
            problems=tuple(self._problem(problem) for problem in one.problems),
            notes=tuple(self._note(note) for note in one.notes),
        )

    def suspicious(self, found: SuspiciousText) -> SuspiciousText:
        """The same characters; only those of the answer have moved."""
        if found.where != "answer":
            return found
        return replace(found, start=self._at(found.start), end=self._end(found.end))

    def _problem(self, problem: Problem) -> Problem:
        return replace(problem, start=self._at(problem.start), end=self._end(problem.end))

    def _note(self, note: CheckNote) -> CheckNote:
        if note.start is None or note.end is None:
            return note
        return replace(note, start=self._at(note.start), end=self._end(note.end))

    def _at(self, offset: int) -> int:
        return offset + len(MARK) * bisect_right(self.cuts, offset)

    def _end(self, offset: int) -> int:
        return self._at(offset - 1) + 1 if offset else 0


def unmarked(answer: str, marks: Sequence[int]) -> Unmarked:
    """Take out our marks at these positions; anything else there stays."""
    pieces: list[str] = []
    cuts: list[int] = []
    at = length = 0
    for mark in sorted(set(marks)):
        if mark < at or not answer.startswith(MARK, mark):
            continue
        pieces.append(answer[at:mark])
        length += mark - at
        cuts.append(length)
        at = mark + len(MARK)
    text = "".join([*pieces, answer[at:]])
    return Unmarked(marked=answer, text=text, cuts=tuple(cuts))
