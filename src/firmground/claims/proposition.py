"""What a yes/no question asks, as the plain statements that Yes and No make."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from firmground.claims.verb_forms import base_verbs, past, third_person
from firmground.core.lazy_pattern import lazy_pattern

_EMPHATIC = frozenset({"do", "does", "did"})
_BE = frozenset({"is", "are", "was", "were", "am"})
_ALL = frozenset({"all", "every", "each", "both", "everyone", "everybody", "everything"})
_ANYBODY = {
    "anyone": ("someone", "nobody"),
    "anybody": ("somebody", "nobody"),
    "anything": ("something", "nothing"),
    "any": ("some", "no"),
    "either": ("either", "neither"),
}
_NOBODY = frozenset({"nobody", "none", "no", "nothing", "neither"})
_ADVERB = lazy_pattern(
    r"(?:(?:still|ever|already|also|really|actually|even|currently|now|just|always|usually|"
    r"generally|normally|typically|automatically|only|both|either|ever)\s+)+"
)
_ANY = lazy_pattern(r"\bany (?=\w)")
_SOMEWHERE = {"anywhere": "somewhere", "anything": "something", "anyone": "someone"}
_ANY_PLACE = lazy_pattern(r"\b(?:anywhere|anything|anyone)\b")
_ARTICLE = lazy_pattern(r"(?:an?|any|some) ")
_NOT_COUNTED = lazy_pattern(r"(?:the|this|that|these|those|more|less|fewer|only|\d)\b|[a-z]+ing\b")
_YET = lazy_pattern(r"\s*\byet\b(?=\W*$)|\balready ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposition:
    """What a yes/no question asks: subject, auxiliary and predicate in the order of a statement."""

    subject: str
    auxiliary: str
    predicate: str
    condition: str = ""
    """What is taken for granted of the one who asks: "you ordered at 16:30"."""

    @property
    def affirmed(self) -> str:
        """The statement that Yes makes."""
        return self._given(_affirmed(self.subject, self.auxiliary, self.predicate))

    @property
    def denied(self) -> str:
        """The statement that No makes."""
        return self._given(_denied(self.subject, self.auxiliary, self.predicate))

    def _given(self, stated: str) -> str:
        return f"if {self.condition}, {stated}" if self.condition else stated

    def behind(self, words: str) -> Proposition:
        """The same with further words behind its predicate."""
        return replace(self, predicate=f"{self.predicate} {words}".strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeStatement(Proposition):
    """A statement without auxiliary, which is denied as a whole."""

    subject: str = ""
    auxiliary: str = ""
    predicate: str = ""
    text: str

    @property
    def affirmed(self) -> str:
        """The statement that Yes makes."""
        return self.text

    @property
    def denied(self) -> str:
        """The statement that No makes."""
        return f"it is not the case that {_small(self.text)}"

    def behind(self, words: str) -> Proposition:
        """The same with further words behind it."""
        return replace(self, text=f"{self.text} {words}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(Proposition):
    """Several questions with one reply: Yes affirms all of them, No is not clear."""

    subject: str = ""
    auxiliary: str = ""
    predicate: str = ""
    parts: tuple[Proposition, ...]

    @property
    def affirmed(self) -> str:
        """The statement that Yes makes."""
        return ", and ".join(_small(part.affirmed) for part in self.parts)

    @property
    def denied(self) -> str:
        """Nothing: which of them No denies cannot be told."""
        return ""

    def behind(self, words: str) -> Proposition:
        """The same with further words behind the last of them."""
        return replace(self, parts=(*self.parts[:-1], self.parts[-1].behind(words)))


def _affirmed(subject: str, auxiliary: str, predicate: str) -> str:
    predicate = _YET.sub(lambda m: m[0] if "already" in m[0] else "", predicate)
    if not predicate.startswith("not "):
        predicate = _ANY.sub("", predicate)
        predicate = _ANY_PLACE.sub(lambda m: _SOMEWHERE[m[0]], predicate)
    predicate = re.sub(r"^ever | ever\b", "", predicate)
    first, _, rest = subject.partition(" ")
    told = auxiliary in ("did", "has", "have", "had", "was", "were")
    if first.lower() in _ANYBODY and told:
        subject = f"{_ANYBODY[first.lower()][0]} {rest}".strip()
    if auxiliary in _EMPHATIC:
        return f"{subject} {_inflected(auxiliary, predicate)}".strip()
    return f"{subject} {auxiliary} {predicate}".strip()


def _inflected(auxiliary: str, predicate: str) -> str:
    """The predicate of "does include it" as in "includes it"; emphatic when the verb is unknown."""
    adverb = _ADVERB.match(predicate)
    at = adverb.end() if adverb else 0
    verb, space, rest = predicate[at:].partition(" ")
    if auxiliary == "do" and not predicate.startswith("not "):
        return predicate
    if predicate.startswith("not ") or verb not in base_verbs():
        return f"{auxiliary} {predicate}".strip()
    form = past(verb) if auxiliary == "did" else third_person(verb)
    return f"{predicate[:at]}{form}{space}{rest}"


def _denied(subject: str, auxiliary: str, predicate: str) -> str:
    first, _, rest = subject.partition(" ")
    stated = _small(_affirmed(subject, auxiliary, predicate))
    if predicate.startswith("not "):
        return _affirmed(subject, auxiliary, predicate[4:])
    if first.lower() in _ALL:
        return f"not {stated}"
    can = first.lower() in _ANYBODY and auxiliary not in _EMPHATIC | _BE | {"has", "have", "had"}
    if first.lower() in _NOBODY or can:
        return f"it is not the case that {stated}"
    if first.lower() in _ANYBODY:
        return _affirmed(f"{_ANYBODY[first.lower()][1]} {rest}".strip(), auxiliary, predicate)
    if first.lower() == "there" and auxiliary in _BE and not _NOT_COUNTED.match(predicate):
        gone = predicate.startswith("still ")
        what = _ARTICLE.sub("", predicate.removeprefix("still "), count=1)
        return f"{subject} {auxiliary} {'no longer' if gone else 'no'} {what}".strip()
    return _plainly_denied(subject, auxiliary, predicate)


def _plainly_denied(subject: str, auxiliary: str, predicate: str) -> str:
    if predicate.startswith("still "):
        gone = predicate[6:]
        if auxiliary in _EMPHATIC:
            return f"{subject} no longer {_inflected(auxiliary, gone)}"
        return f"{subject} {auxiliary} no longer {gone}"
    if predicate.startswith("ever ") and auxiliary not in _EMPHATIC:
        return f"{subject} {auxiliary} never {predicate[5:]}"
    if predicate.startswith("already "):
        predicate = f"{predicate[8:]} yet"
    if auxiliary == "must":
        plural = subject.endswith("s") or subject.lower() in ("i", "you", "we", "they")
        return f"{subject} {'do' if plural else 'does'} not have to {predicate}"
    denial = "cannot" if auxiliary == "can" else f"{auxiliary} not"
    return f"{subject} {denial} {predicate}".strip()


def _small(text: str) -> str:
    first = text.partition(" ")[0]
    usual = first.lower() in (
        "the a an this that these those my your our their his her its it they he she there all "
        "every each both you we anyone anybody some any no".split()
    )
    return text[:1].lower() + text[1:] if usual else text
