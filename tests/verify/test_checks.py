"""Each check on its own: what it objects to, in which words, and what it leaves alone."""

from __future__ import annotations

import pytest

from firmground.core.claim import CheckNote, Claim, Standing
from firmground.core.evidence import Evidence
from firmground.verify.checks import CHECKS, CheckCase
from firmground.verify.reading import read

FRANCE = (
    "France is a country in Europe. The capital of France is Paris. "
    "The population of France is 67 million."
)
RECORD = (
    "{'name': 'Pace', 'city': 'Santa Barbara', 'state': 'CA', 'hours': {'Tuesday': '17:0-21:0', "
    "'Wednesday': '17:0-21:0', 'Thursday': '17:0-22:0', 'Friday': '17:0-22:0', "
    "'Saturday': '17:0-22:0'}, 'attributes': {'BusinessParking': {'garage': False, 'street': True}, "
    "'RestaurantsReservations': False, 'OutdoorSeating': False, 'WiFi': 'no', "
    "'RestaurantsTakeOut': True, 'Music': None}, 'business_stars': 4.0}"
)


def notes(claim: str, evidence: str, question: str = "") -> list[CheckNote]:
    pieces = [Evidence(text=evidence, id="E1")]
    reading = read(pieces)
    case = CheckCase(
        claim=Claim(text=claim, start=7, end=7 + len(claim)),
        passages=reading.select(claim, limit=6),
        reading=reading,
        question=question,
    )
    found = [note for check in CHECKS for note in check(case)]
    for note in found:
        if note.start is not None and note.end is not None:
            assert 7 <= note.start < note.end <= 7 + len(claim)
        for span in note.evidence:
            assert 0 <= span.start < span.end <= len(evidence)
    return found


def vetoes(claim: str, evidence: str, question: str = "") -> dict[str, Standing | None]:
    return {n.code: n.standing for n in notes(claim, evidence, question) if n.standing is not None}


OBJECTIONS = [
    ("The population of France is 999 million.", FRANCE, "number_differs", "contradicted"),
    ("The population of France is not 67 million.", FRANCE, "negation_added", "contradicted"),
    ("The capital of France is Berlin.", FRANCE, "name_differs", "contradicted"),
    ("France was founded in 843.", FRANCE, "date_absent", "ungrounded"),
    ("France was founded by Charles the Bald.", FRANCE, "name_absent", "ungrounded"),
    ("The error rate rose to 42 %.", "The error rate rose from 2% to 24%.", "number_differs", "contradicted"),
    ("The rate fell to 24% today.", "The rate rose to 24% today.", "opposite", "contradicted"),
    ("The tower is 300 metres tall.", "The tower is 330 metres tall.", "number_differs", "contradicted"),
    ("The tower was finished in 1899.", "The tower was finished in 1889.", "date_differs", "contradicted"),
    ("It was sold for 12 dollars.", "It was sold to a neighbour.", "number_absent", "ungrounded"),
    ("The config push caused the outage.", "A config push preceded the outage.", "cause_not_stated", "ungrounded"),
    ("Coffee causes cancer.", "Coffee is associated with cancer.", "cause_not_stated", "ungrounded"),
    ("The drug will reduce pain.", "The drug may reduce pain.", "certainty_raised", "ungrounded"),
    ("All patients improved with the drug.", "Some patients improved with the drug.", "quantifier_raised", "ungrounded"),
    ("The suspect was named by the police.", "The suspect was not named by the police.", "negation_dropped", "contradicted"),
    ("Jones sued Smith over the patent.", "Smith sued Jones over the patent.", "roles_swapped", "contradicted"),
    ("Acme was acquired in 2005.", "Acme was founded in 1990. Beta was acquired in 2005.", "said_of_another", "ungrounded"),
    ("The host db-13 runs nginx.", "The host db-12 runs nginx.", "identifier_differs", "contradicted"),
    ("It was fixed in v2.4.1 last week.", "It was fixed last week.", "identifier_absent", "ungrounded"),
    ("The oven is the largest of the kitchen.", "The oven of the kitchen is new.", "superlative_absent", "ungrounded"),
    ("The train leaves the station at 3:15 pm.", "The train leaves the station at 4:45 pm.", "time_differs", "contradicted"),
    ("He said “we will go to the moon”.", "He said we should go home.", "quote_absent", "ungrounded"),
    ("He called it “a very good idea”.", "He called it not a very good idea.", "quote_denied", "contradicted"),
    ("They offer outdoor seating.", RECORD, "field_differs", "contradicted"),
    ("They offer free WiFi.", RECORD, "field_differs", "contradicted"),
    ("They do not offer takeout.", RECORD, "field_differs", "contradicted"),
    ("Live music is offered.", RECORD, "field_empty", "ungrounded"),
    ("It is open from 5 PM to 9 PM every day.", RECORD, "hours_differ", "contradicted"),
    ("It is closed on Tuesday.", RECORD, "hours_differ", "contradicted"),
    ("It is open on Sundays.", RECORD, "hours_differ", "contradicted"),
    ("While there is no garage, takeout is not offered.", RECORD, "field_differs", "contradicted"),
    ("While there is no garage, takeout, or street parking, it is fine.", RECORD, "field_differs", "contradicted"),
    ("It is open Tuesday to Saturday, from 5 PM to 9 PM on Tuesday and 5 PM to 9 PM on Friday.", RECORD, "hours_differ", "contradicted"),
    ("It is rated 4.5 stars.", RECORD, "number_differs", "contradicted"),
    ("Die Stadt hat 5 Millionen Einwohner.", "Die Stadt hat 3 Millionen Einwohner.", "number_differs", "contradicted"),
    ("Das Werk wurde nicht verkauft.", "Das Werk wurde verkauft.", "negation_added", "contradicted"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence", "code", "standing"), OBJECTIONS)
def test_a_check_objects(claim: str, evidence: str, code: str, standing: str) -> None:
    assert vetoes(claim, evidence).get(code) == standing


FINE = [
    ("While WiFi is not available, takeout is offered.", RECORD),
    ("Although there is no garage, the place does offer takeout.", RECORD),
    (
        "It is open Tuesday to Saturday, from 5 PM to 9 PM on Tuesday and 5 PM to 10 PM on Friday.",
        RECORD,
    ),
    ("The capital of France is Paris.", FRANCE),
    ("The population of France is 67 million.", FRANCE),
    ("France has about 67 million people.", FRANCE),
    ("The population is about 3 million.", "The population is 2,970,000."),
    ("Two men were arrested.", "Police arrested 2 men."),
    ("Rund 3 Millionen Menschen leben hier.", "Hier leben 2,97 Millionen Menschen."),
    ("It opened on 1 November 2020.", "It opened on 2020-11-01."),
    ("Jones was sued by Smith over the patent.", "Smith sued Jones over the patent."),
    ("Smith sued Jones over the patent.", "Smith sued Jones over the patent."),
    ("The drug may reduce pain.", "The drug may reduce pain."),
    ("No suspect was named by the police.", "The suspect was not named by the police."),
    ("Suspects have not been named.", "Suspects have yet to be named."),
    ("It is in Santa Barbara, California.", RECORD),
    ("It has no outdoor seating.", RECORD),
    ("It does not offer outdoor seating or reservations.", RECORD),
    ("Street parking is available.", RECORD),
    ("Takeout is offered.", RECORD),
    ("The data does not mention WiFi.", RECORD),
    ("There is no information about outdoor seating, WiFi or music.", RECORD),
    (
        "Open Tuesday to Wednesday 5 pm to 9 pm, and Thursday through Saturday 5 pm to 10 pm.",
        RECORD,
    ),
    ("It is closed on Sundays and Mondays.", RECORD),
    ("It has 4 out of 5 stars.", RECORD),
    ("The UN condemned it.", "The United Nations condemned it."),
    ("American troops left.", "Troops from America left."),
    ("He said “we should go home”.", "He said we should go home."),
    ("The outage was caused by a config push.", "A config push caused the outage."),
    ("In passage 2 the author agrees.", "The author agrees."),
    ("He did not only sing but also dance.", "He did sing and also dance."),
]


@pytest.mark.parametrize(("claim", "evidence"), FINE)
def test_what_the_source_says_is_left_alone(claim: str, evidence: str) -> None:
    assert vetoes(claim, evidence) == {}


def test_a_reason_can_be_read_by_a_person() -> None:
    reasons = {n.code: n.reason for n in notes("The rate is 42 % now.", "The rate is 24 % now.")}
    assert reasons["number_differs"] == "says 42 %, source says 24 %"


def test_the_evidence_span_is_the_very_value() -> None:
    found = notes("The rate is 42 % now.", "The rate is 24 % now.")
    (note,) = [n for n in found if n.code == "number_differs"]
    assert note.evidence[0].start == 12
    assert note.evidence[0].end == 16


def test_numbers_and_names_of_the_question_are_not_held_against_the_answer() -> None:
    claim = "The 25 largest cities of Ruritania are on the coast."
    assert "number_absent" in vetoes(claim, "The cities are on the coast.")
    question = "Where are the 25 largest cities of Ruritania?"
    codes = vetoes(claim, "The cities are on the coast.", question)
    assert not {"number_absent", "name_absent"} & set(codes)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The answer is 2.", "Paris has two million inhabitants."),
        ("The answer is two and 3.", "Ulm made 3 billion euros and 3 million of debt."),
    ],
)
def test_the_two_of_two_million_is_no_two(claim: str, evidence: str) -> None:
    assert "number_absent" in vetoes(claim, evidence)
    assert "number_absent" not in vetoes(claim, f"{evidence} It took 2 or 3 years.")


def test_a_number_that_very_many_passages_hold_is_not_looked_up_in_each() -> None:
    many = [f"Town {chr(65 + at)}x has two million inhabitants." for at in range(17)]
    assert "number_absent" in vetoes("The answer is 2.", " ".join(many[:16]))
    assert "number_absent" not in vetoes("The answer is 2.", " ".join(many))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It says “pаy the full sum now”.", "It says pay the full sum now."),  # Cyrillic а
        ("It says “pay the f\u200bull sum now”.", "It says pay the full sum now."),
        ("It says “pay 2⁵ euros right now”.", "It says pay 25 euros right now."),
    ],
)
def test_a_disguised_quotation_never_counts_as_exact(claim: str, evidence: str) -> None:
    codes = {note.code for note in notes(claim, evidence)}
    assert "quote_exact" not in codes
    assert codes & {"quote_absent", "quote_disguised"}


def test_honest_variants_of_a_quotation_count_as_exact() -> None:
    composed = notes("He said “the café is\u00a0open now”.", "He said the cafe\u0301 is open now.")
    assert "quote_exact" in {note.code for note in composed}
