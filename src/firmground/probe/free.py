"""Free answers in one arm: several draws, gathered by what they state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from firmground.core.decline import declines
from firmground.core.ports import ModelRequest
from firmground.errors import ModelError
from firmground.probe.asking import CountingModel, PromptText, asked
from firmground.probe.belief import Belief
from firmground.probe.profile import ProbeProfile
from firmground.probe.sameness import same_by_model, same_words, short_answer


async def free_draws(
    asker: CountingModel, *, question: str, evidence: PromptText, profile: ProbeProfile
) -> tuple[str, ...] | ModelError:
    """The short answers of one arm; one that was declined is empty."""
    prompt = asked("free.v1", evidence=evidence, question=question)
    request = ModelRequest(
        messages=prompt.messages,
        prompts=prompt.prompts,
        temperature=profile.temperature,
        max_tokens=profile.max_tokens,
        samples=profile.samples,
        seed=profile.seed,
    )
    reply = await asker.ask(request)
    if isinstance(reply, ModelError):
        return reply
    return tuple("" if declines(text) else short_answer(text) for text in reply.texts)


def grouped(answers: Sequence[str], question: str) -> dict[str, str]:
    """Name each answer after the first, most frequent one that states the same."""
    names: dict[str, str] = {}
    for answer, _ in Counter(answer for answer in answers if answer).most_common():
        same = (name for name in names.values() if same_words(answer, name, question))
        names[answer] = next(same, answer)
    return names


async def merged_by_model(
    asker: CountingModel, names: Mapping[str, str], target: str, question: str, *, seed: int
) -> dict[str, str] | ModelError:
    """Let a model say which of the other groups state the target after all."""
    decided: dict[str, str] = {}
    for name in dict.fromkeys(names.values()):
        if name == target:
            decided[name] = target
            continue
        verdict = await same_by_model(asker, question, target, name, seed=seed)
        if isinstance(verdict, ModelError):
            return verdict
        decided[name] = target if verdict else name
    return {answer: decided[name] for answer, name in names.items()}


def belief_from(draws: Sequence[str], names: Mapping[str, str]) -> Belief:
    """Shares of the groups among all draws, declined ones included in the whole."""
    counts = Counter(names[answer] for answer in draws if answer)
    return Belief(
        shares=tuple((name, count / len(draws)) for name, count in counts.most_common()),
        draws=len(draws),
    )
