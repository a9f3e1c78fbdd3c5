"""One real server for all tests of the folder; each test has a schema of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from tests.postgres_server import PostgresServer

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    made = PostgresServer().start()
    made.psql("CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN;")
    yield made
    made.remove()


@pytest.fixture
def address(server: PostgresServer) -> str:
    """The address of a log that is not there yet."""
    return server.address(f"log{next(_numbers)}")
