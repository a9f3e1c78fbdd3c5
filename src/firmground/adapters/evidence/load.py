"""Which reader reads what: by the caller's word, by suffix, or by looking."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from firmground.adapters.evidence.decode import decode, read_file, within
from firmground.adapters.evidence.fetch import fetch_url, is_address
from firmground.adapters.evidence.htmltext import read_page
from firmground.adapters.evidence.limits import Label, Loaded, Original, Skipped
from firmground.adapters.evidence.pdftext import read_pdf
from firmground.adapters.evidence.records import read_json, read_jsonl
from firmground.adapters.evidence.table import check_table
from firmground.core.evidence import Evidence, Kind
from firmground.errors import InputError

SUFFIXES: dict[str, Kind] = {
    ".txt": Kind.TEXT,
    ".text": Kind.TEXT,
    ".log": Kind.TEXT,
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".pdf": Kind.PDF,
    ".json": Kind.RECORD,
    ".jsonl": Kind.RECORD,
    ".ndjson": Kind.RECORD,
    ".csv": Kind.TABLE,
    ".tsv": Kind.TABLE,
}
"""What a file's name says about its kind."""


def load_source(source: str, label: Label = Label(), *, fetch: bool = False) -> Loaded:  # noqa: B008 - frozen
    """Read what a command line names: ``-``, ``@file``, ``kind:file``, a path, an address, text."""
    if not source.strip():
        raise InputError("a source of evidence is empty; is a shell variable unset?")
    label, source = _prefixed(label, source)
    if source == "-":
        data = sys.stdin.buffer.read(label.limits.max_bytes + 1)
        return Loaded(evidence=load_bytes(data, "stdin", label))
    if is_address(source):
        data, suffix = fetch_url(source, allowed=fetch, limits=label.limits)
        return Loaded(evidence=load_bytes(data, source, label, suffix=suffix))
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


def load_path(path: Path, label: Label = Label()) -> Loaded:  # noqa: B008 - frozen
    """Read one file, or every readable file of a folder."""
    if path.is_dir():
        return _load_folder(path, label)
    return Loaded(evidence=load_bytes(read_file(path, label.limits), str(path), label))


def load_bytes(
    data: bytes,
    origin: str,
    label: Label = Label(),  # noqa: B008 - frozen
    *,
    suffix: str = "",
) -> tuple[Evidence, ...]:
    """Read bytes as the kind that the label, the suffix or their beginning says."""
    suffix = (suffix or Path(origin).suffix).lower()
    data = within(data, origin, label.limits)
    if label.kind is Kind.PDF or data.startswith(b"%PDF-"):
        return read_pdf(data, origin, label)
    text, begin = decode(data, origin, label.encoding)
    return load_text(text, origin, label, suffix=suffix, begin=begin)


def load_text(
    text: str,
    origin: str,
    label: Label = Label(),  # noqa: B008 - frozen
    *,
    suffix: str = "",
    begin: int = 0,
) -> tuple[Evidence, ...]:
    """Read text as the kind that the label or the suffix says."""
    original = Original(
        text=text,
        origin=origin,
        kind=label.kind or SUFFIXES.get(suffix, Kind.TEXT),
        label=label,
        suffix=suffix,
        begin=begin,
    )
    if suffix in (".jsonl", ".ndjson"):
        return _bounded(read_jsonl(original), original)
    if suffix == ".json" or original.kind is Kind.RECORD:
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


_READERS: dict[Kind, Callable[[Original], Evidence]] = {
    Kind.HTML: _html,
    Kind.TABLE: _table,
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


def _prefixed(label: Label, source: str) -> tuple[Label, str]:
    """Take a kind off the front of ``kind:path``."""
    kind, colon, rest = source.partition(":")
    if not colon or kind not in {str(k) for k in Kind} or not (rest == "-" or names_file(rest)):
        return label, source
    return replace(label, kind=Kind(kind)), rest


def _load_folder(folder: Path, label: Label) -> Loaded:
    found: list[Evidence] = []
    skipped: list[Skipped] = []
    total = 0
    for number, path in enumerate(_walk(folder, skipped)):
        if number >= label.limits.max_files:
            raise InputError(f"{folder}: more than {label.limits.max_files} files")
        data = read_file(path, label.limits)
        total += len(data)
        if total > label.limits.max_total_bytes:
            raise InputError(f"{folder}: more than {label.limits.max_total_bytes} bytes in all")
        found.extend(load_bytes(data, str(path), label))
    if not found:
        raise InputError(f"{folder}: no file in it is of a kind that can be read")
    return Loaded(evidence=tuple(found), skipped=tuple(skipped))


def _walk(folder: Path, skipped: list[Skipped]) -> Iterable[Path]:
    """Name the readable files below, in a fixed order; note those that are not."""
    for root, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            path = Path(root) / name
            reason = _why_not(path)
            if reason:
                skipped.append(Skipped(origin=str(path), reason=reason))
            else:
                yield path


def _why_not(path: Path) -> str:
    if path.name.startswith("."):
        return "hidden"
    if path.is_symlink():
        return "a symbolic link"
    if not path.is_file():
        return "not a regular file"
    if path.suffix.lower() not in SUFFIXES:
        return f"no reader for {path.suffix or 'a name without suffix'}"
    return "" if path.stat().st_size else "empty"
