"""The model itself: one port, any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Self
from weakref import WeakKeyDictionary

from firmground.adapters.openai_model.client import careful_client
from firmground.adapters.openai_model.endpoint import ModelEndpoint
from firmground.adapters.openai_model.failure import FailedCall, failure_from
from firmground.adapters.openai_model.meter import Meter, Price
from firmground.adapters.openai_model.pace import Pacer, backoff_seconds
from firmground.adapters.openai_model.wire import (
    SHORTEST_SECRET,
    EndpointFeatures,
    arguments_for,
    joined,
    reply_from,
    without_secret,
)
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.redact import Redaction, shown_address
from firmground.errors import ConfigError, MissingExtra, ModelError

_KEYLESS = (
    "(no key was sent: OPENAI_API_KEY goes only to OpenAI, to OPENAI_BASE_URL and to this machine; "
    "name another variable with api_key_env in the settings or --api-key-env)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """How hard an endpoint may be pressed, and how long we wait for it."""

    timeout_seconds: float = 60.0
    """For one try, from sending to the last byte."""
    tries: int = 3
    backoff_seconds: float = 0.5
    most_backoff_seconds: float = 20.0
    """A server that asks for a longer wait than this is given up on."""
    concurrency: int = 4
    requests_per_minute: float | None = None

    def __post_init__(self) -> None:
        for name in ("timeout_seconds", "tries", "concurrency"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"limits.{name} must be above 0, got {getattr(self, name)}")
        if self.requests_per_minute is not None and not self.requests_per_minute > 0:
            raise ConfigError("limits.requests_per_minute must be above 0")


@dataclass(slots=True)
class _Connection:
    """What belongs to one event loop."""

    client: Any
    slots: asyncio.Semaphore


class OpenAIModel:
    """Answers prompts through the ``openai`` client; every failure is a ``ModelError``."""

    def __init__(
        self,
        model: str,
        *,
        endpoint: ModelEndpoint | None = None,
        limits: CallLimits | None = None,
        meter: Meter | None = None,
        price: Price | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if not model:
            raise ConfigError("a model name is needed")
        self.model = model
        self.endpoint = endpoint or ModelEndpoint.from_environment()
        self.limits = limits or CallLimits()
        self.meter = meter or Meter()
        self.price = price
        self.ability = EndpointFeatures()
        self._sleep = sleep
        key = self.endpoint.api_key
        self._clean = Redaction([key] if len(key) >= SHORTEST_SECRET else [])
        self._pacer = Pacer(per_minute=self.limits.requests_per_minute)
        self._connections: WeakKeyDictionary[Any, _Connection] = WeakKeyDictionary()

    @property
    def where(self) -> str:
        """The endpoint's address: part of what names a call."""
        return self.endpoint.base_url

    @property
    def owner(self) -> str:
        """Whose key is used, as a digest: part of what names a kept reply."""
        return self.endpoint.owner

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections that belong to the running event loop."""
        connection = self._connections.pop(asyncio.get_running_loop(), None)
        if connection:
            await connection.client.close()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return what the model says, or raise ``ModelError``."""
        while True:
            ability = self.ability
            if request.samples > 1 and not ability.many:
                return await self._one_by_one(request)
            arguments = arguments_for(request, model=self.model, ability=ability)
            outcome = await self._with_retries(arguments, request, ability)
            if isinstance(outcome, ModelReply):
                return await self._topped_up(outcome, request)
            less = self._less_able(outcome, arguments)
            if less is None:
                raise outcome.error
            self.ability = less

    async def stream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield the text piece by piece; a stream that breaks off raises, it does not end."""
        arguments = arguments_for(
            replace(request, samples=1, top_logprobs=0), model=self.model, ability=self.ability
        )
        self.meter.start_call()
        began, ended = time.monotonic(), False
        async with self._connection().slots:
            try:
                async with asyncio.timeout(self.limits.timeout_seconds):
                    pieces = await self._connection().client.chat.completions.create(
                        **arguments, stream=True
                    )
                    async for chunk in pieces:
                        for choice in chunk.choices:
                            ended = ended or choice.finish_reason is not None
                            if choice.delta.content:
                                yield choice.delta.content
            except Exception as error:  # the client and the network below raise what they like
                self.meter.failed(time.monotonic() - began)
                raise self._failure(error).error from error
        if not ended:
            self.meter.failed(time.monotonic() - began)
            raise ModelError(
                f"{shown_address(self.where)} broke off in the middle", kind="unreachable"
            )

    def _failure(self, error: Exception) -> FailedCall:
        found = failure_from(error, where=shown_address(self.where), clean=self._clean)
        if found.status not in (401, 403) or not self.endpoint.keyless:
            return found
        told = ModelError(f"{found.error} {_KEYLESS}", kind=found.error.kind)
        return replace(found, error=told)

    def _less_able(self, failure: FailedCall, arguments: dict[str, Any]) -> EndpointFeatures | None:
        if failure.status not in (400, 404, 422, 500, 501):
            return None
        return self.ability.without(failure.complaint, arguments)

    async def _one_by_one(self, request: ModelRequest) -> ModelReply:
        seeds = [None if request.seed is None else request.seed + i for i in range(request.samples)]
        arguments_for(request, model=self.model, ability=self.ability)  # refused as a whole, if so
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._captured(replace(request, samples=1, seed=seed)))
                for seed in seeds
            ]
        replies = [task.result() for task in tasks]
        for reply in replies:
            if isinstance(reply, ModelError):
                raise reply
        return joined([reply for reply in replies if isinstance(reply, ModelReply)])

    async def _topped_up(self, reply: ModelReply, request: ModelRequest) -> ModelReply:
        """Ask for the samples that an endpoint left out without a word, one by one."""
        missing = request.samples - len(reply.texts)
        if missing <= 0:
            return replace(reply, texts=reply.texts[: request.samples])
        self.ability = replace(self.ability, many=False)
        seed = None if request.seed is None else request.seed + len(reply.texts)
        rest = await self._one_by_one(replace(request, samples=missing, seed=seed))
        return joined([reply, rest])

    async def _captured(self, request: ModelRequest) -> ModelReply | ModelError:
        """An error as a value, so that a task group does not wrap it."""
        try:
            return await self.complete(request)
        except ModelError as error:
            return error

    async def _with_retries(
        self, arguments: dict[str, Any], request: ModelRequest, ability: EndpointFeatures
    ) -> ModelReply | FailedCall:
        self.meter.start_call()
        async with self._connection().slots:
            for attempt in range(self.limits.tries):
                await self._pace()
                outcome = await self._try(arguments, request, ability)
                if isinstance(outcome, ModelReply):
                    self.meter.add(outcome)
                    return outcome
                wait = self._wait_seconds(attempt, outcome)
                if wait is None:
                    return outcome
                self.meter.retried()
                await self._sleep(wait)
        raise AssertionError("the last attempt returns")

    def _wait_seconds(self, attempt: int, failure: FailedCall) -> float | None:
        """How long to wait before the next try; None when there is to be none."""
        if not failure.again or attempt + 1 >= self.limits.tries:
            return None
        wait = backoff_seconds(
            attempt,
            retry_after=failure.retry_after,
            base=self.limits.backoff_seconds,
            most=self.limits.most_backoff_seconds,
            jitter=random.random(),  # noqa: S311 - spreads retries, guards nothing
        )
        return wait if wait <= self.limits.most_backoff_seconds else None

    async def _pace(self) -> None:
        wait = self._pacer.wait_seconds(time.monotonic())
        if wait > 0:
            await self._sleep(wait)

    async def _try(
        self, arguments: dict[str, Any], request: ModelRequest, ability: EndpointFeatures
    ) -> ModelReply | FailedCall:
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.limits.timeout_seconds):
                completion = await self._connection().client.chat.completions.create(**arguments)
            reply = reply_from(
                completion, request=request, ability=ability, seconds=time.monotonic() - began
            )
            reply = without_secret(reply, self._clean)
        except Exception as error:  # noqa: BLE001 - the client and the network raise what they like
            self.meter.failed(time.monotonic() - began)
            return self._failure(error)
        if self.price is None:
            return reply
        return replace(reply, cost=self.price.cost(reply.tokens_in, reply.tokens_out))

    def _connection(self) -> _Connection:
        loop = asyncio.get_running_loop()
        found = self._connections.get(loop)
        if found is None:
            slots = asyncio.Semaphore(self.limits.concurrency)
            found = self._connections[loop] = _Connection(client=self._client(), slots=slots)
        return found

    def require_client(self) -> None:
        """Raise ``MissingExtra`` now: at the first call it would be one fault of many."""
        if find_spec("openai") is None:
            raise MissingExtra(package="openai", extra="llm", purpose="asking a model over HTTP")

    def _client(self) -> Any:
        self.require_client()
        import openai

        common: dict[str, Any] = {
            "api_key": self.endpoint.api_key,
            "http_client": careful_client(
                timeout_seconds=self.limits.timeout_seconds, direct=self.endpoint.is_here
            ),
            "max_retries": 0,
            "timeout": self.limits.timeout_seconds,
        }
        if self.endpoint.azure_api_version:
            return openai.AsyncAzureOpenAI(
                azure_endpoint=self.endpoint.base_url,
                api_version=self.endpoint.azure_api_version,
                **common,
            )
        return openai.AsyncOpenAI(base_url=self.endpoint.base_url, **common)
