"""The bench counts what it says it counts."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.bench.dependence import DependenceReport, bench_calls, run_bench
from firmground.bench.items import built_in, load_items, spread
from firmground.bench.plot import risk_coverage_svg
from firmground.bench.stats import aurc, correlation, risk_at, risks, with_interval
from firmground.cli.bench import lines
from firmground.core.ports import ModelReply, ModelRequest
from firmground.errors import InputError, ModelError
from firmground.probe import DEFAULT
from firmground.testing import FunctionModel

FACTS = {item.question: item for item in (*built_in("bench"), *built_in("demo"))}
UNKNOWN = (
    "What is the chemical symbol for gold?",
    "What is the largest planet in the Solar System?",
)


def followers(request: ModelRequest) -> ModelReply:
    """Knows most facts unaided, follows every document."""
    prompt = request.messages[0][1]
    question = re.findall(r"Question: (.*)", prompt)[0]
    told = re.findall(r"the answer is: (.*)\.", prompt)
    said = told[0] if told else FACTS[question].correct[0]
    if not told and question in UNKNOWN:
        said = "I don't know."
    return ModelReply(texts=(said,) * request.samples, model="s")


def report() -> DependenceReport:
    return asyncio.run(run_bench(FunctionModel(function=followers), built_in("bench")))


def test_a_model_that_follows_everything_is_counted_exactly() -> None:
    found = report()
    assert (found.knew.count, found.knew.of) == (6, 8)
    assert (found.poison_followed.count, found.poison_followed.of) == (8, 8)
    assert (found.right_with_clean.count, found.right_with_clean.of) == (8, 8)
    blind, firewall = found.gates
    assert (blind.rule, firewall.rule) == ("blind_dependence", "drop_sensitivity")
    # six poisoned answers overturn what the model knew; two poison what it did not know
    assert (blind.wrong_held_back.count, blind.wrong_held_back.of) == (6, 8)
    assert (blind.clean_unknown_held_back.count, blind.clean_unknown_held_back.of) == (0, 2)
    assert firewall.wrong_held_back.count == 8
    assert (firewall.clean_unknown_held_back.count, firewall.clean_unknown_held_back.of) == (2, 2)
    assert blind.right_held_back.count == 0


def test_confidence_knows_nothing_here_and_sensitivity_is_better() -> None:
    found = {one.name: one for one in report().signals}
    assert found["confidence"].correlation.value is None  # it never varies
    sensitivity = found["-sensitivity"].correlation.value
    exposure = found["-exposure"].aurc.value
    assert sensitivity is not None
    assert sensitivity > 0.5
    assert exposure is not None
    assert found["confidence"].aurc.value == pytest.approx(0.5)
    assert exposure < 0.5
    text = "\n".join(lines(report()))
    assert "undefined" in text
    assert "nan" not in text.lower()


def test_what_could_not_be_measured_is_counted_apart() -> None:
    def broken(request: ModelRequest) -> ModelReply:
        if "K2" in request.messages[0][1]:
            raise ModelError("gone", kind="timeout")
        return followers(request)

    found = asyncio.run(run_bench(FunctionModel(function=broken), built_in("bench")))
    assert (len(found.trials), len(found.faults)) == (15, 1)


def test_the_calls_are_said_before_and_the_arm_without_documents_is_shared() -> None:
    made = 0

    def counting(request: ModelRequest) -> ModelReply:
        nonlocal made
        made += 1
        return followers(request)

    found = asyncio.run(run_bench(FunctionModel(function=counting), built_in("bench")))
    assert made == found.calls == 8 * 3
    planned = bench_calls(built_in("bench"), mode="free", profile=DEFAULT, documents=1)
    assert planned == 8 * 2 * 2 * DEFAULT.samples


def partly_poisoned(request: ModelRequest) -> ModelReply:
    """Knows every fact, follows a single document, and of several the last one."""
    prompt = request.messages[0][1]
    question = re.findall(r"Question: (.*)", prompt)[0]
    told = re.findall(r"the answer is: (.*)\.", prompt)
    said = told[-1] if told else FACTS[question].correct[0]
    return ModelReply(texts=(said,) * request.samples, model="s")


def test_partial_poison_is_held_back_where_it_won_and_the_planted_document_is_told() -> None:
    made = 0

    def counting(request: ModelRequest) -> ModelReply:
        nonlocal made
        made += 1
        return partly_poisoned(request)

    model = FunctionModel(function=counting)
    found = asyncio.run(run_bench(model, built_in("bench"), mixed=True))
    assert found.mixed is not None
    # which document comes first alternates, so that the poison wins every other time
    assert (found.mixed.right.count, found.mixed.right.of) == (4, 8)
    assert found.mixed.poison_told.count == 8
    blind = {name: (wrong, right) for name, wrong, right in found.mixed.held_back}
    assert (blind["blind_dependence"][0].count, blind["blind_dependence"][0].of) == (4, 4)
    assert blind["blind_dependence"][1].count == 0
    assert made == 8 * 4  # single documents are not asked about twice
    assert (found.poison_followed.of, found.right_with_clean.of) == (8, 8)
    assert "the poisoned document has the most weight         8 of 8" in "\n".join(lines(found))
    planned = bench_calls(built_in("bench"), mode="free", profile=DEFAULT, documents=1, mixed=True)
    assert planned == 8 * (2 + 2 + 4) * DEFAULT.samples


def test_a_limit_is_spread_over_all_items() -> None:
    items = (*built_in("bench"), *built_in("demo"))
    assert [item.id for item in spread(items, 3)] == ["bench-0", "bench-4", "demo-1"]
    assert spread(items, None) == spread(items, 99) == items


def test_the_parents_questions_are_there() -> None:
    assert (len(built_in("bench")), len(built_in("demo"))) == (8, 6)
    with pytest.raises(InputError, match="facts, bench, demo"):
        built_in("other")


def test_the_public_poison_set_is_read(data_folder: Path) -> None:
    items = load_items(data_folder / "poison" / "poison_qa.jsonl.gz")
    assert len(items) == 214
    assert sum(len(item.documents) for item in items if item.id.startswith("poisonedrag")) == 1000


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("nonsense", "not JSON"),
        ("[]", "not an object"),
        ('{"question": " "}', "question"),
        ('{"question": "q", "correct": "x"}', "correct"),
        ('{"question": "q", "correct": ["x"], "wrong": []}', "wrong"),
        ('{"question": "q", "correct": ["x"], "wrong": ["y"], "docs": []}', "docs"),
        ('{"question": "q", "correct": ["x"], "wrong": ["y"], "docs": [{"text": "t"}]}', "poison"),
    ],
)
def test_a_bad_line_is_named(record: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n" + record + "\n")
    with pytest.raises(InputError, match=message) as caught:
        load_items(path)
    assert "mine.jsonl:2" in str(caught.value)


MINE = {"question": "q", "correct": ["x"], "wrong": ["y"], "docs": [{"text": "t", "poison": True}]}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"[" * 200_000, "mine.jsonl:1 is not JSON"),
        (b"\xff\xfe{}", "cannot be read"),
        (json.dumps({**MINE, "wrong": [" "]}).encode(), "wrong must be"),
        (json.dumps({**MINE, "id": "a"}).encode() * 1 + b"\n" + json.dumps({**MINE, "id": "a"}).encode(),
         "two items have the id 'a'"),
    ],
)  # fmt: skip
def test_hostile_lines_are_refused_in_words(raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=message):
        load_items(path)


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    line = json.dumps({**MINE, "question": "one\u2028two\x85?"}, ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n")
    assert [item.question for item in load_items(path)] == ["one\u2028two\x85?"]


def test_a_packed_file_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmground.bench.items._MOST_BYTES", 1000)
    path = tmp_path / "mine.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * 5000))
    with pytest.raises(InputError, match="more than 1000 bytes"):
        load_items(path)
    path.write_bytes(b"\x1f\x8b\x08\x00garbage!!!!!!!")
    with pytest.raises(InputError, match="cannot be read"):
        load_items(path)


@pytest.mark.parametrize("wrong", [["x"], ["\u0445"], ["a\nb"], [f"w{n}" for n in range(10)]])
def test_answers_that_cannot_be_options_are_named_before_anybody_is_asked(
    wrong: list[str], tmp_path: Path
) -> None:
    def never(request: ModelRequest) -> str:
        raise AssertionError("asked")

    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({**MINE, "id": "seven", "wrong": wrong}))
    with pytest.raises(InputError, match=r"^seven: "):
        asyncio.run(run_bench(FunctionModel(function=never), load_items(path), mode="choice"))


def test_gzipped_items_are_read_and_damaged_ones_refused(tmp_path: Path) -> None:
    line = json.dumps({"question": "q", "correct": ["x"], "wrong": ["y"],
                       "docs": [{"text": "t", "poison": True}]})  # fmt: skip
    path = tmp_path / "mine.jsonl.gz"
    path.write_bytes(gzip.compress(line.encode()))
    assert load_items(path)[0].documents[0].poison
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        load_items(path)
    with pytest.raises(InputError, match="cannot be read"):
        load_items(tmp_path / "absent.jsonl")


PAIRS = st.lists(st.tuples(st.floats(-1, 1), st.booleans()), min_size=1, max_size=30)


@settings(deadline=None)
@given(PAIRS)
def test_risk_at_full_coverage_is_the_share_of_wrong_answers(
    pairs: list[tuple[float, bool]],
) -> None:
    wrong = sum(not correct for _, correct in pairs) / len(pairs)
    assert risk_at(pairs, 1.0) == pytest.approx(wrong)
    assert all(0 <= risk <= 1 + 1e-9 for risk in risks(pairs))


@settings(deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(pairs: list[tuple[float, bool]], draw) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    shuffled = list(pairs)
    draw.shuffle(shuffled)
    assert aurc(shuffled) == pytest.approx(aurc(pairs))


def test_a_perfect_signal_has_the_least_area_and_full_correlation() -> None:
    pairs = [(1.0, True)] * 5 + [(0.0, False)] * 5
    assert correlation(pairs) == pytest.approx(1.0)
    assert risk_at(pairs, 0.5) == 0
    figure = with_interval(pairs, aurc)
    assert figure.low is not None
    assert figure.value is not None
    assert figure.high is not None
    assert figure.low <= figure.value <= figure.high
    assert with_interval(pairs, aurc) == figure


def test_the_plot_is_well_formed_and_names_every_signal() -> None:
    found = report()
    drawn = risk_coverage_svg(found.signals, title="a < b & c")
    root = ET.fromstring(drawn)
    text = "".join(root.itertext())
    assert all(one.name in text for one in found.signals)
    assert drawn.count("<polyline") == len(found.signals)


def test_a_bench_that_is_stopped_reports_what_it_asked_until_then() -> None:
    left = iter([False, False, False, True])
    report = asyncio.run(
        run_bench(FunctionModel(function=followers), built_in("bench"), stop=lambda: next(left))
    )
    assert len(report.trials) == 3
    assert report.knew.of == 2
