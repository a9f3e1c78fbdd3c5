"""Prompts from versioned files, with everything that is not ours behind a mark.

The mark is derived from the texts themselves and is sure to occur in none of them, so nothing in
the evidence can pretend that the evidence has ended. The same input always gives the same prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from firmground.core.evidence import Evidence
from firmground.core.ports import ModelRequest
from firmground.core.question import Question
from firmground.errors import InputError

_MARK_DIGITS = 16
_ANSWERING = ("answer.v1", "rewrite.v1", "spans.v1")
CLAIM_CAP = "claim-cap.v1"
"""Name of the prompt file that states how many claims an answer may make."""
_SPANS_SCHEMA = (
    '{"type": "object", "required": ["spans"], "additionalProperties": false, "properties": '
    '{"spans": {"type": "array", "items": {"type": "object", "required": ["n"], '
    '"additionalProperties": false, "properties": {"n": {"type": "integer"}, '
    '"text": {"type": "string"}, "drop": {"type": "boolean"}}}}}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One version of one prompt; its digest goes into every run that used it."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """What a rewrite has to mend."""

    answer: str
    objections: tuple[str, ...]


@cache
def template(name: str) -> Template:
    """Read a prompt by name and version, such as ``answer.v1``."""
    path = files("firmground.compose") / "prompts" / f"{name}.txt"
    if not path.is_file():
        raise InputError(f"there is no prompt named {name!r}")
    return Template(name=name, text=path.read_text(encoding="utf-8"))


def answer_prompts() -> str:
    """SHA-256 over the prompts that answers are written and rewritten under."""
    whole = "\n".join(template(name).digest for name in _ANSWERING)
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
        max_tokens=max_tokens,
        seed=seed,
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
    """Ask what is to stand in the place of some pieces of an answer, and for nothing else of it."""
    if not spans:
        raise InputError("there is no piece to be mended")
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
