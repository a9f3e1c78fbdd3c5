"""Framed evidence supports only the framed statement; an invented cause does not stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.verify.believing import judged, judged_one

from firmground.core.claim import Claim, Standing
from firmground.core.evidence import Evidence
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.framed import FRAMING_FEATURES, framing_features
from firmground.verify.framing import framings, passage_framings
from firmground.verify.framing_cues import FrameKind
from firmground.verify.reading import read

DATA = Path(__file__).resolve().parents[1] / "data"


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def right(name: str) -> tuple[int, int, int, int]:
    """How many statements fall that should, of how many; how many stand that should, of how many."""
    counts = [0, 0, 0, 0]
    for row in rows(name):
        evidence = row["evidence"]
        pieces = evidence if isinstance(evidence, list) else [str(evidence)]
        stands = _one(str(row["statement"]), *pieces).stands
        honest = row["label"] == "supported"
        counts[2 if honest else 0] += stands == honest
        counts[3 if honest else 1] += 1
    return counts[0], counts[1], counts[2], counts[3]


def _one(statement: str, *evidence: str) -> Standing:
    """The standing of a statement; of several claims that of one which falls."""
    found = [one.standing for one in judged(statement, *evidence)]
    return next((standing for standing in found if not standing.stands), found[0])


@pytest.mark.parametrize(
    ("name", "fall", "stand"),
    [
        ("framing_pairs.jsonl", 0.96, 0.98),
        ("framing_blind.jsonl", 0.96, 0.96),
        ("framing_later.jsonl", 0.85, 0.95),
        ("cause_pairs.jsonl", 0.9, 0.95),
    ],
)
def test_pairs(name: str, fall: float, stand: float) -> None:
    fallen, false, stood, honest = right(name)
    print(f"{name}: {fallen} of {false} false fall, {stood} of {honest} honest stand")
    assert false == honest
    assert fallen >= fall * false
    assert stood >= stand * honest


@pytest.mark.parametrize(
    ("text", "kind", "cue", "content"),
    [
        ("It is a myth that bulls hate red.", "denied", "It is a myth that", "bulls hate red."),
        ('The claim "it is free" is false.', "denied", "is false", "it is free"),
        ("We do not ship on Sundays, but we ship on Mondays.", "denied", "not", "We do not ship on Sundays"),
        ("Critics allege that it leaks.", "reported", "allege that", "it leaks."),
        ("If approved, the road would open in May.", "hypothetical", "If", "If approved, the road would open in May."),
        ("Until 2023, the limit was 100.", "former", "Until 2023", ", the limit was 100."),
        ("We plan to add dark mode.", "proposed", "plan to", "add dark mode."),
        ("They withdrew their claim that it works.", "retracted", "withdrew their claim that", "it works."),
        ("It is unclear whether it works.", "questioned", "whether", "it works."),
        ('The slogan "it works" was banned.', "quoted", "slogan", "it works"),
    ],
)  # fmt: skip
def test_a_framing_names_its_cue_and_its_content(
    text: str, kind: str, cue: str, content: str
) -> None:
    found = [
        (text[slice(*one.cue)].strip(), text[slice(*one.content)].strip())
        for one in framings(text)
        if one.kind == kind and one.strong
    ]
    assert (cue, content) in found


@pytest.mark.parametrize(
    ("text", "answer", "kind"),
    [
        ("Are pets allowed?", "No. Guide dogs are.", FrameKind.DENIED),
        ("Are pets allowed?", "Yes, in two rooms.", None),
        ("Are pets allowed?", "Ask the landlord.", FrameKind.QUESTIONED),
    ],
)
def test_a_question_is_framed_by_its_answer(text: str, answer: str, kind: FrameKind | None) -> None:
    reading = read((Evidence(text=f"{text}\n\n{answer}"),))
    found = passage_framings(reading.passages[0], reading)
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_text_struck_through_over_several_sentences_is_former() -> None:
    text = "~~The fee is 5 euros. Cards are refused.~~ The fee is 7 euros. Cards are accepted."
    assert _one("The fee is 5 euros.", text) is Standing.CONTRADICTED
    assert _one("The fee is 7 euros.", text) is Standing.GROUNDED
    assert not _one("Cards are refused.", text).stands


@pytest.mark.parametrize(
    ("source", "false", "true"),
    [
        (
            "Customer data was not affected by the outage on 4 May 2023.",
            "Customer data was affected by the outage on 4 May 2023.",
            "Customer data was not affected by the outage.",
        ),
        (
            "We do not offer a free trial, but we offer a guarantee.",
            "Yes, we offer a free trial.",
            "We offer a guarantee.",
        ),
        (
            "The lift is not in service, which is why visitors use the stairs in hall B.",
            "The lift is in service.",
            "Visitors use the stairs in hall B.",
        ),
        (
            "Cash is not accepted on board; tickets are sold online.",
            "Cash is accepted on board.",
            "Tickets are sold online.",
        ),
    ],
)
def test_a_trailing_clause_does_not_switch_a_negation_off(
    source: str, false: str, true: str
) -> None:
    assert _one(false, source) is Standing.CONTRADICTED
    assert _one(true, source) is Standing.GROUNDED


def test_what_another_passage_tells_plainly_stands() -> None:
    rumour = "Critics allege that Brenta underpays its drivers."
    found = "The labour court found in March that Brenta underpays its drivers."
    assert not _one("Brenta underpays its drivers.", rumour).stands
    assert _one("Brenta underpays its drivers.", rumour, "Brenta underpays its drivers.").stands
    assert _one("Brenta underpays its drivers.", rumour, found).stands


def test_a_neutral_attribution_is_a_remark_and_no_veto() -> None:
    one = judged_one("The road opens in May.", "The minister said that the road opens in May.")
    assert one.standing.stands
    assert "attribution_dropped" in {note.code for note in one.notes}


def test_features_have_their_names_and_follow_the_frame() -> None:
    def figures(statement: str, source: str) -> dict[str, float]:
        reading = read((Evidence(text=source),))
        claim = Claim(text=statement, start=0, end=len(statement))
        case = CheckCase(claim=claim, passages=reading.passages, reading=reading)
        return dict(zip(FRAMING_FEATURES, framing_features(case), strict=True))

    source = "It is a myth that bulls hate the colour red."
    false = figures("Bulls hate the colour red.", source)
    true = figures("It is a myth that bulls hate the colour red.", source)
    assert (false["fr_dropped"], false["fr_denied"]) == (1.0, 1.0)
    assert (true["fr_dropped"], true["fr_kept"]) == (0.0, 1.0)
    assert figures("Bulls hate the colour red.", "Bulls hate the colour red.")["fr_asserted"] == 1.0


def test_lines_of_one_log_name_no_cause() -> None:
    log = "\n".join(
        [
            "10:02 deploy config push 4411 finished",
            "10:05 edge-3 connection refused",
            "10:07 outage declared for region eu-west",
        ]
    )
    one = judged_one("The outage was caused by the config push.", log)
    assert (one.standing, one.code) == (Standing.UNGROUNDED, "cause_not_stated")
    told = f"{log}\nThe outage was caused by the config push."
    assert _one("The outage was caused by the config push.", told) is Standing.GROUNDED


def test_one_sentence_five_thousand_times_still_supports_it() -> None:
    many = "The sky is blue. " * 5000
    assert _one("The sky is blue.", many) is Standing.GROUNDED
    assert not _one("The sky is not blue.", many).stands


@pytest.mark.parametrize(
    "piece",
    ["not ", "if it would ", "he said that ", "no evidence that ", "is it so? ", "a claim that ", "~~a~~ ",
     "was until ", "may ", '"a quotation of words" ', "formerly, "],
)  # fmt: skip
def test_cost_grows_in_proportion(piece: str, grows_straight: Any) -> None:
    def work(times: int) -> object:
        text = piece * times
        framings.cache_clear()
        return judged_one(
            f"The sky is {text} blue.", f"The sky is {text} blue.", f'{{"a": "{times}"}}'
        )

    assert grows_straight(work, 2_000)
