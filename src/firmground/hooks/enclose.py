"""Sandbox a process: own process namespace, optionally no network, limits on resources.

Every fork in the sandbox needs the permission of its first process, which limits their number.

Standard library only, because it also runs as a script in front of third-party programs::

    python -I -S enclose.py '{"network": false, "memory_bytes": 1073741824}' /usr/bin/program …
"""

from __future__ import annotations

# The module "socket" takes as long to import as this program takes to run.
import _socket
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from typing import NoReturn

CANNOT_ENCLOSE = 125
CROWDED = -signal.SIGUSR2
"""How a process ends that had too many in its namespace; what a program does never looks so."""
_MARGIN = 16
"""The kernel's own limit is this much higher than ours, so that ours is reached first and reported.
"""
_NEW_USER = 0x10000000
_NEW_PROCESSES = 0x20000000
_NEW_NETWORK = 0x40000000
_DIE_WITH_PARENT = 1
_NO_NEW_PRIVILEGES = 38
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_MAKE_BLOCK_DEVICE = 1 << 11
_SIGNALS = 1 << 1
_ADOPT_ORPHANS = 36
_DROP_FROM_BOUNDS = 24
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_FORKS: dict[str, dict[int, tuple[int, ...]]] = {
    "x86_64": {0xC000003E: (56, 57, 58, 435), 0x40000003: (2, 120, 190, 435)},
    "aarch64": {0xC00000B7: (220, 435), 0x40000028: (2, 120, 190, 435)},
}
"""By machine and calling convention: the numbers of clone, fork, vfork and clone3."""
_SET_FILTER, _NEW_LISTENER, _ONLY_DEATH_INTERRUPTS = 1, 1 << 3, 1 << 5
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_GO_ON = 1
_MOST_SWEEPS, _BETWEEN_SWEEPS_SECONDS = 5000, 0.001
_KEPT_POWERS = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31)
"""What root keeps: what concerns files, users and ports. With the rest it could look past Landlock,
raise its own limits, run before everybody else or load code into the kernel."""
_NEW_MOUNTS = 0x00020000
_NOT_OUTWARDS = 1 << 14 | 1 << 19
_PLAIN_DATA = 2 | 4 | 8


def enclose(*, network: bool, processes: int) -> bool:
    """Go on in a namespace of our own; False where the kernel does not let us.

    When the first process of the namespace ends, the kernel kills everything in it, however often
    it forked and whatever sessions it opened. Returns in a grandchild; parent and first process
    stay behind and end with its exit code, or as ``CROWDED`` when somebody in there would start
    one more process or thread than ``processes``. Without a namespace the first process ends the
    others one by one, as far as it finds them.
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    _leash(libc)
    enclosed = _unshared(libc, network)
    hear, tell = os.pipe()
    parent, first = os.getpid(), os.fork()
    if first != 0:
        os.close(tell)
        _end_like(first, hear)
    if enclosed:
        libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        _show_only_us(libc)
    else:
        _adopt(libc, parent)
    ours, theirs = _socket.socketpair()
    # The first process of a namespace is deaf to signals from inside; a program must not be it.
    second = os.fork()
    if second != 0:
        theirs.close()
        _keep_order(second, _handed_over(ours), processes, tell, enclosed)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.close(hear)
    os.close(tell)
    ours.close()
    # What it sends to its whole group must not reach those who watch over it.
    os.setsid()
    _be_first_to_go()
    _look_at_nobody(libc)
    _ask_before_forking(libc, theirs)
    return enclosed


def _unshared(libc: ctypes.CDLL, network: bool) -> bool:
    """Have namespaces for the processes to come, with the help of one for users if need be."""
    user, group = os.geteuid(), os.getegid()
    wanted = _NEW_PROCESSES | _NEW_MOUNTS | (0 if network else _NEW_NETWORK)
    if libc.unshare(wanted) == 0:
        return True
    if libc.unshare(wanted | _NEW_USER) != 0:
        return False
    _keep_identity(user, group)
    return True


def _adopt(libc: ctypes.CDLL, parent: int) -> None:
    """Re-parent orphaned grandchildren to this process, and end them all when its parent exits."""
    signal.signal(signal.SIGTERM, lambda *_: _swept_away())
    libc.prctl(_DIE_WITH_PARENT, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(CANNOT_ENCLOSE)
    libc.prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    # Whoever ends the group of our parent leaves us the time to end the others.
    os.setsid()


def _leash(libc: ctypes.CDLL) -> None:
    """End with the process that started us, and disable set-user-id programs."""
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _show_only_us(libc: ctypes.CDLL) -> None:
    """Have ``/proc`` show this namespace only, where we may mount it."""
    if libc.mount(None, b"/", None, ctypes.c_ulong(_NOT_OUTWARDS), None) == 0:
        libc.mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(_PLAIN_DATA), None)


def _be_first_to_go() -> None:
    """When memory runs out, let it be us and our children whom the kernel ends, not our parents."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _look_at_nobody(libc: ctypes.CDLL) -> None:
    """Block access to the memory and environment of processes outside, where Landlock is available.

    ``/proc`` may show them, and a process of the same user could read our secrets there. The kernel
    lets no process of a Landlock domain inspect one outside, whatever the domain forbids; ours
    forbids creating block devices and, from Linux 6.12 on, sending signals out of it.
    """
    for rules in ((_MAKE_BLOCK_DEVICE, 0, _SIGNALS), (_MAKE_BLOCK_DEVICE,)):
        handled = (ctypes.c_uint64 * len(rules))(*rules)
        ruleset = libc.syscall(
            ctypes.c_long(_LANDLOCK_CREATE),
            ctypes.byref(handled),
            ctypes.c_size_t(ctypes.sizeof(handled)),
            ctypes.c_uint32(0),
        )
        if ruleset >= 0:
            restrict = ctypes.c_long(_LANDLOCK_RESTRICT)
            libc.syscall(restrict, ctypes.c_int(ruleset), ctypes.c_uint32(0))
            os.close(ruleset)
            break
    _drop_powers(libc)


def _drop_powers(libc: ctypes.CDLL) -> None:
    """Give up most of what makes root root; ordinary users never had it."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    if libc.capget(header, held) != 0:
        return
    for power in set(range(64)).difference(_KEPT_POWERS):
        libc.prctl(_DROP_FROM_BOUNDS, power, 0, 0, 0)
        for kind in range(3):
            held[power // 32 * 3 + kind] &= ~(1 << power % 32)
    libc.capset(header, held)


def _end_like(child: int, crowded: int) -> NoReturn:
    """Wait for this child and end with its exit code, or as ``CROWDED`` when it reported that."""
    _, status = os.waitpid(child, 0)
    if os.read(crowded, 1):
        os.kill(os.getpid(), -CROWDED)
    _leave(status)


def _leave(status: int) -> NoReturn:
    """End with the exit status of another process; a signal becomes 128 and its number."""
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _ask_before_forking(libc: ctypes.CDLL, hand_over: _socket.socket) -> None:
    """Have every fork from here on wait for the first process, where the kernel can do that.

    Limits of the kernel know exceptions: the one on the number of processes does not hold for root.
    """
    code = b"".join(_filter(_FORKS.get(os.uname().machine, {})))
    held = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    call = ctypes.c_long(_SECCOMP.get(os.uname().machine, -1))
    for extra in (_ONLY_DEATH_INTERRUPTS, 0):
        listener = libc.syscall(
            call, ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_NEW_LISTENER | extra), program
        )
        if listener >= 0:
            hand_over.sendmsg(
                [b"!"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))]
            )
            os.close(listener)
            break
    hand_over.close()


def _filter(forks: dict[int, tuple[int, ...]]) -> list[bytes]:
    """A program for the kernel: ask about these calls, let all others pass."""
    code = [_instruction(0x20, 4)]
    for convention, calls in forks.items():
        code.append(_instruction(0x15, convention, otherwise=len(calls) + 4))
        # One bit of the number only says how wide pointers are.
        code += [_instruction(0x20, 0), _instruction(0x54, ~(1 << 30) & 0xFFFFFFFF)]
        code += [
            _instruction(0x15, call, then=len(calls) - place) for place, call in enumerate(calls)
        ]
        code += [_instruction(0x06, _ALLOW), _instruction(0x06, _ASK)]
    return [*code, _instruction(0x06, _ALLOW)]


def _instruction(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)


def _handed_over(ours: _socket.socket) -> int | None:
    """The file descriptor on which forks are announced, or None without the kernel's support."""
    _, sent, _, _ = ours.recvmsg(1, _socket.CMSG_LEN(4))
    ours.close()
    return struct.unpack("i", sent[0][2])[0] if sent else None


def _keep_order(
    child: int, listener: int | None, most: int, crowded: int, enclosed: bool
) -> NoReturn:
    """As the first process: bury the dead, and let no crowd come about."""
    end_all = _end_namespace if enclosed else _sweep
    while listener is None:
        _bury(child, 0, end_all)
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    waiting.register(os.pidfd_open(child), select.POLLIN)
    started, room = 1, most - 1
    while True:
        asked = (listener, select.POLLIN) in waiting.poll()
        _bury(child, os.WNOHANG, end_all)
        if asked and room < 1:
            room = most - (_alive(started) if enclosed else sum(_below().values()))
            if room < 1:
                os.write(crowded, b"!")
                # Before we end ourselves: processes still waiting for an answer would get one
                # otherwise.
                end_all()
                os._exit(CANNOT_ENCLOSE)
        if asked:
            started, room = started + 1, room - 1
            _let_go_on(listener)


def _end_namespace() -> None:
    """End everybody in the namespace but the first process, which we are."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _sweep() -> None:
    """Kill all descendants, again and again until none is left."""
    for _ in range(_MOST_SWEEPS):
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        below = _below()
        if not below:
            return
        for number in below:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        time.sleep(_BETWEEN_SWEEPS_SECONDS)


def _swept_away() -> NoReturn:
    _sweep()
    os._exit(CANNOT_ENCLOSE)


def _below() -> dict[int, int]:
    """Our children and theirs, each with the number of its threads."""
    told: dict[int, list[tuple[int, int]]] = {}
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            told.setdefault(int(fields[1]), []).append((int(entry), int(fields[17])))
    found: dict[int, int] = {}
    parents = [os.getpid()]
    while parents:
        children = dict(told.get(parents.pop(), ()))
        parents += children
        found.update(children)
    return found


def _let_go_on(listener: int) -> None:
    asked = bytearray(80)
    # Whoever asked may have been killed meanwhile.
    with suppress(OSError):
        ioctl(listener, _RECEIVE, asked)
        ioctl(listener, _ANSWER, struct.pack("=8sqiI", asked[:8], 0, 0, _GO_ON))


def _bury(child: int, flags: int, end_all: Callable[[], None]) -> None:
    """Take leave of everybody who ended, and end like this child once it has."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, flags))[0] != 0:
            if ended[0] == child:
                end_all()
                _leave(ended[1])


def _alive(started: int) -> int:
    """How many processes and threads there are besides the first, when so many were started."""
    count = 0
    for number in range(2, started + 2):
        with suppress(ProcessLookupError):
            os.kill(number, 0)
            count += 1
    return count


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
        (resource.RLIMIT_NPROC, min(processes + _MARGIN, sys.maxsize)),
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
    enclosed = enclose(network=settings["network"], processes=settings["processes"])
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
