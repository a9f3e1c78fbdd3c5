"""In what order? The only room that knows: from a request to an outcome with its record."""

from __future__ import annotations

from firmground.pipeline.check import Examined, Parts, check
from firmground.pipeline.outcome import Outcome
from firmground.pipeline.request import Mode, Request

__all__ = ["Examined", "Mode", "Outcome", "Parts", "Request", "check"]
