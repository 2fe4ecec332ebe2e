"""The report of a tree as a page that can be saved, opened or shown in a notebook."""

from __future__ import annotations

import html as _html
import os
import tempfile
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceiba.report.page import render_page
from ceiba.report.payload import payload
from ceiba.tree import Tree
from ceiba.tree.model_file import atomic_write


@dataclass(frozen=True)
class Report:
    """A report as an HTML page.

    Attributes
    ----------
    html : str
        The whole page.
    path : Path or None
        Where it was written.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.tree.build(("x <= 2.5", "a", "b")).report()
    <Report: ... KB, not written>
    """

    html: str = field(repr=False)
    path: Path | None = None

    def save(self, path: str | os.PathLike[str]) -> Report:
        """Write the page to a file atomically."""
        with atomic_write(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return Report(self.html, Path(path))

    def show(self) -> Report:
        """Open the page in a browser (from a temporary file if it has no path)."""
        report = self
        if report.path is None:
            report = self.save(Path(tempfile.mkdtemp(prefix="ceiba-")) / "report.html")
        assert report.path is not None
        webbrowser.open(report.path.resolve().as_uri())
        return report

    def _repr_html_(self) -> str:
        """Return the page as an HTML frame for notebooks."""
        return (
            f'<iframe srcdoc="{_html.escape(self.html, quote=True)}" width="100%" height="680" '
            'sandbox="allow-scripts allow-downloads allow-modals" style="border:0"></iframe>'
        )

    def __repr__(self) -> str:
        location = "not written" if self.path is None else str(self.path)
        return f"<Report: {len(self.html.encode()) / 1024:.0f} KB, {location}>"


def report(tree: Tree, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
    """Create the interactive report of a tree.

    Parameters
    ----------
    tree : Tree
    path : path, optional
        Where to write the page.
    **options
        Options of `ceiba.report.payload`: train, test, title, lang, ...

    Returns
    -------
    Report

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report import report
    >>> report(ceiba.tree.build(("x <= 2.5", "a", "b")), lang="es").path is None
    True
    """
    result = Report(render_page(payload(tree, **options)))
    return result if path is None else result.save(path)
