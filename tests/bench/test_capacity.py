"""The simulation of replicas agrees with what queueing theory says where that says something."""

from __future__ import annotations

import pytest
from benchmarks.capacity import BATCH, Plan, Rates, simulate, smallest

FAST = Rates(check=0.01, commit=0.002, record=0.0001)


def test_cores_are_as_busy_as_arrivals_times_work() -> None:
    found = simulate(Plan(per_minute=3_000, replicas=2, cores=1, rates=FAST, seconds=120))
    assert found.cores_busy == pytest.approx(50 * 0.01 / 2, rel=0.1)
    assert found.refused == 0


def test_one_core_waits_as_long_as_an_m_m_1_queue() -> None:
    rates = Rates(check=0.01, commit=1e-9, record=1e-9)
    plan = Plan(per_minute=4_800, replicas=1, cores=1, queue=10_000, rates=rates, seconds=600)
    found = simulate(plan)
    busy = 80 * 0.01
    assert found.median == pytest.approx(0.01 / (1 - busy) * 0.693, rel=0.2)


def test_too_few_cores_refuse_what_they_cannot_do() -> None:
    found = simulate(Plan(per_minute=12_000, replicas=1, cores=1, rates=FAST, seconds=60))
    assert found.refused / found.arrived == pytest.approx(0.5, abs=0.1)
    assert found.breaks_first == "cores"


def test_a_slow_commit_is_shared_by_more_records_and_breaks_in_the_end() -> None:
    slow = Rates(check=0.001, commit=0.05, record=0.0001)
    light = simulate(Plan(per_minute=600, replicas=2, rates=slow))
    heavy = simulate(Plan(per_minute=30_000, replicas=2, rates=slow))
    assert heavy.batch > 5 * light.batch
    assert heavy.breaks_first == "turn to write"
    assert smallest(60 * slow.most_records * 1.5, slow) is None


def test_the_smallest_plan_refuses_nobody_and_grows_with_the_load() -> None:
    plans = [smallest(load, FAST) for load in (10, 1_000, 100_000)]
    assert all(plan is not None and plan[1].refused == 0 for plan in plans)
    replicas = [plan[0].replicas for plan in plans if plan is not None]
    assert replicas == sorted(replicas)
    assert replicas[0] == 1
    assert replicas[-1] >= 100_000 / 60 * 0.01 / 2


def test_no_batch_is_larger_than_a_writer_takes() -> None:
    found = simulate(Plan(per_minute=6_000, replicas=1, rates=FAST))
    assert 1 <= found.batch <= BATCH
