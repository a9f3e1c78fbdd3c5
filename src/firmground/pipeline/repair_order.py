"""The order in which ways to repair a flagged answer are tried: cheapest and narrowest first.

First corrections that other models voted for; then corrections from the evidence, at no cost;
then a model, asked about the flagged pieces only; then patches without a model, narrow before
broad. Each way is tried once on the same answer. When none is left, the whole answer is rewritten.
Calls without a usable reply are recorded with the attempt they led to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from firmground.core.canon import Value, pack_text
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.errors import ModelError
from firmground.pipeline.loop import Attempt, Draft
from firmground.revise.patch import Revision

Patch = Callable[[Attempt], Draft | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRepairRequest:
    """What is asked about the flagged pieces of one answer, and how the reply is put in."""

    request: ModelRequest
    put: Callable[[str], tuple[Revision | None, tuple[str, ...]]]
    """Reply -> the revision, None when it cannot be read; and what of it was not taken."""
    pieces: int


Spans = Callable[[Question, Attempt], SpanRepairRequest | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WastedCall:
    """A call whose reply could not be used; it counts towards the budget."""

    why: str
    made: Value
    tokens: int


@dataclass(slots=True, kw_only=True)
class Repairer:
    """The ways to repair one question's answers, and which were tried on which."""

    correct: Patch | None
    spans: Spans | None
    patch: Patch | None
    drop: Patch | None
    complete: Callable[[ModelRequest], Awaitable[ModelReply]]
    tell: Callable[[str, str], None]
    voted: Patch | None = None
    owed: tuple[WastedCall, ...] = ()
    tried: set[tuple[str, str]] = field(default_factory=set)

    async def repair(self, question: Question, last: Attempt) -> Draft | None:
        """The answer with its flagged pieces repaired; None when no way is left."""
        if self._first("voted", last) and (draft := self._patched(self.voted, last)):
            return self.settle(draft)
        if self._first("correct", last) and (draft := self._patched(self.correct, last)):
            return self.settle(draft)
        failed: ModelError | TimeoutError | None = None
        if self._first("spans", last) and self.spans and (ask := self.spans(question, last)):
            try:
                if draft := await self._asked(ask, last):
                    return self.settle(draft)
            except (ModelError, TimeoutError) as error:
                failed = error
                self._owe(f"the model failed: {error or 'no reply in time'}", None, 0)
        if self._first("patch", last) and (draft := self._patched(self.patch, last)):
            return self.settle(draft)
        if self._first("drop", last) and (draft := self._patched(self.drop, last)):
            return self.settle(draft)
        if failed is not None:
            self.owed = ()
            raise failed
        return None

    def settle(self, draft: Draft) -> Draft:
        """The same draft with the wasted calls on the way to it."""
        owed, self.owed = self.owed, ()
        if not owed:
            return draft
        made = draft.made if isinstance(draft.made, dict) else {"by": draft.made}
        vain: list[Value] = [{"why": pack_text(one.why), "asked": one.made} for one in owed]
        return replace(
            draft,
            made={**made, "in_vain": vain},
            model_calls=draft.model_calls + len(owed),
            tokens=draft.tokens + sum(one.tokens for one in owed),
        )

    def unchanged(self, last: Attempt) -> Draft:
        """The same answer, when nothing more may be asked about it."""
        same = replace(last.draft, made={"by": "nobody"}, model_calls=0, tokens=0, revises=True)
        return self.settle(same)

    def _first(self, way: str, last: Attempt) -> bool:
        key = (way, last.draft.answer)
        new = key not in self.tried
        self.tried.add(key)
        return new

    def _patched(self, patch: Patch | None, last: Attempt) -> Draft | None:
        draft = patch(last) if patch else None
        if draft is None or draft.answer == last.draft.answer:
            return None
        self.tell("revise", "patched what was flagged")
        return draft

    async def _asked(self, ask: SpanRepairRequest, last: Attempt) -> Draft | None:
        self.tell("revise", f"asking the model about {ask.pieces} flagged piece(s)")
        reply = await self.complete(ask.request)
        tokens = reply.tokens_in + reply.tokens_out
        text = reply.texts[0] if reply.texts else ""
        revision, refused = ask.put(text)
        made = {**made_by_model(ask.request, reply), "by": "spans", "reply": pack_text(text)}
        why = "; ".join(refused)
        if revision is None or not revision.after.strip() or not revision.patches:
            why = why or "it would change nothing, or leave nothing"
            self.tell("revise", f"the reply cannot be used: {why}")
            self._owe(f"the reply cannot be used: {why}", made, tokens)
            return None
        self.tell("revise", f"replaced {len(revision.patches)} of {ask.pieces} flagged piece(s)")
        return Draft(
            answer=revision.after,
            evidence=last.draft.evidence,
            made={
                **made,
                "patches": [pack_text(line) for line in revision.diff],
                "not_taken": pack_text(why),
            },
            model_calls=1,
            tokens=tokens,
            marks=revision.marks(last.draft.marks),
            revises=True,
        )

    def _owe(self, why: str, made: Value, tokens: int) -> None:
        self.owed = (*self.owed, WastedCall(why=why, made=made, tokens=tokens))


def made_by_model(request: ModelRequest, reply: ModelReply) -> dict[str, Value]:
    """What goes into the record about a call: exactly what was sent, and to whom."""
    return {
        "by": "model",
        "model": pack_text(reply.model),
        "messages": [{"role": role, "content": pack_text(text)} for role, text in request.messages],
        "temperature": f"{request.temperature:.6f}",
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "prompts": [[name, digest] for name, digest in request.prompts],
    }
