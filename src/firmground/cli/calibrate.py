"""``firmground calibrate``: which threshold keeps the risk I accept?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firmground.assemble.calibrating import read_labelled, read_scores
from firmground.assemble.parts import DEFAULT_JUDGE, judge_name, named_policy
from firmground.calibrate import (
    Calibration,
    Labelled,
    Refusal,
    area_under,
    calibration_error,
    drift,
    make_artefact,
    read_artefact,
    reliability,
    risk_coverage,
)
from firmground.cli._output import DOES_NOT_HOLD, HOLDS, json_option, print_json, say, say_lines
from firmground.errors import InputError


@click.command(name="calibrate")
@click.argument("labelled", type=click.Path(path_type=Path))
@click.option("--risk", type=float, default=0.05, show_default=True, help="Accepted error rate.")
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--policy", default="balanced", show_default=True, help="Name of the rules.")
@click.option("--by-group", is_flag=True, help="One threshold for each value of the key group.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the calibration here.")
@click.option("--plot", type=click.Path(path_type=Path), help="Write the curves here (SVG).")
@click.option(
    "--drift",
    "artefact",
    type=click.Path(path_type=Path),
    help="Instead: hold LABELLED, live rows, against this calibration.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find a threshold on the risk score with a bound on the error among accepted answers.

    LABELLED holds one JSON object a line: {"stands": true, "risk": 0.1}, or {"stands": true,
    "answer": …, "evidence": […]} to have the built-in judge score it.

    Exit code 0 a threshold was found (no drift), 1 the data cannot support one (drift).
    """
    if given["artefact"]:
        ctx.exit(_drift(given))
    groups = read_labelled(given["labelled"], policy=given["policy"], by_group=given["by_group"])
    judge, policy = judge_name(DEFAULT_JUDGE), named_policy(given["policy"]).digest
    artefact, results = make_artefact(
        groups, judge=judge, policy=policy, risk=given["risk"], confidence=given["confidence"]
    )
    every = [one for rows in groups.values() for one in rows]
    if given["out"] and artefact:
        _write(given["out"], artefact.to_bytes())
    if given["plot"]:
        _write(given["plot"], _picture(every, results).encode("utf-8"))
    if given["as_json"]:
        print_json(_document(results, every, judge, policy))
    else:
        _print(results, every)
    ctx.exit(HOLDS if artefact else DOES_NOT_HOLD)


def _drift(given: dict[str, Any]) -> int:
    try:
        artefact = read_artefact(given["artefact"].read_bytes())
    except OSError as error:
        raise InputError(f"{given['artefact']}: {error.strerror}") from None
    artefact.require(judge=judge_name(DEFAULT_JUDGE), policy=named_policy(given["policy"]).digest)
    found = drift(artefact, read_scores(given["labelled"], policy=given["policy"]))
    document = {"distance": found.distance, "allowed": found.allowed, "alarm": found.alarm}
    if given["as_json"]:
        print_json(document)
    else:
        word = "DRIFT" if found.alarm else "no drift"
        say(f"{word}: the scores differ by {found.distance:.3f}, {found.allowed:.3f} is chance")
    return DOES_NOT_HOLD if found.alarm else HOLDS


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _picture(every: list[Labelled], results: dict[str, Calibration | Refusal]) -> str:
    from firmground.adapters.curve_svg import curve_svg

    found = [r.coverage for r in results.values() if isinstance(r, Calibration)]
    accepted = found[0] if len(results) == 1 and found else None
    return curve_svg(risk_coverage(every), reliability(every), accepted=accepted)


def _document(
    results: dict[str, Calibration | Refusal], every: list[Labelled], judge: str, policy: str
) -> dict[str, Any]:
    return {
        "judge": judge,
        "policy": policy,
        "labelled": len(every),
        "aurc": round(area_under(risk_coverage(every)), 6),
        "ece": round(calibration_error(reliability(every)), 6),
        "groups": {group: _result(result) for group, result in results.items()},
    }


def _result(result: Calibration | Refusal) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"threshold": None, "reason": result.reason, "needed": result.needed}
    return {
        "threshold": result.threshold,
        "coverage": round(result.coverage, 6),
        "accepted": result.accepted,
        "errors": result.errors,
        "upper_bound": round(result.upper_bound, 6),
        "risk": result.risk,
        "confidence": result.confidence,
    }


def _print(results: dict[str, Calibration | Refusal], every: list[Labelled]) -> None:
    wrong = sum(one.wrong for one in every)
    say(f"{len(every)} labelled answers, {wrong} of them wrong")
    for group, result in results.items():
        name = f"group {group}: " if group else ""
        if isinstance(result, Refusal):
            say(f"{name}NO THRESHOLD: {result.reason}")
            continue
        say_lines(
            f"{name}accept when risk <= {result.threshold:.6f}\n"
            f"  accepts {result.accepted} of {result.total} ({result.coverage:.1%}), "
            f"{result.errors} of them wrong\n"
            f"  with confidence {result.confidence:.3g} at most {result.risk:.1%} of what it "
            f"accepts is wrong"
        )
    say(
        f"mean error over all coverages {area_under(risk_coverage(every)):.3f}, "
        f"calibration error {calibration_error(reliability(every)):.3f}"
    )
