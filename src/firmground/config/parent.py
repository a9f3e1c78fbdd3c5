"""Settings of the hooks engine (``grounding``) and of halguard, read as ours.

What they meant but is decided elsewhere here is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firmground.config.document import SettingsDocument
from firmground.errors import ConfigError
from firmground.hooks.options import Options

_RENAMED = {
    "expected_checksums": "expected",
    "checksum_algorithm": "algorithm",
    "allowed_root": "root",
}
_POLICY = {
    "fail_on_grounding_failure": (
        "lets refusals through; that is a policy: waive the rule hooks there, where it shows"
    ),
    "escalate_on_failure": (
        "is a policy: set policy.rules.hooks.refused to regenerate, replan or abstain"
    ),
}


def from_parent(document: SettingsDocument) -> SettingsDocument:
    """Turn the tables ``grounding`` and ``halguard`` into ours; other files come back unchanged."""
    return _from_halguard(_from_grounding(document))


def _from_grounding(document: SettingsDocument) -> SettingsDocument:
    """Turn a ``grounding`` table into ``hooks``; other files come back as they are."""
    if "grounding" not in document.values:
        return document
    top = Options(document.values, file=str(document.file), lines=document.lines)
    if top.has("hooks"):
        top.wrong("grounding", "says the same as hooks; keep one of them")
    table = top.table("grounding")
    for key, why in _POLICY.items():
        if not table.flag(key, True):
            table.wrong(key, why)
    values = {k: v for k, v in document.values.items() if k != "grounding"}
    if table.flag("enabled", False):
        seconds = table.number("timeout_seconds", 30.0)
        hooks = [_hook(hook, seconds) for hook in table.tables("hooks")]
        values["hooks"] = {"use": hooks, "deadline_seconds": seconds}
    else:
        table.number("timeout_seconds", 30.0)
        table.tables("hooks")
    table.close()
    return replace(document, values=values, lines=_renamed(document.lines))


def _hook(table: Options, seconds: float) -> dict[str, Any]:
    made = {_RENAMED.get(key, key): value for key, value in table.rest().items()}
    if made.get("type") != "file_checksum":
        table.wrong("type", f"{made.get('type')!r} is unknown to the parent; use our own settings")
    if "root" not in made:
        raise ConfigError(
            f"{table.where('allowed_root')}: is missing: say which folder the files lie in"
        )
    if made.get("algorithm") == "md5":
        made["allow_weak"] = True
    return {**made, "timeout_seconds": seconds}


def _renamed(lines: dict[str, int]) -> dict[str, int]:
    """The lines under the names that the keys have from here on."""
    made = {}
    for path, line in lines.items():
        new = path.replace("grounding.hooks[", "hooks.use[", 1).replace("grounding", "hooks", 1)
        head, dot, last = new.rpartition(".")
        made[f"{head}{dot}{_RENAMED.get(last, last)}"] = line
    return made


def _from_halguard(document: SettingsDocument) -> SettingsDocument:
    """Turn a ``halguard`` table into ``preflight`` and ``models.consensus``.

    What it leaves out keeps its default; there, leaving a switch out could switch a check off.
    """
    if "halguard" not in document.values:
        return document
    top = Options(document.values, file=str(document.file), lines=document.lines)
    table = top.table("halguard")
    models = dict(document.values.get("models") or {})
    for taken, there in (("preflight", top.has("preflight")), ("consensus", "consensus" in models)):
        if there:
            table.wrong("", f"says the same as {taken}; keep one of them")
    preflight: dict[str, Any] = {"profile": "halguard"}
    cross: dict[str, Any] = {"tier": "length"}
    for key, place, ours in (
        ("enable_pre_check", preflight, "enabled"),
        ("pre_check_threshold", preflight, "block_below"),
        ("enable_post_check", cross, "enabled"),
        ("light_threshold_chars", cross, "light_from_bytes"),
        ("full_threshold_chars", cross, "full_from_bytes"),
        ("cross_model_samples", cross, "samples"),
        ("max_blocks_to_judge", cross, "blocks_per_call"),
    ):
        if table.has(key):
            place[ours] = table.raw(key)
    table.close()
    values = {k: v for k, v in document.values.items() if k != "halguard"}
    values |= {"preflight": preflight, "models": {**models, "consensus": cross}}
    return replace(document, values=values)
