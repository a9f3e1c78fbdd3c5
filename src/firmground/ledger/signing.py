"""A signer that cannot be made to contradict itself.

Beside the signing key lies a small state file with the largest (size, root) that was ever signed.
It is on disk before a signature leaves, it is not in the database, and it survives the restore of
an old database. A tree that does not continue the one in the state file is refused.

What this cannot see: a second copy of the key with a state file of its own, or a restore of the
state file itself. A witness sees both.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from firmground.core.canon import canonical, digest, parse
from firmground.core.merkle import EMPTY_ROOT, verify_consistency
from firmground.errors import InputError, LedgerUnavailable, RecordNotFound, SignerRefused
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.files import locked, write_durably
from firmground.ledger.keyfile import read_key_file, write_key_file
from firmground.ledger.keys import Ed25519Signer, KeyedSigner, KeyKind, VerifierKey, generate
from firmground.ledger.text import unhex

__all__ = ["CheckpointSigner", "Signed", "read_key_file", "write_key_file"]

_SAFE_PREFIXES = (b"DSSEv1 ", b"fg1/key\0", b"firmground receipt v1\n")
"""What the key may sign besides checkpoints; no checkpoint begins like this."""


class SignableLog(Protocol):
    """What a signer needs to know about a log."""

    def tree_head(self) -> tuple[int, bytes]:
        """Return the size and root the log has now."""
        ...

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """Return the proof that the tree of ``old`` entries is a beginning of that of ``new``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """The largest tree this key has signed."""

    key: str
    size: int = 0
    root: bytes = EMPTY_ROOT
    retired: bool = False
    """A retired key signs no checkpoint any more."""


class CheckpointSigner:
    """Holds the key of one log and remembers what it signed."""

    def __init__(self, *, key: KeyedSigner, state: Path) -> None:
        if key.verifier.kind is not KeyKind.NOTE:
            raise InputError(f"{key.name} cosigns for a witness and cannot sign for a log")
        self._key = key
        self._state = state
        self._lock = threading.RLock()

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], name: str, *, passphrase: str | None = None
    ) -> CheckpointSigner:
        """Make a new key in a new file, encrypted if there is a passphrase; the state beside it."""
        return cls.adopt(path, generate(name), passphrase=passphrase)

    @classmethod
    def held_by(cls, key: KeyedSigner, state: str | os.PathLike[str]) -> CheckpointSigner:
        """Speak for a log with a key that is kept elsewhere, such as in a KMS or an HSM.

        ``state`` is the file in which is remembered what was signed. It is made if it is not there,
        so keep it: with a new one nobody knows what the key has signed.
        """
        signer = cls(key=key, state=_own_place(Path(state).parent) / Path(state).name)
        if not signer._state.exists():
            write_durably(signer._state, _write_state(Signed(key=str(key.verifier))), new=True)
        signer.last_signed()
        return signer

    @classmethod
    def adopt(
        cls,
        path: str | os.PathLike[str],
        key: Ed25519Signer,
        *,
        after: Signed | None = None,
        passphrase: str | None = None,
    ) -> CheckpointSigner:
        """Put a key that has signed nothing into a new file; ``after`` names what came before."""
        place = _own_place(Path(path).parent) / Path(path).name
        signer = cls(key=key, state=_state_path(place))
        first = Signed(key=str(key.verifier))
        if after is not None:
            first = replace(first, size=after.size, root=after.root)
        write_key_file(place, key, passphrase=passphrase)
        write_durably(signer._state, _write_state(first))
        return signer

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, passphrase: str | None = None
    ) -> CheckpointSigner:
        """Take up a key that ``create`` made; a key without its state is refused.

        The state lies beside the file itself and not beside a link to it: one key, one memory.
        An encrypted key is opened with ``passphrase``, else with $FIRMGROUND_PASSPHRASE.
        """
        place = _own_place(Path(path))
        signer = cls(key=read_key_file(place, passphrase=passphrase), state=_state_path(place))
        signer.last_signed()
        return signer

    @property
    def name(self) -> str:
        """The log's name: the origin line of its checkpoints."""
        return self._key.name

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return self._key.verifier

    @property
    def at_hand(self) -> bool:
        """True when the key is in this process, so that a signature costs next to nothing."""
        return isinstance(self._key, Ed25519Signer)

    @property
    def state_path(self) -> Path:
        """Where the memory lies."""
        return self._state

    def sign(self, message: bytes) -> bytes:
        """Sign an export or a key statement; a checkpoint is signed by ``checkpoint`` only."""
        if not message.startswith(_SAFE_PREFIXES):
            raise SignerRefused(f"{self.name} signs only envelopes, key statements and its own log")
        return self._key.sign(message)

    def checkpoint(self, tree: SignableLog) -> str:
        """Sign the tree as it is now, or refuse because it contradicts what was signed before.

        The tree is read while the state is locked, so signers in other processes can only have
        signed something smaller.
        """
        with self._held():
            last = self._in_office()
            now = _continued(last, tree)
            if now != last:
                self._remember(now)
            return self._release(now, [self._key])

    def hand_over(self, successor: CheckpointSigner, rotate: Callable[[], SignableLog]) -> str:
        """Sign once more, together with the key that takes over; after that, never again.

        ``rotate`` records the change of keys and returns the tree that ends with it. Both states
        are locked meanwhile, so no other process signs anything larger with the old key.
        """
        with self._held(), successor._held():
            before, fresh = self._in_office(), successor._in_office()
            if fresh.size > 0:
                raise SignerRefused(
                    f"{successor.verifier} has signed before and cannot take over; make a new key"
                )
            successor._remember(replace(fresh, size=before.size, root=before.root))
            try:
                tree = rotate()
            except BaseException:
                # It has signed nothing, so it may be asked again; a full disk may forbid even this.
                with suppress(LedgerUnavailable):
                    successor._remember(fresh)
                raise
            now = _continued(before, tree)
            successor._remember(replace(fresh, size=now.size, root=now.root))
            self._remember(replace(now, retired=True))
            return self._release(now, [self._key, successor._key])

    def _in_office(self) -> Signed:
        last = self.last_signed()
        if last.retired:
            raise SignerRefused(f"{self.verifier} is retired and signs no more checkpoints")
        return last

    def _remember(self, state: Signed) -> None:
        write_durably(self._state, _write_state(state))

    def _release(self, state: Signed, keys: Sequence[KeyedSigner]) -> str:
        stated = Checkpoint(origin=self.name, size=state.size, root=state.root)
        return checkpoints.sign(stated, keys)

    def check(self, tree: SignableLog) -> None:
        """Refuse a tree that contradicts what was signed before, without signing anything."""
        with self._held():
            _continued(self._in_office(), tree)

    def last_signed(self) -> Signed:
        """Read the largest tree this key has signed."""
        try:
            if self._state.is_symlink():
                raise SignerRefused(
                    f"{self._state} is a link: replacing it would leave what it points to behind"
                )
            kept = _read_state(self._state.read_bytes())
        except FileNotFoundError:
            raise SignerRefused(
                f"{self._state} is missing, so nobody knows what {self.name} has signed; "
                "bring it back or rotate to a new key"
            ) from None
        except (InputError, KeyError, TypeError) as error:
            raise SignerRefused(f"{self._state} cannot be read: {error}") from error
        except OSError as error:
            raise LedgerUnavailable(f"{self._state}: {error.strerror}") from error
        if kept.key != str(self.verifier):
            raise SignerRefused(f"{self._state} belongs to {kept.key}, not to {self.verifier}")
        return kept

    @contextmanager
    def _held(self) -> Iterator[None]:
        with self._lock, locked(self._state.with_suffix(".lock")):
            yield


def _continued(last: Signed, tree: SignableLog) -> Signed:
    """What the state is after signing this tree, or why that would be a contradiction."""
    size, root = tree.tree_head()
    if size < last.size:
        raise SignerRefused(
            f"the log has {size} entries, but {last.size} were signed: "
            f"entries {size} to {last.size - 1} are missing (an old backup?)"
        )
    try:
        path = tree.consistency(last.size, size)
    except RecordNotFound as error:
        raise SignerRefused(f"the log cannot prove that it continues: {error}") from error
    if not verify_consistency(
        old=last.size, new=size, old_root=last.root, new_root=root, path=path
    ):
        raise SignerRefused(
            f"the log of {size} entries does not continue the {last.size} entries that were signed"
        )
    return replace(last, size=size, root=root)


def _own_place(path: Path) -> Path:
    """Where a file lies once every link on the way is followed."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path}: {error}") from None


def _state_path(place: Path) -> Path:
    return place.with_name(place.name + ".state")


def _write_state(state: Signed) -> bytes:
    document = canonical(
        {
            "v": "fg1",
            "key": state.key,
            "size": state.size,
            "root": state.root.hex(),
            "retired": state.retired,
        }
    )
    return json.dumps(
        {"state": document.decode("utf-8"), "check": digest("fg1/signer", document).hex()}
    ).encode("ascii")


def _read_state(data: bytes) -> Signed:
    try:
        outer = json.loads(data)
    except ValueError:
        raise InputError("it is not JSON") from None
    document = str(outer["state"]).encode("utf-8")
    if digest("fg1/signer", document).hex() != outer["check"]:
        raise InputError("its checksum is wrong")
    state = parse(document)
    return Signed(
        key=state["key"],
        size=state["size"],
        root=unhex(state["root"], "root"),
        retired=state["retired"],
    )
