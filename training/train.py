"""Train the verifier: `python -m training.train --name run --minutes 100 --start-from shipped`.

A step takes micro-batches from three decks: contrast sets of the everyday corpus, inference pairs
and RAGTruth sentences, in the shares given. The schedule runs on the clock, so a run ends in the
time given; the clock and everything else is in the checkpoint, so a killed run goes on where it
was. A corpus file that was prepared again meanwhile is taken up on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.batches import BalancedDeck, Deck, SetDeck, collate
from training.model import Verifier, from_base, from_onnx
from training.paths import base_model_dir, state_dir
from training.store import Examples, forget_after

WARM_UP = 0.03
FLOOR = 0.02
CHECKPOINT_EVERY = 150.0
PROBE_EVERY = 600.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a run."""

    name: str
    base: str
    minutes: float
    rate: float
    seed: int
    everyday: float
    pairs: float
    ragtruth: float
    blind: float
    frozen_layers: int
    dropout: float
    rank: float
    start_from: str


def rate_at(progress: float) -> float:
    """Rise straight to 1, then fall straight to almost nothing."""
    if progress < WARM_UP:
        return max(progress / WARM_UP, 0.01)
    return max(FLOOR, (1 - progress) / (1 - WARM_UP))


def loss_of(model: Verifier, batch: dict[str, Tensor], *, rank: float = 0.0) -> Tensor:
    """Add the claim's loss to the mean over examples of their tokens' losses.

    `rank` weighs a further loss over all pairs of a wrong and a right claim of the batch: the wrong
    one must have the higher risk. It means something only where the batch shares its evidence.
    """
    tokens, whole = model(batch["ids"], batch["kinds"], batch["mask"], batch["labels"])
    claim = functional.cross_entropy(whole, batch["whole"])
    labels = batch["labels"]
    each = functional.cross_entropy(
        tokens.transpose(1, 2), labels, ignore_index=-1, reduction="none"
    )
    known = (labels >= 0).float()
    token = (each.sum(1) / known.sum(1).clamp(min=1)).mean()
    loss = claim + 0.5 * token
    wrong = batch["whole"] > 0
    if rank and wrong.any() and not wrong.all():
        risk = whole[:, 1:].logsumexp(-1) - whole[:, 0]
        loss = loss + rank * functional.softplus(risk[~wrong][None] - risk[wrong][:, None]).mean()
    return loss


def trainable(model: Verifier, frozen_layers: int) -> list[nn.Parameter]:
    """Freeze the word and position tables and the lowest layers; give what is left."""
    frozen: list[nn.Module] = [model.word, model.position, *list(model.layers)[:frozen_layers]]
    for module in frozen:
        module.requires_grad_(False)
    return [p for p in model.parameters() if p.requires_grad]


def scores(model: Verifier, examples: Examples, chosen: np.ndarray) -> np.ndarray:
    """The model's probability that each chosen example does not stand."""
    found = np.zeros(len(chosen))
    order = np.argsort(examples.lengths[chosen])
    model.eval()
    with torch.inference_mode():
        for at in range(0, len(order), 16):
            rows = order[at : at + 16]
            batch = collate(examples, chosen[rows])
            _, whole = model(batch["ids"], batch["kinds"], batch["mask"], batch["labels"])
            found[rows] = 1 - whole.softmax(-1)[:, 0].numpy()
    model.train()
    return found


def probe(model: Verifier, held: dict[str, Examples]) -> dict[str, float]:
    """AUC of the claim head on fixed samples of held-out examples."""
    from sklearn.metrics import roc_auc_score

    found = {}
    for name, examples in held.items():
        dice = np.random.default_rng(7)
        chosen = dice.permutation(len(examples))[:500]
        truth = examples.label[chosen] > 0
        found[name] = round(float(roc_auc_score(truth, scores(model, examples, chosen))), 4)
    return found


def save(path: Path, state: dict[str, Any]) -> None:
    """Replace a checkpoint whole, so that a kill at any moment leaves one that loads."""
    partial = path.with_suffix(".partial")
    with partial.open("wb") as out:
        torch.save(state, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(partial, path)


def build(base: str) -> Verifier:
    """Build the verifier on a base encoder: `minilm`, or the path of an ONNX export."""
    return from_base(base_model_dir()) if base == "minilm" else from_onnx(Path(base))


def main() -> None:
    plan = _plan()
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    place = state_dir() / "runs" / plan.name
    place.mkdir(parents=True, exist_ok=True)
    model = build(plan.base)
    if plan.start_from:
        start = state_dir() / "runs" / plan.start_from / "final.pt"
        model.load_state_dict(torch.load(start, weights_only=False)["model"])
    state: dict[str, Any] = {"step": 0, "elapsed": 0.0, "seen": 0}
    checkpoint = place / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(state["model"])
    model.set_dropout(plan.dropout)
    parameters = trainable(model, plan.frozen_layers)
    optimizer = torch.optim.AdamW(parameters, lr=plan.rate, weight_decay=0.01, betas=(0.9, 0.98))
    if "optimizer" in state:
        optimizer.load_state_dict(state["optimizer"])
    (place / "plan.json").write_text(json.dumps(asdict(plan)))
    _loop(plan, place, state, model, parameters, optimizer)


def _loop(
    plan: Plan,
    place: Path,
    state: dict[str, Any],
    model: Verifier,
    parameters: list[nn.Parameter],
    optimizer: torch.optim.Optimizer,
) -> None:
    seed = plan.seed + 1000 * state["step"]
    decks: dict[str, Deck] = {
        "everyday": SetDeck(state_dir() / "everyday.npz", micro=8, seed=seed),
        "pairs": Deck(state_dir() / "pairs.npz", micro=8, seed=seed),
        "ragtruth": BalancedDeck(state_dir() / "train.npz", micro=8, seed=seed),
    }
    names = list(decks)
    weights = np.array([plan.everyday, plan.pairs, plan.ragtruth])
    held = {name: Examples(state_dir() / f"{name}.npz") for name in ("everyday-val", "fuse")}
    dice = np.random.default_rng(seed)
    log = place / "log.jsonl"
    forget_after(log, state["elapsed"])
    budget, began = plan.minutes * 60, time.monotonic() - state["elapsed"]
    saved, probed = state["elapsed"], state["elapsed"]
    losses: dict[str, list[float]] = {name: [] for name in names}
    while (elapsed := time.monotonic() - began) < budget:
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * rate_at(elapsed / budget)
        optimizer.zero_grad(set_to_none=True)
        for name in dice.choice(names, size=2, p=weights / weights.sum()):
            deck = decks[name]
            rows = deck.draw()
            batch = collate(deck.examples, rows, blind=dice.random(len(rows)) < plan.blind)
            loss = loss_of(model, batch, rank=plan.rank if name == "everyday" else 0.0)
            (loss / 2).backward()
            losses[name].append(loss.item())
            state["seen"] += len(rows)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        state["step"] += 1
        if state["step"] % 50 == 0:
            decks["everyday"].refresh()
        if elapsed - saved > CHECKPOINT_EVERY:
            saved = elapsed
            state.update(
                elapsed=elapsed, model=model.state_dict(), optimizer=optimizer.state_dict()
            )
            save(place / "checkpoint.pt", state)
        if elapsed - probed > PROBE_EVERY:
            probed = elapsed
            _note(log, state, elapsed, losses, probe(model, held))
    save(place / "final.pt", {"model": model.state_dict()})
    _note(log, state, budget, losses, probe(model, held))


def _note(
    log: Path,
    state: dict[str, Any],
    elapsed: float,
    losses: dict[str, list[float]],
    found: dict[str, float],
) -> None:
    means = {name: round(float(np.mean(part)), 4) for name, part in losses.items() if part}
    row = {"elapsed": elapsed, "step": state["step"], "seen": state["seen"], **means, **found}
    with log.open("a") as out:
        out.write(json.dumps(row) + "\n")
    print(row, flush=True)
    for part in losses.values():
        part.clear()


def _plan() -> Plan:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="main")
    parser.add_argument("--base", default="minilm", help="minilm, or the path of an ONNX encoder")
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--everyday", type=float, default=0.5, help="share of the contrast sets")
    parser.add_argument("--pairs", type=float, default=0.25, help="share of inference pairs")
    parser.add_argument("--ragtruth", type=float, default=0.25, help="share of RAGTruth sentences")
    parser.add_argument(
        "--blind", type=float, default=0.3, help="share that is not told which words match"
    )
    parser.add_argument("--frozen-layers", type=int, default=0)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument(
        "--rank", type=float, default=0.5, help="weight of the ranking loss inside a set"
    )
    parser.add_argument("--start-from", default="", help="a run whose final weights to start from")
    return Plan(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
