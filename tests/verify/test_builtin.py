"""The built-in judge with its trained model: exact pieces, and the same verdict twice."""

from __future__ import annotations

import pytest

from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.builtin import builtin_judge, builtin_risk, joined
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import available
from firmground.verify.risk import answer_risk

pytestmark = pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)

_BRIDGE = (
    "The old bridge was opened in 1932 after eight years of work. It spans 503 metres. "
    "Sixteen workers lost their lives during construction. The toll was lifted in 1961."
)


@pytest.fixture(scope="module")
def judge() -> LexicalJudge:
    return builtin_judge()


def _assess(judge: LexicalJudge, answer: str, *evidence: str) -> tuple[Assessment, ...]:
    pieces = tuple(Evidence(text=text) for text in evidence)
    claims = prose_claims(answer)
    inquiry = Inquiry(question=None, answer=answer, claims=claims, evidence=pieces)
    return judge.examine(inquiry).assessments


def test_every_problem_is_an_exact_piece_inside_its_claim(judge: LexicalJudge) -> None:
    answer = "The bridge was opened in 1932. A giant golden statue of a dragon guards its gate."
    for one in _assess(judge, answer, _BRIDGE):
        for problem in one.problems:
            assert one.claim.start <= problem.start < problem.end <= one.claim.end


def test_a_copied_sentence_stands_and_an_invented_one_has_less_support(judge: LexicalJudge) -> None:
    answer = "It spans 503 metres. Its paint was mixed from crushed beetles imported from Peru."
    copied, invented = _assess(judge, answer, _BRIDGE)
    assert copied.standing.stands
    assert not invented.standing.stands
    assert copied.support > invented.support


def test_the_same_answer_gets_the_same_assessments_bit_for_bit(judge: LexicalJudge) -> None:
    answer = "The bridge was opened in 1933, and sixteen workers died."
    assert _assess(judge, answer, _BRIDGE) == _assess(builtin_judge(threads=2), answer, _BRIDGE)


def test_an_answer_with_an_invented_claim_is_riskier(judge: LexicalJudge) -> None:
    sound = "It spans 503 metres. The toll was lifted in 1961."
    worse = sound + " Its paint was mixed from crushed beetles imported from Peru."
    risks = [answer_risk(_assess(judge, text, _BRIDGE), builtin_risk()) for text in (sound, worse)]
    assert 0 <= risks[0] < risks[1] <= 1


def test_overlapping_pieces_become_one_and_others_stay() -> None:
    assert joined([(9, 12, 0.3), (0, 4, 0.5), (3, 6, 0.9)]) == ((0, 6, 0.9), (9, 12, 0.3))
