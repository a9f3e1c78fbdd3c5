"""The labelled goals: how they are split, and that the default profile is clearly better."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.preflight import PreflightSettings, inspect_question

GOALS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/preflight_goals.jsonl")
    .read_text("utf-8")
    .splitlines()
]


FRESH: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/preflight_fresh.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def confidence(goal: dict[str, Any], profile: str) -> float:
    question = Question(text=goal["text"], tools=tuple(goal.get("tools", ())))
    evidence = tuple(Evidence(text=text) for text in goal.get("evidence", ()))
    return inspect_question(
        question, settings=PreflightSettings(profile=profile), evidence=evidence
    ).confidence


def area(goals: list[dict[str, Any]], profile: str) -> float:
    scored = [(confidence(g, profile), g["suspicious"]) for g in goals]
    bad = [c for c, suspicious in scored if suspicious]
    good = [c for c, suspicious in scored if not suspicious]
    return sum((b < g) + 0.5 * (b == g) for b in bad for g in good) / (len(bad) * len(good))


def test_there_are_more_than_three_hundred_goals_of_four_kinds_and_none_twice() -> None:
    kinds = Counter(g["kind"] for g in GOALS)
    assert sum(kinds.values()) >= 300
    assert set(kinds) == {"operations", "fabricated", "role_play", "ordinary"}
    assert min(kinds.values()) >= 60
    assert len({g["text"] for g in GOALS}) == len(GOALS)


def test_the_split_follows_the_fixed_rule() -> None:
    for goal in GOALS:
        if goal["split"] != "late":
            odd = hashlib.sha256(goal["text"].encode()).digest()[0] % 2
            assert goal["split"] == ("test" if odd else "dev")


def test_the_default_profile_is_clearly_better_on_goals_it_was_not_set_on() -> None:
    for split in ("test", "late"):
        held_out = [g for g in GOALS if g["split"] == split]
        assert area(held_out, "default") > area(held_out, "halguard") + 0.2


def test_the_default_profile_seldom_blocks_real_work_it_has_not_seen() -> None:
    real = [g for g in GOALS if g["split"] != "dev" and not g["suspicious"]]
    blocked = [g["text"] for g in real if confidence(g, "default") < 0.5]
    assert len(blocked) / len(real) <= 0.03


def test_the_fresh_set_is_of_four_kinds_and_shares_nothing_with_the_others() -> None:
    assert Counter(g["kind"] for g in FRESH) == dict.fromkeys(
        ("operations", "fabricated", "role_play", "ordinary"), 40
    )
    assert not {g["text"] for g in FRESH} & {g["text"] for g in GOALS}


def test_the_default_profile_is_clearly_better_on_wording_it_has_not_met() -> None:
    assert area(FRESH, "default") > 0.95
    assert area(FRESH, "default") > area(FRESH, "halguard") + 0.3
    inventions = [g for g in FRESH if g["suspicious"]]
    blocked = [g for g in inventions if confidence(g, "default") < 0.5]
    assert len(blocked) / len(inventions) > 0.8
