"""The everyday corpus as a benchmark: rows, figures, and the copy inside the package."""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.bench.everyday import (
    CELLS,
    EverydayRow,
    EverydayTrial,
    lines,
    load_rows,
    picture,
    report,
)
from firmground.cli.bench import command
from firmground.errors import InputError

CORPUS = Path(__file__).parents[2] / "corpus" / "everyday"


def _trial(at: int, *, supported: bool, wording: str, stands: bool) -> EverydayTrial:
    row = EverydayRow(
        id=str(at), set_id=str(at // 4), text="x", evidence=("y",), question="",
        supported=supported, kind="lookup", wording=wording, lang="en", whole_answer=False,
    )  # fmt: skip
    return EverydayTrial(
        row=row, stands=stands, inconclusive=False, risk=0.1 if stands else 0.9, seconds=0.01
    )


def _all(says: bool | None) -> list[EverydayTrial]:
    """Trials of a judge that always says the same, or of one that is always right."""
    made = []
    for at in range(40):
        supported, wording = at % 2 == 0, "close" if at % 4 < 2 else "anew"
        stands = supported if says is None else says
        made.append(_trial(at, supported=supported, wording=wording, stands=stands))
    return made


def test_a_judge_that_is_always_right_has_every_cell() -> None:
    found = report("right", _all(None))
    assert [found.cells[cell].value for cell in CELLS] == [1.0] * 4
    assert (found.auc.value, found.auc_apart.value) == (1.0, 1.0)


def test_a_judge_that_lets_everything_pass_is_right_on_half() -> None:
    found = report("yes", _all(True))
    assert found.mean.value == 0.5
    assert found.auc.value == 0.5
    assert "true rows" in "\n".join(lines(found))
    assert picture(found).startswith("<svg")


def test_the_test_split_in_the_package_is_that_of_the_corpus() -> None:
    packed = resources.files("firmground.bench").joinpath("data/everyday-test.jsonl.gz")
    splits = json.loads((CORPUS / "splits.json").read_text("utf-8"))
    whole = "".join(
        (CORPUS / f"{batch}.jsonl").read_text("utf-8")
        for batch, split in splits.items()
        if split == "test"
    )
    assert gzip.decompress(packed.read_bytes()).decode("utf-8") == whole


def test_no_batch_is_in_two_splits_and_every_mark_is_exact() -> None:
    splits = json.loads((CORPUS / "splits.json").read_text("utf-8"))
    assert set(splits.values()) == {"train", "val", "test"}
    for batch in splits:
        for line in (CORPUS / f"{batch}.jsonl").read_text("utf-8").splitlines():
            one = json.loads(line)
            assert one["batch"] == batch
            for row in (*one["statements"], *one["answers"]):
                assert (row["label"] == "supported") == (row["second"] == "supported")
                assert all(0 <= a < b <= len(row["text"]) for a, b in row["spans"])


def test_a_missing_split_or_language_is_told() -> None:
    with pytest.raises(InputError, match="only the test split"):
        load_rows(split="train")
    with pytest.raises(InputError, match="no row in xx"):
        load_rows(languages=("xx",))


def test_the_command_prints_the_four_cells() -> None:
    found = CliRunner().invoke(command, ["everyday", "--judge", "lexical", "--limit", "12"])
    assert found.exit_code == 0, found.output
    assert "mean of the four cells" in found.output
