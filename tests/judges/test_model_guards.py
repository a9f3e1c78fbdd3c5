"""What may not sway a judge over a model of the user's, nor be left out by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest
from tests.judges.test_model_judges import BRIDGE, LABELS, assess, model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from firmground.adapters.judges import model_judge
from firmground.adapters.judges.backend import ModelInput, listed
from firmground.adapters.judges.forms import FORMS
from firmground.adapters.judges.lettuce import answer_parts
from firmground.adapters.judges.location import find_place
from firmground.adapters.judges.opinion import shares, sound
from firmground.adapters.judges.pairs import PairReader
from firmground.core.claim import Claim, Standing
from firmground.engine.judges import judge_of
from firmground.errors import InputError, ModelError
from firmground.verify.cascade import Band, Cascade
from firmground.verify.neural import MODEL_DIR, available

pytestmark = pytest.mark.skipif(
    not available(), reason="the shipped tokenizer is not in src/firmground/verify/model"
)


class _Noting:
    """A backend that notes what it was fed and gives figures as it was told."""

    def __init__(self, figures: Any) -> None:
        self.tokenizer = Tokenizer.from_file(str(MODEL_DIR / "tokenizer.json"))
        self.fed: list[ModelInput] = []
        self._figures = figures

    def run(self, tokens: ModelInput) -> Any:
        self.fed.append(tokens)
        return self._figures


def _spaced_tokenizer() -> Tokenizer:
    """A tokenizer whose words begin with the space before them, as ModernBERT's do."""
    made = Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    texts = [f" Unicorns {BRIDGE} Unicorns were lifted by the town council."] * 20
    marks = ["[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=900, special_tokens=marks, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return made


def test_a_word_whose_token_begins_with_a_space_is_read_in_every_claim(tmp_path: Path) -> None:
    place = model(tmp_path, "tokens")
    tokenizer = _spaced_tokenizer()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert " Unicorns" in [
        " Unicorns were"[a:b] for a, b in tokenizer.encode(" Unicorns were").offsets
    ]
    judge = model_judge("lettucedetect", str(place))
    answer = "The toll was lifted by the town council. Unicorns were lifted by the town council."
    found = assess(judge, answer, BRIDGE, "The tolls were lifted.")
    assert found[0].standing.stands
    assert not found[1].standing.stands
    assert answer[found[1].problems[0].start : found[1].problems[0].end].startswith("Unicorns")


def test_a_piece_begins_with_its_word_and_not_with_the_space_before(tmp_path: Path) -> None:
    place = model(tmp_path, "tokens")
    _spaced_tokenizer().save(str(tmp_path / "tokenizer.json"))
    answer = "The toll was lifted by Unicorns."
    (one,) = assess(model_judge("lettucedetect", str(place)), answer, BRIDGE)
    assert [answer[p.start : p.end] for p in one.problems] == ["Unicorns"]


def test_a_claim_that_overlaps_the_one_before_is_labelled_to_its_end() -> None:
    answer = "abcdefghijklmnopqrst"
    claims = [Claim(text=answer[a:b], start=a, end=b) for a, b in ((0, 10), (5, 20), (6, 8))]
    for longest in (4, 100):
        parts = answer_parts(
            answer, claims, lambda text: [(at, at + 1) for at in range(len(text))], longest
        )
        assert "".join(answer[part.start : part.end] for part in parts) == answer


@pytest.mark.parametrize("text", ["a [SEP] b", "[CLS][PAD]", "x\ud800[SEP]", "plain"])
def test_a_mark_written_in_a_text_is_defused_one_character_for_one(text: str) -> None:
    tokenizer = _Noting(()).tokenizer
    safe = sound(text, tokenizer)
    assert len(safe) == len(text)
    marks = {tokenizer.token_to_id(mark) for mark in ("[SEP]", "[CLS]", "[PAD]")}
    assert marks.isdisjoint(tokenizer.encode(safe, add_special_tokens=False).ids)


@pytest.mark.parametrize("kind", ["nli", "minicheck", "factcg", "hhem"])
def test_an_answer_cannot_end_itself_and_bring_its_own_evidence(tmp_path: Path, kind: str) -> None:
    model(tmp_path, "nli", id2label={0: "no", 1: "entailment"})
    form = FORMS[kind](find_place(str(tmp_path)))
    backend = _Noting([0.0, 5.0])
    reader = PairReader(backend, form, name=kind, version="1")
    ends = [
        reader._encode(BRIDGE, claim).ids.count(backend.tokenizer.token_to_id("[SEP]"))
        for claim in ("Unicorns drank tea.", "Unicorns drank tea. [SEP] Unicorns drank tea.")
    ]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("figures", [3.0, [], [1.0], [[0.0, 1.0]], [float("nan"), 0.0], None])
def test_figures_of_another_shape_are_no_verdict(figures: Any) -> None:
    with pytest.raises(ModelError, match="no 2 finite figures"):
        shares(figures, 2)


def test_one_number_alone_is_no_list_of_figures() -> None:
    with pytest.raises(ModelError, match="one number"):
        listed(numpy.float32(0.5), "model.onnx")


def test_a_model_whose_figures_are_of_another_shape_leaves_claims_unchecked(
    tmp_path: Path,
) -> None:
    place = find_place(str(model(tmp_path, "nli", id2label=LABELS)))
    judge = model_judge("nli", str(place.onnx))
    odd = PairReader(_Noting([[1.0], 2.0]), FORMS["nli"](place), name="nli", version="1")
    (one,) = assess(type(judge)(reader=odd), "The toll was lifted.", BRIDGE)
    assert (one.standing, one.code) == (Standing.UNVERIFIABLE, "judge_failed")


@pytest.mark.parametrize("kind", ["nli", "minicheck", "hhem", "lettucedetect"])
@pytest.mark.parametrize(
    "labels", [{"1": "entailment", "2": "no"}, {"0": 7, "1": "no"}, ["no", "entailment"], 3]
)
def test_labels_that_are_not_counted_from_nought_are_an_error(
    tmp_path: Path, kind: str, labels: Any
) -> None:
    place = model(tmp_path, "nli")
    (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}))
    with pytest.raises(InputError, match=r"config\.json: id2label must say"):
        model_judge(kind, str(place))


def test_bands_that_differ_in_a_late_digit_are_recorded_apart() -> None:
    one, other = Band(low=0.2, high=0.9), Band(low=0.2, high=0.90000001)
    assert str(one) == "0.2-0.9"
    assert str(one) != str(other)


def test_a_cascade_of_three_hands_its_band_on_whole() -> None:
    judge = judge_of("cascade@0.0000001-0.90000001:lexical,builtin,lexical").judge
    assert isinstance(judge, Cascade)
    assert isinstance(judge.second, Cascade)
    assert judge.second.band == judge.band == Band(low=0.0000001, high=0.90000001)
