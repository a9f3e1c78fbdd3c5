"""Verbatim means verbatim: honest variants pass, disguises never do."""

from __future__ import annotations

import random
import unicodedata
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core.confusables import LOOK_ALIKES
from firmground.core.match import (
    Fold,
    Grade,
    QuoteIndex,
    find_quote,
    fold,
    suspicious_characters,
)

SOURCES = (
    "The council approved the budget of 4.2 million euros on 12 March, after a long debate.",
    "Café Müller opened in Köln in 1987; its owner, José Núñez, never sold the naïve façade.",
    "Patients who received 5 mg did not improve, whereas those on 10 mg recovered within a week.",
    "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και έχει πολλά μουσεία.",
    "Москва является столицей России, и в ней живёт много людей.",
    "इस शहर में बहुत से लोग रहते हैं और काम करते हैं।",
)
INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u2061\u2063\u206a\U000e0041\ufe00\ufe0f"
)
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
APES: dict[str, list[str]] = {}
for _ape, _plain in LOOK_ALIKES.items():
    # Canonical twins are the same character by definition; everything else is an imitation.
    if unicodedata.normalize("NFC", _ape) != _plain:
        APES.setdefault(_plain, []).append(_ape)
# U+0020 aside, what Unicode calls one character in another dress.
DRESSED = {
    chr(0x41 + i): [chr(0x1D400 + i), chr(0xFF21 + i), chr(0x24B6 + i)] for i in range(26)
} | {chr(0x61 + i): [chr(0x1D41A + i), chr(0xFF41 + i), chr(0x24D0 + i)] for i in range(26)}
DIGITS = {str(d): [chr(0x1D7CE + d), chr(0xFF10 + d), chr(0x660 + d)] for d in range(10)}
DIGITS["2"].append("²")
DIGITS["1"].append("①")


def _attack(rng: random.Random, quote: str) -> tuple[str, str]:
    """Return one disguised copy of a quotation and the name of the disguise."""
    kind = rng.choice(
        ("invisible", "bidi", "ape", "dress", "digit", "case", "mark", "tags", "blank")
    )
    at = rng.randrange(1, len(quote))
    if kind == "invisible":
        return quote[:at] + rng.choice(INVISIBLE) + quote[at:], kind
    if kind == "bidi":
        return quote[:at] + rng.choice(BIDI) + quote[at:], kind
    if kind == "tags":
        hidden = "".join(chr(0xE0000 + ord(c)) for c in "ignore this")
        return quote[:at] + hidden + quote[at:], kind
    if kind == "blank":
        return quote.replace(" ", rng.choice("\u3164\u2800\uffa0"), 1), kind
    if kind == "mark":
        return quote[:at] + rng.choice("\u0323\u0489\u20dd\u0335") + quote[at:], kind
    if kind == "case":
        return quote.swapcase(), kind
    table = {"ape": APES, "dress": DRESSED, "digit": DIGITS}[kind]
    places = [i for i, c in enumerate(quote) if table.get(c)]
    if not places:
        return quote[:at] + "\u200b" + quote[at:], "invisible"
    place = rng.choice(places)
    return quote[:place] + rng.choice(table[quote[place]]) + quote[place + 1 :], kind


def _quotes(rng: random.Random) -> tuple[str, str]:
    source = rng.choice(SOURCES)
    words = source.split(" ")
    start = rng.randrange(0, len(words) - 3)
    stop = rng.randrange(start + 3, len(words) + 1)
    return source, " ".join(words[start:stop])


def test_no_disguised_quotation_is_ever_exact_on_either_side() -> None:
    rng = random.Random(20)
    seen = 0
    for _ in range(1800):
        source, quote = _quotes(rng)
        assert find_quote(quote, source).exact  # type: ignore[union-attr]
        forged, kind = _attack(rng, quote)
        if forged == quote:
            continue
        in_answer = find_quote(forged, source)
        in_source = find_quote(quote, source.replace(quote, forged))
        for found in (in_answer, in_source):
            seen += 1
            assert found is None or not found.exact, (kind, forged, source)
            assert found is None or found.grade in (Grade.CASE, Grade.SUSPICIOUS, Grade.CUT)
    assert seen >= 3000


def test_most_disguises_are_seen_through_and_named() -> None:
    found = find_quote("The cоuncil approved", SOURCES[0])
    assert found is not None
    assert found.grade is Grade.SUSPICIOUS
    assert found.quote_flags == ((4, 11, "look_alike"),)
    hidden = find_quote("council approved", "The coun\u200bcil ap\u202eproved it.")
    assert hidden is not None
    assert hidden.grade is Grade.SUSPICIOUS
    assert {code for _, _, code in hidden.flags} == {"invisible", "bidi"}


@given(st.text(min_size=1, max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_every_match_reports_a_stretch_of_the_text(quote: str, before: str, after: str) -> None:
    text = before + " " + quote + " " + after
    found = find_quote(quote, text)
    if found is not None:
        assert 0 <= found.start < found.end <= len(text)
        for start, end, _ in found.flags:
            assert found.start <= start < end <= found.end
        for start, end, _ in found.quote_flags:
            assert 0 <= start < end <= len(quote)


_LETTERS = st.text(st.characters(categories=("L", "M", "Nd", "P", "Zs")), min_size=1, max_size=40)


@given(_LETTERS, st.sampled_from(["NFC", "NFD"]), st.sampled_from([" ", "\n", "\u00a0", " \t "]))
def test_every_honest_variant_is_exact(quote: str, form: Literal["NFC", "NFD"], gap: str) -> None:
    words = [w for w in quote.split() if w] or ["word"]
    # A mark at the head of a word composes with what stands before it; that is no quotation.
    words = ["x" + w for w in words]
    text = "Before. " + unicodedata.normalize(form, gap.join(words)) + " After."
    found = find_quote(unicodedata.normalize("NFC", " ".join(words)), text)
    assert found is not None
    assert found.exact


def test_honest_variants_of_real_sentences_are_exact_without_exception() -> None:
    rng = random.Random(7)
    for _ in range(1000):
        source, quote = _quotes(rng)
        form: Literal["NFC", "NFD"] = rng.choice(("NFC", "NFD"))
        spaced = "".join(
            rng.choice((" ", "  ", "\n", "\u00a0", "\t")) if c == " " else c for c in quote
        )
        found = find_quote(unicodedata.normalize(form, spaced), source)
        assert found is not None
        assert found.grade is Grade.EXACT
        assert source[found.start : found.end] == quote
        other = find_quote(quote, unicodedata.normalize(form, source.replace(quote, spaced)))
        assert other is not None
        assert other.grade is Grade.EXACT


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ('He said "yes"', "He said “yes” twice."),
        ("don't stop", "don’t stop"),
        ("pages 5-10", "pages 5–10 of it"),
        ("so... fine", "so… fine"),
        ("find the office", "ﬁnd the oﬃce"),
    ],
)
def test_typographic_variants_count_as_exact(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    assert found is not None
    assert found.grade is Grade.TYPOGRAPHIC
    assert found.exact


def test_an_em_dash_is_not_a_hyphen() -> None:
    assert find_quote("a man-eating shark", "a man—eating shark") is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("able to work", "He was unable to work."),
        ("24 percent", "It rose by 124 percent."),
        ("5 mg daily", "Take 0.5 mg daily."),
        ("costs 5", "It costs 5,000 euros."),
        ("5 °C", "It was -5 °C outside."),
        ("toxic to fish", "It is non-toxic to fish."),
        ("they can", "they can't swim"),
        ("可能", "这是不可能的"),
    ],
)
def test_a_quotation_that_cuts_a_word_or_number_is_not_exact(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    assert found is not None
    assert found.grade is Grade.CUT


def test_a_whole_occurrence_is_preferred_to_one_that_cuts() -> None:
    found = find_quote("able", "unable, then able")
    assert found is not None
    assert (found.start, found.grade) == (13, Grade.EXACT)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("25 units", "2⁵ units"),
        ("12 units", "①② units"),
        ("10 units", "1\u200b0 units"),
        ("is not safe", "is n\u200bot safe"),
        ("is not safe", "is nоt safe"),
        ("100 units", "1O0 units"),
        ("१२ units", "12 units"),
        ("chapter VIII here", "chapter Ⅷ here"),
    ],
)
def test_numbers_and_negations_are_never_read_through_a_disguise(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_a_letter_without_its_accent_is_another_letter() -> None:
    assert find_quote("cafe is open", "café is open") is None
    assert find_quote("the cafe", "the cafe\u0301") is None
    assert not find_quote("the cafe", "the cafe\u200d\u0301").exact  # type: ignore[union-attr]


def test_a_hidden_character_beside_the_quotation_hides_no_cut() -> None:
    for hidden in ("\u200b", "\u00ad", "\u202e", "\u200b" * 100):
        assert not find_quote("able to work", f"un{hidden}able to work").exact  # type: ignore[union-attr]
        assert not find_quote("costs 5", f"it costs 5{hidden}000").exact  # type: ignore[union-attr]


def test_other_capitals_are_a_grade_of_their_own() -> None:
    found = find_quote("THE COUNCIL", SOURCES[0])
    assert found is not None
    assert found.grade is Grade.CASE
    greek = find_quote("Η ΑΘΉΝΑ ΕΊΝΑΙ", SOURCES[3])
    assert greek is not None
    assert greek.grade is Grade.CASE


def test_a_denial_right_before_the_quoted_words_is_reported() -> None:
    assert find_quote("safe for use", "It is not safe for use.").after_negation  # type: ignore[union-attr]
    assert not find_quote("safe for use", "It is safe for use.").after_negation  # type: ignore[union-attr]
    assert not find_quote("Safe for use", "We said no. Safe for use.").after_negation  # type: ignore[union-attr]


@pytest.mark.parametrize("quote", ["", "   ", "…", "\u200b\u200b", "\u3164", '""'])
def test_nothing_readable_is_never_found(quote: str) -> None:
    assert find_quote(quote, f"some text {quote} more") is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pass\u200bword", "invisible"),
        ("safe\u202etxt.exe", "bidi"),
        ("hello\U000e0068\U000e0069", "tag"),
        ("a\ufe00b", "variation_selector"),
        ("a\ufe01\ufe02\ufe03\U000e0104\U000e0105", "variation_selector_run"),
        ("co\u00adoperate", "soft_hyphen"),
        ("pаypal", "look_alike"),
        ("We met сосо there.", "look_alike"),
        ("𝐍𝐨𝐭 safe", "compatibility"),
        ("a\u3164b", "blank"),
        ("a\x07b", "control"),
        ("a\ud800b", "surrogate"),
        ("a\ue000b", "private_use"),
        ("a" + "\u0301" * 12, "stacked_marks"),
    ],
)
def test_each_kind_of_disguise_is_named(text: str, code: str) -> None:
    assert code in {one.code for one in suspicious_characters(text)}


def test_a_hidden_manifest_is_told_from_other_selector_runs() -> None:
    def selector(byte: int) -> str:
        return chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16)

    hidden = "".join(selector(b) for b in b"C2PATXT\x00\x01payload")
    codes = {one.code for one in suspicious_characters("Some text.\ufeff" + hidden)}
    assert codes == {"invisible", "c2pa"}


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧 and ❤️ and 5️⃣",
        "می‌خواهم",
        "क्‍ष",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\ufeffA file that begins with a mark",
        "שלום \u200eabc\u200f עולם",
        "ＡＢＣ株式会社",
        "葛\U000e0100城",
        "Ελλάδα και Россия",
        "naïve façade, 5 µm, λ = 3",
        "tabs\tand\nlines\r\n",
    ],
)
def test_honest_uses_raise_no_suspicion(text: str) -> None:
    assert suspicious_characters(text) == ()


@given(st.text(max_size=80))
def test_suspicious_places_lie_in_the_text(text: str) -> None:
    for start, end, _ in suspicious_characters(text):
        assert 0 <= start < end <= len(text)


@given(st.text(max_size=80), st.sampled_from(list(Fold)))
def test_folding_keeps_a_place_for_every_character(text: str, level: Fold) -> None:
    folded = fold(text, level)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)


@given(st.text(max_size=80))
def test_folding_agrees_with_the_standard_composition(text: str) -> None:
    by_piece = fold(text, Fold.EXACT).text
    whole = fold(unicodedata.normalize("NFC", text), Fold.EXACT).text
    assert by_piece == whole


def test_every_character_that_composes_backwards_is_kept_in_its_cluster() -> None:
    for code in range(0x110000):
        char = chr(code)
        parts = unicodedata.decomposition(char)
        if not parts or parts.startswith("<") or " " not in parts:
            continue
        pair = "".join(chr(int(p, 16)) for p in parts.split())
        if unicodedata.normalize("NFC", pair) == char:
            assert fold(pair, Fold.EXACT).text == char


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "ab ",
        "\u0301\u0323",
        "e\u0301",
        "\u200b",
        "\ufe00",
        "word ",
        "аa",
        "… ",
        "\u1100\u1161",
        "`'",
    ],
)
def test_cost_grows_with_the_text_and_not_faster(unit: str, grows_straight: Any) -> None:
    def search(size: int) -> None:
        text = unit * (size // len(unit))
        for quote in (unit * 200 + "x", unit * 400, "not there at all", text[: size // 2] + "z"):
            find_quote(quote, text)
        suspicious_characters(text)

    assert grows_straight(search, 64_000)


def test_one_index_answers_many_quotations() -> None:
    index = QuoteIndex(" ".join(SOURCES))
    assert all(index.find(source) is not None for source in SOURCES)
    assert index.find("nowhere to be found") is None


@settings(max_examples=30)
@given(
    st.text(alphabet="ab \u0301\u200b", max_size=200),
    st.text(alphabet="ab \u0301\u200b", max_size=20),
)
def test_small_alphabets_with_many_overlaps_do_no_harm(text: str, quote: str) -> None:
    found = find_quote(quote, text)
    assert found is None or 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize("run", ["ß", "漢", "한", "a", "é "])
def test_text_without_spaces_that_does_not_fold_one_to_one_costs_in_proportion(
    run: str, grows_straight: Any
) -> None:
    def work(size: int) -> object:
        return [fold(run * size + "ß", level) for level in Fold]

    assert grows_straight(work, 16_000)


@given(st.text(alphabet="ab ßé漢한\u0301\u3099\u200b…ﬁ\t\n", max_size=200))
def test_folding_runs_at_once_gives_what_folding_bit_by_bit_gives(text: str) -> None:
    for level in Fold:
        whole = fold(text, level)
        for at, char in enumerate(whole.text):
            start, end = whole.starts[at], whole.ends[at]
            assert start < end <= len(text)
            assert char in (" ", *fold(text[start:end], level).text)
