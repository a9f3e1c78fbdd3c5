"""Measures every claim of every answer and keeps the figures in one file.

python -m training.lexical.measure --output scratch/ragtruth.npz [--every 1]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.verify.checks import CHECKS, CheckCase
from firmground.verify.checks.case import search_text
from firmground.verify.features import ClaimPosition, feature_names, features, word_keys
from firmground.verify.pieces import piece_features, piece_names
from firmground.verify.reading import EvidenceIndex, read, tokens
from training.corpus import split_of
from training.lexical.cutting import cut
from training.lexical.data import Answer, ragtruth

LIMIT = 6
# Words of sound claims are plenty; one claim in so many gives its words.
KEEP_GOOD = 5


def answer_rows(
    answer: Answer, reading: EvidenceIndex
) -> list[tuple[Claim, list[float], list[object]]]:
    """Measure the checkable claims of one answer."""
    claims = cut(answer.text, answer.query)
    measured = []
    before = ""
    for at, claim in enumerate(claims):
        if claim.not_checkable is None:
            case = CheckCase(
                claim=claim,
                passages=reading.select(search_text(claim), limit=LIMIT),
                reading=reading,
                question=answer.query,
            )
            notes = [note for check in CHECKS for note in check(case)]
            place = ClaimPosition(
                position=at,
                claims=len(claims),
                answer_words=len(tokens(answer.text)),
                before=before,
            )
            measured.append((claim, features(case, notes, place), [case, notes]))
        before = claim.text
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="take every n-th source")
    args = parser.parse_args()
    answers = ragtruth()
    ids = sorted({answer.source_id for answer in answers})
    kept = set(ids[:: args.every])
    answers = [answer for answer in answers if answer.source_id in kept]
    claims: list[tuple[object, ...]] = []
    table: list[list[float]] = []
    pieces: list[list[float]] = []
    piece_rows: list[tuple[int, int, int, int]] = []
    codes: list[str] = []
    words: list[str] = []
    started = time.time()
    reading, last = None, ""
    for at, answer in enumerate(answers):
        if answer.source_id != last or reading is None:
            reading, last = read([Evidence(text=answer.source)]), answer.source_id
        for claim, measured, (case, notes) in answer_rows(answer, reading):
            bad = [(s, e, k) for s, e, k in answer.labels if s < claim.end and claim.start < e]
            contrary = any("Conflict" in kind for _, _, kind in bad)
            claims.append((at, claim.start, claim.end, int(bool(bad)), int(contrary)))
            table.append(measured)
            words.append(" ".join(word_keys(case)))
            codes.append(" ".join(n.code + ("!" if n.standing else "") for n in notes))
            if not bad and len(claims) % KEEP_GOOD:
                continue
            for start, end, row in piece_features(case, notes):
                inside = any(s < claim.start + end and claim.start + start < e for s, e, _ in bad)
                piece_rows.append(
                    (len(claims) - 1, claim.start + start, claim.start + end, int(inside))
                )
                pieces.append(row)
        if at % 1000 == 999:
            print(f"{at + 1}/{len(answers)} answers, {time.time() - started:.0f} s", flush=True)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        args.output,
        claims=np.array(claims, dtype=np.int32),
        features=np.array(table, dtype=np.float32),
        names=np.array(feature_names()),
        codes=np.array(codes),
        words=np.array(words),
        pieces=np.array(pieces, dtype=np.float32),
        piece_rows=np.array(piece_rows, dtype=np.int32),
        piece_names=np.array(piece_names()),
        source=np.array([a.source_id for a in answers]),
        answer=np.array([a.id for a in answers]),
        task=np.array([a.task for a in answers]),
        length=np.array([len(a.text) for a in answers]),
        split=np.array([split_of(a.source_id) for a in answers]),
        hallucinated=np.array([bool(a.labels) for a in answers]),
    )
    print(f"{len(claims)} claims of {len(answers)} answers in {args.output}")


if __name__ == "__main__":
    main()
