"""The web application: a page, its files, its websocket, lists of runs and recordings. Nothing else is served.

GET  /?token=TOKEN        logs a browser in; the token works once and is replaced by a cookie
GET  /                    the page; its script opens /socket
GET  /api/runs, /api/recordings, /api/export;  /report?run=NAME

Access control: login.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from importlib.resources import files

from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.support.page_headers_and_cookies import page_headers
from homie.studio.login import Access
from homie.studio.messages import LARGEST, read_message
from homie.studio.open_pages import Hub, Page

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.datastructures import Headers
    from starlette.requests import Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket, WebSocketDisconnect
except ModuleNotFoundError as missing:
    raise missing_part("`homie studio`", missing.name, "studio") from missing

HEADERS = page_headers(pictures="'self' blob: data:")
FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/map.css": ("map.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/map.js": ("map.js", "text/javascript"),
    "/keyboard_and_gamepad.js": ("keyboard_and_gamepad.js", "text/javascript"),
    "/library.js": ("library.js", "text/javascript"),
}
REPORT_POLICY = "frame-ancestors 'none'"
"""Content-Security-Policy of reports, which restrict scripts to their own by a policy in the page."""


class AccessGuard:
    """ASGI middleware that rejects requests without access before the application sees them."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = dict(Headers(scope=scope).items())
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/":
            token = Request(scope).query_params.get("token", "")
            if token and (response := self._enter(token, headers.get("host", ""))) is not None:
                await response(scope, receive, send)
                return
        refusal = self._access.refusal(headers)
        if refusal is None and scope["type"] == "websocket" and "origin" not in headers:
            refusal = (403, "A websocket must say where its page comes from (Origin).")
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008, refusal[1])
        else:
            await JSONResponse({"error": refusal[1]}, refusal[0], HEADERS)(scope, receive, send)

    def _enter(self, token: str, host: str) -> Response | None:
        """Return the redirect that sets the cookie; None for a wrong token or host."""
        if self._access.wrong_host(host):
            return None
        cookie = self._access.enter(token)
        if not cookie:
            return None
        return RedirectResponse("/", 303, {**HEADERS, "Set-Cookie": cookie})


def application(hub: Hub, access: Access) -> ASGIApp:
    """Return the studio as an ASGI application."""

    async def file(request: Request) -> Response:
        name, kind = FILES[request.url.path]
        return Response(_template(name), media_type=f"{kind}; charset=utf-8", headers=HEADERS)

    async def socket(websocket: WebSocket) -> None:
        await _converse(websocket, hub)

    library = hub.library
    app = Starlette(
        routes=[
            *(Route(path, file, methods=["GET"]) for path in FILES),
            Route("/api/runs", _listing(lambda request: JSONResponse(library.runs(), headers=HEADERS))),
            Route("/api/recordings", _listing(lambda request: JSONResponse(library.recordings(), headers=HEADERS))),
            Route("/api/export", _listing(lambda request: Response(library.export(), headers=HEADERS))),
            Route("/report", _listing(lambda request: _report(hub, request))),
            WebSocketRoute("/socket", socket),
        ]
    )
    return AccessGuard(app, access)


def _listing(answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that calls `answer` in a worker thread, as it reads the disk; BadInput becomes a 404."""

    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer, request)
        except BadInput as error:
            return JSONResponse({"error": str(error)}, 404, HEADERS)

    return endpoint


def _report(hub: Hub, request: Request) -> Response:
    page = hub.library.report(request.query_params.getlist("run"))
    headers = {**HEADERS, "Content-Security-Policy": REPORT_POLICY}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


async def _converse(websocket: WebSocket, hub: Hub) -> None:
    """Serve the websocket of one page until it disconnects or its queue of messages overflows."""
    await websocket.accept()

    async def send(content: str | bytes) -> None:
        await (websocket.send_text(content) if isinstance(content, str) else websocket.send_bytes(content))

    page = Page(send)
    hub.join(page)
    delivery = asyncio.ensure_future(page.deliver())
    try:
        while not delivery.done():
            receive_task = asyncio.ensure_future(websocket.receive_text())
            await asyncio.wait({receive_task, delivery}, return_when=asyncio.FIRST_COMPLETED)
            if not receive_task.done():
                receive_task.cancel()
                break
            text = receive_task.result()
            try:
                if len(text) > LARGEST:
                    raise BadInput(f"A message has at most {LARGEST} characters.")
                hub.hear(page, read_message(text))
            except BadInput as error:
                page.text({"type": "refused", "text": str(error)})
    except (WebSocketDisconnect, KeyError):  # KeyError: a binary message instead of text
        pass
    finally:
        delivery.cancel()
        hub.leave(page)
        with suppress(Exception):
            await websocket.close()


@cache
def _template(name: str) -> bytes:
    return files("homie.studio").joinpath("templates", name).read_bytes()
