"""Units of measure and money: which ones can be compared, and by what factor."""

from __future__ import annotations

_DIMENSIONS: dict[str, dict[str, float]] = {
    "percent": {
        "%": 1, "percent": 1, "per cent": 1, "pct": 1, "prozent": 1, "pour cent": 1,
        "por ciento": 1, "percentage points": 1, "percentage point": 1,
    },
    "second": {
        "ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "second": 1, "seconds": 1,
        "sec": 1, "secs": 1, "sekunde": 1, "sekunden": 1, "seconde": 1, "secondes": 1,
        "segundo": 1, "segundos": 1, "minute": 60, "minutes": 60, "min": 60, "mins": 60,
        "minuten": 60, "minuto": 60, "minutos": 60, "hour": 3600, "hours": 3600, "hr": 3600,
        "hrs": 3600, "stunde": 3600, "stunden": 3600, "heure": 3600, "heures": 3600, "hora": 3600,
        "horas": 3600, "day": 86400, "days": 86400, "tag": 86400, "tage": 86400, "tagen": 86400,
        "jour": 86400, "jours": 86400, "día": 86400, "días": 86400, "week": 604800,
        "weeks": 604800, "woche": 604800, "wochen": 604800, "semaine": 604800,
        "semaines": 604800, "semana": 604800, "semanas": 604800,
    },
    # A month has no fixed number of days, so months and years are a dimension of their own.
    "month": {
        "month": 1, "months": 1, "monat": 1, "monate": 1, "monaten": 1, "mois": 1, "mes": 1,
        "meses": 1, "year": 12, "years": 12, "yr": 12, "yrs": 12, "jahr": 12, "jahre": 12,
        "jahren": 12, "an": 12, "ans": 12, "année": 12, "années": 12, "año": 12, "años": 12,
        "decade": 120, "decades": 120, "century": 1200, "centuries": 1200,
    },
    "metre": {
        "mm": 0.001, "millimeter": 0.001, "millimeters": 0.001, "millimetre": 0.001,
        "millimetres": 0.001, "cm": 0.01, "centimeter": 0.01, "centimeters": 0.01,
        "centimetre": 0.01, "centimetres": 0.01, "metre": 1, "metres": 1, "meter": 1, "meters": 1,
        "km": 1000, "kilometer": 1000, "kilometers": 1000, "kilometre": 1000, "kilometres": 1000,
        "kilomètres": 1000, "kilómetros": 1000,
    },
    "foot": {
        "inch": 1 / 12, "inches": 1 / 12, "foot": 1, "feet": 1, "ft": 1, "yard": 3, "yards": 3,
        "mile": 5280, "miles": 5280,
    },
    "gram": {
        "mcg": 1e-6, "µg": 1e-6, "μg": 1e-6, "mg": 0.001, "milligram": 0.001, "milligrams": 0.001,
        "g": 1, "gram": 1, "grams": 1, "kg": 1000, "kilogram": 1000, "kilograms": 1000,
        "kilo": 1000, "kilos": 1000, "tonne": 1e6, "tonnes": 1e6,
    },
    "ounce": {"oz": 1, "ounce": 1, "ounces": 1, "lb": 16, "lbs": 16},
    "litre": {
        "ml": 0.001, "milliliter": 0.001, "milliliters": 0.001, "litre": 1, "litres": 1,
        "liter": 1, "liters": 1, "l": 1,
    },
    "celsius": {"°c": 1, "degrees c": 1, "degrees celsius": 1, "grad celsius": 1},
    "fahrenheit": {"°f": 1, "degrees f": 1, "degrees fahrenheit": 1},
    "degree": {"°": 1, "degree": 1, "degrees": 1, "grad": 1},
    "byte": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "bytes": 1},
    "calorie": {"calorie": 1, "calories": 1, "kcal": 1, "cal": 1},
    "mph": {"mph": 1, "miles per hour": 1},
    "kph": {
        "km/h": 1, "kph": 1, "kmh": 1, "kilometers per hour": 1, "kilometres per hour": 1,
        "km per hour": 1, "kilometer pro stunde": 1, "km pro stunde": 1,
    },
    "usd": {"$": 1, "us$": 1, "usd": 1, "dollar": 1, "dollars": 1, "cents": 0.01, "dólares": 1},
    "eur": {"€": 1, "eur": 1, "euro": 1, "euros": 1},
    "gbp": {"£": 1, "gbp": 1, "pounds sterling": 1},
    "jpy": {"¥": 1, "jpy": 1, "yen": 1},
    "inr": {"₹": 1, "inr": 1, "rupees": 1, "rupee": 1},
    "chf": {"chf": 1, "franken": 1},
    "year-old": {"year-old": 1, "years old": 1, "year old": 1, "jahre alt": 1, "ans d'âge": 1},
    "star": {"star": 1, "stars": 1, "sterne": 1, "étoiles": 1, "estrellas": 1},
}  # fmt: skip

UNITS: dict[str, tuple[str, float]] = {
    alias: (dimension, factor)
    for dimension, aliases in _DIMENSIONS.items()
    for alias, factor in aliases.items()
}
MONEY = frozenset({"usd", "eur", "gbp", "jpy", "inr", "chf"})
SIGNS = {"$": "usd", "us$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
CODES = {"usd": "usd", "eur": "eur", "gbp": "gbp", "chf": "chf", "jpy": "jpy", "inr": "inr"}
