"""Answers of a word or two: yes, no and their many forms, read with the question they answer."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.claims import words as en
from firmground.claims.asking import Proposition
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern

_OPENING = (
    r"(?:(?:well|so|oh|in short|unfortunately|sadly|luckily|fortunately|sorry|i'm afraid|i think|"
    r"i believe|i would say|i'd say|the (?:short )?answer(?: (?:is|here is|to (?:that|this|your question) is))?|"
    r"short answer|my answer is|answer)[,:]? ){0,2}"
)
_NO = (
    r"(?:(?:absolutely|certainly|definitely|of course|probably|unfortunately|sadly|i'm afraid|surely|"
    r"clearly|obviously|generally|usually) not|not (?:quite|really|at all|exactly|so|true|correct|"
    r"right|necessarily|even close|yet|any ?more|any longer|currently|at present|at the moment|for now)|no longer|no way|by no means|far from it|in no way|"
    r"(?:that|this|it)(?:'s| is| was) (?:not (?:quite )?(?:right|correct|true|the case|so|accurate)|wrong|false|"
    r"incorrect|untrue|inaccurate)|(?:that|this|it) isn't (?:right|correct|true|the case|so)|incorrect|wrong|"
    r"false|untrue|negative|nope|nah|never|no)"
)
_YES = (
    r"(?:(?:that|this|it)(?:'s| is| was) (?:absolutely |quite |entirely |indeed )?(?:right|correct|true|the case|so|"
    r"accurate)|without (?:a |any )?doubt|by all means|you bet|of course|correct|true|right|exactly|precisely|"
    r"absolutely|certainly|definitely|surely|sure(?: thing)?|indeed|affirmative|totally|naturally|yes|yep|yeah|"
    r"yup|aye)(?: indeed| sir| absolutely| certainly| of course| definitely)?"
)
_WHO = r"(?:it|they|he|she|you|we|i|there|this|that|these|those|one|everyone)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|must|should|shall|am)"
_ECHO = (
    rf"(?:{_WHO} {_AUXILIARY}(?P<echo_no>n't| not| never)?(?: be)?|{_WHO} (?P<echo_cannot>can't|cannot|won't)|"
    rf"(?:it|that|they|you|we|he|she|there)(?:'s|'re) (?P<echo_bare>not)|(?:so )?{_AUXILIARY}n't|"
    rf"(?:that|this|it)(?:'s| is) (?P<echo_case>not )?(?:the case|possible|so|true|correct|right))(?: indeed| so| too)?(?:,? (?:yes|no))?"
)
_WORD = lazy_pattern(
    rf"{_OPENING}(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?=[\s]*(?:[,.;:!–—-]|\Z)|\s+{_ECHO}\W*\Z)"
)
_ONLY_ECHO = lazy_pattern(rf"(?:indeed,? |yes,? |no,? )?{_ECHO}\W*")
_SEPARATOR = " \t\n,.;:!–—-*_\"'“”"
_HEDGES = frozenset("just only at most least up to about around exactly roughly no more less fewer than some nearly almost".split())  # fmt: skip
_PREPOSITIONS = frozenset("in on at by for from with within between under over to during after before since until per of".split())  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A yes or no at the head of a sentence: `text[:end]`, what follows starts at ``rest``."""

    affirms: bool
    end: int
    rest: int
    clear: bool = True
    """False when the words disagree, as in "Yes, it is not"."""


def read_reply(text: str) -> Reply | None:
    """Find a yes or no, or an echo of the question ("It is not."), at the head of a sentence."""
    plain = text.lower().replace("’", "'")
    if len(plain) != len(text):
        return None
    lead = len(plain) - len(plain.lstrip(_SEPARATOR))
    echo = _ONLY_ECHO.fullmatch(plain, lead)
    if echo and not _WORD.match(plain, lead):
        return Reply(affirms=not _denies(echo), end=len(text), rest=len(text))
    match = _WORD.match(plain, lead)
    if match is None:
        return None
    affirms = match["no"] is None
    rest = match.end() + len(plain[match.end() :]) - len(plain[match.end() :].lstrip(_SEPARATOR))
    echo = _ONLY_ECHO.fullmatch(plain, rest)
    if echo:
        clear = affirms is not _denies(echo)
        return Reply(affirms=affirms, end=len(text), rest=len(text), clear=clear)
    return Reply(affirms=affirms, end=match.end(), rest=rest)


def tail_statement(tail: str, asked: Proposition, *, affirms: bool) -> str:
    """What the words behind yes or no state, with what they leave out of the question.

    "only the owner can" takes the question's predicate, "on 19 June" its subject and verb, "just
    one" behind No stands in the place of the question's number, and a clause of its own needs none
    of these: the empty text is returned.
    """
    text = tail.rstrip(" .!?,;")
    plain = plain_tokens(text)
    if not plain or not asked.predicate:
        return ""
    if _is_auxiliary(plain[-1]) and len(plain) > 1:
        return f"{text} {asked.predicate}."
    if any(map(is_finite, plain)) or not _is_fragment(plain, asked):
        return ""
    return f"{_up_to(asked, _without_hedge(plain), affirms=affirms)} {text}."


def _without_hedge(plain: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what stands before a number: "just one", "at most 4 hours"."""
    at = next((at for at, word in enumerate(plain) if word not in _HEDGES), 0)
    return plain[at:] if at and _counts(plain[at]) else plain


def _counts(word: str) -> bool:
    return word[0].isdigit() or word in en.NUMBER_WORDS


def _is_fragment(plain: tuple[str, ...], asked: Proposition) -> bool:
    """True for words without a verb; a verb that no list has stands behind a subject."""
    if plain[0] in _PREPOSITIONS or _counts(_without_hedge(plain)[0]):
        return True
    opens = plain[0] in en.PRONOUNS | en.DETERMINERS or plain[0] in plain_tokens(asked.subject)
    return len(plain) <= 3 and not opens


def _up_to(asked: Proposition, fragment: tuple[str, ...], *, affirms: bool) -> str:
    """The question's statement up to the part that a fragment replaces.

    Where No is followed by a fragment that replaces nothing, the question is not affirmed.
    """
    whole = asked.affirmed
    found = tokens(whole)
    skip = len(tokens(asked.subject))
    for place in range(len(found) - 1, skip, -1):
        word = found[place].text.lower()
        same_place = fragment[0] in _PREPOSITIONS and word == fragment[0]
        counted = _counts(fragment[0]) and (_counts(word) or word in ("a", "an"))
        if same_place or counted:
            return whole[: found[place - 1].end]
    if not affirms:
        return f"{asked.denied}:"
    return whole if fragment[0] in _PREPOSITIONS else f"{whole}:"


def _denies(echo: re.Match[str]) -> bool:
    return any(echo.groupdict().values()) or "n't" in echo.group()


def _is_auxiliary(word: str) -> bool:
    return word.removesuffix("n't") in _AUXILIARIES or word in ("can't", "cannot", "won't", "not")


_AUXILIARIES = frozenset(_AUXILIARY[3:-1].split("|"))
