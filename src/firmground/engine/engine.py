"""The engine: every call that checks, asks, streams or evaluates, on parts built once."""

from __future__ import annotations

from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from firmground.adapters.document import (
    metadata_from_value,
    mode_from_value,
    output_files_from_value,
    question_from_value,
)
from firmground.core.budget import Budget
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry, Retriever
from firmground.core.question import Question
from firmground.decide import Policy
from firmground.engine.evidence import EvidenceLike, evidence_from
from firmground.engine.ledgers import about, akeep, keep, subject_of
from firmground.engine.parts import EngineParts, Overrides, Tell, silent
from firmground.engine.result import Result
from firmground.engine.running import outside_loop, run_to_end
from firmground.errors import InputError
from firmground.pipeline.check import CheckPlan, check_now, computes_only
from firmground.pipeline.check import check as run_check
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.request import Mode, Request

if TYPE_CHECKING:
    from firmground.core.escalation import Escalation, Ruling
    from firmground.engine.many import Failure
    from firmground.pipeline.ask_result import AskResult
    from firmground.pipeline.evaluate import Evaluation
    from firmground.pipeline.loop import AskPerson, Judged
    from firmground.pipeline.stream import HoldBack, TextReleased, TextWithheld
    from firmground.probe import ProbeProfile
    from firmground.revise import Unsupported

    Escalate = Callable[[Escalation], "Ruling | Awaitable[Ruling | None] | None"]
    Regenerate = Callable[[str, Judged], "str | Awaitable[str]"]
    Replan = Callable[[str, Any, Judged], Any]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How an answer is written and repaired.

    >>> AskOptions(passages=4).patch
    True
    """

    patch: bool = True
    """Repair without the model what the evidence itself corrects."""
    spans: bool = True
    """Have the model rewrite flagged pieces only; otherwise a rewrite is a whole new answer."""
    unsupported: Unsupported | str = "spare"
    """What a patch does to a claim it cannot correct: ``spare``, ``drop`` or ``mark``."""
    passages: int = 8
    """How many passages of the given evidence the model answers from."""
    mode: Mode | str = Mode.PROSE
    """Form of the answer: ``prose``, ``pointer`` (a line a claim, with ``[E1]``) or ``json``."""
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFinished:
    """The end of a stream: the result for the whole text.

    >>> import asyncio, firmground
    >>> async def last():
    ...     async with Engine(judge="lexical") as engine:
    ...         return [e async for e in engine.stream(["It rained."], evidence="It rained.")][-1]
    >>> asyncio.run(last()).result.stands
    True
    """

    result: Result


class Engine(EngineParts):
    """Checks answers and answers questions; built once and shared by threads and tasks.

    Weights are loaded once, computing runs in a bounded number of threads and never on the event
    loop, the ledger and the model clients are opened when first needed and closed with the engine.
    Evidence, question, policy, callbacks, deadline and budget belong to each call.

    >>> with Engine(judge="lexical") as engine:
    ...     result = engine.check("It opened in 1952.", "It opened in 1932.")
    >>> result.stands
    False
    """

    def check(
        self,
        answer: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        policy: str | Policy | None = None,
        mode: Mode | str = Mode.PROSE,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
        tool_calls: int = 0,
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
        tell: Tell | None = None,
    ) -> Result:
        """Check whether an answer stands on its evidence; blocks until it is known.

        ``policy`` overrides the engine's. After ``deadline_seconds`` checks that are not finished
        become faults. ``budget`` limits the calls to models, and ``tell`` is told what is asked of
        them. ``id``, ``metadata`` and ``output_files`` are shown to hooks. ``tool_calls`` says how
        many tools were called for the answer. The other arguments are those of
        ``firmground.check``.
        """
        return self.check_with(
            Overrides(policy=policy, tell=tell),
            answer,
            evidence,
            question=question,
            mode=mode,
            id=id,
            metadata=metadata,
            output_files=output_files,
            tool_calls=tool_calls,
            deadline_seconds=deadline_seconds,
            budget=budget,
        )

    async def acheck(
        self,
        answer: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        policy: str | Policy | None = None,
        mode: Mode | str = Mode.PROSE,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
        tool_calls: int = 0,
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
        tell: Tell | None = None,
    ) -> Result:
        """Check an answer without holding up the event loop; same arguments as ``check``."""
        return await self.acheck_with(
            Overrides(policy=policy, tell=tell),
            answer,
            evidence,
            question=question,
            mode=mode,
            id=id,
            metadata=metadata,
            output_files=output_files,
            tool_calls=tool_calls,
            deadline_seconds=deadline_seconds,
            budget=budget,
        )

    def check_with(
        self,
        overrides: Overrides,
        answer: str,
        evidence: EvidenceLike,
        *,
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
        **given: Any,
    ) -> Result:
        """Check with other parts than the engine's own, for this call."""
        request = self.request(answer, evidence, **given)
        plan = self.plan(overrides)
        if deadline_seconds is None and computes_only(plan):
            outcome = outside_loop(partial(check_now, request, plan))
        else:
            calls = None if budget is None else budget.model_calls
            outcome = run_to_end(
                run_check(request, plan, calls_left=calls, seconds=deadline_seconds)
            )
        with self._keeping(overrides.ledger) as log:
            return keep(Result.of(outcome), log, subject=subject_of(request))

    async def acheck_with(
        self,
        overrides: Overrides,
        answer: str,
        evidence: EvidenceLike,
        *,
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
        **given: Any,
    ) -> Result:
        """Check with other parts than the engine's own, without holding up the event loop."""
        request = await self._off_loop(partial(self.request, answer, evidence, **given))
        return await self.acheck_request(
            request, overrides, deadline_seconds=deadline_seconds, budget=budget
        )

    async def acheck_request(
        self,
        request: Request,
        overrides: Overrides | None = None,
        *,
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
    ) -> Result:
        """Check a request that was read already."""
        over = overrides or Overrides()
        plan = await self._off_loop(partial(self.plan, over))  # may load weights
        calls = None if budget is None else budget.model_calls
        outcome = await run_check(request, plan, calls_left=calls, seconds=deadline_seconds)
        with self._keeping(over.ledger) as log:
            kept = akeep(Result.of(outcome), log, run_id=over.run_id, subject=subject_of(request))
            return await kept

    def check_many(
        self,
        rows: Iterable[Request | Mapping[str, Any]],
        *,
        policy: str | Policy | None = None,
        workers: int = 1,
    ) -> Iterator[Result | Failure]:
        """Yield one result or failure for each row, in order; see ``firmground.check_many``."""
        return self.check_many_with(Overrides(policy=policy), rows, workers=workers)

    def check_many_with(
        self,
        overrides: Overrides,
        rows: Iterable[Request | Mapping[str, Any]],
        *,
        workers: int = 1,
    ) -> Iterator[Result | Failure]:
        """Check many rows with other parts than the engine's own."""
        from firmground.engine.many import check_rows

        judge = self.settings.judge if overrides.judge is None else overrides.judge
        plan = self.plan(overrides)  # an unknown name is the caller's mistake, not the first row's
        with self._keeping(overrides.ledger) as log:
            for found in check_rows(rows, plan=plan, judge=judge, workers=workers):
                yield keep(Result.of(found), log) if isinstance(found, CheckOutcome) else found

    def ask(
        self,
        question: str | Question,
        evidence: EvidenceLike = (),
        *,
        retriever: Retriever | None = None,
        policy: str | Policy | None = None,
        budget: Budget | None = None,
        preflight: bool = True,
        options: AskOptions | None = None,
        escalate: Escalate | None = None,
        tell: Tell | None = None,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
    ) -> AskResult:
        """Have the model answer a question from evidence, and release only what stands.

        Give ``evidence``, or a ``retriever`` that finds some. ``policy`` and ``budget`` override
        the engine's. ``preflight`` inspects the question first, ``options`` say how the answer is
        written and repaired. ``escalate``, plain or async, puts to a person what the policy leaves
        to one; without it the case stays open and ``resume`` can settle it later. ``tell`` is
        told each stage and a few words. ``id``, ``metadata`` and ``output_files`` are shown to
        hooks.
        """
        return run_to_end(
            self.aask(
                question,
                evidence,
                retriever=retriever,
                policy=policy,
                budget=budget,
                preflight=preflight,
                options=options,
                escalate=escalate,
                tell=tell,
                id=id,
                metadata=metadata,
                output_files=output_files,
            )
        )

    async def aask(
        self,
        question: str | Question,
        evidence: EvidenceLike = (),
        *,
        retriever: Retriever | None = None,
        policy: str | Policy | None = None,
        budget: Budget | None = None,
        preflight: bool = True,
        options: AskOptions | None = None,
        escalate: Escalate | None = None,
        tell: Tell | None = None,
        run_id: str | None = None,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
    ) -> AskResult:
        """Answer a question in an event loop; the arguments are those of ``ask``.

        The run is recorded under ``run_id`` where one is given.
        """
        from firmground.adapters.local_files import LocalRetriever
        from firmground.compose import answer_prompts
        from firmground.pipeline.ask_plan import AskPlan
        from firmground.revise import Unsupported

        asked_for = _question(question)
        chosen = options or AskOptions()
        pieces = await self._off_loop(partial(evidence_from, evidence, self._readers))
        found_by = retriever or (None if pieces else self._retriever)
        if bool(pieces) == (found_by is not None):
            raise InputError("give either evidence or a retriever")
        overrides = Overrides(policy=policy, tell=tell)
        mode = mode_from_value(chosen.mode)
        prompts = answer_prompts(str(mode) if mode.points else "")
        check = await self._off_loop(partial(self.plan, overrides, prompt=prompts))
        plan = AskPlan(
            check=check,
            model=await self._off_loop(self.answering_model),
            retriever=found_by or LocalRetriever(pieces, limit=chosen.passages),
            retrieval=(
                ("retriever", type(found_by).__name__ if found_by else "passages"),
                *(() if found_by else (("top_k", chosen.passages), ("given", len(pieces)))),
            ),
            can_search_again=found_by is not None,
            preflight=self._preflight(preflight),
            role_model=self._role_model,
            hooks=self._hooks,
            patch=chosen.patch,
            spans=chosen.spans,
            unsupported=Unsupported(chosen.unsupported),
            mode=mode,
            max_tokens=chosen.max_tokens,
            seed=chosen.seed,
            budget=budget or self.settings.budget,
            tell=tell or silent,
            cut_off=self._keep_cut_off,
            escalate=awaited(escalate) if escalate else None,
            id=id,
            metadata=metadata_from_value(metadata),
            output_files=output_files_from_value(output_files),
        )
        return await self._answered(asked_for, plan, pieces, prompts, run_id=run_id)

    def resume(self, run_id: str, ruling: Ruling, **given: Any) -> AskResult:
        """Settle a case that waits for a person, by the id of its run.

        ``ruling`` is what the person decided. ``skip`` releases the best answer, ``abort``
        withholds it, ``replace`` releases the person's own answer, ``retry`` and ``amend`` ask
        again from the same evidence; further arguments are those of ``ask``. The case is read
        from memory, or from the engine's ledger.
        """
        return run_to_end(self.aresume(run_id, ruling, **given))

    async def aresume(self, run_id: str, ruling: Ruling, **given: Any) -> AskResult:
        """Settle a waiting case in an event loop; the arguments are those of ``resume``."""
        from firmground.core.escalation import SETTLING, Choice
        from firmground.pipeline.resume import ruled, waiting_case

        with self._lock:
            waiting = self._waiting.get(run_id)
        case = waiting_case(waiting) if waiting is not None else self._recorded_case(run_id)
        if ruling.choice is Choice.REPLACE:
            request = Request(answer=ruling.answer, evidence=case.evidence, question=case.question)
            checked = await run_check(request, await self._off_loop(self.plan))
            case = replace(case, answer=ruling.answer, findings=checked.findings)
        if ruling.choice in SETTLING:
            settled = await self._settled(ruled(case, ruling, self.policy), silent)
        else:
            question = case.question
            if ruling.choice is Choice.AMEND:
                question = replace(question, text=ruling.prompt)
            given.setdefault("evidence", () if given.get("retriever") else case.evidence)
            settled = await self.aask(question, **given)
        with self._lock:
            self._waiting.pop(run_id, None)
        return settled

    def _recorded_case(self, run_id: str) -> Any:
        from firmground.pipeline.resume import recorded_case

        log = self._log()
        if log is None:
            raise InputError(f"no case of run {run_id} waits, and there is no ledger to read it in")
        return recorded_case(log.run(run_id))

    async def stream(
        self,
        deltas: AsyncIterable[str] | Iterable[str] | None = None,
        *,
        evidence: EvidenceLike,
        question: str | Question | None = None,
        policy: str | Policy | None = None,
        id: str | int = "",
        run_id: str | None = None,
    ) -> AsyncIterator[TextReleased | TextWithheld | StreamFinished]:
        """Release a text that is still being written, each unit only after it was checked.

        ``deltas`` are pieces of the text as a model writes them; without them the engine's model
        answers ``question`` from ``evidence``. A unit is a sentence, list item, table row or code
        block: it comes out as ``TextReleased``, or, after the whole text was checked, as
        ``TextWithheld`` when a rule objects to a claim in it. The last event, ``StreamFinished``,
        has the result for the whole text.
        """
        from firmground.pipeline.stream import deltas_of

        pieces = await self._off_loop(partial(evidence_from, evidence, self._readers))
        asked = question_from_value(question)
        held, plan = await self.hold_back(pieces, question=asked, policy=policy)
        source = deltas_of(deltas) if deltas is not None else self._written(asked, pieces)
        async for delta in source:
            for released in await held.add(delta):
                yield released
        request = Request(answer=held.text, evidence=pieces, question=asked, id=id)
        outcome = await run_check(request, plan)
        for event in held.settle(outcome.findings, outcome.decision):
            yield event
        kept = await akeep(Result.of(outcome), self._log(), run_id=run_id)
        yield StreamFinished(result=kept)

    async def hold_back(
        self,
        evidence: tuple[Evidence, ...],
        *,
        question: Question | None = None,
        policy: str | Policy | None = None,
    ) -> tuple[HoldBack, CheckPlan]:
        """Return what releases a text unit by unit, and the plan for checking it as a whole."""
        from firmground.pipeline.stream import HoldBack

        plan = await self._off_loop(partial(self.plan, Overrides(policy=policy)))
        made = partial(HoldBack, policy=plan.policy, assess=partial(self._assess, plan))
        return made(evidence=evidence, question=question), plan

    async def aretrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return what the engine's retriever finds for a question; nothing when there is none."""
        return () if self._retriever is None else await self._retriever.retrieve(question)

    async def agate(
        self,
        question: str | Question,
        evidence: EvidenceLike,
        *,
        options: Sequence[str] = (),
        answer: str | None = None,
        profile: ProbeProfile | None = None,
    ) -> dict[str, Any]:
        """Measure how far the answer of the engine's model depends on the evidence, and decide.

        Returns what ``firmground gate --json`` prints. ``answer`` is watched instead of its own.
        """
        from firmground.engine.gating import gate

        pieces = await self._off_loop(partial(evidence_from, evidence, self._readers))
        model = await self._off_loop(self.answering_model)
        return await gate(model, _question(question), pieces, options, answer, profile=profile)

    async def _assess(self, plan: CheckPlan, inquiry: Inquiry) -> Any:
        from firmground.pipeline.check import assess_only

        return await assess_only(inquiry, plan)

    async def _written(self, question: Question | None, evidence: Any) -> AsyncIterator[str]:
        """The engine's model, answering piece by piece where it can."""
        from firmground.compose import answer_request
        from firmground.core.ports import StreamingModel

        if question is None:
            raise InputError("stream needs deltas, or a question for the engine's model")
        request = answer_request(question, evidence, guidance=None, max_tokens=None, seed=None)
        model = await self._off_loop(self.answering_model)
        if isinstance(model, StreamingModel):
            async for piece in model.stream(request):
                yield piece
            return
        for text in (await model.complete(request)).texts[:1]:
            yield text

    def evaluate(
        self,
        report: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        regenerate: Regenerate | None = None,
        replan: Replan | None = None,
        budget: Budget | None = None,
        escalate: Escalate | None = None,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
    ) -> Evaluation:
        """Check a report and have it repaired by callbacks of your own, within a budget.

        ``regenerate`` rewrites the report on the same evidence; ``replan`` returns a new report
        and new evidence. Both may be plain or async. ``id``, ``metadata`` and ``output_files`` are
        shown to hooks.
        """
        return run_to_end(
            self.aevaluate(
                report,
                evidence,
                question=question,
                regenerate=regenerate,
                replan=replan,
                budget=budget,
                escalate=escalate,
                id=id,
                metadata=metadata,
                output_files=output_files,
            )
        )

    async def aevaluate(
        self,
        report: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        regenerate: Regenerate | None = None,
        replan: Replan | None = None,
        budget: Budget | None = None,
        escalate: Escalate | None = None,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
    ) -> Evaluation:
        """Check and repair a report in an event loop; the arguments are those of ``evaluate``."""
        from firmground.engine.evaluating import evaluated

        plan = await self._off_loop(self.plan)
        found = await evaluated(
            report,
            evidence_from(evidence, self._readers),
            plan=plan,
            question=question_from_value(question),
            told={
                "id": id,
                "metadata": metadata_from_value(metadata),
                "output_files": output_files_from_value(output_files),
            },
            regenerate=regenerate,
            replan=replan,
            budget=budget or self.settings.budget,
            escalate=awaited(escalate) if escalate else None,
            cut_off=self._keep_cut_off,
        )
        log = self._log()
        if log is None:
            return found
        words = about(found.decision, str(found.decision.verdict))
        return replace(found, receipt=await log.arecord(found.run, **words))


def awaited(escalate: Escalate) -> AskPerson:
    """The same callback, plain or async, as one that is awaited."""

    async def put(case: Escalation) -> Ruling | None:
        given = escalate(case)
        return await given if isawaitable(given) else given

    return put


def _question(question: str | Question) -> Question:
    made = question_from_value(question)
    if made is None:
        raise InputError("question is missing")
    return made
