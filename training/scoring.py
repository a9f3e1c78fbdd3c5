"""Scores of a RAGTruth slice by the run-time scorer, kept in parts so that a killed run goes on."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firmground.verify.neural import NeuralScorer, RawScore, ScoredInput
from firmground.verify.neural_input import PreparedEvidence, prepare
from training.corpus import Response

PART = 60


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """A response with the raw scores of its sentences, in order."""

    response: Response
    raw: tuple[RawScore, ...]


def items_of(response: Response, evidence: PreparedEvidence) -> list[ScoredInput]:
    """Give a response's sentences as the scorer takes them, each with the one before."""
    items: list[ScoredInput] = []
    before = ""
    for sentence in response.sentences:
        claim = response.text[sentence.start : sentence.end]
        items.append(ScoredInput(claim=claim, evidence=evidence, context=before))
        before = claim
    return items


def score_all(
    responses: Sequence[Response], scorer: NeuralScorer, cache: Path | None = None
) -> list[ScoredResponse]:
    """Score responses; with a cache directory, finished parts are read instead of redone."""
    found: list[ScoredResponse] = []
    for start in range(0, len(responses), PART):
        part = responses[start : start + PART]
        path = cache / f"part-{start:06d}.pickle" if cache else None
        if path is not None and path.exists():
            raws = pickle.loads(path.read_bytes())
        else:
            raws = _score_part(part, scorer)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                partial = path.with_suffix(".partial")
                partial.write_bytes(pickle.dumps(raws))
                partial.replace(path)
        found += [ScoredResponse(r, raw) for r, raw in zip(part, raws, strict=True)]
    return found


def _score_part(part: Sequence[Response], scorer: NeuralScorer) -> list[tuple[RawScore, ...]]:
    last, evidence = "", None
    found = []
    for response in part:
        if response.source_id != last or evidence is None:
            last, evidence = response.source_id, prepare([response.source])[0]
        found.append(scorer.raw(items_of(response, evidence)))
    return found
