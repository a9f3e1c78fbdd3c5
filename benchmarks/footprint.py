"""What the default install weighs, and what importing it costs."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
ROUNDS = 7
AIM_SECONDS = 0.15


def _cpu_seconds(python: str, code: str) -> float:
    """CPU seconds of one fresh interpreter running ``code``, the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, used)
    return best


def _size(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())


def _installed(folder: Path) -> tuple[Path, str]:
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, str(REPOSITORY)], check=True)
    return next((folder / "lib").glob("python*/site-packages")), python


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        packages, python = _installed(Path(scratch) / "venv")
        names = sorted(p.name.split("-")[0] for p in packages.glob("*.dist-info"))
        names = [name for name in names if name not in ("pip", "setuptools")]
        tools = sum(_size(packages / name) for name in ("pip", "setuptools", "pkg_resources"))
        print(f"default install: {len(names)} packages, {(_size(packages) - tools) / 1e6:.0f} MB")
        print(f"  {', '.join(names)}")
        own = _size(packages / "firmground") / 1e6
        print(f"  firmground itself: {own:.1f} MB")
        bare = _cpu_seconds(python, "pass")
        ours = _cpu_seconds(python, "import firmground")
        print(f"import firmground: {ours - bare:.3f} s CPU above a bare start (aim {AIM_SECONDS})")
        print(f"  ratio to starting a bare interpreter: {ours / bare:.2f}")
