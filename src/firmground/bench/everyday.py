"""The everyday corpus as a benchmark: is a judge right where word overlap and truth diverge?

Rows fall into four cells: true or false, close to the source's wording or reworded. A judge that
measures word overlap is right in two of them and wrong in the other two.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from firmground.bench.stats import Figure
from firmground.errors import InputError

CELLS = ("true, close", "true, reworded", "false, close", "false, reworded")
_DRAWS = 500
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayRow:
    """One statement or whole answer of the corpus, with its evidence and label."""

    id: str
    set_id: str
    text: str
    evidence: tuple[str, ...]
    question: str
    supported: bool
    kind: str
    wording: str
    lang: str
    whole_answer: bool

    @property
    def cell(self) -> str:
        """Which of the four cells it belongs to."""
        wording = "close" if self.wording == "close" else "reworded"
        return f"{'true' if self.supported else 'false'}, {wording}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayTrial:
    """What a judge said of a row."""

    row: EverydayRow
    stands: bool
    inconclusive: bool
    risk: float
    seconds: float

    @property
    def right(self) -> bool:
        """True when a true row stands or a false one does not."""
        return self.stands == self.row.supported


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayReport:
    """Figures of one judge on the corpus."""

    judge: str
    rows: int
    cells: dict[str, Figure]
    mean: Figure
    auc: Figure
    auc_apart: Figure
    auc_together: Figure
    kinds: tuple[tuple[str, bool, int, int], ...]
    """(kind, supported, right, rows), worst first."""
    inconclusive: int
    calibration: float
    bins: tuple[tuple[float, float, int], ...]
    """(mean risk, share that is false, rows) of equally filled bins."""
    rows_per_second: float


def load_rows(
    directory: Path | None = None, *, split: str = "test", languages: Sequence[str] = ("en",)
) -> tuple[EverydayRow, ...]:
    """Read a split of the corpus; without a folder, the test split that comes with the package.

    ``languages`` names the languages of evidence and statement; empty takes all.
    """
    if directory is None:
        if split != "test":
            raise InputError(
                f"only the test split comes with the package; name a folder for {split!r}"
            )
        packed = resources.files("firmground.bench").joinpath("data/everyday-test.jsonl.gz")
        text = gzip.decompress(packed.read_bytes()).decode("utf-8")
        found = [row for line in text.splitlines() for row in _rows(line, "test split")]
    else:
        found = list(_read(directory, split))
    kept = tuple(row for row in found if not languages or row.lang in languages)
    if not kept:
        raise InputError(f"the {split} split has no row in {', '.join(languages)}")
    return kept


def _read(directory: Path, split: str) -> Iterator[EverydayRow]:
    try:
        batches = json.loads((directory / "splits.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{directory / 'splits.json'}: cannot be read: {error}") from None
    for batch, belongs in batches.items():
        if belongs == split:
            path = directory / f"{batch}.jsonl"
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                yield from _rows(line, f"{path}, line {number}")


def _rows(line: str, where: str) -> Iterator[EverydayRow]:
    try:
        found: dict[str, Any] = json.loads(line)
        evidence = tuple(f"{piece['title']}\n{piece['text']}" for piece in found["evidence"])
        rows = [
            *((one, False) for one in found["statements"]),
            *((one, True) for one in found["answers"]),
        ]
        for at, (one, whole) in enumerate(rows):
            yield EverydayRow(
                id=f"{found['id']}/{at}", set_id=found["id"], text=one["text"], evidence=evidence,
                question=found["question"] if whole else "",
                supported=one["label"] == "supported",
                kind=one["kind"] or "whole answer", wording=one["wording"], lang=found["lang"],
                whole_answer=whole,
            )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: not a set of the corpus: {error!r}") from None


def report(judge: str, trials: Sequence[EverydayTrial]) -> EverydayReport:
    """Sum up trials; intervals are over draws of whole evidence sets."""
    apart = [t for t in trials if t.row.supported == (t.row.wording == "anew")]
    together = [t for t in trials if t.row.supported == (t.row.wording == "close")]
    bins = _bins(trials)
    return EverydayReport(
        judge=judge,
        rows=len(trials),
        cells={cell: _interval(trials, partial(_share, cell)) for cell in CELLS},
        mean=_interval(trials, _mean_of_cells),
        auc=_interval(trials, _auc),
        auc_apart=_interval(apart, _auc),
        auc_together=_interval(together, _auc),
        kinds=_kinds(trials),
        inconclusive=sum(t.inconclusive for t in trials),
        calibration=sum(abs(mean - wrong) * size for mean, wrong, size in bins) / len(trials),
        bins=bins,
        rows_per_second=len(trials) / max(sum(t.seconds for t in trials), 1e-9),
    )


def _share(cell: str, trials: Sequence[EverydayTrial]) -> float | None:
    inside = [t.right for t in trials if t.row.cell == cell]
    return sum(inside) / len(inside) if inside else None


def _mean_of_cells(trials: Sequence[EverydayTrial]) -> float | None:
    found = [share for cell in CELLS if (share := _share(cell, trials)) is not None]
    return sum(found) / len(found) if len(found) == len(CELLS) else None


def _auc(trials: Sequence[EverydayTrial]) -> float | None:
    """The chance that a false row has the higher risk, ties counting half."""
    ranked = sorted(trials, key=lambda t: t.risk)
    bad = sum(not t.row.supported for t in trials)
    good = len(trials) - bad
    if not bad or not good:
        return None
    total, below, at = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end].risk == ranked[at].risk:
            end += 1
        here_bad = sum(not t.row.supported for t in ranked[at:end])
        here_good = end - at - here_bad
        total += here_bad * (below + here_good / 2)
        below += here_good
        at = end
    return total / (bad * good)


def _interval(
    trials: Sequence[EverydayTrial], function: Callable[[Sequence[EverydayTrial]], float | None]
) -> Figure:
    value = function(trials)
    if value is None:
        return Figure(value=None)
    groups: dict[str, list[EverydayTrial]] = defaultdict(list)
    for trial in trials:
        groups[trial.row.set_id].append(trial)
    names = sorted(groups)
    dice = random.Random(0)  # noqa: S311 - resampling, not secrecy
    drawn = []
    for _ in range(_DRAWS):
        some = [trial for name in dice.choices(names, k=len(names)) for trial in groups[name]]
        if (one := function(some)) is not None:
            drawn.append(one)
    drawn.sort()
    if len(drawn) < _DRAWS // 2:
        return Figure(value=value)
    return Figure(
        value=value,
        low=drawn[round(0.025 * (len(drawn) - 1))],
        high=drawn[round(0.975 * (len(drawn) - 1))],
    )


def _kinds(trials: Iterable[EverydayTrial]) -> tuple[tuple[str, bool, int, int], ...]:
    found: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for trial in trials:
        found[(trial.row.kind, trial.row.supported)].append(trial.right)
    rows = [(kind, true, sum(right), len(right)) for (kind, true), right in found.items()]
    return tuple(sorted(rows, key=lambda row: (row[1], row[2] / row[3], row[0])))


def _bins(trials: Sequence[EverydayTrial]) -> tuple[tuple[float, float, int], ...]:
    ranked = sorted(trials, key=lambda t: t.risk)
    size = -(-len(ranked) // _BINS)
    parts = [ranked[at : at + size] for at in range(0, len(ranked), size)]
    return tuple(
        (
            sum(t.risk for t in part) / len(part),
            sum(not t.row.supported for t in part) / len(part),
            len(part),
        )
        for part in parts
    )


def lines(found: EverydayReport) -> list[str]:
    """The report for a person."""
    cells = [_plain(found.cells[cell]) for cell in CELLS]
    made = [
        f"everyday corpus: {found.rows} rows, judge {found.judge}, "
        f"{found.rows_per_second:.1f} rows a second, {found.inconclusive} inconclusive",
        "",
        "right verdicts            close to the source        reworded",
        f"  true rows               {cells[0]:<26} {cells[1]}",
        f"  false rows              {cells[2]:<26} {cells[3]}",
        f"  mean of the four cells  {_plain(found.mean)}",
        f"AUC of the risk           {_plain(found.auc)}",
        f"  words and truth apart   {_plain(found.auc_apart)}",
        f"  words and truth agree   {_plain(found.auc_together)}",
        f"calibration error         {found.calibration:.3f}",
        "",
        "kind                          label  right   of",
    ]
    for kind, true, right, rows in found.kinds:
        made.append(f"{kind:<29} {'true' if true else 'false':<6} {right:>5} {rows:>4}")
    return made


def _plain(figure: Figure) -> str:
    if figure.value is None:
        return "undefined"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def picture(found: EverydayReport) -> str:
    """The four cells and the reliability curve as one SVG."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" role="img" '
        'font-family="sans-serif" font-size="12" fill="currentColor">',
        f"<title>Everyday corpus, judge {found.judge}</title>",
        '<text x="20" y="20">right verdicts in the four cells</text>',
        '<text x="420" y="20">share of false rows by risk</text>',
    ]
    for at, cell in enumerate(CELLS):
        figure = found.cells[cell]
        value, y = figure.value or 0.0, 45 + 55 * at
        parts += [
            f'<text x="20" y="{y + 16}">{cell}</text>',
            f'<rect x="110" y="{y}" width="220" height="22" fill="#9993"/>',
            f'<rect x="110" y="{y}" width="{220 * value:.1f}" height="22" fill="#2563eb"/>',
            f'<text x="338" y="{y + 16}">{value:.2f}</text>',
        ]
        if figure.low is not None and figure.high is not None:
            parts.append(
                f'<line x1="{110 + 220 * figure.low:.1f}" x2="{110 + 220 * figure.high:.1f}" '
                f'y1="{y + 11}" y2="{y + 11}" stroke="currentColor" stroke-width="2"/>'
            )
    points = " ".join(
        f"{440 + 240 * risk:.1f},{270 - 220 * wrong:.1f}" for risk, wrong, _ in found.bins
    )
    parts += [
        '<rect x="440" y="50" width="240" height="220" fill="none" stroke="#9996"/>',
        '<line x1="440" y1="270" x2="680" y2="50" stroke="#9996" stroke-dasharray="4 4"/>',
        f'<polyline points="{points}" fill="none" stroke="#c0392b" stroke-width="2"/>',
        '<text x="560" y="290" text-anchor="middle">risk given by the judge</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
