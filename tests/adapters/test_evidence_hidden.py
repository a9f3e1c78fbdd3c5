"""A page is evidence as its reader sees it: what style hides is left out, what is struck is former."""

from __future__ import annotations

from typing import Any

import pytest
from tests.verify.believing import judged_one

from firmground.adapters.evidence import load_text
from firmground.adapters.evidence.htmltext import read_page
from firmground.adapters.evidence.limits import SourceLabel
from firmground.core.evidence import EvidenceKind
from firmground.errors import InputError
from firmground.verify.reading import read

HIDING = [
    "display:none", "display: NONE !important", "visibility:hidden", "visibility:collapse",
    "opacity:0", "opacity:.01", "opacity:0%", "position:absolute;left:-9999px",
    "position:fixed;top:-999em", "text-indent:-9999px", "font-size:0", "font-size:1px", "font-size:.05em",
    "color:white", "color:#fff", "color:#FEFEFE", "color:rgb(255,255,255)", "color:transparent",
    "color:rgba(0,0,0,0)", "background:#333;color:#333", "clip:rect(0,0,0,0);position:absolute",
    "clip-path:inset(100%)", "width:0;height:0;overflow:hidden", "max-height:0;overflow:hidden",
    "transform:scale(0)", "transform:translateX(-9999px)", "content-visibility:hidden",
    "display:block;display:none", "margin-left:-9999px",
]  # fmt: skip
SHOWING = [
    "display:none;display:block", "visibility:visible", "opacity:1", "opacity:.6", "color:#222",
    "font-size:12px", "font-size:0.8em", "position:absolute;left:10px", "left:-9999px",
    "background:#000;color:#fff", "height:0", "max-height:200px;overflow:hidden", "color:inherit",
    "display:none !important;display:block !important", "background:url(a.png);color:white",
    "transform:translateX(-50%)", "margin-left:-20px",
]  # fmt: skip


def seen(page: str) -> str:
    return " ".join(read_page(page).text.split())


@pytest.mark.parametrize("style", HIDING)
def test_what_a_style_attribute_hides_is_no_evidence(style: str) -> None:
    assert (
        seen(f'<p>open</p><div style="{style}">secret <b>words</b></div><p>more</p>') == "open more"
    )


@pytest.mark.parametrize("style", HIDING)
def test_what_a_class_rule_hides_is_no_evidence(style: str) -> None:
    page = f"<style>/* x */ p {{margin:0}} .k, .other {{{style}}}</style><p>open<span class='a k'>secret</span></p>"
    assert seen(page) == "open"


@pytest.mark.parametrize("style", SHOWING)
def test_what_is_shown_stays(style: str) -> None:
    page = f'<style>.k{{{style}}}</style><p style="{style}">one</p><p class="k">two</p>'
    assert seen(page) == "one two"


@pytest.mark.parametrize(
    ("rules", "markup"),
    [
        ("#x {display:none}", "<p id=x>secret</p>"),
        ("p.k {display:none}", "<p class='k z'>secret</p>"),
        (".a .k {display:none}", "<div class=a><p><span class=k>secret</span></p></div>"),
        (".a > .k {display:none}", "<div class=a><span class=k>secret</span></div>"),
        ("[data-x='1'] {display:none}", "<p data-x=1>secret</p>"),
        ("[data-x] {display:none}", "<p data-x=1>secret</p>"),
        ("@media screen {.k {display:none}}", "<p class=k>secret</p>"),
        (".k {display:block} .k {display:none}", "<p class=k>secret</p>"),
        ("#x {display:none} .k {display:block}", "<p id=x class=k>secret</p>"),
        (".k {display:none !important}", "<p class=k style='display:block'>secret</p>"),
        ("* {} .k{visibility:hidden}", "<div class=k><p>secret</p></div>"),
        (".w{color:#fff}", "<div class=w><p>secret</p></div>"),
        (".z{font-size:0}", "<div class=z><p style='font-size:1em'>secret</p></div>"),
    ],
)
def test_selectors_are_read_as_a_browser_reads_them(rules: str, markup: str) -> None:
    assert seen(f"<p>open</p>{markup}<style>{rules}</style><p>more</p>") == "open more"


@pytest.mark.parametrize(
    ("rules", "markup"),
    [
        (".k {display:none} .k {display:block}", "<p class=k>shown</p>"),
        (".k {display:none} #x {display:block}", "<p id=x class=k>shown</p>"),
        ("@media print {.k {display:none}}", "<p class=k>shown</p>"),
        (".k:hover {display:none}", "<p class=k>shown</p>"),
        (".k::before {display:none}", "<p class=k>shown</p>"),
        (".a > .k {display:none}", "<div class=a><p><b class=k>shown</b></p></div>"),
        (".a .k {display:none}", "<p class=k>shown</p>"),
        (
            ".h{visibility:hidden} .v{visibility:visible}",
            "<div class=h>no<p class=v>shown</p></div>",
        ),
        ("", "<!-- <style>p{display:none}</style> --><p>shown</p>"),
        ("", "<style media=print>p{display:none}</style><p>shown</p>"),
        ("body{background:#111} p{color:#fff}", "<body><p>shown</p></body>"),
    ],
)
def test_rules_that_do_not_hold_hide_nothing(rules: str, markup: str) -> None:
    assert seen(f"<style>{rules}</style>{markup}") == "shown"


@pytest.mark.parametrize(
    "markup",
    [
        "<p hidden>secret</p>", "<font color=white>secret</font>", "<dialog>secret</dialog>",
        "<table bgcolor=black><tr><td><font color=#000>secret</font></table>",
        "<div hidden><p>secret</p></div>", "<template>secret</template>",
        "<p><div style='display:none'>secret</p>secret</div>",
        "<b><div style='display:none'>secret</b>secret</div>",
        "<p style='display:none'>secret<b>secret",
    ],
)  # fmt: skip
def test_attributes_and_broken_nesting_hide_as_in_a_browser(markup: str) -> None:
    assert seen(f"<p>open</p>{markup}") == "open"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("The price is <del>49 euros</del> 39 euros.", "The price is ~~49 euros~~ 39 euros."),
        ("The price is <s> 49 euros </s>39 euros.", "The price is ~~49 euros~~ 39 euros."),
        ("<p>A <strike>b <del>c</del></strike> d</p>", "A ~~b c~~ d"),
        ("<span style='text-decoration:line-through'>old</span> new", "~~old~~ new"),
        ("<del></del>plain", "plain"),
        ("<del hidden>x</del>plain", "plain"),
    ],
)
def test_struck_text_stands_between_marks(markup: str, text: str) -> None:
    assert seen(markup) == text


def test_struck_text_on_a_page_is_former() -> None:
    page = "<p>The price is <del>49 euros</del> <ins>39 euros</ins> per month.</p>"
    (piece,) = load_text(page, "p.html", SourceLabel(kind=EvidenceKind.HTML))
    assert read((piece,)).passages[0].struck
    assert not judged_one("The price is 49 euros per month.", piece).standing.stands
    assert judged_one("The price is 39 euros per month.", piece).standing.stands


def test_every_character_still_leads_back() -> None:
    page = "<style>.k{opacity:0}</style>Fee: <del>5</del> <b class=k>6</b>7 &amp; <i>more</i>"
    (piece,) = load_text(page, "p.html", SourceLabel(kind=EvidenceKind.HTML))
    assert piece.text == "Fee: ~~5~~ 7 & more"
    for at, character in enumerate(piece.text):
        there = piece.in_original(at, at + 1)
        assert there is not None
        if character.isalnum():
            assert character == page[there[0] : there[1]]
        elif character == "~":
            assert "del" in page[there[0] : there[1]]


@pytest.mark.parametrize(
    "piece",
    ["<div>", "<b>", "<p><b>", "<div style='display:none'>", "<style>", "<style", "<style>.a{", "<del>",
     "<b><div></b>", "<i></b>", "<p class='a b c'>x", "<style>.a .b{color:red}</style><p class=b>"],
)  # fmt: skip
def test_a_hostile_page_costs_no_more_than_in_proportion(piece: str, grows_straight: Any) -> None:
    assert grows_straight(lambda times: read_page(piece * times), 4_000)


def test_very_many_rules_for_very_many_elements_are_refused() -> None:
    rules = "".join(f".k{{left:{at}px}}" for at in range(3000))
    with pytest.raises(InputError, match="style rules"):
        read_page(f"<style>{rules}</style>" + "<p class=k>x" * 3000)
