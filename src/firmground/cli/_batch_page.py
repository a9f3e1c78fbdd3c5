"""What a batch shows a person: a bar with rate and time left, and a page at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

Advance = Callable[[int], None]


@contextmanager
def progress_bar(total: Callable[[], int]) -> Iterator[Advance]:
    """Show how far a batch is, how many rows a second it does and how long it will take.

    ``total`` is asked only where there is a terminal to show it.
    """
    if not sys.stderr.isatty():
        yield lambda weight: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[rows]:,} rows"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=max(1, total()), rows=0, rate="")
        rows = 0

        def advance(weight: int) -> None:
            nonlocal rows
            rows += 1
            rate = rows / max(1e-9, time.monotonic() - began)
            bar.update(task, advance=weight, rows=rows, rate=f"{rate:,.1f} a second")

        yield advance


def write_summary(lines: Iterable[bytes], page: Path, *, source: str, seconds: float) -> None:
    """Write the page about a finished batch."""
    from firmground.adapters.report_html.page import write_page
    from firmground.adapters.report_html.summary import figures_of, summary_html

    figures = figures_of(lines)
    notes = (f"{seconds:,.1f} seconds",)
    write_page(summary_html(figures, source=source, notes=notes), page)
