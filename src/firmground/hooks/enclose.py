"""Shut a process in: its own process namespace, no network if told so, limits on what it uses.

Standard library only, because it also runs as a script in front of foreign programs::

    python -I -S enclose.py '{"network": false, "memory_bytes": 1073741824}' /usr/bin/program …
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from typing import NoReturn

CANNOT_ENCLOSE = 125
_NEW_USER = 0x10000000
_NEW_PROCESSES = 0x20000000
_NEW_NETWORK = 0x40000000
_DIE_WITH_PARENT = 1
_NO_NEW_PRIVILEGES = 38
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_MAKE_BLOCK_DEVICE = 1 << 11
_DROP_FROM_BOUNDS = 24
_LOOKING = (19, 21, 38)
"""CAP_SYS_PTRACE, CAP_SYS_ADMIN and CAP_PERFMON: with one of them, Landlock is looked past."""


def enclose(*, network: bool) -> bool:
    """Go on in a namespace of our own; False where the kernel does not let us.

    When the first process of the namespace ends, the kernel kills everything in it, however often
    it forked and whatever sessions it opened. Returns in a grandchild; parent and first process
    stay behind and end with its exit code.
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    _leash(libc)
    user, group = os.geteuid(), os.getegid()
    wanted = _NEW_PROCESSES | (0 if network else _NEW_NETWORK)
    if libc.unshare(wanted) != 0:
        if libc.unshare(wanted | _NEW_USER) != 0:
            return False
        _keep_identity(user, group)
    first = os.fork()
    if first != 0:
        _end_like(first)
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    # The first process of a namespace is deaf to signals from inside; a program must not be it.
    second = os.fork()
    if second != 0:
        _end_like(second)
    _look_at_nobody(libc)
    return True


def _leash(libc: ctypes.CDLL) -> None:
    """End with whoever started us, and let no set-user-id program grow beyond our reach."""
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _look_at_nobody(libc: ctypes.CDLL) -> None:
    """Bar the way to the memory and the environment of all processes outside, where Landlock is.

    ``/proc`` still shows them, and whoever runs as the same user could read our secrets there. The
    kernel lets no process of a Landlock domain look into one outside, whatever the domain forbids;
    ours forbids to make block devices.
    """
    handled = ctypes.c_uint64(_MAKE_BLOCK_DEVICE)
    ruleset = libc.syscall(
        ctypes.c_long(_LANDLOCK_CREATE),
        ctypes.byref(handled),
        ctypes.c_size_t(ctypes.sizeof(handled)),
        ctypes.c_uint32(0),
    )
    if ruleset >= 0:
        libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT), ctypes.c_int(ruleset), ctypes.c_uint32(0))
        os.close(ruleset)
    _drop_looking(libc)


def _drop_looking(libc: ctypes.CDLL) -> None:
    """Give up what lets root look into everybody; ordinary users never had it."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    if libc.capget(header, held) != 0:
        return
    for capability in _LOOKING:
        libc.prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0)
        for kind in range(3):
            held[capability // 32 * 3 + kind] &= ~(1 << capability % 32)
    libc.capset(header, held)


def _end_like(child: int) -> NoReturn:
    """Wait for this child and end the way it ended; a signal becomes 128 and its number."""
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _keep_identity(user: int, group: int) -> None:
    """Be the same user inside the namespace as outside."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def limit(*, cpu_seconds: int, memory_bytes: int, processes: int) -> None:
    """Lower what this process and its children may use; nothing raises it again."""
    for kind, value in (
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Shut ourselves in and become the program that is named."""
    try:
        _become()
    except BaseException:  # noqa: BLE001 - Python's own exit code for it is 1, which means no
        os._exit(CANNOT_ENCLOSE)


def _become() -> None:
    settings = json.loads(sys.argv[1])
    enclosed = enclose(network=settings["network"])
    if not enclosed and not settings["network"]:
        os._exit(CANNOT_ENCLOSE)
    limit(
        cpu_seconds=settings["cpu_seconds"],
        memory_bytes=settings["memory_bytes"],
        processes=settings["processes"],
    )
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - argv only, no shell


if __name__ == "__main__":
    main()
