"""The parent's records come out bit for bit, and its forgeries do not get in."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.errors import InputError
from firmground.ledger import fg0

Q, C, P = "11" * 32, "22" * 32, "33" * 32
EMPTY_PREFLIGHT = "669503f032b1f5e9d781f5ba82f47b111b878d566c984568b4704ae245b4bfad"


def a_dag(**changes: Any) -> fg0.RunDag:
    inputs: dict[str, Any] = {
        "question_hash": Q, "sources": [], "context_root": C, "conversation_hash": P,
        "answer_text": "hello", "audit_mode": "UNGROUNDED", "verifier_method": "none",
        "n_quotes": 0, "n_verified": 0, **changes,
    }  # fmt: skip
    return fg0.build_run_dag(**inputs)


def a_reject(**changes: Any) -> fg0.RunDag:
    inputs: dict[str, Any] = {
        "question_hash": Q, "preflight_hash": EMPTY_PREFLIGHT, "rejection_reason": "r",
        "answer_text": "", **changes,
    }  # fmt: skip
    return fg0.build_reject_run_dag(**inputs)


PAYLOAD = fg0.build_preflight_node_payload(quantifier={"intensity": "ALL", "is_broad": True})
PAYLOAD_HASH = fg0.preflight_node_hash(quantifier={"intensity": "ALL", "is_broad": True})
POINTER = {
    "evidence_map_root": "44" * 32,
    "raw_answer_text": "raw",
    "rendered_text": "rendered",
    "parsed_lattice": [{"claim_text": "c", "evidence_ids": ["E1"]}],
}
PREFLIGHT = {"preflight_hash": PAYLOAD_HASH, "preflight_payload": PAYLOAD}
HONEST = {
    7: a_dag(),
    8: a_dag(**PREFLIGHT),
    9: a_dag(**POINTER),
    10: a_dag(**POINTER, **PREFLIGHT),
    3: a_reject(**PREFLIGHT),
}


# -- golden values ------------------------------------------------------------------------------


def test_leaves_and_small_trees_have_the_published_hashes() -> None:
    a, b, c = (fg0.hash_leaf(letter) for letter in (b"a", b"b", b"c"))
    assert fg0.hash_leaf(b"").hex().startswith("6e340b9c")
    assert fg0.hash_leaf(b"").hex().endswith("fa01d")
    assert a.hex().startswith("022a6979")
    assert a.hex().endswith("f93c")
    pair = "ea6b667f6870eea04dcee10fe7ef6dd4254d3f51a574c54d4971086947421aa9"
    three = "8789a2bb348f305c0f3fc375d68684fb07f97fe6405c6d7b7c89493f93559bc4"
    assert fg0.MerkleTree.build([a, b]).root.hex() == pair
    assert fg0.MerkleTree.build([a, b, c]).root.hex() == three
    assert fg0.MerkleTree.build([a, b, c, c]).root.hex() == three
    assert fg0.MerkleTree.build([]).root == bytes(32)
    assert fg0.MerkleTree.build([a]).root == a


def test_the_published_roots_come_out() -> None:
    seven = "e1f026ec2d8e5d315a62545d79ed15343c8d46f521f0364a3cf0b1fbd90b0d17"
    eight = "f5d6076b21cb3acd0d01fbf966cfa2cf8f7c011bf104e3c8f889c811a6a33d93"
    three = "9c1004b0c02fa25c73b2542df092569128b202ec08adeb1c114f257d984c429d"
    assert fg0.preflight_node_hash() == EMPTY_PREFLIGHT
    assert a_dag().root == seven
    assert a_dag(preflight_hash=EMPTY_PREFLIGHT).root == eight
    assert a_reject().root == three


def plain_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def naive_root(hashes: list[str]) -> str:
    layer = [bytes.fromhex(value) for value in hashes]
    while len(layer) > 1:
        if len(layer) % 2:
            layer.append(layer[-1])
        layer = [
            hashlib.sha256(b"\x03" + layer[i] + layer[i + 1]).digest()
            for i in range(0, len(layer), 2)
        ]
    return layer[0].hex()


TEXTS = st.text(max_size=20)
HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)
SOURCES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "document_root": HASHES,
            "source_role": TEXTS,
            "score": st.floats(allow_nan=False),
            "chunk_idx": st.integers(),
            "title": TEXTS,
        },
    ),
    max_size=4,
)
VIOLATIONS = st.none() | st.lists(st.fixed_dictionaries({"kind": TEXTS}), max_size=2)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_optional_input_goes_where_the_documented_rule_puts_it(data: st.DataObject) -> None:
    sources = data.draw(SOURCES)
    mode, method = data.draw(st.sampled_from(["STRICT", "HYBRID", "UNGROUNDED"])), data.draw(TEXTS)
    quotes, verified = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))
    answer, path = data.draw(TEXTS), data.draw(st.none() | TEXTS)
    violations, answer_mode = data.draw(VIOLATIONS), data.draw(st.none() | TEXTS)
    plan, preflight = data.draw(st.none() | HASHES), data.draw(st.none() | HASHES)
    statuses = data.draw(st.none() | st.lists(st.fixed_dictionaries({"status": TEXTS}), max_size=2))
    evidence = data.draw(st.none() | HASHES)
    raw, shown = data.draw(st.none() | TEXTS), data.draw(st.none() | TEXTS)
    lattice = data.draw(st.none() | st.lists(TEXTS, max_size=2))
    dag = a_dag(
        sources=sources, audit_mode=mode, verifier_method=method, n_quotes=quotes,
        n_verified=verified, answer_text=answer, lookup_path=path, violations=violations,
        answer_mode=answer_mode, retrieval_plan_hash=plan, preflight_hash=preflight,
        claim_statuses=statuses, evidence_map_root=evidence, raw_answer_text=raw,
        rendered_text=shown, parsed_lattice=lattice,
    )  # fmt: skip
    names = ("document_root", "source_role", "score", "chunk_idx")
    found = sha(plain_json([{name: s.get(name) for name in names} for s in sources]))
    if plan is not None:
        found = sha(plain_json({"retrieval_plan_hash": plan, "sources_summary_hash": found}))
    blame = None if mode == "STRICT" else "retrieval" if not sources else "context"
    blame = "answer" if blame == "context" and quotes else blame
    verdict = {
        "audit_mode": mode, "verifier_method": method, "n_quotes": quotes,
        "n_verified": verified, "claim_statuses": statuses or [], "failure_stage": blame,
    }  # fmt: skip
    label = {"audit_mode": mode, "verifier_method": method, "lookup_path": path}
    if violations is not None:
        verdict["violations"] = violations
    if answer_mode is not None:
        label["answer_mode"] = answer_mode
    check, final = sha(plain_json(verdict)), sha(plain_json(label))
    before = [Q, *([preflight] if preflight is not None else []), found]
    if evidence is None:
        hashes = [*before, C, P, sha(answer), check, final]
    else:
        said = sha(answer if raw is None else raw)
        drawn = sha(answer if shown is None else shown)
        hashes = [*before, evidence, P, said, sha(plain_json(lattice or [])), check, drawn, final]
    assert [node.hash for node in dag.nodes] == hashes
    assert dag.root == naive_root(hashes)
    assert fg0.verify_run_dag(dag.blob(), lenient=True)


def test_text_with_lone_surrogates_still_has_a_root() -> None:
    assert a_dag(answer_text="a\ud800b").root != a_dag(answer_text="ab").root


# -- honest blobs -------------------------------------------------------------------------------


@pytest.mark.parametrize("stages", sorted(HONEST))
def test_honest_blobs_of_every_shape_hold_as_text_bytes_and_dictionary(stages: int) -> None:
    dag = HONEST[stages]
    assert len(dag.nodes) == stages
    for blob in (
        dag.blob(),
        dag.blob().encode(),
        dag.as_dict(),
        json.dumps(dag.as_dict(), indent=2),
    ):
        report = fg0.verify_run_dag(blob, root=dag.root)
        assert report.valid, report.reasons
        assert report.root == dag.root
        assert "not cryptographically bound" in report.verdict


def test_a_valid_blob_still_says_what_is_not_bound() -> None:
    open_ends = "; ".join(fg0.verify_run_dag(HONEST[7].blob(), root=HONEST[7].root).not_bound)
    assert "stage names" in open_ends
    assert "only hashes" in open_ends


def test_a_report_is_as_true_as_what_it_reports() -> None:
    assert fg0.verify_run_dag(HONEST[7].blob(), root=HONEST[7].root)
    assert not fg0.verify_run_dag("{}")


# -- forgeries ----------------------------------------------------------------------------------


def reasons(blob: Any, **how: Any) -> str:
    report = fg0.verify_run_dag(blob, **how)
    assert not report.valid
    assert report.reasons
    return "; ".join(report.reasons)


def only_reason(blob: dict[str, Any]) -> str:
    """The one thing that is wrong with a blob whose root is the one that was expected."""
    report = fg0.verify_run_dag(blob, root=blob["root"])
    assert len(report.reasons) == 1, report.reasons
    return report.reasons[0]


def relabelled(dag: fg0.RunDag, hashes: list[str], stages: list[str]) -> dict[str, Any]:
    nodes = [{"stage": s, "hash": h} for s, h in zip(stages, hashes, strict=True)]
    return {"root": dag.root, "nodes": nodes}


def parent_accepts(blob: dict[str, Any]) -> bool:
    return bool(naive_root([node["hash"] for node in blob["nodes"]]) == blob["root"])


def test_a1_repeating_the_last_leaf_is_refused_even_under_the_names_of_a_longer_shape() -> None:
    dag = HONEST[7]
    hashes = [node.hash for node in dag.nodes]
    stages = [node.stage for node in HONEST[8].nodes]
    forged = relabelled(dag, [*hashes, hashes[-1]], stages)
    assert parent_accepts(forged)
    assert "equal neighbours" in reasons(forged)
    plain = relabelled(dag, [*hashes, hashes[-1]], [*[n.stage for n in dag.nodes], "final_label"])
    assert "enumerated shapes" in reasons(plain)


def test_a2_swapped_stage_labels_are_refused() -> None:
    blob = HONEST[7].as_dict()
    blob["nodes"][4]["stage"], blob["nodes"][5]["stage"] = "verify", "answer"
    assert parent_accepts(blob)
    assert "enumerated shapes" in reasons(blob)


def test_a3_a_rejection_cannot_grow_a_fourth_stage() -> None:
    blob = HONEST[3].as_dict()
    blob["nodes"].append({"stage": "approved_by_human", "hash": blob["nodes"][-1]["hash"]})
    assert parent_accepts(blob)
    assert "enumerated shapes" in reasons(blob)
    assert "equal neighbours" in reasons(blob)


def test_a4_another_preflight_payload_is_refused() -> None:
    blob = HONEST[8].as_dict()
    blob["preflight_payload"] = fg0.build_preflight_node_payload()
    assert parent_accepts(blob)
    assert "preflight payload does not hash" in reasons(blob)


def test_a5_repeating_the_last_pair_is_refused() -> None:
    six = [f"{i:02x}" * 32 for i in range(6)]
    stages = [node.stage for node in HONEST[8].nodes]
    blob = relabelled(HONEST[7], [*six, *six[-2:]], stages)
    blob["root"] = naive_root(six)
    assert parent_accepts(blob)
    assert "level 1 holds two equal neighbours" in reasons(blob)


def test_defect_1_any_other_stage_name_is_refused() -> None:
    blob = HONEST[7].as_dict()
    for node in blob["nodes"]:
        node["stage"] = "x"
    assert parent_accepts(blob)
    assert "enumerated shapes" in reasons(blob)


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_defect_2_inner_nodes_do_not_pass_for_leaves(layer: int) -> None:
    dag = HONEST[7]
    tree = fg0.MerkleTree.build([bytes.fromhex(node.hash) for node in dag.nodes])
    inner = [value.hex() for value in tree.layers[layer]]
    forged = relabelled(dag, inner, [node.stage for node in dag.nodes][: len(inner)])
    assert parent_accepts(forged)
    assert "enumerated shapes" in reasons(forged)


@pytest.mark.parametrize("stages", [9, 10])
def test_defect_2_the_third_layer_of_a_long_run_is_not_taken_for_a_rejection(stages: int) -> None:
    dag = HONEST[stages]
    tree = fg0.MerkleTree.build([bytes.fromhex(node.hash) for node in dag.nodes])
    inner = [value.hex() for value in tree.layers[2]]
    forged = relabelled(dag, inner, [node.stage for node in HONEST[3].nodes])
    assert parent_accepts(forged)
    assert only_reason(forged) == (
        "cannot be distinguished from the third layer of a run with 9 or 10 stages: "
        "the preflight payload is missing"
    )
    lenient = fg0.verify_run_dag(forged, lenient=True, root=dag.root)
    assert lenient.valid
    assert any("third layer" in line for line in lenient.not_bound)
    forged["preflight_payload"] = PAYLOAD
    assert "preflight payload does not hash" in reasons(forged)


def test_defect_3_three_stages_mean_a_rejection_only_with_the_preflight_payload_at_hand() -> None:
    bare = a_reject(preflight_hash=PAYLOAD_HASH)
    assert "the preflight payload is missing" in only_reason(bare.as_dict())
    assert fg0.verify_run_dag(HONEST[3].blob(), root=HONEST[3].root).shape == "reject"
    beside = fg0.verify_run_dag(bare.blob(), root=bare.root, payloads={"preflight": PAYLOAD})
    assert beside.valid, beside.reasons
    other = fg0.verify_run_dag(bare.blob(), root=bare.root, payloads={"preflight": "a text"})
    assert "not that of preflight" in "; ".join(other.reasons)


@pytest.mark.parametrize(("stages", "copies"), [(9, 1), (9, 3), (10, 2)])
def test_defect_3_every_duplication_variant_is_refused(stages: int, copies: int) -> None:
    dag = HONEST[stages]
    blob = dag.as_dict()
    tail = blob["nodes"][-1:] * copies if stages == 9 else blob["nodes"][-2:]
    blob["nodes"] += tail
    assert parent_accepts(blob)
    assert "equal neighbours" in reasons(blob)


def test_defect_4_a_shifted_split_of_two_leaves_is_refused() -> None:
    blob = HONEST[7].as_dict()
    left, right = blob["nodes"][0]["hash"], blob["nodes"][1]["hash"]
    blob["nodes"][0]["hash"], blob["nodes"][1]["hash"] = left[:-2], left[-2:] + right
    assert parent_accepts(blob)
    assert "64 lower-case" in reasons(blob)


@pytest.mark.parametrize(
    "respell", [str.upper, lambda h: " ".join((h[:2], h[2:])), lambda h: h + " "]
)
def test_defect_4_hashes_have_one_spelling(respell: Any) -> None:
    blob = a_dag(question_hash="ab" * 32).as_dict()
    blob["nodes"][0]["hash"] = respell(blob["nodes"][0]["hash"])
    assert parent_accepts(blob)
    assert "64 lower-case" in reasons(blob)


def test_defect_5_the_root_that_counts_comes_from_outside() -> None:
    other = a_dag(answer_text="another")
    assert "that you trust" in reasons(other.blob(), root=HONEST[7].root)
    assert fg0.verify_run_dag(other.blob(), root=other.root).valid


def test_defect_5_a_blob_that_agrees_only_with_itself_is_refused() -> None:
    forged = a_dag(answer_text="another").blob()
    report = fg0.verify_run_dag(forged)
    assert len(report.reasons) == 1
    assert "no root that you trust" in report.reasons[0]
    lenient = fg0.verify_run_dag(forged, lenient=True)
    assert lenient.valid
    assert report.reasons[0] in lenient.not_bound


def test_defect_5_payloads_that_are_at_hand_are_recomputed() -> None:
    dag = HONEST[9]
    held = {
        "raw_answer": "raw",
        "render": "rendered",
        "parsed_claim_lattice": POINTER["parsed_lattice"],
    }
    report = fg0.verify_run_dag(dag.blob(), root=dag.root, payloads=held)
    assert report.valid
    assert not any("raw_answer" in line for line in report.not_bound)
    assert "not that of render" in reasons(dag.blob(), payloads={"render": "forged"})
    assert "no stage answer" in reasons(dag.blob(), payloads={"answer": "raw"})
    assert "not that of verify" in reasons(dag.blob(), payloads={"verify": {1, 2}})


def test_defect_6_a_preflight_payload_of_another_generation_is_refused() -> None:
    flat: dict[str, Any] = {"question_state": {}, "quantifier": {}, "policy_state": {}}
    dag = a_dag(preflight_hash=fg0.sha256_hex(fg0.canonical_json(flat)), preflight_payload=flat)
    assert "is not of generation" in only_reason(dag.as_dict())
    assert fg0.verify_run_dag(dag.blob(), lenient=True).valid
    beside = a_dag(preflight_hash=dag.nodes[1].hash)
    told = fg0.verify_run_dag(beside.blob(), root=beside.root, payloads={"preflight": flat})
    assert "is not of generation" in "; ".join(told.reasons)


@pytest.mark.parametrize("more", [{}, POINTER])
def test_defect_6_a_preflight_whose_generation_nobody_can_see_is_refused(more: Any) -> None:
    bare = a_dag(**more, preflight_hash=PAYLOAD_HASH)
    assert only_reason(bare.as_dict()) == (
        "cannot be distinguished from a run with a preflight of an older generation: "
        "the preflight payload is missing"
    )
    lenient = fg0.verify_run_dag(bare.blob(), lenient=True)
    assert lenient.valid
    assert any("older generation" in line for line in lenient.not_bound)


@pytest.mark.parametrize("number", [0.5, 1.0, -0.0, 1e16, math.nan, math.inf])
def test_defect_7_floats_and_not_a_number_are_refused(number: float) -> None:
    payload = fg0.build_preflight_node_payload(quantifier={"confidence": number})
    value = fg0.preflight_node_hash(quantifier={"confidence": number})
    dag = a_dag(preflight_hash=value, preflight_payload=payload)
    assert "is a float" in reasons(dag.blob())
    assert "is a float" in reasons(dag.as_dict())


def test_defect_7_keys_that_are_numbers_are_refused() -> None:
    payload = fg0.build_preflight_node_payload(quantifier={1: "x"})  # type: ignore[dict-item]
    twin = fg0.build_preflight_node_payload(quantifier={"1": "x"})
    value = fg0.sha256_hex(fg0.canonical_json(payload))
    assert value == fg0.sha256_hex(fg0.canonical_json(twin))
    dag = a_dag(preflight_hash=value, preflight_payload=payload)
    assert "not a text" in reasons(dag.as_dict())


@pytest.mark.parametrize("number", [1 << 53, -(1 << 53), 10**40])
def test_defect_7_numbers_that_other_languages_round_are_refused(number: int) -> None:
    payload = fg0.build_preflight_node_payload(quantifier={"count": number})
    value = fg0.preflight_node_hash(quantifier={"count": number})
    dag = a_dag(preflight_hash=value, preflight_payload=payload)
    assert "beyond 2**53 - 1" in only_reason(dag.as_dict())
    near = {"count": (abs(number) - 1) % (1 << 53)}
    kept = fg0.build_preflight_node_payload(quantifier=near)
    fine = a_dag(preflight_hash=fg0.preflight_node_hash(quantifier=near), preflight_payload=kept)
    assert fg0.verify_run_dag(fine.blob(), root=fine.root).valid


def test_a_number_too_long_to_be_written_is_an_answer_and_no_exception() -> None:
    blob = {**a_dag().as_dict(), "preflight_payload": {"count": 10**5000}}
    told = fg0.verify_run_dag(blob, root=a_dag().root)
    assert "$.preflight_payload.count is beyond 2**53 - 1" in "; ".join(told.reasons)
    beside = fg0.verify_run_dag(
        a_dag().as_dict(), root=a_dag().root, payloads={"verify": {"n": 10**5000}}
    )
    assert "the payload you hold is not that of verify" in beside.reasons


def test_defect_7_lone_surrogates_are_refused() -> None:
    payload = fg0.build_preflight_node_payload(quantifier={"token": "\ud83d"})
    value = fg0.sha256_hex(fg0.canonical_json(payload))
    dag = a_dag(preflight_hash=value, preflight_payload=payload)
    assert "surrogate" in reasons(json.dumps(dag.as_dict()))


def test_defect_7_one_text_in_two_spellings_is_refused() -> None:
    for clause in ({"token": "cafe\u0301"}, {"cafe\u0301": 1}):
        payload = fg0.build_preflight_node_payload(quantifier=clause)
        value = fg0.preflight_node_hash(quantifier=clause)
        dag = a_dag(preflight_hash=value, preflight_payload=payload)
        assert "not in NFC" in only_reason(dag.as_dict())


def test_defect_7_a_retrieval_that_rests_on_a_float_is_refused_when_it_is_at_hand() -> None:
    sources = [{"document_root": "a", "source_role": "b", "score": 0.5, "chunk_idx": 1}]
    dag = a_dag(sources=sources)
    report = fg0.verify_run_dag(dag.blob(), root=dag.root, payloads={"retrieval": sources})
    assert report.reasons == (
        "your retrieval[0].score is a float, which other languages write differently",
    )
    lenient = fg0.verify_run_dag(dag.blob(), payloads={"retrieval": sources}, lenient=True)
    assert lenient.valid
    assert report.reasons[0] in lenient.not_bound


def test_defect_7_an_answer_is_hashed_as_it_is_but_not_with_half_a_character() -> None:
    dag = a_dag(answer_text="cafe\u0301")
    held = {"answer": "cafe\u0301"}
    assert fg0.verify_run_dag(dag.blob(), root=dag.root, payloads=held).valid
    half = a_dag(answer_text="\ud83d\ude00")
    report = fg0.verify_run_dag(half.blob(), root=half.root, payloads={"answer": "\ud83d\ude00"})
    assert "lone surrogate" in "; ".join(report.reasons)


def test_a_key_that_stands_twice_is_refused() -> None:
    blob = HONEST[7].blob()
    doubled = '{"root":"00",' + blob[1:]
    assert "stands twice" in reasons(doubled)
    inner = blob.replace('{"stage": "question"', '{"stage": "answer", "stage": "question"')
    assert "stands twice" in reasons(inner)


def test_defect_8_a_payload_that_disagrees_with_its_hash_is_not_even_built() -> None:
    with pytest.raises(InputError, match="does not hash"):
        a_dag(preflight_hash=EMPTY_PREFLIGHT, preflight_payload=PAYLOAD)
    with pytest.raises(InputError, match="does not hash"):
        a_dag(preflight_payload=PAYLOAD)


def test_defect_8_a_text_that_may_have_been_filled_in_from_another_is_refused() -> None:
    filled = a_dag(evidence_map_root="44" * 32)
    assert "may have been filled in" in only_reason(filled.as_dict())
    lenient = fg0.verify_run_dag(filled.blob(), lenient=True)
    assert lenient.valid
    assert any("filled in" in line for line in lenient.not_bound)
    one = fg0.verify_run_dag(filled.blob(), root=filled.root, payloads={"render": "hello"})
    assert "may have been filled in" in "; ".join(one.reasons)
    both = {"render": "hello", "raw_answer": "hello"}
    assert fg0.verify_run_dag(filled.blob(), root=filled.root, payloads=both).valid
    assert fg0.verify_run_dag(HONEST[9].blob(), root=HONEST[9].root).valid


SOURCE = {"document_root": "a", "source_role": "b", "score": 1, "chunk_idx": 1}


@pytest.mark.parametrize(
    ("counts", "blamed", "fault"),
    [
        ({"n_quotes": 3, "n_verified": 3}, "answer", "all of whose quotes were verified"),
        ({"n_quotes": 3, "n_verified": 4}, "answer", "4 verified of 3"),
        ({"n_quotes": 3, "n_verified": 1}, "context", "do not lead to"),
        ({"n_quotes": 3, "n_verified": 1}, "prompt", "do not lead to"),
        ({"n_quotes": 3, "n_verified": 1}, "retrieval", "do not lead to"),
        ({"n_quotes": True, "n_verified": 1}, "answer", "no audit_mode and counts"),
        ({"n_quotes": 3, "n_verified": 1}, "answer", ""),
        ({"n_quotes": 0, "n_verified": 0}, "context", ""),
    ],
)
def test_defect_8_a_blame_that_the_counts_do_not_lead_to_is_refused(
    counts: dict[str, Any], blamed: str, fault: str
) -> None:
    verdict = {
        "audit_mode": "HYBRID", "verifier_method": "quote", **counts, "claim_statuses": [],
        "failure_stage": blamed,
    }  # fmt: skip
    blob = a_dag(sources=[SOURCE]).as_dict()
    blob["nodes"][5]["hash"] = sha(plain_json(verdict))
    blob["root"] = naive_root([node["hash"] for node in blob["nodes"]])
    held = {"verify": verdict, "retrieval": [SOURCE]}
    said = "; ".join(fg0.verify_run_dag(blob, root=blob["root"], payloads=held).reasons)
    assert fault in said
    assert bool(said) == bool(fault)
    assert fg0.verify_run_dag(blob, root=blob["root"], payloads=held, lenient=True).valid


def test_a_payload_without_its_stage_and_unknown_keys_are_refused() -> None:
    blob = HONEST[7].as_dict()
    assert "no preflight stage" in reasons({**blob, "preflight_payload": PAYLOAD})
    assert "unknown key 'note'" in reasons({**blob, "note": 1})
    blob["nodes"][0]["extra"] = 1
    assert "exactly a stage and a hash" in reasons(blob)


def test_lenient_must_be_asked_for_and_says_what_strictness_refuses() -> None:
    blob = HONEST[7].as_dict()
    blob["nodes"][4]["stage"], blob["nodes"][5]["stage"] = "verify", "answer"
    report = fg0.verify_run_dag(blob, lenient=True)
    assert report.valid
    assert report.lenient
    assert any("enumerated shapes" in line for line in report.not_bound)
    assert "leniently" in report.verdict
    blob["root"] = "00" * 32
    assert "do not lead" in reasons(blob, lenient=True)


# -- any input at all ---------------------------------------------------------------------------


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
NODES = st.lists(
    st.fixed_dictionaries(
        {}, optional={"stage": JSONISH, "hash": JSONISH | HASHES | st.text("0123456789abcdefG ")}
    )
    | JSONISH,
    max_size=10,
)
BLOBS = st.fixed_dictionaries(
    {}, optional={"root": JSONISH | HASHES, "nodes": NODES, "preflight_payload": JSONISH}
)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200) | JSONISH | BLOBS, st.booleans())
def test_a_malformed_blob_is_an_answer_and_never_an_exception(blob: Any, lenient: bool) -> None:
    report = fg0.verify_run_dag(blob, lenient=lenient)
    assert report.valid == (not report.reasons)
    if isinstance(blob, dict):
        text = fg0.verify_run_dag(json.dumps(blob), lenient=lenient)
        assert not (text.valid and not lenient)


@pytest.mark.parametrize(
    "blob",
    [
        b"\xff", "", "null", "[]", "{", '{"nodes": []}', '{"nodes": {}}', '{"nodes": [{}]}',
        "[" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, "1" * 10_000, None, 7, [], object(),
    ],
)  # fmt: skip
def test_nonsense_is_not_valid(blob: Any) -> None:
    assert reasons(blob)


def test_a_deeply_nested_stage_name_is_an_answer_too() -> None:
    blob = HONEST[7].as_dict()
    nested: Any = "x"
    for _ in range(900):
        nested = [nested]
    blob["nodes"][0]["stage"] = nested
    blob["preflight_payload"] = nested
    assert reasons(blob)


def test_a_blob_that_is_endless_inside_is_an_answer_too() -> None:
    wide: Any = []
    for _ in range(60):
        wide = [wide, wide]
    blob = {**HONEST[8].as_dict(), "preflight_payload": {"a": wide}}
    assert "more than is looked at" in reasons(blob)
    many = {**HONEST[8].as_dict(), "preflight_payload": {"a": [0.5] * 10_000}}
    assert len(fg0.verify_run_dag(many).reasons) < 30


# -- proofs, roots, questions, keys, chain ------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=8), min_size=1, max_size=20), st.data())
def test_every_leaf_has_a_proof_and_no_other_place_does(
    contents: list[bytes], data: st.DataObject
) -> None:
    tree = fg0.MerkleTree.build([fg0.hash_leaf(item) for item in contents])
    index = data.draw(st.integers(0, len(contents) - 1))
    proof = tree.proof(index)
    assert fg0.verify_proof(proof)
    assert fg0.proof_to_dict(proof)["root"] == tree.root.hex()
    wrong = fg0.MerkleProof(fg0.hash_leaf(b"not in there"), index, proof.siblings, proof.root)
    assert not fg0.verify_proof(wrong)
    moved = fg0.MerkleProof(proof.leaf, index + 1, proof.siblings, proof.root)
    assert not fg0.verify_proof(moved)


def test_a_proof_for_a_leaf_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="does not exist"):
        fg0.MerkleTree.build([]).proof(0)


def test_a_context_is_the_set_of_its_documents() -> None:
    one, two = fg0.document_root([b"a"]), fg0.document_root([b"b", b"c"])
    assert fg0.context_root([one]) == one
    assert fg0.context_root([one, two]) == fg0.context_root([two, one, two])
    assert fg0.snapshot_root([one, two]) == fg0.context_root([one, two])
    assert fg0.context_root([]) == "00" * 32
    with pytest.raises(InputError, match="document root"):
        fg0.context_root(["AB" * 32])


def test_a_document_is_its_chunks_in_order_unless_the_white_papers_rule_is_asked_for() -> None:
    assert fg0.document_root([b"a", b"b"]) != fg0.document_root([b"b", b"a"])
    swapped = fg0.document_root([b"b", b"a"], sort_leaves=True)
    assert fg0.document_root([b"a", b"b"], sort_leaves=True) == swapped


def test_an_evidence_map_is_its_sorted_ids() -> None:
    assert fg0.evidence_map_root(["Eb", "Ea"]) == fg0.evidence_map_root(["Ea", "Eb"])
    assert fg0.evidence_map_root(["Ea"]) == fg0.hash_leaf(b"Ea").hex()


@pytest.mark.parametrize(
    ("text", "loose", "strict"),
    [
        ("  Who   is the\tWho? ", "who is who", "Who is the Who?"),
        ("What is AN atom?!…", "what is atom", "What is AN atom?!…"),
        ("日本の首都は？", "日本の首都は", "日本の首都は？"),
        ("caf\u0065\u0301", "caf\u00e9", "caf\u00e9"),
        ("the 'theory' of a", "'theory' of", "the 'theory' of a"),
    ],
)
def test_questions_are_folded_as_the_parent_folds_them(text: str, loose: str, strict: str) -> None:
    assert fg0.canonical_question(text) == loose
    assert fg0.canonical_question(text, fg0.QuestionMode.STRICT) == strict
    assert unicodedata.is_normalized("NFC", fg0.canonical_question(text))
    assert fg0.question_hash(text) == sha(loose)


def test_the_parents_cache_key_collides_as_its_rule_says() -> None:
    same = {
        "source_root": "s", "question_hash": "q", "model_profile_hash": "m",
        "conversation_hash": "c", "governance_policy_hash": "g",
    }  # fmt: skip
    one = fg0.CacheDimensions(**same, schema_version="v9.8.0", canonicalization_version="norm-v1")
    two = fg0.CacheDimensions(**same, schema_version="v9.8.0norm-", canonicalization_version="v1")
    assert fg0.cache_key(one) == fg0.cache_key(two)
    assert fg0.cache_key(one) == sha("sqmcgv9.8.0norm-v1tok-512-v1")


def test_the_audit_chain_links_each_event_to_the_one_before() -> None:
    first = fg0.event_hash({"b": 1, "a": 2})
    assert first == hashlib.sha256(bytes(32) + b'{"a":2,"b":1}').digest()
    assert fg0.event_hash({}, prev=first) == hashlib.sha256(first + b"{}").digest()


@pytest.mark.parametrize(
    ("mode", "sources", "quotes", "label"),
    [
        ("STRICT", 0, 0, None),
        ("HYBRID", 0, 3, "retrieval"),
        ("UNGROUNDED", 2, 0, "context"),
        ("HYBRID", 2, 3, "answer"),
    ],
)
def test_the_parents_three_failure_labels(
    mode: str, sources: int, quotes: int, label: str | None
) -> None:
    for verified in (0, quotes):
        found = fg0.localize_failure(
            audit_mode=mode, n_sources=sources, n_quotes=quotes, n_verified=verified
        )
        assert found == label
