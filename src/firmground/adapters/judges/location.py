"""Where a model of the user's lies: a directory, an ONNX file, or the hub's local cache.

Nothing is downloaded unless the name says so (``hub:ORG/NAME``), and code that comes with a
model is never run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from firmground.adapters.extras import need
from firmground.errors import InputError

_HUB = re.compile(r"(?P<download>hub:)?(?P<id>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w.-]+))?")
_WANTED = ("*.json", "*.safetensors", "*.bin", "*.txt", "*.model", "*.onnx")
_COUNTED = frozenset((".json", ".safetensors", ".bin", ".model", ".onnx", ".txt"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLocation:
    """A model on this machine."""

    directory: Path
    config: Mapping[str, Any]
    """What its config.json says."""
    onnx: Path | None = None
    """The exported graph to run; None when torch runs the weights."""

    @property
    def config_file(self) -> Path:
        """The file that errors about labels and sizes name."""
        return self.directory / "config.json"

    @property
    def digest(self) -> str:
        """Name the model by the content of its files."""
        return _digest(self.directory, self.onnx)


def find_place(where: str) -> ModelLocation:
    """Find a model by directory, ONNX file or hub id; what is not there is an error."""
    path = Path(where).expanduser()
    if path.suffix == ".onnx":
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        return ModelLocation(directory=path.parent, config=_config(path.parent), onnx=path)
    if path.is_dir():
        return ModelLocation(directory=path, config=_config(path))
    named = _HUB.fullmatch(where)
    if named is None or where.startswith((".", "/", "~")):
        raise InputError(f"{where}: no such directory or .onnx file")
    found = _cached(named["id"], named["revision"], download=bool(named["download"]))
    return ModelLocation(directory=found, config=_config(found))


def _cached(name: str, revision: str | None, *, download: bool) -> Path:
    hub = need(
        "huggingface_hub",
        package="huggingface_hub",
        extra="torch-judges",
        purpose="a judge named by its hub id",
    )
    try:
        found = hub.snapshot_download(
            name, revision=revision, local_files_only=not download, allow_patterns=list(_WANTED)
        )
    except Exception as error:  # noqa: BLE001 - the hub's client raises what its transport raises
        if download:
            raise InputError(f"{name}: could not be downloaded: {error}") from None
        raise InputError(
            f"{name}: is neither a directory nor in the hub's local cache; write hub:{name} to "
            f"allow a download"
        ) from None
    return Path(found)


def _config(directory: Path) -> Mapping[str, Any]:
    path = directory / "config.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise InputError(f"{path}: is not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not an object")
    return found


@lru_cache(maxsize=16)
def _digest(directory: Path, onnx: Path | None) -> str:
    whole = hashlib.sha256()
    weights = (".safetensors", ".bin", ".onnx")
    for path in sorted(directory.iterdir()):
        other_weights = onnx is not None and path.suffix in weights and path != onnx
        if path.suffix not in _COUNTED or other_weights or not path.is_file():
            continue
        with path.open("rb") as file:
            whole.update(
                f"{path.name}:{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return whole.hexdigest()[:16]
