"""Identity of model calls: the same when everything that could change the reply is the same."""

from __future__ import annotations

from dataclasses import replace

from firmground.core.canon import Value, canonical, decimal, digest, pack_text, unpack_text
from firmground.core.ports import ModelReply, ModelRequest
from firmground.errors import InputError

_MAX_BYTES = 1 << 26


def request_value(request: ModelRequest) -> dict[str, Value]:
    """Everything in a request that a model could react to, as a canonical value."""
    return {
        "messages": [[role, pack_text(content)] for role, content in request.messages],
        "temperature": decimal(request.temperature),
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "samples": request.samples,
        "top_logprobs": request.top_logprobs,
        "json_schema": request.json_schema,
    }


def request_key(request: ModelRequest, *, endpoint: str, model: str, owner: str = "") -> str:
    """Name a call by its content, endpoint and model, in hexadecimal.

    ``owner`` separates callers who may not see each other's replies.
    """
    value: dict[str, Value] = {"endpoint": endpoint, "model": model, **request_value(request)}
    if owner:
        value["owner"] = owner
    return digest("fg1/model-call", canonical(value, max_bytes=_MAX_BYTES)).hex()


def reply_value(reply: ModelReply) -> dict[str, Value]:
    """A reply as a canonical value; logprobs keep their digits as text."""
    alternatives = reply.logprobs
    return {
        "texts": [pack_text(text) for text in reply.texts],
        "model": reply.model,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "logprobs": None
        if alternatives is None
        else [[[pack_text(t), repr(lp)] for t, lp in place] for place in alternatives],
        "finish": list(reply.finish),
        "schema": reply.schema,
        "seconds": decimal(reply.seconds),
        "cost": None if reply.cost is None else repr(reply.cost),
        **({"calls": reply.calls} if reply.calls != 1 else {}),
    }


def reply_from_value(value: object, *, where: str) -> ModelReply:
    """Read a reply back; anything that is not one is an error naming where it stood."""
    try:
        record: dict[str, object] = dict(value)  # type: ignore[call-overload]
        places = record["logprobs"]
        return ModelReply(
            texts=tuple(unpack_text(text) for text in record["texts"]),  # type: ignore[attr-defined]
            model=str(record["model"]),
            tokens_in=_count(record["tokens_in"]),
            tokens_out=_count(record["tokens_out"]),
            logprobs=None
            if places is None
            else tuple(
                tuple((unpack_text(token), float(lp)) for token, lp in place)
                for place in places  # type: ignore[attr-defined]
            ),
            finish=tuple(str(one) for one in record["finish"]),  # type: ignore[attr-defined]
            schema=str(record["schema"]),
            seconds=_amount(record["seconds"]),
            cost=None if record["cost"] is None else _amount(record["cost"]),
            calls=_count(record.get("calls", 1)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where} is not a recorded reply: {error}") from None


def _count(value: object) -> int:
    """A whole number from zero on, so that a tampered file cannot increase a budget."""
    count = int(str(value))
    if count < 0:
        raise ValueError(f"{count} is less than nothing")
    return count


def _amount(value: object) -> float:
    amount = float(str(value))
    if not 0 <= amount < float("inf"):
        raise ValueError(f"{amount} is not an amount")
    return amount


def as_cached(reply: ModelReply) -> ModelReply:
    """The same reply, marked as not paid for again."""
    return replace(reply, cached=True, seconds=0.0, cost=None if reply.cost is None else 0.0)
