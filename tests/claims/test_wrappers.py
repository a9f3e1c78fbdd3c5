"""A statement is judged the same in every form: nothing slips through by how it is put."""

from __future__ import annotations

import pytest
from tests.claims.wrappers import BASES, Wrapper, wrappers

import firmground
from firmground.claims import prose_claims
from firmground.core.segment import word_texts

WRAPPERS = tuple(wrappers())


def _words(text: str) -> str:
    return f" {' '.join(word_texts(text)).casefold()} "


def test_there_are_enough_forms() -> None:
    assert len(WRAPPERS) >= 100
    assert len({one.name for one in WRAPPERS}) == len(WRAPPERS)


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda one: one.name)
def test_the_statement_is_cut_out_and_judged_as_if_it_stood_alone(wrapper: Wrapper) -> None:
    for base in BASES:
        for sentence in (base.true, base.false):
            answer = wrapper.wrap(sentence)
            judged = [_words(one.statement) for one in prose_claims(answer) if one.checkable]
            assert _words(sentence) in judged or any(
                _words(sentence) in one and len(one) <= len(_words(sentence)) + 20 for one in judged
            ), answer


def test_no_form_lets_a_false_statement_stand_and_true_ones_stand_in_it() -> None:
    """The figures of the built-in judge, over all forms and bases it judges rightly when bare."""
    fair = [base for base in BASES if _stands(base.true, base) and not _stands(base.false, base)]
    assert len(fair) >= len(BASES) - 1
    slipped = [(w.name, b.domain) for w in WRAPPERS for b in fair if _stands(w.wrap(b.false), b)]
    lost = [(w.name, b.domain) for w in WRAPPERS for b in fair if not _stands(w.wrap(b.true), b)]
    total = len(WRAPPERS) * len(fair)
    print(
        f"{len(WRAPPERS)} forms x {len(fair)} statements: {len(slipped)} false ones stand: {slipped}"
    )
    print(f"{total - len(lost)} of {total} true ones stand; these do not: {lost}")
    assert not slipped
    assert len(lost) <= total // 20


def _stands(answer: str, base: object) -> bool:
    text = answer if not answer[0].islower() else answer[0].upper() + answer[1:] + "."
    return firmground.check(text, [getattr(base, "evidence", "")]).stands
