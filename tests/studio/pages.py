"""A studio of the tiny world in this process, and pages that speak to it over real sockets."""

from __future__ import annotations

import http.client
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image as Picture
from websockets.sync.client import ClientConnection, connect

from homie.studio.options import StudioOptions
from homie.studio.orders import Desk, Quit
from homie.studio.serving import serve_studio

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny", "speed": 0.0}


class Studio:
    """A studio that runs. addresses: those that let a browser in, the newest last."""

    def __init__(self, desk: Desk, addresses: list[str], recordings: Path) -> None:
        self.desk, self.addresses, self.recordings = desk, addresses, recordings
        self.place = urlsplit(addresses[0]).netloc

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of an answer."""
        connection = http.client.HTTPConnection(self.place, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}

    def enter(self) -> str:
        """The cookie of a browser that is let in."""
        status, _, headers = self.get("/?" + urlsplit(self.addresses[-1]).query)
        assert status == 303 and headers["location"] == "/"
        return headers["set-cookie"].partition(";")[0]

    def connect(self, cookie: str, origin: str | None = None) -> ClientConnection:
        """A websocket; refused by an exception."""
        headers = {"Cookie": cookie, **({} if origin == "" else {"Origin": origin or f"http://{self.place}"})}
        return connect(f"ws://{self.place}/socket", additional_headers=headers, proxy=None, max_size=None)


class Page:
    """What a page of the studio does. paints: whether it says that its pictures are on the screen."""

    def __init__(self, socket: ClientConnection, *, paints: bool = True) -> None:
        self.socket, self.paints = socket, paints
        self.heard: list[dict[str, Any]] = []
        self.frames = 0
        self.sizes: dict[str, tuple[int, int]] = {}
        """Width and height of the last picture of each view."""

    def say(self, kind: str, /, **content: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **content}))

    def wait(self, kind: str, good: Callable[[dict[str, Any]], bool] = lambda message: True) -> dict[str, Any]:
        """The next message of a kind that is good."""
        ends = time.monotonic() + 60.0
        while time.monotonic() < ends:
            data = self.socket.recv(timeout=60.0)
            if isinstance(data, bytes):
                self.frames += 1
                length = int.from_bytes(data[:4], "little")
                head, at = json.loads(data[4 : 4 + length]), 4 + length
                for name, size in head["views"]:
                    self.sizes[name] = Picture.open(io.BytesIO(data[at : at + size])).size
                    at += size
                if self.paints:
                    self.say("painted", seq=head["seq"])
                continue
            message = json.loads(data)
            self.heard.append(message)
            if message["type"] == kind and good(message):
                return message
        raise AssertionError(f"no {kind} came: {self.heard[-5:]}")

    def drive(self) -> None:
        """Take the controls, with a picture on the screen."""
        self.say("control", hold=True)
        self.wait("role", lambda role: role["drives"])
        while self.paints and not self.frames:
            self.wait("state")

    def do(self, action: str, target: str, destination: str = "") -> dict[str, Any]:
        """A subtask and its feedback."""
        self.say("do", action=action, target=target, destination=destination)
        return self.wait("event", lambda event: event["kind"] == "feedback")


@contextmanager
def opened(tmp_path: Path, **options: Any) -> Iterator[Studio]:
    """A studio while the block lasts. What it raises is raised here."""
    desk, addresses, ready, failures = Desk(), [], threading.Event(), []

    def address(page: str) -> None:
        addresses.append(page)
        ready.set()

    recordings = tmp_path / "recordings"
    built = StudioOptions.build(**{**TINY, "port": 0, "record": recordings, "runs": tmp_path, "stale": 30.0, **options})

    def serve() -> None:
        try:
            serve_studio(built, address=address, tell=lambda sentence: None, desk=desk)
        except BaseException as error:
            failures.append(error)
            ready.set()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(120)
    if failures:
        raise failures[0]
    try:
        yield Studio(desk, addresses, recordings)
    finally:
        desk.interrupt(Quit())
        thread.join(60)
    if failures:
        raise failures[0]
