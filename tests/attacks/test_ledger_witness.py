"""Breaks of witnessing: each was possible once."""

from __future__ import annotations

import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.ledger.open_log import LABEL, NEVER, a_ledger, a_run, a_signer
from tests.ledger.test_witness import LOG_KEY, a_witness, leaves, request, signed

from firmground import Engine
from firmground.adapters.sqlite import SqliteStore
from firmground.cli.main import cli
from firmground.errors import LedgerUnavailable
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import note as notes
from firmground.ledger.audit import audit
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import KeyKind, generate
from firmground.ledger.ledger import Ledger
from firmground.ledger.witness import OfflineCosigner, Witness, write_request
from firmground.ledger.witness_http import RemoteCosigner, WitnessServer

W1 = generate("witness.example/w1", kind=KeyKind.COSIGNATURE)
W2 = generate("witness.example/w2", kind=KeyKind.COSIGNATURE)


@contextmanager
def serving(witness: Witness, **how: object) -> Iterator[WitnessServer]:
    with WitnessServer("127.0.0.1:0", witness, **how) as server:  # type: ignore[arg-type]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_an_old_size_above_the_checkpoint_is_a_bad_request(tmp_path: Path) -> None:
    witness = a_witness(tmp_path)
    assert witness.answer(request(0, leaves(3))).status == 200
    assert witness.answer(request(3, leaves(2))).status == 400
    assert witness.answer(request(2, leaves(5))).status == 409
    assert witness.answer(request(2, leaves(5))).body == "3\n"


def test_a_checkpoint_with_extension_lines_is_cosigned_with_them(tmp_path: Path) -> None:
    """Other logs have such lines; a witness signs them along and says nothing about them."""
    plain, _ = checkpoints.parse(signed(leaves(3)))
    extended = notes.sign(plain.body + "vindex 7\n", [LOG_KEY]).text
    witness = a_witness(tmp_path)
    reply = witness.answer(write_request(old=0, path=(), note=extended).encode())
    assert reply.status == 200, reply.body
    both = notes.parse(extended.rstrip("\n") + "\n" + reply.body)
    assert "vindex 7" in both.body
    assert notes.check(both, [witness.verifier]).valid
    for broken in ("\n", "a\n\nb\n"):
        with pytest.raises(ValueError, match=r"checkpoint|lines"):
            checkpoints.parse_body(plain.body + broken)


def test_a_witness_with_two_keys_gives_two_lines_and_both_are_kept(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    witness = Witness(key=W1, also=[W2], folder=tmp_path / "w", logs=[signer.verifier])
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(
        store,
        signer=signer,
        policy=NEVER,
        cosigners=[OfflineCosigner(witness)],
        witnesses=[W2.verifier],
    ) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
        ledger.checkpoint()
        assert ledger.notary.witness_trouble is None
        data = ledger.export(run).data
    report = verify_bundle(
        data, keys=[signer.verifier], witnesses=[W1.verifier, W2.verifier], quorum=2
    )
    assert report.valid, report.reasons


def test_lines_of_keys_that_nobody_knows_are_ignored_in_a_reply(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    witness = Witness(key=W1, also=[W2], folder=tmp_path / "w", logs=[signer.verifier])
    store = SqliteStore.open(tmp_path / "log.sqlite")
    cosigner = OfflineCosigner(witness)
    with Ledger(store, signer=signer, policy=NEVER, cosigners=[cosigner]) as ledger:
        ledger.record(a_run(), label=LABEL)
        text = ledger.checkpoint()
        assert ledger.notary.witness_trouble is None
    assert W1.name in text
    assert W2.name not in text


def test_two_who_attach_a_cosignature_each_do_not_lose_that_of_the_other(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    known = [W1.verifier, W2.verifier]
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run(), label=LABEL)
        note = ledger.checkpoint()
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=signer, policy=NEVER, witnesses=known) as ledger:
        for key in (W1, W2):
            line = checkpoints.cosign(note, key, time=int(time.time()))
            ledger.notary.attach(note, [line])  # each from the bare checkpoint
        newest = ledger.newest_checkpoint()
        assert newest is not None
        report = checkpoints.verify(newest.note, keys=[signer.verifier], witnesses=known, quorum=2)
        assert report.valid, report.reasons


def test_a_cosignature_that_is_too_old_does_not_count(tmp_path: Path) -> None:
    text = signed(leaves(3))
    line = checkpoints.cosign(text, W1, time=1_000_000)
    seen = checkpoints.with_signatures(text, [line])

    def holds(now: float, most: float | None) -> bool:
        return checkpoints.verify(
            seen,
            keys=[LOG_KEY.verifier],
            witnesses=[W1.verifier],
            quorum=1,
            now=now,
            max_age_seconds=most,
        ).valid

    assert holds(1_000_100, 100)
    assert not holds(1_000_101, 100)
    assert holds(9_000_000, None)


@contextmanager
def a_tls_server(folder: Path, witness: Witness) -> Iterator[tuple[WitnessServer, Path]]:
    cert, key = folder / "cert.pem", folder / "tls.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    with serving(witness, tls=(cert, key), prefix="/log/w1") as server:
        yield server, cert


def test_a_witness_is_asked_over_https_below_a_path_prefix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = a_signer(tmp_path)
    witness = a_witness(tmp_path, log=signer.verifier)
    with a_tls_server(tmp_path, witness) as (server, cert):
        port = server.address.rpartition(":")[2].partition("/")[0]
        url = f"https://127.0.0.1:{port}/log/w1"
        with a_ledger(tmp_path, signer=signer) as ledger:
            ledger.record(a_run(), label=LABEL)
            text = ledger.checkpoint()
            with pytest.raises(LedgerUnavailable) as untrusted:
                RemoteCosigner(url, witness.verifier).cosign(ledger, text)
            assert "certificate" in str(untrusted.value).lower()
            monkeypatch.setenv("SSL_CERT_FILE", str(cert))
            assert ssl.get_default_verify_paths().cafile == str(cert)
            (line,) = RemoteCosigner(url, witness.verifier).cosign(ledger, text)
            assert line.name == witness.verifier.name


def test_witnesses_in_the_settings_cosign_what_a_check_records(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    witness = a_witness(tmp_path, log=signer.verifier)
    with serving(witness, prefix="/w") as server:
        settings = tmp_path / "firmground.toml"
        settings.write_text(
            f'[ledger]\nfile = "log.sqlite"\nsigner = "log.key"\n'
            f'[[ledger.witness]]\nkey = "{witness.verifier}"\nurl = "{server.url}"\n'
        )
        with Engine(settings, judge="lexical") as engine:
            assert engine.check("It rained.", "It rained.").stands
    keys = ("--key", str(signer.verifier), "--witness", str(witness.verifier))
    ledger = str(tmp_path / "log.sqlite")
    assert call("audit", "--ledger", ledger, *keys, "--quorum", "1").exit_code == 0
    strange = ("--key", str(signer.verifier), "--witness", str(W1.verifier))
    told = call("audit", "--ledger", ledger, *strange, "--quorum", "1")
    assert told.exit_code == 1
    assert "witnesses" in told.output


def test_one_command_has_the_newest_checkpoint_cosigned(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    witness = a_witness(tmp_path, log=signer.verifier)
    with a_ledger(tmp_path, signer=signer) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
    places = ["--ledger", str(tmp_path / "log.sqlite"), "--signer", str(tmp_path / "log.key")]
    with serving(witness) as server:
        told = call("witness", "ask", server.url, "--witness", str(witness.verifier), *places)
    assert told.exit_code == 0, told.output
    out = tmp_path / "proof.json"
    assert call("runs", "export", run, *places, "--out", str(out)).exit_code == 0
    given = ("--key", str(signer.verifier), "--witness", str(witness.verifier))
    assert call("verify", str(out), *given, "--max-age", "1h").exit_code == 0
    time.sleep(2.1)
    late = call("verify", str(out), *given, "--max-age", "1s")
    assert late.exit_code == 1, late.output


def test_an_audit_asks_for_a_quorum_of_fresh_cosignatures(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    witness = Witness(
        key=W1, folder=tmp_path / "w", logs=[signer.verifier], clock=lambda: time.time() - 9_000
    )
    cosigners = [OfflineCosigner(witness)]
    with Ledger(store, signer=signer, policy=NEVER, cosigners=cosigners) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        keys, seen = [signer.verifier], [W1.verifier]
        assert audit(ledger.reader, keys=keys, witnesses=seen, quorum=1).holds
        assert not audit(ledger.reader, keys=keys, witnesses=seen, quorum=2).holds
        late = audit(ledger.reader, keys=keys, witnesses=seen, quorum=1, max_age_seconds=3_600)
        assert any("witnesses" in problem.detail for problem in late.problems)
