"""``python -m benchmarks [NAME…] [--OPTION…]``: run the named benchmarks, or all about speed.

Those whose name begins with ``quality_`` read the public data sets and are run by
``make bench-quality`` (``python -m benchmarks quality``), which prints the speed of the verifier
too; ``models`` starts a real model server and is run by ``make bench-models``. Options and files
are handed to each benchmark: ``python -m benchmarks quality --answers 1800``.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import benchmarks

QUALITY = ("quality_", "speed_neural")


def _names(wanted: list[str]) -> list[str]:
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name[0] != "_"]
    if wanted == ["quality"]:
        return [name for name in known if name.startswith(QUALITY)]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        sys.exit(f"no benchmark named {', '.join(unknown)}; there are {', '.join(known)}")
    return wanted or [name for name in known if not name.startswith(("quality_", "models"))]


def main() -> None:
    given = sys.argv[1:]
    own = (at for at, word in enumerate(given) if word.startswith("-") or "." in word)
    first = next(own, len(given))
    for name in _names(given[:first]):
        print(f"\n== {name}", flush=True)
        sys.argv = [f"benchmarks.{name}", *given[first:]]
        import_module(f"benchmarks.{name}").main()


main()
