"""The options with which a command asks models about an answer."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firmground.cli._model import KEY_HELP, split_place
from firmground.cli._output import say
from firmground.config.models import TIERS, ModelEntry, ModelSettings
from firmground.config.settings import DEFAULT_POLICY, Settings
from firmground.decide import Policy
from firmground.engine.models import CallStorage, Watch
from firmground.engine.rejudging import find_policy
from firmground.probe import WATCHES

POLICY_HELP = f"Name, or a TOML file; otherwise the settings file's.  [default: {DEFAULT_POLICY}]"
_LLM = "llm"
_FILE = click.Path(dir_okay=False, path_type=Path)

_CHECKS = (
    click.option(
        "--probe", type=click.Choice(WATCHES),
        help="Does the answer, or each claim, move without its evidence? Asks a model.",
    ),
    click.option(
        "--consensus", type=click.Choice(TIERS),
        help="Do other models agree? risk: as hard as the answer needs; length: by its length.",
    ),
    click.option(
        "--max-calls", type=click.IntRange(min=0), help="Most calls for judge, probe and consensus."
    ),
)  # fmt: skip
_PLACES = (
    click.option(
        "--model", "models", multiple=True, metavar="NAME[=URL]",
        help="A model to ask, at an address of its own if need be. May be repeated.",
    ),
    click.option(
        "--base-url",
        help="OpenAI-compatible endpoint of models without one; otherwise OPENAI_BASE_URL.",
    ),
    click.option("--api-key-env", metavar="VARIABLE", help=KEY_HELP),
    click.option("--generator", metavar="NAME", help="The model that wrote the answer."),
    click.option(
        "--timeout", "timeout_seconds", type=float, default=60.0, show_default=True,
        help="Seconds for one reply.",
    ),
    click.option(
        "--cache", type=click.Path(file_okay=False, path_type=Path),
        help="Folder in which replies are kept and looked up.",
    ),
    click.option("--record", type=_FILE, help="File to which every call is written."),
    click.option("--replay", type=_FILE, help="Answer every call from this file alone."),
    click.option("--plan", "only_plan", is_flag=True, help="Say how many calls it takes and stop."),
)  # fmt: skip


def by_models(judge: str | None) -> bool:
    """True for ``llm`` and ``llm+NAME``: language models judge after the named judge."""
    return judge is not None and (judge == _LLM or judge.startswith(_LLM + "+"))


def base_judge(judge: str | None) -> str | None:
    """Who looks first; None when that is left to the settings and the default."""
    if judge is None or not by_models(judge):
        return judge
    return judge.removeprefix(_LLM).removeprefix("+") or None


def check_options(function: Any) -> Any:
    """Give a command the options that say what is asked of models."""
    for option in reversed(_CHECKS):
        function = option(function)
    return function


def place_options(function: Any) -> Any:
    """Give a command the options that say which models there are."""
    for option in reversed(_PLACES):
        function = option(function)
    return function


def read_settings(given: dict[str, Any]) -> Settings:
    """What the settings file says, read once; the defaults without one."""
    return Settings.load(given["config"]) if given["config"] else Settings()


def models_from(
    given: dict[str, Any], *, models: tuple[str, ...], generator: str | None
) -> ModelSettings:
    """What the settings file says about models, and the command line over it."""
    base = given["settings"].models or ModelSettings()
    places = place_settings({**given, "models": models})
    return replace(
        base,
        use=places or base.use,
        generator=generator or base.generator,
        max_calls=base.max_calls if given["max_calls"] is None else given["max_calls"],
        judge=base.judge or by_models(given["judge"]),
        probe=given["probe"] or base.probe,
        consensus=given["consensus"] or base.consensus,
    )


def place_settings(given: dict[str, Any]) -> tuple[ModelEntry, ...]:
    """The models named on the command line."""
    return tuple(_place(text, given, given["timeout_seconds"]) for text in given["models"])


def policy_from(given: dict[str, Any]) -> Policy:
    """The policy named on the command line, or else in the settings file, or else the default."""
    return find_policy(
        given["policy"],
        settings=given["settings"],
        calibration=given["calibration"],
        group=given["group"],
    )


def keeping_from(given: dict[str, Any]) -> CallStorage:
    """Where calls are kept."""
    return CallStorage(cache=given["cache"], record=given["record"], replay=given.get("replay"))


def tell(stage: str, message: str) -> None:
    """Print on standard error which call is about to be made."""
    say(f"  {stage:<10} {message}", err=True)


def watching() -> Watch | None:
    """Print each model call as it is made, on a terminal."""
    return watch if sys.stderr.isatty() else None


def watch(name: str, number: int) -> None:
    """One line for a call that is about to be made."""
    say(f"  asking     {name}, call {number}", err=True)


def _place(text: str, given: dict[str, Any], seconds: float) -> ModelEntry:
    """A model with an address of its own does not get the key that is meant for another."""
    name, own = split_place(text)
    return ModelEntry(
        name=name,
        base_url=own or given["base_url"],
        api_key_env=None if own else given["api_key_env"],
        timeout_seconds=seconds,
    )
