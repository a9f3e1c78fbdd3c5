"""Results of two operations: a product or percentage with one more sum or difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firmground.verify.derive.arithmetic import in_target, is_count, period_factor
from firmground.verify.derive.dimensions import compatible
from firmground.verify.derive.search import OperandCandidate, Search

_MOST = 8
_PARTS = frozenset({"percent", "share"})
_MOMENTS = frozenset({"date", "clock", "ordinal", "label", "decade"})
_YEAR = {"month": 12.0, "week": 52.0, "quarter": 4.0}


def try_two_steps(search: Search, items: Sequence[OperandCandidate]) -> None:
    """Try a × n ± b, (a ± b) × n and a ± b + p % on the most related operands."""
    wanted = search.target.dimension
    if wanted in _MOMENTS or wanted in ("percent", "share", "ratio"):
        return
    same = [i for i in items if compatible(i.dimension, wanted) and i.dimension not in _MOMENTS]
    same = [i for i in same if i.dimension not in _PARTS][:_MOST]
    scaled = list(_scaled(search, same, items))
    for amount, used, template in scaled:
        for b in same:
            if any(b is item or (b.fact is item.fact and b.fact) for item in used):
                continue
            y = in_target(search, b)
            search.offer(
                "two_step",
                amount + y,
                (*used, b),
                f"{template} + {{{len(used)}}}",
                depth=2,
            )
            search.offer(
                "two_step",
                abs(amount - y),
                (*used, b),
                f"{template} − {{{len(used)}}}",
                depth=2,
            )
    _of_sums(search, same, items)


def _scaled(
    search: Search, same: Sequence[OperandCandidate], items: Sequence[OperandCandidate]
) -> Iterator[tuple[float, tuple[OperandCandidate, ...], str]]:
    for a in same:
        x = in_target(search, a)
        if a.per in _YEAR and a.fact is not None:
            yield x * _YEAR[a.per], (a,), f"{{0}} × {_YEAR[a.per]:g}"
        for n in items[: 2 * _MOST]:
            if n is a or (n.fact is a.fact):
                continue
            factor = period_factor(a.per, n) if a.per else (n.amount if is_count(n) else 0.0)
            if factor and factor != 1.0:
                yield x * factor, (a, n), "{0} × {1}"
            if n.dimension in _PARTS:
                share = n.amount / 100 if n.dimension == "percent" else n.amount
                yield x * share, (a, n), "{1} of {0}"
                yield x * (1 - share), (a, n), "({0} − {1})"


def _of_sums(
    search: Search, same: Sequence[OperandCandidate], items: Sequence[OperandCandidate]
) -> None:
    """(a ± b) × n, with n a count, a duration at a rate or a percentage."""
    factors = [
        n
        for n in items[: 2 * _MOST]
        if is_count(n) or n.dimension in _PARTS or n.dimension == "months"
    ]
    for at, a in enumerate(same):
        for b in same[at + 1 :]:
            if a.fact is b.fact:
                continue
            x, y = in_target(search, a), in_target(search, b)
            for n in factors[:_MOST]:
                if n.fact in (a.fact, b.fact) and n.fact is not None:
                    continue
                if n is a or n is b:
                    continue
                factor = n.amount / 100 if n.dimension == "percent" else n.amount
                for mark, combined in (("+", x + y), ("−", abs(x - y))):
                    search.offer("two_step", combined * factor, (a, b, n),
                                 f"({{0}} {mark} {{1}}) × {{2}}",
                                 depth=2)  # fmt: skip
