"""A run has exactly the stages its shape allows, and its leaves say so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core import merkle
from firmground.core.run import (
    MAX_ATTEMPTS,
    AttemptReason,
    Node,
    Run,
    Shape,
    Stage,
    commitment,
    leaf_bytes,
    seal,
    stage_plan,
)
from firmground.errors import InputError

FIRST, REGENERATE, REPLAN = AttemptReason.FIRST, AttemptReason.REGENERATE, AttemptReason.REPLAN
CONTENT_ROOT = "c1cd5d4c2956b119efba1d13bc85024ca9a8c6c5cca32f722b7520a91ae2f0b4"
MORE = st.lists(st.sampled_from([REGENERATE, REPLAN]), max_size=5)
ANSWERED = st.sampled_from([Shape.QUOTE, Shape.POINTER])


def a_run(
    shape: Shape = Shape.QUOTE,
    *,
    preflight: bool = True,
    attempts: Sequence[AttemptReason] = (FIRST,),
    words: str = "",
) -> Run:
    tries = () if shape is Shape.REJECT else tuple(attempts)
    plan = stage_plan(shape=shape, preflight=preflight, attempts=tries)
    nodes = tuple(
        Node(stage=p.stage, attempt=p.attempt, payload=f"{words}{p.stage}{p.attempt}".encode())
        for p in plan
    )
    return Run(shape=shape, preflight=preflight, attempts=tries, nodes=nodes)


def some_salts(run: Run, seed: str = "s") -> list[bytes]:
    return [hashlib.sha256(f"{seed}{i}".encode()).digest() for i in range(len(run.nodes))]


@pytest.mark.parametrize(
    ("shape", "preflight", "stages"),
    [
        (Shape.QUOTE, False, "question retrieval context prompt answer verify final_label"),
        (
            Shape.QUOTE,
            True,
            "question preflight retrieval context prompt answer verify final_label",
        ),
        (
            Shape.POINTER,
            False,
            "question retrieval evidence_map prompt raw_answer parsed_claims verify render "
            "final_label",
        ),
        (
            Shape.POINTER,
            True,
            "question preflight retrieval evidence_map prompt raw_answer parsed_claims verify "
            "render final_label",
        ),
        (Shape.REJECT, True, "question preflight final_label"),
    ],
)
def test_one_attempt_has_seven_eight_nine_ten_or_three_stages(
    shape: Shape, preflight: bool, stages: str
) -> None:
    attempts = () if shape is Shape.REJECT else (FIRST,)
    plan = stage_plan(shape=shape, preflight=preflight, attempts=attempts)
    assert " ".join(planned.stage for planned in plan) == stages


def edges(shape: Shape, preflight: bool, attempts: Sequence[AttemptReason]) -> list[str]:
    plan = stage_plan(shape=shape, preflight=preflight, attempts=attempts)
    names = [f"{planned.stage}{planned.attempt}" for planned in plan]
    return [
        f"{n} < {' '.join(names[i] for i in p.parents)}" for n, p in zip(names, plan, strict=True)
    ]


def test_a_regeneration_keeps_the_evidence_and_rests_on_the_verdict_before() -> None:
    assert edges(Shape.QUOTE, True, (FIRST, REGENERATE))[6:] == [
        "verify0 < context0 answer0",
        "prompt1 < question0 context0 verify0",
        "answer1 < prompt1",
        "verify1 < context0 answer1",
        "final_label1 < verify0 verify1",
    ]


def test_a_replan_searches_again_because_of_the_verdict_before() -> None:
    assert edges(Shape.POINTER, False, (FIRST, REPLAN))[8:] == [
        "retrieval1 < question0 verify0",
        "evidence_map1 < retrieval1",
        "prompt1 < question0 verify0 evidence_map1",
        "raw_answer1 < prompt1",
        "parsed_claims1 < raw_answer1",
        "verify1 < evidence_map1 parsed_claims1",
        "render1 < verify1",
        "final_label1 < verify0 render0 verify1 render1",
    ]


@settings(max_examples=100, deadline=None)
@given(ANSWERED, st.booleans(), MORE)
def test_the_label_rests_on_every_attempt_and_nothing_rests_on_what_comes_later(
    shape: Shape, preflight: bool, more: list[AttemptReason]
) -> None:
    plan = stage_plan(shape=shape, preflight=preflight, attempts=(FIRST, *more))
    for ordinal, planned in enumerate(plan):
        assert all(parent < ordinal for parent in planned.parents)
        assert list(planned.parents) == sorted(set(planned.parents))
        assert bool(planned.parents) == (ordinal > 0)
    verdicts = [i for i, planned in enumerate(plan) if planned.stage is Stage.VERIFY]
    assert len(verdicts) == 1 + len(more)
    assert set(verdicts) <= set(plan[-1].parents)


def test_no_two_plans_are_the_same_list_of_stages() -> None:
    seen: dict[tuple[object, ...], object] = {}
    for shape, preflight, length in product(Shape, (True, False), range(5)):
        for more in product((REGENERATE, REPLAN), repeat=max(0, length - 1)):
            attempts = (FIRST, *more) if length else ()
            try:
                plan = stage_plan(shape=shape, preflight=preflight, attempts=attempts)
            except InputError:
                continue
            assert plan not in seen
            seen[plan] = (shape, preflight, attempts)
    assert len(seen) == 1 + 2 * 2 * (1 + 2 + 4 + 8)


@pytest.mark.parametrize(
    ("shape", "preflight", "attempts"),
    [
        (Shape.QUOTE, True, ()),
        (Shape.QUOTE, True, (REGENERATE,)),
        (Shape.QUOTE, True, (FIRST, FIRST)),
        (Shape.QUOTE, True, (FIRST, *[REGENERATE] * MAX_ATTEMPTS)),
        (Shape.REJECT, True, (FIRST,)),
        (Shape.REJECT, False, ()),
        (Shape.QUOTE, True, (FIRST, "regenerate")),
        ("quote", True, (FIRST,)),
    ],
)
def test_no_other_plan_exists(
    shape: Shape, preflight: bool, attempts: tuple[AttemptReason, ...]
) -> None:
    with pytest.raises(InputError):
        stage_plan(shape=shape, preflight=preflight, attempts=attempts)


def test_a_run_with_missing_extra_or_swapped_stages_cannot_be_made() -> None:
    run = a_run(attempts=(FIRST, REGENERATE))
    nodes = run.nodes
    wrong = [nodes[:-1], (*nodes, nodes[-1]), (), tuple(reversed(nodes))]
    wrong += [(*nodes[:i], b, a, *nodes[i + 2 :]) for i, (a, b) in enumerate(pairwise(nodes))]
    wrong.append((*nodes[:-1], replace(nodes[-1], attempt=0)))
    for changed in wrong:
        with pytest.raises(InputError, match="must have the stages"):
            replace(run, nodes=changed)


def test_the_content_root_depends_on_content_and_grammar_and_on_nothing_else() -> None:
    assert a_run().content_root == a_run().content_root
    others = [
        a_run(words="x"),
        a_run(preflight=False),
        a_run(Shape.POINTER),
        a_run(Shape.REJECT),
        a_run(attempts=(FIRST, REGENERATE)),
        a_run(attempts=(FIRST, REPLAN)),
    ]
    roots = {run.content_root for run in (a_run(), *others)}
    assert len(roots) == 7


def test_the_content_root_of_a_known_run_never_changes() -> None:
    assert a_run().content_root == CONTENT_ROOT


def test_moving_words_from_one_stage_to_the_next_changes_the_root() -> None:
    run = a_run()
    nodes = list(run.nodes)
    nodes[0] = replace(nodes[0], payload=nodes[0].payload + b"x")
    nodes[1] = replace(nodes[1], payload=nodes[1].payload[1:])
    assert replace(run, nodes=tuple(nodes)).content_root != run.content_root


def test_a_leaf_says_stage_place_attempt_run_commitment_and_parents() -> None:
    run = a_run(attempts=(FIRST, REGENERATE))
    sealed = seal(run, run_id="some-run", salts=some_salts(run))
    hashes = [merkle.leaf_hash(stage).hex() for stage in sealed.stages]
    for ordinal, (data, planned) in enumerate(zip(sealed.stages, run.plan, strict=True)):
        node, salt = run.nodes[ordinal], sealed.salts[ordinal]
        assert json.loads(data) == {
            "v": "fg1",
            "stage": planned.stage,
            "ord": ordinal,
            "attempt": planned.attempt,
            "run": "some-run",
            "commit": commitment(salt=salt, stage=node.stage, payload=node.payload).hex(),
            "parents": [hashes[parent] for parent in planned.parents],
        }
    assert sealed.root == merkle.root([bytes.fromhex(value) for value in hashes])


def test_the_same_run_sealed_twice_shows_no_likeness() -> None:
    run = a_run()
    one = seal(run, run_id="r", salts=some_salts(run, "a"))
    two = seal(run, run_id="r", salts=some_salts(run, "b"))
    commits = [json.loads(stage)["commit"] for stage in (*one.stages, *two.stages)]
    assert len(set(commits)) == len(commits)
    assert one.root != two.root
    assert one.run.content_root == two.run.content_root


def test_a_commitment_is_the_documented_hmac_and_binds_stage_salt_and_payload() -> None:
    import hmac

    salt = bytes(range(32))
    expected = hmac.new(salt, b"fg1/payload\0answer\0hello", hashlib.sha256).digest()
    made = commitment(salt=salt, stage=Stage.ANSWER, payload=b"hello")
    assert made == expected
    others = {
        commitment(salt=salt[::-1], stage=Stage.ANSWER, payload=b"hello"),
        commitment(salt=salt, stage=Stage.RAW_ANSWER, payload=b"hello"),
        commitment(salt=salt, stage=Stage.ANSWER, payload=b"hello\0"),
        commitment(salt=salt, stage=Stage.ANSWER, payload=b""),
    }
    assert made not in others
    assert len(others) == 4


def test_seals_refuse_no_run_id_and_salts_that_are_short_few_or_repeated() -> None:
    run = a_run()
    salts = some_salts(run)
    with pytest.raises(InputError, match="run id"):
        seal(run, run_id="", salts=salts)
    for wrong in (salts[:-1], [*salts, bytes(32)], [salts[0], *salts[:-1]]):
        with pytest.raises(InputError, match="salts"):
            seal(run, run_id="r", salts=wrong)
    with pytest.raises(InputError, match="32 bytes"):
        seal(run, run_id="r", salts=[*salts[:-1], b"short"])
    with pytest.raises(InputError, match="commitments"):
        leaf_bytes(run, run_id="r", commitments=[])


def test_the_payloads_of_a_stage_come_attempt_by_attempt() -> None:
    run = a_run(attempts=(FIRST, REGENERATE))
    assert run.payloads(Stage.ANSWER) == (b"answer0", b"answer1")
    assert run.payloads(Stage.RENDER) == ()
