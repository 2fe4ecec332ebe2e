"""Convenience methods of a Tree that call higher rooms.

Imports go upwards here, inside functions. A method here is a line
that hands the tree to the function of another room, where the documentation of its options is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ceiba.inspection import Explanation, Explanations, Formula, RuleTable, Summary
    from ceiba.listing import Listing
    from ceiba.prune import PruningSequence, Risk
    from ceiba.report import Report
    from ceiba.tree.splits.split_table import Split
    from ceiba.tree.tree import Tree
    from ceiba.trust import Counterfactuals, Drift, ShapleyValues


class TreeMethods:
    """Methods that higher rooms answer; mixed into `Tree`."""

    def to_text(self, **options: Any) -> str:
        """Return the tree as text, one line per node; options of `ceiba.export.to_text`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> print(tree.to_text(unicode=False))
        root
        |- x <= 2.5  -> a
        `- x > 2.5  -> b
        """
        from ceiba.export.text import to_text

        return to_text(self, **options)  # type: ignore[arg-type]

    def show(self, **options: Any) -> None:
        """Print the tree, in colours if the output is a terminal; options of `to_text`.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).show(unicode=False)
        root
        |- x <= 2.5  -> a
        `- x > 2.5  -> b
        """
        import sys

        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print(self.to_text(**{"color": color, **options}))

    def __rich__(self) -> Any:
        """Return the tree in colours to `rich.print`."""
        from rich.text import Text

        return Text.from_ansi(self.to_text(color=True))

    def to_svg(self, **options: Any) -> str:
        """Draw the tree as SVG text; options of `ceiba.export.to_svg`.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).to_svg().startswith("<svg ")
        True
        """
        from ceiba.export.drawings.svg import to_svg

        return to_svg(self, **options)  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a small drawing, and the nodes as a list to unfold."""
        from ceiba.export.drawings.notebook import to_notebook

        return to_notebook(self)  # type: ignore[arg-type]

    def plot(self, *data: Any, **options: Any) -> Any:
        """Draw the tree with matplotlib; arguments of `ceiba.plot.plot_tree`.

        Examples
        --------
        >>> import ceiba
        >>> ax = ceiba.tree.build(("x <= 2.5", "a", "b")).plot()
        """
        from ceiba.plot import plot_tree

        return plot_tree(self, *data, **options)

    def rules(self, **options: Any) -> RuleTable:
        """Return the leaves as a table of rules; options of `ceiba.inspection.rules`.

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
        """Return the condition under which the tree says a class; see `ceiba.inspection.formula`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 4", "b", "a")))
        >>> print(tree.formula("a"))
        x <= 2.5 ∨ (x > 2.5 ∧ y > 4)
        """
        from ceiba.inspection import formula

        return formula(self, target_class, **options)  # type: ignore[arg-type]

    def importance(self, **options: Any) -> npt.NDArray[np.float64]:
        """Return the importance of each column; options of `ceiba.inspection.importance`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.rpart(minsplit=2, minbucket=1, xval=0)
        >>> model = model.fit([[1, 8], [2, 7], [3, 6], [4, 5]], list("aabb"))
        >>> model.tree_.importance(), model.tree_.importance(surrogates=True)
        (array([1., 0.]), array([0.5, 0.5]))
        """
        from ceiba.inspection import importance

        return importance(self, **options)  # type: ignore[arg-type]

    def split_tests(self) -> Listing:
        """List the test of each split; see `ceiba.inspection.split_tests`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"a": ["x"] * 20 + ["y"] * 20}, ["no"] * 20 + ["yes"] * 20
        >>> ceiba.chaid().fit(X, y).tree_.split_tests()["statistic"].tolist()
        [40.0]
        """
        from ceiba.inspection import split_tests

        return split_tests(self)  # type: ignore[arg-type]

    def expected_costs(self, node: int = 0) -> Listing:
        """List what each answer would cost at a node; see `ceiba.inspection.expected_costs`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2", {"a": 3, "b": 1}, "b"))
        >>> tree.expected_costs(1)["expected cost"].tolist()
        [0.25, 0.75]
        """
        from ceiba.inspection import expected_costs

        return expected_costs(self, node)  # type: ignore[arg-type]

    def link_table(self, **options: Any) -> Listing:
        """List g(t) of every node at every pruning step; see `ceiba.inspection.link_table`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.link_table()["g"].round(3).tolist()
        [0.333]
        """
        from ceiba.inspection import link_table

        return link_table(self, **options)  # type: ignore[arg-type]

    def routing(self) -> Listing:
        """Tell who sent the training rows on at each node; see `ceiba.inspection.routing`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [None]], ["a", "b", "b"])
        >>> model.tree_.routing()["rows"].tolist()
        [2, 1]
        """
        from ceiba.inspection import routing

        return routing(self)  # type: ignore[arg-type]

    def summary(self, **options: Any) -> Summary:
        """Return the card of the tree, with a legend; see `ceiba.inspection.summary`.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).summary()["depth"]
        1
        """
        from ceiba.inspection import summary

        return summary(self, **options)  # type: ignore[arg-type]

    def explain(self, X: Any) -> Explanation | Explanations:
        """Say why each row of X gets its answer; one `Explanation` if there is one row.

        X is a table, or a dict of the values of one row, which may lack columns that its way does
        not ask about.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.explain({"x": 9.0}).leaf
        2
        """
        import numpy as np

        from ceiba.inspection import explain, explain_rows
        from ceiba.tree.routing import route
        from ceiba.tree.routing.one_row import whole_row

        if isinstance(X, dict) and all(np.ndim(value) == 0 for value in X.values()):
            X = whole_row(self, X)  # type: ignore[arg-type]
        table = route.read(self, X)  # type: ignore[arg-type]
        if table.n_rows == 1:
            return explain(self, table)  # type: ignore[arg-type]
        return explain_rows(self, table)  # type: ignore[arg-type]

    def shap_values(self, X: Any, **options: Any) -> ShapleyValues | tuple[ShapleyValues, ...]:
        """Return the exact Shapley values of rows; options of `ceiba.trust.shap_values`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", 1.0, 5.0))
        >>> tree.shap_values({"x": [9.0]}).values.tolist()
        [[2.0]]
        """
        from ceiba.trust import shap_values

        return shap_values(self, X, **options)  # type: ignore[arg-type]

    def counterfactual(self, row: Any, **options: Any) -> Counterfactuals:
        """Return the nearest changes to another answer; options of `ceiba.trust.counterfactual`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.counterfactual({"x": [9.0]})[0].row
        {'x': 2.5}
        """
        from ceiba.trust import counterfactual

        return counterfactual(self, row, **options)  # type: ignore[arg-type]

    def drift(self, X: Any, y: Any = None) -> Drift:
        """Compare new rows with the training rows, branch by branch; see `ceiba.trust.drift`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> model.tree_.drift({"x": [1, 2, 3]}).flagged
        False
        """
        from ceiba.trust import drift

        return drift(self, X, y)  # type: ignore[arg-type]

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts as this tree.

        For binary numeric trees, exact for X that float32 can represent; see
        `ceiba.export.to_sklearn`.
        """
        from ceiba.export.sklearn import to_sklearn

        return to_sklearn(self)  # type: ignore[arg-type]

    def evaluate(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Any:
        """Compare predictions with the truth; arguments of the estimators' `evaluate`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("PRCP > 0.01", "rain", "dry"))
        >>> tree.evaluate({"PRCP": [0.0, 0.2, 0.3]}, ["dry", "rain", "dry"]).accuracy
        0.6666666666666667
        """
        from ceiba.tree.routing import route
        from ceiba.trust.evaluation import evaluate_tree
        from ceiba.trust.groups import read_evaluation

        tree: Tree = self  # type: ignore[assignment]
        X, y, groups = read_evaluation(tree, X, y, options.pop("by", None))
        return evaluate_tree(tree, route.read(tree, X), y, sample_weight, by=groups, **options)

    def prune(
        self,
        alpha: float | None = None,
        *,
        cp: float | None = None,
        n_leaves: int | None = None,
        risk: Risk = "cost",
    ) -> Tree:
        """Return T(alpha), the smallest subtree with the least R(T) + alpha * leaves.

        `cp` is alpha as a share of the root's risk, as in rpart. Or the tree of the pruning
        sequence with `n_leaves` leaves (if none has so many, the largest with fewer); see
        `ceiba.prune.prune_tree`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.prune(0.5).n_leaves
        1
        """
        from ceiba.prune import prune_tree

        return prune_tree(self, alpha, cp=cp, n_leaves=n_leaves, risk=risk)  # type: ignore[arg-type]

    def pruning_sequence(self, *, risk: Risk = "cost") -> PruningSequence:
        """Return all nested trees T(alpha), from T(0) to the root; see `ceiba.prune`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.pruning_sequence().n_leaves.tolist()
        [2, 1]
        """
        from ceiba.prune import pruning_sequence

        return pruning_sequence(self, risk=risk)  # type: ignore[arg-type]

    def regrow(
        self, node: int, X: Any, y: Any, *, sample_weight: Any = None, **options: Any
    ) -> Tree:
        """Grow everything below a node anew, on the data that the tree was grown on.

        Options say how to grow (`max_depth`, ...); see `ceiba.edit.regrow`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = [[1], [2], [3], [4]], ["a", "b", "b", "a"]
        >>> tree = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
        >>> tree.regrow(2, X, y, max_depth=2).n_leaves
        3
        """
        from ceiba.edit import regrow

        tree: Tree = self  # type: ignore[assignment]
        return regrow(tree, node, X, y, sample_weight=sample_weight, **options)

    def set_split(
        self,
        node: int,
        split: Split | str | tuple[str, Sequence[float]],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        **options: Any,
    ) -> Tree:
        """Force the split of a node and grow everything below it anew.

        `X` and `y` are the data that the tree was grown on, options say how to grow; see
        `ceiba.edit.set_split`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
        >>> tree.set_split(0, "x <= 2", X, y, max_depth=1).n_rows.tolist()
        [4, 2, 2]
        """
        from ceiba.edit import set_split

        tree: Tree = self  # type: ignore[assignment]
        return set_split(tree, node, split, X, y, sample_weight=sample_weight, **options)

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of one row; see `ceiba.export.input_schema`.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).input_schema()["required"]
        ['x']
        """
        from ceiba.export.input_schema import input_schema

        return input_schema(self)  # type: ignore[arg-type]

    def export(
        self,
        format: str,  # noqa: A002
        path: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Any:
        """Return the tree in another format: sql, python, c, javascript, onnx, pmml, rules, ...

        Every format answers as `predict` does, or refuses what it cannot express. With `path` it
        is written into that file as well; options are those of the format's function, for instance
        ``dialect="duckdb"`` of `ceiba.export.to_sql`. See `ceiba.export.export`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
        >>> print(tree.export("rules"))
        if clouds <= 4.5 or missing then no  (p=1)
        if clouds > 4.5 then yes  (p=1)
        """
        from ceiba.export.registry import export

        return export(self, format, path, **options)  # type: ignore[arg-type]

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Make the interactive report: one HTML page that needs no network.

        It is written to `path` if one is given. Options are those of `ceiba.report.payload`:
        train=(X, y), test=(X, y), title, lang ("en", "es", "pt").

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
        >>> tree.report(title="Rain").html.startswith("<!doctype html>")
        True
        """
        from ceiba.report import report

        return report(self, path, **options)  # type: ignore[arg-type]

    def save(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        *,
        metadata: Mapping[str, Any] | None = None,
        compress: bool | None = None,
    ) -> None:
        """Write the tree into a model file (JSON; packed if the path ends in ``.gz``).

        Parameters
        ----------
        path : path or binary file
            Usually ``name.ceiba``; or an open file or buffer.
        metadata : mapping, optional
            Anything JSON can express: where the data came from, a hash, a note.
        compress : bool, optional
            Pack with gzip. Default: if the path ends in ``.gz``.
        """
        from ceiba.tree.model_file import write

        write(path, self, metadata=metadata, compress=compress)  # type: ignore[arg-type]
