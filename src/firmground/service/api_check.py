"""Endpoints that check answers, ask questions and inspect questions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from firmground.adapters.document import question_from_value, request_from_value
from firmground.core.question import Question
from firmground.decide import POLICIES
from firmground.engine import Overrides, StreamFinished
from firmground.engine.documents import preflight_document
from firmground.errors import FirmgroundError, InputError
from firmground.preflight import inspect_question
from firmground.probe import PROFILES
from firmground.probe.measure import check_options
from firmground.service.api_escalations import note_owner
from firmground.service.bodies import parsed, read_body
from firmground.service.journal import StoredReply
from firmground.service.problems import HttpProblem
from firmground.service.runtime import Service, service_of
from firmground.service.wire import (
    AskBody,
    CheckBody,
    GateBody,
    ManyBody,
    PreflightBody,
    StreamBody,
)

JSON = "application/json"
_MOST_KEY = 200


async def check(request: Request) -> Response:
    """Check one answer."""
    service = service_of(request)
    read = await read_body(request, service.settings.limits)
    body = parsed(CheckBody, read.value)
    row = body.model_dump(exclude={"policy", "deadline_seconds"})
    seconds = body.deadline_seconds
    work = _check(service, row, _policy(service, body.policy), seconds)
    return _answered(await _recorded(request, work, read.digest, "check"))


def _check(service: Service, row: dict[str, Any], policy: str | None, seconds: float | None) -> Any:
    given = request_from_value(row, "body")
    most = service.settings.limits.seconds
    limit = most if seconds is None else min(seconds, most)

    async def work(run: str) -> dict[str, Any]:
        overrides = Overrides(policy=policy, run_id=run)
        found = await service.engine.acheck_request(given, overrides, deadline_seconds=limit)
        service.metrics.verdict("check", str(found.verdict))
        return found.to_dict()

    return work


async def check_many(request: Request) -> Response:
    """Check several answers; a row that cannot be read is reported in its place."""
    service = service_of(request)
    limits = service.settings.limits
    read = await read_body(request, limits)
    body = parsed(ManyBody, read.value)
    if len(body.rows) > limits.rows:
        raise HttpProblem("too_large", f"rows: at most {limits.rows} at once", field="rows")
    policy = _policy(service, body.policy)
    results: list[Any] = []
    for number, row in enumerate(body.rows):
        try:
            work = _check(service, row, policy, None)
        except InputError as error:
            results.append({"position": number, "id": _id(row), "error": str(error)})
            continue
        reply = await _recorded(request, work, read.digest, "check", part=number)
        results.append(orjson.loads(reply.body))
    return _json({"results": results})


def _id(row: dict[str, Any]) -> str | int:
    given = row.get("id", "")
    return given if isinstance(given, str | int) else ""


async def stream(request: Request) -> Response:
    """Release a text unit by unit as server-sent events, each unit after it was checked."""
    service = service_of(request)
    read = await read_body(request, service.settings.limits)
    body = parsed(StreamBody, read.value)
    evidence: Any = body.evidence
    policy = _policy(service, body.policy)
    request_from_value({"answer": "x", "evidence": evidence, "question": body.question}, "body")
    # Not bounded: all events together are as long as the body, and a slow reader loses none.
    events: asyncio.Queue[tuple[str, Any] | None] = asyncio.Queue()

    async def work(run: str) -> dict[str, Any]:
        last: dict[str, Any] = {}
        async for event in service.engine.stream(
            body.deltas,
            evidence=evidence,
            question=question_from_value(body.question),
            policy=policy,
            id=body.id,
            run_id=run,
        ):
            if isinstance(event, StreamFinished):
                last = event.result.to_dict()
                service.metrics.verdict("stream", str(event.result.verdict))
                events.put_nowait(("finished", last))
            else:
                name = "released" if type(event).__name__ == "TextReleased" else "withheld"
                text = event.text if name == "released" else ""
                events.put_nowait((name, {"text": text, "start": event.start, "end": event.end}))
        return last

    async def all_of_it() -> None:
        try:
            await _recorded(request, work, read.digest, "stream")
        except HttpProblem as problem:
            events.put_nowait(("error", problem.document()))
        except FirmgroundError as error:
            events.put_nowait(("error", {"detail": str(error)}))
        finally:
            events.put_nowait(None)

    task = asyncio.create_task(all_of_it())
    first = await events.get()

    async def sent() -> AsyncIterator[bytes]:
        event = first
        while event is not None:
            yield b"event: %s\ndata: %s\n\n" % (event[0].encode(), orjson.dumps(event[1]))
            event = await events.get()
        await task

    return StreamingResponse(sent(), media_type="text/event-stream")


async def ask(request: Request) -> Response:
    """Have the service's model answer a question, and release only what stands."""
    service = service_of(request)
    read = await read_body(request, service.settings.limits)
    body = parsed(AskBody, read.value)
    policy = _policy(service, body.policy)
    evidence: Any = body.evidence
    question = question_from_value(body.question)
    if question is None:
        raise HttpProblem("invalid", "question: is empty", field="question")
    budget = service.engine.settings.budget
    within = replace(budget, seconds=min(budget.seconds, service.settings.limits.seconds))

    async def work(run: str) -> dict[str, Any]:
        asked = await service.engine.aask(
            question,
            evidence,
            policy=policy,
            preflight=body.preflight,
            budget=within,
            run_id=run,
        )
        service.metrics.verdict("ask", str(asked.verdict))
        if asked.escalation is not None:
            note_owner(service, run, request.state.principal.key_id)
        return asked.to_dict()

    return _answered(await _recorded(request, work, read.digest, "ask"))


async def preflight(request: Request) -> Response:
    """Inspect a question; nothing is recorded."""
    service = service_of(request)
    body = parsed(PreflightBody, (await read_body(request, service.settings.limits)).value)
    settings = service.engine.settings.preflight
    settings = replace(settings, profile=body.profile or settings.profile)
    async with service.admitted(request.state.principal):
        seen = await asyncio.to_thread(
            inspect_question, Question(text=body.question), settings=settings
        )
    return _json(preflight_document(seen, settings))


async def gate(request: Request) -> Response:
    """Measure how far the model's answer depends on its documents; nothing is recorded."""
    service = service_of(request)
    body = parsed(GateBody, (await read_body(request, service.settings.limits)).value)
    if body.profile not in PROFILES:
        known = ", ".join(sorted(PROFILES))
        raise HttpProblem("invalid", f"profile: known are {known}", field="profile")
    if body.options:
        check_options(body.options, body.answer)
    profile = PROFILES[body.profile]
    if body.max_calls is not None:
        profile = replace(profile, max_calls=body.max_calls)
    evidence: Any = body.evidence
    most = service.settings.limits.seconds

    async def work() -> dict[str, Any]:
        async with service.admitted(request.state.principal), asyncio.timeout(most):
            return await service.engine.agate(
                body.question,
                evidence,
                options=body.options,
                answer=body.answer,
                profile=profile,
            )

    try:
        return _json(await service.own(work()))
    except TimeoutError:
        raise HttpProblem("too_late", f"measuring took more than {most:g} s") from None


async def _recorded(
    request: Request, work: Any, digest: bytes, kind: str, *, part: int | None = None
) -> StoredReply:
    """Admit the request and do its work in a task of the server, under one record."""
    service, principal = service_of(request), request.state.principal
    name = request.headers.get("idempotency-key")
    if name is not None and not 0 < len(name) <= _MOST_KEY:
        raise HttpProblem("invalid", f"Idempotency-Key: must have 1 to {_MOST_KEY} characters")
    if name is not None and part is not None:
        name = f"{name}/{part}"

    async def admitted() -> StoredReply:
        async with service.admitted(principal):
            return await service.journal.run(
                work, key_id=principal.key_id, idempotency=name, digest=digest, kind=kind
            )

    reply = await service.own(admitted())
    request.state.run = reply.run
    return reply


def _policy(service: Service, name: str | None) -> str | None:
    """The name of a known policy; clients cannot name files."""
    if name is None or name == service.engine.policy.name:
        return None
    if name not in POLICIES:
        known = ", ".join(sorted(POLICIES))
        raise HttpProblem(
            "invalid", f"policy: there is no {name!r}; known: {known}", field="policy"
        )
    return name


def _answered(reply: StoredReply) -> Response:
    headers = {"X-Firmground-Run": reply.run}
    return Response(reply.body, status_code=reply.status, media_type=JSON, headers=headers)


def _json(document: object) -> Response:
    return Response(orjson.dumps(document), media_type=JSON)
