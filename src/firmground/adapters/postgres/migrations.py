"""The tables, as numbered steps that only go forward, made under a lock.

A step that was applied is never edited: its checksum is kept in the database and compared at every
opening. Steps may add tables and indexes, never rewrite bytes that were hashed. Only an opening
that may make a log migrates one; readers change nothing.
"""

from __future__ import annotations

import hashlib

from firmground.adapters.postgres.connection import Connection
from firmground.errors import LedgerError, RecordNotFound

LOG_TABLES = ("entry", "stage", "node", "checkpoint", "erased", "migration")
"""Tables whose rows are never changed or deleted."""
_OTHERS = ("vault", "cache", "edge", "sequencer")
TABLES = (*LOG_TABLES, *_OTHERS)
FUNCTIONS = (
    "take_turn", "entry_is_next", "entry_has_turn", "rows_have_entry", "vault_wiped",
    "erased_is_ordered", "checkpoint_is_next", "refuse_change",
)  # fmt: skip

_TABLES = """
CREATE TABLE migration(number integer PRIMARY KEY, checksum text COLLATE "C" NOT NULL);
CREATE TABLE entry(
    seq bigint PRIMARY KEY CHECK (seq >= 0 AND seq < 9007199254740992),
    type text COLLATE "C" NOT NULL, run text COLLATE "C" UNIQUE,
    prev bytea NOT NULL, hash bytea NOT NULL CHECK (octet_length(hash) = 32), body bytea NOT NULL
);
CREATE INDEX entry_acts ON entry(type, seq) WHERE run IS NULL;
CREATE TABLE stage(seq bigint, ord integer, body bytea NOT NULL, PRIMARY KEY (seq, ord));
CREATE TABLE vault(
    seq bigint, ord integer, salt bytea NOT NULL, payload bytea NOT NULL, PRIMARY KEY (seq, ord)
);
CREATE TABLE node(
    level integer CHECK (level > 0), place bigint,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32), PRIMARY KEY (level, place)
);
CREATE TABLE checkpoint(number bigint PRIMARY KEY, size bigint NOT NULL, note bytea NOT NULL);
CREATE INDEX checkpoint_size ON checkpoint(size, number);
CREATE TABLE erased(seq bigint, ord integer, ordered_by bigint NOT NULL, PRIMARY KEY (seq, ord));
CREATE TABLE cache(
    tenant text COLLATE "C", key bytea, seq bigint NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('live', 'failed', 'stale', 'quarantined')),
    changed bigint NOT NULL, PRIMARY KEY (tenant, key)
);
CREATE INDEX cache_by_run ON cache(seq);
CREATE TABLE edge(
    tenant text COLLATE "C", parent bytea, child bytea, PRIMARY KEY (tenant, parent, child)
);
CREATE TABLE sequencer(
    id integer PRIMARY KEY CHECK (id = 1), epoch bigint NOT NULL,
    holder text COLLATE "C" NOT NULL, since timestamptz NOT NULL
);
INSERT INTO sequencer VALUES (1, 0, '', now());
"""

# Whoever writes takes a turn first: one lock for the log, held to the end of the transaction. The
# epoch grows when another writer takes over; a transaction without the present one is refused.
_TURNS = """
CREATE FUNCTION take_turn(
    lock bigint, mine text, OUT epoch bigint, OUT transaction text, OUT size bigint, OUT last bytea
) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock);
    UPDATE sequencer AS s SET epoch = s.epoch + 1, holder = mine, since = now()
        WHERE s.holder <> mine;
    SELECT s.epoch INTO epoch FROM sequencer AS s;
    PERFORM set_config('firmground.epoch', epoch::text, true);
    transaction := pg_current_xact_id()::text;
    SELECT e.seq + 1, e.hash INTO size, last FROM entry AS e ORDER BY e.seq DESC LIMIT 1;
    size := coalesce(size, 0);
END $$;
CREATE FUNCTION entry_has_turn() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (SELECT s.epoch::text FROM sequencer AS s)
        IS DISTINCT FROM current_setting('firmground.epoch', true)
    THEN
        RAISE EXCEPTION 'append-only: this transaction has not taken its turn to write'
            USING ERRCODE = '23000';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entry_has_turn BEFORE INSERT ON entry
    FOR EACH STATEMENT EXECUTE FUNCTION entry_has_turn();
"""

_GUARDS = """
CREATE FUNCTION entry_is_next() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE before record;
BEGIN
    SELECT e.seq, e.hash INTO before FROM entry AS e ORDER BY e.seq DESC LIMIT 1;
    IF NEW.seq <> coalesce(before.seq, -1) + 1
        OR NEW.prev <> coalesce(before.hash, decode(repeat('00', 32), 'hex'))
    THEN
        RAISE EXCEPTION 'append-only: entry % is not the next one', NEW.seq
            USING ERRCODE = '23000';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_is_next BEFORE INSERT ON entry
    FOR EACH ROW EXECUTE FUNCTION entry_is_next();
CREATE FUNCTION rows_have_entry() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM fresh LEFT JOIN entry AS e ON e.seq = fresh.seq
        WHERE e.seq IS NULL OR e.xmin <> pg_current_xact_id()::xid
    ) THEN
        RAISE EXCEPTION 'append-only: % rows are written with their entry or never', TG_TABLE_NAME
            USING ERRCODE = '23000';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER stage_has_entry AFTER INSERT ON stage REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION rows_have_entry();
CREATE TRIGGER vault_has_entry AFTER INSERT ON vault REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION rows_have_entry();
CREATE FUNCTION checkpoint_is_next() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.number <> (SELECT coalesce(max(c.number), -1) + 1 FROM checkpoint AS c) THEN
        RAISE EXCEPTION 'append-only: checkpoint is not the next one' USING ERRCODE = '23000';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checkpoint_is_next BEFORE INSERT ON checkpoint
    FOR EACH ROW EXECUTE FUNCTION checkpoint_is_next();
CREATE FUNCTION erased_is_ordered() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM entry AS e WHERE e.seq = NEW.ordered_by AND e.type = 'erase'
            AND e.xmin = pg_current_xact_id()::xid
    ) THEN
        RAISE EXCEPTION 'append-only: nothing in the log orders this erasure'
            USING ERRCODE = '23000';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER erased_is_ordered BEFORE INSERT ON erased
    FOR EACH ROW EXECUTE FUNCTION erased_is_ordered();
CREATE FUNCTION vault_wiped() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.seq <> OLD.seq OR NEW.ord <> OLD.ord OR NEW.salt <> '' OR NEW.payload <> ''
        OR NOT EXISTS (SELECT 1 FROM erased AS x WHERE x.seq = OLD.seq AND x.ord = OLD.ord)
    THEN
        RAISE EXCEPTION 'append-only: nothing in the log orders this erasure'
            USING ERRCODE = '23000';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER vault_updated BEFORE UPDATE ON vault
    FOR EACH ROW EXECUTE FUNCTION vault_wiped();
CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'append-only: % refused on %', TG_OP, TG_TABLE_NAME USING ERRCODE = '23000';
END $$;
"""


def _frozen(table: str, acts: tuple[str, ...]) -> str:
    return "".join(
        f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table}\n"
        "    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();\n"
        for act in acts
    )


_FROZEN = "".join(_frozen(table, ("UPDATE", "DELETE", "TRUNCATE")) for table in LOG_TABLES)
_FROZEN += _frozen("vault", ("DELETE", "TRUNCATE"))
_GUARDED = {
    "entry": ("entry_has_turn", "entry_is_next"),
    "stage": ("stage_has_entry",),
    "vault": ("vault_has_entry", "vault_updated", "vault_no_delete", "vault_no_truncate"),
    "checkpoint": ("checkpoint_is_next",),
    "erased": ("erased_is_ordered",),
}
# Without this, a session that plays the part of a replica would pass the triggers by.
_ALWAYS = "".join(
    f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger};\n"
    for table in TABLES
    for trigger in (
        *_GUARDED.get(table, ()),
        *((f"{table}_no_{act}" for act in ("update", "delete", "truncate"))
          if table in LOG_TABLES else ()),
    )
)  # fmt: skip

MIGRATIONS: tuple[str, ...] = (_TABLES + _TURNS + _GUARDS + _FROZEN + _ALWAYS,)

_WRITES = (
    "GRANT USAGE ON SCHEMA {schema} TO {role};"
    "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};"
    "GRANT INSERT ON entry, stage, vault, node, checkpoint, erased, cache, edge TO {role};"
    "GRANT UPDATE (salt, payload) ON vault TO {role};"
    "GRANT UPDATE ON cache, sequencer TO {role};"
    "GRANT DELETE ON cache, edge TO {role};"
)
_READS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role};"
    "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};"
)


def checksum(sql: str) -> str:
    """Name one step by its text."""
    return hashlib.sha256(sql.encode("utf-8")).hexdigest()


def migrate(connection: Connection, lock: int, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring a schema to the newest step, or refuse one that other steps have made."""
    if applied(connection) == _checksums(steps):
        return
    schema = connection.target.schema
    with connection.lock:
        connection.begin()
        try:
            connection.run("SELECT pg_advisory_xact_lock($1)", lock)
            if not connection.run("SELECT to_regnamespace($1) IS NOT NULL", schema)[0][0]:
                connection.execute(f"CREATE SCHEMA {schema}")
            done = _require_ours(connection, steps)
            for number in range(done, len(steps)):
                connection.execute(steps[number])
                connection.run(
                    "INSERT INTO migration VALUES ($1, $2)", number + 1, checksum(steps[number])
                )
            connection.commit()
        except BaseException:
            connection.roll_back()
            raise


def require_known(connection: Connection, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Refuse tables that are not there or that other steps have made; nothing is changed."""
    if not _require_ours(connection, steps):
        target = connection.target
        raise RecordNotFound(f"{target.shown}: there is no log in the schema {target.schema}")


def applied(connection: Connection) -> list[str] | None:
    """The checksums of the steps that made the tables, in order; None without such a table."""
    schema = connection.target.schema
    found = connection.run("SELECT to_regclass($1) IS NOT NULL", f"{schema}.migration", again=True)
    if not found[0][0]:
        return None
    rows = connection.run("SELECT checksum FROM migration ORDER BY number", again=True)
    return [row[0] for row in rows]


def _require_ours(connection: Connection, steps: tuple[str, ...]) -> int:
    """Return how many steps were applied; refuse a schema of somebody else or of a newer one."""
    target = connection.target
    known, kept = _checksums(steps), applied(connection)
    if kept is None:
        sql = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1)"
        if connection.run(sql, target.schema)[0][0]:
            raise LedgerError(f"{target.shown}: the schema {target.schema} is not a log's")
        return 0
    if len(kept) > len(known):
        raise LedgerError(
            f"{target.shown}: made by a newer firmground (tables of step {len(kept)}, this one "
            f"knows {len(known)})"
        )
    if kept != known[: len(kept)]:
        raise LedgerError(f"{target.shown}: a step of its tables is not the one we know")
    return len(kept)


def _checksums(steps: tuple[str, ...]) -> list[str]:
    return [checksum(sql) for sql in steps]


def grant(connection: Connection, role: str, *, writes: bool) -> None:
    """Let a role append to the log, or only read it; neither may change what is there."""
    sql = _WRITES if writes else _READS
    quoted = '"' + role.replace('"', '""') + '"'
    connection.execute(sql.format(schema=connection.target.schema, role=quoted))
