"""The words of the package: exported names, one class for each name, plain prose for users."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import firmground
from firmground.cli.main import cli

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "firmground"

EXPORTED = set(
    """
    AskOptions AskResult Assessment Budget Claim ClaimResult Decision Engine Evidence EvidenceReader
    EvidenceSpan Failure Fault FirmgroundError Hook HookReply InputError Judge Ledger LedgerStore
    Model ModelError Policy Question Result Retriever Rule Ruling Settings Signer Standing Step
    StreamFinished TextReleased TextWithheld Trust Verdict acheck check check_many
    """.split()
)

# Old-fashioned or figurative words that readers stumbled over, for prose that users see.
BANNED = re.compile(
    r"\b(?:gainsa\w+|whoever|mend(?:s|ed|ing)?|anew|in vain|out loud|call_budget|"
    r"let(?:s|ting)? pass|borne out|bears? (?:it|them|the claim|this) out|could not be told|"
    r"telling words?|what (?:became|becomes) of|for want of|in the open)\b",
    re.IGNORECASE,
)
# Word lists and patterns that the package looks for in other people's texts.
DATA = ("claims", "preflight", "verify", "core/match.py")


def test_the_exported_names_are_these() -> None:
    assert set(firmground.__all__) - {"__version__"} == EXPORTED


def test_a_class_name_is_defined_once_in_the_package() -> None:
    defined = Counter(
        node.name
        for path in PACKAGE.rglob("*.py")
        if "integrations" not in path.parts  # each framework has its own GroundingGuard
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in defined.items() if count > 1] == []


def test_the_documentation_is_in_plain_english() -> None:
    pages = [*(REPOSITORY / "docs").rglob("*.md"), *REPOSITORY.glob("[!C]*.md")]
    found = [
        f"{page.relative_to(REPOSITORY)}:{number}: {match[0]}"
        for page in pages
        for number, line in enumerate(page.read_text().splitlines(), 1)
        for match in BANNED.finditer(line)
    ]
    assert found == []


def test_help_texts_are_in_plain_english() -> None:
    found = [f"{where}: {m[0]}" for where, text in _help(cli, "") for m in BANNED.finditer(text)]
    assert found == []


def test_messages_are_in_plain_english() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {match[0]}"
        for path in PACKAGE.rglob("*.py")
        if not str(path.relative_to(PACKAGE)).startswith(DATA)
        for line, text in _messages(path)
        for match in BANNED.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["It mends the answer.", "Whoever asks", "the policy lets pass"])
def test_a_quaint_word_is_found(text: str) -> None:
    assert BANNED.search(text)


def _help(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    with click.Context(command) as context:
        yield path or "firmground", command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                if inner is not None:
                    yield from _help(inner, f"{path} {name}".strip())


def _messages(path: Path) -> Iterator[tuple[int, str]]:
    """String literals with a blank, docstrings included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
