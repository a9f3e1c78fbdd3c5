"""A SQLite that can corrupt a shared log is refused, exactly."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.sqlite.version import may_be_shared, parse_version
from firmground.errors import UnsafeSQLite


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ("3.7.0", False),
        ("3.40.1", False),
        ("3.50.6", False),
        ("3.50.7", True),
        ("3.50.12", True),
        ("3.51.0", False),
        ("3.51.2", False),
        ("3.51.3", True),
        ("3.51.10", True),
        ("3.52.0", True),
        ("4.0.0", True),
    ],
)
def test_the_gate_opens_exactly_where_the_fix_is(version: str, safe: bool) -> None:
    assert may_be_shared(parse_version(version)) is safe


@pytest.mark.parametrize("version", ["3.51.2", "3.50.6", "3.51", "three", "3.51.3-beta", ""])
def test_a_log_that_may_be_shared_is_not_opened_with_an_unsafe_sqlite(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    with pytest.raises(UnsafeSQLite):
        SqliteStore.open(tmp_path / "log.sqlite")
    assert not (tmp_path / "log.sqlite").exists()


@pytest.mark.parametrize("version", ["3.51.3", "3.50.7"])
def test_a_fixed_sqlite_opens_it(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    SqliteStore.open(tmp_path / "log.sqlite").close()


def test_one_connection_alone_is_safe_with_every_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    SqliteStore.open(tmp_path / "log.sqlite", sharing="one").close()
