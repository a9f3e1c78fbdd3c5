"""Failure policies, modes, faults and limits of the proxy."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.service.conftest import ThreadServer
from tests.service.test_proxy_openai import (
    EVIDENCE,
    FALSE,
    MESSAGES,
    TRUE,
    Behind,
    text_of,
    verdict_of,
)
from tests.service.upstream import MODEL, Plan

from firmground.service.auth import KeyScope

ASK: Any = [{"role": "user", "content": "When did the Alder bridge open?"}]


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Behind]:
    one = Behind(tmp_path, request.param, ThreadServer)
    yield one
    one.close()


def metrics(one: Behind) -> str:
    return one.server.call("GET", "/metrics", key=one.key).raw.decode()


@pytest.mark.parametrize(
    "made", ['on_failure = "repair"', 'on_failure = "repair"\nmode = "window"'], indirect=True
)
def test_repair_cuts_out_what_is_not_supported_and_releases_the_rest(made: Behind) -> None:
    made.next = Plan(texts=[FALSE[at : at + 9] for at in range(0, len(FALSE), 9)])
    for reply in (made.chat(), None):
        chunks = [] if reply else made.stream()
        said = reply.choices[0].message.content if reply else text_of(chunks)
        found = reply.firmground if reply else verdict_of(chunks)
        assert "91,777" not in said
        assert "opened in 1932." in said
        assert "It is 300 metres long." in said
        assert (found["label"], found["delivery"]) == ("REPAIRED", "repaired")


@pytest.mark.parametrize("made", ['on_failure = "regenerate"\nregenerations = 2'], indirect=True)
def test_regenerate_asks_again_with_what_was_wrong_and_is_bounded(made: Behind) -> None:
    made.plans = [Plan(texts=[FALSE]), Plan(texts=[FALSE]), Plan(texts=[TRUE])]
    reply = made.chat()
    assert (reply.choices[0].message.content, reply.firmground["label"]) == (TRUE, "VERIFIED")
    assert "91,777" in made.upstream.asked[1]["messages"][-1]["content"]
    kept = made.run(reply.firmground["run"])
    assert kept["attempts"] == 3
    made.upstream.asked.clear()
    made.plans, made.next = [], Plan(texts=[FALSE])
    assert made.chat().firmground["label"] == "WITHHELD"
    assert len(made.upstream.asked) == 3


@pytest.mark.parametrize("made", ['on_failure = "flag"'], indirect=True)
def test_flag_releases_and_says_so(made: Behind) -> None:
    made.next = Plan(texts=[FALSE])
    reply = made.chat()
    assert reply.choices[0].message.content == FALSE
    assert (reply.firmground["label"], reply.firmground["verdict"]) == ("FLAGGED", "does_not_stand")


@pytest.mark.parametrize("made", ['mode = "annotate"'], indirect=True)
def test_annotate_never_claims_more_than_unverified_at_delivery(made: Behind) -> None:
    for text, verdict in ((TRUE, "stands"), (FALSE, "does_not_stand")):
        made.next = Plan(texts=[text[:20], text[20:]], reasoning="secret thoughts")
        chunks = made.stream()
        assert text_of(chunks) == text
        found = verdict_of(chunks)
        assert (found["label"], found["verdict"]) == ("UNVERIFIED-AT-DELIVERY", verdict)
        assert "secret" not in "".join(c.to_json() for c in chunks)
        assert made.chat().firmground["label"] == "UNVERIFIED-AT-DELIVERY"
    made.next = Plan(texts=[FALSE])
    strict = made.chat(extra_body={"firmground": {"mode": "hold"}})
    assert strict.firmground["label"] == "WITHHELD"


@pytest.mark.parametrize(
    "made", ['no_evidence = "label"', 'no_evidence = "preflight"'], indirect=True
)
def test_an_answer_without_evidence_is_labelled(made: Behind) -> None:
    reply = made.chat(messages=ASK)
    assert reply.choices[0].message.content == TRUE
    assert (reply.firmground["label"], reply.firmground["verdict"]) == (
        "NO-EVIDENCE",
        "could_not_tell",
    )


@pytest.mark.parametrize("made", ['no_evidence = "preflight"'], indirect=True)
def test_a_question_that_preflight_blocks_is_not_asked(made: Behind) -> None:
    wild: Any = [
        {
            "role": "user",
            "content": "Our bridge has been closed ever since the last storm. It was caused by a crack in"
            " the deck. Immediately write a full incident report.",
        }
    ]
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        made.chat(messages=wild)
    assert caught.value.code == "question_refused"
    assert made.upstream.asked == []


@pytest.mark.parametrize(
    "made", ["held_bytes = 2000\nbreaker = { threshold = 1000 }"], indirect=True
)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_too_long_to_hold_is_withheld(made: Behind, stream: bool) -> None:
    made.next = Plan(texts=[TRUE + " "] * 60)
    if stream:
        chunks = made.stream()
        found, said = verdict_of(chunks), text_of(chunks)
    else:
        reply = made.chat()
        found, said = reply.firmground, reply.choices[0].message.content
    assert (found["label"], found["verdict"]) == ("WITHHELD", "could_not_tell")
    assert "1932" not in said
    assert 'grounding_fail_closed_total{check="chat",reason="error"} 1.0' in metrics(made)


@pytest.mark.parametrize("made", ["heartbeat_seconds = 0.1"], indirect=True)
def test_a_held_stream_gets_heartbeats(made: Behind) -> None:
    made.next = Plan(
        texts=[TRUE], pieces=lambda raw: [raw[:200], raw[200:]], pause=lambda at: at * 0.8
    )
    body = {"model": MODEL, "messages": MESSAGES, "stream": True}
    answer = made.server.call("POST", "/v1/chat/completions", body, key=made.key)
    assert answer.raw.count(b": firmground is checking\n\n") >= 2
    made.next = Plan(texts=[TRUE])
    assert text_of(made.stream()) == TRUE


@pytest.mark.parametrize(
    "made", ["breaker = { threshold = 2, cool_down_seconds = 0.5 }"], indirect=True
)
def test_a_failing_upstream_is_left_alone_and_comes_back(made: Behind) -> None:
    made.next = Plan(status=500, raw=b"")
    codes = []
    for _ in range(4):
        with pytest.raises(openai.APIStatusError) as caught:
            made.chat()
        codes.append(caught.value.code)
    asked = len(made.upstream.asked)
    assert codes[-1] == "upstream_unavailable"
    assert caught.value.response.headers["retry-after"]
    made.next = Plan(texts=[TRUE])
    time.sleep(0.6)
    assert made.chat().firmground["label"] == "VERIFIED"
    assert len(made.upstream.asked) == asked + 1


@pytest.mark.parametrize("made", ["breaker = { threshold = 2 }"], indirect=True)
def test_answers_that_fall_never_open_the_breaker(made: Behind) -> None:
    made.next = Plan(texts=[FALSE])
    assert {made.chat().firmground["label"] for _ in range(6)} == {"WITHHELD"}


@pytest.mark.parametrize("made", [""], indirect=True)
def test_a_request_is_tried_again_only_before_the_first_byte(made: Behind) -> None:
    made.plans = [Plan(status=503, raw=b""), Plan(texts=[TRUE])]
    assert made.chat().firmground["label"] == "VERIFIED"
    assert len(made.upstream.asked) == 2
    made.upstream.asked.clear()
    late = Plan(
        texts=[TRUE], cut_at=450, reset=True, pieces=lambda raw: [raw[:400], raw[400:]],
        pause=lambda at: at * 0.5,
    )  # fmt: skip
    made.plans = [late, Plan(texts=[TRUE])]
    with pytest.raises(openai.APIError):
        made.stream()
    assert len(made.upstream.asked) == 1


@pytest.mark.parametrize("made", [""], indirect=True)
def test_a_repeated_request_gets_the_same_reply_and_makes_one_record(made: Behind) -> None:
    headers = {"Idempotency-Key": "once"}
    first = made.chat(extra_headers=headers)
    again = made.chat(extra_headers=headers)
    assert again.id == first.id
    assert len(made.upstream.asked) == 1
    headers = {"Idempotency-Key": "twice"}
    streams = [made.stream(extra_headers=headers) for _ in range(2)]
    assert [text_of(chunks) for chunks in streams] == [TRUE, TRUE]
    assert streams[0][0].id == streams[1][0].id
    assert len(made.upstream.asked) == 2
    assert len(made.server.runs(made.key)) == 2


@pytest.mark.parametrize("made", ['mode = "window"'], indirect=True)
def test_an_aborted_stream_is_recorded_with_what_had_left(made: Behind) -> None:
    made.next = Plan(
        texts=[TRUE, " It is", " 300 metres long."],
        pieces=lambda raw: [raw[:1000], raw[1000:]], pause=lambda at: at * 30.0,
    )  # fmt: skip
    body = json.dumps({"model": MODEL, "messages": MESSAGES, "stream": True}).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {made.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", made.server.port)) as client:
        client.sendall(head + body)
        seen = b""
        while b"40,000" not in seen:
            seen += client.recv(4096)
    until = time.monotonic() + 20
    while not (runs := made.server.runs(made.key)) and time.monotonic() < until:
        time.sleep(0.05)
    (row,) = runs
    assert row["label"] == {
        "aborted": "true", "decision": "cut_off", "delivery": "part", "mode": "window",
        "surface": "chat", "verdict": "could_not_tell",
    }  # fmt: skip
    shown = made.run(row["run"])
    (answer,) = [s["payload"] for s in shown["stages"] if s["stage"] == "answer"]
    assert json.loads(answer)["text"].strip() == TRUE


@pytest.mark.parametrize("made", ['evidence = ["tools", "retriever"]'], indirect=True)
def test_sources_of_evidence_that_are_not_listed_are_not_taken(made: Behind) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        made.chat()
    assert caught.value.code == "no_evidence"
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        made.chat(extra_body={"firmground": {"evidence": [EVIDENCE]}})
    assert caught.value.param == "firmground.evidence"


@pytest.mark.parametrize("made", ["patterns = ['(?s)BEGIN(.*?)END']"], indirect=True)
def test_evidence_is_found_by_patterns_of_ones_own(made: Behind) -> None:
    pytest.importorskip("re2")
    messages: Any = [{"role": "user", "content": f"BEGIN {EVIDENCE} END When did it open?"}]
    assert made.chat(messages=messages).firmground["label"] == "VERIFIED"


@pytest.mark.parametrize("made", [""], indirect=True)
def test_the_authorisation_matrix_of_the_proxy(made: Behind) -> None:
    proxied = [one for one in made.server.app.routes if str(one.path).startswith("/v1/")]  # type: ignore[attr-defined]
    assert len(proxied) == 5
    for route in proxied:
        path = route.path.replace("{model:path}", MODEL)
        method = "GET" if "GET" in route.methods else "POST"
        body: Any = None if method == "GET" else {}
        for key in (None, "nonsense", "fg_0000000000000000_" + "A" * 43):
            answer = made.server.call(method, path, body, key=key)
            assert (answer.status, "error" in answer.json) == (401, True), path
        for scope in KeyScope:
            status = made.server.call(method, path, body, key=made.server.key(scope)).status
            allowed = scope in (KeyScope.CHECK, KeyScope.ADMIN)
            assert (status == 403) == (not allowed), (path, scope)
            assert status < 500


def test_evidence_in_many_unclosed_tags_is_read_in_linear_time() -> None:
    from firmground.config.proxy import ProxySettings
    from firmground.service.proxy.requests import EvidenceFinder

    finder = EvidenceFinder(ProxySettings(upstreams=()))
    started = time.process_time()
    finder.evidence([{"role": "user", "content": "<document>" * 100_000}], None)
    assert time.process_time() - started < 5


def test_a_proxy_without_an_upstream_or_with_a_wrong_word_is_refused(tmp_path: Path) -> None:
    from firmground.config.settings import Settings
    from firmground.errors import ConfigError

    for text, told in (
        ("[proxy]\n", "upstream"),
        ('[proxy]\nmode = "fast"\n[[proxy.upstream]]\nname="a"\nbase_url="http://x"\nmodels=["*"]\n', "mode"),
        ('[proxy]\n[[proxy.upstream]]\nname="a"\nbase_url="ftp://x"\nmodels=["*"]\n', "base_url"),
        ('[proxy]\nevidence=["web"]\n[[proxy.upstream]]\nname="a"\nbase_url="http://x"\nmodels=["*"]\n', "evidence"),
        ('[proxy]\n[[proxy.upstream]]\nname="a"\nbase_url="http://x"\nmodels=["*"]\nkey_env="NOT_SET_HERE"\n', "key_env"),
    ):  # fmt: skip
        file = tmp_path / "firmground.toml"
        file.write_text(text)
        with pytest.raises(ConfigError, match=told):
            Settings.load(file)


@pytest.mark.parametrize("on_error", ["stop", "open"])
@pytest.mark.parametrize("mode", ["hold", "window"])
@pytest.mark.parametrize("fault", ["raises", "hangs"])
def test_a_check_that_fails_is_never_a_pass(
    tmp_path: Path, on_error: str, mode: str, fault: str
) -> None:
    """Fault × policy: the judge raises or hangs; fail-open is opted into, labelled and counted."""
    asyncio.run(_faulty(tmp_path, on_error, mode, fault))


async def _faulty(folder: Path, on_error: str, mode: str, fault: str) -> None:
    from tests.service.test_proxy_tap import Rig, story

    from firmground.config.proxy import DeliveryMode, OnError
    from firmground.errors import ModelError

    class Judge:
        async def assess(self, inquiry: Any) -> Any:
            if fault == "hangs":
                await asyncio.sleep(3600)
            raise ModelError("the judge is broken")

    rig = Rig(
        folder, judge=Judge(), mode=DeliveryMode(mode), on_error=OnError(on_error), seconds=1.0
    )
    async with rig.running():
        told = story(5, sound=True)
        tapped = await rig.ask(told, Plan(texts=[told.answer]))
        text = rig.app.state.service.metrics.text().decode()
    events = [event for _, event in tapped.events()]
    label = next((e["firmground"]["label"] for e in events if "firmground" in e), None)
    released = told.answer in tapped.text
    assert label not in ("VERIFIED", "WAIVED", "REPAIRED")
    if fault == "raises":
        assert (label, released) == (
            ("UNVERIFIED", True) if on_error == "open" else ("WITHHELD", False)
        )
        name = "fail_open" if on_error == "open" else "fail_closed"
        assert f'grounding_{name}_total{{check="chat",reason="error"}} 1.0' in text
    else:
        assert not released
