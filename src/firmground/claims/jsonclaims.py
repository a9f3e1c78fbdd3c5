"""JSON claims: `{"claims": [{"claim": "…", "evidence_ids": ["E1"]}]}`, read leniently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firmground.claims.lenient import Array, Node, Object, Scalar, Text, read_json
from firmground.claims.pointer import LatticeClaim
from firmground.core.claim import Claim, ClaimKind
from firmground.core.lazy_pattern import lazy_pattern

_CLAIM_LISTS = ("claims", "claim_lattice", "lattice", "answer", "statements", "items", "results")
_CLAIM_TEXTS = ("claim_text", "claim", "text", "statement", "sentence", "content")
_POINTERS = (
    "evidence_ids", "evidence_id", "evidence", "pointers", "pointer_ids", "pointer", "citations",
    "cited", "sources", "source", "refs",
)  # fmt: skip
_NAME = lazy_pattern(r"E?\d{1,6}|E[0-9a-f]{8,64}", re.IGNORECASE)
# A key, a pointer standing as a value, a code fence, a literal: no part of what the answer says.
_SYNTAX = lazy_pattern(
    r'"[^"\\]{0,64}"\s{0,8}:|"\[?E?(?:\d{1,6}|[0-9a-f]{8,64})\]?"|```\w{0,10}|\b(?:true|false|null)\b'
)
_DEEPEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReading:
    """The claims of a JSON reply, whether it could be read, and what had to be read through."""

    claims: tuple[LatticeClaim, ...]
    parsed: bool
    problems: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    """Where the JSON stands in the reply."""


def read_claims(answer: str) -> JsonReading:
    """Read the claims of a JSON reply; never raises, and says when there was nothing to read."""
    reading = read_json(answer)
    if reading.node is None:
        return JsonReading(claims=(), parsed=False, problems=reading.problems)
    entries = _entries(reading.node, 0)
    if entries is None:
        return JsonReading(claims=(), parsed=False, problems=(*reading.problems, "no_claims"))
    claims = tuple(one for entry in entries for one in _claim(entry))
    return JsonReading(
        claims=claims,
        parsed=True,
        problems=reading.problems,
        start=reading.start,
        end=reading.end,
    )


def blank_syntax(answer: str) -> str:
    """The answer with keys, pointers and fences blanked out, so that only what it says is left.

    Any other string stays: a JSON reply that says something outside its claims is not covered.
    """
    return _SYNTAX.sub(lambda found: " " * len(found.group()), answer)


def json_claims(answer: str) -> tuple[Claim, ...]:
    """JSON mode as claims: each is the string exactly as it stands in the reply."""
    return tuple(
        Claim(
            text=answer[one.start : one.end],
            start=one.start,
            end=one.end,
            kind=ClaimKind.JSON,
            cited=one.pointers,
        )
        for one in read_claims(answer).claims
        if one.text and one.end > one.start
    )


def _entries(node: Node, depth: int) -> tuple[Node, ...] | None:
    """Find the list of claims, under a known key, at the top, or one claim by itself."""
    if isinstance(node, Array):
        return node.items
    if not isinstance(node, Object) or depth > _DEEPEST:
        return None
    inside = node.get(*_CLAIM_LISTS)
    if isinstance(inside, Array):
        return inside.items
    if isinstance(inside, Object):
        return _entries(inside, depth + 1)
    return (node,) if isinstance(node.get(*_CLAIM_TEXTS), Text) else None


def _claim(entry: Node) -> Iterator[LatticeClaim]:
    if isinstance(entry, Text):
        yield LatticeClaim(text=entry.value.strip(), start=entry.start, end=entry.end)
    elif isinstance(entry, Object):
        text = entry.get(*_CLAIM_TEXTS)
        value = text.value.strip() if isinstance(text, Text) else ""
        start, end = (text.start, text.end) if isinstance(text, Text) and value else (0, 0)
        pointers = tuple(dict.fromkeys(_pointers(entry.get(*_POINTERS), 0)))
        yield LatticeClaim(text=value, start=start, end=end, pointers=pointers)
    else:
        yield LatticeClaim(text="", start=0, end=0)


def _pointers(node: Node | None, depth: int) -> Iterator[str]:
    if isinstance(node, Text):
        names = [one for one in _NAME.findall(node.value) if _is_whole(one, node.value)]
        yield from map(_named, names or ([node.value.strip()] if node.value.strip() else []))
    elif isinstance(node, Scalar) and node.value is not None:
        value = node.value
        whole = isinstance(value, float) and value.is_integer()
        yield _named(str(int(value)) if whole else str(value))
    elif isinstance(node, Array) and depth <= _DEEPEST:
        for item in node.items:
            yield from _pointers(item, depth + 1)
    elif isinstance(node, Object) and depth <= _DEEPEST:
        yield from _pointers(node.get("id", *_POINTERS), depth + 1)


def _is_whole(name: str, value: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", value) is not None


def _named(name: str) -> str:
    return f"E{name}" if name.isdigit() else name
