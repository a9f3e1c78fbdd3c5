"""Checks under a name and a version, and which of their codes may veto."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firmground.core.claim import CheckNote
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.denied_value import is_denied_value
from firmground.verify.checks.derivation import is_worked_out

Check = Callable[[CheckCase], tuple[CheckNote, ...]]

# Codes that read the same clause on both sides and find one thing turned round. As a family they
# are right at least nine times in ten, by the lower end of the interval, on data that no rule was
# written from; `python -m benchmarks checks` prints the figures. All other codes are only weighed.
VETOES: frozenset[str] = frozenset(
    "negation_dropped opposite forbidden_allowed quantifier_raised roles_swapped change_reversed "
    "ordinal_differs excepted said_of_sibling kind_differs frequency_differs outcome_differs "
    "narrower_in_source certainty_raised field_differs cause_not_stated plan_as_fact".split()
) | frozenset(
    # Framed evidence supports only the framed statement, however alike the words are.
    "denial_as_fact allegation_as_fact former_as_current condition_dropped retracted_as_fact "
    "question_as_fact quotation_as_fact possibility_as_fact".split()
)


@dataclass(frozen=True, slots=True)
class RegisteredCheck:
    """One check: calling it gives its notes, each marked by whether its objection may veto."""

    name: str
    version: int
    run: Check
    languages: tuple[str, ...] = ("en",)
    vetoes: frozenset[str] | None = field(default=VETOES)
    """Codes whose objection alone brings a claim down; None for all of them."""

    def __call__(self, case: CheckCase) -> tuple[CheckNote, ...]:
        """Run the check on one claim."""
        return tuple(
            self._weighed(note)
            for note in self.run(case)
            if not is_denied_value(case, note) and not is_worked_out(case, note)
        )

    def _weighed(self, note: CheckNote) -> CheckNote:
        if note.standing is None or self.vetoes is None or note.code in self.vetoes:
            return note
        return replace(note, veto=False)


def identity(checks: Sequence[RegisteredCheck]) -> str:
    """Name a set of checks by their names, versions and vetoes."""
    whole = hashlib.sha256()
    for check in checks:
        vetoes = "*" if check.vetoes is None else ",".join(sorted(check.vetoes))
        whole.update(f"{check.name}:{check.version}:{vetoes};".encode())
    return whole.hexdigest()[:16]
