"""What all tests of integrations need."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

# No framework reports to its makers from a test.
os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}


@pytest.fixture(autouse=True)
def closed_loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close event loops that a framework opened and left behind."""
    made: list[asyncio.AbstractEventLoop] = []
    policy = type(asyncio.get_event_loop_policy())
    new = policy.new_event_loop

    def noted(self: asyncio.AbstractEventLoopPolicy) -> asyncio.AbstractEventLoop:
        made.append(new(self))
        return made[-1]

    monkeypatch.setattr(policy, "new_event_loop", noted)
    yield
    for loop in made:
        if not loop.is_running() and not loop.is_closed():
            loop.close()
    asyncio.set_event_loop(None)
