"""A second list of forms, written against the first, and forms inside forms: nothing slips through."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.claims.more_wrappers import MORE_BASES, more_wrappers, nested_wrappers
from tests.claims.wrappers import BASES, Base, Wrapper

import firmground
from firmground.claims import prose_claims

MORE = tuple(more_wrappers())
NESTED = tuple(nested_wrappers())


def test_there_are_enough_further_forms() -> None:
    assert len({one.name for one in MORE}) == len(MORE) >= 90
    assert len({one.name for one in NESTED}) == len(NESTED) >= 90


@pytest.mark.parametrize("wrapper", [*MORE, *NESTED], ids=lambda one: one.name)
def test_a_form_leaves_a_statement_to_judge(wrapper: Wrapper) -> None:
    for base in MORE_BASES:
        answer = wrapper.wrap(base.false)
        assert any(one.checkable for one in prose_claims(answer)), answer


def _gate(forms: Sequence[Wrapper], bases: Sequence[Base]) -> None:
    slipped = [(w.name, b.domain) for w in forms for b in bases if _stands(w.wrap(b.false), b)]
    lost = [(w.name, b.domain) for w in forms for b in bases if not _stands(w.wrap(b.true), b)]
    total = len(forms) * len(bases)
    print(f"{len(forms)} forms x {len(bases)} statements: {len(slipped)} false stand: {slipped}")
    print(f"{total - len(lost)} of {total} true ones stand; these do not: {lost}")
    assert not slipped
    assert len(lost) <= total // 20


def _fair(bases: Sequence[Base]) -> list[Base]:
    """The bases that the judge judges rightly when they stand alone."""
    return [
        one
        for one in bases
        if _stands(one.true[0].upper() + one.true[1:] + ".", one)
        and not _stands(one.false[0].upper() + one.false[1:] + ".", one)
    ]


def _stands(answer: str, base: Base) -> bool:
    return firmground.check(answer, [base.evidence]).stands


def test_no_further_form_lets_a_false_statement_stand() -> None:
    bases = _fair(MORE_BASES)
    assert len(bases) >= len(MORE_BASES) - 1
    _gate(MORE, bases)


def test_no_form_inside_a_form_lets_a_false_statement_stand() -> None:
    _gate(NESTED, _fair(MORE_BASES)[:2])


@pytest.mark.soak
def test_no_form_lets_any_statement_slip() -> None:
    bases = _fair((*BASES, *MORE_BASES))
    _gate(MORE, bases)
    _gate(NESTED, bases)
