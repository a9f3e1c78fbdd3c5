"""Other names of the same place: postal codes of states and short forms of countries."""

from __future__ import annotations

_STATES = (
    "al alabama|ak alaska|az arizona|ar arkansas|ca california|co colorado|ct connecticut|"
    "de delaware|fl florida|ga georgia|hi hawaii|id idaho|il illinois|in indiana|ia iowa|"
    "ks kansas|ky kentucky|la louisiana|me maine|md maryland|ma massachusetts|mi michigan|"
    "mn minnesota|ms mississippi|mo missouri|mt montana|ne nebraska|nv nevada|nh new hampshire|"
    "nj new jersey|nm new mexico|ny new york|nc north carolina|nd north dakota|oh ohio|"
    "ok oklahoma|or oregon|pa pennsylvania|ri rhode island|sc south carolina|sd south dakota|"
    "tn tennessee|tx texas|ut utah|vt vermont|va virginia|wa washington|wv west virginia|"
    "wi wisconsin|wy wyoming|ab alberta|bc british columbia|on ontario|qc quebec|"
    "us united states|us america|us american|us states|uk united kingdom|uk britain|uk british|"
    "eu european union|un united nations|"
    "irish ireland|french france|german germany|spanish spain|italian italy|dutch netherlands|"
    "swedish sweden|danish denmark|norwegian norway|finnish finland|polish poland|greek greece|"
    "turkish turkey|russian russia|chinese china|japanese japan|indian india|brazilian brazil|"
    "mexican mexico|canadian canada|australian australia|swiss switzerland|austrian austria|"
    "belgian belgium|portuguese portugal|egyptian egypt|israeli israel|iranian iran|iraqi iraq|"
    "scottish scotland|welsh wales|english england|ukrainian ukraine|kenyan kenya|korean korea"
)
_ALIASES: dict[str, frozenset[str]] = {}
for _entry in _STATES.split("|"):
    _short, _, _long = _entry.partition(" ")
    for _word in _long.split():
        _ALIASES[_word] = _ALIASES.get(_word, frozenset()) | {_short}
    _ALIASES[_short] = _ALIASES.get(_short, frozenset()) | frozenset(_long.split())


def aliases(word: str) -> frozenset[str]:
    """Give other lower-case words under which the same place may stand in a source."""
    return _ALIASES.get(word.lower(), frozenset())
