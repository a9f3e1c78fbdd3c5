"""A real Chromium, spoken to over a pipe: real clicks, real keys, real layout."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
_PATIENCE_SECONDS = 60


class Browser:
    """One page in one browser; ends with the ``with`` block."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        to_child, self._write = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        self._read, from_child = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        self._profile = tempfile.mkdtemp(prefix="firmground-browser-")

        def connect() -> None:
            os.dup2(to_child, 3)
            os.dup2(from_child, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=connect,  # noqa: PLW1509 - no thread runs here
            pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_child)
        os.close(from_child)
        self._number = 0
        self._buffer = b""
        self.requests: list[str] = []
        self._session = ""
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        self.ask("Page.enable")
        self.ask("Network.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._write)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                result: dict[str, Any] = reply["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], _PATIENCE_SECONDS)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._read, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser is gone")
            self._buffer += chunk
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(raw)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def open(self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 700,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=path.as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, expression: str) -> Any:
        reply = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in reply:
            raise RuntimeError(str(reply["exceptionDetails"]))
        return reply["result"].get("value")

    def point(self, selector: str) -> tuple[float, float]:
        """The middle of the first line of an element, scrolled into view."""
        found = self.run(
            f"(() => {{const n = document.querySelector({json.dumps(selector)});"
            "n.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const r = n.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]})()"
        )
        return float(found[0]), float(found[1])

    def hover(self, selector: str) -> None:
        x, y = self.point(selector)
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        x, y = self.point(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )  # fmt: skip

    def press(self, key: str) -> None:
        text = {"Enter": "\r", "j": "j", "k": "k"}.get(key, "")
        code = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowRight": 39}.get(key, 0)
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
            windowsVirtualKeyCode=code,
        )  # fmt: skip
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def printed(self) -> bytes:
        return base64.b64decode(self.ask("Page.printToPDF")["data"])
