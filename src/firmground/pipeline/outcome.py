"""The outcome of one check: the decision, the findings it rests on, and the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmground.core.claim import Assessment, Standing
from firmground.core.decision import Decision, Objection, Verdict
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Agreement, CitationFinding, Findings, with_corrections
from firmground.core.localize import failure_stage
from firmground.core.run import Run
from firmground.pipeline.claim_result import ClaimResult, claim_result
from firmground.pipeline.request import Request
from firmground.pipeline.serialize import hooks_list, models_dict

if TYPE_CHECKING:
    from firmground.ledger.receipt import Receipt

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CheckOutcome:
    """Everything about one check; true exactly when the answer stands."""

    request: Request
    findings: Findings
    decision: Decision
    run: Run
    receipt: Receipt | None = None
    """Where the run is in the ledger, when one is configured."""

    def __bool__(self) -> bool:
        return self.stands

    @property
    def answer(self) -> str | None:
        """The answer when it may be used, else None; ``stands`` says whether it is supported."""
        return self.request.answer if self.decision.released else None

    @property
    def stands(self) -> bool:
        """True when no rule objected, not even one that the policy waives."""
        return self.decision.verdict is Verdict.STANDS

    @property
    def verdict(self) -> Verdict:
        """Whether the answer stands, does not, or the check is inconclusive."""
        return self.decision.verdict

    @property
    def assessments(self) -> tuple[Assessment, ...]:
        """Where each claim stands, in the order of the answer."""
        return self.findings.assessments

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """Every claim with its span, standing, reason, evidence and confidence."""
        texts = {piece.id: piece.text for piece in self.request.evidence}
        return tuple(claim_result(one, texts) for one in self.findings.assessments)

    @property
    def problems(self) -> tuple[ClaimResult, ...]:
        """The claims that do not stand."""
        return tuple(claim for claim in self.claims if not claim.stands)

    @property
    def corrected(self) -> str | None:
        """The answer with the corrections that other models voted for; None when there are none.

        It is offered and not released: it was voted on, and not checked against the evidence.
        """
        seen = self.findings.agreement
        if not isinstance(seen, Agreement) or self.request.marks:
            return None
        made = with_corrections(self.request.answer, seen.corrections)
        return None if made == self.request.answer else made

    @property
    def run_id(self) -> str | None:
        """The id of the run in the ledger; None when it was not kept."""
        return None if self.receipt is None else self.receipt.run_id

    @property
    def released_with_waiver(self) -> bool:
        """True when the policy releases an answer to which a rule objected."""
        return self.decision.released and not self.stands

    @property
    def asserts_nothing(self) -> bool:
        """True when there are claims, and none of them is one that evidence could support."""
        standings = {a.standing for a in self.findings.assessments}
        return standings == {Standing.NOT_CHECKABLE}

    @property
    def support(self) -> float:
        """0 nothing stands, 1 everything stands."""
        return self.findings.support.score if self.findings.support else 0.0

    @property
    def risk(self) -> float:
        """Probability that at least one claim does not stand; 1 when nothing is known."""
        return self.findings.support.risk if self.findings.support else 1.0

    @property
    def failure_stage(self) -> str | None:
        """The first stage that failed; None when the answer stands."""
        return failure_stage(self.findings, self.decision, evidence=len(self.request.evidence))

    @property
    def root(self) -> str:
        """The root over the whole run: same inputs and settings, same root."""
        return self.run.content_root

    def __repr__(self) -> str:
        counted = ", ".join(f"{n} {standing}" for standing, n in self.counts().items() if n)
        verdict = self.verdict.replace("_", " ")
        said = (
            f"{verdict}, released by policy {self.decision.policy}"
            if self.released_with_waiver
            else verdict
        )
        said = "nothing to check" if self.stands and self.asserts_nothing else said
        lines = [
            f"<{type(self).__name__} {self.decision.step.label}: {said}; "
            f"support {self.support:.2f}, risk {self.risk:.2f}; {counted or 'no claims'}"
        ]
        lines += [f"  {c.standing}: {_short(c.text)} ({c.reason})" for c in self.problems]
        lines += [f"  {o.rule}: {o.reason}" for o in self.decision.objections]
        lines += [f"  waived: {o.rule}: {o.reason}" for o in self.decision.waived]
        return "\n".join(lines) + f"\n  run {self.root[:16]}>"

    def counts(self) -> dict[Standing, int]:
        """How many claims have each standing, in the order standings are defined."""
        standings = [a.standing for a in self.findings.assessments]
        return {standing: standings.count(standing) for standing in Standing}

    def asked_further(self) -> dict[str, int]:
        """How many claims a cascade passed on, how many verdicts that turned, how many failed."""
        codes = [n.code for a in self.assessments for n in a.notes if n.check == "cascade"]
        changed, failed = codes.count("next_judge_changed"), codes.count("next_judge_failed")
        asked = sum(any(n.check == "cascade" for n in a.notes) for a in self.assessments)
        return {"asked": asked, "changed": changed, "failed": failed}

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape: offsets into the answer and into each evidence text."""
        places = {piece.id: (n, piece) for n, piece in enumerate(self.request.evidence)}
        support = self.findings.support
        return {
            "id": self.request.id,
            "decision": self.decision.step.label,
            "verdict": str(self.verdict),
            "failure_stage": self.failure_stage,
            "support": _rounded(self.support),
            "risk": _rounded(self.risk),
            "corrected": self.corrected,
            "claims": [_claim(a, places) for a in self.findings.assessments],
            "objections": [_objection(o) for o in self.decision.objections],
            "waived": [_objection(o) for o in self.decision.waived],
            "run": self.root,
            "receipt": receipt_dict(self.receipt) if self.receipt else None,
            "policy": {"name": self.decision.policy, "digest": self.decision.policy_digest},
            "coverage": _rounded(support.coverage if support else 0.0),
            "asked_further": self.asked_further(),
            "citations": [_citation(c) for c in self.findings.citations],
            "suspicious": [
                {"where": s.where, "start": s.start, "end": s.end, "code": s.code,
                 "reason": s.reason}
                for s in self.findings.suspicious
            ],
            "unread": list(self.findings.unread),
            "faults": [
                {"source": f.source, "kind": str(f.kind), "message": f.message}
                for f in self.findings.faults
            ],
            "evidence": [_listed(piece, n) for n, piece in enumerate(self.request.evidence)],
            "hooks": hooks_list(self.findings),
            **models_dict(self.findings),
        }  # fmt: skip


def receipt_dict(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON."""
    return {
        "run_id": receipt.run_id,
        "seq": receipt.seq,
        "entry": receipt.entry_hash.hex(),
        "kept": str(receipt.kept),
    }


def _short(text: str, width: int = 60) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= width else line[: width - 1] + "…")


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


_Places = dict[str, tuple[int, Evidence]]


def _claim(assessment: Assessment, places: _Places) -> dict[str, Any]:
    claim = assessment.claim
    return {
        "start": claim.start,
        "end": claim.end,
        "text": claim.text,
        "statement": claim.statement,
        "standing": str(assessment.standing),
        "confidence": _rounded(assessment.confidence),
        "reason": assessment.reason,
        "problems": [
            {"start": p.start, "end": p.end, "standing": str(p.standing)}
            for p in assessment.problems
        ],
        "evidence": [_span(span, places) for span in assessment.evidence],
        "code": assessment.code,
        "support": _rounded(assessment.support),
        "evidence_type": str(assessment.evidence_type) if assessment.evidence_type else None,
        "kind": str(claim.kind),
        "not_checkable": str(claim.not_checkable) if claim.not_checkable else None,
        "critical": assessment.critical,
        "cited": list(claim.cited),
        "notes": [
            {"check": n.check, "code": n.code, "reason": n.reason, "start": n.start, "end": n.end,
             "standing": str(n.standing) if n.standing else None}
            for n in assessment.notes
        ],
    }  # fmt: skip


def _span(span: EvidenceSpan, places: _Places) -> dict[str, Any]:
    index, piece = places[span.evidence_id]
    there = piece.in_original(span.start, span.end)
    return {
        "id": span.evidence_id,
        "start": span.start,
        "end": span.end,
        "index": index,
        "page": piece.page,
        "origin": list(there) if there else None,
    }


def _objection(objection: Objection) -> dict[str, Any]:
    return {
        "rule": objection.rule,
        "step": objection.step.label,
        "reason": objection.reason,
        "claims": list(objection.claims),
        "could_not_check": objection.could_not_check,
    }


def _citation(found: CitationFinding) -> dict[str, Any]:
    return {
        "start": found.start,
        "end": found.end,
        "status": str(found.status),
        "reason": found.reason,
        "evidence_id": found.evidence_id,
    }


def _listed(piece: Evidence, index: int) -> dict[str, Any]:
    return {
        "id": piece.id,
        "index": index,
        "kind": str(piece.kind),
        "role": piece.role,
        "trust": piece.trust.label,
        "origin": piece.origin,
        "title": piece.title,
        "page": piece.page,
        "score": piece.score,
        "retrieved_at": piece.retrieved_at,
        "length": len(piece.text),
    }
