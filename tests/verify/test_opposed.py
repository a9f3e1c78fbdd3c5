"""Claims that turn their source around, class by class, beside twins that say it rightly.

The scorer believes everything, so that whatever falls was brought down by a check.
"""

from __future__ import annotations

import json

import pytest
from tests.verify.believing import judged_one

HOSTS_CSV = "host,disk_free_gb,cpu\na,12,90\nb,40,10\n"
HOSTS_JSON = json.dumps([{"host": "a", "disk_free_gb": 12}, {"host": "b", "disk_free_gb": 40}])
PEOPLE = "name,city,age\nAlice Jones,Berlin,30\nBob Smith,Paris,41\n"
REGIONS = json.dumps(
    [
        {"name": "eu-west", "status": "degraded", "latency_ms": 340},
        {"name": "us-east", "status": "healthy", "latency_ms": 80},
    ]
)
SERVICES = (
    "Fleet overview.\n\n| Service | Owner | Replicas |\n|:--|:--:|--:|\n"
    "| checkout | Team Red | 6 |\n| search | Team Blue | 3 |\n\nEnd of table."
)
REVENUE = "region\trevenue\tgrowth\nNorth\t120\t5%\nSouth\t90\t-2%\n"
ROLLOUT = "Run `kubectl rollout restart deployment web` to fix it."

WRONG = [
    # needed or not
    ("Restart needs no approval.", "A restart requires approval.", "negation_added"),
    ("A restart does not require approval.", "A restart requires approval.", "negation_added"),
    ("A restart requires approval.", "A restart needs no approval.", "negation_dropped"),
    ("The deploy happens without approval.", "The deploy requires approval.", "negation_added"),
    ("No backup is needed.", "A backup is required.", "negation_added"),
    ("The disk was the cause.", "The disk was ruled out as the cause.", "negation_dropped"),
    # opposites
    ("Smoking is permitted in the lobby.", "Smoking is banned in the lobby.", "opposite"),
    ("Access was denied to the team.", "Access was allowed to the team.", "opposite"),
    ("The migration succeeded on Monday.", "The migration failed on Monday.", "opposite"),
    ("The node is online.", "The node is offline.", "opposite"),
    ("Logging is enabled by default.", "Logging is disabled by default.", "opposite"),
    ("The restart came before the outage.", "The restart came after the outage.", "opposite"),
    ("Der Umsatz sank um 5 Prozent.", "Der Umsatz stieg um 5 Prozent.", "opposite"),
    ("Les ventes ont augmenté en juin.", "Les ventes ont baissé en juin.", "opposite"),
    ("Las ventas subieron en junio.", "Las ventas bajaron en junio.", "opposite"),
    ("All regions were affected.", "Only the EU region was affected.", "quantifier_raised"),
    # how often, which role, which place in a row
    ("Backups run weekly.", "Backups run daily.", "frequency_differs"),
    ("The report is sent monthly.", "The report is sent every week.", "frequency_differs"),
    ("The CFO approved the budget.", "The CEO approved the budget.", "kind_differs"),
    ("The tenant pays for repairs.", "The landlord pays for repairs.", "kind_differs"),
    ("It was the third outage this year.", "It was the second outage this year.", "ordinal_differs"),
    ("She finished in fourth place.", "She finished in second place.", "ordinal_differs"),
    # how many
    ("Three servers failed.", "Two servers failed.", "number_differs"),
    ("A dozen servers were affected.", "Ten servers were affected.", "number_differs"),
    ("Sie hat drei Kinder.", "Sie hat zwei Kinder.", "number_differs"),
    # which way it went
    ("Revenue increased from $5 million to $3 million.", "Revenue increased from $3 million to $5 million.", "change_reversed"),
    ("Headcount grew from 400 to 250 in 2023.", "Headcount grew from 250 to 400 in 2023.", "change_reversed"),
    # what is to be typed
    ("Run `kubectl delete pod web` to fix it.", ROLLOUT, "code_differs"),
    ("Run `rm -rf /data` before the upgrade.", "Run `tar czf backup.tgz /data` before the upgrade.", "code_absent"),
    # rows
    ("disk_free_gb of host b is 12.", HOSTS_CSV, "row_differs"),
    ("Host b has 12 GB of free disk.", HOSTS_JSON, "row_differs"),
    ("Alice Jones is 41 years old.", PEOPLE, "row_differs"),
    ("Bob Smith lives in Berlin.", PEOPLE, "row_differs"),
    ("us-east is degraded.", REGIONS, "row_differs"),
    ("The checkout service has 3 replicas.", SERVICES, "row_differs"),
    ("Revenue in South was 120.", REVENUE, "row_differs"),
    # whom it is said of
    ("Backups are encrypted.", "Backups run nightly. Disks are encrypted.", "stitched"),
    ("The API is rate limited.", "The API is versioned. The website is rate limited.", "stitched"),
    # how binding it is
    ("Users must rotate keys every month.", "Users should rotate keys every month.", "obligation_raised"),
    ("Staff must wear a badge.", "Staff are encouraged to wear a badge.", "obligation_raised"),
    ("Users should rotate keys.", "Users must rotate keys.", "obligation_lowered"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence", "code"), WRONG)
def test_a_claim_that_turns_its_source_around_falls(claim: str, evidence: str, code: str) -> None:
    found = judged_one(claim, evidence)
    assert not found.standing.stands
    assert code in {note.code for note in found.notes if note.standing is not None}


TRUE = [
    ("A restart does not require approval.", "A restart needs no approval."),
    ("Restart needs no approval.", "A restart can be done without approval."),
    ("A restart requires approval.", "Restart needs approval."),
    ("The network was not the cause of the outage.", "The network was ruled out as the cause of the outage."),
    ("Smoking is prohibited in the lobby.", "Smoking is banned in the lobby."),
    ("The migration did not succeed on Monday.", "The migration failed on Monday."),
    ("The outage happened before the restart.", "After the outage the restart happened."),
    ("The restart came after the outage.", "The outage came before the restart."),
    ("Prices grew in March.", "Prices rose in March."),
    ("Backups run daily.", "Backups run every day."),
    ("Alerts are sent hourly.", "Alerts are sent once per hour."),
    ("The CFO resigned in May.", "The chief financial officer resigned in May."),
    ("She won second place.", "She won 2nd place."),
    ("A dozen servers were affected.", "12 servers were affected."),
    ("Latency rose to 200 ms from 90 ms.", "Latency rose from 90 to 200 ms."),
    ("Headcount grew from 250 to 400.", "Headcount grew from 250 in 2022 to 400 in 2023."),
    ("Run `kubectl rollout restart deployment web` to fix it.", "Run kubectl rollout restart deployment web to fix it."),
    ("disk_free_gb of host a is 12.", HOSTS_CSV),
    ("Host a has 12 GB of free disk.", HOSTS_CSV),
    ("Host b has 40 GB free.", HOSTS_JSON),
    ("Bob Smith is 41 years old.", PEOPLE),
    ("eu-west is slower than us-east.", REGIONS),
    ("Team Blue owns search.", SERVICES),
    ("Revenue in North was 120.", REVENUE),
    ("Backups are encrypted.", "Backups run nightly. They are encrypted."),
    ("Acme is insolvent.", "Acme filed in May. The company is insolvent."),
    ("Staff must wear a badge.", "Staff have to wear a badge."),
    ("Staff may leave early.", "Staff are allowed to leave early."),
    ("Revenue was $1.2 billion.", "Revenue was $1,200 million."),
    ("The disk has 12 GB free.", "disk_free_gb=12"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence"), TRUE)
def test_the_twin_that_says_it_rightly_stands(claim: str, evidence: str) -> None:
    found = judged_one(claim, evidence)
    assert found.standing.stands, found.reason


def test_a_row_is_told_with_its_own_value_and_the_one_it_was_taken_from() -> None:
    found = judged_one("Host b has 12 GB of free disk.", HOSTS_CSV)
    assert found.reason == "source gives 12 GB for a; for b it gives 40"
