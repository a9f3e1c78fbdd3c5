"""The engine layer: from settings to long-lived parts, and every call that uses them."""

from __future__ import annotations

from firmground.engine.engine import AskOptions, Engine, StreamFinished
from firmground.engine.functions import acheck, check, check_many, default_engine
from firmground.engine.many import Failure
from firmground.engine.parts import Overrides
from firmground.engine.result import Result

__all__ = [
    "AskOptions",
    "Engine",
    "Failure",
    "Overrides",
    "Result",
    "StreamFinished",
    "acheck",
    "check",
    "check_many",
    "default_engine",
]
