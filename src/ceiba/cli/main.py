"""The command ``ceiba``: names, options and help texts; the work is done in one file per command.

Commands are imported when they run, so that ``ceiba --help`` does not wait for scikit-learn.
Annotations are not postponed in this file: typer reads them, and its name is known only inside
`make_app`, because it is an optional dependency.
"""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

__all__ = ["main", "make_app"]


def make_app() -> "typer.Typer":
    """Give the command line application.

    Examples
    --------
    >>> from ceiba.cli.main import make_app
    >>> [command.name for command in make_app().registered_commands]
    ['demo']
    """
    import typer

    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            typer.echo(f"ceiba {version('ceiba')}")
            raise typer.Exit

    @app.callback()
    def about(
        _: Annotated[
            bool,
            typer.Option(
                "--version", help="Show the version.", callback=show_version, is_eager=True
            ),
        ] = False,
    ) -> None:
        """One decision tree that a person can read and trust."""

    @app.command("demo")
    def demo(
        out: Annotated[Path, typer.Option(help="Folder of the picture.")] = Path("out"),
    ) -> None:
        """Learn two small trees, print them, draw one."""
        from ceiba.cli.demo import demo as run

        run(out)

    return app


def main() -> None:
    """Run the command line; the installed script ``ceiba`` calls this."""
    try:
        app = make_app()
    except ImportError as error:
        sys.exit(
            f"The command line needs the package {error.name!r}, which is not installed. "
            "Install it with: pip install ceiba[cli]"
        )
    from ceiba.errors import CeibaError

    try:
        app()
    except CeibaError as error:
        sys.exit(f"ceiba: {error}")
