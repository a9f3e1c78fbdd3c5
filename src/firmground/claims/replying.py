"""Answers of a word or two: yes, no and their many forms, read with the question they answer."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re
from dataclasses import dataclass, replace

from firmground.claims import words as en
from firmground.claims.inversion import AUXILIARIES, is_predicate_word
from firmground.claims.proposition import Proposition
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern

_TALK = (
    r"(?:well|so|oh|ah|hmm|in short|in a word|simply put|unfortunately|sadly|luckily|fortunately|thankfully|happily|sorry|"
    r"i'm (?:sorry|afraid)(?: but)?|i am (?:sorry|afraid)(?: but)?|i think|i believe|i would say|i'd say|actually|technically|officially|in principle|"
    r"generally(?: speaking)?|in general|strictly speaking|to be (?:honest|clear|precise)|honestly|currently|at the moment|right now|as of now|for now|"
    r"again|then|and|but|as far as i (?:know|can (?:tell|see))|from what i (?:know|can (?:tell|see)|read)|good question|great question|thanks for asking|to answer your question|"
    r"the (?:short |simple |quick |long )?answer(?: (?:is|here is|to (?:that|this|your question|the question) is))?(?: (?:a|an)(?: \w+)?)?|"
    r"(?:short|quick|simple|long|final|my) answer(?: is)?|answer|a|it's an?|it is an?|that's an?|that is an?|that would be an?|"
    r"(?:clear|definite|hard|big|firm|simple|solid|resounding|straight|clearly|definitely))"
)
_FROM_SOURCE = (
    rf"(?:according to|based (?:solely |only )?on|per|as per|from|going by|judging by|as stated in|in)(?: (?!yes\b|no\b)[\w'-]+){{0,4}}? {en.EVIDENCE_NOUNS}(?: (?:provided|given|above|\d+)){{0,2}}"
    r"|according to(?: (?!yes\b|no\b)[\w'.-]+){1,5}"
)
_OPENING = rf"(?:(?:{_FROM_SOURCE}|{_TALK})(?:\s*[,:;.!–—-]+\s*|\s+)){{0,3}}"
_NO = (
    r"(?:(?:absolutely|certainly|definitely|of course|unfortunately|sadly|i'm afraid|i am afraid|surely|"
    r"clearly|obviously|generally|usually|apparently|it seems|it appears|i (?:think|believe|guess|suppose)|i'd say) not|not (?:quite|really|at all|exactly|so|true|correct|"
    r"right|even close|yet|any ?more|any longer|currently|at present|at the moment|for now|as far as i know|that i know of|a chance|in the least|by a long shot)|no longer|no way|by no means|far from it|in no way|"
    r"(?:that|this|it)(?:'s| is| was) (?:simply |just |actually |unfortunately )?(?:not (?:quite |entirely |actually )?(?:right|correct|true|the case|so|accurate|possible)|wrong|false|"
    r"incorrect|untrue|inaccurate|a (?:common )?(?:myth|misconception|misunderstanding|mistake))|(?:that|this|it) (?:isn't|wasn't) (?:right|correct|true|the case|so|possible|accurate)|incorrect|wrong|"
    r"i (?:don't|do not) (?:think|believe) so|i doubt (?:it|that)|on the contrary|quite the opposite|the opposite(?: is true)?|unlikely|hardly|none|"
    r"false|untrue|negative|nope|nah|never|no(?! one\b| other\b| more\b| fewer\b| less\b| later\b| sooner\b))"
)
_YES = (
    r"(?:(?:that|this|it)(?:'s| is| was) (?:absolutely |quite |entirely |indeed |exactly |perfectly )?(?:right|correct|true|the case|so|possible|"
    r"accurate|how it is)|without (?:a |any )?doubt|no doubt|by all means|you bet|of course|correct|true|right|exactly|precisely|spot on|you're right|you are right|"
    r"absolutely|certainly|definitely|surely|sure(?: thing)?|indeed|affirmative|totally|naturally|always|i (?:think|believe|guess|suppose|would say|'d say) so|i'm afraid so|"
    r"(?:it )?(?:seems|appears) so|apparently so|so it (?:is|does|seems)|yes|yep|yeah|yup|ja|oui|si|aye)(?: indeed| sir| ma'am| absolutely| certainly| of course| definitely| always)?"
)
_PART = (
    r"(?P<partly>partly|partially|in part|to (?:some|a certain|a limited) (?:extent|degree)|somewhat|sort of|kind of|more or less|half[- ]true|not entirely|not completely|not fully|not (?:wholly|altogether))"
    r"|(?P<mostly>mostly|largely|for the most part|mainly|by and large|almost|nearly|in most cases)"
    r"|(?P<often>sometimes|occasionally|often|usually|normally|typically|rarely|seldom|frequently|most of the time|at times|on occasion)"
    r"|(?P<seldom>not (?:always|necessarily|usually|often|every time|in all cases|in every case|for everyone|all of (?:them|it)|automatically))"
    r"|(?P<likely>probably not|most likely not|likely not|presumably not|probably|most likely|very likely|likely|presumably)"
    r"|(?P<maybe>maybe(?: not)?|perhaps(?: not)?|possibly(?: not)?|could be|(?:it|that) (?:might|may|could)(?: be)?|potentially)"
    r"|(?P<depends>(?:it|that) (?:all )?depends|depends|yes and no|yes or no|either way|both|neither|hard to say|unclear|who knows|not sure)"
)
_WHO = r"(?:it|they|he|she|you|we|i|there|this|that|these|those|one|everyone|everybody|all|both)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|must|should|shall|am)"
_HOW = r"(?:(?:certainly|definitely|absolutely|indeed|really|most|sure|surely|simply|actually|still|also|both|all|clearly|of course|probably) )*"
_ECHO = (
    rf"(?:{_WHO} {_HOW}{_AUXILIARY}(?P<echo_no>n't| {_HOW}not| never)?(?: be| been| have)?(?: (?:one|any|some|so))?|{_WHO} (?P<echo_cannot>can't|cannot|won't|ain't|shan't)(?: be)?|"
    rf"{_WHO} (?P<echo_gone>no longer|never) {_AUXILIARY}(?: been)?|{_WHO} {_AUXILIARY} (?P<echo_longer>no longer)|{_WHO} {_AUXILIARY} (?P<echo_none>none|nothing)|"
    rf"(?:it|that|they|you|we|he|she|there)(?:'s|'re) (?P<echo_bare>not|none)|i'm (?P<echo_i>not)|(?:so )?{_AUXILIARY}n't|"
    rf"(?:that|this|it)(?:'s| is) (?P<echo_case>not |wrong|false|incorrect|a (?:common )?(?:myth|misconception))?(?:quite |entirely )?(?:the case|possible|so|true|correct|right|fine|accurate)?"
    r")(?: indeed| so| too| now| today| anymore| any more)?(?:,? (?:yes|no))?"
)
_WORD = lazy_pattern(
    rf"{_OPENING}(?:(?P<part>{_PART})(?=[\s\"'*_]*(?:[.;:!–—]|\Z|,? (?:but|because|since|only|it|that)\b))"
    rf"|(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?=[\s\"'*_]*(?:[,.;:!?–—(-]|\Z)|\s+{_ECHO}\W*\Z))"
)
_UNMARKED = lazy_pattern(
    rf"{_OPENING}(?:(?P<no>no|nope|nah)|(?P<yes>yes|yep|yeah|yup|correct|sure))(?=\s+(?:it|they|you|we|he|she|there|i|the|an?|because|since|as|but|if|unless|only|at least|your|our|their|its|you're|they're|it's|there's) )"
)
_ONLY_ECHO = lazy_pattern(rf"(?:indeed,? |yes,? |no,? |so )?{_ECHO}\W*")
_ECHO_FIRST = lazy_pattern(
    rf"(?P<echo>{_ECHO})\s*[,;–—(-]+\s*(?=(?:from|on|in|at|for|by|with|without|until|after|before|between|within|because|since|as|but|and|if|unless|although|though|\d|provided|up|only|except|via|through)\b)"
)
_CONDITION = (
    r"(?:if|when|whenever|once|unless|as long as|so long as|provided(?: that)?|providing|assuming|except(?: for| on| in| when| if)?|apart from|other than|until|till|"
    r"subject to|depending on|in case|so far as)"
)
_WHERE = r"(?:if|when|once|on|in|at|for|with|without|during|after|before|by|from|until|unless|under|within|between|through|as|via|while|where|because|up to)"
_LIMITING = lazy_pattern(
    rf"(?:but |though |although |and |however,? )?(?P<scope>{_CONDITION} .{{2,300}})", re.S
)
_LIMITING_YES = lazy_pattern(
    rf"(?:but |though |although |and |however,? )?(?P<scope>(?:only|just|solely|not) {_WHERE} .{{1,300}})",
    re.S,
)
_LIMITED = lazy_pattern(
    rf"(?:{_OPENING})(?P<word>only|not|just|solely|exclusively) (?P<scope>{_WHERE}\b .{{1,300}})",
    re.S,
)
_SCOPED = lazy_pattern(
    rf"(?P<scope>(?:if|when|once|unless|on|in|at|for|with|without|during|after|before|by|from|under|within|between|as|until|while|where)\b [^,;:]{{2,120}})[,:;]\s*(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?=[\s\"'*_]*(?:[,.;:!–—-]|\Z))"
)
_SCOPE_ENDS = lazy_pattern(r"[.!;]|, (?:but|and|so|which|because|since)\b|\s[–—-]\s")
_SEPARATOR = " \t\n,.;:!–—-*_\"'“”✅❌✔✗☑👍👎()`>#"
_MARKS_YES, _MARKS_NO = frozenset("✅✔☑👍🟢"), frozenset("❌✗✘👎🔴🚫⛔")
_HEDGES = frozenset("just only at most least up to about around exactly roughly no more less fewer than some nearly almost".split())  # fmt: skip
_PREPOSITIONS = frozenset("in on at by for from with within between under over to during after before since until per of into through via".split())  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoReply:
    """A yes or no at the head of a sentence: `text[:end]`, what follows starts at ``rest``."""

    affirms: bool
    end: int
    rest: int
    clear: bool = True
    """False when the words disagree, as in "Yes, it is not", or leave it open."""
    scope: str = ""
    """What limits it: "if you pay" in "Yes, if you pay", "on weekdays" in "On weekdays, no"."""
    truth: str = ""
    """How far it holds: "partly true", "sometimes"."""

    def stated(self, asked: Proposition, *, opposite: bool = False) -> str:
        """What the reply states, or with ``opposite`` what the other reply would have stated."""
        affirms = self.affirms is not opposite
        if self.truth:
            return self.truth.replace("P", asked.affirmed) if not opposite else ""
        scope = self.scope[:1].lower() + self.scope[1:]
        again = not scope or f" {scope} " in f" {asked.predicate} "
        limited = asked if again else asked.behind(scope)
        return limited.affirmed if affirms else limited.denied


def read_reply(text: str) -> YesNoReply | None:
    """Find a yes or no, or an echo of the question ("It is not."), at the head of a sentence."""
    plain = text.lower().replace("’", "'")
    if len(plain) != len(text):
        return None
    lead = len(plain) - len(plain.lstrip(_SEPARATOR))
    if lead == len(plain):
        return _by_mark(text)
    match = _WORD.match(plain, lead) or _UNMARKED.match(plain, lead)
    part = match is not None and match.groupdict().get("part") is not None
    echo = _ONLY_ECHO.fullmatch(plain, lead)
    if echo and (match is None or part):
        return YesNoReply(affirms=not _denies(echo), end=len(text), rest=len(text))
    if match is None:
        return _repeated(plain, lead) or _limited(text, plain, lead)
    return _partly(plain, match) if part else _plain_reply(text, plain, match)


def _plain_reply(text: str, plain: str, match: re.Match[str]) -> YesNoReply:
    affirms = match["no"] is None
    rest = _next_word(plain, match.end())
    again = _repeated(plain, rest)
    if again is not None:
        return replace(again, affirms=affirms, clear=affirms is again.affirms)
    limit = _LIMITING.match(plain, rest) or (_LIMITING_YES.match(plain, rest) if affirms else None)
    if limit is not None and not _own_clause(limit["scope"]):
        return _with_scope(text, limit.start("scope"), affirms=affirms)
    return YesNoReply(affirms=affirms, end=match.end(), rest=rest)


def _repeated(plain: str, at: int) -> YesNoReply | None:
    """The same once more behind yes or no: "Yes, of course", "No, they can't, as they are new"."""
    echo = _ONLY_ECHO.fullmatch(plain, at)
    if echo:
        return YesNoReply(affirms=not _denies(echo), end=len(plain), rest=len(plain))
    leading = _ECHO_FIRST.match(plain, at)
    if leading:
        end = leading.end("echo")
        return YesNoReply(affirms=not _denies(leading), end=end, rest=_next_word(plain, end))
    word = _WORD.fullmatch(plain.rstrip(_SEPARATOR), at)
    if word is None or word["part"]:
        return None
    return YesNoReply(affirms=word["no"] is None, end=len(plain), rest=len(plain))


def _next_word(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip(_SEPARATOR))


def _by_mark(text: str) -> YesNoReply | None:
    """A reply of nothing but a sign."""
    yes, no = not _MARKS_YES.isdisjoint(text), not _MARKS_NO.isdisjoint(text)
    if not yes and not no:
        return None
    return YesNoReply(affirms=yes, end=len(text), rest=len(text), clear=yes is not no)


def _limited(text: str, plain: str, lead: int) -> YesNoReply | None:
    """A reply that is nothing but its limit: "Only on weekdays.", "For members, yes."."""
    scoped = _SCOPED.match(plain, lead)
    if scoped is not None:
        return YesNoReply(
            affirms=scoped["no"] is None,
            end=scoped.end(),
            rest=_next_word(plain, scoped.end()),
            scope=text[scoped.start("scope") : scoped.end("scope")].strip(),
        )
    limit = _LIMITED.match(plain, lead)
    if limit is None or _own_clause(limit["scope"]):
        return None
    start = limit.start("scope") if limit["word"] == "not" else limit.start("word")
    return _with_scope(text, start, affirms=limit["word"] != "not")


_CLAUSE_OPENERS = frozenset(
    "because while where as before after provided providing assuming so except in subject depending till".split()
)


def _own_clause(scope: str) -> bool:
    """True when words behind a preposition make a clause of their own: "On Monday it rains"."""
    found = plain_tokens(scope)
    found = found[1:] if found[0] in ("only", "just", "solely", "not") else found
    conditional = found[0] in en.CONDITIONALS | _CLAUSE_OPENERS
    return not conditional and any(map(is_finite, found))


def _with_scope(text: str, start: int, *, affirms: bool) -> YesNoReply:
    ends = _SCOPE_ENDS.search(text, start + 2)
    end = ends.start() if ends else len(text)
    scope = re.sub(r"^(?:but|though|although|just) (?=only|not)", "", text[start:end].strip(" ,."))
    return YesNoReply(affirms=affirms, end=end, rest=_next_word(text, end), scope=scope)


def _partly(plain: str, match: re.Match[str]) -> YesNoReply:
    """A reply that holds in part, at times, or perhaps."""
    kind = next(
        name
        for name in ("partly", "mostly", "often", "seldom", "likely", "maybe", "depends")
        if match[name]
    )
    rest = _next_word(plain, match.end())
    word = match[kind]
    truth = {
        "partly": "it is only partly true that P",
        "mostly": "it is mostly true that P",
        "often": f"{word}, P",
        "seldom": f"it is {word.replace('necessarily', 'always')} the case that P",
        "likely": "it is unlikely that P" if word.endswith("not") else "it is likely that P",
        "maybe": "it is possible that P",
        "depends": "",
    }[kind]
    return YesNoReply(affirms=True, end=match.end(), rest=rest, clear=bool(truth), truth=truth)


def echoed(text: str, asked: Proposition) -> str:
    """What "The Pro plan does." states: another subject with the question's predicate."""
    said = text.strip(" .!*_")
    found, plain = tokens(said), plain_tokens(said)
    if not asked.predicate or not 2 <= len(plain) <= _MOST_ECHOED or not _is_auxiliary(plain[-1]):
        return ""
    denied = plain[-1] == "not" or plain[-1].endswith("n't") or plain[-1] == "cannot"
    last = len(plain) - (2 if plain[-1] == "not" else 1)
    if last < 1 or any(map(is_finite, plain[:last])):
        return ""
    word = {"can't": "can", "cannot": "can", "won't": "will"}.get(
        plain[last], plain[last].removesuffix("n't")
    )
    other = Proposition(
        subject=said[: found[last - 1].end], auxiliary=word, predicate=asked.predicate
    )
    return other.denied if denied else other.affirmed


def clipped(text: str, asked: Proposition) -> str:
    """What "Closed on Mondays." states: another predicate of the question's subject."""
    plain = plain_tokens(text)
    fits = asked.auxiliary in ("is", "are", "was", "were") and asked.subject and plain
    if not fits or not is_predicate_word(plain[0]) or any(map(is_finite, plain[1:])):
        return ""
    return f"{asked.subject} {asked.auxiliary} {text[:1].lower()}{text[1:]}".rstrip(" .!") + "."


def tail_statement(tail: str, asked: Proposition, *, affirms: bool) -> str:
    """What the words behind yes or no state, with what they leave out of the question.

    "only the owner can" takes the question's predicate, "on 19 June" its subject and verb, "just
    one" behind No stands in the place of the question's number, and a clause of its own needs none
    of these: the empty text is returned.
    """
    text = tail.rstrip(" .!?,;)")
    plain = plain_tokens(text)
    if not plain or not asked.predicate:
        return ""
    other = echoed(text, asked) or clipped(text, asked)
    if other:
        return other
    if any(map(is_finite, plain)) or not _is_fragment(plain, asked):
        return ""
    return f"{_up_to(asked, _without_hedge(plain), affirms=affirms)} {text}."


def replaces(tail: str, stated: str, asked: Proposition) -> bool:
    """True when what follows No puts something else in a place of what was asked.

    :param tail: the words behind No
    :param stated: what they state, made self-contained
    :param asked: what was asked
    """
    verb = plain_tokens(asked.affirmed)[len(plain_tokens(asked.subject)) :][:2]
    own = plain_tokens(stated)
    if not _is_fragment(plain_tokens(tail), asked) and not echoed(tail, asked):
        subject = plain_tokens(asked.subject)
        same_subject = own[: len(subject)] == subject
        return same_subject and bool(verb) and own[len(subject) : len(subject) + len(verb)] == verb
    return True


def _without_hedge(plain: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what stands before a number or a preposition: "just one", "only for 30 days"."""
    at = next((at for at, word in enumerate(plain) if word not in _HEDGES), 0)
    if at and plain[at - 1] == "to" and _counts(plain[at]):
        return plain[at:]
    return plain[at:] if at and (_counts(plain[at]) or plain[at] in _PREPOSITIONS) else plain


def _counts(word: str) -> bool:
    return word[0].isdigit() or word in en.NUMBER_WORDS


def _is_fragment(plain: tuple[str, ...], asked: Proposition) -> bool:
    """True for words without a verb; a verb that no list has stands behind a subject."""
    if not plain or any(map(is_finite, plain)):
        return False
    core = _without_hedge(plain)
    if core[0] in _PREPOSITIONS or _counts(core[0]):
        return True
    opens = plain[0] in en.PRONOUNS | en.DETERMINERS or plain[0] in plain_tokens(asked.subject)
    return len(plain) <= 3 and not opens


def _up_to(asked: Proposition, fragment: tuple[str, ...], *, affirms: bool) -> str:
    """The question's statement up to the part that a fragment replaces.

    Where No is followed by a fragment that replaces nothing, the question is not affirmed.
    """
    whole = asked.affirmed
    found = tokens(whole)
    skip = len(tokens(asked.subject))
    for place in range(len(found) - 1, skip, -1):
        word = found[place].text.lower()
        same_place = fragment[0] in _PREPOSITIONS and word == fragment[0]
        counted = _counts(fragment[0]) and (_counts(word) or word in ("a", "an"))
        if same_place or counted:
            return whole[: found[place - 1].end]
    if not affirms:
        return f"{asked.denied}:"
    return whole if fragment[0] in _PREPOSITIONS else f"{whole}:"


def _denies(echo: re.Match[str]) -> bool:
    denying = (found for name, found in echo.groupdict().items() if name != "echo")
    return any(denying) or "n't" in (echo.groupdict().get("echo") or echo.group())


def _is_auxiliary(word: str) -> bool:
    return word.removesuffix("n't") in AUXILIARIES or word in ("can't", "cannot", "won't", "not")


_MOST_ECHOED = 8
