"""The pages that are open, and what each has been shown. All of it in the server's thread."""

from __future__ import annotations

import asyncio
import json
import struct
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from homie.data.recording import notes
from homie.studio import messages as asked
from homie.studio.inspection import Thing
from homie.studio.library import Library
from homie.studio.orders import Desk, Look, Say
from homie.studio.page_content import Board
from homie.studio.page_controls import PageControls
from homie.studio.page_pictures import Frame

IN_FLIGHT = 2
"""Frames that a page may not have painted yet before it is sent another one: a slow page gets fewer, not older ones."""
WAITING = 1000
"""Messages that may wait for a page; one that takes none is closed."""


class Page:
    """One page.

    Args:
        send: Puts text or bytes on its connection.
    """

    def __init__(self, send: Callable[[str | bytes], Any]) -> None:
        self._send = send
        self._texts: asyncio.Queue[str] = asyncio.Queue(WAITING)
        self._views: dict[str, bytes] = {}
        self._newest: Frame | None = None
        self._numbers = 0
        self._unpainted: dict[int, float] = {}
        self._something = asyncio.Event()
        self.painted = -float("inf")
        """When the picture on its screen was taken, s of the monotonic clock."""
        self.overrun = False

    def text(self, content: dict[str, Any]) -> None:
        """A message, in its turn."""
        try:
            self._texts.put_nowait(json.dumps(content))
        except asyncio.QueueFull:
            self.overrun = True
        self._something.set()

    def frame(self, frame: Frame) -> None:
        """A frame; what it replaces and was not sent is dropped."""
        self._views |= frame.views
        self._newest = frame
        self._something.set()

    def on_screen(self, number: int) -> None:
        """A frame has been painted, and with it all before it."""
        if number in self._unpainted:
            self.painted = self._unpainted[number]
            self._unpainted = {seq: stamp for seq, stamp in self._unpainted.items() if seq > number}
            self._something.set()

    async def deliver(self) -> None:
        """Send what there is, until the connection ends or the page takes nothing any more."""
        while not self.overrun:
            await self._something.wait()
            self._something.clear()
            while not self._texts.empty():
                await self._send(self._texts.get_nowait())
            if self._newest is not None and len(self._unpainted) < IN_FLIGHT:
                frame, views, self._newest, self._views = self._newest, self._views, None, {}
                self._numbers += 1
                self._unpainted[self._numbers] = frame.taken
                await self._send(packed(self._numbers, frame, views))


def packed(number: int, frame: Frame, views: dict[str, bytes]) -> bytes:
    """A frame as bytes: the length of a JSON header (4 bytes, little endian), the header, the pictures in a row.

    The header has `seq`, `stamp` (robot time, s), `wall` (ms since 1970 when it was looked), `views`: names, lengths.
    """
    sizes = [[name, len(data)] for name, data in views.items()]
    header = json.dumps({"seq": number, "stamp": frame.stamp, "wall": frame.wall * 1000.0, "views": sizes}).encode()
    return b"".join((struct.pack("<I", len(header)), header, *views.values()))


class Hub:
    """All pages. A page drives only while it has the controls and its picture is fresh; a stop always goes through."""

    def __init__(
        self, desk: Desk, library: Library, *, stale: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Make a hub without pages.

        Args:
            stale: Age of the picture at which controls lock, s.
        """
        self.desk, self.library = desk, library
        self._clock = clock
        self._pages: list[Page] = []
        self._controls = PageControls(desk, stale=stale, clock=clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.board = Board(
            lambda frame: self._soon(self._show, frame),
            lambda content: self._soon(self._broadcast, content),
            lambda: bool(self._pages),
        )

    def run_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """The loop of the server, before any page comes."""
        self._loop = loop

    # ------------------------------------------------------------ pages come and go

    def join(self, page: Page) -> None:
        """A page is open."""
        self._pages.append(page)
        board = self.board
        for content in (board.state, board.map, *tuple(board.events)):
            if content:
                page.text(content)
        if board.pictures.latest:
            page.frame(Frame(board.state.get("stamp", 0.0), self._clock(), time.time(), dict(board.pictures.latest)))
        self._tell_roles()

    def leave(self, page: Page) -> None:
        """A page is gone; release its controls."""
        if page in self._pages:
            self._pages.remove(page)
        self._controls.take(page, hold=False)
        self._tell_roles()

    def _tell_roles(self) -> None:
        driver = self._controls.driver
        for page in self._pages:
            page.text({"type": "role", "drives": page is driver, "free": driver is None, "pages": len(self._pages)})

    # ------------------------------------------------------------ what pages ask for

    def hear(self, page: Page, message: asked.Message) -> None:
        """Do what a page asks. Raises BadInput, for the page to tell."""
        match message:
            case asked.Painted(seq=seq):
                page.on_screen(seq)
            case asked.Halt():
                self.desk.stop()
            case asked.Focus(view=view):
                self.board.pictures.focus = view
            case asked.Control(hold=hold):
                if self._controls.take(page, hold=hold):
                    self._tell_roles()
            case asked.Said():
                self._note(message)
            case asked.Inspect():
                pixel = None if message.words else (message.x, message.y)
                self.desk.order(Look(message.view, self._answer(page, message.id), pixel, message.words))
            case _:
                self._controls.drive(page, message)

    def _note(self, message: asked.Said) -> None:
        note = notes.note(message.kind, message.text, round=message.round)
        if message.recording:
            self.library.add_note(message.recording, note)
        else:
            self.desk.order(Say(note))

    def _answer(self, page: Page, number: int) -> Callable[[list[Thing]], None]:
        def answer(things: list[Thing]) -> None:
            content = {"type": "things", "id": number, "things": [asdict(item) for item in things]}
            self._soon(page.text, content)

        return answer

    # ------------------------------------------------------------ from the robot's thread

    def _soon(self, call: Callable[..., None], *arguments: Any) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(call, *arguments)

    def _show(self, frame: Frame) -> None:
        for page in self._pages:
            page.frame(frame)

    def _broadcast(self, content: dict[str, Any]) -> None:
        for page in self._pages:
            page.text(content)
