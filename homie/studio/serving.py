"""Run `homie studio`: the server in a thread of its own, the robot in the main thread, until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from homie.data.recording.takes import repair_takes
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.support.packages import missing_part
from homie.runtime.assembly import choose
from homie.runtime.runstore import runs_folder
from homie.studio.app import application
from homie.studio.library import Library
from homie.studio.login import Access
from homie.studio.messages import LARGEST
from homie.studio.open_pages import Hub
from homie.studio.operation import Operation
from homie.studio.options import StudioOptions
from homie.studio.orders import Desk

try:
    import uvicorn
    import websockets  # noqa: F401  (used by uvicorn)
except ModuleNotFoundError as missing:
    raise missing_part("`homie studio`", missing.name, "studio") from missing

_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)


class Server:
    """The web server in a thread of its own. Used as a context manager."""

    def __init__(self, options: StudioOptions, hub: Hub, address: Callable[[str], None]) -> None:
        """Open the socket. Raises BadInput, InfrastructureError for an address that it cannot listen at.

        Args:
            address: Called with each new single-use link.
        """
        self._hub = hub
        self._socket = _listen(options.host, options.port)
        host = f"[{options.host}]" if ":" in options.host else options.host
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        self.access = Access(options.host, lambda token: address(self.page))
        config = uvicorn.Config(
            application(hub, self.access),
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=LARGEST,
            ws_per_message_deflate=False,  # pictures are compressed already
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="studio", daemon=True)

    @property
    def page(self) -> str:
        """The single-use link."""
        return f"{self.url}/?token={self.access.token}"

    def _serve(self) -> None:
        loop = asyncio.new_event_loop()
        self._hub.run_in(loop)
        with suppress(KeyboardInterrupt, SystemExit):
            loop.run_until_complete(self._server.serve(sockets=[self._socket]))
        loop.close()

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=5.0)
        self._socket.close()


def serve_studio(
    options: StudioOptions,
    *,
    address: Callable[[str], None],
    tell: Callable[[str], None],
    listeners: tuple[EpisodeListener, ...] = (),
    desk: Desk | None = None,
) -> None:
    """Serve until Ctrl-C, which is raised again, or a Quit. Raises BadInput, MissingPart, InfrastructureError.

    Args:
        options: Those of `homie studio`.
        address: Called with each new single-use link.
        tell: Called with messages for the user who started the studio.
        listeners: Get the events of every episode.
        desk: Queue of orders, for programs that add orders of their own.
    """
    for repair in repair_takes(options.record) if options.record is not None else ():
        tell(str(repair))
    desk = desk or Desk()
    hub = Hub(desk, Library(options.runs or runs_folder(), options.record), stale=options.stale)
    parts = choose(options)
    server = Server(options, hub, address)
    try:
        operation = Operation(options, parts, desk, hub.board, listeners=(hub.board, *listeners))
    except BaseException:
        parts.close()
        raise
    with server:
        address(server.page)
        operation.run()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        if error.errno in _PORT_ERRORS:
            raise InfrastructureError(
                f"Cannot listen at {host} port {port}: {error.strerror}. Try another --port."
            ) from error
        raise BadInput(
            f"Cannot listen at {host}: {error.strerror or error}. Give an address of this machine."
        ) from error
    return listener
