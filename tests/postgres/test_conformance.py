"""The PostgreSQL store keeps what every store must promise."""

from __future__ import annotations

import pytest
from tests.postgres_server import PostgresServer

from firmground.adapters.postgres import PostgresStore
from firmground.adapters.postgres.shape import described
from firmground.adapters.postgres.shape_lines import LINES
from firmground.testing import check_ledger_store


def test_the_store_passes_the_conformance_suite(address: str) -> None:
    check_ledger_store(PostgresStore.open(address), reopen=lambda: PostgresStore.open(address))


def test_the_suite_passes_as_a_role_that_may_only_append(
    server: PostgresServer, address: str
) -> None:
    owner = PostgresStore.open(address)
    owner.grant("writer", writes=True)
    owner.close()
    mine = address.replace("owner@", "writer@")
    check_ledger_store(PostgresStore.open(mine), reopen=lambda: PostgresStore.open(mine))


def test_the_suite_passes_in_a_database_that_sorts_by_a_language(
    server: PostgresServer, address: str
) -> None:
    server.psql(
        "CREATE DATABASE sorted TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US-u-ka-shifted'"
    )
    there = address.replace("/postgres?", "/sorted?")
    assert server.psql("SELECT 'a-b' < 'aa'", database="sorted") == "f"  # hyphens are passed over
    check_ledger_store(PostgresStore.open(there), reopen=lambda: PostgresStore.open(there))


def test_the_tables_that_the_steps_make_are_those_that_are_compared_with(address: str) -> None:
    store = PostgresStore.open(address)
    assert described(store._run, store.target.schema) == LINES
    assert store.defects() == ()
    store.close()


@pytest.mark.parametrize("schema", ["e", "search_path_x", "on_"])
def test_the_name_of_the_schema_does_not_matter(server: PostgresServer, schema: str) -> None:
    store = PostgresStore.open(server.address(schema))
    assert store.defects() == ()
    store.close()
