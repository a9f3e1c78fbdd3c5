"""Hard facts weigh by kind, and a claim may need more than one source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.config.policies import load_policy
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence, EvidenceSpan, Trust
from firmground.core.finding import ClaimSources, Findings
from firmground.core.hard_fact import CRITICALITY, HardFact, criticality, hard_facts
from firmground.core.ports import Inquiry
from firmground.decide import BALANCED, STRICT, Policy, decide
from firmground.decide.rules import Corroboration, CriticalClaimUnsupported
from firmground.engine import check
from firmground.errors import ConfigError, InputError
from firmground.pipeline import Request
from firmground.pipeline.corroboration import MOST_PIECES, resting


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Take 80 mg twice a day.", {HardFact.DOSE, HardFact.NUMBER}),
        ("The fee is $40.", {HardFact.MONEY, HardFact.NUMBER}),
        ("It cost 3 million euros.", {HardFact.MONEY, HardFact.NUMBER}),
        ("They met on 3 May 2019.", {HardFact.DATE, HardFact.NUMBER}),
        ("The mayor is Ada Jones.", {HardFact.NAME}),
        ("Ticket INC-4711 is open.", {HardFact.IDENTIFIER, HardFact.NUMBER}),
        ("It was a pleasant evening.", set()),
    ],
)
def test_each_kind_of_hard_fact_is_seen(text: str, kinds: set[HardFact]) -> None:
    found = set(hard_facts(text))
    assert kinds <= found
    assert bool(kinds) == bool(found)


def unsupported(text: str) -> Findings:
    claim = Claim(text=text, start=0, end=len(text))
    return Findings(
        assessments=(
            Assessment(
                claim=claim,
                standing=Standing.UNGROUNDED,
                confidence=1.0,
                support=0.0,
                reason="nothing says so",
            ),
        )
    )


def test_the_gravest_kind_decides_and_its_weight_is_the_policys_to_set() -> None:
    dose, name = unsupported("Take 80 mg."), unsupported("The mayor is Ada Jones.")
    doses_only = CriticalClaimUnsupported(at=0.9)
    assert decide(dose, [doses_only]).step is Step.REGENERATE
    assert decide(name, [doses_only]).step is Step.PROCEED
    names_too = CriticalClaimUnsupported(at=0.9, weights=(("name", 0.95),))
    assert decide(name, [names_too]).step is Step.REGENERATE
    assert decide(unsupported("It was nice."), [CriticalClaimUnsupported(at=0.0)]).step == 0
    assert "dose" in decide(dose, [doses_only]).objections[0].reason


def test_a_kind_nobody_knows_and_a_weight_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"weights\.colour"):
        CriticalClaimUnsupported(weights=(("colour", 0.5),))
    for wrong in (-0.1, 1.1, float("nan"), True):
        with pytest.raises(InputError, match=r"weights\.dose"):
            CriticalClaimUnsupported(weights=(("dose", wrong),))


def test_weights_come_from_the_policy_file_and_reach_rule_score_and_digest(tmp_path: Path) -> None:
    path = tmp_path / "clinic.toml"
    path.write_text("[policy.rules.critical_claim_unsupported.weights]\nnumber = 0.0\ndate = 0\n")
    mild = load_policy(path)
    assert dict(mild.criticality)["number"] == 0.0
    assert dict(mild.criticality)["dose"] == 1.0
    assert mild.digest != BALANCED.digest
    answer, source = "It is blue. There are 9 chairs.", "It is blue."
    weighed = check(answer, source, policy=BALANCED, judge="lexical").support
    assert weighed < check(answer, source, policy=mild, judge="lexical").support


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('weights = "high"', "weights: must be a table"),
        ("weights = {colour = 1}", "weights.colour"),
        ("weights = {dose = 2}", "weights.dose"),
        ('weights = {dose = "a"}', "weights.dose"),
        ("weights = {dose = true}", "weights.dose"),
    ],
)
def test_a_wrong_weight_in_a_file_is_named(tmp_path: Path, text: str, names: str) -> None:
    path = tmp_path / "clinic.toml"
    path.write_text(f"[policy.rules.critical_claim_unsupported]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        load_policy(path)
    assert "clinic.toml" in str(caught.value)
    assert names in str(caught.value)


@given(st.text(max_size=60), st.sampled_from([kind for kind, _ in CRITICALITY]))
def test_a_heavier_kind_never_makes_a_claim_lighter(text: str, kind: str) -> None:
    weights = dict(CRITICALITY)
    assert 0.0 <= criticality(text, weights) <= criticality(text, {**weights, kind: 1.0}) <= 1.0


def test_hostile_text_costs_no_more_than_linearly_much(grows_straight: Any) -> None:
    for piece in ("a-", "1.", "A-", "A ", "1 ", "may ", "_"):
        assert grows_straight(lambda size, piece=piece: hard_facts(piece * size), 60_000), piece


# Corroboration

CLAIM = "The bridge was closed in 2019."
TWICE = replace(BALANCED, name="twice", rules=(*BALANCED.rules, Corroboration(retrieved=2)))


def source(origin: str, text: str = CLAIM, trust: Trust = Trust.RETRIEVED) -> Evidence:
    return Evidence(text=text, origin=origin, trust=trust, id=f"{origin}:{len(text)}")


OTHER_WORDS = (
    "Traffic has been diverted for years now. The bridge was closed in 2019. Repairs are "
    "planned, says the council, once money has been found for them."
)


def rules(evidence: list[Evidence], policy: Policy = TWICE) -> set[str]:
    outcome = check(CLAIM, evidence, policy=policy, judge="lexical")
    return {o.rule for o in outcome.decision.objections}


def test_one_unvouched_source_is_too_few_where_two_are_asked_for() -> None:
    assert "corroboration" in rules([source("a.txt")])


def test_two_independent_sources_are_enough_though_the_judge_cites_one() -> None:
    assert "corroboration" not in rules([source("a.txt"), source("b.txt", OTHER_WORDS)])


def test_a_copy_under_another_name_and_a_second_page_are_the_same_source() -> None:
    assert "corroboration" in rules([source("a.txt"), source("b.txt", CLAIM + " ")])
    assert "corroboration" in rules([source("a.txt"), source("a.txt", OTHER_WORDS)])


def test_a_second_source_that_does_not_say_it_does_not_count() -> None:
    assert "corroboration" in rules(
        [source("a.txt"), source("b.txt", "The bridge is made of wood and stone, they say.")]
    )


@pytest.mark.parametrize("trust", [Trust.VOUCHED, Trust.MEASURED])
def test_what_somebody_vouches_for_needs_no_second_source(trust: Trust) -> None:
    assert "corroboration" not in rules([source("a.txt", trust=trust)])


def test_strict_asks_for_a_second_source_only_where_anyone_could_have_written_the_first() -> None:
    assert "corroboration" not in rules([source("a.txt")], STRICT)
    assert "corroboration" in rules([source("a.txt", trust=Trust.UNTRUSTED)], STRICT)
    assert "corroboration" not in rules(
        [
            source("a.txt", trust=Trust.UNTRUSTED),
            source("b.txt", OTHER_WORDS, trust=Trust.UNTRUSTED),
        ],
        STRICT,
    )


def test_sources_that_nobody_counted_are_not_enough_sources() -> None:
    found = check(CLAIM, [source("a.txt")], judge="lexical").findings
    decision = decide(replace(found, resting=()), [Corroboration()])
    assert decision.step is Step.REPLAN
    assert decision.objections[0].could_not_check


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 5), st.sampled_from(list(Trust)))
def test_asking_for_more_sources_only_hardens(few: int, more: int, have: int, trust: Trust) -> None:
    few, more = sorted((few, more))
    found = Findings(
        resting=(ClaimSources(claim=0, sources=tuple(map(str, range(have))), trust=trust),)
    )
    mild = decide(found, [Corroboration(untrusted=few, retrieved=few)])
    assert decide(found, [Corroboration(untrusted=more, retrieved=more)]).step >= mild.step


def test_a_number_of_sources_below_one_is_refused() -> None:
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(InputError, match="corroboration"):
            Corroboration(untrusted=wrong)  # type: ignore[arg-type]


def _on(
    *pieces: Evidence, cited: tuple[int, ...] = (0,), alone: Any = None
) -> tuple[ClaimSources, ...]:
    """What one grounded claim rests on, where two sources are asked for."""
    spans = tuple(EvidenceSpan(evidence_id=pieces[at].id, start=0, end=3) for at in cited)
    claim = Claim(text=CLAIM, start=0, end=len(CLAIM))
    grounded = Assessment(
        claim=claim, standing=Standing.GROUNDED, confidence=1, support=1, reason="", evidence=spans
    )
    request = Request(answer=CLAIM, evidence=pieces)
    return resting(request, [grounded], needs=lambda trust: 2, alone=alone)


def _says(standing: Standing) -> Any:
    """A judge that cites the first piece it is shown, whatever it thinks of the claim."""

    def judge(inquiry: Inquiry) -> tuple[Assessment, ...]:
        span = EvidenceSpan(evidence_id=inquiry.evidence[0].id, start=0, end=3)
        return tuple(
            Assessment(
                claim=claim, standing=standing, confidence=1, support=0.5, reason="",
                evidence=(span,),
            )
            for claim in inquiry.claims
        )  # fmt: skip

    return judge


def test_a_further_source_counts_only_if_the_claim_is_grounded_in_it() -> None:
    pieces = (source("a.txt"), source("b.txt", OTHER_WORDS))
    (base,) = _on(*pieces, alone=_says(Standing.GROUNDED))
    assert len(base.sources) == 2
    for standing in set(Standing) - {Standing.GROUNDED}:
        (base,) = _on(*pieces, alone=_says(standing))
        assert len(base.sources) == 1, standing


def test_two_pieces_of_one_source_that_a_judge_cites_are_one_source() -> None:
    pages = (source("a.txt"), source("a.txt", OTHER_WORDS))
    (base,) = _on(*pages, cited=(0, 1))
    assert len(base.sources) == 1
    (base,) = _on(source("a.txt"), source("b.txt", OTHER_WORDS), cited=(0, 1))
    assert len(base.sources) == 2


def test_a_source_that_is_counted_already_is_not_asked_once_more() -> None:
    shown: list[str] = []

    def judge(inquiry: Inquiry) -> tuple[Assessment, ...]:
        shown.extend(str(piece.origin) for piece in inquiry.evidence)
        return _says(Standing.UNGROUNDED)(inquiry)  # type: ignore[no-any-return]

    _on(source("a.txt"), source("b.txt", OTHER_WORDS), alone=judge)
    assert shown == ["b.txt"]


def test_a_further_source_that_deserves_more_belief_is_told_and_one_of_less_takes_nothing() -> None:
    low, high = source("a.txt"), source("b.txt", OTHER_WORDS, Trust.VOUCHED)
    (base,) = _on(low, high, alone=_says(Standing.GROUNDED))
    assert (len(base.sources), base.trust) == (2, Trust.VOUCHED)
    (base,) = _on(high, low, alone=_says(Standing.GROUNDED))
    assert (len(base.sources), base.trust) == (2, Trust.VOUCHED)


def test_beyond_so_many_pieces_no_further_source_is_looked_for() -> None:
    shown: list[str] = []

    def judge(inquiry: Inquiry) -> tuple[Assessment, ...]:
        shown.extend(str(piece.origin) for piece in inquiry.evidence)
        return _says(Standing.UNGROUNDED)(inquiry)  # type: ignore[no-any-return]

    same = [source("one.txt", CLAIM + "!" * number) for number in range(MOST_PIECES + 4)]
    further = [source(f"{number}.txt", OTHER_WORDS) for number in range(9)]
    _on(*same, *further, cited=tuple(range(len(same))), alone=judge)
    assert shown == []
    _on(same[0], *further, cited=(0,), alone=judge)
    assert shown != []
