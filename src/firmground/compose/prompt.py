"""Prompts from versioned files, with all outside text between marks.

The mark is derived from the texts themselves and occurs in none of them, so nothing in the evidence
can pretend that the evidence has ended. The same input always gives the same prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from firmground.core.evidence import Evidence
from firmground.core.ports import ModelRequest
from firmground.core.question import Question
from firmground.errors import InputError

_MARK_DIGITS = 16
_ANSWERING = ("answer.v1", "rewrite.v1", "spans.v1")
_LATTICE = {"pointer": "lattice-pointer.v1", "json": "lattice-json.v1"}
CLAIM_CAP = "claim-cap.v1"
"""Name of the prompt file that states how many claims an answer may make."""
_CLAIMS_SCHEMA = (
    '{"type": "object", "required": ["claims"], "additionalProperties": false, "properties": '
    '{"claims": {"type": "array", "items": {"type": "object", "required": ["claim", '
    '"evidence_ids"], "additionalProperties": false, "properties": {"claim": {"type": "string"}, '
    '"evidence_ids": {"type": "array", "items": {"type": "string"}}}}}}}'
)
_SPANS_SCHEMA = (
    '{"type": "object", "required": ["spans"], "additionalProperties": false, "properties": '
    '{"spans": {"type": "array", "items": {"type": "object", "required": ["n"], '
    '"additionalProperties": false, "properties": {"n": {"type": "integer"}, '
    '"text": {"type": "string"}, "drop": {"type": "boolean"}}}}}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """One version of one prompt; its digest goes into every run that used it."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """What a rewrite has to repair."""

    answer: str
    objections: tuple[str, ...]


@cache
def template(name: str) -> PromptTemplate:
    """Read a prompt by name and version, such as ``answer.v1``."""
    path = files("firmground.compose") / "prompts" / f"{name}.txt"
    if not path.is_file():
        raise InputError(f"there is no prompt named {name!r}")
    return PromptTemplate(name=name, text=path.read_text(encoding="utf-8"))


def answer_prompts(lattice: str = "") -> str:
    """SHA-256 over the prompts that answers are written and rewritten under.

    ``lattice`` is ``pointer`` or ``json`` for answers that point to their evidence.
    """
    names = (_LATTICE[lattice],) if lattice else _ANSWERING
    whole = "\n".join(template(name).digest for name in names)
    return hashlib.sha256(whole.encode("ascii")).hexdigest()


def answer_request(
    question: Question,
    evidence: Sequence[Evidence],
    *,
    guidance: Guidance | None = None,
    claim_cap: int | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
) -> ModelRequest:
    """Ask for an answer from the evidence, or for a better one under the objections.

    ``claim_cap`` reminds the model of how many claims it may make at most.
    """
    texts = [question.text, question.context, *(piece.text for piece in evidence)]
    if guidance is not None:
        texts += [guidance.answer, *guidance.objections]
    mark = _mark(texts)
    chosen = template(_ANSWERING[guidance is not None])
    parts = [_fenced(f"evidence {n}", e.text, mark) for n, e in enumerate(evidence, start=1)]
    made = _asking(chosen, parts, question, mark, guidance=guidance, claim_cap=claim_cap)
    return replace(made, max_tokens=max_tokens, seed=seed)


def lattice_request(
    question: Question,
    named: Sequence[tuple[str, str, str]],
    *,
    form: str,
    guidance: Guidance | None = None,
    claim_cap: int | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
) -> ModelRequest:
    """Ask for claims that point to their evidence; ``named`` is (pointer, title, text) of each.

    ``form`` is ``pointer`` for lines with pointers, ``json`` for a JSON list of claims.
    """
    texts = [question.text, question.context, *(part for one in named for part in one)]
    if guidance is not None:
        texts += [guidance.answer, *guidance.objections]
    mark = _mark(texts)
    parts = [
        _fenced(f"{name} {' '.join(title.split())}".strip(), text, mark)
        for name, title, text in named
    ]
    chosen = template(_LATTICE[form])
    made = _asking(chosen, parts, question, mark, guidance=guidance, claim_cap=claim_cap)
    schema = _CLAIMS_SCHEMA if form == "json" else None
    return replace(made, max_tokens=max_tokens, seed=seed, json_schema=schema)


def _asking(
    chosen: PromptTemplate,
    parts: list[str],
    question: Question,
    mark: str,
    *,
    guidance: Guidance | None,
    claim_cap: int | None,
) -> ModelRequest:
    """The request over fenced evidence: what was said before, objections, reminder, question."""
    if question.context:
        parts.append(_fenced("what was said before", question.context, mark))
    if guidance is not None:
        parts.append(_fenced("your answer", guidance.answer, mark))
        parts.append(_fenced("objections", "\n".join(guidance.objections), mark))
    used = [chosen]
    if claim_cap is not None:
        used.append(template(CLAIM_CAP))
        parts.append(used[-1].text.replace("{cap}", str(claim_cap)).strip())
    parts.append(f"Question: {question.text}")
    return ModelRequest(
        messages=(("system", chosen.text.replace("{mark}", mark)), ("user", "\n\n".join(parts))),
        prompts=tuple((one.name, one.digest) for one in used),
    )


def spans_request(
    question: Question,
    evidence: Sequence[Evidence],
    *,
    guidance: Guidance,
    spans: Sequence[str],
    max_tokens: int | None = None,
    seed: int | None = None,
) -> ModelRequest:
    """Ask for replacements of some pieces of an answer, and for nothing else."""
    if not spans:
        raise InputError("there is no piece to repair")
    pieces = [piece.text for piece in evidence]
    objections = "\n".join(guidance.objections)
    texts = [question.text, question.context, *pieces, guidance.answer, objections, *spans]
    mark = _mark(texts)
    chosen = template("spans.v1")
    parts = [_fenced(f"evidence {n}", text, mark) for n, text in enumerate(pieces, start=1)]
    if question.context:
        parts.append(_fenced("what was said before", question.context, mark))
    parts.append(_fenced("your answer", guidance.answer, mark))
    parts.append(_fenced("objections", objections, mark))
    parts += [_fenced(f"piece {n}", text, mark) for n, text in enumerate(spans, start=1)]
    parts.append(f"Question: {question.text}")
    return ModelRequest(
        messages=(("system", chosen.text.replace("{mark}", mark)), ("user", "\n\n".join(parts))),
        prompts=((chosen.name, chosen.digest),),
        json_schema=_SPANS_SCHEMA,
        max_tokens=max_tokens,
        seed=seed,
    )


def _mark(texts: Sequence[str]) -> str:
    """A word that occurs in none of the texts."""
    whole = hashlib.sha256()
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        whole.update(len(raw).to_bytes(8, "big") + raw)
    for attempt in range(1 << 16):
        seed = whole.digest() + attempt.to_bytes(4, "big")
        mark = "fg" + hashlib.sha256(seed).hexdigest()[:_MARK_DIGITS]
        if not any(mark in text for text in texts):
            return mark
    raise InputError("the texts leave no mark unused")


def _fenced(title: str, text: str, mark: str) -> str:
    return f"--- {mark} {title}\n{text}\n--- {mark} end of {title}"
