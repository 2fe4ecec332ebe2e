"""The studio opened: data in, a server and a browser, the edited model out when it is closed."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.errors import OptionError
from ceiba.studio.prepare import whole_table
from ceiba.studio.security import is_loopback, new_token, private_page
from ceiba.studio.work.journal import Journal
from ceiba.studio.work.setup import Setup, check_by_hand
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from ceiba.words import words

if TYPE_CHECKING:
    from ceiba.studio.service import Service

_NEEDED: Final = "The studio needs the package {!r}. Install it with: pip install ceiba[studio]"


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

    Needs the packages of `ceiba[studio]`. The server listens on this machine only.

    Parameters
    ----------
    X, y : table and target
        As in `fit`; y may be the name of a column of X.
    model : estimator, optional
        A fitted one to go on with. Of one that is not fitted, the parameters are taken.
    test : table, optional
        Held-out rows, with the columns of X and the target.
    workspace : path, optional
        A file that every action is kept in, so that nothing is lost.
    lesson : bool, default=False
        Figures are hidden until the learner has answered which question is best.
    lang : {"en", "es", "pt"}, default="en"
    port : int, default=0
        0: a free one.
    browser : bool, default=True
        Open a browser; otherwise the address is printed only.
    **parameters
        Of the estimator, such as ``max_depth=4``.

    Returns
    -------
    fitted estimator, or None if no target was chosen
        The model as it was when the studio was closed.

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> model = ceiba.open_studio(data.X, data.y, max_depth=4)  # doctest: +SKIP
    """
    table, name = whole_table(X, y)
    fitted = model if model is not None and hasattr(model, "tree_") else None
    if model is not None and fitted is None:
        parameters = {**model._non_default_params(), **parameters}
    elif fitted is not None and parameters:
        raise OptionError("A fitted model has its parameters. Leave the others out.")
    source = Source(
        name=name,
        table=table,
        separate_target=not isinstance(y, str),
        held_out=test,
        model=fitted,
        folder=None if workspace is None else Path(workspace).resolve().parent,
    )
    path = None if workspace is None else Path(workspace)
    start = first_setup(source, name, parameters)
    opened = open_workspace(source, start, path, lang, "yours" if lesson else None)
    return run(opened, Address(port=port), browser=browser)


def first_setup(source: Source, target: str | None, parameters: dict[str, Any]) -> Setup:
    """Return the setup in which the work begins."""
    check_by_hand(parameters)
    settings: dict[str, Any] = {"options": parameters}
    if source.held_out is not None:
        settings["held_out"] = {"given": True}
    if source.model is not None:
        tree = source.model.tree_
        others = [name for name in source.table.schema.names if name not in tree.schema.names]
        ignored = tuple(name for name in others if name != target)
        settings["options"] = getattr(source.model, "_non_default_params", dict)()
        return Setup(target=target, task=tree.task, ignore=ignored, from_model=True, **settings)
    return Setup.first(source.table, target, **settings)


def open_workspace(
    source: Source,
    start: Setup,
    path: Path | None,
    lang: str,
    lesson: str | None,
    *,
    begin_later: bool = False,
    new: bool = False,
) -> Workspace:
    """Open a workspace and repeat the actions of its file; with `new`, put that file aside.

    With `begin_later`, new work begins behind the first screen.
    """
    words(lang)  # raises where the language is not known
    journal = None
    if path is not None:
        begun = {"target": start.target, "model": source.model is not None, "lesson": lesson}
        journal = Journal.open(path, source.fingerprint, begun, new=new)
    return Workspace(source, start, journal, lang, lesson, begin_later=begin_later)


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    host: str = "127.0.0.1"
    port: int = 0

    def listening(self) -> socket.socket:
        """Return a socket that listens there."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # With its protocol named: asyncio sets TCP_NODELAY only then, without which every answer
        # waits 40 ms for an acknowledgement.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
            listening.listen(128)  # a browser that is quicker than the server waits
        except (OSError, OverflowError) as error:
            listening.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise OptionError(
                f"Port {self.port} of {self.host}: {reason}. Choose another."
            ) from None
        return listening


def run(
    workspace: Workspace,
    address: Address,
    *,
    browser: bool = True,
    tell: Callable[[str], None] | None = None,
) -> Any:
    """Serve a workspace until it is closed; return its model."""
    try:
        import uvicorn

        from ceiba.studio.server import Connection, make_app
        from ceiba.studio.service import Service
    except ImportError as error:
        raise ImportError(_NEEDED.format(error.name), name=error.name) from None
    say = tell or _print
    listening = address.listening()
    port, token = listening.getsockname()[1], new_token()
    service = Service(workspace)
    host = f"[{address.host}]" if ":" in address.host else address.host
    host = "127.0.0.1" if address.host in ("0.0.0.0", "::") else host
    url = f"http://{host}:{port}/?token={token}"
    if not is_loopback(address.host):
        say(
            f"warning: the studio listens on {address.host}, not on this machine alone. Whoever "
            "has its address can read the data; nothing is encrypted."
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
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    threading.Thread(target=service.warm_up, daemon=True).start()
    say(f"The studio is open at {url}")
    with private_page(url) as page:
        if browser:
            webbrowser.open(page)
        _wait(service, server, thread)
    if workspace.journal is not None:
        workspace.journal.close()
    return workspace.state.model


def _wait(service: Service, server: Any, thread: threading.Thread) -> None:
    """Wait until the page or Ctrl-C ends it."""
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
