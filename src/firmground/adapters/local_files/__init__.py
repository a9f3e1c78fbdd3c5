"""A retriever over local files that needs nothing else installed."""

from __future__ import annotations

from firmground.adapters.local_files.retriever import LocalRetriever

__all__ = ["LocalRetriever"]
