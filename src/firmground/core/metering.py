"""Counts model calls, tokens and cost, and enforces a shared budget of calls."""

from __future__ import annotations

from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.errors import ModelError


class CallBudget:
    """A budget of calls that several models share; None is no limit, zero is zero."""

    def __init__(self, calls: int | None = None) -> None:
        self.left = calls

    def take(self) -> None:
        """Take one call from the budget, or raise ``ModelError``."""
        if self.left is None:
            return
        if self.left < 1:
            raise ModelError("the budget of calls is spent", kind="limit")
        self.left -= 1

    def took(self, more: int) -> None:
        """Take further calls that a reply turned out to need; the budget never becomes negative."""
        if self.left is not None:
            self.left = max(0, self.left - max(0, more))


class MeteredModel:
    """A model that counts its calls, tokens and cost, and the prompt files behind them."""

    def __init__(self, model: Model, call_budget: CallBudget | None = None) -> None:
        self._model = model
        self._purse = call_budget or CallBudget()
        self._prompts: dict[tuple[str, str], None] = {}
        self._cost = 0.0
        self._unpriced = False
        self.calls = 0
        self.tokens = 0
        self._answered: dict[str, None] = {}

    @property
    def answered(self) -> tuple[str, ...]:
        """The model names of the replies, in the order they were first seen."""
        return tuple(self._answered)

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """Name and digest of every prompt file that was used, by name."""
        return tuple(sorted(self._prompts))

    @property
    def cost(self) -> float | None:
        """What was paid; None when the price of a reply is not known."""
        return None if self._unpriced else self._cost

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask and count; a call that fails counts too."""
        self._purse.take()
        self.calls += 1
        self._prompts.update(dict.fromkeys(request.prompts))
        try:
            reply = await self._model.complete(request)
        except ModelError:
            raise
        except Exception as error:  # third-party code may raise anything
            raise ModelError(f"{type(error).__name__}: {error}", kind="crashed") from error
        self.calls += max(0, reply.calls - 1)
        self._purse.took(reply.calls - 1)
        if reply.model:
            self._answered[reply.model] = None
        self.tokens += reply.tokens_in + reply.tokens_out
        self._unpriced = self._unpriced or reply.cost is None
        self._cost += reply.cost or 0.0
        return reply
