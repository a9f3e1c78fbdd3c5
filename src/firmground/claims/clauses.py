"""Where one sentence makes several assertions that can be judged apart.

Cuts are made only between two stretches that each have a verb of their own, never inside
quotation marks or brackets, and never where cutting would lose a condition, a cause, an
alternative or the one who is quoted. The pieces together are the whole sentence.
"""

from __future__ import annotations

from itertools import pairwise

from firmground.claims import words as en
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.segment import Span, Word

_FEWEST_WORDS = 3
_SUBJECT_REACH = 7
_LONGEST = 4000
_OPENING = dict(zip("([{“«", ")]}”»", strict=True))


def clauses(text: str) -> tuple[Span, ...]:
    """Cut a sentence into its assertions; a sentence that is one assertion comes back whole."""
    whole = (Span(start=0, end=len(text)),)
    found = tokens(text)
    if len(found) < 2 * _FEWEST_WORDS or len(text) > _LONGEST:
        return whole
    plain = plain_tokens(text)
    if plain[0] in en.CONDITIONALS:
        return whole
    cuts = [
        found[place].start
        for place in range(_FEWEST_WORDS, len(found) - _FEWEST_WORDS + 1)
        if _opens_clause(text, found, plain, place)
    ]
    if not cuts:
        return whole
    sheltered = _sheltered(text)
    return _spans(text, _far_apart(found, plain, [cut for cut in cuts if not sheltered[cut]]))


def _opens_clause(text: str, found: tuple[Word, ...], plain: tuple[str, ...], place: int) -> bool:
    gap = text[found[place - 1].end : found[place].start]
    word = plain[place]
    if ";" in gap:
        return _has_verb(plain[:place]) and _starts_clause(text, found, plain, place)
    if "," in gap and word in en.SPLIT_BEFORE:
        return _cuttable(text[: found[place].start]) and (
            _starts_clause(text, found, plain, place + 1)
            or _starts_with_verb(plain, place + 1, word)
        )
    if "," in gap and word in en.RELATIVES:
        return _closing_relative(text, found, plain, place)
    if word in ("and", "but") and not gap.strip():
        return _cuttable(text[: found[place].start]) and _pronoun_clause(plain, place + 1)
    return False


def _cuttable(before: str) -> bool:
    """False when what follows hangs on who said so, on a condition or on a pair of words."""
    lowered = before.lower()
    if any(phrase in lowered for phrase in en.REPORTING):
        return False
    return not {"if", "unless", "either", "neither", "whether", "between", "that"} & set(
        lowered.split()
    )


def _starts_clause(text: str, found: tuple[Word, ...], plain: tuple[str, ...], place: int) -> bool:
    """True when a subject stands here and a verb soon after it."""
    if place >= len(plain):
        return False
    named = found[place].text[0].isupper() or found[place].text[0].isdigit()
    if not (named or plain[place] in en.PRONOUNS or plain[place] in en.DETERMINERS):
        return False
    reach = range(place + 1, min(len(plain), place + 1 + _SUBJECT_REACH))
    for at in reach:
        if "," in text[found[at - 1].end : found[at].start] or plain[at] in en.SUBORDINATORS:
            return False
        if _is_verb_after(plain, at, place):
            return True
    return False


def _is_verb_after(plain: tuple[str, ...], at: int, subject: int) -> bool:
    """Accept forms that may be participles or nouns only right behind a pronoun or a plural."""
    word, before = plain[at], plain[at - 1]
    if word in en.AUXILIARIES:
        return True
    doubtful = word.endswith("ed") or word in en.PARTICIPLES or word in en.BARE_FORMS
    if doubtful:
        close = at - 1 == subject and before in en.PRONOUNS
        plural = word in en.BARE_FORMS and before.endswith("s") and before not in en.DETERMINERS
        return (
            word in en.VERBS and (close or plural) and before not in ("its", "their", "his", "her")
        )
    return word in en.VERBS


def _starts_with_verb(plain: tuple[str, ...], place: int, connector: str) -> bool:
    """`, and has a garden`: the verb shares the subject of the clause before it."""
    if connector not in ("and", "but") or place >= len(plain):
        return False
    word = plain[place]
    return _has_verb(plain[: place - 1]) and (
        word in en.AUXILIARIES or (word in en.VERBS and word.endswith(("s", "ed")))
    )


def _pronoun_clause(plain: tuple[str, ...], place: int) -> bool:
    if place + 1 >= len(plain):
        return False
    return plain[place] in ("it", "they", "he", "she", "there", "we") and is_finite(
        plain[place + 1]
    )


def _closing_relative(
    text: str, found: tuple[Word, ...], plain: tuple[str, ...], place: int
) -> bool:
    """A relative clause may be cut off only when it runs to the end of the sentence."""
    if not (_has_verb(plain[:place]) and any(map(is_finite, plain[place + 1 : place + 4]))):
        return False
    return _cuttable(text[: found[place].start]) and "," not in text[found[place].start :]


def _has_verb(plain: tuple[str, ...]) -> bool:
    return any(map(is_finite, plain))


def _far_apart(found: tuple[Word, ...], plain: tuple[str, ...], cuts: list[int]) -> list[int]:
    """Keep cuts that leave every piece some words and a verb."""
    kept: list[int] = []
    bounds = {one.start: place for place, one in enumerate(found)}
    at = 0
    for cut in cuts:
        place = bounds[cut]
        rest = plain[place:]
        if (
            place - at >= _FEWEST_WORDS
            and _has_verb(plain[at:place])
            and len(rest) >= _FEWEST_WORDS
        ):
            kept.append(cut)
            at = place
    return kept


def _spans(text: str, cuts: list[int]) -> tuple[Span, ...]:
    edges = [0, *cuts, len(text)]
    return tuple(
        Span(start=start, end=start + len(text[start:end].rstrip()))
        for start, end in pairwise(edges)
    )


def _sheltered(text: str) -> list[bool]:
    """Mark what stands inside brackets or quotation marks."""
    inside, flags, closing = False, [], []
    for char in text:
        if char == '"':
            inside = not inside
        elif char in _OPENING:
            closing.append(_OPENING[char])
        elif closing and char == closing[-1]:
            closing.pop()
        flags.append(inside or bool(closing))
    # An unpaired mark shelters nothing.
    return flags if not (inside or closing) else [False] * len(text)
