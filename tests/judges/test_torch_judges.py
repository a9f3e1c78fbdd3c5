"""The same judges over real transformers models, tiny and with random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'firmground[nli]'")
transformers = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install 'firmground[nli]'"
)

from firmground.adapters.judges import model_judge  # noqa: E402
from firmground.adapters.judges.backend import read_tokenizer  # noqa: E402
from firmground.adapters.judges.location import find_place  # noqa: E402
from firmground.claims.prose import prose_claims  # noqa: E402
from firmground.core.claim import Assessment  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry  # noqa: E402
from firmground.verify.neural import MODEL_DIR  # noqa: E402

EVIDENCE = "The toll was lifted by the town council. The bridge was opened after eight years."
ANSWER = "The council lifted the toll."
SMALL = {
    "vocab_size": 30522, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 24, "max_position_embeddings": 130,
}  # fmt: skip
T5 = {
    "vocab_size": 30522, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 2, "num_heads": 2,
    "feed_forward_proj": "gated-gelu", "decoder_start_token_id": 0,
}  # fmt: skip


def saved(folder: Path, kind: str, config: Any) -> Path:
    torch.manual_seed(5)
    getattr(transformers, kind)(config).eval().save_pretrained(folder)
    shutil.copy(MODEL_DIR / "tokenizer.json", folder / "tokenizer.json")
    return folder


def bert(folder: Path, kind: str = "BertForSequenceClassification", **more: Any) -> Path:
    return saved(folder, kind, transformers.BertConfig(**SMALL, **more))


def assess(kind: str, place: Path, answer: str = ANSWER) -> tuple[Assessment, ...]:
    inquiry = Inquiry(
        question=None,
        answer=answer,
        claims=prose_claims(answer),
        evidence=(Evidence(text=EVIDENCE),),
    )
    return model_judge(kind, str(place)).examine(inquiry).assessments


def logits(place: Path, make: Callable[[Any], Any], kind: str) -> Any:
    """Run the model by hand on what `make` encodes."""
    encoded = make(read_tokenizer(find_place(str(place))))
    model = getattr(transformers, kind).from_pretrained(place).eval()
    with torch.inference_mode():
        feed = {"input_ids": torch.tensor([encoded.ids])}
        if "Bert" in type(model).__name__:
            feed["token_type_ids"] = torch.tensor([encoded.type_ids])
        if "Conditional" in type(model).__name__:
            feed["decoder_input_ids"] = torch.tensor([[0]])
        return model(**feed).logits[0]


WINDOW = "The toll was lifted by the town council.\nThe bridge was opened after eight years."


def support_of(assessments: tuple[Assessment, ...]) -> float:
    said = next(n.reason for n in assessments[0].notes if n.code == "model_score")
    return float(said.split()[1].rstrip(","))


def test_an_nli_model_gives_what_transformers_gives(tmp_path: Path) -> None:
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    place = bert(tmp_path, num_labels=3, id2label=labels)
    by_hand = logits(
        place, lambda t: t.encode(WINDOW, ANSWER), "AutoModelForSequenceClassification"
    )
    assert support_of(assess("nli", place)) == pytest.approx(
        float(by_hand.softmax(-1)[2]), abs=1e-3
    )


def test_roberta_reads_no_further_than_its_places(tmp_path: Path) -> None:
    config = transformers.RobertaConfig(**SMALL, num_labels=2, pad_token_id=0, type_vocab_size=1)
    place = saved(tmp_path, "RobertaForSequenceClassification", config)
    long = " ".join(["The council lifted the toll and opened the bridge."] * 30)
    found = assess("minicheck", place, long)
    assert all(any(n.code == "model_score" for n in one.notes) for one in found)


def test_minicheck_t5_compares_what_it_would_write(tmp_path: Path) -> None:
    place = saved(tmp_path, "T5ForConditionalGeneration", transformers.T5Config(**T5))
    by_hand = logits(
        place,
        lambda t: t.encode(f"predict: {WINDOW}[SEP]{ANSWER}"),
        "AutoModelForSeq2SeqLM",
    )
    tokenizer = read_tokenizer(find_place(str(place)))
    no, yes = (tokenizer.encode(d, add_special_tokens=False).ids[0] for d in "01")
    expected = float(by_hand[0][[no, yes]].softmax(-1)[1])
    assert support_of(assess("minicheck", place)) == pytest.approx(expected, abs=1e-3)


def test_factcg_asks_its_question(tmp_path: Path) -> None:
    place = bert(tmp_path, num_labels=2)
    text = (
        f"{WINDOW}\n\nChoose your answer: based on the paragraph above can we conclude that "
        f'"{ANSWER}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
    )
    by_hand = logits(place, lambda t: t.encode(text), "AutoModelForSequenceClassification")
    assert support_of(assess("factcg", place)) == pytest.approx(
        float(by_hand.softmax(-1)[1]), abs=1e-3
    )


@pytest.mark.parametrize("feed", ["gated-gelu", "relu"])
def test_hhem_is_rebuilt_from_its_weights_without_its_code(tmp_path: Path, feed: str) -> None:
    from safetensors.torch import save_file

    torch.manual_seed(6)
    config = transformers.T5Config(**{**T5, "feed_forward_proj": feed}, num_labels=2)
    model = transformers.T5ForTokenClassification(config).eval()
    weights = {f"t5.{name}": table.clone() for name, table in model.state_dict().items()}
    save_file(weights, tmp_path / "model.safetensors")
    shutil.copy(MODEL_DIR / "tokenizer.json", tmp_path / "tokenizer.json")
    (tmp_path / "modeling_hhem_v2.py").write_text("raise SystemExit('this code was run')")
    described = {
        "model_type": "HHEMv2",
        "auto_map": {"AutoModel": "modeling_hhem_v2.HHEMv2ForSequenceClassification"},
        "prompt": "<pad> Is it true?\n\nPremise: {text1}\n\nHypothesis: {text2}",
    }
    (tmp_path / "config.json").write_text(json.dumps(described))
    tokenizer = read_tokenizer(find_place(str(tmp_path)))
    text = f"<pad> Is it true?\n\nPremise: {WINDOW}\n\nHypothesis: {ANSWER}"
    with torch.inference_mode():
        found = model(input_ids=torch.tensor([tokenizer.encode(text).ids])).logits[0, 0]
    assert support_of(assess("hhem", tmp_path)) == pytest.approx(
        float(found.softmax(-1)[1]), abs=1e-3
    )


def test_an_older_hhem_with_one_figure_is_read_as_a_probability(tmp_path: Path) -> None:
    place = bert(tmp_path, num_labels=1)
    by_hand = logits(
        place, lambda t: t.encode(WINDOW, ANSWER), "AutoModelForSequenceClassification"
    )
    assert support_of(assess("hhem", place)) == pytest.approx(float(by_hand.sigmoid()[0]), abs=1e-3)


def test_lettucedetect_labels_every_token_of_the_claim(tmp_path: Path) -> None:
    place = bert(tmp_path, "BertForTokenClassification", num_labels=2)
    text = f"Summarize the following text:\n{WINDOW}\noutput:"
    tokenizer = read_tokenizer(find_place(str(place)))
    encoded = tokenizer.encode(text, ANSWER)
    by_hand = logits(place, lambda t: encoded, "AutoModelForTokenClassification").softmax(-1)
    mine = [at for at, owner in enumerate(encoded.sequence_ids) if owner == 1]
    expected = float(by_hand[mine][:, 0].min())
    assert support_of(assess("lettucedetect", place)) == pytest.approx(expected, abs=1e-3)


def test_weights_of_another_kind_are_an_error_that_names_the_folder(tmp_path: Path) -> None:
    from firmground.errors import InputError

    place = bert(tmp_path, num_labels=3, id2label={0: "entailment", 1: "neutral", 2: "refuted"})
    (place / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(InputError, match="cannot be loaded"):
        assess("nli", place)
