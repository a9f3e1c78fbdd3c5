"""Ragas: its data sets as rows for ``check_many``; needs no package beside firmground."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from firmground.errors import InputError

_NAMES = {
    "question": ("user_input", "question"),
    "answer": ("response", "answer"),
    "evidence": ("retrieved_contexts", "contexts", "reference_contexts"),
}


def rows_from_ragas(data: Any) -> Iterator[dict[str, Any]]:
    """Yield rows for ``Engine.check_many`` from samples in the shape of Ragas.

    ``data`` is the path of a JSONL file, a ``ragas.EvaluationDataset``, a data set or data frame of
    another library, or an iterable of mappings. Old and new column names are known: ``user_input``
    or ``question``, ``response`` or ``answer``, ``retrieved_contexts`` or ``contexts``.
    """
    for number, (where, sample) in enumerate(_samples(data)):
        row: dict[str, Any] = {"id": sample.get("id", number)}
        for ours, theirs in _NAMES.items():
            found = [sample[name] for name in theirs if sample.get(name) is not None]
            if found:
                row[ours] = _text(found[0]) if ours != "evidence" else _texts(found[0])
        missing = [" or ".join(_NAMES[ours]) for ours in ("answer", "evidence") if ours not in row]
        if missing:
            raise InputError(f"{where}: {missing[0]} is missing")
        yield row


def _samples(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(data, str | Path):
        for number, line in enumerate(Path(data).read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                try:
                    yield f"{data}:{number}", json.loads(line)
                except ValueError as error:
                    raise InputError(f"{data}:{number}: not JSON: {error}") from None
        return
    for number, sample in enumerate(_listed(data)):
        if not isinstance(sample, Mapping):
            raise InputError(f"sample {number} is a {type(sample).__name__}, not a mapping")
        yield f"sample {number}", sample


def _listed(data: Any) -> Iterable[Any]:
    for name, arguments in (("to_list", ()), ("to_dicts", ())):
        if callable(method := getattr(data, name, None)):
            return list(method(*arguments))
    return list(data.to_dict("records")) if hasattr(data, "iloc") else data


def _text(value: Any) -> str:
    """A text, or a conversation: what was said last."""
    if isinstance(value, list) and value:
        last = value[-1]
        return str(last.get("content", "") if isinstance(last, Mapping) else last)
    return str(value)


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value]
