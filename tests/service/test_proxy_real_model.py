"""The official ``openai`` client through the proxy to a real small model (SmolLM2, llama.cpp)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from tests.service.conftest import ThreadServer

import firmground
from firmground.testing import local_server as local

EVIDENCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day. It is 300 metres long."
MESSAGES: Any = [
    {"role": "system", "content": f"Answer from this.\n<document>{EVIDENCE}</document>"},
    {"role": "user", "content": "Repeat the document word for word."},
]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, openai.OpenAI]]:
    if reason := local.missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("real")
    with local.local_server(n_ctx=2048, slots=2) as model:
        (folder / "model.key").write_text(model.api_key)
        table = (
            '[proxy]\nmode = "window"\n[[proxy.upstream]]\nname = "smol"\n'
            f'base_url = "{model.base_url}"\nmodels = ["smollm2*"]\nkey_file = "model.key"\n'
        )
        server = ThreadServer(folder, table)
        url = f"http://127.0.0.1:{server.port}/v1"
        key = server.key("check", "read")
        with openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=500) as client:
            yield server, client
        server.stop()


def test_a_real_model_streams_through_the_proxy(proxied: tuple[Any, openai.OpenAI]) -> None:
    server, client = proxied
    assert [m.id for m in client.models.list()] == [local.MODEL]
    chunks: list[Any] = list(
        client.chat.completions.create(
            model=local.MODEL, messages=MESSAGES, stream=True, temperature=0, max_tokens=60,
            stream_options={"include_usage": True},
        )
    )  # fmt: skip
    found = next(c.firmground for c in chunks if getattr(c, "firmground", None))
    said = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    reasons = [c.choices[0].finish_reason for c in chunks if c.choices]
    assert chunks[-1].usage.completion_tokens > 0
    assert (found["label"] == "WITHHELD") == (reasons[-1] == "content_filter")
    rows = server.runs(server.key("read"))
    assert [row["run"] for row in rows] == [found["run"]]
    # What left is what an independent check of the same text lets pass, but for the notice.
    kept = said.partition("[firmground")[0].strip()
    assert not kept or firmground.check(kept, EVIDENCE, judge="lexical").decision.released


def test_a_real_model_answers_whole_and_as_a_response(proxied: tuple[Any, openai.OpenAI]) -> None:
    server, client = proxied
    reply: Any = client.chat.completions.create(
        model=local.MODEL, messages=MESSAGES, temperature=0, max_tokens=60
    )
    again: Any = client.responses.create(
        model=local.MODEL, input=MESSAGES, temperature=0, max_output_tokens=60
    )
    assert reply.firmground["label"] == again.firmground["label"]
    assert reply.usage.total_tokens > 0
    assert again.usage.output_tokens > 0
    assert len(server.runs(server.key("read"))) == 3
    print(reply.firmground["label"], repr(reply.choices[0].message.content))
