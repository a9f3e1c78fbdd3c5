"""``firmground calibrate``: find a threshold that keeps an accepted risk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from firmground.calibrate import (
    Artefact,
    Calibration,
    CalibrationScope,
    LabelledScore,
    Refusal,
    ThresholdPair,
    area_under,
    calibration_error,
    drift,
    make_artefact,
    make_pair_artefact,
    reliability,
    risk_coverage,
)
from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    plain,
    print_json,
    say,
    say_lines,
)
from firmground.compose import answer_prompts
from firmground.config.calibration import load_calibration
from firmground.config.settings import DEFAULT_JUDGE
from firmground.engine.calibrating import (
    RowScoring,
    read_labelled,
    read_scores,
    rows_sharing_evidence,
)
from firmground.engine.judges import JUDGES, judge_name
from firmground.engine.rejudging import find_policy
from firmground.errors import InputError


@click.command(name="calibrate", short_help="Find a threshold with a bound on error.")
@click.argument("labelled", type=click.Path(path_type=Path))
@click.option(
    "--score",
    type=click.Choice(["risk", "support"]),
    default="risk",
    show_default=True,
    help="risk: one threshold; support: GSAR's two, proceed and regenerate.",
)
@click.option("--risk", type=float, default=0.05, show_default=True, help="Accepted error rate.")
@click.option(
    "--regenerate-risk",
    type=float,
    default=0.5,
    show_default=True,
    help="With --score support: error rate from which a new search is due.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--policy", default="balanced", show_default=True, help="Name, or a TOML file.")
@click.option("--judge", type=click.Choice(JUDGES), default=DEFAULT_JUDGE, show_default=True)
@click.option(
    "--for-ask", is_flag=True, help="The answers were written by `firmground ask`: bind to that."
)
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
    """Find a threshold on a score with a bound on the error among accepted answers.

    LABELLED holds one JSON object a line: {"stands": true, "risk": 0.1}, or {"stands": true,
    "answer": …, "evidence": […]} to have the judge score it under the policy. Rows with the same
    "source" (a document, a question, a customer) count as one draw.

    Exit code 0 a threshold was found (no drift), 1 the data cannot support one (drift).
    """
    scoring = RowScoring(
        policy=find_policy(given["policy"]), judge=given["judge"], score=given["score"]
    )
    bound = CalibrationScope(
        judge=judge_name(scoring.judge),
        policy=scoring.policy.digest,
        prompt=answer_prompts() if given["for_ask"] else "",
    )
    if given["artefact"]:
        ctx.exit(_drift(given, scoring, bound))
    groups = read_labelled(given["labelled"], scoring, by_group=given["by_group"])
    artefact, results = _calibrated(given, groups, bound)
    every = [one for rows in groups.values() for one in rows]
    if given["out"] and artefact:
        _write(given["out"], artefact.to_bytes())
    if given["plot"]:
        _write(given["plot"], _picture(every, results).encode("utf-8"))
    if given["as_json"]:
        print_json(_document(results, every, bound))
    else:
        _print(results, every)
        _print_company(rows_sharing_evidence(given["labelled"]))
        _print_files(given, found=artefact is not None)
    ctx.exit(HOLDS if artefact else DOES_NOT_HOLD)


def _print_files(given: dict[str, Any], *, found: bool) -> None:
    """Say which files were written, and which was not because there is no threshold."""
    if given["out"]:
        say(f"written: {given['out']}" if found else f"{given['out']}: not written, see above")
    if given["plot"]:
        say(f"written: {given['plot']}" + ("" if found else ", the curves without a threshold"))


_Results = Mapping[str, "Calibration | ThresholdPair | Refusal"]


def _calibrated(
    given: dict[str, Any], groups: dict[str, list[LabelledScore]], bound: CalibrationScope
) -> tuple[Artefact | None, _Results]:
    risks = {"risk": given["risk"], "confidence": given["confidence"]}
    if given["score"] == "risk":
        return make_artefact(groups, bound=bound, **risks)
    return make_pair_artefact(
        groups, bound=bound, regenerate_risk=given["regenerate_risk"], **risks
    )


def _drift(given: dict[str, Any], scoring: RowScoring, bound: CalibrationScope) -> int:
    artefact = load_calibration(given["artefact"])
    artefact.require(judge=bound.judge, policy=bound.policy, prompt=artefact.prompt)
    if artefact.score != scoring.score:
        raise InputError(f"{given['artefact']}: is about {artefact.score}; say --score for it")
    found = drift(artefact, read_scores(given["labelled"], scoring))
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


def _picture(every: list[LabelledScore], results: _Results) -> str:
    from firmground.adapters.curve_svg import curve_svg

    found = [r.coverage for r in map(_first, results.values()) if isinstance(r, Calibration)]
    accepted = found[0] if len(results) == 1 and found else None
    return curve_svg(risk_coverage(every), reliability(every), accepted=accepted)


def _first(result: Calibration | ThresholdPair | Refusal) -> Calibration | Refusal:
    return result.proceeding if isinstance(result, ThresholdPair) else result


def _document(
    results: _Results, every: list[LabelledScore], bound: CalibrationScope
) -> dict[str, Any]:
    points, bins = risk_coverage(every), reliability(every)
    return {
        "judge": bound.judge,
        "prompt": bound.prompt or None,
        "policy": bound.policy,
        "labelled": len(every),
        "sources": _sources(every),
        "held_by_other_rules": sum(one.held for one in every),
        "aurc": round(area_under(points), 6),
        "ece": round(calibration_error(bins), 6),
        "groups": {group: _result(result) for group, result in results.items()},
        "risk_coverage": [
            {"coverage": round(p.coverage, 6), "error": round(p.error, 6),
             "threshold": round(p.threshold, 6)}
            for p in points
        ],
        "reliability": [
            {"predicted": round(b.predicted, 6), "observed": round(b.observed, 6),
             "count": b.count}
            for b in bins
        ],
    }  # fmt: skip


def _result(result: Calibration | ThresholdPair | Refusal) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"threshold": None, "reason": result.reason,
                "needed": result.needed, "likely": result.likely}  # fmt: skip
    if isinstance(result, ThresholdPair):
        return {
            "proceed": result.proceed,
            "regenerate": result.regenerate,
            "proceeding": _result(result.proceeding),
            "regenerating": _result(result.regenerating),
        }
    return {
        "threshold": result.threshold,
        "coverage": round(result.coverage, 6),
        "accepted": result.accepted,
        "errors": result.errors,
        "sources": result.sources,
        "tested": result.tested,
        "upper_bound": round(result.upper_bound, 6),
        "risk": result.risk,
        "confidence": result.confidence,
    }


def _print(results: _Results, every: list[LabelledScore]) -> None:
    wrong, held = sum(one.wrong for one in every), sum(one.held for one in every)
    also = f", {held} held back by other rules" if held else ""
    drawn = _sources(every)
    apart = f" of {counted(drawn, 'source')}" if drawn < len(every) else ""
    say(f"{counted(len(every), 'labelled answer')}{apart}, {wrong} of them wrong{also}")
    repeated = len(every) - len({(one.risk, one.wrong, one.held) for one in every})
    if 2 * repeated > len(every):
        say(
            f"note: {counted(repeated, 'row')} with the score and label of another; were they the "
            f"same answers, nothing would be shown by them (an id on each row is checked)"
        )
    for group, result in results.items():
        name = f"group {group}: " if group else "rows without a group: " * (len(results) > 1)
        say_lines(plain(name) + _told(result))
    say(
        f"mean error over all coverages {area_under(risk_coverage(every)):.3f}, "
        f"calibration error {calibration_error(reliability(every)):.3f}"
    )


def _print_company(rows: int) -> None:
    if rows:
        say(
            f"note: {counted(rows, 'row')} share their evidence with another and name no source; "
            f"if documents were drawn first and answers for them then, say which: the key source"
        )


def _sources(every: list[LabelledScore]) -> int:
    """How many independent draws the answers are."""
    named = {one.source for one in every if one.source}
    return len(named) + sum(not one.source for one in every)


def _told(result: Calibration | ThresholdPair | Refusal) -> str:
    if isinstance(result, Refusal):
        return f"NO THRESHOLD: {result.reason}"
    if isinstance(result, Calibration):
        return f"accept when risk <= {result.threshold:.6f}\n{_accepts(result)}"
    second = result.regenerating
    worded = (
        f"regenerate from {result.regenerate:.6f}\n{_accepts(second)}"
        if isinstance(second, Calibration)
        else f"no band for rewording could be shown: {second.reason}"
    )
    return f"proceed from support {result.proceed:.6f}\n{_accepts(result.proceeding)}\n{worded}"


def _accepts(result: Calibration) -> str:
    return (
        f"  accepts {result.accepted} of {result.total} ({result.coverage:.1%}), "
        f"{result.errors} of them wrong\n"
        f"  with confidence {result.confidence:.3g} at most {result.risk:.1%} of what it "
        f"accepts is wrong{_shown(result)}"
    )


def _shown(result: Calibration) -> str:
    """Say what stood behind the bound: the draws that were tested, and what a draw is."""
    unit = "sources, each counting the same" if result.sources < result.total else "answers"
    return f"\n  shown on {result.tested} of {result.sources} {unit}"
