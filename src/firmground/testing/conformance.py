"""Conformance suites: run one against your own implementation of a port.

Each function raises ``AssertionError`` with a sentence that says which promise is broken.

>>> from firmground.testing import FunctionModel, check_model
>>> check_model(FunctionModel(function=lambda request: "Paris."))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import is_dataclass
from typing import Any, TypeVar

from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Objection, Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Findings, HookReply
from firmground.core.ports import (
    EvidenceReader,
    Hook,
    HookCase,
    Inquiry,
    Judge,
    Model,
    ModelReply,
    ModelRequest,
    Retriever,
    Signer,
    StreamingModel,
)
from firmground.core.question import Question
from firmground.errors import InputError, ModelError

_T = TypeVar("_T")
_REQUEST = ModelRequest(messages=(("user", "Name one colour."),), max_tokens=32)
_EVIDENCE = (
    Evidence(text="The Alder bridge opened in 1932."),
    Evidence(text="It carries 40,000 cars a day."),
)
_ANSWER = "The Alder bridge opened in 1932. It is blue."
_CLAIMS = (
    Claim(text=_ANSWER[:32], start=0, end=32),
    Claim(text=_ANSWER[33:], start=33, end=44),
)
_QUESTION = Question(text="When did the Alder bridge open?")


def check_model(model: Model) -> None:
    """Check a ``Model``: it replies with text, or raises ``ModelError``; so does its stream."""
    assert isinstance(model, Model), "a model needs an async method complete(request)"
    reply = _within_model_errors(model.complete(_REQUEST))
    if reply is not None:
        assert isinstance(reply, ModelReply), f"complete returned {type(reply).__name__}"
        assert all(isinstance(text, str) for text in reply.texts), "texts must be strings"
        assert reply.tokens_in >= 0, "tokens_in must not be negative"
        assert reply.tokens_out >= 0, "tokens_out must not be negative"
        assert reply.calls >= 1, "a reply takes at least one call"
    if isinstance(model, StreamingModel):
        pieces = _within_model_errors(_all(model))
        assert pieces is None or all(isinstance(p, str) for p in pieces), "pieces must be strings"


async def _all(model: StreamingModel) -> list[str]:
    return [piece async for piece in model.stream(_REQUEST)]


def check_judge(judge: Judge) -> None:
    """Check a ``Judge``: one assessment for each claim, in order, citing only what is there."""
    assert isinstance(judge, Judge), "a judge needs an async method assess(inquiry)"
    inquiry = Inquiry(question=_QUESTION, answer=_ANSWER, claims=_CLAIMS, evidence=_EVIDENCE)
    found = _within_model_errors(judge.assess(inquiry))
    if found is None:
        return
    assert isinstance(found, tuple), f"assess returned {type(found).__name__}, not a tuple"
    assert all(isinstance(one, Assessment) for one in found), "assess must return assessments"
    assert tuple(one.claim for one in found) == _CLAIMS, "one assessment for each claim, in order"
    lengths = {piece.id: len(piece.text) for piece in _EVIDENCE}
    for one in found:
        for span in one.evidence:
            inside = span.end <= lengths.get(span.evidence_id, -1)
            assert inside, f"{span} is not in the evidence"
    nothing = Inquiry(question=None, answer=_ANSWER, claims=(), evidence=_EVIDENCE)
    assert _run(judge.assess(nothing)) == (), "no claims, no assessments"
    again = _within_model_errors(judge.assess(inquiry))
    same = again is None or [o.standing for o in again] == [o.standing for o in found]
    assert same, "the same inquiry must get the same standings"


def check_retriever(retriever: Retriever) -> None:
    """Check a ``Retriever``: a tuple of evidence with distinct ids, also when nothing fits."""
    assert isinstance(retriever, Retriever), "a retriever needs an async method retrieve(question)"
    for text in (_QUESTION.text, "zzqx flurm?"):
        found = _run(retriever.retrieve(Question(text=text)))
        assert isinstance(found, tuple), f"retrieve returned {type(found).__name__}, not a tuple"
        assert all(isinstance(piece, Evidence) for piece in found), "retrieve must return evidence"
        texts: dict[str, str] = {}
        for piece in found:
            assert texts.setdefault(piece.id, piece.text) == piece.text, f"two texts: {piece.id}"


def check_hook(hook: Hook) -> None:
    """Check a ``Hook``: a reply or a fault under its own name, with and without an answer."""
    assert isinstance(hook, Hook), "a hook needs a name and an async method ask(case)"
    assert hook.name, "a hook needs a name"
    for answer in (None, _ANSWER):
        case = HookCase(question=_QUESTION, answer=answer, evidence=_EVIDENCE)
        reply = _run(hook.ask(case))
        assert isinstance(reply, HookReply | Fault), f"ask returned {type(reply).__name__}"
        assert reply.source == hook.name, f"the reply names {reply.source!r}, not {hook.name!r}"


def check_rule(rule: Any) -> None:
    """Check a ``Rule``: a frozen dataclass that objects from findings alone, under its name."""
    dataclass_like = is_dataclass(rule)
    assert dataclass_like, "a rule must be a dataclass, so that it has a canonical form"
    for name in ("name", "about", "reads"):
        assert getattr(rule, name, None) is not None, f"a rule needs {name!r}"
    fields = set(Findings.__dataclass_fields__)
    unknown = sorted(set(rule.reads) - fields)
    assert not unknown, f"reads names what findings do not have: {', '.join(unknown)}"
    fallen = Assessment(
        claim=_CLAIMS[1],
        standing=Standing.UNGROUNDED,
        confidence=1.0,
        support=0.0,
        reason="the evidence is silent",
    )
    for findings in (Findings(), Findings(assessments=(fallen,))):
        objections = rule.object_to(findings)
        assert isinstance(objections, tuple), "object_to must return a tuple"
        for one in objections:
            assert isinstance(one, Objection), f"{type(one).__name__} is not an objection"
            assert one.rule == rule.name, f"the objection names {one.rule!r}, not {rule.name!r}"
            assert one.step is not Step.PROCEED, "an objection must ask for more than proceed"
            assert one.reason, "an objection needs a reason"
        assert rule.object_to(findings) == objections, "same findings, same objections"


def check_evidence_reader(reader: EvidenceReader, value: object) -> None:
    """Check an ``EvidenceReader`` with a value that it reads: evidence, and no other value."""
    assert isinstance(reader, EvidenceReader), "a reader needs name, reads(value) and read(value)"
    assert reader.name, "a reader needs a name"
    assert not reader.reads(object()), "a reader must not claim to read every value"
    assert reader.reads(value), "the reader does not read the given value"
    try:
        found = reader.read(value)
    except InputError:
        return
    assert found, "a value that is read must give evidence, or raise InputError"
    assert all(isinstance(piece, Evidence) for piece in found), "read must return evidence"


def check_signer(signer: Signer, verify: Callable[[bytes, bytes], bool] | None = None) -> None:
    """Check a ``Signer``: bytes over exactly the message, which ``verify`` accepts if given."""
    assert isinstance(signer, Signer), "a signer needs a name and a method sign(message)"
    assert signer.name, "a signer needs a name"
    assert "\n" not in signer.name, "a signer's name stands on one line"
    one, two = signer.sign(b"one"), signer.sign(b"two")
    assert isinstance(one, bytes), "a signature is bytes"
    assert one, "a signature is not empty"
    assert one != two, "different messages must have different signatures"
    if verify is not None:
        assert verify(b"one", one), "the signature does not verify"
        assert not verify(b"two", one), "the signature verifies for another message"


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    return asyncio.run(work)


def _within_model_errors(work: Coroutine[Any, Any, _T]) -> _T | None:
    """What the part says; None when it says, as it may, that it could not answer."""
    try:
        return _run(work)
    except ModelError:
        return None
