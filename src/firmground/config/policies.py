"""Policies of one's own: a named one to start from, rules changed, added or waived.

::

    [policy]
    name = "clinic"
    base = "strict"                       # strict, balanced, advisory, or none
    waive = ["stale_evidence"]            # shown in every decision, never silent
    escalate = ["hooks", "disagreement"]  # a person decides once repair has not helped
    calibration = "calibration.json"      # made for this policy by `firmground calibrate`
    calibration_group = ""

    [policy.rules.thin_support]
    proceed = 0.92

    [policy.rules.contradiction]
    step = "abstain"

    [policy.rules.critical_claim_unsupported.weights]
    dose = 1.0                            # 0 like any other claim, 1 twice as much
    name = 0.2

    [policy.scoring]
    profile = "reference"                 # hardened (default) or reference
    rho = 0.5                             # weight of contradicted claims

    [policy.scoring.weights]
    runbook_step = 0.7                    # a type of your own, or another weight for a known one

    [policy.scoring.roles]
    runbook = "runbook_step"              # claims that rest on evidence of this role
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from firmground.config.calibration import calibrated_policy, load_calibration
from firmground.config.document import read_document
from firmground.core.decision import Step
from firmground.core.plugins import installed
from firmground.core.scoring import Scoring
from firmground.decide import POLICIES, RULES, Policy, Rule
from firmground.errors import ConfigError, InputError, did_you_mean
from firmground.hooks.options import Options

_KEYS = {
    "name", "base", "waive", "escalate", "rules", "scoring", "calibration", "calibration_group",
}  # fmt: skip
_SCORING = {"profile", "rho", "weights", "roles"}


def all_rules() -> tuple[Any, ...]:
    """The rules that come with firmground and those that installed packages offer."""
    return (*RULES, *installed("rules").values())


def load_policy(path: Path | str) -> Policy:
    """Read the policy in a TOML or YAML file; every error names the file, the line and the key."""
    document = read_document(Path(path))
    if "policy" not in document.values:
        raise ConfigError(f"{path}: policy: this table is missing")
    top = Options(document.values, file=str(path), lines=document.lines)
    return read_policy(top.table("policy"), Path(path))


def named_policy(name: str) -> Policy:
    """Return the policy of that name or in that file; an unknown name lists the known ones."""
    if name in POLICIES:
        return POLICIES[name]
    if Path(name).suffix == ".toml" or Path(name).is_file():
        return load_policy(name)
    known = ", ".join(sorted(POLICIES))
    near = did_you_mean(name, POLICIES)
    raise InputError(f"policy {name!r} is unknown{near}; there are {known}, or name a TOML file")


def read_policy(table: Options, file: Path) -> Policy:
    """Read the table ``policy`` of a settings file."""
    given = table.rest()
    _only(given, _KEYS, table)
    base = _base(given, table)
    rules = _rules(given, base, table)
    waived = _names(given, "waive", table)
    name = given.get("name", file.stem)
    if not isinstance(name, str) or not name:
        table.wrong("name", "must be a name")
    by_default = base.escalate if base else ()
    left = _names(given, "escalate", table) if "escalate" in given else by_default
    try:
        made = Policy(
            name=name,
            rules=rules,
            waived=tuple(sorted({*(base.waived if base else ()), *waived})),
            escalate=tuple(
                sorted({one for one in left if "escalate" in given or one not in waived})
            ),
            scoring=_scoring(given, base, table),
        )
    except InputError as error:
        raise ConfigError(f"{table.where()}: {error}") from None
    return _calibrated(made, given, table, file)


def _scoring(given: Mapping[str, Any], base: Policy | None, table: Options) -> Scoring:
    """How support is scored; what the table leaves out stays as in the base policy."""
    start = base.scoring if base else Scoring()
    stated = given.get("scoring", {})
    if not isinstance(stated, dict):
        table.wrong("scoring", "must be a table")
    _only(stated, _SCORING, table, "scoring")
    for key in ("weights", "roles"):
        if not isinstance(stated.get(key, {}), dict):
            table.wrong(f"scoring.{key}", "must be a table")
    merged = {
        key: {**dict(getattr(start, key)), **stated[key]}
        for key in ("weights", "roles")
        if key in stated
    }
    try:
        return replace(start, **{**stated, **merged})
    except InputError as error:
        key = next((word for word in str(error).split(":")[0].split() if word in stated), "")
        where = table.where(f"scoring.{key}" if key else "scoring")
        raise ConfigError(f"{where}: {error}") from None


def _calibrated(policy: Policy, given: Mapping[str, Any], table: Options, file: Path) -> Policy:
    """The same under the threshold of its calibration file, if it names one."""
    for key in ("calibration", "calibration_group"):
        if not isinstance(given.get(key, ""), str):
            table.wrong(key, "must be text")
    named = given.get("calibration", "")
    if not named:
        return policy
    try:
        artefact = load_calibration(file.parent / named)
        return calibrated_policy(policy, artefact, group=given.get("calibration_group", ""))
    except InputError as error:
        raise ConfigError(f"{table.where('calibration')}: {error}") from None


def _names(given: Mapping[str, Any], key: str, table: Options) -> tuple[str, ...]:
    names = given.get(key, [])
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        table.wrong(key, "must be a list of rule names")
    known = {rule.name for rule in all_rules()}
    for name in names:
        if name not in known and (near := did_you_mean(name, known)):
            table.wrong(key, f"there is no rule {name}{near}")
    return tuple(names)


def _base(given: Mapping[str, Any], table: Options) -> Policy | None:
    name = given.get("base", "balanced")
    if name == "none":
        return None
    if not isinstance(name, str) or name not in POLICIES:
        known = [*POLICIES, "none"]
        near = did_you_mean(str(name), known)
        table.wrong("base", f"{name!r} is unknown{near}; there are {', '.join(known)}")
    return POLICIES[name]


def _rules(given: Mapping[str, Any], base: Policy | None, table: Options) -> tuple[Rule, ...]:
    changed = given.get("rules", {})
    if not isinstance(changed, dict):
        table.wrong("rules", "must be a table")
    kinds = {rule.name: rule for rule in all_rules()}
    made: dict[str, Rule] = {rule.name: rule for rule in (base.rules if base else ())}
    for name, values in changed.items():
        key = f"rules.{name}"
        if name not in kinds:
            near = did_you_mean(name, kinds)
            table.wrong(key, f"no such rule{near}; there are {', '.join(sorted(kinds))}")
        made[name] = _rule(kinds[name], made.get(name), values, table, key)
    return tuple(made.values())


def _rule(kind: Any, base: Rule | None, given: object, table: Options, key: str) -> Rule:
    if not isinstance(given, dict):
        table.wrong(key, "must be a table of parameters")
    start = base if base is not None else kind()
    known = {field.name: getattr(start, field.name) for field in fields(start)}  # type: ignore[arg-type]
    _only(given, set(known), table, key)
    values = {
        name: _value(value, known[name], table, f"{key}.{name}") for name, value in given.items()
    }
    try:
        made = replace(start, **values)  # type: ignore[type-var]
    except InputError as error:
        raise ConfigError(f"{table.where(key)}: {error}") from None
    assert isinstance(made, Rule)
    return made


def _value(value: Any, like: Any, table: Options, key: str) -> Any:
    """Read a parameter as the kind of value it replaces."""
    if isinstance(like, Step):
        return _step(value, table, key)
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
        return _pairs(value, like, table, key)
    elif isinstance(like, tuple):
        fits = isinstance(value, list)
        value = _items(value, like, table, key) if fits else value
    else:
        fits = isinstance(value, str)
    if not fits:
        table.wrong(key, f"{value!r} is not {_WORDS.get(type(like), 'of its kind')}")
    return value


_WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list",
}


def _pairs(
    value: Any, like: tuple[tuple[str, float], ...], table: Options, key: str
) -> tuple[Any, ...]:
    """A table of numbers by name; what it leaves out stays as it was."""
    if not isinstance(value, dict):
        table.wrong(key, "must be a table")
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            table.wrong(f"{key}.{name}", f"{number!r} is not a number")
    return tuple({**dict(like), **value}.items())


def _items(value: list[Any], like: tuple[Any, ...], table: Options, key: str) -> tuple[Any, ...]:
    kind = type(like[0]) if like else str
    try:
        return tuple(kind(item) for item in value)
    except ValueError as error:
        table.wrong(key, str(error))


def _step(value: Any, table: Options, key: str) -> Step:
    labels = {step.label: step for step in Step}
    if not isinstance(value, str) or value not in labels:
        near = did_you_mean(str(value), labels)
        table.wrong(key, f"{value!r} is not one of {', '.join(labels)}{near}")
    return labels[value]


def _only(given: Mapping[str, Any], known: set[str], table: Options, inside: str = "") -> None:
    for key in given:
        if key not in known:
            told = f"unknown key{did_you_mean(key, known)}; known are {', '.join(sorted(known))}"
            table.wrong(f"{inside}.{key}" if inside else key, told)
