"""LiteLLM's generic guardrail endpoint: answers that pass another gateway are checked here."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from firmground.config.proxy import DeliveryMode, ProxySettings
from firmground.core.decision import Decision
from firmground.core.finding import Findings
from firmground.engine import Overrides
from firmground.pipeline.check import check
from firmground.pipeline.loop import Attempt
from firmground.pipeline.request import Request as CheckRequest
from firmground.service.auth import KeyScope
from firmground.service.bodies import parsed, read_body
from firmground.service.endpoints import Endpoint
from firmground.service.proxy.choice import ProxyChoice, Settled
from firmground.service.proxy.deltas import Collected, ToolCall
from firmground.service.proxy.recording import Ending, record
from firmground.service.proxy.requests import EvidenceFinder, ProxyRequest, model_request
from firmground.service.proxy.settling import WITHHELD, Settler
from firmground.service.runtime import Service

PATH = "/beta/litellm_basic_guardrail_api"
_MOST_REMEMBERED = 10_000
_REMEMBERED_SECONDS = 900.0
_MODEL = "litellm"


class GuardrailBody(BaseModel):
    """What LiteLLM sends before a call (``request``) and after it (``response``)."""

    model_config = ConfigDict(extra="allow")

    input_type: str = Field(pattern="^(request|response)$", examples=["response"])
    texts: list[str] | None = Field(default=None, examples=[["It opened in 1932."]])
    structured_messages: list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_calls: list[dict[str, Any]] | None = None
    litellm_call_id: str | None = Field(default=None, max_length=200)
    additional_provider_specific_params: dict[str, Any] | None = Field(
        default=None, description="evidence: documents; question: what was asked"
    )


class _Known(NamedTuple):
    at: float
    request: ProxyRequest


@dataclass(slots=True)
class GuardrailEndpoint:
    """Checks answers for LiteLLM, with the evidence of the request that they belong to."""

    service: Service
    settings: ProxySettings
    finder: EvidenceFinder
    known: OrderedDict[tuple[str, str], _Known]

    @classmethod
    def of(cls, service: Service, settings: ProxySettings | None) -> GuardrailEndpoint:
        """Make the guardrail; without settings of a proxy it has their defaults."""
        stated = settings or ProxySettings(upstreams=())
        return cls(service, stated, EvidenceFinder(stated), OrderedDict())

    def endpoint(self) -> Endpoint:
        """The endpoint with its path and scope."""
        return Endpoint(
            method="POST",
            path=PATH,
            handler=self.litellm_guardrail,
            scope=KeyScope.CHECK,
            body=GuardrailBody,
        )

    async def litellm_guardrail(self, request: Request) -> Response:
        """Check what passes through LiteLLM (its generic guardrail endpoint)."""
        service, principal = self.service, request.state.principal
        read = await read_body(request, service.settings.limits)
        body = parsed(GuardrailBody, read.value)
        asked = self._asked(body)
        place = (principal.key_id, body.litellm_call_id or "")
        if body.input_type == "request":
            self._remember(place, asked)
            return _reply({"action": "NONE"})
        known = self.known.get(place)
        if not asked.evidence and known is not None:
            asked = known.request
        calls = [_call(one) for one in body.tool_calls or ()]
        if not asked.tools:
            asked = replace(asked, tools=frozenset(call.name for call in calls))
        texts = [text for text in body.texts or () if text.strip()]
        if not texts and not calls:
            return _reply({"action": "NONE"})

        async def work(run: str) -> dict[str, Any]:
            return await self._checked(run, asked, texts, calls)

        async def admitted() -> Any:
            async with service.admitted(principal):
                return await service.journal.run(
                    work, key_id=principal.key_id, idempotency=None, digest=read.digest,
                    kind="guardrail",
                )  # fmt: skip

        reply = await service.own(admitted())
        request.state.run = reply.run
        return Response(
            reply.body, media_type="application/json", headers={"X-Firmground-Run": reply.run}
        )

    def _asked(self, body: GuardrailBody) -> ProxyRequest:
        """The request that an answer belongs to, as far as this call tells of it."""
        more = body.additional_provider_specific_params or {}
        extension = {n: more[n] for n in ("evidence", "question") if n in more}
        messages = body.structured_messages or [
            {"role": "user", "content": "\n".join(body.texts or ())}
        ]
        if body.input_type == "response" and not body.structured_messages:
            messages = [{"role": "user", "content": ""}]
        chat = {"model": _MODEL, "messages": messages, "tools": body.tools or None}
        made = model_request(
            {**chat, "firmground": extension}, self.finder, surface="guardrail", echo={}
        )
        return replace(made, mode=DeliveryMode.HOLD)

    def _remember(self, place: tuple[str, str], asked: ProxyRequest) -> None:
        now = time.monotonic()
        self.known[place] = _Known(now, replace(asked, body={}))
        while self.known:
            oldest = next(iter(self.known.values()))
            if len(self.known) <= _MOST_REMEMBERED and now - oldest.at < _REMEMBERED_SECONDS:
                break
            self.known.popitem(last=False)

    async def _checked(
        self, run: str, asked: ProxyRequest, texts: list[str], calls: list[ToolCall]
    ) -> dict[str, Any]:
        engine = self.service.engine
        plan = await asyncio.to_thread(engine.plan, Overrides())
        seconds = self.service.settings.limits.seconds
        began = time.perf_counter()

        async def examine(request: CheckRequest) -> tuple[Findings, Decision]:
            outcome = await check(request, plan, seconds=seconds)
            return outcome.findings, outcome.decision

        settler = Settler(
            settings=self.settings,
            request=asked,
            policy=engine.policy,
            examine=examine,
            ask_again=_not_asked_again,
            notice=self.settings.notice.replace("{run}", run),
        )
        settled: dict[int, Settled] = {}
        for index, text in enumerate(texts or [""]):
            got = Collected(text=text, finish="stop")
            if index == 0:
                got.calls = dict(enumerate(calls))
            choice = ProxyChoice(index=index, mode=DeliveryMode.HOLD, held=None, got=got)
            settled[index] = await settler.settle(choice)
        ending = Ending(
            run=run,
            request=asked,
            upstream=_MODEL,
            policy=engine.policy,
            judge=plan.judge,
            settled=settled,
            released=dict.fromkeys(settled, ""),
            usage=None,
            overhead_ms=round((time.perf_counter() - began) * 1000, 2),
        )
        await record(engine, ending)
        return _action(run, ending, texts)


async def _not_asked_again(choice: ProxyChoice, last: Attempt) -> str:
    return ""


def _call(stated: dict[str, Any]) -> ToolCall:
    function = stated.get("function")
    members = function if isinstance(function, dict) else {}
    return ToolCall(
        name=str(members.get("name") or ""), arguments=str(members.get("arguments") or "")
    )


def _action(run: str, ending: Ending, texts: list[str]) -> dict[str, Any]:
    """What LiteLLM does: allow the answer, use repaired texts, or block with a reason."""
    found = {"run": run, "label": ending.label}
    if ending.label == WITHHELD:
        rules = sorted({rule for done in ending.settled.values() for rule in done.objections})
        why = f"firmground withheld the answer ({', '.join(rules) or 'tool call'}); run {run}"
        return {"action": "BLOCKED", "blocked_reason": why, "firmground": found}
    made = [ending.settled[index].rest for index in range(len(texts))]
    if made != texts:
        return {"action": "GUARDRAIL_INTERVENED", "texts": made, "firmground": found}
    return {"action": "NONE", "firmground": found}


def _reply(document: dict[str, Any]) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")
