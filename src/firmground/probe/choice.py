"""Multiple choice in one arm: every option in every place, so that places cancel out."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.ports import ModelRequest
from firmground.errors import ModelError
from firmground.probe.asking import CountingModel, PromptText, asked
from firmground.probe.belief import Belief, averaged
from firmground.probe.letters import lettered, option_masses, read_choice
from firmground.probe.profile import ProbeProfile

_LETTER_TOKENS = 2
_SENTENCE_TOKENS = 12


def rotations(options: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The cyclic orders: each option stands once in each place."""
    return tuple(tuple(options[i:]) + tuple(options[:i]) for i in range(len(options)))


async def choice_belief(
    asker: CountingModel,
    *,
    question: PromptText,
    evidence: PromptText,
    options: Sequence[str],
    profile: ProbeProfile,
) -> Belief | ModelError:
    """What the model believes about the options when it sees this evidence."""
    orders: list[list[tuple[str, float]]] = []
    drawn = 0
    for order in rotations(options):
        prompt = asked("choice.v1", evidence=evidence, question=question, options=lettered(order))
        readable = profile.top_logprobs > 0 and not drawn
        read = await _read_off(asker, prompt, order, profile) if readable else None
        if isinstance(read, ModelError):
            return read
        if read is None:
            sampled = await _draw(asker, prompt, order, profile)
            if isinstance(sampled, ModelError):
                return sampled
            read, count = sampled
            drawn += count
        table = dict(read)
        orders.append([(option, table[option]) for option in options])
    return averaged(orders, draws=drawn)


async def _read_off(
    asker: CountingModel, prompt: PromptText, order: Sequence[str], profile: ProbeProfile
) -> list[tuple[str, float]] | ModelError | None:
    """Probabilities from logprobs; None when the endpoint offers none that name an option."""
    request = ModelRequest(
        messages=prompt.messages,
        prompts=prompt.prompts,
        max_tokens=_LETTER_TOKENS,
        top_logprobs=profile.top_logprobs,
        seed=profile.seed,
    )
    reply = await asker.ask(request)
    if isinstance(reply, ModelError):
        return reply
    if not reply.logprobs:
        return None
    masses = option_masses(reply.logprobs[0], len(order))
    whole = sum(masses)
    if whole <= 0:
        return None
    return [(option, mass / whole) for option, mass in zip(order, masses, strict=True)]


async def _draw(
    asker: CountingModel, prompt: PromptText, order: Sequence[str], profile: ProbeProfile
) -> tuple[list[tuple[str, float]], int] | ModelError:
    """Frequencies among the replies that name one option; none that does is a failure."""
    request = ModelRequest(
        messages=prompt.messages,
        prompts=prompt.prompts,
        temperature=profile.temperature,
        max_tokens=_SENTENCE_TOKENS,
        samples=profile.samples,
        seed=profile.seed,
    )
    reply = await asker.ask(request)
    if isinstance(reply, ModelError):
        return reply
    chosen = [c for c in (read_choice(text, order) for text in reply.texts) if c is not None]
    if not chosen:
        return ModelError(f"none of {len(reply.texts)} replies names one option", kind="bad_reply")
    return [(option, chosen.count(i) / len(chosen)) for i, option in enumerate(order)], len(chosen)
