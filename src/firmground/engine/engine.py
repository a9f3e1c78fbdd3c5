"""The engine: long-lived parts built once from settings, and every call that uses them."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from firmground.adapters.document import answer_from_value, mode_from_value, question_from_value
from firmground.config.policies import named_policy
from firmground.config.settings import Settings
from firmground.core import plugins
from firmground.core.budget import Budget
from firmground.core.ports import EvidenceReader, Hook, Inquiry, Judge, Model, Retriever
from firmground.core.question import Question
from firmground.decide import Policy
from firmground.engine.evidence import EvidenceLike, evidence_from, installed_readers
from firmground.engine.ledgers import Kept, about, akeep, keep, opened_ledger
from firmground.engine.model_checks import ModelChecks
from firmground.engine.plans import plan_for
from firmground.engine.result import Result
from firmground.errors import ConfigError, InputError
from firmground.pipeline.check import CheckPlan, check_now, computes_only
from firmground.pipeline.check import check as run_check
from firmground.pipeline.outcome import Outcome
from firmground.pipeline.request import Mode, Request

if TYPE_CHECKING:
    from firmground.calibrate import Artefact, Drift
    from firmground.core.escalation import Escalation, Ruling
    from firmground.core.finding import Support
    from firmground.core.run import Run
    from firmground.engine.many import Failure
    from firmground.hooks import HookEngine, Registered
    from firmground.ledger.ledger import Ledger
    from firmground.pipeline.asked import Asked
    from firmground.pipeline.evaluate import Evaluation
    from firmground.pipeline.loop import AskPerson, Judged
    from firmground.pipeline.stream import TextReleased, TextWithheld
    from firmground.revise import Unsupported

    Escalate = Callable[[Escalation], "Ruling | Awaitable[Ruling | None] | None"]
    Regenerate = Callable[[str, Judged], "str | Awaitable[str]"]
    Replan = Callable[[str, Any, Judged], Any]

_T = TypeVar("_T")
Tell = Callable[[str, str], None]
_MOST_WAITING = 1000
"""So many open cases are remembered; older ones are read from the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What one call uses instead of the engine's own; None keeps the engine's."""

    policy: str | Policy | None = None
    judge: Judge | str | None = None
    hooks: HookEngine | None = None
    models: ModelChecks | None = None
    ledger: Kept = None
    tell: Tell | None = None


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
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFinished:
    """The end of a stream: the result for the whole text."""

    result: Result


class Engine:
    """Checks answers and answers questions; built once and shared by threads and tasks.

    Weights are loaded once, computing runs in a bounded number of threads and never on the event
    loop, the ledger and the model clients are opened when first needed and closed with the engine.
    Evidence, question, policy, callbacks, deadline and budget belong to each call.

    >>> with Engine(judge="lexical") as engine:
    ...     result = engine.check("It opened in 1952.", "It opened in 1932.")
    >>> result.stands
    False
    """

    def __init__(
        self,
        settings: Settings | Path | str | None = None,
        *,
        policy: str | Policy | None = None,
        judge: str | Judge | None = None,
        ledger: Kept = None,
        signer: Path | str | None = None,
        hooks: HookEngine | Iterable[Hook | Registered] | None = None,
        models: ModelChecks | None = None,
        model: Model | None = None,
        retriever: Retriever | None = None,
        readers: Iterable[EvidenceReader] = (),
        role_model: Model | None = None,
        calibration: Artefact | None = None,
        calibration_group: str = "",
        budget: Budget | None = None,
        threads: int | None = None,
    ) -> None:
        """Build an engine from settings, or the path of a settings file; arguments override them.

        ``policy`` and ``judge`` are names or objects. ``ledger`` is a path or an open ledger,
        ``signer`` its key file. ``hooks`` are external checks, ``models`` what is asked of models
        about an answer. ``model`` writes answers for ``ask``, ``retriever`` finds evidence for
        them, ``role_model`` is asked whether a question fits its role. ``readers`` turn further
        kinds of values into evidence. ``calibration`` replaces the policy's threshold, for the
        group ``calibration_group``, and watches for drift. ``budget`` limits one question, and
        ``threads`` how many checks compute at once.
        """
        base = settings if isinstance(settings, Settings) else _settings(settings)
        self.settings = replace(
            base,
            policy=base.policy if policy is None else policy,
            judge=base.judge if judge is None else judge,
            budget=base.budget if budget is None else budget,
            threads=base.threads if threads is None else threads,
        )
        self._ledger_at: Kept = ledger if ledger is not None else self.settings.ledger
        self._signer = signer if signer is not None else self.settings.signer
        rules = self.settings.policy
        rules = rules if isinstance(rules, Policy) else named_policy(rules)
        self._watch: _Watch | None = None
        if calibration is not None:
            from firmground.config.calibration import calibrated_policy

            rules = calibrated_policy(rules, calibration, group=calibration_group)
            self._watch = _Watch(calibration)
        self.policy = rules
        self._hooks = self._hook_engine(hooks)
        self._models, self._model, self._role_model = models, model, role_model
        self._retriever = retriever or self._installed_retriever()
        self._readers = (*readers, *installed_readers())
        self._lock = RLock()
        self._stack = ExitStack()
        self._ledger: Ledger | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._pid = os.getpid()
        self._plans: dict[tuple[object, ...], CheckPlan] = {}
        self._waiting: OrderedDict[str, Asked] = OrderedDict()
        self.closed = False

    def _hook_engine(
        self, given: HookEngine | Iterable[Hook | Registered] | None
    ) -> HookEngine | None:
        if given is None:
            from firmground.engine.hook_settings import hooks_from

            return hooks_from(self.settings) if self.settings.hooks or self.settings.file else None
        from firmground.hooks import HookEngine, Registered

        if isinstance(given, HookEngine):
            return given
        return HookEngine(
            [one if isinstance(one, Registered) else Registered(hook=one) for one in given]
        )

    def _installed_retriever(self) -> Retriever | None:
        if self.settings.retriever is None:
            return None
        made = plugins.load("retrievers", self.settings.retriever)
        options = dict(self.settings.retriever_options)
        found: Retriever = made(**options) if isinstance(made, type) or options else made
        return found

    # --- life ---------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._require_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Finish what is computing, close the model clients, sign and close the ledger."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            pool, self._pool = self._pool, None
        if pool is not None and self._pid == os.getpid():
            pool.shutdown(wait=True)
        self._stack.close()

    def _require_open(self) -> None:
        if self.closed:
            raise InputError("the engine is closed")

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            self._require_open()
            if self._pool is None or self._pid != os.getpid():  # threads do not survive a fork
                self._pid = os.getpid()
                self._pool = ThreadPoolExecutor(
                    self.settings.threads, thread_name_prefix="firmground"
                )
            return self._pool

    async def _off_loop(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads(), work)

    def _log(self) -> Ledger | None:
        """The engine's ledger, opened when it is first needed."""
        if self._ledger_at is None and self._signer is None:
            return None
        with self._lock:
            self._require_open()
            if self._ledger is None:
                opened = opened_ledger(self._ledger_at, self._signer)
                self._ledger = self._stack.enter_context(opened)
            return self._ledger

    @contextmanager
    def _keeping(self, override: Kept) -> Iterator[Ledger | None]:
        if override is None:
            yield self._log()
            return
        with opened_ledger(override) as log:
            yield log

    # --- plans --------------------------------------------------------------------------------

    def plan(self, overrides: Overrides | None = None, *, prompt: str = "") -> CheckPlan:
        """Return the stages of a check under the engine's parts and a call's overrides."""
        self._require_open()
        over = overrides or Overrides()
        policy = self.policy if over.policy is None else over.policy
        judge = self.settings.judge if over.judge is None else over.judge
        hooks = self._hooks if over.hooks is None else over.hooks
        models = self._model_checks() if over.models is None else over.models
        if models is not None and over.tell is not None:
            models = replace(models, tell=over.tell)
        rules = policy if isinstance(policy, Policy) else named_policy(policy)
        named = isinstance(judge, str) and models is None
        key = (rules.name, rules.digest, judge, id(hooks), prompt)
        if named and key in self._plans:
            return self._plans[key]
        made = plan_for(
            policy=rules,
            judge=judge,
            hooks=hooks,
            models=models,
            prompt=prompt,
            off_loop=self._off_loop,
        )
        if named and hooks is self._hooks:
            self._plans[key] = made
        return made

    def _model_checks(self) -> ModelChecks | None:
        """What settings ask of models, with clients that the engine owns."""
        wanted = self.settings.models
        if self._models is not None or wanted is None:
            return self._models
        if not (wanted.judge or wanted.probe or wanted.consensus):
            return None
        with self._lock:
            if self._models is None:
                from firmground.engine.models import opened_checks

                home = self._home()
                opened = opened_checks(wanted, wrap=home.owned)
                self._models = home.run(home.stack.enter_async_context(opened))
            return self._models

    def _answering_model(self) -> Model:
        """The model that writes answers: the one given, or the generator in the settings."""
        with self._lock:
            if self._model is None:
                stated = self.settings.models
                places = stated.use if stated else ()
                named = [p for p in places if stated and p.name == stated.generator] or [*places]
                if not named:
                    raise ConfigError(
                        "no model answers questions: give Engine(model=…), or a table "
                        "[[models.use]] in the settings file"
                    )
                from firmground.engine.models import model_at

                home = self._home()
                client = home.run(home.stack.enter_async_context(model_at(named[0])))
                self._model = home.owned(client)
            return self._model

    def _home(self) -> Any:
        """The event loop in which the engine's own clients live."""
        from firmground.engine.clients import LoopThread

        if not hasattr(self, "_clients"):
            self._clients = LoopThread()
            self._stack.callback(self._clients.close)
        return self._clients

    # --- check --------------------------------------------------------------------------------

    def request(
        self,
        answer: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        mode: Mode | str = Mode.PROSE,
        id: str | int = "",
    ) -> Request:
        """Read what a caller handed in; errors name what is wrong and what would be accepted."""
        return Request(
            answer=answer_from_value(answer),
            evidence=evidence_from(evidence, self._readers),
            question=question_from_value(question),
            mode=mode_from_value(mode),
            id=id,
        )

    def check(
        self,
        answer: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        policy: str | Policy | None = None,
        mode: Mode | str = Mode.PROSE,
        id: str | int = "",
        deadline_seconds: float | None = None,
        budget: Budget | None = None,
        tell: Tell | None = None,
    ) -> Result:
        """Check whether an answer stands on its evidence; blocks until it is known.

        ``policy`` overrides the engine's. After ``deadline_seconds`` checks that are not finished
        become faults. ``budget`` limits the calls to models, and ``tell`` is told what is asked of
        them. The other arguments are those of ``firmground.check``.
        """
        return self.check_with(
            Overrides(policy=policy, tell=tell),
            answer,
            evidence,
            question=question,
            mode=mode,
            id=id,
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
            outcome = self._outside_loop(partial(check_now, request, plan))
        else:
            calls = None if budget is None else budget.model_calls
            outcome = run_to_end(
                run_check(request, plan, calls_left=calls, seconds=deadline_seconds)
            )
        with self._keeping(overrides.ledger) as log:
            return keep(Result.of(outcome), log)

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
            return await akeep(Result.of(outcome), log)

    def _outside_loop(self, work: Callable[[], Outcome]) -> Outcome:
        """Compute in this thread, or in another where an event loop runs in this one."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work()
        return self._threads().submit(work).result()

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
        policy = self.policy if overrides.policy is None else overrides.policy
        self.plan(overrides)  # an unknown name is the caller's mistake, not the first row's
        with self._keeping(overrides.ledger) as log:
            for found in check_rows(rows, policy=policy, judge=judge, workers=workers):
                yield keep(Result.of(found), log) if isinstance(found, Outcome) else found

    # --- ask ----------------------------------------------------------------------------------

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
    ) -> Asked:
        """Have the model answer a question from evidence, and release only what stands.

        Give ``evidence``, or a ``retriever`` that finds some. ``policy`` and ``budget`` override
        the engine's. ``preflight`` inspects the question first, ``options`` say how the answer is
        written and repaired. ``escalate``, plain or async, puts to a person what the policy leaves
        to one; without it the case stays open and ``resume`` can settle it later. ``tell`` is
        told each stage and a few words.
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
    ) -> Asked:
        """Answer a question in an event loop; the arguments are those of ``ask``."""
        from firmground.adapters.local_files import LocalRetriever
        from firmground.compose import answer_prompts
        from firmground.pipeline.ask import ask
        from firmground.pipeline.ask_plan import AskPlan
        from firmground.revise import Unsupported

        asked_for = _question(question)
        chosen = options or AskOptions()
        pieces = await self._off_loop(partial(evidence_from, evidence, self._readers))
        found_by = retriever or (None if pieces else self._retriever)
        if bool(pieces) == (found_by is not None):
            raise InputError("give either evidence or a retriever")
        overrides = Overrides(policy=policy, tell=tell)
        check = await self._off_loop(partial(self.plan, overrides, prompt=answer_prompts()))
        plan = AskPlan(
            check=check,
            model=await self._off_loop(self._answering_model),
            retriever=found_by or LocalRetriever(pieces, limit=chosen.passages),
            can_search_again=found_by is not None,
            preflight=self.settings.preflight if preflight else None,
            role_model=self._role_model,
            hooks=self._hooks,
            patch=chosen.patch,
            spans=chosen.spans,
            unsupported=Unsupported(chosen.unsupported),
            max_tokens=chosen.max_tokens,
            seed=chosen.seed,
            budget=budget or self.settings.budget,
            tell=tell or _silent,
            cut_off=self._keep_cut_off,
            escalate=awaited(escalate) if escalate else None,
        )
        return await self._settled(await ask(asked_for, plan), tell or _silent)

    async def _settled(self, asked: Asked, tell: Tell) -> Asked:
        asked = self._watched(asked, tell)
        log = self._log()
        if log is not None:
            words = about(asked.decision, str(asked.verdict), outcome=asked.label)
            asked = replace(asked, receipt=await log.arecord(asked.run, **words))
        if asked.escalation is not None:
            with self._lock:
                self._waiting[asked.run_id or asked.root] = asked
                while len(self._waiting) > _MOST_WAITING:
                    self._waiting.popitem(last=False)
        return asked

    def _watched(self, asked: Asked, tell: Tell) -> Asked:
        """The same with what the drift watch says; only answers that were scored are counted."""
        support = asked.findings.support
        if self._watch is None or support is None:
            return asked
        with self._lock:
            seen = self._watch.see(support)
        if seen is None or not seen.alarm:
            return asked
        told = (
            f"live scores differ by {seen.distance:.3f} from those calibrated on, "
            f"{seen.allowed:.3f} is chance: the bound no longer holds"
        )
        tell("drift", told)
        return replace(asked, drift=told)

    def _keep_cut_off(self, run: Run) -> None:
        log = self._log()
        if log is not None:
            log.record(run, label={"decision": "cut_off", "verdict": "could_not_tell"})

    def resume(self, run_id: str, ruling: Ruling, **given: Any) -> Asked:
        """Settle a case that waits for a person, by the id of its run.

        ``ruling`` is what the person decided. ``skip`` releases the best answer, ``abort``
        withholds it, ``retry`` and ``amend`` ask again from the same evidence; further arguments
        are those of ``ask``. The case is read from memory, or from the engine's ledger.
        """
        return run_to_end(self.aresume(run_id, ruling, **given))

    async def aresume(self, run_id: str, ruling: Ruling, **given: Any) -> Asked:
        """Settle a waiting case in an event loop; the arguments are those of ``resume``."""
        from firmground.core.escalation import Choice
        from firmground.pipeline.resume import ruled, waiting_case

        with self._lock:
            waiting = self._waiting.get(run_id)
        case = waiting_case(waiting) if waiting is not None else self._recorded_case(run_id)
        if ruling.choice in (Choice.SKIP, Choice.ABORT):
            settled = await self._settled(ruled(case, ruling, self.policy), _silent)
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

    # --- stream -------------------------------------------------------------------------------

    async def stream(
        self,
        deltas: AsyncIterable[str] | Iterable[str] | None = None,
        *,
        evidence: EvidenceLike,
        question: str | Question | None = None,
        policy: str | Policy | None = None,
        id: str | int = "",
    ) -> AsyncIterator[TextReleased | TextWithheld | StreamFinished]:
        """Release a text that is still being written, each unit only after it was checked.

        ``deltas`` are pieces of the text as a model writes them; without them the engine's model
        answers ``question`` from ``evidence``. A unit is a sentence, list item, table row or code
        block: it comes out as ``TextReleased``, or as ``TextWithheld`` when a rule objects to a
        claim in it. The last event, ``StreamFinished``, has the result for the whole text.
        """
        from firmground.pipeline.stream import HoldBack, deltas_of

        pieces = await self._off_loop(partial(evidence_from, evidence, self._readers))
        asked = question_from_value(question)
        plan = await self._off_loop(partial(self.plan, Overrides(policy=policy)))
        held = HoldBack(
            evidence=pieces, question=asked, policy=plan.policy, assess=partial(self._assess, plan)
        )
        source = deltas_of(deltas) if deltas is not None else self._written(asked, pieces)
        async for delta in source:
            for event in await held.add(delta):
                yield event
        for event in await held.finish():
            yield event
        request = Request(answer=held.text, evidence=pieces, question=asked, id=id)
        outcome = await run_check(request, plan)
        yield StreamFinished(result=await akeep(Result.of(outcome), self._log()))

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
        model = await self._off_loop(self._answering_model)
        if isinstance(model, StreamingModel):
            async for piece in model.stream(request):
                yield piece
            return
        for text in (await model.complete(request)).texts[:1]:
            yield text

    # --- evaluate -----------------------------------------------------------------------------

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
    ) -> Evaluation:
        """Check a report and have it repaired by callbacks of your own, within a budget.

        ``regenerate`` words the report anew on the same evidence; ``replan`` returns a new report
        and new evidence. Both may be plain or async.
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
    ) -> Evaluation:
        """Check and repair a report in an event loop; the arguments are those of ``evaluate``."""
        from firmground.engine.evaluating import evaluated

        plan = await self._off_loop(self.plan)
        found = await evaluated(
            report,
            evidence_from(evidence, self._readers),
            plan=plan,
            question=question_from_value(question),
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


class _Watch:
    """Live support scores, seen the way a calibration saw its own."""

    def __init__(self, artefact: Artefact) -> None:
        from firmground.calibrate import DriftWatch

        self._risky = artefact.score == "risk"
        self._scores = DriftWatch(artefact)

    def see(self, support: Support) -> Drift | None:
        """Take in one answer's scores; None until enough were seen."""
        return self._scores.see(support.risk if self._risky else 1 - support.score)


def awaited(escalate: Escalate) -> AskPerson:
    """The same callback, plain or async, as one that is awaited."""

    async def put(case: Escalation) -> Ruling | None:
        given = escalate(case)
        return await given if isawaitable(given) else given

    return put


def run_to_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine from plain code, in a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()


def _settings(path: Path | str | None) -> Settings:
    return Settings() if path is None else Settings.load(path)


def _question(question: str | Question) -> Question:
    made = question_from_value(question)
    if made is None:
        raise InputError("question is missing")
    return made


def _silent(stage: str, message: str) -> None:
    pass
