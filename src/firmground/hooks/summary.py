"""Many replies in one line. A fact about the replies, not a decision."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.finding import Fault, FaultKind, HookReply


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSummary:
    """How many said yes, said no, or could not be asked."""

    passed: int
    refused: int
    faults: int
    confidence: float
    """Confidence that everything holds: the lowest of the passes; failures and faults lower it."""
    guidance: tuple[str, ...] = ()
    """How to repair the failures, in the order of the hooks."""
    not_applicable: int = 0
    """Found nothing of the kind they look at; neither a yes nor a fault."""
    failures: tuple[str, ...] = ()
    """Each hook that refused or could not be asked, with its reason, in the order of the hooks."""

    @property
    def message(self) -> str:
        """The outcome in one sentence."""
        asked = self.passed + self.refused + self.faults
        if not asked:
            return "no external check was asked"
        noun = "external check" if asked == 1 else "external checks"
        if not self.failures:
            return f"{asked} {noun} passed"
        return f"{len(self.failures)} of {asked} {noun} did not pass: {'; '.join(self.failures)}"

    @property
    def all_passed(self) -> bool:
        """True when at least one hook was asked and all passed. An empty hook set never passes."""
        return self.passed > 0 and self.refused == 0 and self.faults == 0


def summarise(replies: tuple[HookReply | Fault, ...]) -> HookSummary:
    """Count the replies; an empty hook set never passes."""
    verdicts = [reply for reply in replies if isinstance(reply, HookReply)]
    yes = [verdict for verdict in verdicts if verdict.passed]
    no = [verdict for verdict in verdicts if not verdict.passed]
    kinds = [reply.kind for reply in replies if isinstance(reply, Fault)]
    not_applicable = kinds.count(FaultKind.NOT_APPLICABLE)
    faults = len(kinds) - not_applicable
    return HookSummary(
        passed=len(yes),
        refused=len(no),
        faults=faults,
        confidence=_confidence(yes, no, faults),
        guidance=tuple(verdict.guidance for verdict in no if verdict.guidance),
        not_applicable=not_applicable,
        failures=tuple(filter(None, map(_failure, replies))),
    )


def _failure(reply: HookReply | Fault) -> str:
    """Why a hook did not pass; empty when it passed or did not apply."""
    if isinstance(reply, HookReply):
        return "" if reply.passed else f"{reply.source}: {reply.message}"
    if reply.kind is FaultKind.NOT_APPLICABLE:
        return ""
    told = f"{reply.source}: could not be asked ({reply.kind.value})"
    return f"{told}: {reply.message}" if reply.message else told


def _confidence(yes: list[HookReply], no: list[HookReply], faults: int) -> float:
    if faults or not (yes or no):
        return 0.0
    sure = [verdict.confidence for verdict in yes]
    return min([*sure, *(min(1.0 - v.confidence, *sure, 0.5) for v in no)])
