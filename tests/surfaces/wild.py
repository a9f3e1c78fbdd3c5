"""Answers and evidence in any script, honest and hostile, from a seed."""

from __future__ import annotations

import json
import random
from typing import Any

_SCRIPTS = (
    (0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x531, 0x58F),
    (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939), (0x985, 0x9B9), (0xB85, 0xBB9), (0xE01, 0xE3A),
    (0x10D0, 0x10FF), (0x1200, 0x135A), (0x1780, 0x17B3), (0x3041, 0x3096), (0x30A1, 0x30FA),
    (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0x1F300, 0x1F64F), (0x20000, 0x2A6D6), (0x1D400, 0x1D7FF),
)  # fmt: skip
_MARKS = (
    "\u0301", "\u200b", "\u200d", "\u202e", "\u2066", "\u00ad", "\ufe0f", "\U000e0041", "\u0430",
    "\ufeff", "\u2028", "\x85", "\u3000", "\u00a0", "\ud800", "\udc00", "\ue000", "\ufdfa", "ﬁ",
    "²",    "①", "٣", "३", "\r\n", "\v", "\x1b",
)  # fmt: skip
_ENDS = (
    ". ",
    "! ",
    "? ",
    "。",
    "؟ ",
    "।",
    "… ",
    "; ",
    ", ",
    ": ",
    "\n",
    "\n\n",
    " - ",
    ".) ",
    '." ',
)
_FACTS = (
    "42 %", "24 %", "$3.5 million", "12 March 2024", "2024-03-12", "14:02 UTC", "v2.3.1",
    "3,000 km", "did not", "caused", "preceded", "at most", "the largest", "may", "Paris",
    "10.0.0.1", "1/3",
    "from 8:00 AM to 4:00 PM", "Monday to Friday", "twelve", "-5 °C", "1.234,56 €", "ISO-9001",
)  # fmt: skip
_SHAPES = (
    "[1]", "[E1]", "[1, 2]", "(see [2])", '"', "“", "”", "«", "»", "* ", "- ", "1. ", "# ",
    "| a | b |\n", "|---|---|\n", "```\n", "<b>", "</b>", "&amp;", "{", "}", "null",
    "I cannot help with that.",
    "Hello!", "Is it?", "Here is a list:\n", "However, ", "It ", "They ", "---\n",
)  # fmt: skip


def word(source: random.Random) -> str:
    low, high = source.choice(_SCRIPTS)
    return "".join(chr(source.randint(low, high)) for _ in range(source.randint(1, 7)))


def text(source: random.Random, pieces: int) -> str:
    """Some words, facts, marks and layout in no sensible order."""
    out: list[str] = []
    for _ in range(source.randint(1, pieces)):
        kind = source.random()
        if kind < 0.55:
            out.append(word(source) + " ")
        elif kind < 0.72:
            out.append(source.choice(_FACTS) + " ")
        elif kind < 0.84:
            out.append(source.choice(_ENDS))
        elif kind < 0.94:
            out.append(source.choice(_SHAPES))
        else:
            out.append(source.choice(_MARKS))
    return "".join(out)


def shuffled(source: random.Random, original: str) -> str:
    """Parts of a text, so that some claims are really borne out."""
    cut = sorted(source.randrange(len(original) + 1) for _ in range(2))
    return original[cut[0] : cut[1]] + source.choice(_ENDS) + text(source, 8)


def value(source: random.Random, depth: int = 0) -> Any:
    kind = source.random()
    if depth < 3 and kind < 0.25:
        return {word(source): value(source, depth + 1) for _ in range(source.randint(0, 3))}
    if depth < 3 and kind < 0.4:
        return [value(source, depth + 1) for _ in range(source.randint(0, 3))]
    scalars = (
        text(source, 4),
        source.randint(-9, 99_999),
        source.random(),
        None,
        True,
        "8:0-16:30",
    )
    return source.choice(scalars)


def piece(source: random.Random, answer: str) -> Any:
    """One piece of evidence of any kind."""
    kind = source.random()
    if kind < 0.45:
        return text(source, 16) if source.random() < 0.5 else shuffled(source, answer)
    if kind < 0.6:
        return {"record": {"name": word(source), "more": value(source)}}
    if kind < 0.7:
        return {"rows": [value(source) for _ in range(source.randint(1, 3))]}
    if kind < 0.8:
        return {"text": f"a,b\n{word(source)},{source.choice(_FACTS)}\n", "kind": "table"}
    if kind < 0.9:
        return {"text": f"<p>{text(source, 12)}</p><td>{answer[:40]}", "kind": "html"}
    return {"text": json.dumps(value(source)), "kind": "record", "trust": "vouched"}


def case(seed: int) -> dict[str, Any]:
    """One request."""
    source = random.Random(seed)
    answer = text(source, 20)
    row = {"id": seed, "answer": answer, "evidence": [piece(source, answer) for _ in range(3)]}
    if source.random() < 0.5:
        row["question"] = text(source, 6)
    return row
