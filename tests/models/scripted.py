"""Scripted models that play every part: judge, reader of references, prober, author."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.models.wire_server import Answer, completion

from firmground.core.ports import ModelReply, ModelRequest
from firmground.testing import FunctionModel

QUESTION = "What is the capital of Australia?"
POISON = "The capital of Australia is Sydney."
TRUE = "The capital of Australia is Canberra."


def documents(prompt: str) -> list[str]:
    return re.findall(r"\[document \d+ [0-9a-f]{16}\]\n(.*?)\n\[/document", prompt)


def claims_in(prompt: str) -> list[tuple[str, str]]:
    return re.findall(r"\[(C\d+) [0-9a-f]{16}\]\n(.*?)\n\[/C", prompt)


def judged(prompt: str, *, grounded: bool = True) -> str:
    """A careful judge: nothings are ungrounded, the rest by its own light, with a quotation."""
    found = re.findall(r"\[(E\d+) [0-9a-f]{16}\]\n(.*?)\n\[/E", prompt, re.DOTALL)
    lists: dict[str, list[object]] = {"grounded_claims": [], "ungrounded_claims": []}
    for name, text in claims_in(prompt):
        yes = grounded and "capital" in text
        quote = [{"id": found[0][0], "quote": found[0][1]}] if yes else []
        kind = "grounded_claims" if yes else "ungrounded_claims"
        lists[kind].append({"id": name, "evidence": quote, "reason": "r"})
    return json.dumps({"decision_status": "resolved", **lists})


def voted(prompt: str, label: str) -> str:
    names = re.findall(r"\[(B\d+) [0-9a-f]{16}\]", prompt)
    listed = [{"id": name, "label": label, "reason": "r"} for name in dict.fromkeys(names)]
    return json.dumps({"labels": listed})


def everything(
    *,
    grounded: bool = True,
    label: str = "ACCURATE",
    knows: str = "Canberra",
    seen: list[ModelRequest] | None = None,
    cost: float | None = 0.01,
    heard: Callable[[ModelRequest], None] = lambda request: None,
) -> FunctionModel:
    """A model that follows its documents, knows one answer unaided, and votes as told."""

    def reply(request: ModelRequest) -> ModelReply:
        if seen is not None:
            seen.append(request)
        heard(request)
        prompt = request.messages[-1][1]
        return ModelReply(
            texts=(_said(prompt),) * request.samples,
            model="scripted",
            tokens_in=100,
            tokens_out=20,
            cost=cost,
        )

    def _said(prompt: str) -> str:
        if "You check claims against evidence" in prompt:
            return judged(prompt, grounded=grounded)
        if "choose one label" in prompt:
            return voted(prompt, label)
        if '"replacement"' in prompt:
            return json.dumps({"replacement": TRUE})
        told = re.findall(r"capital of Australia is (\w+)", " ".join(documents(prompt)))
        said = told[0] if told else knows
        if "Is this statement true?" in prompt:
            stated = re.findall(r"\[statement [0-9a-f]{16}\]\n(.*?)\n", prompt)[0]
            true = re.findall(r"^([AB])\) true", prompt, re.MULTILINE)[0]
            return true if said in stated else "AB".replace(true, "")
        return f"The capital of Australia is {said}."

    return FunctionModel(function=reply)


def serve(body: dict[str, Any], number: int) -> Answer:
    """The same scripted model behind a real endpoint."""
    messages = tuple((one["role"], one["content"]) for one in body["messages"])
    reply = everything().function(ModelRequest(messages=messages))
    assert isinstance(reply, ModelReply)
    return 200, {}, completion(reply.texts[0], n=body.get("n", 1))
