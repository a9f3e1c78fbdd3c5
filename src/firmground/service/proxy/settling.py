"""Settles one complete choice: release, repair, ask again, flag or withhold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from firmground.claims import prose_claims
from firmground.config.proxy import DeliveryMode, NoEvidence, OnError, OnFailure, ProxySettings
from firmground.core.canon import Value
from firmground.core.decision import Decision, Verdict
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, Findings, Preflight
from firmground.core.run import AttemptReason
from firmground.decide import Policy, decide
from firmground.errors import FirmgroundError
from firmground.pipeline.loop import Attempt, Draft, Judged
from firmground.pipeline.repairing import patched
from firmground.pipeline.request import Request
from firmground.revise import Unsupported
from firmground.service.proxy.calls import RefusedCall, statements_in
from firmground.service.proxy.choice import ProxyChoice, Settled
from firmground.service.proxy.requests import ProxyRequest

Examine = Callable[[Request], Awaitable[tuple[Findings, Decision]]]
"""Checks a whole answer; raises when it could not be checked in time."""
AskAgain = Callable[[ProxyChoice, Attempt], Awaitable[str]]
"""Asks the upstream for another answer, told what was wrong with the last."""

WITHHELD, UNVERIFIED = "WITHHELD", "UNVERIFIED"
AT_DELIVERY = "UNVERIFIED-AT-DELIVERY"
NO_EVIDENCE = "NO-EVIDENCE"
LABELS = (
    "VERIFIED", "TOOL-CALLS", "REPAIRED", "WAIVED", "FLAGGED", AT_DELIVERY, UNVERIFIED,
    NO_EVIDENCE, WITHHELD,
)  # fmt: skip
"""Labels of what was delivered; of several choices the last in this order is the request's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """Decides about complete choices of one request."""

    settings: ProxySettings
    request: ProxyRequest
    policy: Policy
    examine: Examine
    ask_again: AskAgain
    notice: str
    preflight: Preflight | None = None
    """What was held against the question, when there is no evidence."""

    async def settle(self, choice: ProxyChoice) -> Settled:
        """Check the whole of a choice, and decide what leaves."""
        text = choice.got.text
        if choice.mode is DeliveryMode.ANNOTATE:
            return await self._annotated(choice)
        if text.strip():
            done = await (self._answered(choice) if self.request.evidence else self._bare(choice))
        else:
            done = self._silent(choice)
        if done.label == WITHHELD:
            return done
        return await self._with_calls(choice, await self._with_refusal(choice, done))

    def overflow(self, choice: ProxyChoice) -> Settled:
        """Decide about a choice of which more came than may be held: it was not checked."""
        kind, why = FaultKind.BAD_REPLY, "the answer is longer than may be held for one request"
        findings = Findings(faults=(Fault(source="proxy", kind=kind, message=why),))
        judged = Judged(findings=findings, decision=decide(findings, self.policy))
        draft = Draft(
            answer=choice.got.text, evidence=self.request.evidence, made=self._made(choice)
        )
        attempts = (Attempt(kind=AttemptReason.FIRST, draft=draft, judged=judged),)
        return self._withheld(choice, attempts)

    async def _answered(self, choice: ProxyChoice) -> Settled:
        attempt = await self._attempt(choice.got.text, AttemptReason.FIRST, self._made(choice))
        decision, attempts = attempt.judged.decision, (attempt,)
        rest = choice.got.text[len(choice.released) :]
        if decision.released:
            label = "VERIFIED" if decision.verdict is Verdict.STANDS else "WAIVED"
            return self._whole(choice, rest, label, attempts)
        if decision.verdict is Verdict.COULD_NOT_TELL:
            return self._could_not_tell(choice, rest, attempts)
        match self.settings.on_failure:
            case OnFailure.FLAG:
                return self._whole(choice, rest, "FLAGGED", attempts, delivery="flagged")
            case OnFailure.REPAIR:
                return await self._repaired(choice, attempts)
            case OnFailure.REGENERATE if not choice.released:
                return await self._regenerated(choice, attempts)
        return self._withheld(choice, attempts)

    async def _attempt(
        self, text: str, kind: AttemptReason, made: Value, marks: tuple[int, ...] = ()
    ) -> Attempt:
        evidence, asked = self.request.evidence, self.request.question
        try:
            request = Request(answer=text, evidence=evidence, question=asked, marks=marks)
            findings, decision = await self.examine(request)
        except (FirmgroundError, TimeoutError) as error:
            late = isinstance(error, TimeoutError)
            fault = Fault(
                source="proxy",
                kind=FaultKind.TIMEOUT if late else FaultKind.BAD_REPLY,
                message=f"the answer could not be checked: {type(error).__name__}",
            )
            findings = Findings(faults=(fault,))
            decision = decide(findings, self.policy)
        draft = Draft(answer=text, evidence=evidence, made=made, marks=marks)
        return Attempt(kind=kind, draft=draft, judged=Judged(findings=findings, decision=decision))

    def _could_not_tell(
        self, choice: ProxyChoice, rest: str, attempts: tuple[Attempt, ...]
    ) -> Settled:
        if self.settings.on_error is OnError.OPEN:
            return self._whole(choice, rest, UNVERIFIED, attempts, delivery="unverified")
        return self._withheld(choice, attempts)

    async def _repaired(self, choice: ProxyChoice, attempts: tuple[Attempt, ...]) -> Settled:
        draft = patched(Unsupported.DROP, attempts[-1])
        if draft is None or not draft.answer.startswith(choice.released):
            return self._withheld(choice, attempts)
        again = await self._attempt(
            draft.answer, AttemptReason.REGENERATE, draft.made, marks=draft.marks
        )
        attempts = (*attempts, again)
        if not again.judged.decision.released:
            return self._withheld(choice, attempts)
        rest = draft.answer[len(choice.released) :]
        return self._whole(choice, rest, "REPAIRED", attempts, delivery="repaired")

    async def _regenerated(self, choice: ProxyChoice, attempts: tuple[Attempt, ...]) -> Settled:
        for _ in range(self.settings.regenerations):
            text = await self.ask_again(choice, attempts[-1])
            if not text.strip():
                break
            made: Value = {"by": "proxy", "asked_again": True}
            again = await self._attempt(text, AttemptReason.REGENERATE, made)
            attempts = (*attempts, again)
            decision = again.judged.decision
            if decision.released:
                label = "VERIFIED" if decision.verdict is Verdict.STANDS else "WAIVED"
                return self._whole(choice, text, label, attempts)
        return self._withheld(choice, attempts)

    async def _bare(self, choice: ProxyChoice) -> Settled:
        """Text without evidence: the settings say what it is worth."""
        decision = decide(Findings(preflight=self.preflight), self.policy)
        draft = Draft(answer=choice.got.text, evidence=(), made=self._made(choice))
        judged = Judged(findings=Findings(preflight=self.preflight), decision=decision)
        attempts = (Attempt(kind=AttemptReason.FIRST, draft=draft, judged=judged),)
        if self._asserts_nothing(choice.got.text):
            return self._whole(choice, choice.got.text, "VERIFIED", attempts)
        if self.settings.no_evidence is NoEvidence.REFUSE:
            return self._withheld(choice, attempts)
        return self._whole(choice, choice.got.text, NO_EVIDENCE, attempts, delivery="unverified")

    def _silent(self, choice: ProxyChoice) -> Settled:
        """Nothing but tool calls, or nothing at all."""
        has_calls = bool(choice.got.calls)
        return Settled(
            finish=choice.got.finish or "stop",
            delivery="tool_calls" if has_calls else "whole",
            label="TOOL-CALLS" if has_calls else "VERIFIED",
        )

    async def _annotated(self, choice: ProxyChoice) -> Settled:
        """Everything has left already; the label says so, whatever the verdict."""
        attempts: tuple[Attempt, ...] = ()
        if choice.got.text.strip() and self.request.evidence:
            made = self._made(choice)
            attempts = (await self._attempt(choice.got.text, AttemptReason.FIRST, made),)
        done = self._whole(choice, "", AT_DELIVERY, attempts, delivery="unverified")
        calls = tuple(choice.got.calls[at] for at in sorted(choice.got.calls))
        return replace(done, calls=calls)

    async def _with_refusal(self, choice: ProxyChoice, done: Settled) -> Settled:
        """A refusal is text of the model, too."""
        refusal = choice.got.refusal
        if not refusal.strip():
            return done
        if not self._asserts_nothing(refusal):
            if not self.request.evidence:
                return self._withheld(choice, done.attempts)
            made: Value = {"by": "proxy", "refusal": True}
            attempt = await self._attempt(refusal, self._next(done), made)
            attempts = (*done.attempts, attempt)
            if not attempt.judged.decision.released:
                return self._withheld(choice, attempts)
            done = replace(done, attempts=attempts, decision=attempt.judged.decision)
        return replace(done, refusal=refusal)

    async def _with_calls(self, choice: ProxyChoice, done: Settled) -> Settled:
        """Tool calls leave together, after every statement in them was checked."""
        calls = [choice.got.calls[at] for at in sorted(choice.got.calls)]
        if not calls or done.label == WITHHELD:
            return done
        try:
            stated = statements_in(calls, self.request.tools)
        except RefusedCall:
            return self._withheld(choice, done.attempts)
        if stated.strip():
            evidence = self.request.evidence
            if self.request.said.strip():
                evidence = (*evidence, Evidence(text=self.request.said, role="user"))
            if not evidence:
                return self._withheld(choice, done.attempts)
            made: Value = {"by": "proxy", "tool_calls": len(calls)}
            other = replace(self, request=replace(self.request, evidence=evidence))
            attempt = await other._attempt(stated, self._next(done), made)
            attempts = (*done.attempts, attempt)
            if not attempt.judged.decision.released:
                return self._withheld(choice, attempts)
            done = replace(done, attempts=attempts)
        return replace(done, calls=tuple(calls), finish="tool_calls")

    def _asserts_nothing(self, text: str) -> bool:
        claims = prose_claims(text, self.request.question)
        return all(claim.not_checkable is not None for claim in claims)

    def _next(self, done: Settled) -> AttemptReason:
        return AttemptReason.REGENERATE if done.attempts else AttemptReason.FIRST

    def _whole(
        self,
        choice: ProxyChoice,
        rest: str,
        label: str,
        attempts: tuple[Attempt, ...],
        *,
        delivery: str = "whole",
    ) -> Settled:
        return Settled(
            rest=rest,
            finish=choice.got.finish or "stop",
            delivery=delivery,
            label=label,
            attempts=attempts,
            decision=attempts[-1].judged.decision if attempts else None,
            objections=_rules(attempts),
        )

    def _withheld(self, choice: ProxyChoice, attempts: tuple[Attempt, ...]) -> Settled:
        gap = "\n\n" if choice.released else ""
        return Settled(
            rest=f"{gap}{self.notice}",
            finish="content_filter",
            delivery="part" if choice.released else "none",
            label=WITHHELD,
            attempts=attempts,
            decision=attempts[-1].judged.decision if attempts else None,
            objections=_rules(attempts),
        )

    def _made(self, choice: ProxyChoice) -> Value:
        return {
            "by": "proxy",
            "surface": self.request.surface,
            "model": self.request.model,
            "choice": choice.index,
            "released_before_the_check": len(choice.released),
            "reasoning_withheld": choice.got.reasoning,
        }


def _rules(attempts: tuple[Attempt, ...]) -> tuple[str, ...]:
    decision = attempts[-1].judged.decision if attempts else None
    if decision is None:
        return ()
    return tuple(dict.fromkeys(o.rule for o in (*decision.objections, *decision.waived)))
