"""One proxied request from its question to its record."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any

from firmground.config.proxy import DeliveryMode, NoEvidence, ProxySettings, UpstreamSettings
from firmground.core.decision import Decision
from firmground.core.finding import Findings, Preflight, PreflightStatus
from firmground.engine import Overrides
from firmground.pipeline.check import CheckPlan, check
from firmground.pipeline.loop import Attempt
from firmground.pipeline.repairing import guidance_from
from firmground.pipeline.request import Request
from firmground.preflight import inspect_question
from firmground.service.problems import HttpProblem
from firmground.service.proxy.choice import ProxyChoice, Settled
from firmground.service.proxy.deltas import Collected, ProxyUsage
from firmground.service.proxy.intake import Intake
from firmground.service.proxy.outbox import ClientGone, Closing, Outbox, Piece
from firmground.service.proxy.recording import Ending, delivered_document, record
from firmground.service.proxy.requests import ProxyRequest
from firmground.service.proxy.settling import UNVERIFIED, WITHHELD, Settler
from firmground.service.proxy.upstream import UpstreamError, Upstreams
from firmground.service.runtime import Service


class HeldTooMuch(Exception):  # noqa: N818 - says what happened
    """An answer is longer than may be held for one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyParts:
    """What all exchanges of one service share."""

    service: Service
    settings: ProxySettings
    upstreams: Upstreams


class Exchange:
    """Asks the upstream, checks what comes, releases what may leave, and records the rest."""

    def __init__(
        self, parts: ProxyParts, request: ProxyRequest, upstream: UpstreamSettings
    ) -> None:
        self._parts, self._request, self._upstream = parts, request, upstream
        self.outbox = Outbox()
        self.run_id = ""
        self._engine = parts.service.engine
        self._choices: dict[int, ProxyChoice] = {}
        self._usage: ProxyUsage | None = None
        self._held = 0
        self._began = time.perf_counter()
        self._upstream_done = self._began
        self.started = asyncio.Event()
        """Set once the first piece of the upstream's reply is there."""

    async def run(self, run: str) -> dict[str, Any]:
        """Do everything under one run id; return what was delivered."""
        settings = self._parts.settings
        self.run_id = run
        try:
            async with asyncio.timeout(settings.seconds):
                return await self._run(run)
        except TimeoutError:
            await self._cut_off(run, "it took longer than a request may")
            raise HttpProblem("too_late", f"the request took over {settings.seconds:g} s") from None
        except ClientGone:
            await self._cut_off(run, "the client hung up", aborted=True)
            raise
        except UpstreamError as error:
            await self._cut_off(run, error.message)
            raise

    async def _run(self, run: str) -> dict[str, Any]:
        await self._retrieve()
        preflight = await self._inspect()
        self._plan: CheckPlan = self._engine.plan(Overrides())  # made when the service started
        try:
            await self._read()
            overflow = False
        except HeldTooMuch:
            overflow = True
        self._upstream_done = time.perf_counter()
        settler = self._settler(run, preflight)
        settled: dict[int, Settled] = {}
        for index in sorted(self._choices):
            choice = self._choices[index]
            settled[index] = settler.overflow(choice) if overflow else await settler.settle(choice)
        ending = self._ending(run, settled)
        seq = await record(self._engine, ending)
        self._count(ending)
        document = delivered_document(ending, seq)
        await self._send_rest(settled, document)
        return document

    async def _retrieve(self) -> None:
        groups = self._parts.settings.evidence
        asked = self._request.question
        if self._request.evidence or asked is None or not any("retriever" in g for g in groups):
            return
        found = await self._engine.aretrieve(asked)
        self._request = replace(self._request, evidence=found)

    async def _inspect(self) -> Preflight | None:
        """Refuse what has no evidence, as far as that can be said before the upstream is asked."""
        request, settings = self._request, self._parts.settings
        if request.evidence or request.mode is DeliveryMode.ANNOTATE:
            return None
        if settings.no_evidence is NoEvidence.REFUSE and not request.tools:
            raise HttpProblem(
                "no_evidence",
                "the request brings no evidence: put documents into firmground.evidence, into tool"
                " results or into tagged blocks of a message",
            )
        if settings.no_evidence is not NoEvidence.PREFLIGHT or request.question is None:
            return None
        how = self._engine.settings.preflight
        seen = await asyncio.to_thread(inspect_question, request.question, settings=how)
        if seen.status is PreflightStatus.BLOCKED:
            raise HttpProblem("question_refused", "the question was refused before it was asked")
        return seen

    async def _read(self) -> None:
        """Take in the upstream's reply, and release what was checked meanwhile."""
        asked = self._parts.upstreams.ask(
            self._upstream, self._request.body, choices=self._request.choices
        )
        async with asked as pieces, Intake(pieces, self.outbox.gone) as intake:
            self.started.set()
            async for batch in intake.batches():
                touched: dict[int, ProxyChoice] = {}
                for piece in batch:
                    if isinstance(piece, ProxyUsage):
                        self._usage = piece
                        continue
                    choice = touched[piece.choice] = await self._choice(piece.choice)
                    size, at_once = choice.take(piece)
                    self._hold(size)
                    if at_once is not None:
                        await self.outbox.put(at_once)
                for choice in touched.values():
                    for released in await choice.progress():
                        await self.outbox.put(released)
        if not self._choices or any(c.got.finish is None for c in self._choices.values()):
            said = f"the reply of the upstream {self._upstream.name} ended early"
            raise UpstreamError(502, "upstream_ended_early", said)

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > self._parts.settings.held_bytes:
            raise HeldTooMuch

    async def _choice(self, index: int) -> ProxyChoice:
        if index not in self._choices:
            held = None
            if self._request.evidence and self._request.mode is DeliveryMode.WINDOW:
                asked = self._request.question
                held, _ = await self._engine.hold_back(self._request.evidence, question=asked)
            self._choices[index] = ProxyChoice(index=index, mode=self._request.mode, held=held)
        return self._choices[index]

    def _settler(self, run: str, preflight: Preflight | None) -> Settler:
        return Settler(
            settings=self._parts.settings,
            request=self._request,
            policy=self._engine.policy,
            examine=self._examine,
            ask_again=self._ask_again,
            notice=self._parts.settings.notice.replace("{run}", run),
            preflight=preflight,
        )

    async def _examine(self, request: Request) -> tuple[Findings, Decision]:
        spent = time.perf_counter() - self._began
        left = max(0.1, self._parts.settings.seconds - spent)
        outcome = await check(request, self._plan, seconds=left)
        return outcome.findings, outcome.decision

    async def _ask_again(self, choice: ProxyChoice, last: Attempt) -> str:
        """Ask for another answer, told what was wrong; its text, or nothing when that fails."""
        guidance = guidance_from(last)
        told = "\n".join(f"- {line}" for line in guidance.objections)
        messages = [
            *self._request.body["messages"],
            {"role": "assistant", "content": last.draft.answer},
            {
                "role": "user",
                "content": "Some statements of this answer are not supported by the documents:\n"
                f"{told}\nWrite the answer again. State only what the documents say.",
            },
        ]
        body = {**self._request.body, "messages": messages, "stream": False}
        for name in ("n", "stream_options", "tools", "tool_choice", "parallel_tool_calls"):
            body.pop(name, None)
        got = Collected()
        try:
            async with self._parts.upstreams.ask(self._upstream, body, choices=1) as pieces:
                async for piece in pieces:
                    if not isinstance(piece, ProxyUsage):
                        self._hold(got.take(piece))
        except (UpstreamError, HeldTooMuch):
            return ""
        return got.text if got.finish is not None else ""

    def _ending(self, run: str, settled: dict[int, Settled], **more: Any) -> Ending:
        now = time.perf_counter()
        return Ending(
            run=run,
            request=self._request,
            upstream=self._upstream.name,
            policy=self._engine.policy,
            judge=self._plan.judge,
            settled=settled,
            released={i: choice.released for i, choice in self._choices.items()},
            usage=self._usage,
            overhead_ms=round((now - self._upstream_done) * 1000, 2),
            **more,
        )

    async def _send_rest(self, settled: dict[int, Settled], document: dict[str, Any]) -> None:
        for index, done in settled.items():
            annotated = self._request.mode is DeliveryMode.ANNOTATE
            rest = Piece(
                choice=index,
                text=done.rest,
                refusal="" if annotated else done.refusal,
                calls=done.calls,
                finish=done.finish,
            )
            await self.outbox.put(rest)
        await self.outbox.put(Closing(document=document))

    def _count(self, ending: Ending) -> None:
        metrics, surface = self._parts.service.metrics, self._request.surface
        metrics.overhead.labels("proxy").observe(ending.overhead_ms / 1000)
        for done in ending.settled.values():
            metrics.verdict(surface, str(done.verdict or "no_answer"))
            failed = done.decision is not None and done.decision.verdict == "could_not_tell"
            if done.label == UNVERIFIED:
                metrics.fail_open.labels(surface, "error").inc()
            elif done.label == WITHHELD:
                metrics.fail_closed.labels(surface, "error" if failed else "policy").inc()

    async def _cut_off(self, run: str, why: str, *, aborted: bool = False) -> None:
        """Record a request that came to no end, with what had left by then."""
        if not any(choice.released for choice in self._choices.values()):
            return  # nothing left; the journal records that the request was cut off
        ending = self._ending(run, {}, cut_off=why, aborted=aborted)
        await asyncio.shield(record(self._engine, ending))
