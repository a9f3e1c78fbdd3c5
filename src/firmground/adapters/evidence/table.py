"""CSV and TSV: checked to be one table, then kept verbatim."""

from __future__ import annotations

import csv
import io

from firmground.errors import InputError

_LONGEST_FIELD = 1 << 20


def check_table(text: str, origin: str, *, tabs: bool) -> None:
    """Refuse a table that a reader would take apart differently than its writer meant."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",", strict=True)
    width = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{origin}: line {reader.line_num}: not CSV: {error}") from None
        if row is None:
            break
        if row and not width:
            width = len(row)
        elif len(row) > width:
            raise InputError(
                f"{origin}: line {reader.line_num}: {len(row)} fields under a head of {width}"
            )
    if not width:
        raise InputError(f"{origin}: no row")
