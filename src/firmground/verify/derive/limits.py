"""Words that qualify a number: about, nearly, more than, at least, up to."""

# ruff: noqa: E501 - word lists and patterns read better in long lines
from __future__ import annotations

from firmground.verify.derive.model import Limit
from firmground.verify.derive.tokens import TokenList

_PHRASES: dict[Limit, str] = {
    Limit.JUST_OVER: "just over|a little over|slightly over|a little more than|slightly more than|"
    "just above|a bit more than|a bit over|just more than|barely over|a good",
    Limit.NEARLY: "nearly|almost|just under|a little under|slightly under|slightly less than|"
    "a little less than|just below|close to|not quite|knapp|fast|presque|casi|just short of|"
    "a bit under|a shade under|a bit less than|shy of|just shy of",
    Limit.ABOUT: "about|around|approximately|approx|approx .|roughly|circa|ca|ca .|some|~|≈|etwa|"
    "rund|ungefähr|environ|unos|unas|alrededor de|aproximadamente|cerca de|in the region of|"
    "on the order of|an estimated|estimated|or so",
    Limit.AT_LEAST: "at least|no less than|no fewer than|not less than|not fewer than|a minimum of|"
    "minimum of|minimum|mindestens|au moins|al menos|≥|> =|from age|starting at|starts at|not below|"
    "as many as|as much as|not under",
    Limit.OVER: "more than|over|above|exceeding|exceeds|exceeded|exceed|greater than|upwards of|"
    "higher than|longer than|older than|larger than|later than|mehr als|über|plus de|más de|>|"
    "well over|beyond|in excess of|past|heavier than|taller than|bigger than|faster than",
    Limit.AT_MOST: "at most|up to|no more than|not more than|no longer than|no later than|a maximum of|"
    "maximum of|maximum|not exceeding|not exceed|never more than|höchstens|bis zu|au plus|hasta|"
    "como máximo|≤|< =|capped at|limit of|limited to|not above|not over|no higher than|max|max .|"
    "as little as|not longer than|never exceed|never exceeds|no larger than|a ceiling of",
    Limit.UNDER: "less than|fewer than|under|below|lower than|shorter than|weniger als|unter|"
    "moins de|menos de|<|cheaper than|younger than|smaller than|well under|earlier than|sooner than|"
    "short of|lighter than",
}  # fmt: skip
_TABLE: dict[tuple[str, ...], Limit] = {
    tuple(phrase.split()): limit
    for limit, listed in _PHRASES.items()
    for phrase in listed.split("|")
}
_LONGEST = max(map(len, _TABLE))
_BEHIND = {
    ("or", "more"): Limit.AT_LEAST, ("or", "over"): Limit.AT_LEAST, ("or", "less"): Limit.AT_MOST,
    ("or", "fewer"): Limit.AT_MOST, ("at", "most"): Limit.AT_MOST, ("at", "least"): Limit.AT_LEAST,
    ("or", "so"): Limit.ABOUT, ("and", "older"): Limit.AT_LEAST, ("or", "older"): Limit.AT_LEAST,
    ("and", "over"): Limit.AT_LEAST, ("and", "above"): Limit.AT_LEAST,
    ("or", "above"): Limit.AT_LEAST, ("or", "higher"): Limit.AT_LEAST,
    ("or", "below"): Limit.AT_MOST, ("or", "lower"): Limit.AT_MOST,
}  # fmt: skip
_SKIPPED = frozenset({"a", "an", "the", "of", "only", "just"})


def limit_of(tokens: TokenList, first: int, behind: int) -> Limit:
    """Give the limit that the words before `first` or from `behind` on put on a number."""
    at = first
    for _ in range(2):
        for length in range(_LONGEST, 0, -1):
            low = at - length
            if low >= 0:
                limit = _TABLE.get(tuple(tokens.words[low:at]))
                if limit is not None:
                    return _negated(tokens, low, limit)
        if tokens.word(at - 1) not in _SKIPPED:
            break
        at -= 1
    return _BEHIND.get((tokens.word(behind), tokens.word(behind + 1)), Limit.EXACT)


def _negated(tokens: TokenList, low: int, limit: Limit) -> Limit:
    """Read "not more than" where the negation stands one word further off."""
    if tokens.word(low - 1) in ("not", "never", "no"):
        return {Limit.OVER: Limit.AT_MOST, Limit.UNDER: Limit.AT_LEAST}.get(limit, limit)
    return limit
