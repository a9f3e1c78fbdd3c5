"""What a monitor of a log must notice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.ledger.open_log import LABEL, ORIGIN, a_ledger, a_run, a_signer

from firmground.cli.main import cli
from firmground.ledger.monitor import LogContradictionError, Monitor, fetch_folder
from firmground.ledger.signing import CheckpointSigner, read_key_file
from firmground.ledger.tiles_export import export_tiles


def grow(folder: Path, runs: int, word: str = "run") -> None:
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        drafts = [ledger.draft_run(a_run(f"{word} {n}"), label=LABEL)[0] for n in range(runs)]
        for waiting in [ledger.submit(draft) for draft in drafts]:
            waiting.result()
        ledger.checkpoint()
        export_tiles(ledger.reader, folder / "tiles")


def watching(folder: Path, state: Path | None = None) -> Monitor:
    return Monitor(
        fetch=fetch_folder(folder / "tiles"),
        state=state or folder / "seen",
        keys=[read_key_file(folder / "log.key").verifier],
    )


def rewritten(folder: Path, runs: int) -> Path:
    """The same owner with the same key shows somebody else another history."""
    other = folder / "other"
    other.mkdir()
    CheckpointSigner.adopt(other / "log.key", read_key_file(folder / "log.key"))
    grow(other, runs, "another")
    return other


@pytest.mark.parametrize("sizes", [(3, 4), (300, 5), (200, 700)])
def test_a_log_that_only_grows_is_followed(tmp_path: Path, sizes: tuple[int, int]) -> None:
    first, more = sizes
    grow(tmp_path, first)
    seen = watching(tmp_path).look()
    assert dict(seen.types) == {"key": 1, "run": first}
    grow(tmp_path, more)
    again = watching(tmp_path).look()
    assert (again.before, again.checkpoint.size) == (first + 1, first + more + 1)
    assert dict(again.types) == {"run": more}
    assert watching(tmp_path).look().types == ()


@pytest.mark.parametrize("runs", [3, 5, 9])
def test_an_owner_who_shows_another_history_is_caught_and_the_proof_is_kept(
    tmp_path: Path, runs: int
) -> None:
    grow(tmp_path, 5)
    watching(tmp_path).look()
    other = rewritten(tmp_path, runs)
    with pytest.raises(LogContradictionError, match="before"):
        watching(other, tmp_path / "seen").look()
    proof = (tmp_path / "seen.contradiction").read_text()
    assert proof.count(f"— {ORIGIN} ") == 2
    assert watching(tmp_path).look().before == 6, "the last good look is still remembered"


@pytest.mark.parametrize("name", ["tile/entries/000.p/6", "tile/0/000.p/6"])
def test_entries_or_hashes_that_were_not_signed_are_noticed(tmp_path: Path, name: str) -> None:
    grow(tmp_path, 5)
    shown = tmp_path / "tiles" / name
    data = bytearray(shown.read_bytes())
    data[-40] ^= 1
    shown.write_bytes(data)
    with pytest.raises(LogContradictionError):
        watching(tmp_path).look()
    assert not (tmp_path / "seen").exists()


def test_a_checkpoint_by_another_key_is_noticed(tmp_path: Path) -> None:
    grow(tmp_path, 2)
    stranger = CheckpointSigner.create(tmp_path / "stranger.key", ORIGIN).verifier
    monitor = Monitor(
        fetch=fetch_folder(tmp_path / "tiles"), state=tmp_path / "seen", keys=[stranger]
    )
    with pytest.raises(LogContradictionError, match="no known key"):
        monitor.look()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_the_command_watches_an_address_a_folder_and_a_ledger(tmp_path: Path) -> None:
    grow(tmp_path, 4)
    key = str(a_signer(tmp_path).verifier)
    with served(tmp_path) as url:
        for number, where in enumerate(
            (f"{url}/tiles", tmp_path / "tiles", tmp_path / "log.sqlite")
        ):
            told = call(
                "monitor", str(where), "--key", key, "--state", str(tmp_path / f"s{number}")
            )
            assert told.exit_code == 0, told.output
            assert "5 entries, 5 new: 1 key, 4 run" in told.output
    other = rewritten(tmp_path, 4)
    told = call("monitor", str(other / "tiles"), "--key", key, "--state", str(tmp_path / "s0"))
    assert told.exit_code == 1
    assert "does not continue" in told.output
