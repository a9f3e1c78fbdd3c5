"""What was erased is gone from every file, and everything else is still proved."""

from __future__ import annotations

import hashlib
import hmac
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ledger import second_reader
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer, behind_its_back
from tests.ledger.test_cache import ACME, dimensions
from tests.progress import Progress

from firmground.adapters.sqlite import SqliteStore
from firmground.core.run import Run, Stage, commitment
from firmground.errors import InputError, RecordErased, RecordNotFound
from firmground.ledger import fg0
from firmground.ledger.audit import audit
from firmground.ledger.bundle import Bundle, verify_bundle
from firmground.ledger.cache import AnswerCache
from firmground.ledger.entry import CacheState, EraseEntry
from firmground.ledger.extras import ErasableExtras
from firmground.ledger.ledger import Ledger
from firmground.ledger.store import CacheRow, StoreChange, Transaction


def _files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("log.sqlite*")))


def _secret(number: int) -> str:
    """Small, middling and page-filling payloads, so that cells, pages and overflow are met."""
    return f"SECRET-{number}-" * (1 + (number * 37) % 400)


def _erase_some(folder: Path, count: int, gone: list[int]) -> None:
    signer = a_signer(folder)
    ledger = a_ledger(folder, signer=signer)
    progress = Progress("runs to erase from", count)
    ids = []
    for number in range(count):
        ids.append(ledger.record(a_run(_secret(number)), label=LABEL).run_id)
        progress.step()
    salts = [
        stage.salt for n in gone for stage in ledger.run(ids[n]).stages if stage.salt is not None
    ]
    before = {n: ledger.export(ids[n], disclose=None) for n in range(0, count, 7)}
    erasure = ledger.erase([ids[n] for n in gone], actor="dpo", reason="article 17")
    assert erasure.scrubbed
    assert erasure.payloads == 8 * len(gone)
    _nothing_left(folder, gone, salts)
    _others_hold(ledger, ids, set(gone))
    for bundle in before.values():
        assert verify_bundle(bundle.data, keys=[signer.verifier]).valid
    assert audit(ledger.reader, keys=[signer.verifier]).holds
    ledger.close()
    _nothing_left(folder, gone, salts)


def _nothing_left(folder: Path, gone: list[int], salts: list[bytes]) -> None:
    everything = _files(folder)
    for number in gone:
        assert f"SECRET-{number}-".encode() not in everything, number
    for salt in salts:
        assert salt not in everything


def _others_hold(ledger: Ledger, ids: list[str], gone: set[int]) -> None:
    signer = ledger.notary.signer
    for number, run_id in enumerate(ids):
        if number in gone:
            with pytest.raises(RecordErased):
                ledger.run(run_id).payload(Stage.ANSWER)
            bundle = ledger.export(run_id, disclose=None)
            assert bundle.disclosed == ()
        else:
            bundle = ledger.export(run_id, disclose=None)
            assert len(bundle.disclosed) == 8
        assert verify_bundle(bundle.data, keys=[signer.verifier]).valid


def test_erased_payloads_leave_every_file_and_no_proof_breaks(tmp_path: Path) -> None:
    _erase_some(tmp_path, 40, [0, 1, 2, 7, 13, 14, 20, 33, 38, 39])


@pytest.mark.soak
def test_a_thousand_erasures_leave_every_file_and_no_proof_breaks(tmp_path: Path) -> None:
    _erase_some(tmp_path, 1_500, [n for n in range(1_500) if n % 3 != 1])


def test_the_log_says_what_was_erased_and_never_what_it_said(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        receipt = ledger.record(a_run("SECRET"), label=LABEL)
        erasure = ledger.erase(
            [receipt.run_id], actor="dpo", reason="asked", stages=(Stage.QUESTION, Stage.ANSWER)
        )
        body = ledger.entry(erasure.seqs[0]).body
        assert isinstance(body, EraseEntry)
        commits = [stage.commit for stage in ledger.run(receipt.run_id).stages]
        assert set(body.commits) < set(commits)
        assert len(body.commits) == 2
        assert ledger.run(receipt.run_id).payload(Stage.PROMPT) == b"SECRET/prompt/0"


def test_a_commitment_without_its_salt_confirms_no_guess(tmp_path: Path) -> None:
    """The right question, guessed, looks like every wrong one."""
    with a_ledger(tmp_path) as ledger:
        receipt = ledger.record(a_run("SECRET"), label=LABEL)
        stored = ledger.run(receipt.run_id).stages[0]
        ledger.erase([receipt.run_id], actor="dpo", reason="asked")
        for salt in (bytes(32), stored.commit, receipt.entry_hash):
            made = commitment(salt=salt, stage=Stage.QUESTION, payload=b"SECRET/question/0")
            assert made != stored.commit


def test_erasing_twice_changes_nothing_and_scrubs_again(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        run_id = ledger.record(a_run(), label=LABEL).run_id
        first = ledger.erase([run_id, run_id], actor="dpo", reason="asked")
        assert (first.run_ids, first.payloads, len(first.seqs)) == ((run_id,), 8, 1)
        size = ledger.size()
        again = ledger.erase([run_id], actor="dpo", reason="asked")
        assert (again.payloads, again.seqs, again.scrubbed) == (0, (), True)
        assert ledger.size() == size
        with pytest.raises(RecordNotFound):
            ledger.erase(["nobody"], actor="dpo", reason="asked")
        assert audit(ledger.reader).holds


def test_an_erasure_that_fails_halfway_still_scrubs_what_was_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firmground.ledger import erasure

    decision = erasure.decision

    def failing(draft: Any, run_id: str, **about: Any) -> Any:
        if run_id != second:
            return decision(draft, run_id, **about)

        def decide(reader: object) -> None:
            raise InputError("the second cannot be erased")

        return decide

    with a_ledger(tmp_path) as ledger:
        first = ledger.record(a_run("SECRET"), label=LABEL).run_id
        second = ledger.record(a_run("other"), label=LABEL).run_id
        third = ledger.record(a_run("HIDDEN"), label=LABEL).run_id
        monkeypatch.setattr(erasure, "decision", failing)
        with pytest.raises(InputError, match="the second"):
            ledger.erase([first, second, third], actor="dpo", reason="asked")
        assert b"SECRET" not in _files(tmp_path)
        assert b"HIDDEN" not in _files(tmp_path)
        assert b"other" in _files(tmp_path)


def test_payloads_of_uneven_size_erased_out_of_order_leave_no_copies_between_pages(
    tmp_path: Path,
) -> None:
    """Deleting rows would make neighbours move, and a moved row leaves a copy behind."""
    chance = random.Random(5)

    def uneven(number: int) -> Run:
        run = a_run(f"SECRET-{number}-")
        sizes = [chance.choice([0, 40, 300, 900]) for _ in run.nodes]
        nodes = (
            replace(node, payload=node.payload + b"x" * size)
            for node, size in zip(run.nodes, sizes, strict=True)
        )
        return replace(run, nodes=tuple(nodes))

    with a_ledger(tmp_path) as ledger:
        drafts = [ledger.draft_run(uneven(n), label=LABEL) for n in range(400)]
        for future in [ledger.submit(draft) for draft, _ in drafts]:
            future.result()
        order = list(range(400))
        chance.shuffle(order)
        for number in order[:300:10]:
            ledger.erase([drafts[number][1]], actor="dpo", reason="asked", stages=(Stage.ANSWER,))
        names = [drafts[number][1] for number in order[:300]]
        assert ledger.erase(names, actor="dpo", reason="asked").scrubbed
        left = {int(number) for number in re.findall(rb"SECRET-(\d+)-", _files(tmp_path))}
        assert left == set(order[300:])
        assert audit(ledger.reader).holds


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("INSERT INTO erased VALUES (0, 0)", "which does not order that"),
        ("INSERT INTO erased VALUES (0, 77)", "which does not order that"),
        ("INSERT INTO erased VALUES (0, 2)", "which does not order that"),
        ("INSERT INTO erased VALUES (99 << 10, 2)", "no run has committed to"),
        ("UPDATE erased SET by = 0", "which does not order that"),
    ],
)
def test_a_mark_of_erasure_that_the_log_does_not_order_is_found(
    mark: str, told: str, tmp_path: Path
) -> None:
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run("kept"), label=LABEL)
        run_id = ledger.record(a_run("gone"), label=LABEL).run_id
        ledger.erase([run_id], actor="dpo", reason="asked")
        assert audit(ledger.reader).holds
    behind_its_back(tmp_path / "log.sqlite", mark)
    with a_ledger(tmp_path) as ledger:
        problems = list(map(str, audit(ledger.reader).problems))
        assert problems
        assert all(told in problem for problem in problems)


def test_a_reader_that_still_holds_the_old_pages_is_reported(tmp_path: Path) -> None:
    import apsw

    store = SqliteStore.open(tmp_path / "log.sqlite", busy_seconds=0.05)
    with Ledger(store) as ledger:
        receipt = ledger.record(a_run("SECRET"), label=LABEL)
        other = apsw.Connection(str(tmp_path / "log.sqlite"))
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM vault").fetchall()
        erasure = ledger.erase([receipt.run_id], actor="dpo", reason="asked")
        assert not erasure.scrubbed
        other.close()
        assert store.scrub()
        assert b"SECRET" not in _files(tmp_path)


def test_a_crash_between_erasing_and_scrubbing_is_made_good_at_the_next_opening(
    tmp_path: Path,
) -> None:
    store = SqliteStore.open(tmp_path / "log.sqlite")
    ledger = Ledger(store)
    receipt = ledger.record(a_run("SECRET"), label=LABEL)
    store.scrub()
    from firmground.ledger import erasure

    decide = erasure.decision(
        ledger.draft, receipt.run_id, actor="dpo", reason="asked", stages=None
    )
    ledger.append(decide)  # and here the power fails, before the files are scrubbed
    later = tmp_path / "later"
    later.mkdir()
    for path in tmp_path.glob("log.sqlite*"):
        if not path.name.endswith("-shm"):
            (later / path.name).write_bytes(path.read_bytes())
    ledger.close()
    assert b"SECRET" in _files(later)
    SqliteStore.open(later / "log.sqlite").close()
    assert b"SECRET" not in _files(later)


# -- a guess of what was erased ------------------------------------------------------------------


def _guesses(question: str, run: Run, keys: Iterable[bytes]) -> list[bytes]:
    """Every digest that somebody who guesses the run, and holds the tenant's key, can compute."""
    texts = [question.encode(), *(node.payload for node in run.nodes)]
    plain = [hashlib.sha256(text).digest() for text in texts]
    leaves = [hashlib.sha256(b"\x00" + text).digest() for text in texts]
    unsalted = [
        commitment(salt=bytes(32), stage=node.stage, payload=node.payload) for node in run.nodes
    ]
    compat = bytes.fromhex(_fg0_root(question))
    asides = [ErasableExtras(cache_key=key, compat=compat).payload for key in keys]
    whole = bytes.fromhex(run.content_root)
    digests = [*plain, *leaves, *unsalted, *keys, compat, whole]
    return [*digests, *(each.hex().encode() for each in digests), *texts, *asides]


def _fg0_root(question: str) -> str:
    return fg0.build_run_dag(
        question_hash=fg0.question_hash(question), sources=[], context_root="22" * 32,
        conversation_hash="33" * 32, answer_text=question, audit_mode="STRICT",
        verifier_method="quote", n_quotes=1, n_verified=1,
    ).root  # fmt: skip


def _everything(folder: Path, bundles: Iterable[Bundle]) -> bytes:
    opened = (part for bundle in bundles for part in (bundle.data, bundle.entry, *bundle.stages))
    return _files(folder) + b"".join(opened)


def test_after_erasure_nobody_confirms_a_guess_with_file_export_and_tenant_key(
    tmp_path: Path,
) -> None:
    chance = random.Random(11)
    signer = a_signer(tmp_path)
    questions = [f"who is number {n:04d}" for n in range(120)]
    runs = [a_run(f"ask {question}") for question in questions]
    dims = [dimensions(question) for question in questions]
    ledger = a_ledger(tmp_path, signer=signer)
    cache = AnswerCache(ledger, ACME)
    keys = [cache.key(each) for each in dims]
    seqs = []
    for number, (run, key) in enumerate(zip(runs, keys, strict=True)):
        parents = [keys[number - 1]] if number % 5 == 1 else []
        compat = bytes.fromhex(_fg0_root(questions[number]))
        placed = cache.put(key, run, label=LABEL, made_from=parents, compat=compat)
        seqs.append(placed.seq)
    for number in range(0, 120, 9):
        cache.get(keys[number], allows=lambda label: True)
        cache.falsify(keys[number], state=CacheState.FAILED, actor="x", reason="wrong")
    for number in range(4, 120, 10):
        cache.burn(keys[number], actor="x", reason="old", force=True)
    names = [ledger.run_at(seq).body.run for seq in seqs]
    bundles = [ledger.export(name) for name in names[:30]]
    before = _everything(tmp_path, bundles)
    # The test proves itself: before the erasure every guess is confirmed by something.
    assert all(key in before for n, key in enumerate(keys) if n % 10 != 4)
    assert all(_fg0_root(question).encode() in before for question in questions)
    order = list(range(120))
    chance.shuffle(order)
    gone, left = order[:80], order[80:]
    for number in gone[:20]:
        assert ledger.erase([names[number]], actor="dpo", reason="asked").scrubbed
    only = (Stage.QUESTION,)
    ledger.erase([names[n] for n in gone[20:40]], actor="dpo", reason="asked", stages=only)
    ledger.erase([names[n] for n in gone], actor="dpo", reason="asked")
    everything = _everything(tmp_path, bundles)
    for number in gone:
        for guess in _guesses(questions[number], runs[number], [keys[number]]):
            assert guess not in everything, (number, guess)
    for number in left:
        assert keys[number].hex().encode() in everything
    assert audit(ledger.reader, keys=[signer.verifier]).holds
    ledger.close()
    assert not any(keys[number] in _files(tmp_path) for number in gone)


def test_an_aside_is_disclosed_only_on_request_and_goes_with_the_first_stage_that_is_erased(
    tmp_path: Path,
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        keys = [ledger.notary.signer.verifier]
        run_id = ledger.record(a_run(), label=LABEL, compat=b"c" * 32).run_id
        closed = verify_bundle(ledger.export(run_id, disclose=None).data, keys=keys)
        assert closed.verified is not None
        assert closed.verified.compat_root is None
        data = ledger.export(run_id, aside=True).data
        for profiles, root in ((("fg1",), None), (("fg1", "fg0"), (b"c" * 32).hex())):
            opened = verify_bundle(data, keys=keys, profiles=profiles)
            assert opened.verified is not None, opened.reasons
            assert opened.verified.compat_root == root
        assert second_reader.holds(data, str(keys[0]))
        erasure = ledger.erase([run_id], actor="dpo", reason="asked", stages=(Stage.ANSWER,))
        assert erasure.payloads == 1
        with pytest.raises(RecordErased, match="beside"):
            ledger.export(run_id, aside=True)
        assert audit(ledger.reader).holds


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vault SET payload = x'7b7d' WHERE id = (1 << 10 | 8)",
        "UPDATE vault SET salt = randomblob(32) WHERE id = (1 << 10 | 8)",
    ],
)
def test_an_aside_that_was_changed_is_found_and_can_still_be_erased(
    damage: str, tmp_path: Path
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        run_id = ledger.record(a_run(), label=LABEL, compat=b"c" * 32).run_id
        assert audit(ledger.reader).holds
    behind_its_back(tmp_path / "log.sqlite", damage)
    with a_ledger(tmp_path) as ledger:
        assert [str(each.part) for each in audit(ledger.reader).problems] == ["vault"]
        ledger.erase([run_id], actor="dpo", reason="asked")
        assert audit(ledger.reader).holds


def test_a_run_whose_aside_was_changed_leaves_no_key_in_the_index_when_it_is_erased(
    tmp_path: Path,
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        cache = AnswerCache(ledger, ACME)
        parent, key = cache.key(dimensions("parent")), cache.key(dimensions())
        cache.put(parent, a_run("parent"), label=LABEL)
        seq = cache.put(key, a_run(), label=LABEL, made_from=(parent,)).seq
        run_id = ledger.run_at(seq).body.run
    behind_its_back(
        tmp_path / "log.sqlite", f"UPDATE vault SET payload = x'7b7d' WHERE id = ({seq} << 10 | 8)"
    )
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        ledger.erase([run_id], actor="dpo", reason="asked")
        assert [row.key for row in ledger.reader.cache_rows()] == [parent]
        assert ledger.reader.edges(ACME.name, parent) == ()
        assert audit(ledger.reader, keys=[a_signer(tmp_path).verifier]).holds
    assert key not in _files(tmp_path)


@pytest.mark.parametrize("length", [0, 1, 16, 31, 33, 64])
def test_a_salt_of_another_length_is_found_and_then_erased_like_any_other(
    length: int, tmp_path: Path
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        run_id = ledger.record(a_run(), label=LABEL).run_id
    place = f"id = (SELECT seq << 10 | 3 FROM entry WHERE run = '{run_id}')"
    behind_its_back(
        tmp_path / "log.sqlite", f"UPDATE vault SET salt = randomblob({length}) WHERE {place}"
    )
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        assert [problem.ordinal for problem in audit(ledger.reader).problems] == [3]
        ledger.erase([run_id], actor="dpo", reason="asked")
        assert ledger.run(run_id).stages[3].payload is None
        assert audit(ledger.reader, keys=[a_signer(tmp_path).verifier]).holds


@pytest.mark.parametrize("column", ["salt", "payload"])
def test_bytes_put_back_where_something_was_erased_are_found(column: str, tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        run_id = ledger.record(a_run(), label=LABEL).run_id
        ledger.erase([run_id], actor="dpo", reason="asked")
        assert audit(ledger.reader).holds
    behind_its_back(
        tmp_path / "log.sqlite",
        f"UPDATE vault SET {column} = CAST('back again' AS BLOB) WHERE id & 1023 = 3",
    )
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        report = audit(ledger.reader)
    assert any("still there although entry" in problem.detail for problem in report.problems)


def test_keys_left_on_pages_by_a_crash_are_gone_after_the_next_opening(tmp_path: Path) -> None:
    from firmground.ledger import erasure

    store = SqliteStore.open(tmp_path / "log.sqlite")
    ledger = Ledger(store)
    cache = AnswerCache(ledger, ACME, unvouched=True)
    keys = [cache.key(dimensions(str(n))) for n in range(300)]
    seqs = [cache.put(key, a_run(), label=LABEL).seq for key in keys]
    for seq in seqs[::2]:
        name = ledger.run_at(seq).body.run
        decide = erasure.decision(ledger.draft, name, actor="dpo", reason="asked", stages=None)
        ledger.append(decide)  # and the power fails before anything is scrubbed
    later = tmp_path / "later"
    later.mkdir()
    for path in tmp_path.glob("log.sqlite*"):
        if not path.name.endswith("-shm"):
            (later / path.name).write_bytes(path.read_bytes())
    ledger.close()
    SqliteStore.open(later / "log.sqlite").close()
    left = _files(later)
    assert not any(key in left for key in keys[::2])
    assert all(key in left for key in keys[1::2])


def test_keys_in_rows_of_uneven_size_leave_no_copies_between_pages(tmp_path: Path) -> None:
    """Now and then a row that SQLite moves leaves a copy; emptying the table overwrites it."""
    chance = random.Random(0)
    keys = [hashlib.sha256(b"0%d" % number).digest() for number in range(3_000)]
    live = set[int]()

    def work(transaction: Transaction) -> None:
        for number, key in enumerate(keys):
            tenant = "t" * chance.choice([1, 5, 40, 300, 900])
            transaction.apply(StoreChange(cached=(CacheRow(tenant, key, number, "live", number),)))
            live.add(number)
            if number % 3 == 0 and number:
                gone = chance.choice(list(live))
                live.discard(gone)
                transaction.apply(StoreChange(forgotten=((gone, keys[gone]),)))

    store = SqliteStore.open(tmp_path / "log.sqlite")
    store.transact(work)
    assert store.scrub()
    left = _files(tmp_path)
    assert [n for n, key in enumerate(keys) if n not in live and key in left] == []
    assert len(store.cache_rows()) == len(live)
    store.close()


@pytest.mark.soak
def test_a_million_guesses_confirm_nothing_of_what_was_erased(tmp_path: Path) -> None:
    """The right question is among the guesses, and looks like every wrong one."""
    guesses = [f"who is number {n:07d}".encode() for n in range(1_000_000)]
    chance = random.Random(3)
    with a_ledger(tmp_path) as ledger:
        names = []
        for guess in chance.sample(guesses, 200):
            run = a_run()
            nodes = (replace(run.nodes[0], payload=guess), *run.nodes[1:])
            names.append(ledger.record(replace(run, nodes=nodes), label=LABEL).run_id)
        ledger.erase(names, actor="dpo", reason="asked")
        left = {stage.commit for name in names for stage in ledger.run(name).stages}
        left |= {row.hash for row in ledger.reader.entries(0, ledger.size())}
    progress = Progress("guesses", len(guesses))
    for guess in guesses:
        progress.step()
        message = b"fg1/payload\0question\0" + guess
        assert hashlib.sha256(guess).digest() not in left
        assert hashlib.sha256(b"\0" + guess).digest() not in left
        assert hmac.digest(bytes(32), message, "sha256") not in left
