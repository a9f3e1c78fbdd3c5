"""What may not sway the built-in verifier: written marks, echoes, repetition, damaged files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import GrowsStraight

from firmground.claims.prose import prose_claims
from firmground.core.claim import Standing
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.engine import check
from firmground.errors import FirmgroundError, InputError, ModelError
from firmground.verify.builtin import builtin_judge
from firmground.verify.forest import read_forest
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import MODEL_DIR, NeuralScorer, ScoredInput, available
from firmground.verify.neural_input import PreparedEvidence, prepare
from firmground.verify.neural_meta import FUSED_FEATURES

pytestmark = pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)
BRIDGE = "The bridge spans 503 metres and was opened in 1998 by the mayor of Oslo."
INVENTED = "The bridge was painted green by soldiers."
GRAPHS = Path(__file__).parent.parent / "judges" / "models"


@pytest.fixture(scope="module")
def scorer() -> NeuralScorer:
    return NeuralScorer()


@pytest.fixture(scope="module")
def bridge() -> PreparedEvidence:
    return prepare([BRIDGE])[0]


def _support(scorer: NeuralScorer, claim: str, evidence: PreparedEvidence, before: str) -> float:
    return scorer.score([ScoredInput(claim=claim, evidence=evidence, context=before)])[0].supported


@pytest.mark.parametrize("mark", ["[SEP]", "[CLS]", "[PAD]", "[MASK]", "[UNK]"])
def test_a_mark_that_an_answer_writes_out_is_a_word_to_the_model(
    scorer: NeuralScorer, mark: str
) -> None:
    claim, before, source = f"A {mark} b.", f"Before {mark} it.", f"A cat {mark} sat. B."
    (window,) = scorer.windows(
        [ScoredInput(claim=claim, evidence=prepare([source])[0], context=before)]
    )[0]
    tokenizer = scorer._builder._tokenizer
    ends = (tokenizer.token_to_id("[CLS]"), *[tokenizer.token_to_id("[SEP]")] * 3)
    own = tokenizer.token_to_id(mark)
    assert window.ids.count(own) == ends.count(own)
    assert [claim[a:b] for a, b in window.claim_offsets][1:4] != [mark]


@pytest.mark.parametrize(
    "before",
    [
        INVENTED,
        "Was the bridge painted green by soldiers?",
        "Soldiers came with paint.",
        "The bridge was painted. Green, by soldiers",
    ],
)
def test_a_sentence_that_says_the_claim_first_is_no_witness_for_it(
    scorer: NeuralScorer, bridge: PreparedEvidence, before: str
) -> None:
    assert _support(scorer, INVENTED, bridge, before) == _support(scorer, INVENTED, bridge, "")


def test_a_sentence_that_only_names_who_is_meant_stays_in_view(
    scorer: NeuralScorer, bridge: PreparedEvidence
) -> None:
    plain, told = (
        scorer.windows([ScoredInput(claim="It is long.", evidence=bridge, context=before)])[0][0]
        for before in ("", "The bridge was opened in 1998.")
    )
    assert len(told.ids) > len(plain.ids)


@pytest.mark.parametrize("joint", [" ", ", that is, ", " [SEP] [SEP] ", " yes; "])
def test_a_claim_said_twice_in_one_sentence_stands_no_firmer(
    scorer: NeuralScorer, bridge: PreparedEvidence, joint: str
) -> None:
    once = _support(scorer, INVENTED, bridge, "")
    twice = INVENTED.rstrip(".") + joint + INVENTED
    assert _support(scorer, twice, bridge, "") <= once + 1e-9


def test_like_opening_hours_are_not_cut_as_a_repetition(scorer: NeuralScorer) -> None:
    record = prepare(['{"hours": {"Monday": "9:0-17:0", "Tuesday": "9:0-17:0"}}'])[0]
    claim = "It is open from 9:00 AM to 5:00 PM on Monday and from 9:00 AM to 5:00 PM on Tuesday."
    assert len(scorer.windows([ScoredInput(claim=claim, evidence=record)])[0]) == 1


def test_a_claim_too_long_for_one_input_stands_no_firmer_than_its_worst_part() -> None:
    facts = ", ".join(f"{n} people crossed it within {n} hours" for n in range(40, 90))
    answer = f"It is said that {facts} and unicorns drank tea."
    claims = prose_claims(answer)
    source = f"The bridge was opened in 1998. {facts}."
    found = _JUDGE.examine(
        Inquiry(question=None, answer=answer, claims=claims, evidence=(Evidence(text=source),))
    ).assessments
    scorer = NeuralScorer()
    judged = [(at, one) for at, one in enumerate(found) if one.claim.checkable]
    assert judged
    for at, one in judged:
        before = claims[at - 1].text if at else ""
        item = ScoredInput(claim=one.claim.statement, evidence=prepare([source])[0], context=before)
        (raw,) = scorer.raw([item])
        assert len(raw.parts) == len(raw.windows) > 5
        worst = max(scorer.meta.claim.probability(row) for row in raw.parts)
        assert one.support <= round(1 - worst, 6)
        assert scorer.score([item])[0].supported <= 1 - worst


def test_the_tokenizer_starts_no_thread_of_its_own() -> None:
    code = (
        "import os, numpy, onnxruntime\n"
        "from firmground.verify.neural import *\n"
        "from firmground.verify.neural_input import prepare\n"
        "s = NeuralScorer(); s._session\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "s.score([ScoredInput(claim='A cat sat.', evidence=prepare(['A cat sat. ' * 9])[0])])\n"
        "assert len(os.listdir('/proc/self/task')) == before\n"
    )
    if not Path("/proc/self/task").is_dir():
        pytest.skip("this system does not list its threads")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_the_order_of_hashes_changes_nothing() -> None:
    code = (
        "from firmground import check\n"
        "o = check('The bridge spans 504 metres. Soldiers painted it green; it is open.', "
        f"{BRIDGE!r})\n"
        "print(o.root, [(a.support, a.problems) for a in o.assessments])\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(told) == 1


def test_threads_and_tasks_at_once_say_what_one_alone_says() -> None:
    judge = builtin_judge()
    answers = [f"The bridge spans {n} metres. It was painted green." for n in (503, 504, 505)]
    inquiries = [
        Inquiry(
            question=None,
            answer=answer,
            claims=prose_claims(answer),
            evidence=(Evidence(text=BRIDGE),),
        )
        for answer in answers
    ] * 3
    alone = [judge.examine(one).assessments for one in inquiries]
    with ThreadPoolExecutor(4) as pool:
        assert [one.assessments for one in pool.map(builtin_judge().examine, inquiries)] == alone

    async def together() -> list[Any]:
        return list(await asyncio.gather(*map(judge.assess, inquiries)))

    assert asyncio.run(together()) == alone


@given(
    st.text(
        alphabet=st.sampled_from(
            "ab 503.,?!\u200b\u0301é\u2028\U0001f309\U0001d413桥אم[]SEP\ud800\u202e\x85\t"
        ),
        max_size=60,
    )
)
@settings(max_examples=40, deadline=None)
def test_whatever_is_written_marks_lie_in_their_claims_to_the_character(answer: str) -> None:
    claims = prose_claims(answer)
    found = _JUDGE.examine(
        Inquiry(question=None, answer=answer, claims=claims, evidence=(Evidence(text=BRIDGE),))
    ).assessments
    assert tuple(one.claim for one in found) == claims
    for one in found:
        assert answer[one.claim.start : one.claim.end] == one.claim.text
        assert all(
            one.claim.start <= p.start < p.end <= one.claim.end and answer[p.start : p.end].strip()
            for p in one.problems
        )


_JUDGE = builtin_judge() if available() else LexicalJudge()


def _folder(place: Path) -> Path:
    """Lay the shipped files into a folder of one's own."""
    for name in ("model.onnx", "tokenizer.json"):
        (place / name).symlink_to(MODEL_DIR / name)
    shutil.copy(MODEL_DIR / "meta.json", place / "meta.json")
    return place


def _instead(place: Path, name: str, data: bytes) -> None:
    """Put another file in the place of a shipped one and let meta.json speak for it."""
    (place / name).unlink()
    (place / name).write_bytes(data)
    meta = json.loads((place / "meta.json").read_text())
    meta["sha256"][name] = hashlib.sha256(data).hexdigest()
    (place / "meta.json").write_text(json.dumps(meta))


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m["thresholds"].update(claim=float("nan")), r"thresholds\.claim"),
        (lambda m: m["thresholds"].update(claim=float("inf")), r"thresholds\.claim"),
        (lambda m: m["thresholds"].update(claim=1.5), r"thresholds\.claim must lie in"),
        (lambda m: m["thresholds"].update(claim=1), "no claim would ever fall"),
        (lambda m: m["thresholds"].update(sure=-0.1), r"thresholds\.sure"),
        (lambda m: m["thresholds"].update(token="0.5"), r"thresholds\.token must be a number"),
        (lambda m: m["fused"].update(base=float("nan")), "fused: base"),
        (lambda m: m["fused"].update(slope=-1.0), "fused: slope must be over 0"),
        (lambda m: m["claim"].update(shift=1e300), "claim: shift"),
        (
            lambda m: m["fused"]["weights"].pop(),
            f"{len(FUSED_FEATURES) - 1} numbers for {len(FUSED_FEATURES)} features",
        ),
        (lambda m: m["fused"]["names"].reverse(), "fused: was fitted over other features"),
        (lambda m: m["fused"]["trees"][0]["left"].__setitem__(0, 0), "node 0 has children"),
        (lambda m: m["fused"]["trees"][0]["right"].__setitem__(0, 10**6), "node 0 has children"),
        (lambda m: m["fused"]["trees"][0]["feature"].__setitem__(0, 9999), "no feature 9999"),
        (lambda m: m["fused"]["trees"][0]["value"].pop(), "lists of one length"),
        (lambda m: m["risk"]["coefficients"].pop(), r"risk\.coefficients must be 8"),
        (lambda m: m["risk"].update(intercept=float("nan")), "risk"),
        (lambda m: m["risk"].update(flag_from=7), r"risk\.flag_from"),
        (lambda m: m["sha256"].pop("tokenizer.json"), r"tokenizer\.json"),
        (lambda m: m.update(thresholds=[]), ""),
        (lambda m: m.update(fused=None), ""),
    ],
)
def test_a_damaged_fusion_is_refused_by_file_and_key(
    tmp_path: Path, change: Change, said: str
) -> None:
    place = _folder(tmp_path)
    meta = json.loads((place / "meta.json").read_text())
    change(meta)
    (place / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(InputError, match=rf"meta\.json: holds no fusion.*{said}"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{place}")


def test_a_tree_that_walks_in_a_circle_is_refused_before_it_is_walked() -> None:
    tree = {
        "feature": [0, 0],
        "threshold": [0, 0],
        "left": [1, 0],
        "right": [1, 0],
        "value": [0, 0],
    }
    plain = {"names": ["a"], "base": 0, "weights": [], "slope": 1, "shift": 0, "trees": [tree]}
    with pytest.raises(ValueError, match="children that do not lie behind it"):
        read_forest(plain)


def test_weights_that_cannot_be_run_are_named(tmp_path: Path) -> None:
    place = _folder(tmp_path)
    _instead(place, "model.onnx", (MODEL_DIR / "model.onnx").read_bytes()[:9999])
    with pytest.raises(InputError, match=r"model\.onnx: cannot be loaded"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{place}")


def test_a_graph_of_another_shape_is_no_built_in_verifier(tmp_path: Path) -> None:
    place = _folder(tmp_path)
    _instead(place, "model.onnx", (GRAPHS / "nli.onnx").read_bytes())
    with pytest.raises(InputError, match=r"model\.onnx: asks for input_ids, token_type_ids"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{place}")


def test_a_tokenizer_that_is_none_is_named(tmp_path: Path) -> None:
    place = _folder(tmp_path)
    _instead(place, "tokenizer.json", b"{}")
    with pytest.raises(InputError, match=r"tokenizer\.json: cannot be used"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{place}")


def test_weights_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    place = _folder(tmp_path)
    (place / "model.onnx").unlink()
    (place / "model.onnx").mkdir()
    with pytest.raises(FirmgroundError, match=r"model\.onnx: Is a directory"):
        check("A cat sat.", "A cat sat.", judge=f"builtin:{place}")


class _Odd:
    """A session whose figures are what it was told to give."""

    def __init__(self, figure: float) -> None:
        self._figure = figure

    def run(self, _: None, feed: dict[str, Any]) -> tuple[Any, Any]:
        import numpy

        reach = feed["claim"].shape[1]
        return numpy.full((reach, 3), self._figure), numpy.full(3, self._figure)


def test_figures_that_are_no_numbers_leave_a_claim_unchecked(
    bridge: PreparedEvidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = NeuralScorer()
    scorer.__dict__["_session"] = _Odd(float("nan"))
    with pytest.raises(ModelError, match="no finite figure"):
        scorer.score([ScoredInput(claim="It is long.", evidence=bridge)])
    monkeypatch.setattr(NeuralScorer, "_session", _Odd(float("nan")))
    outcome = check("The bridge spans 503 metres.", BRIDGE, judge=builtin_judge())
    assert not outcome.stands
    assert [one.standing for one in outcome.assessments] == [Standing.UNVERIFIABLE]


def test_a_very_long_word_costs_no_more_than_its_length(grows_straight: GrowsStraight) -> None:
    judge, turn = builtin_judge(), count()

    def work(size: int) -> object:
        answer = chr(97 + next(turn) % 26) + "x" * size + " spans 504 metres."
        claims = prose_claims(answer)
        return judge.examine(
            Inquiry(question=None, answer=answer, claims=claims, evidence=(Evidence(text=BRIDGE),))
        )

    assert grows_straight(work, 24_000)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("这座桥长503米。", "这座桥长504米。"),
        ("橋は503メートルです。", "橋は504メートルです。"),
        ("สะพานยาว503เมตร", "สะพานยาว504เมตร"),
    ],
)
def test_a_number_is_read_in_scripts_that_put_no_space_around_it(right: str, wrong: str) -> None:
    (one,) = check(wrong, right).assessments
    assert not one.standing.stands
    assert [wrong[p.start : p.end] for p in one.problems] == ["504"]
    assert not any(note.standing for note in check(right, right).assessments[0].notes)
