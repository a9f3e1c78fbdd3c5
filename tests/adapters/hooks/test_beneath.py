"""A path below a root leads nowhere else, however links are moved about."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmground.adapters import safe_open
from firmground.adapters.safe_open import OutsideRoot, open_beneath, open_root, parts_below, walk
from firmground.errors import InputError


@pytest.fixture(params=["kernel", "walk"])
def opener(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways down, the kernel's and our own."""
    if request.param == "walk":
        monkeypatch.setattr(safe_open, "_by_kernel", lambda *_: None)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    inside = tmp_path / "root"
    (inside / "a" / "b").mkdir(parents=True)
    (inside / "a" / "b" / "f").write_text("inside")
    (tmp_path / "root-evil").mkdir()
    (tmp_path / "root-evil" / "f").write_text("outside")
    (tmp_path / "secret").write_text("outside")
    descriptor = open_root(str(inside))
    yield descriptor
    os.close(descriptor)


def read(descriptor: int) -> str:
    try:
        return os.read(descriptor, 100).decode()
    finally:
        os.close(descriptor)


def test_a_file_below_is_opened(root: int, opener: str) -> None:
    assert read(open_beneath(root, "a/b/f")) == "inside"
    assert read(open_beneath(root, "./a//b/./f")) == "inside"


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "a/../../secret",
        "../root-evil/f",
        "a/b/../../../secret",
        "/etc/passwd",
        "//etc/passwd",
        "",
        ".",
        "a\0b",
        "..",
        "a/..",
        "..\\secret",
        "C:\\x",
    ],
)
def test_a_path_that_could_lead_elsewhere_is_an_error(path: str) -> None:
    with pytest.raises(InputError):
        parts_below(path)


@pytest.mark.parametrize(
    ("link", "goal", "path"),
    [
        ("x", "../secret", "x"),
        ("x", "/etc/passwd", "x"),
        ("x", "a/b/f", "x"),
        ("d", "..", "d/secret"),
        ("d", "/", "d/etc/passwd"),
        ("d", "a", "d/b/f"),
        ("p", "/proc/self/root", "p/etc/passwd"),
        ("p", "/proc/self/fd", "p/0"),
    ],
)
def test_no_link_is_followed(
    root: int, opener: str, tmp_path: Path, link: str, goal: str, path: str
) -> None:
    (tmp_path / "root" / link).symlink_to(goal)
    with pytest.raises(OSError) as refusal:  # noqa: PT011 - its number is looked at below
        open_beneath(root, path)
    assert isinstance(refusal.value, OutsideRoot) or refusal.value.errno == errno.ENOTDIR


def test_a_fifo_is_refused_and_nobody_waits_for_a_writer(
    root: int, opener: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "root" / "fifo")
    with pytest.raises(OutsideRoot):
        open_beneath(root, "fifo")


def test_a_device_and_a_folder_are_refused(root: int, opener: str, tmp_path: Path) -> None:
    with pytest.raises(OutsideRoot):
        open_beneath(root, "a")
    if os.geteuid() != 0:
        pytest.skip("only root can make a device to refuse")
    os.mknod(tmp_path / "root" / "zero", 0o020644, os.makedev(1, 5))
    with pytest.raises(OutsideRoot):
        open_beneath(root, "zero")


def test_a_missing_file_is_missing_and_not_refused(root: int, opener: str) -> None:
    with pytest.raises(FileNotFoundError):
        open_beneath(root, "a/nothing")


def _race(root: int, tmp_path: Path, tries: int) -> tuple[int, int]:
    """Swap a folder for a link to the outside and back while the file is opened."""
    inside = tmp_path / "root"
    (inside / "real").mkdir()
    (inside / "real" / "f").write_text("inside")
    (inside / "real").rename(inside / "d")
    (tmp_path / "link").symlink_to(tmp_path / "root-evil")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            os.rename(inside / "d", inside / "kept")
            os.rename(tmp_path / "link", inside / "d")
            os.rename(inside / "d", tmp_path / "link")
            os.rename(inside / "kept", inside / "d")

    swapping = threading.Thread(target=swap)
    swapping.start()
    escapes = opened = 0
    try:
        for _ in range(tries):
            try:
                text = read(open_beneath(root, "d/f"))
            except OSError:
                continue
            opened += 1
            escapes += text != "inside"
    finally:
        over.set()
        swapping.join()
    return escapes, opened


def test_a_race_with_links_never_leads_outside(root: int, opener: str, tmp_path: Path) -> None:
    escapes, opened = _race(root, tmp_path, 4000)
    assert opened > 0
    assert escapes == 0


@pytest.mark.soak
def test_a_million_races_never_lead_outside(root: int, opener: str, tmp_path: Path) -> None:
    assert _race(root, tmp_path, 1_000_000)[0] == 0


def test_the_walk_gives_the_same_file_as_the_kernel(root: int) -> None:
    assert read(walk(root, ("a", "b", "f"))) == "inside"
