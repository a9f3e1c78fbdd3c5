"""A ``Model`` over any endpoint that speaks OpenAI's chat protocol (extra ``llm``)."""

from __future__ import annotations

from firmground.adapters.openai_model.endpoint import ModelEndpoint
from firmground.adapters.openai_model.meter import Meter, Price, SpendLimit, Usage
from firmground.adapters.openai_model.model import CallLimits, OpenAIModel

__all__ = ["CallLimits", "Meter", "ModelEndpoint", "OpenAIModel", "Price", "SpendLimit", "Usage"]
