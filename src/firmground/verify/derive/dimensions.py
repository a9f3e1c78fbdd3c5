"""Units of measure: the dimension of each, and its size in that dimension's base unit."""

from __future__ import annotations

from functools import cache

from firmground.verify.values.units_of_measure import UNITS

# The older tables keep feet and metres apart; here one dimension has one base unit.
_MERGED = {
    "metre": ("length", 1.0), "foot": ("length", 0.3048), "gram": ("mass", 1.0),
    "ounce": ("mass", 28.349523), "litre": ("volume", 1.0), "second": ("time", 1.0),
    "month": ("months", 1.0), "byte": ("data", 1.0), "mph": ("speed", 0.44704),
    "kph": ("speed", 1 / 3.6), "celsius": ("temperature", 1.0), "degree": ("temperature", 1.0),
    "fahrenheit": ("fahrenheit", 1.0), "calorie": ("calorie", 1.0), "percent": ("percent", 1.0),
    "year-old": ("months", 12.0), "star": ("count", 1.0),
}  # fmt: skip
_DAY = 86400.0
_MORE: dict[str, dict[str, float]] = {
    "time": {
        "s": 1, "h": 3600, "d": _DAY, "night": _DAY, "nights": _DAY, "fortnight": 14 * _DAY,
        "fortnights": 14 * _DAY, "weekend": 2 * _DAY, "µs": 1e-6, "us": 1e-6, "ns": 1e-9,
        "microseconds": 1e-6, "std": 3600,
    },
    "months": {"quarter": 3, "quarters": 3, "y": 12, "semester": 6, "anni": 12, "mesi": 1},
    "length": {
        "m": 1, "in": 0.0254, "mi": 1609.344, "yd": 0.9144, "nm": 1e-9, "µm": 1e-6,
        "micrometres": 1e-6, "nautical miles": 1852,
    },
    "area": {
        "m²": 1, "m2": 1, "sqm": 1, "square metres": 1, "square meters": 1, "sq m": 1,
        "km²": 1e6, "square kilometres": 1e6, "square kilometers": 1e6, "ha": 1e4,
        "hectare": 1e4, "hectares": 1e4, "acre": 4046.86, "acres": 4046.86, "sq ft": 0.092903,
        "square feet": 0.092903, "cm²": 1e-4, "square centimetres": 1e-4,
    },
    "mass": {
        "ng": 1e-9, "tons": 1e6, "ton": 1e6, "t": 1e6, "microgram": 1e-6, "micrograms": 1e-6,
        "stone": 6350.29, "pound": 453.59237, "milligramme": 1e-3,
    },
    "volume": {
        "µl": 1e-6, "ul": 1e-6, "cl": 0.01, "dl": 0.1, "hl": 100, "gallon": 3.785412,
        "gallons": 3.785412, "pint": 0.473176, "pints": 0.473176, "m³": 1000, "m3": 1000,
        "cubic metres": 1000, "cubic meters": 1000, "millilitre": 0.001, "millilitres": 0.001,
        "centilitres": 0.01, "microlitres": 1e-6,
    },
    "data": {
        "byte": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "kilobytes": 1e3,
        "megabytes": 1e6, "megabyte": 1e6, "gigabytes": 1e9, "gigabyte": 1e9, "terabytes": 1e12,
        "terabyte": 1e12, "kilobyte": 1e3,
    },
    "bitrate": {"kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "mbit/s": 1e6, "gbit/s": 1e9},
    "energy": {"wh": 1, "kwh": 1e3, "mwh": 1e6, "gwh": 1e9, "kilowatt-hours": 1e3},
    "power": {"w": 1, "kw": 1e3, "mw": 1e6, "gw": 1e9, "watts": 1, "kilowatts": 1e3,
              "megawatts": 1e6},
    "frequency": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "voltage": {"v": 1, "kv": 1e3, "volts": 1, "volt": 1},
    "pressure": {"bar": 1, "mbar": 1e-3, "kpa": 0.01, "hpa": 1e-3, "psi": 0.0689476},
    "molar": {"mm": 1e-3, "µm": 1e-6},
    "speed": {"m/s": 1, "metres per second": 1, "knots": 0.514444},
    "temperature": {"c": 1},
    "percent": {
        "basis points": 0.01, "basis point": 0.01, "bps": 0.01, "bp": 0.01, "pp": 1, "pts": 1,
        "percent points": 1, "per mille": 0.1, "‰": 0.1, "per-cent": 1,
    },
    "money:gbp": {"pounds": 1, "pence": 0.01, "p": 0.01, "quid": 1},
    "money:usd": {"cent": 0.01, "us dollars": 1, "us dollar": 1, "¢": 0.01},
    "money:eur": {"euro cents": 0.01, "ct": 0.01},
    "money:sek": {"sek": 1, "kronor": 1},
    "money:nok": {"nok": 1, "kroner": 1, "kr": 1, "krone": 1, "crowns": 1},
    "money:dkk": {"dkk": 1},
    "money:pln": {"pln": 1, "zł": 1, "zloty": 1, "złoty": 1},
    "money:brl": {"brl": 1, "reais": 1, "real": 1},
    "money:mxn": {"mxn": 1, "pesos": 1}, "money:cad": {"cad": 1}, "money:aud": {"aud": 1},
    "money:chf": {"francs": 1, "franc": 1, "fr": 1}, "money:czk": {"czk": 1},
    "money:clp": {"clp": 1}, "money:sgd": {"sgd": 1}, "money:nzd": {"nzd": 1},
    "money:zar": {"zar": 1, "rand": 1}, "money:try": {"try": 1, "lira": 1},
    "money:huf": {"huf": 1, "forint": 1}, "money:ron": {"ron": 1, "lei": 1},
}  # fmt: skip
SIGNS = {
    "$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "us$": "usd", "r$": "brl",
    "c$": "cad", "a$": "aud", "₺": "try", "₽": "rub", "₩": "krw", "nz$": "nzd", "s$": "sgd",
}  # fmt: skip
CODES = frozenset(
    "usd eur gbp chf jpy inr sek nok dkk pln brl mxn cad aud czk clp sgd nzd zar huf ron kr".split()
)
# These are units only directly behind digits: as words of their own they mean other things.
ONLY_BEHIND_DIGITS = frozenset(
    "s h d m c p t w v y in an min ms l g cl fr try real rand second mi stone bar ct cal "
    "quarter quarters grad tag std us star stars lei pp pts ron pound".split()
)
# Written in capitals these are no unit, in the other way no other.
_CASED = {
    "mm": {"mM": ("molar", 1e-3)},
    "µm": {"µM": ("molar", 1e-6)},
    "nm": {"nM": ("molar", 1e-9)},
}
TIME_NOUNS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": _DAY,
    "night": _DAY,
    "week": 7 * _DAY,
}
MONTH_NOUNS = {"month": 1.0, "quarter": 3.0, "year": 12.0}
DAYS_PER_MONTH = 30.4375


@cache
def unit_table() -> dict[str, tuple[str, float]]:
    """Give every written unit, lower case, with its dimension and size."""
    table: dict[str, tuple[str, float]] = {}
    for alias, (dimension, factor) in UNITS.items():
        base, size = _MERGED.get(dimension, (f"money:{dimension}", 1.0))
        table[alias] = (base, size * factor)
    for dimension, aliases in _MORE.items():
        for alias, factor in aliases.items():
            table.setdefault(alias, (dimension, float(factor)))
    for code in CODES - {"kr"}:
        table[code] = (f"money:{code}", 1.0)
    return table


def find_unit(written: str) -> tuple[str, float] | None:
    """Give the dimension and size of a unit as it is written, or None."""
    lowered = written.lower().replace("\u03bc", "µ")
    cased = _CASED.get(lowered, {}).get(written.replace("\u03bc", "µ"))
    return cased or unit_table().get(lowered)


def compatible(one: str, other: str) -> bool:
    """True when two dimensions can hold the same value; an empty one fits any but a moment."""
    if one == other:
        return True
    if not one or not other:
        return (one or other) not in ("date", "clock", "ordinal", "label")
    pair = {one, other}
    if pair <= {"temperature", "fahrenheit"} or pair <= {"time", "months"}:
        return True
    if pair <= {"share", "percent", "ratio"} or pair <= {"count", "label"}:
        return True
    return pair <= {"share", "ratio", "count"} and "count" in pair
