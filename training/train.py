"""Train the verifier: `python -m training.train --name main --minutes 84`.

The schedule runs on the clock, so a run always ends in the time given; the clock and
everything else is in the checkpoint, so a killed run goes on where it was. With
`--helpers 1` a second process takes micro-batches of the same step off the first one: on an
idle second core that is nearly twice as fast, on a busy one it is far slower.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.multiprocessing as mp
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from training.batches import Mixture, collate
from training.model import Verifier, from_base
from training.paths import base_model_dir, state_dir
from training.store import Examples, forget_after

WARM_UP = 0.04
FLOOR = 0.02
STARVED = 0.6
REST_STEPS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a run."""

    name: str
    minutes: float
    rate: float
    seed: int
    micro: int
    per_step: int
    pairs_until: float
    pairs: float
    frozen_layers: int
    helpers: int
    start_from: str


def shares(plan: Plan, progress: float) -> dict[str, float]:
    """Say what a step is made of at a point of the run."""
    if progress < plan.pairs_until:
        return {"pairs": 0.75, "edit": 0.15, "bad": 0.05, "clean": 0.05}
    own = {"bad": 0.37, "clean": 0.55, "edit": 0.08}
    return {**{k: v * (1 - plan.pairs) for k, v in own.items()}, "pairs": plan.pairs}


def rate_at(progress: float) -> float:
    """Rise straight to 1, then fall straight to almost nothing."""
    if progress < WARM_UP:
        return max(progress / WARM_UP, 0.01)
    return max(FLOOR, (1 - progress) / (1 - WARM_UP))


def loss_of(model: Verifier, batch: dict[str, Tensor]) -> Tensor:
    """Add the claim's loss to the mean over examples of their tokens' losses."""
    tokens, whole = model(batch["ids"], batch["kinds"], batch["mask"], batch["labels"])
    claim = functional.cross_entropy(whole, batch["whole"])
    labels = batch["labels"]
    each = functional.cross_entropy(
        tokens.transpose(1, 2), labels, ignore_index=-1, reduction="none"
    )
    known = (labels >= 0).float()
    token = (each.sum(1) / known.sum(1).clamp(min=1)).mean()
    return claim + token


def trainable(model: Verifier, frozen_layers: int) -> list[nn.Parameter]:
    """Freeze the word and position tables and the lowest layers; give what is left."""
    frozen: list[nn.Module] = [model.word, model.position, *list(model.layers)[:frozen_layers]]
    if frozen_layers:
        frozen += [model.kind, model.norm]
    for module in frozen:
        module.requires_grad_(False)
    return [p for p in model.parameters() if p.requires_grad]


class Workers:
    """Main process and helpers share parameters and take micro-batches from one counter."""

    def __init__(self, model: Verifier, mixture: Mixture, plan: Plan) -> None:
        self.model, self.mixture, self.plan = model, mixture, plan
        self.parameters = trainable(model, plan.frozen_layers)
        model.share_memory()
        size = sum(p.numel() for p in self.parameters)
        self._counter = mp.get_context("fork").Value("i", 0)
        self._pipes: list[tuple[Connection, Tensor]] = []
        for _ in range(plan.helpers):
            here, there = mp.get_context("fork").Pipe()
            grads = torch.zeros(size).share_memory_()
            helper = mp.get_context("fork").Process(
                target=self._help, args=(there, grads), daemon=True
            )
            helper.start()
            self._pipes.append((here, grads))

    def step(self, at: int, mix: dict[str, float]) -> tuple[float, int]:
        """Leave a step's mean gradient on the parameters; give the loss and what helpers did."""
        for p in self.parameters:
            p.grad = None
        self._counter.value = 0
        for pipe, _ in self._pipes:
            pipe.send((at, mix))
        loss, _ = self._work(at, mix)
        helped = 0
        for pipe, grads in self._pipes:
            more, count = pipe.recv()
            loss, helped = loss + more, helped + count
            if count:
                self._add(grads)
        for p in self.parameters:
            if p.grad is not None:
                p.grad /= self.plan.per_step
        return loss / self.plan.per_step, helped

    def _work(self, at: int, mix: dict[str, float]) -> tuple[float, int]:
        batches = self.mixture.step(at, mix)
        total, done = 0.0, 0
        while True:
            with self._counter.get_lock():
                mine = self._counter.value
                self._counter.value += 1
            if mine >= len(batches):
                return total, done
            loss = loss_of(self.model, collate(self.mixture.sets, batches[mine]))
            loss.backward()
            total, done = total + loss.item(), done + 1

    def _add(self, grads: Tensor) -> None:
        at = 0
        for p in self.parameters:
            part = grads[at : at + p.numel()].view_as(p)
            p.grad = part.clone() if p.grad is None else p.grad + part
            at += p.numel()

    def _help(self, pipe: Connection, grads: Tensor) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.nice(7)
        torch.set_num_threads(1)
        rest_until = 0
        while True:
            try:
                at, mix = pipe.recv()
            except EOFError:
                return
            if at < rest_until:
                pipe.send((0.0, 0))
                continue
            for p in self.parameters:
                p.grad = None
            wall, used = time.monotonic(), time.process_time()
            loss, done = self._work(at, mix)
            # A starved helper makes everybody wait for its last micro-batch: better to stand aside.
            if done and time.process_time() - used < STARVED * (time.monotonic() - wall):
                rest_until = at + REST_STEPS
            if done:
                flat = [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]
                torch.cat([g.flatten() for g in flat], out=grads)
            pipe.send((loss, done))


def probe(model: Verifier, examples: Examples, chosen: np.ndarray) -> dict[str, float]:
    """Measure claim and token AUC on a fixed sample."""
    from sklearn.metrics import roc_auc_score

    scores = np.zeros(len(chosen))
    peaks = np.zeros(len(chosen))
    order = np.argsort(examples.lengths[chosen])
    model.eval()
    with torch.inference_mode():
        for at in range(0, len(order), 16):
            rows = order[at : at + 16]
            batch = collate((examples,), [(0, int(chosen[i])) for i in rows])
            tokens, whole = model(batch["ids"], batch["kinds"], batch["mask"], batch["labels"])
            scores[rows] = 1 - whole.softmax(-1)[:, 0].numpy()
            bad = 1 - tokens.softmax(-1)[..., 0]
            peaks[rows] = (bad * (batch["labels"] >= 0)).amax(1).numpy()
    model.train()
    truth = examples.label[chosen] > 0
    found = {"claim_auc": roc_auc_score(truth, scores), "peak_auc": roc_auc_score(truth, peaks)}
    for task in range(3):
        part = examples.task[chosen] == task
        found[f"auc_{task}"] = roc_auc_score(truth[part], scores[part] + peaks[part])
    return {name: round(float(value), 4) for name, value in found.items()}


def save(path: Path, state: dict[str, Any]) -> None:
    """Replace a checkpoint whole, so that a kill at any moment leaves one that loads."""
    partial = path.with_suffix(".partial")
    with partial.open("wb") as out:
        torch.save(state, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(partial, path)


def main() -> None:
    plan = _plan()
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    place = state_dir() / "runs" / plan.name
    place.mkdir(parents=True, exist_ok=True)
    train, pairs, held = (Examples(state_dir() / f"{n}.npz") for n in ("train", "pairs", "fuse"))
    mixture = Mixture(train, pairs, seed=plan.seed, micro=plan.micro, per_step=plan.per_step)
    model = from_base(base_model_dir())
    if plan.start_from:
        model.load_state_dict(torch.load(plan.start_from, weights_only=False)["model"])
    checkpoint = place / "checkpoint.pt"
    state: dict[str, Any] = {"step": 0, "elapsed": 0.0}
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(state["model"])
    workers = Workers(model, mixture, plan)
    optimizer = torch.optim.AdamW(
        workers.parameters, lr=plan.rate, weight_decay=0.01, betas=(0.9, 0.98)
    )
    if "optimizer" in state:
        optimizer.load_state_dict(_last_of(state["optimizer"], len(workers.parameters)))
    (place / "plan.json").write_text(json.dumps({f: getattr(plan, f) for f in plan.__slots__}))
    _loop(plan, place, state, workers, optimizer, held)


def _last_of(saved: dict[str, Any], count: int) -> dict[str, Any]:
    """Keep the state of the last parameters: freezing more layers drops the first ones."""
    dropped = len(saved["param_groups"][0]["params"]) - count
    state = {at - dropped: value for at, value in saved["state"].items() if at >= dropped}
    groups = [{**saved["param_groups"][0], "params": list(range(count))}]
    return {"state": state, "param_groups": groups}


def _loop(
    plan: Plan,
    place: Path,
    state: dict[str, Any],
    workers: Workers,
    optimizer: torch.optim.Optimizer,
    held: Examples,
) -> None:
    model, budget = workers.model, plan.minutes * 60
    chosen = _probe_sample(held)
    step, elapsed = state["step"], state["elapsed"]
    last, saved, probed = time.monotonic(), elapsed, elapsed
    recent: list[float] = []
    helped = 0
    bar = tqdm(
        total=round(budget), initial=round(elapsed), unit="s", mininterval=10, desc=plan.name
    )
    forget_after(place / "log.jsonl", elapsed)
    log = (place / "log.jsonl").open("a")
    while elapsed < budget:
        progress = elapsed / budget
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * rate_at(progress)
        loss, more = workers.step(step, shares(plan, progress))
        nn.utils.clip_grad_norm_(workers.parameters, 1.0)
        optimizer.step()
        step, helped = step + 1, helped + more
        recent.append(loss)
        now = time.monotonic()
        elapsed, last = elapsed + now - last, now
        bar.update(round(elapsed) - bar.n)
        if step % 20 == 0:
            line = {"step": step, "elapsed": round(elapsed, 1),
                    "loss": round(float(np.mean(recent)), 4),
                    "rate": optimizer.param_groups[0]["lr"], "helped": helped}  # fmt: skip
            log.write(json.dumps(line) + "\n")
            log.flush()
            bar.set_postfix(step=step, loss=line["loss"])
            recent, helped = [], 0
        if elapsed - probed > budget / 4 or elapsed >= budget:
            probed = elapsed
            log.write(
                json.dumps(
                    {"step": step, "elapsed": round(elapsed, 1), **probe(model, held, chosen)}
                )
                + "\n"
            )
            log.flush()
            now = time.monotonic()
            elapsed, last = elapsed + now - last, now
        if elapsed - saved > 150 or elapsed >= budget:
            saved = elapsed
            state = {"step": step, "elapsed": elapsed, "model": model.state_dict()}
            save(place / "checkpoint.pt", {**state, "optimizer": optimizer.state_dict()})
    save(place / "final.pt", {"step": step, "elapsed": elapsed, "model": model.state_dict()})


def _probe_sample(held: Examples) -> np.ndarray:
    dice = np.random.default_rng(3)
    bad, clean = np.flatnonzero(held.label > 0), np.flatnonzero(held.label == 0)
    drawn = [(bad, min(160, len(bad))), (clean, min(240, len(clean)))]
    return np.concatenate([dice.choice(deck, count, replace=False) for deck, count in drawn])


def _plan() -> Plan:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="main")
    parser.add_argument("--minutes", type=float, default=84)
    parser.add_argument("--rate", type=float, default=1.3e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--micro", type=int, default=4)
    parser.add_argument("--per-step", type=int, default=4)
    parser.add_argument("--pairs-until", type=float, default=0.13)
    parser.add_argument("--pairs", type=float, default=0.1, help="share of pairs after that")
    parser.add_argument("--frozen-layers", type=int, default=0)
    parser.add_argument("--helpers", type=int, default=0, help="only on an idle machine")
    parser.add_argument("--start-from", default="")
    return Plan(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
