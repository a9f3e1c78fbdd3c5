"""Reviewers rule on cases, one at a time, and applications get what they ruled."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import Server
from tests.service.console.conftest import Person, new_server

from firmground.core.escalation import Choice, Escalated, Escalation, Ruling
from firmground.errors import InputError

SignIn = Callable[..., Person]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = new_server(tmp_path_factory.mktemp("desk"), runs=4, cases=6)
    yield server
    server.stop()


def waiting(server: Server) -> list[Any]:
    found: list[Any] = server.call(
        "GET", "/api/v1/escalations?open=1", key=server.key("read")
    ).json["escalations"]
    return found


def entry_of(server: Server, run: str) -> dict[str, Any]:
    """What the ledger says about the ruling on a case."""
    settled = server.call("GET", f"/api/v1/escalations/{run}", key=server.key("read")).json[
        "ruling"
    ]["run"]
    shown = server.call("GET", f"/api/v1/runs/{settled}", key=server.key("read")).json
    label: dict[str, Any] = json.loads(shown["stages"][-1]["payload"])
    return {
        **label["escalated"][-1]["ruling"],
        "outcome": shown["label"]["outcome"],
        "stages": shown["stages"],
    }


def test_a_reviewer_approves_by_keyboard_alone_and_the_ledger_says_who_and_why(
    person: SignIn, desk: Server
) -> None:
    case = waiting(desk)[0]["run"]
    page = person("reviewer", server=desk).open(f"/console/escalations?case={case}")
    page.keyboard.press("a")
    assert page.evaluate("document.activeElement.name") == "note"
    page.keyboard.type("the booking was made by hand")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("The ruling is in the ledger").wait_for()
    ruled = entry_of(desk, case)
    assert ruled["outcome"] == "skip"
    assert ruled["note"] == "the booking was made by hand"
    assert ruled["by"].startswith("test (key ")


def test_an_edited_answer_is_checked_and_released_as_the_reviewers_own(
    person: SignIn, desk: Server
) -> None:
    case = waiting(desk)[0]["run"]
    page = person("reviewer", server=desk).open(f"/console/escalations?case={case}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Answer that is released instead").fill("The bridge is 480 metres long.")
    page.get_by_label("Reason").fill("length taken from the source")
    page.get_by_role("button", name="Release the edited answer").click()
    page.get_by_text("The edited answer was released").wait_for()
    ruled = entry_of(desk, case)
    assert (ruled["choice"], ruled["outcome"]) == ("replace", "replace")
    answers = [json.loads(s["payload"])["text"] for s in ruled["stages"] if s["stage"] == "answer"]
    assert answers == ["The bridge is 480 metres long."]
    reply = desk.call("GET", f"/api/v1/escalations/{case}/answer", key=desk.key("read")).json
    assert (reply["state"], reply["answer"]) == ("released", "The bridge is 480 metres long.")


def test_an_application_that_waits_gets_the_ruling(person: SignIn, desk: Server) -> None:
    case = waiting(desk)[0]["run"]
    got: list[Any] = []
    key = desk.key("read")

    def wait() -> None:
        got.append(desk.call("GET", f"/api/v1/escalations/{case}/answer?wait=60", key=key).json)

    application = threading.Thread(target=wait)
    application.start()
    page = person("reviewer", server=desk).open(f"/console/escalations?case={case}")
    page.get_by_label("Reason").fill("no such booking")
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("Rejected.").wait_for()
    application.join(60)
    assert (got[0]["state"], got[0]["answer"]) == ("withheld", None)


def test_two_reviewers_cannot_rule_on_one_case_unawares(browser: Any, desk: Server) -> None:
    case = waiting(desk)[0]["run"]
    first, second = (Person(browser, desk).sign_in("reviewer") for _ in range(2))
    pages = [one.open(f"/console/escalations?case={case}") for one in (first, second)]
    for page in pages:
        page.get_by_label("Reason").fill("seen by me")
    pages[0].get_by_role("button", name="Approve").click()
    pages[0].get_by_text("The ruling is in the ledger").wait_for()
    pages[1].get_by_role("button", name="Reject").click()
    said = pages[1].get_by_text("has ruled on this case")
    said.wait_for()
    assert "Yours was not recorded" in said.inner_text()
    assert entry_of(desk, case)["choice"] == "skip"
    pages[1].get_by_role("link", name="Show the ruling").click()
    pages[1].locator("#settled").wait_for()
    for one in (first, second):
        one.context.close()


def test_an_expired_session_keeps_what_was_typed(browser: Any, desk: Server) -> None:
    case = waiting(desk)[0]["run"]
    one = Person(browser, desk).sign_in("reviewer")
    page = one.open(f"/console/escalations?case={case}")
    page.get_by_label("Reason").fill("a long reason")
    one.context.clear_cookies()
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("session has ended").wait_for()
    assert page.get_by_label("Reason").input_value() == "a long reason"
    assert case in [one["run"] for one in waiting(desk)]
    one.context.close()


def test_a_slow_server_shows_that_it_works_and_a_lost_one_says_that_nothing_changed(
    browser: Any, desk: Server
) -> None:
    case = waiting(desk)[0]["run"]
    one = Person(browser, desk).sign_in("reviewer")
    page = one.open(f"/console/escalations?case={case}")
    held: list[Any] = []
    page.route("**/ruling", lambda route: held.append(route))  # noqa: PLW0108
    page.get_by_label("Reason").fill("slow")
    button = page.get_by_role("button", name="Approve")
    button.click()
    page.wait_for_selector('button[aria-busy="true"]')
    held[0].abort("connectionrefused")
    page.get_by_text("cannot be reached").wait_for()
    assert page.locator('button[aria-busy="true"]').count() == 0
    assert case in [one["run"] for one in waiting(desk)]
    one.context.close()


def test_a_viewer_sees_cases_and_may_not_rule(person: SignIn, desk: Server) -> None:
    case = waiting(desk)[0]["run"]
    page = person("viewer", server=desk).open(f"/console/escalations?case={case}")
    assert page.locator("#rule").count() == 0
    assert page.get_by_text("role reviewer").is_visible()
    body = {"choice": "skip", "note": "x"}
    reply = desk.call("POST", f"/api/v1/escalations/{case}/ruling", body, key=desk.key("viewer"))
    assert reply.status == 403


def test_a_key_that_did_not_ask_does_not_get_the_answer(desk: Server) -> None:
    case = waiting(desk)[0]["run"]
    reply = desk.call("GET", f"/api/v1/escalations/{case}/answer", key=desk.key("check"))
    assert reply.status == 404


@pytest.mark.soak
def test_an_empty_queue_explains_itself(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        one = Person(browser, server).sign_in("reviewer")
        assert "Nobody waits" in one.open("/console/escalations").locator("main").inner_text()
        assert one.errors == []
        one.context.close()
    finally:
        server.stop()


def test_an_own_answer_belongs_to_replace_and_needs_an_answer_to_replace() -> None:
    with pytest.raises(InputError, match="belongs to replace"):
        Ruling(choice=Choice.SKIP, answer="x")
    with pytest.raises(InputError, match="belongs to replace"):
        Ruling(choice=Choice.REPLACE)
    case = Escalation(question="q", answer=None, reasons=(), choices=(Choice.ABORT,))
    with pytest.raises(InputError, match="not on offer"):
        Escalated(case=case, ruling=Ruling(choice=Choice.REPLACE, answer="x"))
