"""The file checksum hook against real files."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from firmground.adapters.hooks.file_checksum import STRONG, FileChecksumHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

CASE = HookCase(question=None, answer="x")
DATA = b"the tower is 324 m tall"
RIGHT = hashlib.sha256(DATA).hexdigest()
WRONG = "0" * 64


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "f").write_bytes(DATA)
    (folder / "g").write_bytes(DATA)
    return folder


def ask(root: Path, *expected: tuple[str, str], **fields: Any) -> HookReply | Fault:
    hook = FileChecksumHook(root=str(root), expected=expected, **fields)
    return asyncio.run(hook.ask(CASE))


@pytest.mark.parametrize(
    "digest", [RIGHT, RIGHT.upper(), f"sha256:{RIGHT}", f"SHA256:{RIGHT.upper()}", f" {RIGHT} "]
)
def test_every_way_to_write_the_digest_matches(root: Path, digest: str) -> None:
    reply = ask(root, ("f", digest))
    assert isinstance(reply, HookReply)
    assert reply.passed


@pytest.mark.parametrize("algorithm", STRONG)
def test_every_algorithm_matches_and_mismatches(root: Path, algorithm: str) -> None:
    digest = hashlib.new(algorithm, DATA).hexdigest()
    good = ask(root, ("f", f"{algorithm}:{digest}"))
    bad = ask(root, ("f", f"{algorithm}:{digest[::-1]}"))
    assert isinstance(good, HookReply)
    assert good.passed
    assert isinstance(bad, HookReply)
    assert not bad.passed


def test_one_wrong_file_among_several_is_a_no_that_names_it(root: Path) -> None:
    reply = ask(root, ("f", RIGHT), ("g", WRONG))
    assert isinstance(reply, HookReply)
    assert not reply.passed
    assert [path for path, _ in reply.details] == ["g"]
    assert "g" in reply.guidance


def test_a_missing_file_is_a_no(root: Path) -> None:
    reply = ask(root, ("gone", RIGHT))
    assert isinstance(reply, HookReply)
    assert (reply.passed, reply.details) == (False, (("gone", "file not found"),))


def test_a_link_out_of_the_root_could_not_be_checked(root: Path) -> None:
    (root.parent / "outside").write_bytes(DATA)
    (root / "link").symlink_to("../outside")
    reply = ask(root, ("link", RIGHT))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.REFUSED


def test_the_working_directory_does_not_matter(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "f").write_bytes(b"something else")
    monkeypatch.chdir(elsewhere)
    reply = ask(root, ("f", RIGHT))
    assert isinstance(reply, HookReply)
    assert reply.passed


def test_a_file_beyond_the_cap_could_not_be_checked(root: Path) -> None:
    reply = ask(root, ("f", RIGHT), most_bytes=10)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


def test_a_fifo_could_not_be_checked(root: Path) -> None:
    os.mkfifo(root / "fifo")
    reply = ask(root, ("fifo", RIGHT))
    assert isinstance(reply, Fault)


def test_a_missing_root_is_a_wrong_setting_and_not_a_pass(tmp_path: Path) -> None:
    reply = ask(tmp_path / "nowhere", ("f", RIGHT))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED


def test_a_mismatch_beside_a_file_that_cannot_be_read_is_still_a_no(root: Path) -> None:
    (root / "link").symlink_to("f")
    reply = ask(root, ("link", RIGHT), ("g", WRONG))
    assert isinstance(reply, HookReply)
    assert not reply.passed


@pytest.mark.parametrize(
    "expected",
    [
        (),
        (("f", "abc123"),),
        (("f", "sha257:" + RIGHT),),
        (("f", "md5:" + "0" * 32),),
        (("f", "sha256:" + "g" * 64),),
        (("../f", RIGHT),),
        (("/etc/passwd", RIGHT),),
    ],
)
def test_a_setting_that_could_never_hold_is_an_error(
    root: Path, expected: tuple[tuple[str, str], ...]
) -> None:
    with pytest.raises(InputError):
        FileChecksumHook(root=str(root), expected=expected)


def test_weak_algorithms_must_be_asked_for(root: Path) -> None:
    digest = "md5:" + hashlib.md5(DATA).hexdigest()
    reply = ask(root, ("f", digest), allow_weak=True)
    assert isinstance(reply, HookReply)
    assert reply.passed


def test_a_sibling_whose_name_begins_like_the_root_is_outside(root: Path) -> None:
    sibling = root.parent / "root-evil"
    sibling.mkdir()
    (sibling / "s").write_bytes(DATA)
    with pytest.raises(InputError):
        ask(root, ("../root-evil/s", RIGHT))
