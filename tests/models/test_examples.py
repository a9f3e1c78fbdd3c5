"""The applications in examples/, run whole."""

from __future__ import annotations

import asyncio
import importlib.util
import sqlite3
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from firmground.adapters.openai_model import CallLimits, ModelEndpoint, OpenAIModel
from firmground.testing import FunctionModel
from firmground.testing.local_server import LocalServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUESTION = "When did the Alder bridge open?"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_agent_answers_from_its_tools_with_a_real_model(
    server: LocalServer, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    agent = example("tool_agent")

    async def run() -> Any:
        limits = CallLimits(timeout_seconds=600, tries=1)
        async with OpenAIModel(server.model, endpoint=endpoint, limits=limits) as model:
            return await agent.answer(QUESTION, model, tmp_path / "runs.sqlite")

    said, _ = asyncio.run(run())
    assert said is not None
    assert "1932" in said
    with sqlite3.connect(tmp_path / "runs.sqlite") as database:
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    database.close()


def test_the_agent_says_nothing_that_its_tools_do_not_say(tmp_path: Path) -> None:
    agent = example("tool_agent")
    invented = FunctionModel(function=lambda request: "The Alder bridge is painted green.")
    said, _ = asyncio.run(agent.answer(QUESTION, invented, tmp_path / "runs.sqlite"))
    assert "green" not in (said or "")
    assert asyncio.run(agent.answer("What is love?", invented, tmp_path / "x.sqlite")) == (
        None,
        None,
    )


def test_the_nightly_evaluation_calibrates_checks_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = example("nightly_evaluation").main(tmp_path, labelled=200, today=12)
    assert summary["answers"] == 12
    assert summary["wrong_among_accepted"] == 0
    assert summary["accepted"] + summary["withheld"] == 12
    assert summary["accepted"] > 0
    assert "accept when risk <=" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<details") == 12
    assert len((tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()) == 12
