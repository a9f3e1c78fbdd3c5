"""The built-in tokenizer gives the tokens and offsets of the package ``tokenizers``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import firmground.verify
from firmground.errors import InputError
from firmground.verify.wordpiece import WordPieceTokenizer

PATH = Path(firmground.verify.__file__).parent / "model" / "tokenizer.json"
OWN = WordPieceTokenizer(PATH)
REFERENCE = Tokenizer.from_file(str(PATH))
REFERENCE.encode_special_tokens = True
ODD = """\u200b \u0301 \u00e9 e\u0301 \ufb01 \u0130 \u00df \x00 \ufffd \u4e2d \u304b\u3099 \U0001f642 \u202e \u05d0
    [SEP] [CLS] ##a \xa0 \u2028 \x85 \u00ad \ud55c \U0001d400 \u201e \u2014 ` $ ~ ^ + = \u03c2 \u0345 \u212a \u212b""".split(
    " "
)


def same(text: str) -> None:
    found, wanted = OWN.encode(text), REFERENCE.encode(text, add_special_tokens=False)
    assert found.ids == wanted.ids
    assert found.offsets == [tuple(pair) for pair in wanted.offsets]


@given(st.lists(st.sampled_from([*ODD, "a", "Bridge", " ", "1932", ".", "x" * 120]), max_size=12))
def test_odd_characters_give_the_same_tokens(parts: list[str]) -> None:
    same("".join(parts))


def test_the_everyday_corpus_gives_the_same_tokens() -> None:
    folder = Path(__file__).resolve().parents[2] / "corpus" / "everyday"
    rows = [json.loads(line) for line in (folder / "e20.jsonl").read_text().splitlines()]
    for row in rows:
        for piece in row["evidence"]:
            same(piece["text"])


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    for text in ("{", "{}", '{"model": {"type": "BPE"}}'):
        file.write_text(text)
        with pytest.raises(InputError, match="cannot be used"):
            WordPieceTokenizer(file)
