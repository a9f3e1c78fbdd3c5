"""Talk around a statement: what stands before or behind it and can be cut off without loss.

"As an AI I can confirm that", "Of course", ", okay?": such talk is made of a closed set of words
that neither deny nor add anything, so that the rest states the same with and without it.
"""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re
from functools import cache

from firmground.claims import words as en
from firmground.claims.exempt import asks_something, exempt, introduces
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern

_MOST_HEADS = 8
_MOST_WORDS = 20
_FEWEST_LEFT = 2
_REACH = 400
_MARKS = ",:;!–—"
_TAG_REACH = 60
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
    # A denied doubt is not a doubt.
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
    r"|who (?:could|would|can|will) (?:deny|doubt|dispute|question|forget)(?: that)?|(?:can|could|would) any(?:one|body) (?:deny|doubt|dispute)(?: that)?"
    r"|is there (?:anyone|anybody) who (?:does not|doesn't|did not|didn't) (?:know|agree|believe|see)(?: that)?"
    r"|i was (?:wrong|mistaken)(?: before| earlier)?|i (?:stand|stood) corrected|contrary to what i (?:said|wrote|claimed|told you)(?: before| earlier)?"
    r"|(?:you|you'll) (?:won't|will not|will never|may not|might not|would not|wouldn't) (?:believe|like|guess|expect) (?:it|this|that)(?: but)?|even if you (?:do not|don't|did not|didn't) (?:like|believe|want|expect|know) (?:it|this|that|so)"
    r"|should (?:anyone|anybody|you|someone) (?:ask|wonder|care)|were you to ask me(?: i would say)?(?: that)?|(?:thankfully|happily|regrettably|luckily|fortunately|unfortunately|sadly|clearly|obviously|evidently|undoubtedly|interestingly|notably)"
    r"|in (?:fact|truth|reality|short)|as a matter of fact|(?:if|and) as is the case|tl ?dr|to my knowledge|of note|it turns out(?: that)?|turns out(?: that)?"
    r"|one thing(?: is)?(?: certain)?(?: namely)?(?: that)?|(?:everyone|everybody|(?:all |most )?experts|the user) (?:say|says|agree|agrees|know|knows|confirm|confirms|state|states)(?: that)?"
    r"|needless to say|(?:first|last|above|after|most) of? ?all|all in all|in all honesty|in case you (?:didn't|did not|don't) know|(?:[a-z]+ly )speaking|believe it or not|long story short|how come|(?:just )?a? ?heads up|p s|rest assured(?: that)?"
    r"|(?:is|was|are|do|did|does|have) (?:it|you|we) not (?:[\w']+ ){1,3}that|(?:i )?(?:would|will|shall) be remiss not to "
    r"(?:mention|say|add)(?: that)?|why would (?:anyone|anybody|you|someone) (?:doubt|deny|question)(?: that)?"
    r"|of course|indeed|actually|honestly|frankly|surely|admittedly|certainly|absolutely|definitely"
    r"|in (?:my|our) (?:humble |personal |honest )?(?:opinion|view|experience|understanding)"
    r"|(?:considering|knowing|seeing|given|provided) that|(?:now that )?(?:you )?(?:do )?know(?: that)?"
    r"|(?:it is|it's) (?:safe|fair|correct|accurate|worth|no exaggeration) (?:to )?(?:say|saying|noting|mentioning)(?: that)?"
    r"|(?:fun|quick|important|interesting|useful|little known|key|short|side|final) (?:fact|note|reminder|tip|point|answer|summary)s?"
)  # fmt: skip
_CITED = lazy_pattern(
    rf"(?:see |from |in )?(?:{en.EVIDENCE_NOUNS}|step|point|item|fact|reason|tip|note|part|rule) \d{{1,3}}"
)
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


# Words behind a statement that say nothing of their own: "The fact that … speaks for itself".
_BARE_TAIL = lazy_pattern(
    r",?\s(?:(?:i )?hope (?:this|that|it) helps|speaks? for itself|should help(?: you)?|(?:is|are) (?:certain|well known|common knowledge|beyond doubt)|says it all|"
    r"in mind|goes without saying|then all is well|(?:which|and (?:that|this|it)) (?:(?:i|we) can confirm|is (?:correct|true|right|so|certain|a fact|the truth)))[.!?]?\s*$",
    re.I,
)
_FEWEST_BEFORE_TAIL = 4


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
    """Return where the talk after a statement begins; the length of the text when there is none."""
    return min(tails(text), default=len(text))


def tails(text: str) -> tuple[int, ...]:
    """Say where each piece of talk behind a statement begins, in order."""
    stop, starts = len(text), []
    for _ in range(3):
        bare = _BARE_TAIL.search(text[:stop], max(0, stop - _TAG_REACH))
        if bare is not None and len(tokens(text[: bare.start()][-_REACH:])) >= _FEWEST_BEFORE_TAIL:
            stop = bare.start()
            starts.append(stop)
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


def tag_start(question: str) -> int:
    """Say where the tag of a question begins ("…, isn't it?"); its length when there is none."""
    found = list(_LAST_BREAK.finditer(question[-_TAG_REACH:].rstrip(_ENDING)))
    if not found:
        return len(question)
    at = max(0, len(question) - _TAG_REACH) + found[-1].start()
    tagged = _TAG.fullmatch(" ".join(plain_tokens(question[at:])))
    return at if tagged else len(question)


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
        bold = "**" in gap or "__" in gap
        marked = any(mark in gap for mark in _MARKS) or " - " in gap
        ends = after.start - len(gap) + len(gap.rstrip(" \"'“‘(*_")) if marked else before.end
        piece = text[:ends]
        if bold and introduces(" ".join(plain_tokens(piece))):
            best = after.start
            continue
        linked = after.text.lower() in _REASONS
        if ((marked or linked) and exempt(piece, question=False) is not None) or (
            is_head(piece) and (marked or _may_end(piece, text[after.start :]))
        ):
            best = after.start
    # Marks that open the statement belong to it.
    return len(text[:best].rstrip("\"'“‘(*_[$€£#-<\\{")) if best else 0


def _may_end(head: str, rest: str) -> bool:
    """Without a mark, talk ends at a link word or before a few words that can be a statement."""
    last = plain_tokens(head)[-1]
    following = plain_tokens(rest[:200])
    if last in _LINKS:
        return following[0] not in en.AUXILIARIES
    return following[0] not in en.UNSTARTED and len(following) > _FEWEST_LEFT
