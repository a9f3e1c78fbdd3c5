"""The long-lived parts of an engine: settings, threads, ledger, model clients, plans."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from firmground.adapters.document import (
    answer_from_value,
    metadata_from_value,
    mode_from_value,
    output_files_from_value,
    question_from_value,
    tool_calls_from_value,
)
from firmground.config.cache import CacheSettings
from firmground.config.policies import named_policy
from firmground.config.settings import Settings
from firmground.core import plugins
from firmground.core.budget import Budget
from firmground.core.ports import EvidenceReader, Hook, Judge, Model, Retriever
from firmground.core.question import Question
from firmground.core.scoring import Scoring
from firmground.decide import Policy
from firmground.engine.evidence import EvidenceLike, evidence_from, installed_readers
from firmground.engine.ledgers import Kept, about, opened_ledger
from firmground.engine.model_checks import ModelChecks
from firmground.engine.plans import plan_for
from firmground.errors import ConfigError, InputError
from firmground.pipeline.check import Around, CheckPlan
from firmground.pipeline.request import Mode, Request

if TYPE_CHECKING:
    from firmground.calibrate import Artefact, Drift
    from firmground.core.escalation import Escalation, Ruling
    from firmground.core.evidence import Evidence
    from firmground.core.finding import Support
    from firmground.core.run import Run
    from firmground.engine.clients import LoopThread
    from firmground.hooks import HookEngine, Registered
    from firmground.ledger.cache import AnswerCache
    from firmground.ledger.ledger import Ledger
    from firmground.pipeline.ask_plan import AskPlan
    from firmground.pipeline.ask_result import AskResult
    from firmground.pipeline.loop import Judged
    from firmground.preflight import PreflightSettings

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
    run_id: str | None = None
    """The id under which the run is recorded; None for a new one."""


class EngineParts:
    """What an engine is built from and owns; ``Engine`` adds the calls."""

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
        scoring: Scoring | None = None,
        cache: CacheSettings | None = None,
        around: Around = nullcontext,
    ) -> None:
        """Build an engine from settings, or the path of a settings file; arguments override them.

        ``policy`` and ``judge`` are names or objects. ``ledger`` is a path or an open ledger,
        ``signer`` its key file. ``hooks`` are external checks, ``models`` what is asked of models
        about an answer. ``model`` writes answers for ``ask``, ``retriever`` finds evidence for
        them, ``role_model`` is asked whether a question fits its role. ``readers`` turn further
        kinds of values into evidence. ``calibration`` replaces the policy's threshold, for the
        group ``calibration_group``, and watches for drift. ``budget`` limits one question, and
        ``threads`` how many checks compute at once. ``scoring`` replaces the policy's parameters of
        the support score. ``cache`` serves answers that stood from the ledger.
        ``around`` is given the name of each stage and returns a context manager that is entered
        around it: the place for spans of a tracer.
        """
        base = settings if isinstance(settings, Settings) else _settings(settings)
        self.settings = replace(
            base,
            policy=base.policy if policy is None else policy,
            judge=base.judge if judge is None else judge,
            budget=base.budget if budget is None else budget,
            threads=base.threads if threads is None else threads,
            cache=base.cache if cache is None else cache,
        )
        self._ledger_at: Kept = ledger if ledger is not None else self.settings.ledger
        self._signer = signer if signer is not None else self.settings.signer
        if self.settings.cache is not None and self._ledger_at is None:
            raise ConfigError("a cache of answers needs a ledger: give ledger=…, or [ledger] file")
        rules = self.settings.policy
        rules = rules if isinstance(rules, Policy) else named_policy(rules)
        self._scoring, self._around = scoring, around
        rules = self._scored(rules)
        self._watch: _ScoreMonitor | None = None
        if calibration is not None:
            from firmground.config.calibration import calibrated_policy

            rules = calibrated_policy(rules, calibration, group=calibration_group)
            self._watch = _ScoreMonitor(calibration)
        self.policy = rules
        self._hooks = self._hook_engine(hooks)
        self._models, self._role_model = models, role_model
        stated = self.settings
        self._model: Model | None = model or _installed(
            "models", stated.model, stated.model_options
        )
        self._retriever: Retriever | None = retriever or _installed(
            "retrievers", stated.retriever, stated.retriever_options
        )
        self._readers = (*readers, *installed_readers())
        self._lock = RLock()
        self._stack = ExitStack()
        self._ledger: Ledger | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._clients: LoopThread | None = None
        self._pid = os.getpid()
        self._plans: dict[tuple[object, ...], CheckPlan] = {}
        self._waiting: OrderedDict[str, AskResult] = OrderedDict()
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
        here = copy_context()  # so that a tracer's current span is known in the thread
        return await asyncio.get_running_loop().run_in_executor(self._threads(), here.run, work)

    @property
    def ledger(self) -> Ledger | None:
        """The engine's ledger, opened when it is first needed; None when runs are not kept."""
        return self._log()

    def _log(self) -> Ledger | None:
        if self._ledger_at is None and self._signer is None:
            return None
        with self._lock:
            self._require_open()
            if self._ledger is None:
                store = self.settings.store
                opened = opened_ledger(
                    self._ledger_at,
                    self._signer,
                    store=store,
                    witnesses=self.settings.witnesses if self._signer is not None else (),
                )
                self._ledger = self._stack.enter_context(opened)
            return self._ledger

    @contextmanager
    def _keeping(self, override: Kept) -> Iterator[Ledger | None]:
        if override is None:
            yield self._log()
            return
        with opened_ledger(override) as log:
            yield log

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
        rules = policy if isinstance(policy, Policy) else self._scored(named_policy(policy))
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
            around=self._around,
        )
        if named and hooks is self._hooks:
            self._plans[key] = made
        return made

    def _preflight(self, wanted: bool) -> PreflightSettings | None:
        """How questions are inspected; None when the call or the settings switch that off."""
        stated = self.settings.preflight
        return None if not wanted or stated.enabled is False else stated

    def _cached(self, check: CheckPlan) -> tuple[AnswerCache, Ledger] | None:
        """The cache of answers and its log; None without one, and where hooks must be asked."""
        wanted, log = self.settings.cache, self._log()
        hooks = self._hooks is not None or any(one.name == "hooks" for one in check.stages)
        if wanted is None or log is None or hooks:
            return None
        from firmground.ledger.cache import AnswerCache
        from firmground.ledger.cache_key import Tenant

        tenant = Tenant(name=wanted.tenant, key=wanted.key)
        return AnswerCache(log, tenant, unvouched=wanted.unvouched), log

    def _scored(self, policy: Policy) -> Policy:
        """The policy with the engine's own parameters of the support score, if it has any."""
        return policy if self._scoring is None else replace(policy, scoring=self._scoring)

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

    def answering_model(self) -> Model:
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

    def _home(self) -> LoopThread:
        """The event loop in which the engine's own clients live."""
        from firmground.engine.clients import LoopThread

        if self._clients is None:
            self._clients = LoopThread()
            self._stack.callback(self._clients.close)
        return self._clients

    def request(
        self,
        answer: str,
        evidence: EvidenceLike,
        *,
        question: str | Question | None = None,
        mode: Mode | str = Mode.PROSE,
        id: str | int = "",
        metadata: Mapping[str, Any] | None = None,
        output_files: Iterable[Path | str] = (),
        tool_calls: int = 0,
    ) -> Request:
        """Read what a caller handed in; errors name what is wrong and what would be accepted."""
        return Request(
            answer=answer_from_value(answer),
            evidence=evidence_from(evidence, self._readers),
            question=question_from_value(question),
            mode=mode_from_value(mode),
            id=id,
            metadata=metadata_from_value(metadata),
            output_files=output_files_from_value(output_files),
            tool_calls=tool_calls_from_value(tool_calls),
        )

    async def _answered(
        self,
        question: Question,
        plan: AskPlan,
        evidence: tuple[Evidence, ...],
        prompts: str,
        *,
        run_id: str | None,
    ) -> AskResult:
        """Answer a question, by way of the cache where there is one, and keep the run."""
        from firmground.pipeline.ask import ask

        cached = await self._off_loop(partial(self._cached, plan.check))
        if cached is None:
            return await self._settled(await ask(question, plan), plan.tell, run_id=run_id)
        from firmground.engine.caching import ask_through

        asked = await ask_through(
            *cached, question, plan, evidence=evidence, prompts=prompts, run_id=run_id
        )
        return await self._settled(asked, plan.tell)

    async def _settled(
        self, asked: AskResult, tell: Tell, *, run_id: str | None = None
    ) -> AskResult:
        asked = self._watched(asked, tell)
        log = self._log()
        if log is not None and asked.receipt is None:
            words = about(asked.decision, str(asked.verdict), outcome=asked.label)
            words["run_id"] = run_id
            receipt = await log.arecord(asked.run, **words)
            asked = replace(asked, receipt=receipt)
        if asked.escalation is not None:
            with self._lock:
                self._waiting[asked.run_id or asked.root] = asked
                while len(self._waiting) > _MOST_WAITING:
                    self._waiting.popitem(last=False)
        return asked

    def _watched(self, asked: AskResult, tell: Tell) -> AskResult:
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


class _ScoreMonitor:
    """Live support scores, seen the way a calibration saw its own."""

    def __init__(self, artefact: Artefact) -> None:
        from firmground.calibrate import DriftWatch

        self._risky = artefact.score == "risk"
        self._scores = DriftWatch(artefact)

    def see(self, support: Support) -> Drift | None:
        """Take in one answer's scores; None until enough were seen."""
        return self._scores.see(support.risk if self._risky else 1 - support.score)


def _installed(group: str, name: str | None, options: tuple[tuple[str, Any], ...]) -> Any:
    """What an installed package offers under a name; a class or factory is called."""
    if name is None:
        return None
    made = plugins.load(group, name)
    return made(**dict(options)) if isinstance(made, type) or options else made


def _settings(path: Path | str | None) -> Settings:
    return Settings() if path is None else Settings.load(path)


def silent(stage: str, message: str) -> None:
    """Report nothing."""
