"""A tap on the wire: in ``hold`` and ``window`` no byte of an answer leaves before its check."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.service.upstream import MODEL, Plan, Upstream, streamed

from firmground import Engine
from firmground.config.proxy import DeliveryMode, OnFailure, ProxySettings, UpstreamSettings
from firmground.config.service import ServiceSettings
from firmground.engine.documents import run_row
from firmground.hooks import BreakerPolicy
from firmground.pipeline import check as checks
from firmground.pipeline import stream as streams
from firmground.service.app import create_app
from firmground.service.auth import KeyScope
from firmground.service.proxy import exchange as exchanges
from firmground.service.state import ServiceState

PLACES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Maple", "Rowan", "Willow")
NOTICE = "[withheld]"


@dataclass
class Story:
    """Evidence, an answer from it, and the numbers in the answer that are made up."""

    seed: int
    evidence: str
    answer: str
    invented: list[str]


def story(seed: int, *, sound: bool) -> Story:
    rnd = random.Random(seed)
    facts = []
    for place in rnd.sample(PLACES, 4):
        year, cars, metres = rnd.randint(1850, 1999), rnd.randint(1, 99), rnd.randint(100, 999)
        facts += [
            f"The {place} bridge opened in {year}.",
            f"The {place} bridge carries {cars},000 cars a day.",
            f"The {place} bridge is {metres} metres long.",
        ]
    said = rnd.sample(facts, rnd.randint(1, 8))
    invented: list[str] = []
    if not sound:
        for at in rnd.sample(range(len(said)), rnd.randint(1, min(3, len(said)))):
            number = f"{seed % 1000 + 1000}{rnd.randint(100, 999)}"
            invented.append(number)
            place = said[at].split()[1]
            said[at] = f"The {place} bridge cost {number} crowns."
    return Story(seed, " ".join(facts), _laid_out(rnd, said), invented)


def _laid_out(rnd: random.Random, said: Sequence[str]) -> str:
    """The same sentences as prose, lists, tables, code, or a mixture."""
    made, at = [], 0
    while at < len(said):
        some = said[at : at + rnd.randint(1, 3)]
        at += len(some)
        match rnd.randrange(5):
            case 0:
                made.append("\n".join(f"- {one}" for one in some))
            case 1:
                made.append("\n".join(f"{n}. {one}" for n, one in enumerate(some, 1)))
            case 2:
                made.append("```\n" + "\n".join(some) + "\n```")
            case _:
                made.append(" ".join(some))
    return "\n\n".join(made)


@dataclass
class Tapped:
    """What one client saw, and when."""

    raw: bytes = b""
    at: list[tuple[float, int]] = field(default_factory=list)
    """Times, and how many bytes had come by then."""

    def events(self) -> list[tuple[float, Any]]:
        """The data of each event, and when its first byte came."""
        found, at = [], 0
        for line in self.raw.split(b"\n"):
            if line.startswith(b"data: {"):
                with suppress(json.JSONDecodeError):  # cut off by the hang-up
                    found.append((self.when(at), json.loads(line[6:])))
            at += len(line) + 1
        return found

    def when(self, place: int) -> float:
        return next(time for time, size in self.at if size > place)

    def contents(self) -> list[tuple[float, str]]:
        return [
            (time, choice["delta"].get("content") or "")
            for time, event in self.events()
            for choice in event.get("choices", ())
        ]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.contents())


class Rig:
    """Upstream, proxy and clients in one process, so that times can be compared."""

    def __init__(self, folder: Path, *, judge: Any = "lexical", **settings: Any) -> None:
        self.folder = folder
        self.judge = judge
        self.stories: dict[str, tuple[Story, Plan]] = {}
        self.upstream = Upstream(plan=lambda body: self.stories[body["user"]][1])
        self.given = settings

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        server = await self.upstream.start()
        proxy = ProxySettings(
            upstreams=(
                UpstreamSettings(
                    name="up", base_url=self.upstream.url, models=(MODEL,), retries=0,
                    idle_seconds=5.0,
                ),
            ),
            notice=NOTICE,
            breaker=BreakerPolicy(threshold=10**9),
            **self.given,
        )  # fmt: skip
        self.engine = Engine(judge=self.judge, ledger=self.folder / "runs.sqlite")
        self.state = ServiceState(self.folder)
        self.key, _ = self.state.create_key("tap", frozenset(KeyScope))
        self.app = create_app(
            self.engine, ServiceSettings(data=self.folder), state=self.state, proxy=proxy
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        config = uvicorn.Config(self.app, port=self.port, log_config=None, access_log=False)
        web = uvicorn.Server(config)
        serving = asyncio.create_task(web._serve())
        while not web.started:
            await asyncio.sleep(0.01)
        try:
            yield
        finally:
            web.should_exit = True
            await serving
            server.close()
            await asyncio.to_thread(self.engine.close)
            self.state.close()

    async def ask(
        self, told: Story, plan: Plan, *, stream: bool = True, leave_after: int | None = None
    ) -> Tapped:
        name = f"s{told.seed}-{len(self.stories)}"
        self.stories[name] = (told, plan)
        body = {
            "model": MODEL, "stream": stream, "user": name,
            "messages": [{"role": "user", "content": "What is known?"}],
            "firmground": {"evidence": [told.evidence]},
        }  # fmt: skip
        raw = json.dumps(body).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
            "Connection: close\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        tapped = Tapped()
        try:
            writer.write(head.encode() + raw)
            while piece := await asyncio.wait_for(reader.read(4096), 60):
                tapped.raw += piece
                tapped.at.append((time.perf_counter(), len(tapped.raw)))
                if leave_after is not None and len(tapped.raw) >= leave_after:
                    break
        except ConnectionError:
            pass
        finally:
            writer.close()
        return tapped

    def runs(self) -> list[str]:
        assert self.engine.ledger is not None
        rows = self.engine.ledger.reader.runs(1 << 53, 1 << 30)
        return [run_row(row)["run"] for row in rows]


Passed = dict[str, list[tuple[float, str]]]


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Passed:
    """For each evidence the texts that a check let pass, with the time, told by the checks."""
    times: Passed = {}
    event, check = streams.HoldBack._event, checks.check

    def seen(self: Any, start: int, end: int, found: Any) -> Any:
        made = event(self, start, end, found)
        if isinstance(made, streams.TextReleased):
            told = (time.perf_counter(), made.text)
            times.setdefault(self.evidence[0].text, []).append(told)
        return made

    async def checked(request: Any, plan: Any, **more: Any) -> Any:
        outcome = await check(request, plan, **more)
        if outcome.decision.released:
            told = (time.perf_counter(), request.answer)
            times.setdefault(request.evidence[0].text, []).append(told)
        return outcome

    monkeypatch.setattr(streams.HoldBack, "_event", seen)
    monkeypatch.setattr(exchanges, "check", checked)
    return times


def _cut(rnd: random.Random, raw: bytes) -> list[bytes]:
    """Bytes cut anywhere: in the middle of characters, of line ends, of JSON escapes."""
    most = rnd.choice((1, 2, 7, 40, 300, 5000))
    if most <= 2 and len(raw) > 6000:
        most = 7
    made, at = [], 0
    while at < len(raw):
        size = rnd.randint(1, most)
        made.append(raw[at : at + size])
        at += size
    return made


def _plan(rnd: random.Random, told: Story) -> tuple[Plan, bool]:
    """A way to send the answer, and whether it arrives undamaged."""
    text, texts = told.answer, []
    while text:
        size = rnd.randint(1, rnd.choice((1, 4, 12, 80)))
        texts.append(text[:size])
        text = text[size:]
    plan = Plan(
        texts=texts,
        pieces=lambda raw: _cut(rnd, raw),
        line_end=rnd.choice(("\n", "\r\n")),
        chunked=rnd.random() < 0.3,
        usage=rnd.choice((None, (3, 4))),
        done=rnd.random() < 0.9,
    )
    match rnd.randrange(12):
        case 0:
            return replace(plan, cut_at=rnd.randint(0, 4000), reset=rnd.random() < 0.5), False
        case 1:
            return replace(plan, finish=None), False
        case 2:
            bad = rnd.choice((b"data: {\n\n", b'data: {"error": {"message": "x"}}\n\n',
                              b'data: {"choices": [{"index": 7, "delta": {}}]}\n\n',
                              b'data: {"choices": [{"delta": {"content": 5}}]}\n\n'))  # fmt: skip
            raw = streamed(plan)
            at = raw.find(b"\n\n", rnd.randint(0, len(raw))) + 2
            return replace(plan, raw=raw[:at] + bad + raw[at:]), False
        case 3:
            return replace(plan, cut_at=rnd.randint(200, 3000), hang=True), False
    return plan, True


async def _streams(rig: Rig, count: int, seed: int, passed: Passed) -> dict[str, int]:
    counts = dict.fromkeys(("streams", "leaks", "early", "sound", "whole", "faults", "gone"), 0)
    turn = asyncio.Semaphore(8)

    async def one(number: int) -> None:
        rnd = random.Random(number)
        told = story(number, sound=rnd.random() < 0.5)
        plan, undamaged = _plan(rnd, told)
        leave = rnd.randint(1, 3000) if rnd.random() < 0.15 else None
        async with turn:
            tapped = await rig.ask(told, plan, leave_after=leave)
        counts["streams"] += 1
        counts["faults"] += not undamaged
        counts["gone"] += leave is not None
        counts["leaks"] += any(number.encode() in tapped.raw for number in told.invented)
        counts["early"] += _left_early(told, tapped, passed)
        if not told.invented and undamaged and leave is None:
            counts["sound"] += 1
            counts["whole"] += tapped.text == told.answer
            if tapped.text != told.answer:
                print(f"not whole: {number} {told.answer!r}\n{tapped.raw[-600:]!r}")

    await asyncio.gather(*(one(seed + number) for number in range(count)))
    return counts


def _left_early(told: Story, tapped: Tapped, passed: Passed) -> int:
    """How many pieces of text reached the client that no check had let pass before."""
    known = passed.get(told.evidence, [])
    bad = 0
    for arrived, text in tapped.contents():
        piece = text.replace(NOTICE, "").strip()
        bad += bool(piece) and not any(at <= arrived and piece in whole for at, whole in known)
    return bad


@pytest.mark.parametrize("mode", [DeliveryMode.HOLD, DeliveryMode.WINDOW])
def test_no_unverified_byte_leaves_and_sound_answers_arrive_whole(
    tmp_path: Path, mode: DeliveryMode, passed: Passed
) -> None:
    _tap(tmp_path, mode, passed, count=90, on_failure=OnFailure.STOP)


@pytest.mark.soak
@pytest.mark.parametrize("on_failure", [OnFailure.STOP, OnFailure.REPAIR])
@pytest.mark.parametrize("mode", [DeliveryMode.HOLD, DeliveryMode.WINDOW])
def test_no_unverified_byte_leaves_in_thousands_of_streams(
    tmp_path: Path, mode: DeliveryMode, on_failure: OnFailure, passed: Passed
) -> None:
    _tap(tmp_path, mode, passed, count=1300, on_failure=on_failure)


def _tap(
    folder: Path, mode: DeliveryMode, passed: Passed, *, count: int, on_failure: OnFailure
) -> None:
    async def work() -> tuple[dict[str, int], int, int]:
        rig = Rig(folder, mode=mode, on_failure=on_failure)
        async with rig.running():
            counts = await _streams(rig, count, count * 7, passed)
            service = rig.app.state.service
            while service._tasks:
                await asyncio.sleep(0.05)
            admitted = service.admissions[-1].admitted
            return counts, admitted, len(rig.runs())

    counts, admitted, recorded = asyncio.run(work())
    print(f"\n{mode} {on_failure}: {counts}, admitted {admitted}, recorded {recorded}")
    assert (counts["leaks"], counts["early"]) == (0, 0)
    assert counts["sound"] > count // 5
    assert counts["whole"] == counts["sound"]
    assert recorded == admitted
