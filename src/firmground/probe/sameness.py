"""Decides whether two short answers state the same fact: by words, then by a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from firmground.core.fence import fence, mark_for
from firmground.core.ports import ModelRequest
from firmground.core.segment import words
from firmground.errors import ModelError
from firmground.probe.asking import CountingModel, asked

_FILLER = frozenset(
    "a an the of in on at to is are was were be been it its this that and or by for from with as "
    "answer called named known located city state country about approximately".split()
)
_DENIES = frozenset(
    "no not never none neither nor isn't wasn't aren't cannot can't without".split()
)
_LAST_ANSWER = re.compile(r"answer\s*:\s*(.+)", re.IGNORECASE)
_VERDICT = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


def short_answer(text: str) -> str:
    """The answer inside a reply: behind the last ``Answer:``, else its first line."""
    stated = _LAST_ANSWER.findall(text)
    line = stated[-1] if stated else next((ln for ln in text.splitlines() if ln.strip()), "")
    return str(line).strip().rstrip(".").strip()


def content(text: str, question: str = "") -> tuple[str, ...]:
    """The words that carry the answer: neither filler nor words of the question."""
    asked = set(_plain(question))
    said = _plain(text)
    own = tuple(word for word in said if word not in asked and word not in _FILLER)
    return own or tuple(word for word in said if word not in _FILLER) or said


def _plain(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFC", text).casefold().replace("\u2019", "'")
    return tuple(word.text.removesuffix("'s") for word in words(folded))


_ALIASES = {
    "us": "united states", "usa": "united states", "united states of america": "united states",
    "uk": "united kingdom", "great britain": "united kingdom", "ussr": "soviet union",
    "uae": "united arab emirates",
}  # fmt: skip
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: str(n) for n, word in enumerate(_ONES)} | {
    f"{ten}{'-' + one if one else ''}": str(20 + 10 * at + n)
    for at, ten in enumerate(_TENS)
    for n, one in enumerate(["", *_ONES[1:10]])
}
_INITIALISM = re.compile(r"[A-Z](?:\.?[A-Z]){1,6}\.?")


def _spelled_out(text: str) -> str:
    """The answer with number words as digits, and the names of some countries in one spelling."""
    bare = re.sub(r"\bthe\b|\.(?=\s|$)|(?<=\b[A-Za-z])\.", "", text, flags=re.IGNORECASE)
    line = " ".join(bare.split())
    if known := _ALIASES.get(line.casefold()):
        return known
    return re.sub(r"[A-Za-z]+(?:-[A-Za-z]+)?", lambda m: _NUMBERS.get(m[0].lower(), m[0]), line)


def _stands_for(short: str, long: str) -> bool:
    """True when a text is the initials of another, such as JFK of John F. Kennedy."""
    letters = short.strip().replace(".", "")
    if not _INITIALISM.fullmatch(short.strip()) or len(letters) < 3:
        return False
    named = [word.text for word in words(long) if word.text[0].isupper()]
    return "".join(word[0] for word in named) == letters and len(named) == len(letters)


def same_words(first: str, second: str, question: str = "") -> bool:
    """True when one answer's words are all in the other, and neither denies what the other says."""
    if _stands_for(first, second) or _stands_for(second, first):
        return True
    first, second = _spelled_out(first), _spelled_out(second)
    a, b = content(first, question), content(second, question)
    if not a or not b:
        return False
    if bool(_DENIES & set(_plain(first))) != bool(_DENIES & set(_plain(second))):
        return False
    opposed = {a[0], b[0]} == {"yes", "no"} or {a[0], b[0]} == {"true", "false"}
    return not opposed and (set(a) <= set(b) or set(b) <= set(a))


def mentions(text: str, answer: str, question: str = "") -> bool:
    """True when a text holds all the words that carry the answer."""
    sought = content(answer, question)
    return bool(sought) and set(sought) <= set(_plain(text))


async def same_by_model(
    asker: CountingModel, question: str, first: str, second: str, *, seed: int
) -> bool | ModelError:
    """Ask in both orders; only two times yes is yes."""
    for pair in ((first, second), (second, first)):
        verdict = await _asked(asker, question, pair, seed)
        if isinstance(verdict, ModelError) or not verdict:
            return verdict
    return True


async def _asked(
    asker: CountingModel, question: str, pair: Sequence[str], seed: int
) -> bool | ModelError:
    mark = mark_for([question, *pair])
    prompt = asked(
        "same.v1",
        mark=mark,
        question=question,
        first=fence("first answer", pair[0], mark),
        second=fence("second answer", pair[1], mark),
    )
    request = ModelRequest(
        messages=prompt.messages, prompts=prompt.prompts, max_tokens=8, seed=seed
    )
    reply = await asker.ask(request)
    if isinstance(reply, ModelError):
        return reply
    verdicts = {found.lower() for found in _VERDICT.findall(reply.texts[0])}
    if len(verdicts) != 1:
        return ModelError("the comparing model said neither yes nor no", kind="bad_reply")
    return verdicts == {"yes"}
