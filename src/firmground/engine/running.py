"""Run work from plain code, also where an event loop is running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

_T = TypeVar("_T")


def outside_loop(work: Callable[[], _T]) -> _T:
    """Call a function in this thread, or in another where an event loop runs in this one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(work).result()


def run_to_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine from plain code, in a loop of its own."""
    return outside_loop(partial(asyncio.run, work))
