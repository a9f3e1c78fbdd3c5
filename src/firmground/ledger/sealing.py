"""Payloads sealed under keys that can be destroyed: then they are gone from every copy.

Wiping a row leaves its bytes where no statement reaches: in backups, on standbys, in write-ahead
files. So each run's salts and payloads are kept under a key of its own (AES-256-GCM), and the keys
in a store of their own, which is neither replicated nor backed up with the log. An erasure destroys
the key. What the log commits to is not changed by sealing: proofs and exports are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from firmground.core.run import SALT_BYTES, commitment
from firmground.errors import InputError, LedgerError
from firmground.ledger.store import (
    Durability,
    LedgerStore,
    NameLock,
    StoreChange,
    StoreReader,
    Transaction,
    VaultRow,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

T = TypeVar("T")

NEEDS_KEYS = "open the log with its key store (FIRMGROUND_VAULT_KEYS)"
MAGIC = b"fgs1"
KEY_BYTES = 32
_NONCE_BYTES = 12


class EncryptedRun(NamedTuple):
    """A run that needs a key: its id, and whose data it holds."""

    run: str
    subject: str
    """The run's own id when nobody was named."""


class SealingKey(NamedTuple):
    """One run's key and the number under which it is found again."""

    id: bytes
    key: bytes


class VaultKeys(Protocol):
    """Keeps one key for each run, and destroys it so that no byte of it is left."""

    def make(self, runs: Sequence[EncryptedRun]) -> list[SealingKey]:
        """Make a new key for each run; they survive the loss of power when this returns."""
        ...

    def find(self, id: bytes) -> bytes | None:
        """Return a key, b"" for one that was destroyed, and None for one that was never made."""
        ...

    def runs_of(self, subject: str) -> tuple[str, ...]:
        """Return the runs that hold data of a subject and whose keys are not destroyed."""
        ...

    def doom(self, ids: Iterable[bytes]) -> None:
        """Note that these keys are to be destroyed; the note survives the loss of power."""
        ...

    def doomed(self) -> tuple[tuple[bytes, str], ...]:
        """Return (id, run) of keys that are noted and not yet destroyed."""
        ...

    def spare(self, ids: Iterable[bytes]) -> None:
        """Take the note back."""
        ...

    def destroy(self, ids: Iterable[bytes]) -> None:
        """Overwrite these keys and all others of their runs, in every file of the store."""
        ...

    def destroyed(self, run: str) -> bool:
        """True when a run had keys and all of them are destroyed."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


def seal(key: SealingKey, row: VaultRow) -> VaultRow:
    """Seal one row; salt and payload are hidden, the number of the key stands in their place."""
    nonce = row.ord.to_bytes(_NONCE_BYTES, "big")  # each key seals each place once
    hidden = _cipher(key.key).encrypt(nonce, row.salt + row.payload, _about(key.id, row.ord))
    return VaultRow(row.seq, row.ord, key.id, MAGIC + hidden)


def unseal(key: bytes, row: VaultRow) -> VaultRow:
    """Open one row; a changed one is an error."""
    from cryptography.exceptions import InvalidTag

    nonce = row.ord.to_bytes(_NONCE_BYTES, "big")
    hidden = row.payload[len(MAGIC) :]
    try:
        plain = _cipher(key).decrypt(nonce, hidden, _about(row.salt, row.ord))
    except InvalidTag:
        raise LedgerError(f"the sealed payload {row.ord} of entry {row.seq} was changed") from None
    return VaultRow(row.seq, row.ord, plain[:SALT_BYTES], plain[SALT_BYTES:])


def is_sealed(payload: bytes) -> bool:
    """True for bytes that look like a sealed payload."""
    return payload.startswith(MAGIC)


def stays_sealed(row: VaultRow, commit: bytes, stage: str) -> bool:
    """True for a row that was read without its key: it looks sealed and does not open."""
    if not is_sealed(row.payload):
        return False
    try:
        return commitment(salt=row.salt, stage=stage, payload=row.payload) != commit
    except InputError:
        return True


def _about(id: bytes, ordinal: int) -> bytes:
    return MAGIC + id + ordinal.to_bytes(4, "big")


@lru_cache(maxsize=256)
def _cipher(key: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


class _Unsealing:
    """Reads through a reader and opens what is sealed; everything else is the reader's."""

    opens_sealed = True

    def __init__(self, inner: StoreReader, keys: VaultKeys) -> None:
        self._inner = inner
        self._keys = keys

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        """Yield the rows of a range, opened; rows whose key is destroyed are gone."""
        last: tuple[bytes, bytes | None] = (b"", None)
        for row in self._inner.vault(start, stop):
            if not is_sealed(row.payload):
                yield row
                continue
            if row.salt != last[0]:
                last = (row.salt, self._keys.find(row.salt))
            key = last[1]
            if key is None:  # a payload that only looks sealed, or a key of another store
                yield row
            elif key:
                yield _opened(key, row)


def _opened(key: bytes, row: VaultRow) -> VaultRow:
    try:
        return unseal(key, row)
    except LedgerError:
        return row  # shown as it is: an audit then says that it is not what was committed to


class _SealingTransaction(_Unsealing):
    def __init__(self, inner: Transaction, keys: VaultKeys) -> None:
        super().__init__(inner, keys)
        self._open = inner
        self.doomed: list[tuple[bytes, str]] = []

    def apply(self, change: StoreChange) -> None:
        """Write the change with its payloads sealed; note keys whose payloads it wipes."""
        for seq in sorted({row.seq for row in change.erased}):
            ids = {row.salt for row in self._open.vault(seq, seq + 1) if is_sealed(row.payload)}
            found = [(id, _run_at(self._open, seq)) for id in ids if self._keys.find(id)]
            self._keys.doom(id for id, _ in found)
            self.doomed += found
        self._open.apply(self._sealed(change))

    def _sealed(self, change: StoreChange) -> StoreChange:
        from dataclasses import replace

        rows = [VaultRow(*row) for row in change.vault]
        if not rows:
            return change
        named, runs = dict(change.subjects), {row.seq: row.run for row in change.entries}
        places = list(dict.fromkeys(row.seq for row in rows))
        wanted = [
            EncryptedRun(runs.get(seq) or "", named.get(seq) or runs.get(seq) or "")
            for seq in places
        ]
        keys = dict(zip(places, self._keys.make(wanted), strict=True))
        return replace(change, vault=[seal(keys[row.seq], row) for row in rows])


class SealedStore(_Unsealing):
    """A ledger store whose payloads are sealed on their way in and opened on their way out."""

    def __init__(self, inner: LedgerStore, keys: VaultKeys) -> None:
        super().__init__(inner, keys)
        self.inner = inner

    @property
    def durability(self) -> Durability:
        """What a change survives once ``transact`` has returned."""
        return self.inner.durability

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone among all writers; keys of what it wiped are destroyed afterwards."""
        doomed: list[tuple[bytes, str]] = []

        def sealing(transaction: Transaction) -> T:
            made = _SealingTransaction(transaction, self._keys)
            doomed[:] = []
            result = work(cast(Transaction, made))
            doomed[:] = made.doomed
            return result

        result = self.inner.transact(sealing)
        with suppress(LedgerError):  # it is kept; what is doomed stays so until it is destroyed
            self._destroy(doomed)
        return result

    def _destroy(self, doomed: Iterable[tuple[bytes, str]]) -> None:
        """Destroy keys of runs without a payload left; a run that has some left keeps its key."""
        needed: dict[bool, list[bytes]] = {True: [], False: []}
        for id, run in doomed:
            seq = self.inner.find_run(run)
            rows = () if seq is None else self.inner.vault(seq, seq + 1)
            needed[any(row.salt == id for row in rows)].append(id)
        self._keys.destroy(needed[False])
        self._keys.spare(needed[True])

    def scrub(self) -> bool:
        """Finish destroying keys, and clean the inner store as far as it can."""
        self._destroy(self._keys.doomed())
        self.inner.scrub()
        return not self.scrub_pending()

    def scrub_pending(self) -> bool:
        """True while erased bytes may stand somewhere in a form that can be read."""
        if self._keys.doomed():
            return True
        if not self.inner.scrub_pending():
            return False
        places = {mark.seq for mark in self.inner.erased()}
        return any(not self._keys.destroyed(_run_at(self.inner, seq)) for seq in places)

    def runs_of(self, subject: str) -> tuple[str, ...]:
        """Return the runs that hold data of a subject."""
        return self._keys.runs_of(subject)

    def flush(self) -> None:
        """Make everything visible survive the loss of power."""
        self.inner.flush()

    def claim(self, name: bytes, *, wait: bool) -> NameLock | None:
        """Hold a name alone among all who open the inner store."""
        return self.inner.claim(name, wait=wait)

    def close(self) -> None:
        """Give everything back."""
        self.inner.close()
        self._keys.close()


def _run_at(reader: StoreReader, seq: int) -> str:
    return next((row.run or "" for row in reader.entries(seq, seq + 1)), "")


def runs_of(store: object, subject: str) -> tuple[str, ...]:
    """Return the runs of a subject; an error for a store that does not know whose data it holds."""
    if not isinstance(store, SealedStore):
        raise InputError(
            "this log is not sealed, so nobody knows which runs hold data of a subject: "
            "name the runs, or open the log with its key store (FIRMGROUND_VAULT_KEYS)"
        )
    return store.runs_of(subject)
