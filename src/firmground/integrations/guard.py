"""What the integrations share: a check with fixed parts, and words about its result."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from firmground.errors import AnswerWithheld

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result

T = TypeVar("T")
NO_EVIDENCE = "No document was retrieved and no tool returned a result."
"""Takes the place of empty evidence: a greeting passes, a claim does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks answers with one engine and one policy.

    ``engine`` is by default the one that ``firmground.check`` uses, ``policy`` the engine's own.
    """

    engine: Engine | None = None
    policy: str | Policy | None = None

    def shared_engine(self) -> Engine:
        """Return the engine, or the default one."""
        from firmground.engine import default_engine

        return self.engine or default_engine()

    def check(self, answer: str, evidence: Any, question: str | None = None) -> Result:
        """Check an answer; without any evidence only an answer that claims nothing stands."""
        return self.shared_engine().check(
            answer, some(evidence), question=question or None, policy=self.policy
        )

    async def acheck(self, answer: str, evidence: Any, question: str | None = None) -> Result:
        """Check an answer without holding up the event loop."""
        return await self.shared_engine().acheck(
            answer, some(evidence), question=question or None, policy=self.policy
        )

    async def released(
        self,
        deltas: AsyncIterable[str] | Iterable[str],
        evidence: Any,
        question: str | None = None,
    ) -> AsyncIterator[str]:
        """Yield a text that is being written sentence by sentence, each after it was checked.

        Sentences that fail are left out. At the end ``AnswerWithheld`` is raised when the whole
        answer is not released.
        """
        from firmground.engine import StreamFinished
        from firmground.pipeline.stream import TextReleased

        async for event in self.shared_engine().stream(
            deltas, evidence=some(evidence), question=question or None, policy=self.policy
        ):
            if isinstance(event, TextReleased):
                yield event.text
            elif isinstance(event, StreamFinished):
                require_released(event.result)


def some(evidence: Any) -> Any:
    """Return the evidence, or a piece that says there is none."""
    if isinstance(evidence, Sequence) and not isinstance(evidence, str):
        evidence = [one for one in evidence if not isinstance(one, str) or one.strip()]
    elif isinstance(evidence, str):
        evidence = evidence.strip() and evidence
    empty = evidence is None or (isinstance(evidence, str | Sequence) and not evidence)
    return [NO_EVIDENCE] if empty else evidence


def explain(result: Result) -> str:
    """Say in lines what is wrong with an answer: claims with spans, quotes and objections."""
    verdict = str(result.verdict).replace("_", " ")
    lines = [f"the answer {verdict}: support {result.support:.2f}, risk {result.risk:.2f}"]
    for claim in result.problems:
        lines.append(f"answer[{claim.start}:{claim.end}] {claim.standing}: {claim.text!r}")
        lines.append(f"    {claim.reason} (confidence {claim.confidence:.2f}, {claim.code})")
        lines += [
            f"    evidence {quote.evidence_id[:13]}[{quote.start}:{quote.end}]: {quote.text!r}"
            for quote in claim.evidence
        ]
    lines += [f"rule {one.rule}: {one.reason}" for one in result.decision.objections]
    lines += [f"rule {one.rule} (waived): {one.reason}" for one in result.decision.waived]
    lines += [f"fault {one.source}: {one.message}" for one in result.findings.faults]
    return "\n".join(lines)


def feedback(result: Result) -> str:
    """Say to the model that wrote the answer what to change."""
    lines = ["Your answer is not supported by the evidence. Correct or leave out these statements:"]
    for claim in result.problems:
        found = "; ".join(f'"{quote.text}"' for quote in claim.evidence)
        lines.append(
            f"- {claim.text} ({claim.reason}{f' The evidence says: {found}' * bool(found)})"
        )
    if not result.problems:
        lines += [f"- {one.reason}" for one in result.decision.objections]
    lines.append("State only what the evidence says, and say so where it does not answer.")
    return "\n".join(lines)


def require_released(result: Result) -> Result:
    """Return the result, or raise ``AnswerWithheld`` when the answer may not be released."""
    if not result.decision.released:
        raise AnswerWithheld(explain(result), result)
    return result


def iterate(source: AsyncIterator[T]) -> Iterator[T]:
    """Iterate an async iterator from blocking code, inside or outside of an event loop."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    context, loop = copy_context(), asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as thread:

        def run(work: Any) -> Any:
            return thread.submit(context.run, loop.run_until_complete, work).result()

        try:
            while True:
                try:
                    one = run(_next(source))
                except StopAsyncIteration:
                    return
                yield one
        finally:
            run(_closed(source))
            loop.close()


async def _next(source: AsyncIterator[T]) -> T:
    return await anext(source)


async def _closed(source: Any) -> None:
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()
