"""Ed25519 keys in the text forms of C2SP signed-note.

A verifier key reads ``name+keyid+base64(kind || public key)``, a signing key
``PRIVATE+KEY+name+keyid+base64(kind || seed)``. The key id is the first four bytes of
SHA-256(name || 0x0A || kind || public key), in hexadecimal. Kind 0x01 signs notes, kind 0x04
cosigns checkpoints with a time.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from firmground.errors import InputError
from firmground.ledger.text import b64, unb64, unhex

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

KEY_BYTES = 32
SIGNATURE_BYTES = 64
MAX_NAME_BYTES = 255
_PRIVATE = "PRIVATE+KEY+"
_NOT_IN_NAMES = re.compile(r"[\s+\x00-\x1f\x7f-\x9f]")
# Points of small order, either sign: one signature holds for many messages, and needs no secret.
_WEAK = frozenset(
    bytes.fromhex(text)
    for text in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
)


class KeyKind(IntEnum):
    """What a key's signatures mean; the byte is part of the key id."""

    NOTE = 0x01
    COSIGNATURE = 0x04


def check_name(name: str) -> str:
    """Return ``name`` if it may stand on a signature line: no space, plus sign or control."""
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        raise InputError(f"the key name {name!r} holds a lone surrogate") from None
    if not 1 <= size <= MAX_NAME_BYTES:
        raise InputError(f"a key name has 1 to {MAX_NAME_BYTES} bytes, got {size}")
    if found := _NOT_IN_NAMES.search(name):
        raise InputError(f"the key name {name!r} holds {found[0]!r}, which is not allowed")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierKey:
    """A public key under a name: whom the caller trusts, and for what."""

    name: str
    public: bytes
    kind: KeyKind = KeyKind.NOTE

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.public) != KEY_BYTES:
            raise InputError(f"an Ed25519 key has {KEY_BYTES} bytes, got {len(self.public)}")
        if self.public[:-1] + bytes([self.public[-1] & 0x7F]) in _WEAK:
            raise InputError(f"the key of {self.name} is a weak key that anyone can sign for")

    @property
    def key_id(self) -> bytes:
        """Four bytes that, with the name, say which key signed. An identifier, not a proof."""
        return _key_id(self.name, int(self.kind), self.public)

    def verify(self, message: bytes, signature: bytes) -> bool:
        """True when the signature is this key's over exactly these bytes."""
        from cryptography.exceptions import InvalidSignature

        try:
            _load_public(self.public).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64(bytes([self.kind]) + self.public)}"


class KeyedSigner(Protocol):
    """A ``core.ports.Signer`` that also says which verifier key its signatures answer to."""

    @property
    def name(self) -> str:
        """The key's name."""
        ...

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Return the signature over exactly these bytes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ed25519Signer:
    """Signs with an Ed25519 seed held in memory; the seed never appears in its ``repr``."""

    name: str
    seed: bytes = field(repr=False)
    kind: KeyKind = KeyKind.NOTE

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.seed) != KEY_BYTES:
            raise InputError(f"an Ed25519 seed has {KEY_BYTES} bytes, got {len(self.seed)}")

    @property
    def verifier(self) -> VerifierKey:
        """The public half, safe to publish."""
        public = _load_private(self.seed).public_key().public_bytes_raw()
        return VerifierKey(name=self.name, public=public, kind=self.kind)

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature over exactly these bytes."""
        return _load_private(self.seed).sign(message)

    def private_text(self) -> str:
        """The signing key as text; a reader of it can sign in this name."""
        key_id = self.verifier.key_id.hex()
        return f"{_PRIVATE}{self.name}+{key_id}+{b64(bytes([self.kind]) + self.seed)}"


def generate(name: str, *, kind: KeyKind = KeyKind.NOTE) -> Ed25519Signer:
    """Make a new key; its name must be printable ASCII so that no two names look alike."""
    import secrets

    if not name.isascii():
        raise InputError(f"a new key's name must be plain ASCII, got {name!r}")
    return Ed25519Signer(name=name, seed=secrets.token_bytes(KEY_BYTES), kind=kind)


def parse_verifier(text: str) -> VerifierKey:
    """Read a verifier key; name, id and key must agree."""
    name, key_id, kind, material = _parse(text, "the verifier key")
    key = VerifierKey(name=name, public=material, kind=kind)
    if key.key_id != key_id:
        raise InputError(f"the verifier key {name!r} says id {key_id.hex()}, {key.key_id.hex()} is")
    return key


def parse_signer(text: str) -> Ed25519Signer:
    """Read a signing key; name, id and key must agree. Errors never repeat the secret."""
    if not text.startswith(_PRIVATE):
        raise InputError(f"a signing key begins with {_PRIVATE}")
    name, key_id, kind, material = _parse(text.removeprefix(_PRIVATE), "the signing key")
    signer = Ed25519Signer(name=name, seed=material, kind=kind)
    if signer.verifier.key_id != key_id:
        raise InputError(f"the signing key {name!r} does not belong to the id it states")
    return signer


def _parse(text: str, what: str) -> tuple[str, bytes, KeyKind, bytes]:
    parts = text.split("+", 2)
    if len(parts) != 3:
        raise InputError(f"{what} is not of the form name+keyid+base64")
    name, key_id, encoded = parts
    material = unb64(encoded, what)
    if len(material) != 1 + KEY_BYTES:
        raise InputError(f"{what} holds {len(material)} bytes, an Ed25519 key needs 33")
    if material[0] not in (KeyKind.NOTE, KeyKind.COSIGNATURE):
        raise InputError(f"{what} is of kind 0x{material[0]:02x}; known are 0x01 and 0x04")
    return name, unhex(key_id, f"the id of {what}", 4), KeyKind(material[0]), material[1:]


@lru_cache(maxsize=256)
def _key_id(name: str, kind: int, public: bytes) -> bytes:
    data = name.encode("utf-8") + b"\n" + bytes([kind]) + public
    return hashlib.sha256(data).digest()[:4]


@lru_cache(maxsize=256)
def _load_public(public: bytes) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public)


@lru_cache(maxsize=16)
def _load_private(seed: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed)
