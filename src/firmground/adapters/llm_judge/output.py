"""What a judge said, read tolerantly and never completed: absent stays absent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firmground.core.claim import Standing
from firmground.core.loose_json import only_object
from firmground.verify.gsar import Partition, TypedClaim

BUCKETS: tuple[tuple[str, Standing], ...] = (
    ("grounded_claims", Standing.GROUNDED),
    ("ungrounded_claims", Standing.UNGROUNDED),
    ("contradicted_claims", Standing.CONTRADICTED),
    ("complementary_claims", Standing.COMPLEMENTARY),
)
_ID = re.compile(r"\s*[\[(\"']*\s*([CE])\s*[-_#]?\s*0*(\d{1,4})\b", re.IGNORECASE)
_MAX_TEXT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """One claim in one bucket, with the words the judge says it rests on."""

    id: str
    """``C1``, ``C2``…, or empty when the judge named no claim."""
    text: str = ""
    type: str = ""
    """What the judge calls the support; on record only, never used for a score."""
    quotes: tuple[tuple[str, str], ...] = ()
    """(evidence id, quoted words)."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOutput:
    """A judge's output in the shape of GSAR's Appendix C."""

    grounded_claims: tuple[JudgedClaim, ...] = ()
    ungrounded_claims: tuple[JudgedClaim, ...] = ()
    contradicted_claims: tuple[JudgedClaim, ...] = ()
    complementary_claims: tuple[JudgedClaim, ...] = ()
    gaps: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    verification_needed: bool = False
    verification_reason: str = ""
    explanation: str = ""
    decision_status: str = "resolved"
    abstain_reason: str = ""
    grounding_score: float | None = None
    """The judge's own number, if it gave a usable one; the score is always recomputed."""
    is_grounded: bool | None = None

    @property
    def abstained(self) -> bool:
        """True when the judge said that it cannot decide."""
        return self.decision_status == "abstain"

    def placed(self) -> Iterator[tuple[Standing, JudgedClaim]]:
        """Every claim with the bucket it was put into."""
        for name, standing in BUCKETS:
            for claim in getattr(self, name):
                yield standing, claim

    def to_partition(self) -> Partition:
        """The four buckets as the score reads them; claims without words are left out."""
        typed = {
            name.removesuffix("_claims"): tuple(
                TypedClaim(
                    text=claim.text or claim.id,
                    type=claim.type or "inference",
                    evidence_refs=tuple(dict.fromkeys(ref for ref, _ in claim.quotes)),
                )
                for claim in getattr(self, name)
                if (claim.text or claim.id).strip()
            )
            for name, _ in BUCKETS
        }
        return Partition(**typed)


def read_output(text: str) -> JudgeOutput | None:
    """Read a judge's reply; None when it is not one verdict. Never raises, never fills in."""
    document = only_object(text)
    if document is None:
        return None
    names = {str(key).strip().lower(): value for key, value in document.items()}
    if len(names) != len(document):
        return None
    status = str(names.get("decision_status") or "").strip().lower()
    buckets = {name: tuple(_claims(names.get(name))) for name, _ in BUCKETS}
    if status != "abstain" and not any(name in names for name, _ in BUCKETS):
        return None
    return JudgeOutput(
        **buckets,
        gaps=_texts(names.get("gaps")),
        contradictions=_texts(names.get("contradictions")),
        verification_needed=names.get("verification_needed") is True,
        verification_reason=_text(names.get("verification_reason")),
        explanation=_text(names.get("explanation")),
        decision_status="abstain" if status == "abstain" else "resolved",
        abstain_reason=_text(names.get("abstain_reason")),
        grounding_score=_share(names.get("grounding_score")),
        is_grounded=names["is_grounded"] if isinstance(names.get("is_grounded"), bool) else None,
    )


def _claims(value: Any) -> Iterator[JudgedClaim]:
    for item in value if isinstance(value, list) else []:
        if isinstance(item, str):
            yield JudgedClaim(id=_id(item), text=_text(item))
        elif isinstance(item, dict):
            named = next((_text(item[k]) for k in ("id", "claim", "text") if item.get(k)), "")
            yield JudgedClaim(
                id=_id(named),
                text=_text(item.get("text") or item.get("claim")),
                type=_text(item.get("type")),
                quotes=tuple(_quotes(item)),
                reason=_text(item.get("reason")),
            )


def _quotes(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    evidence = item.get("evidence")
    for one in evidence if isinstance(evidence, list) else [evidence]:
        if isinstance(one, dict) and isinstance(one.get("quote"), str):
            yield _id(_text(one.get("id"))), one["quote"][:_MAX_TEXT]


def _id(text: str) -> str:
    found = _ID.match(text)
    return f"{found.group(1).upper()}{int(found.group(2))}" if found else ""


def _text(value: Any) -> str:
    return value[:_MAX_TEXT] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(item) for item in value if item) if isinstance(value, list) else ()


def _share(value: Any) -> float | None:
    """A number between 0 and 1 that is really there; anything else is not a score."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None
