"""A signer never contradicts itself, whatever happens to the log."""

from __future__ import annotations

import random
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from tests.ledger.open_log import LABEL, NEVER, ORIGIN, a_ledger, a_run, a_signer
from tests.ledger.signer_world import PlainTree, World
from tests.progress import Progress

from firmground.adapters.sqlite import SqliteStore
from firmground.errors import InputError, LedgerUnavailable, SignerRefused
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.audit import audit
from firmground.ledger.bundle import Bundle, verify_bundle
from firmground.ledger.checkpointer import Checkpointer, CheckpointPolicy
from firmground.ledger.keyring import KeyAuthority
from firmground.ledger.keys import KeyKind, generate
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner


def test_no_order_of_events_makes_a_signer_contradict_itself(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    class Machine(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            self.world = World(tmp_path_factory.mktemp("signer"))

        @rule(count=st.integers(1, 5))
        def append(self, count: int) -> None:
            self.world.append(count)

        @rule()
        def backup(self) -> None:
            self.world.backup()

        @rule(which=st.integers(0, 9))
        def restore(self, which: int) -> None:
            self.world.restore(which)

        @rule(where=st.integers(0, 99))
        def edit(self, where: int) -> None:
            self.world.edit(where)

        @rule()
        def another_signer(self) -> None:
            self.world.another_signer()

        @rule(seconds=st.integers(0, 4_000_000_000))
        def jump_clock(self, seconds: int) -> None:
            self.world.jump_clock(seconds)

        @rule(which=st.integers(0, 9))
        def sign(self, which: int) -> None:
            self.world.sign(which)

        @rule(which=st.integers(0, 9))
        def crash_before_release(self, which: int) -> None:
            self.world.crash_before_release(which)

        @rule(which=st.integers(0, 9), seed=st.integers(0, 1 << 32))
        def sign_lies(self, which: int, seed: int) -> None:
            self.world.sign_lies(which, seed)

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=25, stateful_step_count=30, deadline=None)
    )


def _live(folder: Path, attempts: int) -> tuple[int, int]:
    """Random lives of a log until so many signatures were asked for."""
    chance = random.Random(attempts)
    asked = refused = lives = 0
    progress = Progress("signatures", attempts)
    while asked < attempts:
        place = folder / str(lives)
        place.mkdir()
        world, lives = World(place), lives + 1
        for _ in range(100):
            match chance.randrange(12):
                case 0 | 1:
                    world.append(chance.randint(1, 5))
                case 2:
                    world.backup()
                case 3:
                    world.restore(chance.randrange(9))
                case 4:
                    world.edit(chance.randrange(99))
                case 5:
                    world.another_signer()
                case 6:
                    world.jump_clock(chance.randrange(4_000_000_000))
                case 7:
                    world.crash_before_release(chance.randrange(9))
                case 8:
                    world.sign_lies(chance.randrange(9), chance.randrange(1 << 32))
                case _:
                    world.sign(chance.randrange(9))
        progress.step(world.attempts)
        asked, refused = asked + world.attempts, refused + world.refusals
    return asked, refused


def test_five_hundred_random_signatures_tell_one_story(tmp_path: Path) -> None:
    asked, refused = _live(tmp_path, 500)
    assert 0 < refused < asked


@pytest.mark.soak
def test_a_hundred_thousand_random_signatures_tell_one_story(tmp_path: Path) -> None:
    shared_memory = Path("/dev/shm")
    folder = shared_memory / tmp_path.name if shared_memory.is_dir() else tmp_path / "soak"
    folder.mkdir(exist_ok=True)
    asked, refused = _live(folder, 100_000)
    assert 0 < refused < asked


def test_a_log_restored_from_an_old_backup_is_not_opened_for_signing(tmp_path: Path) -> None:
    signer, path = a_signer(tmp_path), tmp_path / "log.sqlite"
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run("first"), label=LABEL)
    old = path.read_bytes()
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run("second"), label=LABEL)
    path.write_bytes(old)
    with pytest.raises(SignerRefused, match="entries 2 to 2 are missing"):
        a_ledger(tmp_path, signer=signer)
    with a_ledger(tmp_path) as unsigned:
        for _ in range(4):
            unsigned.record(a_run("another history"), label=LABEL)
    with pytest.raises(SignerRefused, match="does not continue"):
        a_ledger(tmp_path, signer=signer)


def test_a_log_that_contradicts_its_signer_accepts_no_more_records(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    ledger = a_ledger(tmp_path, signer=signer)
    ledger.record(a_run(), label=LABEL)
    ledger.checkpoint()
    elsewhere = PlainTree([b"%d" % number for number in range(50)])
    other = CheckpointSigner.create(tmp_path / "other.key", ORIGIN)
    other.checkpoint(elsewhere)
    signer.state_path.write_bytes(
        other.state_path.read_bytes()
    )  # a state that is not this key's: refused as well
    with pytest.raises(SignerRefused, match="belongs to"):
        ledger.checkpoint()
    with pytest.raises(SignerRefused):
        ledger.close()


def test_the_background_signer_stops_the_log_when_it_must_refuse(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    policy = CheckpointPolicy(entries=1, seconds=86_400.0)
    ledger = a_ledger(tmp_path, signer=signer, policy=policy)
    ledger.checkpoint()
    signer.state_path.unlink()

    def record_on_and_on() -> None:
        for _ in range(1_000):
            ledger.record(a_run(), label=LABEL)

    with pytest.raises(LedgerUnavailable, match="may not go on"):
        record_on_and_on()
    assert isinstance(ledger.trouble, SignerRefused)
    ledger.close()


def test_the_state_is_on_disk_before_the_signature_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = a_signer(tmp_path)
    seen: list[int] = []
    sign = checkpoints.sign

    def spying(checkpoint: object, signers: object) -> str:
        seen.append(CheckpointSigner.open(tmp_path / "log.key").last_signed().size)
        return sign(checkpoint, signers)  # type: ignore[arg-type]

    monkeypatch.setattr(checkpoints, "sign", spying)
    signer.checkpoint(PlainTree([b"a", b"b"]))
    assert seen == [2]


def test_a_state_that_cannot_be_written_means_no_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    signer = a_signer(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LedgerUnavailable, match="No space left"):
        signer.checkpoint(PlainTree([b"a"]))
    monkeypatch.undo()
    assert signer.last_signed().size == 0


@pytest.mark.parametrize("damage", [b"", b"{}", b"not json", b'{"state": "{}", "check": ""}'])
def test_a_damaged_or_missing_state_is_a_refusal(damage: bytes, tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    signer.checkpoint(PlainTree([b"a"]))
    signer.state_path.write_bytes(damage)
    with pytest.raises(SignerRefused):
        signer.checkpoint(PlainTree([b"a"]))
    signer.state_path.unlink()
    with pytest.raises(SignerRefused, match="missing"):
        CheckpointSigner.open(tmp_path / "log.key")


def test_the_key_signs_no_checkpoint_by_another_name(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    stated = checkpoints.Checkpoint(origin=ORIGIN, size=1, root=bytes(32))
    with pytest.raises(SignerRefused):
        signer.sign(stated.body.encode("utf-8"))
    with pytest.raises(SignerRefused):
        checkpoints.sign(stated, [signer])


def test_a_witness_key_cannot_sign_for_a_log(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cosigns"):
        CheckpointSigner.adopt(tmp_path / "w.key", generate("w", kind=KeyKind.COSIGNATURE))


def test_the_key_file_is_private_and_never_overwritten(tmp_path: Path) -> None:
    a_signer(tmp_path)
    assert stat.S_IMODE((tmp_path / "log.key").stat().st_mode) == 0o600
    with pytest.raises(InputError, match="not overwritten"):
        CheckpointSigner.create(tmp_path / "log.key", ORIGIN)


def test_signers_in_many_threads_tell_one_story(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        others = [CheckpointSigner.open(tmp_path / "log.key") for _ in range(4)]
        notes: list[str] = []

        def sign(signer: CheckpointSigner) -> None:
            for _ in range(10):
                ledger.record(a_run(), label=LABEL)
                notes.append(signer.checkpoint(ledger))

        threads = [threading.Thread(target=sign, args=(signer,)) for signer in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for note in notes:
            stated, _ = checkpoints.parse(note)
            assert stated.root == ledger.root(stated.size)
        assert len(notes) == 40


def test_keys_are_rotated_ten_times_and_every_era_verifies(tmp_path: Path) -> None:
    signers = [a_signer(tmp_path, "key0")]
    store = SqliteStore.open(tmp_path / "log.sqlite")
    exports: list[Bundle] = []
    with Ledger(store, signer=signers[0], policy=NEVER) as ledger:
        for number in range(1, 11):
            receipt = ledger.record(a_run(f"era {number}"), label=LABEL)
            exports.append(ledger.export(receipt.run_id))
            signers.append(a_signer(tmp_path, f"key{number}"))
            ledger.rotate(signers[-1])
        last = ledger.record(a_run("last era"), label=LABEL)
        exports.append(ledger.export(last.run_id))
        ring = ledger.keyring(ORIGIN)
        assert [term.key for term in ring.terms] == [signer.verifier for signer in signers]
        for number, (signer, bundle) in enumerate(zip(signers, exports, strict=True)):
            report = verify_bundle(bundle.data, keys=[signer.verifier])
            assert report.verified is not None
            assert ring.office(signer.verifier, size=report.verified.size) is KeyAuthority.HELD
            later = [other.verifier for other in signers[number + 1 :]]
            assert not verify_bundle(bundle.data, keys=later).valid
            for earlier in signers[:number]:
                assert verify_bundle(bundle.data, keys=[earlier.verifier]).valid
        _check_revocation(ledger, signers, exports)
        assert audit(store, keys=[signer.verifier for signer in signers]).holds


def _check_revocation(
    ledger: Ledger, signers: list[CheckpointSigner], exports: list[Bundle]
) -> None:
    bad = signers[4].verifier
    with pytest.raises(InputError, match="in office"):
        ledger.revoke(signers[-1].verifier)
    ledger.revoke(bad)
    with pytest.raises(InputError, match="revoked already"):
        ledger.revoke(bad)
    ring = ledger.keyring(ORIGIN)
    assert ring.office(bad, size=ledger.size()) is KeyAuthority.REVOKED
    trusted = [term.key for term in ring.terms if term.revoked is None]
    assert not verify_bundle(exports[4].data, keys=trusted).valid
    run_id = verify_bundle(exports[4].data, keys=[bad]).verified
    assert run_id is not None
    again = ledger.export(run_id.run)
    assert verify_bundle(again.data, keys=trusted).valid


def test_a_retired_key_signs_nothing_any_more(tmp_path: Path) -> None:
    old, new = a_signer(tmp_path, "old"), a_signer(tmp_path, "new")
    other_process = CheckpointSigner.open(tmp_path / "old.key")
    with a_ledger(tmp_path, signer=old) as ledger:
        ledger.rotate(new)
        with pytest.raises(SignerRefused, match="retired"):
            other_process.checkpoint(ledger)
    with pytest.raises(SignerRefused):
        a_ledger(tmp_path, signer=CheckpointSigner.open(tmp_path / "old.key"))
    with a_ledger(tmp_path, signer=CheckpointSigner.open(tmp_path / "new.key")) as again:
        again.record(a_run(), label=LABEL)


def test_a_key_that_could_not_take_over_may_be_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = a_signer(tmp_path), a_signer(tmp_path, "new")

    def full(work: object) -> None:
        raise LedgerUnavailable("no room")

    with a_ledger(tmp_path, signer=old) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        with monkeypatch.context() as patch:
            patch.setattr(ledger._writer, "submit", full)
            with pytest.raises(LedgerUnavailable, match="no room"):
                ledger.rotate(new)
        ledger.record(a_run("another"), label=LABEL)
        ledger.checkpoint()
        ledger.rotate(new)
        ledger.record(a_run("a third"), label=LABEL)
    keys = [old.verifier, new.verifier]
    with a_ledger(tmp_path, signer=new) as ledger:
        assert audit(ledger.reader, keys=keys).holds


def test_a_key_that_signed_another_log_cannot_take_over(tmp_path: Path) -> None:
    old, new = a_signer(tmp_path, "old"), a_signer(tmp_path, "new")
    new.checkpoint(PlainTree([b"another log"]))
    with a_ledger(tmp_path, signer=old) as ledger:
        with pytest.raises(SignerRefused, match="has signed before"):
            ledger.rotate(new)
        assert ledger.size() == 1
        ledger.record(a_run(), label=LABEL)


def test_the_successor_remembers_what_its_predecessor_signed(tmp_path: Path) -> None:
    old, new, path = a_signer(tmp_path, "old"), a_signer(tmp_path, "new"), tmp_path / "log.sqlite"
    with a_ledger(tmp_path, signer=old) as ledger:
        ledger.record(a_run(), label=LABEL)
    backup = path.read_bytes()
    with a_ledger(tmp_path, signer=old) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.rotate(new)
    path.write_bytes(backup)
    with pytest.raises(SignerRefused, match="are missing"):
        a_ledger(tmp_path, signer=new)


def test_a_key_given_by_a_link_has_the_memory_of_the_file_itself(tmp_path: Path) -> None:
    real, linked = tmp_path / "real", tmp_path / "linked"
    real.mkdir()
    linked.mkdir()
    signer = CheckpointSigner.create(real / "log.key", ORIGIN)
    (linked / "log.key").symlink_to(real / "log.key")
    (linked / "log.key.state").write_bytes(signer.state_path.read_bytes())
    other = CheckpointSigner.open(linked / "log.key")
    assert other.state_path == signer.state_path
    other.checkpoint(PlainTree([b"one", b"two"]))
    with pytest.raises(SignerRefused, match="does not continue"):
        signer.checkpoint(PlainTree([b"another", b"story", b"altogether"]))


def test_a_folder_given_by_a_link_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    made = CheckpointSigner.create(tmp_path / "link" / "log.key", ORIGIN)
    assert made.state_path == (tmp_path / "real" / "log.key.state").resolve()


def test_a_state_that_is_a_link_is_refused(tmp_path: Path) -> None:
    signer = CheckpointSigner.create(tmp_path / "log.key", ORIGIN)
    kept = signer.state_path.rename(tmp_path / "elsewhere")
    signer.state_path.symlink_to(kept)
    with pytest.raises(SignerRefused, match="is a link"):
        CheckpointSigner.open(tmp_path / "log.key")
    with pytest.raises(SignerRefused, match="is a link"):
        signer.checkpoint(PlainTree([b"one"]))


def test_a_state_that_cannot_be_read_now_is_asked_for_again(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    kept = signer.state_path.rename(tmp_path / "elsewhere")
    signer.state_path.mkdir()
    with pytest.raises(LedgerUnavailable, match=r"log\.key\.state"):
        signer.checkpoint(PlainTree([b"a"]))
    signer.state_path.rmdir()
    kept.rename(signer.state_path)
    assert signer.checkpoint(PlainTree([b"a"]))


def test_whatever_goes_wrong_the_signing_thread_says_so_and_tries_again() -> None:
    failures = [ZeroDivisionError("a defect"), OSError(5, "Input/output error")]
    heard: list[object] = []
    done = threading.Event()

    def sign() -> int:
        heard.append(checkpointer.trouble)
        if failures:
            raise failures.pop(0)
        done.set()
        return 1

    policy = CheckpointPolicy(entries=1, seconds=0.01)
    checkpointer = Checkpointer(policy=policy, sign=sign, refused=heard.append, signed=0)
    checkpointer.told(1)
    assert done.wait(30)
    checkpointer.close()
    assert heard[0] is None
    assert ["a defect" in str(heard[1]), "Input/output" in str(heard[2])] == [True, True]
    assert checkpointer.trouble is None
