"""The parents' examples, rewritten, run against the real server; pages keep their promises."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from firmground.consensus import ConsensusLabel, Tier
from firmground.probe import PROFILES, ArmKind
from firmground.testing.local_server import LocalServer

DOCS = Path(__file__).resolve().parents[2] / "docs"


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


def run(code: str, model: str = "") -> list[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"MODEL": model})
    return printed.getvalue().splitlines()


@pytest.fixture
def environment(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", server.api_key)
    return server.model


def test_the_firewalls_free_text_example_runs_on_a_real_model(environment: str) -> None:
    *_, free, _ = examples("coming-from/firewall.md")
    first, step = run(free, environment)
    assert step in ("proceed", "abstain")
    sensitivity = float(re.findall(r"\| ([\d.]+) \(", first)[0])
    assert 0 <= sensitivity <= 1
    assert (sensitivity >= 0.5) is (step == "abstain")


def test_the_firewalls_choice_example_runs_on_a_real_model(environment: str) -> None:
    *_, choice = examples("coming-from/firewall.md")
    first, step = run(choice, environment)
    assert first.split()[0] in ("Canberra", "Sydney")
    assert 0.5 <= float(first.split()[1]) <= 1
    assert step in ("proceed", "abstain")


def test_halguards_example_before_runs() -> None:
    *_, before, _ = examples("coming-from/halguard.md")
    assert run(before)[0].startswith("0.57 ")


def test_halguards_example_after_runs_on_a_real_model(environment: str) -> None:
    *_, after = examples("coming-from/halguard.md")
    first, *blocks = run(after, environment)
    assert first.split()[0] in [tier.value for tier in Tier]
    assert blocks
    assert all(line.split()[0] in ConsensusLabel.__members__ for line in blocks)


def test_profiles_arms_and_prompt_folders_are_documented() -> None:
    page = (DOCS / "dependence.md").read_text("utf-8") + (DOCS / "models.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in PROFILES if name != "default")
    assert len(ArmKind) == 4
    for folder in ("probe", "consensus", "adapters/llm_judge"):
        assert f"firmground/{folder}" in page
        assert list((DOCS.parent / "src/firmground" / folder / "prompts").glob("*.v1.txt"))
