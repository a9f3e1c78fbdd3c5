"""What the commands that ask a model share: which model, where, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firmground.adapters.model_cache import NamedModel
from firmground.adapters.openai_model import (
    CallLimits,
    Meter,
    ModelEndpoint,
    OpenAIModel,
    SpendLimit,
)
from firmground.adapters.transcript import Replay
from firmground.engine.models import CallStorage, kept
from firmground.errors import ConfigError

KEY_HELP = (
    "Variable that holds the key. Otherwise OPENAI_API_KEY, which goes only to OpenAI, to "
    "OPENAI_BASE_URL and to this machine."
)
NO_MODEL = (
    "no model is named: give --model NAME, the address with --base-url or OPENAI_BASE_URL "
    "(otherwise api.openai.com; for Azure AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY and "
    "OPENAI_API_VERSION), and the key in OPENAI_API_KEY or in the variable --api-key-env names"
)
_OPTIONS = (
    click.option(
        "--model", metavar="NAME[=URL]",
        help="The model, at an address of its own if need be; needed where one is asked.",
    ),
    click.option(
        "--base-url",
        help="OpenAI-compatible endpoint; otherwise OPENAI_BASE_URL, AZURE_OPENAI_ENDPOINT or "
        "api.openai.com.",
    ),
    click.option("--api-key-env", metavar="VARIABLE", help=KEY_HELP),
    click.option("--max-tokens", type=click.IntRange(min=0), help="Stop when so many are used."),
    click.option(
        "--timeout", "timeout_seconds", type=float, default=60.0, show_default=True,
        help="Seconds for one reply.",
    ),
    click.option(
        "--concurrency", type=click.IntRange(min=1), default=4, show_default=True,
        help="Calls at the same time.",
    ),
    click.option(
        "--cache", type=click.Path(file_okay=False, path_type=Path),
        help="Folder in which replies are kept and looked up.",
    ),
    click.option(
        "--record", type=click.Path(dir_okay=False, path_type=Path),
        help="File to which every call is written.",
    ),
    click.option(
        "--replay", type=click.Path(dir_okay=False, path_type=Path),
        help="Answer every call from this file alone.",
    ),
)  # fmt: skip

AnyFunction = Callable[..., Any]


def model_options(function: AnyFunction) -> AnyFunction:
    """Give a command the options that name a model."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def several_model_options(function: AnyFunction) -> AnyFunction:
    """Give a command the same options with a ``--model`` that may be repeated, as ``models``."""
    for option in reversed(_OPTIONS[1:]):
        function = option(function)
    return click.option(
        "--model", "models", multiple=True, metavar="NAME[=URL]",
        help="A model, at an address of its own if need be; repeated, they share one table.",
    )(function)  # fmt: skip


def split_place(text: str | None) -> tuple[str, str | None]:
    """``NAME=URL`` as its two parts; the address is None where none was given."""
    name, own, rest = (text or "").partition("=http")
    return name, f"http{rest}" if own else None


def alone_at(where: dict[str, Any]) -> dict[str, Any]:
    """The options with ``--model NAME=URL`` taken apart, for a command that asks this one model.

    The address holds for this model and nothing else does: a second one, or a key meant for
    elsewhere, is refused.
    """
    name, own = split_place(where["model"])
    if own is None:
        return where
    for option, spelled in (("base_url", "--base-url"), ("api_key_env", "--api-key-env")):
        if where[option]:
            raise click.UsageError(
                f"{spelled} is for a model without an address of its own, and {name} has one; "
                f"say --model {name} --base-url {own} instead"
            )
    return {**where, "model": name, "base_url": own}


def open_model(
    *,
    model: str | None,
    base_url: str | None,
    api_key_env: str | None,
    max_tokens: int | None,
    timeout_seconds: float,
    concurrency: int,
    asked: bool = True,
) -> OpenAIModel:
    """The model the options name; without ``asked`` it is only named, and needs no key."""
    if not model:
        raise ConfigError(NO_MODEL)
    return OpenAIModel(
        model,
        endpoint=_endpoint(base_url, api_key_env) if asked else ModelEndpoint(),
        limits=CallLimits(timeout_seconds=timeout_seconds, concurrency=concurrency),
        meter=Meter(SpendLimit(tokens=max_tokens)),
    )


def _endpoint(base_url: str | None, api_key_env: str | None) -> ModelEndpoint:
    if api_key_env:
        return ModelEndpoint.with_key_from(api_key_env, base_url=base_url)
    return ModelEndpoint.from_environment(base_url=base_url)


def wrapped(
    model: OpenAIModel, *, cache: Path | None, record: Path | None, replay: Path | None = None
) -> NamedModel:
    """The same model behind a cache and a recorder where they are wanted, or a transcript of it."""
    if replay is not None:
        return Replay(replay, model=model.model)
    return kept(model, CallStorage(cache=cache, record=record))
