"""What a whole lattice of claims comes to: mode, violations, label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.claims.audit import AuditMode, VerifierMethod, mode_of
from firmground.claims.diagnose import diagnose_deflection
from firmground.claims.evidence_map import EvidenceMap, EvidenceObject, build_evidence_map
from firmground.claims.jsonclaims import read_claims
from firmground.claims.labels import LatticeLabel, Violation, display_label
from firmground.claims.lattice import (
    CheckResult,
    ClaimStatus,
    HardCheck,
    LatticeCase,
    LatticePolicy,
    run_checks,
    status_of,
)
from firmground.claims.pointer import LatticeClaim, pointer_lines
from firmground.claims.prose import is_refusal
from firmground.claims.tokens import is_finite, plain_tokens, tokens
from firmground.core.evidence import Evidence


class AnswerMode(StrEnum):
    """In which form the model was asked to answer."""

    QUOTE = "quote"
    CLAIM_LATTICE_POINTER = "claim_lattice_pointer"
    CLAIM_LATTICE = "claim_lattice"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """One claim, its status, and what each of the nine checks said."""

    claim: LatticeClaim
    status: ClaimStatus
    checks: tuple[CheckResult, ...]
    violations: tuple[Violation, ...]
    cited: tuple[EvidenceObject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeVerdict:
    """What the parent's lattice verifier says of an answer."""

    audit_mode: AuditMode
    method: VerifierMethod
    label: LatticeLabel
    partial: bool
    n_units: int
    n_verified: int
    claims: tuple[ClaimVerdict, ...]
    violations: tuple[tuple[Violation, int | None], ...]
    """Each with the number of the claim it is about, or None for the answer as a whole."""
    refused: bool = False
    problems: tuple[str, ...] = ()
    """What the lenient reader had to read through."""

    @property
    def display(self) -> str:
        """The label as it is shown, with `-PARTIAL` behind a hybrid."""
        return f"{self.label}-PARTIAL" if self.partial else str(self.label)


def verify_pointer_answer(
    answer: str,
    evidence: Sequence[Evidence] | EvidenceMap,
    question: str = "",
    policy: LatticePolicy | None = None,
) -> LatticeVerdict:
    """Verify an answer of prose lines with `[E1]` pointers; untagged lines count as unverified."""
    policy = policy or LatticePolicy()
    claims = pointer_lines(answer)
    collapsed = len(claims) >= policy.collapse_lines and not any(one.pointers for one in claims)
    return _verdict(
        answer,
        claims,
        _Setting(
            question=question,
            map=_map(evidence, question),
            policy=policy,
            method=VerifierMethod.CLAIM_LATTICE_POINTER,
            collapsed=collapsed,
        ),
    )


def verify_json_answer(
    answer: str,
    evidence: Sequence[Evidence] | EvidenceMap,
    question: str = "",
    policy: LatticePolicy | None = None,
) -> LatticeVerdict:
    """Verify a JSON reply; one that cannot be read is a single invalid unit, never an exception."""
    reading = read_claims(answer)
    claims = reading.claims or (LatticeClaim(text="", start=0, end=0),)
    return _verdict(
        answer,
        claims,
        _Setting(
            question=question,
            map=_map(evidence, question),
            policy=policy or LatticePolicy(),
            method=VerifierMethod.CLAIM_LATTICE,
            parsed=reading.parsed,
            problems=reading.problems,
        ),
    )


def rejected_verdict(
    method: VerifierMethod = VerifierMethod.CLAIM_LATTICE_POINTER,
) -> LatticeVerdict:
    """The verdict on a question that was too broad to be asked at all."""
    return LatticeVerdict(
        audit_mode=AuditMode.UNGROUNDED,
        method=method,
        label=LatticeLabel.UNGROUNDED,
        partial=False,
        n_units=0,
        n_verified=0,
        claims=(),
        violations=((Violation.BROAD_QUANTIFIER_REJECTED, None),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    question: str
    map: EvidenceMap
    policy: LatticePolicy
    method: VerifierMethod
    parsed: bool = True
    collapsed: bool = False
    problems: tuple[str, ...] = ()


def _map(evidence: Sequence[Evidence] | EvidenceMap, question: str) -> EvidenceMap:
    return evidence if isinstance(evidence, EvidenceMap) else build_evidence_map(evidence, question)


def _verdict(answer: str, claims: tuple[LatticeClaim, ...], setting: _Setting) -> LatticeVerdict:
    pointed = any(claim.pointers for claim in claims)
    if not pointed and is_refusal(answer):
        return _refused(setting)
    lazy = _lazy_pointers(claims, setting)
    judged = tuple(_judged(claim, setting, lazy) for claim in claims)
    violations = tuple(_violations(answer, judged, setting))
    kinds = {violation for violation, _ in violations}
    verified = sum(one.status.linked for one in judged)
    partial_claim = any(one.status is ClaimStatus.EVIDENCE_LINKED_PARTIAL for one in judged)
    reserved = partial_claim or any(one.demotes for one in kinds)
    mode = mode_of(len(judged), verified, reserved=reserved)
    label = display_label(mode, kinds)
    return LatticeVerdict(
        audit_mode=mode,
        method=setting.method,
        label=label,
        partial=mode is AuditMode.HYBRID,
        n_units=len(judged),
        n_verified=verified,
        claims=judged,
        violations=violations,
        problems=setting.problems,
    )


def _refused(setting: _Setting) -> LatticeVerdict:
    return LatticeVerdict(
        audit_mode=AuditMode.UNGROUNDED,
        method=VerifierMethod.NONE,
        label=LatticeLabel.UNGROUNDED,
        partial=False,
        n_units=0,
        n_verified=0,
        claims=(),
        violations=(),
        refused=True,
        problems=setting.problems,
    )


def _judged(claim: LatticeClaim, setting: _Setting, lazy: frozenset[str]) -> ClaimVerdict:
    case = LatticeCase(
        claim=claim,
        question=setting.question,
        map=setting.map,
        policy=setting.policy,
        parsed=setting.parsed,
    )
    results = run_checks(case)
    status = status_of(case, results)
    failed = {one.check for one in results if not one.passed}
    found = [_OF_CHECK[check] for check in _OF_CHECK if check in failed]
    if any(name in lazy for name in case.trimmed):
        found.append(Violation.LAZY_ANCHOR_DEMOTED)
    if claim.text and _is_bare_name(claim.text):
        found.append(Violation.BARE_NAME_CLAIM)
    return ClaimVerdict(
        claim=claim, status=status, checks=results, violations=tuple(found), cited=case.cited
    )


_OF_CHECK = {
    HardCheck.POINTER_COUNT_WITHIN_CAP: Violation.POINTER_OVERFLOW_TRIMMED,
    HardCheck.ANCHOR_CLASS_WARRANT: Violation.WARRANT_MISSING,
    HardCheck.TITLE_RELEVANCE: Violation.TITLE_MISMATCH,
    HardCheck.SUBJECT_TOKENS_ABSENT: Violation.SUBJECT_TOKENS_ABSENT,
}


def _violations(
    answer: str, judged: tuple[ClaimVerdict, ...], setting: _Setting
) -> Iterator[tuple[Violation, int | None]]:
    for number, one in enumerate(judged):
        yield from ((violation, number) for violation in one.violations)
    if len(judged) > setting.policy.max_claims:
        yield Violation.TOO_MANY_CLAIMS, None
    if setting.collapsed:
        yield Violation.FORMAT_COLLAPSED, None
    said = "\n".join(one.claim.text for one in judged)
    if said.strip() and diagnose_deflection(setting.question, said) is not None:
        yield Violation.DEFLECTION_DETECTED, None


def _lazy_pointers(claims: tuple[LatticeClaim, ...], setting: _Setting) -> frozenset[str]:
    """Pointers on which nearly everything is hung although the map offers others."""
    alone = Counter(claim.pointers[0] for claim in claims if len(claim.pointers) == 1)
    tagged = sum(1 for claim in claims if claim.pointers)
    if len(setting.map.objects) < 2:
        return frozenset()
    return frozenset(
        name
        for name, times in alone.items()
        if times >= setting.policy.lazy_claims and times == tagged
    )


def _is_bare_name(text: str) -> bool:
    """True for a claim that is nothing but a name, so that any mention of it would do."""
    found = tokens(text)
    if not 1 <= len(found) <= 4 or any(map(is_finite, plain_tokens(text))):
        return False
    return all(
        one.text[0].isupper() or one.text in ("of", "the", "de", "van", "von") for one in found
    )
