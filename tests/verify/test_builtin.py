"""The built-in judge with its trained model: exact pieces, and the same verdict twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.builtin import (
    BuiltinScorer,
    builtin_judge,
    builtin_limits,
    builtin_risk,
    joined,
)
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available
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


def _marked(folder: Path, *, sure: float) -> list[str]:
    """What is marked in a claim with two inventions when every claim falls."""
    meta = json.loads((MODEL_DIR / "meta.json").read_text("utf-8"))
    meta["thresholds"].update(claim=0.0, sure=sure)
    written = folder / f"meta-{sure}.json"
    written.write_text(json.dumps(meta), "utf-8")
    scorer = BuiltinScorer(neural=NeuralScorer(meta_file=written))
    answer = "The old bridge was sold to a circus and later painted violet by pirates."
    (one,) = _assess(LexicalJudge(scorers=(scorer,), limits=builtin_limits(0.0)), answer, _BRIDGE)
    assert not one.standing.stands
    return [answer[problem.start : problem.end] for problem in one.problems]


def test_a_claim_barely_in_doubt_is_marked_at_its_worst_word_only(tmp_path: Path) -> None:
    (word,) = _marked(tmp_path, sure=1.0)
    assert word.isalpha()
    surely = _marked(tmp_path, sure=0.0)
    assert word in " ".join(surely)
    assert sum(map(len, surely)) > len(word)


def test_overlapping_pieces_become_one_and_others_stay() -> None:
    assert joined([(9, 12, 0.3), (0, 4, 0.5), (3, 6, 0.9)]) == ((0, 6, 0.9), (9, 12, 0.3))
