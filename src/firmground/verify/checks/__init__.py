"""Deterministic checks: each reads values out of claim and evidence and compares them.

A check is a function from a ``Case`` to notes. It may veto what a scorer finds likely, never
the other way round, and each can be read and run on its own.
"""

from __future__ import annotations

from collections.abc import Callable

from firmground.core.claim import CheckNote
from firmground.verify.checks.acting import check_acting
from firmground.verify.checks.alternatives import check_alternatives
from firmground.verify.checks.case import Case
from firmground.verify.checks.changes import check_changes
from firmground.verify.checks.code import check_code
from firmground.verify.checks.comparisons import check_comparisons
from firmground.verify.checks.dates import check_dates
from firmground.verify.checks.denied import check_denied
from firmground.verify.checks.framed import check_framed
from firmground.verify.checks.hours import check_hours
from firmground.verify.checks.multiples import check_multiples
from firmground.verify.checks.names import check_names
from firmground.verify.checks.negation import check_negation
from firmground.verify.checks.numbers import check_numbers
from firmground.verify.checks.numerals import check_numerals
from firmground.verify.checks.obligation import check_obligation
from firmground.verify.checks.outcomes import check_outcomes
from firmground.verify.checks.permission import check_permission
from firmground.verify.checks.quotes import check_quotes
from firmground.verify.checks.ranks import check_ranks
from firmground.verify.checks.reach import check_reach
from firmground.verify.checks.records import check_records
from firmground.verify.checks.rows import check_rows
from firmground.verify.checks.scope import check_scope
from firmground.verify.checks.shares import check_shares
from firmground.verify.checks.siblings import check_siblings
from firmground.verify.checks.sources import check_sources
from firmground.verify.checks.stitched import check_stitched
from firmground.verify.checks.universal import check_universal
from firmground.verify.checks.weekdays import check_weekdays

Check = Callable[[Case], tuple[CheckNote, ...]]

CHECKS: tuple[Check, ...] = (
    check_numbers,
    check_dates,
    check_hours,
    check_negation,
    check_reach,
    check_names,
    check_comparisons,
    check_quotes,
    check_records,
    check_scope,
    check_ranks,
    check_weekdays,
    check_sources,
    check_alternatives,
    check_changes,
    check_obligation,
    check_code,
    check_stitched,
    check_rows,
    check_shares,
    check_numerals,
    check_denied,
    check_acting,
    check_siblings,
    check_permission,
    check_universal,
    check_multiples,
    check_outcomes,
    check_framed,
)

__all__ = ["CHECKS", "Case", "Check"]
