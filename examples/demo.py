"""``make demo``: check a bundled answer, keep the proof, check the proof, and break it.

Every step is a command that you can type yourself; the demo prints it before it runs it.
Nothing here needs a network, a model or a key that was not made a second ago.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def run(folder: Path, *words: str, expect: int = 0) -> str:
    """Print a command, run it in the demo's folder, show what it says, and insist on its code."""
    print(f"\n$ {shlex.join(['firmground', *words])}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "firmground", *words],
        check=False,
        cwd=folder,
        text=True,
        encoding="utf-8",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    print((done.stdout + done.stderr).rstrip())
    print(f"[exit code {done.returncode}]")
    if done.returncode != expect:
        sys.exit(f"the demo expected exit code {expect}")
    return done.stdout


def newest_run(folder: Path, *words: str) -> str:
    """The id of the run that was recorded last."""
    command = [sys.executable, "-m", "firmground", "runs", "list", *words, "--json"]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=True)
    return str(json.loads(done.stdout)[0]["run"])


def change_one_byte(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def main() -> None:
    """Tell the story in four steps."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        print("1. An incident report says what caused the outage. Does its evidence? The check is")
        print("   kept in a signed, append-only log.")
        public = run(folder, "keys", "new", "demo.example/log", "--out", "log.key").strip()
        log = ("--ledger", "log.sqlite", "--signer", "log.key")
        run(folder, "check", "--example", "incident", *log, expect=1)
        run_id = newest_run(folder, "--ledger", "log.sqlite")

        print("\n2. One file that proves how the verdict came about; only the answer is shown.")
        run(folder, "runs", "export", run_id, *log, "--disclose", "answer", "--out", "proof.json")

        print("\n3. Anyone with the public key can check it, offline, on another machine.")
        run(folder, "verify", "proof.json", "--key", public)

        print("\n4. One changed bit, and it is refused.")
        change_one_byte(folder / "proof.json")
        run(folder, "verify", "proof.json", "--key", public, expect=1)


main()
