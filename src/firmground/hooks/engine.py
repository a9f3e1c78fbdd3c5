"""Ask all hooks of a phase side by side, each under its own deadline and all under one."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import ConfigError, InputError, MissingExtra
from firmground.hooks.breaker import Breakers
from firmground.hooks.isolated import IsolatedHook, PackedCase
from firmground.hooks.registered import Phase, Registered
from firmground.hooks.reply import asked_digest, beside, bound, case_digest, redacted
from firmground.hooks.workers import WorkerLimits

_MOST_LETTERS = 400
_GRACE_SECONDS = 0.05
_WORKER_GRACE_SECONDS = 0.18
_MOST_DETAILS_AT_ONCE = 200
_DIGEST = re.compile(r"(?:[0-9a-f]{64})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What the hooks of one phase share."""

    case: HookCase
    until: float
    seats: asyncio.Semaphore
    targets: dict[str, asyncio.Semaphore]
    """How many hooks of one target are asked at once: as many as open its breaker."""
    parcels: PackedCase = field(default_factory=PackedCase)


class HookEngine:
    """Asks hooks and returns what each said, or why it could not be asked.

    A fault is never a pass; a reply of the wrong type is a fault; the order of the replies is the
    order of registration.
    """

    def __init__(
        self,
        hooks: Iterable[Registered],
        *,
        deadline_seconds: float = 30.0,
        breakers: Breakers | None = None,
        limits: WorkerLimits | None = None,
        most_workers: int = 8,
    ) -> None:
        self.hooks = tuple(hooks)
        if not self.hooks:
            raise InputError("an engine without hooks checks nothing; register at least one")
        if not 0 < deadline_seconds < math.inf:
            raise InputError(f"deadline_seconds must be above 0, got {deadline_seconds}")
        if most_workers < 1:
            raise InputError(f"most_workers must be at least 1, got {most_workers}")
        _no_twins(self.hooks)
        self.deadline_seconds = deadline_seconds
        self.breakers = breakers or Breakers()
        self._limits = limits or WorkerLimits()
        self._most_workers = most_workers
        self._abandoned: set[asyncio.Task[Any]] = set()

    async def run(
        self, case: HookCase, *, phase: Phase = Phase.AFTER
    ) -> tuple[HookReply | Fault, ...]:
        """Ask every hook of this phase; no hook outlives its deadline here."""
        chosen = [hook for hook in self.hooks if hook.phase.covers(phase)]
        run = _Run(
            case=case,
            until=asyncio.get_running_loop().time() + self.deadline_seconds,
            seats=asyncio.Semaphore(self._most_workers),
            targets={
                hook.target: asyncio.Semaphore(self.breakers.policy.threshold) for hook in chosen
            },
        )
        # First of all: a case that has no digest is nothing to ask about.
        digest = await beside(case_digest, case) if chosen else b""
        asking = [asyncio.ensure_future(self._one(hook, run)) for hook in chosen]
        try:
            replies = await asyncio.gather(*asking)
            both = zip(chosen, replies, strict=True)
            return tuple([await _signed(hook, reply, digest) for hook, reply in both])
        finally:
            for task in asking:
                task.cancel()

    async def _one(self, hook: Registered, run: _Run) -> HookReply | Fault:
        """Ask one hook when its target has room; hooks of a target that is down are skipped."""
        room = run.targets[hook.target]
        try:
            async with asyncio.timeout_at(run.until):
                await room.acquire()
        except TimeoutError:
            why = "hooks of the same target took until the deadline of the phase"
            return _stamped(hook, _fault(hook, FaultKind.SKIPPED, why))
        try:
            return _stamped(hook, await self._admitted(hook, run))
        finally:
            room.release()

    async def _admitted(self, hook: Registered, run: _Run) -> HookReply | Fault:
        admission = self.breakers.admit(hook.target)
        if not admission.admitted:
            why = self.breakers.why_held_back(hook.target)
            return _fault(hook, FaultKind.BREAKER_OPEN, why)
        reply: HookReply | Fault | None = None
        try:
            reply = await self._asked(hook, run)
            return reply
        finally:
            self.breakers.record(hook.target, admission, reply)

    async def _asked(self, hook: Registered, run: _Run) -> HookReply | Fault:
        if hook.inline:
            return await self._within(hook, run)
        try:
            async with asyncio.timeout_at(run.until):
                await run.seats.acquire()
        except TimeoutError:
            # Waiting for others says nothing about this one: its breaker must not count it.
            why = "no worker was free before the deadline of the phase"
            return _fault(hook, FaultKind.SKIPPED, why)
        try:
            return await self._within(hook, run)
        finally:
            run.seats.release()

    async def _within(self, hook: Registered, run: _Run) -> HookReply | Fault:
        """Ask now, and turn our back at the hook's own deadline or that of the phase."""
        loop = asyncio.get_running_loop()
        own_end = loop.time() + hook.timeout_seconds
        end = min(run.until, own_end)
        if hook.inline:
            work = _inline(hook, run.case)
        else:
            worker = IsolatedHook(
                hook=hook.hook, name=hook.name, limits=self._limits, parcels=run.parcels
            )
            work = _shut_in(worker, run.case, end)
        # A task and asyncio.wait, not wait_for: a hook that swallows its cancellation must not
        # keep us waiting.
        task = loop.create_task(work)
        # A worker keeps the deadline itself; the grace lets us see it dead.
        grace = 0.0 if hook.inline else _WORKER_GRACE_SECONDS
        try:
            await asyncio.wait({task}, timeout=max(0.0, end + grace - loop.time()))
        except asyncio.CancelledError:
            self._let_go(task)
            raise
        if not task.done():
            await self._called_off(task)
            which = "its own deadline" if end == own_end else "the deadline of the phase"
            return _fault(hook, FaultKind.TIMEOUT, f"no reply before {which}")
        reply = _checked(hook, task)
        return reply if hook.inline else redacted(reply, self._limits.secrets, cut=True)

    async def _called_off(self, task: asyncio.Task[Any]) -> None:
        """Cancel, leave a moment for putting things away, then turn our back."""
        task.cancel()
        try:
            await asyncio.wait({task}, timeout=_GRACE_SECONDS)
        finally:
            self._let_go(task)

    def _let_go(self, task: asyncio.Task[Any]) -> None:
        """Cancel and keep a reference, so that the loop neither loses nor reports the task."""
        task.cancel()
        self._abandoned.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._abandoned.discard(task)
        if not task.cancelled():
            task.exception()


def _no_twins(hooks: tuple[Registered, ...]) -> None:
    names = [hook.name for hook in hooks]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise InputError(f"two hooks are called {', '.join(map(repr, twins))}; names must differ")


def raised(error: BaseException) -> str:
    """An exception in words, even one that cannot say what it is."""
    try:
        return f"raised {type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - the wall around other people's __str__
        return f"raised {type(error).__name__}"


def _fault(hook: Registered, kind: FaultKind, message: str) -> Fault:
    return Fault(source=hook.name, kind=kind, message=message[:_MOST_LETTERS], version=hook.version)


async def _inline(hook: Registered, case: HookCase) -> object:
    try:
        return await hook.hook.ask(case)
    except (MissingExtra, ConfigError) as error:
        return _fault(hook, FaultKind.MISCONFIGURED, str(error))
    except SystemExit as error:
        # Left alone it would end the whole event loop.
        return _fault(hook, FaultKind.CRASHED, f"tried to exit with {error.code!r}")


async def _shut_in(worker: IsolatedHook, case: HookCase, end: float) -> object:
    left = end - asyncio.get_running_loop().time()
    return await worker.ask_within(case, seconds=left)


def _checked(hook: Registered, task: asyncio.Task[Any]) -> HookReply | Fault:
    """Take only a well-formed reply for one."""
    if task.cancelled():
        return _fault(hook, FaultKind.CRASHED, "the hook cancelled itself")
    error = task.exception()
    if error is not None:
        return _fault(hook, FaultKind.CRASHED, raised(error))
    reply = task.result()
    try:
        return _taken(hook, reply)
    except Exception:  # noqa: BLE001 - a reply may be an object that fails when it is looked at
        return _fault(hook, FaultKind.BAD_REPLY, f"replied with a broken {type(reply).__name__}")


def _stamped(hook: Registered, reply: HookReply | Fault) -> HookReply | Fault:
    """The reply with the time, and with whether a person must decide about it."""
    escalate = hook.escalate if reply.escalate is None else reply.escalate
    return replace(reply, escalate=escalate, at=datetime.now(UTC).isoformat())


def _taken(hook: Registered, reply: object) -> HookReply | Fault:
    if isinstance(reply, Fault):
        if not isinstance(reply.kind, FaultKind) or not isinstance(reply.message, str):
            return _fault(hook, FaultKind.BAD_REPLY, "replied with a Fault of no known kind")
        told = reply.escalate if isinstance(reply.escalate, bool) else None
        return replace(_fault(hook, reply.kind, reply.message), escalate=told)
    if not isinstance(reply, HookReply):
        said = type(reply).__name__
        return _fault(hook, FaultKind.BAD_REPLY, f"replied with {said}, not a HookReply or Fault")
    if problem := malformed(reply):
        return _fault(hook, FaultKind.BAD_REPLY, problem)
    return reply


async def _signed(hook: Registered, reply: HookReply | Fault, case: bytes) -> HookReply | Fault:
    """Put the registered name and both digests on a verdict."""
    if isinstance(reply, Fault):
        return reply
    sign = partial(bound, reply, name=hook.name, version=hook.version)
    asked = asked_digest(hook.name, case)
    if len(reply.details) <= _MOST_DETAILS_AT_ONCE:
        return sign(asked=asked)
    return await asyncio.to_thread(sign, asked=asked)


def malformed(verdict: HookReply) -> str:  # noqa: PLR0911 - one return a field
    """What is wrong with a verdict's fields, or nothing; ``passed`` must be a real yes or no."""
    if type(verdict.passed) is not bool:
        return f"verdict.passed is {verdict.passed!r}, not True or False"
    for name in ("message", "guidance", "version", "replied"):
        if not isinstance(getattr(verdict, name), str):
            return f"verdict.{name} is not text"
    if not _DIGEST.match(verdict.replied):
        return "verdict.replied is not a SHA-256 in hexadecimal"
    pairs = verdict.details
    if not isinstance(pairs, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        for pair in pairs
    ):
        return "verdict.details is not a tuple of pairs of texts"
    if verdict.escalate is not None and type(verdict.escalate) is not bool:
        return "verdict.escalate is not True, False or None"
    if isinstance(verdict.confidence, bool) or not isinstance(verdict.confidence, float | int):
        return "verdict.confidence is not a number"
    return ""
