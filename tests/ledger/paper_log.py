"""A whole log in memory, built from the public formats: what the tests hold in their hands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from firmground.core import merkle
from firmground.core.run import AttemptReason, Node, Run, SealedRun, Shape, seal, stage_plan
from firmground.ledger import checkpoint, proof
from firmground.ledger.bundle import Bundle, Disclosure, make_bundle
from firmground.ledger.entry import NO_ENTRY, Body, Durability, Entry, entry_bytes, entry_hash
from firmground.ledger.keys import Ed25519Signer, KeyKind
from firmground.ledger.record import run_entry

ORIGIN = "example.com/log"
TIME = "2026-11-15T22:40:00.000000Z"
LABEL = (("audit_mode", "STRICT"), ("step", "proceed"))


def key(name: str, *, seed: str = "seed", kind: KeyKind = KeyKind.NOTE) -> Ed25519Signer:
    return Ed25519Signer(
        name=name, seed=hashlib.sha256(f"{seed}/{name}".encode()).digest(), kind=kind
    )


def witness(name: str) -> Ed25519Signer:
    return key(name, kind=KeyKind.COSIGNATURE)


def run_id(number: int) -> str:
    return f"019a8a3c-0000-7000-8000-{number:012x}"


def a_run(
    shape: Shape = Shape.QUOTE,
    *,
    preflight: bool = True,
    attempts: Sequence[AttemptReason] = (AttemptReason.FIRST,),
    words: str = "",
) -> Run:
    tries = () if shape is Shape.REJECT else tuple(attempts)
    plan = stage_plan(shape=shape, preflight=preflight, attempts=tries)
    nodes = tuple(
        Node(stage=p.stage, attempt=p.attempt, payload=f"{words}{p.stage} {p.attempt}".encode())
        for p in plan
    )
    return Run(shape=shape, preflight=preflight, attempts=tries, nodes=nodes)


def salts(run: Run, seed: str) -> list[bytes]:
    return [hashlib.sha256(f"{seed}/{i}".encode()).digest() for i in range(len(run.nodes))]


class PaperLog:
    """Appends, proves and exports; nothing is stored but what a log would store."""

    def __init__(self, signer: Ed25519Signer | None = None) -> None:
        self.signer = signer or key(ORIGIN)
        self.entries: list[bytes] = []
        self.sealed: dict[int, SealedRun] = {}
        self.nodes: dict[tuple[int, int], bytes] = {}
        self.frontier = merkle.Frontier()

    def append(self, body: Body) -> int:
        seq = len(self.entries)
        prev = entry_hash(self.entries[-1]) if seq else NO_ENTRY
        entry = Entry(seq=seq, prev=prev, ts=TIME, durability=Durability.FULL, body=body)
        self.entries.append(entry_bytes(entry))
        self.frontier, made = self.frontier.append(entry_hash(self.entries[-1]))
        self.nodes.update({(level, index): value for level, index, value in made})
        return seq

    def record(self, run: Run, label: tuple[tuple[str, str], ...] = LABEL) -> int:
        number = len(self.entries)
        seed = f"{self.signer.name}/{number}"
        sealed = seal(run, run_id=run_id(number), salts=salts(run, seed))
        self.sealed[number] = sealed
        return self.append(run_entry(sealed, label=label))

    def get(self, level: int, index: int) -> bytes:
        return self.nodes[level, index]

    def checkpoint(self, *witnesses: Ed25519Signer, time: int = 1_700_000_000) -> str:
        root = self.frontier.root()
        head = checkpoint.Checkpoint(origin=self.signer.name, size=len(self.entries), root=root)
        text = checkpoint.sign(head, [self.signer])
        lines = [checkpoint.cosign(text, each, time=time) for each in witnesses]
        return checkpoint.with_signatures(text, lines) if lines else text

    def proof(self, seq: int, *witnesses: Ed25519Signer) -> str:
        path = merkle.inclusion_path(seq, len(self.entries), self.get)
        return proof.Proof(index=seq, path=path, checkpoint=self.checkpoint(*witnesses)).text

    def bundle(
        self,
        seq: int,
        *witnesses: Ed25519Signer,
        ordinals: Sequence[int] | None = None,
        stated: bool = True,
    ) -> Bundle:
        sealed = self.sealed[seq]
        chosen = range(len(sealed.stages)) if ordinals is None else ordinals
        disclosed = [
            Disclosure(ordinal=i, salt=sealed.salts[i], payload=sealed.run.nodes[i].payload)
            for i in chosen
        ]
        return make_bundle(
            entry=self.entries[seq],
            stages=sealed.stages,
            proof=self.proof(seq, *witnesses),
            disclosed=disclosed,
            signers=[self.signer] if stated else [],
        )


def a_log(runs: int = 11) -> PaperLog:
    """A log with runs of every shape, some of them with several attempts."""
    log = PaperLog()
    tries = (AttemptReason.FIRST, AttemptReason.REGENERATE, AttemptReason.REPLAN)
    for number in range(runs):
        shape = (Shape.QUOTE, Shape.POINTER, Shape.REJECT)[number % 3]
        attempts = tries[: 1 + number % 2 * 2]
        log.record(a_run(shape, attempts=attempts, words=f"{number} "))
    return log
