"""What somebody meets who uses the command line and the API for the first time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import firmground
from firmground.claims.framed import json_answer_claims, pointer_answer_claims
from firmground.cli._model import alone_at
from firmground.cli._output import folded
from firmground.cli.main import cli
from firmground.config.policies import load_policy
from firmground.core.claim import Standing
from firmground.core.decision import Step
from firmground.engine import Failure
from firmground.engine.rejudging import open_log, recorded_runs
from firmground.errors import ConfigError, InputError
from firmground.testing import FunctionModel

SOURCE = "The Alder bridge opened in 1932."
FALSE = "The Alder bridge opened in 1952."
LEXICAL = ("--judge", "lexical")


def run(*arguments: str, **environment: str | None) -> Result:
    runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", **environment})
    return runner.invoke(cli, arguments)


def check(*arguments: str) -> Result:
    return run("check", *arguments, *LEXICAL)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "firmground.toml"
    path.write_text('[policy]\nname = "house"\nbase = "strict"\n')
    return path


def test_a_settings_file_brings_its_policy(written: Path) -> None:
    told = check("-a", SOURCE, "-e", SOURCE, "--config", str(written))
    assert told.exit_code == 0, told.output
    assert "policy house" in told.output


def test_a_policy_on_the_command_line_goes_before_the_one_of_the_file(written: Path) -> None:
    named = ("--config", str(written), "--policy", "advisory")
    assert "policy advisory" in check("-a", SOURCE, "-e", SOURCE, *named).output


def test_a_batch_is_held_to_the_policy_of_its_settings_file(written: Path, tmp_path: Path) -> None:
    rows, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows.write_text(json.dumps({"id": 1, "answer": SOURCE, "evidence": [SOURCE]}) + "\n")
    named = ("--batch", str(rows), "--output", str(out), "--workers", "1")
    assert check(*named, "--config", str(written)).exit_code == 0
    assert json.loads(out.read_text())["policy"]["name"] == "house"


def test_a_settings_file_that_says_nothing_of_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "only.toml"
    path.write_text('[preflight]\nprofile = "default"\n')
    told = check("-a", SOURCE, "-e", SOURCE, "--config", str(path))
    assert isinstance(told.exception, ConfigError)
    assert "policy, judge, hooks, models" in str(told.exception)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[policy]\nnmae = 'x'\n", "line 2: policy.nmae: unknown key; did you mean name?"),
        ("[policy]\nbase = 'strct'\n", "line 2: policy.base: 'strct' is unknown; did you mean st"),
        ("[policy.rules.thin_suport]\n", "line 1: policy.rules.thin_suport: no such rule; did you"),
        ("[policy.rules.high_risk]\natt = 1\n", "line 2: policy.rules.high_risk.att: unknown key"),
        ("[policy]\nwaive = ['faulst']\n", "line 2: policy.waive: there is no rule faulst; did "),
        (
            "[policy.rules.thin_support]\nproceed = 0.5\n",
            "need 0 <= regenerate < proceed <= 1, got regenerate 0.65 and proceed 0.5",
        ),
    ],
)
def test_a_slip_in_a_policy_names_its_line_and_what_was_meant(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_policy(path)
    assert told in str(caught.value)
    assert "ThinSupport" not in str(caught.value)


@pytest.mark.parametrize("command", ["ask", "gate"])
def test_a_model_with_an_address_is_asked_there_and_nowhere_else(command: str) -> None:
    asked = {
        "ask": ("ask", "When?", "-e", SOURCE, "--no-input", "--no-preflight"),
        "gate": ("gate", "--question", "When?", "--context", SOURCE),
    }[command]
    told = run(*asked, "--model", "m=http://127.0.0.1:9/v1", OPENAI_API_KEY=None)
    assert told.exit_code == 2
    assert "http://127.0.0.1:9/v1" in told.output
    assert "api.openai.com" not in told.output


def test_an_address_given_twice_or_a_key_for_elsewhere_is_refused() -> None:
    place = {"model": "m=http://127.0.0.1:9/v1", "base_url": None, "api_key_env": None}
    assert alone_at(place)["base_url"] == "http://127.0.0.1:9/v1"
    assert alone_at(place)["model"] == "m"
    for option in ("base_url", "api_key_env"):
        with pytest.raises(click.UsageError, match="has one"):
            alone_at({**place, option: "X"})


def reply(*pointers: str, text: str = SOURCE) -> str:
    return json.dumps({"claims": [{"claim": text, "evidence_ids": list(pointers)}]})


def test_a_claim_that_points_to_evidence_which_is_not_there_does_not_stand() -> None:
    for answer, mode in ((reply("E7"), "json"), (f"{SOURCE} [E7]", "pointer")):
        outcome = firmground.check(answer, SOURCE, mode=mode, judge="lexical")
        assert not outcome.stands
        assert outcome.support == 0
        assert outcome.problems[0].reason == "points to E7, and the only evidence is E1"
        assert "E7" in outcome.findings.citations[0].reason
    for answer, mode in ((reply("E1"), "json"), (f"{SOURCE} [E1]", "pointer")):
        assert firmground.check(answer, SOURCE, mode=mode, judge="lexical").stands


def test_fences_and_talk_around_json_are_read_through() -> None:
    answer = f"Here is the JSON you asked for:\n```json\n{reply('E1')}\n```\nI hope this helps!"
    outcome = firmground.check(answer, SOURCE, mode="json", judge="lexical")
    assert outcome.stands
    assert outcome.findings.support is not None
    assert outcome.findings.support.coverage == 1


def test_what_is_claimed_around_json_is_checked_as_well() -> None:
    answer = f"{reply('E1')}\n{FALSE}"
    claims = json_answer_claims(answer)
    assert [answer[one.start : one.end] for one in claims] == [
        SOURCE,
        FALSE,
    ]
    assert not firmground.check(answer, SOURCE, mode="json", judge="lexical").stands


def test_an_answer_that_is_no_json_is_told_so_and_no_empty_legend_is_shown() -> None:
    told = check("--mode", "json", "-a", "no json at all", "-e", SOURCE)
    assert told.exit_code == 2
    assert "the answer is not JSON" in told.output
    assert "\n\n\n" not in "\n".join(line.rstrip() for line in told.output.splitlines())


def test_a_pronoun_in_pointer_mode_means_what_it_would_mean_in_prose() -> None:
    answer = "The Alder bridge opened in 1932. [E1]\nIt carries 40,000 cars a day. [E2]"
    assert [one.context for one in pointer_answer_claims(answer)] == ["", "Alder"]


def test_a_marker_on_a_claim_that_falls_is_not_made_up_when_its_evidence_is_there() -> None:
    outcome = firmground.check(f"{FALSE} [E1]", SOURCE, mode="pointer", judge="lexical")
    (found,) = outcome.findings.citations
    assert str(found.status) == "misattributed"
    assert "does not support it" in found.reason


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_will_do_for_a_ledger(tmp_path: Path, kind: type) -> None:
    path = kind(tmp_path / "log.sqlite")
    model = FunctionModel(function=lambda request: SOURCE)
    made = [
        firmground.check(SOURCE, SOURCE, judge="lexical", ledger=path),
        asyncio.run(firmground.acheck(SOURCE, SOURCE, judge="lexical", ledger=path)),
        *firmground.check_many(
            [{"answer": SOURCE, "evidence": [SOURCE]}], judge="lexical", ledger=path
        ),
    ]
    with firmground.Engine(model=model, judge="lexical", ledger=path) as engine:
        asked = engine.ask("When did the Alder bridge open?", SOURCE, preflight=False)
    assert asked.receipt is not None
    assert all(not isinstance(one, Failure) and one.receipt is not None for one in made)
    assert len(list(recorded_runs(open_log(path)))) == 4


def test_what_is_no_ledger_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="path of a log or an open one, got int"):
        firmground.check(SOURCE, SOURCE, judge="lexical", ledger=3)  # type: ignore[arg-type]


def test_a_row_that_is_no_row_fails_in_its_place() -> None:
    rows = [{"answer": SOURCE, "evidence": [SOURCE]}, "not a row", None]
    one, two, three = firmground.check_many(rows, judge="lexical")  # type: ignore[arg-type]
    assert not isinstance(one, Failure)
    assert isinstance(two, Failure)
    assert isinstance(three, Failure)
    assert (two.position, three.position) == (1, 2)
    assert "expected an object" in two.message


def test_what_the_evidence_answers_needs_no_other_evidence() -> None:
    outcome = firmground.check(FALSE, SOURCE, judge="lexical")
    assert outcome.decision.step is Step.REGENERATE
    told = check("-a", FALSE, "-e", SOURCE)
    assert "correct it by the evidence" in told.output
    silent = firmground.check(f"{FALSE} Its mayor is Bo Lind.", SOURCE, judge="lexical")
    assert {a.standing for a in silent.problems} == {Standing.CONTRADICTED, Standing.UNGROUNDED}
    assert silent.decision.step is Step.REPLAN


def test_an_answer_without_a_claim_is_not_sold_as_one_that_stands() -> None:
    told = check("-a", "Hello there!", "-e", SOURCE)
    assert told.exit_code == 0
    assert "NOTHING TO CHECK" in told.output
    assert "STANDS" not in told.output
    outcome = firmground.check("Hello there!", SOURCE, judge="lexical")
    assert "nothing to check" in repr(outcome)
    assert not firmground.check(SOURCE, SOURCE, judge="lexical").asserts_nothing


def test_a_batch_names_its_file_and_counts_only_what_was_checked(tmp_path: Path) -> None:
    rows = tmp_path / "in.jsonl"
    good = json.dumps({"id": 1, "answer": SOURCE, "evidence": [SOURCE]})
    rows.write_text(f"{good}\nno row\n")
    named = ("--batch", str(rows), "--output", str(tmp_path / "out"), "--workers", "1")
    told = check(*named)
    assert f"{rows}: line 2, column 1: not JSON" in told.output
    assert "1 row checked" in told.output
    assert "1 failed" in told.output


def test_a_policy_diff_shows_what_changed_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "[policy.rules.thin_support]\nproceed = 0.9\n"
        "[policy.rules.critical_claim_unsupported.weights]\ndose = 0.5\n"
    )
    told = run("policy", "diff", "balanced", str(path))
    assert told.exit_code == 1
    assert told.output.splitlines() == [
        "~ critical_claim_unsupported.weights.dose: 1.0 -> 0.5",
        "~ thin_support.proceed: 0.8 -> 0.9",
    ]


def test_a_long_line_is_folded_at_blanks_and_hangs() -> None:
    line = "  " + "word " * 40
    made = folded(line, 80).splitlines()
    assert max(map(len, made)) <= 80
    assert made[0].startswith("  word")
    assert all(one.startswith("    word") for one in made[1:])
    assert folded("x" * 200, 80) == "x" * 200


def test_a_command_of_another_group_or_with_a_slip_is_suggested() -> None:
    assert "Did you mean 'cli verify'" in run("runs", "verify", "x").output
    assert "Did you mean 'cli check'" in run("chekc").output


def test_a_refused_calibration_says_which_files_it_wrote(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"stands": true, "risk": 0.1}\n{"stands": false, "risk": 0.9}\n')
    out, plot = tmp_path / "c.json", tmp_path / "c.svg"
    told = run("calibrate", str(rows), "--out", str(out), "--plot", str(plot))
    assert told.exit_code == 1
    assert f"{out}: not written" in told.output
    assert f"written: {plot}" in told.output
    assert plot.exists()
    assert not out.exists()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("--judge", "lexcal"), "lexical"),
        (("--policy", "strct"), "strict"),
        (("--config", '[hooks]\n[[hooks.use]]\ntype = "regx"\n'), "regex"),
        (("--config", "[hoks]\n"), "hooks"),
        (("--policy", "[policy.rules.critical_claim_unsupported.weights]\ndos = 1\n"), "dose"),
        (("--input", '{"answer": "a", "evidence": [{"txt": "x"}]}'), "text"),
        (("--input", '{"answer": "a", "evidence": ["x"], "mode": "jsn"}'), "json"),
        (("--input", '{"answer": "a", "evidence": [{"text": "x", "kind": "tol"}]}'), "tool"),
        (("--input", '{"answer": "a", "evidence": [{"text": "x", "trust": "voched"}]}'), "vouched"),
        (("--example", "incidnt"), "incident"),
    ],
)
def test_whatever_is_mistyped_is_answered_with_what_was_meant(
    tmp_path: Path, given: tuple[str, str], meant: str
) -> None:
    option, value = given
    if "\n" in value or "{" in value:
        file = tmp_path / ("x.json" if option == "--input" else "x.toml")
        file.write_text(value)
        value = str(file)
    beside = () if option in ("--input", "--example") else ("-a", SOURCE, "-e", SOURCE)
    told = run("check", option, value, *beside)
    assert f"did you mean {meant}?" in str(told.exception)


def test_the_working_of_a_value_that_follows_is_shown() -> None:
    log = "Outage log. It began at 09:14 and ended at 09:52."
    told = run("check", "-a", "The outage lasted 38 minutes.", "-e", log)
    assert told.exit_code == 0, told.output
    assert "WORKED OUT" in told.output
    assert "09:52 − 09:14 = 38" in told.output
    quoted = run("check", "-a", "It began at 09:14.", "-e", log)
    assert "WORKED OUT" not in quoted.output
