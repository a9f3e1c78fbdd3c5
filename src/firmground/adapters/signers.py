"""Open the signer of a log: a key file, or a signer that an installed package offers."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from firmground.core import plugins
from firmground.errors import ConfigError

if TYPE_CHECKING:
    from firmground.ledger.signing import CheckpointSigner

_NAMED = re.compile(r"([A-Za-z][\w-]+):(.+)", re.DOTALL)


def open_signer(where: str | os.PathLike[str]) -> CheckpointSigner:
    """Open a key file, or ``NAME:REST`` through the entry point NAME of ``firmground.signers``.

    The entry point is called with REST and returns a ``CheckpointSigner``, usually
    ``CheckpointSigner.held_by(key, state)`` around a key that never leaves a KMS or an HSM.
    """
    from firmground.ledger.signing import CheckpointSigner

    named = _NAMED.fullmatch(os.fspath(where))
    if named is not None and not os.path.exists(where) and named[1] in plugins.offered("signers"):
        signer = plugins.load("signers", named[1])(named[2])
        if not isinstance(signer, CheckpointSigner):
            kind = type(signer).__name__
            raise ConfigError(f"firmground.signers: {named[1]} gave a {kind}, no CheckpointSigner")
        return signer
    return CheckpointSigner.open(where)
