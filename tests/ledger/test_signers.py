"""A log's key may be kept by a service that only signs."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from tests.ledger.open_log import LABEL, ORIGIN, a_run

from firmground.adapters.signers import open_signer
from firmground.adapters.stores import open_ledger
from firmground.core import plugins
from firmground.errors import ConfigError
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import generate
from firmground.ledger.signing import CheckpointSigner

KEY = generate(ORIGIN)


def example() -> ModuleType:
    place = Path(__file__).parents[2] / "examples" / "kms_signer.py"
    spec = importlib.util.spec_from_file_location("kms_signer", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def service() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            signature = KEY.sign(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(signature)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_example_signs_a_log_with_a_key_that_stays_in_its_service(
    tmp_path: Path, service: str
) -> None:
    held = example().signer(service, str(KEY.verifier), tmp_path / "state")
    with open_ledger(tmp_path / "log.sqlite", signer=held) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
        data = ledger.export(run).data
    assert verify_bundle(data, keys=[KEY.verifier]).valid


def test_a_signer_of_an_installed_package_is_opened_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(rest: str) -> CheckpointSigner:
        return CheckpointSigner.held_by(KEY, tmp_path / rest)

    class Point(EntryPoint):
        def load(self) -> object:
            return made

    offered = {"vault": Point("vault", "x:y", "firmground.signers")}
    monkeypatch.setattr(plugins, "offered", lambda group: offered)
    assert open_signer("vault:place").verifier == KEY.verifier
    assert (tmp_path / "place").exists()
    monkeypatch.setattr(plugins, "load", lambda group, name: lambda rest: object())
    with pytest.raises(ConfigError, match="CheckpointSigner"):
        open_signer("vault:place")


def test_a_path_is_a_key_file(tmp_path: Path) -> None:
    CheckpointSigner.create(tmp_path / "a:b.key", ORIGIN)
    assert open_signer(tmp_path / "a:b.key").name == ORIGIN
