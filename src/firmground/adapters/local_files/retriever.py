"""Finds passages by BM25, as SQLite's full-text index computes it, in memory.

Pieces are cut into passages at paragraph or sentence ends; a passage is a verbatim part of its
piece, so offsets can be carried back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from firmground.core.evidence import Evidence, EvidenceKind
from firmground.core.question import Question
from firmground.core.segment import sentences, words
from firmground.errors import InputError

_PASSAGE = 1200
_WHOLE = frozenset({EvidenceKind.RECORD, EvidenceKind.TABLE, EvidenceKind.TOOL, EvidenceKind.HOOK})


class LocalRetriever:
    """Holds pieces of evidence and returns the passages that fit a question best."""

    def __init__(self, pieces: Sequence[Evidence], *, limit: int = 8) -> None:
        if not pieces:
            raise InputError("a retriever needs at least one piece of evidence")
        if limit < 1:
            raise InputError(f"limit must be at least 1, got {limit}")
        import apsw

        self._limit = limit
        self._passages = tuple(passage for piece in pieces for passage in _passages(piece))
        self._lock = threading.Lock()
        self._index = apsw.Connection(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE passage USING fts5(text, tokenize='porter')")
        with self._index:
            self._index.executemany(
                "INSERT INTO passage(rowid, text) VALUES (?, ?)",
                ((n, _clean(p.text)) for n, p in enumerate(self._passages)),
            )

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return the best passages; nothing when no word of the question occurs anywhere."""
        terms = sorted({w.text.lower() for w in words(question.text)})
        if not terms:
            return ()
        query = " OR ".join('"' + _clean(t).replace('"', '""') + '"' for t in terms)
        sql = "SELECT rowid, -rank FROM passage WHERE text MATCH ? ORDER BY rank, rowid LIMIT ?"
        with self._lock:
            rows = list(self._index.execute(sql, (query, self._limit)))
        return tuple(replace(self._passages[n], score=score) for n, score in rows)


def _clean(text: str) -> str:
    """Text the index can hold: lone surrogates become question marks, for searching only."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def _passages(piece: Evidence) -> Iterator[Evidence]:
    """Cut a piece at sentence ends into verbatim passages of a readable length."""
    if piece.kind in _WHOLE or len(piece.text) <= _PASSAGE:
        yield piece
        return
    start = end = 0
    for span in sentences(piece.text):
        if span.end - start > _PASSAGE and end > start:
            yield _part(piece, start, end)
            start = span.start
        end = span.end
    if end > start:
        yield _part(piece, start, end)


def _part(piece: Evidence, start: int, end: int) -> Evidence:
    named = piece.id != "e" + piece.digest
    return replace(
        piece,
        text=piece.text[start:end],
        id=f"{piece.id}#{start}-{end}" if named else "",
        origin_start=None if piece.origin_start is None else piece.origin_start + start,
        origin_runs=tuple(_clipped(piece, start, end)),
    )


def _clipped(piece: Evidence, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Carry the map from extracted text back to the original along with the part."""
    for begin, stop, there, there_stop in piece.origin_runs:
        low, high = max(begin, start), min(stop, end)
        if low < high:
            copied = stop - begin == there_stop - there
            origin = (there + low - begin, there + high - begin) if copied else (there, there_stop)
            yield low - start, high - start, *origin
