"""What the model reads: claim first, the evidence that matters, and what exact matching knows."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.verify.neural_input import (
    LONGEST_CLAIM,
    LONGEST_INPUT,
    InputBuilder,
    InputWindow,
    TokenKind,
    prepare,
)


@dataclass(frozen=True)
class _Encoded:
    ids: list[int]
    offsets: list[tuple[int, int]]


class _Characters:
    """A real, if crude, tokenizer: words and single marks, so that inputs can be read back."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {"[CLS]": 0, "[SEP]": 1}

    def encode(self, sequence: str, *, add_special_tokens: bool) -> _Encoded:
        return self._encode(sequence)

    def token_to_id(self, token: str) -> int | None:
        return self.names.get(token)

    def _encode(self, text: str) -> _Encoded:
        spans: list[tuple[int, int]] = []
        for at, char in enumerate(text):
            if char.isspace():
                continue
            if spans and spans[-1][1] == at and char.isalnum() and text[at - 1].isalnum():
                spans[-1] = (spans[-1][0], at + 1)
            else:
                spans.append((at, at + 1))
        ids = [self.names.setdefault(text[a:b].lower(), len(self.names)) for a, b in spans]
        return _Encoded(ids, spans)

    def read(self, window: InputWindow) -> str:
        back = {number: name for name, number in self.names.items()}
        return " ".join(back[number] for number in window.ids)


@pytest.fixture
def tokenizer() -> _Characters:
    return _Characters()


def _one(tokenizer: _Characters, claim: str, evidence: str, context: str = "") -> InputWindow:
    (window,) = InputBuilder(tokenizer).windows(claim, context, prepare([evidence])[0], {})
    return window


def test_claim_comes_first_then_context_then_evidence_in_reading_order(
    tokenizer: _Characters,
) -> None:
    window = _one(tokenizer, "Bob ran.", "Anna sang. Bob ran home.", "So it was.")
    assert tokenizer.read(window) == (
        "[CLS] bob ran . [SEP] so it was . [SEP] anna sang . anna sang : bob ran home . [SEP]"
    )
    assert len(window.kinds) == len(window.ids)


def test_a_word_is_marked_shown_elsewhere_or_absent(tokenizer: _Characters) -> None:
    long_unit = "Filler words go on here. " * 30
    window = _one(tokenizer, "Bob ran 12 miles", "Bob ran 9 times. " + long_unit)
    kinds = [TokenKind(kind).name for kind in window.kinds[1 : 1 + len(window.claim_offsets)]]
    assert kinds == ["SHOWN", "SHOWN", "NUMBER_ABSENT", "ABSENT"]


def test_fields_beside_a_matching_one_are_shown_and_equal_ones_share_a_value(
    tokenizer: _Characters,
) -> None:
    record = "{'hours': {'Monday': '9:0-17:0', 'Tuesday': '9:0-17:0', 'Sunday': '10:0-12:0'}}"
    window = _one(tokenizer, "Open on Sunday", record)
    text = tokenizer.read(window)
    assert "hours monday , tuesday : 9 : 00" in text
    assert "sunday : 10 : 00" in text


def test_a_claim_sharing_no_word_is_still_shown_how_the_evidence_opens(
    tokenizer: _Characters,
) -> None:
    window = _one(tokenizer, "Cats purr.", "Anna sang. " + "The choir went on. " * 40)
    assert "anna sang" in tokenizer.read(window)
    assert len(window.ids) < 90


@given(st.text(max_size=400), st.text(max_size=60), st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_windows_of_any_text_stay_in_bounds_and_cover_every_claim_token(
    claim: str, context: str, evidence: str
) -> None:
    tokenizer = _Characters()
    body = prepare([evidence])[0]
    windows = InputBuilder(tokenizer).windows(claim, context, body, {})
    covered = [span for window in windows for span in window.claim_offsets]
    assert covered == tokenizer._encode(claim).offsets
    for window in windows:
        assert len(window.ids) == len(window.kinds) <= LONGEST_INPUT
        assert len(window.claim_offsets) <= LONGEST_CLAIM
        assert all(0 <= at < len(body.units) for at in window.shown)
