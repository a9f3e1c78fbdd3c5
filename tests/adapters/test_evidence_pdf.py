"""A PDF is read in a worker with a deadline for each page, a size limit and a memory limit."""

from __future__ import annotations

import time
import zlib

import pytest

from firmground.adapters.evidence import ReadLimits, load_bytes
from firmground.adapters.evidence.limits import SourceLabel
from firmground.errors import InputError

pytest.importorskip("pypdf", reason="needs the pdf extra")


def pdf(*contents: bytes, packed: bool = True) -> bytes:
    """A PDF whose pages have these content streams."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at, content in enumerate(contents):
        body = zlib.compress(content, 9) if packed else content
        filtered = b"/Filter/FlateDecode" if packed else b""
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {5 + 2 * at} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>".encode()
        )
        objects.append(b"<<%b/Length %d>>stream\n%b\nendstream" % (filtered, len(body), body))
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(out)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        size, rows, size, table,
    )  # fmt: skip


def shown(text: str, times: int = 1) -> bytes:
    return b"BT /F1 12 Tf 72 700 Td " + f"({text}) Tj ".encode() * times + b"ET"


def test_each_page_is_read() -> None:
    pieces = load_bytes(pdf(shown("First page."), shown("Second page.")), "a.pdf")
    assert [(p.page, p.text.strip()) for p in pieces] == [(1, "First page."), (2, "Second page.")]


def test_a_page_that_takes_too_long_is_an_error_that_names_it() -> None:
    bomb = pdf(shown("Fine."), shown("x ", 3_000_000))
    assert len(bomb) < 100_000
    began = time.monotonic()
    with pytest.raises(InputError, match=r"b\.pdf: page 2: takes longer than 1 s"):
        load_bytes(bomb, "b.pdf", SourceLabel(limits=ReadLimits(page_seconds=1)))
    assert time.monotonic() - began < 10


def test_a_page_with_too_much_text_is_an_error() -> None:
    with pytest.raises(InputError, match="page 1: more than 1000 characters"):
        load_bytes(
            pdf(shown("many words ", 200)),
            "c.pdf",
            SourceLabel(limits=ReadLimits(max_page_size=1000)),
        )


def test_a_page_that_unfolds_beyond_the_memory_is_an_error() -> None:
    bomb = pdf(b" " * 400_000_000)
    with pytest.raises(InputError, match=r"d\.pdf: page 1"):
        load_bytes(
            bomb, "d.pdf", SourceLabel(limits=ReadLimits(max_memory=300_000_000, page_seconds=20))
        )
