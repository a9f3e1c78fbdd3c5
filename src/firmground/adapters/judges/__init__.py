"""Judges over models that people already run: NLI, MiniCheck, FactCG, HHEM, LettuceDetect."""

from __future__ import annotations

from firmground.adapters.judges.build import MODEL_JUDGES, model_judge
from firmground.adapters.judges.judge import ModelJudge

__all__ = ["MODEL_JUDGES", "ModelJudge", "model_judge"]
