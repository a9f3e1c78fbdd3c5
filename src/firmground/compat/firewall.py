"""The functions of the grounding firewall: one call each, a dictionary in and out.

``cfg`` has the keys ``endpoint``, ``model`` (a name, or any ``Model``), ``api_key``, ``logprobs``
and ``k``. All but ``model`` may be left out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, TypeVar

from firmground.adapters.openai_model import OpenAIModel
from firmground.adapters.openai_model.endpoint import ModelEndpoint
from firmground.bench.dependence import DependenceReport, run_bench
from firmground.bench.items import built_in
from firmground.core.decision import Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Dependence, Fault, Findings
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rules import DropSensitivity
from firmground.engine.running import run_to_end
from firmground.errors import InputError, did_you_mean
from firmground.probe import FIREWALL, ProbeProfile, measure_choice, measure_free

_T = TypeVar("_T")
_KEYS = ("endpoint", "model", "api_key", "logprobs", "k")


def gate(  # noqa: PLR0917 - the signature of the parent
    cfg: Mapping[str, Any], question: str, context: str, a: str, b: str, threshold: float = 0.3
) -> dict[str, Any]:
    """Choose between two answers, or abstain when the choice depends on the document."""
    evidence = [Evidence(text=context)]
    asked = Question(text=question)
    seen = _asked(
        cfg, lambda model: measure_choice(model, asked, evidence, [a, b], profile=_profile(cfg))
    )
    if isinstance(seen, Fault):
        return _error(seen)
    said = _said(seen, DropSensitivity(choice_from=threshold))
    return {**said, "confidence": round(seen.believed_with, 3)}


def gate_freeform(
    cfg: Mapping[str, Any], question: str, context: str, threshold: float = 0.5, k: int = 3
) -> dict[str, Any]:
    """Answer in free text, or abstain when the answer depends on the document."""
    evidence = [Evidence(text=context)]
    profile = replace(_profile(cfg), samples=k)
    seen = _asked(
        cfg, lambda model: measure_free(model, Question(text=question), evidence, profile=profile)
    )
    if isinstance(seen, Fault):
        return _error(seen)
    said = _said(seen, DropSensitivity(free_from=threshold))
    return {**said, "answer_without_doc": seen.without}


def bench(cfg: Mapping[str, Any], mode: str = "free", items: str = "bench") -> DependenceReport:
    """Run built-in questions on a model, with right and with poisoned documents.

    ``items`` is ``bench`` for the firewall's eight, ``facts`` for those with sources.
    """
    return _asked(
        cfg, lambda model: run_bench(model, built_in(items), mode=mode, profile=_profile(cfg))
    )


def _said(seen: Dependence, rule: DropSensitivity) -> dict[str, Any]:
    decision = decide(Findings(dependence=seen), (rule,))
    reasons = "; ".join(o.reason for o in decision.objections)
    return {
        "answer": seen.answer,
        "sensitivity": round(seen.sensitivity, 3),
        "decision": "ANSWER" if decision.step is Step.PROCEED else "ABSTAIN",
        "why": reasons or "the answer does not move without the document",
    }


def _error(fault: Fault) -> dict[str, Any]:
    return {"decision": "ERROR", "reason": f"{fault.kind.value}: {fault.message}"}


def _profile(cfg: Mapping[str, Any]) -> ProbeProfile:
    return replace(
        FIREWALL,
        samples=int(cfg.get("k", 5)),
        top_logprobs=FIREWALL.top_logprobs if cfg.get("logprobs", True) else 0,
    )


def _asked(cfg: Mapping[str, Any], work: Callable[[Model], Awaitable[_T]]) -> _T:
    """Run one measurement with the model that the configuration names."""
    for key in cfg:
        if key not in _KEYS:
            raise InputError(f"cfg has the unknown key {key!r}{did_you_mean(key, _KEYS)}")
    named = cfg.get("model")
    if not named:
        raise InputError("cfg needs 'model': a name, or a model object")

    async def run() -> _T:
        async with AsyncExitStack() as stack:
            if isinstance(named, str):
                made = OpenAIModel(named, endpoint=_endpoint(cfg))
                return await work(await stack.enter_async_context(made))
            return await work(named)

    return run_to_end(run())


def _endpoint(cfg: Mapping[str, Any]) -> ModelEndpoint | None:
    given = {"base_url": cfg.get("endpoint"), "api_key": cfg.get("api_key")}
    stated = {key: value for key, value in given.items() if value}
    return ModelEndpoint(**stated) if "base_url" in stated else None
