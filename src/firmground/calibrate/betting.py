"""Betting test that the mean of bounded samples is negative.

Start with a capital of 1 and bet before each draw that it will be below zero: a stake ``s`` turns
the capital into ``capital * (1 - s * draw)``. When the mean is not below zero no way of betting
makes money on average, so a capital of ``goal`` is reached with a probability of at most
``1 / goal``, whatever the distribution and however many draws there are (Ville). How the stakes
are chosen decides only how often a true statement is proved; here as much is staked as would carry
the capital to the goal by the last draw if the rest vary like those before (Waudby-Smith and
Ramdas; Voracek and Orabona for recomputing the target after every draw).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def reaches(
    draws: Sequence[float], *, most: float, goal: float, like: Sequence[float] = ()
) -> bool:
    """True when betting that the draws are below zero reaches the goal; no draw is above ``most``.

    ``like`` are other draws of the same kind: they determine the stakes and are not tested.
    """
    capital = 1.0
    squares = most * most / 4 + math.fsum(x * x for x in like)
    seen = 1 + len(like)
    for at, draw in enumerate(draws):
        spread = squares / seen * (len(draws) - at)
        stake = min(1 / most, math.sqrt(2 * math.log(goal / capital) / spread))
        capital *= 1 - stake * draw
        if capital >= goal:
            return True
        if capital <= 0:
            return False
        squares += draw * draw
        seen += 1
    return False
