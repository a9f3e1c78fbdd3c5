"""Rules about hooks, faults, budgets and rulings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.decision import Objection, Step
from firmground.core.escalation import SETTLING, Choice
from firmground.core.finding import Fault, FaultKind, Findings, HookReply
from firmground.decide.rule import objecting


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedHooks:
    """A hook failed, could not be asked, or was not asked although it is required."""

    name: ClassVar[str] = "hooks"
    about: ClassVar[str] = (
        "a hook that said no, could not be asked, or is required and did not speak"
    )
    reads: ClassVar[tuple[str, ...]] = ("hooks",)
    required: tuple[str, ...] = ()
    """Names of hooks that must have answered."""
    refused: Step = Step.REGENERATE
    unasked: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        objecting(self.name, self.refused)
        objecting(self.name, self.unasked)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once for each hook that did not pass."""
        found = []
        for reply in findings.hooks:
            if _does_not_apply(reply):
                continue
            if isinstance(reply, Fault):
                reason = f"{reply.source} could not be asked ({reply.kind.value}) {reply.message}"
                found.append(self._objection(self.unasked, reason.rstrip(), about=reply))
            elif not reply.passed:
                reason = f"{reply.source} said no: {reply.message}"
                found.append(self._objection(self.refused, reason, about=reply))
        spoke = {reply.source for reply in findings.hooks if not _does_not_apply(reply)}
        for name in self.required:
            if name not in spoke:
                reason = f"hook {name} is required and did not speak"
                found.append(self._objection(self.unasked, reason, about=None))
        return tuple(found)

    def _objection(self, step: Step, reason: str, *, about: HookReply | Fault | None) -> Objection:
        unasked = not isinstance(about, HookReply)
        return Objection(
            rule=self.name,
            step=step,
            reason=reason,
            could_not_check=unasked,
            fault=unasked,
            escalate=about.escalate if about else None,
        )


def _does_not_apply(reply: HookReply | Fault) -> bool:
    """True when a hook ran and found nothing of its kind to check."""
    return isinstance(reply, Fault) and reply.kind is FaultKind.NOT_APPLICABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulted:
    """A check could not be made."""

    name: ClassVar[str] = "faults"
    about: ClassVar[str] = "a check that could not be made"
    reads: ClassVar[tuple[str, ...]] = ("faults",)
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once for each fault."""
        return tuple(
            Objection(
                rule=self.name,
                step=self.step,
                reason=f"{fault.source}: no check ({fault.kind.value}) {fault.message}".rstrip(),
                could_not_check=True,
                fault=True,
            )
            for fault in findings.faults
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSpent:
    """A budget ran out before the answer stood."""

    name: ClassVar[str] = "budget_spent"
    about: ClassVar[str] = "a budget that ran out before the answer stood"
    reads: ClassVar[tuple[str, ...]] = ("spent",)
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming the budgets."""
        if not findings.spent.exhausted:
            return ()
        reason = f"budget spent: {', '.join(findings.spent.exhausted)}"
        return (Objection(rule=self.name, step=self.step, reason=reason),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overruled:
    """A person released an answer that did not stand, or withheld it."""

    name: ClassVar[str] = "overruled"
    about: ClassVar[str] = "an answer that a person released although it did not stand, or withheld"
    reads: ClassVar[tuple[str, ...]] = ("rulings",)
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to the last ruling when it settled the matter; retries settle nothing."""
        last = findings.rulings[-1] if findings.rulings else None
        if last is None or last.choice not in SETTLING:
            return ()
        skipped = last.choice is not Choice.ABORT
        told = {
            Choice.SKIP: "released it although it did not stand",
            Choice.REPLACE: "released an answer of their own",
        }.get(last.choice, "withheld it")
        who = last.by or "a person"
        reason = f"{who} {told}" + (f": {last.note}" if last.note else "")
        return (Objection(rule=self.name, step=self.step, reason=reason, could_not_check=skipped),)
