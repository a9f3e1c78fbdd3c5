"""Malformed judge outputs of every kind that was seen in practice, and of some that were not."""

from __future__ import annotations

import random


def malformed_outputs(good: str, count: int) -> list[str]:
    """So many broken forms of one judge's output: fixed ones first, then drawn under a seed."""
    draw = random.Random(20260)  # noqa: S311 - spoils texts, guards nothing
    made = _fixed(good)
    while len(made) < count:
        text = good
        for _ in range(draw.randint(1, 4)):
            text = _spoilt(text, draw) or "x"
        made.append(text)
    return made


def _fixed(good: str) -> list[str]:
    return [
        "", " ", "null", "[]", "{}", "0.8", '"grounded"', "true", "NaN", "{", "}", "}{", "[{]}",
        "```json\n```", "I cannot help with that.", "grounding_score: 0.95", "Score: 1.0 (sure)",
        '{"grounding_score": NaN}', '{"grounding_score": 1e999}', '{"grounding_score": "0.9"}',
        '{"grounding_score": 7}', '{"grounding_score": true}', '{"grounded_claims": "C1"}',
        '{"grounded_claims": null}', '{"grounded_claims": {"id": "C1"}}',
        '{"grounded_claims": [[]]}',
        '{"grounded_claims": [null, 1, true, {}]}', '{"grounded_claims": [{"id": ["C1"]}]}',
        '{"grounded_claims": [{"id": "C1", "evidence": "E1"}]}',
        '{"grounded_claims": [{"id": "C1", "evidence": [{"id": 1, "quote": 2}]}]}',
        '{"decision_status": 3}', '{"decision_status": "ABSTAIN", "abstain_reason": ["x"]}',
        "{" * 4000, "[" * 4000 + "]" * 4000, '{"a":' * 900 + "1" + "}" * 900,
        '{"grounded_claims": [{"id": "C1"}], "grounded_claims": [{"id": "C2"}]}',
        "\ud800", "\x00", "\u202e" + good, "9" * 6000, '{"grounding_score": ' + "9" * 6000 + "}",
    ]  # fmt: skip


def _spoilt(text: str, draw: random.Random) -> str:
    """The text with one more mistake in it."""
    at = draw.randrange(len(text) + 1)
    ways = (
        lambda: text[:at],
        lambda: text[:at] + draw.choice('{}[]",:\\\n\u0000`') + text[at:],
        lambda: text[:at] + text[at + draw.randint(1, 9) :],
        lambda: "Sure! Here is {my} verdict:\n```json\n" + text + "\n```\nHope [that] helps",
        lambda: text.replace('"', draw.choice(["'", "“", '\\"']), draw.randint(1, 20)),
        lambda: text.replace("]", ",]").replace("}", ",}"),
        lambda: text.replace("C1", draw.choice(["C99", "c1", "claim 1", "", "E1", "C-1"])),
        lambda: text + draw.choice([text, "}", "\n{}", ' {"grounding_score": 1.0}']),
    )
    return draw.choice(ways)()
