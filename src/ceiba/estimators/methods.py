"""The convenience methods of the estimators: one line each, the work is done in other rooms.

This file may reach up and sideways, by imports inside functions only; the layering test names it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ceiba.estimators.one_row import one_row
from ceiba.estimators.trusting import TrustMethods
from ceiba.estimators.weights import taken_out
from ceiba.table import Scan
from ceiba.table.scanning.lazy import is_dask

if TYPE_CHECKING:
    import numpy.typing as npt

    from ceiba.grow import Alternatives
    from ceiba.inspection import Explanation, Explanations, Summary
    from ceiba.listing import Listing
    from ceiba.report import Report
    from ceiba.tree import Answer


class EstimatorMethods(TrustMethods):
    """Methods that show a fitted estimator; mixed into both."""

    def _html_repr(self) -> str:
        """Return what a notebook shows: the tree once fitted, with the parameters below it."""
        from sklearn.utils import estimator_html_repr

        from ceiba.export.drawings.notebook import to_notebook

        parameters: str = estimator_html_repr(self)
        if "tree_" not in self.__dict__:
            return parameters
        folded = f'<details><summary style="cursor:pointer">Parameters</summary>{parameters}'
        return to_notebook(self._fitted(), type(self).__name__, f"{folded}</details>")

    # scikit-learn before 1.7 has no `_html_repr`; these two are what notebooks ask.
    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        from sklearn import get_config

        plain = {"text/plain": repr(self)}
        diagram = get_config()["display"] == "diagram"
        return {**plain, "text/html": self._html_repr()} if diagram else plain

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Importance of each column: its share of the total impurity decrease.

        Figures sum to 1, as in scikit-learn. Columns with many different values look better than
        they are; `sklearn.inspection.permutation_importance` does not have that bias.
        """
        from ceiba.inspection import importance

        return importance(self._fitted())

    def alternatives(
        self, X: Any, y: Any, sample_weight: Any = None, *, within: float = 0.01, k: int = 50
    ) -> Alternatives:
        """List trees of the same limits that are about as good as the best one.

        Parameters
        ----------
        X, y, sample_weight
            The training data, as in `fit`. The model need not be fitted.
        within : float, default=0.01
            Trees cost at most this share more than the best.
        k : int, default=50
            The most trees to list.

        Returns
        -------
        Alternatives
            First questions, objectives and agreement with the best tree, which comes first.

        Examples
        --------
        >>> import ceiba
        >>> X, y = [[1, 5], [2, 5], [3, 7], [4, 7]], ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier(search="optimal", max_depth=1)
        >>> print(model.alternatives(X, y))
        objective  agreement  first question
                0      1.000  x0 <= 2.5
        """
        from ceiba.grow import find_alternatives

        problem, _ = self._read_problem(X, y, sample_weight)
        return find_alternatives(problem, within=within, k=k)

    def evaluate(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        by: Any = None,
        positive: Any = None,
        confidence: float = 0.95,
    ) -> Any:
        """Compare predictions with the truth.

        Classification: confusion matrix, error, Q(i|j), cost per class and in total, against
        always giving the root's answer; of the probabilities AUC, average precision, Brier score,
        log loss, KS, gains and lift, as in `sklearn.metrics` (`.scores`). Regression: MSE, MAE, R2,
        against the root's value.

        Parameters
        ----------
        X : table
            Rows, as in `predict`; or a frame that holds the target, with its name as `y`.
        y : array-like, str or list of str
        sample_weight : array-like or str, optional
            Weights, or the column of X that holds them.
        by : str or array-like, optional
            Column of X, or a label per row: every figure per group, and the differences. The
            model need not know the column.
        positive : label, optional
            The class that AUC, average precision, KS, gains and, with `by`, selection, true and
            false positive rates are about; of two classes the second by default.
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        ClassEvaluation, NumberEvaluation or GroupEvaluation
            A value that prints; a tuple of them for several outputs.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.evaluate([[1], [2]], ["a", "a"]).error
        0.5
        """
        from ceiba.trust.evaluation import evaluate_tree
        from ceiba.trust.groups import read_evaluation

        tree = self._fitted()
        X, sample_weight = taken_out(X, sample_weight)
        X, y, groups = read_evaluation(tree, X, y, by)
        beyond = isinstance(X, Scan) or is_dask(X)
        table: Any = np.asarray(self.apply(X)) if beyond else self._rows(X)
        return evaluate_tree(
            tree,
            table,
            y,
            sample_weight,
            by=groups,
            positive=self.__dict__.get("positive") if positive is None else positive,
            confidence=confidence,
            frequency_weights=bool(self.__dict__.get("frequency_weights")),
            n_threads=1 if beyond else self._threads(table),
        )

    def predict_one(self, row: Any) -> Answer:
        """Predict one row, in microseconds: for services; see `Tree.predict_one`.

        Parameters
        ----------
        row : dict
            Values by column name, in any order; further keys are ignored.

        Returns
        -------
        Answer
            `answer`, `probability` (a dict by class; do not change it) and `leaf`.

        Examples
        --------
        >>> import ceiba
        >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
        >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
        >>> model.predict_one({"sex": "m", "age": 44, "id": 7})
        Answer(answer='b', probability={'a': 0.0, 'b': 1.0}, leaf=2)
        """
        return self._fitted().predict_one(row)

    def explain(self, row: Any) -> Explanation | Explanations:
        """Say why a row gets its answer: the path through the tree, in words and as data.

        Parameters
        ----------
        row : dict, sequence, or table
            One row, or a table of rows, with the columns of the table that was fitted.

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
        from ceiba.inspection import explain, explain_rows
        from ceiba.tree.routing.one_row import whole_row

        tree = self._fitted()
        if isinstance(row, dict) and all(np.ndim(value) == 0 for value in row.values()):
            row = whole_row(tree, row)
        table = self._rows(one_row(row))
        return explain(tree, table) if table.n_rows == 1 else explain_rows(tree, table)

    def summary(self) -> Summary:
        """Give the card of the tree: task, size, columns used, risk, baseline, CV choice.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.summary()["leaves"]
        2
        """
        from ceiba.inspection import summary

        return summary(self._fitted(), pruning=getattr(self, "pruning_table_", None))

    def importance_table(self, X: Any = None, y: Any = None, **options: Any) -> Listing:
        """Give the importance of each column by several measures side by side.

        With held-out rows (X, y) also permutation importance and held-out gain; options of
        `ceiba.inspection.importance_table`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1, 7], [2, 7], [3, 7]], ["a", "b", "b"])
        >>> model.importance_table()["gain"].tolist()
        [1.0, 0.0]
        """
        from ceiba.inspection import importance_table

        return importance_table(self._fitted(), X, y, **options)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        train: Any = None,
        test: Any = None,
        title: str | None = None,
        lang: str = "en",
        **options: Any,
    ) -> Report:
        """Make the interactive report: one HTML page that needs no network.

        Walk the tree, prune it along the cross-validation curve, enter a case, copy a rule. Of a
        tree pruned with `keep_unpruned=True` the page can show every step.

        Parameters
        ----------
        path : path, optional
            Where to write the page.
        train, test : (X, y), or a frame that holds the target, optional
            Test rows add held-out figures everywhere; training rows add quantiles and, for
            regression, box plots. Rows themselves are not put into the page. X may be a scan.
        title : str, optional
        lang : {"en", "es", "pt"}, default="en"
            Language in which the page opens; the reader can switch.
        **options
            More of `ceiba.report.payload`.

        Returns
        -------
        Report
            `.show()` opens a browser; notebooks show it in place.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.report(test=([[1], [3]], ["a", "b"]), title="Small").path is None
        True
        """
        from ceiba.report import report

        mine = self.__dict__
        certificate = mine.get("certificate_")
        # What the penalty of a search leaves is no part of a larger tree.
        whole = mine.get("unpruned_tree_") if certificate is None else None
        shared: dict[str, Any] = {
            "pruning": mine.get("pruning_table_"),
            "alpha": None if whole is None else mine.get("alpha_"),
            "parameters": _stated(self),
            "model": type(self).__name__,
        }
        tree = self._fitted() if whole is None else whole
        given = {"train": train, "test": test, "title": title, "lang": lang}
        return report(tree, path, **(shared | given | options))

    def studio(self, X: Any, y: Any, **options: Any) -> Any:
        """Open this model in the studio, and wait until it is closed; see `ceiba.studio`.

        Parameters
        ----------
        X, y
            What the model was fitted on; y may be the name of a column of X.
        **options
            Of `ceiba.studio`: test, workspace, lang, port, browser.

        Returns
        -------
        fitted estimator
            The model as it was when the studio was closed.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3]}, ["a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y)
        >>> edited = model.studio(X, y)  # doctest: +SKIP
        """
        from ceiba.studio import studio

        return studio(X, y, model=self, **options)

    def save(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        *,
        metadata: Mapping[str, Any] | None = None,
        compress: bool | None = None,
    ) -> None:
        """Write the fitted estimator into a model file, which `ceiba.load` reads.

        Parameters
        ----------
        path : path or binary file
            Usually ``name.ceiba``; ``name.ceiba.gz`` is packed. Or an open file or buffer.
        metadata : mapping, optional
            Anything JSON can express: where the data came from, a hash, a note.
        compress : bool, optional
            Pack with gzip. Default: if the path ends in ``.gz``.

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
        from ceiba.estimators.model_file import save

        save(self, path, metadata=metadata, compress=compress)  # type: ignore[arg-type]


def _stated(model: Any) -> dict[str, str]:
    """Give the parameters that differ from their defaults, as text."""
    import inspect

    defaults = inspect.signature(type(model).__init__).parameters
    return {
        name: repr(value)[:200]
        for name, value in model.get_params(deep=False).items()
        if name not in defaults or repr(value) != repr(defaults[name].default)
    }
