"""Open the studio: start the server and a browser, wait, and return the edited model."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.errors import OptionError
from ceiba.studio.prepare import event_code, read_whole_table
from ceiba.studio.security import KeptAddress, is_loopback, new_token, private_page
from ceiba.studio.work.journal import Journal
from ceiba.studio.work.setup import SMALL_TABLE, Setup, check_editable, default_event
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from ceiba.table import Table
from ceiba.words import words

if TYPE_CHECKING:
    from ceiba.studio.service import Service

_HELD_OUT: Final = 0.25  # default share of rows to hold out for evaluation
_MIN_LEAF: Final = 5  # default min_samples_leaf
_MIN_LEAF_SHARE: Final = 0.005  # minimum of the default min_samples_leaf, as a share of the rows
_MISSING_PACKAGE: Final = (
    "The studio requires the {!r} package. Install it with: pip install 'ceiba[studio]'"
)


def open_studio(
    X: Any,
    y: Any,
    *,
    model: Any = None,
    test: Any = None,
    workspace: Any = None,
    lesson: bool = False,
    lang: str = "en",
    port: int = 0,
    browser: bool = True,
    **parameters: Any,
) -> Any:
    """Open the studio on data in memory, and wait until it is closed.

    Requires the packages of `ceiba[studio]`. The server listens on this machine only.

    Parameters
    ----------
    X, y : table and target
        As in `fit`; y may be the name of a column of X. For survival, pass the names of the columns
        of time and event as a tuple.
    model : estimator, optional
        If fitted, its tree is edited; otherwise only its parameters are used.
    test : table, optional
        Held-out rows, with the columns of X and the target.
    workspace : path, optional
        File in which every action is saved; opening it again resumes the work.
    lesson : bool, default=False
        Hide the figures of a node until the learner has chosen the best split.
    lang : {"en", "es", "pt"}, default="en"
    port : int, default=0
        0 selects a free port.
    browser : bool, default=True
        Whether to open a browser; the address is printed in any case.
    **parameters
        Parameters of the estimator, such as ``max_depth=4``.

    Returns
    -------
    fitted estimator, or None if no target was chosen
        The model at the time the studio was closed.

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> model = ceiba.open_studio(data.X, data.y, max_depth=4)  # doctest: +SKIP
    """
    time = y[0] if isinstance(y, tuple) else y
    table, name = read_whole_table(X, time)
    fitted = model if model is not None and hasattr(model, "tree_") else None
    if model is not None and fitted is None:
        parameters = {**model._non_default_params(), **parameters}
    elif fitted is not None and parameters:
        raise OptionError(f"A fitted model accepts no parameters. Omit {', '.join(parameters)}.")
    source = Source(
        name=name,
        table=table,
        separate_target=not isinstance(time, str),
        held_out=test,
        model=fitted,
        folder=None if workspace is None else Path(workspace).resolve().parent,
    )
    path = None if workspace is None else Path(workspace)
    target = y if isinstance(y, tuple) else name
    start = initial_setup(source, target, parameters, lesson=lesson)
    session = open_workspace(source, start, path, lang, "yours" if lesson else None)
    return run(session, Address(port=port), browser=browser)


def initial_setup(
    source: Source, target: Any, parameters: dict[str, Any], *, lesson: bool = False
) -> Setup:
    """Return the initial setup of a new workspace.

    A quarter of the rows is held out, unless the table is small (it is then cross-validated) or
    held-out rows, a model or a lesson are given. Without model and lesson, the default of
    `min_samples_leaf` is 5 or, if more, 0.5 % of the rows: leaves with one row would look perfect.
    """
    check_editable(parameters)
    settings: dict[str, Any] = {"options": parameters}
    if source.held_out is not None:
        settings["held_out"] = {"given": True}
    if source.model is not None:
        tree = source.model.tree_
        answer = target if isinstance(target, tuple) else (target,)
        used = {*tree.schema.names, *answer}
        ignored = tuple(name for name in source.table.schema.names if name not in used)
        settings["options"] = getattr(source.model, "_non_default_params", dict)()
        start = _initial(source.table, target, settings)
        task = None if start.event is not None else tree.task
        code = event_code(tree.target, start.event) or start.event_code
        return replace(start, event_code=code, task=task, ignore=ignored, from_model=True)
    if lesson and isinstance(target, tuple):
        raise OptionError("Lessons are not supported for survival trees.")
    if not lesson:
        n_rows = source.table.n_rows
        if n_rows >= SMALL_TABLE and source.held_out is None:
            settings["held_out"] = {"share": _HELD_OUT}
            n_rows = round((1 - _HELD_OUT) * n_rows)
        least = max(_MIN_LEAF, round(_MIN_LEAF_SHARE * n_rows))
        settings["options"] = {"min_samples_leaf": least, **parameters}
    return _initial(source.table, target, settings)


def _initial(table: Table, target: Any, settings: dict[str, Any]) -> Setup:
    """Return the initial setup for a target: a column name, or the names of time and event."""
    time, event = target if isinstance(target, tuple) else (target, None)
    if event is not None:
        settings = {**settings, "event": event, "event_code": default_event(table.column(event))}
    return Setup.initial(table, time, **settings)


def open_workspace(
    source: Source,
    start: Setup,
    path: Path | None,
    lang: str,
    lesson: str | None,
    *,
    defer_root: bool = False,
    new: bool = False,
) -> Workspace:
    """Open a workspace and replay the actions in its file, or start a new file if `new`.

    With `defer_root`, the root of a new tree is fitted after the first screen is shown.
    """
    words(lang)  # fail early if the language is unknown
    journal = None
    if path is not None:
        least = start.options.get("min_samples_leaf")
        begun = {
            "target": start.target,
            "event": start.event,
            "model": source.model is not None,
            "lesson": lesson,
            "held_out": start.held_out,
            "min_samples_leaf": least,
        }
        journal = Journal.open(path, source.fingerprint, begun, new=new)
        start = _start_again(source, start, journal.start)
    return Workspace(source, start, journal, lang, lesson, defer_root=defer_root)


def _start_again(source: Source, start: Setup, header: dict[str, Any]) -> Setup:
    """Return the initial setup with the target and defaults stored in a workspace file."""
    if start.target != header.get("target"):
        settings = {"held_out": start.held_out, "options": start.options}
        start = _initial(source.table, (header.get("target"), header.get("event")), settings)
    if source.held_out is None:
        start = replace(start, held_out=header.get("held_out"))
    options = {k: v for k, v in start.options.items() if k != "min_samples_leaf"}
    least = header.get("min_samples_leaf")
    return replace(
        start, options=options if least is None else {"min_samples_leaf": least, **options}
    )


@dataclass(frozen=True)
class Address:
    """The host and port of the server."""

    host: str = "127.0.0.1"
    port: int = 0

    def listen(self) -> socket.socket:
        """Return a socket that listens on the host and port."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # asyncio sets TCP_NODELAY only for sockets with an explicit protocol. Otherwise, every
        # response waits 40 ms for an acknowledgment.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
            listener.listen(128)  # connections are queued until the server is ready
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise OptionError(
                f"Cannot listen on {self.host}:{self.port}: {reason}. Choose another host or port."
            ) from None
        return listener


def run(
    workspace: Workspace,
    address: Address,
    *,
    browser: bool = True,
    tell: Callable[[str], None] | None = None,
) -> Any:
    """Serve a workspace until it is closed, and return its model."""
    try:
        import uvicorn

        from ceiba.studio.server import Connection, make_app
        from ceiba.studio.service import Service
    except ImportError as error:
        raise ImportError(_MISSING_PACKAGE.format(error.name), name=error.name) from None
    say = tell or _print
    file = None if workspace.journal is None else KeptAddress(workspace.journal.path)
    listener, token = _listen_again(address, file)
    port = listener.getsockname()[1]
    service = Service(workspace)
    host = f"[{address.host}]" if ":" in address.host else address.host
    host = "127.0.0.1" if address.host in ("0.0.0.0", "::") else host
    url = f"http://{host}:{port}/?token={token}"
    if not is_loopback(address.host):
        say(
            f"warning: the studio listens on {address.host}, not only on this machine. Anyone "
            "with its address can read the data; the connection is not encrypted."
        )
    config = uvicorn.Config(
        make_app(service, token, address.host, port),
        log_level="error",
        access_log=False,
        http=Connection,
        server_header=False,
        ws_max_size=65_536,
        h11_max_incomplete_event_size=65_536,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    threading.Thread(target=service.warm_up, daemon=True).start()
    say(f"The studio is open at {url}")
    with private_page(url) as page:
        if browser:
            webbrowser.open(page)
        _wait(service, server, thread)
    if file is not None:
        file.remove()
    if workspace.journal is not None:
        workspace.journal.close()
    return workspace.state.model


def _listen_again(address: Address, file: KeptAddress | None) -> tuple[socket.socket, str]:
    """Return a socket and a token; reuse the port and token of a crashed studio if possible."""
    last = None if file is None else file.read()
    port, token = last or (0, new_token())
    listener = None
    if last is not None and address.port in (0, port):
        with suppress(OptionError):  # the port is in use
            listener = replace(address, port=port).listen()
    if listener is None:
        listener, token = address.listen(), new_token()
    if file is not None:
        file.write(listener.getsockname()[1], token)
    return listener, token


def _wait(service: Service, server: Any, thread: threading.Thread) -> None:
    """Wait until the page or Ctrl-C ends the session, and stop the server."""
    try:
        while thread.is_alive() and not service.closed.wait(0.2):
            pass
    except KeyboardInterrupt:
        service.close()
    service.closed.wait(0.1)
    server.should_exit = True
    thread.join(5)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
