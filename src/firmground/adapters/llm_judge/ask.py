"""One call to a judge: which claims and evidence are shown, and how they are numbered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.ports import Inquiry, ModelRequest
from firmground.core.prompt import Prompt, load_prompt
from firmground.core.segment import words

PROMPT = "judge.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompt:
    """What one call shows: numbered claims and numbered evidence."""

    claims: tuple[tuple[str, Claim], ...]
    evidence: tuple[tuple[str, Evidence], ...]
    left_out: tuple[str, ...]
    """Ids of evidence that did not fit."""
    request: ModelRequest


def judge_prompt() -> Prompt:
    """The prompt file every judge uses."""
    return load_prompt("firmground.adapters.llm_judge", PROMPT)


def prompt_for_claims(
    inquiry: Inquiry, claims: Sequence[Claim], *, max_characters: int, max_tokens: int, seed: int
) -> JudgePrompt:
    """Write one call about these claims; evidence that does not fit is named, not cut."""
    shown, left_out = _fitting(inquiry.evidence, claims, max_characters)
    evidence = tuple((f"E{i}", piece) for i, piece in enumerate(shown, start=1))
    numbered = tuple((f"C{i}", claim) for i, claim in enumerate(claims, start=1))
    asked = inquiry.question.text if inquiry.question else ""
    statements = [_statement(claim) for _, claim in numbered]
    mark = mark_for([*(piece.text for _, piece in evidence), *statements, asked])
    prompt = judge_prompt().fill(
        mark=mark,
        question=fence("question", asked, mark) if asked else "",
        evidence="\n".join(fence(name, piece.text, mark) for name, piece in evidence),
        claims="\n".join(
            fence(name, said, mark) for (name, _), said in zip(numbered, statements, strict=True)
        ),
    )
    return JudgePrompt(
        claims=numbered,
        evidence=evidence,
        left_out=left_out,
        request=ModelRequest(
            messages=(("user", prompt),),
            prompts=(judge_prompt().mark,),
            max_tokens=max_tokens,
            seed=seed,
            json_schema=_schema([name for name, _ in numbered], [name for name, _ in evidence]),
        ),
    )


def _statement(claim: Claim) -> str:
    return f"{claim.statement} (about: {claim.context})" if claim.context else claim.statement


def _fitting(
    evidence: Sequence[Evidence], claims: Sequence[Claim], room: int
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The pieces that share most words with the claims, as many as fit, in their own order."""
    if sum(len(piece.text) for piece in evidence) <= room:
        return tuple(evidence), ()
    sought = {w.text.casefold() for claim in claims for w in words(_statement(claim))}
    ranked = sorted(
        range(len(evidence)),
        key=lambda i: -len(sought & {w.text.casefold() for w in words(evidence[i].text)}),
    )
    kept: set[int] = set()
    for position in ranked:
        if len(evidence[position].text) <= room:
            kept.add(position)
            room -= len(evidence[position].text)
    shown = tuple(piece for i, piece in enumerate(evidence) if i in kept)
    return shown, tuple(piece.id for i, piece in enumerate(evidence) if i not in kept)


def _schema(claims: list[str], evidence: list[str]) -> str:
    """A schema in which only ids that exist can be named."""
    text = {"type": "string"}
    quote = _object({"id": {"type": "string", "enum": evidence or ["none"]}, "quote": text})
    item = _object(
        {
            "id": {"type": "string", "enum": claims},
            "evidence": {"type": "array", "items": quote},
            "reason": text,
        }
    )
    bucket = {"type": "array", "items": item}
    texts = {"type": "array", "items": text}
    return json.dumps(
        _object(
            {
                "decision_status": {"type": "string", "enum": ["resolved", "abstain"]},
                "abstain_reason": text,
                "grounded_claims": bucket,
                "ungrounded_claims": bucket,
                "contradicted_claims": bucket,
                "complementary_claims": bucket,
                "gaps": texts,
                "contradictions": texts,
                "explanation": text,
            }
        ),
        sort_keys=True,
    )


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
