"""What a newcomer reads: claims with their standing, policies without blanks, no double talk."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import firmground
from firmground.adapters.evidence.load import load_source
from firmground.cli.main import cli
from firmground.errors import InputError

ANSWER = "The bridge opened in 1952."
SOURCE = "The bridge opened in 1932."


def test_a_judged_claim_has_its_standing_its_reason_and_the_words_of_its_source() -> None:
    outcome = firmground.check(ANSWER, SOURCE, judge="lexical")
    (claim,) = outcome.claims
    assert ANSWER[claim.start : claim.end] == claim.text
    assert (claim.standing, claim.stands) == ("contradicted", False)
    assert claim.reason == "says 1952, source says 1932"
    assert [str(quote) for quote in claim.evidence] == ["1932"]
    assert claim.code
    assert str(claim).startswith("contradicted: The bridge")


def test_what_a_policy_lets_pass_is_not_said_to_stand() -> None:
    argv = ["check", "-a", ANSWER, "-e", SOURCE, "--judge", "lexical", "--policy", "advisory"]
    told = CliRunner().invoke(cli, argv)
    assert told.exit_code == 3
    assert "ALLOWED DESPITE OBJECTIONS - proceed" in told.output
    assert "does not stand; policy advisory waives contradiction" in told.output
    assert "STANDS" not in told.output.replace("WHAT STANDS", "")


def test_what_stands_is_still_said_to_stand() -> None:
    argv = ["check", "-a", SOURCE, "-e", SOURCE, "--judge", "lexical", "--policy", "advisory"]
    told = CliRunner().invoke(cli, argv)
    assert "STANDS - proceed" in told.output
    assert "ALLOWED DESPITE" not in told.output


@pytest.mark.parametrize("policy", ["strict", "balanced", "advisory"])
def test_no_parameter_of_a_policy_is_blank(policy: str) -> None:
    told = CliRunner().invoke(cli, ["policy", "explain", policy]).output
    assert not [line for line in told.splitlines() if line.rstrip().endswith(("=", "None"))]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x7fELF\x02\x01\x01 the cap is five days",
        b"PK\x03\x04 the cap is five days",
        b"the cap is \x00 five days",
        b"\x01\x02\x03\x04\x05 the cap",
        b"\xff\xfe\xfd\x00\x80",
    ],
)
def test_binary_data_is_refused_by_name_whatever_its_suffix(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"notes\.txt: "):
        load_source(str(path))


def test_a_text_that_speaks_of_formats_is_no_binary_data(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("ID3 is an algorithm. GIF89a is a format.", encoding="utf-8")
    assert load_source(str(path)).evidence[0].text.startswith("ID3")


def test_a_claim_said_many_times_is_no_greater_risk_than_its_worst_telling() -> None:
    line = "The retention period is 30 days. "
    many = firmground.check(line * 60, line, judge="lexical")
    worst = 1 - min(one.support for one in many.assessments)
    once = firmground.check(line, line, judge="lexical")
    assert many.risk == pytest.approx(max(worst, once.risk), abs=0.05)
