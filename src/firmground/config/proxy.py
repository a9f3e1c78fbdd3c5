"""The ``[proxy]`` table: which models stand behind the service, and what may leave.

::

    [proxy]
    mode = "hold"                         # hold, window or annotate
    on_failure = "stop"                   # stop, repair, regenerate or flag
    on_error = "stop"                     # stop or open: what a check that failed means
    no_evidence = "refuse"                # refuse, preflight or label
    evidence = ["field", "tools+tags", "retriever"]
    tags = ["document", "documents", "context"]
    held_bytes = 2097152

    [[proxy.upstream]]
    name = "local"
    base_url = "http://127.0.0.1:8080/v1"
    models = ["smollm2*"]
    key_env = "UPSTREAM_KEY"
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from firmground.errors import ConfigError, InputError
from firmground.hooks import BreakerPolicy
from firmground.hooks.options import Options


class DeliveryMode(StrEnum):
    """When text of an answer leaves."""

    HOLD = "hold"
    """After the whole answer was checked."""
    WINDOW = "window"
    """Each sentence, list item, table row or code block after it was checked."""
    ANNOTATE = "annotate"
    """At once; the verdict follows."""


class OnFailure(StrEnum):
    """What happens to an answer that the policy does not release."""

    STOP = "stop"
    """A notice takes its place, and ``finish_reason`` is ``content_filter``."""
    REPAIR = "repair"
    """What does not stand is corrected or cut out; the rest is checked again and released."""
    REGENERATE = "regenerate"
    """The model is asked again, told what was wrong, as often as ``regenerations`` says."""
    FLAG = "flag"
    """The text is released and labelled as not supported."""


class OnError(StrEnum):
    """What happens to an answer that could not be checked."""

    STOP = "stop"
    OPEN = "open"
    """It is released, labelled as not verified and counted."""


class NoEvidence(StrEnum):
    """What happens to a request that brings no evidence."""

    REFUSE = "refuse"
    PREFLIGHT = "preflight"
    """The question is inspected; if nothing is held against it the answer is labelled."""
    LABEL = "label"
    """The answer is released, labelled as not verified."""


SOURCES = ("field", "tools", "tags", "retriever")
"""Where evidence can come from."""
_ROLES = ("system", "developer", "user", "tool")
_TAG = re.compile(r"[A-Za-z][\w-]{0,63}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSettings:
    """One server that speaks the OpenAI protocol, and the models that are asked there."""

    name: str
    base_url: str
    models: tuple[str, ...]
    """Names, or patterns with ``*``; the first upstream with a fitting one is asked."""
    key: str | None = field(default=None, repr=False)
    """Sent to the upstream as its API key; never shown."""
    rename: tuple[tuple[str, str], ...] = ()
    """Names of models as clients send them, and as the upstream knows them."""
    connect_seconds: float = 5.0
    idle_seconds: float = 120.0
    """Longest silence of the upstream."""
    retries: int = 1
    """Further tries before the first byte of a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """What the proxy asks, what it takes as evidence, and what it releases."""

    upstreams: tuple[UpstreamSettings, ...]
    mode: DeliveryMode = DeliveryMode.HOLD
    on_failure: OnFailure = OnFailure.STOP
    on_error: OnError = OnError.STOP
    no_evidence: NoEvidence = NoEvidence.REFUSE
    regenerations: int = 1
    """How often a model is asked again under ``regenerate``."""
    evidence: tuple[tuple[str, ...], ...] = (("field",), ("tools", "tags"), ("retriever",))
    """Groups of sources in order; the first group that has evidence is used."""
    tags: tuple[str, ...] = ("document", "documents", "context", "source", "evidence")
    """Names of tags whose content is evidence."""
    patterns: tuple[str, ...] = ()
    """Further patterns (RE2); their first group is evidence."""
    tag_roles: tuple[str, ...] = ("system", "developer", "user")
    """Roles of messages in which tags are looked for."""
    notice: str = "[firmground: the rest of this answer was withheld; run {run}]"
    """Takes the place of withheld text; ``{run}`` is the run's id."""
    heartbeat_seconds: float = 10.0
    """Longest silence of a stream while text is held."""
    held_bytes: int = 2 << 20
    """Most text that is held for one request."""
    seconds: float = 300.0
    """Longest time for one request."""
    stall_seconds: float = 60.0
    """How long a client may take nothing of a stream before it is given up."""
    concurrent: int = 1024
    """Requests under way at the same time; further ones get 503."""
    choices: int = 8
    """Largest ``n``."""
    breaker: BreakerPolicy = BreakerPolicy()  # noqa: RUF009 - frozen
    """When an upstream that fails is no longer asked."""


def read_proxy(table: Options, file: Path) -> ProxySettings:
    """Read the table; keys of upstreams come from the environment or from files."""
    plain = ProxySettings(upstreams=())
    ups = tuple(_upstream(one, file) for one in table.tables("upstream"))
    if not ups:
        table.wrong("upstream", "is missing: name at least one upstream")
    found: dict[str, Any] = {"upstreams": ups, "evidence": _evidence(table, plain)}
    for name, kind in (
        ("mode", DeliveryMode),
        ("on_failure", OnFailure),
        ("on_error", OnError),
        ("no_evidence", NoEvidence),
    ):
        found[name] = kind(table.choice(name, tuple(kind), str(getattr(plain, name))))
    for name in ("regenerations", "held_bytes", "concurrent", "choices"):
        found[name] = table.whole(name, getattr(plain, name))
    for name in ("heartbeat_seconds", "seconds", "stall_seconds"):
        found[name] = table.number(name, getattr(plain, name))
    for name, value in found.items():
        if isinstance(value, int | float) and not (value > 0 or name == "regenerations"):
            table.wrong(name, f"must be above 0, got {value}")
    found["tags"] = table.texts("tags", plain.tags)
    for tag in found["tags"]:
        if not _TAG.match(tag):
            table.wrong("tags", f"{tag!r} is not the name of a tag")
    found["patterns"] = table.texts("patterns", ())
    found["tag_roles"] = table.texts("tag_roles", plain.tag_roles)
    for role in found["tag_roles"]:
        if role not in _ROLES:
            table.wrong("tag_roles", f"{role!r} is unknown; use some of {', '.join(_ROLES)}")
    found["notice"] = table.text("notice", plain.notice)
    breaker = table.table("breaker")
    try:
        found["breaker"] = BreakerPolicy(
            threshold=breaker.whole("threshold", plain.breaker.threshold),
            cool_down_seconds=breaker.number("cool_down_seconds", plain.breaker.cool_down_seconds),
        )
    except InputError as error:
        raise ConfigError(f"{breaker.where()}: {error}") from None
    breaker.close()
    table.close()
    return ProxySettings(**found)


def _evidence(table: Options, plain: ProxySettings) -> tuple[tuple[str, ...], ...]:
    stated = table.texts("evidence", None)
    if stated is None:
        return plain.evidence
    groups = tuple(tuple(part.strip() for part in group.split("+")) for group in stated)
    for name in (name for group in groups for name in group):
        if name not in SOURCES:
            table.wrong("evidence", f"{name!r} is unknown; use some of {', '.join(SOURCES)}")
    return groups


def _upstream(table: Options, file: Path) -> UpstreamSettings:
    plain = UpstreamSettings(name="", base_url="", models=())
    address = table.text("base_url").rstrip("/")
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
        table.wrong("base_url", f"must be an http or https address, got {address!r}")
    found = UpstreamSettings(
        name=table.text("name"),
        base_url=address,
        models=table.texts("models"),
        key=_key(table, file),
        rename=table.pairs("rename", ()),
        connect_seconds=table.number("connect_seconds", plain.connect_seconds),
        idle_seconds=table.number("idle_seconds", plain.idle_seconds),
        retries=table.whole("retries", plain.retries),
    )
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", found.name):
        table.wrong("name", "must have 1 to 64 letters, digits or any of _ . -")
    if not found.models:
        table.wrong("models", "must name at least one model or pattern")
    if found.connect_seconds <= 0 or found.idle_seconds <= 0 or not 0 <= found.retries <= 2:
        table.wrong("retries", "times must be above 0 and retries from 0 to 2")
    table.close()
    return found


def _key(table: Options, file: Path) -> str | None:
    name, path = table.text("key_env", None), table.text("key_file", None)
    if name is not None and path is not None:
        table.wrong("key_file", "stands beside key_env; give one of them")
    if path is not None:
        try:
            return str((file.parent / path).read_text(encoding="utf-8")).strip()
        except OSError as error:
            raise ConfigError(f"{table.where('key_file')}: {path}: {error.strerror}") from None
    if name is None:
        return None
    if not os.environ.get(name):
        table.wrong("key_env", f"the environment has no variable {name}")
    return os.environ[name]
