"""Names the family of a model: models of one family share their errors."""

from __future__ import annotations

import re

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("anthropic", r"claude|anthropic"),
    ("openai", r"gpt|chatgpt|davinci|openai|(?:^|[/ _-])o[1-9](?:\b|[-_])"),
    ("google", r"gemini|gemma|palm|bard"),
    ("meta", r"llama|opt-iml"),
    ("mistral", r"mistral|mixtral|ministral|codestral|magistral|devstral|pixtral"),
    ("alibaba", r"qwen|qwq"),
    ("deepseek", r"deepseek"),
    ("microsoft", r"(?:^|[/ _-])phi-?\d|orca"),
    ("zhipu", r"glm"),
    ("moonshot", r"kimi|moonshot"),
    ("cohere", r"command-?[ra]|cohere|aya"),
    ("xai", r"grok"),
    ("amazon", r"nova|titan"),
    ("ibm", r"granite"),
    ("huggingface", r"smollm|zephyr"),
    ("nvidia", r"nemotron"),
    ("ai21", r"jamba|jurassic"),
    ("allenai", r"olmo|tulu"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _FAMILIES)
_FIRST_WORD = re.compile(r"[A-Za-z]+")


def family_of(model: str) -> str:
    """Name the family of a model; for an unknown maker, the first word of the model's name.

    A derivative counts as its base: ``deepseek-r1-distill-llama-8b`` is listed under the first
    family whose mark stands earliest in the last part of the name.
    """
    name = model.rsplit("/", 1)[-1]
    hits = [(found.start(), family) for family, mark in _COMPILED if (found := mark.search(name))]
    if hits:
        return min(hits)[1]
    word = _FIRST_WORD.search(name)
    return word.group().lower() if word else name.lower()


def same_model(first: str, second: str) -> bool:
    """True when two names mean one model: case and the vendor's path before it do not matter."""
    return first.rsplit("/", 1)[-1].casefold() == second.rsplit("/", 1)[-1].casefold()


def named_otherwise(asked: str, answered: str) -> str:
    """What to say when an endpoint names another model than was asked; empty when it does not.

    A dated or tagged form of the same name (``gpt-4o-2024-08-06``, ``llama3:8b``) is the same.
    """
    wanted, said = (n.rsplit("/", 1)[-1].casefold() for n in (asked, answered))
    if not said or said == wanted or re.match(re.escape(wanted) + r"[-:@_.]", said):
        return ""
    return f"asked for {asked}, the endpoint says that {answered} answered"
