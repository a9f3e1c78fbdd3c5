"""A batch isolates bad rows, resumes, and says the same however many workers it has."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.surfaces.scripted import work

from firmground.batch import run_batch, side_by_side
from firmground.cli.main import cli
from firmground.engine.many import BatchWork
from firmground.engine.plans import plan_for
from firmground.errors import InputError


def row(number: int, answer: str = "The push came.") -> dict[str, Any]:
    return {"id": f"r{number}", "answer": answer, "evidence": ["The push came. Late."]}


def write(path: Path, rows: list[Any]) -> Path:
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_the_output_is_the_same_however_many_workers_there_are(tmp_path: Path) -> None:
    rows = [row(n, f"The push came. Number {n}.") for n in range(40)]
    source = write(tmp_path / "in.jsonl", rows)
    for workers in (1, 2, 3):
        run_batch(source, tmp_path / f"out{workers}", work, workers=workers)
    one = (tmp_path / "out1").read_bytes()
    assert one == (tmp_path / "out2").read_bytes() == (tmp_path / "out3").read_bytes()
    assert [r["id"] for r in read(tmp_path / "out1")] == [r["id"] for r in rows]


def test_a_bad_row_is_reported_with_its_line_and_the_rest_go_on(tmp_path: Path) -> None:
    bad = [b'{"id": "x", ', b"\xff", b'{"id": "y"}', b"[1]", b'{"answer": "a", "evidence": ["e"]}']
    deep = b'{"id": "d", "answer": "a", "evidence": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    empty = {"id": "n", "answer": " ", "evidence": ["e"]}
    source = write(tmp_path / "in.jsonl", [row(1), *bad, b"", deep, empty, row(2)])
    tally = run_batch(source, tmp_path / "out", work, workers=1)
    assert [number for number, _ in tally.failed] == [2, 3, 4, 5, 6, 8, 9]
    out = read(tmp_path / "out")
    assert [r["id"] for r in out if "error" not in r] == ["r1", "r2"]
    for number, message in tally.failed:
        assert f"line {number}" in message
    assert [r["line"] for r in out if "error" in r] == [2, 3, 4, 5, 6, 8, 9]
    assert dict(tally.results) == {"stands": 2}


def test_an_id_used_twice_is_a_bad_row(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [row(1), row(2), row(1)])
    tally = run_batch(source, tmp_path / "out", work, workers=1)
    assert tally.failed == ((3, "line 3: the id was already used on line 1"),)


@pytest.mark.parametrize("kept", [0, 1, 7, 40])
def test_an_interrupted_batch_ends_as_if_it_had_not_been(tmp_path: Path, kept: int) -> None:
    rows: list[Any] = [row(n, f"The push came. Number {n}.") for n in range(11)]
    rows[4] = b"torn {"
    source = write(tmp_path / "in.jsonl", rows)
    run_batch(source, tmp_path / "whole", work, workers=1)
    whole = (tmp_path / "whole").read_bytes()
    lines = whole.splitlines(keepends=True)
    torn = b"".join(lines[:kept]) + b"".join(lines[kept : kept + 1])[:25]
    (tmp_path / "out").write_bytes(torn)
    tally = run_batch(source, tmp_path / "out", work, workers=1)
    assert (tmp_path / "out").read_bytes() == whole
    assert tally.skipped == min(kept, 11)
    assert len(tally.failed) == 1
    again = run_batch(source, tmp_path / "out", work, workers=1)
    assert (again.done, again.skipped) == (0, 11)
    assert again.results == tally.results


def test_a_row_that_changed_or_other_settings_are_worked_on_again(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [row(1), row(2)])
    run_batch(source, tmp_path / "out", work, workers=1)
    write(source, [row(1), row(2, "The push stayed.")])
    assert run_batch(source, tmp_path / "out", work, workers=1).done == 1
    assert run_batch(source, tmp_path / "out", work, settings="strict", workers=1).done == 2


def test_rows_that_somebody_else_wrote_are_known_by_their_id(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [row(1), row(2)])
    write(tmp_path / "out", [{"id": "r1", "verdict": "stands"}])
    tally = run_batch(source, tmp_path / "out", work, workers=1)
    assert (tally.done, tally.skipped) == (1, 1)


def test_an_output_that_is_no_output_is_not_touched(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [row(1)])
    (tmp_path / "out").write_bytes(b"dear diary\n")
    with pytest.raises(InputError, match="line 1: not a result of an earlier batch"):
        run_batch(source, tmp_path / "out", work, workers=1)
    assert (tmp_path / "out").read_bytes() == b"dear diary\n"


def test_a_row_that_kills_its_worker_is_one_bad_row(tmp_path: Path) -> None:
    rows = [row(n) for n in range(30)]
    rows[11]["answer"] = "Die."
    source = write(tmp_path / "in.jsonl", rows)
    tally = run_batch(source, tmp_path / "out", work, workers=2)
    assert [number for number, _ in tally.failed] == [12]
    assert "died" in tally.failed[0][1]
    assert [r["id"] for r in read(tmp_path / "out")] == [r["id"] for r in rows]


def test_lone_surrogates_survive_the_way_through(tmp_path: Path) -> None:
    line = rb'{"id": "s", "answer": "The \ud800 came.", "evidence": ["The \ud800 came."]}'
    source = write(tmp_path / "in.jsonl", [line])
    run_batch(source, tmp_path / "out", work, workers=1)
    assert read(tmp_path / "out")[0]["claims"][0]["text"] == "The \ud800 came."


def test_a_crew_reads_only_a_little_ahead() -> None:
    taken = 0

    def items() -> Iterator[str]:
        nonlocal taken
        for number in range(2_000):
            taken += 1
            yield "x" * (number % 7)

    ahead = 0
    results = side_by_side(items(), len, workers=2, weigh=len, died=len)
    for given, (item, result) in enumerate(results, 1):
        assert result == len(item)
        ahead = max(ahead, taken - given)
    assert taken == 2_000
    assert ahead < 60


def test_an_interrupt_leaves_whole_rows_and_the_batch_goes_on_later(tmp_path: Path) -> None:
    # The last row takes so long that the interrupt comes before it is done, whatever the machine.
    every = 30
    long = " ".join(f"Host n{n} was drained at {n % 24}:15 by team {n * 7}." for n in range(1500))
    texts = ["The push came at noon."] * (every - 1) + [long]
    rows = [{"id": n, "answer": text, "evidence": [text]} for n, text in enumerate(texts)]
    source = write(tmp_path / "in.jsonl", rows)
    target = tmp_path / "out"
    command = [sys.executable, "-m", "firmground", "check", "--batch", str(source), "--output"]
    ran = subprocess.Popen(
        [*command, str(target), "--workers", "2", "--judge", "lexical"],
        start_new_session=True,
        # Jobs in a shell's background ignore interrupts, and hand that down to their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        stderr=subprocess.PIPE,
        text=True,
    )
    while ran.poll() is None and not (target.exists() and target.read_bytes().count(b"\n") > 8):
        time.sleep(0.01)
    os.killpg(ran.pid, signal.SIGINT)
    assert ran.stderr is not None
    errors = ran.stderr.read()
    ran.stderr.close()
    assert ran.wait() == 2
    assert "Traceback" not in errors
    kept = target.read_bytes().count(b"\n")
    assert 8 < kept < every
    work, settings = BatchWork(judge="lexical"), plan_for(judge="lexical").settings
    tally = run_batch(source, target, work, settings=settings, workers=1)
    assert (tally.done, tally.skipped) == (every - kept, kept)
    assert [r["id"] for r in read(target)] == list(range(every))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_is_said_to_be_full(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in.jsonl", [{"id": 1, "answer": "It rains.", "evidence": ["It rains."]}]
    )
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
        run_batch(source, Path("/dev/full"), BatchWork(judge="lexical"), workers=1)


CITES_NOTHING = """
[[hooks.use]]
type = "citation"
required = false
"""


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


def test_rows_that_a_policy_lets_pass_end_with_an_exit_code_of_their_own(tmp_path: Path) -> None:
    rows = [row(1), row(2, "The pull never came. It was 42 metres long.")]
    source = str(write(tmp_path / "in.jsonl", rows))
    options = ("--batch", source, "--judge", "lexical", "--workers", "1")
    open_to_all = command(*options, "--policy", "advisory", "--output", str(tmp_path / "a"))
    assert open_to_all.exit_code == 3, open_to_all.output
    assert "1 waived" in open_to_all.stderr
    assert command(*options, "--output", str(tmp_path / "b")).exit_code == 1


def test_a_batch_asks_the_hooks_of_its_settings_about_every_row(tmp_path: Path) -> None:
    source = str(write(tmp_path / "in.jsonl", [row(1), row(2, "The push came [1].")]))
    config = tmp_path / "firmground.toml"
    config.write_text(CITES_NOTHING)
    out = tmp_path / "out"
    options = ("--batch", source, "--judge", "lexical", "--workers", "1", "--output", str(out))
    done = command(*options, "--config", str(config))
    assert done.exit_code == 0, done.output
    assert [r["hooks"][0]["said"] for r in read(out)] == ["not_applicable", "passed"]
    config.write_text(CITES_NOTHING.replace("false", "true"))
    assert command(*options, "--config", str(config)).exit_code == 1


def test_a_check_says_which_hooks_passed(tmp_path: Path) -> None:
    config = tmp_path / "firmground.toml"
    config.write_text(CITES_NOTHING)
    given = ("--judge", "lexical", "--config", str(config), "-e", "The push came. Late.")
    assert "hook citation passed" in command(*given, "-a", "The push came [1].").output
    assert "hook citation did not apply" in command(*given, "-a", "The push came.").output


def test_a_batch_takes_a_calibration_or_says_why_not(tmp_path: Path) -> None:
    source = str(write(tmp_path / "in.jsonl", [row(1)]))
    calibration = tmp_path / "calibration.json"
    calibration.write_text("{}")
    given = ("--batch", source, "--output", str(tmp_path / "out"))
    refused = command(*given, "--calibration", str(calibration))
    assert "calibration.json" in str(refused.exception)
    assert not (tmp_path / "out").exists()


def test_a_batch_that_asks_no_models_refuses_settings_that_name_some(tmp_path: Path) -> None:
    source = str(write(tmp_path / "in.jsonl", [row(1)]))
    config = tmp_path / "firmground.toml"
    config.write_text('[[models.use]]\nname = "m"\nbase_url = "http://127.0.0.1:1/v1"\n')
    done = command("--batch", source, "--output", str(tmp_path / "o"), "--config", str(config))
    assert done.exit_code == 2
    assert "asks no models" in done.stderr
    assert not (tmp_path / "o").exists()


def test_two_batches_do_not_write_into_one_file_at_once(tmp_path: Path) -> None:
    source, target = write(tmp_path / "in", [row(1), row(2)]), tmp_path / "out"
    with target.open("ab") as other:
        fcntl.flock(other.fileno(), fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another batch is writing there now"):
            run_batch(source, target, work, workers=1)
    assert run_batch(source, target, work, workers=1).done == 2
