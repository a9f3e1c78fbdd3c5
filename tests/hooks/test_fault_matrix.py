"""Every way a check can fail × every policy: no cell turns an error into a pass."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.hooks import hostile

from firmground.adapters.hooks.http_api import HttpApiHook
from firmground.core.decision import Step, Verdict
from firmground.core.finding import Fault, FaultKind, Findings, HookReply
from firmground.core.ports import HookCase
from firmground.decide import POLICIES, Policy, decide
from firmground.decide.rules import FailedHooks
from firmground.hooks import BreakerPolicy, Breakers, HookEngine, Registered, summarise

CASE = HookCase(question=None, answer="The tower is 324 m tall.")
PASSING = {"passed": True, "message": "fine"}
BODIES: dict[str, tuple[int, bytes]] = {
    "401": (401, json.dumps(PASSING).encode()),
    "429": (429, json.dumps(PASSING).encode()),
    "500": (500, json.dumps(PASSING).encode()),
    "malformed JSON": (200, b'{"passed": true'),
    "passed missing": (200, b'{"message": "fine"}'),
    "passed as text": (200, b'{"passed": "true"}'),
    "blocked said otherwise": (200, b'{"blocked": true}'),
    "huge body": (200, b'{"passed": true, "x": "' + b"x" * 2_000_000 + b'"}'),
    "fine": (200, json.dumps(PASSING).encode()),
}
IN_WORKERS: dict[str, Any] = {
    "timeout": hostile.Does(how="block"),
    "exception": hostile.Does(how="raise"),
    "None": hostile.Says(reply=None),
    "wrong type": hostile.Says(reply={"passed": True}),
    "worker gone": hostile.Does(how="exit"),
    "forked copy that passes": hostile.Turns(how="copy_passes"),
}
FAULTS = [*IN_WORKERS, *[n for n in BODIES if n != "fine"], "DNS failure", "breaker open"]
OPEN_BY_CHOICE = Policy(name="open", rules=(FailedHooks(),), waived=("hooks",))
CLOSED = Policy(name="closed", rules=(FailedHooks(),))


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = BODIES[self.path[1:].replace("%20", " ")]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def replies(origin: str) -> dict[str, HookReply | Fault]:
    """What the engine makes of each fault, asked once."""

    def over_http(name: str, url: str, allow: str) -> Registered:
        hook = HttpApiHook(name=name, url=url, allow=(allow,), private=True)
        return Registered(hook=hook, inline=True)

    broken = Breakers(BreakerPolicy(threshold=1))
    broken.record("breaker open", broken.admit("breaker open"), hostile.FAULT)
    hooks = [
        *[
            Registered(hook=hook, name=name, timeout_seconds=2.0 if name == "timeout" else 20.0)
            for name, hook in IN_WORKERS.items()
        ],
        *[over_http(name, f"{origin}/{name.replace(' ', '%20')}", origin) for name in BODIES],
        over_http("DNS failure", "http://nobody.invalid/fine", "http://nobody.invalid"),
        over_http("breaker open", f"{origin}/fine", origin),
    ]
    said = asyncio.run(HookEngine(hooks, breakers=broken, most_workers=2).run(CASE))
    return {reply.source: reply for reply in said}


def test_the_matrix_can_also_say_yes(replies: dict[str, HookReply | Fault]) -> None:
    fine = replies["fine"]
    assert isinstance(fine, HookReply)
    assert fine.passed
    assert decide(Findings(hooks=(fine,)), CLOSED).step is Step.PROCEED


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_fault_whatever_its_body_says(
    replies: dict[str, HookReply | Fault], fault: str
) -> None:
    assert isinstance(replies[fault], Fault)
    assert not summarise((replies["fine"], replies[fault])).all_passed


def test_each_fault_says_which_it_was(replies: dict[str, HookReply | Fault]) -> None:
    kinds = {name: reply.kind for name, reply in replies.items() if isinstance(reply, Fault)}
    assert kinds == {
        "timeout": FaultKind.TIMEOUT,
        "exception": FaultKind.CRASHED,
        "None": FaultKind.BAD_REPLY,
        "wrong type": FaultKind.BAD_REPLY,
        "worker gone": FaultKind.CRASHED,
        "forked copy that passes": FaultKind.CRASHED,
        "401": FaultKind.REFUSED,
        "429": FaultKind.LIMIT,
        "500": FaultKind.UNREACHABLE,
        "malformed JSON": FaultKind.BAD_REPLY,
        "passed missing": FaultKind.BAD_REPLY,
        "passed as text": FaultKind.BAD_REPLY,
        "blocked said otherwise": FaultKind.BAD_REPLY,
        "huge body": FaultKind.LIMIT,
        "DNS failure": FaultKind.UNREACHABLE,
        "breaker open": FaultKind.BREAKER_OPEN,
    }


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "policy", [CLOSED, *POLICIES.values(), OPEN_BY_CHOICE], ids=lambda p: p.name
)
def test_no_cell_turns_an_error_into_a_pass(
    replies: dict[str, HookReply | Fault], fault: str, policy: Policy
) -> None:
    decision = decide(Findings(hooks=(replies["fine"], replies[fault])), policy)
    everything = (*decision.objections, *decision.waived)
    about = [o for o in everything if o.rule == "hooks"]
    assert [o.could_not_check for o in about] == [True]
    assert fault in about[0].reason
    assert about[0] in decision.objections, "a fault is waived by no policy"
    assert decision.step is Step.ABSTAIN


def test_a_policy_that_waives_hooks_releases_a_refusal_and_says_so() -> None:
    refusal = HookReply(source="books", passed=False, message="no")
    decision = decide(Findings(hooks=(refusal,)), OPEN_BY_CHOICE)
    assert decision.step is Step.PROCEED
    assert decision.verdict is Verdict.DOES_NOT_STAND
    assert [o.rule for o in decision.waived] == ["hooks"]
