"""A real PostgreSQL server from the system's package, started in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest


def programs() -> Path | None:
    """The folder with initdb and pg_ctl; None when PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    single = shutil.which("initdb")
    return Path(single).parent if single else None


def as_ordinary_user(*argv: str) -> list[str]:
    """The command as somebody else when we are root, since the server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *argv] if os.geteuid() == 0 else list(argv)


def _is_roomy(folder: str) -> bool:
    return os.path.isdir(folder) and shutil.disk_usage(folder).free > 1 << 30


class PostgresServer:
    """One cluster; may be stopped, killed and started again."""

    def __init__(self, *, options: str = "", initdb: tuple[str, ...] = ()) -> None:
        where = programs()
        if where is None:
            pytest.skip("PostgreSQL's initdb is not installed (Debian: postgresql)")
        if os.geteuid() == 0 and shutil.which("runuser") is None:
            pytest.skip("the server will not run as root and there is no runuser")
        self._programs = where
        # Unix sockets need short paths, and the other user must be able to walk here.
        # In memory where possible: a killed process loses nothing of it, and a busy disk is spared.
        base = "/dev/shm" if _is_roomy("/dev/shm") else "/tmp"
        made = subprocess.check_output(["mktemp", "-d", f"{base}/fgpg.XXXXXX"], text=True)
        self.folder = Path(made.strip())
        self.data = self.folder / "data"
        self.options = options
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        if initdb != ("none",):
            self.program(
                "initdb", "-D", str(self.data), "-A", "trust", "-U", "owner", "-N", "-E", "UTF8",
                *(initdb or ("--locale=C",)),
            )  # fmt: skip

    def program(self, name: str, *argv: str) -> None:
        """Run one of PostgreSQL's programs as the user who owns the cluster."""
        command = as_ordinary_user(str(self._programs / name), *argv)
        done = subprocess.run(command, capture_output=True, cwd="/", text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}{self.log()}"

    def log(self) -> str:
        """What the server wrote into its log."""
        path = self.folder / "log"
        return path.read_text(errors="replace")[-3000:] if path.is_file() else ""

    def start(self) -> PostgresServer:
        """Start the server and wait until it takes connections."""
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={self.port} "
            f"-c unix_socket_directories={self.folder} -c shared_buffers=32MB "
            f"-c recovery_init_sync_method=syncfs {self.options}"
        )
        self.program(
            "pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "-o", options,
            "start",
        )  # fmt: skip
        return self

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server; ``immediate`` is like a crash of all its processes."""
        command = [str(self._programs / "pg_ctl"), "-D", str(self.data), "-m", mode, "-w", "stop"]
        subprocess.run(as_ordinary_user(*command), capture_output=True, cwd="/", check=False)

    def kill(self) -> None:
        """End the whole server as the kernel would, without a word."""
        main = int((self.data / "postmaster.pid").read_text().split()[0])
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(main)], capture_output=True, text=True, check=False
        )
        for process in (main, *map(int, children.stdout.split())):
            os.kill(process, signal.SIGKILL)
        until = time.monotonic() + 30
        while time.monotonic() < until and Path(f"/proc/{main}").exists():
            time.sleep(0.02)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, schema: str = "firmground", *, user: str = "owner", more: str = "") -> str:
        """The address of a log in this server, over TCP."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/postgres?schema={schema}{more}"

    def psql(self, sql: str, *, database: str = "postgres", user: str = "owner") -> str:
        """Run SQL as the superuser, past everything of ours; return what it printed."""
        command = [str(self._programs / "psql"), "-h", str(self.folder), "-p", str(self.port)]
        command += ["-U", user, "-qAt", "-v", "ON_ERROR_STOP=1", "-c", sql, database]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
