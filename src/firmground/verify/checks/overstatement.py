"""Overstatement: the facts are in the source, but not the certainty or the cause added to them."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.clauses import keys_of
from firmground.verify.reading import Passage, tokens
from firmground.verify.select import stem
from firmground.verify.values.meanings import same_words

_CAUSE = lazy_pattern(
    r"\b(?:caus(?:e[sd]?|ing)|led to|leads? to|leading to|result(?:ed|s|ing)? in|"
    r"(?:as a|the) result of|because(?: of)?|due to|trigger(?:s|ed|ing)?|responsible for|"
    r"br(?:ings?|ought) about|root cause|owing to|thanks to|stem(?:s|med) from|"
    r"attribut(?:ed|able) to|blamed (?:for|on)|provok(?:es|ed)|produc(?:es|ed)|induc(?:es|ed)|"
    r"prevent(?:s|ed)|verursacht\w*|führte zu|wegen|aufgrund|provoqu\w+|a causé|à cause de|"
    r"causó|causad[oa]|debido a|por culpa de)\b",
    re.IGNORECASE,
)
_BESIDE = lazy_pattern(
    r"\b(?:preced(?:e[sd]?|ing)|follow(?:s|ed|ing)?|after|before|subsequently|later|"
    r"associat(?:ed|ion)|correlat\w+|linked|coincid\w+|at the same time|around the time|"
    r"minutes? (?:before|after|later|earlier)|nach|vor|danach|après|avant|después|antes)\b",
    re.IGNORECASE,
)
_UNSURE = lazy_pattern(
    r"\b(?:may|might|could|possibly|perhaps|probably|likely|suspected|alleged(?:ly)?|reportedly|"
    r"appears? to|seems? to|potentially|"
    r"könnte\w*|vielleicht|möglicherweise|pourrait|peut-être|podría|quizás|tal vez)\b",
    re.IGNORECASE,
)
_SURE = lazy_pattern(
    r"\b(?:will|must|certainly|definitely|proves?|proven|always|guarantee[sd]?|undoubtedly|"
    r"confirmed|is sure to|wird|muss|prouve|demuestra|siempre)\b",
    re.IGNORECASE,
)

# A piece that names a cause without what it caused: "The reason was a shortage of flats."
_REASON = lazy_pattern(
    r"\b(?:reasons?|root cause|the cause|this (?:was|is) (?:due|because)|explain\w*|"
    r"which is why)\b",
    re.IGNORECASE,
)
_LOG_LINE = lazy_pattern(
    r"\W*(?:\d{4}-\d\d-\d\d[T ]\d|\d{1,2}:\d\d(?::\d\d)?(?:Z|[ \t])|"
    r"(?:metric|ALERT|INFO|WARN|ERROR)\b)"
)
_OPENS = lazy_pattern(r"\W*(?:because|due|owing|as)\b", re.IGNORECASE)
_SHORTEST_VERB = 3
_HELD = 0.34


def check_overstatement(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the claim is surer than its source, or makes a cause of a sequence."""
    if case.about_source:
        return ()
    return (*_causes(case), *_certainty(case))


def _causes(case: CheckCase) -> tuple[CheckNote, ...]:
    said = _CAUSE.search(case.claim.text)
    if said is None or _UNSURE.search(case.claim.text):
        return ()
    if _brought_together(case, said) is False:
        reason = f"says “{said.group()}”, and no source says that one caused the other"
        return (
            case.note(
                "overstatement", "cause_not_stated", Standing.UNGROUNDED, reason, said.span()
            ),
        )
    own = span_terms(case, *said.span())
    about = [p for p in case.passages if case.mirrors(p, own)]
    if not about or any(_CAUSE.search(passage.text) for passage in about):
        return ()
    beside = next((p for p in about if _BESIDE.search(p.text)), None)
    if beside is None:
        reason = f"says “{said.group()}”, and the source names no cause"
        return (case.note("overstatement", "cause_unstated", None, reason, said.span()),)
    return (_only_beside(case, said, beside),)


def _brought_together(case: CheckCase, said: re.Match[str]) -> bool | None:
    """True when a piece of evidence speaks of cause and effect, False when only of each apart.

    Three logs and an alert hold every word of an invented cause, and none of them the cause.
    None when one of the two is not found in the evidence at all.
    """
    one, other = _sides(case.claim.text, said)
    one, other = one - other, other - one
    if not one or not other:
        return None
    pieces: dict[str | int, frozenset[str]] = {}
    for passage in case.passages:
        # Each line of a log is a piece of its own: a neighbouring line is not a cause.
        name = passage.order if _LOG_LINE.match(passage.text) else passage.evidence_id
        pieces[name] = pieces.get(name, frozenset()) | keys_of(passage.text)
    found = [(_holds(keys, one), _holds(keys, other)) for keys in pieces.values()]
    if any(a and b for a, b in found) or any(_REASON.search(p.text) for p in case.passages):
        return True
    return False if any(a for a, _ in found) and any(b for _, b in found) else None


def _sides(text: str, said: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The telling words on the two sides of a causal expression."""
    comma = text.find(",", said.end())
    if _OPENS.match(text) and said.start() < 3 and comma >= 0:
        return keys_of(text[said.end() : comma]), keys_of(text[comma:])
    return keys_of(text[: said.start()]), keys_of(text[said.end() :])


def _holds(keys: frozenset[str], side: frozenset[str]) -> bool:
    """True when a passage has enough of one side's words, or others that mean the same."""
    held = sum(key in keys or bool(same_words(key) & keys) for key in side)
    return held >= max(1.0, _HELD * len(side))


def _only_beside(case: CheckCase, said: re.Match[str], beside: Passage) -> CheckNote:
    given = _BESIDE.search(beside.text)
    shown = given.group() if given else ""
    reason = f"says “{said.group()}”, source says only “{shown}”"
    return case.note(
        "overstatement",
        "cause_not_stated",
        Standing.UNGROUNDED,
        reason,
        said.span(),
        (beside.span(),),
    )


def _certainty(case: CheckCase) -> tuple[CheckNote, ...]:
    """Compare the mood of the same verb on both sides."""
    if _UNSURE.search(case.claim.text):
        return ()
    for passage in case.passages:
        if passage.path is not None or not case.mirrors(passage, _sure_terms(case)):
            continue
        unsure = _hedged_verb(case, passage)
        if unsure is None:
            continue
        sure = _SURE.search(case.claim.text)
        hedge, at = unsure
        reason = f"source says only “{passage.text[hedge[0] : hedge[1]]}”"
        veto = Standing.UNGROUNDED if sure else None
        place = sure.span() if sure else at
        evidence = (passage.span(*hedge),)
        return (case.note("overstatement", "certainty_raised", veto, reason, place, evidence),)
    return ()


def _sure_terms(case: CheckCase) -> frozenset[str]:
    sure = _SURE.search(case.claim.text)
    return span_terms(case, *sure.span()) if sure else frozenset()


def _hedged_verb(
    case: CheckCase, passage: Passage
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Find a hedge in the passage whose next word the claim says without it."""
    spoken = {stem(word.text.lower()): (word.start, word.end) for word in case.words}
    for hedge in _UNSURE.finditer(passage.text):
        after = [w for w in tokens(passage.text) if w.start >= hedge.end()][:1]
        for word in after:
            key = stem(word.text.lower())
            if len(key) >= _SHORTEST_VERB and key in spoken:
                return hedge.span(), spoken[key]
    return None
