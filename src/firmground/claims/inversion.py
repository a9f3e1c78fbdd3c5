"""Where the subject of an inverted question ends: "Does | the person who signs | have to …"."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

from collections.abc import Sequence

from firmground.claims import words as en
from firmground.claims.tokens import is_finite
from firmground.claims.verb_forms import PARTICIPLES, base_verbs, read_verb
from firmground.core.segment import Word

_DO = frozenset({"do", "does", "did"})
_BE = frozenset({"is", "are", "was", "were", "am"})
_HAVE = frozenset({"has", "have", "had"})
_MODALS = frozenset("can could will would may might must should shall".split())
AUXILIARIES = _DO | _BE | _HAVE | _MODALS
"""Verbs that stand before the subject of a question."""
PREPOSITIONS = frozenset("in on at by for from with within between under over of to about during after before since until per without than least most above below inside outside near into onto against among behind beyond through across towards via".split())  # fmt: skip
_DETERMINERS = frozenset("the a an this that these those my your our their his her its each every all some any no both either neither".split())  # fmt: skip
_ALONE = frozenset("i you we they he she it there this that these those anyone everyone everybody anybody nobody someone somebody anything everything nothing".split())  # fmt: skip
_EXTENDED = frozenset("anyone everyone everybody anybody nobody someone somebody those these anything everything nothing one".split())  # fmt: skip
_MIDDLE = frozenset("not never also still only currently already always usually generally really actually ever now just even automatically normally typically then often sometimes ever yet both".split())  # fmt: skip
_ADJECTIVES = frozenset("open closed available eligible free enough true correct possible high low long short old new large small big tall deep wide heavy fast slow cheap expensive safe dangerous legal illegal mandatory optional valid due ready able unable subject responsible liable entitled exempt excluded included inclusive refundable transferable compatible suitable effective active public private full empty hot cold warm longer higher lower larger smaller older newer faster slower cheaper more less better worse part home red blue green white black alive dead married single profitable vegan vegetarian gluten-free waterproof toxic poisonous seasonal annual local national final normal equal formal regional international digital personal internal external essential partial reversible recyclable required allowed permitted prohibited forbidden necessary obligatory compulsory voluntary sufficient adequate complete incomplete accurate wrong false right different similar identical unique common rare normal regular special separate independent dependent aware afraid ill sick healthy pregnant adult minor online offline further farther north south east west tax-free tax-deductible binding pending overdue late early near far close younger stronger weaker bigger cheaper fewer deeper taller wider heavier lighter earlier later clean dirty wet dry broken faulty secure insecure fit harmful harmless contagious hereditary bilingual fluent german french english spanish american british european sold-out non-refundable".split())  # fmt: skip
_ADJECTIVE_ENDS = ("able", "ible", "ful", "less", "ous", "ive", "proof", "-free")
_RELATIVES = frozenset("who which that whose where".split())
_UNITS = frozenset("metre meter km kilometre kilometer mile foot feet inch year month week day hour minute second percent % euro dollar pound degree kilogram gram litre liter ton tonne employee people person user cent point byte gb mb kb tb times mg g kg ml l cm mm m km ms s h min kwh kw w v eur usd gbp km/h mph".split())  # fmt: skip
_MOSTLY_NOUNS = frozenset("limit rate store plan report contract lease order process record fire park access test form file list water staff train stock age time total top interest fund function feature discount deposit email address balance audit rule route schedule score scale sample result rank power post point plant phase license label issue impact filter display control comment book bar award tax target stream sponsor reward rebate host track trade view vote guard grant switch press screen shape tie claim state place part note need call bill study trial room work help fee cure notice share supply document name".split())  # fmt: skip
_PLAIN_NOUNS = frozenset("during parking building meeting ceiling evening morning training shipping booking pricing billing spring string thing wedding clothing housing hearing setting rating listing warning heating lighting seed bed need feed speed hundred red".split())  # fmt: skip


def subject_length(text: str, words: Sequence[Word], auxiliary: str) -> int | None:
    """Say how many words the subject has; None when the rest holds no predicate.

    :param text: the question
    :param words: its words behind the auxiliary
    :param auxiliary: the auxiliary, in its plain form
    """
    plain = [one.text.lower().replace("’", "'") for one in words]
    if _stands_alone(plain, auxiliary) or len(plain) == 1:
        return 1
    if auxiliary in _DO | _MODALS:
        return _before_verb(words, plain)
    if auxiliary in _HAVE:
        return _before_participle(plain)
    return _before_predicate(text, words, plain)


def _stands_alone(plain: list[str], auxiliary: str) -> bool:
    """True when the first word is a pronoun that is the whole subject."""
    if plain[0] not in _ALONE:
        return False
    if len(plain) == 1:
        return True
    after = plain[1]
    if plain[0] in _EXTENDED and (
        after in PREPOSITIONS | _RELATIVES or after in ("aged", "else", "over")
    ):
        return False
    if plain[0] not in ("this", "that", "these", "those"):
        return True
    if auxiliary in _DO | _MODALS:
        verb_next = len(plain) > 2 and plain[2] in base_verbs() | _MIDDLE
        return after in base_verbs() | _MIDDLE and not (verb_next and after in _MOSTLY_NOUNS)
    return (
        len(plain) == 2
        or after in _ADJECTIVES | PREPOSITIONS | _DETERMINERS | _MIDDLE
        or _participle(after)
    )


def _determines(words: Sequence[Word], plain: list[str], at: int) -> bool:
    """True for a determiner or preposition; a capital inside makes a name of it ("Plan A")."""
    named = words[at].text[0].isupper() and at > 0
    return (plain[at] in _DETERMINERS | PREPOSITIONS and not named) or plain[at].endswith("'s")


def _before_verb(words: Sequence[Word], plain: list[str]) -> int | None:
    likely = [at for at in range(1, len(plain)) if _may_be_verb(words, plain, at)]
    middle = next((at for at in range(1, len(plain)) if plain[at] in _MIDDLE), None)
    skipped = _relative_verbs(plain)
    likely = [at for at in likely if at not in skipped]
    sure = [at for at in likely if plain[at] not in _MOSTLY_NOUNS] or likely[:1]
    if middle is not None and (not sure or middle < sure[0]):
        return middle
    if sure:
        return _last_of_two(words, plain, sure[0])
    if _determines(words, plain, 0):
        return min(2, len(plain) - 1)
    return 1


def _may_be_verb(words: Sequence[Word], plain: list[str], at: int) -> bool:
    named = words[at].text[0].isupper()
    return plain[at] in base_verbs() and not named and not _determines(words, plain, at - 1)


def _last_of_two(words: Sequence[Word], plain: list[str], at: int) -> int:
    """Of two verbs side by side the second, if the first can be the head of the subject."""
    if at + 1 >= len(plain) or not _may_be_verb(words, plain, at + 1):
        return at
    if plain[at] in ("be", "have", "need", "help", "let", "make", "get", "go"):
        return at
    behind = plain[at + 2] if at + 2 < len(plain) else ""
    complement = not behind or behind in PREPOSITIONS | _DETERMINERS | _ALONE or behind[0].isdigit()
    return at + 1 if complement else at


def _relative_verbs(plain: list[str]) -> frozenset[int]:
    """Places inside "who signs the form": up to the verb of the relative clause."""
    found: set[int] = set()
    for at, word in enumerate(plain):
        if word in _RELATIVES and at:
            stop = next(
                (n for n in range(at + 1, len(plain)) if is_finite(plain[n]) or plain[n].endswith(("ed", "s"))),
                at,
            )  # fmt: skip
            found |= set(range(at, stop + 1))
    return frozenset(found)


def _before_participle(plain: list[str]) -> int | None:
    skipped = _relative_verbs(plain)
    for at in range(1, len(plain)):
        if at in skipped:
            continue
        opened = plain[at - 1] in _DETERMINERS | PREPOSITIONS
        if plain[at] in _MIDDLE or (plain[at] in ("had", "been", "got") and not opened):
            return at
        if _participle(plain[at]) and not opened:
            return at
        if plain[at] in _DETERMINERS and not opened:
            return at
    return None


def _before_predicate(text: str, words: Sequence[Word], plain: list[str]) -> int | None:
    skipped = _relative_verbs(plain)
    for at in range(1, len(plain)):
        word, before = plain[at], plain[at - 1]
        if at in skipped:
            continue
        counted = before[0].isdigit() or before in en.NUMBER_WORDS
        opened = _determines(words, plain, at - 1) or (
            counted and (at == 1 or _is_measure(words, plain, at - 1))
        )
        if word in _MIDDLE and not (at > 1 and before in _DETERMINERS):
            return at
        if _participle(word) and not _determines(words, plain, at - 1):
            return at
        if opened and not (at == 1 and before[0].isdigit()):
            continue
        if words[at].text[0].isupper() and word in _DETERMINERS:
            continue
        if word in _DETERMINERS or word in _ADJECTIVES or word.endswith(_ADJECTIVE_ENDS):
            return at
        if (word[0].isdigit() or word in en.NUMBER_WORDS) and _is_measure(words, plain, at):
            return at
    places = [
        n for n in range(1, len(plain)) if plain[n] in PREPOSITIONS - {"of"} and n not in skipped
    ]
    if not places:
        return _halved(words, plain)
    # Behind a name the first preposition opens the predicate, behind a noun the last one does.
    return places[0] if words[0].text[0].isupper() else places[-1]


def _is_measure(words: Sequence[Word], plain: list[str], at: int) -> bool:
    """False for the number of a name: "Line 8", "the Kestrel 300 drone", "question 3"."""
    behind = plain[at + 1] if at + 1 < len(plain) else ""
    unit = (
        behind.removesuffix("s") in _UNITS
        or behind in _UNITS
        or (behind.endswith("s") and len(behind) > 3)
    )
    return unit or behind == "or" or "," in words[at].text or "%" in words[at].text or not behind


def _halved(words: Sequence[Word], plain: list[str]) -> int | None:
    """Without any sign: a subject runs to the next capital, a name over all its capitals."""
    count = 1
    if plain[0] in _DETERMINERS:
        of = plain.index("of") if "of" in plain else 0
        start = of + 2 + (of + 1 < len(plain) and plain[of + 1] in _DETERMINERS) if of else 2
        count = start
        while (
            not of
            and count < len(words) - 1
            and words[count].text[0].islower()
            and not words[count - 1].text[0].isupper()
        ):
            count += 1
        if not of and words[1].text[0].isupper():
            while count < len(words) - 1 and words[count].text[0].isupper():
                count += 1
        return count if count < len(words) else None
    while count < len(words) - 1 and words[count].text[0].isupper():
        count += 1
    return count if count < len(words) else None


def verb_place(words: Sequence[str]) -> int:
    """Where the finite verb of a statement without auxiliary stands; 0 when none is plain."""
    plain = [word.lower().replace("’", "'") for word in words]
    skipped = _relative_verbs(plain)
    doubtful = 0
    for at in range(1, len(plain)):
        opened = plain[at - 1] in _DETERMINERS | PREPOSITIONS or plain[at - 1].endswith("'s")
        if at in skipped or opened or words[at][0].isupper():
            continue
        form = read_verb(plain[at])
        several = plain[at - 1] in ("i", "you", "we", "they") or plain[at - 1].endswith("s")
        if form is not None and form[1] not in _MOSTLY_NOUNS:
            return at
        if several and plain[at] in base_verbs() - _MOSTLY_NOUNS:
            return at
        doubtful = doubtful or (at if form is not None else 0)
    return doubtful


def is_predicate_word(word: str) -> bool:
    """True for an adjective or participle that can stand behind *is*."""
    return word in _ADJECTIVES or word.endswith(_ADJECTIVE_ENDS) or _participle(word)


def _participle(word: str) -> bool:
    if word in _PLAIN_NOUNS:
        return False
    return (
        word in PARTICIPLES
        or (word.endswith("ed") and len(word) > 4)
        or (word.endswith("ing") and len(word) > 5)
    )
