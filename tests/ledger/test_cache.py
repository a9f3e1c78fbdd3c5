"""An answer is given again only if it is still one, for whom it was, and once."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer, behind_its_back

from firmground.core.merkle import leaf_hash, node_hash
from firmground.core.run import Run, Stage, seal
from firmground.errors import InputError, LedgerUnavailable, RecordNotFound, SignerRefused
from firmground.ledger.audit import audit
from firmground.ledger.cache import AnswerCache, AnswerSource, CachedAnswer, CacheMiss
from firmground.ledger.cache_key import Dimensions, Tenant
from firmground.ledger.entry import (
    BurnEntry,
    CacheState,
    FalsifyEntry,
    LookupEntry,
    entry_bytes,
)
from firmground.ledger.ledger import Ledger
from firmground.ledger.record import run_entry
from firmground.ledger.single_flight import SingleFlight

ACME = Tenant(name="acme", key=b"a" * 32)
OTHER = Tenant(name="other", key=b"b" * 32)


def dimensions(question: str = "q") -> Dimensions:
    def name(text: str) -> bytes:
        return hashlib.sha256(text.encode()).digest()

    return Dimensions(
        source_root=name("source"),
        question_hash=name(question),
        model_profile_hash=name("model"),
        conversation_hash=name("conversation"),
        governance_policy_hash=name("policy"),
        schema_version="v1",
        canonicalization_version="norm-v1",
        chunking_version="tok-512-v1",
    )


def given(found: CachedAnswer | CacheMiss) -> CachedAnswer:
    assert isinstance(found, CachedAnswer), found
    return found


def anything(label: Mapping[str, str]) -> bool:
    return True


def test_the_key_is_the_hmac_over_eight_length_prefixed_dimensions() -> None:
    eight = dimensions()
    parts = []
    for each in fields(eight):
        value = getattr(eight, each.name)
        data = value.encode() if isinstance(value, str) else value
        parts.append(len(data).to_bytes(8, "big") + data)
    assert len(parts) == 8
    expected = hmac.new(ACME.key, b"fg1/cache\0" + b"".join(parts), hashlib.sha256).digest()
    assert ACME.cache_key(eight) == expected


@for_all(st.lists(st.text(min_size=1, max_size=6), min_size=3, max_size=3), st.data())
def test_moving_a_letter_from_one_dimension_to_the_next_changes_the_key(
    versions: list[str], data: st.DataObject
) -> None:
    other = data.draw(st.lists(st.text(min_size=1, max_size=6), min_size=3, max_size=3))
    one, two = (
        replace(dimensions(), schema_version=a, canonicalization_version=b, chunking_version=c)
        for a, b, c in (versions, other)
    )
    assert (ACME.cache_key(one) == ACME.cache_key(two)) == (versions == other)


def test_every_dimension_counts() -> None:
    base = dimensions()
    keys = {ACME.cache_key(base), OTHER.cache_key(base)}
    for each in fields(base):
        value = getattr(base, each.name)
        other = value + "x" if isinstance(value, str) else bytes(32)
        changed = replace(base, **{each.name: other})  # type: ignore[arg-type]
        keys.add(ACME.cache_key(changed))
    assert len(keys) == 10


@pytest.mark.parametrize("field", [each.name for each in fields(Dimensions)])
def test_a_dimension_of_the_wrong_size_is_named(field: str) -> None:
    empty = "" if field.endswith("version") else b""
    with pytest.raises(InputError, match=field):
        replace(dimensions(), **{field: empty})  # type: ignore[arg-type]


def test_a_live_answer_is_served_and_the_serving_is_recorded(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        placed = cache.put(key, a_run("hello"), label=LABEL)
        found = cache.get(key, allows=anything)
        assert isinstance(found, CachedAnswer)
        assert found.source is AnswerSource.CACHE
        assert found.run.payload(Stage.ANSWER) == b"hello/answer/0"
        body = ledger.entry(found.seq).body
        assert isinstance(body, LookupEntry)
        assert (body.of, body.served) == (placed.seq, True)
        assert audit(ledger.reader).holds


def test_an_unknown_key_is_a_miss_and_writes_nothing(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        found = AnswerCache(ledger, ACME, unvouched=True).get(bytes(32), allows=anything)
        assert isinstance(found, CacheMiss)
        assert found.seq is None
        assert ledger.size() == 0


@pytest.mark.parametrize("state", [CacheState.FAILED, CacheState.STALE, CacheState.QUARANTINED])
def test_an_answer_in_any_other_state_is_not_served(state: CacheState, tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        placed = cache.falsify(key, state=state, actor="editor", reason="it is wrong")
        body = ledger.entry(placed.seq).body
        assert isinstance(body, FalsifyEntry)
        assert (body.state, body.actor, body.reason) == (state, "editor", "it is wrong")
        found = cache.get(key, allows=anything)
        assert isinstance(found, CacheMiss)
        assert str(state) in found.reason
        assert audit(ledger.reader).holds
        cache.falsify(key, state=CacheState.LIVE, actor="editor", reason="it was right")
        assert isinstance(cache.get(key, allows=anything), CachedAnswer)
        assert audit(ledger.reader).holds


def test_what_was_falsified_is_not_revived_by_computing_it_again(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        cache.falsify(key, state=CacheState.FAILED, actor="editor", reason="wrong")
        cache.put(key, a_run(), label=LABEL)
        assert isinstance(cache.get(key, allows=anything), CacheMiss)
        cache.burn(key, actor="editor", reason="start anew")
        cache.put(key, a_run(), label=LABEL)
        assert isinstance(cache.get(key, allows=anything), CachedAnswer)
        assert audit(ledger.reader).holds


def test_a_stale_answer_is_renewed_by_a_new_run(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run("old"), label=LABEL)
        cache.falsify(key, state=CacheState.STALE, actor="clock", reason="a day has passed")
        cache.put(key, a_run("new"), label=LABEL)
        found = cache.get(key, allows=anything)
        assert isinstance(found, CachedAnswer)
        assert found.run.payload(Stage.ANSWER) == b"new/answer/0"
        assert audit(ledger.reader).holds


def test_the_present_policy_decides_about_an_old_label(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label={"mode": "HYBRID"})
        refused = cache.get(key, allows=lambda label: label["mode"] == "STRICT")
        assert isinstance(refused, CacheMiss)
        assert "policy" in refused.reason
        assert refused.seq is not None
        body = ledger.entry(refused.seq).body
        assert isinstance(body, LookupEntry)
        assert not body.served
        assert isinstance(cache.get(key, allows=lambda label: "mode" in label), CachedAnswer)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vault SET payload = x'00' WHERE id = 6",
        "UPDATE vault SET salt = zeroblob(32) WHERE id = 6",
        "UPDATE stage SET body = x'00' WHERE id = 3",
        "DELETE FROM stage WHERE id = 3",
        "UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'proceed', 'abstain') AS BLOB) "
        "WHERE seq = 0",
        "UPDATE node SET hash = zeroblob(32)",
    ],
)
def test_an_answer_whose_bytes_no_longer_verify_is_put_away(damage: str, tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        for number in range(3):
            ledger.record(a_run(str(number)), label=LABEL)
    with a_ledger(tmp_path, signer=a_signer(tmp_path)):
        pass  # closing signs
    behind_its_back(tmp_path / "log.sqlite", damage)
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        found = cache.get(key, allows=anything)
        assert isinstance(found, CacheMiss)
        assert "no longer verifies" in found.reason
        (row,) = cache.rows()
        assert row.state == CacheState.QUARANTINED


def test_an_erased_answer_is_not_served(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        placed = cache.put(key, a_run(), label=LABEL)
        run_id = ledger.run_at(placed.seq).body.run
        ledger.erase([run_id], actor="dpo", reason="asked", stages=(Stage.ANSWER,))
        found = cache.get(key, allows=anything)
        assert isinstance(found, CacheMiss)
        assert "nothing is cached" in found.reason
        assert audit(ledger.reader).holds
    behind_its_back(
        tmp_path / "log.sqlite", f"INSERT INTO cache VALUES ('acme', x'{key.hex()}', 0, 'live', 0)"
    )
    with a_ledger(tmp_path) as ledger:
        found = AnswerCache(ledger, ACME, unvouched=True).get(key, allows=anything)
        assert isinstance(found, CacheMiss)
        assert "erased" in found.reason
        assert [str(each.part) for each in audit(ledger.reader).problems] == ["cache"]


def test_burning_is_refused_while_others_rest_on_the_answer_unless_forced(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        parent, child = cache.key(dimensions("parent")), cache.key(dimensions("child"))
        cache.put(parent, a_run("parent"), label=LABEL)
        cache.put(child, a_run("child"), label=LABEL, made_from=[parent])
        with pytest.raises(InputError, match="1 cached answers rest on this one"):
            cache.burn(parent, actor="editor", reason="wrong")
        size = ledger.size()
        placed = cache.burn(parent, actor="editor", reason="wrong", force=True)
        assert placed.seq == size
        body = ledger.entry(placed.seq).body
        assert isinstance(body, BurnEntry)
        assert (body.forced, body.children) == (True, 1)
        assert isinstance(cache.get(parent, allows=anything), CacheMiss)
        assert audit(ledger.reader).holds


def test_a_child_that_is_gone_no_longer_protects_its_parent(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        parent, child = cache.key(dimensions("parent")), cache.key(dimensions("child"))
        cache.put(parent, a_run("parent"), label=LABEL)
        cache.put(child, a_run("child"), label=LABEL, made_from=[parent])
        cache.burn(child, actor="editor", reason="wrong")
        body = ledger.entry(cache.burn(parent, actor="editor", reason="wrong").seq).body
        assert isinstance(body, BurnEntry)
        assert (body.forced, body.children) == (False, 0)


def test_an_answer_cannot_rest_on_one_that_is_not_cached(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        with pytest.raises(RecordNotFound):
            cache.put(cache.key(dimensions()), a_run(), label=LABEL, made_from=[bytes(32)])
        assert ledger.size() == 0


def test_tenants_neither_see_nor_touch_each_other(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        ours, theirs = (
            AnswerCache(ledger, ACME, unvouched=True),
            AnswerCache(ledger, OTHER, unvouched=True),
        )
        key = ours.key(dimensions())
        ours.put(key, a_run(), label=LABEL)
        assert theirs.key(dimensions()) != key
        for each in (key, theirs.key(dimensions())):
            assert isinstance(theirs.get(each, allows=anything), CacheMiss)
            with pytest.raises(RecordNotFound):
                theirs.falsify(each, state=CacheState.FAILED, actor="x", reason="x")
            with pytest.raises(RecordNotFound):
                theirs.burn(each, actor="x", reason="x", force=True)
        assert theirs.rows() == ()
        assert len(ours.rows()) == 1


def test_a_row_moved_to_another_tenant_serves_nobody(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        cache.put(cache.key(dimensions()), a_run("ours"), label=LABEL)
    theirs = OTHER.cache_key(dimensions()).hex()
    behind_its_back(
        tmp_path / "log.sqlite", f"UPDATE cache SET tenant = 'other', key = x'{theirs}'"
    )
    with a_ledger(tmp_path) as ledger:
        assert not audit(ledger.reader).holds
        found = AnswerCache(ledger, OTHER, unvouched=True).get(
            OTHER.cache_key(dimensions()), allows=anything
        )
        assert isinstance(found, CacheMiss)


class Upstream:
    """A slow model that counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.go = threading.Event()
        self.error: Exception | None = None

    def __call__(self) -> tuple[Run, Mapping[str, str]]:
        self.calls += 1
        self.go.wait(10)
        if self.error is not None:
            raise self.error
        return a_run("computed"), LABEL


def _crowd(ledger: Ledger, upstream: Upstream, size: int) -> list[object]:
    cache = AnswerCache(ledger, ACME, unvouched=True)
    results: list[object] = []
    inside = threading.Semaphore(0)

    def ask() -> None:
        inside.release()
        try:
            results.append(cache.get_or_compute(dimensions(), upstream, allows=anything))
        except LedgerUnavailable as error:
            results.append(error)

    threads = [threading.Thread(target=ask) for _ in range(size)]
    for thread in threads:
        thread.start()
    for _ in threads:
        inside.acquire()
    upstream.go.set()
    for thread in threads:
        thread.join()
    return results


def test_a_crowd_of_threads_asks_upstream_once(tmp_path: Path) -> None:
    upstream = Upstream()
    with a_ledger(tmp_path) as ledger:
        results = _crowd(ledger, upstream, 32)
        assert upstream.calls == 1
        answers = [each for each in results if isinstance(each, CachedAnswer)]
        assert len(answers) == 32
        assert {each.run.payload(Stage.ANSWER) for each in answers} == {b"computed/answer/0"}
        assert [each.source for each in answers].count(AnswerSource.COMPUTED) == 1
        assert audit(ledger.reader).runs == 1


def test_a_failure_upstream_is_everybodys_and_is_not_cached(tmp_path: Path) -> None:
    upstream = Upstream()
    upstream.error = LedgerUnavailable("upstream is away")
    with a_ledger(tmp_path) as ledger:
        results = _crowd(ledger, upstream, 8)
        assert all(isinstance(each, LedgerUnavailable) for each in results)
        assert ledger.size() == 0
        upstream.error = None
        cache = AnswerCache(ledger, ACME, unvouched=True)
        answer = given(cache.get_or_compute(dimensions(), upstream, allows=anything))
        assert answer.source is AnswerSource.COMPUTED


def test_a_crowd_of_tasks_asks_upstream_once(tmp_path: Path) -> None:
    calls = 0

    async def compute() -> tuple[Run, Mapping[str, str]]:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.05)
        return a_run("computed"), LABEL

    async def main(ledger: Ledger) -> list[CachedAnswer]:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        crowd = (cache.aget_or_compute(dimensions(), compute, allows=anything) for _ in range(32))
        return [given(each) for each in await asyncio.gather(*crowd)]

    with a_ledger(tmp_path) as ledger:
        answers = asyncio.run(main(ledger))
        assert calls == 1
        assert len(answers) == 32
        assert [each.source for each in answers].count(AnswerSource.COMPUTED) == 1


def test_a_cancelled_leader_takes_nobody_with_it(tmp_path: Path) -> None:
    async def main(ledger: Ledger) -> None:
        go, calls = asyncio.Event(), 0

        async def slow() -> tuple[Run, Mapping[str, str]]:
            nonlocal calls
            calls += 1
            await go.wait()
            return a_run("computed"), LABEL

        cache = AnswerCache(ledger, ACME, unvouched=True)
        leader = asyncio.create_task(cache.aget_or_compute(dimensions(), slow, allows=anything))
        while not calls:
            await asyncio.sleep(0.001)
        follower = asyncio.create_task(cache.aget_or_compute(dimensions(), slow, allows=anything))
        await asyncio.sleep(0.05)
        leader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leader
        go.set()
        answer = given(await follower)
        assert answer.run.payload(Stage.ANSWER) == b"computed/answer/0"
        assert calls == 1

    with a_ledger(tmp_path) as ledger:
        asyncio.run(main(ledger))


def test_a_loop_that_ends_leaves_no_thread_waiting(tmp_path: Path) -> None:
    flights: SingleFlight[int] = SingleFlight()
    joined: list[Future[int]] = []

    async def main() -> None:
        async def forever() -> int:
            await asyncio.Event().wait()
            raise AssertionError

        task = asyncio.create_task(flights.arun("key", forever))
        await asyncio.sleep(0.01)
        joined.append(flights._join("key")[0])
        task.cancel()

    asyncio.run(main())
    with pytest.raises(LedgerUnavailable, match="was stopped"):
        joined[0].result(timeout=10)


def test_who_waited_gets_only_what_its_own_policy_allows(tmp_path: Path) -> None:
    upstream, strict_calls, results = Upstream(), [], []

    def strict(label: Mapping[str, str]) -> bool:
        return label.get("mode") == "STRICT"

    def own() -> tuple[Run, Mapping[str, str]]:
        strict_calls.append(1)
        return a_run("own"), {"mode": "STRICT"}

    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)

        def first() -> None:
            cache.get_or_compute(dimensions(), upstream, allows=anything)

        def second() -> None:
            results.append(given(cache.get_or_compute(dimensions(), own, allows=strict)))

        leader = threading.Thread(target=first)
        leader.start()
        while not upstream.calls:
            time.sleep(0.001)
        waiter = threading.Thread(target=second)
        waiter.start()
        time.sleep(0.1)
        assert not strict_calls
        upstream.go.set()
        leader.join()
        waiter.join()
        assert [answer.run.payload(Stage.ANSWER) for answer in results] == [b"own/answer/0"]
        assert strict_calls == [1]


def test_a_task_that_waited_gets_only_what_its_own_policy_allows(tmp_path: Path) -> None:
    async def main(ledger: Ledger) -> CachedAnswer:
        started, go = asyncio.Event(), asyncio.Event()
        cache = AnswerCache(ledger, ACME, unvouched=True)

        async def slow() -> tuple[Run, Mapping[str, str]]:
            started.set()
            await go.wait()
            return a_run("loose"), {"mode": "HYBRID"}

        async def own() -> tuple[Run, Mapping[str, str]]:
            return a_run("own"), {"mode": "STRICT"}

        leader = asyncio.create_task(cache.aget_or_compute(dimensions(), slow, allows=anything))
        await started.wait()
        waiter = asyncio.create_task(
            cache.aget_or_compute(
                dimensions(), own, allows=lambda label: label.get("mode") == "STRICT"
            )
        )
        await asyncio.sleep(0.1)
        go.set()
        await leader
        return given(await waiter)

    with a_ledger(tmp_path) as ledger:
        assert asyncio.run(main(ledger)).run.payload(Stage.ANSWER) == b"own/answer/0"


def test_who_comes_late_into_the_flight_looks_again(tmp_path: Path) -> None:
    """Between a miss and the flight somebody else has computed and landed."""
    with a_ledger(tmp_path) as ledger:
        cache, calls = AnswerCache(ledger, ACME, unvouched=True), []
        fly = ledger.flights.run

        def compute() -> tuple[Run, Mapping[str, str]]:
            calls.append(1)
            return a_run("computed"), LABEL

        def late(key: Hashable, work: Callable[[], Any]) -> tuple[Any, bool]:
            ledger.flights.run = fly  # type: ignore[method-assign]
            cache.get_or_compute(dimensions(), compute, allows=anything)
            return fly(key, work)

        ledger.flights.run = late  # type: ignore[assignment, method-assign]
        answer = given(cache.get_or_compute(dimensions(), compute, allows=anything))
        assert answer.source is AnswerSource.CACHE
        assert calls == [1]


def test_several_caches_of_one_ledger_ask_upstream_once(tmp_path: Path) -> None:
    upstream = Upstream()
    with a_ledger(tmp_path) as ledger:
        threads = [
            threading.Thread(
                target=AnswerCache(ledger, ACME, unvouched=True).get_or_compute,
                args=(dimensions(), upstream),
                kwargs={"allows": anything},
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        upstream.go.set()
        for thread in threads:
            thread.join()
        assert upstream.calls == 1


def test_a_hit_of_a_batch_that_failed_is_decided_upon_again(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        (row,) = cache.rows()
        found: list[Any] = []
        cache._look(ledger.reader, row, True, found)
        assert len(found) == 1
        cache.falsify(key, state=CacheState.QUARANTINED, actor="editor", reason="wrong")
        cache._look(ledger.reader, row, True, found)
        assert found == []


def test_different_questions_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)

        def nested() -> tuple[Run, Mapping[str, str]]:
            cache.get_or_compute(
                dimensions("inner"), lambda: (a_run("inner"), LABEL), allows=anything
            )
            return a_run("outer"), LABEL

        answer = given(cache.get_or_compute(dimensions("outer"), nested, allows=anything))
        assert answer.run.payload(Stage.ANSWER) == b"outer/answer/0"


def test_rows_of_the_index_that_the_log_does_not_know_are_found(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        cache.falsify(key, state=CacheState.FAILED, actor="editor", reason="wrong")
    behind_its_back(tmp_path / "log.sqlite", "UPDATE cache SET state = 'live'")
    with a_ledger(tmp_path) as ledger:
        report = audit(ledger.reader)
        assert [str(problem.part) for problem in report.problems] == ["cache"]


@pytest.mark.parametrize("changed", ["1 << 60", "0", "-1", "1", "3"])
def test_a_row_flipped_to_live_is_found_and_not_served(changed: str, tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        ledger.record(a_run("another"), label=LABEL)
        cache.falsify(key, state=CacheState.LIVE, actor="editor", reason="right")
        cache.falsify(key, state=CacheState.QUARANTINED, actor="editor", reason="wrong")
    behind_its_back(
        tmp_path / "log.sqlite", f"UPDATE cache SET state = 'live', changed = {changed}"
    )
    with a_ledger(tmp_path) as ledger:
        assert [str(each.part) for each in audit(ledger.reader).problems] == ["cache"]
        assert isinstance(
            AnswerCache(ledger, ACME, unvouched=True).get(key, allows=anything), CacheMiss
        )


def test_a_burnt_answer_put_back_behind_the_log_is_not_served(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)
        cache.burn(key, actor="editor", reason="wrong")
    behind_its_back(
        tmp_path / "log.sqlite", f"INSERT INTO cache VALUES ('acme', x'{key.hex()}', 0, 'live', 0)"
    )
    with a_ledger(tmp_path) as ledger:
        assert isinstance(
            AnswerCache(ledger, ACME, unvouched=True).get(key, allows=anything), CacheMiss
        )


def _forge(path: Path, *, note: bool) -> None:
    """Give the answer of entry 1 another payload, and make everything up to the root fit."""
    with a_ledger(path.parent) as ledger:
        stored = ledger.run_at(1)
        run_id, salts = stored.body.run, [kept.salt or b"" for kept in stored.stages]
    sealed = seal(a_run("forged"), run_id=run_id, salts=salts)
    body = run_entry(sealed, label=tuple(LABEL.items()), aside=stored.body.aside)
    data = entry_bytes(replace(stored.entry, body=body))
    first = apsw.Connection(str(path)).execute("SELECT hash FROM entry WHERE seq = 0").get
    root = node_hash(first, leaf_hash(data))
    behind_its_back(
        path,
        f"UPDATE entry SET body = x'{data.hex()}', hash = x'{leaf_hash(data).hex()}' WHERE seq = 1",
        f"UPDATE node SET hash = x'{root.hex()}'",
        *(
            f"UPDATE stage SET body = x'{leaf.hex()}' WHERE id = {1 << 10 | n}"
            for n, leaf in enumerate(sealed.stages)
        ),
        *(
            f"UPDATE vault SET payload = x'{node.payload.hex()}' WHERE id = {1 << 10 | n}"
            for n, node in enumerate(sealed.run.nodes)
        ),
        "DELETE FROM checkpoint" if not note else "SELECT 1",
    )
    if note:
        old = apsw.Connection(str(path)).execute("SELECT note FROM checkpoint").get.decode()
        new = old.replace(old.split("\n")[2], base64.b64encode(root).decode())
        behind_its_back(path, f"UPDATE checkpoint SET note = x'{new.encode().hex()}'")


@pytest.mark.parametrize("note", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_an_answer_forged_up_to_the_root_is_not_served(
    note: bool, signed: bool, tmp_path: Path
) -> None:
    """With the signer its memory tells; without, the signature of the stored checkpoint."""
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        cache = AnswerCache(ledger, ACME)
        key = cache.key(dimensions())
        cache.put(key, a_run("true"), label=LABEL)
        ledger.checkpoint()
        if signed:
            _forge(tmp_path / "log.sqlite", note=note)
            found = cache.get(key, allows=anything)
            assert isinstance(found, CacheMiss)
            assert "no longer verifies" in found.reason
            ledger.notary._checkpointer.trouble = SignerRefused("closed without signing")
            return
    _forge(tmp_path / "log.sqlite", note=note)
    with a_ledger(tmp_path) as ledger:
        keys = [a_signer(tmp_path).verifier]
        assert isinstance(AnswerCache(ledger, ACME, keys=keys).get(key, allows=anything), CacheMiss)
    with a_ledger(tmp_path) as ledger:
        found = AnswerCache(ledger, ACME, unvouched=True).get(key, allows=anything)
        if isinstance(found, CachedAnswer):
            assert not note, "the signature of the stored checkpoint tells"
            assert not found.vouched, "without any checkpoint nobody can tell, and that is said"


def test_without_a_signature_nothing_is_served_unless_that_is_asked_for(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        with pytest.raises(InputError, match="nothing vouches"):
            AnswerCache(ledger, ACME)
        loose = AnswerCache(ledger, ACME, unvouched=True)
        key = loose.key(dimensions())
        loose.put(key, a_run(), label=LABEL)
        assert not given(loose.get(key, allows=anything)).vouched
        signer = a_signer(tmp_path)
        strict = AnswerCache(ledger, ACME, keys=[signer.verifier])
        refused = strict.get(key, allows=anything)
        assert isinstance(refused, CacheMiss)
        assert "not signed" in refused.reason
    with a_ledger(tmp_path, signer=signer) as ledger:
        assert given(AnswerCache(ledger, ACME).get(key, allows=anything)).vouched
    with a_ledger(tmp_path) as ledger:
        strict = AnswerCache(ledger, ACME, keys=[signer.verifier])
        assert given(strict.get(key, allows=anything)).vouched
        stranger = AnswerCache(ledger, ACME, keys=[a_signer(tmp_path, "stranger").verifier])
        assert isinstance(stranger.get(key, allows=anything), CacheMiss)


def test_a_log_that_is_open_with_its_key_signs_before_it_serves(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        cache = AnswerCache(ledger, ACME)
        key = cache.key(dimensions())
        placed = cache.put(key, a_run(), label=LABEL)
        before = ledger.newest_checkpoint()
        assert before is None or before.size <= placed.seq
        assert given(cache.get(key, allows=anything)).vouched
        newest = ledger.newest_checkpoint()
        assert newest is not None
        assert newest.size > placed.seq


def test_an_act_whose_entry_was_forged_makes_nothing_live(tmp_path: Path) -> None:
    """Entry 2 says live and was never signed; the tree does not have it."""
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        cache = AnswerCache(ledger, ACME)
        key = cache.key(dimensions())
        seq = cache.put(key, a_run(), label=LABEL).seq
        act = cache.falsify(key, state=CacheState.FAILED, actor="editor", reason="wrong").seq
        forged = replace(
            ledger.entry(act),
            body=FalsifyEntry(of=seq, state=CacheState.LIVE, actor="editor", reason="right"),
        )
        ledger.checkpoint()
    body = entry_bytes(forged).hex()
    behind_its_back(
        tmp_path / "log.sqlite",
        f"UPDATE entry SET body = x'{body}' WHERE seq = {act}",
        "UPDATE cache SET state = 'live'",
    )
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, keys=[signer.verifier])
        assert isinstance(cache.get(key, allows=anything), CacheMiss)


@pytest.mark.parametrize("wiped", [False, True])
def test_an_older_answer_does_not_come_back_behind_the_falsified_one(
    wiped: bool, tmp_path: Path
) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run("old"), label=LABEL)
        cache.put(key, a_run("new"), label=LABEL)
        cache.falsify(key, state=CacheState.FAILED, actor="editor", reason="wrong")
    back = "UPDATE cache SET seq = 0, state = 'live', changed = 0"
    place = 1 << 10 | 8
    hidden = (
        f"UPDATE vault SET salt = zeroblob(32), payload = x'' WHERE id = {place}",
        f"INSERT INTO erased VALUES ({place}, 2)",
    )
    behind_its_back(tmp_path / "log.sqlite", back, *(hidden if wiped else ()))
    with a_ledger(tmp_path) as ledger:
        found = AnswerCache(ledger, ACME, unvouched=True).get(key, allows=anything)
        assert isinstance(found, CacheMiss)
        assert ("by no order" if wiped else "takes back") in found.reason


def test_what_was_computed_is_held_against_the_policy_too(tmp_path: Path) -> None:
    def nothing(label: Mapping[str, str]) -> bool:
        return False

    async def compute() -> tuple[Run, Mapping[str, str]]:
        return a_run(), LABEL

    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        first = cache.get_or_compute(dimensions(), lambda: (a_run(), LABEL), allows=nothing)
        assert isinstance(first, CacheMiss)
        assert "policy" in first.reason
        assert first.seq is not None
        assert ledger.run_at(first.seq).payload(Stage.ANSWER)
        second = asyncio.run(cache.aget_or_compute(dimensions("b"), compute, allows=nothing))
        assert isinstance(second, CacheMiss)


def test_what_a_refused_waiter_computes_is_held_against_its_policy_too(tmp_path: Path) -> None:
    upstream, results = Upstream(), []

    def strict(label: Mapping[str, str]) -> bool:
        return label.get("mode") == "STRICT"

    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)

        def first() -> None:
            cache.get_or_compute(dimensions(), upstream, allows=anything)

        def second() -> None:
            found = cache.get_or_compute(
                dimensions(), lambda: (a_run("own"), {"mode": "HYBRID"}), allows=strict
            )
            results.append(found)

        leader = threading.Thread(target=first)
        leader.start()
        while not upstream.calls:
            time.sleep(0.001)
        waiter = threading.Thread(target=second)
        waiter.start()
        upstream.go.set()
        leader.join()
        waiter.join()
        (found,) = results
        assert isinstance(found, CacheMiss)
        assert "policy" in found.reason


def test_an_answer_burnt_while_it_was_looked_at_is_a_miss(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        key = cache.key(dimensions())
        cache.put(key, a_run(), label=LABEL)

        def allows(label: Mapping[str, str]) -> bool:
            cache.burn(key, actor="editor", reason="wrong")
            return True

        assert isinstance(cache.get(key, allows=allows), CacheMiss)


def test_a_flight_has_one_pilot_however_many_board(tmp_path: Path) -> None:
    """Alone, without the claim that keeps processes apart."""
    flights: SingleFlight[int] = SingleFlight()
    go, flown, landed = threading.Event(), [], []

    def compute() -> int:
        flown.append(1)
        go.wait(60)
        return 7

    threads = [
        threading.Thread(target=lambda: landed.append(flights.run("key", compute)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    while not flown:
        time.sleep(0.001)
    time.sleep(0.2)
    go.set()
    for thread in threads:
        thread.join()
    assert {value for value, _ in landed} == {7}
    assert len(flown) == [mine for _, mine in landed].count(True)
    assert len(flown) < 8
