"""Reject requests to the studio server that the studio page did not send.

Every request and websocket is checked before it reaches a route:
    Host      must be an address of the server (prevents DNS rebinding)
    Origin    if present, must be the server's (refuses scripts of other pages)
    token     must be the random token in the address that the command printed
    size      of the address and of the body is limited
Every response forbids framing, content sniffing, caching and referrers.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

MAX_BODY_BYTES: Final = 1_000_000
MAX_ADDRESS_LENGTH: Final = 4_000  # maximum length of the path and query of a request
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_DENY_ALL: Final = (
    b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def new_token() -> str:
    """Return a random token, which the page sends with every request."""
    return secrets.token_urlsafe(32)


class KeptAddress:
    """Port and token of a workspace, stored so that a browser tab can reconnect after a crash.

    The file is in the runtime folder of the user, not in that of the data. Only its owner can read
    it, and closing the studio removes it.
    """

    def __init__(self, workspace: Path) -> None:
        key = hashlib.blake2b(str(workspace.resolve()).encode("utf-8", "replace"), digest_size=12)
        folder = _runtime_folder()
        self._path = None if folder is None else folder / f"ceiba-studio-{key.hexdigest()}"

    def read(self) -> tuple[int, str] | None:
        """Return port and token, or None if the file is missing or not private."""
        try:
            if self._path is None or not _is_private(self._path):
                return None
            port, token = self._path.read_text("ascii").split()
            return int(port), token
        except (OSError, ValueError):
            return None

    def write(self, port: int, token: str) -> None:
        """Write port and token into a new file."""
        with suppress(OSError):
            self.remove()
            if self._path is not None:
                self._path.touch(0o600, exist_ok=False)
                self._path.write_text(f"{port} {token}", "ascii")

    def remove(self) -> None:
        """Remove the file with port and token."""
        with suppress(OSError):
            if self._path is not None:
                self._path.unlink(missing_ok=True)


def _runtime_folder() -> Path | None:
    """Return a folder that only the user can read, or None if there is none."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(
        os.environ.get("XDG_RUNTIME_DIR") or f"{tempfile.gettempdir()}/ceiba-{os.getuid()}"
    )
    with suppress(OSError):
        folder.mkdir(0o700, exist_ok=True)
        if _is_private(folder):
            return folder
    return None


def _is_private(path: Path) -> bool:
    """Whether a path is a file or folder of the user that no one else can access."""
    status = path.lstat()
    plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return plain and status.st_uid == os.getuid() and not status.st_mode & 0o077


@contextmanager
def private_page(url: str) -> Iterator[str]:
    """Write a private file that redirects to `url`, and yield its address.

    This keeps the token out of the browser's command line, which every local user can read.
    """
    link = escape(url)
    html = f'<meta http-equiv="refresh" content="0; url={link}"><a href="{link}">ceiba studio</a>'
    with tempfile.TemporaryDirectory(prefix="ceiba-studio-") as folder:  # mode 0700
        path = Path(folder) / "open.html"
        path.touch(0o600)
        path.write_text(html, encoding="utf-8")
        yield path.as_uri()


def is_loopback(host: str) -> bool:
    """Whether a host name is local, so that other machines cannot reach it."""
    return host in ("127.0.0.1", "localhost", "::1")


class Guard:
    """ASGI middleware that rejects requests from other pages and requests without a token."""

    def __init__(self, app: Any, token: str, host: str, port: int) -> None:
        self.app = app
        self._token = token.encode()
        address = f"[{host}]" if ":" in host else host
        self._hosts = {f"{name}:{port}".lower() for name in (*_LOOPBACK, address)}
        self._any_host = host in ("0.0.0.0", "::")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Check a request, and pass it on or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        violation = self._find_violation(scope)
        if violation is not None:
            await _refuse(scope, receive, send, *violation)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self.app(scope, _limit_body(receive), _add_headers(send))

    def _find_violation(self, scope: Any) -> tuple[int, str, str] | None:
        """Return the status, code and text of a rejection, or None for an allowed request."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_ADDRESS_LENGTH:
            return 414, "too_long", "The address is too long."
        host = [header.decode("latin-1").lower() for header in headers.get(b"host", [])]
        if len(host) != 1 or not (host[0] in self._hosts or self._any_host):
            return 403, "host", "The host is not an address of the studio."
        origin = [header.decode("latin-1").lower() for header in headers.get(b"origin", [])]
        if origin and origin != [f"http://{host[0]}"]:
            return 403, "origin", "Another page may not use the studio."
        site = headers.get(b"sec-fetch-site", [b"none"])[0]
        # The redirect from the private file is cross-site, but it still requires the token.
        visit = headers.get(b"sec-fetch-mode") == [b"navigate"] and scope["path"] == "/"
        if site not in (b"none", b"same-origin") and not visit:
            return 403, "origin", "Another page may not use the studio."
        if not self._has_token(headers, scope["query_string"]):
            return 403, "token", "Open the studio at the address that the command printed."
        size = headers.get(b"content-length", [b"0"])[0]
        if not size.isdigit() or int(size) > MAX_BODY_BYTES:
            return 413, "too_large", f"The body must have at most {MAX_BODY_BYTES:,} bytes."
        return None

    def _has_token(self, headers: dict[bytes, list[bytes]], query: bytes) -> bool:
        tokens = headers.get(b"x-ceiba-token", [])
        if not tokens:
            named = parse_qs(query.decode("latin-1")).get("token", [])
            tokens = [token.encode("utf-8", "replace") for token in named]
        return len(tokens) == 1 and secrets.compare_digest(tokens[0], self._token)


class TooLargeError(Exception):
    """Exception raised if a request body is too large."""


def _limit_body(receive: Any) -> Any:
    """Wrap `receive` to limit the number of received bytes."""
    total = 0

    async def receive_limited() -> Any:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY_BYTES:
            raise TooLargeError
        return message

    return receive_limited


def _add_headers(send: Any) -> Any:
    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            if not any(name.lower() == b"content-security-policy" for name, _ in headers):
                headers.append((b"content-security-policy", _DENY_ALL))
            message = {**message, "headers": [*headers, *_HEADERS]}
        await send(message)

    return send_with_headers


async def _refuse(scope: Any, receive: Any, send: Any, status: int, code: str, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    body = json.dumps({"error": {"code": code, "text": text}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-security-policy", _DENY_ALL)]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *_HEADERS]})
    await send({"type": "http.response.body", "body": body})
