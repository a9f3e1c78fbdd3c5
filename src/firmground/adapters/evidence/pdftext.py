"""The text layer of a PDF, page by page."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from firmground.adapters.evidence.limits import Label
from firmground.core.evidence import Evidence, Kind
from firmground.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from pypdf import PdfReader


def read_pdf(data: bytes, origin: str, label: Label) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each page that has text, with its page number."""
    reader = _open(data, origin)
    count = _guarded(lambda: len(reader.pages), origin)
    if count > label.limits.max_pages:
        raise InputError(f"{origin}: {count} pages, at most {label.limits.max_pages} are read")
    title = str(_guarded(lambda: reader.metadata and reader.metadata.title, origin) or "")
    texts = [_page_text(reader, number, origin) for number in range(count)]
    if sum(map(len, texts)) > label.limits.max_bytes:
        raise InputError(f"{origin}: more than {label.limits.max_bytes} characters of text")
    pieces = tuple(
        Evidence(
            text=text,
            kind=Kind.PDF,
            role=label.role_for(Kind.PDF),
            trust=label.trust_for(Kind.PDF),
            origin=origin,
            title=title,
            retrieved_at=label.retrieved_at,
            origin_start=None,
            page=number,
        )
        for number, text in enumerate(texts, 1)
        if text.strip()
    )
    if not pieces:
        raise InputError(f"{origin}: no page has a text layer; a scan needs text recognition first")
    return pieces


def _open(data: bytes, origin: str) -> PdfReader:
    try:
        from pypdf import PdfReader
    except ImportError:
        raise MissingExtra(package="pypdf", extra="pdf", purpose=f"reading {origin}") from None
    reader: PdfReader = _guarded(lambda: PdfReader(io.BytesIO(data), strict=False), origin)
    if _guarded(lambda: reader.is_encrypted and not reader.decrypt(""), origin):
        raise InputError(f"{origin}: the PDF is locked with a password")
    return reader


def _page_text(reader: PdfReader, number: int, origin: str) -> str:
    where = f"{origin}: page {number + 1}"
    text: str = _guarded(lambda: reader.pages[number].extract_text() or "", where)
    return text.replace("\0", "")


def _guarded(ask: Any, where: str) -> Any:
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 - pypdf meets broken files with any exception there is
        raise InputError(f"{where}: not a readable PDF: {error or type(error).__name__}") from None
