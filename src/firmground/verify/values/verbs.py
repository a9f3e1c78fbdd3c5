"""One form for the forms of a verb, regular or not."""

from __future__ import annotations

from functools import lru_cache

from firmground.verify.select import stem

_IRREGULAR = (
    "begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|"
    "choose chose chosen|come came|draw drew drawn|drive drove driven|eat ate eaten|"
    "fall fell fallen|fight fought|find found|fly flew flown|forbid forbade forbidden|"
    "get got gotten|give gave given|go went gone|grow grew grown|hide hid hidden|hold held|"
    "keep kept|know knew known|lead led|leave left|lose lost|make made|meet met|pay paid|"
    "rise rose risen|run ran|say said|see saw seen|sell sold|send sent|shoot shot|sing sang sung|"
    "sink sank sunk|speak spoke spoken|spend spent|stand stood|steal stole stolen|"
    "strike struck|swim swam swum|take took taken|teach taught|tell told|throw threw thrown|"
    "win won|withdraw withdrew withdrawn|write wrote written"
)
_BASE = {form: row.split()[0] for row in _IRREGULAR.split("|") for form in row.split()}


@lru_cache(maxsize=8192)
def verb_key(word: str) -> str:
    """Give the same key to ``steal``, ``stole`` and ``stealing``, to ``cut`` and ``cutting``."""
    lowered = word.lower()
    if lowered in _BASE:
        return stem(_BASE[lowered])
    key = stem(lowered)
    doubled = len(key) > 3 and key[-1] == key[-2] and key[-1] in "bdgmnprt" and key != lowered
    key = key[:-1] if doubled else key
    return stem(_BASE[key]) if key in _BASE else key
