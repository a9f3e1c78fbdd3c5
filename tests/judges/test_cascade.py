"""A cascade asks the dearer judge only where the first is unsure, and says how often."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from firmground.adapters.llm_judge import LlmJudge
from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment, CheckNote, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.ports import Inquiry, ModelReply, ModelRequest
from firmground.engine import check
from firmground.errors import InputError, ModelError
from firmground.testing import FunctionModel
from firmground.verify.builtin import builtin_judge
from firmground.verify.cascade import Band, Cascade
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import available

NEEDS_WEIGHTS = pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)
SOURCE = (
    "The old bridge was opened in 1932 after eight years of work. It spans 503 metres. "
    "Sixteen workers lost their lives during construction. The toll was lifted in 1961."
)
ANSWER = (
    "It spans 503 metres. Its paint was mixed from crushed beetles imported from Peru. "
    "The bridge was opened in 1952. Many workers died while it was built."
)


@dataclass
class Told:
    """A judge that says the same support of every checkable claim, and counts them."""

    support: float
    fails: bool = False
    notes: tuple[CheckNote, ...] = ()
    asked: list[str] = field(default_factory=list)

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        if self.fails:
            raise ModelError("the line is dead")
        return tuple(self._one(inquiry, at) for at in range(len(inquiry.claims)))

    def _one(self, inquiry: Inquiry, at: int) -> Assessment:
        claim = inquiry.claims[at]
        if not claim.checkable:
            return Assessment(
                claim=claim, standing=Standing.NOT_CHECKABLE, confidence=1, support=1, reason=""
            )
        self.asked.append(claim.text)
        stands = self.support >= 0.5
        span = EvidenceSpan(evidence_id=inquiry.evidence[0].id, start=0, end=3)
        return Assessment(
            claim=claim,
            standing=Standing.GROUNDED if stands else Standing.UNGROUNDED,
            confidence=max(self.support, 1 - self.support),
            support=self.support,
            reason="so I was told",
            evidence=(span,) if stands else (),
            notes=self.notes,
        )


def inquiry(answer: str = ANSWER) -> Inquiry:
    return Inquiry(
        question=None,
        answer=answer,
        claims=prose_claims(answer),
        evidence=(Evidence(text=SOURCE),),
    )


def run(cascade: Cascade, answer: str = ANSWER) -> tuple[Assessment, ...]:
    return asyncio.run(cascade.assess(inquiry(answer)))


def codes(found: tuple[Assessment, ...]) -> list[str]:
    return [n.code for one in found for n in one.notes if n.check == "cascade"]


@pytest.mark.parametrize(("support", "asked"), [(0.05, 0), (0.2, 4), (0.5, 4), (0.9, 4), (0.95, 0)])
def test_only_what_lies_in_the_band_goes_on(support: float, asked: int) -> None:
    second = Told(0.97)
    found = run(Cascade(first=Told(support), second=second))
    assert len(second.asked) == len(codes(found)) == asked


def test_the_second_word_counts_and_is_noted() -> None:
    found = run(Cascade(first=Told(0.4), second=Told(0.97)))
    assert codes(found) == ["next_judge_changed"] * 4
    assert all(one.standing is Standing.GROUNDED for one in found)
    assert codes(run(Cascade(first=Told(0.6), second=Told(0.97)))) == ["next_judge_agreed"] * 4


def test_a_veto_is_never_passed_on() -> None:
    veto = CheckNote(
        check="numbers", code="number_differs", standing=Standing.CONTRADICTED, reason="says 5"
    )
    second = Told(0.99)
    found = run(Cascade(first=Told(0.4, notes=(veto,)), second=second))
    assert not second.asked
    assert not any(one.standing.stands for one in found)


def test_a_second_judge_that_fails_lets_nothing_rise_and_says_so() -> None:
    first = Told(0.4)
    found = run(Cascade(first=first, second=Told(0.9, fails=True), second_name="dear"))
    assert codes(found) == ["next_judge_failed"] * 4
    assert {one.standing for one in found} == {Standing.UNGROUNDED}
    assert "dear could not be asked (the line is dead)" in found[0].notes[-1].reason


@pytest.mark.parametrize("error", [ModelError("the line is dead"), TimeoutError()])
def test_what_an_unsure_judge_let_stand_is_unverifiable_when_the_second_fails(
    error: Exception,
) -> None:
    class Dead(Told):
        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            raise error

    found = run(Cascade(first=Told(0.6), second=Dead(0.9), second_name="dear"))
    assert {one.standing for one in found} == {Standing.UNVERIFIABLE}
    assert {one.code for one in found} == {"judge_failed"}
    assert all(one.support == 0 and not one.evidence for one in found)
    assert codes(found) == ["next_judge_failed"] * 4
    kept = Cascade(first=Told(0.6), second=Dead(0.9), second_name="dear", keep_when_silent=True)
    assert {one.standing for one in run(kept)} == {Standing.GROUNDED}
    assert kept.name != replace(kept, keep_when_silent=False).name


def test_a_claim_the_second_could_not_verify_is_unverifiable() -> None:
    class Shrugs(Told):
        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            return tuple(
                replace(one, standing=Standing.UNVERIFIABLE) if one.claim.checkable else one
                for one in await super().assess(inquiry)
            )

    found = run(Cascade(first=Told(0.6), second=Shrugs(0.9)))
    assert {one.standing for one in found} == {Standing.UNVERIFIABLE}
    assert codes(found) == ["next_judge_failed"] * 4


def test_a_judge_that_drops_claims_is_not_believed() -> None:
    class Short(Told):
        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            return (await super().assess(inquiry))[:1]

    assert codes(run(Cascade(first=Told(0.6), second=Short(0.9)))) == ["next_judge_failed"] * 4
    with pytest.raises(ModelError, match="one assessment for each claim"):
        run(Cascade(first=Short(0.6), second=Told(0.9)))


@NEEDS_WEIGHTS
def test_what_goes_on_is_judged_exactly_as_the_dearer_judge_alone_would() -> None:
    dear = builtin_judge()
    alone = dear.examine(inquiry()).assessments
    cascade = Cascade(first=LexicalJudge(), second=dear, band=Band(low=0.05, high=0.97))
    found = run(cascade)
    passed = [at for at, one in enumerate(found) if any(n.check == "cascade" for n in one.notes)]
    assert passed
    for at in passed:
        assert replace(found[at], notes=found[at].notes[:-1]) == alone[at]


@NEEDS_WEIGHTS
def test_the_outcome_says_how_many_claims_went_on() -> None:
    outcome = check(ANSWER, SOURCE, judge="cascade@0.01-0.99:lexical,builtin")
    told = outcome.to_dict()["asked_further"]
    assert told["asked"] == outcome.asked_further()["asked"] >= 1
    assert told["failed"] == 0
    assert check(ANSWER, SOURCE, judge="lexical").asked_further()["asked"] == 0


@NEEDS_WEIGHTS
def test_bands_and_judges_are_part_of_the_record() -> None:
    roots = {
        check("It spans 503 metres.", SOURCE, judge=name).root
        for name in ("cascade:lexical,builtin", "cascade@0.3-0.9:lexical,builtin", "builtin")
    }
    assert len(roots) == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cascade:lexical", "needs two judges"),
        ("cascade", "needs two judges"),
        ("cascade@0.5:lexical,builtin", "LOW-HIGH"),
        ("cascade@0.9-0.2:lexical,builtin", "0 <= low < high <= 1"),
        ("cascade@a-b:lexical,builtin", "not a number"),
        ("cascade:lexical,nonesuch", "unknown"),
    ],
)
def test_a_cascade_that_cannot_be_built_is_an_error_in_words(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check("A.", "B.", judge=name)


def test_a_language_model_may_be_the_dearer_judge() -> None:
    def reply(request: ModelRequest) -> ModelReply:
        return ModelReply(texts=("not JSON at all",), model="m")

    judge = LlmJudge(FunctionModel(function=reply), name="m", canary=False)
    found = run(Cascade(first=Told(0.6), second=judge, second_name="m"))
    assert codes(found) == ["next_judge_failed"] * 4
    assert all(one.standing is Standing.UNVERIFIABLE for one in found)
