"""Evidence under short names a model can write: `E1`, `E2`, …

The model only points; the words that are shown as evidence always come from here.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from firmground.claims.norm import content_tokens
from firmground.core import merkle
from firmground.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceObject:
    """One chunk of a source, under the name a model may use for it."""

    pointer_id: str
    """`E` and the place in the map, counted from 1."""
    evidence_id: str
    """`E` and the whole SHA-256 of chunk root and offsets, in hexadecimal."""
    source_root: str
    """Merkle root over all chunks of the same source, in the order they were handed in."""
    chunk_root: str
    offset_start: int
    offset_end: int
    source_role: str
    text_hash: str
    span: str
    title: str
    evidence: str
    """Id of the piece of evidence it stands for."""

    @property
    def short_id(self) -> str:
        """The parent's name for it, eight hexadecimal digits; they collide, so only for reading."""
        return self.evidence_id[:9]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMap:
    """All evidence objects of one question, in the order in which they are shown."""

    objects: tuple[EvidenceObject, ...]
    _named: dict[str, EvidenceObject] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        short = Counter(one.short_id for one in self.objects)
        named = {one.short_id: one for one in self.objects if short[one.short_id] == 1}
        named |= {one.evidence_id: one for one in self.objects}
        named |= {one.pointer_id: one for one in self.objects}
        object.__setattr__(self, "_named", named)

    def resolve(self, name: str) -> EvidenceObject | None:
        """Find the object a pointer names; a short name that fits two names neither."""
        key = name.strip().strip("[]").strip()
        key = f"E{key}" if key.isascii() and key.isdigit() else key[:1].upper() + key[1:].lower()
        return self._named.get(key)

    @property
    def root(self) -> str:
        """Merkle root over the sorted evidence ids."""
        ids = sorted(one.evidence_id for one in self.objects)
        return merkle.root([merkle.leaf_hash(one.encode()) for one in ids]).hex()


def build_evidence_map(evidence: Sequence[Evidence], question: str = "") -> EvidenceMap:
    """Name every piece; inside a source, what speaks most of the question comes first."""
    sources: dict[str, list[int]] = {}
    for position, one in enumerate(evidence):
        sources.setdefault(one.origin or one.title or one.id, []).append(position)
    wanted = frozenset(content_tokens(question))
    objects: list[EvidenceObject] = []
    for positions in sources.values():
        source_root = merkle.root([_leaf(evidence[n]) for n in positions]).hex()
        for position in sorted(positions, key=lambda n: (*_relevance(evidence[n], wanted), n)):
            objects.append(_object(evidence[position], len(objects) + 1, source_root))
    return EvidenceMap(objects=tuple(objects))


def _relevance(one: Evidence, wanted: frozenset[str]) -> tuple[int, int]:
    found = [word for word in content_tokens(one.text) if word in wanted] if wanted else []
    return -len(set(found)), -len(found)


def _leaf(one: Evidence) -> bytes:
    return merkle.leaf_hash(one.text.encode("utf-8", "surrogatepass"))


def _object(one: Evidence, number: int, source_root: str) -> EvidenceObject:
    start = one.origin_start or 0
    end = start + len(one.text)
    chunk_root = _leaf(one).hex()
    named = hashlib.sha256(f"{chunk_root}:{start}:{end}".encode()).hexdigest()
    return EvidenceObject(
        pointer_id=f"E{number}",
        evidence_id=f"E{named}",
        source_root=source_root,
        chunk_root=chunk_root,
        offset_start=start,
        offset_end=end,
        source_role=one.role,
        text_hash=one.digest,
        span=one.text,
        title=one.title,
        evidence=one.id,
    )
