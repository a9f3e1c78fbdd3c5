"""``firmground verify``: a file, a key, a readable answer, an exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.ledger.paper_log import PaperLog, a_log, a_run, key, witness

from firmground.cli.main import cli
from firmground.cli.verify import _read
from firmground.errors import InputError
from firmground.ledger import fg0
from firmground.ledger.bundlefile import MAX_BYTES

LOG = a_log(5)
KEY = str(LOG.signer.verifier)
W1 = witness("w1.example")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "answer.bundle.json"
    path.write_bytes(LOG.bundle(3, W1).data)
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["verify", *map(str, arguments)])


def test_a_good_bundle_holds_and_says_what_it_shows_and_what_it_does_not(bundle: Path) -> None:
    result = run(bundle, "--key", KEY)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("HOLDS: run ")
    assert "entry 3 of 5 in the log example.com/log" in result.output
    assert "audit_mode=STRICT" in result.output
    assert "answer, attempt 2" in result.output
    assert "does not prove" in result.output


def test_one_changed_byte_is_refused_with_a_reason_and_exit_code_1(bundle: Path) -> None:
    data = bytearray(bundle.read_bytes())
    data[len(data) // 2] ^= 1
    bundle.write_bytes(data)
    result = run(bundle, "--key", KEY)
    assert result.exit_code == 1
    assert result.output.startswith("DOES NOT HOLD")
    assert len(result.output.splitlines()) == 2


def test_the_key_may_come_from_a_file_with_comments(bundle: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(f"# our log\n\n{KEY}\n", encoding="utf-8")
    assert run(bundle, "--key", keys).exit_code == 0
    keys.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no key"):
        CliRunner().invoke(cli, ["verify", str(bundle), "--key", str(keys)], catch_exceptions=False)


def test_a_wrong_key_refuses_and_a_broken_key_names_its_line(bundle: Path, tmp_path: Path) -> None:
    assert run(bundle, "--key", str(key("example.com/log", seed="x").verifier)).exit_code == 1
    keys = tmp_path / "keys.txt"
    keys.write_text(f"{KEY}\nnonsense\n", encoding="utf-8")
    result = run(bundle, "--key", keys)
    assert isinstance(result.exception, InputError)
    assert f"{keys}:2" in str(result.exception)


def test_without_a_key_nothing_can_be_told(bundle: Path) -> None:
    assert run(bundle).exit_code == 2


def test_a_missing_file_is_not_a_bundle_that_failed(tmp_path: Path) -> None:
    result = run(tmp_path / "absent", "--key", KEY)
    assert isinstance(result.exception, InputError)


def test_named_witnesses_must_all_have_signed_unless_a_quorum_is_given(bundle: Path) -> None:
    w1, w2 = str(W1.verifier), str(witness("w2.example").verifier)
    assert run(bundle, "--key", KEY, "--witness", w1).exit_code == 0
    assert run(bundle, "--key", KEY, "--witness", w1, "--witness", w2).exit_code == 1
    both = ("--witness", w1, "--witness", w2, "--quorum", "1")
    assert run(bundle, "--key", KEY, *both).exit_code == 0
    assert isinstance(run(bundle, "--key", KEY, "--witness", KEY).exception, InputError)


def test_json_carries_the_same_verdict_and_the_payloads(bundle: Path) -> None:
    result = run(bundle, "--key", KEY, "--json")
    document = json.loads(result.output)
    assert document["valid"] is True
    assert document["log"] == {"origin": "example.com/log", "index": 3, "size": 5}
    assert len(document["disclosed"]) == len(LOG.sealed[3].stages)
    bundle.write_bytes(b"{}")
    refused = run(bundle, "--key", KEY, "--json")
    assert refused.exit_code == 1
    assert json.loads(refused.output)["valid"] is False


def test_a_stripped_statement_must_be_allowed_by_name(bundle: Path) -> None:
    bundle.write_bytes(replace(LOG.bundle(0), dsse=None).data)
    assert run(bundle, "--key", KEY).exit_code == 1
    assert run(bundle, "--key", KEY, "--without-statement").exit_code == 0


def test_a_payload_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    log = PaperLog()
    log.record(a_run(words="\x1b[2J\u202e\u200b"))
    path = tmp_path / "b"
    path.write_bytes(log.bundle(0).data)
    output = run(path, "--key", str(log.signer.verifier)).output
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "\u200b" not in output


def test_a_run_dag_blob_is_checked_only_under_its_own_profile(tmp_path: Path) -> None:
    dag = fg0.build_reject_run_dag(
        question_hash="11" * 32,
        preflight_hash=fg0.preflight_node_hash(),
        preflight_payload=fg0.build_preflight_node_payload(),
        rejection_reason="r",
        answer_text="",
    )
    path = tmp_path / "blob.json"
    path.write_text(dag.blob(), encoding="utf-8")
    assert run(path, "--key", KEY).exit_code == 1
    assert run(path, "--profile", "fg0", "--root", dag.root).exit_code == 0
    assert run(path, "--profile", "fg0", "--root", "00" * 32).exit_code == 1
    assert run(path, "--profile", "fg0").exit_code == 2, "trust comes from the caller"
    lenient = json.loads(run(path, "--profile", "fg0", "--lenient", "--json").output)
    assert lenient["shape"] == "reject"
    assert any("no root that you trust" in line for line in lenient["not_bound"])
    assert run(path, "--key", KEY, "--lenient").exit_code == 2


def test_no_more_of_a_file_is_read_than_a_bundle_can_have(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(3 * MAX_BYTES)
    assert len(_read(huge)) == MAX_BYTES + 1
    result = run(huge, "--key", KEY)
    assert result.exit_code == 1
    assert "no bundle does" in result.output


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ((("decision", "abstain"), ("verdict", "does_not_stand")), "judged: does_not_stand"),
        ((("decision", "abstain"),), "the decision was: abstain"),
        ((("step", "x"),), "nothing of a verdict"),
    ],
)
def test_a_genuine_record_of_a_bad_answer_says_so_in_plain_words(
    label: tuple[tuple[str, str], ...], words: str, tmp_path: Path
) -> None:
    log = PaperLog()
    log.record(a_run(), label)
    path = tmp_path / "run.json"
    path.write_bytes(log.bundle(0).data)
    second = run(path, "--key", KEY).output.splitlines()[1]
    assert second.startswith("  the record is genuine; ")
    assert words in second
