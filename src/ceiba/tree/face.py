"""Convenience methods of a Tree that call higher rooms.

The one place in this room where imports go upwards, inside functions. A method here is a line
that hands the tree to the function of another room, where the documentation of its options is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

__all__ = ["Face", "from_sklearn"]


class Face:
    """Methods that higher rooms answer; mixed into `Tree`."""

    def to_text(self, **options: Any) -> str:
        """Give the tree as text, one line per node; options of `ceiba.export.to_text`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> print(tree.to_text(unicode=False))
        root  a p=0.5
        |- x <= 2.5  -> a
        `- x > 2.5  -> b
        """
        from ceiba.export.text import to_text

        return to_text(self, **options)  # type: ignore[arg-type]

    def to_sklearn(self) -> Any:
        """Give a fitted scikit-learn estimator that predicts as this tree.

        For binary numeric trees, exact for X that float32 can represent; see
        `ceiba.export.to_sklearn`.
        """
        from ceiba.export.sklearn import to_sklearn

        return to_sklearn(self)  # type: ignore[arg-type]


def from_sklearn(model: Any) -> Tree:
    """Give the Tree of a fitted scikit-learn decision tree, exactly; see `ceiba.export`."""
    from ceiba.export.sklearn import from_sklearn as convert

    return convert(model)
