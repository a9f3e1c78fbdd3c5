"""One language model as a judge: asked in small batches, checked claim by claim."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from firmground.adapters.llm_judge.ask import JudgePrompt, judge_prompt, prompt_for_claims
from firmground.adapters.llm_judge.canary import CanaryReport, canary_inquiry, read_canary
from firmground.adapters.llm_judge.combine_votes import JudgeVote, settle, unusable
from firmground.adapters.llm_judge.output import JudgeOutput, read_output
from firmground.core.claim import CONTRADICTION, GAP, Assessment, CheckNote, Claim, Standing
from firmground.core.family import family_of, same_model
from firmground.core.fault import fault_from
from firmground.core.finding import Fault, FaultKind
from firmground.core.ports import Inquiry, Model, ModelReply
from firmground.errors import ConfigError, ModelError

__all__ = ["JudgeReport", "JudgeVote", "LlmJudge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCost:
    """What one claim took, its part of the calls it shared."""

    calls: float = 0.0
    tokens: float = 0.0
    cost: float | None = 0.0
    """None when a price is not known."""

    def plus(self, reply: ModelReply, shared_by: int) -> ClaimCost:
        """Add this claim's part of one reply."""
        known = self.cost is not None and reply.cost is not None
        return ClaimCost(
            calls=self.calls + 1 / shared_by,
            tokens=self.tokens + (reply.tokens_in + reply.tokens_out) / shared_by,
            cost=(self.cost or 0.0) + (reply.cost or 0.0) / shared_by if known else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """What one judge held of every claim, what it cost, and what went wrong."""

    judge: str
    opinions: tuple[JudgeVote, ...]
    costs: tuple[ClaimCost, ...]
    outputs: tuple[JudgeOutput, ...]
    faults: tuple[Fault, ...]
    canary: CanaryReport | None
    remarks: tuple[tuple[str, str], ...] = ()
    """(code, sentence): a judge that is the generator, or of its family."""
    prompts: tuple[tuple[str, str], ...] = ()

    @property
    def calls(self) -> float:
        """How many calls were made for the claims, the canary aside."""
        return sum(cost.calls for cost in self.costs)

    @property
    def said(self) -> tuple[CheckNote, ...]:
        """The gaps and contradictions the judge named, each once."""
        named = [(GAP, text) for one in self.outputs for text in one.gaps]
        named += [(CONTRADICTION, text) for one in self.outputs for text in one.contradictions]
        return tuple(
            CheckNote(check=f"judge:{self.judge}", code=code, standing=None, reason=text)
            for code, text in dict.fromkeys(named)
            if text.strip()
        )


class LlmJudge:
    """Implements the port ``Judge`` with a ``Model``; a claim it fails on is unverifiable."""

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        generator: str | None = None,
        claims_per_call: int = 6,
        max_evidence_characters: int = 24_000,
        max_tokens: int = 2048,
        seed: int = 0,
        canary: bool = True,
    ) -> None:
        if claims_per_call < 1:
            raise ConfigError(f"judge.claims_per_call must be at least 1, got {claims_per_call}")
        self.model = model
        self.name = name
        self.generator = generator
        self.claims_per_call = claims_per_call
        self.max_evidence_characters = max_evidence_characters
        self.max_tokens = max_tokens
        self.seed = seed
        self.wants_canary = canary
        self._heard: dict[str, CanaryReport] = {}

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """Name and digest of the prompt it judges under; it would judge otherwise under another."""
        return (judge_prompt().mark,)

    @property
    def family(self) -> str:
        """The family this judge belongs to."""
        return family_of(self.name)

    @property
    def remarks(self) -> tuple[tuple[str, str], ...]:
        """What must be said about a judge that is close to the generator."""
        if self.generator is None:
            return ()
        if same_model(self.generator, self.name):
            return (("judge_is_generator", f"{self.name} judges its own answer"),)
        if family_of(self.generator) == self.family:
            told = f"{self.name} and the generator {self.generator} are both of {self.family}"
            return (("judge_of_generator_family", told),)
        return ()

    async def canary(self) -> CanaryReport:
        """Show the judge claims that say nothing; asked once and remembered."""
        if self.name not in self._heard:
            inquiry = canary_inquiry()
            sheet = self._sheet(inquiry, inquiry.claims)
            outcome, _ = await self._ask(sheet)
            if isinstance(outcome, Fault) and outcome.kind is not FaultKind.BAD_REPLY:
                # The judge could not be asked; it may succeed next time.
                return read_canary(None, fault=f"{outcome.source}: {outcome.message}")
            self._heard[self.name] = read_canary(None if isinstance(outcome, Fault) else outcome)
        return self._heard[self.name]

    def through(self, model: Model, *, heard: CanaryReport | None = None) -> LlmJudge:
        """The same judge asked through another model; the canary's result is shared.

        ``heard`` is the canary's result just now, also when the judge could not be asked.
        """
        made = copy(self)
        made.model = model
        if heard is not None:
            made._heard = {self.name: heard}
        return made

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        report = await self.report(inquiry)
        remarks = (*report.remarks, prompt_remark())
        found = tuple(
            assessment_from(claim, [(self.name, opinion)], remarks=remarks)
            for claim, opinion in zip(inquiry.claims, report.opinions, strict=True)
        )
        return with_said(found, report.said)

    async def report(self, inquiry: Inquiry) -> JudgeReport:
        """Ask about every checkable claim and keep everything that was learnt."""
        session = _Session(inquiry=inquiry)
        canary = await self.canary() if self.wants_canary else None
        if canary is not None and not canary.canary_intact:
            session.give_up(canary)
        elif not inquiry.evidence:
            session.fill("no_evidence", "there is no evidence to judge by")
        else:
            await self._go_through(session)
        session.fill("judge_silent", "the judge said nothing about this claim")
        return JudgeReport(
            judge=self.name,
            opinions=tuple(session.opinions[i] for i in range(len(inquiry.claims))),
            costs=tuple(session.costs),
            outputs=tuple(session.outputs),
            faults=tuple(session.faults),
            canary=canary,
            remarks=self.remarks,
            prompts=(judge_prompt().mark,),
        )

    async def _go_through(self, session: _Session) -> None:
        """In batches first; whatever a batch left open is then asked about alone, once."""
        size = self.claims_per_call
        open_ones = session.open()
        for at in range(0, len(open_ones), size):
            await self._batch(session, open_ones[at : at + size])
        if size > 1:
            for position in session.open():
                await self._batch(session, [position])

    async def _batch(self, session: _Session, positions: Sequence[int]) -> None:
        claims = [session.inquiry.claims[i] for i in positions]
        sheet = self._sheet(session.inquiry, claims)
        outcome, reply = await self._ask(sheet)
        if reply is not None:
            for i in positions:
                session.costs[i] = session.costs[i].plus(reply, len(positions))
        if isinstance(outcome, Fault):
            session.faults.append(outcome)
            if len(positions) == 1:
                session.opinions[positions[0]] = unusable(
                    "judge_failed", f"{outcome.source}: {outcome.message}"
                )
            return
        session.outputs.append(outcome)
        for i, (name, _) in zip(positions, sheet.claims, strict=True):
            opinion = settle(name, outcome, sheet)
            if opinion is not None:
                session.opinions[i] = opinion

    def _sheet(self, inquiry: Inquiry, claims: Sequence[Claim]) -> JudgePrompt:
        return prompt_for_claims(
            inquiry,
            claims,
            max_characters=self.max_evidence_characters,
            max_tokens=self.max_tokens,
            seed=self.seed,
        )

    async def _ask(self, sheet: JudgePrompt) -> tuple[JudgeOutput | Fault, ModelReply | None]:
        try:
            reply = await self.model.complete(sheet.request)
        except ModelError as error:
            return fault_from(error, source=f"judge {self.name}"), None
        output = read_output(reply.texts[0]) if reply.texts else None
        if output is None:
            told = "the reply holds no verdict that can be read"
            fault = Fault(source=f"judge {self.name}", kind=FaultKind.BAD_REPLY, message=told)
            return fault, reply
        return output, reply


def with_said(
    assessments: tuple[Assessment, ...], said: Sequence[CheckNote]
) -> tuple[Assessment, ...]:
    """Add what a judge said of the answer as a whole to the first claim that falls."""
    if not said or not assessments:
        return assessments
    at = next((n for n, one in enumerate(assessments) if not one.standing.stands), 0)
    noted = replace(assessments[at], notes=(*assessments[at].notes, *said))
    return (*assessments[:at], noted, *assessments[at + 1 :])


def prompt_remark() -> tuple[str, str]:
    """Which prompt was used, for the record of every claim."""
    name, digest = judge_prompt().mark
    return "judge_prompt", f"{name} sha256:{digest}"


class _Session:
    """What is known so far about the claims of one inquiry."""

    def __init__(self, *, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.opinions: dict[int, JudgeVote] = {}
        self.costs = [ClaimCost() for _ in inquiry.claims]
        self.outputs: list[JudgeOutput] = []
        self.faults: list[Fault] = []
        for position, claim in enumerate(inquiry.claims):
            if claim.not_checkable is not None:
                self.opinions[position] = JudgeVote(
                    standing=Standing.NOT_CHECKABLE,
                    code=f"not_checkable_{claim.not_checkable}",
                    reason=f"it asserts nothing ({claim.not_checkable})",
                )

    def open(self) -> list[int]:
        """Positions without an opinion."""
        return [i for i in range(len(self.inquiry.claims)) if i not in self.opinions]

    def fill(self, code: str, reason: str) -> None:
        """Give every open claim the reason why there is no opinion on it."""
        for position in self.open():
            self.opinions[position] = unusable(code, reason)

    def give_up(self, canary: CanaryReport) -> None:
        """A judge that accepts nothing at all, or cannot be read, is not listened to."""
        code = "canary_failed" if canary.accepted else "canary_unreadable"
        self.fill("judge_failed" if canary.fault else code, canary.told)


def assessment_from(
    claim: Claim,
    opinions: Sequence[tuple[str, JudgeVote]],
    *,
    remarks: Sequence[tuple[str, str]] = (),
) -> Assessment:
    """One assessment out of one or several opinions: majority, the lower standing at a tie.

    Confidence and support are smoothed shares of votes, ``(votes + 1/2) / (n + 1)``: no judge's
    own number enters them.
    """
    given = [opinion for _, opinion in opinions if opinion.given]
    notes = tuple(_note(name, opinion) for name, opinion in opinions) + tuple(
        CheckNote(check="judge", code=code, standing=None, reason=reason)
        for code, reason in remarks
    )
    if not given or len(given) * 2 < len(opinions):
        worst = next(opinion for _, opinion in opinions if not opinion.given)
        return Assessment(
            claim=claim,
            standing=Standing.UNVERIFIABLE,
            confidence=0.0,
            support=0.0,
            code=worst.code,
            reason=worst.reason,
            notes=notes,
        )
    standing = _majority([opinion.standing for opinion in given])
    holding = [opinion for opinion in given if opinion.standing is standing]
    first = holding[0]
    return Assessment(
        claim=claim,
        standing=standing,
        confidence=(len(holding) + 0.5) / (len(opinions) + 1),
        support=(sum(one.standing.stands for one in given) + 0.5) / (len(opinions) + 1),
        code=first.code,
        reason=first.reason,
        evidence_type=first.evidence_type,
        evidence=tuple(dict.fromkeys(span for one in holding for span in one.evidence)),
        notes=notes,
    )


LOWEST_FIRST = (
    Standing.CONTRADICTED,
    Standing.UNVERIFIABLE,
    Standing.UNGROUNDED,
    Standing.COMPLEMENTARY,
    Standing.GROUNDED,
    Standing.NOT_CHECKABLE,
)


def _majority(standings: Sequence[Standing]) -> Standing:
    return max(LOWEST_FIRST, key=standings.count)


def _note(name: str, opinion: JudgeVote) -> CheckNote:
    return CheckNote(
        check=f"judge:{name}",
        code=opinion.code,
        standing=opinion.standing,
        reason=opinion.reason,
        evidence=opinion.evidence,
    )
