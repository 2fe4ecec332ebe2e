"""The methods that `Tree` and the estimators share.

Most methods pass the tree to a function of another package, which documents the options. Only this
file imports from higher packages, inside functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import numpy as np

from ceiba.errors import OptionError
from ceiba.table import Table
from ceiba.table.scanning import is_dask, is_on_gpu
from ceiba.table.targets import pop_target, split_target
from ceiba.tree.attachments import leaf_quantiles
from ceiba.tree.collapse import collapse
from ceiba.tree.construct.sample import Container, sample
from ceiba.tree.notes import annotate, override
from ceiba.tree.routing import route
from ceiba.tree.routing.attach import attach, attachment_settings
from ceiba.tree.routing.one_row import Answer, as_table_row, predict_row
from ceiba.tree.routing.recount import recount

if TYPE_CHECKING:
    from ceiba.audit import ModelCard, Reasons
    from ceiba.edit.forced import SplitLike
    from ceiba.grow import Problem
    from ceiba.inspection import Explanation, Explanations, Formula, RuleTable, Summary
    from ceiba.listing import Listing
    from ceiba.prune import PruningSequence, Risk
    from ceiba.report import Report
    from ceiba.tree.arrays import Array
    from ceiba.tree.node import Path
    from ceiba.tree.tree import Tree
    from ceiba.trust import Counterfactuals, Drift, RivalColumns, ShapleyValues, Stability

_File = str | os.PathLike[str] | BinaryIO


class TreeMethods:
    """Methods that trees and fitted estimators share. Methods that edit return a new object."""

    if TYPE_CHECKING:

        @property
        def _tree(self) -> Tree: ...
        def _read_rows(self, X: Any, check_input: bool = True) -> Table: ...
        def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Self: ...
        def apply(self, X: Any) -> Array: ...  # noqa: D102

    # Estimators override the following five methods.

    def _read_problem(
        self, X: Any, y: Any, sample_weight: Any, **options: Any
    ) -> tuple[Problem, dict[str, Any]]:
        """Return the training data with growing options, and the non-default parameters."""
        from ceiba.grow import Problem

        return Problem.like(self._tree, X, y, sample_weight, **options), {}

    def _grow_on_rows(self, problem: Problem, params: dict[str, Any], rows: Any) -> Tree:
        """Grow a tree on some of the training rows, in one thread."""
        return problem.grow(rows, n_jobs=1)

    def _threads(self, table: Table) -> int:
        return 1

    def _report_facts(self) -> tuple[Tree, dict[str, Any]]:
        """Return the tree for the report, and the estimator's report options."""
        return self._tree, {}

    def _stored_model(self) -> dict[str, Any] | None:
        """Return the estimator as a JSON-serializable dict, or None for a tree."""
        return None

    # ------------------------------------------------------------------ as text and pictures

    def to_text(self, **options: Any) -> str:
        """Return the tree as text, one line per node. See `ceiba.export.to_text` for the options.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> print(tree.to_text(unicode=False))
        root
        |- x <= 2.5  -> a
        `- x > 2.5  -> b
        """
        from ceiba.export import to_text

        return to_text(self._tree, **options)

    def show(self, **options: Any) -> None:
        """Print the tree, in colors on a terminal unless NO_COLOR is set. See `to_text`.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.DecisionTreeClassifier().fit({"x": [1, 2]}, ["a", "b"]).show(unicode=False)
        root  n=2 (100%)  a p=0.5
        |- x <= 1.5  n=1 (50%)  -> a p=1
        `- x > 1.5  n=1 (50%)  -> b p=1
        """
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print(self.to_text(**{"color": color, **options}))

    def to_svg(self, **options: Any) -> str:
        """Return a drawing of the tree as SVG text. See `ceiba.export.to_svg` for the options.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).to_svg().startswith("<svg ")
        True
        """
        from ceiba.export.drawings import to_svg

        return to_svg(self._tree, **options)

    def plot(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        X, y : table and target, optional
            Rows to draw at the splits and leaves.
        **options
            Options of `ceiba.plot.plot_tree`: ax, max_depth, direction, node_ids, ...

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> ax = model.plot()
        """
        from ceiba.plot import plot_tree

        return plot_tree(self._tree, X, y, **options)

    def _notebook_html(self, *captions: str) -> str:
        """Return the HTML for notebooks: a small drawing and a collapsible list of nodes."""
        from ceiba.export.drawings import to_notebook

        return to_notebook(self._tree, *captions)

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Create the interactive report, an HTML page that works offline.

        Parameters
        ----------
        path : path, optional
            File to write.
        **options
            Options of `ceiba.report.payload`, such as `title` and `lang` ("en", "es", "pt").
            `train` and `test` are (X, y), or frames with the target. Test rows add held-out
            figures, and training rows add quantiles; the page contains no rows.

        Returns
        -------
        Report
            `.show()` opens a browser; notebooks display it inline.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.report(test=([[1], [3]], ["a", "b"]), title="Small").path is None
        True
        """
        from ceiba.report import report

        tree, facts = self._report_facts()
        return report(tree, path, **(facts | options))

    # ------------------------------------------------------------------ facts about the tree

    def path(self, node: int) -> Path:
        """Return the branches from the root to a node.

        Examples
        --------
        >>> import ceiba
        >>> print(ceiba.tree.build(("x <= 2.5", "a", ("y <= 1", "b", "a"))).path(3))
        x > 2.5 and y <= 1
        """
        return self._tree.node(node).path

    def rules(self, **options: Any) -> RuleTable:
        """Return the leaves as a table of rules. See `ceiba.inspection.rules` for the options.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "a"])
        >>> model.rules()["condition"].tolist()
        ['x <= 1.5', '1.5 < x <= 2.5', 'x > 2.5']
        """
        from ceiba.inspection import rules

        return rules(self._tree, **options)

    def formula(self, target_class: Any, **options: Any) -> Formula:
        """Return the condition under which the tree predicts a class.

        Parameters
        ----------
        target_class : label
        **options
            Options of `ceiba.inspection.formula`: unicode, digits, max_levels.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 4", "b", "a")))
        >>> print(tree.formula("a"))
        x <= 2.5 ∨ (x > 2.5 ∧ y > 4)
        """
        from ceiba.inspection import formula

        return formula(self._tree, target_class, **options)

    def summary(self, *, pruning: Listing | None = None, lang: str = "en") -> Summary:
        """Return the main properties of the tree: task, size, columns used, risk and pruning.

        Parameters
        ----------
        pruning : Listing, optional
            The pruning table by which the tree was chosen. Default: that of the estimator.
        lang : {"en", "es", "pt"}, default="en"
            Language of the printed text.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).summary()["depth"]
        1
        """
        from ceiba.inspection import summary

        table = getattr(self, "pruning_table_", None)
        return summary(self._tree, pruning=table if pruning is None else pruning, lang=lang)

    def importance(self, **options: Any) -> Array:
        """Return the importance of each column. See `ceiba.inspection.importance` for the options.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.rpart(minsplit=2, minbucket=1, xval=0)
        >>> model = model.fit([[1, 8], [2, 7], [3, 6], [4, 5]], list("aabb"))
        >>> model.importance(), model.importance(surrogates=True)
        (array([1., 0.]), array([0.5, 0.5]))
        """
        from ceiba.inspection import importance

        return importance(self._tree, **options)

    def importance_table(self, X: Any = None, y: Any = None, **options: Any) -> Listing:
        """Return the importance of each column by several measures side by side.

        Parameters
        ----------
        X, y : table and target, optional
            Held-out rows, for permutation importance and held-out gain.
        **options
            Options of `ceiba.inspection.importance_table`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1, 7], [2, 7], [3, 7]], ["a", "b", "b"])
        >>> model.importance_table()["gain"].tolist()
        [1.0, 0.0]
        """
        from ceiba.inspection import importance_table

        return importance_table(self._tree, X, y, **options)

    def split_tests(self) -> Listing:
        """Return the significance test of each split; see `ceiba.inspection.split_tests`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"a": ["x"] * 20 + ["y"] * 20}, ["no"] * 20 + ["yes"] * 20
        >>> ceiba.chaid().fit(X, y).split_tests()["statistic"].tolist()
        [40.0]
        """
        from ceiba.inspection import split_tests

        return split_tests(self._tree)

    def expected_costs(self, node: int = 0) -> Listing:
        """Return the expected cost of each possible prediction at a node.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2", {"a": 3, "b": 1}, "b"))
        >>> tree.expected_costs(1)["expected cost"].tolist()
        [0.25, 0.75]
        """
        from ceiba.inspection import expected_costs

        return expected_costs(self._tree, node)

    def weakest_links(self, *, risk: Risk = "cost") -> Listing:
        """Return g(t), the risk decrease per extra leaf, of each inner node at each pruning step.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.weakest_links()["g"].round(3).tolist()
        [0.333]
        """
        from ceiba.inspection import weakest_links

        return weakest_links(self._tree, risk=risk)

    def pruning_sequence(self, *, risk: Risk = "cost") -> PruningSequence:
        """Return the pruning sequence: nested trees from the one at alpha = 0 to the root.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.pruning_sequence().n_leaves.tolist()
        [2, 1]
        """
        from ceiba.prune import pruning_sequence

        return pruning_sequence(self._tree, risk=risk)

    def routing(self) -> Listing:
        """Count the training rows that the split, surrogates and default branch of each node route.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [None]], ["a", "b", "b"])
        >>> model.routing()["rows"].tolist()
        [2, 1]
        """
        from ceiba.inspection import routing

        return routing(self._tree)

    # ------------------------------------------------------------------ rows

    def predict_one(self, row: Any) -> Answer:
        """Return the prediction for one row with minimal overhead (microseconds).

        Parameters
        ----------
        row : dict
            Values by column name; other keys are ignored, and only the columns on the path are
            needed. None and NaN are missing. Dates may be ISO strings. Or a sequence with one
            value per column.

        Returns
        -------
        Answer
            `answer`, `probability` (a dict by class; do not modify it) and `leaf`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", ("wind <= 3", "no", "yes")))
        >>> tree.predict_one({"id": 17, "clouds": 2}).answer
        'no'
        """
        return predict_row(self._tree, row)

    def explain(self, row: Any, *, lang: str = "en") -> Explanation | Explanations:
        """Explain the prediction of a row by its path through the tree.

        Parameters
        ----------
        row : dict, sequence, or table
            One row (a dict may omit columns that are not on the path), or several rows.
        lang : {"en", "es", "pt"}, default="en"
            Language of the explanation.

        Returns
        -------
        Explanation, or Explanations for a table of several rows

        Examples
        --------
        >>> import ceiba
        >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
        >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
        >>> print(model.explain({"age": 44, "sex": "f"}))
        age > 35  (age is 44)
        => b  (probability 1; leaf 2, 2 training rows)
        """
        from ceiba.inspection import Explanations, explain

        tree, table = self._tree, self._read_rows(as_table_row(row, self._tree))
        if table.n_rows == 1:
            return explain(tree, table, lang=lang)
        return Explanations(tree, table, lang)

    def predict_quantiles(self, X: Any) -> Array:
        """Return the quantiles of each row's leaf, for a tree fitted with `leaf_quantiles`.

        A row that ends in several leaves (`missing="fractional"`) gets the mean of their quantiles.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_rows, n_levels)

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeRegressor(max_depth=1, leaf_quantiles=(0.25, 0.75))
        >>> model = model.fit({"x": [1, 1, 1, 2, 2, 2]}, [1.0, 2.0, 3.0, 7.0, 8.0, 9.0])
        >>> model.predict_quantiles({"x": [1, 2]}).tolist()
        [[1.0, 3.0], [7.0, 9.0]]
        """
        _, values = leaf_quantiles(self._tree)
        table = self._read_rows(X)
        threads = self._threads(table)
        return route.node_numbers(self._tree, table, values=values, n_threads=threads)

    def evaluate(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        by: Any = None,
        positive: Any = None,
        confidence: float = 0.95,
        horizon: float | None = None,
        times: Any = None,
        event: Any = None,
    ) -> Any:
        """Evaluate predictions on rows with known targets.

        Classification: confusion matrix, error, Q(i|j), cost per class and in total, compared with
        always predicting the root's class; for the probabilities AUC, average precision, Brier
        score, log loss, KS, gains and lift, as in `sklearn.metrics` (`.scores`). Regression: MSE,
        MAE and R2, compared with the root's value. Survival: Harrell's and Uno's C, the integrated
        Brier score and calibration, compared with one Kaplan-Meier curve for all rows.

        Parameters
        ----------
        X : table
            Rows, as in `predict`; or a frame with the target, whose name is `y`.
        y : array-like, str or list of str
        sample_weight : array-like or str, optional
            Weights, or the name of a column of X.
        by : str or array-like, optional
            Column of X, or a label per row: all metrics per group, and their differences. The
            column need not be one of the model's.
        positive : label, optional
            Positive class for AUC, average precision, KS, gains and, with `by`, selection, true
            and false positive rates. Default: the second of two classes.
        confidence : float, default=0.95
            Confidence level of the intervals.
        horizon : float, optional
            Survival: only times up to the horizon count. Default: the last event time at which a
            tenth of the rows is still at risk.
        times : list of float, optional
            Survival: the times of the calibration. Default: quartiles of the event times.
        event : object, optional
            Survival: the code of an observed event, as in `fit`.

        Returns
        -------
        ClassEvaluation, NumberEvaluation, SurvivalEvaluation or GroupEvaluation
            A printable result; a tuple of them for several outputs.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.evaluate([[1], [2]], ["a", "a"]).error
        0.5
        """
        from ceiba.shards.homes import gpu
        from ceiba.trust import evaluate_tree, read_evaluation

        tree = self._tree
        on_gpu = is_on_gpu(X)
        X = gpu.split_frame(X)
        if isinstance(sample_weight, str):
            X, sample_weight = split_target(X, sample_weight)
        if on_gpu:
            ends = gpu.to_host(self.apply(X))
            X, y = pop_target(X, y, tree.task)
            if isinstance(by, str):
                X = {**X, by: gpu.to_host(X[by])}
            y, sample_weight, by = map(gpu.to_host, (y, sample_weight, by))
        X, y, groups = read_evaluation(tree, X, y, by, event)
        if not on_gpu:
            ends = np.asarray(self.apply(X)) if is_dask(X) else None
        table: Any = self._read_rows(X) if ends is None else ends
        return evaluate_tree(
            tree,
            table,
            y,
            sample_weight,
            by=groups,
            positive=positive,
            confidence=confidence,
            frequency_weights=bool(getattr(self, "_counts_rows", False)),
            n_threads=1 if ends is not None else self._threads(table),
            horizon=horizon,
            times=times,
        )

    def rows(self, node: int, X: Any) -> Array:
        """Return the indices of the rows of X that pass through a node.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.rows(2, {"x": [1.0, 3.0, 2.0, 9.0]}).tolist()
        [1, 3]
        """
        self._tree.node(node)
        return route.rows(self._tree, node, self._read_rows(X))

    def sample(
        self, n: int, *, random_state: Any = None, container: Container = "dict"
    ) -> tuple[Any, Array]:
        """Draw random rows and label them with the predictions of this tree.

        Each column is drawn uniformly and independently: categorical and ordered columns from
        their levels, numeric ones from their range (of the training rows, or around the cuts).

        Parameters
        ----------
        n : int
        random_state : int, numpy Generator or RandomState, optional
            None is seed 0.
        container : {"dict", "numpy", "pandas", "polars", "pyarrow"}
            Type of X; "dict" is a dict of numpy arrays by column name.

        Returns
        -------
        X, y

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": "No"}))
        >>> X, y = tree.sample(100, random_state=1)
        >>> bool((tree.predict(X) == y).all())
        True
        """
        return sample(self._tree, n, random_state=random_state, container=container)

    # ------------------------------------------------------------------ trust

    def shap_values(
        self,
        X: Any,
        *,
        background: Any = None,
        interactions: bool = False,
        n_threads: int | None = None,
    ) -> ShapleyValues | tuple[ShapleyValues, ...]:
        """Return the exact Shapley value of every column for every row.

        Parameters
        ----------
        X : table
        background : table, optional
            Background rows (interventional values). Without them, the training shares of the
            branches are used (path-dependent values).
        interactions : bool, default=False
            Split every contribution into a main effect and pairwise interactions.
        n_threads : int, optional
            Default: that of the estimator, or 1. The result does not depend on it.

        Returns
        -------
        ShapleyValues
            `.values`, `.base_values`, `.to_shap()`; a tuple of them for several outputs.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeRegressor().fit({"x": [1, 2]}, [1.0, 5.0])
        >>> model.shap_values({"x": [9]}).values.tolist()
        [[2.0]]
        """
        from ceiba.trust import shap_values

        table = self._read_rows(X)
        return shap_values(
            self._tree,
            table,
            background=None if background is None else self._read_rows(background),
            interactions=interactions,
            n_threads=self._threads(table) if n_threads is None else n_threads,
        )

    def counterfactual(self, row: Any, **options: Any) -> Counterfactuals:
        """Return the smallest changes to a row that change its prediction.

        Parameters
        ----------
        row : dict, sequence, or table of one row
        **options
            See `ceiba.trust.counterfactual`: target, fixed, direction, allowed, cost, order, k.

        Returns
        -------
        Counterfactuals
            A tuple, the nearest first.

        Examples
        --------
        >>> import ceiba
        >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
        >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
        >>> print(model.counterfactual({"age": 44, "sex": "f"}))
        1. age <= 35 (is 44) -> a (probability 1, 2 training rows)
        """
        from ceiba.trust import counterfactual

        return counterfactual(self._tree, self._read_rows(as_table_row(row)), **options)

    def reasons(
        self,
        row: Any,
        k: int = 4,
        *,
        target: Any = None,
        against: Any = None,
        protected: Iterable[str] = (),
        fixed: Iterable[str] = (),
        lang: str = "en",
    ) -> Reasons | Listing:
        """Return the main reasons for which a row does not get the desired prediction.

        The columns on the path of the row are ranked by exact Shapley values against the rows with
        the desired prediction. Each has the nearest change of that column alone that leads to the
        desired prediction, verified by predicting the changed row, or none.

        Parameters
        ----------
        row : dict, sequence, or table
            One row, or several.
        k : int, default=4
            Maximum number of reasons.
        target : label, or (low, high)
            Desired class (default: any other than the predicted one) or range (None: unbounded).
        against : table, optional
            Background rows; those with the desired prediction are used. By default the training
            rows in leaves with the desired prediction, by their shares of the branches.
        protected : names of columns
            Never among the reasons; an error if the tree uses them.
        fixed : names of columns
            Never among the reasons, because they cannot change; the tree may use them.
        lang : {"en", "es", "pt"}, default="en"

        Returns
        -------
        Reasons, or Listing for several rows

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("income <= 20", {"no": 8, "yes": 2}, {"no": 1, "yes": 9}))
        >>> print(tree.reasons({"income": 15}))
        1. income is 15: income <= 20; the prediction changes with income > 20
        """
        from ceiba.audit import reasons, reasons_table

        tree, table = self._tree, self._read_rows(as_table_row(row, self._tree))
        results = reasons(
            tree, table, k=k, target=target, against=against, protected=protected, fixed=fixed,
            lang=lang,
        )  # fmt: skip
        return results[0] if len(results) == 1 else reasons_table(results)

    def drift(self, X: Any, y: Any = None) -> Drift:
        """Compare new rows with the training rows, branch by branch.

        Parameters
        ----------
        X : table
            New rows; or a frame with the target, whose name is `y`.
        y : array-like or str, optional
            If given, the rates in the leaves are compared too.

        Returns
        -------
        Drift
            `.psi`, `.start`, `.branches`, `.leaves`, `.columns`; prints.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> model.drift({"x": [1, 2, 3]}).flagged
        False
        """
        from ceiba.trust import drift

        X, y = pop_target(X, y, self._tree.task)
        return drift(self._tree, self._read_rows(X), y)

    def card(
        self,
        *,
        train: tuple[Any, Any] | None = None,
        test: tuple[Any, Any] | None = None,
        by: str | None = None,
        purpose: str | None = None,
        owner: str | None = None,
        approval: str | None = None,
    ) -> ModelCard:
        """Return a model card that documents the training, performance and limitations.

        Parameters
        ----------
        train : (X, y), optional
            Training rows, which add ranges, levels (of at least five rows each) and stability.
        test : (X, y), optional
            Held-out rows, which add figures with intervals and calibration.
        by : str, optional
            Column of the test rows, which adds the figures of each group.
        purpose, owner, approval : str, optional
            Information that the model does not contain.

        Returns
        -------
        ModelCard
            `.to_markdown()`, `.to_dict()`, `.to_html()`, `.save("card.md")`. The same model and
            rows give the same card.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> print(model.card(owner="risk team").to_markdown().splitlines()[0])
        # Model card: the target
        """
        from ceiba.audit import make_card
        from ceiba.trust import read_evaluation

        for name, rows in (("train", train), ("test", test)):
            if rows is not None and not (isinstance(rows, tuple) and len(rows) == 2):
                raise OptionError(f"{name} must be a tuple (X, y), got {type(rows).__name__}.")
        groups = None
        if by is not None:
            if test is None:
                raise OptionError(f"by={by!r} requires test=(X, y).")
            _, _, groups = read_evaluation(self._tree, *test, by)
        return make_card(
            self,
            self._tree,
            train=None if train is None else self._read_known(*train),
            test=None if test is None else self._read_known(*test),
            by=None if groups is None else (groups[0], groups[1]),
            purpose=purpose,
            owner=owner,
            approval=approval,
        )

    def _read_known(self, X: Any, y: Any) -> tuple[Table, Any]:
        """Read rows with known targets; y is an array or the name of a column of X."""
        X, y = pop_target(X, y, self._tree.task)
        return self._read_rows(X), y

    def stability(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        resamples: int = 200,
        share: float = 0.5,
        random_state: int = 0,
        **options: Any,
    ) -> Stability:
        """Grow trees on resamples of the rows and measure how much they differ.

        Parameters
        ----------
        X, y, sample_weight
            The training data.
        resamples : int, default=200
        share : float, default=0.5
            Share of the rows in each resample, drawn without replacement.
        random_state : int, default=0
        **options
            Options of growing, as in `regrow`.

        Returns
        -------
        Stability
            `.nodes`, `.columns`, `.leaves`, `.rows`, `.agreement`, `.n_leaves`; prints and plots.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
        >>> model.stability(X, y, resamples=20).agreement > 0.9
        True
        """
        from ceiba.trust import stability

        problem, params = self._read_problem(X, y, sample_weight, **options)
        return stability(
            self._tree,
            problem.table,
            lambda rows: self._grow_on_rows(problem, params, rows),
            resamples=resamples,
            share=share,
            seed=random_state,
            n_threads=self._threads(problem.table),
        )

    def rival_columns(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        node: int = 0,
        folds: int = 10,
        random_state: int = 0,
        **options: Any,
    ) -> RivalColumns:
        """Split a node on each column in turn and compare the resulting trees by cross-validation.

        Parameters
        ----------
        X, y, sample_weight
            The training data.
        node : int, default=0
        folds : int, default=10
        random_state : int, default=0
        **options
            Options of growing, as in `regrow`; the trees are not pruned.

        Returns
        -------
        RivalColumns
            `.table`, `.trees`; prints and plots.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
        >>> table = model.rival_columns(X, y, folds=5).table
        >>> table["column"][table["within 1 SE"]].tolist()
        ['petal length (cm)', 'petal width (cm)']
        """
        from ceiba.trust import rival_columns

        problem, _ = self._read_problem(X, y, sample_weight, **options)
        return rival_columns(self._tree, problem, node=node, folds=folds, seed=random_state)

    # ------------------------------------------------------------------ edits

    def _with_edit(self, tree: Tree, problem: Problem) -> Self:
        """Return a copy with the edited tree; compute quantiles or survival curves of new nodes."""
        settings = attachment_settings(self._tree)
        target, weight = problem.target.values, problem.row_weight
        return self._with_tree(attach(tree, problem.table, target, weight, settings))

    def collapse(self, nodes: int | Iterable[int]) -> Self:
        """Turn nodes into leaves.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"])
        >>> model.get_n_leaves(), model.collapse(2).get_n_leaves()
        (3, 2)
        """
        return self._with_tree(collapse(self._tree, nodes))

    def set_split(
        self,
        node: int,
        split: SplitLike,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        levels: int | None = None,
        **options: Any,
    ) -> Self:
        """Set the split of a node and regrow its branches without pruning.

        Parameters
        ----------
        node : int
        split : str, sequence of str, Cut, Intervals, LevelSets, Presence or (column, cuts)
            The split as it is printed: "age <= 30", "city in {Oslo, Lima}" (against all other
            levels of the node), "city = Oslo", "income is missing"; for several branches
            "city = Oslo | city in {Lima, Rome}", "x <= 1 | 1 < x <= 3 | x > 3". "age <= 30 or
            missing" sends missing values to that branch. Or `Cut("age", 30)`,
            `LevelSets("city", (("Oslo",),))`, `Presence("income")`; several cuts:
            `("age", [18, 65])`.
        X, y, sample_weight
            The training data; y may be the name of a column of X.
        levels : int, optional
            Levels to grow below the branches; 0: the branches are leaves. None: no limit.
        **options
            Options of growing, as in `regrow`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
        >>> model.set_split(0, "x > 2", X, y).tree_.n_rows.tolist()
        [4, 2, 2]
        """
        from ceiba.edit import set_split_in

        problem, _ = self._read_problem(X, y, sample_weight, **options)
        return self._with_edit(set_split_in(self._tree, node, split, problem, levels), problem)

    def regrow(
        self,
        node: int,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        levels: int | None = None,
        **options: Any,
    ) -> Self:
        """Regrow the subtree of a node without pruning.

        Parameters
        ----------
        node : int
        X, y, sample_weight
            The training data; y may be the name of a column of X.
        levels : int, optional
            Levels to grow. None: no limit.
        **options
            For a tree without an estimator: growing options, as in the estimators
            (``max_depth=4``). An estimator uses its parameters.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y)
        >>> model.collapse(2).regrow(2, X, y).tree_ == model.tree_
        True
        """
        from ceiba.edit import regrow_in

        problem, _ = self._read_problem(X, y, sample_weight, **options)
        return self._with_edit(regrow_in(self._tree, node, problem, levels), problem)

    def grow_leaves(
        self,
        node: int,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        levels: int | None = None,
        **options: Any,
    ) -> Self:
        """Split the leaves below a node further, without changing existing splits.

        Sealed leaves are not split.

        Parameters
        ----------
        node : int
            0 for all leaves of the tree.
        X, y, sample_weight
            The training data.
        levels : int, optional
            Levels to grow. None: no limit.
        **options
            Options of growing, as in `regrow`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y)
        >>> [model.grow_leaves(0, X, y, levels=n).get_n_leaves() for n in (1, None)]
        [2, 3]
        """
        from ceiba.edit import grow_leaves_in

        problem, _ = self._read_problem(X, y, sample_weight, **options)
        return self._with_edit(grow_leaves_in(self._tree, node, problem, levels), problem)

    def copy_splits(
        self, node: int, to: int, X: Any, y: Any, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Copy the splits of a node's subtree to another node.

        A node whose split would leave a branch empty becomes a leaf.

        Parameters
        ----------
        node, to : int
            Neither may be a descendant of the other.
        X, y, sample_weight
            The training data.
        **options
            Options of growing, as in `regrow`.

        Examples
        --------
        >>> import ceiba
        >>> X = {"x": [1, 1, 1, 2, 2, 2], "z": [1, 2, 3, 1, 2, 3]}
        >>> y = ["a", "b", "b", "b", "a", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y)
        >>> model = model.set_split(0, "x <= 1", X, y, levels=0)
        >>> model = model.set_split(1, "z <= 1", X, y, levels=0).copy_splits(1, 4, X, y)
        >>> model.tree_.n_rows.tolist()
        [6, 3, 1, 2, 3, 1, 2]
        """
        from ceiba.edit import copy_splits_in

        problem, _ = self._read_problem(X, y, sample_weight, **options)
        return self._with_edit(copy_splits_in(self._tree, node, to, problem), problem)

    def refit_leaves(
        self, X: Any, y: Any, sample_weight: Any = None, *, keep_value: bool = False
    ) -> Self:
        """Recompute counts, values and risks from other rows, without changing the splits.

        Call `drift(X, y)` first: it shows which leaves change, and by how much.

        Recomputed: `n_rows`, `weight`, `counts`, `value`, `impurity`, `gain` (plain impurity
        decrease), `risk`, `sent_default`, rows sent by surrogates, quantiles and survival curves.
        Competitors, tests and other attachments are dropped, because they belong to the old data.
        A node that no row reaches keeps its value (survival trees: the overall hazard); its
        impurity, gain and risk are 0.

        Parameters
        ----------
        X, y : table and target
            y may be the name of a column of X. Classes must be known to the tree.
        sample_weight : array of shape (n_rows,), optional
        keep_value : bool
            Keep values, quantiles and curves: predictions do not change. Impurity and counts are
            those of the new data, and `risk` is the error of the old values on it, as
            reduced-error pruning needs.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.refit_leaves({"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]).counts[:, 0].tolist()
        [[1.0, 2.0], [1.0, 1.0], [0.0, 1.0]]
        """
        tree = recount(self._tree, X, y, sample_weight=sample_weight, keep_value=keep_value)
        return self._with_tree(tree)

    def annotate(self, node: int, *, name: str | None = None, note: str | None = None) -> Self:
        """Attach a name and a note to a node.

        Both are saved in the model file and shown with the node.

        Parameters
        ----------
        node : int
        name, note : str, optional
            "" removes it; None keeps it.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("income <= 20", "refuse", "grant"))
        >>> print(tree.annotate(1, name="poor", note="policy 7").to_text(unicode=False))
        root
        |- income <= 20  -> refuse  # poor: policy 7
        `- income > 20  -> grant
        """
        return self._with_tree(annotate(self._tree, node, name, note), pruning=True)

    def override(self, node: int, answer: Any, reason: str | None = None) -> Self:
        """Override the prediction of a node.

        Probabilities and counts do not change. `risk` is that of the new prediction.

        Parameters
        ----------
        node : int
        answer : label or number
            None removes the override.
        reason : str, optional
            Saved with the tree.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("income <= 20", {"grant": 6, "refuse": 4}, "grant"))
        >>> changed = tree.override(1, "refuse", reason="too few cases")
        >>> changed.predict({"income": [9.0]}).tolist(), changed.node(1).note.reason
        (['refuse'], 'too few cases')
        """
        return self._with_tree(override(self._tree, node, answer, reason), pruning=True)

    def forbid(self, node: int, columns: str | Iterable[str]) -> Self:
        """Forbid columns in new splits at and below a node.

        Existing splits are unchanged; `set_split` may use any column.

        Parameters
        ----------
        node : int
        columns : str or iterable of str
            Empty: allow all columns.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4], "z": [1, 1, 2, 3]}, ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y).forbid(0, "x")
        >>> model.grow_leaves(0, X, y).tree_.root.split
        Cut(column='z', cut=1.5, low_branch=0)
        """
        from ceiba.edit import forbid

        return self._with_tree(forbid(self._tree, node, columns), pruning=True)

    def prefer(self, node: int, columns: str | Iterable[str]) -> Self:
        """Prefer columns in new splits at and below a node if their gain is positive.

        Parameters
        ----------
        node : int
        columns : str or iterable of str
            Empty: prefer none.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4], "z": [1, 1, 1, 3]}, ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y).prefer(0, "z")
        >>> model.grow_leaves(0, X, y, levels=1).tree_.root.split
        Cut(column='z', cut=2.0, low_branch=0)
        """
        from ceiba.edit import prefer

        return self._with_tree(prefer(self._tree, node, columns), pruning=True)

    def seal(self, node: int, sealed: bool = True) -> Self:
        """Turn a node into a leaf that `grow_leaves` does not split.

        Parameters
        ----------
        node : int
        sealed : bool, default=True
            False: allow it to grow again.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y).seal(2)
        >>> model.grow_leaves(0, X, y).get_n_leaves()
        2
        """
        from ceiba.edit import seal

        return self._with_tree(seal(self._tree, node, sealed))

    def studio(self, X: Any, y: Any, **options: Any) -> Any:
        """Open the tree in the studio (in the browser), and wait until the studio is closed.

        Parameters
        ----------
        X, y
            The training data; y may be the name of a column of X.
        **options
            Options of `ceiba.open_studio`: test, workspace, lang, port, browser.

        Returns
        -------
        fitted estimator
            The model at the time the studio was closed.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3]}, ["a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y)
        >>> edited = model.studio(X, y)  # doctest: +SKIP
        """
        from ceiba.estimators.model_file import wrap_tree
        from ceiba.studio import open_studio

        self._tree.task.is_classification("The studio")
        model = wrap_tree(self._tree) if self is self._tree else self
        return open_studio(X, y, model=model, **options)

    # ------------------------------------------------------------------ to other programs

    def export(
        self,
        format: str,  # noqa: A002
        path: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Any:
        """Return the tree in another format: sql, python, c, javascript, onnx, pmml, rules, ...

        Every format predicts as `predict` does, or raises if it cannot express the tree.

        Parameters
        ----------
        format : str
            See `ceiba.export.export`.
        path : path, optional
            File to write.
        **options
            Options of the format's function, e.g. ``dialect="duckdb"`` of `ceiba.export.to_sql`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
        >>> print(tree.export("rules"))
        if clouds <= 4.5 or missing then no  (p=1)
        if clouds > 4.5 then yes  (p=1)
        """
        from ceiba.export import export

        return export(self._tree, format, path, **options)

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator with the same predictions.

        For binary numeric trees, exact for X that float32 can represent; see
        `ceiba.export.to_sklearn`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> model.to_sklearn().predict([[1.0]]).tolist()
        ['a']
        """
        from ceiba.export import to_sklearn

        return to_sklearn(self._tree)

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of a row, in which the columns used by the tree are required.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", "b")).input_schema()["required"]
        ['x']
        """
        from ceiba.export import input_schema

        return input_schema(self._tree)

    def save(
        self,
        path: _File,
        *,
        metadata: Mapping[str, Any] | None = None,
        compress: bool | None = None,
    ) -> None:
        """Save the tree or the fitted estimator in a model file that `ceiba.load` reads.

        Parameters
        ----------
        path : path or binary file
            Usually ``name.ceiba``; ``name.ceiba.gz`` is compressed. Or an open file or buffer.
        metadata : mapping, optional
            Any JSON-compatible data: the source of the data, a hash, a note.
        compress : bool, optional
            Compress with gzip. Default: if the path ends in ``.gz``.

        Examples
        --------
        >>> import os, tempfile
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit([[1], [2], [3]], list("abb"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.ceiba")
        ...     model.save(path)
        ...     ceiba.load(path)
        DecisionTreeClassifier(max_depth=2)
        """
        from ceiba.tree.model_file.document import write

        model = self._stored_model()
        write(path, self._tree, model=model, metadata=metadata, compress=compress)


def prune(tree: Tree, alpha: float | None, **options: Any) -> Tree:
    """Return a pruned tree; see `ceiba.prune.prune_tree`."""
    from ceiba.prune import prune_tree

    return prune_tree(tree, alpha, **options)


def load(path: _File | bytes) -> Any:
    """Load a fitted estimator or a tree from a model file.

    The metadata of `save(metadata=...)` is `metadata_` of the estimator; `ceiba.read_metadata`
    reads it without the model. The whole file is validated before use and cannot execute code.

    Parameters
    ----------
    path : path, binary file or bytes
        Written by ``model.save(path)`` or ``tree.save(path)``.

    Returns
    -------
    DecisionTreeClassifier, DecisionTreeRegressor, another estimator of ceiba, or Tree

    Raises
    ------
    ModelFileError
        If the file is invalid; the message names the position.

    Examples
    --------
    >>> import os, tempfile
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.ceiba")
    ...     tree.save(path)
    ...     ceiba.load(path) == tree
    True
    """
    from ceiba.tree.model_file.document import read

    document = read(path)
    if document.model is None:
        return document.tree
    import ceiba.families  # noqa: F401 - registers their estimators

    content = document.model.value
    if isinstance(content, dict) and content.get("class") == "RuleSet":
        from ceiba.rules import restore_rules as restore
    else:
        from ceiba.estimators.model_file import restore
    model: Any = restore(document)
    model.metadata_ = document.metadata
    return model


def from_sklearn(model: Any) -> Tree:
    """Convert a fitted scikit-learn decision tree to an equivalent `Tree`; see `ceiba.export`."""
    from ceiba.export import from_sklearn as convert

    return convert(model)
