"""What a question is about, as a statement: "Is it open?" becomes "it is open" or its denial."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

from dataclasses import replace

from firmground.claims import words as en
from firmground.claims.inversion import (
    AUXILIARIES,
    PREPOSITIONS,
    is_predicate_word,
    subject_length,
    verb_place,
)
from firmground.claims.proposition import Proposition, Several, WholeStatement
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.claims.verb_forms import read_verb
from firmground.claims.wrapping import head_end, tag_start
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences

_LONGEST = 400
_MOST_WORDS_OF_PREFIX = 8
_ENDS = " ?？؟.!,;:\n\t–—-"
_CONTRACTED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
_YOURS = {"i": "you", "my": "your", "me": "you", "mine": "yours", "myself": "yourself", "am": "are", "i'm": "you are", "i've": "you have", "i'd": "you would", "we": "you", "our": "your", "us": "you", "ours": "yours", "we're": "you are", "we've": "you have", "you": "we", "your": "our", "yours": "ours", "you're": "we are", "you've": "we have"}  # fmt: skip
_AUX = r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|may|might|must|should|shall|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|wouldn't|shouldn't|mustn't)"
_FRONTED = lazy_pattern(r"(?:if|when|once|unless|after|before|while|until|as long as|in case|provided(?: that)?|during|for|on|in|at|with|without|under|from|assuming|given|because|since) .{2,160}")  # fmt: skip
_TOPIC = lazy_pattern(r"(?:regarding|about|concerning|as for|re|with regard to|as regards|on the subject of|when it comes to) (.{2,80})")  # fmt: skip
_SOURCE = lazy_pattern(
    rf"(?:according to|based on|per|as per|from|in|under) .{{0,40}}\b{en.EVIDENCE_NOUNS}\b.{{0,20}}|according to .{{2,60}}"
)
_PREFIX = lazy_pattern(rf"[,:;–—-]\s+(?:(?:but|and|so|then|now|please) )?(?={_AUX} )")
# A question inside another one: "Can you tell me whether …".
_EMBEDDING = lazy_pattern(
    r"(?:"
    r"(?:is|isn't|was|wasn't) it (?:really |actually |also |still |indeed )?(?:true|correct|right|the case|a fact|accurate|so) that"
    r"|is it (?:fair|right|correct|accurate|safe) to (?:say|assume|conclude|think) that"
    r"|is (?:this|that|the following) (?:true|correct|right|accurate)[:,]"
    r"|(?:true or false|yes or no|true|correct|right)[:,]"
    r"|am i (?:right|correct)(?: in| to)?(?: (?:thinking|assuming|saying|believing|understanding|think|assume|say|believe|understand))?(?: that)?[,:]?"
    r"|(?:do|does|did) (?:you|anyone|anybody|we) (?:happen to |already |also )?know (?:if|whether|that)"
    r"|do (?:you|we) (?:think|agree|believe|say)(?: that)?|would you (?:say|agree|think|confirm)(?: that| if| whether)?"
    r"|(?:can|could|would|will) you (?:please |kindly |quickly |also )?(?:tell (?:me|us)|confirm|say|check|verify|clarify|let (?:me|us) know|double-check)(?: (?:to|for|with) (?:me|us))? (?:if|whether|that)"
    r"|(?:can|could|would|will) you (?:please |kindly |also )?(?:confirm|verify|check)[,:]?(?= (?:the|an?|this|these|my|our|it|all|your|there|[a-z]+ (?:is|are|was|were|can|has|have|will)) )"
    r"|may i ask (?:if|whether)|can i ask (?:if|whether)|can (?:i|we) assume(?: that)?"
    r"|(?:i|we)(?: would|'d)? (?:just |also |only )?(?:like|want|need|wanted|love) to (?:know|ask|check|find out|confirm|understand|be sure) (?:if|whether|that)"
    r"|(?:i|we)(?: was| were|'m| am|'re| are)? ?(?:just |also |only )?(?:wondering|wonder|asking|curious|not sure|unsure) (?:if|whether)"
    r"|(?:please )?(?:tell (?:me|us)|let (?:me|us) know|confirm|check|verify|say) (?:if|whether|that)"
    r"|(?:you're|you are|are you) saying(?: that)?|does (?:that|this|it) mean(?: that)?"
    r"|(?:my |the |our )?(?:question|query) is (?:if|whether)"
    r") "
)  # fmt: skip
_ANAPHORIC = lazy_pattern(
    r"(?:so |and |but )?(?:(?:is|was|would) (?:that|this|it) (?:really |still |also |indeed |actually )*(?:right|true|correct|so|the case|accurate|valid|possible|a fact)"
    r"|(?:am|was) i (?:right|correct|wrong)|(?:can|could) you (?:please )?confirm(?: (?:that|this|it))?|right|correct|true|yes or no|is that (?:how it is|what it says))"
)  # fmt: skip
_CLOSING = lazy_pattern(
    r"[,;:–—-]\s*(?:is|was) (?:that|this|it) (?:really |still )?(?:right|true|correct|so|the case|accurate)\s*\?*$"
)
_REPORTING = lazy_pattern(
    r"(?:(?:i|we|they|he|she|somebody|someone|people|everyone|(?:my|our|a|an|the|one) (?:\w+ ){0,2}?\w+)(?:'ve| have| has| had)? )?"
    r"(?:just |also |once |always |recently |somewhere )*(?:read|heard|hear|think|thought|believe|believed|(?:was|were|am|are|been) (?:told|informed)|understand|understood|saw|says?|said|told (?:me|us)|tells (?:me|us)|claims?|claimed|assumed?|remember|noticed?|suppose|insists?|mentioned|wrote|writes?)(?: somewhere| online| here| once)?(?: that)? "
)  # fmt: skip
_REQUEST = lazy_pattern(
    r"(?:can|could|would|will) you (?:please |kindly |also |quickly )?(?:help|tell|explain|give|show|summari[sz]e|list|describe|provide|write|find|recommend|suggest|compare|clarify|walk|translate|share|look|elaborate|outline|check|confirm|answer|let|point|name|draft|rewrite|repeat)\b"
    r"|may i ask|can i ask|do you (?:know|have any (?:idea|information))|is there any(?:thing| information)|would you (?:like|mind)"
)  # fmt: skip
_WH = frozenset("what which how when where who whom whose why".split())
_QUESTION_WORDS = frozenset("why how when where".split())
_OR_NOT = lazy_pattern(r",? or (?:not|no|isn't it|aren't they|doesn't it|don't they|didn't it)\s*$")
_SECOND = lazy_pattern(rf",? (?P<word>and|or) (?={_AUX} )")
_TWO_WAYS = lazy_pattern(r"(?:\w+ )?[\w-]+ or (?:not )?[\w-]+(?:$| the | an? | in | on )")
_NEW = lazy_pattern(r"\ban? ((?:[\w-]+ ){0,2}[\w-]+)$")
_IS = lazy_pattern(r"(?<=\w)['’]s (?=(?:at|on|in|an?|the|not|closed|open|free|\d|[a-z]+ed)\b)")
_USER = frozenset("i we my our i'm i've we're we've".split())
_NO_NEWS = lazy_pattern(r"(?:i|we)(?:'m| am|'ve| have|'d| would)? (?:a |another |one |just |quick |short |small |two |got )*(?:questions?|wondering|wonder|like to know|want to|trying to|looking (?:for|at|into)|need to know|hope|confused|not sure|curious|interested)\b")  # fmt: skip


def asked(question: str) -> Proposition | None:
    """The proposition of a yes/no question; None for any other question."""
    found: list[Proposition] = []
    parts = _parts(question)
    for place, part in enumerate(parts):
        one = _anaphoric(part, parts[:place]) or _asked(part, last=place == len(parts) - 1)
        if one is not None:
            found.append(_with_pronoun(_with_news(one, parts[:place]), parts[:place]))
    if not found:
        return None
    return found[0] if len(found) == 1 else Several(parts=tuple(found))


def _parts(question: str) -> list[str]:
    text = question[-4 * _LONGEST :]
    return [text[span.start : span.end].strip() for span in sentences(text)]


def _anaphoric(part: str, before: list[str]) -> Proposition | None:
    """For "Is that right?" the proposition of the sentence before."""
    if not before or not _ANAPHORIC.fullmatch(_plain(part).strip(_ENDS)):
        return None
    said = before[-1].strip(_ENDS)
    reported = _REPORTING.match(_plain(said))
    return _declared(said[reported.end() :] if reported else said)


def _asked(question: str, *, last: bool) -> Proposition | None:
    asks = question.rstrip(" \"'”)").endswith(("?", "？", "؟"))
    closing = _CLOSING.search(_plain(question))
    text = question[: min(tag_start(question), closing.start() if closing else len(question))]
    text = text.strip(_ENDS)
    if not text or len(text) > _LONGEST:
        return None
    tagged = len(text) < len(question.rstrip(_ENDS))
    text = text[_talk_end(text) :].lstrip(_ENDS)
    embedded = _EMBEDDING.match(_plain(text))
    if embedded:
        text = text[embedded.end() :]
    elif not asks and not (last and _is_inverted(text)):
        return None
    plain = plain_tokens(text[:80])
    if plain and _is_inverted(text):
        return None if not embedded and _REQUEST.match(_plain(text)) else _inverted(text)
    fronted = _fronted(text)
    if not plain or fronted is not None or plain[0] in _WH or not (embedded or tagged or asks):
        return fronted
    reported = _REPORTING.match(_plain(text)) if plain[0] in _USER else None
    text = text[reported.end() :] if reported else text
    bare = not embedded and not tagged and plain[0] not in en.DETERMINERS | en.PRONOUNS
    clipped = _clipped(text) if bare or plain[0] in ("a", "an", "any") else None
    return clipped or _declared(text) or (_whole(text) if embedded else None)


def _talk_end(text: str) -> int:
    """Where talk before a question ends: "Hi there, quick question:", "So"."""
    prefix = _PREFIX.search(_plain(text))
    if prefix is not None and head_end(text[: prefix.end()] + "it is so") >= prefix.end():
        return prefix.end()
    at = 0
    for word in plain_tokens(text)[:2]:
        if word not in ("so", "and", "but", "also", "ok", "okay", "then", "well", "hi", "hello"):
            break
        at += len(word)
        at += len(text[at:]) - len(text[at:].lstrip(" ,!"))
    return at


def _fronted(text: str) -> Proposition | None:
    """A question behind a phrase that opens it: "For orders above 50 euros, is shipping free?"."""
    prefix = _PREFIX.search(_plain(text))
    if prefix is None:
        return None
    opening, rest = text[: prefix.start()].strip(), text[prefix.end() :]
    plain = _plain(opening)
    found = None if _REQUEST.match(_plain(rest)) else _inverted(rest)
    if found is None or _SOURCE.fullmatch(plain):
        return found
    topic = _TOPIC.fullmatch(plain)
    if topic is not None:
        name = opening[topic.start(1) :]
        if found.subject.lower() in ("it", "they", "this", "that"):
            return replace(found, subject=name)
        return found.behind(f"for {name}")
    if _FRONTED.fullmatch(plain):
        return found.behind(turned(opening[:1].lower() + opening[1:]))
    return found if len(plain.split()) <= _MOST_WORDS_OF_PREFIX else None


def _inverted(text: str) -> Proposition | None:
    """The proposition of an inverted question, with what *or* and *and* make of it."""
    text = _OR_NOT.sub("", text.strip(_ENDS))
    second = _SECOND.search(_plain(text))
    if second is None:
        found = uninverted(text)
        alternative = found is not None and _TWO_WAYS.match(_plain(found.predicate))
        return None if alternative else found
    first, other = uninverted(text[: second.start()]), uninverted(text[second.end() :])
    if second["word"] == "or" or first is None or other is None:
        return None
    return Several(parts=(first, other))


def uninverted(question: str) -> Proposition | None:
    """Put subject and auxiliary of a question in the order of a statement."""
    text = question.strip(_ENDS)
    found = tokens(text)
    if len(found) < 2 or len(text) > _LONGEST:
        return None
    auxiliary = _auxiliary(_plain(found[0].text))
    words = found[1:]
    if words[0].text.lower() == "not":
        words = words[1:]
    count = subject_length(text, words, auxiliary) if auxiliary and words else None
    if count is None:
        return None
    end = words[count].start if count < len(words) else len(text)
    opened = text.rfind('"', words[count - 1].end, end)
    end = opened if opened > words[count - 1].end and text[opened + 1 : end] == "" else end
    begin = words[0].start - (text[words[0].start - 1] in "\"“'‘(`")
    subject, predicate = text[begin:end].strip(" ,"), text[end:].strip(" ,")
    if subject.lower() in ("i", "we") and auxiliary in ("am", "was"):
        auxiliary = {"am": "are", "was": "were"}[auxiliary]
    elif subject.lower() == "you" and auxiliary == "am":
        auxiliary = "are"
    return Proposition(subject=turned(subject), auxiliary=auxiliary, predicate=turned(predicate))


def presupposed(question: str) -> str:
    """What a question with why, how, when or where takes for granted; empty when it asks else."""
    found = tokens(question)
    if len(found) < 4 or found[0].text.lower() not in _QUESTION_WORDS:
        return ""
    proposition = uninverted(question[found[1].start :])
    return proposition.affirmed if proposition else ""


def subject_of(question: str) -> str:
    """The subject of a question, with or without a question word; empty when it is not plain."""
    parts = _parts(question)
    asking = [one for one in parts if one.rstrip(" \"'”)").endswith("?")] or parts[-1:]
    text = asking[-1] if asking else ""
    embedded = _EMBEDDING.match(_plain(text))
    text = text[embedded.end() if embedded else head_end(text) :].strip(" ?")
    found = tokens(text)
    for place in range(min(len(found) - 1, 6)):
        if not _auxiliary(_plain(found[place].text)):
            continue
        if embedded and place:
            return _plain_subject(text[: found[place].start].strip())
        proposition = uninverted(text[found[place].start :])
        return _plain_subject(proposition.subject if proposition else "")
    return ""


def _plain_subject(subject: str) -> str:
    plain = plain_tokens(subject)
    pronoun = bool(plain) and plain[0] in en.PRONOUNS | {"there", "anyone", "everyone", "anybody", "everybody", "nobody", "someone"} - {"that", "this", "these", "those", "all", "its", "their", "his", "her"}  # fmt: skip
    named = plain and not (pronoun and len(plain) == 1) and _WH.isdisjoint(plain)
    return subject if named and len(plain) <= 8 else ""


def _with_news(found: Proposition, before: list[str]) -> Proposition:
    """Add what the asker says of himself before the question: "I ordered at 16:30."."""
    news = [
        turned(one.strip(_ENDS))
        for one in before[-2:]
        if not one.endswith("?")
        and plain_tokens(one)[:1]
        and plain_tokens(one)[0] in _USER
        and len(one) <= _LONGEST // 2
        and not _NO_NEWS.match(_plain(one))
        and not _REPORTING.match(_plain(one))
        and not _EMBEDDING.match(_plain(one))
    ]
    if not news or isinstance(found, WholeStatement | Several):
        return found
    return replace(found, condition=" and ".join(one[:1].lower() + one[1:] for one in news))


def _with_pronoun(found: Proposition, before: list[str]) -> Proposition:
    """Replace a pronoun by the subject of the sentence before the question."""
    if found.condition or not before or found.subject.lower() not in ("it", "they", "he", "she"):
        return found
    plain = plain_tokens(before[-1])
    verb = next((at for at, word in enumerate(plain) if at and is_finite(word)), 0)
    if not 0 < verb <= _MOST_WORDS_OF_PREFIX or plain[0] in en.PRONOUNS | _WH | _USER:
        return found
    new = _NEW.search(before[-1].rstrip(_ENDS), tokens(before[-1])[verb].end)
    own = before[-1][: tokens(before[-1])[verb - 1].end]
    return replace(found, subject=f"the {new[1]}" if new else own)


def _is_inverted(text: str) -> bool:
    found = plain_tokens(text[:80])
    return bool(found) and bool(_auxiliary(found[0]))


def _declared(text: str) -> Proposition | None:
    """A proposition whose words stand in the order of a statement already."""
    text = _IS.sub(" is ", text.strip(_ENDS))
    found, plain = tokens(text), plain_tokens(text)
    for place in range(1, len(found)):
        auxiliary = _auxiliary(plain[place])
        follows = plain[place + 1] if place + 1 < len(plain) else ""
        owns = auxiliary in ("has", "have", "had", "do", "does", "did") and not (
            follows == "not" or follows.endswith(("ed", "en")) or follows == "been" or "n't" in plain[place]
        )  # fmt: skip
        if auxiliary and not owns and not _in_relative(plain, place):
            rest = text[found[place].end :].strip()
            negative = "n't" in plain[place] or plain[place] == "cannot"
            subject = turned(text[: found[place - 1].end])
            person = subject.lower() in ("you", "we") and auxiliary in ("am", "was")
            return Proposition(
                subject=subject,
                auxiliary={"am": "are", "was": "were"}[auxiliary] if person else auxiliary,
                predicate=turned(f"not {rest}" if negative else rest),
            )
    at = verb_place(tuple(one.text for one in found))
    if at:
        auxiliary, verb = read_verb(plain[at]) or ("do", plain[at])
        return Proposition(
            subject=turned(text[: found[at].start].strip(" ,")),
            auxiliary=auxiliary,
            predicate=turned(f"{verb}{text[found[at].end :]}"),
        )
    return _whole(text) if len(found) > 2 and any(map(is_finite, plain)) else None


def _whole(text: str) -> Proposition:
    return WholeStatement(text=turned(text.strip(_ENDS)))


def _clipped(text: str) -> Proposition | None:
    """A question without its verb: "Any fee for dogs?", "Possible to cancel?", "SSO included?"."""
    found, plain = tokens(text), plain_tokens(text)
    if len(found) < 2 or not AUXILIARIES.isdisjoint(plain):
        return None
    lowered = turned(text[:1].lower() + text[1:])
    if plain[0] in ("any", "a", "an", "no"):
        plural = len(plain) > 1 and plain[1].endswith("s")
        return Proposition(subject="there", auxiliary="are" if plural else "is", predicate=lowered)
    if plain[0] == "possible" or is_predicate_word(plain[0]):
        return Proposition(subject="it", auxiliary="is", predicate=lowered)
    at = next((n for n in range(1, len(plain)) if is_predicate_word(plain[n])), 0)
    if not at or (at + 1 < len(plain) and plain[at + 1] not in PREPOSITIONS):
        return None
    plural = plain[at - 1].endswith("s") and not plain[at - 1].endswith("ss")
    return Proposition(
        subject=turned(text[: found[at].start].strip()),
        auxiliary="are" if plural else "is",
        predicate=turned(text[found[at].start :]),
    )


def _in_relative(plain: tuple[str, ...], place: int) -> bool:
    """True for the verb of "who is ill" in "patients who is ill may …"."""
    return plain[place - 1] in ("who", "which", "that", "where", "when") and place > 1


def _auxiliary(word: str) -> str:
    word = _CONTRACTED.get(word, word.removesuffix("n't"))
    return word if word in AUXILIARIES else ""


def turned(text: str) -> str:
    """The same words from the answerer's side: "my" becomes "your"."""
    if not text or not any(word in _YOURS for word in plain_tokens(text)):
        return text
    made = " ".join(_turned_word(word) for word in text.split(" "))
    return made.replace("you was ", "you were ").replace("we am ", "we are ")


def _turned_word(word: str) -> str:
    core = word.strip("\"'“”(),.;:!?")
    other = _YOURS.get(_plain(core))
    return word.replace(core, other, 1) if other and core else word


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")
