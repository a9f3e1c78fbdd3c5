"""Forms that hide a statement, and statements in several domains to put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A true and a false sentence about the same evidence, without full stop."""

    domain: str
    evidence: str
    true: str
    false: str


BASES = (
    Base(
        domain="places",
        evidence="The harbour bridge opened in 1932. It carries four lanes of traffic and a footpath.",
        true="the harbour bridge opened in 1932",
        false="the harbour bridge opened in 1952",
    ),
    Base(
        domain="medicine",
        evidence="Belfarin must not be given to children under six years. Adults take 20 mg per day.",
        true="adults take 20 mg per day",
        false="adults take 80 mg per day",
    ),
    Base(
        domain="rules",
        evidence="Cyclists are not allowed in the tunnel. Buses and taxis may use the tunnel.",
        true="cyclists are not allowed in the tunnel",
        false="cyclists are allowed in the tunnel",
    ),
    Base(
        domain="software",
        evidence="The API returns status 429 when the rate limit is exceeded. Tokens expire after 30 minutes.",
        true="tokens expire after 30 minutes",
        false="tokens expire after 90 minutes",
    ),
    Base(
        domain="finance",
        evidence="Revenue rose by 12 percent to 4.2 million euros in the third quarter of 2023.",
        true="revenue rose by 12 percent in the third quarter of 2023",
        false="revenue fell by 12 percent in the third quarter of 2023",
    ),
    Base(
        domain="support",
        evidence="The warranty covers the battery for two years. Returns are accepted within 30 days.",
        true="the warranty covers the battery for two years",
        false="the warranty covers the battery for five years",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """One form; ``wrap`` puts a sentence without full stop into it."""

    name: str
    wrap: Callable[[str], str]


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


_FORMS = (
    # refusals, assistants' phrases
    "As an AI I can confirm that {s}.",
    "I cannot provide more than this: {s}.",
    "I don't know anyone who doubts that {s}.",
    "I'm sorry, but {s}.",
    "I don't have enough information to answer, but {s}.",
    "I cannot answer this because {s}.",
    "There is no doubt that {s}.",
    "The documents do not say otherwise: {s}.",
    "Unfortunately, I can only tell you that {s}.",
    # offers and orders
    "Let me know if you need more details, as {s}.",
    "If you have any questions, please remember that {s}.",
    "Please see that {s}.",
    "Please keep in mind that {s}.",
    "Don't forget that {s}.",
    "Feel free to ask, since {s}.",
    # greetings and politeness
    "Hello! {S}.",
    "Thanks for asking! {S}.",
    "Great question! {S}.",
    "Sure, {s}.",
    "Of course {s}.",
    "Of course, {s}.",
    "I hope this helps: {s}.",
    "{S}. I hope this helps!",
    "{S} – hope this helps!",
    "You're welcome! As you know, {s}.",
    # opinions
    "I think {s}.",
    "I think it is great that {s}.",
    "In my opinion, {s}.",
    "Personally, I believe that {s}.",
    "I am happy to say that {s}.",
    "It is good to know that {s}.",
    # lead-ins
    "Here is the summary: {s}.",
    "Here is why: {s}.",
    "Note that {s}.",
    "Important note: {s}.",
    "Based on the provided documents, {s}.",
    "According to the documents, {s}.",
    "Fun fact: {s}.",
    "In short, {s}.",
    "To be clear, {s}.",
    "It is worth mentioning that {s}.",
    "Answer: {s}.",
    "By the way, {s}.",
    # questions
    "{S}, okay?",
    "{S}, right?",
    "{S}, don't you think?",
    "Did you know that {s}?",
    "Did you realise that {s}?",
    "Did you know {s}?",
    "Were you aware that {s}?",
    "Isn't it interesting that {s}?",
    "Who would have thought that {s}?",
    "Since {s}, would you like to know more?",
    "Given that {s}, shall I help you further?",
    "Now that you know that {s}, do you have any other questions?",
    "Would you like to know why {s}?",
    "Can I help you with anything else, since {s}?",
    # tails
    "{S}, I think.",
    "{S}, as you know.",
    "{S}, of course.",
    # places in the page
    "# {S}",
    "**{S}**",
    "- {S}",
    "1. {S}.",
    "> {S}.",
    "({S}.)",
    "*{S}.*",
    "| {S} | Remark |\n|---|---|\n",
    "| Remark | Statement |\n|---|---|\n| – | {S} |\n",
    "``` {S}\n```",
    "```python\n# {s}\n```",
    '```python\nprint("{S}.")\n```',
    "<!-- {S}. -->",
    "![{S}](image.png)",
    "[{S}](https://example.org/).",
    "[^1]: {S}.",
    "Fact: {s}.",
    "Hello!【{S}】",
    "Hello! (Source: {S})",
    "Hello! (Passage 1: {s})",
)


def _filled(form: str, sentence: str) -> str:
    return form.format(s=sentence, S=_capital(sentence))


def _zero_width(sentence: str) -> str:
    return "\u200b".join(_capital(sentence)) + "."


def _look_alike(sentence: str) -> str:
    return _capital(sentence).replace("a", "а").replace("e", "е") + "."


def wrappers() -> Iterator[Wrapper]:
    """Every form, each with a name of its own."""
    for form in _FORMS:
        yield Wrapper(name=form, wrap=partial(_filled, form))
    yield Wrapper(name="ALL CAPS", wrap=lambda s: s.upper() + ".")
    yield Wrapper(name="zero-width characters", wrap=_zero_width)
    yield Wrapper(name="look-alike letters", wrap=_look_alike)
    # Two forms, one in the other.
    for outer in ("Sure! {}", "Thanks for asking! {}", "Hello! {} Let me know if you need more."):
        for inner in _FORMS[:6] + _FORMS[43:50]:
            yield Wrapper(name=f"{outer} + {inner}", wrap=partial(_filled, outer.format(inner)))
