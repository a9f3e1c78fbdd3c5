"""Records every model call of a run, so that the run can be replayed exactly and at no cost."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

from firmground.adapters.model_cache import NamedModel
from firmground.core.canon import Value, canonical, digest
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.request import reply_from_value, reply_value, request_key, request_value
from firmground.errors import InputError, ModelError

_MAX_BYTES = 1 << 26


class Recorder:
    """A model that appends every call and its result, failures included, to a JSONL file."""

    def __init__(self, inner: NamedModel, path: Path) -> None:
        self.inner = inner
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.open("ab").close()
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None

    @property
    def model(self) -> str:
        """The name of the model that is listened to."""
        return self.inner.model

    @property
    def where(self) -> str:
        """The address of the model that is listened to."""
        return self.inner.where

    @property
    def owner(self) -> str:
        """Whose key is used, as a digest; empty when the model does not say."""
        return str(getattr(self.inner, "owner", ""))

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask, write down, hand on."""
        try:
            reply = await self.inner.complete(request)
        except ModelError as error:
            self._note(request, {"error": str(error), "kind": error.kind})
            raise
        self._note(request, {"reply": reply_value(reply)})
        return reply

    def _note(self, request: ModelRequest, outcome: dict[str, Value]) -> None:
        line: dict[str, Value] = {
            "v": "fg1",
            "model": self.model,
            "endpoint": self.where,
            "request": request_value(request),
            **outcome,
        }
        try:
            with self.path.open("ab") as file:
                file.write(canonical(line, max_bytes=_MAX_BYTES) + b"\n")
        except OSError as error:
            # A run that was to be repeatable and is not must not look as if it were.
            raise ModelError(f"the call cannot be written to {self.path}: {error}") from None


class Replay:
    """A model that answers from a transcript alone and refuses what is not in it.

    Calls that were made several times are answered in the order in which they were recorded.
    """

    def __init__(self, path: Path, *, model: str | None = None) -> None:
        self.path = path
        self._outcomes: dict[str, deque[tuple[int, dict[str, Any]]]] = defaultdict(deque)
        names: set[tuple[str, str]] = set()
        for number, line in enumerate(_lines(path), start=1):
            record = _record(line, f"{path}:{number}")
            if model is None or record["model"] == model:
                names.add((record["model"], record["endpoint"]))
                key = _key(record, f"{path}:{number}")
                self._outcomes[key].append((number, record))
        if len(names) != 1:
            raise InputError(f"{path} holds calls to {len(names)} models; name the one to replay")
        ((self.model, self.where),) = names

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return what was recorded for exactly this request."""
        queue = self._outcomes.get(request_key(request, endpoint=self.where, model=self.model))
        if not queue:
            raise ModelError(
                f"{self.path} has no further reply to this request: the transcript is incomplete, "
                "or of other settings or another version",
                kind="bad_reply",
            )
        number, record = queue.popleft()
        if "error" in record:
            raise ModelError(record["error"], kind=record["kind"])
        return reply_from_value(record["reply"], where=f"{self.path}:{number}")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read: not UTF-8 at byte {error.start}") from None
    lines = text.splitlines()
    if lines and not text.endswith("\n"):
        raise InputError(f"{path}:{len(lines)} is cut off: the transcript is incomplete")
    return lines


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {error}") from None
    if not isinstance(record, dict) or not {"model", "endpoint", "request"} <= set(record):
        raise InputError(f"{where} is not a recorded call")
    if ("reply" in record) == ("error" in record):
        raise InputError(f"{where} needs either a reply or an error")
    texts = ("model", "endpoint", *(("error", "kind") if "error" in record else ()))
    for name in texts:
        if not isinstance(record.get(name), str):
            raise InputError(f"{where}: {name} must be a text")
    if not isinstance(record["request"], dict):
        raise InputError(f"{where}: request must be an object")
    return record


def _key(record: dict[str, Any], where: str) -> str:
    value = {**record["request"], "endpoint": record["endpoint"], "model": record["model"]}
    try:
        return digest("fg1/model-call", canonical(value, max_bytes=_MAX_BYTES)).hex()
    except InputError as error:
        raise InputError(f"{where}: request cannot be read: {error}") from None
