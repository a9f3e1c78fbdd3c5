"""Reads the text layer of a PDF in a process of its own: PDF on standard input, lines out.

Each line is one JSON object: ``{"pages": 3, "title": "…"}`` first, then ``{"text": "…"}`` for each
page, or ``{"error": "…"}``. The process starts this file itself and imports nothing of the package.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any


def main() -> None:
    """Read the PDF and write a line for each page; the arguments are memory in bytes, page size."""
    memory, page_size = int(sys.argv[1]), int(sys.argv[2])
    _limit_memory(memory)
    data = sys.stdin.buffer.read()
    try:
        for message in _messages(data, page_size):
            _say(message)
    except MemoryError:
        _say({"error": "it needs too much memory"})
    except Exception as error:  # noqa: BLE001 - pypdf meets broken files with any exception there is
        _say({"error": f"not a readable PDF: {error or type(error).__name__}"})


def _messages(data: bytes, page_size: int) -> Any:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        yield {"error": "the PDF is locked with a password"}
        return
    title = str((reader.metadata and reader.metadata.title) or "")
    yield {"pages": len(reader.pages), "title": title}
    for page in reader.pages:
        text = (page.extract_text() or "").replace("\0", "")
        if len(text) > page_size:
            yield {"error": f"more than {page_size} characters of text"}
            return
        yield {"text": text}


def _say(message: dict[str, Any]) -> None:
    # Lone surrogates cannot be written as UTF-8, so everything but ASCII is escaped.
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # no such limit on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if most == resource.RLIM_INFINITY else min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


if __name__ == "__main__":
    main()
