"""Prepare every corpus as token arrays: `python -m training.prep`."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer
from tqdm import tqdm

from firmground.claims.prose import prose_claims
from firmground.verify.neural_input import InputBuilder, InputWindow, prepare
from training import corpus, everyday
from training.edits import edit
from training.paths import base_model_dir, state_dir
from training.store import Example, write

# Sets that shared words or the claim's length alone would solve are left out or kept small.
PAIR_ROWS = {
    "vitaminc": 20000, "snli": 6000, "mnli_sample": 9000, "infotabs": 8000, "tabfact_pairs": 8000,
    "factcg": 2500, "cad_nli": 6000, "conjnli": 1500, "med": 5000, "help": 2000, "scone": 4000,
    "hans": 3000, "breaking_nli": 2500, "gqnli": 300, "folio": 1100, "drop_nli": 8000,
    "temporal_nli": 2500, "paws": 7000, "contract_nli": 3500, "evidence_inference": 2000,
    "scifact_rte": 700, "fool_me_twice": 2400, "dialfact": 2500, "defacto": 3400, "fib": 1000,
    "diasumfact": 1000, "expertqa": 1500, "scitab": 1100, "negnli": 4000, "fever_symmetric": 1400,
    "docnli_mnli": 4000, "taxinli": 2000, "xnli_fr": 1200, "xnli_ru": 600,
}  # fmt: skip
EDIT_SHARE = 0.18


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["everyday", "fuse", "pairs", "train"])
    parser.add_argument("--own", type=Path, help="JSONL of your own rows, joined to the pairs")
    parser.add_argument(
        "--limit", type=int, default=0, help="answers of each slice, pairs of each set"
    )
    parser.add_argument("--only-own", action="store_true", help="leave the public pairs out")
    chosen = parser.parse_args()
    for name in chosen.sets:
        if name == "pairs":
            examples = _pairs(chosen.own, only=chosen.only_own, limit=chosen.limit)
        elif name in ("everyday", "everyday-val"):
            split = "val" if name.endswith("val") else "train"
            examples = everyday.examples(split, InputBuilder(tokenizer()))
        else:
            examples = _ragtruth(name, edits=name == "train", limit=chosen.limit)
        write(state_dir() / f"{name}.npz", list(tqdm(examples, desc=name, mininterval=5)))


def tokenizer() -> Tokenizer:
    """Load the base encoder's tokenizer without its own truncation and padding."""
    found = Tokenizer.from_file(str(base_model_dir() / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    found.encode_special_tokens = True  # as at run time: a written [SEP] is a word
    return found


def _ragtruth(split: str, *, edits: bool, limit: int) -> Iterator[Example]:
    builder = InputBuilder(tokenizer())
    by_source: dict[str, tuple] = {}
    dice = random.Random(11)
    for at, response in enumerate(corpus.sample(list(corpus.responses(split)), limit)):
        if edits and response.quality != "good":
            continue
        if response.source_id not in by_source:
            by_source = {response.source_id: (prepare([response.source])[0], {})}
        evidence, cache = by_source[response.source_id]
        for place, cut in enumerate(_cuts(response, clauses=edits)):
            for window in builder.windows(cut.claim, cut.before, evidence, cache):
                yield _example(window, cut.problems, at, place, response.task)
            if edits and not cut.problems and dice.random() < EDIT_SHARE:
                changed = edit(cut.claim, response.source, dice)
                if changed:
                    text, start, end = changed
                    for window in builder.windows(text, cut.before, evidence, cache):
                        marks = [(start, end, corpus.CONTRADICTED)]
                        yield _example(window, marks, at, place, "edit")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A piece of an answer, what stands before it, and its problems counted from its start."""

    claim: str
    before: str
    problems: list[tuple[int, int, int]]


def _cuts(response: corpus.Response, *, clauses: bool) -> Iterator[_Cut]:
    """Give an answer's sentences, and the claims that a check would cut otherwise."""
    whole = [(sentence.start, sentence.end) for sentence in response.sentences]
    yield from _joined(response, whole, skip=frozenset())
    if clauses:
        claims = prose_claims(response.text, None)
        found = [(claim.start, claim.end) for claim in claims]
        yield from _joined(response, found, skip=frozenset(whole))


def _joined(
    response: corpus.Response, spans: list[tuple[int, int]], *, skip: frozenset[tuple[int, int]]
) -> Iterator[_Cut]:
    before = ""
    for start, end in spans:
        claim = response.text[start:end]
        if (start, end) not in skip:
            yield _Cut(claim, before, corpus.problems_within(response.problems, start, end))
        before = claim


def _own(path: Path, builder: InputBuilder) -> Iterator[Example]:
    for at, (source, claim, label, problems) in enumerate(corpus.own_rows(path)):
        for window in builder.windows(claim, "", prepare([source])[0], {}):
            if label == corpus.SUPPORTED or problems:
                yield _example(window, problems or [], at, 0, "own")
            else:
                yield Example(window, _flat(window, None), label, at, 0, "own")


def _pairs(own: Path | None, *, only: bool, limit: int) -> Iterator[Example]:
    builder = InputBuilder(tokenizer())
    if own is not None:
        yield from _own(own, builder)
    if only:
        return
    for name, count in PAIR_ROWS.items():
        apart = {"test", "dev"} if name in corpus.MEASURED_PAIRS else set()
        found = [row for row in corpus.pairs(name) if row[3] not in apart]
        random.Random(5).shuffle(found)
        for at, (source, claim, label, _) in enumerate(_unique(found[: count + 500])):
            if at >= (min(count, limit) if limit else count):
                break
            evidence, _ = prepare([source])
            for window in builder.windows(claim, "", evidence, {}):
                token_label = 0 if label == corpus.SUPPORTED else None
                yield Example(window, _flat(window, token_label), label, at, 0, "pairs")


def _unique(found: Iterable[tuple[str, str, int, str]]) -> Iterator[tuple[str, str, int, str]]:
    seen: set[tuple[str, str]] = set()
    for row in found:
        if row[:2] not in seen:
            seen.add(row[:2])
            yield row


def _flat(window: InputWindow, label: int | None) -> list[int]:
    return [-1 if label is None else label] * len(window.claim_offsets)


def _example(window: InputWindow, problems: list, response: int, place: int, task: str) -> Example:
    labels = [0] * len(window.claim_offsets)
    sizes = [0, 0, 0]
    for at, (start, end) in enumerate(window.claim_offsets):
        for first, last, kind in problems:
            if start < last and end > first:
                labels[at] = kind
                sizes[kind] += 1
                break
    whole = 0 if sizes[1] + sizes[2] == 0 else 2 if sizes[2] >= sizes[1] else 1
    return Example(window, labels, whole, response, place, task)


if __name__ == "__main__":
    main()
