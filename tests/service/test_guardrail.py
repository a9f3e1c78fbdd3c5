"""LiteLLM's generic guardrail contract, as its gateway speaks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import ThreadServer
from tests.service.test_proxy_openai import EVIDENCE, FALSE, TRUE

from firmground.service.guardrail import PATH

MESSAGES = [
    {"role": "system", "content": f"<document>{EVIDENCE}</document>"},
    {"role": "user", "content": "Tell me about the Alder bridge."},
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ThreadServer]:
    made = ThreadServer(tmp_path)
    yield made
    made.stop()


def send(server: ThreadServer, key: str, **body: Any) -> Any:
    answer = server.call("POST", PATH, body, X_Api_Key=key)
    assert answer.status == 200, answer.raw
    return answer.json


def test_an_answer_is_checked_with_the_evidence_of_its_request(server: ThreadServer) -> None:
    key = server.key("check", "read")
    asked = {"litellm_call_id": "c1", "input_type": "request", "texts": ["…"]}
    assert send(server, key, **asked, structured_messages=MESSAGES)["action"] == "NONE"
    assert server.runs(key) == []
    reply = {"litellm_call_id": "c1", "input_type": "response", "request_data": {}}
    assert send(server, key, **reply, texts=[TRUE])["action"] == "NONE"
    blocked = send(server, key, **reply, texts=[FALSE])
    assert blocked["action"] == "BLOCKED"
    assert "91,777" not in str(blocked)
    assert blocked["firmground"]["run"] in blocked["blocked_reason"]
    rows = server.runs(key)
    assert [row["label"]["verdict"] for row in rows] == ["does_not_stand", "stands"]
    assert {row["label"]["surface"] for row in rows} == {"guardrail"}
    other = server.key("check")
    assert send(server, other, **reply, texts=[TRUE])["action"] == "BLOCKED"


def test_no_evidence_is_blocked_and_evidence_can_come_with_the_answer(server: ThreadServer) -> None:
    key = server.key("check")
    assert send(server, key, input_type="response", texts=[TRUE])["action"] == "BLOCKED"
    more = {"evidence": [EVIDENCE], "question": "When?"}
    told = {"input_type": "response", "additional_provider_specific_params": more}
    assert send(server, key, **told, texts=[TRUE, "It is 300 metres long."])["action"] == "NONE"
    call = {
        "function": {"name": "f", "arguments": '{"text": "It opened in 1877 and is blue now."}'}
    }
    assert send(server, key, **told, texts=[], tool_calls=[call])["action"] == "BLOCKED"
    assert send(server, key, input_type="response", texts=[])["action"] == "NONE"
