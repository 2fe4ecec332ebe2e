"""Serve the studio with a Starlette application whose routes call the service.

Each route is a row of `ROUTES`. Routes run in threads, so a slow one does not block the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote

import h11
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from ceiba.errors import CeibaError, OptionError, SchemaError
from ceiba.studio import saving
from ceiba.studio.analysis.node_analysis import NodeError
from ceiba.studio.page import render_page
from ceiba.studio.security import Guard, TooLargeError
from ceiba.studio.service import LessonError, Service
from ceiba.studio.work.workspace import StaleError

_STATUS: Final = ((NodeError, 404), (SchemaError, 404), (StaleError, 409), (LessonError, 403))
MAX_REQUEST_SECONDS: Final = 10.0  # time limit for receiving one request
MAX_CONNECTIONS: Final = 512
RouteHandler = Callable[[Service, "ApiRequest"], Any]


class Connection(H11Protocol):
    """A connection that is closed if receiving a request takes too long."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the time limit of a request; close the oldest connection if there are too many."""
        super().connection_made(transport)
        self._start_deadline()
        if len(self.connections) > MAX_CONNECTIONS:
            waiting = {connection._deadline.when(): connection for connection in self.connections
                       if isinstance(connection, Connection) and connection._deadline}  # fmt: skip
            oldest = waiting[min(waiting)]
            oldest._cancel_deadline()  # later calls do not select this connection again
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Receive part of a request, and stop the deadline when it is complete."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._start_deadline()
        else:
            self._cancel_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline of a connection that was lost."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(MAX_REQUEST_SECONDS, self._abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _abort(self) -> None:
        if self in self.connections:  # false after an upgrade to a websocket
            self.transport.abort()


class ApiRequest:
    """The path, the query and the JSON body of a request."""

    def __init__(self, request: Request, body: dict[str, Any]) -> None:
        self.body = body
        self._path, self._query = request.path_params, request.query_params

    @property
    def node(self) -> int:
        """The node id in the path."""
        return int(self._path["node"])

    @property
    def revision(self) -> int | None:
        """The revision of the tree on the page, or None if the query has none."""
        text = self._query.get("revision")
        if text is not None and not (text.isascii() and text.isdigit() and len(text) <= 12):
            raise OptionError(f"revision must be an integer from 0 to 999999999999, got {text!r}.")
        return None if text is None else int(text)

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter of the path or the query as a string."""
        return str(self._path.get(name, self._query.get(name, default)))


#: Method, path and handler of each route.
ROUTES: Final[tuple[tuple[str, str, RouteHandler], ...]] = (
    ("GET", "/api/state", lambda s, a: s.state()),
    ("POST", "/api/action", lambda s, a: s.act(a.body)),
    ("GET", "/api/columns", lambda s, a: s.columns(a.text("rows") == "all")),
    ("GET", "/api/node/{node:int}/rivals", lambda s, a: s.rivals(a.node, a.revision)),
    ("GET", "/api/node/{node:int}/p-values", lambda s, a: s.p_values(a.node, a.revision)),
    (
        "GET",
        "/api/node/{node:int}/column/{name:path}",
        lambda s, a: s.column(a.node, a.text("name"), a.revision),
    ),
    ("POST", "/api/node/{node:int}/preview", lambda s, a: s.preview(a.node, a.body)),
    ("POST", "/api/node/{node:int}/further-cut", lambda s, a: s.further_cut(a.node, a.body)),
    (
        "GET",
        "/api/compare",
        lambda s, a: s.compare(a.text("a"), a.text("b"), a.text("lang", s.workspace.lang)),
    ),
    ("POST", "/api/cross-validation", lambda s, a: s.validate(a.body)),
    ("GET", "/api/cross-validation", lambda s, a: s.validations.status()),
    ("DELETE", "/api/cross-validation", lambda s, a: s.validations.cancel()),
    ("DELETE", "/api/growth", lambda s, a: s.stop_growing()),
    ("GET", "/api/files", lambda s, a: {"files": s.workspace.source.list_table_files()}),
    (
        "GET",
        "/api/lesson/{node:int}",
        lambda s, a: s.lesson(
            a.node, a.text("column"), a.text("measure", "gain"), a.text("lang", s.workspace.lang)
        ),
    ),
    ("POST", "/api/lesson/{node:int}", lambda s, a: s.answer(a.node, a.body.get("column"))),
    ("POST", "/api/close", lambda s, a: s.close()),
)


def make_app(service: Service, token: str, host: str, port: int) -> Guard:
    """Return the ASGI application of the studio, wrapped in the access control of `Guard`."""
    routes: list[Any] = [
        Route(path, _endpoint(service, handler), methods=[method])
        for method, path, handler in ROUTES
    ]
    routes += [
        Route("/", _page_endpoint(service), methods=["GET"]),
        Route("/api/download/{what}", _download_endpoint(service), methods=["GET"]),
        WebSocketRoute("/api/changes", _changes_endpoint(service)),
    ]
    handlers: dict[Any, Any] = {404: _not_found, 405: _not_found}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, host, port)


def _endpoint(service: Service, handler: RouteHandler) -> Any:
    async def endpoint(request: Request) -> Response:
        try:
            api_request = ApiRequest(request, await _body(request))
            begin = perf_counter()
            response = _json(await run_in_threadpool(handler, service, api_request))
            response.headers["server-timing"] = f"answer;dur={1e3 * (perf_counter() - begin):.2f}"
            return response
        except (CeibaError, TooLargeError) as error:
            return _error(error)

    return endpoint


async def _body(request: Request) -> dict[str, Any]:
    """Read the JSON object in the body of a request."""
    if request.method != "POST":
        return {}
    try:
        content = await request.body()
    except ClientDisconnect:
        raise OptionError("The request body is incomplete.") from None
    if not content:
        return {}
    try:
        body = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise OptionError("The request body must be valid JSON.") from None
    if not isinstance(body, dict):
        raise OptionError(f"The request body must be a JSON object, got {body!r:.50}.")
    revision = body.get("revision")
    if revision is not None and (isinstance(revision, bool) or not isinstance(revision, int)):
        raise OptionError(f"revision must be an integer, got {revision!r}.")
    return body


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _json(value: Any, status: int = 200) -> Response:
    try:
        content = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        content = json.dumps(_replace_non_finite(value), allow_nan=False, separators=(",", ":"))
    return Response(content, status, media_type="application/json")


def _replace_non_finite(data: Any) -> Any:
    """Replace NaN and infinities, which JSON cannot express, by None."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {name: _replace_non_finite(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_replace_non_finite(value) for value in data]
    return data


def _error(error: Exception) -> Response:
    if isinstance(error, TooLargeError):
        return _json({"error": {"code": "too_large", "text": "The body is too large."}}, 413)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
    code = "lesson" if isinstance(error, LessonError) else type(error).__name__
    return _json({"error": {"code": code, "text": str(error)}}, status)


async def _not_found(request: Request, error: Any) -> Response:
    return JSONResponse({"error": {"code": "route", "text": "Unknown route."}}, error.status_code)


def _page_endpoint(service: Service) -> Any:
    async def endpoint(request: Request) -> Response:
        query_lang = request.query_params.get("lang")
        lang = query_lang if query_lang in ("en", "es", "pt") else service.workspace.lang
        document = render_page(lang)
        host = request.headers["host"]
        policy = (
            f"default-src 'none'; {document.policy}; img-src data: blob:; connect-src 'self' "
            f"ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        headers = {"content-security-policy": policy}
        return Response(document.html, media_type="text/html", headers=headers)

    return endpoint


def _download_endpoint(service: Service) -> Any:
    async def endpoint(request: Request) -> Response:
        what, chosen = request.path_params["what"], request.query_params.get("format")
        try:
            file = await run_in_threadpool(saving.make_file, service.workspace, what, chosen)
        except CeibaError as error:
            return _error(error)
        name = f"attachment; filename*=UTF-8''{quote(file.name)}"
        headers = {"content-disposition": name}
        return Response(file.content, media_type=file.type, headers=headers)

    return endpoint


def _changes_endpoint(service: Service) -> Any:
    async def endpoint(socket: WebSocket) -> None:
        await socket.accept()
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

        def listen(message: dict[str, Any]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(queue.put_nowait, message)

        service.workspace.listeners.append(listen)
        try:
            await _send_messages(socket, queue)
        finally:
            service.workspace.listeners.remove(listen)

    return endpoint


async def _send_messages(socket: WebSocket, queue: asyncio.Queue[dict[str, Any]]) -> None:
    """Send queued messages until either side disconnects; messages from the page are ignored."""
    disconnect = asyncio.create_task(_wait_for_disconnect(socket))
    try:
        while True:
            next_message = asyncio.create_task(queue.get())
            await asyncio.wait({next_message, disconnect}, return_when=asyncio.FIRST_COMPLETED)
            if disconnect.done():
                next_message.cancel()
                return
            message = next_message.result()
            await socket.send_json(message)
            if message["type"] == "closed":
                await socket.close()
                return
    except (WebSocketDisconnect, RuntimeError):
        return
    finally:
        disconnect.cancel()


async def _wait_for_disconnect(socket: WebSocket) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
