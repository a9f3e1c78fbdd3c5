"""``python -m benchmarks [NAME…]``: run the named benchmarks, or all that measure speed and size.

Those whose name begins with ``quality_`` read the public data sets and are run by
``make bench-quality``; ``models`` starts a real model server and is run by ``make bench-models``.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import benchmarks


def _names(wanted: list[str]) -> list[str]:
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name[0] != "_"]
    if wanted == ["quality"]:
        return [name for name in known if name.startswith("quality_")]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        sys.exit(f"no benchmark named {', '.join(unknown)}; there are {', '.join(known)}")
    return wanted or [name for name in known if not name.startswith(("quality_", "models"))]


def main() -> None:
    for name in _names(sys.argv[1:]):
        print(f"\n== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()


main()
