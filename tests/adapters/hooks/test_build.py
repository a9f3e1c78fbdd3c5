"""Hooks of others: by reference and through entry points."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from firmground.adapters.hooks import build
from firmground.adapters.hooks.build import build_hook, plugins
from firmground.core.finding import HookReply
from firmground.core.ports import HookCase
from firmground.errors import ConfigError
from firmground.hooks import HookEngine
from firmground.hooks.options import Options

CASE = HookCase(question=None, answer="The tower is 324 m tall.")
MODULE = """
from dataclasses import dataclass
from firmground import HookReply

@dataclass(frozen=True)
class Shouts:
    word: str
    name: str = "shouts"

    async def ask(self, case):
        passed = self.word in case.answer
        return HookReply(source=self.name, passed=passed, message="looked")

def broken():
    raise RuntimeError("no licence")
"""


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a hook, installed the way pip would leave it."""
    (tmp_path / "towers_plugin.py").write_text(MODULE)
    info = tmp_path / "towers_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: towers-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{build.GROUP}]\nshouts = towers_plugin:Shouts\nbroken = towers_plugin:broken\n"
        "absent = nowhere_at_all:x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "towers_plugin", raising=False)
    return tmp_path


def make(base: Path, **values: object) -> object:
    return build_hook(Options(values, file="f.toml", path="hooks.use[0]"), base=base)


def test_an_entry_point_is_found_without_importing_it(offered: Path) -> None:
    assert {"shouts", "broken", "absent"} <= set(plugins())
    assert "towers_plugin" not in sys.modules


def test_a_plugin_runs_in_a_worker_process(offered: Path) -> None:
    hook = build_hook(
        Options({"type": "shouts", "word": "324 m", "timeout_seconds": 300}), base=offered
    )
    assert not hook.inline
    (reply,) = asyncio.run(HookEngine([hook], deadline_seconds=300).run(CASE))
    assert isinstance(reply, HookReply), reply
    assert reply.passed


def test_a_hook_by_reference_runs_in_a_worker_process(offered: Path) -> None:
    hook = build_hook(
        Options(
            {
                "type": "python",
                "factory": "towers_plugin:Shouts",
                "options": {"word": "x"},
                "timeout_seconds": 300,
            }
        ),
        base=offered,
    )
    assert not hook.inline
    (reply,) = asyncio.run(HookEngine([hook], deadline_seconds=300).run(CASE))
    assert isinstance(reply, HookReply), reply
    assert not reply.passed


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"type": "broken"}, "RuntimeError: no licence"),
        ({"type": "absent"}, "nowhere_at_all:x cannot be imported: ModuleNotFoundError"),
        ({"type": "shouts"}, "cannot be made: TypeError"),
        ({"type": "shouts", "word": "x", "extra": 1}, "cannot be made: TypeError"),
        ({"type": "whispers"}, "is unknown; use one of"),
    ],
)
def test_a_plugin_that_cannot_be_made_is_an_error(
    offered: Path, values: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigError, match="hooks") as refusal:
        make(offered, **values)
    assert words in str(refusal.value)


def test_a_name_that_two_packages_offer_is_nobodys(offered: Path) -> None:
    info = offered / "other_towers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-towers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{build.GROUP}]\nshouts = other_towers:Shouts\n")
    with pytest.raises(ConfigError) as refusal:
        make(offered, type="shouts", word="x")
    assert "offered by other_towers:Shouts and towers_plugin:Shouts" in str(refusal.value)


def test_a_plugin_is_never_imported_here(offered: Path) -> None:
    hook = build_hook(
        Options({"type": "shouts", "word": "324 m", "timeout_seconds": 300}), base=offered
    )
    asyncio.run(HookEngine([hook], deadline_seconds=300).run(CASE))
    assert "towers_plugin" not in sys.modules
