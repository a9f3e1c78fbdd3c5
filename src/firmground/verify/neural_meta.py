"""The fitted values beside the weights, read so that a damaged file is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from firmground.errors import FirmgroundError, InputError
from firmground.verify.comparison import COMPARISON
from firmground.verify.forest import LogitForest, checked_number, read_forest
from firmground.verify.neural_features import FEATURES
from firmground.verify.risk import RISK_FEATURES, RiskWeights, read_risk_weights

WEIGHT_FILES: Final = ("model.onnx", "tokenizer.json")
# What checks noted, as counts; a check's word is weighed here unless it has earned a veto.
NOTED: Final = {
    "noted_value_found": frozenset(
        "number_matches number_rounded number_computed date_matches time_matches "
        "hours_match".split()
    ),
    "noted_value_absent": frozenset("number_absent date_absent time_absent".split()),
    "noted_value_elsewhere": frozenset("number_elsewhere date_elsewhere".split()),
    "noted_value_differs": frozenset(
        "number_differs date_differs time_differs hours_differ field_differs row_differs "
        "rank_differs weekday_differs frequency_differs ordinal_differs".split()
    ),
    "noted_name_absent": frozenset(
        "name_absent identifier_absent code_absent quote_absent".split()
    ),
    "noted_name_found": frozenset("name_found identifier_found code_found quote_exact".split()),
    "noted_flipped": frozenset(
        "negation_added negation_dropped opposite forbidden_allowed change_reversed denies "
        "roles_swapped excepted quantifier_raised certainty_raised possibility_as_fact "
        "plan_as_fact allegation_as_fact obligation_raised obligation_lowered".split()
    ),
}
FUSED_FEATURES: Final = (*FEATURES, "lexical", "aligned", *COMPARISON, *NOTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What was fitted beside the weights: fusion, calibration, thresholds."""

    claim: LogitForest
    """From the model's features alone."""
    aligned: LogitForest
    """From how the statement lines up with its closest passage, without the model."""
    fused: LogitForest
    """From both, and the log-odds of the lexical scorer."""
    claim_threshold: float
    """From this risk on, a claim is flagged."""
    sure_threshold: float
    """From this risk on, every piece in doubt is marked; below it only the worst word is."""
    risk: RiskWeights
    """How fused claims add up to the risk of an answer."""
    token_threshold: float
    """From this probability on, a token does not stand."""
    version: str
    fitted: str = ""
    """Names the file this was read from by its content."""


def read_meta(directory: Path, path: Path) -> Meta:
    """Read a fusion and check that it was made for the weights in ``directory``."""
    raw = file_bytes(path)
    try:
        found = json.loads(raw)
        meta = _meta(found, hashlib.sha256(raw).hexdigest()[:16])
        expected = {name: str(found["sha256"][name]) for name in WEIGHT_FILES}
    except KeyError as error:
        raise InputError(f"{path}: {_NO_FUSION}: no key {error}") from None
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: {_NO_FUSION}: {error}") from None
    for name, digest in expected.items():
        if hashlib.sha256(file_bytes(directory / name)).hexdigest() != digest:
            raise FirmgroundError(f"{directory / name} is not the file that {path} was made for")
    return meta


_NO_FUSION = "holds no fusion for the built-in verifier"


def file_bytes(path: Path) -> bytes:
    """Read a file of the weights; one that cannot be read is an error that names it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _meta(found: Mapping[str, Any], fitted: str) -> Meta:
    limits = found["thresholds"]
    if _share(limits, "claim") == 1.0:
        raise ValueError("thresholds.claim is 1: no claim would ever fall")
    return Meta(
        claim=_forest(found, "claim", FEATURES),
        aligned=_forest(found, "aligned", COMPARISON),
        fused=_forest(found, "fused", FUSED_FEATURES),
        claim_threshold=_share(limits, "claim"),
        sure_threshold=_share(limits, "sure"),
        risk=_risk(found["risk"]),
        token_threshold=_share(limits, "token"),
        version=str(found["sha256"]["model.onnx"])[:16],
        fitted=fitted,
    )


def _forest(found: Mapping[str, Any], key: str, names: tuple[str, ...]) -> LogitForest:
    try:
        forest = read_forest(found[key])
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    if forest.slope <= 0:  # what speaks against a claim would speak for it
        raise ValueError(f"{key}: slope must be over 0, got {forest.slope}")
    if forest.names != names:
        raise ValueError(f"{key}: was fitted over other features than this version has")
    return forest


def _share(limits: Mapping[str, Any], key: str) -> float:
    value = checked_number(limits[key], f"thresholds.{key}")
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"thresholds.{key} must lie in [0, 1], got {value}")
    return value


def _risk(found: Mapping[str, Any]) -> RiskWeights:
    for at, value in enumerate((*found["coefficients"], found["intercept"], found["flag_from"])):
        checked_number(value, f"risk[{at}]")
    weights = read_risk_weights(dict(found))
    if len(weights.coefficients) != RISK_FEATURES:
        raise ValueError(f"risk.coefficients must be {RISK_FEATURES} numbers")
    if not 0.0 <= weights.flag_from <= 1.0:
        raise ValueError(f"risk.flag_from must lie in [0, 1], got {weights.flag_from}")
    return weights
