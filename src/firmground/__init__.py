"""firmground decides whether an answer stands on its evidence, and keeps the proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Where each public name lives. Looked up on first use, so that importing the package stays cheap.
_HOMES: dict[str, str] = {
    "Assessment": "firmground.core.claim",
    "Budget": "firmground.core.budget",
    "Claim": "firmground.core.claim",
    "Decision": "firmground.core.decision",
    "Escalation": "firmground.core.escalation",
    "Evaluator": "firmground.assemble.evaluating",
    "Evidence": "firmground.core.evidence",
    "EvidenceSpan": "firmground.core.evidence",
    "Fault": "firmground.core.finding",
    "Findings": "firmground.core.finding",
    "FirmgroundError": "firmground.errors",
    "Kind": "firmground.core.evidence",
    "Outcome": "firmground.pipeline.outcome",
    "Pipeline": "firmground.assemble.asking",
    "Question": "firmground.core.question",
    "Ruling": "firmground.core.escalation",
    "Standing": "firmground.core.claim",
    "Step": "firmground.core.decision",
    "Trust": "firmground.core.evidence",
    "Verdict": "firmground.core.finding",
    "acheck": "firmground.assemble",
    "check": "firmground.assemble",
    "check_many": "firmground.assemble",
}

__all__ = [
    "Assessment",
    "Budget",
    "Claim",
    "Decision",
    "Escalation",
    "Evaluator",
    "Evidence",
    "EvidenceSpan",
    "Fault",
    "Findings",
    "FirmgroundError",
    "Kind",
    "Outcome",
    "Pipeline",
    "Question",
    "Ruling",
    "Standing",
    "Step",
    "Trust",
    "Verdict",
    "acheck",
    "check",
    "check_many",
]

if TYPE_CHECKING:
    from firmground.assemble import acheck, check, check_many
    from firmground.assemble.asking import Pipeline
    from firmground.assemble.evaluating import Evaluator
    from firmground.core.budget import Budget
    from firmground.core.claim import Assessment, Claim, Standing
    from firmground.core.decision import Decision, Step
    from firmground.core.escalation import Escalation, Ruling
    from firmground.core.evidence import Evidence, EvidenceSpan, Kind, Trust
    from firmground.core.finding import Fault, Findings, Verdict
    from firmground.core.question import Question
    from firmground.errors import FirmgroundError
    from firmground.pipeline.outcome import Outcome


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'firmground' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
