"""``firmground hooks``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmground.adapters.hooks.build import KINDS
from firmground.cli.main import cli
from firmground.errors import FirmgroundError

DIGEST = hashlib.sha256(b"x").hexdigest()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "f").write_text("x")
    path = tmp_path / "firmground.toml"
    path.write_text(
        "[hooks]\n"
        "[[hooks.use]]\ntype = 'file_checksum'\nroot = '.'\n"
        f"expected = {{ f = '{DIGEST}' }}\n"
        "[[hooks.use]]\ntype = 'arithmetic'\nname = 'sums'\n"
        "[[hooks.use]]\ntype = 'regex'\nname = 'early'\nphase = 'before'\n"
        "source = 'question'\nmust = ['tower']\n"
    )
    return path


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["hooks", *args], input=text)


def test_list_shows_what_the_settings_name(config: Path) -> None:
    result = run("list", "--config", str(config))
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [
        "file_checksum", "sums", "early",
    ]  # fmt: skip
    rows = json.loads(run("list", "--json", "--config", str(config)).output)
    assert rows[2]["phase"] == "before"


def test_all_yes_is_zero(config: Path) -> None:
    result = run("run", "--config", str(config), "--answer", "2 + 2 = 4")
    assert result.exit_code == 0, result.output
    assert result.output.count("passed ") == 2


def test_one_no_is_one_even_beside_a_fault(config: Path) -> None:
    (config.parent / "f").write_text("y")
    result = run("run", "--config", str(config), "--answer", "no sums")
    assert result.exit_code == 1
    assert "refused" in result.output
    assert "fault" in result.output


def test_one_that_could_not_be_asked_is_two(config: Path) -> None:
    result = run("run", "--config", str(config), "--answer", "no sums")
    assert result.exit_code == 2


def test_nobody_asked_is_two_and_not_a_yes(config: Path) -> None:
    result = run("run", "--config", str(config), "--only", "sums", "--phase", "before")
    assert result.exit_code == 2


def test_the_phase_before_sees_the_question(config: Path) -> None:
    args = ("run", "--config", str(config), "--phase", "before", "--question")
    assert run(*args, "How tall is the tower?").exit_code == 0
    assert run(*args, "How tall?").exit_code == 1


def test_json_carries_both_digests(config: Path) -> None:
    result = run("run", "--config", str(config), "--answer", "-", "--json", text="1 + 1 = 3")
    replies = json.loads(result.output)
    assert [r["outcome"] for r in replies] == ["passed", "refused"]
    assert all(len(r["asked"]) == len(r["replied"]) == 64 for r in replies)
    assert replies[1]["guidance"] == "1 + 1 = 3 should come to 2"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("run", "--only", "nobody"), "no hook of that name"),
        (("run", "--meta", "x"), "KEY=VALUE"),
        (("explain", "telepathy"), "is no kind of hook"),
    ],
)
def test_a_wrong_argument_is_an_error(config: Path, args: tuple[str, ...], words: str) -> None:
    more = ("--config", str(config)) if args[0] == "run" else ()
    result = run(*args, *more)
    assert isinstance(result.exception, FirmgroundError)
    assert words in str(result.exception)


@pytest.mark.parametrize("command", ["list", "run"])
def test_without_settings_it_says_how_to_name_them(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command)
    assert isinstance(result.exception, FirmgroundError)
    assert "firmground.toml: there is no such file" in str(result.exception)
    assert "--config" in str(result.exception)


def test_explain_lists_the_kinds_and_explains_each() -> None:
    listing = run("explain").output
    for kind in ("file_checksum", "http_api", "postgres", "command", "ledger_record"):
        assert kind in listing
        told = run("explain", kind)
        assert told.exit_code == 0
        assert "Keys:" in told.output
        for key in KINDS[kind].options:
            assert f"  {key}" in told.output
    assert 'default "rows"' in run("explain", "sqlite").output
    assert "required" in run("explain", "http_api").output
