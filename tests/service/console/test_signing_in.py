"""Sessions: signing in and out, expiry, tokens, roles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.service.conftest import Server
from tests.service.console.conftest import Person

from firmground.service.state import ServiceState

SignIn = Callable[..., Person]


def cookie(one: Person) -> dict[str, Any]:
    found: dict[str, Any] = next(
        c for c in one.context.cookies() if c["name"] == "firmground_session"
    )
    return found


def test_without_a_session_every_page_leads_to_the_form_and_back(
    browser: Any, console: Server
) -> None:
    one = Person(browser, console)
    one.open("/console/runs?verdict=stands")
    assert "/console/login" in one.page.url
    one.page.fill("#key", console.key("read"))
    one.page.press("#key", "Enter")
    one.page.wait_for_url("**/console/runs?verdict=stands")
    one.context.close()


def test_a_wrong_key_is_refused_and_the_form_says_so(browser: Any, console: Server) -> None:
    one = Person(browser, console)
    one.open("/console/login")
    one.page.fill("#key", "fg_nonsense")
    one.page.press("#key", "Enter")
    assert "not valid" in one.page.get_by_role("alert").inner_text()
    assert one.context.cookies() == []
    one.context.close()


def test_the_cookie_is_for_this_server_alone_and_out_of_reach_of_scripts(person: SignIn) -> None:
    one = person()
    kept = cookie(one)
    assert kept["httpOnly"]
    assert kept["sameSite"] == "Lax"
    assert one.page.evaluate("document.cookie") == ""


def test_signing_out_ends_the_session_on_the_server(person: SignIn, console: Server) -> None:
    one = person()
    value = cookie(one)["value"]
    one.page.locator(".who summary").click()
    one.page.get_by_role("button", name="Sign out").click()
    one.page.wait_for_url("**/console/login")
    reply = console.call("GET", "/api/v1/runs", Cookie=f"firmground_session={value}")
    assert (reply.status, reply.json["code"]) == (401, "session_ended")


def test_an_expired_session_leads_to_the_form_and_says_why(person: SignIn, console: Server) -> None:
    one = person()
    one.page.goto("about:blank")  # a live list would ask again and be refused
    state = ServiceState(console.data)
    number = cookie(one)["value"].partition("_")[0]
    state.execute("UPDATE session SET expires = '2020' WHERE id = ?", (number,))
    state.close()
    one.open("/console/runs")
    assert "session has ended" in one.page.get_by_role("alert").inner_text()


def test_a_revoked_key_ends_its_sessions(person: SignIn, console: Server) -> None:
    one = person("read")
    one.page.goto("about:blank")  # a live list would ask again and be refused
    state = ServiceState(console.data)
    number = cookie(one)["value"].partition("_")[0]
    key = state.execute("SELECT key_id FROM session WHERE id = ?", (number,))[0][0]
    state.revoke_key(key)
    state.close()
    one.open("/console/runs")
    assert "/console/login" in one.page.url


def test_an_action_with_a_cookie_needs_the_token_of_its_session(
    person: SignIn, console: Server
) -> None:
    one = person()
    value = f"firmground_session={cookie(one)['value']}"
    body = {"runs": ["x"], "reason": "y"}
    reply = console.call("POST", "/api/v1/runs/erase", body, Cookie=value)
    assert (reply.status, reply.json["code"]) == (403, "bad_token")
    token = one.page.get_attribute('meta[name="csrf-token"]', "content")
    reply = console.call("POST", "/api/v1/runs/erase", body, Cookie=value, X_CSRF_Token=token)
    assert reply.status == 404


def test_a_form_from_another_site_does_not_sign_in(console: Server) -> None:
    form = f"key={console.key('read')}".encode()
    reply = console.call("POST", "/console/login", form, Origin="http://evil.example")
    assert reply.status == 403


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/console/../x", "\\evil"]
)
def test_after_signing_in_nobody_is_sent_elsewhere(
    console: Server, browser: Any, target: str
) -> None:
    one = Person(browser, console)
    one.open(f"/console/login?next={target}")
    one.page.fill("#key", console.key("read"))
    one.page.press("#key", "Enter")
    one.page.wait_for_url("**/console/**")
    assert one.page.url.startswith(one.base)
    one.context.close()


def test_pages_carry_a_policy_without_inline_script(console: Server) -> None:
    policy = console.call("GET", "/console/login").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("path", ["/console/access", "/console/playground"])
def test_a_role_that_may_not_see_a_page_is_told_what_it_needs(
    browser: Any, console: Server, path: str
) -> None:
    one = Person(browser, console).sign_in("viewer")
    one.open(path)
    assert "scope" in one.page.locator("main").inner_text()
    assert one.page.get_by_role("link", name="Access").count() == 0
    one.context.close()
