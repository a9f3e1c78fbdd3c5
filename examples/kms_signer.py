"""A log whose signing key never leaves a key service.

The service holds an Ed25519 key and answers ``POST <url>/sign`` with the signature over the bytes
it is sent. Cloud key services, HashiCorp Vault (``transit``) and PKCS#11 modules (mechanism EdDSA)
offer the same operation under other names: only ``KmsKey.sign`` differs.

    python examples/kms_signer.py http://127.0.0.1:8200 'example.org/log+...' log.sqlite
"""

from __future__ import annotations

import sys
import urllib.request
from pathlib import Path

from firmground.adapters.stores import open_ledger
from firmground.ledger.keys import VerifierKey, parse_verifier
from firmground.ledger.signing import CheckpointSigner


class KmsKey:
    """The key of a log, kept by a service that signs and never shows it."""

    def __init__(self, url: str, public: str) -> None:
        self.url = url
        self.verifier: VerifierKey = parse_verifier(public)
        self.name = self.verifier.name

    def sign(self, message: bytes) -> bytes:
        """Have the service sign exactly these bytes, and check what it gave."""
        request = urllib.request.Request(f"{self.url}/sign", data=message, method="POST")
        with urllib.request.urlopen(request, timeout=10) as reply:
            signature = bytes(reply.read(64))
        if not self.verifier.verify(message, signature):
            raise RuntimeError("the key service signed with another key")
        return signature


def signer(url: str, public: str, state: Path) -> CheckpointSigner:
    """A signer for ``open_ledger``. ``state`` remembers what was signed: keep it."""
    return CheckpointSigner.held_by(KmsKey(url, public), state)


def main() -> None:
    """Sign a log as it is now."""
    url, public, log = sys.argv[1:]
    held = signer(url, public, Path(f"{log}.kms-state"))
    with open_ledger(log, signer=held) as ledger:
        print(ledger.checkpoint())


if __name__ == "__main__":
    main()
