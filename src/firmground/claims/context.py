"""What a pronoun, a clipped list item or a table row refers to, in words already said."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.claims import words as en
from firmground.claims.asking import asked, subject_of
from firmground.claims.proposition import Proposition, Several
from firmground.claims.replying import read_reply
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.segment import Word, sentences, words

_LONGEST = 200
_LONGEST_SUBJECT = 40
_LONGEST_ANSWER = 2000
_INSIDE_NAMES = frozenset({"of", "the", "and", "de", "la", "van", "von", "for", "&", "in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorContext:
    """What has been said so far that later pieces may lean on."""

    question: str = ""
    asked: Proposition | None = None
    """What the question asks, if yes or no would answer it."""
    queue: tuple[Proposition, ...] = ()
    """What further questions ask, where the answer replies to each of them."""
    about: str = ""
    """The subject of the question."""
    antecedent: str = ""
    """The subject of the sentence before, for which a pronoun may stand."""
    heading: str = ""
    lead_in: str = ""
    table_head: str = ""
    subject: str = ""
    names: frozenset[str] = frozenset()
    """Words that are capitalised in mid-sentence somewhere in the answer or the question."""
    common: frozenset[str] = frozenset()
    """Words that stand in lower case somewhere in the answer or the question."""

    def item_context(self, text: str) -> str:
        """What a list item belongs to."""
        return _joined(self.lead_in or self.heading, self._subject_of(text))

    def row_context(self) -> str:
        """What the cells of a table row mean."""
        return _joined(self.heading, self.table_head)

    def sentence_context(self, text: str) -> str:
        """What a sentence without a name of its own speaks about."""
        found = plain_tokens(text)
        if len(found) <= 4 or not any(map(is_finite, found)):
            return _joined(self.question, self._subject_of(text))
        return _joined(self._subject_of(text))

    def clause_context(self, text: str, sentence: str, before: str) -> str:
        """What a clause that was cut from a sentence takes its subject from.

        A relative clause speaks of something in the clause before it, so that is its context.
        """
        if plain_tokens(text)[:1] and plain_tokens(text)[0] in en.RELATIVES:
            return _joined(before.rstrip(" ,;"), self._subject_of(before))
        if not _has_subject(text):
            own = subject_phrase(sentence)
            return _joined(own, self._subject_of(own or text))
        return _joined(self._subject_of(text, sentence))

    def _subject_of(self, text: str, sentence: str = "") -> str:
        """The nearest name before a piece that has none of its own."""
        if self.named_subject(_without_connector(text)):
            return ""
        return self.named_subject(sentence) or self.subject or last_name(self.question)

    def named_subject(self, text: str) -> str:
        """The first name that stands before the first verb of a sentence; empty when none does."""
        head: list[Word] = []
        for one in tokens(text):
            if (_is_verb(one) and head) or len(head) >= _LONGEST_SUBJECT:
                break
            head.append(one)
        if not head or _plain(head[0]) in en.ANAPHORS:
            return ""
        for run in _name_runs(text, head):
            if text.startswith(":", text.find(run) + len(run)):
                continue  # a label, not a name
            if " " in run or head[0].text != run or self._is_name(run, text):
                return run.removesuffix("'s").removesuffix("’s")
        return ""

    def _is_name(self, word: str, text: str) -> bool:
        """Tell a name from an ordinary word that is capitalised only because it comes first."""
        if word in self.names:
            return True
        plain = word.lower()
        if plain in self.common or plain in en.COMMON_SUBJECTS or is_finite(plain):
            return False
        second = tokens(text)[1:2]
        return bool(second) and (is_finite(_plain(second[0])) or text[len(word)] == ",")


def said_of(answer: str, question: str) -> PriorContext:
    """Start with the names in the wording of answer and question."""
    names, common = set(), set()
    for text in (answer, question):
        end = 0
        for one in words(text):
            if one.text[0].islower():
                common.add(one.text)
            elif one.text[0].isupper() and text[end : one.start] == " ":
                names.add(one.text)
            end = one.end
    first = asked(question) if question else None
    queue: tuple[Proposition, ...] = ()
    if isinstance(first, Several) and _replies(answer) == len(first.parts):
        first, *others = first.parts
        queue = tuple(others)
    return PriorContext(
        question=question,
        asked=first,
        queue=queue,
        about=subject_of(question) if question else "",
        names=frozenset(names),
        common=frozenset(common),
    )


def _replies(answer: str) -> int:
    """How many sentences of an answer open with a yes or no."""
    found = (answer[span.start : span.end] for span in sentences(answer[:_LONGEST_ANSWER]))
    return sum(read_reply(one) is not None for one in found)


def last_name(text: str) -> str:
    """The last name in a text; empty when it names nothing."""
    runs = _name_runs(
        text, list(tokens(text[-2 * _LONGEST :])), cut=max(0, len(text) - 2 * _LONGEST)
    )
    return runs[-1] if runs else ""


def subject_phrase(sentence: str) -> str:
    """The words before the first verb of a sentence, if they are few enough to be its subject."""
    found = tokens(sentence)
    for place, one in enumerate(found):
        if _is_verb(one) and place:
            phrase = sentence[found[0].start : found[place - 1].end]
            return phrase.rpartition(":")[2].strip() if place <= 12 else ""
    return ""


def _has_subject(clause: str) -> bool:
    """False for a clause that opens with a verb after its connector."""
    found = plain_tokens(_without_connector(clause))
    return bool(found) and not is_finite(found[0])


def _without_connector(clause: str) -> str:
    found = plain_tokens(clause)
    if len(found) > 1 and found[0] in en.SPLIT_BEFORE:
        return clause[tokens(clause)[1].start :]
    return clause


def _name_runs(text: str, found: list[Word], *, cut: int = 0) -> list[str]:
    """Collect runs of capitalised words; small words may stand inside a name, never at its edge."""
    runs: list[tuple[int, int]] = []
    start = end = -1
    for one in found:
        adjoining = start >= 0 and text[cut + end : cut + one.start] == " "
        if one.text[0].isupper() and not (start < 0 and _plain(one) in en.FUNCTION_OPENERS):
            start, end = (start, one.end) if adjoining else (one.start, one.end)
            if runs and runs[-1][0] == start:
                runs.pop()
            runs.append((start, end))
        elif not (adjoining and _plain(one) in _INSIDE_NAMES):
            start = -1
        else:
            end = one.end
    return [text[cut + a : cut + b] for a, b in runs if _names_something(text[cut + a : cut + b])]


def _names_something(name: str) -> bool:
    plain = name.lower()
    return plain not in en.FUNCTION_OPENERS and plain not in en.CALENDAR


def _is_verb(one: Word) -> bool:
    """A capital inside a sentence makes a name of what could be a verb."""
    return is_finite(_plain(one)) and not (one.text[0].isupper() and one.start > 0)


def _plain(one: Word) -> str:
    return one.text.lower().replace("’", "'")


def _joined(*parts: str) -> str:
    kept = dict.fromkeys(part.strip()[:_LONGEST].strip() for part in parts)
    return "; ".join(part for part in kept if part)
