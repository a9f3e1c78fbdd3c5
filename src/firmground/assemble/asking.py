"""A question in, an answer that stands or the reasons why not: the whole house in one object."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from firmground.adapters.document import evidence_list, question_from_value
from firmground.adapters.local_files import LocalRetriever
from firmground.assemble.checks import Piece, run_to_end
from firmground.assemble.keeping import Kept, about, opened_ledger
from firmground.assemble.model_checks import ModelChecks
from firmground.assemble.parts import DEFAULT_JUDGE, DEFAULT_POLICY, named_policy, parts_for
from firmground.calibrate import Artefact, Drift, DriftWatch
from firmground.compose import Guidance, answer_prompts, answer_request, spans_request
from firmground.config.calibration import calibrated_policy
from firmground.core.budget import Budget
from firmground.core.canon import Value, pack_text
from firmground.core.escalation import Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Preflight, Support
from firmground.core.ports import Judge, Model, ModelRequest, Retriever
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.core.tally import Tally
from firmground.decide import Policy
from firmground.errors import InputError
from firmground.hooks import HookEngine, Phase
from firmground.pipeline.ask import ask
from firmground.pipeline.asked import Asked
from firmground.pipeline.loop import AskPerson, Draft, Try
from firmground.pipeline.mending import SpanAsk
from firmground.pipeline.way import Way, Weighed
from firmground.preflight import (
    PolicyRefs,
    PreflightSettings,
    check_role,
    look,
    preflight_payload,
    with_role,
)
from firmground.revise import (
    PatchKind,
    Revision,
    Unsupported,
    flagged,
    mend,
    mostly,
    put_in,
    read_replacements,
)

CORRECTABLE = frozenset(
    "number_differs date_differs time_differs identifier_differs name_differs".split()
)
"""Notes that name one value in the answer and the one in the evidence that belongs there."""


_AS_IT_COMES = PreflightSettings()


Escalate = Callable[[Escalation], "Ruling | Awaitable[Ruling | None] | None"]
"""Puts a case to a person and returns their ruling; None when nobody could be asked."""


class Watch:
    """Live support scores, seen the way a calibration saw its own."""

    def __init__(self, artefact: Artefact) -> None:
        self._risky = artefact.score == "risk"
        self._scores = DriftWatch(artefact)

    def see(self, support: Support) -> Drift | None:
        """Take in one answer's scores; None until enough were seen."""
        return self._scores.see(support.risk if self._risky else 1 - support.score)


class Pipeline:
    """Asks a model and lets out only what stands. Safe to use from many tasks at once."""

    def __init__(
        self,
        *,
        model: Model,
        evidence: Piece | Iterable[Piece] = (),
        retriever: Retriever | None = None,
        policy: str | Policy = DEFAULT_POLICY,
        calibration: Artefact | None = None,
        group: str = "",
        budget: Budget | None = None,
        judge: Judge | str = DEFAULT_JUDGE,
        ledger: Kept = None,
        hooks: HookEngine | None = None,
        models: ModelChecks | None = None,
        preflight: bool | PreflightSettings = True,
        role_model: Model | None = None,
        patch: bool = True,
        spans: bool = True,
        unsupported: Unsupported = Unsupported.SPARE,
        passages: int = 8,
        max_tokens: int | None = None,
        seed: int | None = None,
        escalate: Escalate | None = None,
        tell: Callable[[str, str], None] = lambda stage, message: None,
    ) -> None:
        """Take evidence, or a retriever that finds some; ``patch`` mends without the model.

        ``spans`` has the model replace the flagged pieces only; without it, a rewrite is a whole
        new answer. ``unsupported`` says what patching does to a claim it cannot correct.
        ``hooks`` ask the world before and after the answer, ``models`` other models after it;
        ``preflight`` may be its settings; ``role_model`` is asked whether a question that names a
        role fits it, in one call before any other.
        ``escalate`` puts to a person what the policy leaves to one, and may be a plain function or
        a coroutine function; without it such a case stays open and the outcome says so.
        ``ledger`` is an open log or the path of one.
        ``calibration`` puts its threshold in the place of the policy's, and watches for drift.
        """
        pieces = _pieces(evidence)
        if bool(pieces) == (retriever is not None):
            raise InputError("give either evidence or a retriever")
        self._model = model
        self._role_model = role_model
        self._ledger = ledger
        self._retriever = retriever or LocalRetriever(pieces, limit=passages)
        self._searchable = retriever is not None
        self._options = {"max_tokens": max_tokens, "seed": seed}
        self._settings = preflight if isinstance(preflight, PreflightSettings) else _AS_IT_COMES
        rules = policy if isinstance(policy, Policy) else named_policy(policy)
        if calibration is not None:
            rules = calibrated_policy(rules, calibration, group=group)
        self._watch = None if calibration is None else Watch(calibration)
        self._tell = tell
        self._policy_digest = rules.digest
        self._way = Way(
            check=parts_for(
                policy=rules, judge=judge, hooks=hooks, models=models, prompt=answer_prompts()
            ),
            preflight=self._look if preflight else None,
            clauses=self._clauses,
            weigh_role=self._weigh_role if role_model and preflight else None,
            before=partial(hooks.run, phase=Phase.BEFORE) if hooks else None,
            retrieve=self._retrieve,
            compose=self._compose,
            complete=model.complete,
            correct=_correct if patch else None,
            spans=self._spans if spans else None,
            patch=partial(_patch, unsupported) if patch else None,
            drop=partial(_patch, Unsupported.DROP) if patch else None,
            can_search_again=self._searchable,
            budget=budget or Budget(),
            clock=time.monotonic,
            tell=tell,
            cut_off=self._keep_cut_off,
            for_a_person=rules.for_a_person,
            escalate=awaited(escalate) if escalate else None,
        )

    def ask(self, question: str | Question) -> Asked:
        """Answer a question, or say why not."""
        return run_to_end(self.aask(question))

    async def aask(self, question: str | Question) -> Asked:
        """The same for those who are in an event loop already."""
        asked = await ask(_question(question), self._way)
        asked = self._watched(asked)
        if self._ledger is None:
            return asked
        words = about(asked.decision, str(asked.verdict), outcome=asked.label)
        with opened_ledger(self._ledger) as log:
            assert log is not None
            return replace(asked, receipt=await log.arecord(asked.run, **words))

    def _watched(self, asked: Asked) -> Asked:
        """The same with what the watch says; only answers that were scored are seen by it."""
        support = asked.findings.support
        if self._watch is None or support is None:
            return asked
        seen = self._watch.see(support)
        if seen is None or not seen.alarm:
            return asked
        told = (
            f"live scores differ by {seen.distance:.3f} from those calibrated on, "
            f"{seen.allowed:.3f} is chance: the bound no longer holds"
        )
        self._tell("drift", told)
        return replace(asked, drift=told)

    def _look(self, question: Question) -> Preflight:
        return look(question, settings=self._settings)

    async def _weigh_role(self, question: Question, seen: Preflight) -> Weighed:
        assert self._role_model is not None
        tally = Tally(self._role_model)
        said = await check_role(question, model=tally)
        found = said if isinstance(said, Fault) else with_role(seen, said, settings=self._settings)
        return Weighed(found=found, calls=tally.calls, tokens=tally.tokens)

    def _clauses(self, question: Question) -> Value:
        refs = PolicyRefs(governance_policy_hash=self._policy_digest)
        asked = self._role_model is not None and question.role is not None
        clauses: Value = preflight_payload(  # type: ignore[assignment]
            question, settings=self._settings, refs=refs, role_asked=asked
        )
        return clauses

    async def _retrieve(self, question: Question, search: int) -> tuple[Evidence, ...]:
        return await self._retriever.retrieve(question)

    def _compose(
        self, question: Question, evidence: tuple[Evidence, ...], last: Try | None
    ) -> ModelRequest:
        return answer_request(
            question, evidence, guidance=_guidance(last) if last else None, **self._options
        )

    def _spans(self, question: Question, last: Try) -> SpanAsk | None:
        """Ask about the flagged pieces only; None when there are none, or little else."""
        draft, found = last.draft, last.judged.findings
        named = frozenset(at for o in last.judged.decision.objections for at in o.claims)
        pieces = flagged(draft.answer, found.assessments, named)
        if not pieces or mostly(draft.answer, pieces):
            return None
        request = spans_request(
            question,
            draft.evidence,
            guidance=_guidance(last),
            spans=[piece.text for piece in pieces],
            **self._options,
        )

        def put(reply: str) -> tuple[Revision | None, tuple[str, ...]]:
            said = read_replacements(reply, pieces)
            if said is None:
                return None, ("it gave no replacement that could be used",)
            return put_in(draft.answer, pieces, said), said.refused

        return SpanAsk(request=request, put=put, pieces=len(pieces))

    def _keep_cut_off(self, run: Run) -> None:
        with opened_ledger(self._ledger) as log:
            if log is not None:
                log.record(run, label={"decision": "cut_off", "verdict": "could_not_tell"})


def awaited(escalate: Escalate) -> AskPerson:
    """The same callback, plain or not, as one that is awaited."""

    async def put(case: Escalation) -> Ruling | None:
        given = escalate(case)
        return await given if inspect.isawaitable(given) else given

    return put


def _pieces(evidence: Piece | Iterable[Piece]) -> tuple[Evidence, ...]:
    if isinstance(evidence, Iterable) and not isinstance(evidence, str | dict):
        evidence = list(evidence)
        if not evidence:
            return ()
    return tuple(evidence_list(evidence))


def _question(question: str | Question) -> Question:
    made = question_from_value(question)
    if made is None:
        raise InputError("question is missing")
    return made


def _guidance(last: Try) -> Guidance:
    """What a rewrite must know: each objection, and what outside sources advised."""
    decision = last.judged.decision
    told = [f"{o.rule}: {o.reason}" for o in decision.objections]
    for assessment in last.judged.findings.assessments:
        if not assessment.standing.stands:
            told.append(f"{assessment.claim.text!r} is {assessment.standing}: {assessment.reason}")
    for hook in last.judged.findings.hooks:
        advice = getattr(hook, "guidance", "")
        if advice:
            told.append(f"{hook.source} advises: {advice}")
    return Guidance(answer=last.draft.answer, objections=tuple(told))


def _correct(last: Try) -> Draft | None:
    """Put in what the evidence says, if that mends every flagged claim; else None."""
    patched, revision = _mended(last)
    only = all(patch.kind is PatchKind.CORRECT for patch in revision.patches)
    return patched if only else None


def _patch(unsupported: Unsupported, last: Try) -> Draft | None:
    """Mend what can be mended by offsets; None when nothing would be left or changed."""
    return _mended(last, unsupported)[0]


def _mended(
    last: Try, unsupported: Unsupported = Unsupported.SPARE
) -> tuple[Draft | None, Revision]:
    draft = last.draft
    revision = mend(
        draft.answer,
        last.judged.findings.assessments,
        draft.evidence,
        correctable=CORRECTABLE,
        unsupported=unsupported,
        citations=last.judged.findings.citations,
    )
    if not revision.patches or not revision.after.strip():
        return None, revision
    made = _patched(revision.diff)
    mended = Draft(
        answer=revision.after,
        evidence=draft.evidence,
        made=made,
        marks=revision.marks(draft.marks),
        revises=True,
    )
    return mended, revision


def _patched(diff: Sequence[str]) -> Value:
    return {"by": "patch", "patches": [pack_text(line) for line in diff]}
