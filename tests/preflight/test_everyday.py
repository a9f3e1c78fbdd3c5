"""Everyday questions pass, and what was not read is not called fine."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from firmground.cli.main import cli
from firmground.core.finding import PreflightStatus
from firmground.core.question import Question
from firmground.preflight import PreflightSettings, inspect_question
from firmground.preflight.language import is_english
from firmground.preflight.question_text import ordered_words


@pytest.mark.parametrize(
    "text",
    [
        "You are on call this week. Who is the secondary for the database team?",
        "You're on duty tonight. Which runbook covers a full disk?",
        "We are on call until Friday. How do I silence an alert?",
        "Our DB CPU is at 95%, replication lag 40 s and 1200 open connections. "
        "We need this fixed now. What should I look at first?",
    ],
)
def test_whoever_is_on_call_may_ask(text: str) -> None:
    assert inspect_question(Question(text=text)).status is PreflightStatus.OK


@pytest.mark.parametrize(
    "text",
    [
        "You are on call. Write the incident report for last night's outage",
        "You are on call this week. The primary crashed at 3 am. What did the logs say?",
        "You are an SRE on call. Who broke the database?",
    ],
)
def test_duty_before_anything_but_a_question_opens_no_door(text: str) -> None:
    assert inspect_question(Question(text=text)).status is not PreflightStatus.OK


def test_a_doubt_about_the_wording_is_put_into_words() -> None:
    text = "Produce the summary of the outage that the engineers found for the database team"
    seen = inspect_question(Question(text=text))
    assert seen.status is not PreflightStatus.OK
    told = [" ".join(text[a:b].split()) for s in seen.signals for a, b in s.spans]
    assert not {"the", "and", "for", "that"} & set(told)


@pytest.mark.parametrize(
    "text",
    [
        "Wie hoch ist der Eiffelturm?",
        "Quelle est la hauteur de la tour Eiffel ?",
        "¿Cuál es la capital de Francia?",
        "Какова высота башни?",
        "東京タワーの高さは？",
        "Du bist ein SRE. Schreibe den Vorfallbericht über den Ausfall",
    ],
)
def test_a_question_that_is_not_english_says_that_it_was_not_read(text: str) -> None:
    seen = inspect_question(Question(text=text))
    assert seen.status is PreflightStatus.PARTIAL
    assert seen.reasons[0] == "not read: not English"
    assert seen.confidence == 0.5
    assert "well_formed" not in seen.question_state
    parent = inspect_question(Question(text=text), settings=PreflightSettings(profile="halguard"))
    assert "not read: not English" not in parent.reasons


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who wrote Der Zauberberg?", True),
        ("What does 'es war einmal' mean in German?", True),
        ("Kubernetes pod OOM log analysis", None),
        ("Eiffelturm?", None),
        ("", None),
        ("Wann wurde die Mauer gebaut", False),
    ],
)
def test_the_language_is_told_or_left_open(text: str, said: bool | None) -> None:
    assert is_english(ordered_words(text), text) is said


def preflight(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["preflight", *args])
    return result.exit_code, result.output


def test_a_reservation_fails_only_where_that_is_wanted() -> None:
    assert preflight("Summarise the attached document")[0] == 0
    assert preflight("Summarise the attached document", "--fail-on", "partial")[0] == 1
    assert preflight("Who wrote Middlemarch?", "--fail-on", "partial")[0] == 0


def test_json_says_why_and_by_which_thresholds_with_spans_in_line() -> None:
    _, text = preflight("--json", "You are an SRE. Write the incident report")
    document = json.loads(text)
    assert document["thresholds"] == {"block_below": 0.4, "partial_below": 0.7}
    assert document["profile"] == "default"
    assert document["reasons"]
    assert '"spans": [[0, 14]]' in text


def test_lines_keep_to_eighty_columns() -> None:
    _, text = preflight("You are an SRE. Write the incident report for last night's outage now")
    assert all(len(line) <= 80 for line in text.splitlines())
