"""The rule for tool calls: a call leaves whole, to a tool that was offered, and states nothing
that the evidence or the user does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from firmground.service.proxy.deltas import ToolCall

MOST_WORDS = 8
"""A text in the arguments with more words than this, or with the end of a sentence, is checked."""
MOST_WORDS_IN_ALL = 40
"""With more words than this in all short texts together, they are checked, too."""
_SENTENCE = re.compile(r"[.!?。！？](?:\s|\Z)")
_LEAST_WORDS = 3


class RefusedCall(Exception):  # noqa: N818 - says what happened
    """A tool call that may not leave, and why."""


def statements_in(calls: list[ToolCall], offered: frozenset[str]) -> str:
    """The texts in tool calls that must be checked; raises when a call may not leave at all."""
    checked, short, words = [], [], 0
    for call in calls:
        if call.name not in offered:
            raise RefusedCall("it calls a tool that was not offered")
        try:
            arguments = orjson.loads(call.arguments or "{}")
        except orjson.JSONDecodeError:
            raise RefusedCall("its arguments are not JSON") from None
        if not isinstance(arguments, dict):
            raise RefusedCall("its arguments are not an object")
        for text in _texts(arguments):
            count = len(text.split())
            ends = _SENTENCE.search(text) is not None
            if count > MOST_WORDS or (count >= _LEAST_WORDS and ends):
                checked.append(text)
            else:
                short.append(text)
                words += count
    if words > MOST_WORDS_IN_ALL:
        checked += short
    return "\n".join(checked)


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
