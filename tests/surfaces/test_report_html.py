"""The page works from disk in a real browser, and nothing in it can be made to run."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.surfaces.browser import CHROMIUM, Browser
from tests.surfaces.scripted import outcome_of

from firmground.adapters.report_html import report_html, write_report
from firmground.adapters.report_html.segments import MarkedSpan, segments
from firmground.core.claim import CheckNote
from firmground.core.decision import Objection, Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, SuspiciousText
from firmground.errors import InputError
from firmground.pipeline.outcome import CheckOutcome

ANSWER = "The push came at two. The push caused the outage. Nobody was hurt."
EVIDENCE = "Logs follow. The push came at two. An outage came later."
HOSTILE = (
    "</script><script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    "\"><svg onload=document.title='pwned'>",
    "<a href=\"javascript:document.title='pwned'\">x</a>",
    "<style>body{display:none}</style><base href=http://evil.example/>",
    "<iframe srcdoc=\"<script>top.document.title='pwned'</script>\"></iframe>",
    "\u202egnp.exe\u2066 \u200b&lt;script&gt; ' onmouseover=document.title='pwned' '",
    "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed, so the page cannot be tried in a real browser")
    with Browser() as one:
        yield one


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    write_report(outcome_of(ANSWER, EVIDENCE, "Another page.", question="What happened?"), path)
    return path


def lit(browser: Browser) -> str:
    found: str = browser.run(
        "[...document.querySelectorAll('mark.on')].map(n => n.textContent).join('')"
    )
    return found


def test_hovering_a_claim_lights_its_evidence_and_a_click_keeps_it_lit(
    browser: Browser, report: Path
) -> None:
    browser.open(report)
    assert lit(browser) == ""
    browser.hover(".claim.grounded")
    assert lit(browser) == "The push came at two."
    browser.hover("h1")
    assert lit(browser) == ""
    browser.click(".claim.grounded")
    browser.hover("h1")
    assert lit(browser) == "The push came at two."
    browser.press("Escape")
    assert lit(browser) == ""


def test_filters_show_only_the_claims_of_one_standing(browser: Browser, report: Path) -> None:
    browser.open(report)
    shown = "[...document.querySelectorAll('.left .card')].filter(n=>!n.hidden).length"
    assert browser.run(shown) == 3
    browser.click("nav button.contradicted")
    assert browser.run(shown) == 1
    assert browser.run("document.querySelector('nav button.contradicted').ariaPressed") == "true"
    browser.click("nav button[data-filter='']")
    assert browser.run(shown) == 3


def test_every_claim_can_be_reached_and_opened_by_keyboard(browser: Browser, report: Path) -> None:
    browser.open(report)
    reached = set()
    for _ in range(12):
        browser.press("Tab")
        reached.add(browser.run("document.activeElement.dataset.claim ?? null"))
    assert {"0", "1", "2"} <= reached
    browser.run("document.querySelector('.handle[data-claim=\"0\"]').focus()")
    browser.press("Enter")
    assert browser.run("document.activeElement.ariaPressed") == "true"
    assert lit(browser) == "The push came at two."
    browser.press("j")
    assert browser.run("document.activeElement.dataset.claim") == "1"


def test_a_tap_on_a_phone_opens_the_claim_with_its_evidence(browser: Browser, report: Path) -> None:
    browser.open(report, width=390, height=844)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.click(".claim.grounded")
    sheet = browser.run("document.querySelector('#sheet').innerText")
    assert "grounded" in sheet
    assert "The push came at two." in sheet
    browser.click("#close")
    assert browser.run("document.querySelector('#sheet').hidden") is True


def test_dark_mode_is_dark_and_marks_do_not_rest_on_colour_alone(
    browser: Browser, report: Path
) -> None:
    browser.open(report, dark=True)
    background = browser.run("getComputedStyle(document.body).backgroundColor")
    assert all(int(part) < 60 for part in re.findall(r"\d+", background)[:3])
    styles = browser.run(
        "[...document.querySelectorAll('.claim')].map(n=>getComputedStyle(n).textDecorationStyle)"
    )
    assert len(set(styles)) == 3


def test_the_page_prints_with_all_its_claims_even_when_a_filter_is_on(
    browser: Browser, report: Path
) -> None:
    pypdf = pytest.importorskip("pypdf", reason="needs the pdf extra")
    browser.open(report)
    browser.click("nav button.grounded")
    pages = pypdf.PdfReader(io.BytesIO(browser.printed())).pages
    printed = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert "Nobody was hurt." in printed
    assert "says one thing, source says another" in printed


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_text_is_shown_and_never_run(
    browser: Browser, tmp_path: Path, payload: str
) -> None:
    path = tmp_path / "hostile.html"
    text = f"The {payload} is here. {payload}."
    write_report(outcome_of(text, f"The {payload} is here.", payload, question=payload), path)
    browser.requests.clear()
    browser.open(path)
    browser.hover(".claim")
    browser.click(".claim")
    assert "pwned" not in browser.run("document.title")
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.querySelectorAll('img,svg,iframe,base,a[href^=java]').length") == 0
    visible = payload.split("\u202e")[-1].split("\u2066")[0]
    assert visible in browser.run("document.querySelector('.right').textContent")
    assert browser.requests == [path.as_uri()]


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_names_of_evidence_are_shown_and_never_run(
    browser: Browser, tmp_path: Path, payload: str
) -> None:
    """Ids, titles, origins and roles come from elsewhere as much as texts do."""
    pieces = [
        Evidence(text=EVIDENCE, id=payload, role=payload, title=payload, origin=payload),
        Evidence(text="Another page.", id="b", origin="javascript:document.title='pwned'"),
        Evidence(text=" . ", id=f"unread {payload}", origin="data:text/html,<script>x</script>"),
    ]
    path = tmp_path / "named.html"
    write_report(replace_reasons(outcome_of(ANSWER, *pieces), payload), path)
    browser.requests.clear()
    browser.open(path)
    browser.click(".handle")
    assert "pwned" not in browser.run("document.title")
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.querySelectorAll('img,svg,iframe,base,style').length") == 1
    foreign = "[...document.querySelectorAll('*')].filter(n => [...n.attributes].some(a => "
    foreign += "/^on/.test(a.name) || (a.name === 'href' && a.value[0] !== '#'))).length"
    assert browser.run(foreign) == 0
    assert browser.requests == [path.as_uri()]


def replace_reasons(outcome: CheckOutcome, payload: str) -> CheckOutcome:
    """The same outcome with the payload wherever a judge, a rule or a hook writes words."""
    note = CheckNote(check=payload, code=payload, standing=None, reason=payload)
    assessments = tuple(
        replace(one, reason=payload, code=payload, notes=(note,)) for one in outcome.assessments
    )
    suspicious = SuspiciousText(where=payload, start=0, end=1, code="bidi", reason=payload)
    fault = Fault(source=payload, kind=FaultKind.BAD_REPLY, message=payload)
    findings = replace(
        outcome.findings,
        assessments=assessments,
        suspicious=(suspicious,),
        faults=(fault,),
        unread=(payload,),
    )
    objection = Objection(rule=payload, step=Step.ABSTAIN, reason=payload, claims=())
    decision = replace(outcome.decision, policy=payload, objections=(objection,))
    return replace(outcome, findings=findings, decision=decision)


def test_overlong_words_and_a_thousand_claims_stay_within_the_window(
    browser: Browser, tmp_path: Path
) -> None:
    answer = " ".join(f"Bridge {at} opened." for at in range(1_000))
    piece = Evidence(text="W" * 5_000 + " " + answer, title="T" * 5_000, role="R" * 900)
    path = tmp_path / "long.html"
    write_report(outcome_of(answer, piece, question="Q" * 3_000), path)
    browser.open(path)
    assert browser.run("document.documentElement.scrollWidth") <= 1280
    assert browser.run("document.querySelectorAll('.card').length") == 1_000
    browser.click('.handle[data-claim="0"]')
    assert "Bridge 0 opened." in browser.run("document.querySelector('#sheet').textContent")


def test_even_a_script_that_slipped_in_would_not_run(browser: Browser, tmp_path: Path) -> None:
    """Proves the content policy by breaking the escaping on purpose."""
    page = report_html(outcome_of(ANSWER, EVIDENCE))
    path = tmp_path / "slipped.html"
    slipped = (
        "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">"
    )
    path.write_text(page.replace("<main>", f"<main>{slipped}"), encoding="utf-8")
    browser.open(path)
    assert "pwned" not in browser.run("document.title")


def test_the_page_names_no_other_resource() -> None:
    page = report_html(outcome_of(ANSWER, EVIDENCE))
    assert not re.search(r"""\b(?:src|href)=["'](?!#)""", page)
    assert "@import" not in page
    assert "url(" not in page


def test_long_evidence_is_shown_around_what_matters_and_says_what_is_left_out() -> None:
    text = "x " * 60_000 + "The push came at two. " + "y " * 60_000
    page = report_html(outcome_of(ANSWER, text))
    assert page.count("characters not shown") == 2
    assert "The push came at two." in page
    assert len(page) < 40_000


def test_an_unwritable_place_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no/such/place"):
        write_report(outcome_of(ANSWER, EVIDENCE), tmp_path / "no/such/place/x.html")


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))))
def test_segments_tile_the_text_and_know_whom_they_belong_to(
    length: int, pairs: list[tuple[int, int]]
) -> None:
    spans = [
        MarkedSpan(start=min(a, b, length), end=min(max(a, b), length), owner=n)
        for n, (a, b) in enumerate(pairs)
    ]
    cut = list(segments(length, spans))
    assert [s.start for s in cut] == [0, *[s.end for s in cut[:-1]]]
    assert cut[-1].end == length
    for piece in cut:
        covering = {s.owner for s in spans if s.start <= piece.start and s.end >= piece.end}
        assert set(piece.owners) == covering
