"""Who was asked how often, with which prompts, and is there anything left to spend?"""

from __future__ import annotations

from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.errors import ModelError


class Purse:
    """Calls that several models share; None is no limit, zero is zero."""

    def __init__(self, calls: int | None = None) -> None:
        self.left = calls

    def take(self) -> None:
        """Take one call out, or refuse."""
        if self.left is None:
            return
        if self.left < 1:
            raise ModelError("the budget of calls is spent", kind="limit")
        self.left -= 1

    def took(self, more: int) -> None:
        """Take out what a call turned out to need beyond the one; there is no debt."""
        if self.left is not None:
            self.left = max(0, self.left - max(0, more))


class Tally:
    """A model that counts: its calls, tokens and cost, and the prompt files behind them."""

    def __init__(self, model: Model, purse: Purse | None = None) -> None:
        self._model = model
        self._purse = purse or Purse()
        self._prompts: dict[tuple[str, str], None] = {}
        self._cost = 0.0
        self._unpriced = False
        self.calls = 0
        self.tokens = 0

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """Name and digest of every prompt file that was used, by name."""
        return tuple(sorted(self._prompts))

    @property
    def cost(self) -> float | None:
        """What was paid; None when the price of a reply is not known."""
        return None if self._unpriced else self._cost

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask and count; a call that fails was made all the same."""
        self._purse.take()
        self.calls += 1
        self._prompts.update(dict.fromkeys(request.prompts))
        try:
            reply = await self._model.complete(request)
        except ModelError:
            raise
        except Exception as error:  # the model may be anybody's code
            raise ModelError(f"{type(error).__name__}: {error}", kind="crashed") from error
        self.calls += max(0, reply.calls - 1)
        self._purse.took(reply.calls - 1)
        self.tokens += reply.tokens_in + reply.tokens_out
        self._unpriced = self._unpriced or reply.cost is None
        self._cost += reply.cost or 0.0
        return reply
