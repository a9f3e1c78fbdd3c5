"""Replies kept on disk: a call that was paid for once is not paid for again."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmground.core.canon import canonical, parse
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.request import as_cached, reply_from_value, reply_value, request_key
from firmground.errors import InputError

_MAX_BYTES = 1 << 26


class NamedModel(Protocol):
    """A model with a name and an address, which is what makes its replies nameable."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    @property
    def where(self) -> str:
        """The endpoint's address."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return what the model says, or raise ``ModelError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedModel:
    """A model that looks on disk first. Only replies are kept; failures are asked again.

    The name of a call covers endpoint, model, whose key is used, messages, temperature, seed,
    number of samples, logprobs and schema. Two draws of one prompt need two seeds, or they are
    one call.
    """

    inner: NamedModel
    folder: Path

    @property
    def model(self) -> str:
        """The name of the model behind the cache."""
        return self.inner.model

    @property
    def where(self) -> str:
        """The address of the model behind the cache."""
        return self.inner.where

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the kept reply, or ask and keep."""
        owner = str(getattr(self.inner, "owner", ""))
        key = request_key(request, endpoint=self.where, model=self.model, owner=owner)
        path = self.folder / key[:2] / f"{key}.json"
        kept = _read(path, key)
        if kept is not None:
            return as_cached(kept)
        reply = await self.inner.complete(request)
        _write(path, canonical({"call": key, "reply": reply_value(reply)}, max_bytes=_MAX_BYTES))
        return reply


def _read(path: Path, key: str) -> ModelReply | None:
    """Read an entry; a damaged one or one of another call is a miss."""
    try:
        entry = parse(path.read_bytes(), max_bytes=_MAX_BYTES)
        if not isinstance(entry, dict) or entry.get("call") != key:
            return None
        return reply_from_value(entry.get("reply"), where=str(path))
    except (OSError, InputError):
        return None


def _write(path: Path, data: bytes) -> None:
    """Put the whole entry in place or none of it; a reply that cannot be kept is still a reply."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(scratch).replace(path)
    except OSError:
        Path(scratch).unlink(missing_ok=True)
