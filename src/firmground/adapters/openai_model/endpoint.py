"""The address of a model: a base URL and a key, from the environment unless they are given."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from firmground.errors import ConfigError

_NO_KEY = "none"
_OPENAI = re.compile(r"(?:[a-z0-9-]+\.)*openai\.com")
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """One OpenAI-compatible endpoint; the key never shows in its representation."""

    base_url: str = OPENAI_URL
    api_key: str = field(default=_NO_KEY, repr=False)
    azure_api_version: str | None = None
    """Set for Azure: ``base_url`` is then the resource and the model name the deployment."""

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(f"base_url needs http:// or https://, got {self.base_url!r}")
        if any(mark.isspace() or not mark.isprintable() for mark in self.base_url):
            # some readers of addresses drop such marks and others do not: they would disagree
            # about the host, and one of them decides who gets the key
            raise ConfigError(f"base_url holds a character no address has: {self.base_url!r}")
        try:
            named = urlsplit(self.base_url)
            secret = named.username or named.password or named.query
        except ValueError:
            raise ConfigError("base_url is not an address") from None
        if secret:
            raise ConfigError(
                "base_url is recorded with every call: keep user, password and query out of it, "
                "and the key in the environment"
            )
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    @property
    def keyless(self) -> bool:
        """True when no key is sent."""
        return self.api_key == _NO_KEY

    @property
    def is_here(self) -> bool:
        """True when the endpoint runs on this machine: its key has no business with a proxy."""
        return _is_here(_origin(self.base_url)[1])

    @property
    def owner(self) -> str:
        """A digest of the key: whose replies these are, without saying who."""
        return hashlib.sha256(b"fg1/model-key\0" + self.api_key.encode()).hexdigest()[:32]

    @classmethod
    def with_key_from(
        cls, variable: str, *, base_url: str | None = None, environ: Mapping[str, str] | None = None
    ) -> ModelEndpoint:
        """Read the key from that very variable, for wherever ``base_url`` points."""
        env = os.environ if environ is None else environ
        key = env.get(variable)
        if not key:
            raise ConfigError(f"the variable {variable} is not set")
        return cls(base_url=base_url or env.get("OPENAI_BASE_URL") or OPENAI_URL, api_key=key)

    @classmethod
    def from_environment(
        cls, *, base_url: str | None = None, environ: Mapping[str, str] | None = None
    ) -> ModelEndpoint:
        """Read ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``, or their Azure counterparts.

        The key goes to OpenAI, to where ``OPENAI_BASE_URL`` points and to this machine; any other
        ``base_url`` gets none.
        """
        env = os.environ if environ is None else environ
        azure = env.get("AZURE_OPENAI_ENDPOINT")
        if base_url is None and azure:
            return cls._azure(azure, env)
        chosen = env.get("OPENAI_BASE_URL") or OPENAI_URL
        made = cls(base_url=base_url or chosen)
        if not may_have_openai_key(made.base_url, chosen):
            return made
        key = env.get("OPENAI_API_KEY")
        if not key and made.base_url == OPENAI_URL:
            raise ConfigError("OPENAI_API_KEY is not set, and api.openai.com needs one")
        return replace(made, api_key=key or _NO_KEY)

    @classmethod
    def _azure(cls, resource: str, env: Mapping[str, str]) -> ModelEndpoint:
        missing = [n for n in ("AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION") if not env.get(n)]
        if missing:
            raise ConfigError(f"AZURE_OPENAI_ENDPOINT is set, but {' and '.join(missing)} is not")
        return cls(
            base_url=resource,
            api_key=env["AZURE_OPENAI_API_KEY"],
            azure_api_version=env["OPENAI_API_VERSION"],
        )


def may_have_openai_key(url: str, chosen: str = OPENAI_URL) -> bool:
    """True for OpenAI's hosts over TLS, for this machine, and for the origin the user chose."""
    scheme, host, _ = place = _origin(url)
    openai = scheme == "https" and _OPENAI.fullmatch(host) is not None
    return openai or _is_here(host) or place == _origin(chosen)


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        named = urlsplit(url)
        port = named.port or {"http": 80, "https": 443}.get(named.scheme)
    except ValueError:
        raise ConfigError("base_url is not an address") from None
    return named.scheme, (named.hostname or "").rstrip("."), port


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
