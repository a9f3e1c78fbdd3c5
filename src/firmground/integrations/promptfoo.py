"""Promptfoo: an assertion in Python for its ``file://`` scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmground.integrations.guard import Guard, explain


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether the output of a test stands on the variable ``context``.

    Promptfoo calls this. ``question`` is read from the variables too; ``config`` of the assertion
    may name a ``policy`` and other variables (``evidence``, ``question``).
    """
    config = context.get("config") or {}
    variables = context.get("vars") or {}
    evidence = variables.get(config.get("evidence", "context"))
    question = variables.get(config.get("question", "question"))
    result = Guard(policy=config.get("policy")).check(str(output), evidence, question)
    return {
        "pass": result.stands,
        "score": result.support,
        "reason": explain(result),
        "namedScores": {"support": result.support, "risk": result.risk},
        "componentResults": [
            {
                "pass": claim.stands,
                "score": float(claim.stands),
                "reason": f"answer[{claim.start}:{claim.end}] {claim.standing}: {claim.reason}",
            }
            for claim in result.claims
        ],
    }
