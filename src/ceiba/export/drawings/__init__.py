"""Draw trees as DOT, Mermaid, SVG or a notebook cell."""

from __future__ import annotations

from ceiba.export.drawings.notebook import to_notebook as to_notebook
from ceiba.export.drawings.svg import to_svg as to_svg
