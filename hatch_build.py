"""Adds the project's URLs to the package metadata when FIRMGROUND_URL names the repository."""

from __future__ import annotations

import os

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PAGES = {
    "Source": "",
    "Documentation": "/tree/main/docs",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}


class UrlsHook(MetadataHookInterface):
    """Fills ``project.urls``; a build without FIRMGROUND_URL carries none."""

    def update(self, metadata: dict[str, object]) -> None:
        """Set the URLs relative to the repository's address."""
        base = os.environ.get("FIRMGROUND_URL", "").rstrip("/")
        metadata["urls"] = {name: base + path for name, path in _PAGES.items()} if base else {}
