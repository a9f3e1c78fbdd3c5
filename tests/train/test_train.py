"""One's own labelled answers refit the built-in verifier; a bad row is named by its line."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground.adapters.labelled_rows import read_labelled_answers
from firmground.calibrate.refit import LogitLine, best_limit, fit_line, log_loss
from firmground.cli.train import command
from firmground.engine import check, training
from firmground.engine.training import (
    FOLDS,
    Scored,
    Trained,
    distinct,
    own_meta,
    score_rows,
    train,
)
from firmground.errors import FirmgroundError, InputError
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available

NEEDS_WEIGHTS = pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)
TOWNS = "Aldburg Brenwick Calder Dunmore Eastvale Fenholm Garrow Hexley".split()
TRUE = ("The ferry to {} leaves every morning.", "Residents of {} built a new school.")
INVENTED = ("Its mayor keeps a golden parrot named Admiral.", "Visitors praise the volcanic spa.")


def rows(count: int) -> list[dict[str, Any]]:
    """Answers of a true sentence and, every other time, an invented one whose span is labelled."""
    dice = random.Random(3)
    found = []
    for at in range(count):
        town = dice.choice(TOWNS)
        evidence = " ".join(line.format(town) for line in TRUE) + f" The harbour has {at} piers."
        answer = dice.choice(TRUE).format(town)
        spans = []
        if at % 2:
            start = len(answer) + 1
            answer += " " + dice.choice(INVENTED)
            spans = [[start, len(answer)]]
        found.append({"id": at, "answer": answer, "evidence": [evidence], "spans": spans})
    return found


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@NEEDS_WEIGHTS
def test_rows_of_ones_own_refit_the_verifier_and_the_fit_is_used(tmp_path: Path) -> None:
    source, target = write(tmp_path / "rows.jsonl", rows(60)), tmp_path / "own.json"
    done = CliRunner().invoke(
        command, [str(source), "--out", str(target), "--json"], catch_exceptions=False
    )
    told = json.loads(done.output)
    assert done.exit_code == 0
    assert told["written"]
    assert told["after"]["claim_loss"] < told["before"]["claim_loss"]
    answer, evidence = rows(60)[1]["answer"], rows(60)[1]["evidence"]
    own = check(answer, evidence, judge=f"builtin:{target}")
    shipped = check(answer, evidence)
    assert own.root != shipped.root
    assert [a.support for a in own.assessments] != [a.support for a in shipped.assessments]


@NEEDS_WEIGHTS
def test_what_is_written_bends_every_score_by_the_line_that_was_found(tmp_path: Path) -> None:
    trained = train(score_rows(read_labelled_answers(write(tmp_path / "r.jsonl", rows(44)))))
    path = tmp_path / "own.json"
    path.write_bytes(own_meta(trained))
    shipped, own = NeuralScorer().meta, NeuralScorer(meta_file=path).meta
    row = [0.3] * len(shipped.fused.names)
    assert own.fused.logit(row) == pytest.approx(trained.fit.claims.at(shipped.fused.logit(row)))
    assert own.fitted != shipped.fitted
    assert json.loads(path.read_text())["fitted_from"]["answers"] == 44


@NEEDS_WEIGHTS
def test_a_fit_that_is_no_better_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trained, "better", False)
    source, target = write(tmp_path / "rows.jsonl", rows(44)), tmp_path / "own.json"
    done = CliRunner().invoke(command, [str(source), "--out", str(target)])
    assert done.exit_code == 1
    assert "nothing was written" in done.output
    assert not target.exists()


@NEEDS_WEIGHTS
def test_too_few_rows_are_refused_in_numbers(tmp_path: Path) -> None:
    source = write(tmp_path / "rows.jsonl", rows(10))
    with pytest.raises(InputError, match=r"needs at least 20 claims .* these rows have"):
        train(score_rows(read_labelled_answers(source)))


@NEEDS_WEIGHTS
def test_a_fit_for_other_weights_or_no_fit_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text("{}")
    with pytest.raises(InputError, match=r"own\.json: holds no fusion"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{path}")
    with pytest.raises(InputError, match="No such file"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{tmp_path / 'none.json'}")
    scored = score_rows(read_labelled_answers(write(tmp_path / "rows.jsonl", rows(44))))
    document = json.loads(own_meta(train(scored)))
    limits = document["thresholds"]
    assert (
        limits["sure"] == limits["claim"]
    )  # all of a claim that falls by one's own limit is marked
    document["sha256"]["model.onnx"] = "0" * 64
    path.write_text(json.dumps(document))
    with pytest.raises(FirmgroundError, match="is not the file that"):
        check("A cat sat on it.", "A cat sat.", judge=f"builtin:{path}")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 2"),
        ([1], "line 2: expected an object"),
        ({"answer": "a b"}, "line 2: 'evidence' is missing"),
        ({"answer": "a b", "evidence": "c"}, "line 2: needs one of 'spans' and 'labels'"),
        ({"answer": "a b", "evidence": "c", "spans": [], "labels": []}, "line 2: needs one of"),
        ({"answer": "a b", "evidence": "c", "spans": [[0, 9]]}, r"line 2: spans\[0\]: \[0, 9\]"),
        ({"answer": "a b", "evidence": "c", "spans": [[2, 2]]}, r"line 2: spans\[0\]"),
        ({"answer": "a b", "evidence": "c", "spans": [[0, True]]}, r"spans\[0\]: must be"),
        ({"answer": "a b", "evidence": "c", "labels": [{"start": 0}]}, r"labels\[0\]: must be"),
        ({"answer": "a b", "evidence": "c", "spans": "0-1"}, "spans must be a list"),
        ({"answer": 3, "evidence": "c", "spans": []}, "line 2: answer must be a string"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, row: object, said: str) -> None:
    good = {"answer": "a b", "evidence": "c", "labels": [{"start": 0, "end": 1}]}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(good) + "\n" + (row if isinstance(row, str) else json.dumps(row)))
    with pytest.raises(InputError, match=said):
        list(read_labelled_answers(path))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        list(read_labelled_answers(tmp_path / "none.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes(b'{"answer": "\xff"}')
    with pytest.raises(InputError, match="is not UTF-8"):
        list(read_labelled_answers(tmp_path / "latin.jsonl"))


def test_the_line_finds_the_bend_that_made_the_labels() -> None:
    dice = random.Random(1)
    logits = [dice.uniform(-4, 4) for _ in range(6000)]
    true = LogitLine(slope=0.6, shift=-1.2)
    wrong = [dice.random() < true.probability(x) for x in logits]
    found = fit_line(logits, wrong)
    assert found.slope == pytest.approx(0.6, abs=0.06)
    assert found.shift == pytest.approx(-1.2, abs=0.12)
    told = [found.probability(x) for x in logits]
    assert log_loss(told, wrong) < log_loss([LogitLine().probability(x) for x in logits], wrong)


def test_few_rows_bend_little_and_no_fit_turns_the_order_round() -> None:
    assert fit_line([1.0, -1.0], [True, False]).slope == pytest.approx(1.0, abs=0.5)
    backwards = fit_line([3.0] * 200 + [-3.0] * 200, [False] * 200 + [True] * 200)
    assert backwards.slope > 0


def test_the_best_limit_flags_exactly_the_wrong_when_they_are_apart() -> None:
    limit, value = best_limit([0.1, 0.2, 0.7, 0.9], [False, False, True, True])
    assert 0.2 < limit <= 0.7
    assert value == 1.0
    assert best_limit([0.5, 0.5], [True, False])[1] == pytest.approx(2 / 3)


@NEEDS_WEIGHTS
def test_rows_about_the_same_evidence_never_lie_in_two_folds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    found = rows(60)
    for at, row in enumerate(found):
        row["evidence"] = found[at // 6 * 6]["evidence"]
    scored = score_rows(read_labelled_answers(write(tmp_path / "rows.jsonl", found)))
    assert len({one.source for one in scored}) == 10
    fit = training._fit

    def noting(part: Sequence[Scored], meta: Any) -> Any:
        seen.append({one.source for one in part})
        return fit(part, meta)

    monkeypatch.setattr(training, "_fit", noting)
    train(scored)
    every = {one.source for one in scored}
    held = [every - fitted for fitted in seen if fitted != every]
    assert len(held) == FOLDS
    assert sorted(source for part in held for source in part) == sorted(every)


@NEEDS_WEIGHTS
def test_rows_about_one_piece_of_evidence_only_are_refused(tmp_path: Path) -> None:
    found = rows(60)
    for row in found:
        row["evidence"] = found[0]["evidence"]
    scored = score_rows(read_labelled_answers(write(tmp_path / "rows.jsonl", found)))
    with pytest.raises(InputError, match=r"at least 5 different pieces of evidence.*have 1"):
        train(scored)


@NEEDS_WEIGHTS
def test_rows_that_say_again_what_was_said_do_not_count(tmp_path: Path) -> None:
    source = write(tmp_path / "rows.jsonl", [*rows(44), *rows(44)])
    assert [row.line for row in distinct(read_labelled_answers(source))] == list(range(1, 45))
    done = CliRunner().invoke(command, [str(source), "--out", str(tmp_path / "o.json"), "--json"])
    assert json.loads(done.output)["duplicates"] == 44
    few = write(tmp_path / "few.jsonl", rows(12) * 9)
    refused = CliRunner().invoke(command, [str(few), "--out", str(tmp_path / "o.json")])
    assert "these rows have 6" in str(refused.exception)


@NEEDS_WEIGHTS
def test_parts_of_long_claims_are_bent_by_the_same_line(tmp_path: Path) -> None:
    trained = train(score_rows(read_labelled_answers(write(tmp_path / "r.jsonl", rows(44)))))
    path = tmp_path / "own.json"
    path.write_bytes(own_meta(trained))
    shipped, own = NeuralScorer().meta, NeuralScorer(meta_file=path).meta
    row = [0.3] * len(shipped.claim.names)
    assert own.claim.logit(row) == pytest.approx(trained.fit.claims.at(shipped.claim.logit(row)))


def test_a_mark_of_byte_order_before_the_first_row_is_not_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(rows(1)[0]) + "\n", encoding="utf-8-sig")
    assert [row.line for row in read_labelled_answers(path)] == [1]


@NEEDS_WEIGHTS
def test_a_fit_beside_own_weights_is_used_by_the_name_of_their_folder(tmp_path: Path) -> None:
    source = write(tmp_path / "rows.jsonl", rows(60))
    target = tmp_path / "meta.json"
    for name in ("model.onnx", "tokenizer.json", "meta.json"):
        (tmp_path / name).write_bytes((MODEL_DIR / name).read_bytes())
    done = CliRunner().invoke(
        command, [str(source), "--weights", str(tmp_path), "--out", str(target), "--even-if-worse"]
    )
    assert f"--judge builtin:{tmp_path}\n" in done.output
    assert check("A cat sat.", "A cat sat.", judge=f"builtin:{tmp_path}").stands
