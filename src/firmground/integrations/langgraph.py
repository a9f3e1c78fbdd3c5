"""LangGraph: a node that checks an answer, and a node that puts what failed to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.types import interrupt

from firmground.core.claim import Standing
from firmground.core.escalation import Choice, Ruling
from firmground.integrations.guard import Guard, feedback

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result

RELEASED, WITHHELD = "released", "withheld"


def grounding_node(
    *,
    engine: Engine | None = None,
    policy: str | Policy | None = None,
    answer_key: str = "answer",
    evidence_key: str = "context",
    question_key: str = "question",
) -> Runnable[Any, Any]:
    """Return a node that checks the answer in the state and writes to ``grounding`` what it found.

    ``grounding`` is a plain mapping, so that any checkpointer can keep it: ``route`` (``released``
    or ``withheld``), ``feedback`` for the model, ``attempts``, and ``result`` in the shape of
    ``Result.to_dict``.
    """
    guard = Guard(engine=engine, policy=policy)
    keys = (answer_key, evidence_key, question_key)

    def check(state: Mapping[str, Any]) -> dict[str, Any]:
        answer, evidence, question = (state.get(key) for key in keys)
        return _found(state, guard.check(answer or "", evidence, question))

    async def acheck(state: Mapping[str, Any]) -> dict[str, Any]:
        answer, evidence, question = (state.get(key) for key in keys)
        return _found(state, await guard.acheck(answer or "", evidence, question))

    return RunnableLambda(check, afunc=acheck, name="grounding")


def _found(state: Mapping[str, Any], result: Result) -> dict[str, Any]:
    released = result.decision.released
    found = {
        "route": RELEASED if released else WITHHELD,
        "feedback": "" if released else feedback(result),
        "attempts": (state.get("grounding") or {}).get("attempts", 0) + 1,
        "result": result.to_dict(),
    }
    return {"grounding": found}


def route(state: Mapping[str, Any]) -> str:
    """Return ``released`` or ``withheld``, for ``add_conditional_edges``."""
    return str(state["grounding"]["route"])


def ask_person(state: Mapping[str, Any]) -> dict[str, Any]:
    """Interrupt the graph until a person rules on the answer in the state.

    The interrupt's value has ``answer``, ``problems`` and ``choices``. Resume with ``skip`` to
    release the answer, ``abort`` to withhold it, or a mapping with ``choice``, ``note`` and ``by``.
    The ruling is written to ``grounding``; the answer of one that is withheld becomes None.
    """
    found = state["grounding"]
    result = found["result"]
    given = interrupt(
        {
            "question": state.get("question"),
            "answer": state["answer"],
            "problems": [
                {key: claim[key] for key in ("text", "start", "end", "standing", "reason")}
                for claim in result["claims"]
                if not Standing(claim["standing"]).stands
            ],
            "objections": [f"{one['rule']}: {one['reason']}" for one in result["objections"]],
            "choices": [str(Choice.SKIP), str(Choice.ABORT)],
        }
    )
    ruling = _ruling(given)
    released = ruling.choice is Choice.SKIP
    kept = {"choice": str(ruling.choice), "note": ruling.note, "by": ruling.by}
    return {
        "answer": state["answer"] if released else None,
        "grounding": {**found, "route": RELEASED if released else WITHHELD, "ruling": kept},
    }


def _ruling(given: Any) -> Ruling:
    parts = {"choice": given} if isinstance(given, str) else dict(given)
    ruling = Ruling(
        choice=Choice(parts["choice"]), note=parts.get("note", ""), by=parts.get("by", "")
    )
    if ruling.choice not in (Choice.SKIP, Choice.ABORT):
        raise ValueError(f"resume with skip or abort, not {ruling.choice}")
    return ruling
