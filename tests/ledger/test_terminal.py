"""Whatever somebody wrote into an answer, a label or a hook's reply, no terminal acts on it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import click
import pytest
from tests.ledger.open_log import a_ledger, a_run

import firmground.cli
from firmground.cli import gate
from firmground.cli._output import hand_over, say, say_lines
from firmground.cli.main import cli, main
from firmground.core.decision import Decision, Objection, Step, Verdict
from firmground.core.finding import Dependence
from firmground.ledger.cache import AnswerCache
from firmground.ledger.cache_key import Tenant

EVIL = "\x1b[2J\x1b]0;owned\x07\r\u202e\u200b\x9b31m"
ACTS = ("\x1b", "\x07", "\r", "\u202e", "\u200b", "\x9b")
FILES = sorted(Path(firmground.cli.__file__).parent.glob("*.py"))


def inert(output: str) -> bool:
    return not any(mark in output for mark in ACTS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_command_prints_through_the_filter_and_no_other_way(path: Path) -> None:
    """A raw echo or print in any command would let text from outside reach the terminal."""
    raw = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in ("click.echo", "click.secho", "print", "sys.stdout.write", "sys.stderr.write"):
            raw.append(f"{path.name}:{node.lineno} {name}")
    assert raw == [] or path.name == "_output.py"


def test_the_filter_lets_nothing_through_that_a_terminal_acts_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say(f"one {EVIL}\nline")
    assert capsys.readouterr().out.count("\n") == 1, "one line stays one, whoever wrote it"
    say(EVIL, err=True)
    say_lines(f"two\nlines {EVIL}")
    seen = capsys.readouterr()
    assert inert(seen.out + seen.err)
    assert seen.out.count("\n") == 2


def test_a_document_for_a_file_is_exact_and_on_a_terminal_it_is_inert(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_over(EVIL)
    assert capsys.readouterr().out == EVIL
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    hand_over(EVIL)
    assert inert(capsys.readouterr().out)


def test_a_gate_over_a_hostile_answer_says_it_inertly(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Dependence(
        sensitivity=0.5, answer=EVIL, without=EVIL, remarks=(EVIL,), per_evidence=((EVIL, 0.1),)
    )
    objection = Objection(rule="rule", step=Step.ABSTAIN, reason=EVIL)
    decision = Decision(
        step=Step.ABSTAIN,
        verdict=Verdict.DOES_NOT_STAND,
        objections=(objection,),
        policy="p",
        policy_digest="00" * 32,
    )
    gate._print_gate(seen, decision, (), as_json=False)
    assert inert(capsys.readouterr().out)


def said_by(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """What a command prints, on either stream, when it is run as a program runs it."""
    monkeypatch.setattr(sys, "argv", ["firmground", *words])
    with pytest.raises(SystemExit):
        main()
    seen = capsys.readouterr()
    return seen.out + seen.err


def test_commands_over_a_log_full_of_hostile_text_say_it_inertly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.sqlite"
    with a_ledger(tmp_path) as ledger:
        cache = AnswerCache(ledger, Tenant(name=f"t{EVIL}", key=b"k" * 32), unvouched=True)
        cache.put(bytes(32), a_run(EVIL), label={"step": EVIL})
        run_id = ledger.run_at(0).body.run
    for words in (
        ["cache", "list"],
        ["cache", "falsify", "00" * 32, "--tenant", f"t{EVIL}", "--reason", EVIL],
        ["cache", "falsify", EVIL, "--tenant", "t", "--reason", "x"],
        ["cache", "burn", "00" * 32, "--tenant", f"t{EVIL}", "--reason", EVIL],
        ["runs", "list"],
        ["runs", "show", run_id],
        ["runs", "show", EVIL],
        ["audit"],
        ["runs", "erase", run_id, "--reason", EVIL, "--yes"],
    ):
        output = said_by([*words, "--ledger", str(path)], capsys, monkeypatch)
        assert inert(output), words
        assert output


def test_hooks_and_policies_with_hostile_words_are_named_inertly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "firmground.toml"
    config.write_text(
        '[[hooks]]\nname = "h"\nkind = "pattern"\nforbid = ["x"]\n'.replace(
            '"h"', '"h\\u001b[2J\\u202e"'
        ),
        encoding="utf-8",
    )
    policy = tmp_path / "p.toml"
    policy.write_text('name = "p\\u001b[2J\\u202e"\nbase = "balanced"\n', encoding="utf-8")
    for words in (
        ["hooks", "list", "--config", str(config)],
        ["hooks", "run", "--config", str(config), "--answer", EVIL],
        ["policy", "explain", str(policy)],
        ["policy", "diff", str(policy), "balanced"],
        ["policy", "explain", EVIL],
        ["decide", EVIL, "--policy", EVIL],
        ["preflight", EVIL],
    ):
        output = said_by(words, capsys, monkeypatch)
        assert inert(output), words
        assert "defect of firmground" not in output


def test_the_walk_has_seen_every_command() -> None:
    files = {path.stem for path in FILES}
    commands = cli.list_commands(click.Context(cli))
    assert {name.replace("-", "_") for name in commands} <= files
