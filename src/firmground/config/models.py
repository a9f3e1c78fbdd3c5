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
    tasks = ["efficiency"]                # models for efficiency judge and cross-check first

    [models.judge]                        # each of these three tables switches its check on
    may_raise = ["ungrounded > grounded"]
    when_silent = "unverifiable"

    [models.probe]
    watch = "answer"

    [models.consensus]
    enabled = true                        # false: the table stays, and nothing is asked
    tier = "risk"                         # risk, length, light or full
    samples = 3
    light_from_bytes = 200                # these two only with tier = "length"
    full_from_bytes = 500
    penalty_from = 0.3                    # of the question, from which it is checked in full
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmground.consensus import BY_RISK, TASKS, ConsensusSettings, TierProfile
from firmground.core.claim import Standing
from firmground.errors import ConfigError, InputError, did_you_mean
from firmground.hooks.options import Options
from firmground.probe import PROFILES, WATCHES, ProbeProfile

TIERS = ("risk", "length", "light", "full")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """One model: its name, where it is, and which variable holds the key."""

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    price_in: float | None = None
    price_out: float | None = None
    timeout_seconds: float = 60.0
    concurrency: int = 4
    tasks: tuple[str, ...] = ()
    """What the model is kept for: ``efficiency``, ``tool_calling``, ``planning``…"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Everything the file says about models."""

    use: tuple[ModelEntry, ...] = ()
    generator: str | None = None
    max_calls: int | None = None
    judge: bool = False
    may_raise: tuple[tuple[Standing, Standing], ...] = ()
    keep_when_silent: bool = False
    probe: str | None = None
    """What the probe watches; None when there is none."""
    profile: ProbeProfile = PROFILES["default"]
    consensus: str | None = None
    """The tier; None when there is no cross-check."""
    cross: ConsensusSettings = ConsensusSettings()  # noqa: RUF009 - frozen
    tiers: TierProfile = BY_RISK
    """Limits by which the tier is chosen."""


def read_models(table: Options) -> ModelSettings:
    """Read the table strictly; every mistake names its key."""
    judge, probe, cross = (table.table(name) for name in ("judge", "probe", "consensus"))
    watch = probe.choice("watch", WATCHES, "answer")
    tier = cross.choice("tier", TIERS, "risk")
    made = ModelSettings(
        use=tuple(_place(one) for one in table.tables("use")),
        generator=table.text("generator", None),
        max_calls=_count(table, "max_calls"),
        judge=_wanted(judge, table.has("judge")),
        may_raise=tuple(_pair(judge, text) for text in judge.texts("may_raise", ())),
        keep_when_silent=judge.choice("when_silent", ("unverifiable", "keep"), "unverifiable")
        == "keep",
        probe=watch if _wanted(probe, table.has("probe")) else None,
        profile=_profile(probe),
        consensus=tier if _wanted(cross, table.has("consensus")) else None,
        cross=_cross(cross),
        tiers=_tiers(cross),
    )
    for part in (judge, probe, cross, table):
        part.close()
    return made


def _place(table: Options) -> ModelEntry:
    made = ModelEntry(
        name=table.text("name"),
        base_url=table.text("base_url", None),
        api_key_env=table.text("api_key_env", None),
        price_in=table.number("price_in", None),
        price_out=table.number("price_out", None),
        timeout_seconds=table.number("timeout_seconds", 60.0),
        concurrency=table.whole("concurrency", 4),
        tasks=tuple(table.texts("tasks", ())),
    )
    for task in made.tasks:
        if task not in TASKS:
            near = did_you_mean(task, TASKS)
            table.wrong("tasks", f"{task!r} is unknown{near}; there are {', '.join(TASKS)}")
    if (made.price_in is None) != (made.price_out is None):
        table.wrong("price_in", "needs price_out beside it, and the other way round")
    table.close()
    return made


def _wanted(table: Options, there: bool) -> bool:
    """True for a check whose table is there and not switched off."""
    enabled = table.flag("enabled", True)
    return there and bool(enabled)


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


def _profile(table: Options) -> ProbeProfile:
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
        "blocks_per_call": table.whole("blocks_per_call", plain.blocks_per_call),
        "temperature": table.number("temperature", plain.temperature),
        "seed": table.whole("seed", plain.seed),
        "max_calls": table.whole("max_calls", plain.max_calls),
        "correct": table.flag("correct", plain.correct),
        "sample_tokens": table.whole("sample_tokens", plain.sample_tokens),
        "reply_tokens": table.whole("reply_tokens", plain.reply_tokens),
    }
    try:
        return replace(plain, **changes)
    except ConfigError as error:
        raise ConfigError(f"{table.where()}: {error}") from None


def _tiers(table: Options) -> TierProfile:
    plain = BY_RISK
    changes = {
        "light_from_bytes": table.whole("light_from_bytes", plain.light_from_bytes),
        "full_from_bytes": table.whole("full_from_bytes", plain.full_from_bytes),
        "penalty_from": table.number("penalty_from", plain.penalty_from),
    }
    try:
        return replace(plain, **changes)
    except InputError as error:
        raise ConfigError(f"{table.where(str(error).split()[0])}: {error}") from None
