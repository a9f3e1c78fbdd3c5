"""The pytest plugin: assertions about answers, data sets, suite thresholds and a report.

Installing firmground registers it (entry point ``pytest11``). It imports nothing of the engine
until a test checks an answer.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from firmground.engine import Engine, Result

_LIMITS = ("policy", "min_support", "max_risk", "deadline_seconds", "model_calls")
_MARK = (
    "firmground(data=None, policy=None, min_support=None, max_risk=None, deadline_seconds=None, "
    "model_calls=None): rows of a JSONL file for the fixture firmground_row, and what "
    "assert_grounded uses in this test"
)
_INI = {
    "firmground_settings": "Settings file of the engine that the tests share.",
    "firmground_policy": "Policy of assert_grounded.",
    "firmground_judge": "Judge of assert_grounded.",
    "firmground_min_support": "Least support of an answer, 0 to 1.",
    "firmground_max_risk": "Greatest risk of an answer, 0 to 1.",
    "firmground_deadline_seconds": "Seconds for one check.",
    "firmground_model_calls": "Most model calls of one check.",
    "firmground_min_pass_rate": "Share of the suite's checks that must hold, 0 to 1.",
}
_ACTIVE: list[pytest.Item] = []
"""The test that runs now, if any."""
_FOUND = pytest.StashKey[list[dict[str, Any]]]()
_SHARED = pytest.StashKey[list["Engine"]]()


class NotGrounded(AssertionError):  # noqa: N818 - reads as what is the case
    """An answer does not stand on its evidence, or that could not be established."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


def assert_grounded(
    answer: str,
    evidence: Any,
    *,
    question: str | None = None,
    engine: Engine | None = None,
    policy: Any = None,
    mode: str = "prose",
    min_support: float | None = None,
    max_risk: float | None = None,
    deadline_seconds: float | None = None,
    model_calls: int | None = None,
) -> Result:
    """Check an answer and fail unless it stands; the failure shows every claim and its evidence.

    ``evidence`` is anything that ``firmground.check`` takes. ``engine`` is by default the suite's.
    ``min_support`` and ``max_risk`` are thresholds beside the policy's rules, ``deadline_seconds``
    and ``model_calls`` limit the check. What is not given comes from the mark ``firmground`` of
    the test, then from the settings of the suite.
    """
    __tracebackhide__ = True
    from firmground.core.budget import Budget

    given = {
        "policy": policy,
        "min_support": min_support,
        "max_risk": max_risk,
        "deadline_seconds": deadline_seconds,
        "model_calls": model_calls,
    }
    item = _ACTIVE[-1] if _ACTIVE else None
    limits = _limits(item, given)
    calls = limits["model_calls"]
    result = (engine or _engine(item)).check(
        answer,
        evidence,
        question=question,
        policy=limits["policy"],
        mode=mode,
        deadline_seconds=limits["deadline_seconds"],
        budget=None if calls is None else Budget(model_calls=int(calls)),
    )
    missed = _missed(result, limits)
    holds = bool(result) and not missed
    if item is not None:
        _note(item, result, holds)
    if not holds:
        from firmground.integrations.guard import explain

        first, *rest = explain(result).split("\n")
        raise NotGrounded("\n".join([first, *missed, *rest]), result)
    return result


def _missed(result: Result, limits: dict[str, Any]) -> list[str]:
    least, most = limits["min_support"], limits["max_risk"]
    lines = []
    if least is not None and result.support < least:
        lines.append(f"support {result.support:.2f} is below min_support {least}")
    if most is not None and result.risk > most:
        lines.append(f"risk {result.risk:.2f} is above max_risk {most}")
    return lines


def _limits(item: pytest.Item | None, given: dict[str, Any]) -> dict[str, Any]:
    """What holds for a check: the call's argument, else the nearest mark's, else the suite's."""
    chosen = dict.fromkeys(_LIMITS) if item is None else _ini_limits(item.config)
    marks = [] if item is None else [*item.iter_markers("firmground")]
    for mark in reversed(marks):
        unknown = sorted(set(mark.kwargs) - {*_LIMITS, "data"})
        if mark.args or unknown:
            what = ", ".join(unknown) or "positional arguments"
            raise pytest.UsageError(f"mark firmground does not know {what}; it is {_MARK}")
        chosen |= {k: v for k, v in mark.kwargs.items() if k in _LIMITS and v is not None}
    return chosen | {key: value for key, value in given.items() if value is not None}


def _ini_limits(config: pytest.Config) -> dict[str, Any]:
    numbers = {name: _number(config, f"firmground_{name}") for name in _LIMITS[1:]}
    return {"policy": config.getini("firmground_policy") or None, **numbers}


def _number(config: pytest.Config, name: str) -> float | None:
    text = config.getini(name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value >= 0:
        raise pytest.UsageError(f"{name} must be a number that is not negative, got {text!r}")
    return value


def _engine(item: pytest.Item | None) -> Engine:
    """The engine of this process's suite; outside of a test the one of ``firmground.check``."""
    from firmground.engine import Engine, default_engine

    if item is None:
        return default_engine()
    config = item.config
    shared = config.stash.setdefault(_SHARED, [])
    if not shared:
        file = config.getini("firmground_settings")
        shared.append(
            Engine(
                config.rootpath / file if file else None,
                judge=config.getini("firmground_judge") or None,
            )
        )
    return shared[0]


def _note(item: pytest.Item, result: Result, holds: bool) -> None:
    """Keep what one check found: for JUnit as properties, for the report and the pass rate."""
    found = item.stash.setdefault(_FOUND, [])
    numbered = f".{len(found) + 1}" if found else ""
    facts = {
        "verdict": str(result.verdict),
        "support": f"{result.support:.4f}",
        "risk": f"{result.risk:.4f}",
        "problems": str(len(result.problems)),
        "run": result.run_id or result.root,
    }
    item.user_properties += [(f"firmground{numbered}.{key}", facts[key]) for key in facts]
    page = result.report() if item.config.getoption("firmground_report") else ""
    found.append({**facts, "holds": holds, "page": page})


@pytest.fixture
def firmground_engine(request: pytest.FixtureRequest) -> Engine:
    """The engine that the tests of this process share, built from the suite's settings."""
    return _engine(request.node)


@pytest.fixture
def firmground_row(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One row of the JSONL file that the mark ``firmground(data=...)`` names."""
    if not hasattr(request, "param"):
        raise pytest.UsageError("firmground_row needs the mark firmground(data='FILE.jsonl')")
    row: dict[str, Any] = request.param
    return row


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and settings of the plugin."""
    group = parser.getgroup("firmground")
    group.addoption("--firmground-report", metavar="FILE", help="Write an HTML page of all checks.")
    group.addoption(
        "--firmground-min-pass-rate",
        type=float,
        metavar="SHARE",
        help="Share of the suite's checks that must hold; single failures are then xfailed.",
    )
    for name, about in _INI.items():
        parser.addini(name, about, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and collect results where the session ends (not in xdist's workers)."""
    config.addinivalue_line("markers", _MARK)
    if not hasattr(config, "workerinput"):
        from firmground.integrations._pytest_suite import Suite

        config.pluginmanager.register(Suite(config, min_pass_rate(config)), "firmground-suite")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the engine."""
    for engine in config.stash.get(_SHARED, []):
        engine.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each row of a data set."""
    if "firmground_row" not in metafunc.fixturenames:
        return
    marks = [m for m in metafunc.definition.iter_markers("firmground") if m.kwargs.get("data")]
    if not marks:
        return
    here, root = metafunc.definition.path.parent, metafunc.config.rootpath
    named = Path(marks[0].kwargs["data"])
    path = next((at / named for at in (here, root) if (at / named).is_file()), None)
    if path is None:
        raise pytest.UsageError(f"data set {named} is neither in {here} nor in {root}")
    rows = [*read_rows(path)]
    metafunc.parametrize(
        "firmground_row", [row for _, row in rows], ids=[name for name, _ in rows], indirect=True
    )


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and content of each row of a JSONL file; errors name file and line."""
    empty = True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise pytest.UsageError(f"{path}:{number}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise pytest.UsageError(f"{path}:{number}: a row must be an object")
        empty = False
        yield str(row.get("id") or f"line{number}"), row
    if empty:
        raise pytest.UsageError(f"{path}: the data set has no rows")


def min_pass_rate(config: pytest.Config) -> float | None:
    """The share of checks that must hold, from the command line or the suite's settings."""
    given = config.getoption("firmground_min_pass_rate")
    rate = given if given is not None else _number(config, "firmground_min_pass_rate")
    if rate is not None and not 0 <= rate <= 1:
        raise pytest.UsageError(f"firmground_min_pass_rate must lie between 0 and 1, got {rate}")
    return None if rate is None else float(rate)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Remember which test runs, so that checks are noted with it."""
    _ACTIVE.append(item)
    try:
        return (yield)
    finally:
        with suppress(ValueError):
            _ACTIVE.remove(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what the checks found with the report; under a pass rate a failed check is xfailed."""
    report = yield
    if call.when != "call":
        return report
    found = item.stash.get(_FOUND, [])
    if found:
        vars(report)["firmground"] = found
        item.stash[_FOUND] = []
    failed = call.excinfo is not None and isinstance(call.excinfo.value, NotGrounded)
    if failed and min_pass_rate(item.config) is not None:
        report.outcome = "skipped"
        report.wasxfail = "does not stand; counted against firmground_min_pass_rate"
    return report
