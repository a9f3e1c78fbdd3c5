"""No two different runs share a record: searched among the pairs that fooled other formats."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest
from tests.ledger.paper_log import TIME, run_id
from tests.progress import Progress

from firmground.core import merkle
from firmground.core.run import (
    AttemptReason,
    Node,
    PlannedStage,
    Run,
    Shape,
    Stage,
    commitment,
    leaf_bytes,
    seal,
    stage_plan,
)
from firmground.ledger.entry import Durability, Entry, entry_bytes
from firmground.ledger.record import run_entry

SALTS = [hashlib.sha256(bytes([i])).digest() for i in range(64)]
ATTEMPTS = (
    (AttemptReason.FIRST,),
    (AttemptReason.FIRST, AttemptReason.REGENERATE),
    (AttemptReason.FIRST, AttemptReason.REPLAN),
    (AttemptReason.FIRST, AttemptReason.REPLAN, AttemptReason.REGENERATE),
)
Grammar = tuple[Shape, bool, tuple[AttemptReason, ...]]
GRAMMARS: list[Grammar] = [
    (shape, preflight, attempts)
    for shape in (Shape.QUOTE, Shape.POINTER)
    for preflight in (True, False)
    for attempts in ATTEMPTS
] + [(Shape.REJECT, True, ())]
PLANS: dict[Grammar, tuple[PlannedStage, ...]] = {
    (shape, preflight, attempts): stage_plan(shape=shape, preflight=preflight, attempts=attempts)
    for shape, preflight, attempts in GRAMMARS
}


def a_run(grammar: Grammar, payloads: list[bytes]) -> Run:
    plan = PLANS[grammar]
    nodes = tuple(
        Node(stage=p.stage, attempt=p.attempt, payload=payloads[i % len(payloads)])
        for i, p in enumerate(plan)
    )
    shape, preflight, attempts = grammar
    return Run(shape=shape, preflight=preflight, attempts=attempts, nodes=nodes)


def some_payloads(chance: random.Random, count: int) -> list[bytes]:
    """Short strings over few letters, separators among them, so that joins collide often."""
    letters = (b"a", b"\0", b'"', b"\n", b"{}", b"ab", b"fg1/payload\0")
    return [b"".join(chance.choices(letters, k=chance.randrange(4))) for _ in range(count)]


def a_twin(chance: random.Random, payloads: list[bytes]) -> list[bytes]:
    """Payloads that look the same to a careless format: shifted, repeated, swapped, padded."""
    made = list(payloads)
    at = chance.randrange(len(made) - 1)
    way = chance.randrange(6)
    if way == 0:
        joined = made[at] + made[at + 1]
        cut = chance.randrange(len(joined) + 1)
        made[at], made[at + 1] = joined[:cut], joined[cut:]
    elif way == 1:
        made[at], made[at + 1] = made[at + 1], made[at]
    elif way == 2:
        made[at] += chance.choice((b"\0", b" ", b""))
    elif way == 3:
        made = [*made[:at], made[at], *made[at:-1]]
    elif way == 4:
        made = [*made[1:], made[0]]
    else:
        made[at] = hashlib.sha256(made[at]).digest()
    return made


def identity(run: Run, number: int) -> tuple[object, ...]:
    return (run.shape, run.preflight, run.attempts, tuple(n.payload for n in run.nodes), number)


def sealed_root(run: Run, number: int) -> bytes:
    salts = SALTS[: len(run.nodes)]
    sealed = seal(run, run_id=run_id(number), salts=salts)
    entry = Entry(
        seq=1, prev=SALTS[0], ts=TIME, durability=Durability.FULL,
        body=run_entry(sealed, label=(("step", "proceed"),)),
    )  # fmt: skip
    return merkle.leaf_hash(entry_bytes(entry))


def record_pairs(count: int, seed: int) -> Iterator[tuple[Run, int, Run, int]]:
    chance = random.Random(seed)
    for _ in range(count):
        grammar = chance.choice(GRAMMARS)
        payloads = some_payloads(chance, len(PLANS[grammar]))
        same = chance.random() < 0.7
        other = grammar if same else chance.choice(GRAMMARS)
        yield (
            a_run(grammar, payloads),
            chance.randrange(2),
            a_run(other, a_twin(chance, payloads)),
            chance.randrange(2),
        )


def colliding_records(count: int, seed: int) -> list[object]:
    found: list[object] = []
    for one, first, two, second in record_pairs(count, seed):
        same = identity(one, first) == identity(two, second)
        if (sealed_root(one, first) == sealed_root(two, second)) != same:
            found.append((one, two))
        if (one.content_root == two.content_root) != (identity(one, 0) == identity(two, 0)):
            found.append((one, two))
    return found


def colliding_commitments(count: int, seed: int) -> int:
    """Commitments, leaves and content digests of many near-twins, all put into one table.

    With n different inputs in the table, n * (n - 1) / 2 pairs are compared at once.
    """
    chance = random.Random(seed)
    table: dict[bytes, tuple[object, ...]] = {}
    clashes = 0
    progress = Progress(f"commitments, seed {seed}", count)
    for _ in range(count):
        progress.step()
        stage, salt = chance.choice(list(Stage)), chance.choice(SALTS[:4])
        payload = some_payloads(chance, 1)[0] + chance.randbytes(chance.randrange(3))
        made = commitment(salt=salt, stage=stage, payload=payload)
        known = table.setdefault(made, (salt, stage, payload))
        clashes += known != (salt, stage, payload)
    return clashes


def test_no_two_runs_of_the_confusable_families_share_a_record() -> None:
    assert colliding_records(3_000, seed=5) == []


def test_no_two_commitments_among_some_hundred_million_pairs_are_equal() -> None:
    assert colliding_commitments(30_000, seed=5) == 0


def test_the_roots_of_all_grammars_over_one_payload_are_different() -> None:
    """Repeated leaves, other labels and other shapes over the very same bytes."""
    roots = {a_run(grammar, [b"same"]).content_root for grammar in GRAMMARS}
    assert len(roots) == len(GRAMMARS)


def compare_all_pairs(runs: int, seed: int) -> None:
    """Put runs into one table by their roots and leaves: runs * (runs - 1) / 2 pairs compared."""
    chance = random.Random(seed)
    roots: dict[str, tuple[object, ...]] = {}
    leaves: dict[bytes, bytes] = {}
    progress = Progress(f"runs in one table, seed {seed}", runs)
    for _ in range(runs):
        progress.step()
        grammar = chance.choice(GRAMMARS)
        run = a_run(grammar, some_payloads(chance, len(PLANS[grammar])))
        who = identity(run, 0)
        assert roots.setdefault(run.content_root, who) == who
        commits = [commitment(salt=SALTS[0], stage=n.stage, payload=n.payload) for n in run.nodes]
        for leaf in leaf_bytes(run, run_id=run_id(0), commitments=commits):
            assert leaves.setdefault(merkle.leaf_hash(leaf), leaf) == leaf


def test_all_two_million_pairs_of_two_thousand_runs_are_different() -> None:
    compare_all_pairs(2_000, seed=7)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_no_two_runs_share_a_record_in_a_long_search(seed: int) -> None:
    assert colliding_records(10_000, seed=seed) == []
    assert colliding_commitments(300_000, seed=seed) == 0
    compare_all_pairs(6_000, seed=seed)


def test_the_search_finds_the_collisions_of_a_careless_format() -> None:
    """The same pairs under plain concatenation: the search must be able to fail."""
    found = 0
    for one, _, two, _ in record_pairs(500, seed=5):
        joined = [b"".join(n.payload for n in run.nodes) for run in (one, two)]
        found += joined[0] == joined[1] and identity(one, 0) != identity(two, 0)
    assert found > 20
