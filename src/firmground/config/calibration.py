"""A policy with a calibrated threshold in the place of a guessed one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firmground.calibrate import Artefact, read_artefact
from firmground.decide import Policy
from firmground.decide.rules import Calibrated
from firmground.errors import ConfigError, InputError

REPLACES = {"risk": "high_risk", "support": "thin_support"}
"""Which rule's guessed threshold a calibrated one stands in for."""


def load_calibration(path: Path | str) -> Artefact:
    """Read a calibration file; an error names it."""
    file = Path(path)
    try:
        return read_artefact(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except InputError as error:
        raise ConfigError(f"{file}: {error}") from None


def calibrated_policy(policy: Policy, artefact: Artefact, *, group: str = "") -> Policy:
    """The policy under the calibrated threshold; refused for a policy it was not made for."""
    artefact.require(judge=artefact.judge, policy=policy.digest, prompt=artefact.prompt)
    support = artefact.score == "support"
    rule = Calibrated(
        score=artefact.score,
        threshold=artefact.threshold(group),
        regenerate=artefact.regenerate_from(group) if support else 0.0,
        accepted_error=artefact.risk,
        confidence=artefact.confidence,
        judge=artefact.judge,
        prompt=artefact.prompt,
        artefact=artefact.digest,
    )
    gone = REPLACES[artefact.score]
    return replace(
        policy,
        rules=(*(one for one in policy.rules if one.name != gone), rule),
        waived=tuple(name for name in policy.waived if name != gone),
        escalate=tuple(name for name in policy.escalate if name != gone),
    )


def require_calibrated(policy: Policy, *, judge: str, prompt: str) -> None:
    """Refuse a policy whose threshold was calibrated for another judge or prompt."""
    for rule in policy.rules:
        if not isinstance(rule, Calibrated):
            continue
        bound = Artefact(
            score=rule.score, judge=rule.judge, prompt=rule.prompt, policy="", data="", risk=0.0,
            confidence=0.0, thresholds=(),
        )  # fmt: skip
        bound.require(judge=judge, policy="", prompt=prompt)
