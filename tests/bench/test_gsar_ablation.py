"""The ablations of the typed score, as the paper defines them, on reports at hand."""

from __future__ import annotations

import json

from click.testing import CliRunner

from firmground.bench.ablation import VARIANTS, ScoredReport, ablation
from firmground.cli.main import cli
from firmground.verify.gsar import Partition, TypedClaim


def claims(count: int, kind: str = "tool_match") -> tuple[TypedClaim, ...]:
    return tuple(TypedClaim(text=f"{kind} {n}", type=kind) for n in range(count))


def report(at: int, **buckets: int) -> ScoredReport:
    made = {name: claims(count) for name, count in buckets.items()}
    return ScoredReport(set_id=str(at), partition=Partition(**made), supported=at % 2 == 0)


def test_rho_of_zero_inflates_scores_and_only_of_reports_with_contradictions() -> None:
    found = ablation("none", [report(at, grounded=2, contradicted=2) for at in range(20)])
    row = {one.name: one for one in found.rows}["rho = 0"]
    assert row.score_change.low is not None
    assert row.score_change.low > 0
    assert row.proceeds == 20
    plain = ablation("none", [report(at, grounded=2, ungrounded=1) for at in range(20)])
    assert {one.name: one for one in plain.rows}["rho = 0"].score_change.value == 0


def test_without_the_complementary_set_fewer_reports_proceed() -> None:
    found = ablation("none", [report(at, grounded=1, complementary=2) for at in range(20)])
    rows = {one.name: one for one in found.rows}
    assert (rows["reference"].proceeds, rows["no complementary set"].proceeds) == (20, 0)
    change = rows["no complementary set"].proceeds_change
    assert (change.value, change.low, change.high) == (-20, -20, -20)


def test_the_command_prints_every_variant_on_the_corpus_that_comes_with_the_package() -> None:
    run = CliRunner().invoke(
        cli, ["bench", "gsar", "--judge", "lexical", "--limit", "12", "--json"]
    )
    assert run.exit_code == 0, run.output
    told = json.loads(run.output)
    assert [row["name"] for row in told["rows"]] == [one.name for one in VARIANTS]
    assert told["reports"] == 12
    plain = CliRunner().invoke(cli, ["bench", "gsar", "--judge", "lexical", "--limit", "12"])
    assert "no complementary set" in plain.output
