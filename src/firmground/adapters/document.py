"""One JSON document that holds everything a check needs: question, answer, evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from firmground.adapters.evidence.decode import refuse_binary
from firmground.adapters.evidence.jsontext import parse_json
from firmground.adapters.evidence.values import evidence_from_value
from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.errors import InputError, did_you_mean
from firmground.pipeline.request import Mode, Request

_KEYS = ("id", "question", "answer", "evidence", "mode", "metadata", "output_files", "tool_calls")
# Not "mode": a row that names its "model" means its model.
_MISSPELT = ("question", "answer", "evidence")
_ALIKE = 0.75


def read_request(text: str, where: str, *, first_line: int = 1, need_id: bool = False) -> Request:
    """Read a request from JSON text; errors name line, column or key."""
    value = parse_json(text, where, first_line=first_line)
    return request_from_value(value, where, need_id=need_id)


def request_from_value(value: object, where: str, *, need_id: bool = False) -> Request:
    """Read a request from a parsed JSON object."""
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object with 'answer' and 'evidence'")
    _refuse_misspelt(value, where)
    if need_id and "id" not in value:
        raise InputError(f"{where}: 'id' is missing")
    if "evidence" not in value:
        raise InputError(f"{where}: 'evidence' is missing")
    try:
        return Request(
            id=_id(value.get("id", ""), need_id),
            question=question_from_value(value.get("question")),
            answer=answer_from_value(value.get("answer")),
            evidence=evidence_list(value["evidence"]),
            mode=mode_from_value(value.get("mode", Mode.PROSE)),
            metadata=metadata_from_value(value.get("metadata")),
            output_files=output_files_from_value(value.get("output_files")),
            tool_calls=tool_calls_from_value(value.get("tool_calls", 0)),
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def mode_from_value(value: object) -> Mode:
    """Read the form in which an answer was written."""
    if value not in list(Mode):
        known = ", ".join(str(mode) for mode in Mode)
        near = did_you_mean(str(value), Mode)
        raise InputError(f"mode {value!r} is unknown{near}; there are {known}")
    return Mode(str(value))


def _refuse_misspelt(value: Mapping[Any, Any], where: str) -> None:
    """Let a row carry fields of its owner's, but not one that was surely meant to be ours."""
    for key in value:
        if key in _KEYS:
            continue
        meant = get_close_matches(str(key).lower(), _MISSPELT, n=1, cutoff=_ALIKE)
        if meant:
            raise InputError(f"{where}: the key {key!r} is unknown; is {meant[0]!r} meant?")


def answer_from_value(value: object) -> str:
    """Return an answer that is text."""
    if not isinstance(value, str):
        raise InputError(
            "answer is missing"
            if value is None
            else f"answer must be a string, got {type(value).__name__}"
        )
    refuse_binary(value, "answer")
    return str(value)  # a class derived from str has no canonical form


def question_from_value(value: object) -> Question | None:
    """Return the question, or None when none was asked."""
    if value is None or isinstance(value, Question):
        return value
    if not isinstance(value, str):
        raise InputError(f"question must be a string, got {type(value).__name__}")
    refuse_binary(value, "question")
    return Question(text=value) if value.strip() else None


def metadata_from_value(value: object) -> tuple[tuple[str, str], ...]:
    """Return the caller's pairs of name and text; a value that is not text becomes JSON."""
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(f"metadata must be an object with names, got {type(value).__name__}")
    try:
        return tuple(
            (key, one if isinstance(one, str) else json.dumps(one, sort_keys=True))
            for key, one in value.items()
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"metadata cannot be written as JSON: {error}") from None


def output_files_from_value(value: object) -> tuple[str, ...]:
    """Return the paths of files that were written along with an answer."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"output_files must be a list of paths, got {type(value).__name__}")
    paths = tuple(value)
    if not all(isinstance(path, str | PurePath) for path in paths):
        raise InputError("output_files must be a list of paths")
    return tuple(map(str, paths))


def tool_calls_from_value(value: object) -> int:
    """Return how many tools were called while an answer was written."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"tool_calls must be a whole number from 0 on, got {value!r}")
    return value


def evidence_list(value: Any) -> tuple[Evidence, ...]:
    """Read one piece or a list of pieces; errors name the position."""
    if isinstance(value, str | Evidence | Mapping):
        return (evidence_from_value(value),)
    if not isinstance(value, list | tuple):
        raise InputError(f"evidence must be a list, got {type(value).__name__}")
    return tuple(evidence_from_value(v, f"evidence[{n}]") for n, v in enumerate(value))


def _id(value: object, needed: bool) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"id must be a string or an integer, got {type(value).__name__}")
    if needed and value == "":
        raise InputError("id is empty")
    return value
