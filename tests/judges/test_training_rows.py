"""One's own rows reach training as they reach `firmground train`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from training import scoring
from training.compare import require_twins
from training.corpus import own_rows
from training.paths import INT8, digest
from training.store import forget_after


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_a_whole_answer_is_cut_and_its_spans_follow(tmp_path: Path) -> None:
    answer = "The bridge is old. It spans 530 metres. It is blue."
    row = {
        "answer": answer,
        "evidence": ["The bridge is old.", "It spans 503 metres."],
        "spans": [[28, 38, "contradicted"], [46, 50]],
    }
    first, second, third = own_rows(write(tmp_path / "rows.jsonl", row))
    assert first[2:] == (0, None)
    assert second[2:] == (2, [(9, 19, 2)])
    assert second[1][9:19] == "530 metres"
    assert third[2:] == (1, [(6, 10, 1)])
    assert "503" in first[0]


def test_single_claims_are_read_too(tmp_path: Path) -> None:
    row = {"source": "s", "claim": "a claim", "label": "ungrounded", "problems": [[0, 1]]}
    assert list(own_rows(write(tmp_path / "rows.jsonl", row))) == [("s", "a claim", 1, [(0, 1, 1)])]


@pytest.mark.parametrize(
    "row", [{"claim": "x"}, {"answer": "x", "evidence": "y"}, {"answer": "x", "evidence": "y", "spans": [[0, 9]]}, 3]
)  # fmt: skip
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, row: object) -> None:
    good = {"source": "s", "claim": "c", "label": "supported"}
    with pytest.raises(ValueError, match="line 2"):
        list(own_rows(write(tmp_path / "rows.jsonl", good, row)))


def test_a_run_that_goes_on_forgets_what_was_noted_behind_its_checkpoint(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"elapsed": 1.0}\n{"elapsed": 2.5}\n{"elapsed": 4.0}\n{"elap')
    forget_after(log, 2.5)
    assert log.read_text() == '{"elapsed": 1.0}\n{"elapsed": 2.5}\n'
    forget_after(tmp_path / "none.jsonl", 0.0)


def test_weights_of_two_runs_are_not_compared(tmp_path: Path) -> None:
    int8, fp32 = tmp_path / "int8", tmp_path / "fp32"
    for place in (int8, fp32):
        place.mkdir()
    (int8 / "model.onnx").write_bytes(b"one")
    with pytest.raises(SystemExit, match=r"fp32/model\.onnx: no such file"):
        require_twins(int8, fp32)
    (fp32 / "model.onnx").write_bytes(b"whole")
    (fp32 / INT8).write_text(digest(int8 / "model.onnx"))
    require_twins(int8, fp32)
    (int8 / "model.onnx").write_bytes(b"other")
    with pytest.raises(SystemExit, match="was not made of"):
        require_twins(int8, fp32)


def test_scores_are_kept_for_these_weights_and_these_inputs_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.onnx").write_bytes(b"one")
    first = scoring._version(tmp_path)
    monkeypatch.setattr(scoring, "_SHOWS", scoring._SHOWS[1:])
    assert scoring._version(tmp_path) != first
    monkeypatch.undo()
    (tmp_path / "model.onnx").write_bytes(b"other")
    assert scoring._version(tmp_path) != first
