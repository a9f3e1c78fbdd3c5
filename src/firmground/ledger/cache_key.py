"""The cache key: eight values that must be equal, for the same tenant, to serve an answer again."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field, fields

from firmground.errors import InputError
from firmground.ledger.entry import CacheState

HASH_BYTES = 32
MIN_TENANT_KEY = 16
_TAG = b"fg1/cache\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """Everything an answer depends on; digests have 32 bytes, versions are short texts."""

    source_root: bytes
    question_hash: bytes
    model_profile_hash: bytes
    conversation_hash: bytes
    governance_policy_hash: bytes
    schema_version: str
    canonicalization_version: str
    chunking_version: str

    def __post_init__(self) -> None:
        for name, value in self._named():
            if isinstance(value, str):
                if not value or len(value) > 256:
                    raise InputError(f"{name} must be a text of 1 to 256 characters")
            elif len(value) != HASH_BYTES:
                raise InputError(f"{name} must have {HASH_BYTES} bytes, got {len(value)}")

    def message(self) -> bytes:
        """Every dimension behind its length, so that no two sets of eight read the same."""
        parts = []
        for _, value in self._named():
            data = value.encode("utf-8") if isinstance(value, str) else value
            parts.append(len(data).to_bytes(8, "big") + data)
        return b"".join(parts)

    def _named(self) -> list[tuple[str, str | bytes]]:
        return [(each.name, getattr(self, each.name)) for each in fields(self)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """The owner of cached answers. Without the key it cannot be found out what is cached."""

    name: str
    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a tenant needs a name")
        if len(self.key) < MIN_TENANT_KEY:
            raise InputError(f"a tenant's key has at least {MIN_TENANT_KEY} bytes")

    def cache_key(self, dimensions: Dimensions) -> bytes:
        """The key under which this tenant's answer to these eight things is kept."""
        return hmac.digest(self.key, _TAG + dimensions.message(), hashlib.sha256)


def state_after_run(before: CacheState | None) -> CacheState:
    """A new run revives a stale key; what was falsified stays so until it is burnt."""
    if before in (CacheState.FAILED, CacheState.QUARANTINED):
        return before
    return CacheState.LIVE
