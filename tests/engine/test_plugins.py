"""Parts of other packages are found by name, and a wrong name is told what there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import firmground
from firmground import Engine, Evidence, InputError
from firmground.adapters.sqlite import SqliteStore
from firmground.config.policies import load_policy
from firmground.core import plugins
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings
from firmground.engine.judges import judge_of
from firmground.errors import ConfigError
from firmground.testing import FixedRetriever, FunctionModel, PrefixReader
from firmground.verify.judge import LexicalJudge

SOURCE = "The Alder bridge opened in 1932."


class NamedJudge(LexicalJudge):
    name = "theirs 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoLongAnswers:
    name: ClassVar[str] = "no_long_answers"
    about: ClassVar[str] = "an answer with too many claims"
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    most: int = 10

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        if len(findings.assessments) <= self.most:
            return ()
        return (Objection(rule=self.name, step=Step.REGENERATE, reason="too many claims"),)


class Point:
    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def load(self) -> Any:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


OFFERED: dict[str, dict[str, Any]] = {
    "judges": {"theirs": NamedJudge},
    "rules": {"no_long_answers": NoLongAnswers},
    "retrievers": {"fixed": lambda text: FixedRetriever(evidence=(Evidence(text=text),))},
    "models": {"echo": FunctionModel(function=lambda request: SOURCE)},
    "stores": {"sql": SqliteStore.open},
    "evidence_readers": {"prefix": PrefixReader(prefix="note:"), },
    "hooks": {},
    "signers": {"broken": RuntimeError("no module")},
}  # fmt: skip


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> Any:
    def found(group: str) -> dict[str, Any]:
        return {name: Point(name, value) for name, value in OFFERED[group].items()}

    monkeypatch.setattr(plugins, "offered", found)
    plugins.installed.cache_clear()
    judge_of.cache_clear()
    yield
    plugins.installed.cache_clear()
    judge_of.cache_clear()


def test_a_judge_a_rule_and_a_reader_are_used_by_name(tmp_path: Path) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text(
        '[judge]\nuse = "theirs"\n[policy]\nname = "own"\n[policy.rules.no_long_answers]\nmost = 0\n'
    )
    with Engine(file) as engine:
        result = engine.check(SOURCE, f"note: {SOURCE}")
        assert engine.plan().judge == "theirs 1"
    assert [o.rule for o in result.decision.objections] == ["no_long_answers"]
    assert "no_long_answers" in {rule.name for rule in load_policy(file).rules}


def test_a_retriever_a_model_and_a_store_come_from_settings(tmp_path: Path) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text(
        f'[judge]\nuse = "lexical"\n[retriever]\nuse = "fixed"\ntext = "{SOURCE}"\n'
        '[model]\nuse = "echo"\n[ledger]\nfile = "runs.sqlite"\nstore = "sql"\n'
    )
    with Engine(file) as engine:
        asked = engine.ask("When did the Alder bridge open?", preflight=False)
    assert asked.answer == SOURCE
    assert asked.receipt is not None
    assert (tmp_path / "runs.sqlite").is_file()


def test_a_wrong_name_is_told_what_there_is() -> None:
    with pytest.raises(InputError, match="judge 'thiers' is unknown"):
        firmground.check(SOURCE, SOURCE, judge="thiers")
    with pytest.raises(ConfigError, match="there is no 'fxed'; did you mean fixed"):
        plugins.load("retrievers", "fxed")
    with pytest.raises(ConfigError, match="broken cannot be loaded: no module"):
        plugins.load("signers", "broken")
