"""Classifies each quantity of a statement: stated, derived, in conflict or unknown."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.verify.derive.arithmetic import is_useful, try_pairs
from firmground.verify.derive.between import dated_clocks, moment_hits, try_between
from firmground.verify.derive.compare import satisfies
from firmground.verify.derive.conflict import Aligned, align
from firmground.verify.derive.counting import count_hits
from firmground.verify.derive.credit import best_hit, is_cued
from firmground.verify.derive.cues import cues
from firmground.verify.derive.facts import Fact, Facts, UnitLike, read_facts
from firmground.verify.derive.lists import try_lists
from firmground.verify.derive.model import Derivation, DerivationOutcome, Limit, Operand, Value
from firmground.verify.derive.ordering import compared_in_words
from firmground.verify.derive.read import values
from firmground.verify.derive.search import DerivationPath, OperandCandidate, Search
from firmground.verify.derive.subject import Subject, find_subject
from firmground.verify.derive.twostep import try_two_steps

_MOST_QUANTITIES = 24
_MOST_ITEMS = 28
_MOST_SAID = 6
_RISK_OVER_STATED = 0.05
# How much better another value must be aligned than the one said, and how well at all.
_RIVAL_MARGIN = 0.05
_ALIGNED = 0.4
# From this share of words on a statement counts as copied from its passage.
_CLOSE = 0.6
_HALF_CLOSE = 0.45
# Between copied and copied word by word, something was changed: a near tie is suspect there.
_COPY = 0.9
_ALTERED_MARGIN = 0.1
_DEFINITE = frozenset("the these those both his her their its our your all other".split())
_RELATED = 0.4
_PLAIN = frozenset({Limit.EXACT, Limit.ABOUT, Limit.NEARLY, Limit.JUST_OVER})
_ONE_SIDED = frozenset({Limit.OVER, Limit.UNDER, Limit.AT_LEAST, Limit.AT_MOST})


def derive(statement: str, passages: Sequence[UnitLike] | Facts) -> tuple[Derivation, ...]:
    """Return for each quantity of a statement how the evidence supports it.

    `statement` is one self-contained sentence; offsets of the derivations refer to it. `passages`
    are the evidence units it is compared with, or what `read_facts` made of them.
    """
    facts = passages if isinstance(passages, Facts) else read_facts(passages)
    said = values(statement)[:_MOST_QUANTITIES]
    if not said and " than " not in statement:
        return ()
    subject = find_subject(statement, facts)
    work = _Work(statement, said, facts, subject)
    found = [work.judge(value) for value in said]
    found = _with_premises(said, found, work)
    found.extend(compared_in_words(statement, facts, subject))
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _with_premises(
    said: Sequence[Value], found: Sequence[Derivation], work: _Work
) -> list[Derivation]:
    """Mark unknown values that another value of the statement was derived from.

    Of two that were derived from each other the first is the premise.
    """
    circular = {
        id(value)
        for at, value in enumerate(said)
        for later in said[at + 1 :]
        if id(later) in work.uses.get(id(value), ()) and id(value) in work.uses.get(id(later), ())
    }
    made = []
    for value, judged in zip(said, found, strict=True):
        one = judged
        if id(value) in circular or (
            one.outcome is DerivationOutcome.UNKNOWN and id(value) in work.premises
        ):
            one = Derivation(
                outcome=DerivationOutcome.UNKNOWN, start=one.start, end=one.end, code="premise",
                dimension=one.dimension, closeness=one.closeness,
            )  # fmt: skip
        made.append(one)
    return made


class _Work:
    """One statement against one body of evidence."""

    def __init__(
        self, statement: str, said: Sequence[Value], facts: Facts, subject: Subject
    ) -> None:
        self.statement, self.said, self.facts, self.subject = statement, said, facts, subject
        self.cues = cues(statement)
        self.premises: set[int] = set()
        self.uses: dict[int, set[int]] = {}
        """For each derived quantity, the other quantities of the statement it uses."""
        ranked = sorted(facts.facts, key=lambda fact: -subject.relation(fact))
        dated = dated_clocks(facts.facts)
        self.items = [item for fact in ranked for item in self._items(fact, dated)]

    def _items(self, fact: Fact, dated: dict[int, float]) -> list[OperandCandidate]:
        value, relation = fact.value, self.subject.relation(fact)
        noun = f"@{dated[id(fact)]}" if id(fact) in dated else value.noun
        amounts = [*value.amounts[:2], *(() if value.high is None else (value.high,))]
        return [
            OperandCandidate(amount=amount, dimension=fact.dimension, text=value.text, noun=noun,
                 per=value.per, step=value.step, factor=value.factor, fact=fact, relation=relation)
            for amount in amounts
        ]  # fmt: skip

    def judge(self, value: Value) -> Derivation:
        """Decide on one quantity."""
        others = [one for one in self.said if one is not value]
        aligned = align(value, self.subject, others)
        margin = aligned.rival_score - aligned.match_score
        if aligned.match is not None and margin <= _RIVAL_MARGIN:
            return self._found(value, aligned)
        compared = self._compared(value)
        if compared is not None and aligned.match is None:
            return compared
        hit, search = self._search(value)
        if hit is not None and self._credible(hit, search, aligned):
            return self._derived(value, hit, search)
        if aligned.rival is not None and self._close(aligned):
            code = "other_value" if aligned.match is None else "value_of_other_subject"
            return self._conflict(value, aligned, code)
        if aligned.match is not None:
            return self._found(value, aligned)
        return self._unknown(value, search, margin)

    def _unknown(self, value: Value, search: Search, margin: float) -> Derivation:
        """Nothing supports the value; return what kind of gap it is."""
        code = "minor" if self._is_minor(value) else "absent"
        working = ""
        if code == "absent" and search.hits:
            code, working = "chance", search.hits[0].working
        elif code == "absent" and self._is_instance(value):
            code = "instance"
        return Derivation(
            outcome=DerivationOutcome.UNKNOWN,
            start=value.start,
            end=value.end,
            code=code,
            working=working,
            dimension=value.dimension,
            tried=search.tried,
            margin=margin,
            coincidence_risk=round(search.risk(), 4) if search.hits else 0.0,
            closeness=self.subject.closeness,
        )

    def _is_instance(self, value: Value) -> bool:
        """True for an example that a rule with a bound applies to: "a seven-year-old"."""
        if self.subject.closeness >= _HALF_CLOSE or value.dimension in ("date", "count", "label"):
            return False
        bounded = (
            fact.value
            for fact in self.facts.facts
            if fact.value.limit is not Limit.EXACT or fact.value.high is not None
        )
        return any(one.dimension == value.dimension for one in bounded)

    def _close(self, aligned: Aligned) -> bool:
        """True when the statement copies a passage, so that another value there is a conflict."""
        if self.subject.closeness < _CLOSE:
            return False
        return aligned.match is not None or aligned.rival_score >= _ALIGNED

    def _of_other(self, fact: Fact, margin: float) -> bool:
        """True when the words around a value fit another value or another document better."""
        close = self.subject.closeness
        if close < _CLOSE:
            return close >= _HALF_CLOSE and margin > _RIVAL_MARGIN
        if self.subject.elsewhere(fact):
            return True
        return margin > (_RIVAL_MARGIN if close >= _COPY else -_ALTERED_MARGIN)

    def _credible(self, hit: DerivationPath, search: Search, aligned: Aligned) -> bool:
        """Where a copied sentence has another number, or the number stands elsewhere, be strict."""
        if aligned.match is not None or (
            self.subject.closeness >= _CLOSE and aligned.rival is not None
        ):
            return search.risk() <= _RISK_OVER_STATED and is_cued(hit, self.cues)
        return True

    def _is_minor(self, value: Value) -> bool:
        """True for "the two plans" and "the third year": counted by the writer, not stated."""
        if value.dimension == "ordinal":
            return True
        before = self.statement[: value.start].rsplit(maxsplit=1)[-1:]
        definite = bool(before) and before[0].lower() in _DEFINITE
        return value.dimension == "count" and value.step == 0.0 and value.amount <= 3 and definite

    def _found(self, value: Value, aligned: Aligned) -> Derivation:
        fact = aligned.match
        assert fact is not None
        same = fact.value.text == value.text
        margin = aligned.rival_score - aligned.match_score
        return Derivation(
            outcome=DerivationOutcome.STATED, start=value.start, end=value.end,
            working=fact.value.text if same else f"{fact.value.text} = {value.text}",
            operands=(self.facts.operand(fact),), code="stated" if same else "converted",
            dimension=value.dimension, margin=margin,
            other_subject=value.dimension != "label" and self._of_other(fact, margin),
            closeness=self.subject.closeness,
            relation=self.subject.relation(fact),
        )  # fmt: skip

    def _conflict(self, value: Value, aligned: Aligned, code: str) -> Derivation:
        fact = aligned.rival
        assert fact is not None
        return Derivation(
            outcome=DerivationOutcome.CONFLICTS, start=value.start, end=value.end,
            working=f"says {value.text}, source says {fact.value.text}",
            operands=(self.facts.operand(fact),), code=code, dimension=value.dimension,
            relation=self.subject.relation(fact), other_subject=code == "value_of_other_subject",
            closeness=self.subject.closeness, margin=aligned.rival_score - aligned.match_score,
        )  # fmt: skip

    def _search(self, value: Value) -> tuple[DerivationPath | None, Search]:
        search = Search(value)
        if value.dimension in ("label", "decade", "ordinal"):
            return None, search
        items = self._operands(value)
        if value.dimension in ("date", "clock"):
            hits, search.tried = moment_hits(value, items)
            search.hits.extend(hits)
            return best_hit(search, self.subject, self.cues), search
        search.hits.extend(count_hits(value, self.said, self.facts))
        try_between(search, items)
        try_pairs(search, items)
        try_lists(search, self.items[: 8 * _MOST_ITEMS])
        best = best_hit(search, self.subject, self.cues)
        if best is None and self.subject.closeness < _CLOSE:
            try_two_steps(search, items)
            best = best_hit(search, self.subject, self.cues)
        return best, search

    def _operands(self, value: Value) -> list[OperandCandidate]:
        own = [
            OperandCandidate(
                amount=one.amount,
                dimension=one.dimension,
                text=one.text,
                noun=one.noun,
                per=one.per,
                step=one.step,
                factor=one.factor,
                said=one,
                relation=1.0,
            )
            for one in self.said
            if one is not value
        ][:_MOST_SAID]
        useful = [item for item in self.items if is_useful(item, value)]
        return [*useful[:_MOST_ITEMS], *own]

    def _derived(self, value: Value, hit: DerivationPath, search: Search) -> Derivation:
        used = {id(item.said) for item in hit.items if item.said is not None}
        self.premises |= used
        self.uses[id(value)] = used
        evident = [item for item in hit.items if item.fact is not None]
        even = abs(hit.amount - value.amount) <= 1e-6 * max(1.0, abs(value.amount))
        away = all(self.subject.elsewhere(item.fact) for item in evident if item.fact is not None)
        return Derivation(
            outcome=DerivationOutcome.DERIVED, start=value.start, end=value.end,
            working=f"{hit.working} {'=' if even else '≈'} {value.text}",
            operands=tuple(self._operand(item) for item in hit.items),
            code=hit.operation, dimension=value.dimension, tried=search.tried,
            coincidence_risk=round(search.risk(), 4), cued=is_cued(hit, self.cues),
            other_subject=away and self.subject.closeness >= _HALF_CLOSE,
            closeness=self.subject.closeness,
            relation=max((item.relation for item in evident), default=0.0),
        )  # fmt: skip

    def _operand(self, item: OperandCandidate) -> Operand:
        if item.fact is not None:
            return self.facts.operand(item.fact)
        said = item.said
        start, end = (said.start, said.end) if said is not None else (0, 0)
        return Operand(passage=-1, start=start, end=end, text=item.text)

    def _compared(self, value: Value) -> Derivation | None:
        """A bound such as "more than 5" that the most related value of its kind obeys or breaks."""
        if value.limit not in _ONE_SIDED:
            return None
        alike = [
            i for i in self.items
            if i.dimension == value.dimension
            and (value.dimension != "count" or i.noun == value.noun)
        ]  # fmt: skip
        best = alike[0] if alike else None
        if best is None or best.fact is None or best.relation < _RELATED:
            return None
        if not satisfies(value, best.amount) or best.fact.value.limit not in _PLAIN:
            return None
        return Derivation(
            outcome=DerivationOutcome.DERIVED, start=value.start, end=value.end,
            working=f"{best.text}: {value.limit.value} {value.text}",
            operands=(self.facts.operand(best.fact),), code="comparison",
            dimension=value.dimension, coincidence_risk=0.5, cued=True, relation=best.relation,
            closeness=self.subject.closeness,
        )  # fmt: skip
