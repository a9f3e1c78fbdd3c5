"""The table ``[models]``: which models there are, and what is asked of them about an answer.

::

    [models]
    generator = "gpt-4o"                  # who writes the answers; its family does not judge them
    max_calls = 200

    [[models.use]]
    name = "gemini-2.5-flash"
    base_url = "https://…/v1"
    api_key_env = "GEMINI_API_KEY"        # the name of a variable, never the key itself
    price_in = 0.30                       # per million tokens
    price_out = 2.50

    [models.judge]                        # each of these three tables switches its check on
    may_raise = ["ungrounded > grounded"]
    when_silent = "unverifiable"

    [models.probe]
    watch = "answer"

    [models.consensus]
    tier = "risk"
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmground.consensus import Settings as ConsensusSettings
from firmground.core.claim import Standing
from firmground.errors import ConfigError
from firmground.hooks.options import Options
from firmground.probe import PROFILES, WATCHES, Profile

TIERS = ("risk", "light", "full")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlace:
    """One model: its name, where it is, and which variable holds the key."""

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    price_in: float | None = None
    price_out: float | None = None
    timeout_seconds: float = 60.0
    concurrency: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Everything the file says about models."""

    use: tuple[ModelPlace, ...] = ()
    generator: str | None = None
    max_calls: int | None = None
    judge: bool = False
    may_raise: tuple[tuple[Standing, Standing], ...] = ()
    keep_when_silent: bool = False
    probe: str | None = None
    """What the probe watches; None when there is none."""
    profile: Profile = PROFILES["default"]
    consensus: str | None = None
    """The tier; None when there is no cross-check."""
    cross: ConsensusSettings = ConsensusSettings()  # noqa: RUF009 - frozen


def read_models(table: Options) -> ModelSettings:
    """Read the table strictly; every mistake names its key."""
    judge, probe, cross = (table.table(name) for name in ("judge", "probe", "consensus"))
    made = ModelSettings(
        use=tuple(_place(one) for one in table.tables("use")),
        generator=table.text("generator", None),
        max_calls=_count(table, "max_calls"),
        judge=table.has("judge"),
        may_raise=tuple(_pair(judge, text) for text in judge.texts("may_raise", ())),
        keep_when_silent=judge.choice("when_silent", ("unverifiable", "keep"), "unverifiable")
        == "keep",
        probe=probe.choice("watch", WATCHES, "answer") if table.has("probe") else None,
        profile=_profile(probe),
        consensus=cross.choice("tier", TIERS, "risk") if table.has("consensus") else None,
        cross=_cross(cross),
    )
    for part in (judge, probe, cross, table):
        part.close()
    return made


def _place(table: Options) -> ModelPlace:
    made = ModelPlace(
        name=table.text("name"),
        base_url=table.text("base_url", None),
        api_key_env=table.text("api_key_env", None),
        price_in=table.number("price_in", None),
        price_out=table.number("price_out", None),
        timeout_seconds=table.number("timeout_seconds", 60.0),
        concurrency=table.whole("concurrency", 4),
    )
    if (made.price_in is None) != (made.price_out is None):
        table.wrong("price_in", "needs price_out beside it, and the other way round")
    table.close()
    return made


def _count(table: Options, key: str) -> int | None:
    value: int | None = table.whole(key, None)
    if value is not None and value < 0:
        table.wrong(key, f"must be at least 0, got {value}")
    return value


def _pair(table: Options, text: str) -> tuple[Standing, Standing]:
    start, _, end = (part.strip() for part in text.partition(">"))
    try:
        return Standing(start), Standing(end)
    except ValueError:
        known = ", ".join(Standing)
        table.wrong("may_raise", f"{text!r} is not 'FROM > TO'; the standings are {known}")


def _profile(table: Options) -> Profile:
    base = PROFILES[table.choice("profile", tuple(sorted(PROFILES)), "default")]
    changes = {
        "samples": table.whole("samples", base.samples),
        "temperature": table.number("temperature", base.temperature),
        "known_from": table.number("known_from", base.known_from),
        "max_calls": _count(table, "max_calls"),
        "max_tokens": table.whole("max_tokens", base.max_tokens),
    }
    try:
        return replace(base, **changes)
    except ConfigError as error:
        raise ConfigError(f"{table.where()}: {error}") from None


def _cross(table: Options) -> ConsensusSettings:
    plain = ConsensusSettings()
    changes = {
        "samples": table.whole("samples", plain.samples),
        "max_calls": table.whole("max_calls", plain.max_calls),
        "correct": table.flag("correct", plain.correct),
        "sample_tokens": table.whole("sample_tokens", plain.sample_tokens),
        "reply_tokens": table.whole("reply_tokens", plain.reply_tokens),
    }
    try:
        return replace(plain, **changes)
    except ConfigError as error:
        raise ConfigError(f"{table.where()}: {error}") from None
