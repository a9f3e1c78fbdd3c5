"""The closed list of what asserts nothing: a piece is exempt only if one entry matches it whole.

Everything else is judged. Entries are patterns over the words of a piece in lower case, so that
marks and white space do not matter.
"""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

from firmground.claims import words as en
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.claim import NotCheckable
from firmground.core.lazy_pattern import lazy_pattern

_LONGEST = 300
_MOST_WORDS_TO_USER = 10
_MOST_WORDS_ASKED = 7
_MOST_LITTLE_WORDS = 8
_LITTLE = frozenset("yes no not yep nope yeah nah never always they he she them both neither either none percent 100 0 big hard boss buddy mate depends totally probably maybe positive negative".split())  # fmt: skip

_IT = r"(?:this|that|it|these|those)"
_DOCUMENTS = (
    rf"(?:(?:the|this|these|your|any|all|of|my|our|above|provided|given|following|available|supplied|"
    rf"structured|retrieved|attached|cited|context|only|json) ){{0,5}}{en.EVIDENCE_NOUNS}"
    r"(?: (?:provided|given|above|below|available|here|supplied|i have|i was given|you provided|"
    r"you gave me|at hand)){0,2}"
)
_IN_DOCUMENTS = (
    rf"(?: (?:in|from|within|based on|based solely on|with|using|given|on) {_DOCUMENTS})"
)
_INFORMATION = (
    r"(?:(?:any|the|enough|sufficient|more|relevant|specific|that|this|further|such|of the|"
    r"necessary|required) ){0,3}(?:information|data|details?|context|knowledge|evidence|answer)"
)
_ABOUT_IT = rf"(?: (?:on|about|regarding|for|to) (?:{_IT}|that question|this question|your question|this topic))"
_OBJECT = (
    rf"(?: (?:you |to |with |about ){{0,2}}(?:{_IT}|the answer|an answer|"
    rf"(?:your|the|this|that|the above|your last) (?:question|request|query)|for sure|with certainty|for certain|either|more|what (?:it|that|this) is|"
    rf"{_INFORMATION}{_ABOUT_IT}?)){{0,2}}"
)
_UNABLE = (
    r"(?:(?:i|we) )?(?:(?:am|was|are|were|i'm|we're) )?(?:unable to|not able to|cannot|can't|can not|"
    r"could not|couldn't|was not able to|wasn't able to)"
)
_SORRY = (
    r"(?:(?:i'm|i am|we're|we are|so|very|unfortunately|sorry|i apologize|i apologise|"
    r"my apologies|apologies|i'm afraid|i am afraid|afraid|but|so|and|that|however|regrettably|"
    r"as an ai(?: (?:language )?model| assistant)?|as a language model|answer) ){0,6}"
)
_ANSWER = (
    r"(?:answer|determine|find|say|tell|help|provide|confirm|assist|respond|give|verify|locate)"
)
_THING = (
    r"(?:(?:any|more|further|other|additional|some|anything|something|else|specific) ){0,4}"
    r"(?:questions?|help|information|details?|assistance|clarification|anything|else|more|concerns?|"
    r"feedback|support|doubts?|context|explanation|examples?)"
    rf"(?: (?:about|with|on|regarding) (?:{_IT}|anything|anything else|the above|this topic))?"
)
_NEED = rf"(?:(?:if|should|whenever) (?:you|there) (?:(?:have|need|are|want|would like|'d like|require|is|still have) )?(?:to know )?{_THING})"
_CALL = (
    r"(?:(?:please )?(?:just )?(?:let (?:me|us) know|tell (?:me|us)|"
    r"(?:feel free|do not hesitate|don't hesitate|you can always|you are welcome|you're welcome) to "
    r"(?:ask|reach out|contact (?:me|us)|get in touch|let (?:me|us) know|write)|ask(?: away)?|"
    r"reach out|get in touch|i'm here|i am here|i'm happy to help|i'd be happy to help|"
    r"i am happy to help|i would be happy to help)(?: (?:again|anytime|any time|at any time))?)"
)

_CLOSED: tuple[tuple[NotCheckable, str], ...] = (
    (NotCheckable.GREETING, r"(?:hi|hello|hey|greetings|welcome|dear|fine|oh|well|q|a|p s)(?: (?:there|everyone|all|again|back|customer|user|sir|madam|team|colleague|friend|both|reader|readers))*"),
    (NotCheckable.GREETING, r"good (?:morning|afternoon|evening|day|night)(?: (?:everyone|all|to you))?"),
    (NotCheckable.GREETING, r"(?:many |a big )?(?:thanks|thank you)(?: (?:so much|very much|a lot|again|in advance|kindly))*(?: for (?:asking|waiting|reading|watching|listening|reaching out|contacting (?:us|me|support)|(?:your|the|this) (?:great |good |interesting )?(?:question|patience|message|interest|time|feedback|understanding|attention|help|inquiry|enquiry|email|cooperation)))?"),
    (NotCheckable.GREETING, r"(?:bonjour|hola|hallo|guten (?:tag|morgen|abend)|ciao|salut|servus|moin|buenos dias|buenas|namaste|ola|merci|danke|gracias|grazie|obrigado|bitte|de nada|prego)"),
    (NotCheckable.GREETING, r"(?:you're|you are) (?:very |most )?welcome|i hope (?:you are|you're|all is|this (?:message|email) finds you) (?:doing )?well"),
    (NotCheckable.GREETING, r"(?:sure|certainly|of course|absolutely|okay|ok|alright|all right|great|gladly|definitely|perfect|understood|got it|no problem|no worries|my pleasure|with pleasure|happy to help|glad to help|i'm happy to help|i'd be happy to help|i am happy to help|i would be happy to help|i'm glad to help|glad i could help|here you go|there you go|i can help(?: you)?(?: with (?:this|that))?)(?: thing)?"),
    (NotCheckable.GREETING, r"(?:(?:that's|that is|this is|what) )?an? (?:great|good|excellent|interesting|very good|really good|fair) (?:question|point|one)|(?:great|good|excellent|interesting|fair|very good) (?:question|point)"),
    (NotCheckable.GREETING, rf"(?:i|we)? ?(?:really |sincerely )?hope (?:{_IT}|my answer|the answer|this answer|this information) (?:helps|answers your question|is helpful|was helpful|clarifies (?:things|it|that)|is useful|was useful|helped|makes sense|is clear|is what you (?:need|needed|were looking for))(?: (?:you|a bit|a little|out))?"),
    (NotCheckable.GREETING, r"(?:i wish you|have|enjoy) (?:an? (?:great|nice|good|lovely|wonderful|pleasant) (?:day|evening|weekend|one|time|week|rest of (?:your|the) day)|your (?:day|evening|weekend))(?: ahead)?"),
    (NotCheckable.GREETING, r"(?:(?:best|kind|kindest|warm) (?:regards|wishes)|regards|sincerely|yours|yours (?:truly|sincerely|faithfully)|cheers|bye|goodbye|take care|see you(?: soon)?|all the best|good luck|congratulations|well done|your assistant|the (?:support )?team)"),
    (NotCheckable.GREETING, r"(?:oh |ah )?(?:(?:i'm|i am|we're|we are) )?(?:so |very |really )?sorry(?: (?:about (?:that|this)|to hear (?:that|this|about that)|for (?:the|any|this) (?:inconvenience|confusion|trouble|delay|mistake|misunderstanding)))?|(?:i|we|my|our) (?:sincerely )?apolog(?:ize|ise|ies)(?: for (?:the|any|this|my) (?:inconvenience|confusion|trouble|delay|mistake|error|misunderstanding)| about that)?"),
    (NotCheckable.INSTRUCTION, rf"{_CALL}(?: (?:{_NEED}|if you do|if so|with {_THING}|for {_THING}|to help|to assist))?"),
    (NotCheckable.INSTRUCTION, rf"{_NEED} (?:then )?{_CALL}"),
    (NotCheckable.INSTRUCTION, r"(?:i|we) (?:can|could|would be happy to|am happy to|will gladly|'d be happy to) (?:also )?(?:explain|elaborate|help|assist|clarify|continue|tell you more|provide more details|go into more detail)(?: (?:further|more|with that|on this|on that|if you (?:like|want|wish|need)(?: me to)?))*"),
    (NotCheckable.INSTRUCTION, r"(?:(?:is|was) there )?anything else(?: (?:that )?(?:i|we) can (?:help|assist|do)(?: you)?(?: with| for you)?| you(?:'d like| would like| want| need)(?: to know)?)?(?: today)?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}{_UNABLE} {_ANSWER}{_OBJECT}{_IN_DOCUMENTS}?(?: at this time)?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}(?:i|we) (?:don't|do not|didn't) (?:know(?: {_IT}| the answer(?: to (?:that|this|your question))?)?|have (?:access to )?(?:{_INFORMATION}|an answer)(?: (?:needed|required|necessary|available))?(?: to (?:{_ANSWER}|say|tell){_OBJECT})?{_ABOUT_IT}?){_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}(?:i|we) (?:have|has|found|see|had) (?:no|not enough|insufficient) {_INFORMATION}{_ABOUT_IT}?{_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, r"(?:as an ai(?: (?:language )?model| assistant)?|as a language model|i'm an ai|i am an ai)(?: i (?:do not|don't|cannot|can't) have (?:any )?(?:personal )?(?:opinions?|feelings|experiences?|preferences|access to (?:this|that)))?"),
    (NotCheckable.LEAD_IN, r"(?:as an ai(?: (?:language )?model| assistant)? )?(?:i|we) can (?:only )?(?:confirm|tell you|say|share|state|offer) (?:the following|this|this much|that much)"),
    (NotCheckable.REFUSAL, r"i (?:do not|don't|cannot|can't) have (?:any )?(?:personal )?(?:opinions?|feelings|experiences?|preferences)"),
    (NotCheckable.REFUSAL, rf"{_SORRY}(?:it is|it's|it was) (?:not possible|impossible|unclear|not clear) (?:to (?:{_ANSWER}|say|tell|know){_OBJECT})?{_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}(?:{_IT}|(?:this|that|the|your) question|no answer) (?:cannot|can't|can not|could not|can) be (?:answered|determined|found|given){_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}(?:there is |there's |there was |there isn't )?(?:nothing|(?:no|not enough|insufficient|enough|any) {_INFORMATION}){_ABOUT_IT}?(?: (?:available|to (?:{_ANSWER}|say){_OBJECT}))?{_ABOUT_IT}?{_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}{_DOCUMENTS} (?:do not|don't|does not|doesn't|did not|didn't) (?:say|mention|contain|provide|include|specify|state|cover|address|answer|give|have)(?: (?:{_IT}|{_INFORMATION}|your question|the question|this question|an answer)){{0,2}}{_ABOUT_IT}?(?: to (?:{_ANSWER}){_OBJECT})?"),
    (NotCheckable.REFUSAL, rf"{_SORRY}{_IT} (?:is|was) not (?:mentioned|specified|stated|given|covered|provided|addressed|available|included|answered|in){_IN_DOCUMENTS}?"),
    (NotCheckable.REFUSAL, r"not enough information|insufficient information|no answer|not specified|not stated|no information"),
    (NotCheckable.LEAD_IN, rf"(?:as (?:stated|mentioned|described|noted|indicated|requested|asked|shown|explained|you asked|follows|you requested)|based (?:solely |only |purely )?(?:on|upon)|drawing (?:on|from)|relying on|according to|as per|from|per|given|in|using)(?: (?:in|by|on|solely|only))?(?: {_DOCUMENTS}(?: #?\d{{1,2}})?)?"),
)  # fmt: skip
_LISTED = tuple((reason, lazy_pattern(pattern)) for reason, pattern in _CLOSED)
_COUNTED = lazy_pattern(
    r"\b\d{1,4} (?:words?|steps?|points?|sentences?|bullets?|lines?|items?|paragraphs?)\b"
)
_AUXILIARY = (
    r"(?:would|do|did|does|can|could|shall|should|may|will|is|are|was|were|have|has|had|am)"
)
_TO_USER = lazy_pattern(
    rf"(?:(?:and|so|but|or|then|please|now) )?(?:(?:what|which|how|when|where|who|why)(?: \w+){{0,2}} )?{_AUXILIARY} (?:you|i|we|yours|that|this) .+"
)
_ASKED = lazy_pattern(rf"(?:(?:and|so|but|or|then|q|question) )?(?:what|{_AUXILIARY}) .+")


def exempt(text: str, *, question: bool | None = None) -> NotCheckable | None:
    """Say which entry of the closed list matches a piece whole; None when it must be judged.

    With ``question`` a piece counts, or does not count, as a question whatever mark ends it.
    """
    if not any(map(str.isalnum, text)):
        return NotCheckable.EMPTY
    if len(text) > _LONGEST:
        return None
    said = " ".join(plain_tokens(text))
    if not said.isascii():
        return None
    listed = next((reason for reason, pattern in _LISTED if pattern.fullmatch(said)), None)
    if listed is not None:
        return listed
    asks = asks_something(text) if question is None else question
    if asks and _pure_question(said, text):
        return NotCheckable.QUESTION
    return NotCheckable.LEAD_IN if introduces(said) else _announced(text, question=question)


def _announced(text: str, *, question: bool | None) -> NotCheckable | None:
    """Say which entry matches what stands behind a label that announces it: "Note: Hello!"."""
    label, colon, rest = text.partition(":")
    if not colon or not introduces(" ".join(plain_tokens(label))):
        return None
    return exempt(rest, question=question) if any(map(str.isalnum, rest)) else None


def asks_something(text: str) -> bool:
    """True for a piece that ends with a question mark."""
    return text.rstrip(" \t\n\"'”’»)]*_").endswith(("?", "？", "؟"))


def introduces(said: str) -> bool:
    """True for the words of a lead-in or a label that announces and says nothing itself."""
    found = _COUNTED.sub("words", said).split()
    return 0 < len(found) <= 25 and en.ANNOUNCING.issuperset(found) and not _only_small(found)


def _only_small(found: list[str]) -> bool:
    """Pronouns and auxiliaries alone ("It is.") answer something; they announce nothing."""
    return en.ANNOUNCING_NOUNS.isdisjoint(found)


def _pure_question(said: str, text: str) -> bool:
    """A short question to the user, or a bare one, without anything it takes for granted."""
    found = said.split()
    if any(word[0].isdigit() or word in en.NUMBER_WORDS for word in found) or _names(text):
        return False
    if not en.PRESUPPOSING.isdisjoint(found[1:]):
        return False
    told = next((n for n, word in enumerate(found) if word in en.FACTIVE), len(found))
    if not en.TALK.issuperset(found[told + 1 :]):
        return False
    if _TO_USER.fullmatch(said):
        return len(found) <= _MOST_WORDS_TO_USER
    negative = "n't" in found[0] or "not" in found
    return bool(_ASKED.fullmatch(said)) and len(found) <= _MOST_WORDS_ASKED and not negative


def _names(text: str) -> bool:
    """True when a capital stands anywhere but at the head or in the word I."""
    return any(
        one.text[0].isupper() and one.text[:2] not in ("I", "I'", "I’") for one in tokens(text)[1:]
    )


def says_little(text: str) -> bool:
    """True for a few words that answer something and name nothing themselves."""
    found = plain_tokens(text)
    return 0 < len(found) <= _MOST_LITTLE_WORDS and (
        en.TALK | en.PLAIN_EVIDENCE | _LITTLE
    ).issuperset(found)


def asserts_alone(text: str) -> bool:
    """False for a heading, label or head row with neither a verb nor a number."""
    found = plain_tokens(text)
    return len(found) > 12 or any(
        word[0].isdigit() or word in en.NUMBER_WORDS or is_finite(word) for word in found
    )
