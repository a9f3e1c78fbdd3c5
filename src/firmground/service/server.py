"""Runs the service with uvicorn; creates the ledger and the first key where there are none."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from firmground.config.service import ServiceSettings
from firmground.config.settings import Settings
from firmground.engine import Engine
from firmground.ledger.signing import CheckpointSigner
from firmground.service.app import create_app
from firmground.service.auth import KeyScope
from firmground.service.console.routes import console_routes
from firmground.service.runtime import Service
from firmground.service.state import ServiceState

LEDGER, SIGNER, KEY = "runs.sqlite", "log.key", "admin.key"


def serve(settings: Settings, service: ServiceSettings, *, say: Callable[[str], None]) -> None:
    """Serve until a signal asks to stop; requests under way are finished first."""
    state = ServiceState(service.data)
    engine = open_engine(settings, service)
    try:
        if path := first_key(state):
            say(f"made a first key with all scopes: {path}")
        app = create_app(engine, service, state=state, proxy=settings.proxy, more=[console_routes])
        logging.basicConfig(level=logging.INFO, format="%(message)s")
        limits = service.limits
        # uvicorn raises the signal again after it has stopped; the ledger is still to be closed.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        config = uvicorn.Config(
            app,
            host=service.host,
            port=service.port,
            ssl_certfile=service.tls_certificate,
            ssl_keyfile=service.tls_key,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=round(limits.idle_seconds),
            timeout_graceful_shutdown=round(limits.drain_seconds),
            limit_concurrency=limits.connections,
        )
        _Server(config, app.state.service).run()
    finally:
        engine.close()
        state.close()


class _Server(uvicorn.Server):
    """Tells the service of a signal before it waits for open connections."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop: refuse new work, end endless replies, finish the others."""
        self._service.stop()
        super().handle_exit(sig, frame)


def open_engine(settings: Settings, service: ServiceSettings) -> Engine:
    """Build the engine; without a ledger in the settings it keeps one in the service's folder."""
    if settings.ledger is not None:
        return Engine(settings)
    key = service.data / SIGNER
    if not key.exists():
        CheckpointSigner.create(key, "firmground.local/log")
    return Engine(settings, ledger=service.data / LEDGER, signer=key)


def first_key(state: ServiceState) -> Path | None:
    """Make a key with all scopes if there is none; return the file that holds it."""
    if state.keys():
        return None
    text, _ = state.create_key("first", frozenset(KeyScope))
    path = state.folder / KEY
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text + "\n")
    return path
