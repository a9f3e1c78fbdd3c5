"""Public doubles for every port, scripted and honest about it."""

from __future__ import annotations

from firmground.testing.doubles import (
    FixedRetriever,
    FunctionHook,
    FunctionJudge,
    FunctionModel,
)

__all__ = ["FixedRetriever", "FunctionHook", "FunctionJudge", "FunctionModel"]
