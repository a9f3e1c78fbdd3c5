"""A request to a model, whatever protocol the client speaks, with its question and evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmground.adapters.evidence.values import evidence_from_value
from firmground.config.proxy import DeliveryMode, ProxySettings
from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.errors import ConfigError, InputError
from firmground.service.problems import HttpProblem

EXTENSION = "firmground"
_EXTENSION_FIELDS = frozenset({"evidence", "question", "mode"})
_STRICTNESS = tuple(DeliveryMode)
ROUTING = frozenset(
    "api_base api_key api_type api_version azure_endpoint base_model base_url custom_llm_provider"
    " endpoint extra_body extra_headers extra_query fallbacks headers host metadata_url"
    " model_list models organization provider proxy route router timeout transforms"
    " vertex_project webhook".split()
)
"""Members by which a client could choose where or how the upstream is asked."""
_UNCHECKED = {
    "audio": "audio is not checked",
    "functions": "use tools instead",
    "function_call": "use tool_choice instead",
    "logprobs": "token texts are not checked",
    "top_logprobs": "token texts are not checked",
    "web_search_options": "results of a search by the upstream are not checked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRequest:
    """What is sent upstream, and what the proxy reads in it."""

    surface: str
    """The protocol of the client: ``chat``, ``responses`` or ``messages``."""
    model: str
    body: dict[str, Any]
    """The body for the upstream's ``/chat/completions``."""
    stream: bool
    include_usage: bool
    choices: int
    mode: DeliveryMode
    question: Question | None
    evidence: tuple[Evidence, ...]
    tools: frozenset[str] = frozenset()
    """Names of the tools that the request offers."""
    said: str = ""
    """What users wrote, against which statements in tool calls are checked, too."""
    echo: dict[str, Any] = field(default_factory=dict)
    """Members of the client's request that its protocol repeats in the reply."""


def refuse_unchecked(body: dict[str, Any]) -> None:
    """Refuse members that choose a route, or ask for output that is not checked."""
    for name in body:
        if name in ROUTING:
            raise HttpProblem("invalid", f"{name}: clients cannot choose a route", field=name)
    for name, why in _UNCHECKED.items():
        if body.get(name) not in (None, False, 0):
            raise HttpProblem("invalid", f"{name}: {why}", field=name)
    if body.get("modalities") not in (None, ["text"]):
        raise HttpProblem("invalid", "modalities: only text is checked", field="modalities")


def model_request(
    body: dict[str, Any], finder: EvidenceFinder, *, surface: str, echo: dict[str, Any]
) -> ProxyRequest:
    """Read a chat request; evidence of a retriever is added later."""
    settings = finder.settings
    sent = dict(body)
    extension = _extension(sent.pop(EXTENSION, None))
    model, messages = sent.get("model"), sent.get("messages")
    if not isinstance(model, str) or not model:
        raise HttpProblem("invalid", "model: name a model", field="model")
    if not isinstance(messages, list) or not messages:
        raise HttpProblem("invalid", "messages: must be a list of messages", field="messages")
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise HttpProblem("invalid", f"messages[{at}]: must have a role", field="messages")
    choices = sent.get("n") or 1
    if not isinstance(choices, int) or not 1 <= choices <= settings.choices:
        raise HttpProblem("invalid", f"n: must be 1 to {settings.choices}", field="n")
    stream = sent.get("stream") or False
    options = sent.pop("stream_options", None) or {}
    if not isinstance(stream, bool) or not isinstance(options, dict):
        raise HttpProblem("invalid", "stream: must be true or false", field="stream")
    if stream:
        sent["stream_options"] = {"include_usage": True}
    return ProxyRequest(
        surface=surface,
        model=model,
        body=sent,
        stream=stream,
        include_usage=bool(options.get("include_usage")),
        choices=choices,
        mode=_mode(extension.get("mode"), settings.mode),
        question=_question(extension.get("question"), finder.question(messages)),
        evidence=finder.evidence(messages, extension.get("evidence")),
        tools=frozenset(_tool_names(sent.get("tools"))),
        said="\n".join(text for m in messages if m["role"] == "user" for text in texts_of(m)),
        echo=echo,
    )


def _extension(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise HttpProblem("invalid", f"{EXTENSION}: must be an object", field=EXTENSION)
    for name in value:
        if name not in _EXTENSION_FIELDS:
            known = ", ".join(sorted(_EXTENSION_FIELDS))
            at = f"{EXTENSION}.{name}"
            raise HttpProblem("invalid", f"{at}: is unknown; known are {known}", field=at)
    return value


def _mode(stated: Any, configured: DeliveryMode) -> DeliveryMode:
    """The mode of a request, which may be stricter than the configured one and never laxer."""
    if stated is None:
        return configured
    at = f"{EXTENSION}.mode"
    if stated not in _STRICTNESS:
        raise HttpProblem("invalid", f"{at}: use {', '.join(_STRICTNESS)}", field=at)
    mode = DeliveryMode(stated)
    if _STRICTNESS.index(mode) > _STRICTNESS.index(configured):
        raise HttpProblem("invalid", f"{at}: this service allows no more than {configured}",
                          field=at)  # fmt: skip
    return mode


def _question(stated: Any, found: str) -> Question | None:
    text = found if stated is None else stated
    if not isinstance(text, str):
        at = f"{EXTENSION}.question"
        raise HttpProblem("invalid", f"{at}: must be a text", field=at)
    return Question(text=text) if text.strip() else None


def _tool_names(tools: Any) -> Iterator[str]:
    if tools is None:
        return
    if not isinstance(tools, list):
        raise HttpProblem("invalid", "tools: must be a list", field="tools")
    for at, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str):
            raise HttpProblem("invalid", f"tools[{at}]: must be a function", field="tools")
        yield name


def texts_of(message: dict[str, Any]) -> list[str]:
    """The texts of a message, whose content is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str)]


class EvidenceFinder:
    """Finds the question and the evidence in messages."""

    def __init__(self, settings: ProxySettings) -> None:
        self.settings = settings
        names = "|".join(map(re.escape, settings.tags))
        self._tag = re.compile(rf"<({names})\b([^<>]{{0,1000}})>", re.IGNORECASE) if names else None
        self._patterns = [_re2(pattern) for pattern in settings.patterns]

    def question(self, messages: Sequence[dict[str, Any]]) -> str:
        """What the last user wrote, without the evidence in it."""
        for message in reversed(messages):
            if message["role"] == "user":
                return "\n".join(map(self._without_blocks, texts_of(message))).strip()
        return ""

    def _without_blocks(self, text: str) -> str:
        kept, at = [], 0
        for start, _, _, end in self._blocks(text):
            kept.append(text[at:start])
            at = end
        return "".join([*kept, text[at:]])

    def evidence(self, messages: Sequence[dict[str, Any]], stated: Any) -> tuple[Evidence, ...]:
        """Evidence of the first group of sources that has any; the retriever's comes later."""
        by_name: dict[str, Callable[[], list[Evidence]]] = {
            "field": lambda: _stated(stated),
            "tools": lambda: _tool_results(messages),
            "tags": lambda: self._tagged(messages),
            "retriever": list,
        }
        if stated is not None and not any("field" in g for g in self.settings.evidence):
            at = f"{EXTENSION}.evidence"
            raise HttpProblem("invalid", f"{at}: is not taken by this service", field=at)
        for group in self.settings.evidence:
            found = [piece for name in group for piece in by_name[name]()]
            if found:
                return tuple({piece.text: piece for piece in found}.values())
        return ()

    def _tagged(self, messages: Sequence[dict[str, Any]]) -> list[Evidence]:
        found = []
        for message in messages:
            if message["role"] not in self.settings.tag_roles:
                continue
            for text in texts_of(message):
                found += [Evidence(text=inner) for _, inner, _, _ in self._blocks(text)]
                for pattern in self._patterns:
                    found += [
                        Evidence(text=match[1]) for match in pattern.finditer(text) if match[1]
                    ]
        return found

    def _blocks(self, text: str) -> Iterator[tuple[int, str, str, int]]:
        """Where tagged blocks begin, their content and name, and where they end; not nested."""
        if self._tag is None:
            return
        lower, at = text.lower(), 0
        never_closed: set[str] = set()
        while match := self._tag.search(text, at):
            end_tag = f"</{match[1].lower()}>"
            end = -1 if end_tag in never_closed else lower.find(end_tag, match.end())
            if end < 0:
                never_closed.add(end_tag)
                at = match.end()
                continue
            inner = text[match.end() : end].strip()
            at = end + len(end_tag)
            if inner:
                yield match.start(), inner, match[1].lower(), at


def _stated(value: Any) -> list[Evidence]:
    if value is None:
        return []
    at = f"{EXTENSION}.evidence"
    pieces = value if isinstance(value, list) else [value]
    try:
        return [evidence_from_value(one, f"{at}[{n}]") for n, one in enumerate(pieces)]
    except InputError as error:
        raise HttpProblem("invalid", str(error), field=at) from None


def _tool_results(messages: Sequence[dict[str, Any]]) -> list[Evidence]:
    found = []
    for message in messages:
        if message["role"] == "tool":
            text = "\n".join(texts_of(message))
            if text.strip():
                found.append(evidence_from_value({"text": text, "role": "tool"}))
    return found


def _re2(pattern: str) -> Any:
    try:
        import re2  # type: ignore[import-untyped]
    except ImportError:
        told = "proxy.patterns need the extra re2: pip install 'firmground[re2]'"
        raise ConfigError(told) from None
    try:
        made = re2.compile(pattern)
    except re2.error as error:
        raise ConfigError(f"proxy.patterns: {pattern!r}: {error}") from None
    if made.groups < 1:
        raise ConfigError(f"proxy.patterns: {pattern!r} has no group")
    return made
