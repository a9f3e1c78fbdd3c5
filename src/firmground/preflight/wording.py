"""How the whole wording leans: a weighted vote of its words and word pairs.

The cues know what they look for; this knows how people who invent and people who work put things.
The weights come from the ``dev`` half of the labelled goals (``training/preflight_wording.py``).
"""

from __future__ import annotations

import math
from itertools import pairwise

from firmground.preflight.wording_table import BIAS, WEIGHTS

_SHOWN = 6
_ENOUGH = 8
"""With fewer known words and pairs there is no vote."""
_FEWEST = 16
"""A handful of known words is a small sample: it counts as if spread over this many."""
_MOST_WORDS = 400
"""A goal longer than this is judged by its opening; beyond it the vote no longer changes much."""


def features(text_words: list[str], *, asks: bool) -> set[str]:
    """The words, the word pairs, how it opens and whether it is put as a question."""
    if not text_words:
        return set()
    found = set(text_words)
    found.update(f"{a}_{b}" for a, b in pairwise(text_words))
    found.add("^" + text_words[0])
    found.add("^" + "_".join(text_words[:2]))
    if asks:
        found.add("?end")
    return found


def prepared(ordered: list[str]) -> list[str]:
    """The words with every number as one sign."""
    return ["#" if word[0].isdigit() else word for word in ordered[:_MOST_WORDS]]


def lean(ordered: list[str], *, asks: bool) -> tuple[float, tuple[str, ...]]:
    """Return the probability that this wording belongs to an invention, and what speaks for it."""
    known = [
        (WEIGHTS[name], name) for name in features(prepared(ordered), asks=asks) if name in WEIGHTS
    ]
    if len(known) < _ENOUGH:
        return 0.0, ()
    total = BIAS + sum(weight for weight, _ in known) / math.sqrt(max(_FEWEST, len(known)))
    for_it = sorted((k for k in known if k[0] > 0), reverse=True)[:_SHOWN]
    return 1.0 / (1.0 + math.exp(-total)), tuple(name for _, name in for_it)
