"""Builds prompts from a question and evidence; the same input always gives the same words."""

from __future__ import annotations

from firmground.compose.prompt import (
    Guidance,
    PromptTemplate,
    answer_prompts,
    answer_request,
    lattice_request,
    spans_request,
    template,
)

__all__ = [
    "Guidance",
    "PromptTemplate",
    "answer_prompts",
    "answer_request",
    "lattice_request",
    "spans_request",
    "template",
]
