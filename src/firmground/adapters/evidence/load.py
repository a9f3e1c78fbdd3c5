"""Which reader reads what: by the caller's word, by suffix, or by looking."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from firmground.adapters.evidence.decode import decode, read_file, within
from firmground.adapters.evidence.fetch import fetch_url, is_address
from firmground.adapters.evidence.htmltext import read_page
from firmground.adapters.evidence.limits import Loaded, Original, ReadLimits, Skipped, SourceLabel
from firmground.adapters.evidence.pdftext import read_pdf
from firmground.adapters.evidence.records import read_json, read_jsonl
from firmground.adapters.evidence.table import check_table
from firmground.core.evidence import Evidence, EvidenceKind
from firmground.core.redact import public_address
from firmground.errors import InputError

SUFFIXES: dict[str, EvidenceKind] = {
    ".txt": EvidenceKind.TEXT,
    ".text": EvidenceKind.TEXT,
    ".log": EvidenceKind.TEXT,
    ".md": EvidenceKind.MARKDOWN,
    ".markdown": EvidenceKind.MARKDOWN,
    ".html": EvidenceKind.HTML,
    ".htm": EvidenceKind.HTML,
    ".xhtml": EvidenceKind.HTML,
    ".pdf": EvidenceKind.PDF,
    ".json": EvidenceKind.RECORD,
    ".jsonl": EvidenceKind.RECORD,
    ".ndjson": EvidenceKind.RECORD,
    ".csv": EvidenceKind.TABLE,
    ".tsv": EvidenceKind.TABLE,
}
"""What a file's name says about its kind."""
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


def load_source(
    source: str,
    label: SourceLabel = SourceLabel(),  # noqa: B008 - frozen
    *,
    fetch: bool = False,
    private: bool = False,
) -> Loaded:
    """Read what a command line names: ``-``, ``@file``, ``kind:file``, a path, an address, text.

    ``fetch`` allows addresses, ``private`` also those of the own network.
    """
    if not source.strip():
        raise InputError("a source of evidence is empty; is a shell variable unset?")
    label, source = _prefixed(label, source)
    if source == "-":
        data = sys.stdin.buffer.read(label.limits.max_bytes + 1)
        return Loaded(evidence=load_bytes(data, "stdin", label))
    if is_address(source):
        data, suffix = fetch_url(source, allowed=fetch, private=private, limits=label.limits)
        return Loaded(evidence=load_bytes(data, public_address(source), label, suffix=suffix))
    if names_file(source):
        return load_path(named_path(source), label)
    return Loaded(evidence=load_text(source, "argument", label))


def names_file(source: str) -> bool:
    """True for what means a file, there or not; words with blanks between them are text."""
    if not source.strip():
        return False
    if source.startswith("@") and not any(c.isspace() for c in source):
        return True
    try:
        if Path(source).exists():
            return True
    except (OSError, ValueError):
        return False
    pathlike = os.sep in source or Path(source).suffix.lower() in SUFFIXES
    return pathlike and not any(c.isspace() for c in source)


def named_path(source: str) -> Path:
    """Return the path that a source names, or say what to do if it was meant as text."""
    path = Path(source.removeprefix("@"))
    if source.startswith("@") or path.exists():
        return path
    raise InputError(f"{path}: no such file (pipe text that looks like a path in, as -)")


def load_path(path: Path, label: SourceLabel = SourceLabel()) -> Loaded:  # noqa: B008 - frozen
    """Read one file, or every readable file of a folder."""
    if path.is_dir():
        return _load_folder(path, label)
    return Loaded(evidence=load_bytes(read_file(path, label.limits), str(path), label))


def load_bytes(
    data: bytes,
    origin: str,
    label: SourceLabel = SourceLabel(),  # noqa: B008 - frozen
    *,
    suffix: str = "",
) -> tuple[Evidence, ...]:
    """Read bytes as the kind that the label, the suffix or their beginning says."""
    suffix = (suffix or Path(origin).suffix).lower()
    data = within(data, origin, label.limits)
    if label.kind is EvidenceKind.PDF or data.startswith(b"%PDF-"):
        return read_pdf(data, origin, label)
    text, begin = decode(data, origin, label.encoding)
    return load_text(text, origin, label, suffix=suffix, begin=begin)


def load_text(
    text: str,
    origin: str,
    label: SourceLabel = SourceLabel(),  # noqa: B008 - frozen
    *,
    suffix: str = "",
    begin: int = 0,
) -> tuple[Evidence, ...]:
    """Read text as the kind that the label or the suffix says."""
    original = Original(
        text=text,
        origin=origin,
        kind=label.kind or SUFFIXES.get(suffix, EvidenceKind.TEXT),
        label=label,
        suffix=suffix,
        begin=begin,
    )
    if suffix in (".jsonl", ".ndjson"):
        return _bounded(read_jsonl(original), original)
    if suffix == ".json" or original.kind is EvidenceKind.RECORD:
        return _bounded(read_json(original), original)
    return (_READERS.get(original.kind, _verbatim)(original),)


def _verbatim(original: Original) -> Evidence:
    if not original.text.strip():
        raise InputError(f"{original.origin}: empty")
    return original.piece()


def _html(original: Original) -> Evidence:
    page = read_page(original.text)
    if not page.text.strip():
        raise InputError(f"{original.origin}: the page shows no text")
    begin = original.begin
    return replace(
        original.piece(page.text),
        id="",
        title=page.title,
        origin_start=None,
        origin_runs=tuple((a, b, c + begin, d + begin) for a, b, c, d in page.runs),
    )


def _table(original: Original) -> Evidence:
    check_table(original.text, original.origin, tabs=original.suffix == ".tsv")
    return original.piece()


_READERS: dict[EvidenceKind, Callable[[Original], Evidence]] = {
    EvidenceKind.HTML: _html,
    EvidenceKind.TABLE: _table,
}


def _bounded(pieces: Iterator[Evidence], original: Original) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    for piece in pieces:
        if len(found) >= original.label.limits.max_pieces:
            raise InputError(
                f"{original.origin}: more than {original.label.limits.max_pieces} records"
            )
        found.append(piece)
    return tuple(found)


def _prefixed(label: SourceLabel, source: str) -> tuple[SourceLabel, str]:
    """Take a kind off the front of ``kind:path``."""
    kind, colon, rest = source.partition(":")
    if (
        not colon
        or kind not in {str(k) for k in EvidenceKind}
        or not (rest == "-" or names_file(rest))
    ):
        return label, source
    return replace(label, kind=EvidenceKind(kind)), rest


def _load_folder(folder: Path, label: SourceLabel) -> Loaded:
    found: list[Evidence] = []
    skipped: list[Skipped] = []
    total = 0
    for number, (path, data) in enumerate(_walk(folder, label.limits, skipped)):
        if number >= label.limits.max_files:
            raise InputError(f"{folder}: more than {label.limits.max_files} files")
        total += len(data)
        if total > label.limits.max_total_bytes:
            raise InputError(f"{folder}: more than {label.limits.max_total_bytes} bytes in all")
        found.extend(load_bytes(data, str(path), label))
    if not found:
        raise InputError(f"{folder}: no file in it is of a kind that can be read")
    return Loaded(evidence=tuple(found), skipped=tuple(skipped))


def _walk(folder: Path, limits: ReadLimits, skipped: list[Skipped]) -> Iterator[tuple[Path, bytes]]:
    """Read the readable files below, in a fixed order; note those that are not.

    Folders and files are opened by name inside the folder that is open already, and no link is
    followed, also while names are being exchanged.
    """
    for root, folders, names, opened in os.fwalk(folder, follow_symlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            path = Path(root) / name
            reason, data = _why_unopened(path), b""
            if not reason:
                reason, data = _read_beneath(opened, path, limits)
            if reason:
                skipped.append(Skipped(origin=str(path), reason=reason))
            else:
                yield path, data


def _read_beneath(opened: int, path: Path, limits: ReadLimits) -> tuple[str, bytes]:
    """The bytes of a regular file in the opened folder, or why it is not read."""
    try:
        descriptor = os.open(path.name, _FILE, dir_fd=opened)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a symbolic link", b""
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as handle:
        if reason := _why_not(path.name, os.fstat(descriptor)):
            return reason, b""
        return "", within(handle.read(limits.max_bytes + 1), str(path), limits)


def _why_unopened(path: Path) -> str:
    if path.name.startswith("."):
        return "hidden"
    if path.suffix.lower() not in SUFFIXES:
        return f"no reader for {path.suffix or 'a name without suffix'}"
    return ""


def _why_not(name: str, found: os.stat_result) -> str:
    """Why an opened file called ``name`` is not read; empty when it is."""
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    return "" if found.st_size else "empty"
