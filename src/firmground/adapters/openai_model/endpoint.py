"""Where is the model? A base URL and a key, from the environment unless they are given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from firmground.errors import ConfigError

_NO_KEY = "none"
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One OpenAI-compatible endpoint; the key never shows in its representation."""

    base_url: str = OPENAI_URL
    api_key: str = field(default=_NO_KEY, repr=False)
    azure_api_version: str | None = None
    """Set for Azure: ``base_url`` is then the resource and the model name the deployment."""

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(f"base_url needs http:// or https://, got {self.base_url!r}")
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
    def owner(self) -> str:
        """A digest of the key: whose replies these are, without saying who."""
        return hashlib.sha256(b"fg1/model-key\0" + self.api_key.encode()).hexdigest()[:32]

    @classmethod
    def from_environment(
        cls, *, base_url: str | None = None, environ: Mapping[str, str] | None = None
    ) -> Endpoint:
        """Read ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``, or their Azure counterparts."""
        env = os.environ if environ is None else environ
        azure = env.get("AZURE_OPENAI_ENDPOINT")
        if base_url is None and azure:
            return cls._azure(azure, env)
        url = base_url or env.get("OPENAI_BASE_URL") or OPENAI_URL
        key = env.get("OPENAI_API_KEY")
        if not key and url == OPENAI_URL:
            raise ConfigError("OPENAI_API_KEY is not set, and api.openai.com needs one")
        return cls(base_url=url, api_key=key or _NO_KEY)

    @classmethod
    def _azure(cls, resource: str, env: Mapping[str, str]) -> Endpoint:
        missing = [n for n in ("AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION") if not env.get(n)]
        if missing:
            raise ConfigError(f"AZURE_OPENAI_ENDPOINT is set, but {' and '.join(missing)} is not")
        return cls(
            base_url=resource,
            api_key=env["AZURE_OPENAI_API_KEY"],
            azure_api_version=env["OPENAI_API_VERSION"],
        )
