"""Judges that are language models: several opinions, each checked, none taken on its word."""

from __future__ import annotations

from firmground.adapters.llm_judge.canary import CanaryReport
from firmground.adapters.llm_judge.judge import JudgeReport, LlmJudge, Opinion
from firmground.adapters.llm_judge.output import JudgedClaim, JudgeOutput, read_output
from firmground.adapters.llm_judge.panel import JudgePanel, PanelReport, judges_for
from firmground.adapters.llm_judge.second import SecondOpinion, joined, worth_asking

__all__ = [
    "CanaryReport",
    "JudgeOutput",
    "JudgePanel",
    "JudgeReport",
    "JudgedClaim",
    "LlmJudge",
    "Opinion",
    "PanelReport",
    "SecondOpinion",
    "joined",
    "judges_for",
    "read_output",
    "worth_asking",
]
