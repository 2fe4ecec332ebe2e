"""Convenience methods of a Tree that call higher rooms.

The one place in this room where imports go upwards, inside functions. A method here is a line
that hands the tree to the function of another room, where the documentation of its options is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba.inspection import Formula, RuleTable
    from ceiba.prune import PruningSequence, Risk
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

    def rules(self, **options: Any) -> RuleTable:
        """Give the leaves as a table of rules; options of `ceiba.inspection.rules`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
        >>> tree.rules()["condition"].tolist()
        ['x <= 2.5', '2.5 < x <= 4', 'x > 4']
        """
        from ceiba.inspection import rules

        return rules(self, **options)  # type: ignore[arg-type]

    def formula(self, target_class: Any, **options: Any) -> Formula:
        """Give the condition under which the tree says a class; see `ceiba.inspection.formula`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 4", "b", "a")))
        >>> print(tree.formula("a"))
        x <= 2.5 ∨ (x > 2.5 ∧ y > 4)
        """
        from ceiba.inspection import formula

        return formula(self, target_class, **options)  # type: ignore[arg-type]

    def to_sklearn(self) -> Any:
        """Give a fitted scikit-learn estimator that predicts as this tree.

        For binary numeric trees, exact for X that float32 can represent; see
        `ceiba.export.to_sklearn`.
        """
        from ceiba.export.sklearn import to_sklearn

        return to_sklearn(self)  # type: ignore[arg-type]

    def prune(
        self, alpha: float | None = None, *, n_leaves: int | None = None, risk: Risk = "cost"
    ) -> Tree:
        """Give T(alpha), the smallest subtree with the least R(T) + alpha * leaves.

        Or the tree of the pruning sequence with `n_leaves` leaves (if none has so many, the
        largest with fewer); see `ceiba.prune.prune_tree`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.prune(0.5).n_leaves
        1
        """
        from ceiba.prune import prune_tree

        return prune_tree(self, alpha, n_leaves=n_leaves, risk=risk)  # type: ignore[arg-type]

    def pruning_sequence(self, *, risk: Risk = "cost") -> PruningSequence:
        """Give all nested trees T(alpha), from T(0) to the root; see `ceiba.prune`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.pruning_sequence().n_leaves.tolist()
        [2, 1]
        """
        from ceiba.prune import pruning_sequence

        return pruning_sequence(self, risk=risk)  # type: ignore[arg-type]


def from_sklearn(model: Any) -> Tree:
    """Give the Tree of a fitted scikit-learn decision tree, exactly; see `ceiba.export`."""
    from ceiba.export.sklearn import from_sklearn as convert

    return convert(model)
