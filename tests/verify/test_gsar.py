"""The typed support score: the published profile to the digit, and the hardened one's promises."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from firmground.core.decision import Step
from firmground.core.scoring import WEIGHTS
from firmground.errors import InputError
from firmground.verify.gsar import (
    HARDENED,
    REFERENCE,
    GSARProfile,
    GSARThresholds,
    Partition,
    TypedClaim,
    gsar_decide,
    gsar_score,
    hardened_score,
    partition_weight,
)

TYPES = [name for name, _ in WEIGHTS]
_counter = iter(range(10**9))


def claim(kind: str = "inference", *refs: str, text: str = "") -> TypedClaim:
    return TypedClaim(text=text or f"claim {next(_counter)}", type=kind, evidence_refs=refs)


claims = st.lists(st.sampled_from(TYPES), max_size=6).map(
    lambda kinds: tuple(claim(kind) for kind in kinds)
)
partitions = st.builds(
    Partition, grounded=claims, ungrounded=claims, contradicted=claims, complementary=claims
)
rhos = st.floats(0, 1)


def test_appendix_e_scores_0_756757_and_is_worded_anew() -> None:
    partition = Partition(
        grounded=(claim("tool_match"), claim("specific_data")),
        ungrounded=(claim("inference"),),
        complementary=(claim("complementary_finding"),),
        contradicted=(claim("inference"),),
    )
    assert round(gsar_score(partition), 6) == 0.756757
    assert gsar_decide(gsar_score(partition)) is Step.REGENERATE
    assert REFERENCE.score(partition) == gsar_score(partition)


def test_the_published_weights_are_the_defaults() -> None:
    expected = {
        "tool_match": 1.0, "specific_data": 0.95, "signal_match": 0.90,
        "complementary_finding": 0.85, "synthesis": 0.80, "neg_evidence": 0.70,
        "inference": 0.60, "domain": 0.60,
    }  # fmt: skip
    assert dict(WEIGHTS) == expected
    assert partition_weight([claim("never heard of")]) == 0.60


def test_an_empty_partition_scores_one_half_as_published_and_nothing_when_hardened() -> None:
    assert gsar_score(Partition()) == 0.5
    assert HARDENED.score(Partition()) == 0.0
    assert Partition().is_empty


@given(partitions, rhos)
def test_p1_the_score_is_bounded(partition: Partition, rho: float) -> None:
    assert 0 <= gsar_score(partition, rho=rho) <= 1
    assert 0 <= hardened_score(partition) <= 1


@given(partitions, rhos, st.sampled_from(TYPES))
def test_p2_support_found_for_a_missing_claim_never_lowers_the_score(
    partition: Partition, rho: float, kind: str
) -> None:
    moved = claim(kind)
    before = replace(partition, ungrounded=(*partition.ungrounded, moved))
    after = replace(partition, grounded=(*partition.grounded, moved))
    assert gsar_score(after, rho=rho) > gsar_score(before, rho=rho) or (
        gsar_score(before, rho=rho) == 1.0
    )
    assert hardened_score(after) >= hardened_score(before)


@given(partitions, rhos, rhos, st.sampled_from(TYPES))
def test_p3_a_contradiction_never_raises_the_score_and_bites_harder_with_rho(
    partition: Partition, one: float, other: float, kind: str
) -> None:
    assume(not partition.is_empty)
    low, high = sorted((one, other))
    added = replace(partition, contradicted=(*partition.contradicted, claim(kind)))
    for rho in (low, high):
        assume(gsar_score(partition, rho=rho) != 0.5 or partition.grounded)
        assert gsar_score(added, rho=rho) <= gsar_score(partition, rho=rho) + 1e-12
    assert gsar_score(added, rho=high) <= gsar_score(added, rho=low) + 1e-12
    assert hardened_score(added) <= hardened_score(partition)


@given(partitions, rhos, st.sampled_from(TYPES))
def test_p4_a_complementary_claim_never_lowers_the_published_score(
    partition: Partition, rho: float, kind: str
) -> None:
    assume(not partition.is_empty)
    added = replace(partition, complementary=(*partition.complementary, claim(kind)))
    before, after = gsar_score(partition, rho=rho), gsar_score(added, rho=rho)
    assert after >= before - 1e-12
    assert after > before or before == pytest.approx(1.0)


@given(partitions, st.floats(0.01, 1))
def test_p5_hiding_contradictions_inflates_the_score(partition: Partition, rho: float) -> None:
    assume(partition.contradicted and partition.grounded)
    hidden = replace(partition, contradicted=())
    assert gsar_score(hidden, rho=rho) > gsar_score(partition, rho=rho)


@given(partitions, st.floats(0.01, 1))
def test_p6_weaker_support_for_the_same_claim_lowers_the_score(
    partition: Partition, rho: float
) -> None:
    assume(partition.ungrounded or partition.contradicted)
    strong = replace(partition, grounded=(*partition.grounded, claim("tool_match")))
    weak = replace(partition, grounded=(*partition.grounded, claim("inference")))
    assert gsar_score(weak, rho=rho) < gsar_score(strong, rho=rho)
    assert hardened_score(weak) < hardened_score(strong)


@given(partitions, st.sampled_from(TYPES), st.sampled_from(TYPES), st.floats(1, 10))
def test_p7_a_contradiction_never_scores_better_than_a_missing_claim(
    partition: Partition, as_missing: str, as_contradicted: str, rho: float
) -> None:
    missing = replace(partition, ungrounded=(*partition.ungrounded, claim(as_missing)))
    against = replace(partition, contradicted=(*partition.contradicted, claim(as_contradicted)))
    rounding = 1e-12
    assert hardened_score(against, rho=rho) <= hardened_score(missing, rho=rho) + rounding


def test_the_published_score_breaks_p7_which_is_why_there_is_a_hardened_one() -> None:
    one = (claim("tool_match"),)
    missing = gsar_score(Partition(grounded=one, ungrounded=(claim("tool_match"),)))
    against = gsar_score(Partition(grounded=one, contradicted=(claim("tool_match"),)))
    assert (missing, round(against, 3)) == (0.5, 0.667)


@given(partitions, st.lists(st.sampled_from(TYPES), max_size=20), st.integers(0, 20))
def test_p8_padding_cannot_buy_a_decision(
    partition: Partition, beside: list[str], copies: int
) -> None:
    padded = replace(
        partition,
        grounded=(*partition.grounded, *(partition.grounded[:1] * copies)),
        complementary=(*partition.complementary, *(claim(kind) for kind in beside)),
    )
    assert HARDENED.score(padded) == HARDENED.score(partition)
    assert HARDENED.decide(HARDENED.score(padded)) is HARDENED.decide(HARDENED.score(partition))


def test_a_dozen_complementary_claims_buy_the_published_decision_and_not_the_hardened_one() -> None:
    base = Partition(grounded=(claim("tool_match"),), ungrounded=(*[claim()] * 4,))
    padded = replace(base, complementary=tuple(claim("complementary_finding") for _ in range(12)))
    assert REFERENCE.decide(REFERENCE.score(base)) is Step.REPLAN
    assert REFERENCE.decide(REFERENCE.score(padded)) is Step.PROCEED
    assert HARDENED.decide(HARDENED.score(padded)) is Step.REPLAN


def test_the_same_words_in_two_buckets_count_once_in_the_gravest() -> None:
    both = Partition(
        grounded=(claim("tool_match", text="It  is so."),),
        contradicted=(claim("domain", text="it is so"),),
    )
    assert hardened_score(both) == 0.0


def test_references_must_resolve_when_the_evidence_is_known() -> None:
    partition = Partition(grounded=(claim("tool_match", "e1"), claim("tool_match", "e9")))
    assert hardened_score(partition, known={"e1"}) == 0.5
    assert hardened_score(Partition(grounded=(claim(),)), known={"e1"}) == 0.0
    assert hardened_score(partition, known=None) == 1.0


def test_what_the_claims_leave_uncovered_lowers_the_score() -> None:
    partition = Partition(grounded=(claim(),))
    assert hardened_score(partition, coverage=0.25) == 0.25
    with pytest.raises(InputError, match="coverage"):
        hardened_score(partition, coverage=1.2)


@pytest.mark.parametrize("weight", [-1.0, 0.0, 1.5, float("nan"), float("inf")])
def test_weights_outside_zero_to_one_are_refused(weight: float) -> None:
    with pytest.raises(InputError, match="weight"):
        partition_weight([claim()], {"inference": weight})
    with pytest.raises(InputError, match="weight"):
        GSARProfile(name="mine", weights=(("inference", weight),))


@pytest.mark.parametrize(
    ("proceed", "regenerate"),
    [(0.5, 0.65), (0.65, 0.65), (1.1, 0.5), (0.8, -0.1), (float("nan"), 0.5), (0.8, float("nan"))],
)
def test_inverted_or_impossible_thresholds_are_refused(proceed: float, regenerate: float) -> None:
    with pytest.raises(InputError):
        GSARThresholds(proceed=proceed, regenerate=regenerate)


def test_a_threshold_is_checked_against_the_default_of_the_other() -> None:
    with pytest.raises(InputError):
        GSARThresholds(proceed=0.5)


@pytest.mark.parametrize("rho", [-0.1, 1.1, float("nan")])
def test_rho_outside_its_range_is_refused(rho: float) -> None:
    with pytest.raises(InputError, match="rho"):
        gsar_score(Partition(), rho=rho)
    with pytest.raises(InputError, match="rho"):
        GSARProfile(name="mine", rho=rho)


def test_the_hardened_profile_refuses_a_rho_that_makes_contradiction_cheap() -> None:
    with pytest.raises(InputError, match="rho"):
        GSARProfile(name="mine", rho=0.5, empty=0.0, hardened=True)


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_a_score_outside_zero_to_one_has_no_decision(score: float) -> None:
    with pytest.raises(InputError):
        gsar_decide(score)
