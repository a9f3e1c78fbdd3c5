"""The log as tlog-tiles: any client of that format can read and check it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer
from tests.ledger.test_ledger_commands import call

from firmground.errors import InputError, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.entry import PolicyEntry
from firmground.ledger.ledger import Ledger
from firmground.ledger.tiles import (
    TilePath,
    checkpoint_bytes,
    entry_bundle_bytes,
    parse_tile_path,
    tile_bytes,
    tile_paths,
)

GO = shutil.which("go")
GO_SOURCES = Path("/usr/share/gocode")


def grow(ledger: Ledger, size: int) -> None:
    waiting = [
        ledger.submit(PolicyEntry(name=f"p{n}", policy=bytes(32), actor="me"))
        for n in range(ledger.size(), size)
    ]
    for each in waiting:
        each.result()
    ledger.checkpoint()


def test_a_tile_has_the_hashes_of_the_tree_that_the_checkpoint_signs(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        ledger.record(a_run(), label=LABEL)
        grow(ledger, 600)
        reader = ledger.reader
        stated, _ = checkpoints.parse(checkpoint_bytes(reader))
        assert stated.size == 600
        assert tile_bytes(reader, 0, 1) == b"".join(reader.node(0, n) for n in range(256, 512))
        assert tile_bytes(reader, 0, 2, 88) == b"".join(reader.node(0, n) for n in range(512, 600))
        assert tile_bytes(reader, 1, 0, 2) == reader.node(8, 0) + reader.node(8, 1)


def test_an_entry_bundle_holds_entries_that_hash_to_the_tile_beside_it(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        data = entry_bundle_bytes(ledger.reader, 0, 2)
        hashes = []
        while data:
            length = int.from_bytes(data[:2], "big")
            hashes.append(hashlib.sha256(b"\x00" + data[2 : 2 + length]).digest())
            data = data[2 + length :]
        assert b"".join(hashes) == tile_bytes(ledger.reader, 0, 0, 2)


def test_nothing_is_given_out_that_nobody_has_signed(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as unsigned:
        unsigned.record(a_run(), label=LABEL)
        with pytest.raises(RecordNotFound, match="no signed checkpoint"):
            checkpoint_bytes(unsigned.reader)
        with pytest.raises(RecordNotFound):
            tile_bytes(unsigned.reader, 0, 0, 1)
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        ledger.checkpoint()
        signed = ledger.size()
        ledger.record(a_run("later"), label=LABEL)
        assert tile_bytes(ledger.reader, 0, 0, signed)
        for width in (signed + 1, 256, 0, 257):
            with pytest.raises(RecordNotFound):
                tile_bytes(ledger.reader, 0, 0, width)
        with pytest.raises(RecordNotFound):
            entry_bundle_bytes(ledger.reader, 0, signed + 1)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("tile/0/000", TilePath(level=0, index=0)),
        ("tile/0/000.p/255", TilePath(level=0, index=0, width=255)),
        ("tile/2/x001/x234/067", TilePath(level=2, index=1234067)),
        ("tile/entries/999.p/1", TilePath(level=None, index=999, width=1)),
    ],
)
def test_an_address_has_one_spelling(text: str, path: TilePath) -> None:
    assert parse_tile_path(text) == path
    assert path.text == text


@pytest.mark.parametrize(
    "text",
    [
        "tile/0/0", "tile/00/000", "tile/0/x000/001", "tile/0/000.p/0", "tile/0/000.p/256",
        "tile/0/000.p/01", "tile/0/001/002", "tile/-1/000", "tile/0/../000", "tile/data/000",
        "checkpoint", "tile/0/000\n", "tile/0/x1/000", "",
    ],
)  # fmt: skip
def test_any_other_spelling_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not the address of a tile"):
        parse_tile_path(text)


def test_a_log_of_seventy_thousand_entries_has_the_tiles_that_the_specification_lists() -> None:
    paths = [path for path in tile_paths(70_000) if path.level is not None]
    assert len([p for p in paths if p.level == 0 and p.width == 256]) == 273
    assert [p.width for p in paths if p.width < 256] == [112, 17, 1]
    assert [p.text for p in tile_paths(256)] == [
        "tile/0/000", "tile/entries/000", "tile/1/000.p/1",
    ]  # fmt: skip
    assert [p.text for p in tile_paths(300, since=256)] == [
        "tile/0/001.p/44", "tile/entries/001.p/44",
    ]  # fmt: skip


def test_the_exported_log_is_read_and_checked_by_the_go_projects_own_client(tmp_path: Path) -> None:
    if GO is None or not (GO_SOURCES / "src/golang.org/x/mod/sumdb/tlog").is_dir():
        pytest.skip("needs Go and golang.org/x/mod (Debian: golang-go golang-golang-x-mod-dev)")
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run(), label=LABEL)
        grow(ledger, 700)
    out = tmp_path / "tiles"
    log = tmp_path / "log.sqlite"
    call("tiles", out, "--ledger", log)
    go = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": str(GO_SOURCES),
        "GOCACHE": str(tmp_path / "cache"),
        "GOFLAGS": "",
    }
    client = Path(__file__).parent / "tlog_client.go"
    client_call = [GO, "run", str(client), str(out), str(signer.verifier), "300"]
    read = subprocess.run(client_call, env=go, capture_output=True, text=True, check=False)
    assert read.stdout == "read 700 entries of example.org/log\n", read.stderr
    hurt = out / "tile/0/001"
    hurt.write_bytes(hurt.read_bytes()[::-1])
    read = subprocess.run(client_call, env=go, capture_output=True, text=True, check=False)
    assert read.stdout.startswith("FAILED")


def test_a_second_export_writes_only_what_is_new(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        grow(ledger, 300)
    out, log = tmp_path / "tiles", tmp_path / "log.sqlite"
    call("tiles", out, "--ledger", log)
    stamp = (out / "tile/0/000").stat().st_mtime_ns
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        grow(ledger, 310)
    call("tiles", out, "--ledger", log)
    assert (out / "tile/0/000").stat().st_mtime_ns == stamp
    assert (out / "tile/0/001.p/54").is_file()
    assert checkpoints.parse((out / "checkpoint").read_bytes())[0].size == 310


def test_an_export_into_the_folder_of_another_log_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        with a_ledger(folder, signer=a_signer(folder)) as ledger:
            ledger.record(a_run(name), label=LABEL)
    out = tmp_path / "tiles"
    call("tiles", out, "--ledger", tmp_path / "one/log.sqlite")
    kept = (out / "checkpoint").read_bytes()
    assert "another log" in call("tiles", out, "--ledger", tmp_path / "two/log.sqlite", code=2)
    assert (out / "checkpoint").read_bytes() == kept
