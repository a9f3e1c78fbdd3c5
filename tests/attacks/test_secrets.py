"""Breaks by which a secret got out: each was possible once."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from tests.hooks.test_hostile_hooks import turned
from tests.models.wire_server import completion, refusal, wire

from firmground.adapters.openai_model import CallLimits, ModelEndpoint, OpenAIModel
from firmground.cli.main import cli
from firmground.core.finding import Fault
from firmground.core.ports import ModelReply, ModelRequest
from firmground.errors import FirmgroundError, ModelError
from firmground.ledger.keys import generate

KEY = "sk-Zq8+/Vw3=Rt6-Yp1Lm0Nb5Xc2"
ASKED = ModelRequest(messages=(("user", "hello"),))
FORMS = {
    "as it is": KEY,
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64 with other text": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "as in an address": quote(KEY, safe=""),
}


async def asked(base_url: str) -> ModelReply:
    endpoint = ModelEndpoint(base_url=base_url, api_key=KEY)
    async with OpenAIModel("m", endpoint=endpoint, limits=CallLimits(tries=1)) as model:
        return await model.complete(ASKED)


def parts(form: str) -> Iterator[str]:
    """Every ten letters in a row: no such part may be shown either."""
    return (form[at : at + 10] for at in range(len(form) - 9))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_key_that_an_endpoint_repeats_is_redacted_in_every_form(form: str) -> None:
    with (
        wire(lambda body, n: refusal(400, f"bad key {form} was sent")) as server,
        pytest.raises(ModelError) as caught,
    ):
        asyncio.run(asked(server.base_url))
    assert form not in str(caught.value)
    with wire(lambda body, n: (200, {}, completion(f"You sent {form}."))) as server:
        reply = asyncio.run(asked(server.base_url))
    assert form not in reply.texts[0]
    assert reply.texts[0].startswith("You sent ")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("before", range(270, 300, 3))
def test_a_key_is_redacted_before_a_message_is_cut(form: str, before: int) -> None:
    """The message is shortened to 300 letters: the cut must not leave the beginning of a key."""
    with (
        wire(lambda body, n: refusal(400, "x" * before + form)) as server,
        pytest.raises(ModelError) as caught,
    ):
        asyncio.run(asked(server.base_url))
    assert not any(part in str(caught.value) for part in parts(form))


@pytest.mark.parametrize(
    "arguments",
    [
        ("keys", "show", "{key}"),
        ("verify", "nothing.json", "--key", "{key}"),
        ("verify", "{key}", "--key", "x"),
        ("checkpoint", "--ledger", "{ledger}", "--signer", "{key}"),
        ("audit", "--ledger", "{key}"),
        ("witness", "serve", "--key", "{key}", "--log", "x", "--state", "y"),
        ("check", "-a", "It rained.", "-e", "It rained.", "--config", "{key}"),
        ("ask", "why?", "-e", "It rained.", "--api-key-env", "{key}", "--model", "m"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
@pytest.mark.parametrize("kind", ["signing key", "model key"])
def test_a_key_given_where_a_path_belongs_is_never_echoed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    key = generate("example.org/log").private_text() if kind == "signing key" else KEY
    secret = key.split("+", 4)[4] if kind == "signing key" else key
    filled = [each.format(key=key, ledger=tmp_path / "log.sqlite") for each in arguments]
    told = CliRunner().invoke(cli, filled)
    said = told.output + str(told.exception if isinstance(told.exception, FirmgroundError) else "")
    assert told.exit_code != 0
    assert secret not in said, said


@contextmanager
def a_proxy() -> Iterator[tuple[str, list[str]]]:
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(f"{self.path} {self.headers.get('authorization')}")
            self.send_response(502)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", heard
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_a_model_key_for_this_machine_does_not_go_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with a_proxy() as (proxy, heard), wire(lambda body, n: (200, {}, completion("hi"))) as server:
        monkeypatch.setenv(variable, proxy)
        reply = asyncio.run(asked(server.base_url))
    assert heard == []
    assert reply.texts == ("hi",)
    assert server.keys == [f"Bearer {KEY}"]


def test_a_forked_copy_of_a_hook_that_pretends_to_be_it_does_not_speak_for_it() -> None:
    reply = turned("copy_pretends")
    assert isinstance(reply, Fault)
    assert reply.message == "raised RuntimeError: no pass"
