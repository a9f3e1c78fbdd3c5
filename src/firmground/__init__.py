"""Decide whether an answer stands on its evidence, and keep the proof.

::

    import firmground

    result = firmground.check("It opened in 1952.", "It opened in 1932.")
    if not result:                        # true exactly when the answer stands
        for claim in result.problems:     # text, start, end, standing, reason, evidence
            print(claim)

``Engine`` is the same for programs that check many answers: it is built once from ``Settings`` and
shared by threads and tasks. ``Model``, ``Judge``, ``Retriever``, ``Hook``, ``Rule``,
``LedgerStore``, ``Signer`` and ``EvidenceReader`` are the protocols that your own parts implement;
``firmground.testing`` has a double and a conformance suite for each, ``firmground.errors`` the
tree of errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Where each public name lives. Looked up on first use, so that importing the package stays cheap.
_HOMES: dict[str, str] = {
    "AskOptions": "firmground.engine.engine",
    "AskResult": "firmground.pipeline.ask_result",
    "Assessment": "firmground.core.claim",
    "Budget": "firmground.core.budget",
    "Claim": "firmground.core.claim",
    "ClaimResult": "firmground.pipeline.claim_result",
    "Decision": "firmground.core.decision",
    "Engine": "firmground.engine.engine",
    "Evidence": "firmground.core.evidence",
    "EvidenceReader": "firmground.core.ports",
    "EvidenceSpan": "firmground.core.evidence",
    "Failure": "firmground.engine.many",
    "Fault": "firmground.core.finding",
    "FirmgroundError": "firmground.errors",
    "Hook": "firmground.core.ports",
    "HookReply": "firmground.core.finding",
    "InputError": "firmground.errors",
    "Judge": "firmground.core.ports",
    "Ledger": "firmground.ledger.ledger",
    "LedgerStore": "firmground.ledger.store",
    "Model": "firmground.core.ports",
    "ModelError": "firmground.errors",
    "Policy": "firmground.decide.policy",
    "Question": "firmground.core.question",
    "Result": "firmground.engine.result",
    "Retriever": "firmground.core.ports",
    "Rule": "firmground.decide.rule",
    "Ruling": "firmground.core.escalation",
    "Settings": "firmground.config.settings",
    "Signer": "firmground.core.ports",
    "Standing": "firmground.core.claim",
    "Step": "firmground.core.decision",
    "StreamFinished": "firmground.engine.engine",
    "TextReleased": "firmground.pipeline.stream",
    "TextWithheld": "firmground.pipeline.stream",
    "Trust": "firmground.core.evidence",
    "Verdict": "firmground.core.decision",
    "acheck": "firmground.engine.functions",
    "check": "firmground.engine.functions",
    "check_many": "firmground.engine.functions",
}

# Names of the release before: (where it lives now, under which name, what to use instead).
_DEPRECATED: dict[str, tuple[str, str, str]] = {
    "Asked": ("firmground.pipeline.ask_result", "AskResult", "AskResult"),
    "Escalation": ("firmground.core.escalation", "Escalation", "AskResult.escalation"),
    "Evaluator": ("firmground.compat.evaluator", "Evaluator", "Engine.evaluate"),
    "Findings": ("firmground.core.finding", "Findings", "Result.findings"),
    "Kind": ("firmground.core.evidence", "EvidenceKind", "the name of the kind as a string"),
    "Outcome": ("firmground.engine.result", "Result", "Result"),
    "Pipeline": ("firmground.compat.pipeline", "Pipeline", "Engine.ask"),
}

__all__ = [
    "AskOptions",
    "AskResult",
    "Assessment",
    "Budget",
    "Claim",
    "ClaimResult",
    "Decision",
    "Engine",
    "Evidence",
    "EvidenceReader",
    "EvidenceSpan",
    "Failure",
    "Fault",
    "FirmgroundError",
    "Hook",
    "HookReply",
    "InputError",
    "Judge",
    "Ledger",
    "LedgerStore",
    "Model",
    "ModelError",
    "Policy",
    "Question",
    "Result",
    "Retriever",
    "Rule",
    "Ruling",
    "Settings",
    "Signer",
    "Standing",
    "Step",
    "StreamFinished",
    "TextReleased",
    "TextWithheld",
    "Trust",
    "Verdict",
    "acheck",
    "check",
    "check_many",
]

if TYPE_CHECKING:
    from firmground.config.settings import Settings
    from firmground.core.budget import Budget
    from firmground.core.claim import Assessment, Claim, Standing
    from firmground.core.decision import Decision, Step, Verdict
    from firmground.core.escalation import Ruling
    from firmground.core.evidence import Evidence, EvidenceSpan, Trust
    from firmground.core.finding import Fault, HookReply
    from firmground.core.ports import EvidenceReader, Hook, Judge, Model, Retriever, Signer
    from firmground.core.question import Question
    from firmground.decide.policy import Policy
    from firmground.decide.rule import Rule
    from firmground.engine.engine import AskOptions, Engine, StreamFinished
    from firmground.engine.functions import acheck, check, check_many
    from firmground.engine.many import Failure
    from firmground.engine.result import Result
    from firmground.errors import FirmgroundError, InputError, ModelError
    from firmground.ledger.ledger import Ledger
    from firmground.ledger.store import LedgerStore
    from firmground.pipeline.ask_result import AskResult
    from firmground.pipeline.claim_result import ClaimResult
    from firmground.pipeline.stream import TextReleased, TextWithheld


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    home = _HOMES.get(name)
    if home is not None:
        return getattr(import_module(home), name)
    if name not in _DEPRECATED:
        raise AttributeError(f"module 'firmground' has no attribute {name!r}")
    import warnings

    home, now, instead = _DEPRECATED[name]
    told = f"firmground.{name} is deprecated and will be removed: use {instead}"
    warnings.warn(told, DeprecationWarning, stacklevel=2)
    return getattr(import_module(home), now)


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
