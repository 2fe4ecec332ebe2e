"""Label the empty corner of a table for screen readers."""

from __future__ import annotations

from typing import Any

from docutils import nodes

HIDDEN = '<span class="only-heard">row</span>'


def name_corners(app: Any, doctree: nodes.document, docname: str) -> None:
    """Add a visually hidden word to empty headings."""
    for head in doctree.findall(nodes.thead):
        for entry in head.findall(nodes.entry):
            if not entry.astext().strip():
                entry += nodes.raw("", HIDDEN, format="html")


def setup(app: Any) -> dict[str, bool]:
    """Connect the hook."""
    app.connect("doctree-resolved", name_corners)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
