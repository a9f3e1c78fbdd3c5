"""What a question is about, as a statement: "Is it open?" becomes "it is open" or its denial."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from firmground.claims import words as en
from firmground.claims.tokens import plain_tokens, tokens
from firmground.claims.wrapping import head_end, tail_start
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Word, sentences

_LONGEST = 400
_DO = frozenset({"do", "does", "did"})
_BE = frozenset({"is", "are", "was", "were", "am"})
_HAVE = frozenset({"has", "have", "had"})
_MODALS = frozenset("can could will would may might must should shall".split())
_CONTRACTED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_PLACES = frozenset("in on at by for from with within between under over of to about during after before since until per without than least most".split())  # fmt: skip
_DETERMINERS = frozenset("the a an this that these those my your our their his her its each every all some any no".split())  # fmt: skip
_ALONE = frozenset("i you we they he she it there this that these those anyone everyone everybody anybody nobody someone".split())  # fmt: skip
_MIDDLE = frozenset("not never also still only currently already always usually generally really actually ever".split())  # fmt: skip
_ADJECTIVES = frozenset("open closed available eligible free enough true correct possible high low long short old new large small big tall deep wide heavy fast slow cheap expensive safe dangerous legal illegal mandatory optional valid due ready able unable subject responsible liable entitled exempt excluded included inclusive refundable transferable compatible suitable effective active public private full empty hot cold warm longer higher lower larger smaller older newer faster slower cheaper more less better worse part home red blue green white black alive dead married single profitable vegan vegetarian gluten-free waterproof toxic poisonous".split())  # fmt: skip
_ADJECTIVE_ENDS = ("able", "ible", "ful", "less", "ous", "ive")
_YOURS = {"i": "you", "my": "your", "me": "you", "mine": "yours", "myself": "yourself", "am": "are", "you": "we", "your": "our"}  # fmt: skip
_FRONTED = lazy_pattern(r"(?i)((?:if|when|once|unless|after|before|while|until|as long as|in case|provided|during|for|on|in|at|with|without|under|from) [^,?]{2,160}), ")  # fmt: skip
_NOT = lazy_pattern(r"\b(?:not|never)\s|n't\b")
_WITH_VERB = frozenset({"be", "have", "need", "help"})
_REQUEST = lazy_pattern(r"(?:can|could|would|will) you (?:please |kindly |also )?(?!be\b|have\b)\w+|may i ask|can i ask|do you (?:know|have any (?:idea|information))|is there any(?:thing| information)")  # fmt: skip
_WH = frozenset("what which how when where who whom whose why".split())
_QUESTION_WORDS = frozenset("why how when where".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposition:
    """What a yes/no question asks: subject, auxiliary and predicate in the order of a statement."""

    subject: str
    auxiliary: str
    predicate: str

    @property
    def affirmed(self) -> str:
        """The statement that Yes makes."""
        if self.auxiliary == "do":
            return f"{self.subject} {self.predicate}"
        return f"{self.subject} {self.auxiliary} {self.predicate}".strip()

    @property
    def denied(self) -> str:
        """The statement that No makes."""
        if self.predicate.startswith("not "):
            return f"{self.subject} {self.auxiliary} {self.predicate[4:]}"
        if self.auxiliary == "must":
            return f"{self.subject} do not have to {self.predicate}"
        if self.subject.split(" ")[0].lower() in ("any", "anyone", "anybody", "anything"):
            return f"it is not the case that {self.affirmed}"
        denial = "cannot" if self.auxiliary == "can" else f"{self.auxiliary} not"
        return f"{self.subject} {denial} {self.predicate}".strip()


def asked(question: str) -> Proposition | None:
    """The proposition of a yes/no question; None when it is no such question."""
    found = (_asked(one) for one in reversed(_questions(question)))
    return next(filter(None, found), None)


def _asked(question: str) -> Proposition | None:
    fronted = _FRONTED.match(question)
    if fronted and _is_inverted(question[fronted.end() :]):
        return _with_condition(fronted[1], uninverted(question[fronted.end() :]))
    text = question[: tail_start(question)]
    start = head_end(text)
    rest = text[start:].strip(" ?？؟.!,;\n\t")
    if plain_tokens(rest[:40])[:1] and plain_tokens(rest[:40])[0] in _WH:
        return None
    if _is_inverted(rest):
        return None if _REQUEST.match(rest.lower()) else uninverted(rest)
    return _declared(rest) if start or text != question else None


def _with_condition(condition: str, found: Proposition | None) -> Proposition | None:
    """Put a clause that opens a question behind its predicate."""
    if found is None:
        return None
    behind = _turned(condition[:1].lower() + condition[1:])
    return replace(found, predicate=f"{found.predicate} {behind}".strip())


def uninverted(question: str) -> Proposition | None:
    """Put subject and auxiliary of a question in the order of a statement."""
    text = question.strip(" ?？؟.!,;\n\t")
    found = tokens(text)
    if len(found) < 2 or len(text) > _LONGEST:
        return None
    auxiliary = _auxiliary(found[0].text.lower().replace("’", "'"))
    if not auxiliary:
        return None
    words = found[1:]
    if words[0].text.lower() == "not":
        words = words[1:]
    count = _subject_length(words, auxiliary)
    if not words or count is None:
        return None
    subject = text[words[0].start : words[count - 1].end].rstrip(",")
    predicate = text[words[count - 1].end :].strip(" ,") if text[words[count - 1].end :][:1] == "," else text[words[count - 1].end :].strip()  # fmt: skip
    first = subject.lower()
    if first == "i" and auxiliary == "am":
        auxiliary = "are"
    return Proposition(subject=_turned(subject), auxiliary=auxiliary, predicate=_turned(predicate))


def presupposed(question: str) -> str:
    """What a question with why, how, when or where takes for granted; empty when it asks else."""
    found = tokens(question)
    if len(found) < 4 or found[0].text.lower() not in _QUESTION_WORDS:
        return ""
    proposition = uninverted(question[found[1].start :])
    return proposition.affirmed if proposition else ""


def subject_of(question: str) -> str:
    """The subject of a question, with or without a question word; empty when it is not plain."""
    text = _questions(question)[-1]
    text = text[head_end(text) :].strip(" ?")
    found = tokens(text)
    for place in range(min(len(found) - 1, 6)):
        if _auxiliary(found[place].text.lower()):
            proposition = uninverted(text[found[place].start :])
            subject = proposition.subject if proposition else ""
            plain = plain_tokens(subject)
            plain_name = plain and plain[0] not in _ALONE and _WH.isdisjoint(plain)
            return subject if plain_name and len(plain) <= 8 else ""
    return ""


def _questions(question: str) -> list[str]:
    """The sentences that ask, in order; the end of the text when none has a question mark."""
    text = question[-4 * _LONGEST :]
    found = [text[span.start : span.end].strip() for span in sentences(text)]
    asking = [one for one in found if one.rstrip(" \"'”)").endswith("?")]
    return asking or [question.strip()[-_LONGEST:]]


def _is_inverted(text: str) -> bool:
    found = plain_tokens(text[:80])
    return bool(found) and bool(_auxiliary(found[0]))


def _declared(text: str) -> Proposition | None:
    """A proposition whose words stand in the order of a statement already."""
    found = tokens(text)
    plain = plain_tokens(text)
    for place in range(1, len(found)):
        auxiliary = _auxiliary(plain[place])
        if auxiliary and not (
            auxiliary in _HAVE and not _participle(plain[min(place + 1, len(plain) - 1)])
        ):
            rest = text[found[place].end :].strip()
            negative = "n't" in plain[place] or plain[place] == "cannot"
            return Proposition(
                subject=text[: found[place - 1].end],
                auxiliary=auxiliary,
                predicate=f"not {rest}" if negative else rest,
            )
    return _Declared(text=text) if len(found) > 2 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Declared(Proposition):
    """A statement without auxiliary, which is denied as a whole."""

    subject: str = ""
    auxiliary: str = ""
    predicate: str = ""
    text: str

    @property
    def affirmed(self) -> str:
        return self.text

    @property
    def denied(self) -> str:
        first = self.text.split(" ")[0].lower()
        text = self.text[:1].lower() + self.text[1:] if first in _DETERMINERS else self.text
        return f"it is not the case that {text}"


def _auxiliary(word: str) -> str:
    word = _CONTRACTED.get(word, word.removesuffix("n't"))
    return word if word in _DO | _BE | _HAVE | _MODALS else ""


def _turned(text: str) -> str:
    """The same words from the answerer's side: "my" becomes "your"."""
    if not text or not any(word in _YOURS for word in plain_tokens(text)):
        return text
    return " ".join(_YOURS.get(word.lower(), word) for word in text.split(" "))


def _subject_length(words: tuple[Word, ...], auxiliary: str) -> int | None:
    """How many words the subject has; None when the rest holds no predicate."""
    plain = [one.text.lower() for one in words]
    if not plain:
        return None
    demonstrative = plain[0] in ("this", "that", "these", "those")
    if plain[0] in _ALONE and not (demonstrative and len(plain) > 2 and _is_noun(plain, 1)):
        return 1
    if len(plain) == 1:
        return 1
    if auxiliary in _DO | _MODALS:
        return _before_verb(plain)
    return _before_predicate(words, plain, after_have=auxiliary in _HAVE)


def _is_noun(plain: list[str], at: int) -> bool:
    return plain[at] not in _ADJECTIVES | _PLACES | _DETERMINERS | _MIDDLE


def _before_verb(plain: list[str]) -> int | None:
    verbs = base_verbs()
    for place in range(1, len(plain)):
        if plain[place] in _MIDDLE:
            return place
        if plain[place] not in verbs or plain[place - 1] in _DETERMINERS | _PLACES:
            continue
        run = place
        while run + 1 < len(plain) and plain[run + 1] in verbs and plain[run] not in _WITH_VERB:
            run += 1
        return run
    if plain[0] in _DETERMINERS:
        return min(2, len(plain) - 1)
    return 1


def _before_predicate(words: tuple[Word, ...], plain: list[str], *, after_have: bool) -> int | None:
    for place in range(1, len(plain)):
        word, before = plain[place], plain[place - 1]
        opened = before in _DETERMINERS | _PLACES or before[0].isdigit() or before in en.NUMBER_WORDS  # fmt: skip
        if word in _MIDDLE:
            return place
        if _participle(word) and before not in _DETERMINERS | _PLACES:
            return place
        if opened:
            continue
        if after_have:
            if word in ("had", "been", *_DETERMINERS):
                return place
            continue
        if word in _DETERMINERS or word in _ADJECTIVES or word.endswith(_ADJECTIVE_ENDS):
            return place
        if word[0].isdigit() or word in en.NUMBER_WORDS:
            return place
    return next((n for n in range(1, len(plain)) if plain[n] in _PLACES), None) or _halved(words)


def _halved(words: tuple[Word, ...]) -> int | None:
    """Without any sign, a subject with its determiner has two words, and a name all its capitals."""
    if words[0].text.lower() in _DETERMINERS:
        return 2 if len(words) > 2 else None
    count = 1
    while count < len(words) - 1 and words[count].text[0].isupper():
        count += 1
    return count if count < len(words) else None


_PARTICIPLES = frozenset("built sold sent paid made held kept left lost found won written given taken known seen shown done gone born worn drawn grown spoken broken chosen driven stolen frozen sown told taught caught brought bought thought led fed met set put cut shut hit let shot read understood held begun run been had".split())  # fmt: skip


def _participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 4) or (
        word.endswith("ing") and len(word) > 5 and word not in ("during", "parking", "building", "meeting")
    )  # fmt: skip


@cache
def base_verbs() -> frozenset[str]:
    """Base forms of common verbs, as they stand behind an auxiliary."""
    found = set(en.BASE_VERBS)
    for word in en.VERBS:
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        elif word.endswith("s") and not word.endswith("ss"):
            found.add(word[:-1])
        elif word.endswith("ed"):
            found |= {word[:-1], word[:-2]}
    return frozenset(found | (en.BARE_FORMS - {"plans", "plays", "results", "works", "states", "reports", "claims", "notes", "looks", "changes", "costs", "uses", "covers", "needs", "features", "hosts", "tracks", "turns", "returns"}))  # fmt: skip
