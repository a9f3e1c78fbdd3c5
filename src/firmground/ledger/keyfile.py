"""Signing keys in files: readable by their owner alone, in the clear or under a passphrase.

In the clear a file holds one line, ``PRIVATE+KEY+…``. Under a passphrase it holds JSON: the key's
name, id and kind, and the line sealed with AES-256-GCM under a key that scrypt derives.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from firmground.errors import InputError, RecordNotFound
from firmground.ledger.files import write_durably
from firmground.ledger.keys import Ed25519Signer, parse_signer
from firmground.ledger.text import b64, unb64

PASSPHRASE_VARIABLE = "FIRMGROUND_PASSPHRASE"  # noqa: S105 - the name of a variable
_SEALED = "firmground-key/1"
_SALT_BYTES, _NONCE_BYTES = 16, 12
_SCRYPT = {"n": 1 << 15, "r": 8, "p": 1}
_MOST_SCRYPT = {"n": 1 << 20, "r": 32, "p": 16}


def write_key_file(place: Path, key: Ed25519Signer, *, passphrase: str | None = None) -> None:
    """Write a signing key where only its owner can read it; never over another file."""
    text = key.private_text()
    if passphrase is not None:
        text = _sealed(key, passphrase)
    write_durably(place, (text + "\n").encode("utf-8"), new=True)


def read_key_file(place: Path, *, passphrase: str | None = None) -> Ed25519Signer:
    """Read a signing key; errors name the file and never its content.

    A file that others may read or write is refused, as ssh does.
    """
    try:
        with place.open("rb") as file:
            _require_private(place, os.fstat(file.fileno()).st_mode)
            text = file.read(1 << 16).decode("utf-8")
    except FileNotFoundError:
        raise RecordNotFound(f"{place}: there is no key file") from None
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{place} is not a key file") from None
    try:
        if text.startswith("{"):
            given = os.environ.get(PASSPHRASE_VARIABLE) if passphrase is None else passphrase
            return _opened(text, given)
        return parse_signer(text.removesuffix("\n"))
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _require_private(place: Path, mode: int) -> None:
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise InputError(
            f"{place}: others may read or write this key (mode {stat.S_IMODE(mode):04o}): "
            f"type  chmod 600 {place}  and think about whether somebody has read it"
        )


def _sealed(key: Ed25519Signer, passphrase: str) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not passphrase:
        raise InputError("the passphrase is empty")
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    public = str(key.verifier)
    sealing = AESGCM(_derived(passphrase, salt, _SCRYPT))
    box = sealing.encrypt(nonce, key.private_text().encode("utf-8"), public.encode("utf-8"))
    return json.dumps(
        {
            "format": _SEALED,
            "key": public,
            "scrypt": {**_SCRYPT, "salt": b64(salt)},
            "sealed": b64(nonce + box),
        },
        indent=1,
    )


def _opened(text: str, passphrase: str | None) -> Ed25519Signer:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    public, cost, salt, box = _parts(text)
    if not passphrase:
        raise InputError(
            f"the key is under a passphrase: set {PASSPHRASE_VARIABLE}, or give it in Python"
        )
    opening = AESGCM(_derived(passphrase, salt, cost))
    try:
        held = opening.decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], public.encode("utf-8"))
    except InvalidTag:
        raise InputError("the passphrase is wrong, or the file was changed") from None
    signer = parse_signer(held.decode("utf-8"))
    if str(signer.verifier) != public:
        raise InputError("the key inside is another one than the file says")
    return signer


def _parts(text: str) -> tuple[str, dict[str, int], bytes, bytes]:
    try:
        document: Any = json.loads(text)
        if document["format"] != _SEALED:
            raise InputError(f"its format is not {_SEALED}")
        cost = {name: int(document["scrypt"][name]) for name in _SCRYPT}
        salt = unb64(document["scrypt"]["salt"], "the salt")
        box = unb64(document["sealed"], "the sealed key")
        public = str(document["key"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("it is not a key file under a passphrase") from None
    if any(not 1 <= cost[name] <= most for name, most in _MOST_SCRYPT.items()):
        raise InputError("it asks for more work than a key file may")
    return public, cost, salt, box


def _derived(passphrase: str, salt: bytes, cost: dict[str, int]) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    deriving = Scrypt(salt=salt, length=32, n=cost["n"], r=cost["r"], p=cost["p"])
    return deriving.derive(passphrase.encode("utf-8"))
