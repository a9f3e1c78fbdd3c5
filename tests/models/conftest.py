"""One real model server for all tests of this folder, started when the first of them needs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmground.adapters.openai_model import ModelEndpoint
from firmground.testing import local_server as local


@pytest.fixture(scope="session")
def server() -> Iterator[local.LocalServer]:
    """A llama.cpp server with SmolLM2-135M, or a skip that says what to install."""
    reason = local.missing()
    if reason:
        pytest.skip(reason)
    pytest.importorskip("openai", reason="the extra 'llm' is not installed")
    with local.local_server(n_ctx=8192, slots=4) as running:
        yield running


@pytest.fixture
def endpoint(server: local.LocalServer) -> ModelEndpoint:
    """Where the real server is."""
    return ModelEndpoint(base_url=server.base_url, api_key=server.api_key)
