"""What the pytest plugin does for a whole session: pass rate, summary and HTML page."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import pytest

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
    "summary{cursor:pointer;padding:.3em;border-bottom:1px solid #ccc}"
    ".no{color:#a40000}.yes{color:#00602b}iframe{width:100%;height:36em;border:1px solid #ccc}"
)


class Suite:
    """Collects the checks of all processes of a session; lives in the one that prints."""

    def __init__(self, config: pytest.Config, rate: float | None) -> None:
        self._config = config
        self._rate = rate
        self._checks: list[tuple[str, dict[str, Any]]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the checks out of a report, whichever process it comes from."""
        self._checks += [(report.nodeid, one) for one in getattr(report, "firmground", ())]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page, and fail the session when fewer checks hold than asked for."""
        path = self._config.getoption("firmground_report")
        if path:
            target = Path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.page(), encoding="utf-8")
        if self.too_few and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how many checks hold, when there were any or a share is asked for."""
        if not self._checks and self._rate is None:
            return
        terminalreporter.section("firmground")
        terminalreporter.line(self.summary(), red=self.too_few)
        path = self._config.getoption("firmground_report")
        if path:
            terminalreporter.line(f"report: {path}")

    @property
    def holding(self) -> int:
        """How many checks hold."""
        return sum(bool(one["holds"]) for _, one in self._checks)

    @property
    def too_few(self) -> bool:
        """True when fewer checks hold than the suite asks for."""
        if self._rate is None or not self._checks:
            return False
        return self.holding < self._rate * len(self._checks)

    def summary(self) -> str:
        """One line: how many checks hold, and how many must."""
        made = len(self._checks)
        if not made:
            return "no answer was checked"
        line = f"{self.holding} of {made} checks hold ({self.holding / made:.1%})"
        if self._rate is None:
            return line
        return f"{line}, required {self._rate:.1%}: {'too few' if self.too_few else 'enough'}"

    def page(self) -> str:
        """One self-contained HTML page with every check, those that failed first and open."""
        parts = [_entry(name, one) for name, one in sorted(self._checks, key=_order)]
        return (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>firmground: {self.summary()}"
            f"</title><style>{_STYLE}</style><h1>Checks of this test run</h1>"
            f"<p>{escape(self.summary())}</p>{''.join(parts)}</html>\n"
        )


def _order(entry: tuple[str, dict[str, Any]]) -> tuple[bool, str]:
    return bool(entry[1]["holds"]), entry[0]


def _entry(name: str, one: dict[str, Any]) -> str:
    kind = "yes" if one["holds"] else "no"
    verdict = escape(str(one["verdict"]).replace("_", " "))
    return (
        f"<details{'' if one['holds'] else ' open'}><summary><b class={kind}>{verdict}</b> "
        f"{escape(name)} · support {one['support']} · risk {one['risk']}</summary>"
        f'<iframe loading=lazy sandbox="allow-scripts" srcdoc="{escape(one["page"], quote=True)}">'
        "</iframe></details>"
    )
