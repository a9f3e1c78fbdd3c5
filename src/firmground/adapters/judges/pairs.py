"""Models that read one piece of evidence and one claim: NLI, MiniCheck, FactCG, HHEM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmground.adapters.judges.backend import Backend, ModelInput
from firmground.adapters.judges.forms import Form, Told
from firmground.adapters.judges.opinion import ModelOpinion, ModelTrouble, sound
from firmground.adapters.judges.windows import (
    EvidenceWindow,
    Offsets,
    WindowPiece,
    choose_windows,
    cut_pieces,
    make_windows,
)
from firmground.core.ports import Inquiry
from firmground.errors import ModelError
from firmground.verify.scorer import Query

_LEAST_ROOM = 48
_RANKED = 64


class PairReader:
    """Asks about each claim and each window of evidence; the best window speaks for support."""

    def __init__(
        self, backend: Backend, form: Form, *, name: str, version: str, most_windows: int = 48
    ) -> None:
        self.name = name
        self.version = version
        self._backend = backend
        self._form = form
        self._most = most_windows

    def read(
        self, inquiry: Inquiry, queries: Sequence[Query]
    ) -> tuple[ModelOpinion | ModelTrouble, ...]:
        """Return an opinion, or why there is none, for each query."""
        if not queries:
            return ()
        reading = queries[0].case.reading
        pieces = cut_pieces(reading.passages, self._offsets, self._form.longest // 3)
        return tuple(self._one(query, pieces) for query in queries)

    def _one(self, query: Query, pieces: Sequence[WindowPiece]) -> ModelOpinion | ModelTrouble:
        try:
            return self._asked(query, pieces)
        except ModelError as error:
            return ModelTrouble(reason=str(error))

    def _asked(self, query: Query, pieces: Sequence[WindowPiece]) -> ModelOpinion:
        """Ask about every part of the claim: it stands no firmer than its weakest part."""
        parts = [self._part(text, query, pieces) for text in self._parts(query.case.claim.text)]
        weakest = min(parts, key=lambda part: part.support)
        against = [part.contradiction for part in parts if part.contradiction is not None]
        return ModelOpinion(
            support=weakest.support,
            contradiction=max(against) if against else None,
            evidence=tuple(dict.fromkeys(span for part in parts for span in part.evidence)),
            windows=sum(part.windows for part in parts),
            unread=max(part.unread for part in parts),
        )

    def _part(self, claim: str, query: Query, pieces: Sequence[WindowPiece]) -> ModelOpinion:
        room = self._form.longest - len(self._encode("", claim).ids)
        windows = make_windows(pieces, room)
        ranked = [p.order for p in query.case.reading.select(claim, limit=_RANKED)]
        chosen = choose_windows(windows, ranked, self._most)
        told = [(self._told(window, claim), window) for window in chosen]
        (support, _), best = max(told, key=lambda one: one[0][0])
        against = [figure for (_, figure), _ in told if figure is not None]
        return ModelOpinion(
            support=support,
            contradiction=max(against) if against else None,
            evidence=best.spans,
            windows=len(chosen),
            unread=len(windows) - len(chosen),
        )

    def _told(self, window: EvidenceWindow, claim: str) -> Told:
        tokens = self._encode(window.text, claim)
        if len(tokens.ids) <= self._form.longest:
            return self._form.tell(self._backend.tokenizer, self._backend.run(tokens))
        if len(window.pieces) == 1:
            raise ModelError(
                f"an input of {len(tokens.ids)} tokens does not fit the model's "
                f"{self._form.longest}"
            )
        # Pieces joined took more tokens than they did apart: read them in two halves.
        half = len(window.pieces) // 2
        halves = (window.pieces[:half], window.pieces[half:])
        told = [self._told(EvidenceWindow(pieces=part), claim) for part in halves]
        return max(told, key=lambda one: one[0])

    def _parts(self, claim: str) -> list[str]:
        """Cut a claim that would leave no room for evidence."""
        empty = len(self._encode("", "").ids)
        most = self._form.longest - empty - max(_LEAST_ROOM, self._form.longest // 3 + 2)
        places = self._offsets(claim)
        if len(places) <= max(1, most):
            return [claim]
        if most < 1:
            raise ModelError(f"the model's {self._form.longest} tokens leave no room for a claim")
        edges = [places[at][0] for at in range(0, len(places), most)]
        edges[0] = 0
        return [claim[a:b] for a, b in zip(edges, [*edges[1:], len(claim)], strict=True)]

    def _encode(self, evidence: str, claim: str) -> ModelInput:
        tokenizer = self._backend.tokenizer
        return self._form.encode(tokenizer, sound(evidence, tokenizer), sound(claim, tokenizer))

    def _offsets(self, text: str) -> Offsets:
        tokenizer = self._backend.tokenizer
        encoded: Any = tokenizer.encode(sound(text, tokenizer), add_special_tokens=False)
        places: Offsets = encoded.offsets
        return places
