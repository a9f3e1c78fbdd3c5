"""What exactly is sent? Question and evidence in, prompt out; the same words for the same input."""

from __future__ import annotations

from firmground.compose.prompt import (
    Guidance,
    Template,
    answer_prompts,
    answer_request,
    spans_request,
    template,
)

__all__ = ["Guidance", "Template", "answer_prompts", "answer_request", "spans_request", "template"]
