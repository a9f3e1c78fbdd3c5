"""The list of runs in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import CHECK, Server
from tests.service.console.conftest import RUNS, Person, new_server
from tests.service.console.world import HOSTILE

SignIn = Callable[..., Person]


def verdicts(page: Any) -> set[str]:
    return set(page.locator("tbody .pill").all_inner_texts())


def test_runs_are_listed_newest_first_and_paged_to_the_oldest(
    person: SignIn, console: Server
) -> None:
    page = person().open("/console/runs")
    seen: list[str] = []
    while True:
        seen += page.eval_on_selector_all("tr[data-run]", "rows => rows.map(r => r.dataset.run)")
        older = page.get_by_role("link", name="Older")
        if not older.count():
            break
        older.click()
        page.wait_for_load_state()
    every = [row["run"] for row in console.runs(console.key("read"))]
    assert seen == every
    assert len(seen) >= RUNS


def test_filters_stand_in_the_address_and_can_be_removed(person: SignIn) -> None:
    page = person().open("/console/runs")
    page.get_by_text("Filters").click()
    page.get_by_label("Verdict").select_option("does_not_stand")
    page.get_by_label("Policy").select_option("strict")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**verdict=does_not_stand**")
    assert "policy=strict" in page.url
    assert verdicts(page) == {"Does not stand"}
    page.get_by_role("link", name=re.compile("^verdict")).click()
    page.wait_for_url(lambda address: "verdict" not in address)
    assert "Stands" in verdicts(page)


def test_search_finds_words_and_the_beginning_of_a_run_id(person: SignIn, console: Server) -> None:
    page = person().open("/console/runs")
    page.keyboard.press("/")
    page.keyboard.type("refund wind*")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=refund**")
    said = page.locator("td.said a").all_inner_texts()
    assert said
    assert set(said) == {"What is the refund window?"}
    run = console.runs(console.key("read"))[0]["run"]
    page.fill("#q", run[:18])
    page.press("#q", "Enter")
    page.wait_for_url(f"**q={run[:18]}**")
    assert page.eval_on_selector_all("tr[data-run]", "rows => rows.map(r => r.dataset.run)") == [
        run
    ]


def test_a_filter_that_nothing_fits_says_how_to_go_on(person: SignIn) -> None:
    page = person().open("/console/runs?q=nothingofthekind")
    assert page.get_by_text("No run fits these filters").is_visible()
    page.get_by_role("link", name="show all runs").click()
    page.wait_for_selector("tr[data-run]")


def test_a_new_run_appears_by_itself(person: SignIn, console: Server) -> None:
    page = person().open("/console/runs")
    page.wait_for_selector(".live[data-state=on]")
    answer = {
        "answer": "The tower was painted green.",
        "evidence": ["The tower was painted green."],
    }
    done = console.call("POST", "/api/v1/check", answer, key=console.key("check"))
    page.wait_for_selector(f'tr[data-run="{done.headers["x-firmground-run"]}"]')


def test_keys_move_through_the_list_and_open_a_run(person: SignIn) -> None:
    page = person().open("/console/runs")
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("tr[data-run]").nth(1).get_attribute("data-run")
    assert page.evaluate("document.activeElement.closest('tr').dataset.run") == second


def test_hostile_text_stays_text(person: SignIn) -> None:
    page = person().open("/console/runs")
    seen = ""
    while True:
        seen += page.locator("tbody").inner_text()
        older = page.get_by_role("link", name="Older")
        if not older.count():
            break
        older.click()
        page.wait_for_load_state()
    assert page.title() == "Runs · firmground"
    assert all(" ".join(text.split()) in seen for text in HOSTILE[:5])
    assert "<U+202E>" in seen


@pytest.mark.soak
def test_an_empty_ledger_teaches_the_first_call(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        one = Person(browser, server).sign_in("admin")
        assert one.page.get_by_text("No runs yet").is_visible()
        assert "/api/v1/check" in one.page.locator("pre").inner_text()
        one.page.wait_for_selector(".live[data-state=on]")
        server.call("POST", "/api/v1/check", CHECK, key=server.key("check"))
        one.page.wait_for_selector("tr[data-run]")
        assert one.errors == []
        one.context.close()
    finally:
        server.stop()


def test_the_page_is_light(person: SignIn) -> None:
    page = person().open("/console/runs")
    page.wait_for_selector(".live[data-state=on]")
    weight = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".reduce((n, one) => n + one.encodedBodySize, 0)"
    )
    assert 10_000 < weight <= 300_000


@pytest.mark.soak
def test_a_lost_server_is_told_and_the_list_goes_on_when_it_is_back(
    browser: Any, tmp_path: Path
) -> None:
    server = new_server(tmp_path, runs=3)
    one = Person(browser, server).sign_in("admin")
    one.page.wait_for_selector(".live[data-state=on]")
    server.kill()
    one.page.wait_for_selector(".live[data-state=lost]")
    server.start()
    try:
        one.page.wait_for_selector(".live[data-state=on]")
        server.call("POST", "/api/v1/check", CHECK, key=server.key("check"))
        one.page.wait_for_selector("tr.fresh[data-run]")
    finally:
        one.context.close()
        server.stop()


def test_the_api_refuses_filters_that_cannot_be_read(console: Server) -> None:
    key = console.key("read")
    assert console.call("GET", "/api/v1/runs?since=yesterday", key=key).json["field"] == "since"
    odd = ('"', "*", "AND", "a AND", "(", "NEAR(", "-", "col:x", "\x00", "'" * 50)
    for text in odd:
        reply = console.call(
            "GET", "/api/v1/runs?q=" + json.dumps(text)[1:-1].replace(" ", "+"), key=key
        )
        assert reply.status == 200, (text, reply.raw)
