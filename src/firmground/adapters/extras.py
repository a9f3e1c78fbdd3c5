"""Imports optional dependencies when first needed; errors name the command that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from firmground.errors import MissingExtra


def need(module: str, *, package: str, extra: str, purpose: str) -> Any:
    """Import a module of an extra, or say which extra to install and for what."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(package=package, extra=extra, purpose=purpose) from None
