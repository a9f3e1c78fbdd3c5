"""Judges that are language models: several votes, each checked against the evidence."""

from __future__ import annotations

from firmground.adapters.llm_judge.canary import CanaryReport
from firmground.adapters.llm_judge.judge import JudgeReport, JudgeVote, LlmJudge
from firmground.adapters.llm_judge.output import JudgedClaim, JudgeOutput, read_output
from firmground.adapters.llm_judge.panel import JudgePanel, PanelReport, judges_for
from firmground.adapters.llm_judge.second import SecondOpinion, joined, worth_asking

__all__ = [
    "CanaryReport",
    "JudgeOutput",
    "JudgePanel",
    "JudgeReport",
    "JudgeVote",
    "JudgedClaim",
    "LlmJudge",
    "PanelReport",
    "SecondOpinion",
    "joined",
    "judges_for",
    "read_output",
    "worth_asking",
]
