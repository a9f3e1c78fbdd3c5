"""A seeded ledger and what a browser needs to look at it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from firmground.adapters.stores import open_store
from firmground.core.budget import Budget
from firmground.core.finding import HookReply
from firmground.core.ports import HookCase
from firmground.engine import Engine
from firmground.engine.ledgers import about
from firmground.hooks import HookEngine, Registered
from firmground.ledger.ids import uuid7
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner
from firmground.testing import FunctionHook, FunctionModel

HOSTILE = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</textarea></title></style><style>*{display:none!important}</style>",
    "\" onmouseover=\"document.title='owned'\" x='",
    "{{ 7*7 }}{% raw %} javascript:alert(1)",
    "invoice \u202etxt.exe\u202c and \u2066isolated\u2069",
    "bell \x07 escape \x1b[31m red \x7f",
    "zero\u200bwidth\u200d and tag \U000e0041 text",
)
_FACTS = (
    ("When did the Alder bridge open?", "The Alder bridge opened in {year}.", "The Alder bridge opened in 1932 after four years of work."),
    ("How long is the bridge?", "The bridge is {metres} metres long.", "The bridge is 480 metres long and 12 metres wide."),
    ("What is the refund window?", "Customers can return items within {days} days.", "Items may be returned within 30 days of delivery. A receipt is needed."),
    ("Who owns the payments service?", "The payments service is owned by the {team} team.", "Ownership: payments service, Ledger team. On call: Ledger team."),
    ("What did the outage cost?", "The outage lasted {hours} hours and cost 12,000 dollars.", "The outage began at 02:00 and ended at 05:00. It cost 12,000 dollars."),
    ("Which plan includes SSO?", "SSO is included in the {plan} plan.", "The Enterprise plan includes SSO and audit logs. The Team plan does not."),
)  # fmt: skip
_FILLS = (
    {"year": "1932", "metres": "480", "days": "30", "team": "Ledger", "hours": "3", "plan": "Enterprise"},
    {"year": "1952", "metres": "840", "days": "60", "team": "Search", "hours": "5", "plan": "Team"},
)  # fmt: skip


def outcomes(*, judge: str = "lexical") -> list[Any]:
    """Checks of every kind, unrecorded, as templates for many records."""
    made = []
    for policy in ("balanced", "strict", "advisory"):
        with Engine(judge=judge, policy=policy) as engine:
            for question, answer, source in _FACTS:
                for fill in _FILLS:
                    made.append(engine.check(answer.format(**fill), [source], question=question))
    return made


def hostile_outcomes() -> list[Any]:
    """Checks whose question, answer and evidence hold hostile text."""
    made = []
    with Engine(judge="lexical") as engine:
        for text in HOSTILE:
            evidence: Any = [
                {"text": f"Source says {text} in 1932.", "title": text, "origin": text}
            ]
            made.append(
                engine.check(f"It says {text} in 1952.", evidence, question=f"What {text}?")
            )
    return made


def seed(path: Path, signer: Path, *, runs: int, hostile: bool = True, seed: int = 7) -> None:
    """Record runs over the last two weeks, the newest now."""
    chance = random.Random(seed)
    templates = outcomes() * 3 + (hostile_outcomes() if hostile else [])
    todo = templates[-60:][:runs]
    now = datetime.now(UTC)
    step = timedelta(days=14) / max(1, runs)
    moments = iter(now - step * (runs - n) for n in range(runs + 1))
    current = [next(moments)]
    if not signer.exists():
        CheckpointSigner.create(signer, "firmground.local/log")
    with Ledger(
        open_store(path), signer=CheckpointSigner.open(signer), clock=lambda: current[0]
    ) as log:
        for moment in moments:
            current[0] = moment
            one = todo.pop() if todo else chance.choice(templates)
            took = timedelta(milliseconds=chance.lognormvariate(4.2, 0.8))
            words = about(one.decision, str(one.verdict))
            words["run_id"] = uuid7(moment - took)
            log.record(one.run, **words)


def _always(text: str, request: Any) -> str:
    return text


def seed_escalations(path: Path, signer: Path, *, cases: int = 3) -> list[str]:
    """Record questions that were left to a person; return their runs."""
    made: list[str] = []

    def doubt(case: HookCase) -> HookReply:
        message = "the finance system has no such booking"
        return HookReply(source="books", passed=False, message=message, guidance="name the year")

    hooks = HookEngine([Registered(hook=FunctionHook(name="books", function=doubt), inline=True)])
    for question, answer, source in _FACTS[:cases]:
        reply = partial(_always, answer.format(**_FILLS[len(made) % 2]))
        with Engine(
            judge="lexical", ledger=path, signer=signer, hooks=hooks,
            model=FunctionModel(function=reply, model="writer"),
            budget=Budget(regenerations=1, replans=0),
        ) as engine:  # fmt: skip
            asked = engine.ask(question, [source])
            assert asked.label == "escalate", asked
            assert asked.run_id is not None
            made.append(asked.run_id)
    return made
