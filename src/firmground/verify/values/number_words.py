"""Numbers written as words, from zero to ninety-nine, in English, German, French and Spanish."""

from __future__ import annotations

from functools import cache

_EN_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DE_ONES = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
).split()
_DE_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_FR_ONES = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
).split()
_FR_TENS = "vingt trente quarante cinquante soixante".split()
_ES_ONES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve"
).split()
_ES_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()

SCALES: dict[str, dict[str, float]] = {
    "en": {
        "hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9,
        "billions": 1e9, "trillion": 1e12, "dozen": 12.0, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9,
        "b": 1e9, "tn": 1e12,
    },
    "de": {
        "hundert": 1e2, "tausend": 1e3, "million": 1e6, "millionen": 1e6, "mio": 1e6,
        "milliarde": 1e9, "milliarden": 1e9, "mrd": 1e9, "billion": 1e12, "billionen": 1e12,
        "dutzend": 12.0,
    },
    "fr": {
        "cent": 1e2, "cents": 1e2, "mille": 1e3, "million": 1e6, "millions": 1e6, "milliard": 1e9,
        "milliards": 1e9, "billion": 1e12, "billions": 1e12, "douzaine": 12.0,
    },
    "es": {
        "cien": 1e2, "ciento": 1e2, "mil": 1e3, "millón": 1e6, "millones": 1e6, "billón": 1e12,
        "billones": 1e12, "docena": 12.0,
    },
}  # fmt: skip
# As words these are also articles, pronouns or other things, so alone they are no numbers.
TOO_COMMON = {
    "en": frozenset({"one"}),
    "de": frozenset({"eins"}),
    "fr": frozenset({"un", "neuf"}),
    "es": frozenset({"uno"}),
}


# The same word with another size elsewhere, or a word with an everyday meaning of its own.
_NOT_ABROAD = frozenset({"billion", "billions", "cent", "cents", "mil", "mille", "k", "m", "b"})


def scale_of(word: str, language: str) -> float | None:
    """Give the factor of a scale word; a foreign one counts when it can mean nothing else."""
    if word in SCALES[language]:
        return SCALES[language][word]
    if word in _NOT_ABROAD:
        return None
    return next((table[word] for table in SCALES.values() if word in table), None)


@cache
def word_numbers(language: str) -> dict[str, int]:
    """Give the number words of one language below one hundred."""
    return {"en": _english, "de": _german, "fr": _french, "es": _spanish}[language]()


def _english() -> dict[str, int]:
    table = {word: n for n, word in enumerate(_EN_ONES)}
    for ten, word in enumerate(_EN_TENS, start=2):
        table[word] = ten * 10
        for one in range(1, 10):
            table[f"{word}-{_EN_ONES[one]}"] = ten * 10 + one
    return table


def _german() -> dict[str, int]:
    table = {word: n for n, word in enumerate(_DE_ONES)}
    for ten, word in enumerate(_DE_TENS, start=2):
        table[word] = ten * 10
        for one in range(1, 10):
            table[f"{'ein' if one == 1 else _DE_ONES[one]}und{word}"] = ten * 10 + one
    return table


def _french() -> dict[str, int]:
    table = {word: n for n, word in enumerate(_FR_ONES)}
    for ten, word in enumerate(_FR_TENS, start=2):
        table[word] = ten * 10
        for one in range(1, 10):
            joint = f"{word} et un" if one == 1 else f"{word}-{_FR_ONES[one]}"
            table[joint.replace(" ", "-")] = ten * 10 + one
    for one in range(20):
        low = {0: "soixante-dix", 1: "soixante-et-onze"}.get(
            one, f"soixante-{_FR_ONES[10 + one]}" if one < 10 else ""
        )
        if low:
            table[low] = 70 + one
        table["quatre-vingts" if one == 0 else f"quatre-vingt-{_FR_ONES[one]}"] = 80 + one
    return table


def _spanish() -> dict[str, int]:
    table = {word: n for n, word in enumerate(_ES_ONES)}
    for ten, word in enumerate(_ES_TENS, start=3):
        table[word] = ten * 10
        for one in range(1, 10):
            table[f"{word}-y-{_ES_ONES[one]}"] = ten * 10 + one
    return table
