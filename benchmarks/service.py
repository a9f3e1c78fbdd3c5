"""What does the proxy cost? Ratios to the bare upstream, within one run on loopback.

The upstream is scripted; the proxy judges lexically and writes a durable record for every request.
``--litellm PATH`` and ``--nemo PATH`` name the commands of LiteLLM and NeMo Guardrails in
environments of their own, to measure them beside it. ``--requests N`` sets the size of the run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._load import (  # noqa: E402
    ANSWER,
    EVIDENCE,
    MODEL,
    Connection,
    Target,
    chat,
    free_port,
    request,
    started,
    upstream,
)
from firmground import Engine  # noqa: E402

CHAT = "/v1/chat/completions"
FIRST_SENTENCE = ANSWER.split(". ")[0]


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def proxy(bare: Target, folder: Path, mode: str = "hold", more: str = "") -> Target:
    """Start ``firmground serve`` before the upstream."""
    folder.mkdir()
    port = free_port()
    (folder / "firmground.toml").write_text(
        f'[judge]\nuse = "lexical"\n[proxy]\nmode = "{mode}"\n{more}\n[[proxy.upstream]]\n'
        f'name = "bare"\nbase_url = "http://127.0.0.1:{bare.port}/v1"\nmodels = ["*"]\n'
    )
    base = [
        sys.executable,
        "-m",
        "firmground",
        "serve",
        "--config",
        str(folder / "firmground.toml"),
    ]
    base += ["--data", str(folder / "data")]
    made = subprocess.run(
        [*base, "keys", "new", "bench", "--scope", "check", "--scope", "read"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    target = await started("firmground", port, *base, "--port", str(port))
    target.key = made.stdout.strip()
    if not await target.ready("/ready"):
        raise RuntimeError("firmground serve did not start")
    return target


async def litellm(bare: Target, command: str, folder: Path) -> Target | None:
    """Start LiteLLM's gateway before the same upstream, without any guardrail."""
    port, key = free_port(), f"sk-{secrets.token_urlsafe(32)}"
    (folder / "litellm.yaml").write_text(
        f"model_list:\n  - model_name: {MODEL}\n    litellm_params:\n      model: openai/{MODEL}\n"
        f"      api_base: http://127.0.0.1:{bare.port}/v1\n      api_key: none\n"
    )
    target = await started(
        "LiteLLM, no check", port, command, "--config", str(folder / "litellm.yaml"),
        "--port", str(port), "--host", "127.0.0.1", LITELLM_MASTER_KEY=key, PYTHONPATH="",
    )  # fmt: skip
    target.key = key
    return target if await target.ready("/health/liveliness") else None


async def nemo(bare: Target, command: str, folder: Path) -> Target | None:
    """Start NeMo Guardrails' server before the same upstream, without any rail."""
    port, config = free_port(), folder / "nemo" / "plain"
    config.mkdir(parents=True)
    (config / "config.yml").write_text(
        f"models:\n  - type: main\n    engine: openai\n    model: {MODEL}\n    parameters:\n"
        f"      base_url: http://127.0.0.1:{bare.port}/v1\n      api_key: none\n"
        "passthrough: true\n"
    )
    target = await started(
        "NeMo, no rails", port, command, "server", "--config", str(folder / "nemo"), "--port",
        str(port), "--default-config-id", "plain", OPENAI_API_KEY="none", PYTHONPATH="",
        MAIN_MODEL_ENGINE="openai", MAIN_MODEL_BASE_URL=f"http://127.0.0.1:{bare.port}/v1",
    )  # fmt: skip
    return target if await target.ready("/v1/rails/configs") else None


def check_alone() -> float:
    """Processor seconds of one lexical check of the same answer, without service or record."""
    with Engine(judge="lexical") as engine:
        engine.check(ANSWER, EVIDENCE)
        before = time.process_time()
        for _ in range(50):
            engine.check(ANSWER, EVIDENCE, question="Tell me about the Alder bridge.")
        return (time.process_time() - before) / 50


async def one_by_one(target: Target, count: int, wait: float) -> tuple[list[float], float]:
    """Seconds of each request, one after the other; and processor seconds for each."""
    connection, body = Connection(target), chat(wait=wait)
    await connection.ask(body, CHAT)
    before, times = target.cpu_seconds(), []
    for _ in range(count):
        reply = await connection.ask(body, CHAT)
        if reply.status != 200:
            raise RuntimeError(f"{target.name} answered {reply.status}: {reply.body[:200]!r}")
        times.append(reply.seconds)
    connection.close()
    return times, (target.cpu_seconds() - before) / count


async def at_once(target: Target, clients: int, count: int) -> tuple[float, Counter[int]]:
    """Requests a second with so many clients, and the statuses."""
    statuses: Counter[int] = Counter()
    left = count

    async def work() -> None:
        nonlocal left
        connection = Connection(target)
        while left > 0:
            left -= 1
            statuses[(await connection.ask(chat(), CHAT)).status] += 1
        connection.close()

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(clients)))
    return count / (time.perf_counter() - began), statuses


async def first_sentence(target: Target, count: int, token: float) -> float:
    """Median seconds until the first sentence is there, with a model of so many seconds a token."""
    found = []
    for _ in range(count):
        connection = Connection(target)
        reply = await connection.ask(chat(stream=True, token=token), CHAT)
        text = ""
        for at, piece in zip(reply.times, reply.texts, strict=False):
            text += piece
            if FIRST_SENTENCE in text:
                found.append(at)
                break
    return statistics.median(found)


async def streams(target: Target, count: int, token: float) -> tuple[float, int]:
    """Seconds for so many streams at once, and how many arrived whole."""
    turn = asyncio.Semaphore(count)

    async def one() -> bool:
        async with turn:
            reply = await Connection(target).ask(chat(stream=True, token=token), CHAT)
            return "".join(reply.texts) == ANSWER

    began = time.perf_counter()
    whole = sum(await asyncio.gather(*(one() for _ in range(count))))
    return time.perf_counter() - began, whole


async def recorded(target: Target) -> int:
    found, before = 0, ""
    while True:
        reply = await request(target, "GET", f"/api/v1/runs?limit=200{before}")
        page = json.loads(reply.body)
        found += len(page["runs"])
        if page["next"] is None:
            return found
        before = f"&before={page['next']}"


async def metrics(target: Target) -> list[str]:
    text = (await request(target, "GET", "/metrics")).body.decode()
    return [line for line in text.splitlines() if not line.startswith("#")]


async def overload(target: Target, places: int) -> str:
    """Ten times as many clients as places: what they are told, and whether it recovers."""
    quiet, _ = await one_by_one(target, 10, 0.05)
    statuses: Counter[int] = Counter()
    admitted, without = [], 0
    until = time.perf_counter() + 4

    async def work() -> None:
        nonlocal without
        while time.perf_counter() < until:
            reply = await request(target, "POST", CHAT, chat(wait=0.05))
            statuses[reply.status] += 1
            if reply.status == 200:
                admitted.append(reply.seconds)
            elif "retry-after" not in reply.headers:
                without += 1
            await asyncio.sleep(0.01)

    await asyncio.gather(*(work() for _ in range(10 * places)))
    again, _ = await one_by_one(target, 10, 0.05)
    return (
        f"statuses {dict(sorted(statuses.items()))}, refusals without Retry-After {without}; "
        f"p99 of admitted {quantile(admitted, 0.99) / statistics.median(quiet):.1f} x a quiet "
        f"request; afterwards {statistics.median(again) / statistics.median(quiet):.2f} x"
    )


async def run(options: argparse.Namespace) -> None:
    count = options.requests
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = await upstream()
        targets = [bare, await proxy(bare, folder / "hold")]
        ours = targets[1]
        window = await proxy(bare, folder / "window", "window")
        small = await proxy(
            bare, folder / "small", "hold", "concurrent = 8\n[service.limits]\nqueue = 8\n"
            "queue_seconds = 0.2\n[proxy.breaker]\nthreshold = 3"
        )  # fmt: skip
        for command, make in ((options.litellm, litellm), (options.nemo, nemo)):
            if command:
                made = await make(bare, command, folder)
                print(f"{make.__name__}: {'started' if made else 'did not start'}", flush=True)
                targets += [made] if made else []
        alone = check_alone()
        try:
            for wait in (0.0, 0.3):
                rows = {
                    t.name: await one_by_one(t, count if not wait else 12, wait) for t in targets
                }
                base, _ = rows["bare"]
                for row, (times, cpu) in rows.items():
                    print(
                        f"upstream {wait * 1000:.0f} ms, one client, {row}: p50 "
                        f"{statistics.median(times) / statistics.median(base):.2f} x bare, p99 "
                        f"{quantile(times, 0.99) / quantile(base, 0.99):.2f} x, "
                        f"CPU {cpu / alone:.1f} x one check alone", flush=True,
                    )  # fmt: skip
            plain = await first_sentence(bare, 5, 0.05)
            for target, label in ((window, "window"), (ours, "hold")):
                found = await first_sentence(target, 5, 0.05)
                print(f"first sentence of a stream, {label}: {found / plain:.2f} x plain streaming")
            for clients in (1, 8, 64, 200):
                many = count if clients == 1 else count * 2
                speed, _ = await at_once(bare, clients, many)
                for target in targets[1:]:
                    got, statuses = await at_once(target, clients, many)
                    print(
                        f"{clients} clients, {target.name}: {got / speed:.3f} x bare, statuses "
                        f"{dict(statuses)}", flush=True,
                    )  # fmt: skip
            begun = ours.memory()
            for _ in range(3):
                await at_once(ours, 16, count * 2)
            print(f"memory after {count * 6} more requests: {ours.memory() / begun:.3f} x")
            for target in targets[1:]:
                print(
                    f"resident memory, {target.name}: {target.memory() / bare.memory():.1f} x bare"
                )
            took, _ = await streams(bare, 500, 0.05)
            for target, label in ((window, "window"), (ours, "hold")):
                seconds, whole = await streams(target, 500, 0.05)
                print(f"500 streams at once, {label}: {whole} whole, {seconds / took:.2f} x bare")
            print(f"overload: {await overload(small, 8)}")
            total = await recorded(ours)
            admitted = sum(
                float(line.split()[1]) for line in (await metrics(ours)) if "admitted" in line
            )
            print(f"records of the proxy in hold: {total}; admitted requests: {admitted:.0f}")
        finally:
            for target in (*targets[1:], window, small, bare):
                await target.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks service")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--litellm", default="")
    parser.add_argument("--nemo", default="")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
