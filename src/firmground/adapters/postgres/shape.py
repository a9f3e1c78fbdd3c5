"""Checks that tables, triggers, functions and rights are unchanged.

The owner of the tables can drop a trigger that refuses rows, or make a rule that swallows them. So
the catalogue is compared, line by line, with what the steps make; and before every transaction its
stamp (which transaction last changed each part) with the one that was compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firmground.adapters.postgres.migrations import FUNCTIONS, LOG_TABLES, TABLES
from firmground.adapters.postgres.shape_lines import LINES
from firmground.errors import LedgerError

Run = Callable[..., list[Any]]

_OBJECTS = """
SELECT (SELECT array_agg(c.oid) FROM pg_class AS c WHERE c.relnamespace = n.oid
            AND c.relname = ANY($2::text[])),
       (SELECT array_agg(p.oid) FROM pg_proc AS p WHERE p.pronamespace = n.oid
            AND p.proname = ANY($3::text[]))
FROM pg_namespace AS n WHERE n.nspname = $1
"""
STAMP = """
SELECT md5(string_agg(part, ' ' ORDER BY part)) FROM (
    SELECT 'c' || oid || '.' || xmin AS part FROM pg_class WHERE oid = ANY({0}::oid[])
    UNION ALL SELECT 't' || oid || '.' || xmin FROM pg_trigger WHERE tgrelid = ANY({0}::oid[])
    UNION ALL SELECT 'r' || oid || '.' || xmin FROM pg_rewrite WHERE ev_class = ANY({0}::oid[])
    UNION ALL SELECT 'y' || oid || '.' || xmin FROM pg_policy WHERE polrelid = ANY({0}::oid[])
    UNION ALL SELECT 'k' || oid || '.' || xmin FROM pg_constraint WHERE conrelid = ANY({0}::oid[])
    UNION ALL SELECT 'i' || indexrelid || '.' || xmin FROM pg_index WHERE indrelid = ANY({0}::oid[])
    UNION ALL SELECT 'p' || oid || '.' || xmin FROM pg_proc WHERE oid = ANY({1}::oid[])
) AS parts
"""
_DESCRIBED = """
SELECT 'table ' || c.relname || ' ' || c.relkind::text || c.relpersistence::text
       || CASE WHEN c.relrowsecurity THEN ' row security' ELSE '' END
  FROM pg_class AS c WHERE c.relnamespace = $1::text::regnamespace AND c.relkind NOT IN ('i', 't')
UNION ALL
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || coalesce(' collate ' || l.collname, '')
       || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
  WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0
    AND NOT a.attisdropped
UNION ALL
SELECT 'constraint ' || c.relname || ' ' || pg_get_constraintdef(k.oid)
       || CASE WHEN k.convalidated THEN '' ELSE ' not valid' END
  FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
  WHERE c.relnamespace = $1::text::regnamespace AND k.contype <> 'n'
UNION ALL
SELECT 'index ' || replace(pg_get_indexdef(i.indexrelid), ' ON ' || $1::text || '.', ' ON ')
       || CASE WHEN i.indisvalid THEN '' ELSE ' invalid' END
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
  WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r'
UNION ALL
SELECT 'trigger ' || c.relname || '.' || t.tgname || ' ' || t.tgtype::text
       || t.tgenabled::text || ' ' || p.proname
       || coalesce(' when ' || pg_get_expr(t.tgqual, t.tgrelid), '')
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  JOIN pg_proc AS p ON p.oid = t.tgfoid
  WHERE c.relnamespace = $1::text::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT 'function ' || p.proname || ' ' || md5(p.prosrc) || p.provolatile::text
       || CASE WHEN p.prosecdef THEN ' definer' ELSE '' END
       || replace(coalesce(' ' || array_to_string(p.proconfig, ','), ''),
                  '=' || $1::text || ',', '=,')
  FROM pg_proc AS p WHERE p.pronamespace = $1::text::regnamespace
UNION ALL
SELECT 'rule ' || c.relname || '.' || r.rulename
  FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
  WHERE c.relnamespace = $1::text::regnamespace
UNION ALL
SELECT 'policy ' || c.relname || '.' || y.polname
  FROM pg_policy AS y JOIN pg_class AS c ON c.oid = y.polrelid
  WHERE c.relnamespace = $1::text::regnamespace
ORDER BY 1
"""
# Which role other than the owner may do more to a table of the log than append and read?
_RIGHTS = """
SELECT c.relname, coalesce(r.rolname, 'everybody'), a.privilege_type
  FROM pg_class AS c, aclexplode(c.relacl) AS a LEFT JOIN pg_roles AS r ON r.oid = a.grantee
  WHERE c.relnamespace = $1::text::regnamespace AND c.relname = ANY($2::text[])
    AND a.grantee <> c.relowner AND a.privilege_type NOT IN ('SELECT', 'INSERT')
  ORDER BY 1, 2, 3
"""


def objects(run: Run, schema: str) -> tuple[list[int], list[int]]:
    """The numbers of our tables and functions in the catalogue."""
    found = run(_OBJECTS, schema, list(TABLES), list(FUNCTIONS))
    tables, functions = (found[0][0] or [], found[0][1] or []) if found else ([], [])
    return sorted(tables), sorted(functions)


def described(run: Run, schema: str) -> tuple[str, ...]:
    """The tables, triggers and functions of a schema, a line each, without the schema's name."""
    return tuple(row[0] for row in run(_DESCRIBED, schema))


def differences(run: Run, schema: str) -> tuple[str, ...]:
    """Name everything that is missing, foreign or changed."""
    present, expected = set(described(run, schema)), set(LINES)
    told = [f"missing or changed: {line}" for line in sorted(expected - present)]
    return (*told, *(f"not ours: {line}" for line in sorted(present - expected)))


def excess_rights(run: Run, schema: str) -> tuple[str, ...]:
    """Name rights beyond appending that somebody was given on tables that are never changed."""
    rows = run(_RIGHTS, schema, list(LOG_TABLES))
    return tuple(f"the role {role} has the right to {act} {table}" for table, role, act in rows)


def require_unchanged(run: Run, schema: str, shown: str) -> None:
    """Refuse to write a log whose tables, triggers or functions somebody has changed."""
    told = differences(run, schema)
    if told:
        more = f"; and {len(told) - 3} more" if len(told) > 3 else ""
        raise LedgerError(
            f"{shown} must not be written: {'; '.join(told[:3])}{more} (an audit says more)"
        )
