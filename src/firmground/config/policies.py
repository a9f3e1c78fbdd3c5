"""Policies of one's own: a named one to start from, rules changed, added or waived.

::

    [policy]
    name = "clinic"
    base = "strict"                       # strict, balanced, advisory, or none
    waive = ["stale_evidence"]            # shown in every decision, never silent
    escalate = ["hooks", "disagreement"]  # a person decides once mending has not helped
    calibration = "calibration.json"      # made for this policy by `firmground calibrate`
    calibration_group = ""

    [policy.rules.thin_support]
    proceed = 0.92

    [policy.rules.contradiction]
    step = "abstain"

    [policy.rules.critical_claim_unsupported.weights]
    dose = 1.0                            # 0 like any other claim, 1 twice as much
    name = 0.2
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from firmground.config.calibration import calibrated_policy, load_calibration
from firmground.core.decision import Step
from firmground.decide import POLICIES, RULES, Policy, Rule
from firmground.errors import ConfigError, InputError

_KEYS = {"name", "base", "waive", "escalate", "rules", "calibration", "calibration_group"}


def load_policy(path: Path | str) -> Policy:
    """Read the policy in a TOML file; every error names the file and the key."""
    file = Path(path)
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: is not TOML: {error}") from None
    table = document.get("policy")
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: policy: this table is missing")
    return policy_from(table, str(file))


def policy_from(table: Mapping[str, Any], where: str) -> Policy:
    """Make a policy from its table."""
    _only(table, _KEYS, f"{where}: policy")
    rules = _rules(table, where)
    waived = _names(table, "waive", where)
    name = table.get("name", Path(where).stem)
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{where}: policy.name: must be a name")
    base = _base(table, where)
    by_default = base.escalate if base else ()
    left = _names(table, "escalate", where) if "escalate" in table else by_default
    try:
        made = Policy(
            name=name,
            rules=rules,
            waived=tuple(sorted({*(base.waived if base else ()), *waived})),
            escalate=tuple(
                sorted({one for one in left if "escalate" in table or one not in waived})
            ),
        )
        return _calibrated(made, table, where)
    except InputError as error:
        raise ConfigError(f"{where}: policy: {error}") from None


def _calibrated(policy: Policy, table: Mapping[str, Any], where: str) -> Policy:
    """The same under the threshold of its calibration file, if it names one."""
    for key in ("calibration", "calibration_group"):
        if not isinstance(table.get(key, ""), str):
            raise ConfigError(f"{where}: policy.{key}: must be text")
    named = table.get("calibration", "")
    if not named:
        return policy
    artefact = load_calibration(Path(where).parent / named)
    try:
        return calibrated_policy(policy, artefact, group=table.get("calibration_group", ""))
    except InputError as error:
        raise ConfigError(f"{where}: policy.calibration: {error}") from None


def _names(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    names = table.get(key, [])
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise ConfigError(f"{where}: policy.{key}: must be a list of rule names")
    return tuple(names)


def _base(table: Mapping[str, Any], where: str) -> Policy | None:
    name = table.get("base", "balanced")
    if name == "none":
        return None
    if name not in POLICIES:
        known = ", ".join([*POLICIES, "none"])
        raise ConfigError(f"{where}: policy.base: {name!r} is unknown; there are {known}")
    return POLICIES[name]


def _rules(table: Mapping[str, Any], where: str) -> tuple[Rule, ...]:
    base = _base(table, where)
    changed = table.get("rules", {})
    if not isinstance(changed, dict):
        raise ConfigError(f"{where}: policy.rules: must be a table")
    kinds = {rule.name: rule for rule in RULES}
    made: dict[str, Rule] = {rule.name: rule for rule in (base.rules if base else ())}
    for name, given in changed.items():
        key = f"{where}: policy.rules.{name}"
        if name not in kinds:
            raise ConfigError(f"{key}: no such rule; there are {', '.join(sorted(kinds))}")
        made[name] = _rule(kinds[name], made.get(name), given, key)
    return tuple(made.values())


def _rule(kind: Any, base: Rule | None, given: object, key: str) -> Rule:
    if not isinstance(given, dict):
        raise ConfigError(f"{key}: must be a table of parameters")
    start = base if base is not None else kind()
    known = {field.name: getattr(start, field.name) for field in fields(start)}  # type: ignore[arg-type]
    _only(given, set(known), key)
    values = {name: _value(value, known[name], f"{key}.{name}") for name, value in given.items()}
    try:
        made = replace(start, **values)  # type: ignore[type-var]
    except InputError as error:
        raise ConfigError(f"{key}: {error}") from None
    assert isinstance(made, Rule)
    return made


def _value(value: Any, like: Any, key: str) -> Any:
    """Read a parameter as the kind of value it replaces."""
    if isinstance(like, Step):
        return _step(value, key)
    if like is None:  # the only parameter without a value is a number of claims
        fits = isinstance(value, int) and not isinstance(value, bool)
        like = 0
    elif isinstance(like, bool) or not isinstance(like, float | int | str | tuple):
        fits = isinstance(value, type(like))
    elif isinstance(like, float | int):
        kinds = (float, int) if isinstance(like, float) else (int,)
        fits = isinstance(value, kinds) and not isinstance(value, bool)
        value = float(value) if fits and isinstance(like, float) else value
    elif isinstance(like, tuple) and like and isinstance(like[0], tuple):
        return _pairs(value, like, key)
    elif isinstance(like, tuple):
        fits = isinstance(value, list)
        value = _items(value, like, key) if fits else value
    else:
        fits = isinstance(value, str)
    if not fits:
        raise ConfigError(f"{key}: {value!r} is not a {type(like).__name__}")
    return value


def _pairs(value: Any, like: tuple[tuple[str, float], ...], key: str) -> tuple[Any, ...]:
    """A table of numbers by name; what it leaves out stays as it was."""
    if not isinstance(value, dict):
        raise ConfigError(f"{key}: must be a table")
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ConfigError(f"{key}.{name}: {number!r} is not a number")
    return tuple({**dict(like), **value}.items())


def _items(value: list[Any], like: tuple[Any, ...], key: str) -> tuple[Any, ...]:
    kind = type(like[0]) if like else str
    try:
        return tuple(kind(item) for item in value)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


def _step(value: Any, key: str) -> Step:
    labels = {step.label: step for step in Step}
    if value not in labels:
        raise ConfigError(f"{key}: {value!r} is not one of {', '.join(labels)}")
    return labels[value]


def _only(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}.{key}: unknown key; known are {', '.join(sorted(known))}")
