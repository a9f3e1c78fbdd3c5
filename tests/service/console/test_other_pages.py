"""Playground, overview, policies and access in a real browser; accessibility of every page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import CHECK, Server
from tests.service.console.conftest import Person

SignIn = Callable[..., Person]


def runs_in(server: Server) -> int:
    return len(server.runs(server.key("read")))


def test_the_playground_shows_the_verdict_of_every_policy_and_records_nothing(
    person: SignIn, console: Server
) -> None:
    before = runs_in(console)
    page = person("application", "viewer").open("/console/playground")
    page.locator("[name=answer]").fill("The bridge opened in 1932.")
    page.locator("[name=evidence]").fill("The bridge opened in 1932.\n---\nIt is red.")
    page.locator("tr", has_text="balanced").get_by_text("Stands", exact=True).wait_for()
    page.locator("[name=answer]").fill("The bridge opened in 1952.")
    page.locator("tr", has_text="strict").get_by_text("Does not stand").wait_for()
    page.locator("[name=judge]").select_option("lexical")
    page.get_by_text("Copy as code").click()
    for form, words in (
        ("curl", "/api/v1/check"),
        ("Test case", "def test_"),
        ("Python", "firmground.check("),
    ):
        page.get_by_role("button", name=form, exact=True).click()
        assert words in page.locator("#snippet").inner_text()
        assert "1952" in page.locator("#snippet").inner_text()
    assert runs_in(console) == before


def test_a_snippet_of_the_playground_is_python_that_runs(person: SignIn) -> None:
    page = person("application", "viewer").open("/console/playground")
    page.locator("[name=question]").fill('What "is" it?\\n')
    page.locator("[name=answer]").fill('He said "1932" \u2028 \\ done.')
    page.get_by_text("Copy as code").click()
    page.locator("#snippet", has_text="He said").wait_for()
    code = page.locator("#snippet").text_content()
    compile(code, "snippet", "exec")
    assert "He said" in code


def test_the_playground_says_what_is_missing(person: SignIn) -> None:
    page = person("application", "viewer").open("/console/playground")
    page.locator("[name=answer]").fill("")
    page.get_by_text("Write an answer").wait_for()


def test_the_overview_counts_runs_and_exports_charts_and_figures(
    person: SignIn, console: Server
) -> None:
    page = person("viewer").open("/console/overview?hours=720")
    assert page.locator(".tile b").first.inner_text().replace(",", "") == str(runs_in(console))
    with page.expect_download() as chart:
        page.locator('[data-svg="verdicts"]').click()
    drawn = chart.value.path().read_text()
    assert drawn.startswith("<svg")
    assert 'fill="rgb' in drawn
    with page.expect_download() as table:
        page.get_by_role("button", name="CSV").click()
    rows = table.value.path().read_text().splitlines()
    assert rows[0].startswith("from,runs,stands")
    assert sum(int(row.split(",")[1]) for row in rows[1:]) == runs_in(console)
    page.locator(".bars a").first.click()
    page.wait_for_url("**/console/runs?code=**")
    page.wait_for_selector("tr[data-run]")


def test_an_audit_is_started_from_the_overview_and_remembered(person: SignIn) -> None:
    page = person("admin").open("/console/overview")
    page.get_by_role("button", name="Audit now").click()
    page.get_by_text("The log holds").wait_for(timeout=60_000)
    page.reload()
    assert "holds" in page.locator("section:has(#health)").inner_text()


def test_policies_are_explained_compared_and_tried_on_past_runs(person: SignIn) -> None:
    page = person("viewer").open("/console/policies?policy=strict")
    assert "a claim that the evidence contradicts" in page.locator("main").inner_text()
    page.get_by_label("Compare with").select_option("balanced")
    page.get_by_role("button", name="Compare").click()
    page.locator("#changes li").first.wait_for()
    page.get_by_label("Last runs").fill("50")
    page.get_by_role("button", name="Decide anew").click()
    page.locator("#replayed").wait_for()
    assert "of 50 runs would be decided otherwise" in page.locator("#replayed").inner_text()


def test_curves_are_drawn_from_a_labelled_file_and_a_wrong_line_is_named(
    person: SignIn, tmp_path: Path
) -> None:
    page = person("viewer").open("/console/policies")
    good, wrong = tmp_path / "good.jsonl", tmp_path / "wrong.jsonl"
    rows = [{"risk": n / 40, "wrong": n % 40 > 25} for n in range(40)]
    good.write_text("\n".join(map(json.dumps, rows)))
    wrong.write_text('{"risk": 0.5, "wrong": true}\n{"risk": 7}\n')
    page.locator('input[type="file"]').set_input_files(wrong)
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("Line 2 needs risk").wait_for()
    page.locator('input[type="file"]').set_input_files(good)
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("40 answers, 14 of them wrong").wait_for()
    assert page.locator("#drawn svg").count() == 2


def test_a_key_is_made_shown_once_used_and_revoked(person: SignIn, console: Server) -> None:
    page = person("admin").open("/console/access")
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Name").fill("billing <bot>")
    page.get_by_label("application").check()
    page.get_by_role("button", name="Make the key").click()
    page.locator("#made-dialog[open]").wait_for()
    key = page.locator("#made").inner_text()
    assert console.call("POST", "/api/v1/check", CHECK, key=key).status == 200
    page.get_by_role("button", name="Done").click()
    row = page.locator("tr[data-key]", has_text="billing <bot>")
    row.wait_for()
    assert key not in page.content()
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    row.get_by_text("revoked").wait_for()
    assert console.call("POST", "/api/v1/check", CHECK, key=key).status == 401
    assert "revoke key" in page.locator("section:has(#actions)").inner_text()


def test_an_administrator_ends_somebody_elses_session(person: SignIn, console: Server) -> None:
    console_user = person("viewer")
    page = person("admin").open("/console/access")
    number = next(c["value"].partition("_")[0] for c in console_user.context.cookies())
    page.locator(f'[data-end="{number}"]').click()
    page.locator(f'[data-end="{number}"]').wait_for(state="detached")
    console_user.open("/console/runs")
    assert "/console/login" in console_user.page.url


PAGES = (
    "/console/runs?verdict=does_not_stand", "/console/escalations", "/console/overview?hours=720",
    "/console/playground", "/console/policies?policy=strict&other=balanced&last=20",
    "/console/access", "/console/nothing",
)  # fmt: skip


def serious(page: Any) -> list[str]:
    """What axe finds serious or critical on a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_axe_finds_nothing_serious_on_the_page_of_a_case(browser: Any, console: Server) -> None:
    one = Person(browser, console).sign_in("reviewer")
    assert serious(one.open("/console/escalations")) == []
    one.context.close()


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(browser: Any, console: Server, scheme: str) -> None:
    one = Person(browser, console, color_scheme=scheme)
    found = {"/console/login": serious(one.open("/console/login"))}
    one.sign_in("admin")
    run = console.call(
        "GET", "/api/v1/runs?limit=1&verdict=does_not_stand", key=console.key("read")
    )
    for path in (*PAGES, f"/console/runs/{run.json['runs'][0]['run']}"):
        page = one.open(path)
        if path == "/console/playground":
            page.locator("#result table").wait_for()
        for details in page.locator("main details").all():
            details.evaluate("node => { node.open = true }")
        found[path] = serious(page)
    one.context.close()
    assert {path: problems for path, problems in found.items() if problems} == {}


def test_no_page_is_wider_than_a_phone(browser: Any, console: Server) -> None:
    one = Person(browser, console, viewport={"width": 360, "height": 740})
    one.sign_in("admin")
    wide = {p: one.open(p).evaluate("document.documentElement.scrollWidth") for p in PAGES[:-1]}
    assert {path: width for path, width in wide.items() if width > 360} == {}
    assert one.errors == []
    one.context.close()
