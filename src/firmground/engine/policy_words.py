"""Policies in words: the parameters of rules, and how two policies differ."""

from __future__ import annotations

from dataclasses import fields

from firmground.decide import Policy
from firmground.decide.rule import Rule

_UNSET = {"codes": "all", "tolerated": "as many as agree"}
"""What a parameter means that names nothing, where it does not mean none."""


def rule_parameters(rule: Rule) -> list[str]:
    """Every parameter of a rule as ``name = value``."""
    return [
        f"{field.name} = {_UNSET.get(field.name, 'none') if unset else _shown(value)}"
        for field in fields(rule)  # type: ignore[arg-type]
        for value in (getattr(rule, field.name),)
        for unset in (value is None or value in ((), ""),)
    ]


def _shown(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return ", ".join(" ".join(_shown(part) for part in pair) for pair in value)
    if isinstance(value, tuple):
        return ", ".join(_shown(item) for item in value)
    return str(getattr(value, "label", value))


def rule_changes(left: Policy, right: Policy) -> list[str]:
    """What only one of them has, and of what both have the parameters that differ."""
    a, b = _as_lines(left), _as_lines(right)
    gone = [f"- {a[key]}" for key in sorted(a.keys() - b.keys())]
    new = [f"+ {b[key]}" for key in sorted(b.keys() - a.keys())]
    before, after = (
        {rule.name: _settings(rule) for rule in policy.rules} for policy in (left, right)
    )
    changed = [
        f"~ {name}.{key}: {before[name].get(key, 'none')} -> {after[name].get(key, 'none')}"
        for name in sorted(before.keys() & after.keys())
        for key in sorted(before[name].keys() | after[name].keys())
        if before[name].get(key) != after[name].get(key)
    ]
    return [*gone, *new, *changed]


def _as_lines(policy: Policy) -> dict[tuple[str, str], str]:
    lines = {
        ("rule", rule.name): f"{rule.name}: {', '.join(rule_parameters(rule)) or 'no parameters'}"
        for rule in policy.rules
    }
    lines |= {("waived", name): f"waived: {name}" for name in policy.waived}
    lines |= {("scoring", line): f"scoring: {line}" for line in scoring_words(policy)}
    return lines | {("person", name): f"a person decides: {name}" for name in policy.escalate}


def scoring_words(policy: Policy) -> list[str]:
    """How support is scored, as ``name = value``; weights and roles only where changed."""
    scoring = policy.scoring
    made = [f"profile = {scoring.profile}", f"rho = {scoring.effective_rho:g}"]
    made += [f"weights.{name} = {weight:g}" for name, weight in dict(scoring.weights).items()]
    return made + [f"roles.{role} = {kind}" for role, kind in dict(scoring.roles).items()]


def _settings(rule: Rule) -> dict[str, str]:
    """Every parameter of a rule by its name; those in a table by theirs."""
    made: dict[str, str] = {}
    for field in fields(rule):  # type: ignore[arg-type]
        value = getattr(rule, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            made |= {f"{field.name}.{name}": _shown(one) for name, one in value}
        else:
            unset = value is None or value in ((), "")
            made[field.name] = _UNSET.get(field.name, "none") if unset else _shown(value)
    return made


def policy_document(policy: Policy) -> dict[str, object]:
    """A policy as JSON, its rules in words."""
    return {
        "name": policy.name,
        "digest": policy.digest,
        **policy.canonical(),
        "explained": [
            {
                "rule": rule.name,
                "objects_to": rule.about,
                "parameters": rule_parameters(rule),
                "waived": rule.name in policy.waived,
                "person_decides": rule.name in policy.escalate,
            }
            for rule in policy.rules
        ],
    }
