"""The MCP server: the engine as tools and resources for clients of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from firmground.adapters.document import request_from_value
from firmground.core.escalation import Choice, Ruling
from firmground.core.finding import Fault, Findings
from firmground.core.question import Question
from firmground.decide import POLICIES, Policy, decide
from firmground.decide.rules.dependence import BlindDependence
from firmground.engine import Engine, Overrides, Result
from firmground.engine.documents import (
    bundle_document,
    preflight_document,
    run_document,
    run_row,
)
from firmground.engine.gating import dependence_document, measure_dependence
from firmground.engine.policy_words import policy_document
from firmground.errors import FirmgroundError, InputError
from firmground.integrations.guard import feedback
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import parse_verifier
from firmground.ledger.ledger import Ledger
from firmground.preflight import inspect_question
from firmground.probe import PROFILES

_INSTRUCTIONS = (
    "Call check with an answer and the evidence it was written from before you show the answer. "
    "If stands is false, correct what feedback names and check again."
)
_MOST_REPORTS = 50
_MOST_ROWS = 200
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RULES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)

Evidence = Annotated[
    str | list[str | dict[str, Any]],
    Field(description="A text, or pieces: texts or objects with text, id, title, origin, …"),
]
T = TypeVar("T")


class EvidenceQuote(BaseModel):
    """Words of one piece of evidence."""

    evidence_id: str
    start: int
    end: int
    text: str


class CheckedClaim(BaseModel):
    """One claim; ``answer[start:end] == text``."""

    text: str
    start: int
    end: int
    standing: str
    reason: str
    confidence: float
    evidence: list[EvidenceQuote]


class Checked(BaseModel):
    """The result of a check."""

    stands: bool = Field(description="True exactly when the answer stands on its evidence.")
    released: bool = Field(description="True when the policy lets the answer out.")
    verdict: str = Field(description="stands, does_not_stand or could_not_tell.")
    support: float
    risk: float
    claims: list[CheckedClaim]
    objections: list[str]
    faults: list[str]
    feedback: str = Field(description="What to change; empty when the answer stands.")
    run: str = Field(description="Id of the recorded run, or the root of one that is not kept.")
    report: str = Field(description="Resource with the HTML report of this check.")


class RunRow(BaseModel):
    """One recorded run in a list."""

    run: str
    seq: int
    time: str
    shape: str
    label: dict[str, str]


class Runs(BaseModel):
    """Recorded runs, newest first; ``next`` is the value of ``before`` for the next page."""

    runs: list[RunRow]
    next: int | None


class Ruled(BaseModel):
    """A settled case."""

    run: str = Field(description="Id of the run that records the ruling.")
    released: bool
    answer: str | None


def create_server(engine: Engine, *, reviewer: str | None = None) -> MCPServer:
    """Return a server with the tools and resources of an engine.

    Runs and escalations are offered when the engine keeps a ledger, ``gate`` when it has a model.
    ``rule_on_escalation`` releases answers that did not stand: it is offered only when
    ``reviewer`` names the person in whose name the client rules.
    """
    server: MCPServer = MCPServer(
        "firmground", instructions=_INSTRUCTIONS, version=version("firmground"), log_level="WARNING"
    )
    tools = _Tools(engine, reviewer)
    offered: list[Callable[..., Awaitable[Any]]] = [
        tools.check,
        tools.preflight,
        tools.verify_proof,
    ]
    if _has_model(engine):
        offered.append(tools.gate)
    if engine.ledger is not None:
        offered += [tools.list_runs, tools.show_run]
    for tool in offered:
        server.add_tool(_told(tool), annotations=_READS)
    if engine.ledger is not None and reviewer is not None:
        server.add_tool(_told(tools.rule_on_escalation), annotations=_RULES)
    _add_resources(server, tools)
    return server


def _has_model(engine: Engine) -> bool:
    try:
        engine.answering_model()
    except InputError:
        return False
    return True


def _told(tool: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    """The same tool, whose foreseen errors reach the client in words."""

    @wraps(tool)
    async def call(*args: Any, **given: Any) -> T:
        try:
            return await tool(*args, **given)
        except FirmgroundError as error:
            raise ToolError(str(error)) from None

    return call


class _Tools:
    """The tools; their docstrings are what clients and models read."""

    def __init__(self, engine: Engine, reviewer: str | None) -> None:
        self.engine = engine
        self.reviewer = reviewer
        self.reports: OrderedDict[str, Result] = OrderedDict()
        self._ruled: set[str] = set()

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        question: str | None = None,
        policy: str | None = None,
    ) -> Checked:
        """Check whether an answer stands on its evidence: each claim with its span and reason."""
        row = {"answer": answer, "evidence": evidence, "question": question}
        request = request_from_value(row, "arguments")
        rules = None if policy is None else self.policy(policy)
        result = await self.engine.acheck_request(request, Overrides(policy=rules))
        made = _checked(result)
        self.reports[made.run] = result
        while len(self.reports) > _MOST_REPORTS:
            self.reports.popitem(last=False)
        return made

    async def preflight(self, question: str) -> dict[str, Any]:
        """Inspect a question before it is asked: is it too broad or built on a false premise?"""
        settings = self.engine.settings.preflight
        seen = await asyncio.to_thread(inspect_question, Question(text=question), settings=settings)
        return preflight_document(seen, settings)

    async def gate(
        self,
        question: str,
        documents: Evidence,
        options: list[str] | None = None,
        answer: str | None = None,
    ) -> dict[str, Any]:
        """Measure with the server's model how far an answer moves without its documents."""
        pieces = request_from_value({"answer": "-", "evidence": documents}, "arguments").evidence
        model = self.engine.answering_model()
        asked = Question(text=question)
        seen = await measure_dependence(
            model, asked, pieces, options or (), answer, profile=PROFILES["default"]
        )
        if isinstance(seen, Fault):
            return {"decision": "ERROR", "fault": str(seen.kind), "reason": seen.message}
        decision = decide(Findings(dependence=seen), (BlindDependence(),))
        return dependence_document(seen, decision, pieces)

    async def verify_proof(self, bundle: dict[str, Any] | str, keys: list[str]) -> dict[str, Any]:
        """Verify an exported proof under verifier keys that the caller trusts."""
        text = bundle if isinstance(bundle, str) else _compact(bundle)
        parsed = [parse_verifier(key) for key in keys]
        return bundle_document(await asyncio.to_thread(verify_bundle, text.encode(), keys=parsed))

    async def list_runs(
        self,
        limit: Annotated[int, Field(ge=1, le=_MOST_ROWS)] = 20,
        before: int | None = None,
        escalated: bool = False,
    ) -> Runs:
        """List recorded runs, newest first; with escalated only those left to a person."""
        return await asyncio.to_thread(self._page, limit, before, escalated)

    def _page(self, limit: int, before: int | None, escalated: bool) -> Runs:
        log = self.ledger()
        found = log.reader.runs(log.size() if before is None else before, limit)
        rows = [RunRow.model_validate(run_row(row)) for row in found]
        if escalated:
            rows = [row for row in rows if row.label.get("outcome") == "escalate"]
        return Runs(runs=rows, next=found[-1].seq or None if len(found) == limit else None)

    async def show_run(self, run: str) -> dict[str, Any]:
        """Show one recorded run with its label and stages."""
        return await asyncio.to_thread(lambda: run_document(self.ledger().run(run)))

    async def rule_on_escalation(
        self, run: str, choice: Literal["skip", "abort"], note: str = ""
    ) -> Ruled:
        """Settle a run that was left to a person: skip releases its answer, abort withholds it."""
        if run in self._ruled:
            raise InputError(f"run {run} was ruled on already")
        ruling = Ruling(choice=Choice(choice), note=note, by=self.reviewer or "")
        self._ruled.add(run)
        try:
            settled = await self.engine.aresume(run, ruling)
        except BaseException:
            self._ruled.discard(run)
            raise
        kept = settled.run_id or settled.root
        return Ruled(run=kept, released=settled.answer is not None, answer=settled.answer)

    def ledger(self) -> Ledger:
        """Return the engine's ledger."""
        log = self.engine.ledger
        if log is None:
            raise InputError("this server keeps no ledger: start it with --ledger FILE")
        return log

    def policy(self, name: str) -> Policy:
        """Return a policy by name; clients cannot name files."""
        known = {**POLICIES, self.engine.policy.name: self.engine.policy}
        if name not in known:
            raise InputError(f"there is no policy {name!r}; known: {', '.join(sorted(known))}")
        return known[name]


def _checked(result: Result) -> Checked:
    run = result.run_id or result.root
    return Checked(
        stands=result.stands,
        released=result.decision.released,
        verdict=str(result.verdict),
        support=round(result.support, 6),
        risk=round(result.risk, 6),
        claims=[CheckedClaim.model_validate(c, from_attributes=True) for c in result.claims],
        objections=[f"{one.rule}: {one.reason}" for one in result.decision.objections],
        faults=[f"{one.source}: {one.message}" for one in result.findings.faults],
        feedback="" if result.stands else feedback(result),
        run=run,
        report=f"firmground://reports/{run}",
    )


def _compact(bundle: dict[str, Any]) -> str:
    return json.dumps(bundle, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _add_resources(server: MCPServer, tools: _Tools) -> None:
    @server.resource("firmground://policies", mime_type="application/json")
    def policies() -> str:
        """Names and digests of the policies; the server's own first."""
        own = tools.engine.policy
        listed = {own.name: own} | {p.name: p for p in POLICIES.values() if p.name != own.name}
        return json.dumps([{"name": p.name, "digest": p.digest} for p in listed.values()])

    @server.resource("firmground://policies/{name}", mime_type="application/json")
    def policy(name: str) -> str:
        """One policy in words."""
        try:
            return json.dumps(policy_document(tools.policy(name)))
        except InputError as error:
            raise ResourceNotFoundError(str(error)) from None

    @server.resource("firmground://reports/{run}", mime_type="text/html")
    def report(run: str) -> str:
        """The HTML report of one of the latest checks of this server."""
        if run not in tools.reports:
            raise ResourceNotFoundError(f"no report of run {run}: the latest 50 checks are kept")
        return tools.reports[run].report()
