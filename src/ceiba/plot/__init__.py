"""Pictures with matplotlib (``pip install ceiba[plot]``)."""

from __future__ import annotations

from ceiba.plot.tree import plot_tree

__all__ = ["plot_tree"]
