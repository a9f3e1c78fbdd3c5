"""Records over kills, faults of upstreams, draining, and the breaker against a model."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import signal
import threading
import time
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.service.test_proxy_openai import MESSAGES, TRUE, Behind
from tests.service.test_proxy_tap import Rig, _cut, story
from tests.service.upstream import MODEL, Plan

from firmground.config.proxy import DeliveryMode
from firmground.hooks.breaker import BreakerPolicy, Breakers, Circuit
from firmground.service.state import ServiceState

BODY = {"model": MODEL, "messages": MESSAGES}


class BreakerModel(RuleBasedStateMachine):
    """The breaker against the plainest description of what it does."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.breakers = Breakers(
            BreakerPolicy(threshold=3, cool_down_seconds=10.0), clock=lambda: self.now
        )
        self.failed = 0
        self.opened: float | None = None
        self.probe: Any = None

    @rule(seconds=st.floats(0, 15))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(reachable=st.sampled_from([True, False, None]))
    def call(self, reachable: bool | None) -> None:
        permit = self.breakers.admit("up")
        closed = self.opened is None
        rested = self.opened is not None and self.now - self.opened >= 10.0
        assert permit.admitted == (closed or (rested and self.probe is None))
        if not permit.admitted:
            return
        assert permit.probe == (not closed)
        self.breakers.learn("up", permit, reachable=reachable)
        if reachable is True:
            self.failed, self.opened = 0, None
        elif reachable is False:
            self.failed += 1
            if permit.probe or self.failed >= 3:
                self.opened = self.now

    @rule()
    def probe_held_open(self) -> None:
        """A second call never goes out while the one probe is under way."""
        if self.opened is None or self.now - self.opened < 10.0:
            return
        first, second = self.breakers.admit("up"), self.breakers.admit("up")
        assert (first.admitted, second.admitted) == (True, False)
        self.breakers.learn("up", first, reachable=None)

    @invariant()
    def agrees(self) -> None:
        assert (self.breakers.state("up").circuit is Circuit.CLOSED) == (self.opened is None)


def _breaker(examples: int, steps: int) -> None:
    limits = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None
    )
    run_state_machine_as_test(BreakerModel, settings=limits)


def test_the_breaker_does_what_its_model_says() -> None:
    _breaker(40, 50)


@pytest.mark.soak
def test_the_breaker_does_what_its_model_says_in_fifty_thousand_steps() -> None:
    _breaker(1000, 50)


def test_after_kills_every_admitted_request_has_exactly_one_record(tmp_path: Path) -> None:
    _killed(tmp_path, kills=1, seconds=1.5)


@pytest.mark.soak
def test_after_many_kills_every_admitted_request_has_exactly_one_record(tmp_path: Path) -> None:
    _killed(tmp_path, kills=8, seconds=2.0)


def _killed(folder: Path, *, kills: int, seconds: float) -> None:
    behind = Behind(folder, 'mode = "window"')
    behind.next = Plan(
        texts=[word + " " for word in TRUE.split()], pieces=lambda raw: _cut(random.Random(1), raw)
    )
    answered: list[str] = []
    ended = threading.Event()

    def work(stream: bool) -> None:
        while not ended.is_set():
            try:
                answer = behind.server.call(
                    "POST", "/v1/chat/completions", {**BODY, "stream": stream}, key=behind.key
                )
            except (OSError, HTTPException):
                continue
            whole = b"[DONE]" in answer.raw if stream else answer.status == 200
            if whole:
                answered.append(answer.headers["x-firmground-run"])

    threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for _ in range(kills):
        time.sleep(seconds)
        behind.server.kill()
        behind.server.start()
    time.sleep(seconds)
    ended.set()
    for thread in threads:
        thread.join()
    recorded = [row["run"] for row in behind.server.runs(behind.key)]
    state = ServiceState(behind.server.data)
    left = state.unfinished()
    state.close()
    behind.close()
    assert answered
    assert len(recorded) == len(set(recorded))
    assert set(answered) <= set(recorded)
    assert left == ()


def test_a_signal_to_stop_lets_streams_end(tmp_path: Path) -> None:
    behind = Behind(tmp_path, 'mode = "window"')
    behind.next = Plan(
        texts=[TRUE], pieces=lambda raw: [raw[:300], raw[300:]], pause=lambda at: at * 1.0
    )
    replies: list[Any] = []
    body = {**BODY, "stream": True}
    threads = [
        threading.Thread(
            target=lambda: replies.append(
                behind.server.call("POST", "/v1/chat/completions", body, key=behind.key)
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 30
    while len(behind.upstream.asked) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(behind.server.process.pid, signal.SIGTERM)
    for thread in threads:
        thread.join()
    assert behind.server.process.wait(60) == 0
    assert all(b"[DONE]" in reply.raw for reply in replies)
    behind.server.start()
    assert len(behind.server.runs(behind.key)) == 4
    behind.close()


FAULTS = {
    "latency": lambda plan, rnd: replace(plan, pause=lambda at: rnd.random() * 0.02),
    "reset": lambda plan, rnd: replace(plan, cut_at=rnd.randint(0, 900), reset=True),
    "half_close": lambda plan, rnd: replace(plan, cut_at=rnd.randint(0, 900)),
    "slow_loris": lambda plan, rnd: replace(plan, cut_at=rnd.randint(1, 500), hang=True),
    "partial_event": lambda plan, rnd: replace(plan, raw=b'data: {"choices": [{"del'),
    "error_in_200": lambda plan, rnd: replace(plan, raw=b'data: {"error": {"message": "x"}}\n\n'),
    "status_500": lambda plan, rnd: replace(plan, status=500, raw=b"x" * rnd.randint(0, 5000)),
    "huge_event": lambda plan, rnd: replace(plan, raw=b"data: " + b"x" * 9_000_000),
    "blocked_true": lambda plan, rnd: replace(
        plan, raw=b'data: {"blocked": true}\n\ndata: [DONE]\n\n'
    ),
    "sound": lambda plan, rnd: plan,
}


def test_faults_of_an_upstream_end_in_time_and_leave_nothing_open(tmp_path: Path) -> None:
    asyncio.run(_faults(tmp_path, 60))


@pytest.mark.soak
def test_thousands_of_faults_leave_nothing_open(tmp_path: Path) -> None:
    asyncio.run(_faults(tmp_path, 3000))


async def _faults(folder: Path, count: int) -> None:
    rig = Rig(folder, mode=DeliveryMode.WINDOW, seconds=8.0)
    async with rig.running():
        service = rig.app.state.service
        await rig.ask(story(1, sound=True), Plan(texts=["x"]))
        files, tasks = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())
        turn, late, leaked = asyncio.Semaphore(8), 0, 0

        async def one(number: int) -> None:
            nonlocal late, leaked
            rnd = random.Random(number)
            told = story(number, sound=False)
            plan = FAULTS[rnd.choice(list(FAULTS))](Plan(texts=[told.answer]), rnd)
            async with turn:
                began = time.perf_counter()
                tapped = await rig.ask(told, plan, stream=rnd.random() < 0.7)
                late += time.perf_counter() - began > 8.0 + 20
                leaked += any(one.encode() in tapped.raw for one in told.invented)

        await asyncio.gather(*map(one, range(count)))
        while service._tasks:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        gc.collect()
        assert (late, leaked) == (0, 0)
        assert service.admissions[-1].running == 0
        assert len(rig.runs()) == service.admissions[-1].admitted
        # Hanging upstream connections belong to the scripted server, not to the proxy.
        hung = sum(1 for _, plan in rig.stories.values() if plan.hang)
        assert len(os.listdir("/proc/self/fd")) <= files + 2 * hung + 20
        assert len(asyncio.all_tasks()) <= tasks + 2 * hung + 20
        print(f"{count} faults, {hung} hung, {len(rig.runs())} records")


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["hold", "window"])
def test_five_hundred_streams_at_once_arrive_whole_and_in_order(tmp_path: Path, mode: str) -> None:
    async def work() -> None:
        rig = Rig(tmp_path, mode=DeliveryMode(mode))
        async with rig.running():

            async def one(number: int) -> bool:
                told = story(number, sound=True)
                words = [word + " " for word in told.answer.split(" ")]
                words[-1] = words[-1].rstrip(" ")
                raw_pieces = lambda raw: raw.replace(b"\n\n", b"\n\n\0").split(b"\0")  # noqa: E731
                plan = Plan(texts=words, pieces=raw_pieces, pause=lambda at: 0.05)
                return (await rig.ask(told, plan)).text == told.answer

            whole = await asyncio.gather(*map(one, range(500)))
            assert sum(whole) == 500
            assert len(rig.runs()) == 500

    asyncio.run(work())


def test_hostile_bodies_never_find_a_defect(tmp_path: Path) -> None:
    from tests.service.conftest import ThreadServer

    behind = Behind(tmp_path, "", ThreadServer)
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    hostile: list[Any] = [
        b"", b"\xef\xbb\xbf{}", b"{" * 5000, b'{"model": "a", "model": "b", "messages": 1}',
        b'{"model": "\\ud800", "messages": []}', b'{"n": 1e999}', b"[" * 200_000,
        {"model": MODEL, "messages": deep}, {"model": MODEL, "messages": [{"role": "user", "content": deep}]},
        {"model": MODEL, "messages": [{"role": 1}]}, {"model": 1, "messages": MESSAGES},
        {**BODY, "n": -1}, {**BODY, "n": True}, {**BODY, "stream": "yes"}, {**BODY, "tools": {}},
        {**BODY, "stream_options": 5, "stream": True}, {**BODY, "firmground": []},
        {**BODY, "firmground": {"evidence": {"text": 1}}}, {**BODY, "firmground": {"question": 1}},
        {**BODY, "firmground": {"evidence": ["\u0000"]}}, {**BODY, "max_tokens": "x"},
        {"model": MODEL, "messages": [{"role": "user", "content": "<document>" * 20_000}]},
        {"model": MODEL, "input": [1]}, {"model": MODEL, "input": [{"type": "message", "role": "user"}]},
        {"model": MODEL, "messages": [{"role": "user", "content": [{"type": "tool_result", "content": 5}]}]},
        {"model": MODEL, "messages": [{"role": "user", "content": [{"type": "document", "source": 1}]}]},
    ]  # fmt: skip
    for path in (
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/beta/litellm_basic_guardrail_api",
    ):
        for body in hostile:
            answer = behind.server.call("POST", path, body, key=behind.key)
            assert answer.status < 500, (path, body, answer.raw)
    assert json.loads(behind.server.call("GET", "/health").raw) == {"status": "ok"}
    behind.close()
