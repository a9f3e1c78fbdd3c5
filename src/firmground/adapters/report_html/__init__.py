"""One self-contained page about one check: no network, everything escaped, nothing executed."""

from __future__ import annotations

from firmground.adapters.report_html.page import report_html, write_report

__all__ = ["report_html", "write_report"]
