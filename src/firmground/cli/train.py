"""``firmground train``: fit the built-in verifier to one's own labelled answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    json_option,
    print_json,
    say,
)
from firmground.errors import InputError

if TYPE_CHECKING:
    from firmground.engine.training import Trained


@click.command(name="train", short_help="Fit the verifier to answers you labelled.")
@click.argument("labelled", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Write the fit here.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    help="Fit beside these retrained weights; name the result meta.json in that folder.",
)
@click.option("--even-if-worse", is_flag=True, help="Write it even when it is not better.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Refit calibration, limits and risk of the built-in verifier to your own answers. No torch.

    LABELLED holds one JSON object a line: {"answer": …, "evidence": […], "spans": [[start, end]]},
    the spans being the pieces that do not stand, [] when all of it stands. Use the result as
    --judge builtin:FILE. Figures are of rows that the fit has not seen, over five folds.

    Exit code 0 a fit was written, 1 it would be no better than the shipped one.
    """
    from firmground.adapters.labelled_rows import read_labelled_answers
    from firmground.engine.training import distinct, own_meta, score_rows, train
    from firmground.verify.neural import MODEL_DIR

    given_rows = list(read_labelled_answers(given["labelled"]))
    rows = distinct(given_rows)
    try:
        place = given["weights"] or MODEL_DIR
        trained = train(score_rows(rows, place), place)
    except InputError as error:
        raise InputError(f"{given['labelled']}: {error}") from None
    written = trained.better or given["even_if_worse"]
    if written:
        _write(given["out"], own_meta(trained, place))
    if given["as_json"]:
        document = _document(trained, written=written)
        print_json({**document, "duplicates": len(given_rows) - len(rows)})
    else:
        if len(rows) < len(given_rows):
            say(f"{len(given_rows) - len(rows)} rows say again what a row before said: left out")
        _print(trained, given["out"] if written else None, given["weights"])
    ctx.exit(HOLDS if written else DOES_NOT_HOLD)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _document(trained: Trained, *, written: bool) -> dict[str, Any]:
    return {
        "answers": trained.answers,
        "claims": trained.claims,
        "wrong_claims": trained.wrong_claims,
        "before": {k: round(v, 6) for k, v in asdict(trained.before).items()},
        "after": {k: round(v, 6) for k, v in asdict(trained.after).items()},
        "claim_limit": round(trained.fit.claim_limit, 6),
        "flag_from": round(trained.fit.flag_from, 6),
        "written": written,
    }


def _print(trained: Trained, path: Path | None, weights: Path | None) -> None:
    say(
        f"{trained.answers} answers, {trained.claims} claims, "
        f"{trained.wrong_claims} of them with a labelled piece"
    )
    names = {
        "claim_loss": "cost of the stated probabilities, claims (nats, lower is better)",
        "claim_error": "calibration error of claims (lower is better)",
        "claim_f1": "F1 of claims that fall",
        "answer_error": "calibration error of answers (lower is better)",
        "answer_f1": "F1 of answers flagged",
    }
    before, after = asdict(trained.before), asdict(trained.after)
    for key, name in names.items():
        say(f"  {name:62} {before[key]:.3f} -> {after[key]:.3f}")
    if path is None:
        say("no better on rows it has not seen: nothing was written")
    else:
        say(f"written: use it with --judge builtin:{weights or path}")
