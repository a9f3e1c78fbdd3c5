"""Check JSONL files of answers in continuous integration: annotations, a page, an exit code.

``python -m firmground.integrations.ci FILE...`` is what the GitHub Action and the pre-commit hook
run. Exit codes: 0 enough answers stand, 1 too few do, 2 a file could not be read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firmground.adapters.document import request_from_value
from firmground.engine import Engine, Overrides, Result
from firmground.errors import FirmgroundError, InputError
from firmground.integrations._checks_page import checks_page
from firmground.integrations.guard import explain

_KEYS = ("id", "question", "answer", "evidence", "mode", "metadata")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files that the command line names."""
    name = "python -m firmground.integrations.ci"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="JSONL files with answer and evidence")
    parser.add_argument("--policy", help="name of a policy, or a policy file")
    parser.add_argument("--judge", help="name of a judge")
    parser.add_argument("--min-pass-rate", type=float, default=1.0, help="0 to 1; default 1")
    parser.add_argument("--report", type=Path, help="write an HTML page of all checks")
    given = parser.parse_args(arguments)
    try:
        with Engine(policy=given.policy, judge=given.judge) as engine:
            checks = [*_checked(engine, given.files)]
    except FirmgroundError as error:
        print(f"firmground: {error}", file=sys.stderr)
        return 2
    holding = sum(bool(result) for _, _, result in checks)
    enough = holding >= given.min_pass_rate * len(checks)
    required = f"required {given.min_pass_rate:.1%}"
    summary = f"{holding} of {len(checks)} answers stand, {required}"
    for file, line, result in checks:
        if not result:
            print(_annotation(file, line, result, "warning" if enough else "error"))
    print(summary)
    if given.report is not None:
        page = checks_page("Checks of answers", summary, [_listed(*one) for one in checks])
        given.report.parent.mkdir(parents=True, exist_ok=True)
        given.report.write_text(page, encoding="utf-8")
    return 0 if enough else 1


def _checked(engine: Engine, files: Sequence[Path]) -> Iterator[tuple[Path, int, Result]]:
    for file in files:
        for line, row in _rows(file):
            where = f"{file}:{line}"
            known = {key: row[key] for key in _KEYS if key in row}
            request = request_from_value(known, where)
            yield file, line, next(_results(engine, request))


def _results(engine: Engine, request: Any) -> Iterator[Result]:
    for found in engine.check_many_with(Overrides(), [request]):
        if not isinstance(found, Result):
            raise InputError(str(found))
        yield found


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{file}:{number}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise InputError(f"{file}:{number}: a row must be an object")
        yield number, row


def _annotation(file: Path, line: int, result: Result, level: str) -> str:
    """One line that GitHub shows at the row; elsewhere a line that people read."""
    told = explain(result)
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return f"{file}:{line}: {told}"
    escaped = told.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    place = str(file).replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    return f"::{level} file={place},line={line},title=firmground::{escaped}"


def _listed(file: Path, line: int, result: Result) -> tuple[str, dict[str, Any]]:
    return f"{file}:{line}", {
        "holds": bool(result),
        "verdict": str(result.verdict),
        "support": f"{result.support:.2f}",
        "risk": f"{result.risk:.2f}",
        "page": result.report(),
    }


if __name__ == "__main__":
    sys.exit(main())
