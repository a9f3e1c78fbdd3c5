"""Batches on a real Ray with two workers: every row once, whatever dies meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import ray.cloudpickle
from ray.cluster_utils import Cluster

from firmground.batch import run_batch
from firmground.engine.many import BatchWork, recorded_lines
from firmground.errors import InputError
from firmground.integrations.ray import FinishedRow, check_dataset, run_on_ray

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
WORK = BatchWork(judge="lexical")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowWork(BatchWork):
    """The same check, slowly, so that something can die in the middle of it."""

    def __call__(self, line: str, number: int) -> dict[str, Any]:
        time.sleep(0.02)
        return BatchWork.__call__(self, line, number)


SLOW = SlowWork(judge="lexical")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def rows(number: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {
            "id": f"r{place}",
            "answer": f"The bridge opened in {1930 + place % 5}.",
            "evidence": ["The bridge opened in 1932."],
        }
        for place in range(number)
    ]
    made[7] = {"id": "bad", "answer": "", "evidence": ["x"]}
    made[11] = {**made[11], "id": "r3"}  # used twice
    return made


def write(path: Path, number: int) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows(number)), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(number)))
    return path


def lines_of(folder: Path) -> list[str]:
    return [
        str(text)
        for part in sorted(folder.glob("part-*.parquet"))
        for text in pq.read_table(part)["result"].to_pylist()
    ]


def locally(source: Path, folder: Path) -> list[str]:
    out = folder / "local.jsonl"
    run_batch(source, out, WORK, settings="s", workers=1)
    return out.read_text().splitlines()


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_results_are_the_bytes_of_the_local_batch(
    kind: str, cluster: Cluster, tmp_path: Path
) -> None:
    source = write(tmp_path / f"in.{kind}", 70)
    out = tmp_path / "out"
    done = run_on_ray(str(source), str(out), WORK, settings="s", concurrency=2, rows_a_part=25)
    assert (done.done, done.unreadable, done.skipped) == (70, 2, 0)
    assert len(list(out.glob("part-*.parquet"))) == 3
    assert lines_of(out) == locally(source, tmp_path)
    again = run_on_ray(str(source), str(out), WORK, settings="s", concurrency=2)
    assert (again.done, again.skipped) == (0, 70)
    assert len(lines_of(out)) == 70


def test_a_dataset_gives_one_result_for_each_row(cluster: Cluster) -> None:
    dataset = ray.data.from_items([*rows(30), {"answer": "x", "evidence": ["x"]}])
    found = check_dataset(dataset, judge="lexical", concurrency=2, batch_size=8).take_all()
    assert len(found) == 31
    by_id = Counter(row["id"] for row in found)
    assert by_id["r0"] == 1
    assert by_id["r3"] == 2  # a dataset has no order in which one id comes first
    verdicts = Counter(row["verdict"] for row in found)
    assert verdicts["stands"] == 5
    errors = sorted(row["error"] for row in found if row["error"])
    assert errors == ["'id' is missing", "answer is empty"]
    assert json.loads(found[0]["result"])["verdict"] == found[0]["verdict"]


def _workers() -> list[int]:
    """The processes of actors that check rows."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                name = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if name.startswith(b"ray::MapWorker"):
                found.append(int(place.name))
    return found


def test_a_worker_that_is_killed_in_the_middle_costs_no_row(
    cluster: Cluster, tmp_path: Path
) -> None:
    source, killed = write(tmp_path / "in.jsonl", 400), list[int]()

    def kill_once(weight: int) -> None:
        if not killed and (alive := _workers()):
            killed.append(alive[0])
            os.kill(alive[0], signal.SIGKILL)

    out = tmp_path / "out"
    done = run_on_ray(
        str(source), str(out), SLOW, settings="s", concurrency=2, rows_a_part=20, on_row=kill_once
    )
    assert killed, "no worker was found to kill"
    assert done.done == 400
    assert lines_of(out) == locally(source, tmp_path)


def test_a_node_that_is_lost_in_the_middle_costs_no_row(cluster: Cluster, tmp_path: Path) -> None:
    source, lost = write(tmp_path / "in.jsonl", 400), list[Any]()

    def lose_once(weight: int) -> None:
        if not lost:
            node = cluster.list_all_nodes()[-1]
            lost.append(node)
            cluster.remove_node(node, allow_graceful=False)
            cluster.add_node(num_cpus=1)

    out = tmp_path / "out"
    done = run_on_ray(
        str(source), str(out), SLOW, settings="s", concurrency=2, rows_a_part=20, on_row=lose_once
    )
    assert lost
    assert done.done == 400
    assert lines_of(out) == locally(source, tmp_path)


DRIVER = """
import sys
sys.path.insert(0, {folder!r})
import ray
ray.init(address={address!r}, log_to_driver=False, logging_level="error")
import test_ray
from firmground.integrations.ray import run_on_ray
run_on_ray({source!r}, {out!r}, test_ray.SLOW, settings="s", concurrency=2, rows_a_part=20)
"""


def test_a_driver_that_is_killed_goes_on_where_it_stopped(cluster: Cluster, tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", 400), tmp_path / "out"
    script = DRIVER.format(
        folder=str(Path(__file__).parent), address=cluster.address, source=str(source), out=str(out)
    )
    driver = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while not list(out.glob("part-*.parquet")):
        assert driver.poll() is None, "the driver ended before it was killed"
        assert time.monotonic() < until
        time.sleep(0.005)
    driver.kill()
    driver.wait()
    before = len(lines_of(out))
    assert 0 < before <= 400  # on a fast machine the last parts follow the first at once
    done = run_on_ray(str(source), str(out), SLOW, settings="s", concurrency=2, rows_a_part=20)
    assert (done.skipped, done.done) == (before, 400 - before)
    assert lines_of(out) == locally(source, tmp_path)


def test_runs_are_recorded_together_and_once_though_the_batch_was_interrupted(
    cluster: Cluster, tmp_path: Path
) -> None:
    from firmground.adapters.stores import open_ledger

    source, out = write(tmp_path / "in.jsonl", 60), tmp_path / "out"
    keeping = BatchWork(judge="lexical", keep=True)

    class StopError(Exception):
        pass

    with open_ledger(tmp_path / "log.sqlite") as ledger:

        def finish(rows: list[FinishedRow]) -> list[bytes]:
            lines = recorded_lines([(row.line, row.outcome) for row in rows], ledger, str(out))
            if ledger.size() > 30 and not failed:
                failed.append(True)
                raise StopError  # recorded, and not yet in the folder
            return lines

        failed: list[bool] = []
        options: dict[str, Any] = {"settings": "s", "concurrency": 2, "rows_a_part": 20}
        with pytest.raises(StopError):
            run_on_ray(str(source), str(out), keeping, finish=finish, **options)
        run_on_ray(str(source), str(out), keeping, finish=finish, **options)
        found = [json.loads(line) for line in lines_of(out)]
        receipts = [row["receipt"]["seq"] for row in found if "error" not in row]
        assert ledger.size() == len(receipts) == len(set(receipts)) == 58


def test_a_folder_of_other_settings_or_rows_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", 20), tmp_path / "out"
    run_on_ray(str(source), str(out), WORK, settings="s", concurrency=1)
    with pytest.raises(InputError, match="another policy or judge"):
        run_on_ray(str(source), str(out), WORK, settings="t", concurrency=1)
    write(source, 15)
    with pytest.raises(InputError, match="results of rows that are not in"):
        run_on_ray(str(source), str(out), WORK, settings="s", concurrency=1)


def test_addresses_that_fsspec_opens_are_read(cluster: Cluster, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", 20)
    out = tmp_path / "out"
    done = run_on_ray(f"file://{source}", f"file://{out}", WORK, settings="s", concurrency=1)
    assert done.done == 20
    assert len(lines_of(out)) == 20
