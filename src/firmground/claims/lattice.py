"""The claim lattice: nine hard checks of what a model claims against what it points to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.claims.anchors import AnchorMatch, warrants
from firmground.claims.diagnose import diagnose_title_relevance
from firmground.claims.evidence_map import EvidenceMap, EvidenceObject
from firmground.claims.norm import content_tokens
from firmground.claims.pointer import LatticeClaim


class HardCheck(StrEnum):
    """The nine checks, in the order in which they are made."""

    PARSER_SUCCEEDED = "parser_succeeded"
    EVIDENCE_ID_RESOLVES = "evidence_id_resolves"
    SOURCE_ROLE_ALLOWED = "source_role_allowed"
    CLAIM_TEXT_NON_EMPTY = "claim_text_non_empty"
    CITATION_COVERAGE = "citation_coverage"
    POINTER_COUNT_WITHIN_CAP = "pointer_count_within_cap"
    ANCHOR_CLASS_WARRANT = "anchor_class_warrant"
    TITLE_RELEVANCE = "title_relevance"
    SUBJECT_TOKENS_ABSENT = "subject_tokens_absent"


class ClaimStatus(StrEnum):
    """The status of one claim of the lattice."""

    EVIDENCE_LINKED = "EVIDENCE_LINKED"
    EVIDENCE_LINKED_PARTIAL = "EVIDENCE_LINKED_PARTIAL"
    UNKNOWN_EVIDENCE_ID = "UNKNOWN_EVIDENCE_ID"
    SOURCE_ROLE_BLOCKED = "SOURCE_ROLE_BLOCKED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    NO_EVIDENCE_POINTER = "NO_EVIDENCE_POINTER"
    SCHEMA_INVALID = "SCHEMA_INVALID"

    @property
    def linked(self) -> bool:
        """True when the claim counts as verified."""
        return self in (ClaimStatus.EVIDENCE_LINKED, ClaimStatus.EVIDENCE_LINKED_PARTIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticePolicy:
    """The caps and thresholds of the lattice; the defaults are the parent's."""

    max_pointers: int = 2
    max_claims: int = 12
    least_coverage: float = 0.30
    short_claim: int = 3
    """Claims of so few content words need only one of them in the evidence."""
    subject_tokens: int = 3
    collapse_lines: int = 5
    lazy_claims: int = 3
    """This many claims on one and the same pointer, when others are available, are anchored lazily.
    """
    allowed_roles: frozenset[str] | None = None
    """None: every role may be cited."""
    warrant: bool = True
    same_sentence: bool = True
    """All parts of a date must stand in one sentence; the parent let them stand anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one hard check said about one claim."""

    check: HardCheck
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeCase:
    """All that a check may look at."""

    claim: LatticeClaim
    question: str
    map: EvidenceMap
    policy: LatticePolicy
    parsed: bool = True

    @property
    def trimmed(self) -> tuple[str, ...]:
        """The pointers that count: no more than the cap."""
        return self.claim.pointers[: self.policy.max_pointers]

    @property
    def resolved(self) -> tuple[EvidenceObject, ...]:
        """The evidence that the counted pointers name."""
        found = (self.map.resolve(name) for name in self.trimmed)
        return tuple(one for one in found if one is not None)

    @property
    def cited(self) -> tuple[EvidenceObject, ...]:
        """The evidence that is named and whose role may be cited."""
        roles = self.policy.allowed_roles
        return tuple(one for one in self.resolved if roles is None or one.source_role in roles)


def parser_succeeded(case: LatticeCase) -> str:
    """The reply could be read."""
    return "" if case.parsed else "the reply could not be read"


def evidence_id_resolves(case: LatticeCase) -> str:
    """Every pointer names evidence that was handed out."""
    if not case.trimmed:
        return "no pointer"
    unknown = [name for name in case.trimmed if case.map.resolve(name) is None]
    return f"no evidence goes by {', '.join(unknown)[:80]}" if unknown else ""


def source_role_allowed(case: LatticeCase) -> str:
    """Every piece of evidence plays a role that may be cited."""
    blocked = [one for one in case.resolved if one not in case.cited]
    return f"{blocked[0].pointer_id} plays the role {blocked[0].source_role}" if blocked else ""


def claim_text_non_empty(case: LatticeCase) -> str:
    """There are words to check."""
    return "" if case.claim.text.strip() else "the claim has no words"


def citation_coverage(case: LatticeCase) -> str:
    """Enough of the claim's content words stand in the cited evidence."""
    words = content_tokens(case.claim.text)
    if not words or not case.cited:
        return "" if not words else "nothing cited to compare with"
    offered = {word for one in case.cited for word in content_tokens(one.span)}
    found = sum(word in offered for word in words)
    enough = found >= (
        1 if len(words) <= case.policy.short_claim else case.policy.least_coverage * len(words)
    )
    return "" if enough else f"{found} of {len(words)} content words stand in the cited evidence"


def pointer_count_within_cap(case: LatticeCase) -> str:
    """No claim leans on more evidence than a reader would check."""
    count = len(case.claim.pointers)
    return "" if count <= case.policy.max_pointers else f"{count} pointers, trimmed to the cap"


def anchor_class_warrant(case: LatticeCase) -> str:
    """The cited evidence carries the name, date, count or cause that is asked for."""
    if not case.policy.warrant or not case.cited:
        return ""
    lost = [one for one in case_warrants(case) if not one.found]
    return "; ".join(f"{one.anchor}: {', '.join(one.missing)[:80]}" for one in lost)


def title_relevance(case: LatticeCase) -> str:
    """Some cited title has to do with the claim or the question."""
    if not case.cited:
        return ""
    titles = [one.title for one in case.cited]
    related = diagnose_title_relevance(f"{case.claim.text}\n{case.question}", titles)
    return "" if related else "no cited title shares a word with the claim or the question"


def subject_tokens_absent(case: LatticeCase) -> str:
    """What question and claim both speak of is spoken of in the cited evidence."""
    if not case.cited:
        return ""
    shared = set(content_tokens(case.question)) & set(content_tokens(case.claim.text))
    missing = shared - {word for one in case.cited for word in content_tokens(one.span)}
    if len(missing) < case.policy.subject_tokens:
        return ""
    return f"not in the cited evidence: {', '.join(sorted(missing))[:80]}"


CHECKS: dict[HardCheck, Callable[[LatticeCase], str]] = {
    HardCheck.PARSER_SUCCEEDED: parser_succeeded,
    HardCheck.EVIDENCE_ID_RESOLVES: evidence_id_resolves,
    HardCheck.SOURCE_ROLE_ALLOWED: source_role_allowed,
    HardCheck.CLAIM_TEXT_NON_EMPTY: claim_text_non_empty,
    HardCheck.CITATION_COVERAGE: citation_coverage,
    HardCheck.POINTER_COUNT_WITHIN_CAP: pointer_count_within_cap,
    HardCheck.ANCHOR_CLASS_WARRANT: anchor_class_warrant,
    HardCheck.TITLE_RELEVANCE: title_relevance,
    HardCheck.SUBJECT_TOKENS_ABSENT: subject_tokens_absent,
}
"""Each check says what is wrong, or nothing."""


def run_checks(case: LatticeCase) -> tuple[CheckResult, ...]:
    """Make all nine checks of one claim."""
    return tuple(
        CheckResult(check=check, passed=not reason, reason=reason)
        for check, reason in ((check, test(case)) for check, test in CHECKS.items())
    )


def case_warrants(case: LatticeCase) -> tuple[AnchorMatch, ...]:
    """The anchors of one claim, looked for in the evidence it cites."""
    spans = [one.span for one in case.cited]
    return warrants(case.claim.text, case.question, spans, same_sentence=case.policy.same_sentence)


def status_of(case: LatticeCase, results: Sequence[CheckResult]) -> ClaimStatus:
    """Return the status of a claim; the first failed check decides."""
    failed = {one.check for one in results if not one.passed}
    if failed & {HardCheck.PARSER_SUCCEEDED, HardCheck.CLAIM_TEXT_NON_EMPTY}:
        return ClaimStatus.SCHEMA_INVALID
    if not case.trimmed:
        return ClaimStatus.NO_EVIDENCE_POINTER
    if not case.resolved:
        return ClaimStatus.UNKNOWN_EVIDENCE_ID
    if not case.cited:
        return ClaimStatus.SOURCE_ROLE_BLOCKED
    if HardCheck.CITATION_COVERAGE in failed:
        return ClaimStatus.CITATION_MISMATCH
    whole = not failed & {HardCheck.EVIDENCE_ID_RESOLVES, HardCheck.SOURCE_ROLE_ALLOWED}
    return ClaimStatus.EVIDENCE_LINKED if whole else ClaimStatus.EVIDENCE_LINKED_PARTIAL
