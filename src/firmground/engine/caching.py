"""Asking by way of the answer cache: the eight dimensions of a question, and the look-up."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firmground.core.canon import Value, canonical, digest, pack_text, plain
from firmground.core.evidence import Evidence
from firmground.core.finding import Spent
from firmground.core.ports import Retriever
from firmground.core.question import Question
from firmground.core.run import AttemptReason, Node, Run, Stage
from firmground.decide import decide
from firmground.engine.ledgers import about
from firmground.ledger.cache import AnswerCache, AnswerSource, CachedAnswer
from firmground.ledger.cache_key import Dimensions
from firmground.ledger.ledger import Ledger
from firmground.ledger.log import StoredRun
from firmground.pipeline.ask import ask
from firmground.pipeline.ask_plan import AskPlan
from firmground.pipeline.ask_result import AskResult
from firmground.pipeline.loop import Attempt, Draft, Judged, Trajectory
from firmground.pipeline.record import listed
from firmground.pipeline.resume import recorded_answer, recorded_best, recorded_evidence
from firmground.pipeline.revive import findings_of, settled_findings

SCHEMA_VERSION, CANONICALIZATION, CHUNKING = "fg1", "nfc-space-1", "passages-1"
_NOT_IN_KEY = frozenset({"score", "retrieved_at"})
"""What a search says of a piece and differs from search to search."""


@dataclass(slots=True, kw_only=True)
class FoundBefore:
    """A retriever that gives what was found already to the first search for the question."""

    question: Question
    found: tuple[Evidence, ...]
    retriever: Retriever
    given: bool = field(default=False)

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return what was found before, once; then search."""
        if not self.given and question == self.question:
            self.given = True
            return self.found
        return await self.retriever.retrieve(question)


def cache_dimensions(
    question: Question, evidence: Sequence[Evidence], plan: AskPlan, prompts: str
) -> Dimensions:
    """Everything an answer depends on; ``prompts`` is the digest of the prompts in use."""
    pieces: list[Value] = []
    for piece in evidence:
        told = listed(piece)
        assert isinstance(told, dict)
        pieces.append({key: value for key, value in told.items() if key not in _NOT_IN_KEY})
    text = " ".join(unicodedata.normalize("NFC", question.text).split())
    role = type(plan.role_model).__name__ if plan.role_model is not None else None
    governance: Value = {
        "check": pack_text(plan.check.settings),
        "retrieval": plain(plan.retrieval),
        "preflight": None if plan.preflight is None else pack_text(repr(plan.preflight)),
        "role_model": role if role is None else pack_text(getattr(plan.role_model, "model", role)),
        "repair": [plan.patch, plan.spans, str(plan.unsupported)],
        "answer_mode": plan.mode.answer_mode,
        "max_tokens": plan.max_tokens,
    }
    conversation: Value = {"question": plain(replace(question, text=text)), "prompts": prompts}
    return Dimensions(
        source_root=_hash("source", pieces),
        question_hash=_hash("question", pack_text(text)),
        model_profile_hash=_hash("model-profile", plan.model_profile),
        conversation_hash=_hash("conversation", conversation),
        governance_policy_hash=_hash("governance", governance),
        schema_version=SCHEMA_VERSION,
        canonicalization_version=CANONICALIZATION,
        chunking_version=CHUNKING,
    )


def _hash(kind: str, value: Value) -> bytes:
    return digest(f"firmground.cache.{kind}", canonical(value, max_bytes=64 << 20))


async def ask_through(
    cache: AnswerCache,
    ledger: Ledger,
    question: Question,
    plan: AskPlan,
    *,
    evidence: tuple[Evidence, ...],
    prompts: str,
    run_id: str | None = None,
) -> AskResult:
    """Serve the answer from the cache, or answer the question and keep it; one call for all.

    Without ``evidence`` it is searched for first, since it is part of the key.
    """
    if not evidence:
        evidence, search = await plan.retriever.retrieve(question), plan.retriever
        found_before = FoundBefore(question=question, found=evidence, retriever=search)
        plan = replace(plan, retriever=found_before)
    dimensions = cache_dimensions(question, evidence, plan, prompts)
    key, made = cache.key(dimensions), list[AskResult]()

    async def compute() -> tuple[Run, Mapping[str, str]]:
        made.append(await ask(question, plan))
        told = about(made[-1].decision, str(made[-1].verdict), outcome=made[-1].label)
        outcome = made[-1].outcome
        bare = {"asserts": "nothing"} if outcome is None or outcome.asserts_nothing else {}
        return made[-1].run, {**told["label"], **bare}

    found = await cache.aget_or_compute(
        dimensions,
        compute,
        allows=_stood,
        policy=bytes.fromhex(plan.check.policy.digest),
        run_id=run_id,
    )
    if isinstance(found, CachedAnswer) and found.source is AnswerSource.CACHE:
        plan.tell("cache", f"the answer is served from the cache, entry {found.seq}")
        stored = found.run
        result = await asyncio.to_thread(_served, stored, question, plan)
    else:
        assert found.seq is not None, "what was computed has its entry"
        result, stored = made[-1], await asyncio.to_thread(ledger.run_at, found.seq)
    receipt = await asyncio.to_thread(ledger.receipt, stored.body.run)
    return replace(result, receipt=receipt, cache_key=key.hex())


def _stood(label: Mapping[str, str]) -> bool:
    """True for an answer that stood by itself: it asserts something, no rule was waived, and no
    person let it out."""
    words = {"decision": "proceed", "verdict": "stands"}
    besides = {"waived", "outcome", "asserts"}
    return words.items() <= label.items() and not besides & label.keys()


def _served(stored: StoredRun, question: Question, plan: AskPlan) -> AskResult:
    """The recorded answer as the result of asking; nothing was spent on it this time."""
    best = recorded_best(stored)
    recorded = findings_of(stored.payload(Stage.VERIFY, attempt=best))
    recorded = settled_findings(recorded, stored.payload(Stage.FINAL_LABEL))
    decision = decide(recorded, plan.check.policy)
    findings = replace(recorded, spent=Spent())
    draft = Draft(
        answer=recorded_answer(stored, best),
        evidence=recorded_evidence(stored, best),
        made={"by": "cache"},
    )
    one = Attempt(
        kind=AttemptReason.FIRST, draft=draft, judged=Judged(findings=findings, decision=decision)
    )
    return AskResult(
        question=question,
        preflight=findings.preflight,
        trajectory=Trajectory(
            tries=(one,), best=0, findings=findings, decision=decision, spent=Spent()
        ),
        findings=findings,
        decision=decision,
        run=_run(stored),
        mode=plan.mode,
        lookup_path="cache",
    )


def _run(stored: StoredRun) -> Run:
    nodes = tuple(
        Node(stage=kept.planned.stage, attempt=kept.planned.attempt, payload=kept.payload or b"")
        for kept in stored.stages
    )
    body = stored.body
    return Run(shape=body.shape, preflight=body.preflight, attempts=body.attempts, nodes=nodes)
