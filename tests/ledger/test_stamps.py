"""Checkpoints are stamped by a real time-stamping authority (openssl ts) and checked again."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer

from firmground.adapters.timestamps import stamp_entry
from firmground.cli.main import cli
from firmground.errors import InputError
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.audit import audit
from firmground.ledger.entry import StampEntry, StampKind

CONFIG = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
[v3]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
basicConstraints = CA:FALSE
"""


class Authority:
    """A certificate authority and a time-stamping authority below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.root = folder / "ca.pem"
        (folder / "conf").write_text(CONFIG.format(folder=folder))
        (folder / "serial").write_text("01\n")
        new = ["req", "-newkey", "rsa:2048", "-nodes"]
        self.run(*new, "-x509", "-days", "9", "-subj", "/CN=Root", "-keyout", "ca.key", "-out", "ca.pem",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign")  # fmt: skip
        self.run(*new, "-subj", "/CN=TSA", "-keyout", "tsa.key", "-out", "tsa.csr")
        self.run("x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "9",
                 "-CAcreateserial", "-extfile", "conf", "-extensions", "v3", "-out", "tsa.pem")  # fmt: skip

    def run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def stamp(self, request: bytes) -> bytes:
        (self.folder / "q").write_bytes(request)
        self.run("ts", "-reply", "-config", "conf", "-queryfile", "q", "-out", "r")
        return (self.folder / "r").read_bytes()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "tsa")


@pytest.fixture
def url(authority: Authority) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = authority.stamp(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/tsa"
        server.shutdown()
        thread.join()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_a_checkpoint_is_stamped_recorded_and_checked_again(
    tmp_path: Path, authority: Authority, url: str
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        ledger.record(a_run(), label=LABEL)
    place = ("--ledger", str(tmp_path / "log.sqlite"))
    root = ("--tsa-root", str(authority.root))
    told = call("stamp", "ask", url, *place, *root, "--signer", str(tmp_path / "log.key"))
    assert told.exit_code == 0, told.output
    request, reply = tmp_path / "r.tsq", tmp_path / "r.tsr"
    assert call("stamp", "request", *place, "--out", str(request)).exit_code == 0
    reply.write_bytes(authority.stamp(request.read_bytes()))
    assert call("stamp", "attach", str(reply), *place, *root).exit_code == 0
    listed = call("stamp", "list", *place, *root, "--json")
    assert listed.exit_code == 0, listed.exception
    rows = json.loads(listed.output)
    assert [(row["size"], row["holds"]) for row in rows] == [(2, True), (3, True)]
    assert call("audit", *place).exit_code == 0


def test_a_stamp_of_another_checkpoint_or_authority_is_refused(
    tmp_path: Path, authority: Authority, url: str
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        first = checkpoints.parse(ledger.checkpoint())[0]
        ledger.record(a_run(), label=LABEL)
        second = checkpoints.parse(ledger.checkpoint())[0]
    request = tmp_path / "r.tsq"
    place = ("--ledger", str(tmp_path / "log.sqlite"))
    assert call("stamp", "request", *place, "--out", str(request)).exit_code == 0
    reply = authority.stamp(request.read_bytes())
    assert stamp_entry(second, reply, [authority.root]).size == second.size
    with pytest.raises(InputError, match="does not hold"):
        stamp_entry(first, reply, [authority.root])
    other = Authority(tmp_path / "other")
    with pytest.raises(InputError, match="does not hold"):
        stamp_entry(second, reply, [other.root])
    spoilt = bytearray(reply)
    spoilt[-9] ^= 1
    with pytest.raises(InputError, match="does not hold"):
        stamp_entry(second, bytes(spoilt), [authority.root])


def test_a_stamp_about_a_root_that_the_log_never_had_is_found_by_the_audit(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.append(StampEntry(size=1, root=bytes(32), kind=StampKind.RFC3161, token=b"x"))
        report = audit(ledger.reader)
    assert any("stamps" in problem.detail for problem in report.problems)
