"""One entry is in one log: the text of ``c2sp.org/tlog-proof@v1``, written and strictly read."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.merkle import SIZE, verify_inclusion
from firmground.errors import InputError
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.text import MAX_COUNT, b64, count, unb64

HEADER = "c2sp.org/tlog-proof@v1"
MAX_PATH = 63
MAX_EXTRA_BYTES = 1 << 16
MAX_BYTES = 1 << 21
"""More than the longest checkpoint, extra data and path take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Where an entry stands, its siblings up to the root, and the signed checkpoint, verbatim."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes | None = None
    """Opaque and not authenticated; firmground writes none."""

    def __post_init__(self) -> None:
        if not 0 <= self.index <= MAX_COUNT:
            raise InputError(f"proof.index lies in [0, 2**63), got {self.index}")
        if len(self.path) > MAX_PATH or any(len(item) != SIZE for item in self.path):
            raise InputError(f"proof.path has at most {MAX_PATH} hashes of {SIZE} bytes")
        if self.extra is not None and len(self.extra) > MAX_EXTRA_BYTES:
            raise InputError(f"proof.extra has at most {MAX_EXTRA_BYTES} bytes")

    @property
    def text(self) -> str:
        """The proof as a file; the suffix is ``.tlog-proof``."""
        extra = [] if self.extra is None else [f"extra {b64(self.extra)}"]
        head = [HEADER, *extra, f"index {self.index}", *map(b64, self.path)]
        return "\n".join(head) + "\n\n" + self.checkpoint

    def includes(self, leaf: bytes) -> bool:
        """True when the path leads from this leaf hash to the root the checkpoint states.

        The checkpoint's signatures are a question of their own.
        """
        stated, _ = checkpoints.parse(self.checkpoint)
        return verify_inclusion(
            leaf=leaf, index=self.index, size=stated.size, path=self.path, root=stated.root
        )


def parse(text: str | bytes) -> Proof:
    """Read a proof, or say what is wrong with it; its checkpoint must at least be readable."""
    if len(text) > MAX_BYTES:
        raise InputError(f"a proof has at most {MAX_BYTES} bytes, this has {len(text)}")
    head, gap, signed = _decode(text).partition("\n\n")
    if head.count("\n") > MAX_PATH + 2:
        raise InputError(f"a proof has at most {MAX_PATH} hashes")
    lines = head.split("\n")
    if lines[0] != HEADER or not gap:
        raise InputError(f"a proof begins with {HEADER} and holds a checkpoint")
    extra, rest = _take_extra(lines[1:])
    if not rest or not rest[0].startswith("index "):
        raise InputError("a proof states its index before the hashes")
    index = count(rest[0].removeprefix("index "), "the index of the proof")
    if len(rest) - 1 > MAX_PATH:
        raise InputError(f"a proof has at most {MAX_PATH} hashes, got {len(rest) - 1}")
    path = tuple(unb64(line, f"hash {i} of the proof") for i, line in enumerate(rest[1:]))
    checkpoints.parse(signed)
    return Proof(index=index, path=path, checkpoint=signed, extra=extra)


def _take_extra(lines: list[str]) -> tuple[bytes | None, list[str]]:
    if not lines or not lines[0].startswith("extra "):
        return None, lines
    return unb64(lines[0].removeprefix("extra "), "the extra data of the proof"), lines[1:]


def _decode(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("the proof is not UTF-8") from None
