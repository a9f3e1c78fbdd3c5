"""The outcome of one question: an answer that may be used, or none and the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firmground.core.canon import unpack_text
from firmground.core.decision import Decision, Verdict
from firmground.core.escalation import SETTLING, Choice, Escalated, Escalation
from firmground.core.finding import Findings, Preflight
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.ledger.receipt import Receipt
from firmground.pipeline.claim_result import ClaimResult
from firmground.pipeline.loop import Attempt, Trajectory
from firmground.pipeline.outcome import CheckOutcome, receipt_dict
from firmground.pipeline.request import Mode, Request


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AskResult:
    """Everything about one question that was asked; true exactly when its answer stands.

    >>> import firmground
    >>> from firmground.testing import FunctionModel
    >>> model = FunctionModel(function=lambda request: "It opened in 1932.")
    >>> with firmground.Engine(judge="lexical", model=model) as engine:
    ...     asked = engine.ask("When did it open?", "It opened in 1932.", preflight=False)
    >>> bool(asked), asked.answer
    (True, 'It opened in 1932.')
    """

    question: Question
    preflight: Preflight | None
    trajectory: Trajectory | None
    """None when the question was rejected before anything was spent on it."""
    findings: Findings
    decision: Decision
    run: Run
    receipt: Receipt | None = None
    escalated: tuple[Escalated, ...] = ()
    """What was put to a person, in order, and what they ruled."""
    failure_stage: str | None = None
    """The first stage that failed; None when the answer stands."""
    mode: Mode = Mode.PROSE
    """In which form the answer was asked for."""
    lookup_path: str = "computed"
    """Where the answer came from: ``computed``, ``cache``, ``preflight`` or ``none``."""
    cache_key: str | None = None
    """The key under which the answer is cached, in hexadecimal; None without a cache."""
    drift: str = ""
    """Set when live scores have left what the threshold was calibrated on."""

    def __bool__(self) -> bool:
        return self.stands

    @property
    def run_id(self) -> str | None:
        """The id of the run in the ledger; None when it was not kept."""
        return None if self.receipt is None else self.receipt.run_id

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """Every claim of the best try with its span, standing, reason and evidence."""
        return () if self.outcome is None else self.outcome.claims

    @property
    def problems(self) -> tuple[ClaimResult, ...]:
        """The claims of the best try that do not stand."""
        return tuple(claim for claim in self.claims if not claim.stands)

    @property
    def escalation(self) -> Escalation | None:
        """The case a person has still to decide, or None."""
        last = self.escalated[-1] if self.escalated else None
        return last.case if last is not None and last.ruling is None else None

    @property
    def released(self) -> bool:
        """True when a person let the answer out though it does not stand."""
        rulings = self.findings.rulings
        let_out = bool(rulings) and rulings[-1].choice in (Choice.SKIP, Choice.REPLACE)
        return let_out and self.best is not None

    @property
    def best(self) -> Attempt | None:
        """The best try, whether or not it stands."""
        return None if self.trajectory is None else self.trajectory.tries[self.trajectory.best]

    @property
    def answer(self) -> str | None:
        """The answer when it may be used, else None; ``stands`` says whether it is supported."""
        out = self.decision.released or self.released
        return self.best.draft.answer if self.best and out else None

    @property
    def vouched(self) -> bool:
        """True when the answer stands; one that a person or a policy released is not."""
        return self.stands

    @property
    def label(self) -> str:
        """One word: proceed, escalate, skip, abort, or the step that decided."""
        if self.escalation is not None:
            return "escalate"
        rulings = self.findings.rulings
        settled = rulings and rulings[-1].choice in SETTLING
        return str(rulings[-1].choice) if settled else self.decision.step.label

    @property
    def repaired(self) -> tuple[str, ...]:
        """What was patched to make the best attempt, one line a change; empty when nothing was."""
        made = self.best.draft.made if self.best else None
        lines = made.get("patches", []) if isinstance(made, dict) else []
        return tuple(unpack_text(line) for line in lines) if isinstance(lines, list) else ()

    @property
    def repaired_by_model(self) -> bool:
        """True when the best attempt has pieces that a model wrote to replace flagged ones."""
        made = self.best.draft.made if self.best else None
        return isinstance(made, dict) and made.get("by") == "spans"

    @property
    def scores(self) -> tuple[float, float]:
        """Support of the first attempt and of the best: before repair and after."""
        tries = () if self.trajectory is None else self.trajectory.tries
        return (tries[0].score, self.best.score) if tries and self.best else (0.0, 0.0)

    @property
    def stands(self) -> bool:
        """True when no rule objected, not even one that the policy waives."""
        return self.verdict is Verdict.STANDS

    @property
    def rejected(self) -> bool:
        """True when the question itself was refused."""
        return self.trajectory is None and any(
            o.rule == "preflight" for o in self.decision.objections
        )

    @property
    def degraded(self) -> bool:
        """True when a budget ran out before an answer stood."""
        return self.trajectory is not None and self.trajectory.degraded

    @property
    def outcome(self) -> CheckOutcome | None:
        """The best try seen as a checked answer."""
        if self.best is None:
            return None
        draft = self.best.draft
        if not draft.answer.strip() or not draft.evidence:
            return None
        request = Request(
            answer=draft.answer, evidence=draft.evidence, question=self.question, mode=self.mode
        )
        return CheckOutcome(
            request=request,
            findings=self.findings,
            decision=self.decision,
            run=self.run,
            receipt=self.receipt,
        )

    @property
    def verdict(self) -> Verdict:
        """Whether the answer stands; inconclusive while a person has still to decide."""
        return Verdict.COULD_NOT_TELL if self.escalation is not None else self.decision.verdict

    @property
    def root(self) -> str:
        """The root over the whole run."""
        return self.run.content_root

    def __repr__(self) -> str:
        tries = 0 if self.trajectory is None else len(self.trajectory.tries)
        lines = [f"<AskResult {self.label}: {self.verdict.replace('_', ' ')}; {tries} attempts"]
        lines += [f"  {o.rule}: {o.reason}" for o in self.decision.objections]
        return "\n".join(lines) + f"\n  run {self.root[:16]}>"

    def to_dict(self) -> dict[str, Any]:
        """One JSON document: the shape of a check, with the way it came about."""
        outcome = self.outcome
        checked = {} if outcome is None else outcome.to_dict()
        tries = () if self.trajectory is None else self.trajectory.tries
        return {
            **checked,
            "question": self.question.text,
            "answer": self.answer,
            "best_answer": self.best.draft.answer if self.best else None,
            "outcome": self.label,
            "mode": str(self.mode),
            "lookup_path": self.lookup_path,
            "cache_key": self.cache_key,
            "vouched": self.vouched,
            "decision": self.decision.step.label,
            "verdict": str(self.verdict),
            "failure_stage": self.failure_stage,
            "rejected": self.rejected,
            "degraded": self.degraded,
            "objections": [
                {"rule": o.rule, "step": o.step.label, "reason": o.reason, "claims": list(o.claims),
                 "could_not_check": o.could_not_check}
                for o in self.decision.objections
            ],
            "drift": self.drift or None,
            "escalated": [_escalated(one) for one in self.escalated],
            "repaired": list(self.repaired),
            "repaired_by_model": self.repaired_by_model,
            # The names of the release before; to be removed after one release.
            "mended": list(self.repaired),
            "mended_by_model": self.repaired_by_model,
            "support_before": round(self.scores[0], 6),
            "support_after": round(self.scores[1], 6),
            "tries": [
                {"kind": str(t.kind), "decision": t.judged.decision.step.label,
                 "support": round(t.score, 6), "answer": t.draft.answer}
                for t in tries
            ],
            "best": None if self.trajectory is None else self.trajectory.best,
            "spent": _spent(self.findings),
            "run": self.root,
            "receipt": receipt_dict(self.receipt) if self.receipt else None,
        }  # fmt: skip


def _spent(findings: Findings) -> dict[str, Any]:
    spent = findings.spent
    return {
        "regenerations": spent.regenerations,
        "replans": spent.replans,
        "model_calls": spent.model_calls,
        "tokens": spent.tokens,
        "exhausted": list(spent.exhausted),
    }


def _escalated(one: Escalated) -> dict[str, Any]:
    ruling = one.ruling
    return {
        "reasons": [{"rule": o.rule, "reason": o.reason} for o in one.case.reasons],
        "choices": [str(choice) for choice in one.case.choices],
        "ruling": None
        if ruling is None
        else {"choice": str(ruling.choice), "prompt": ruling.prompt, "note": ruling.note,
              "by": ruling.by},
    }  # fmt: skip
