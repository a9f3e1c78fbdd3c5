"""What can go wrong, drawn once.

::

    FirmgroundError
    ├── InputError                what a caller handed in is not usable; names file, line or key
    │   ├── CanonError            a value without a canonical form
    │   └── ConfigError           a setting that is unknown, missing or out of range
    ├── MissingExtra              an optional dependency is not installed; says what to type
    ├── LedgerError               the record could not be kept or read
    │   ├── LedgerUnavailable     disk, lock or queue said no: nothing was recorded
    │   ├── AppendOnlyViolation   something tried to change history
    │   ├── RecordNotFound        no such run, entry or checkpoint
    │   ├── RecordErased          the payload existed and was erased on purpose
    │   ├── SignerRefused         signing would contradict what was signed before
    │   └── UnsafeSQLite          this SQLite can corrupt a log shared by processes
    ├── ModelError                a model, judge or other outside party could not answer
    └── AnswerWithheld            a guard in another framework did not release an answer

A fact that could not be established is never an exception that someone forgets to catch:
checks return a ``Fault`` (see ``core.finding``). Exceptions are for callers' mistakes and for
records that could not be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEYS = re.compile(
    r"PRIVATE\+KEY\+[^\s'\"]+"
    r"|\b(?:sk|gsk|hf|ghp|gho|ghs|xai|pplx|nvapi|AIza|AKIA|xox[abp])[-_A-Z0-9][-\w+/=.]{10,}"
)


def mask_keys(text: str) -> str:
    """The text with ``[key]`` for every word that has the shape of a secret key.

    >>> mask_keys("sk-abcdefghijklmnop: no such file")
    '[key]: no such file'
    """
    return _KEYS.sub("[key]", text)


class FirmgroundError(Exception):
    """Everything firmground raises on purpose; no message repeats a key given by mistake.

    >>> issubclass(InputError, FirmgroundError) and issubclass(ModelError, FirmgroundError)
    True
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(mask_keys(each) if isinstance(each, str) else each for each in args))


class InputError(FirmgroundError, ValueError):
    """What a caller handed in is not usable.

    >>> import firmground
    >>> try:
    ...     firmground.check("", "evidence")
    ... except InputError as error:
    ...     print(error)
    answer is empty
    """


class CanonError(InputError):
    """The value has no canonical form; the message names the path inside it."""


class ConfigError(InputError):
    """A setting is unknown, missing or out of range; the message names file and key."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(map(mask_keys, problems))
        """One line for each mistake."""


class MissingExtra(FirmgroundError, ImportError):  # noqa: N818 - reads as what is the case
    """An optional dependency is not installed; the message says what to type."""

    def __init__(self, *, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}: type  pip install 'firmground[{extra}]'  "
            f"(in a clone:  pip install '.[{extra}]')"
        )
        self.package = package
        self.extra = extra


class LedgerError(FirmgroundError):
    """The record could not be kept or read."""


class LedgerUnavailable(LedgerError):  # noqa: N818 - reads as what is the case
    """Nothing was recorded: the disk, the lock or the queue said no."""


class AppendOnlyViolation(LedgerError):  # noqa: N818 - reads as what is the case
    """Something tried to change what is already in the log."""


class RecordNotFound(LedgerError, LookupError):  # noqa: N818 - reads as what is the case
    """No such run, entry or checkpoint in this log."""


class RecordErased(LedgerError):  # noqa: N818 - reads as what is the case
    """The payload existed and was erased on purpose; its commitment is still in the log."""


class SignerRefused(LedgerError):  # noqa: N818 - reads as what is the case
    """Signing this checkpoint would contradict one that was signed before."""


class UnsafeSQLite(LedgerError):  # noqa: N818 - reads as what is the case
    """This SQLite version can corrupt a log that several processes open."""


class ModelError(FirmgroundError):
    """A model, judge or other outside party could not answer.

    >>> str(ModelError("no reply", kind="timeout"))
    'no reply'
    """

    def __init__(self, message: str, *, kind: str = "crashed") -> None:
        super().__init__(message)
        self.kind = kind
        """Why, in the words of ``core.finding.FaultKind``."""


class AnswerWithheld(FirmgroundError):  # noqa: N818 - reads as what is the case
    """A guard in another framework did not release an answer; the message says why."""

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result
        """The ``Result`` of the check."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean …?`` for a word that comes close to a known one, else nothing."""
    from difflib import get_close_matches  # only a mistake pays for it

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
