"""Griffe extension: examples and literal blocks of docstrings become fenced Markdown code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).+\n?)*)(?:\n(?=>>> ))?", re.MULTILINE)
_LITERAL = re.compile(r"^(.*?)::\n\n((?:(?: {4}.*)?\n?)+)", re.MULTILINE)


class FencedExamples(Extension):
    """Fences doctests and ``::`` blocks, so that Markdown does not read them as prose."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Return a docstring with its examples in fences."""
    text = _LITERAL.sub(lambda m: f"{m[1]}\n\n```\n{_dedent(m[2])}\n```\n", text)
    return _EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", text)


def _dedent(block: str) -> str:
    return "\n".join(line[4:] for line in block.rstrip().split("\n"))
