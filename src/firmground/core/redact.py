"""Redacts secrets from text, as they are and in common encodings."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

MARK = "[redacted]"
SHORTEST_SECRET = 4
"""A shorter value is not treated as a secret: redacting it would garble other text."""
SHORTEST_VARIABLE = 6
"""Where an environment holds settings too (``true``, ``debug``), a shorter value is one of them."""
_SCHEME = re.compile(r"[A-Za-z][\w-]*[ \t]+(?=\S)")
_SECRET_NAME = re.compile(r"key|token|secret|pass|pwd|auth|sig|cred|session|code", re.IGNORECASE)
_SECRET_PARAMETER = re.compile(
    r"key(?!word)|token|secret|pass(?!age)|pwd|auth(?!or)|(?<![a-z])sig|signature|cred|session|"
    r"\Acode\Z",
    re.IGNORECASE,
)
_LONG = 16


class Redaction:
    """Redacts a fixed set of secrets from any text."""

    __slots__ = ("_heads", "_pattern")

    def __init__(self, secrets: Iterable[str]) -> None:
        parts = {part for secret in secrets for part in _parts(secret)}
        spelled = {form for part in parts for form in _spellings(part)}
        known = sorted((f for f in spelled if len(f) >= SHORTEST_SECRET), key=len, reverse=True)
        self._heads = tuple(known)
        alternatives = "|".join(map(re.escape, known))
        self._pattern = re.compile(alternatives, re.IGNORECASE) if known else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def __call__(self, text: str, *, most: int | None = None, cut: bool = False) -> str:
        """The text without the secrets, then its first ``most`` characters.

        ``cut`` says that the text was shortened before: it may end with the beginning of a secret.
        """
        if self._pattern is not None:
            text = self._pattern.sub(MARK, text)
            text = self._beheaded(text) if cut else text
        return text if most is None else text[:most]

    def document(self, value: Any) -> Any:
        """The same for every text in a JSON document."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.document(item) for item in value]
        if isinstance(value, dict):
            return {self(key): self.document(item) for key, item in value.items()}
        return value

    def _beheaded(self, text: str) -> str:
        tail = text.lower()
        for head in self._heads:
            for size in range(len(head) - 1, SHORTEST_SECRET - 1, -1):
                if tail.endswith(head[:size].lower()):
                    return text[:-size] + MARK
        return text


def _parts(secret: str) -> Iterator[str]:
    """The value, what follows its scheme (``Bearer …``), and what ``Basic …`` holds."""
    value = secret.strip()
    yield from (secret, value)
    scheme = _SCHEME.match(value)
    bare = value[scheme.end() :] if scheme else value
    yield bare
    if scheme is not None and scheme.group().strip().lower() == "basic":
        try:
            user_and_password = base64.b64decode(bare, validate=True).decode()
        except (binascii.Error, ValueError):
            return
        yield user_and_password
        yield user_and_password.partition(":")[2]


def _spellings(part: str) -> Iterator[str]:
    if len(part) < SHORTEST_SECRET:
        return
    raw = part.encode("utf-8", "surrogatepass")
    yield part
    yield from (quote(raw, safe=""), quote(raw), quote_plus(raw))
    yield from (json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])
    yield from (html.escape(part), raw.hex(), repr(part)[1:-1])
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(raw).decode()
        yield from (whole, whole.rstrip("="), quote(whole, safe=""))
        # Inside a longer text it begins anywhere in a group of three; its edges mix with others.
        for before in (0, 1, 2):
            inner = encode(b"\0" * before + raw).decode().rstrip("=")
            yield inner[before + 1 if before else 0 : len(inner) - 1]


def secrets_in(url: str) -> tuple[str, ...]:
    """The secrets in an address: user-info, and query values that look like keys."""
    _, _, rest = url.partition("://")
    user_info, at, _ = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")
    hidden = [unquote(user_info), unquote(user_info.partition(":")[2])] if at else []
    try:
        query = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        query = []
    hidden += [v for name, v in query if _SECRET_NAME.search(name) or _like_a_key(v)]
    return tuple(value for value in hidden if len(value) >= SHORTEST_SECRET)


def public_address(text: str) -> str:
    """An address without the keys in it: user-info, and what looks like a key in query or fragment.

    Any other text is returned as it is.
    """
    if "://" not in text:
        return text
    text = re.sub(r"(://)[^/?#]*@", r"\1", text, count=1)
    head, mark, tail = re.fullmatch(r"([^?#]*)([?#]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    if "=" not in tail:
        return f"{head}{mark}{MARK if _like_a_key(tail) else tail}"
    return f"{head}{mark}" + re.sub(r"([^=&;#?]+)=([^&;#]*)", _public_pair, tail)


def _public_pair(found: re.Match[str]) -> str:
    name, value = found.groups()
    plain = unquote(value)
    secret = _SECRET_PARAMETER.search(unquote(name)) or _like_a_key(plain)
    return f"{name}={MARK if secret and len(plain) >= SHORTEST_SECRET else value}"


def _like_a_key(value: str) -> bool:
    """True for a long value without blanks that mixes letters and digits."""
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= _LONG and mixed and not re.search(r"\s", value)


def shown_address(url: str, *, most: int = 200) -> str:
    """An address that may be shown: without user-info and query values."""
    before, mark, query = url.partition("?")
    told = re.sub(r"\A((?:[^:/@]*://)?)[^/]*@", r"\1", before)
    names = re.sub(r"=[^&;#]*", "=…", query) if "=" in query else "…" * bool(query)
    return f"{told}{mark}{names}"[:most]
