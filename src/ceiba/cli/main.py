"""The command ``ceiba``: one file per command, put together here.

A command's file imports only typer and errors at its top; the rest is imported when the command
runs, so that ``ceiba --help`` does not wait for scikit-learn. typer is optional: without it, `main`
says how to get it.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Container
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import typer

#: The commands by the folder they are in, with the heading under which help lists them; each is a
#: function in a file of its name.
COMMANDS: Final = {
    "learning": ("Learn", ("describe", "learn", "studio", "prune", "compare", "curve")),
    "reading": ("Read", ("show", "view", "summary", "rules", "plot", "report", "export")),
    "using": (
        "Use and check",
        ("predict", "ask", "evaluate", "explain", "counterfactual", "drift", "stability"),
    ),
    "samples": ("Examples", ("datasets", "demo", "lesson")),
}

_EPILOG: Final = (
    "Exit codes: 0 done, 2 wrong usage, 3 something wrong with the data, 4 with the model, "
    "5 drift above --fail-psi, 1 anything else. --debug shows where an error came from."
)


class _EndedError(Exception):
    """Ctrl-C, or nobody reads on: typer would end the process itself, without a word."""


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(command)
    def run(*given: Any, **options: Any) -> None:
        try:
            command(*given, **options)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise _EndedError from error

    return run


def _only_listed(command: Callable[..., None]) -> Callable[[], None]:
    def listed() -> None:
        """Stand in the list of commands."""

    listed.__doc__ = command.__doc__
    return listed


def _with_flags(name: str, command: Callable[..., None]) -> Callable[..., None]:
    from ceiba.cli.options.option_flags import with_option_flags
    from ceiba.cli.options.option_help import finished
    from ceiba.cli.options.reading_flags import with_reading_flags

    command = with_reading_flags(command)
    return finished(name, with_option_flags(command) if name == "learn" else command)


def make_app(*, in_use: Container[str] | None = None) -> typer.Typer:
    """Give the command line application.

    Parameters
    ----------
    in_use : container of str, optional
        Commands that may be run; the others are only listed, since making the flags of all takes
        longer than anything else in ``ceiba --help``. None: all.

    Examples
    --------
    >>> from ceiba.cli.main import make_app
    >>> [command.name for command in make_app().registered_commands][:3]
    ['describe', 'learn', 'studio']
    """
    import typer

    from ceiba.cli.languages.translation import check_language

    app = typer.Typer(
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        epilog=_EPILOG,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            typer.echo(f"ceiba {version('ceiba')}")
            raise typer.Exit

    def show_manual(wanted: bool) -> None:
        if wanted:
            from typer.main import get_command

            from ceiba.cli.languages.spoken_help import language_in, speak_help
            from ceiba.cli.manual import manual

            commands = get_command(make_app())
            speak_help(commands, language_in(sys.argv))
            typer.echo(manual(commands, version("ceiba")))
            raise typer.Exit

    @app.callback()
    def about(
        _: bool = typer.Option(
            False,
            "--version",
            help="Show the version.",
            metavar=" ",
            callback=show_version,
            is_eager=True,
        ),
        __: bool = typer.Option(
            False,
            "--man",
            help="Print the manual page: ceiba --man | man -l -",
            metavar=" ",
            callback=show_manual,
            is_eager=True,
        ),
        debug: bool = typer.Option(
            False, "--debug", help="Show where an error came from.", metavar=" "
        ),
        lang: str = typer.Option(
            "en",
            help=r"Language of what is printed. One of en, es, pt. \[default: en]",
            metavar="NAME",
            show_default=False,
        ),
    ) -> None:
        """One decision tree that a person can read and trust."""
        check_language(lang)
        if debug:
            os.environ["CEIBA_DEBUG"] = "1"

    for folder, (heading, names) in COMMANDS.items():
        for name in names:
            command = getattr(import_module(f"ceiba.cli.commands.{folder}.{name}"), name)
            wanted = in_use is None or name in in_use
            command = _with_flags(name, command) if wanted else _only_listed(command)
            app.command(name, rich_help_panel=heading)(_guarded(command))

    return app


def main() -> None:
    """Run the command line; the installed script ``ceiba`` calls this."""
    try:
        completing = any(name.startswith("_CEIBA") for name in os.environ)
        app = make_app(in_use=None if completing else sys.argv)
    except ImportError as error:
        sys.exit(
            f"The command line needs the package {error.name!r}, which is not installed. "
            "Install it with: pip install ceiba[cli]"
        )
    from typer.main import get_command

    from ceiba.cli.languages.spoken_help import language_in, speak_help
    from ceiba.cli.languages.translation import speaking
    from ceiba.cli.terminal.screen import DIGITS
    from ceiba.visible import shown_digits

    lang = language_in(sys.argv)
    command = get_command(app)
    speak_help(command, lang)
    try:
        with shown_digits(DIGITS), speaking(lang):
            code = command(standalone_mode=False)
    except (Exception, KeyboardInterrupt) as raised:
        cause = (raised.__cause__ if isinstance(raised, _EndedError) else raised) or raised
        if isinstance(cause, BrokenPipeError):  # `ceiba show ... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        if os.environ.get("CEIBA_DEBUG"):
            raise
        _complain(cause)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _complain(error: BaseException) -> None:
    """Say what went wrong in one message and leave with its exit code."""
    from ceiba.cli.languages.translation import language_of, speaking
    from ceiba.cli.options.option_words import in_flag_words, wrong_usage
    from ceiba.cli.terminal.output import exit_code, is_full, of_system
    from ceiba.cli.terminal.screen import colored, fitted
    from ceiba.errors import CeibaError, OptionError, OutputError

    code = exit_code(error)
    usage = wrong_usage(error)
    if usage is not None:
        code, text = usage
        if not text:  # the help was shown instead
            sys.exit(code)
    elif isinstance(error, KeyboardInterrupt):
        text = "interrupted; no file was changed"
    elif isinstance(error, MemoryError):
        text = "not enough memory"
    elif isinstance(error, OSError) and not isinstance(error, CeibaError):
        text = of_system(error)
    else:
        text = str(error) or type(error).__name__
        if isinstance(error, OptionError):
            text = in_flag_words(text)
        if code == 1 and not (isinstance(error, ImportError | OutputError) or is_full(error)):
            text = (
                f"{type(error).__name__}: {text}\n"
                "Internal error; please report it. --debug shows the traceback."
            )
    with speaking(language_of(error)):
        shown = fitted(f"ceiba: {text}", sys.stderr)
    print(shown.replace("ceiba:", colored("ceiba:", "red", sys.stderr), 1), file=sys.stderr)
    sys.exit(code)
