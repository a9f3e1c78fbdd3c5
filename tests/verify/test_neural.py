"""The built-in neural verifier: exact pieces, and one score for one input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.errors import FirmgroundError
from firmground.verify.forest import LogitForest, LogitTree, read_forest, sigmoid
from firmground.verify.neural import MODEL_DIR, NeuralScore, NeuralScorer, ScoredInput, available
from firmground.verify.neural_features import FEATURES
from firmground.verify.neural_input import PreparedEvidence, prepare
from firmground.verify.neural_spans import TokenScore, problems

needs_weights = pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)

_FRANCE = (
    "France is a country in Europe. The capital of France is Paris. "
    "The population of France is 67 million."
)


@pytest.fixture(scope="module")
def scorer() -> NeuralScorer:
    return NeuralScorer()


def _evidence(*texts: str) -> PreparedEvidence:
    return prepare(texts)[0]


def _score(scorer: NeuralScorer, claim: str, evidence: PreparedEvidence) -> NeuralScore:
    return scorer.score([ScoredInput(claim=claim, evidence=evidence)])[0]


def _token(start: int, end: int, bad: float) -> TokenScore:
    return TokenScore(start=start, end=end, supported=1 - bad, ungrounded=bad, contradicted=0.0)


@needs_weights
@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The capital of France is Paris.", "The capital of France is Berlin."),
        ("The population of France is 67 million.", "The population of France is 999 million."),
        ("France is a country in Europe.", "France was founded in 843 by Charles the Bald."),
    ],
)
def test_a_changed_fact_is_riskier_than_the_fact(
    scorer: NeuralScorer, true: str, false: str
) -> None:
    evidence = _evidence(_FRANCE)
    assert _score(scorer, true, evidence).supported > _score(scorer, false, evidence).supported


@needs_weights
def test_a_claim_scores_the_same_alone_among_others_and_on_two_threads(
    scorer: NeuralScorer,
) -> None:
    evidence = _evidence(_FRANCE, "{'name': 'Apna', 'hours': {'Monday': '16:30-21:0'}}")
    claims = ["France is in Europe.", "Apna opens at 4:30 PM on Monday.", "Berlin is big. " * 40]
    items = [ScoredInput(claim=claim, evidence=evidence) for claim in claims]
    together = scorer.score(items)
    assert together == tuple(scorer.score([item])[0] for item in items)
    assert together == NeuralScorer(threads=2).score(items)


@needs_weights
def test_probabilities_sum_to_one(scorer: NeuralScorer) -> None:
    evidence = _evidence(_FRANCE)
    for claim in ("The capital of France is Paris.", "France won 12 medals in Oslo in 1999."):
        score = _score(scorer, claim, evidence)
        assert score.supported + score.ungrounded + score.contradicted == pytest.approx(1)
        assert len(score.features) == len(FEATURES)


@needs_weights
@given(st.text(max_size=80), st.text(max_size=120))
@settings(max_examples=25, deadline=None)
def test_any_claim_on_any_evidence_gets_ordered_pieces_inside_the_claim(
    claim: str, evidence: str
) -> None:
    score = _score(_SHARED, claim, _evidence(evidence))
    last = 0
    for problem in score.problems:
        assert last <= problem.start < problem.end <= len(claim)
        last = problem.end


_SHARED = NeuralScorer()


@needs_weights
def test_a_long_claim_is_read_to_its_end(scorer: NeuralScorer) -> None:
    claim = "France is a country in Europe, " * 20 + "and its capital is Berlin since 1871."
    found = scorer.raw([ScoredInput(claim=claim, evidence=_evidence(_FRANCE))])[0]
    assert len(found.windows) > 1
    assert found.windows[-1].claim_offsets[-1][1] == len(claim)


@needs_weights
def test_weights_that_meta_was_not_made_for_are_refused(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json", "meta.json"):
        shutil.copy(MODEL_DIR / name, tmp_path / name)
    meta = json.loads((tmp_path / "meta.json").read_text())
    meta["sha256"]["tokenizer.json"] = "0" * 64
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(FirmgroundError, match=r"tokenizer\.json is not the file"):
        _ = NeuralScorer(tmp_path).meta


def test_no_threads_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        NeuralScorer(threads=0)


def test_pieces_are_whole_words_and_small_gaps_are_bridged() -> None:
    claim = "open seven days a week"
    tokens = [_token(0, 4, 0.1), _token(5, 7, 0.9), _token(7, 10, 0.1), _token(11, 15, 0.2),
              _token(16, 17, 0.1), _token(18, 22, 0.8)]  # fmt: skip
    found = problems(claim, tokens, threshold=0.5, bridge=3)
    assert [claim[p.start : p.end] for p in found] == ["seven days a week"]
    apart = problems(claim, tokens, threshold=0.5, bridge=1)
    assert [claim[p.start : p.end] for p in apart] == ["seven", "week"]


def test_two_runs_inside_one_word_are_one_piece() -> None:
    tokens = [_token(i, i + 1, 0.9 if i in (0, 5) else 0.1) for i in range(6)]
    assert [(p.start, p.end) for p in problems("abcdef", tokens, threshold=0.5)] == [(0, 6)]


def test_a_forest_adds_its_trees_and_calibrates() -> None:
    tree = LogitTree(
        feature=(0, -1, -1),
        threshold=(1.5, 0, 0),
        left=(1, 0, 0),
        right=(2, 0, 0),
        value=(0, -1, 3),
    )
    forest = LogitForest(
        names=("a",), base=0.5, weights=(2.0,), trees=(tree,), slope=2.0, shift=1.0
    )
    assert forest.logit([1.0]) == 2 * (0.5 - 1 + 2) + 1
    assert forest.logit([2.0]) == 2 * (0.5 + 3 + 4) + 1
    with pytest.raises(ValueError, match="expected 1 features, got 2"):
        forest.logit([1.0, 2.0])
    plain = {"names": ["a"], "base": 0, "weights": [], "slope": 1, "shift": 0, "trees": []}
    assert read_forest(plain).probability([9.0]) == 0.5
    assert 0 < sigmoid(-700) < sigmoid(700) <= 1
