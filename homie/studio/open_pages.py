"""Open pages and their message queues. Runs in the server's thread."""

from __future__ import annotations

import asyncio
import json
import struct
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from homie.data.recording import notes
from homie.studio import messages as page_messages
from homie.studio.inspection import Thing
from homie.studio.library import Library
from homie.studio.orders import Desk, Look, Say
from homie.studio.page_content import Board
from homie.studio.page_controls import PageControls
from homie.studio.page_pictures import Frame

IN_FLIGHT = 2
"""Maximum number of frames sent but not yet painted: a slow page gets fewer frames instead of outdated ones."""
WAITING = 1000
"""Maximum number of queued messages; the connection of a page that exceeds it is closed."""


class Page:
    """One open page.

    Args:
        send: Sends text or bytes over its connection.
    """

    def __init__(self, send: Callable[[str | bytes], Any]) -> None:
        self._send = send
        self._texts: asyncio.Queue[str] = asyncio.Queue(WAITING)
        self._views: dict[str, bytes] = {}
        self._newest: Frame | None = None
        self._numbers = 0
        self._unpainted: dict[int, float] = {}
        self._pending = asyncio.Event()
        self.painted = -float("inf")
        """When the displayed picture was taken, s of the monotonic clock."""
        self.overrun = False

    def text(self, content: dict[str, Any]) -> None:
        """Queue a message."""
        try:
            self._texts.put_nowait(json.dumps(content))
        except asyncio.QueueFull:
            self.overrun = True
        self._pending.set()

    def frame(self, frame: Frame) -> None:
        """Set the next frame to send; older pictures of its views that were not sent yet are dropped."""
        self._views |= frame.views
        self._newest = frame
        self._pending.set()

    def on_screen(self, number: int) -> None:
        """Note that a frame and all earlier ones have been painted."""
        if number in self._unpainted:
            self.painted = self._unpainted[number]
            self._unpainted = {seq: stamp for seq, stamp in self._unpainted.items() if seq > number}
            self._pending.set()

    async def deliver(self) -> None:
        """Send messages and frames until the connection ends or the queue overflows."""
        while not self.overrun:
            await self._pending.wait()
            self._pending.clear()
            while not self._texts.empty():
                await self._send(self._texts.get_nowait())
            if self._newest is not None and len(self._unpainted) < IN_FLIGHT:
                frame, views, self._newest, self._views = self._newest, self._views, None, {}
                self._numbers += 1
                self._unpainted[self._numbers] = frame.taken
                await self._send(pack_frame(self._numbers, frame, views))


def pack_frame(number: int, frame: Frame, views: dict[str, bytes]) -> bytes:
    """Serialize a frame: length of the JSON header (4 bytes, little endian), the header, the concatenated pictures.

    The header has `seq`, `stamp` (robot time, s), `wall` (capture time, ms since 1970), `views`: names and lengths.
    """
    sizes = [[name, len(data)] for name, data in views.items()]
    header = json.dumps({"seq": number, "stamp": frame.stamp, "wall": frame.wall * 1000.0, "views": sizes}).encode()
    return b"".join((struct.pack("<I", len(header)), header, *views.values()))


class Hub:
    """All open pages. A page can drive only while it has the controls and a fresh picture; every page can stop."""

    def __init__(
        self, desk: Desk, library: Library, *, stale: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create a hub without pages.

        Args:
            stale: Age of the picture above which the controls are locked, s.
        """
        self.desk, self.library = desk, library
        self._clock = clock
        self._pages: list[Page] = []
        self._controls = PageControls(desk, stale=stale, clock=clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.board = Board(
            lambda frame: self._call_soon(self._show, frame),
            lambda content: self._call_soon(self._broadcast, content),
            lambda: bool(self._pages),
        )

    def run_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event loop of the server; called before any page joins."""
        self._loop = loop

    # ------------------------------------------------------------ pages come and go

    def join(self, page: Page) -> None:
        """Add a page and send it the current state, events and pictures."""
        self._pages.append(page)
        board = self.board
        for content in (board.state, board.map, *tuple(board.events)):
            if content:
                page.text(content)
        if board.pictures.latest:
            page.frame(Frame(board.state.get("stamp", 0.0), self._clock(), time.time(), dict(board.pictures.latest)))
        self._tell_roles()

    def leave(self, page: Page) -> None:
        """Remove a page and release its controls."""
        if page in self._pages:
            self._pages.remove(page)
        self._controls.take(page, hold=False)
        self._tell_roles()

    def _tell_roles(self) -> None:
        driver = self._controls.driver
        for page in self._pages:
            page.text({"type": "role", "drives": page is driver, "free": driver is None, "pages": len(self._pages)})

    # ------------------------------------------------------------ requests of pages

    def hear(self, page: Page, message: page_messages.Message) -> None:
        """Handle a message of a page. Raises BadInput, whose text the page shows."""
        match message:
            case page_messages.Painted(seq=seq):
                page.on_screen(seq)
            case page_messages.Halt():
                self.desk.stop()
            case page_messages.Focus(view=view):
                self.board.pictures.focus = view
            case page_messages.Control(hold=hold):
                if self._controls.take(page, hold=hold):
                    self._tell_roles()
            case page_messages.Said():
                self._note(message)
            case page_messages.Inspect():
                pixel = None if message.words else (message.x, message.y)
                self.desk.order(Look(message.view, self._answer(page, message.id), pixel, message.words))
            case _:
                self._controls.drive(page, message)

    def _note(self, message: page_messages.Said) -> None:
        note = notes.note(message.kind, message.text, round=message.round)
        if message.recording:
            self.library.add_note(message.recording, note)
        else:
            self.desk.order(Say(note))

    def _answer(self, page: Page, number: int) -> Callable[[list[Thing]], None]:
        def answer(things: list[Thing]) -> None:
            content = {"type": "things", "id": number, "things": [asdict(item) for item in things]}
            self._call_soon(page.text, content)

        return answer

    # ------------------------------------------------------------ from the robot's thread

    def _call_soon(self, call: Callable[..., None], *arguments: Any) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(call, *arguments)

    def _show(self, frame: Frame) -> None:
        for page in self._pages:
            page.frame(frame)

    def _broadcast(self, content: dict[str, Any]) -> None:
        for page in self._pages:
            page.text(content)
