"""The HTTP client below the adapter: no redirects, and no reply larger than a reply can be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from firmground.errors import ModelError

MOST_BYTES = 1 << 25
"""Of one reply, unpacked; the longest that models give are a hundredth of that."""


def careful_client(*, timeout_seconds: float, direct: bool = False) -> Any:
    """A client of the kind the ``openai`` package uses, with these two limits.

    ``direct``: no proxy that the environment names is used.
    """
    import openai

    class Careful(openai.DefaultAsyncHttpxClient):
        async def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
            response: Any = await super().send(request, stream=True, **more)
            response.aiter_bytes = partial(_capped, response.aiter_bytes)
            if not stream:
                try:
                    await response.aread()
                except BaseException:
                    await response.aclose()
                    raise
            return response

    # A redirect would send the question, and on Azure the key, to a host that was not configured.
    return Careful(follow_redirects=False, timeout=timeout_seconds, trust_env=not direct)


async def _capped(
    read: Callable[[int | None], AsyncIterator[bytes]], chunk_size: int | None = None
) -> AsyncIterator[bytes]:
    """The same pieces, up to the limit: a small reply may unpack to one without end."""
    total = 0
    async for part in read(chunk_size):
        total += len(part)
        if total > MOST_BYTES:
            raise ModelError(f"the reply is larger than {MOST_BYTES} bytes", kind="bad_reply")
        yield part
