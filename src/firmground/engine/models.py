"""From settings to models that can be asked, opened for one event loop and closed with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from firmground.adapters.model_cache import CachedModel, NamedModel
from firmground.adapters.openai_model import CallLimits, Meter, ModelEndpoint, OpenAIModel, Price
from firmground.adapters.transcript import Recorder, Replay
from firmground.config.models import ModelEntry, ModelSettings
from firmground.consensus import by_task
from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.engine.model_checks import ModelChecks, model_checks
from firmground.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStorage:
    """Where calls are kept: a cache, a transcript, or a transcript to answer from."""

    cache: Path | None = None
    record: Path | None = None
    replay: Path | None = None


def model_at(place: ModelEntry, *, meter: Meter | None = None) -> OpenAIModel:
    """The model at that place; its key is read from the environment now."""
    if place.api_key_env is None:
        endpoint = ModelEndpoint.from_environment(base_url=place.base_url)
    else:
        try:
            endpoint = ModelEndpoint.with_key_from(place.api_key_env, base_url=place.base_url)
        except ConfigError as error:
            raise ConfigError(f"model {place.name}: {error}") from None
    priced = place.price_in is not None and place.price_out is not None
    return OpenAIModel(
        place.name,
        endpoint=endpoint,
        limits=CallLimits(timeout_seconds=place.timeout_seconds, concurrency=place.concurrency),
        meter=meter,
        price=Price(per_million_in=place.price_in or 0.0, per_million_out=place.price_out or 0.0)
        if priced
        else None,
    )


def kept(model: OpenAIModel, keeping: CallStorage) -> NamedModel:
    """The same model behind a cache and a recorder, where they are wanted."""
    made: NamedModel = model
    if keeping.cache is None:
        model.require_client()
    if keeping.cache is not None:
        made = CachedModel(inner=made, folder=keeping.cache)
    return made if keeping.record is None else Recorder(made, keeping.record)


Watch = Callable[[str, int], None]
"""Told the name of a model and the number of the call before each one."""


class ObservedModel:
    """A model that reports every call before it is made."""

    def __init__(self, inner: Model, *, name: str, watch: Watch) -> None:
        self._inner, self._name, self._watch = inner, name, watch
        self._calls = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Tell, then ask."""
        self._calls += 1
        self._watch(self._name, self._calls)
        return await self._inner.complete(request)


@asynccontextmanager
async def opened_models(
    places: Sequence[ModelEntry], keeping: CallStorage
) -> AsyncIterator[list[tuple[str, Model]]]:
    """Open every model, or answer from a transcript alone; close them at the end."""
    async with AsyncExitStack() as stack:
        made: list[tuple[str, Model]] = []
        for place in places:
            if keeping.replay is not None:
                made.append((place.name, Replay(keeping.replay, model=place.name)))
                continue
            model = await stack.enter_async_context(model_at(place))
            made.append((place.name, kept(model, keeping)))
        yield made


@asynccontextmanager
async def opened_checks(
    settings: ModelSettings,
    *,
    keeping: CallStorage | None = None,
    also: Sequence[tuple[str, Model]] = (),
    tell: Callable[[str, str], None] = lambda stage, message: None,
    watch: Watch | None = None,
    wrap: Callable[[Model], Model] | None = None,
) -> AsyncIterator[ModelChecks | None]:
    """What the settings want of models, with the models open; ``also`` are open already.

    ``wrap`` puts something around each model that is opened here.
    """
    wanted = settings.judge or settings.probe or settings.consensus
    async with opened_models(settings.use if wanted else (), keeping or CallStorage()) as models:
        tasks = {place.name: place.tasks for place in settings.use}
        first = by_task(models, lambda one: tasks.get(one[0], ()))
        opened = [(name, wrap(model) if wrap else model) for name, model in first]
        asked = [*also, *opened]
        if watch is not None:
            asked = [(name, ObservedModel(model, name=name, watch=watch)) for name, model in asked]
        yield model_checks(
            asked,
            judge=settings.judge,
            probe=settings.probe,
            consensus=settings.consensus,
            generator=settings.generator,
            max_calls=settings.max_calls,
            may_raise=settings.may_raise,
            keep_when_silent=settings.keep_when_silent,
            profile=settings.profile,
            settings=settings.cross,
            tiers=settings.tiers,
            tell=tell,
        )
