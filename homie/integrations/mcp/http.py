"""Streamable HTTP for clients of this machine: protected by a token and against requests from web pages."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from homie.integrations.mcp.server import SESSION, McpBridge
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of
from homie.kernel.support.page_headers_and_cookies import is_local, same_secret

PATH = "/mcp"
LARGEST = 2**20
"""Maximum size of a request in bytes: arguments are short."""
NO_TOKEN = b"This server wants its token: send the header `Authorization: Bearer TOKEN`.\n"


def serve_http(bridge: McpBridge, host: str, port: int, token: str, ready: Callable[[str, str], None]) -> None:
    """Serve until Ctrl-C. Raises BadInput if the address cannot be used."""
    listener = listening(host, port)
    ready(f"http://{_address(listener)}{PATH}", token)
    serve_at(bridge, listener, host, token)


def serve_at(bridge: McpBridge, listener: socket.socket, host: str, token: str) -> None:
    """Serve on a listening socket, until Ctrl-C if this is the main thread."""
    port = listener.getsockname()[1]
    names = [_address(listener), f"localhost:{port}" if is_local(host) else f"{host}:*"]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    app = bridge.server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=LARGEST, transport_security=security, host=host
    )
    config = uvicorn.Config(
        TokenGuard(app, bridge, token),
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    with listener:
        asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


def _address(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class TokenGuard:
    """ASGI app that checks the token. A client that disconnects before the end of a response counts as gone."""

    def __init__(self, app: Any, bridge: McpBridge, token: str) -> None:
        self._app, self._bridge, self._token = app, bridge, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not same_secret(headers.get("authorization", ""), f"Bearer {self._token}"):
            start = {"type": "http.response.start", "status": 401, "headers": [(b"content-type", b"text/plain")]}
            await send(start)
            await send({"type": "http.response.body", "body": NO_TOKEN})
            return
        session = headers.get(SESSION, "")
        if scope["method"] == "DELETE" and session:
            await self._bridge.gone(session)
        answered = False

        async def receive_and_watch() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect" and not answered and session and scope["method"] == "POST":
                await self._bridge.gone(session)
            return message

        async def send_and_note(message: Any) -> None:
            nonlocal answered
            answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        await self._app(scope, receive_and_watch, send_and_note)


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises BadInput."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"Cannot listen at {host} port {port}: {reason_of(error)}. Choose another --port.") from error
