"""Chromium, driven over its own protocol: open a page, run a line of script in it, take a picture of it."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

from tests.waiting import lines, until

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0")


class Browser:
    """A browser with one page of its own, while the `with` block lasts. folder: for its profile."""

    def __init__(self, folder: Path, size: tuple[int, int] = (1280, 900)) -> None:
        self._folder, self._size = folder / "profile", size
        self._numbers = itertools.count(1)
        self.console: list[str] = []

    def __enter__(self) -> Browser:
        flags = [*_FLAGS, f"--user-data-dir={self._folder}", f"--window-size={self._size[0]},{self._size[1]}"]
        self._process = subprocess.Popen([CHROMIUM, *flags, "about:blank"], stderr=subprocess.DEVNULL)
        where = self._folder / "DevToolsActivePort"
        until(lambda: lines(where))
        port, path = where.read_text().split("\n")[:2]
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(f"ws://127.0.0.1:{port}{path}", max_size=None, proxy=None))
        (page,) = [target for target in self._do("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        attached = self._do("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session: str | None = attached["sessionId"]
        self._do("Runtime.enable")
        self._do("Page.enable")
        return self

    _session: str | None = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()
        self._process.kill()
        self._process.wait()

    def open(self, address: str) -> None:
        """Go to an address."""
        self._do("Page.navigate", url=address)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        reply = self._do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def picture(self, path: Path) -> Path:
        """What the page looks like, as a PNG file."""
        path.write_bytes(base64.b64decode(self._do("Page.captureScreenshot", format="png")["data"]))
        return path

    def _do(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while True:
            received = json.loads(self._socket.recv(timeout=60))
            if received.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.console.append(json.dumps(received["params"]))
            if received.get("id") == number:
                assert "error" not in received, received["error"]
                result: dict[str, Any] = received["result"]
                return result
