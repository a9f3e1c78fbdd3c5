"""Hooks that do what no hook should; imported by the worker processes of the tests."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase


@dataclass(frozen=True, kw_only=True)
class Says:
    """Replies with whatever it was given."""

    reply: Any
    name: str = "says"

    async def ask(self, case: HookCase) -> Any:
        return self.reply


@dataclass(frozen=True, kw_only=True)
class Honest:
    """Says yes when the answer holds the word."""

    word: str
    name: str = "honest"
    version: str = "3"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        found = self.word in (case.answer or "")
        return HookReply(source="someone else", passed=found, message=f"looked for {self.word}")


@dataclass(frozen=True, kw_only=True)
class Does:
    """Misbehaves in the way named."""

    how: str
    path: str = ""
    name: str = "hostile"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        await getattr(self, "_" + self.how)()
        return HookReply(source=self.name, passed=True, message="should never be heard")

    async def _block(self) -> None:
        self._mark()
        time.sleep(60)

    async def _spin(self) -> None:
        self._mark()
        while True:
            pass

    async def _swallow(self) -> None:
        self._mark()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while True:
            try:
                await asyncio.sleep(60)
            except BaseException:  # noqa: BLE001 - that is the misbehaviour
                continue

    async def _flood(self) -> None:
        self._mark()
        while True:
            print("x" * 65536)
            sys.stderr.write("y" * 65536)

    async def _fork(self) -> None:
        """Leave descendants behind in sessions of their own."""
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.setsid()
                    self._mark()
                    while True:
                        time.sleep(1)
                os._exit(0)
        self._mark()
        time.sleep(60)

    async def _fork_and_return(self) -> None:
        if os.fork() == 0:
            os.setsid()
            self._mark()
            while True:
                time.sleep(1)

        while not Path(self.path).exists():
            time.sleep(0.01)

    async def _orphan_itself(self) -> None:
        with suppress(PermissionError):
            os.kill(os.getppid(), signal.SIGKILL)
        self._mark()
        time.sleep(600)

    async def _bomb(self) -> None:
        """Double seven times over, in sessions of their own; more would be hard to clean up."""
        for _ in range(7):
            with suppress(BlockingIOError):
                if os.fork() == 0:
                    os.setsid()
        self._mark()
        time.sleep(600)

    async def _thread_bomb(self) -> None:
        for _ in range(100):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        time.sleep(600)

    async def _exit(self) -> None:
        os._exit(0)

    async def _leave(self) -> None:
        sys.exit(0)

    async def _hog(self) -> None:
        bytearray(64 << 30)

    async def _time_out(self) -> None:
        raise TimeoutError("upstream")

    async def _raise(self) -> None:
        raise RuntimeError("boom")

    def _mark(self) -> None:
        if self.path:
            with Path(self.path).open("a") as file:
                file.write(f"{os.getpid()}\n")


def refuse() -> HookReply:
    return HookReply(source="x", passed=False, message="no", guidance="say it otherwise")


FAULT = Fault(source="x", kind=FaultKind.UNREACHABLE, message="gone")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Tells what it sees of an environment variable."""

    variable: str
    name: str = "environment"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        message = os.environ.get(self.variable, "absent")
        return HookReply(source=self.name, passed=True, message=message)


@dataclass(frozen=True, kw_only=True)
class Forges:
    """Writes a reply of its own into every descriptor it can find, and answers something else."""

    reply: bytes
    name: str = "forges"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, self.reply)
            except OSError:
                continue
        time.sleep(60)
        raise AssertionError


@dataclass(frozen=True, kw_only=True)
class Spoils:
    """Changes what it was asked, closes what it finds open, and leaves a thread behind."""

    how: str
    name: str = "spoils"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        if self.how == "mutate":
            object.__setattr__(case, "answer", "another answer")
        elif self.how == "close":
            os.closerange(0, 4096)
        elif self.how == "thread":
            threading.Thread(target=time.sleep, args=(60,)).start()
        return HookReply(source=self.name, passed=True, message=case.answer or "")


@dataclass(frozen=True, kw_only=True)
class Starts:
    """Starts processes like an honest hook: a few at once, one after another, and orphans."""

    how: str
    count: int
    name: str = "starts"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        getattr(self, "_" + self.how)()
        return HookReply(source=self.name, passed=True, message="started them all")

    def _in_turn(self) -> None:
        for _ in range(self.count):
            subprocess.run(["/bin/true"], check=True, start_new_session=True)

    def _at_once(self) -> None:
        running = [subprocess.Popen(["/bin/cat"], stdin=-1) for _ in range(self.count)]
        for process in running:
            process.communicate()

    def _threads(self) -> None:
        for _ in range(self.count):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()

    def _orphans(self) -> None:
        for _ in range(self.count):
            hear, tell = os.pipe()
            child = os.fork()
            if child == 0:
                os.fork()
                os._exit(0)
            os.close(tell)
            os.waitpid(child, 0)
            # Its end closes when the orphan has ended too.
            os.read(hear, 1)
            os.close(hear)


@dataclass(frozen=True, kw_only=True)
class Status:
    """Tells what the kernel says about the process it runs in."""

    name: str = "status"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        lines = Path("/proc/self/status").read_text().splitlines()
        message = next(line for line in lines if line.startswith("NoNewPrivs"))
        return HookReply(source=self.name, passed=True, message=message)


@dataclass(frozen=True, kw_only=True)
class Snoops:
    """Looks for a secret in the environment of every process it can see."""

    secret: str
    name: str = "snoops"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    if self.secret.encode() in (entry / "environ").read_bytes():
                        found.append(entry.name)
        return HookReply(source=self.name, passed=not found, message=",".join(found))


@dataclass(frozen=True, kw_only=True)
class Turns:
    """Turns against the worker it runs in, in the way named."""

    how: str
    name: str = "turns"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        told = getattr(self, "_" + self.how)()
        if isinstance(told, HookReply):
            return told
        return HookReply(source=self.name, passed=True, message=told or "still here")

    def _copy_passes(self) -> None:
        copy = os.fork()
        if copy != 0:
            os.waitpid(copy, 0)
            raise RuntimeError("no pass")

    def _copy_pretends(self) -> None:
        """The copy says that it is the process that was asked, and passes."""
        asked, copy = os.getpid(), os.fork()
        if copy != 0:
            os.waitpid(copy, 0)
            raise RuntimeError("no pass")
        os.getpid = lambda: asked

    def _signals_its_group(self) -> None:
        for number in (signal.SIGUSR2, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
            os.kill(0, number)
        time.sleep(0.5)

    def _kills_its_parent(self) -> None:
        with suppress(PermissionError):
            os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(0.5)

    def _kills_everybody(self) -> None:
        if (os.getppid(), os.getpid()) != (1, 2):
            raise AssertionError("not shut in: this would end the whole machine")
        if os.fork() == 0:
            os.kill(-1, signal.SIGKILL)
        time.sleep(600)

    def _kills_its_group(self) -> None:
        os.kill(0, signal.SIGKILL)

    def _stops(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def _hangs_at_exit(self) -> None:
        atexit.register(time.sleep, 600)

    def _leaves_a_thread(self) -> None:
        threading.Thread(target=time.sleep, args=(600,)).start()

    def _has_no_output(self) -> None:
        sys.stdout = sys.stderr = None

    def _huge_confidence(self) -> HookReply:
        return _sure(10**400)

    def _endless_confidence(self) -> HookReply:
        return _sure(10**6000)

    def _runs_first(self) -> None:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))

    def _tells_powers(self) -> str:
        lines = Path("/proc/self/status").read_text().splitlines()
        return "\n".join(x for x in lines if x.startswith(("CapPrm", "CapEff", "CapBnd")))

    def _tells_rank(self) -> str:
        return Path("/proc/self/oom_score_adj").read_text().strip()

    def _tells_processes(self) -> str:
        shown = sorted(int(e.name) for e in Path("/proc").iterdir() if e.name.isdigit())
        return f"{' '.join(map(str, shown))}, and I am {os.getpid()}"


def _sure(confidence: int) -> HookReply:
    verdict = HookReply(source="x", passed=True, message="")
    object.__setattr__(verdict, "confidence", confidence)
    return verdict
