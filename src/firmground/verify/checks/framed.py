"""Framed evidence: what is denied, alleged, supposed, former or planned is not stated as a fact."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.clauses import content_words, keys_of
from firmground.verify.framing import Framing, exception_to, framings, passage_framings
from firmground.verify.framing_cues import FrameKind
from firmground.verify.polarity import clauses, denials
from firmground.verify.reading import Passage
from firmground.verify.values.meanings import same_words

FRAMING_FEATURES: Final = (
    "fr_dropped", "fr_kept", "fr_asserted", "fr_cover", *(f"fr_{kind}" for kind in FrameKind),
)  # fmt: skip
"""Names of the figures that ``framing_features`` gives, in order."""

# Words of a statement that a source need not have.
_LIGHT = frozenset(
    "yes no correct indeed right sure ok okay happen occur proceed tak plac work function get got "
    "every many several run now currently today still also already exist curr mak us tru fact a".split()
)
_FEWEST = 2
_MISSING = 0.2
_UNTOLD = 0.15
_SUBJECT = 0.34
_CONTENT = 0.5
_DENSE = 0.5
# Words by which a statement keeps a frame, kind by kind.
_HEDGED = (
    r"may|might|could|would|possibl[ey]|perhaps|potential(?:ly)?|probably|likely|"
    r"plan\w*|expect\w*|intend\w*|intention|hop(?:es?|ed|ing)|aim\w*|propos\w+|schedul\w+|due|set|"
    r"poised|threat\w*|vow\w*|pledg\w*|wants?|going|upcoming|future|seek\w*|tr(?:y|ies|ied|ying)|"
    r"attempt\w*|if|whether|accus\w+|suspect\w*|charg\w+|alleg\w+|report\w*|claim\w*|believ\w+|"
    r"rumou?r\w*|said|says?|saying|according|told|suggest\w*|appear\w*|seem\w*|consider\w*|"
    r"prosecut\w+|investigat\w+|apparent\w*|suppos\w+|thought|stat(?:es|ed|ing|ements?)|"
    r"question\w*|think\w*|draft|recommend\w*|argu\w+|wrote|writes?|legend|hypothe\w+|"
    r"soll(?:te|en)?|können|könnte\w*|pourrait|podría"
)
_CONDITION = (
    r"unless|when|whenever|once|provided|in case|where|should|only|with|without|until|after|"
    r"depend\w*|subject to|event|for|under|can|able|possible|upon"
)
_PAST = (
    r"was|were|had|did|used to|until|till|former\w*|previous\w*|before|earlier|once|past|no longer|"
    r"deprecat\w+|supersed\w+|obsolete|repeal\w+|abolish\w+|discontinu\w+|rescind\w+|revok\w+|"
    r"withdr\w+|phas\w+ out|retir\w+|decommission\w+|switched off|shut down|remov\w+|scrap\w+|outdated|"
    r"expir\w+|archiv\w+|replac\w+|cancel\w*|laps\w+|original\w*|old|ended|gone|attributed|"
    r"struck|change[ds]?|moved|ago|historic\w*|initially"
)
_KEEPS: dict[FrameKind, re.Pattern[str]] = {
    kind: lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE)
    for kind, words in {
        FrameKind.REPORTED: _HEDGED,
        FrameKind.HYPOTHETICAL: f"{_HEDGED}|{_CONDITION}",
        FrameKind.FORMER: _PAST,
        FrameKind.PROPOSED: f"{_HEDGED}|will|shall|wird|werden|should|ought|advis\\w+|roadmap|not yet|decid\\w+|agree\\w*|confirm\\w*|to be",
        FrameKind.RETRACTED: rf"retract\w*|withdr\w+|correct\w*|earlier|previous\w*|wrong\w*|mistak\w+|apolog\w+|error|said|stated|reported|claim\w*|{_PAST}",
        FrameKind.QUOTED: _HEDGED
        + r"|quot\w+|line|slogan|reads?|film|novel|character|example|called|[\"“]",
        FrameKind.QUESTIONED: r"whether|if|unclear|unknown|uncertain|question\w*|ask\w*|divided|disput\w*|debat\w+|wonder\w*|doubt\w*|not|no|never|may|might|could|perhaps|possibly|investigat\w+|decide[sd]?",
    }.items()
}
_WHERE = lazy_pattern(
    r"\b(?:on|in|at|during|within|until|inside|outside|near|under|between)\s+"
    r"(?:the\s+|an?\s+|any\s+|its\s+|their\s+)?[^\W_]+(?:\s+(?!and\b|or\b)[^\W_]+)?",
    re.IGNORECASE,
)
_PRONOUN = lazy_pattern(r"\W*(?:it|they|he|she|this|these|we|you)\b", re.IGNORECASE)
_ACCUSED = lazy_pattern(r"\b(?:accused|suspected|charged|indicted|arrested)\b", re.IGNORECASE)
_PROVEN = lazy_pattern(r"\b(?:convicted|(?:found )?guilty|sentenced)\b", re.IGNORECASE)
# Words that deny without a negation.
_IMPLIED = lazy_pattern(
    r"\b(?:yet to|preclud\w+|prevent\w*|prohibit\w*|forbid\w*|forbade|ban(?:s|ned)?|den(?:y|ies|ied|ying)|"
    r"avoid\w*|stop(?:s|ped)?|few|little|empty|absent|missing|declin\w+|reject\w*|unlike\w*|un\w+|"
    r"refus\w+|fail\w*|low|rarely|hardly|barely|scarcely|free of|free from|exempt\w*|instead|rather than|too \w+ to|"
    r"myth|false\w*|untrue|incorrect\w*|wrong\w*|misconception|refut\w+|dismiss\w*|disput\w+|"
    r"contrary|exclud\w+|lacks?|lacking|optional|spared|ended|remov\w+|only|impossible|in\w+ible|dis\w+ed)\b",
    re.IGNORECASE,
)
_PAST_VERB = lazy_pattern(
    r"(?<!\bis)(?<!\bare)(?<!\bbe)(?<!\bbeen)(?<!\bhas)(?<!\bhave)\s(?!based|need|called|red\b|bed\b|limited|required|named)[a-z]+ed\b"
)
_ALLOWED = lazy_pattern(r"\bcan\b|\b(?:allowed|permitted|free|able) to\b", re.IGNORECASE)
_AUXILIARY = lazy_pattern(r"\b(?:is|are|has|have|must|can|will)\b", re.IGNORECASE)
_WORDS_OF_KINDS = {
    FrameKind.DENIED: "denies it",
    FrameKind.REPORTED: "only reports it",
    FrameKind.HYPOTHETICAL: "only supposes it",
    FrameKind.FORMER: "says that it held once",
    FrameKind.PROPOSED: "only tells a plan",
    FrameKind.RETRACTED: "took it back",
    FrameKind.QUOTED: "only quotes it",
    FrameKind.QUESTIONED: "only asks it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A passage whose framed content a statement repeats without the frame."""

    passage: Passage
    framing: Framing
    cover: float
    """Share of the statement's words that the framed content holds."""


def check_framed(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when a claim repeats framed content as a fact and no passage states it."""
    if case.about_source:
        return ()
    if (proven := _proven(case)) is not None:
        return (proven,)
    found = sorted(dropped_frames(case), key=lambda one: (-one.framing.strong, -one.cover))
    if not found:
        return ()
    one = found[0]
    text, (low, high) = one.passage.text, one.framing.cue
    shown = " ".join(text[low : min(high, low + 60)].split())
    reason = f"told as a fact, and the source {_WORDS_OF_KINDS[one.framing.kind]} (“{shown}”)"
    standing = one.framing.standing if one.framing.strong else None
    return (
        case.note(
            "framing",
            one.framing.code,
            standing,
            reason,
            _place(case, one),
            (one.passage.span(low, high),),
        ),
    )


def _proven(case: CheckCase) -> CheckNote | None:
    """Object to a conviction where every source reports only an accusation."""
    said = _PROVEN.search(case.claim.text)
    if said is None or _KEEPS[FrameKind.REPORTED].search(case.claim.text):
        return None
    if denials(case.claim.text) or any(_PROVEN.search(p.text) for p in case.passages):
        return None
    own = span_terms(case, *said.span())
    for passage in case.passages:
        given = _ACCUSED.search(passage.text)
        if given is not None and case.mirrors(passage, own):
            reason = f"says “{said.group()}”, source says only “{given.group()}”"
            span = (passage.span(*given.span()),)
            code = "allegation_as_fact"
            return case.note("framing", code, Standing.UNGROUNDED, reason, said.span(), span)
    return None


def _place(case: CheckCase, one: Dropped) -> tuple[int, int]:
    """The word of the claim that the cue rules, or all of it."""
    ruled = _pivot(one.passage.text, one.framing) if one.framing.pivot else frozenset()
    found = next((word for word in content_words(case.claim.text) if word.key in ruled), None)
    return (found.start, found.end) if found else (0, len(case.claim.text))


def dropped_frames(case: CheckCase) -> Iterator[Dropped]:
    """Name the framings among the chosen passages that the claim drops, unless a passage states it."""
    said = said_keys(case.claim.text)
    if len(said) < _FEWEST:
        return
    framed = [(p, passage_framings(p, case.reading)) for p in case.passages]
    for strong in (True, False):
        told = [(clause_text(p, found, weak=not strong), p.about) for p, found in framed]
        if any(_tells(said, text, about, _UNTOLD) for text, about in told):
            continue
        for passage, found in framed:
            for one in found:
                cover = drops(case.claim.text, passage, one) if one.strong is strong else 0.0
                taken = said & keys_of(passage.text[slice(*one.content)])
                if cover and not any(taken <= keys_of(text) for text, _ in told):
                    yield Dropped(passage=passage, framing=one, cover=cover)


def drops(statement: str, passage: Passage, framing: Framing) -> float:
    """How much of a statement framed content holds, 0 when the statement does not drop the frame.

    :param statement: the claim's text
    :param passage: the passage that has the framing
    :param framing: one framing of the passage
    """
    said = _as_said(said_keys(statement), passage.text)
    inside = passage.text[framing.content[0] : framing.content[1]]
    shared = said & keys_of(inside)
    if _taken_whole(statement, passage.text, framing):
        return 0.0 if _spared(statement, passage.text, framing) else 1.0
    if len(said) < _FEWEST or not shared or not _dense(said, inside):
        return 0.0
    # The subject may stand before the cue; all the rest of the statement is framed.
    low, high = framing.content
    around = passage.text[:low] + (passage.text[high:] if framing.partial else "")
    held = shared | (said & keys_of(around))
    # What only struck text has is enough, and so is a number that only framed content has.
    only = shared - keys_of(around)
    struck = bool(only) and framing.cue == framing.content
    valued = struck or (framing.partial and any(map(str.isdigit, "".join(only))))
    most = valued or len(shared) >= _CONTENT * len(said)
    if not most or len(held) < (1 - _MISSING) * len(said):
        return 0.0
    if not _tells(said, passage.text, passage.about):
        return 0.0
    return 0.0 if _spared(statement, passage.text, framing) else len(shared) / len(said)


def _spared(statement: str, text: str, framing: Framing) -> bool:
    """True when a statement that mirrors framed content keeps its frame or takes up the rest."""
    said = _as_said(said_keys(statement), text)
    inside = text[framing.content[0] : framing.content[1]]
    if framing.pivot and not _pivot(text, framing) & said:
        return True
    if framing.code == "negation_dropped" and _elsewhere(text, framing, said):
        return True
    if said & (keys_of(exception_to(text, framing)) - keys_of(inside)):
        return True
    return _keeps(statement, framing, text)


def _taken_whole(statement: str, text: str, framing: Framing) -> bool:
    """True when one clause of a statement has all words of a sentence that denies, and adds some."""
    if framing.code != "negation_dropped" or len(clauses(text)) > 1:
        return False
    (low, high), cue = framing.content, framing.cue
    words = keys_of(text[low : cue[0]]) | keys_of(text[cue[1] : high])
    before, after = keys_of(text[low : cue[0]]), keys_of(text[cue[1] : high])
    taken = any(words <= keys_of(statement[a:b]) for a, b in clauses(statement))
    return bool(before and after) and taken


def said_keys(statement: str) -> frozenset[str]:
    """What the telling words of a statement are compared by, without those that say little."""
    return keys_of(statement) - _LIGHT


def _as_said(said: frozenset[str], text: str) -> frozenset[str]:
    """The words of a statement, each in the source's own word where that means the same."""
    held = keys_of(text)
    return frozenset(
        next((other for other in same_words(key) if other in held), key) if key not in held else key
        for key in said
    )


def clause_text(passage: Passage, found: tuple[Framing, ...], *, weak: bool = False) -> str:
    """The text of a passage without what it frames strongly, or with ``weak`` at all."""
    text, left, at = passage.text, [], 0
    for low, high in sorted(one.content for one in found if one.strong or weak):
        if high > at:
            left.append(text[at : max(at, low)])
            at = high
    return " ".join((*left, text[at:]))


def framing_features(case: CheckCase) -> list[float]:
    """Give the figures named in ``FRAMING_FEATURES`` for one claim."""
    said = said_keys(case.claim.text)
    framed = [(p, passage_framings(p, case.reading)) for p in case.passages]
    told = any(_tells(said, clause_text(p, found), p.about, _UNTOLD) for p, found in framed)
    seen = dict.fromkeys(FrameKind, 0.0)
    cover = dropped = kept = 0.0
    for passage, found in framed:
        for one in found:
            held = drops(case.claim.text, passage, one)
            seen[one.kind] = max(seen[one.kind], held)
            cover = max(cover, held)
            dropped = max(dropped, float(bool(held) and one.strong and not told))
            inside = keys_of(passage.text[slice(*one.content)])
            mirrored = bool(said) and len(said & inside) >= (1 - _MISSING) * len(said)
            kept = max(kept, float(mirrored and not held))
    return [dropped, kept, float(told), cover, *seen.values()]


def _tells(said: frozenset[str], text: str, about: str, most: float = _MISSING) -> bool:
    """True when a text has nearly all words of a statement, its numbers among them."""
    held = keys_of(text)
    missing = {key for key in said - held if not same_words(key) & held}
    most = max(most, _SUBJECT) if _PRONOUN.match(text) else most
    if missing and about and "~~" not in about and not any(f.strong for f in framings(about)):
        missing -= keys_of(about)
    return len(missing) <= most * len(said) and not any(
        character.isdigit() for key in missing for character in key
    )


def _dense(said: frozenset[str], inside: str) -> bool:
    """True when a statement takes up most words between the first and the last that it takes up."""
    keys = [word.key for word in content_words(inside)]
    hits = [at for at, key in enumerate(keys) if key in said]
    return bool(hits) and len(hits) >= _DENSE * (hits[-1] - hits[0] + 1)


def _elsewhere(text: str, framing: Framing, said: frozenset[str]) -> bool:
    """True for "no points are recorded on the paper": the statement does not name that place."""
    places = (keys_of(m.group()) for m in _WHERE.finditer(text, framing.cue[1], framing.content[1]))
    return any(keys and not keys & said for keys in places)


def _pivot(text: str, framing: Framing) -> frozenset[str]:
    """The first telling words behind a cue, in the clause that it frames."""
    after = [
        word.key
        for word in content_words(text)
        if framing.cue[1] <= word.start < framing.content[1]
    ]
    return frozenset(after[:1])


def _keeps(statement: str, framing: Framing, source: str) -> bool:
    """True when a statement says itself how its content is framed."""
    if framing.kind is FrameKind.DENIED:
        return _keeps_denial(statement, framing, source)
    low, high = framing.content
    denied_anew = denials(statement) and not any(low <= at < high for at, _ in denials(source))
    if denied_anew or _says_frame(statement, framing, source):
        return True
    if any(one.kind is framing.kind and one.strong for one in framings(statement)):
        return True
    if framing.kind is FrameKind.FORMER:
        return _AUXILIARY.search(statement) is None and _PAST_VERB.search(statement) is not None
    if framing.code == "condition_dropped" and _takes_condition(statement, framing, source):
        return True
    possible = framing.code == "possibility_as_fact"
    return possible and bool(denials(statement) or _ALLOWED.search(statement))


def _takes_condition(statement: str, framing: Framing, source: str) -> bool:
    """True when a statement has most words of the condition and of what hangs on it."""
    start, (low, high) = framing.cue[1], framing.content
    comma = source.find(",", start)
    fronted = start < high and comma >= 0
    condition = source[start:comma] if fronted else source[start:]
    result = source[comma:high] if fronted else source[low : min(high, framing.cue[0])]
    said = said_keys(statement)
    parts = (keys_of(condition) - _LIGHT, keys_of(result) - _LIGHT)
    return all(len(part & said) * 2 > len(part) for part in parts)


def _says_frame(statement: str, framing: Framing, source: str) -> bool:
    """True when a statement has a word of this frame more often than the content itself."""
    (low, high), cue = framing.content, framing.cue
    inside = (source[low : max(low, cue[0])] + source[max(low, cue[1]) : high]).lower()
    words = Counter(found.group().lower() for found in _KEEPS[framing.kind].finditer(statement))
    return any(
        (framing.kind is FrameKind.FORMER and word in ("was", "were", "had", "did"))
        or count > len(re.findall(rf"\b{re.escape(word)}\b", inside))
        for word, count in words.items()
    )


def _keeps_denial(statement: str, framing: Framing, source: str) -> bool:
    """True unless statement and content deny equally often, so that only the frame is gone."""
    low, high = framing.content
    inside = sum(low <= at < high and at != framing.cue[0] for at, _ in denials(source))
    own = len(denials(statement))
    if own if framing.code == "negation_dropped" else (own - inside) % 2:
        return True
    implied = {m.group().lower() for m in _IMPLIED.finditer(statement)}
    return any(word not in source[low:high].lower() for word in implied) or any(
        one.kind is FrameKind.DENIED and one.code != "negation_dropped"
        for one in framings(statement)
    )
