"""Talk around a statement: what stands before or behind it and can be cut off without loss.

"As an AI I can confirm that", "Of course", ", okay?": such talk is made of a closed set of words
that neither deny nor add anything, so that the rest states the same with and without it.
"""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re
from functools import cache

from firmground.claims import words as en
from firmground.claims.exempt import asks_something, exempt
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern

_MOST_HEADS = 8
_MOST_WORDS = 20
_FEWEST_LEFT = 2
_REACH = 400
_MARKS = ",:;!–—"
_ENDING = " \t\n.!?…)\"'”’*_"
_LINKS = frozenset({"that", "why", "how", "because"})
_REASONS = frozenset({"because", "since", "as", "but", "however", "so"})
_NEGATIVE = frozenset(
    "don't didn't haven't aren't isn't wasn't wouldn't doesn't hasn't weren't".split()
)
_DENYING = frozenset(
    "not no never cannot can't couldn't unable nothing without".split()
)  # allowed only before a colon
_BELIEVING = frozenset(
    "true correct right believe think agree fact case sure certain say said confirm".split()
)
_AS_TALK = lazy_pattern(
    # A denied doubt is no doubt.
    r"(?:[\w']+ ){0,6}(?:no|not|never|nobody|none|don't|cannot|can't|couldn't|hardly|little|without|"
    r"isn't|wouldn't|few|beyond)(?: [\w']+){0,4} (?:doubts?|deny|denies|denied|disputes?|disputed|question|"
    r"questions|disagrees?|secret|stress enough|emphasi[sz]e enough|help but (?:mention|notice|add)|"
    r"help (?:mentioning|noticing|adding)|saying|forget|overlook|ignore|surprise|contradicts?|refutes?|"
    r"speaks against|conflicts with|remiss not to (?:mention|say|add))(?: (?:about it|it))?(?: that)?"
    r"|(?:[\w']+ ){0,3}(?:don't|do not|never) (?:ever )?forget(?: that)?"
    r"|not to mention(?: that)?|last but not least|if (?:i'm|i am) not mistaken"
    rf"|(?:[\w']+ ){{0,2}}{en.EVIDENCE_NOUNS} (?:do not|don't|does not|doesn't|did not) (?:say|state|claim|"
    r"suggest|indicate|contain|mention|tell(?: us)?) (?:otherwise|(?:anything|nothing) (?:else|other|more|different)|"
    r"differently)(?: than)?(?: that)?"
    r"|(?:also )?(?:did|do|didn't|don't|have|haven't|were|are|aren't|weren't) (?:you|we) (?:also |already |ever |not )?"
    r"(?:know|realise|realize|see|hear|heard|notice|noticed|remember|aware)(?: [\w' ]{0,20}(?:way|already|also))?"
    r"|(?:well |so |and )?(?:i|we) (?:also |do |really |strongly |personally )?(?:think|believe|guess|reckon|suppose|"
    r"know|would say|am sure|am certain|can say|bet)|i'd say|i'm (?:sure|certain|confident)"
    r"|needless to say|(?:first|last|above|after|most) of? ?all|all in all|in all honesty|in case you (?:didn't|did not|don't) know|(?:[a-z]+ly )speaking|believe it or not|long story short|how come|(?:just )?a? ?heads up|p s|rest assured(?: that)?"
    r"|(?:is|was|are|do|did|does|have) (?:it|you|we) not (?:[\w']+ ){1,3}that|(?:i )?(?:would|will|shall) be remiss not to "
    r"(?:mention|say|add)(?: that)?|why would (?:anyone|anybody|you|someone) (?:doubt|deny|question)(?: that)?"
    r"|of course|indeed|actually|honestly|frankly|surely|admittedly|certainly|absolutely|definitely"
    r"|in (?:my|our) (?:humble |personal |honest )?(?:opinion|view|experience|understanding)"
    r"|(?:considering|knowing|seeing|given|provided) that|(?:now that )?(?:you )?(?:do )?know(?: that)?"
    r"|(?:it is|it's) (?:safe|fair|correct|accurate|worth|no exaggeration) (?:to )?(?:say|saying|noting|mentioning)(?: that)?"
    r"|(?:fun|quick|important|interesting|useful|little known|key|short|side|final) (?:fact|note|reminder|tip|point|answer|summary)s?"
)  # fmt: skip
_CITED = lazy_pattern(rf"(?:see |from |in )?{en.EVIDENCE_NOUNS} \d{{1,3}}")
_BEFORE_LINK = frozenset("is are was were has have so me you here note it do did know".split()) - {
    "so"
}
_FEWEST_STATED = 3
_MOST_STRUCTURAL = 12
_NOT_TALK = frozenset(
    "false wrong untrue incorrect myth deny denies denied doubt doubts unlikely if unless whether "
    "until when whenever once should or neither nor impossible lie rumour rumor hoax".split()
)
_QUOTING = frozenset('"“„«')
_FIRST_PERSON = frozenset("i i'm i'd i've my".split())
_BOUND = frozenset({"or", "nor", "whereas", "while", "which", "who"})
_PERSONAL = frozenset("i i'm i'd i've me my we our us your you're allow".split())
_SOURCE_SAYS = lazy_pattern(
    rf"(?:the |this |these |your )?(?:[a-z]+ )?{en.EVIDENCE_NOUNS} \w+ that"
)
_CONSENT = frozenset(
    "like want need wish time questions know wondering ask asked interested curious".split()
)
_QUANTIFIERS = frozenset("many most all any some much more".split())
_PLAIN_OPENERS = _NEGATIVE | frozenset({"the", "a", "an"}) | frozenset({"you", "we", "it", "this", "these", "those", "there", "everyone", "he",
                            "she", "nobody", "everything", "everybody", "someone"})  # fmt: skip
_TAG = lazy_pattern(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might|isn't|aren't|"
    r"wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|wouldn't|shouldn't|mustn't)"
    r" (?:it|they|he|she|you|we|i|there|this|that|one)(?: not| know| see| agree| think)?"
    r"|(?:okay|ok|right|correct|yes|no|true|alright|all right|understood|got it|agreed|clear|see|eh|huh|yeah|"
    r"not true|you see|you know|you know that|(?:surely )?you (?:knew|know|agree|remember)(?: that)?|"
    r"(?:is|was) (?:that|it|this) (?:clear|right|correct|okay|ok|understood|true)|make sense|makes sense|"
    r"does that make sense|don't you (?:think|agree)|wouldn't you (?:say|agree)|(?:i|we) (?:think|believe|guess|"
    r"suppose|hope|know|am sure|can confirm)|i'm sure|of course|by the way|for sure|indeed|to be (?:clear|honest|sure|"
    r"precise|fair|frank)|in (?:short|fact|my (?:opinion|view))|as (?:everyone|everybody|anyone|all|you|we|i) (?:knows?|said|can see|mentioned|asked|"
    r"see)|as (?:requested|mentioned|noted|stated|far as i (?:know|can tell|can see))|if i may say so|if you ask me|"
    r"believe it or not|fyi|btw|imo|imho|afaik|please|thanks|thank you|cheers|my friend|just so you know|honestly|"
    r"needless to say|obviously|naturally|certainly|definitely|absolutely|full stop|period|i promise|trust me)"
)  # fmt: skip
_ONLY_ASKED = frozenset("yes no right correct true clear see agreed understood".split())
_LAST_BREAK = lazy_pattern(r"(?:[,;:!.…]|\s[-–—]|[–—])\s*\(?(?=[^,;:!.…–—]{1,80}\Z)|\s\((?=[^()]{1,80}\)?\W*\Z)")  # fmt: skip


def heads(text: str) -> tuple[int, ...]:
    """Say where each piece of talk before a statement ends, in order."""
    at, found = 0, []
    for _ in range(_MOST_HEADS):
        step = _one_head(text[at : at + _REACH], cut=len(text) - at > _REACH)
        if not step:
            break
        at += step
        found.append(at)
    return tuple(found)


def head_end(text: str) -> int:
    """Say where the talk before a statement ends; 0 when the statement stands at the head."""
    return max(heads(text), default=0)


def structural_head(text: str) -> int:
    """Say where words end that speak of the one who answers or asks, and a statement begins.

    Such words are in no list, so they are judged too, together with the statement. Words that
    deny, doubt or set a condition belong to the statement.
    """
    found = tokens(text[:_REACH])
    for place in range(1, min(len(found) - _FEWEST_STATED, _MOST_STRUCTURAL) + 1):
        word, after = found[place - 1], found[place]
        plain = word.text.lower()
        if plain in _NOT_TALK or word.text[0].isdigit() or plain in en.NUMBER_WORDS:
            break
        gap = text[word.end : after.start]
        if after.text.lower() in en.AUXILIARIES or not _QUOTING.isdisjoint(gap):
            continue
        if _opens(plain_tokens(text[: word.end]), gap, text[after.start :]):
            return after.start
    return 0


def _opens(head: tuple[str, ...], gap: str, rest: str) -> bool:
    """True when a head, what stands behind it and the rest look like talk and a statement."""
    denied = any(word in _DENYING or "n't" in word for word in head)
    personal = not _PERSONAL.isdisjoint(head)
    if head[-1] == "that" and len(head) > 1:
        return not denied and (personal or _SOURCE_SAYS.match(" ".join(head)) is not None)
    if not _has_verb(rest):
        return False
    if (":" in gap or "|" in gap) and " " in gap:
        return not denied
    bound = plain_tokens(rest[:40])[0] in _BOUND
    speaker = not _FIRST_PERSON.isdisjoint(head[:2])
    verbless = personal and not any(map(is_finite, head))
    return "," in gap and len(head) > 1 and not bound and (speaker or verbless)


def _has_verb(text: str) -> bool:
    return any(map(is_finite, plain_tokens(text[:200])[1:]))


def tail_start(text: str) -> int:
    """Say where the talk behind a statement begins; the length of the text when there is none."""
    return min(tails(text), default=len(text))


def tails(text: str) -> tuple[int, ...]:
    """Say where each piece of talk behind a statement begins, in order."""
    stop, starts = len(text), []
    for _ in range(2):
        low = max(0, stop - 100)
        found = list(_LAST_BREAK.finditer(text[low:stop].rstrip(_ENDING)))
        if not found:
            break
        at = low + found[-1].start()
        behind = text[at:stop]
        if not (is_tail(behind) and len(tokens(text[:at][-_REACH:])) >= _FEWEST_LEFT):
            break
        stop = at
        starts.append(at)
    return tuple(reversed(starts))


def is_tail(text: str) -> bool:
    """True for talk behind a statement: a question tag, an assurance, anything exempt."""
    said = " ".join(plain_tokens(text))
    tag = _TAG.fullmatch(said)
    if tag and (asks_something(text) or said not in _ONLY_ASKED):
        return True
    return exempt(text) is not None


def is_head(text: str) -> bool:
    """True for talk before a statement, with the mark or link word that ends it."""
    found = plain_tokens(text)
    mark = text.rstrip(" \t*_\"'“")[-1:]
    if not found or len(found) > _MOST_WORDS:
        return False
    if _phrase_words().issuperset(found) and _AS_TALK.fullmatch(" ".join(found)):
        return True
    if mark == ":":
        return _may_announce(found) or _CITED.fullmatch(" ".join(found)) is not None
    if not _is_talk(text, found):
        return False
    if mark in _MARKS or mark == "-":
        return (
            _PLAIN_OPENERS.isdisjoint(found[:1])
            and _QUANTIFIERS.isdisjoint(found)
            and _polite(found)
        )
    return (
        found[-1] in _LINKS
        and len(found) > 1
        and found[-2] not in en.FUNCTION_OPENERS - _BEFORE_LINK
    )


@cache
def _phrase_words() -> frozenset[str]:
    """Every word that a listed phrase may hold; what stands for any word must be talk."""
    listed = re.findall(r"[a-z']+", _AS_TALK.pattern.lower())
    return en.TALK | en.PLAIN_EVIDENCE | _DENYING | frozenset(listed)


def _polite(found: tuple[str, ...]) -> bool:
    """False for a condition, which belongs to the statement unless it only asks for consent."""
    if found[0] not in en.CONDITIONALS | {"before", "after", "while", "where"}:
        return True
    return "you" in found and not _CONSENT.isdisjoint(found)


def _is_talk(text: str, found: tuple[str, ...]) -> bool:
    """True when all words are talk; a capital inside makes a name or a month of one."""
    named = any(
        one.text.istitle() and len(one.text) > 1 and one.text[1] not in "'’"
        for one in tokens(text)[1:]
    )
    return not named and en.TALK.issuperset(found) and _NEGATIVE.isdisjoint(found[1:])


def _may_announce(found: tuple[str, ...]) -> bool:
    """Before a colon, talk may say what it will not do; it may not call untrue what follows."""
    if not (en.TALK | _DENYING | en.ANNOUNCING | en.MORE_TALK).issuperset(found):
        return False
    denies = not (_DENYING | _NEGATIVE).isdisjoint(found)
    return not (denies and not _BELIEVING.isdisjoint(found))


def _one_head(text: str, *, cut: bool) -> int:
    """The longest talk at the head of a text, up to a mark or a link word."""
    found = tokens(text)
    most = min(len(found) - _FEWEST_LEFT, _MOST_WORDS) if not cut else _MOST_WORDS
    best = 0
    for place in range(1, min(most, len(found) - 1) + 1):
        before, after = found[place - 1], found[place]
        gap = text[before.end : after.start]
        marked = any(mark in gap for mark in _MARKS) or " - " in gap
        ends = after.start - len(gap) + len(gap.rstrip(" \"'“‘(*_")) if marked else before.end
        piece = text[:ends]
        linked = after.text.lower() in _REASONS
        if ((marked or linked) and exempt(piece, question=False) is not None) or (
            is_head(piece) and (marked or _may_end(piece, text[after.start :]))
        ):
            best = after.start
    # Marks that open the statement belong to it.
    return len(text[:best].rstrip("\"'“‘(*_[$€£#-")) if best else 0


def _may_end(head: str, rest: str) -> bool:
    """Without a mark, talk ends at a link word or before a few words that can be a statement."""
    last = plain_tokens(head)[-1]
    following = plain_tokens(rest[:200])
    if last in _LINKS:
        return following[0] not in en.AUXILIARIES
    return following[0] not in en.UNSTARTED and len(following) > _FEWEST_LEFT
