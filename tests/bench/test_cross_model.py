"""What cross-model sampling adds, measured with models that repeat their own mistakes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground.bench.cross_model import CrossTrial, cross_lines, cross_report, families_apart
from firmground.bench.everyday import load_rows
from firmground.cli.main import cli
from firmground.consensus import Peer
from firmground.errors import InputError
from firmground.testing import FunctionModel

ROWS = [row for row in load_rows() if row.whole_answer][:8]


def model(name: str) -> Peer:
    return Peer(name=name, model=FunctionModel(function=lambda request: ""))


def trial(at: int, same: float, cross: float, judge: float = 0.0) -> CrossTrial:
    both = max(cross, judge)
    return CrossTrial(set_id=str(at), wrong=at % 2 == 0, suspicion=(same, cross, judge, both))


def test_others_that_see_what_the_own_model_repeats_add_to_f1_and_auc() -> None:
    trials = [trial(at, 0.1, 0.9 if at % 2 == 0 else 0.1) for at in range(40)]
    found = cross_report("own", ["other"], trials)
    own, others, *_ = found.rows
    assert (own.caught, others.caught, others.false_alarms) == (0, 20, 0)
    assert (others.f1.value, own.f1.value) == (1.0, 0.0)
    assert (found.f1_added.value, found.auc_added.value) == (1.0, 0.5)
    assert "cross-model sampling adds" in cross_lines(found)[-1]


def test_others_that_say_the_same_add_nothing() -> None:
    trials = [trial(at, s, s) for at in range(40) for s in (0.9 if at % 4 else 0.2,)]
    found = cross_report("own", ["other"], trials)
    assert (found.f1_added.value, found.auc_added.value) == (0.0, 0.0)


def test_two_models_of_one_family_are_refused() -> None:
    with pytest.raises(InputError, match="another family"):
        families_apart([model("gpt-5"), model("gpt-4o")])
    own, others = families_apart([model("gpt-5"), model("gpt-4o"), model("claude-x")])
    assert (own.name, [one.name for one in others]) == ("gpt-5", ["claude-x"])


def reply(body: dict[str, Any], number: int) -> Answer:
    """The own model agrees with everything; the other contradicts what is wrong."""
    prompt = body["messages"][-1]["content"]
    names = re.findall(r"\[(B\d+) [0-9a-f]{16}\]\n(.*)", prompt)
    if not names:
        return 200, {}, completion("A reference.")
    wrong = {row.text for row in ROWS if not row.supported}
    listed = []
    for name, text in names:
        bad = body["model"] == "claude-x" and any(text[:25] in whole for whole in wrong)
        listed.append({"id": name, "label": "CONTRADICTION" if bad else "ACCURATE", "reason": "r"})
    return 200, {}, completion(json.dumps({"labels": listed}))


def test_the_command_compares_the_own_model_with_others_on_the_corpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with wire(reply) as server:
        words = [
            "bench", "consensus", "--judge", "lexical", "--limit", "8", "--samples", "1",
            "--model", f"gpt-5={server.base_url}", "--model", f"claude-x={server.base_url}",
        ]  # fmt: skip
        run = CliRunner().invoke(cli, [*words, "--json"])
        shown = CliRunner().invoke(cli, words)
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    rows = {row["name"]: row for row in told["rows"]}
    assert rows["own model"]["caught"] == 0
    assert rows["other models"]["caught"] > 0
    assert told["could_not_measure"] == 0
    assert "cross-model sampling adds" in shown.stdout


def test_one_model_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    run = CliRunner().invoke(
        cli, ["bench", "consensus", "--model", "gpt-5=http://127.0.0.1:9/v1", "--limit", "1"]
    )
    assert run.exit_code != 0
    assert "another family" in str(run.exception)
