"""Does a piece of an answer assert anything that evidence could bear out?

When in doubt it does: a fact dressed as a greeting, a heading or an opinion must still be judged.
Hedged statements ("it may rain") and statements about the evidence itself ("the passage does not
mention a price") are assertions like any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.claims import words as en
from firmground.claims.tokens import plain_tokens, tokens
from firmground.core.claim import NotCheckable
from firmground.core.lazy_pattern import lazy_pattern

_QUESTION_ENDS = ("?", "？", "؟")
_CLOSING = " \t\n\"'”’»)]*_"
_TAG_QUESTION = lazy_pattern(
    r", (?:right|correct|no|(?:is|are|was|were|do|does|did|has|have|can|will)(?:n't| not)? \w+)"
    r"\?\W*\Z"
)
_LENGTH_NOTE = lazy_pattern(
    r"\b\d{1,4}[- ](?:words?|steps?|points?|sentences?|bullets?|lines?|items?)\b"
)
_ABOUT_EVIDENCE = lazy_pattern(
    r"(?:(?:based|drawing|relying) (?:solely |only |purely )?(?:on|upon|from)|according to|as per|"
    r"from|per|given|in|using|as (?:stated|mentioned|described|noted|indicated) (?:in|by))"
    rf" (?:(?:the|this|these|your|all|only|both|above|provided|given|following|available|"
    rf"structured|retrieved|supplied|attached|cited|json|business) ){{0,5}}{en.EVIDENCE_NOUNS}"
    r"(?: (?:provided|given|above|below|available|here|supplied|you provided|in the \w+)){0,2}"
    r"(?: #?\d{1,2})?\s?[,:]",
)
_POLITE = lazy_pattern(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great|alright)(?: thing)?[,!.]\s+"
)
_TO_REFUSAL_TAIL = lazy_pattern(r"[,;]? (?:because|since|as|but|however)[, ]")


_SILENCE = lazy_pattern(
    rf"\b(?:{en.EVIDENCE_NOUNS}|they|it) (?:\w+ ){{0,2}}"
    r"(?:(?:do|does|did) not|don't|doesn't|didn't) (?:\w+ )?"
    r"(?:provide|mention|contain|include|discuss|specify|state|say|address|give|offer|cover)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A piece at the head of a sentence that asserts nothing: `text[:end]`."""

    end: int
    reason: NotCheckable


def why_not_checkable(text: str) -> NotCheckable | None:
    """Say why a whole sentence asserts nothing; None when it must be checked."""
    plain = _plain(text)
    if not any(map(str.isalnum, plain)):
        return NotCheckable.EMPTY
    for reason, test in _TESTS:
        if test(plain, text):
            return reason
    return None


def heading_asserts(text: str) -> bool:
    """True when a heading carries a number or a verb, so that it says something after all."""
    found = plain_tokens(text)
    digits = any(word[0].isdigit() for word in found)
    return digits or len(found) > 12 or any(map(is_finite, found))


def head_cut(text: str) -> Cut | None:
    """Find what stands before the assertion: "Based on the passages," or "Sure,"; at most once."""
    plain = _plain(text[:240])
    lead = len(text) - len(text.lstrip(" *_\"'“"))
    for pattern, reason in (
        (_POLITE, NotCheckable.GREETING),
        (_ABOUT_EVIDENCE, NotCheckable.LEAD_IN),
    ):
        match = pattern.match(plain, lead)
        if match and match.end() < len(text.rstrip()):
            return Cut(end=match.end(), reason=reason)
    return None


def speaks_of_silence(text: str) -> bool:
    """True for "the passages do not mention it": an assertion, but about the evidence itself."""
    return _SILENCE.search(_plain(text[:400])) is not None


def refusal_tail(text: str) -> int | None:
    """Say where a refusal turns to its grounds ("… because the text ends in 1990"), if it does."""
    plain = _plain(text)
    said = max((plain.find(one) + len(one) for one in en.REFUSALS if one in plain), default=0)
    match = _TO_REFUSAL_TAIL.search(plain, said)
    if match and len(tokens(text[match.end() :])) >= 3:
        return match.start()
    comma = text.find(",", said)
    rest = plain_tokens(text[comma + 1 :]) if comma > 0 else ()
    asserts = len(rest) >= 3 and any(map(is_finite, rest)) and rest[0] not in ("i", "we")
    return comma if asserts else None


def is_finite(word: str) -> bool:
    """True for a lower-case word form that can carry a clause."""
    return word in en.AUXILIARIES or word in en.VERBS


def _plain(text: str) -> str:
    """Lower-case without changing any offset."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lowered.replace("’", "'").replace("‘", "'")


def _opens_with(plain: str, phrases: tuple[str, ...]) -> bool:
    bare = plain.lstrip(" \t*_\"'“(>-")
    return bare.startswith(phrases) and any(
        bare.startswith(phrase) and not bare[len(phrase) : len(phrase) + 1].isalnum()
        for phrase in phrases
    )


def _is_question(plain: str, text: str) -> bool:
    if not text.rstrip(_CLOSING).endswith(_QUESTION_ENDS):
        return False
    return "did you know" not in plain and _TAG_QUESTION.search(plain[-60:]) is None


def _is_greeting(plain: str, text: str) -> bool:
    found = plain_tokens(text)
    if len(found) > 14 or any(word[0].isdigit() for word in found):
        return False
    if _opens_with(plain, en.GREETING_PHRASES):
        return len(found) <= 8 or _opens_with(plain, ("i hope", "hope", "i'd be happy"))
    return len(found) <= 4 and found[0] in en.GREETINGS and not any(map(is_finite, found))


def _is_offer(plain: str, text: str) -> bool:
    return _opens_with(plain, en.OFFERS) and not re.search(r"\d", plain)


def _is_refusal(plain: str, text: str) -> bool:
    found = plain_tokens(text)
    if not found or found[0] not in en.REFUSAL_SUBJECTS:
        return False
    return any(phrase in plain[:200] for phrase in en.REFUSALS)


def _is_lead_in(plain: str, text: str) -> bool:
    bare = plain.rstrip(" \t*_")
    found = plain_tokens(text)
    if len(found) > 30 or re.search(r"\d", _LENGTH_NOTE.sub(" ", bare)):
        return False
    head = _ABOUT_EVIDENCE.match(bare)
    rest = bare[head.end() :].lstrip() if head else bare
    if not rest:
        return True
    if not bare.endswith((":", "：")):
        return False
    return (
        _opens_with(rest, en.LEAD_IN_OPENERS)
        or any(rest[:-1].rstrip().endswith(end) for end in en.LEAD_IN_ENDS)
        or is_finite(found[-1])
        or not any(map(is_finite, found))
    )


def _is_opinion(plain: str, text: str) -> bool:
    taste = _opens_with(plain, en.TASTES)
    if not (taste or _opens_with(plain, en.STANCE)):
        return False
    if re.search(r"\d", plain) or _names_something(text):
        return False
    return taste or not en.EVALUATIVE.isdisjoint(plain_tokens(text))


def _names_something(text: str) -> bool:
    """True when a capital stands anywhere but at the head or in the word I."""
    return any(
        one.text[0].isupper() and one.text[:2] not in ("I", "I'", "I’") for one in tokens(text)[1:]
    )


_TESTS = (
    (NotCheckable.REFUSAL, _is_refusal),
    (NotCheckable.QUESTION, _is_question),
    (NotCheckable.GREETING, _is_greeting),
    (NotCheckable.INSTRUCTION, _is_offer),
    (NotCheckable.LEAD_IN, _is_lead_in),
    (NotCheckable.OPINION, _is_opinion),
)
