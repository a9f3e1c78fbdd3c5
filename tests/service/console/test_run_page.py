"""The page about one run, and the verifier in the browser."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.ledger.mutants import MUTATORS
from tests.ledger.test_bundle import KEYS, LOG, MUTANTS_OF, ORIGINALS
from tests.service.conftest import Server
from tests.service.console.conftest import Person

from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import parse_verifier

SignIn = Callable[..., Person]
FALLEN = {
    "question": "What did it cost?",
    "answer": "It cost 3,000 dollars, which is twice 1,500 dollars. It opened in 1952.",
    "evidence": [{"text": "It cost 1,500 dollars. It opened in 1932.", "title": "Ledger page"}],
}


def recorded(server: Server, body: dict[str, Any] = FALLEN) -> str:
    return server.call("POST", "/api/v1/check", body, key=server.key("check")).headers[
        "x-firmground-run"
    ]


def test_pointing_at_a_claim_lights_up_its_evidence_and_so_does_the_keyboard(
    person: SignIn, console: Server
) -> None:
    body = {"answer": "It opened in 1932.", "evidence": ["It rained. It opened in 1932."]}
    page = person("read").open(f"/console/runs/{recorded(console, body)}")
    page.locator(".claim").first.hover()
    assert page.locator("mark.on").inner_text() == "It opened in 1932."
    page.mouse.move(0, 0)
    assert page.locator("mark.on").count() == 0
    page.keyboard.press("j")
    assert page.locator("mark.on").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".claim.on").count() == 0


def test_the_page_says_why_and_shows_the_working_of_derived_values(
    person: SignIn, console: Server
) -> None:
    page = person("read").open(f"/console/runs/{recorded(console)}")
    assert page.locator("h1 .pill").inner_text() == "Does not stand"
    assert "thin_support" in page.locator("#why + *").inner_text()
    assert any("dollars = 3,000" in text for text in page.locator(".working").all_inner_texts())
    assert page.get_by_text("Erase this run").count() == 0


def test_the_proof_is_verified_in_the_browser_and_a_strange_key_is_refused(
    person: SignIn, console: Server
) -> None:
    page = person("read").open(f"/console/runs/{recorded(console)}")
    page.get_by_role("button", name="Verify this proof").click()
    page.get_by_text("This proof holds.").wait_for()
    assert "7 of 7 payloads" in page.locator("#verified").inner_text()
    page.get_by_label("Key of the log").fill(str(KEYS[0]))
    page.get_by_role("button", name="Verify this proof").click()
    page.get_by_text("does not hold").wait_for()


def in_browser(page: Any, bundles: list[bytes], key: str) -> list[bool]:
    """What the browser's verifier says about each bundle."""
    address = page.get_attribute("script[src*='console.js']", "src").replace(
        "console.js", "verify.js"
    )
    given = [base64.b64encode(data).decode() for data in bundles]
    found: list[bool] = page.evaluate(
        """async ([address, bundles, key]) => {
          const { verifyBundle } = await import(address);
          const found = [];
          for (const text of bundles) {
            const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            found.push((await verifyBundle(bytes, [key])).valid);
          }
          return found;
        }""",
        [address, given, key],
    )
    return found


def both_agree(page: Any, *, changed: int, seed: int) -> None:
    chance = random.Random(seed)
    goods = [LOG.bundle(seq).data for seq in range(11)] + [MUTANTS_OF[4][0], MUTANTS_OF[3][0]]
    key = str(KEYS[0])
    assert in_browser(page, goods, key) == [True] * len(goods)
    made = [
        chance.choice(MUTATORS)(chance, chance.choice(goods), chance.choice(ORIGINALS))
        for _ in range(changed)
    ]
    expected = [verify_bundle(data, keys=KEYS).valid for data in made]
    for at in range(0, changed, 250):
        found = in_browser(page, made[at : at + 250], key)
        assert found == expected[at : at + 250]


def test_the_browsers_verifier_agrees_with_pythons_on_good_and_changed_bundles(
    browser: Any, console: Server
) -> None:
    one = Person(browser, console)
    both_agree(one.open("/console/login"), changed=500, seed=5)
    one.context.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_the_browsers_verifier_agrees_with_pythons_on_many_bundles(
    browser: Any, console: Server, seed: int
) -> None:
    one = Person(browser, console)
    both_agree(one.open("/console/login"), changed=10_000, seed=seed)
    one.context.close()


def test_report_record_and_bundle_can_be_downloaded(person: SignIn, console: Server) -> None:
    run = recorded(console)
    page = person("read").open(f"/console/runs/{run}")
    page.locator("summary", has_text="Download").click()
    with page.expect_download() as bundle:
        page.get_by_role("button", name="Bundle, all content").click()
    data = bundle.value.path().read_bytes()
    key = page.get_by_label("Key of the log").input_value()
    assert verify_bundle(data, keys=[parse_verifier(key)]).valid
    with page.expect_download() as report:
        page.get_by_role("link", name="Report (HTML)").click()
    assert "Does not stand" in report.value.path().read_text()
    with page.expect_download() as record:
        page.get_by_role("link", name="Record (JSON)").click()
    assert json.loads(record.value.path().read_text())["run"] == run


def test_a_run_is_judged_again_under_another_policy(person: SignIn, console: Server) -> None:
    page = person("read").open(f"/console/runs/{recorded(console)}")
    page.locator("#decide select").select_option("advisory")
    page.get_by_role("button", name="Judge again").click()
    page.get_by_text("Decided otherwise").wait_for()


def test_erasing_needs_the_role_a_reason_and_the_end_of_the_run_id(
    person: SignIn, console: Server
) -> None:
    secret = {"answer": "Agent Zebrawood opened it.", "evidence": ["Zebrawood opened it."]}
    run = recorded(console, secret)
    page = person("admin").open(f"/console/runs/{run}")
    assert console.call("GET", "/api/v1/runs?q=zebrawood", key=console.key("read")).json["runs"]
    page.get_by_role("button", name="Erase this run").click()
    page.get_by_label("Reason, kept in the log").fill("asked by the person concerned")
    page.get_by_label("to confirm").fill("wrong1")
    page.get_by_role("button", name="Erase for good").click()
    assert page.get_by_role("dialog").is_visible()
    page.get_by_label("to confirm").fill(run[-6:])
    page.get_by_role("button", name="Erase for good").click()
    page.get_by_text("The content of this run was erased.").wait_for()
    assert not console.call("GET", "/api/v1/runs?q=zebrawood", key=console.key("read")).json["runs"]
    assert b"ebrawood" not in (console.data / "index.sqlite").read_bytes()
    page.get_by_role("button", name="Verify this proof").click()
    page.get_by_text("This proof holds.").wait_for()


def test_hostile_content_stays_text_on_the_page_of_a_run(person: SignIn, console: Server) -> None:
    one = person("read")
    for row in console.call("GET", "/api/v1/runs?q=says", key=console.key("read")).json["runs"][:8]:
        page = one.open(f"/console/runs/{row['run']}")
        assert page.title() == f"Run {row['run'][:13]} · firmground"
        assert page.locator("main script, main style, main img").count() == 0
        page.get_by_text("Stages and their hashes").click()


def test_a_run_that_does_not_exist_is_told_in_words(browser: Any, console: Server) -> None:
    one = Person(browser, console).sign_in("read")
    page = one.open("/console/runs/01a1ee2b-b635-707b-8e43-81fb8a36cd18")
    assert "has no run" in page.locator("main").inner_text()
    assert page.get_by_role("link", name="To the runs").is_visible()
    one.context.close()


@pytest.mark.soak
def test_an_answer_of_a_megabyte_is_shown_without_stopping_the_browser(
    person: SignIn, console: Server
) -> None:
    many = {"answer": "It opened in 1932.", "evidence": ["It opened in 1932. " * 45_000]}
    page = person("read").open(f"/console/runs/{recorded(console, many)}")
    assert "characters not shown" in page.locator(".right").inner_text()
