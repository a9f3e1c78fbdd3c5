"""Ablations of the typed support score: what each part of it changes on one set of reports.

Every variant scores the same partitions, so a difference is due to the score alone. As in the
published study, ``rho = 0`` leaves contradicted claims out of the score, and ``no complementary
set`` has only grounded and ungrounded claims: complementary ones count as ungrounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from firmground.bench.stats import Figure, resampled
from firmground.core.decision import Step
from firmground.core.scoring import WEIGHTS
from firmground.verify.gsar import HARDENED, REFERENCE, GSARProfile, Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredReport:
    """One report: the partition of its claims, and whether all of it is true."""

    set_id: str
    partition: Partition
    supported: bool
    coverage: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to score a partition."""

    name: str
    profile: GSARProfile
    complementary: bool = True

    def score(self, report: ScoredReport) -> float:
        """The score of a report."""
        partition = report.partition
        if not self.complementary:
            missing = (*partition.ungrounded, *partition.complementary)
            partition = replace(partition, ungrounded=missing, complementary=())
        return self.profile.score(partition, coverage=report.coverage)

    def proceeds(self, report: ScoredReport) -> bool:
        """True when the report may go out by this score."""
        return self.profile.decide(self.score(report)) is Step.PROCEED


VARIANTS: tuple[Variant, ...] = (
    Variant(name="reference", profile=REFERENCE),
    Variant(name="rho = 0", profile=replace(REFERENCE, rho=0.0)),
    Variant(name="rho = 1", profile=replace(REFERENCE, rho=1.0)),
    Variant(name="no complementary set", profile=REFERENCE, complementary=False),
    Variant(
        name="equal weights",
        profile=replace(REFERENCE, weights=tuple((name, 1.0) for name, _ in WEIGHTS)),
    ),
    Variant(name="hardened", profile=HARDENED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """Figures of one variant; differences are to the reference, paired by report."""

    name: str
    score: Figure
    score_change: Figure
    proceeds: int
    proceeds_change: Figure
    """Change of the number of reports that proceed."""
    true_proceeding: int
    false_proceeding: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationReport:
    """All variants on one set of reports."""

    judge: str
    reports: int
    true: int
    with_contradicted: int
    with_complementary: int
    rows: tuple[AblationRow, ...]


def ablation(judge: str, reports: Sequence[ScoredReport]) -> AblationReport:
    """Score every report by every variant; intervals are over draws of whole evidence sets."""
    return AblationReport(
        judge=judge,
        reports=len(reports),
        true=sum(one.supported for one in reports),
        with_contradicted=sum(bool(one.partition.contradicted) for one in reports),
        with_complementary=sum(bool(one.partition.complementary) for one in reports),
        rows=tuple(_row(variant, reports) for variant in VARIANTS),
    )


def _row(variant: Variant, reports: Sequence[ScoredReport]) -> AblationRow:
    base = VARIANTS[0]
    sets = [one.set_id for one in reports]
    scores = [variant.score(one) for one in reports]
    proceeds = [variant.proceeds(one) for one in reports]
    shift = [score - base.score(one) for score, one in zip(scores, reports, strict=True)]
    turned = [float(now) - base.proceeds(one) for now, one in zip(proceeds, reports, strict=True)]
    true = [now for now, one in zip(proceeds, reports, strict=True) if one.supported]
    return AblationRow(
        name=variant.name,
        score=resampled(scores, sets, fmean),
        score_change=resampled(shift, sets, fmean),
        proceeds=sum(proceeds),
        proceeds_change=resampled(turned, sets, _total(len(reports))),
        true_proceeding=sum(true),
        false_proceeding=sum(proceeds) - sum(true),
    )


def _total(size: int) -> Callable[[Sequence[float]], float]:
    """The sum, brought to the size of the whole set: draws of sets differ in size."""
    return lambda values: fmean(values) * size


def ablation_lines(found: AblationReport) -> list[str]:
    """The report for a person."""
    wrong = found.reports - found.true
    made = [
        f"{found.reports} reports ({found.true} true, {wrong} false), judge {found.judge}; "
        f"{found.with_contradicted} with contradicted claims, "
        f"{found.with_complementary} with complementary ones",
        "",
        "variant               mean score  change of the score        proceed  change"
        "                    true  false",
    ]
    for row in found.rows:
        made.append(
            f"{row.name:<21} {row.score.value:>10.3f}  {_change(row.score_change, 3):<26} "
            f"{row.proceeds:>7}  {_change(row.proceeds_change, 0):<24} "
            f"{row.true_proceeding:>5}  {row.false_proceeding:>5}"
        )
    return made


def _change(figure: Figure, digits: int) -> str:
    if figure.low is None or figure.high is None:
        return f"{figure.value or 0.0:+.{digits}f}"
    low, high = (f"{end:+.{digits}f}" for end in (figure.low, figure.high))
    return f"{figure.value:+.{digits}f} [{low}, {high}]"
