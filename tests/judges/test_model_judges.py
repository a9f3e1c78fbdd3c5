"""Judges over models of the user's, run for real on two tiny exported graphs."""

from __future__ import annotations

import importlib.util
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firmground.adapters.judges import ModelJudge, model_judge
from firmground.adapters.judges.labels import nli_classes, token_classes, yes_no_classes
from firmground.adapters.judges.lettuce import answer_parts
from firmground.adapters.judges.location import ModelLocation, find_place
from firmground.adapters.judges.windows import choose_windows, cut_pieces, make_windows
from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.engine import check
from firmground.errors import InputError, MissingExtra
from firmground.verify.neural import MODEL_DIR, available
from firmground.verify.reading import read

pytestmark = pytest.mark.skipif(
    not available(), reason="the shipped tokenizer is not in src/firmground/verify/model"
)
GRAPHS = Path(__file__).parent / "models"
LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}
BRIDGE = (
    "The old bridge was opened after eight years of work. Workers did mourn their dead. "
    "The toll was lifted by the town council."
)


def model(folder: Path, graph: str, **config: Any) -> Path:
    """Lay a graph, its labels and the shipped tokenizer in a folder, as an export would."""
    shutil.copy(GRAPHS / f"{graph}.onnx", folder / "model.onnx")
    shutil.copy(MODEL_DIR / "tokenizer.json", folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 512, **config}))
    return folder / "model.onnx"


@pytest.fixture
def nli(tmp_path: Path) -> ModelJudge:
    return model_judge("nli", str(model(tmp_path, "nli", id2label=LABELS)))


@pytest.fixture
def lettuce(tmp_path: Path) -> ModelJudge:
    return model_judge("lettucedetect", str(model(tmp_path, "tokens")))


def assess(
    judge: ModelJudge, answer: str, *evidence: str, question: str = ""
) -> tuple[Assessment, ...]:
    inquiry = Inquiry(
        question=Question(text=question) if question else None,
        answer=answer,
        claims=prose_claims(answer),
        evidence=tuple(Evidence(text=text) for text in evidence),
    )
    return judge.examine(inquiry).assessments


def test_an_exported_graph_judges_without_torch(nli: ModelJudge) -> None:
    stands, falls = assess(nli, "The toll was lifted. Dragons sleep beneath golden towers.", BRIDGE)
    assert stands.standing is Standing.GROUNDED
    assert stands.support > 0.9
    assert falls.standing is Standing.UNGROUNDED
    assert "supported" in falls.notes[-1].reason


def test_what_the_model_calls_contradiction_is_contradicted(nli: ModelJudge) -> None:
    (one,) = assess(nli, "Workers did not mourn.", "Workers did mourn their dead.")
    assert one.standing is Standing.CONTRADICTED


def test_labels_go_by_name_and_never_by_position(tmp_path: Path) -> None:
    turned = {0: "ENTAILMENT", 1: "Contradiction", 2: "neutral"}
    judge = model_judge("nli", str(model(tmp_path, "nli", id2label=turned)))
    (one,) = assess(judge, "The toll was lifted.", BRIDGE)
    assert one.notes[-1].reason.startswith("supported 0.000, contradicted 0.9")


@pytest.mark.parametrize(
    "labels",
    [None, {}, {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, {0: "cat", 1: "entailment"},
     {0: "entailment", 1: "supports"}, {"x": "entailment", "1": "neutral"}],
)  # fmt: skip
def test_labels_that_do_not_speak_for_themselves_are_an_error(
    tmp_path: Path, labels: dict[int, str] | None
) -> None:
    with pytest.raises(InputError, match=r"config\.json: id2label must say"):
        model_judge("nli", str(model(tmp_path, "nli", id2label=labels)))


def test_two_class_checkers_without_names_count_one_as_supported() -> None:
    def place(**config: Any) -> ModelLocation:
        return ModelLocation(directory=Path("m"), config=config)

    assert yes_no_classes(place()).supported == 1
    assert yes_no_classes(place(id2label={"0": "LABEL_0", "1": "LABEL_1"})).supported == 1
    named = {"0": "consistent", "1": "hallucinated"}
    assert yes_no_classes(place(id2label=named)).supported == 0
    assert nli_classes(place(id2label={"0": "entailment", "1": "not_entailment"})).supported == 0
    assert token_classes(place()).supported == 0
    assert token_classes(place(id2label={"0": "conflict", "1": "O", "2": "baseless"})) == (
        token_classes(place(id2label={"0": "contradiction", "1": "supported", "2": "x"}))
    )
    with pytest.raises(InputError, match="one label for supported"):
        token_classes(place(id2label={"0": "a", "1": "b", "2": "c"}))


def test_a_number_that_differs_overrules_a_model_that_would_let_it_pass(tmp_path: Path) -> None:
    judge = model_judge("nli", str(model(tmp_path, "nli", id2label=LABELS)), grounded_from=0.01)
    (one,) = assess(judge, "The bridge spans 530 metres.", "The bridge spans 503 metres.")
    assert one.standing is Standing.CONTRADICTED
    assert one.code == "number_differs"


def test_evidence_far_behind_the_first_window_is_read_too(nli: ModelJudge) -> None:
    filler = " ".join(f"Ferry {n} carries cars to the harbour every morning." for n in range(400))
    answer = "Lighthouse keepers painted the old tower."
    (one,) = assess(nli, answer, filler + " " + answer + " " + filler)
    assert one.standing is Standing.GROUNDED
    assert "windows" in one.notes[-1].reason


def test_windows_that_were_not_read_are_said(tmp_path: Path) -> None:
    place = model(tmp_path, "nli", id2label=LABELS, max_position_embeddings=64)
    judge = model_judge("nli", str(place))
    filler = " ".join(f"Ferry {n} carries cars to harbour {n}." for n in range(900))
    (one,) = assess(judge, "Lighthouse keepers painted towers.", filler)
    assert one.notes[-1].code == "evidence_not_read"
    assert not one.standing.stands


def test_a_claim_longer_than_the_window_is_read_in_parts(tmp_path: Path) -> None:
    place = model(tmp_path, "nli", id2label=LABELS, max_position_embeddings=160)
    judge = model_judge("nli", str(place))
    words = "the old bridge was opened and the toll was lifted by the council "
    invented = "dragons sleep beneath golden towers with purple unicorns " * 6
    claim = "So " + words * 20 + invented + "too."
    (one,) = assess(judge, claim, words + "so and")
    assert one.support < 0.5


def test_a_model_that_fails_leaves_the_claim_unverifiable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firmground.adapters.judges.backend import OnnxBackend

    judge = model_judge("nli", str(model(tmp_path, "nli", id2label=LABELS)))
    monkeypatch.setattr(OnnxBackend, "run", lambda self, tokens: [float("nan")] * 3)
    one, other = assess(
        judge,
        "The toll was lifted. The bridge spans 530 metres.",
        BRIDGE + " The bridge spans 503 metres.",
    )
    assert one.standing is Standing.UNVERIFIABLE
    assert one.code == "judge_failed"
    assert "finite" in one.reason
    assert other.code == "number_differs", "a veto needs no model"


def test_a_graph_of_another_shape_is_a_failure_and_not_a_score(tmp_path: Path) -> None:
    judge = model_judge("minicheck", str(model(tmp_path, "nli")))
    (one,) = assess(judge, "The toll was lifted.", BRIDGE)
    assert one.standing is Standing.UNVERIFIABLE


def test_tokens_the_evidence_does_not_bear_are_marked_to_the_character(
    lettuce: ModelJudge,
) -> None:
    answer = "The toll was lifted. The bridge was opened by purple unicorns."
    stands, falls = assess(lettuce, answer, BRIDGE, question="What became of the bridge?")
    assert stands.standing.stands
    assert falls.standing is Standing.UNGROUNDED
    marked = [answer[p.start : p.end] for p in falls.problems]
    assert "purple unicorns" in " ".join(marked)
    assert "opened" not in " ".join(marked)


def test_a_long_answer_is_labelled_in_parts(tmp_path: Path) -> None:
    place = model(tmp_path, "tokens", max_position_embeddings=256)
    judge = model_judge("lettucedetect", str(place))
    answer = " ".join(["The toll was lifted by the town council."] * 30 + ["Unicorns drank tea."])
    found = assess(judge, answer, BRIDGE)
    assert all(one.standing.stands for one in found[:30])
    assert answer[found[-1].problems[0].start :].startswith("Unicorns")


def test_parts_of_an_answer_cover_every_claim_without_overlap() -> None:
    def offsets(text: str) -> list[tuple[int, int]]:
        return [(at, at + 1) for at in range(len(text))]

    answer = "One two. " * 9 + "A very long sentence that does not fit into twenty tokens at all."
    claims = prose_claims(answer)
    parts = answer_parts(answer, claims, offsets, 20)
    assert all(part.end - part.start <= 20 for part in parts)
    assert all(a.end <= b.start for a, b in pairwise(parts))
    for claim in claims:
        held = sum(max(0, min(p.end, claim.end) - max(p.start, claim.start)) for p in parts)
        assert held == claim.end - claim.start


def test_every_passage_is_in_some_window_and_every_window_fits() -> None:
    text = " ".join(f"Sentence {n} tells of harbour {n}." for n in range(50)) + " " + "word " * 90
    reading = read((Evidence(text=text, id="e"),))

    def offsets(piece: str) -> list[tuple[int, int]]:
        found, at = [], 0
        for word in piece.split():
            at = piece.index(word, at)
            found.append((at, at + len(word)))
            at += len(word)
        return found

    pieces = cut_pieces(reading.passages, offsets, 20)
    windows = make_windows(pieces, 40)
    assert {p.passage for w in windows for p in w.pieces} == {p.order for p in reading.passages}
    assert all(sum(p.size + 1 for p in window.pieces) <= 40 for window in windows)
    assert all(text[p.span.start : p.span.end] == p.text for w in windows for p in w.pieces)
    kept = choose_windows(windows, [pieces[-1].passage], 1)
    assert pieces[-1].passage in {p.passage for p in kept[0].pieces}


def test_paraphrase_without_a_shared_word_may_stand_on_what_the_model_read(tmp_path: Path) -> None:
    turned = {0: "neutral", 1: "contradiction", 2: "entailment"}
    judge = model_judge("nli", str(model(tmp_path, "nli", id2label=turned)))
    (one,) = assess(judge, "Pupils learned algebra.", "Children were taught mathematics.")
    assert one.code == "model_supported"
    assert one.evidence


def test_judges_are_chosen_by_name_and_named_by_their_content(tmp_path: Path) -> None:
    place = model(tmp_path, "nli", id2label=LABELS)
    outcome = check("The toll was lifted.", BRIDGE, judge=f"nli@0.7:{place}")
    assert outcome.stands
    other = check("The toll was lifted.", BRIDGE, judge=f"nli@0.6:{place}")
    assert outcome.root != other.root


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nli:/no/such/place", "no such directory"),
        ("nli:/no/such/model.onnx", "no such file"),
        ("nli", "needs a model"),
        ("nli@2:/tmp", "between 0 and 1"),
        ("nli@many:/tmp", "not a number"),
        ("nonesuch", "nli:WHERE"),
        ("nli:nobody/nothing-of-that-name", "hub:nobody/nothing-of-that-name"),
        ("Builtin", "unknown"),
    ],
)
def test_a_judge_that_is_not_there_is_an_error_in_words(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check("A.", "B.", judge=name)


def test_a_broken_graph_or_config_names_its_file(tmp_path: Path) -> None:
    place = model(tmp_path, "nli", id2label=LABELS)
    place.write_bytes(b"no graph")
    with pytest.raises(InputError, match=r"model\.onnx: cannot be loaded"):
        check("The toll was lifted.", BRIDGE, judge=f"nli:{place}")
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match=r"config\.json: is not an object"):
        find_place(str(place))


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None,
    reason="torch is installed, so nothing is missing",
)
@pytest.mark.parametrize("kind", ["nli", "minicheck", "factcg", "hhem", "lettucedetect"])
def test_a_missing_extra_says_what_to_type(tmp_path: Path, kind: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {0: "no", 1: "entailment"}}))
    if kind == "lettucedetect":
        (tmp_path / "config.json").write_text("{}")
    with pytest.raises(MissingExtra, match=rf"pip install 'firmground\[{kind}\]'"):
        model_judge(kind, str(tmp_path))
