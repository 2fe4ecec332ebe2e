"""The application ``ceiba``, and functions that run it and report its errors.

Command modules import most packages when a command runs, so that ``ceiba --help`` does not wait for
scikit-learn. typer is optional: without it, `main` exits with the command that installs it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Container
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from ceiba.words import words

if TYPE_CHECKING:
    from types import FrameType

    import typer

#: Commands and their modules in `ceiba.cli.commands`, grouped by help heading.
COMMANDS: Final = {
    "Learn": {
        "describe": "learning", "learn": "learning", "studio": "studio", "prune": "learning",
        "compare": "learning", "curve": "learning", "mimic": "learning",
    },
    "Read": dict.fromkeys(
        ("show", "view", "summary", "rules", "plot", "report", "export"), "reading"
    ),
    "Use and check": {
        "predict": "predicting", "ask": "predicting", "evaluate": "predicting",
        "explain": "predicting", "counterfactual": "predicting", "reasons": "predicting",
        "errors": "checking", "drift": "checking", "stability": "checking", "card": "checking",
    },
    "Examples": dict.fromkeys(("datasets", "demo", "lesson"), "samples"),
}  # fmt: skip

_EPILOG: Final = (
    "Exit codes: 0 success, 2 usage error, 3 data error, 4 model error, 5 drift above --fail-psi, "
    "130 interrupted, 1 any other error. --debug prints the traceback."
)


def make_app(*, in_use: Container[str] | None = None) -> typer.Typer:
    """Build the typer application; only commands in `in_use` (all if None) declare their flags."""
    import typer

    from ceiba.cli.options.flags import LANG_HELP, with_flags
    from ceiba.cli.terminal.output import LANG

    app = typer.Typer(
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        epilog=_EPILOG,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def show_version(value: bool) -> None:
        if value:
            typer.echo(f"ceiba {version('ceiba')}")
            raise typer.Exit

    @app.callback()
    def about(
        _: bool = typer.Option(
            False,
            "--version",
            help="Show the version and exit.",
            metavar=" ",
            callback=show_version,
            is_eager=True,
        ),
        debug: bool = typer.Option(
            False, "--debug", help="Print the full traceback of an error.", metavar=" "
        ),
        lang: str = typer.Option("en", help=LANG_HELP, metavar="NAME", show_default=False),
    ) -> None:
        """Learn, prune, explain, draw and export single decision trees."""
        LANG.set(words(lang).lang)
        if debug:
            os.environ["CEIBA_DEBUG"] = "1"

    for heading, modules in COMMANDS.items():
        for name, module in modules.items():
            command = getattr(import_module(f"ceiba.cli.commands.{module}"), name)
            if in_use is None or name in in_use:
                app.command(name, rich_help_panel=heading)(with_flags(command))
            else:  # list the command in the help without declaring its flags
                register = app.command(name, rich_help_panel=heading, help=command.__doc__)
                register(lambda: None)

    return app


def _is_interruptible(frame: FrameType | None) -> bool:
    """Whether a stack frame belongs to a running command, but not to an import."""
    # Extension modules print or swallow an interrupt that occurs during their import.
    within = False
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_qualname == "with_flags.<locals>.run":
            return within
        within = True
        frame = frame.f_back
    return False


def main() -> None:
    """Run the command line and exit, as the entry point of the script ``ceiba``."""
    interrupted = False
    hook = sys.unraisablehook
    is_main = threading.current_thread() is threading.main_thread()
    signals = [getattr(signal, name) for name in ("SIGALRM", "SIGINT") if hasattr(signal, name)]
    deferrable = len(signals) == 2  # Windows has no SIGALRM

    def interrupt(_: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if deferrable and not _is_interruptible(frame):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            return
        interrupted = True
        raise KeyboardInterrupt

    def unraisable(event: sys.UnraisableHookArgs) -> None:
        if not isinstance(event.exc_value, KeyboardInterrupt):
            hook(event)
        elif deferrable:  # a destructor or callback ignored the interrupt, so raise it again
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    if is_main:
        sys.unraisablehook = unraisable
        for number in signals:
            signal.signal(number, interrupt)
    try:
        _run()
    except BaseException as raised:
        if is_main:  # Ctrl-C during shutdown would print a traceback
            sys.unraisablehook = hook
            for number in signals:
                signal.signal(number, signal.SIG_IGN)
        stopped_by = raised.__cause__  # the exception that caused a `StoppedError`
        stopped = isinstance(stopped_by, KeyboardInterrupt | BrokenPipeError)
        cause = stopped_by if stopped else raised
        if interrupted and not isinstance(cause, SystemExit):  # probably caused by the interrupt
            cause = KeyboardInterrupt()
        assert cause is not None
        if isinstance(cause, BrokenPipeError):  # the pipe was closed, as by `ceiba show | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        if os.environ.get("CEIBA_DEBUG") or isinstance(cause, SystemExit):
            raise
        _report_error(cause)


def _run() -> None:
    """Build the application, run a command, and exit with its code."""
    try:
        completing = any(name.startswith("_CEIBA") for name in os.environ)
        app = make_app(in_use=None if completing else sys.argv)
    except ImportError as error:
        sys.exit(
            f"The command line requires the {error.name!r} package. Install it with: "
            "pip install 'ceiba[cli]'"
        )
    from typer.main import get_command

    from ceiba.cli.options.flags import hide_types
    from ceiba.cli.terminal.output import DIGITS, progress
    from ceiba.formatting import digits_context
    from ceiba.progress import progress_listeners

    command = get_command(app)
    hide_types(command)
    with digits_context(DIGITS), progress_listeners(bar=progress):
        code = command(standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)


def _report_error(error: BaseException) -> None:
    """Print an error as one message and exit with its code."""
    from ceiba.cli.models import CHANGED_FILES
    from ceiba.cli.options.flags import read_usage_error, use_flag_names
    from ceiba.cli.terminal.output import (
        answer,
        colorize,
        exit_code,
        format_os_error,
        is_disk_full,
        render,
    )
    from ceiba.errors import CeibaError, OptionError, OutputError

    code = exit_code(error)
    usage = read_usage_error(error)
    if usage is not None:
        code, text = usage
        if not text:  # if the text is empty, typer has already printed the help
            sys.exit(code)
    elif isinstance(error, KeyboardInterrupt):
        changed = ", ".join(str(path) for path in CHANGED_FILES if path.exists())
        text = f"interrupted; {f'changed files: {changed}' if changed else 'no file was changed'}"
    elif isinstance(error, MemoryError):
        text = "not enough memory"
    elif isinstance(error, OSError) and not isinstance(error, CeibaError):
        text = format_os_error(error)
    else:
        text = str(error) or type(error).__name__
        text = use_flag_names(text, quoted_only=not isinstance(error, OptionError))
        if code == 1 and not (isinstance(error, ImportError | OutputError) or is_disk_full(error)):
            text = (
                f"{type(error).__name__}: {text}\n"
                "Internal error; please report it. --debug shows the traceback."
            )
    if "--json" in sys.argv:  # print the error as JSON on standard output as well
        figures = {"error": {"type": type(error).__name__, "message": text, "exit_code": code}}
        answer("", figures, as_json=True)
    message = render(f"ceiba: {text}", sys.stderr)
    print(message.replace("ceiba:", colorize("ceiba:", "red", sys.stderr), 1), file=sys.stderr)
    sys.exit(code)
