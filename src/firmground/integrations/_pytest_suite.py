"""What the pytest plugin does for a whole session: pass rate, summary and HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmground.integrations._checks_page import checks_page


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
        return checks_page("Checks of this test run", self.summary(), self._checks)
