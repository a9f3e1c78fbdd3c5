"""Signs a checkpoint after so many entries, or so long after the first unsigned one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from firmground.errors import FirmgroundError, InputError, LedgerUnavailable, SignerRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPolicy:
    """Sign after this many entries or seconds, whichever comes first, and only if there are new."""

    entries: int = 1_000
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.entries < 1 or self.seconds <= 0:
            raise InputError(f"a checkpoint policy needs entries >= 1 and seconds > 0, got {self}")

    def wait(self, *, unsigned: int, waited: float) -> float | None:
        """Seconds until a checkpoint is due: 0 is now, None is not before something is written."""
        if unsigned <= 0:
            return None
        return 0.0 if unsigned >= self.entries else max(0.0, self.seconds - waited)


class Checkpointer:
    """A thread that signs when it is due. A refusal is final; other failures are tried again."""

    def __init__(
        self,
        *,
        policy: CheckpointPolicy,
        sign: Callable[[], int],
        refused: Callable[[SignerRefused], None],
        signed: int,
    ) -> None:
        self._policy = policy
        self._sign = sign
        self._refused = refused
        self._size = self._signed = signed
        self._since = 0.0
        self._closed = False
        self._news = threading.Condition()
        self.trouble: FirmgroundError | None = None
        """Why the last attempt failed; None once one has succeeded."""
        self._thread = threading.Thread(target=self._loop, name="firmground-signer", daemon=True)
        self._thread.start()

    def told(self, size: int) -> None:
        """Notify the checkpointer that the log has grown."""
        with self._news:
            if self._size <= self._signed < size:
                self._since = time.monotonic()
            grown, self._size = size > self._size, max(size, self._size)
            if grown:
                self._news.notify()

    def signed(self, size: int) -> None:
        """Hear that a checkpoint of this size was signed."""
        with self._news:
            self._signed = max(size, self._signed)
            self._since = time.monotonic()

    def close(self) -> None:
        """End the thread; the last checkpoint is the caller's to sign."""
        with self._news:
            self._closed = True
            self._news.notify()
        self._thread.join()

    def _loop(self) -> None:
        while self._due():
            try:
                self.signed(self._sign())
                self.trouble = None
            except SignerRefused as error:
                self.trouble = error
                self._refused(error)
                return
            except FirmgroundError as error:
                self.trouble = error
                self._rest()
            except Exception as error:  # noqa: BLE001 - a thread that ends checker_failed signs no more
                self.trouble = LedgerUnavailable(f"signing failed: {error!r}")
                self._rest()

    def _rest(self) -> None:
        """A disk that said no is not asked again at once."""
        with self._news:
            until = time.monotonic() + self._policy.seconds
            while not self._closed and (left := until - time.monotonic()) > 0:
                self._news.wait(left)

    def _due(self) -> bool:
        with self._news:
            while not self._closed:
                waited = time.monotonic() - self._since
                wait = self._policy.wait(unsigned=self._size - self._signed, waited=waited)
                if wait == 0:
                    return True
                self._news.wait(wait)
            return False
