"""Which language a text is in, and what may be said of one that the judge does not read.

The judge reads English. A statement in another language is grounded only when it is quoted: word
for word in any script, nearly so in German, French, Spanish, Portuguese and Italian. It is
contradicted when a number, a date or a negation of an otherwise equal passage differs. All else
is inconclusive, and so is a statement whose evidence is in another language.
"""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from firmground.core.claim import Assessment, EvidenceType, Problem, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import EvidenceIndex, Passage

QUOTED_ONLY = frozenset({"de", "fr", "es", "pt", "it"})
"""Languages whose statements may stand when they are quoted nearly word for word."""

_SMALL = {
    "en": "a i the of and to in is was for on with that by at from are it as be his her were not an which has have this they their you your we our will can may must if or but he she its than there been had does do did all any each into after before when where who how what no only also up out about",
    "de": "der die das und ist von den mit zu im für auf nicht ein eine einen einem des dem sich wurde werden wird auch bei als sie wir ich hat haben sind war oder aber nach aus am kein keine zum zur vom durch kann muss",
    "fr": "le la les des est et du dans une un pour que qui sur par plus au avec ne pas sont ce il elle été aux nous vous ils elles ont cette ces mais ou son sa ses en de être peut doit n'est l'a",
    "es": "el los las del que en es por una un con para su al se lo más como fue son pero sus no ha este esta muy tiene está ella ellos la de y o debe puede ser era hay",
    "pt": "o os as do da dos das em é no na nos nas um uma para com por que não se ao mais como foi são mas seu sua ele ela está tem ou e de pode deve ser à pelo pela",
    "it": "il lo gli i la le di del della dei delle che è un una in per con non si al alla sono da dal dalla nel nella più come ma questo questa ha e o può deve essere era su",
    "nl": "de het een en van is op te dat die niet zijn voor met er aan om ook als bij wordt worden naar maar hij zij uit kan geen heeft werd door",
    "sv": "och att det som en på är av för med den till inte har de ett om han hon var från ska kan vid blev eller men",
    "da": "og at det som en på er af for med den til ikke har de et om han hun var fra skal kan ved blev eller men der",
    "no": "og at det som en på er av for med den til ikke har de et om han hun var fra skal kan ved ble eller men",
    "pl": "i w na z jest nie że się do to jak o od po są który która przez dla był była oraz ale czy może",
    "cs": "a v na se je že s z do to jako o od po jsou který která pro byl byla ale může není",
    "tr": "ve bir bu için ile da de çok olarak daha olan gibi değil var ama en kadar ise olan edildi oldu",
    "fi": "ja on ei se että oli hän mutta ovat myös kun tai joka mukaan ole voi",
    "hu": "a az és hogy nem egy is van volt meg de csak már mint ez vagy",
    "ro": "și în de la cu nu este pe un o din pentru că care mai sunt fost ca sau se al",
    "id": "yang dan di dari untuk dengan pada ini itu adalah tidak ke dalam akan oleh juga telah",
    "vi": "và của là có không trong được cho một các những này đã với người để",
}  # fmt: skip
_VOTES: dict[str, tuple[str, ...]] = {}
for _language, _listed in _SMALL.items():
    for _word in _listed.split():
        if len(_word) == 1 and _word.isascii() and _language != "en":
            continue  # "a", "i" and "o" are letters of anything
        _VOTES[_word] = (*_VOTES.get(_word, ()), _language)
_NEGATIONS = {
    "de": r"nicht|kein\w*|nie|niemals|ohne|weder|nichts|niemand",
    "fr": r"pas|jamais|aucune?|sans|ni|rien|personne|plus",
    "es": r"no|nunca|jamás|ningun[oa]?|ningún|sin|ni|nada|nadie|tampoco",
    "pt": r"não|nunca|jamais|nenhuma?|sem|nem|nada|ninguém",
    "it": r"non|mai|nessun[oa]?|senza|né|niente|nulla|mica",
}
_FRAMES = {
    "de": r"mythos|angeblich|fälschlich\w*|falsch|irrtum|wenn|falls|früher|ehemal\w*|bis|geplant\w*|plant|soll\w*|würde\w*|könnte\w*|behaupte\w*|laut|ob|vorgeschlagen|gerücht\w*|nur|außer|dass|veraltet",
    "fr": r"mythe|prétend\w*|faux|erreur|si|autrefois|ancien\w*|jusqu\w*|prévu\w*|prévoit|serait|pourrait|aurait|selon|affirm\w+|rumeur\w*|propos\w+|seulement|sauf|qu|que|obsolète",
    "es": r"mito|supuest\w*|falso|error|si|antes|antigu\w*|hasta|previst\w*|planea\w*|sería|podría|habría|según|afirm\w+|rumor\w*|propuest\w*|propuso|solo|sólo|salvo|que|obsolet\w*",
    "pt": r"mito|alegad\w*|falso|erro|se|antes|antig\w+|até|previst\w*|planeja\w*|seria|poderia|teria|segundo|afirm\w+|boato\w*|propost\w*|propôs|apenas|só|exceto|que|obsolet\w*",
    "it": r"mito|presunt\w*|falso|errore|se|prima|ex|fino|previst\w*|prevede|sarebbe|potrebbe|avrebbe|secondo|afferm\w+|voci|propost\w*|solo|tranne|che|obsolet\w*",
}
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TOKEN = lazy_pattern(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
_ENOUGH = 2000
_LETTERS_ENOUGH = 4000
_FOREIGN_SHARE = 0.3
_SAMPLED = 40
_NEARLY = 0.9
_MOST_EXTRA = 3
_FEWEST = 2
_SENTENCE_ENDS = ".!。！．।؟?？…\n;；:："
_SKIPPED = " \t\r\"'“”‘’«»「」『』()（）*_-–—•،"
_COMPARED = frozenset(
    "number_differs date_differs time_differs hours_differ negation_added negation_dropped "
    "frequency_differs field_differs ordinal_differs share_differs".split()
)


@lru_cache(maxsize=4096)
def language_of_text(text: str) -> str:
    """Name the language of a text: a code such as ``en``, ``other`` for one the judge cannot name.

    Empty when the text does not say: a name, a number, a line of code.
    """
    letters = [c for c in text[:_LETTERS_ENOUGH] if c.isalpha()]
    if not letters:
        return ""
    if sum(not _is_latin(c) for c in letters) > _FOREIGN_SHARE * len(letters):
        return "other"
    words = [w.lower().replace("’", "'") for w in islice(_words(text), _ENOUGH)]
    votes = dict.fromkeys(_SMALL, 0)
    for word in set(words):  # a table repeats its head words in every row
        for owner in _VOTES.get(word, ()):
            votes[owner] += 1
    english = votes.pop("en")
    best = max(votes, key=lambda name: votes[name])
    # Words that both languages have ("on", "a", "me") speak for neither.
    own = {word for word in words if len(word) > 1 and "en" in _VOTES.get(word, ())}
    shared = sum(best in _VOTES[word] for word in own)
    if own and len(own) - shared >= votes[best] - shared:
        return "en"
    if votes[best] >= _FEWEST or (votes[best] and _accented(words)):
        return best if best in QUOTED_ONLY else "other"
    if not english and _accented(words) * 2 > len(words):
        return "other"
    return ""


def in_language(case: CheckCase, found: Assessment) -> Assessment:
    """Say of an assessment what may be said in the languages of claim and evidence.

    :param case: the claim and its passages
    :param found: where the claim would stand if it were English
    """
    text = case.claim.text
    own = language_of_text(text)
    theirs = evidence_languages(case.reading)
    if own == "en" or not own:
        if theirs and theirs <= _unread() and (own == "en" or "other" in theirs):
            return _quoted_or_not(case, found, own, "language_differs", _ACROSS)
        if own == "en" or not theirs or "en" in theirs:
            return found
        own = next(iter(sorted(theirs)))
    if own not in theirs and theirs:
        return _quoted_or_not(case, found, own, "language_differs", _ACROSS)
    return _quoted_or_not(case, found, own, "language_not_read", _UNREAD)


_ACROSS = "claim and evidence are in different languages, which the built-in judge cannot compare"
_UNREAD = "the built-in judge reads English, and this is another language that is not quoted word for word"


@lru_cache(maxsize=8)
def evidence_languages(reading: EvidenceIndex) -> frozenset[str]:
    """The languages that the evidence is in, as far as its passages say."""
    step = max(1, len(reading.passages) // _SAMPLED)
    named = {language_of_text(p.text) for p in reading.passages[::step][: 2 * _SAMPLED]}
    if not named - {""}:
        named = {language_of_text(" ".join(p.text for p in reading.passages[:_SAMPLED]))}
    return frozenset(named - {""})


def _unread() -> frozenset[str]:
    return QUOTED_ONLY | {"other"}


def _quoted_or_not(
    case: CheckCase, found: Assessment, language: str, code: str, reason: str
) -> Assessment:
    span = _quoted(case, language)
    if span is not None:
        return replace(
            found,
            standing=Standing.GROUNDED,
            support=max(found.support, _NEARLY),
            confidence=max(found.support, _NEARLY),
            reason="quoted from one passage",
            code="quoted",
            evidence_type=EvidenceType.SIGNAL_MATCH,
            evidence=(span,),
            problems=(),
        )
    if found.standing is Standing.CONTRADICTED and found.code in _COMPARED:
        return found
    differs = _differs(case, language)
    if differs is not None:
        return _otherwise(case, found, *differs)
    return replace(
        found,
        standing=Standing.UNVERIFIABLE,
        support=0.0,
        confidence=1.0,
        reason=reason,
        code=code,
        evidence_type=None,
        evidence=(),
        problems=_objected(found) or found.problems or (_all_of(case, Standing.UNVERIFIABLE),),
    )


def _objected(found: Assessment) -> tuple[Problem, ...]:
    """The places that checks object to: they read numbers and codes in every language."""
    return tuple(
        Problem(start=note.start, end=note.end, standing=note.standing)
        for note in found.notes
        if note.standing is not None and note.start is not None and note.end is not None
    )


def _otherwise(case: CheckCase, found: Assessment, passage: Passage, code: str) -> Assessment:
    return replace(
        found,
        standing=Standing.CONTRADICTED,
        support=min(found.support, 0.15),
        confidence=0.85,
        reason="an otherwise equal passage has another "
        + ("number" if code == "number_differs" else "negation"),
        code=code,
        evidence_type=EvidenceType.SPECIFIC_DATA,
        evidence=(passage.span(),),
        problems=(_all_of(case, Standing.CONTRADICTED),),
    )


def _all_of(case: CheckCase, standing: Standing) -> Problem:
    return Problem(start=case.claim.start, end=case.claim.end, standing=standing)


def _quoted(case: CheckCase, language: str) -> EvidenceSpan | None:
    """Where the claim stands as a whole sentence of the evidence, or nearly so."""
    wanted = case.claim.text.strip(_SENTENCE_ENDS + _SKIPPED)
    if not wanted:
        return None
    for passage in case.passages:
        at = passage.text.find(wanted)
        if at >= 0 and _whole(passage.text, at, at + len(wanted)):
            return passage.span(at, at + len(wanted))
    if language not in QUOTED_ONLY:
        return None
    return next(
        (p.span() for p in case.passages if _nearly(case.claim.text, p.text, language)), None
    )


def _whole(text: str, start: int, end: int) -> bool:
    """True when nothing but marks stands before and behind a stretch in its sentence."""
    before, after = text[:start].rstrip(_SKIPPED), text[end:].lstrip(_SKIPPED)
    opens = not before or before[-1] in ".!。！．।…\n;；"
    return opens and (not after or after[0] in ".!。！．।…\n;；")


def _nearly(claim: str, text: str, language: str) -> bool:
    """True when a passage has all words and numbers of a claim in order, and adds next to none."""
    mine, theirs = _content(claim, language), _content(text, language)
    if len(mine) < _FEWEST or len(theirs) - len(mine) > _MOST_EXTRA or "?" in text:
        return False
    rest = iter(theirs)
    return all(word in rest for word in mine) and _framing_words(claim, language) == (
        _framing_words(text, language)
    )


def _differs(case: CheckCase, language: str) -> tuple[Passage, str] | None:
    """A passage that says the same words with another number or another negation."""
    if language not in QUOTED_ONLY:
        return None
    for passage in case.passages:
        mine, theirs = (_content(t, language) for t in (case.claim.text, passage.text))
        plain = [word for word in mine if not word[0].isdigit()]
        if len(plain) < _FEWEST or plain != [word for word in theirs if not word[0].isdigit()]:
            continue
        signs = [len(_found(_NEGATIONS, t, language)) for t in (case.claim.text, passage.text)]
        if signs[0] != signs[1]:
            code = "negation_added" if signs[0] > signs[1] else "negation_dropped"
            return passage, code
        numbers = [[w for w in side if w[0].isdigit()] for side in (mine, theirs)]
        if numbers[0] != numbers[1] and len(numbers[0]) == len(numbers[1]):
            return passage, "number_differs"
    return None


def _content(text: str, language: str) -> list[str]:
    """The words and numbers of a text in order, without its small words and negations."""
    small, denied = _small(language), _pattern(_NEGATIONS[language])
    found = (m.group().lower() for m in _TOKEN.finditer(text))
    return [
        w
        for w in found
        if (w not in small and len(w) > 1 and not denied.fullmatch(w)) or w.isdigit()
    ]


def _framing_words(text: str, language: str) -> list[str]:
    return sorted((*_found(_FRAMES, text, language), *_found(_NEGATIONS, text, language)))


def _found(table: dict[str, str], text: str, language: str) -> list[str]:
    return [m.group().lower() for m in _pattern(table[language]).finditer(text)]


@lru_cache(maxsize=32)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


@lru_cache(maxsize=8)
def _small(language: str) -> frozenset[str]:
    return frozenset(_SMALL[language].split())


def _words(text: str) -> Iterator[str]:
    return (found.group() for found in _WORD.finditer(text))


def _accented(words: Sequence[str]) -> int:
    return sum(not word.replace("'", "").isascii() for word in words)


@lru_cache(maxsize=4096)
def _is_latin(character: str) -> bool:
    return character.isascii() or "LATIN" in unicodedata.name(character, "")
