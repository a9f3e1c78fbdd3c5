"""``firmground hooks``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmground.adapters.hooks.build import KINDS
from firmground.cli.main import cli
from firmground.errors import ConfigError, FirmgroundError

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
    header, *lines = result.output.splitlines()
    assert header.split() == ["NAME", "ASKED", "WITHIN", "RUNS", "KIND"]
    assert [line.split()[0] for line in lines] == ["file_checksum", "sums", "early"]
    at = header.index("KIND")
    assert [line[at:] for line in lines] == ["file_checksum 1", "arithmetic 1", "regex 1"]
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
        (("explain", "telepathy"), "is not a kind of hook"),
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
    listed = run("explain", "sqlite").output
    assert 'expect  (rows, no_rows, equals or in_answer, default "rows")' in listed
    assert "path  (text, required)" in listed
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_a_mistyped_kind_is_told_the_nearest(tmp_path: Path) -> None:
    result = run("explain", "http_apy")
    assert "did you mean http_api?" in str(result.exception)
    path = tmp_path / "c.toml"
    path.write_text("[[hooks.use]]\ntype = 'comand'\n")
    result = run("list", "--config", str(path))
    assert "line 2: hooks.use[0].type: 'comand' is unknown; did you mean command?" in str(
        result.exception
    )


def test_all_mistakes_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(
        "[[hooks.use]]\ntype = 'regex'\nmust = 'x'\nsuorce = 'answer'\n"
        "[[hooks.use]]\ntype = 'sqlite'\nqery = 'SELECT 1'\nmost_rows = 'many'\n"
        "[[hooks.use]]\ntype = 'http_api'\nurl = 'https://a.example/'\nallow = ['ftp://x']\n"
        "[[hooks.use]]\ntype = 'arithmetic'\n"
    )
    error = run("list", "--config", str(path)).exception
    assert isinstance(error, ConfigError)
    told = [problem.removeprefix(f"{path}, ").partition(" (known")[0] for problem in error.problems]
    assert told == [
        "line 3: hooks.use[0].must: must be a list of texts, got 'x'",
        "line 4: hooks.use[0].suorce: unknown key; did you mean source?",
        "line 5: hooks.use[1].path: is missing",
        "line 5: hooks.use[1].query: is missing",
        "line 8: hooks.use[1].most_rows: must be a whole number, got 'many'",
        "line 7: hooks.use[1].qery: unknown key; did you mean query?",
        "line 12: hooks.use[2].allow: hook 'http_api': allow: address 'ftp://x' must begin with "
        "http:// or https://",
    ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("type = 'sqlite'\npath = 'd'\nquery = 'SELECT 1'\nexpect = 'equals'",
         'line 1: hooks.use[0].equals: is missing: expect = "equals" compares with it'),
        ("type = 'sqlite'\npath = 'd'\nquery = 'SELECT 1'\nequals = 3",
         'line 5: hooks.use[0].equals: goes with expect = "equals", and expect is "rows"'),
        ("type = 'regex'\nmust = ['[a']", "is not a re2 pattern: missing ]: [a"),
        ("type = 'http_api'\nurl = 'http://bob:hunter2@a.example/'\nallow = ['http://a.example']",
         "line 3: hooks.use[0].url: hook 'http_api': url: address 'http://a.example/' must not"),
        ("type = 'http_api'\nurl = 'http://a.example/'\nallow = ['http://a.example']\n"
         "headers_from_environment = { Authorization = 'NO_SUCH_VARIABLE' }",
         "line 5: hooks.use[0].headers_from_environment.Authorization: $NO_SUCH_VARIABLE is not"),
        ("type = 'python'\nfactory = 'own_hook:Own'\noptions = { hieght = 1 }",
         "line 4: hooks.use[0].options: own_hook:Own cannot be made: TypeError"),
        ("type = 'command'\nargv = ['check.sh']", "or in settings with ./"),
        ("type = 'json_schema'\nschema = { const = 2020-01-01 }", "schema: cannot be JSON"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_line_and_key(tmp_path: Path, body: str, words: str) -> None:
    (tmp_path / "d").write_text("")
    (tmp_path / "own_hook.py").write_text(
        "class Own:\n    name = 'own'\n    def __init__(self, height): pass\n"
        "    async def ask(self, case): pass\n"
    )
    path = tmp_path / "c.toml"
    path.write_text(f"[[hooks.use]]\n{body}\n")
    error = run("list", "--config", str(path)).exception
    assert isinstance(error, ConfigError)
    assert words in str(error)
    assert "hunter2" not in str(error)


def test_a_broken_yaml_is_one_line_with_the_line_of_the_mistake(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("hooks:\n  use:\n  - type: 'regex\n")
    error = run("list", "--config", str(path)).exception
    assert str(error).startswith(f"{path}, line 4: is not YAML: found unexpected end of stream")
    assert "unicode string" not in str(error)
    assert "\n" not in str(error)


def test_hooks_that_are_switched_off_are_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("grounding:\n  enabled: false\n  hooks: []\n")
    error = run("list", "--config", str(path)).exception
    assert "grounding.enabled is not true, so there are no hooks" in str(error)


def test_an_endless_message_is_wrapped(tmp_path: Path, config: Path) -> None:
    (config.parent / "f").unlink()
    result = run("run", "--config", str(config), "--answer", "2 + 2 = 4")
    assert "1 of 1 is not as it should be: f is gone" in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())
