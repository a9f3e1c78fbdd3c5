"""A ``Model`` over any endpoint that speaks OpenAI's chat protocol (extra ``llm``)."""

from __future__ import annotations

from firmground.adapters.openai_model.endpoint import Endpoint
from firmground.adapters.openai_model.meter import Budget, Meter, Price, Usage
from firmground.adapters.openai_model.model import Limits, OpenAIModel

__all__ = ["Budget", "Endpoint", "Limits", "Meter", "OpenAIModel", "Price", "Usage"]
