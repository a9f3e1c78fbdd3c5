"""The MCP server, used through the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.pages import REPOSITORY, block, need

need("mcp", "mcp_types")

from mcp import Client, MCPError  # noqa: E402

from firmground.decide import POLICIES  # noqa: E402
from firmground.engine import AskOptions, Engine  # noqa: E402
from firmground.integrations.mcp_server import create_server  # noqa: E402
from firmground.ledger.signing import CheckpointSigner  # noqa: E402
from firmground.testing import FunctionModel  # noqa: E402

WRONG = {
    "answer": "The Alder bridge opened in 1952.",
    "evidence": ["The Alder bridge opened in 1932."],
}
QUESTION = "When did the Alder bridge open?"
COMMAND = [sys.executable, "-m", "firmground", "mcp"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}


def with_client(
    engine: Engine, use: Callable[[Client], Awaitable[Any]], *, reviewer: str | None = None
) -> Any:
    async def main() -> Any:
        async with Client(create_server(engine, reviewer=reviewer)) as client:
            return await use(client)

    return asyncio.run(main())


def test_a_check_returns_claims_spans_and_feedback_as_typed_content() -> None:
    async def use(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        found = await client.call_tool("check", WRONG)
        report = await client.read_resource(found.structured_content["report"])
        return {tool.name: tool for tool in listed}, found, report.contents[0]

    with Engine(judge="lexical") as engine:
        tools, found, report = with_client(engine, use)
    assert set(tools) == {"check", "preflight", "verify_proof"}
    assert "stands" in tools["check"].output_schema["properties"]
    content = found.structured_content
    assert content["verdict"] == "does_not_stand"
    (claim,) = content["claims"]
    assert WRONG["answer"][claim["start"] : claim["end"]] == claim["text"]
    (quote,) = claim["evidence"]
    assert WRONG["evidence"][0][quote["start"] : quote["end"]] == quote["text"] == "1932"
    assert claim["text"] in content["feedback"]
    assert report.mime_type == "text/html"
    assert "1952" in report.text


def test_a_mistake_of_the_client_is_told_and_is_no_verdict() -> None:
    async def use(client: Client) -> Any:
        return [
            await client.call_tool("check", {"answer": "It rained.", "evidence": []}),
            await client.call_tool("check", {**WRONG, "policy": "/etc/passwd"}),
        ]

    with Engine(judge="lexical") as engine:
        empty, policy = with_client(engine, use)
    assert empty.is_error
    assert "evidence is empty" in empty.content[0].text
    assert policy.is_error
    assert "there is no policy" in policy.content[0].text


def test_a_text_that_names_a_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The Alder bridge opened in 1952.", encoding="utf-8")

    async def use(client: Client) -> Any:
        return await client.call_tool("check", {**WRONG, "evidence": [str(secret)]})

    with Engine(judge="lexical") as engine:
        found = with_client(engine, use)
    assert not found.structured_content["stands"]


def test_policies_are_resources() -> None:
    async def use(client: Client) -> Any:
        listed = (await client.read_resource("firmground://policies")).contents[0].text
        strict = (await client.read_resource("firmground://policies/strict")).contents[0].text
        with pytest.raises(MCPError, match="there is no policy"):
            await client.read_resource("firmground://policies/none")
        return json.loads(listed), json.loads(strict)

    with Engine(judge="lexical", policy="strict") as engine:
        listed, strict = with_client(engine, use)
    assert listed[0]["name"] == "strict" == strict["name"]


def test_runs_are_listed_shown_and_their_proofs_verified(tmp_path: Path) -> None:
    signer = CheckpointSigner.create(tmp_path / "log.key", "example.org/log")

    async def use(client: Client) -> Any:
        checked = (await client.call_tool("check", WRONG)).structured_content
        listed = (await client.call_tool("list_runs", {})).structured_content
        shown = (await client.call_tool("show_run", {"run": checked["run"]})).structured_content
        assert engine.ledger is not None
        bundle = json.loads(engine.ledger.export(checked["run"]).data)
        given = {"bundle": bundle, "keys": [str(signer.verifier)]}
        proof = (await client.call_tool("verify_proof", given)).structured_content
        bundle["entry"] = bundle["entry"][::-1]
        forged = (await client.call_tool("verify_proof", given)).structured_content
        return checked, listed, shown, proof, forged

    ledger = tmp_path / "runs.sqlite"
    with Engine(judge="lexical", ledger=ledger, signer=tmp_path / "log.key") as engine:
        checked, listed, shown, proof, forged = with_client(engine, use)
    assert [row["run"] for row in listed["runs"]] == [checked["run"]]
    assert shown["label"]["verdict"] == "does_not_stand"
    assert proof["valid"]
    assert proof["run"] == checked["run"]
    assert not forged["valid"]


def test_an_escalation_is_ruled_on_once_and_only_where_a_reviewer_is_named(tmp_path: Path) -> None:
    model = FunctionModel(function=lambda request: "The Alder bridge opened in 1952.")

    async def use(client: Client) -> Any:
        assert "gate" in {tool.name for tool in (await client.list_tools()).tools}
        case = await engine.aask(
            QUESTION, WRONG["evidence"], preflight=False, options=AskOptions(patch=False)
        )
        open_cases = await client.call_tool("list_runs", {"escalated": True})
        given = {"run": case.run_id, "choice": "skip", "note": "known"}
        first = await client.call_tool("rule_on_escalation", given)
        second = await client.call_tool("rule_on_escalation", given)
        return case, open_cases.structured_content, first, second

    async def names(client: Client) -> Any:
        return {tool.name for tool in (await client.list_tools()).tools}

    left_to_a_person = replace(POLICIES["balanced"], escalate=("contradiction",))
    ledger = tmp_path / "runs.sqlite"
    with Engine(judge="lexical", ledger=ledger, model=model, policy=left_to_a_person) as engine:
        case, listed, first, second = with_client(engine, use, reviewer="kim")
        assert "rule_on_escalation" not in with_client(engine, names)
    assert [row["run"] for row in listed["runs"]] == [case.run_id]
    assert first.structured_content["released"]
    assert first.structured_content["answer"] == "The Alder bridge opened in 1952."
    assert second.is_error
    assert "already" in second.content[0].text


def test_the_documented_example_talks_to_the_command_over_stdio(tmp_path: Path) -> None:
    page = block("mcp.md", "python")
    configured = json.loads(block("mcp.md", "json"))["mcpServers"]["firmground"]
    assert configured["command"] == "firmground"
    script = page.replace('command="firmground", args=[', f"command={sys.executable!r}, args=['-m', 'firmground', ")  # fmt: skip
    script = script.replace('"runs.sqlite"])', f'"runs.sqlite"], env={environment()!r})')
    (tmp_path / "example.py").write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.stdout == block("mcp.md", "text"), ran.stderr
    assert (tmp_path / "runs.sqlite").exists()


def test_the_command_serves_streamable_http_on_loopback_only(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    async def asked() -> Any:
        for _ in range(300):
            try:
                async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                    return await client.call_tool("check", WRONG)
            except (OSError, MCPError, ExceptionGroup):
                await asyncio.sleep(0.2)
        raise AssertionError("the server never answered")

    log = (tmp_path / "log").open("wb")
    with (
        log,
        subprocess.Popen(
            [*COMMAND, "--http", "--port", str(port)], cwd=tmp_path, env=environment(), stderr=log
        ) as server,
    ):
        try:
            found = asyncio.run(asked())
        finally:
            server.terminate()
    assert found.structured_content["verdict"] == "does_not_stand"
    refused = subprocess.run(
        [*COMMAND, "--http", "--host", "0.0.0.0"],
        capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip
    assert refused.returncode == 2
    assert "loopback only" in refused.stderr


def test_a_client_of_the_first_protocol_generation_is_served() -> None:
    async def main() -> Any:
        with Engine(judge="lexical") as engine:
            async with Client(create_server(engine), mode="legacy") as client:
                return await client.call_tool("check", WRONG)

    assert not asyncio.run(main()).structured_content["stands"]
