"""Wrong claims beside their true twins: the one falls by a check, the other stands.

The scorer believes everything, so that whatever falls was brought down by a compared value.
"""

from __future__ import annotations

import json

import pytest
from tests.verify.believing import judged_one

from firmground.core.evidence import Evidence, Trust
from firmground.verify.values.verbs import verb_key

PARIS = "The capital of France is Paris. The population of France is 67 million."
COUNTED = "The capital of France is Paris. About 67 million people live in France."
CAFES = json.dumps([{"name": "Harbor Cafe", "stars": 4}, {"name": "Lake Bistro", "stars": 5}])
LAKE = "Lake Victoria is the second largest lake in Africa."
WEEK = "Monday to Saturday 9-18, closed on Sundays."
MEETING = "The meeting takes place on Thursday at 15:00."
FREE, PAID, NONE = (json.dumps({"name": "Hotel", "WiFi": v}) for v in ("free", "paid", "no"))

WRONG = [
    ("Paris has a population of 67 million.", PARIS, "stitched"),
    ("The population of Paris is 67 million.", PARIS, "stitched"),
    ("Paris has 67 million inhabitants.", PARIS, "stitched"),
    ("Paris has 67 million people.", COUNTED, "stitched"),
    ("Harbor Cafe has a rating of 5 stars.", CAFES, "row_differs"),
    ("Anna Miller was born in 1970.", "Anna Miller married Tom Baker. Tom Baker was born in 1970.", "stitched"),
    ("The company will cut jobs.", "The company may cut 200 jobs in May.", "certainty_raised"),
    ("The vaccine causes headaches.", "The vaccine could cause headaches.", "possibility_as_fact"),
    ("The company cut 200 jobs in May.", "The company plans to cut 200 jobs in May.", "plan_as_fact"),
    ("The bank raised interest rates in June.", "The bank expects to raise interest rates in June.", "plan_as_fact"),
    ("The man stole the car.", "The man is accused of stealing the car.", "allegation_as_fact"),
    ("The man stole the car.", "The man allegedly stole the car.", "allegation_as_fact"),
    ("Jones was convicted of the murder.", "Jones is accused of the murder.", "allegation_as_fact"),
    ("Lake Victoria is the largest lake in Africa.", LAKE, "rank_differs"),
    ("Lake Victoria is the third largest lake in Africa.", LAKE, "rank_differs"),
    ("Lake Victoria is the second largest lake in Africa.", "Lake Victoria is the largest lake in Africa.", "rank_differs"),
    ("Lake Victoria is the largest lake in Africa.", "Lake Victoria is one of the largest lakes in Africa.", "rank_raised"),
    ("The shop is open on Sundays.", WEEK, "open_days_differ"),
    ("The shop is closed on Saturdays.", "The shop is open Monday to Saturday.", "open_days_differ"),
    ("Dogs are forbidden in the park.", "Dogs are allowed in the park.", "opposite"),
    ("Smoking is permitted in the rooms.", "Smoking is prohibited in the rooms.", "opposite"),
    ("Breakfast is included in the price.", "Breakfast is excluded from the price.", "opposite"),
    ("Sales decreased by 4 percent in June.", "Sales increased by 4 percent in June.", "opposite"),
    ("The parking is paid.", "The parking is free.", "opposite"),
    ("The room comes with a balcony.", "The room comes without a balcony.", "negation_dropped"),
    ("The hotel does not offer free Wi-Fi.", FREE, "field_differs"),
    ("The hotel offers free Wi-Fi.", NONE, "field_differs"),
    ("The hotel offers free Wi-Fi.", PAID, "field_differs"),
    ("The meeting is on Tuesday at 3 pm.", MEETING, "weekday_differs"),
    ("The museum opened on Monday.", "The museum opened on Tuesday.", "weekday_differs"),
]  # fmt: skip
UNGROUNDED = {
    "stitched", "said_of_another", "certainty_raised", "possibility_as_fact", "plan_as_fact",
    "allegation_as_fact", "rank_raised",
}  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence", "code"), WRONG)
def test_a_wrong_claim_falls_for_the_right_reason(claim: str, evidence: str, code: str) -> None:
    found = judged_one(claim, evidence)
    assert found.code == code
    assert found.standing == ("ungrounded" if code in UNGROUNDED else "contradicted")
    assert found.evidence


TRUE = [
    ("France has a population of 67 million.", PARIS),
    ("The population of France is 67 million.", "France is in Europe. Its population is 67 million."),
    ("France has 67 million people.", COUNTED),
    ("Paris has 2 million people.", "Paris is the capital of France. It has 2 million people."),
    ("Paris is home to 2 million people.", "Paris is the capital. 2 million people live there."),
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower stands in Paris. The tower is 330 metres tall."),
    ("Anna Miller was born in 1970.", "Anna Miller is a painter. Born in 1970 in Berlin."),
    ("Lake Bistro has a rating of 5 stars.", CAFES),
    ("The company may cut jobs.", "The company will cut 200 jobs in May."),
    ("The company will cut 200 jobs.", "The company plans to cut 200 jobs."),
    ("The company plans to cut 200 jobs in May.", "The company plans to cut 200 jobs in May."),
    ("The company cut 200 jobs in May.", "The company had planned to cut 200 jobs in May. It cut 200 jobs in May."),
    ("The man allegedly stole the car.", "The man allegedly stole the car."),
    ("The man allegedly stole the car.", "The man is accused of stealing the car."),
    ("Jones was convicted of the murder.", "Jones was accused of the murder. He was convicted in May."),
    ("Brigsby Bear has 35 reviews on Metacritic.", "Brigsby Bear is a film. On Metacritic the film has a score of 68, based on 35 reviews."),
    ("The dress did not inspire hashtags.", "The dress could not inspire hashtags."),
    ("Save the recovery key on a disk.", "Choose where you plan to save the recovery key on a disk."),
    ("Prices fell while production costs rose.", "A harvest drove prices down while production costs rose."),
    ("Lake Victoria is the second largest lake in Africa.", "Lake Victoria is the second-largest lake in Africa."),
    ("Lake Victoria is one of the largest lakes in Africa.", LAKE),
    ("Lake Victoria is the largest lake in Africa.", "Lake Victoria is the largest lake in Africa and the second largest lake in the world."),
    ("Lake Victoria is the largest lake in Africa.", "Lake Victoria in Africa is the second largest freshwater lake in the world."),
    ("The shop is closed on Sundays.", WEEK),
    ("The shop is open Monday to Friday.", "Open Monday to Friday, closed on weekends."),
    ("The shop is open on Saturdays.", "The shop is open Monday to Saturday. The cafe is closed on Saturdays."),
    ("The shop is open on Sundays.", "The shop is open on Sundays. The shop is closed on Sundays in winter."),
    ("Smoking is not permitted in the rooms.", "Smoking is prohibited in the rooms."),
    ("The hotel offers free Wi-Fi.", FREE),
    ("The hotel offers paid Wi-Fi.", PAID),
    ("The hotel does not offer free Wi-Fi.", PAID),
    ("The hotel does not offer free Wi-Fi.", NONE),
    ("The meeting is on Thursday at 3 pm.", MEETING),
    ("The meeting is on Tuesday.", "The board meeting is on Thursday. The staff meeting is on Tuesday."),
    ("The meeting is on Thursday.", "The meeting was moved from Tuesday to Thursday."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence"), TRUE)
def test_its_true_twin_stands(claim: str, evidence: str) -> None:
    found = judged_one(claim, evidence)
    assert found.standing == "grounded", found.reason


def test_the_reason_names_both_days() -> None:
    found = judged_one("The meeting is on Tuesday at 3 pm.", MEETING)
    assert found.reason == "says Tuesday, source says Thursday"


DOSE = "The dose of Paravex is {} mg in one day."


def source(name: str, dose: int, trust: Trust = Trust.RETRIEVED) -> Evidence:
    return Evidence(text=DOSE.format(dose), id=name, trust=trust)


def test_more_trusted_sources_against_a_claim_contradict_it_and_are_pointed_at() -> None:
    forum = source("forum", 40, Trust.UNTRUSTED)
    leaflet = Evidence(text="Paravex tablets. The dose is 4 mg in one day.", id="leaflet")
    found = judged_one(DOSE.format(40), forum, leaflet)
    assert (found.standing, found.code) == ("contradicted", "sources_against")
    assert found.reason == "forum says 40 mg, but leaflet says 4 mg"
    assert [leaflet.text[s.start : s.end] for s in found.evidence] == ["4 mg"]
    assert {span.evidence_id for span in found.evidence} == {"leaflet"}


def test_more_numerous_sources_against_a_claim_contradict_it() -> None:
    found = judged_one(DOSE.format(40), source("a", 40), source("b", 4), source("c", 4))
    assert (found.standing, found.code) == ("contradicted", "sources_against")
    assert found.reason == "a says 40 mg, but b and c say 4 mg"


@pytest.mark.parametrize(
    ("claim", "others"),
    [
        ("Bridge 1 opened in 1901.", ["Bridge 180 opened in 1901.", "Bridge 90 opened in 1901."]),
        ("Bridge 1 opened in 1901.", ["Bridge 2 opened in 1902.", "Bridge 3 opened in 1903."]),
        ("Section 4 was amended.", ["Section 7 was amended.", "Section 9 was amended."]),
    ],
)
def test_a_number_in_a_name_is_no_value_that_another_source_could_deny(
    claim: str, others: list[str]
) -> None:
    pieces = [Evidence(text=text, id=f"s{at}") for at, text in enumerate([claim, *others])]
    assert judged_one(claim, *pieces).standing == "grounded"


@pytest.mark.parametrize(
    "text", ["In Berlin {} people were hurt.", "About {} people were hurt in Berlin."]
)
def test_a_number_that_counts_is_no_part_of_a_name(text: str) -> None:
    pieces = [Evidence(text=text.format(n), id=f"s{at}") for at, n in enumerate((40, 90, 90))]
    assert judged_one(text.format(40), *pieces).code == "sources_against"


def test_sources_that_differ_in_different_ways_are_told_apart() -> None:
    doses = [source(name, dose) for name, dose in zip("abcde", (40, 4, 5, 6, 7), strict=True)]
    found = judged_one(DOSE.format(40), *doses)
    assert found.reason == (
        "a says 40 mg, but b says 4 mg, c says 5 mg, d says 6 mg, and 1 more differ"
    )


@pytest.mark.parametrize("trust", [Trust.RETRIEVED, Trust.VOUCHED])
def test_one_source_against_one_no_better_leaves_the_claim_without_ground(trust: Trust) -> None:
    found = judged_one(DOSE.format(40), source("a", 40, trust), source("b", 4))
    assert (found.standing, found.code) == ("ungrounded", "sources_disagree")


def test_a_claim_that_most_and_no_worse_sources_bear_out_stands_with_a_remark() -> None:
    pieces = source("a", 4, Trust.VOUCHED), source("b", 4), source("forum", 40, Trust.UNTRUSTED)
    found = judged_one(DOSE.format(4), *pieces)
    assert found.standing == "grounded"
    assert "a and b say 4 mg, but forum says 40 mg" in {note.reason for note in found.notes}


@pytest.mark.parametrize(
    "other",
    [
        "For children the dose of Paravex is 4 mg in one day.",
        "The dose of Veraparin is 4 mg in one day.",
        "The starting dose of Paravex in one day is 4 mg before surgery.",
        "Until 2019 the dose of Paravex was 4 mg in one day.",
        "The dose of Paravex is not 4 mg in one day.",
        "The dose of Paravex is 40 mg in one day, and a tablet has 4 mg.",
    ],
)
def test_a_source_that_speaks_of_something_else_does_not_disagree(other: str) -> None:
    found = judged_one(DOSE.format(40), source("a", 40), Evidence(text=other, id="b"))
    assert found.standing == "grounded", found.reason


def test_sources_that_differ_by_year_of_the_matter_do_not_disagree() -> None:
    found = judged_one(
        "Revenue was 5 million dollars in 2020.",
        "Revenue was 5 million dollars in 2020.",
        "Revenue was 4 million dollars in 2019.",
    )
    assert found.standing == "grounded", found.reason


def test_sources_that_give_different_years_for_one_event_disagree() -> None:
    found = judged_one(
        "The bridge opened in 1932.", "The bridge opened in 1932.", "The bridge opened in 1937."
    )
    assert found.code == "sources_disagree"


@pytest.mark.parametrize("forms", ["steal stole stealing", "cut cutting cuts", "raise raised"])
def test_the_forms_of_a_verb_meet(forms: str) -> None:
    assert len({verb_key(form) for form in forms.split()}) == 1


SERVICES = "The aiden-scheduler failed in developer-eks. It restarted at 9:40."


@pytest.mark.parametrize(
    "claim",
    [
        "The payment-processor failed in prod-cluster.",
        "The payment-processor failed in prod-cluster at 9:40.",
    ],
)
def test_a_service_that_nobody_named_is_not_the_one_that_failed(claim: str) -> None:
    one = judged_one(claim, SERVICES)
    assert (one.standing.value, one.code) == ("contradicted", "identifier_differs")
    assert one.reason == "says payment-processor, source says aiden-scheduler"


@pytest.mark.parametrize(
    "claim",
    [
        "The aiden-scheduler failed in developer-eks.",
        "The long-running aiden-scheduler failed in developer-eks.",
        "The aiden scheduler failed.",
    ],
)
def test_the_service_that_was_named_is(claim: str) -> None:
    assert judged_one(claim, SERVICES).standing.stands


def test_a_claim_with_nothing_to_rest_on_is_not_called_complementary() -> None:
    one = judged_one("Nobody was hurt.", SERVICES)
    assert one.standing.value == "ungrounded"
