"""LiteLLM's guardrail hooks with real responses of its mock provider."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import yaml
from tests.integrations.pages import block, need, run_page

need("litellm")

import litellm  # noqa: E402

from firmground.errors import AnswerWithheld  # noqa: E402
from firmground.integrations.litellm import GroundingGuardrail, evidence_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
ASKED = [{"role": "user", "content": "When did the Alder bridge open?"}]
REQUEST: dict[str, Any] = {"messages": ASKED, "metadata": {"evidence": [RIGHT]}}


def guardrail(**options: Any) -> GroundingGuardrail:
    given = {"guardrail_name": "firmground", "event_hook": "post_call", "default_on": True}
    return GroundingGuardrail(**{**given, **options})


async def completed(text: str) -> Any:
    return await litellm.acompletion(model="gpt-4o", messages=ASKED, mock_response=text)


async def streamed(text: str, made: GroundingGuardrail) -> tuple[list[str], str | None]:
    response = await litellm.acompletion(
        model="gpt-4o", messages=ASKED, mock_response=text, stream=True
    )
    pieces, reason = [], None
    async for chunk in made.async_post_call_streaming_iterator_hook(None, response, REQUEST):
        pieces.append(chunk.choices[0].delta.content or "")
        reason = chunk.choices[0].finish_reason or reason
    return [one for one in pieces if one], reason


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("litellm.md", 0)
    assert printed == expected


def test_the_documented_configuration_builds_the_guardrail() -> None:
    (entry,) = yaml.safe_load(block("litellm.md", "yaml"))["guardrails"]
    given = dict(entry["litellm_params"])
    path = given.pop("guardrail")
    assert path == f"{GroundingGuardrail.__module__}.{GroundingGuardrail.__name__}"
    made = GroundingGuardrail(
        guardrail_name=entry["guardrail_name"], event_hook=given.pop("mode"), **given
    )
    assert made.default_on


def test_a_response_is_released_blocked_or_replaced() -> None:
    async def main() -> None:
        good = await completed(RIGHT)
        checked = await guardrail().async_post_call_success_hook(REQUEST, None, good)
        assert checked.choices[0].message.content == RIGHT
        with pytest.raises(AnswerWithheld, match="contradicted"):
            await guardrail().async_post_call_success_hook(REQUEST, None, await completed(WRONG))
        replaced = await guardrail(on_fail="message", message="no").async_post_call_success_hook(
            REQUEST, None, await completed(WRONG)
        )
        assert replaced.choices[0].message.content == "no"
        assert replaced.choices[0].finish_reason == "content_filter"

    asyncio.run(main())


def test_a_request_that_does_not_ask_for_it_is_not_checked() -> None:
    async def main() -> Any:
        made = guardrail(default_on=False)
        return await made.async_post_call_success_hook(REQUEST, None, await completed(WRONG))

    assert asyncio.run(main()).choices[0].message.content == WRONG


def test_a_stream_yields_no_sentence_that_fails() -> None:
    text = f"{RIGHT} {WRONG} {RIGHT}"
    pieces, reason = asyncio.run(streamed(text, guardrail(on_fail="message", message="no")))
    assert pieces[0] == f"{RIGHT} "
    assert "1952" not in "".join(pieces)
    assert pieces[-1] == "no"
    assert reason == "stop"
    with pytest.raises(AnswerWithheld):
        asyncio.run(streamed(text, guardrail()))
    assert asyncio.run(streamed(RIGHT, guardrail())) == ([RIGHT], "stop")


def test_evidence_comes_from_the_request_then_tools_then_the_system_message() -> None:
    system = {"role": "system", "content": RIGHT}
    tool = {"role": "tool", "content": [{"type": "text", "text": RIGHT}], "name": "search"}
    assert evidence_of({**REQUEST, "messages": [system]}) == [RIGHT]
    assert evidence_of({"messages": [system, tool, *ASKED]}) == [
        {"text": RIGHT, "role": "background"}
    ]
    assert evidence_of({"messages": [system, *ASKED, tool]}) == [
        {"text": RIGHT, "kind": "tool", "origin": "search"}
    ]
