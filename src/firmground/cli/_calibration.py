"""What the commands that judge share about calibrated thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

CALIBRATION_OPTIONS = (
    click.option(
        "--calibration",
        metavar="FILE",
        help="Put the threshold of this calibration in the place of the policy's own.",
    ),
    click.option("--group", default="", help="Group of the calibration; default: the only one."),
)


def calibration_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name a calibration."""
    for option in reversed(CALIBRATION_OPTIONS):
        function = option(function)
    return function
