"""What can be measured about a claim and its evidence, each figure under a readable name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log1p

from firmground.core.claim import CheckNote, ClaimKind
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import EvidenceIndex, Passage, stems_of, tokens
from firmground.verify.select import word_terms
from firmground.verify.wording import COUNTED

CODES: tuple[str, ...] = (
    "number_matches", "number_rounded", "number_differs", "number_absent", "number_elsewhere",
    "date_matches", "date_differs", "date_absent", "date_elsewhere", "hours_match", "hours_differ",
    "time_matches", "time_differs", "time_absent", "negation_added", "negation_dropped", "denies",
    "cause_unstated", "cause_not_stated", "certainty_raised", "name_found", "name_differs",
    "name_absent", "identifier_found", "identifier_differs", "identifier_absent", "roles_swapped",
    "opposite", "superlative_absent", "quantifier_raised", "quote_absent", "quote_exact",
    "field_empty", "field_empty_denied", "field_differs", "field_matches", "said_of_another",
    "stitched", "possibility_as_fact", "plan_as_fact", "allegation_as_fact", "rank_differs",
    "rank_raised", "weekday_differs", "open_days_differ", "sources_disagree", "sources_against",
    "frequency_differs", "kind_differs", "ordinal_differs", "change_reversed", "change_odd",
    "obligation_raised", "obligation_lowered", "code_found", "code_differs", "code_absent",
    "row_differs", "name_partly_found", "number_from_question", "date_from_question",
)  # fmt: skip
_CODE_SET = frozenset(CODES)
_MEASURES: tuple[str, ...] = (
    "words", "terms", "cover_best", "cover_second", "cover_top", "cover_chosen", "cover_all",
    "cover_asked", "plain_best", "plain_all", "unknown", "unknown_share", "unknown_weight",
    "unknown_run", "pairs_best", "pairs_chosen", "longest_run", "longest_run_share", "order_kept",
    "bound_pairs", "bound_names", "spread", "stop_pairs", "capitals", "digits", "commas", "quoted",
    "about_source", "denials", "denials_best", "position", "from_end", "claims", "answer_words",
    "list_item", "context", "evidence_units", "evidence_pieces", "records", "best_is_field",
    "best_is_note", "yes_no_terms", "objections", "contradictions", "asks", "question_words",
    "cover_before", "unknown_before", "edge_known", "rare_best",
)  # fmt: skip
_LONG_NOTE = 60
_MOST_POSTINGS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPosition:
    """Where a claim stands in its answer."""

    position: int = 0
    claims: int = 1
    answer_words: int = 0
    before: str = ""
    """The claim before it."""


def feature_names() -> tuple[str, ...]:
    """Name the figures, in the order in which ``features`` gives them."""
    return (*_MEASURES, *CODES, *(f"says_{group}" for group in COUNTED))


def features(case: CheckCase, notes: Sequence[CheckNote], place: ClaimPosition) -> list[float]:
    """Measure one claim."""
    measured = _measures(case, notes, place)
    counted = dict.fromkeys(CODES, 0.0)
    for note in notes:
        if note.code in _CODE_SET:
            counted[note.code] += 1.0
    text = case.claim.text
    wording = [float(len(pattern.findall(text))) for pattern in COUNTED.values()]
    return [*(measured[name] for name in _MEASURES), *counted.values(), *wording]


def word_keys(case: CheckCase) -> tuple[str, ...]:
    """Name each telling word once, with whether the evidence knows it: ``free|0``, ``paris|1``."""
    found: dict[str, None] = {}
    for word in case.words:
        terms = word_terms(word.text)
        if terms and not any(character.isdigit() for character in word.text):
            known = all(case.reading.knows(term) for term in terms)
            found[f"{word.text.lower()}|{int(known)}"] = None
    return tuple(found)


def _measures(
    case: CheckCase, notes: Sequence[CheckNote], place: ClaimPosition
) -> dict[str, float]:
    sequence = _sequence(case)
    return {
        **_coverage(case),
        **_unknown(case, sequence),
        **_runs(case),
        **_binding(case, sequence),
        **_surface(case, place),
        **_evidence(case),
        **_before(case, place),
        "objections": float(sum(note.standing is not None for note in notes)),
        "contradictions": float(sum(note.standing == "contradicted" for note in notes)),
    }


def _sequence(case: CheckCase) -> list[str]:
    """The claim's content words in order, one normal form each."""
    return [terms[-1] for word in case.words if (terms := word_terms(word.text))]


def _coverage(case: CheckCase) -> dict[str, float]:
    covers = [case.cover(passage) for passage in case.passages]
    ranked = sorted(covers, reverse=True)
    chosen = [passage.terms for passage in case.passages]
    best = case.passages[covers.index(ranked[0])].terms if ranked else frozenset()
    two = best | (chosen[1] if len(chosen) > 1 else frozenset())
    known = frozenset(term for term in case.terms if case.reading.knows(term))
    count = max(len(case.terms), 1)
    rare = max((case.reading.weight(t) for t in case.terms - best), default=0.0)
    return {
        "cover_best": ranked[0] if ranked else 0.0,
        "cover_second": ranked[1] if len(ranked) > 1 else 0.0,
        "cover_top": _share(case, two),
        "cover_chosen": _share(case, frozenset().union(*chosen)),
        "cover_all": _share(case, known),
        "cover_asked": _share(case, case.asked),
        "plain_best": len(case.terms & best) / count,
        "plain_all": len(known) / count,
        "rare_best": rare,
    }


def _share(case: CheckCase, held: frozenset[str]) -> float:
    weight = case.weights.__getitem__
    whole = fsum(map(weight, case.terms))
    return fsum(map(weight, case.terms & held)) / whole if whole else 0.0


def _unknown(case: CheckCase, sequence: list[str]) -> dict[str, float]:
    strange = [not (case.reading.knows(term) or term in case.asked) for term in sequence]
    longest = run = 0
    for flag in strange:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    count = sum(strange)
    edge = sum(not flag for flag in strange[-3:]) / max(len(strange[-3:]), 1)
    weight = sum(
        case.reading.weight(term) for term, flag in zip(sequence, strange, strict=True) if flag
    )
    return {
        "unknown": float(count),
        "unknown_share": count / max(len(sequence), 1),
        "unknown_weight": weight,
        "unknown_run": float(longest),
        "edge_known": edge,
    }


def _runs(case: CheckCase) -> dict[str, float]:
    mine = stems_of(case.claim.text)
    pairs = set(pairwise(mine))
    triples = set(zip(mine, mine[1:], mine[2:], strict=False))
    per_passage = []
    held: set[tuple[str, str]] = set()
    held_triples: set[tuple[str, str, str]] = set()
    longest = 0
    for passage in case.passages:
        theirs = stems_of(passage.text)
        found = pairs & set(pairwise(theirs))
        held |= found
        held_triples |= triples & set(zip(theirs, theirs[1:], theirs[2:], strict=False))
        per_passage.append(len(found))
        longest = max(longest, _longest_run(mine, theirs))
    count = max(len(pairs), 1)
    return {
        "pairs_best": max(per_passage, default=0) / count,
        "pairs_chosen": len(held) / count,
        "stop_pairs": len(held_triples) / max(len(triples), 1),
        "longest_run": float(longest),
        "longest_run_share": longest / max(len(mine), 1),
    }


def _longest_run(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """Length of the longest stretch of words both have in the same order without a gap."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(theirs):
        places.setdefault(word, []).append(at)
    longest = 0
    before: dict[int, int] = {}
    for word in mine:
        now = {at: before.get(at - 1, 0) + 1 for at in places.get(word, ())}
        longest = max(longest, max(now.values(), default=0))
        before = now
    return longest


def _binding(case: CheckCase, sequence: list[str]) -> dict[str, float]:
    """Do neighbouring words of the claim ever stand together in one passage?"""
    reading = case.reading
    pairs = [
        (a, b) for a, b in pairwise(sequence) if a != b and reading.knows(a) and reading.knows(b)
    ]
    bound = sum(_together(reading, a, b) for a, b in pairs)
    named = [w for w in case.words[1:] if w.text[0].isupper()]
    keys = [terms[-1] for w in named if (terms := word_terms(w.text)) and reading.knows(terms[-1])]
    name_pairs = [
        (k, t) for k in dict.fromkeys(keys) for t in sequence if t != k and reading.knows(t)
    ]
    name_bound = sum(_together(reading, a, b) for a, b in name_pairs)
    best = case.passages[0] if case.passages else None
    return {
        "bound_pairs": bound / len(pairs) if pairs else 1.0,
        "bound_names": name_bound / len(name_pairs) if name_pairs else 1.0,
        "order_kept": _order_kept(sequence, best) if best else 0.0,
        "spread": float(_spread(case)),
    }


def _together(reading: EvidenceIndex, one: str, other: str) -> bool:
    a, b = reading.places(one), reading.places(other)
    if min(len(a), len(b)) > _MOST_POSTINGS:
        return True
    return not a.isdisjoint(b)


def _order_kept(sequence: list[str], passage: Passage) -> float:
    places: dict[str, int] = {}
    for at, word in enumerate(tokens(passage.text)):
        for term in word_terms(word.text):
            places.setdefault(term, at)
    found = [places[term] for term in sequence if term in places]
    steps = list(pairwise(found))
    return sum(a <= b for a, b in steps) / len(steps) if steps else 1.0


def _spread(case: CheckCase) -> int:
    """How many passages it takes to cover what the chosen ones cover together."""
    left = case.terms & frozenset().union(*(p.terms for p in case.passages))
    used = 0
    for passage in case.passages:
        if left & passage.terms:
            left -= passage.terms
            used += 1
    return used


def _surface(case: CheckCase, place: ClaimPosition) -> dict[str, float]:
    text = case.claim.text
    return {
        "words": float(len(case.words)),
        "terms": float(len(case.terms)),
        "capitals": float(sum(w.text[0].isupper() for w in case.words[1:])),
        "digits": float(sum(any(c.isdigit() for c in w.text) for w in case.words)),
        "commas": float(text.count(",")),
        "quoted": float(any(mark in text for mark in '"“«')),
        "about_source": float(case.about_source),
        "denials": float(len(denials(text))),
        "position": place.position / max(place.claims - 1, 1),
        "from_end": float(min(place.claims - place.position, 6)),
        "claims": float(place.claims),
        "answer_words": log1p(place.answer_words),
        "list_item": float(case.claim.kind is ClaimKind.LIST_ITEM or text[:1] in "-*•"),
        "context": float(bool(case.claim.context)),
        "asks": float(text.rstrip().endswith("?")),
        "question_words": float(len(tokens(case.question))),
    }


def _evidence(case: CheckCase) -> dict[str, float]:
    best = case.passages[0] if case.passages else None
    field = best is not None and best.path is not None
    yes_no = frozenset().union(
        *(f.terms for f in case.passages if f.path is not None and len(f.value) < 6)
    )
    return {
        "denials_best": float(len(denials(best.text))) if best else 0.0,
        "evidence_units": log1p(len(case.reading.passages)),
        "evidence_pieces": float(len(case.reading.texts)),
        "records": float(bool(case.reading.fields)),
        "best_is_field": float(field),
        "best_is_note": float(bool(field and best and len(best.value) > _LONG_NOTE)),
        "yes_no_terms": float(len(case.terms & yes_no)),
    }


def _before(case: CheckCase, place: ClaimPosition) -> dict[str, float]:
    earlier = frozenset(t for w in tokens(place.before) for t in word_terms(w.text))
    strange = sum(not case.reading.knows(term) for term in earlier)
    return {
        "cover_before": _share(case, earlier),
        "unknown_before": strange / max(len(earlier), 1),
    }
