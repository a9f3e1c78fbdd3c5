"""The endpoints of the proxy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from firmground.config.proxy import ProxySettings
from firmground.errors import FirmgroundError
from firmground.service import wire
from firmground.service.admission import Admission
from firmground.service.auth import KeyScope
from firmground.service.bodies import read_body
from firmground.service.endpoints import Endpoint
from firmground.service.journal import StoredReply
from firmground.service.problems import HttpProblem, problem_of, request_id_of
from firmground.service.proxy.chat import ChatWriter, completion, read_chat
from firmground.service.proxy.deltas import ToolCall
from firmground.service.proxy.exchange import Exchange, ProxyParts
from firmground.service.proxy.messages import MessagesWriter, message_object, read_messages
from firmground.service.proxy.outbox import ClientGone, Closing, Outbox, Piece
from firmground.service.proxy.requests import EvidenceFinder, ProxyRequest
from firmground.service.proxy.responses import ResponsesWriter, read_responses, response_object
from firmground.service.proxy.streaming import ReleasedStream, StreamWriter
from firmground.service.proxy.upstream import UpstreamError, Upstreams
from firmground.service.runtime import Service

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One protocol: how requests are read and replies are written."""

    read: Callable[[Any, EvidenceFinder], ProxyRequest]
    whole: Callable[[dict[str, Any], ProxyRequest], dict[str, Any]]
    writer: Callable[[str, ProxyRequest], StreamWriter]
    error: Callable[[dict[str, Any], int], dict[str, Any]] = lambda error, status: {"error": error}


_CHAT = Surface(read=read_chat, whole=completion, writer=ChatWriter)
_RESPONSES = Surface(read=read_responses, whole=response_object, writer=ResponsesWriter)
_MESSAGES = Surface(
    read=read_messages,
    whole=message_object,
    writer=MessagesWriter,
    error=lambda error, status: {"type": "error", "error": error},
)


class Proxy:
    """The proxy of one service."""

    def __init__(self, service: Service, settings: ProxySettings) -> None:
        self._service, self._settings = service, settings
        self._finder = EvidenceFinder(settings)
        self.upstreams = Upstreams(settings)
        self.parts = ProxyParts(service=service, settings=settings, upstreams=self.upstreams)
        limits = replace(service.settings.limits, running=settings.concurrent)
        self.admission = Admission(limits)
        service.admissions.append(self.admission)
        service.closing.append(self.upstreams.close)
        gauge = service.metrics.gauge
        gauge("firmground_proxied", "Proxied requests under way.", lambda: self.admission.running)
        gauge("firmground_proxied_admitted", "Proxied requests let in so far.",
              lambda: self.admission.admitted)  # fmt: skip

    def endpoints(self) -> tuple[Endpoint, ...]:
        """The proxy's endpoints."""

        def on(method: str, path: str, handler: Any, body: Any = None) -> Endpoint:
            scope = KeyScope.CHECK
            return ProxyEndpoint(method=method, path=path, handler=handler, scope=scope, body=body)

        return (
            on("POST", "/v1/chat/completions", self.chat_completions, wire.ChatBody),
            on("POST", "/v1/responses", self.responses, wire.ResponsesBody),
            on("POST", "/v1/messages", self.messages, wire.MessagesBody),
            on("GET", "/v1/models", self.list_models),
            on("GET", "/v1/models/{model:path}", self.show_model),
        )

    async def chat_completions(self, request: Request) -> Response:
        """Answer a chat; only checked text is released (OpenAI chat completions)."""
        return await self._answer(request, _CHAT)

    async def responses(self, request: Request) -> Response:
        """Answer a request; only checked text is released (OpenAI responses)."""
        return await self._answer(request, _RESPONSES)

    async def messages(self, request: Request) -> Response:
        """Answer messages; only checked text is released (Anthropic messages)."""
        return await self._answer(request, _MESSAGES)

    async def list_models(self, request: Request) -> Response:
        """List the models of the upstreams."""
        rows = [_model(name) for name in await self.upstreams.models()]
        return _json({"object": "list", "data": rows})

    async def show_model(self, request: Request) -> Response:
        """Show one model."""
        name = request.path_params["model"]
        if name not in await self.upstreams.models():
            raise HttpProblem("unknown_model", f"no upstream has the model {name[:200]!r}")
        return _json(_model(name))

    async def _answer(self, request: Request, surface: Surface) -> Response:
        service = self._service
        read = await read_body(request, service.settings.limits)
        asked = surface.read(read.value, self._finder)
        upstream = self.upstreams.route(asked.model)
        if upstream is None:
            told = f"no upstream has the model {asked.model[:200]!r}"
            raise HttpProblem("unknown_model", told, field="model")
        exchange = Exchange(self.parts, asked, upstream)
        principal = request.state.principal
        name = request.headers.get("idempotency-key")

        async def admitted() -> StoredReply:
            async with self.admission.turn(principal):
                await service.spend(principal)
                return await service.journal.run(
                    exchange.run, key_id=principal.key_id, idempotency=name, digest=read.digest,
                    kind=asked.surface,
                )  # fmt: skip

        if asked.stream:
            return await self._streamed(request, surface, asked, exchange, admitted)
        reader = asyncio.create_task(_emptied(exchange.outbox))
        try:
            reply = await service.own(admitted())
        finally:
            reader.cancel()
        request.state.run = reply.run
        document = orjson.loads(reply.body)
        return _json(surface.whole(document, asked), verdict_headers(document))

    async def _streamed(
        self,
        request: Request,
        surface: Surface,
        asked: ProxyRequest,
        exchange: Exchange,
        admitted: Callable[[], Any],
    ) -> Response:
        """Begin the stream once the upstream's first piece is there; errors are plain before."""
        outbox = exchange.outbox

        async def all_of_it() -> StoredReply:
            try:
                reply: StoredReply = await admitted()
            except BaseException as error:
                outbox.fail(error)
                raise
            return reply

        task = self._service.start_task(all_of_it())
        started = asyncio.create_task(exchange.started.wait())
        try:
            await asyncio.wait({task, started}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            outbox.hang_up()
            raise
        finally:
            started.cancel()
        if task.done() and not exchange.started.is_set():
            reply = task.result()  # a repeated request, or an error before the first piece
            document = orjson.loads(reply.body)
            run = reply.run
            outbox = _replayed(document)
            headers = verdict_headers(document)
        else:
            run = exchange.run_id
            headers = {"X-Firmground-Run": run}
        request.state.run = run
        headers["X-Firmground-Mode"] = str(asked.mode)
        return ReleasedStream(
            outbox, surface.writer(run, asked), self._settings, told=_told, headers=headers
        )


class ProxyEndpoint(Endpoint):
    """An endpoint whose errors have the form that model clients read."""

    async def _guarded(self, request: Request) -> Response:
        try:
            return await Endpoint._guarded(self, request)
        except (HttpProblem, FirmgroundError, UpstreamError, ClientGone) as error:
            problem = as_problem(error)
            form = _MESSAGES.error if self.path == "/v1/messages" else _CHAT.error
            said = form(error_document(problem), problem.status)
            reply = problem.response(request_id=request_id_of(request))
            headers = {
                n: v for n, v in reply.headers.items() if n in ("retry-after", "www-authenticate")
            }
            return _json(said, headers, status=problem.status)


def as_problem(error: BaseException) -> HttpProblem:
    """What a client is told about anything that went wrong."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, UpstreamError):
        problem = HttpProblem("model_unavailable", error.message, retry_after=error.retry_after)
        problem.status = error.status
        problem.code = error.code
        return problem
    if isinstance(error, FirmgroundError):
        return problem_of(error)
    return HttpProblem("internal")


def error_document(problem: HttpProblem) -> dict[str, Any]:
    """A problem as OpenAI's and Anthropic's clients read it."""
    kind = "invalid_request_error" if problem.status < 500 else "api_error"
    return {
        "message": problem.detail or problem.title,
        "type": _TYPES.get(problem.status, kind),
        "param": problem.field,
        "code": problem.code,
    }


def _told(error: BaseException) -> dict[str, Any]:
    return error_document(as_problem(error))


def verdict_headers(document: dict[str, Any]) -> dict[str, str]:
    """The verdict of a whole reply, for clients that read headers."""
    found = document["firmground"]
    log = "-" if found["log"] is None else found["log"]
    return {
        "X-Firmground-Run": found["run"],
        "X-Firmground-Record": f"{found['run']}; label={found['label']}; log={log}",
        "X-Firmground-Label": found["label"],
        "X-Firmground-Verdict": str(found["verdict"] or "none"),
        "X-Firmground-Overhead-Ms": str(found["overhead_ms"]),
    }


async def _emptied(outbox: Outbox) -> None:
    """Take what is released; the whole reply is written from the document at the end."""
    while isinstance(await outbox.get(), Piece):
        pass


def _replayed(document: dict[str, Any]) -> Outbox:
    """What a repeated request gets: the same reply at once."""
    outbox = Outbox()
    for choice in document["choices"]:
        outbox.offer(
            Piece(
                choice=choice["index"],
                text=choice["text"],
                refusal=choice["refusal"],
                calls=tuple(ToolCall(**call) for call in choice["calls"]),
                finish=choice["finish"],
            )
        )
    outbox.offer(Closing(document=document))
    return outbox


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": int(time.time()), "owned_by": "firmground"}


def _json(document: object, headers: dict[str, str] | None = None, status: int = 200) -> Response:
    return Response(
        orjson.dumps(document), status_code=status, media_type="application/json", headers=headers
    )
