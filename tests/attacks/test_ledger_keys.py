"""Breaks by way of the log's keys: each was possible once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.ledger.open_log import LABEL, ORIGIN, a_ledger, a_run, a_signer

from firmground.cli.main import cli
from firmground.core.run import Stage
from firmground.errors import FirmgroundError, InputError, SignerRefused
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import dsse, keys
from firmground.ledger.audit import audit
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.bundlefile import Bundle, expected_statement, parse_bundle, read_run
from firmground.ledger.keyring import KeyTerm, parse_trusted
from firmground.ledger.keys import Ed25519Signer, VerifierKey
from firmground.ledger.proof import parse as parse_proof
from firmground.ledger.record import check_stages
from firmground.ledger.signing import CheckpointSigner, read_key_file


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


class Rotated:
    """A log that was handed from a first key to a second one, and an export made after that."""

    def __init__(self, folder: Path, *, revoke: bool = False) -> None:
        self.folder = folder
        first = a_signer(folder, "first")
        self.first, self.stolen = first.verifier, read_key_file(folder / "first.key")
        with a_ledger(folder, signer=first) as ledger:
            early = ledger.record(a_run("early"), label=LABEL).run_id
            self.early = ledger.export(early, disclose=[Stage.ANSWER]).data
            second = a_signer(folder, "second")
            self.second = second.verifier
            ledger.rotate(second)
            if revoke:
                ledger.revoke(self.first)
            late = ledger.record(a_run("late"), label=LABEL).run_id
            self.late = ledger.export(late, disclose=[Stage.ANSWER]).data
            self.terms = ledger.keyring(ORIGIN).terms

    @property
    def signed_by_the_stolen_key(self) -> Bundle:
        """The late export with every signature made anew by the first key."""
        return sealed_by(self.stolen, parse_bundle(self.late))


def sealed_by(key: Ed25519Signer, bundle: Bundle) -> Bundle:
    shown = parse_proof(bundle.proof)
    head, _ = checkpoints.parse(shown.checkpoint)
    forged = replace(shown, checkpoint=checkpoints.sign(head, [key])).text
    bare = replace(bundle, proof=forged, dsse=None)
    entry, run = read_run(bundle.entry)
    plan = check_stages(bundle.stages, run).plan
    said = expected_statement(bare, entry.seq, run, plan, head)
    return replace(bare, dsse=dsse.sign(said.data, [key]).data)


def holds(data: bytes, given: Sequence[VerifierKey], terms: Sequence[KeyTerm] = ()) -> bool:
    return verify_bundle(data, keys=given, terms=terms).valid


@pytest.mark.parametrize("revoke", [False, True])
def test_a_retired_or_revoked_key_cannot_vouch_for_entries_beyond_its_term(
    tmp_path: Path, revoke: bool
) -> None:
    log = Rotated(tmp_path, revoke=revoke)
    forged = log.signed_by_the_stolen_key
    for given in ([log.first], [log.second], [log.first, log.second]):
        report = verify_bundle(forged.data, keys=given)
        assert not report.valid, given
    assert any("term" in reason for reason in report.reasons)


def test_a_key_history_left_out_of_an_export_does_not_lengthen_a_term(tmp_path: Path) -> None:
    log = Rotated(tmp_path)
    bare = sealed_by(log.stolen, replace(parse_bundle(log.late), history=()))
    assert not holds(bare.data, [], log.terms)
    assert not holds(bare.data, [log.second])


def test_a_stolen_retired_key_cannot_name_another_successor(tmp_path: Path) -> None:
    log = Rotated(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    for name in ("first.key", "first.key.state"):
        (other / name).write_bytes((tmp_path / name).read_bytes())
        (other / name).chmod(0o600)
    (other / "first.key").unlink()
    (other / "first.key.state").unlink()
    CheckpointSigner.adopt(other / "first.key", log.stolen)
    evil = Rotated(other)
    assert holds(evil.late, [log.first])
    assert not holds(evil.late, [log.second])
    assert not holds(evil.late, [], log.terms)


def test_an_export_that_only_a_revoked_key_vouches_for_is_refused_by_who_knows_that(
    tmp_path: Path,
) -> None:
    """Whoever stole the key can make such a file for any size that lies within its term."""
    log = Rotated(tmp_path, revoke=True)
    assert holds(log.early, [log.first])
    assert not holds(log.early, [], log.terms)
    assert holds(log.late, [], log.terms)


def test_an_export_after_a_rotation_verifies_with_the_first_key_or_the_second(
    tmp_path: Path,
) -> None:
    log = Rotated(tmp_path)
    for given in ([log.first], [log.second], [log.first, log.second]):
        assert holds(log.late, given), given
        assert holds(log.early, given) == (log.first in given)
    assert holds(log.late, [], log.terms)
    assert holds(log.early, [], log.terms)


@pytest.mark.parametrize("revoke", [False, True])
def test_an_honest_log_with_a_rotated_key_audits_without_special_flags(
    tmp_path: Path, revoke: bool
) -> None:
    log = Rotated(tmp_path, revoke=revoke)
    for given in ((), (log.first,), (log.second,), (log.first, log.second)):
        with a_ledger(tmp_path) as ledger:
            report = audit(ledger.reader, keys=given)
        assert report.holds, (given, report.problems)


def test_an_audit_with_a_key_that_the_log_never_had_does_not_hold(tmp_path: Path) -> None:
    Rotated(tmp_path)
    stranger = keys.generate(ORIGIN).verifier
    with a_ledger(tmp_path) as ledger:
        report = audit(ledger.reader, keys=[stranger])
    assert not report.holds


def test_keys_with_terms_are_written_by_one_command_and_read_by_the_others(
    tmp_path: Path,
) -> None:
    log = Rotated(tmp_path)
    ledger, bundle = str(tmp_path / "log.sqlite"), tmp_path / "late.json"
    told = call("keys", "list", "--terms", "--ledger", ledger)
    trusted = tmp_path / "keys.txt"
    trusted.write_text(told.output)
    assert parse_trusted(told.output.splitlines()[0]) == log.terms[0]
    bundle.write_bytes(log.late)
    assert call("verify", str(bundle), "--key", str(trusted)).exit_code == 0
    bare = sealed_by(log.stolen, replace(parse_bundle(log.late), history=()))
    bundle.write_bytes(bare.data)
    assert call("verify", str(bundle), "--key", str(trusted)).exit_code == 1
    assert call("audit", "--ledger", ledger, "--key", str(trusted)).exit_code == 0


def test_a_key_with_the_id_of_another_is_refused_before_anything_is_retired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path, "first")) as ledger:
        ledger.record(a_run(), label=LABEL)
        same = ledger.notary.signer.verifier.key_id
        monkeypatch.setattr(keys, "_key_id", lambda *_: same)
        second = a_signer(tmp_path, "second")
        with pytest.raises(FirmgroundError, match="same id"):
            ledger.rotate(second)
        assert not a_signer(tmp_path, "first").last_signed().retired
        ledger.record(a_run("again"), label=LABEL)
        ledger.checkpoint()
        assert audit(ledger.reader).holds


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_key_file_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    a_signer(tmp_path)
    (tmp_path / "log.key").chmod(mode)
    with pytest.raises(InputError, match="chmod 600"):
        CheckpointSigner.open(tmp_path / "log.key")


def test_a_key_under_a_passphrase_does_not_open_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.key"
    made = CheckpointSigner.create(path, ORIGIN, passphrase="correct horse")
    held = path.read_bytes()
    assert b"PRIVATE+KEY" not in held
    for wrong in ("", "incorrect horse", "correct horse "):
        with pytest.raises(InputError, match="passphrase"):
            CheckpointSigner.open(path, passphrase=wrong)
    assert CheckpointSigner.open(path, passphrase="correct horse").verifier == made.verifier
    monkeypatch.setenv("FIRMGROUND_PASSPHRASE", "correct horse")
    assert CheckpointSigner.open(path).verifier == made.verifier


def test_the_command_line_makes_and_uses_a_key_under_a_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, ledger = str(tmp_path / "log.key"), str(tmp_path / "log.sqlite")
    a_ledger(tmp_path).close()
    monkeypatch.setenv("FIRMGROUND_PASSPHRASE", "correct horse")
    assert call("keys", "new", ORIGIN, "--out", key, "--passphrase").exit_code == 0
    assert call("checkpoint", "--ledger", ledger, "--signer", key).exit_code == 0
    monkeypatch.setenv("FIRMGROUND_PASSPHRASE", "wrong")
    told = call("checkpoint", "--ledger", ledger, "--signer", key)
    assert told.exit_code != 0


class Vault:
    """A key that never leaves its vault, as a KMS or an HSM keeps it: it only signs."""

    def __init__(self) -> None:
        self._key = keys.generate(ORIGIN)
        self.asked = 0

    @property
    def name(self) -> str:
        return self._key.name

    @property
    def verifier(self) -> VerifierKey:
        return self._key.verifier

    def sign(self, message: bytes) -> bytes:
        self.asked += 1
        return self._key.sign(message)


def test_a_key_that_only_signs_speaks_for_a_log_and_remembers_what_it_signed(
    tmp_path: Path,
) -> None:
    vault = Vault()
    signer = CheckpointSigner.held_by(vault, tmp_path / "vault.state")
    with a_ledger(tmp_path, signer=signer) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
        data = ledger.export(run).data
    assert vault.asked >= 3
    assert holds(data, [vault.verifier])
    again = CheckpointSigner.held_by(vault, tmp_path / "vault.state")
    assert again.last_signed().size == 2
    os.remove(tmp_path / "log.sqlite")
    with pytest.raises(SignerRefused, match="missing"):
        a_ledger(tmp_path, signer=again)
