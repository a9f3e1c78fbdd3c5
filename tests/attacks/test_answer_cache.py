"""The answer cache as ``ask`` and the engine use it: nothing reached it, so it never had a row."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground import AskOptions, Engine, Evidence, HookReply, Question, Settings
from firmground.cli.main import cli
from firmground.config.cache import CacheSettings
from firmground.core.ports import HookCase, ModelRequest
from firmground.core.scoring import Scoring
from firmground.decide import BALANCED
from firmground.errors import ConfigError, InputError
from firmground.ledger.audit import audit
from firmground.ledger.entry import LookupEntry
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "The tower was built in 1889."
QUESTION = "When was the tower built?"
CACHE = CacheSettings(tenant="acme", key=b"k" * 32, unvouched=True)


class Counted:
    """A model that counts its calls."""

    model = "counted-1"

    def __init__(self, reply: Callable[[int], str] = lambda n: SOURCE) -> None:
        self.calls = 0
        self.reply = reply
        self._inner = FunctionModel(function=self._say, model=self.model)

    def _say(self, request: ModelRequest) -> str:
        self.calls += 1
        return self.reply(self.calls)

    async def complete(self, request: ModelRequest) -> Any:
        return await self._inner.complete(request)


def engine(tmp_path: Path, model: Any, **given: Any) -> Engine:
    parts = {"judge": "lexical", "cache": CACHE, "ledger": tmp_path / "log.sqlite", **given}
    return Engine(model=model, **parts)


def test_the_second_time_the_answer_comes_from_the_cache_and_no_model_is_asked(
    tmp_path: Path,
) -> None:
    model = Counted()
    with engine(tmp_path, model) as first:
        one = first.ask(QUESTION, SOURCE)
    with engine(tmp_path, model) as later:
        two = later.ask(QUESTION, SOURCE)
        log = later.ledger
        assert log is not None
        last = log.entry(log.size() - 1).body
        assert isinstance(last, LookupEntry)
        assert last.served
        assert audit(log.reader).holds
    assert model.calls == 1
    assert (one.lookup_path, two.lookup_path) == ("computed", "cache")
    assert one.cache_key == two.cache_key is not None
    assert two.stands
    assert (two.answer, two.root, two.run_id) == (one.answer, one.root, one.run_id)
    assert [c.text for c in two.claims] == [c.text for c in one.claims]
    assert two.findings.spent.model_calls == 0


@pytest.mark.parametrize("mode", ["pointer", "json"])
def test_answers_that_point_are_cached_too(mode: str, tmp_path: Path) -> None:
    reply = {
        "pointer": f"{SOURCE} [E1]",
        "json": json.dumps({"claims": [{"claim": SOURCE, "evidence_ids": ["E1"]}]}),
    }[mode]
    model = Counted(lambda n: reply)
    with engine(tmp_path, model) as asking:
        options = AskOptions(mode=mode)
        one = asking.ask(QUESTION, SOURCE, options=options)
        two = asking.ask(QUESTION, SOURCE, options=options)
        other = asking.ask(QUESTION, SOURCE)
    assert (one.lookup_path, two.lookup_path) == ("computed", "cache")
    assert str(two.mode) == mode
    assert two.root == one.root
    assert other.cache_key != one.cache_key


def test_each_of_the_eight_dimensions_makes_another_key(tmp_path: Path) -> None:
    keys = []

    def ask(
        question: Any = QUESTION, evidence: Any = SOURCE, options: Any = None, **parts: Any
    ) -> None:
        with engine(tmp_path, parts.pop("model", Counted()), **parts) as asking:
            keys.append(asking.ask(question, evidence, options=options).cache_key)

    ask()
    ask(question="When was the tower  built? ")
    assert keys[0] == keys[1], "white space is no other question"
    ask(question="when was the tower built?")
    ask(evidence=[SOURCE, "The tower is in Paris."])
    ask(evidence=[{"text": SOURCE, "role": "signal"}])
    ask(question=Question(text=QUESTION, context="We spoke of Paris."))
    other = Counted()
    other.model = "counted-2"
    ask(model=other)
    ask(options=AskOptions(seed=7))
    ask(options=AskOptions(passages=2))
    ask(policy="strict")
    ask(scoring=Scoring(rho=3.0))
    ask(judge="builtin")
    ask(cache=replace(CACHE, key=b"x" * 32))
    assert len(set(keys)) == len(keys) - 1


def test_an_answer_that_does_not_stand_is_never_served(tmp_path: Path) -> None:
    model = Counted(lambda n: "The tower was built in 1912 by Ada Lovelace." if n < 99 else SOURCE)
    with engine(tmp_path, model) as asking:
        options = AskOptions(patch=False, spans=False)
        one = asking.ask(QUESTION, SOURCE, options=options)
        calls = model.calls
        two = asking.ask(QUESTION, SOURCE, options=options)
    assert not one.stands
    assert two.lookup_path == "computed"
    assert model.calls > calls


def test_an_answer_that_was_falsified_or_burnt_is_computed_again(tmp_path: Path) -> None:
    model = Counted()
    with engine(tmp_path, model) as asking:
        key = asking.ask(QUESTION, SOURCE).cache_key
    log = str(tmp_path / "log.sqlite")
    listed = CliRunner().invoke(cli, ["cache", "list", "--ledger", log])
    assert f"{key}  live" in listed.output
    common = ["--ledger", log, "--tenant", "acme", "--reason", "wrong", "--actor", "ada"]
    for act in (["falsify", str(key)], ["burn", str(key)]):
        assert CliRunner().invoke(cli, ["cache", *act, *common]).exit_code == 0
        calls = model.calls
        with engine(tmp_path, model) as asking:
            assert asking.ask(QUESTION, SOURCE).lookup_path == "computed"
        assert model.calls == calls + 1


def test_many_who_ask_at_once_cost_one_call(tmp_path: Path) -> None:
    model = Counted()

    async def scene(asking: Engine) -> list[str]:
        found = await asyncio.gather(*(asking.aask(QUESTION, SOURCE) for _ in range(8)))
        return [one.lookup_path for one in found]

    with engine(tmp_path, model) as asking:
        paths = asyncio.run(scene(asking))
    assert sorted(paths) == ["cache"] * 7 + ["computed"]
    assert model.calls == 1


def test_found_evidence_is_part_of_the_key_and_searched_for_once(tmp_path: Path) -> None:
    found = [SOURCE]
    searched: list[str] = []

    class Retriever:
        async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
            searched.append(question.text)
            return tuple(Evidence(text=text, retrieved_at="2026-01-01T00:00:00Z") for text in found)

    model = Counted()
    with engine(tmp_path, model, retriever=Retriever()) as asking:
        one = asking.ask(QUESTION)
        assert searched == [QUESTION]
        assert asking.ask(QUESTION).lookup_path == "cache"
        found.append("The tower is in Paris.")
        assert asking.ask(QUESTION).cache_key != one.cache_key


def test_with_hooks_every_question_is_answered_anew(tmp_path: Path) -> None:
    def reply(case: HookCase) -> HookReply:
        return HookReply(source="books", passed=True, message="fine")

    model = Counted()
    with engine(tmp_path, model, hooks=[FunctionHook(name="books", function=reply)]) as asking:
        paths = [asking.ask(QUESTION, SOURCE).lookup_path for _ in range(2)]
    assert paths == ["computed", "computed"]
    assert model.calls == 2


def test_a_cache_without_a_ledger_or_without_a_signature_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="ledger"):
        Engine(model=Counted(), judge="lexical", cache=CACHE)
    with (
        engine(tmp_path, Counted(), cache=replace(CACHE, unvouched=False)) as asking,
        pytest.raises(InputError, match="vouches"),
    ):
        asking.ask(QUESTION, SOURCE)


def test_a_policy_that_escalates_is_not_answered_from_the_cache_by_what_a_person_let_out(
    tmp_path: Path,
) -> None:
    policy = replace(BALANCED, escalate=("contradiction",))
    model = Counted(lambda n: "The tower was built in 1912.")
    with engine(tmp_path, model, policy=policy) as asking:
        options = AskOptions(patch=False, spans=False)
        one = asking.ask(QUESTION, SOURCE, options=options)
        assert one.escalation is not None
        assert one.run_id is not None
        two = asking.ask(QUESTION, SOURCE, options=options)
        assert two.lookup_path == "computed"


CONFIG = """
[ledger]
file = "log.sqlite"

[cache]
tenant = "acme"
key_file = "tenant.key"
unvouched = true
"""


def test_the_command_looks_up_and_fills_the_cache_by_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def answer(body: dict[str, Any], number: int) -> Answer:
        calls.append(number)
        return 200, {}, completion(SOURCE)

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    config = tmp_path / "firmground.toml"
    config.write_text(CONFIG)
    made = CliRunner().invoke(cli, ["cache", "key", str(tmp_path / "tenant.key")])
    assert made.exit_code == 0, made.output
    with wire(answer) as server:
        words = [
            "ask", QUESTION, "-e", SOURCE, "--config", str(config), "--judge", "lexical",
            "--model", f"scripted={server.base_url}", "--ledger", str(tmp_path / "log.sqlite"),
        ]  # fmt: skip
        first = CliRunner().invoke(cli, [*words, "--json"])
        again = CliRunner().invoke(cli, [*words, "--json"])
        shown = CliRunner().invoke(cli, words)
    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    one, two = json.loads(first.stdout), json.loads(again.stdout)
    assert (one["lookup_path"], two["lookup_path"]) == ("computed", "cache")
    assert one["cache_key"] == two["cache_key"]
    assert "FROM THE CACHE" in shown.stdout
    assert len(calls) == 1
    log = ["--ledger", str(tmp_path / "log.sqlite")]
    listed = CliRunner().invoke(cli, ["cache", "list", *log])
    assert one["cache_key"] in listed.output
    stored = CliRunner().invoke(cli, ["runs", "show", one["receipt"]["run_id"], *log])
    assert f"cache key {one['cache_key']}" in stored.output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[cache]\ntenant = "a"\n', "key_file"),
        ('[cache]\nkey_file = "tenant.key"\n', "tenant"),
        ('[cache]\ntenant = "a"\nkey_file = "absent.key"\n', "firmground cache key"),
        ('[cache]\ntenant = "a"\nkey_file = "short.key"\n', "at least 16 bytes"),
        ('[cache]\ntenant = "a"\nkey_file = "open.key"\n', "others can read"),
        ('[cache]\ntenant = "a"\nkey_file = "tenant.key"\nttl = 3\n', "ttl"),
    ],
)
def test_wrong_settings_of_the_cache_name_the_file_and_the_key(
    tmp_path: Path, text: str, told: str
) -> None:
    for name, content, mode in (
        ("tenant.key", "ab" * 32, 0o600), ("short.key", "ab", 0o600), ("open.key", "ab" * 32, 0o644),
    ):  # fmt: skip
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(mode)
    config = tmp_path / "firmground.toml"
    config.write_text(text)
    with pytest.raises(ConfigError, match=told) as raised:
        Settings.load(config)
    assert "firmground.toml" in str(raised.value)
    assert "ab" * 16 not in str(raised.value)


def test_an_answer_that_asserts_nothing_is_not_given_again(tmp_path: Path) -> None:
    model = Counted(lambda n: "Hello!")
    with engine(tmp_path, model) as asking:
        paths = [asking.ask(QUESTION, SOURCE).lookup_path for _ in range(2)]
    assert paths == ["computed", "computed"]
