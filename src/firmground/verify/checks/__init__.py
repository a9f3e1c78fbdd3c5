"""Deterministic checks: each reads values out of claim and evidence and compares them.

A check is a function from a ``CheckCase`` to notes, registered under a name and a version. What it
notes is weighed by the scorers; a code may veto what a scorer finds likely only where its precision
was shown (`python -m benchmarks checks`). A changed check gets a new version, which changes the
identity of every judge that uses it.
"""

from __future__ import annotations

from dataclasses import replace

from firmground.verify.checks.acting import check_acting
from firmground.verify.checks.alternatives import check_alternatives
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.changes import check_changes
from firmground.verify.checks.code import check_code
from firmground.verify.checks.comparisons import check_comparisons
from firmground.verify.checks.dates import check_dates
from firmground.verify.checks.denied import check_denied
from firmground.verify.checks.derivation import check_derivation
from firmground.verify.checks.framed import check_framed
from firmground.verify.checks.hours import check_hours
from firmground.verify.checks.multiples import check_multiples
from firmground.verify.checks.names import check_names
from firmground.verify.checks.negation import check_negation
from firmground.verify.checks.numbers import check_numbers
from firmground.verify.checks.numerals import check_numerals
from firmground.verify.checks.obligation import check_obligation
from firmground.verify.checks.outcomes import check_outcomes
from firmground.verify.checks.overstatement import check_overstatement
from firmground.verify.checks.permission import check_permission
from firmground.verify.checks.quotes import check_quotes
from firmground.verify.checks.ranks import check_ranks
from firmground.verify.checks.records import check_records
from firmground.verify.checks.registry import Check, RegisteredCheck, identity
from firmground.verify.checks.rows import check_rows
from firmground.verify.checks.scope import check_scope
from firmground.verify.checks.shares import check_shares
from firmground.verify.checks.sources import check_sources
from firmground.verify.checks.stitched import check_stitched
from firmground.verify.checks.universal import check_universal
from firmground.verify.checks.weekdays import check_weekdays
from firmground.verify.checks.wrong_subject import check_wrong_subject

CHECKS: tuple[RegisteredCheck, ...] = (
    RegisteredCheck("derivation", 2, check_derivation),
    RegisteredCheck("numbers", 3, check_numbers),
    RegisteredCheck("dates", 3, check_dates),
    RegisteredCheck("hours", 3, check_hours),
    RegisteredCheck("negation", 1, check_negation),
    RegisteredCheck("overstatement", 1, check_overstatement),
    RegisteredCheck("names", 2, check_names),
    RegisteredCheck("comparisons", 1, check_comparisons),
    RegisteredCheck("quotes", 1, check_quotes),
    RegisteredCheck("records", 1, check_records),
    RegisteredCheck("scope", 1, check_scope),
    RegisteredCheck("ranks", 2, check_ranks),
    RegisteredCheck("weekdays", 2, check_weekdays),
    RegisteredCheck("sources", 1, check_sources),
    RegisteredCheck("alternatives", 1, check_alternatives),
    RegisteredCheck("changes", 1, check_changes),
    RegisteredCheck("obligation", 1, check_obligation),
    RegisteredCheck("code", 2, check_code),
    RegisteredCheck("stitched", 1, check_stitched),
    RegisteredCheck("rows", 1, check_rows),
    RegisteredCheck("shares", 2, check_shares),
    RegisteredCheck("numerals", 2, check_numerals),
    RegisteredCheck("denied", 1, check_denied),
    RegisteredCheck("acting", 1, check_acting),
    RegisteredCheck("wrong_subject", 1, check_wrong_subject),
    RegisteredCheck("permission", 1, check_permission),
    RegisteredCheck("universal", 1, check_universal),
    RegisteredCheck("multiples", 2, check_multiples),
    RegisteredCheck("outcomes", 1, check_outcomes),
    RegisteredCheck("framed", 2, check_framed),
)

# Without a network that reads, every objection is taken at its word, but for values that only seem
# to be worked out otherwise.
STRICT_CHECKS: tuple[RegisteredCheck, ...] = tuple(
    check if check.name == "derivation" else replace(check, vetoes=None) for check in CHECKS
)

__all__ = ["CHECKS", "STRICT_CHECKS", "Check", "CheckCase", "RegisteredCheck", "identity"]
