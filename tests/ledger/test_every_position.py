"""Whoever kept a checkpoint notices a rewrite at every position before it.

A log of 2,000 entries is deleted from, edited, inserted into and reordered at every position: once
by somebody who only changes rows, once by somebody without the key who repairs the chain and the tree
behind it, once by somebody who also holds the key and signs the new history.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import apsw
import pytest
from tests.ledger.open_log import LABEL, NEVER, ORIGIN, a_ledger, a_run, a_signer, behind_its_back

from firmground.adapters.sqlite import SqliteStore
from firmground.core.merkle import leaf_hash
from firmground.errors import SignerRefused
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.audit import audit
from firmground.ledger.audit_report import ANCHORED, UNANCHORED
from firmground.ledger.cache import AnswerCache
from firmground.ledger.cache_key import Tenant
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import (
    NO_ENTRY,
    CacheState,
    Durability,
    Entry,
    IngestEntry,
    entry_bytes,
)
from firmground.ledger.keys import generate
from firmground.ledger.ledger import Ledger
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind, LogReplay
from firmground.ledger.store import EntryRow

SIZE = 2_000
EVERY = 25
TIME = "2026-11-15T22:40:00.000000Z"


def _row(seq: int, prev: bytes, word: str) -> EntryRow:
    body = IngestEntry(source=word, root=bytes(32), n=1)
    entry = Entry(seq=seq, prev=prev, ts=TIME, durability=Durability.FULL, body=body)
    data = entry_bytes(entry)
    return EntryRow(seq, "ingest", None, prev, leaf_hash(data), data)


@cache
def _honest() -> tuple[tuple[EntryRow, ...], tuple[LogReplay, ...]]:
    rows: list[EntryRow] = []
    walks = [LogReplay()]
    for seq in range(SIZE):
        rows.append(_row(seq, walks[-1].last, f"document {seq}"))
        step = walks[-1].step(rows[-1])
        assert not step.problems
        walks.append(step.walk)
    return tuple(rows), tuple(walks)


def _repaired(rows: Iterable[EntryRow], first: int, prev: bytes) -> Iterable[EntryRow]:
    """Give rows new places and links, as somebody who knows the format would."""
    for seq, row in enumerate(rows, start=first):
        old = f'"prev":"{row.prev.hex()}","root"'.encode()
        data = row.body.replace(old, f'"prev":"{prev.hex()}","root"'.encode())
        data = data.replace(b'"seq":%d,' % row.seq, b'"seq":%d,' % seq)
        value = leaf_hash(data)
        yield EntryRow(seq, row.type, row.run, prev, value, data)
        prev = value


def _edited(rows: tuple[EntryRow, ...], at: int) -> list[EntryRow]:
    return [_row(at, rows[at].prev, "another document"), *rows[at + 1 :]]


def _deleted(rows: tuple[EntryRow, ...], at: int) -> list[EntryRow]:
    return list(rows[at + 1 :])


def _inserted(rows: tuple[EntryRow, ...], at: int) -> list[EntryRow]:
    return [_row(at, rows[at].prev, "a document nobody recorded"), *rows[at:]]


def _reordered(rows: tuple[EntryRow, ...], at: int) -> list[EntryRow]:
    other = at + 1 if at + 1 < len(rows) else at - 1
    low, high = sorted((at, other))
    swapped = [*rows[:low], rows[high], *rows[low + 1 : high], rows[low], *rows[high + 1 :]]
    return swapped[low:]


TAMPERINGS: dict[str, Callable[[tuple[EntryRow, ...], int], list[EntryRow]]] = {
    "edit": _edited,
    "delete": _deleted,
    "insert": _inserted,
    "reorder": _reordered,
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_rows_changed_and_not_repaired_are_seen_on_the_spot(tampering: str) -> None:
    rows, walks = _honest()
    for at in range(SIZE):
        changed = TAMPERINGS[tampering](rows, at)
        first = min(at, SIZE - len(changed)) if tampering == "reorder" else at
        problems: list[LogProblem] = []
        walk = walks[first]
        for seq, row in enumerate(changed[:3], start=first):
            step = walk.step(row if tampering == "delete" else row._replace(seq=seq))
            problems += step.problems
            walk = step.walk
        if tampering == "delete" and at == SIZE - 1:
            # Nothing follows: only a checkpoint can tell that the last entry is gone.
            assert walk.size == SIZE - 1
            continue
        if tampering == "edit" and at == SIZE - 1:
            assert walk.frontier.root() != walks[-1].frontier.root()
            continue
        assert problems, at
        assert all(problem.part is LogPart.ENTRY for problem in problems)
        assert problems[0].seq in (at, at + 1, at - 1)


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_a_repaired_history_contradicts_the_next_kept_checkpoint(tampering: str) -> None:
    """Holds for whoever has the key as well: signing again does not change what others kept."""
    rows, walks = _honest()
    for at in range(SIZE):
        kept = min((at // EVERY + 1) * EVERY, SIZE)
        changed = TAMPERINGS[tampering](rows, at)
        first = SIZE - len(changed) if tampering == "reorder" else at
        walk = walks[first]
        for row in _repaired(changed[: kept - first], first, walk.last):
            step = walk.step(row)
            assert not step.problems, "the chain was repaired and looks whole"
            walk = step.walk
        if walk.size < kept:
            assert tampering == "delete"
            assert kept == SIZE
            continue  # the log is shorter than the checkpoint: truncation
        assert walk.frontier.root() != walks[kept].frontier.root(), at


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A real log of 24 runs in a file, with a checkpoint kept outside after 8, 16 and 24."""
    folder = tmp_path_factory.mktemp("positions")
    kept = []
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        for number in range(1, 24):
            ledger.record(a_run(f"question {number}"), label=LABEL)
            if ledger.size() % 8 == 0:
                kept.append(ledger.checkpoint())
    return folder, kept


@pytest.mark.parametrize("at", range(24))
@pytest.mark.parametrize("kind", ["delete", "edit", "insert", "swap"])
def test_every_change_of_a_file_is_found_with_a_kept_checkpoint(
    at: int, kind: str, small: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, kept = small
    copy = tmp_path / "log.sqlite"
    copy.write_bytes((folder / "log.sqlite").read_bytes())
    behind_its_back(copy, *_statements(kind, at), "DELETE FROM checkpoint")
    store = SqliteStore.open(copy)
    report = audit(store, keys=[a_signer(folder).verifier], kept=kept)
    store.close()
    assert not report.holds
    assert report.anchors == 3
    beyond = kind == "insert" and at == 23  # comes to stand behind everything that was signed
    assert beyond or any(problem.part is LogPart.KEPT for problem in report.problems)


def _statements(kind: str, at: int) -> tuple[str, ...]:
    other = at + 1 if at < 23 else at - 1
    body = "CAST(replace(CAST(body AS TEXT), '\"fg1\"', '\"fg2\"') AS BLOB)"
    return {
        "delete": (f"DELETE FROM entry WHERE seq = {at}",),
        "edit": (f"UPDATE entry SET body = {body} WHERE seq = {at}",),
        "insert": (
            "UPDATE entry SET seq = -seq - 2",
            f"UPDATE entry SET seq = -seq - 2 + (-seq - 2 >= {at})",
            f"INSERT INTO entry SELECT {at}, type, NULL, prev, hash, body FROM entry "
            f"WHERE seq = {at + 1}",
        ),
        "swap": (
            f"UPDATE entry SET seq = -1 WHERE seq = {at}",
            f"UPDATE entry SET seq = {at} WHERE seq = {other}",
            f"UPDATE entry SET seq = {other} WHERE seq = -1",
        ),
    }[kind]


@pytest.mark.parametrize("cut", range(1, 24))
def test_a_tail_cut_off_is_named_with_its_range(
    cut: int, small: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, kept = small
    copy = tmp_path / "log.sqlite"
    copy.write_bytes((folder / "log.sqlite").read_bytes())
    behind_its_back(
        copy,
        f"DELETE FROM entry WHERE seq >= {cut}",
        f"DELETE FROM stage WHERE id >= {cut} << 10",
        f"DELETE FROM vault WHERE id >= {cut} << 10",
        f"DELETE FROM node WHERE id >= {2 * cut - cut.bit_count()}",
        f"DELETE FROM checkpoint WHERE size > {cut}",
    )
    store = SqliteStore.open(copy)
    alone = audit(store)
    report = audit(store, kept=kept)
    store.close()
    assert alone.holds, "without a copy from outside nothing can be seen"
    assert alone.unseen[0] == UNANCHORED
    missing = [problem for problem in report.problems if problem.wrong is LogProblemKind.TRUNCATED]
    assert f"entries {cut} to 23 are missing" in missing[-1].detail


def test_a_rewrite_with_the_key_is_undetectable_alone_and_detected_with_an_old_checkpoint(
    tmp_path: Path,
) -> None:
    """The honest limit: without an outside copy the audit holds, and says what it cannot see."""
    key, folder = generate(ORIGIN), tmp_path
    real, fake = folder / "real", folder / "fake"
    kept: list[str] = []
    for place in (real, fake):
        place.mkdir()
        from firmground.ledger.signing import CheckpointSigner

        signer = CheckpointSigner.adopt(place / "log.key", key)
        with a_ledger(place, signer=signer) as ledger:
            for number in range(6):
                ledger.record(
                    a_run(f"{place.name if number == 3 else 'same'} {number}"), label=LABEL
                )
            note = ledger.checkpoint()
            if place is real:
                kept.append(note)
    store = SqliteStore.open(fake / "log.sqlite")
    alone = audit(store, keys=[key.verifier])
    assert alone.holds
    assert UNANCHORED in alone.unseen
    against = audit(store, keys=[key.verifier], kept=kept)
    assert not against.holds
    assert against.unseen[0] == ANCHORED.format(size=7)
    store.close()


def test_a_kept_checkpoint_that_nobody_signed_is_not_believed(
    small: tuple[Path, list[str]],
) -> None:
    folder, _ = small
    forged = checkpoints.sign(
        Checkpoint(origin=ORIGIN, size=99, root=bytes(32)), [generate(ORIGIN)]
    )
    store = SqliteStore.open(folder / "log.sqlite")
    report = audit(store, keys=[a_signer(folder).verifier], kept=[forged, "nonsense"])
    store.close()
    assert report.anchors == 0
    assert [problem.part for problem in report.problems] == [LogPart.KEPT, LogPart.KEPT]


def test_an_audit_reports_its_progress_and_bounds_its_list(
    small: tuple[Path, list[str]], tmp_path: Path
) -> None:
    from firmground.ledger.audit import Audit

    copy = tmp_path / "log.sqlite"
    copy.write_bytes((small[0] / "log.sqlite").read_bytes())
    behind_its_back(copy, "DELETE FROM vault")
    store = SqliteStore.open(copy)
    seen: list[tuple[int, int]] = []
    report = Audit(
        store, progress=lambda done, total: seen.append((done, total)), list_at_most=10
    ).run()
    store.close()
    assert seen[-1] == (24, 24)
    assert len(report.problems) == 10
    assert report.omitted == 23 * 8 - 10


def test_an_audit_of_a_log_that_is_being_written_finds_nothing_wrong(tmp_path: Path) -> None:
    tenant = Tenant(name="acme", key=b"a" * 32)
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        cache = AnswerCache(ledger, tenant)
        ids = [ledger.record(a_run(str(n)), label=LABEL).run_id for n in range(12)]
        for number in range(4):
            cache.put(bytes([number]) * 32, a_run(), label=LABEL)
        ledger.checkpoint()

        def meanwhile(done: int, total: int) -> None:
            ledger.erase([ids.pop()], actor="dpo", reason="asked") if ids else None
            ledger.record(a_run("new"), label=LABEL)
            cache.put(bytes([100 + done]) * 32, a_run(), label=LABEL)
            if done < 4:
                key = bytes([done]) * 32
                cache.falsify(key, state=CacheState.FAILED, actor="editor", reason="wrong")
            ledger.checkpoint()

        report = audit(ledger.reader, progress=meanwhile)
        assert report.problems == ()
        assert report.size == 17
        assert audit(ledger.reader).holds


def test_a_checkpoint_by_a_key_out_of_office_is_found(tmp_path: Path) -> None:
    old, new = a_signer(tmp_path, "old"), a_signer(tmp_path, "new")
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=old, policy=NEVER) as ledger:
        ledger.rotate(new)
        ledger.record(a_run(), label=LABEL)
        size, root = ledger.tree_head()
        note = checkpoints.sign(Checkpoint(origin=ORIGIN, size=size, root=root), [old._key])
    connection = apsw.Connection(str(tmp_path / "log.sqlite"))
    connection.execute(
        "INSERT INTO checkpoint SELECT max(number) + 1, ?, ? FROM checkpoint",
        (size, note.encode()),
    )
    connection.close()
    again = SqliteStore.open(tmp_path / "log.sqlite")
    report = audit(again)
    again.close()
    assert [problem.part for problem in report.problems] == [LogPart.KEY]
    assert "ended" in report.problems[0].detail


def test_a_rewritten_log_is_refused_by_its_own_signer_too(
    small: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, _ = small
    for name in ("log.sqlite", "log.key", "log.key.state"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "log.key").chmod(0o600)
    behind_its_back(tmp_path / "log.sqlite", "UPDATE node SET hash = zeroblob(32)")
    with pytest.raises(SignerRefused):
        a_ledger(tmp_path, signer=a_signer(tmp_path))


def test_the_first_entry_has_nothing_before_it() -> None:
    rows, _ = _honest()
    assert rows[0].prev == NO_ENTRY
    assert dataclasses.fields(LogReplay)[0].default == NO_ENTRY
