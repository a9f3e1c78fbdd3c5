"""A check as a person reads it: the answer marked, the evidence beside each problem, the why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from firmground.cli._marks import (
    HARSHEST_FIRST,
    MARKS,
    NOTHING_TO_CHECK,
    VERDICTS,
    WAIVED,
    Mark,
)
from firmground.compat.audit import AuditVerdict, audit_verdict
from firmground.core.claim import Assessment, Problem, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import CitationStatus
from firmground.core.visible import surroundings, visible
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.serialize import checker_failed, hooks_lines, models_lines

_MOST_SHOWN = 20
_LONGEST_QUOTE = 320
_WIDEST = 100
_GLOSS = {
    "regenerate": ": reword it on the same evidence",
    "replan": ": look for other evidence",
    "abstain": ": give no answer",
}
"""What each step means, for a first-time reader."""
_CHECKER = ": a checker failed, so ask again when it works; other evidence would not help"
_GLUE = "\ufdd0"
"""A blank at which no line ends; ``visible`` lets none through from outside."""


def render(outcome: CheckOutcome, console: Console, *, everything: bool = False) -> None:
    """Print an outcome; ``everything`` lists also what stands, and leaves nothing out."""
    _Page(outcome, console, everything=everything).print()


class _Page:
    def __init__(self, outcome: CheckOutcome, console: Console, *, everything: bool) -> None:
        self.outcome = outcome
        self.console = console
        self.everything = everything
        self.ascii = console.options.ascii_only
        self.width = max(20, min(console.width, _WIDEST))

    def print(self) -> None:
        self._headline()
        self._answer()
        numbered = list(enumerate(self.outcome.assessments, 1))
        self._list("WHAT DOES NOT STAND", [p for p in numbered if not p[1].standing.stands])
        if self.everything:
            self._list("WHAT STANDS", [p for p in numbered if p[1].standing.stands])
        self._remarks()
        self._worked_out()
        self._offered()
        self._why()

    def _sign(self, mark: Mark) -> str:
        return mark.plain if self.ascii else mark.sign

    def _say(self, text: Text, indent: int = 0, hang: int = 0) -> None:
        """Print wrapped text; all lines but the first hang a little further in."""
        for number, line in enumerate(text.wrap(self.console, self.width - indent - hang)):
            line.rstrip()
            line.plain = line.plain.replace(_GLUE, " ")
            margin = indent + (hang if number else 0)
            self.console.print(Text(" " * margin) + line, soft_wrap=True)

    def _headline(self) -> None:
        mark = _mark(self.outcome)
        step = self.outcome.decision.step.label
        head = Text(f"{self._sign(mark)} {mark.word} - {step}", style=mark.style)
        self._say(head.append(_gloss(self.outcome)), hang=2)
        if self.outcome.released_with_waiver:
            rules = dict.fromkeys(o.rule for o in self.outcome.decision.waived)
            policy = self.outcome.decision.policy
            verdict = self.outcome.verdict.replace("_", " ")
            self._say(Text(f"{verdict}; policy {policy} waives {', '.join(rules)}"), 2, 2)
        counted = [
            f"{number} {MARKS[standing].word}"
            for standing, number in self.outcome.counts().items()
            if number
        ]
        self._say(Text(", ".join(counted) or "no claims found"), 2)
        self._say(
            Text(
                f"support {self.outcome.support:.2f} (1 is best), "
                f"risk {self.outcome.risk:.2f} (0 is best), "
                f"policy {self.outcome.decision.policy}"
            ),
            2,
        )

    def _head(self, title: str) -> None:
        self.console.print()
        self._say(Text(title, style="bold"))

    def _answer(self) -> None:
        self._head("ANSWER")
        text = Text()
        for piece, style in _marked(self.outcome, ascii_only=self.ascii):
            text.append(piece, style=style)
        text.rstrip()
        self._say(text, 2)
        standings = {a.standing for a in self.outcome.assessments}
        legend = [
            f"{self._sign(MARKS[s])} {MARKS[s].word}" for s in HARSHEST_FIRST if s in standings
        ]
        if _separate(self.outcome):
            legend.append(
                "[...] the piece that fails" if self.ascii else "⟦…⟧ the piece that fails"
            )
        if legend:
            self.console.print()
            self._say(Text("   ".join(legend), style="dim"), 2)

    def _list(self, title: str, numbered: list[tuple[int, Assessment]]) -> None:
        if not numbered:
            return
        self._head(title)
        shown = numbered if self.everything else numbered[:_MOST_SHOWN]
        for number, assessment in shown:
            self._claim(number, assessment)
        if len(shown) < len(numbered):
            self._say(Text(f"and {len(numbered) - len(shown)} more; --all shows them"), 2)

    def _claim(self, number: int, assessment: Assessment) -> None:
        mark = MARKS[assessment.standing]
        line = Text()
        line.append(f"{self._sign(mark)}{number} {mark.word}", style=mark.style)
        line.append(f" (confidence {assessment.confidence:.2f}): ")
        line.append(_flat(assessment.claim.text))
        self._say(line, 2, 3)
        if assessment.claim.statement != assessment.claim.text:
            self._say(Text(f"judged as: {_flat(assessment.claim.statement)}"), 5)
        if assessment.reason:
            self._say(Text(visible(assessment.reason), style="bold"), 5)
        for span in assessment.evidence[: None if self.everything else 3]:
            self._quote(span)

    def _quote(self, span: EvidenceSpan) -> None:
        position, piece = next(
            (n, p)
            for n, p in enumerate(self.outcome.request.evidence, 1)
            if p.id == span.evidence_id
        )
        self._say(Text(f"evidence {position}, {_place(piece, span)}:", style="dim"), 5)
        before, after = surroundings(piece.text, span.start, span.end)
        opened, closed = ("[", "]") if self.ascii else ("⟦", "⟧")
        if not before and not after:
            opened, closed = ('"', '"') if self.ascii else ("“", "”")
        text = Text(style="italic")
        text.append(_flat(before) + " " * before.endswith(" "))
        text.append(opened + _flat(piece.text[span.start : span.end], _LONGEST_QUOTE) + closed)
        text.append(" " * after.startswith(" ") + _flat(after))
        self._say(text, 7)

    def _remarks(self) -> None:
        findings = self.outcome.findings
        answer = self.outcome.request.answer
        remarks = [
            f"citation {_flat(answer[c.start : c.end], 80)}: {c.status}: {c.reason}"
            if c.end - c.start < len(answer)
            else c.reason
            for c in findings.citations
            if c.status is not CitationStatus.SUPPORTED
        ]
        remarks += [
            f"suspicious text in {_named(s.where)}: {s.reason}" for s in findings.suspicious
        ]
        remarks += [f"not read: evidence {_named(e)}" for e in findings.unread]
        remarks += [f"could not ask {f.source}: {f.kind} {f.message}" for f in findings.faults]
        remarks += hooks_lines(findings)
        remarks += models_lines(findings)
        further = self.outcome.asked_further()
        if further["asked"]:
            failed = f"; {further['failed']} could not be asked" if further["failed"] else ""
            remarks.append(
                f"{further['asked']} of {len(self.outcome.assessments)} claims went on to the next "
                f"judge, which turned {further['changed']}{failed}"
            )
        remarks = self._news(remarks)
        if remarks:
            self._head("REMARKS")
        shown = remarks if self.everything else remarks[:_MOST_SHOWN]
        for remark in shown:
            self._say(Text("- " + visible(remark)), 2, 2)
        if len(shown) < len(remarks):
            self._say(Text(f"and {len(remarks) - len(shown)} more; --all shows them"), 2)

    def _news(self, remarks: list[str]) -> list[str]:
        """Remarks whose sentence does not stand under WHY as well."""
        reasons = [
            o.reason for o in (*self.outcome.decision.objections, *self.outcome.decision.waived)
        ]
        findings = self.outcome.findings
        told = [
            m
            for m in (
                *(reply.message for reply in findings.hooks),
                *(fault.message for fault in findings.faults),
                *(remark for used in findings.models for remark in used.remarks),
            )
            if m and any(m in reason for reason in reasons)
        ]
        return [r for r in remarks if not any(r.endswith(m) for m in told)]

    def _worked_out(self) -> None:
        """Show how values of grounded claims follow from the evidence."""
        found = [
            (number, note.reason)
            for number, assessment in enumerate(self.outcome.findings.assessments, 1)
            if assessment.standing.stands
            for note in assessment.notes
            if note.code == "value_derived" and note.reason
        ]
        if found:
            self._head("WORKED OUT")
        for number, working in found if self.everything else found[:_MOST_SHOWN]:
            self._say(Text(f"{number} {visible(working)}"), 2, 2)

    def _offered(self) -> None:
        """Show the answer with the corrections that other models voted for."""
        if self.outcome.corrected is not None:
            self._head("OFFERED CORRECTION (voted for by other models, not checked again)")
            self._say(Text(visible(self.outcome.corrected)), 2)

    def _why(self) -> None:
        self._head("WHY")
        for objection in self.outcome.decision.objections:
            unsure = " (could not be checked)" if objection.could_not_check else ""
            text = f"{objection.rule}{unsure}: {objection.reason}, so {objection.step.label}"
            self._say(Text("- " + visible(text)), 2, 2)
        for objection in self.outcome.decision.waived:
            self._say(Text(f"- waived: {objection.rule}: {visible(objection.reason)}"), 2)
        if not self.outcome.decision.objections:
            bare = self.outcome.asserts_nothing
            empty = ": the answer asserts nothing that evidence could support" if bare else ""
            other = "no other rule" if self.outcome.decision.waived else "no rule"
            self._say(Text(f"- {other} of the policy objects{empty}"), 2, 2)
        if self.everything:
            self._say(Text(_audit_line(audit_verdict(self.outcome.request)), style="dim"), 2, 2)
        if self.outcome.failure_stage:
            self._say(Text(f"failed at: {self.outcome.failure_stage}", style="dim"), 2)
        self._say(Text(f"root {self.outcome.root[:32]}", style="dim"), 2)
        receipt = self.outcome.receipt
        if receipt is not None:
            kept = f"kept as {receipt.run_id}, entry {receipt.seq}, {receipt.kept}"
            self._say(Text(kept, style="dim"), 2)


def _mark(outcome: CheckOutcome) -> Mark:
    if outcome.stands and outcome.asserts_nothing:
        return NOTHING_TO_CHECK
    return WAIVED if outcome.released_with_waiver else VERDICTS[outcome.verdict]


def _gloss(outcome: CheckOutcome) -> str:
    """What the step asks for; where the evidence has the right value, that is what to use."""
    step = outcome.decision.step.label
    contradicted = {a.standing for a in outcome.problems} == {Standing.CONTRADICTED}
    if step == "regenerate" and contradicted:
        return ": correct it by the evidence, which says otherwise"
    if checker_failed(outcome.decision, outcome.assessments):
        return _CHECKER
    return _GLOSS.get(step, "")


def _audit_line(found: AuditVerdict) -> str:
    """The lexical verdict of the run-DAG parent; shown, and no part of the decision."""
    label = f", {found.label}" if found.label else ""
    broken = f", {', '.join(found.violations)}" if found.violations else ""
    return (
        f"lexical audit: {found.audit_mode} by {found.method}, "
        f"{found.n_verified} of {found.n_units} units{label}{broken}"
    )


def _named(where: str) -> str:
    return where if len(where) <= 24 else where[:12] + "…"


def _flat(text: str, width: int = 600) -> str:
    """One line, shortened in the middle when it is too long."""
    line = " ".join(visible(text).split())
    if len(line) <= width:
        return line
    return f"{line[: width // 2]} […] {line[-width // 2 :]}"


def _place(piece: Evidence, span: EvidenceSpan) -> str:
    named = piece.origin or piece.title or (piece.id if len(piece.id) <= 24 else "")
    parts = [_flat(named, 60)] if named and named != "argument" else []
    if piece.page is not None:
        parts.append(f"page {piece.page}")
    return ", ".join([*parts, f"characters {span.start}-{span.end}"])


def _marked(outcome: CheckOutcome, *, ascii_only: bool) -> Iterator[tuple[str, str]]:
    """The answer piece by piece, with a mark before each claim and around each failing piece."""
    answer = outcome.request.answer
    opened, closed = ("[", "]") if ascii_only else ("⟦", "⟧")
    before: dict[int, list[tuple[str, str]]] = {}
    after: dict[int, list[tuple[str, str]]] = {}
    for number, assessment in enumerate(outcome.assessments, 1):
        mark = MARKS[assessment.standing]
        sign = mark.plain if ascii_only else mark.sign
        before.setdefault(assessment.claim.start, []).append((f"{sign}{number}{_GLUE}", mark.style))
    for problem in _separate(outcome):
        style = MARKS[problem.standing].style
        before.setdefault(problem.start, []).append((opened, style))
        after.setdefault(problem.end, []).append((closed, style))
    cuts = {0, len(answer), *before, *after}
    for assessment in outcome.assessments:
        cuts |= {assessment.claim.start, assessment.claim.end}
    places = sorted(cuts)
    styles = _styles(outcome, places)
    for start, end in zip(places, [*places[1:], len(answer)], strict=True):
        yield from after.get(start, [])
        yield from before.get(start, [])
        yield visible(answer[start:end]), styles[start]


def _separate(outcome: CheckOutcome) -> list[Problem]:
    """The failing pieces in order, without those that overlap an earlier one."""
    found = sorted(
        (p for a in outcome.assessments for p in a.problems), key=lambda p: (p.start, -p.end)
    )
    kept: list[Problem] = []
    for problem in found:
        if not kept or problem.start >= kept[-1].end:
            kept.append(problem)
    return kept


def _styles(outcome: CheckOutcome, places: list[int]) -> dict[int, str]:
    """The style from each place on: that of the harshest claim which covers it."""
    opening: dict[int, list[Standing]] = {}
    closing: dict[int, list[Standing]] = {}
    for assessment in outcome.assessments:
        opening.setdefault(assessment.claim.start, []).append(assessment.standing)
        closing.setdefault(assessment.claim.end, []).append(assessment.standing)
    open_now: list[Standing] = []
    styles: dict[int, str] = {}
    for place in places:
        for standing in closing.get(place, []):
            open_now.remove(standing)
        open_now.extend(opening.get(place, []))
        harshest = min(open_now, key=HARSHEST_FIRST.index, default=None)
        styles[place] = MARKS[harshest].style if harshest else ""
    return styles
