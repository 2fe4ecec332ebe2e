"""Compare two models on the same rows by paired differences and segments of disagreement.

A difference is the mean over rows of the second model's contribution minus the first one's (for AUC
its linear part, DeLong et al. 1988), so rows are resampled in pairs (BCa bootstrap, Efron 1987).
McNemar's exact test compares the rows that only one of the two models gets right.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ceiba.audit.answers import (
    are_numbers,
    as_numbers,
    check_labels,
    classes_of,
    columns_for,
    divide_rows,
    open_model,
    predict_shares,
    predict_with,
    read_rows,
)
from ceiba.audit.error_analysis import find_segments
from ceiba.audit.page import page_of
from ceiba.errors import DataError, OptionError
from ceiba.formatting import pluralize
from ceiba.grow import read_costs
from ceiba.inspection import auc_terms, bca_interval, mean_interval
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.report import Report
from ceiba.table import Table
from ceiba.tree import Tree

Array = npt.NDArray[Any]
_MOST_ROWS: Final = 5_000  # more rows use the interval of the mean, which is as good and faster
_MOST_MOVES: Final = 50
_MOST_EXAMPLES: Final = 10
_FLOOR: Final = 1e-15  # smallest probability in the log loss


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed):
    """The comparison of two models on the same rows.

    Attributes
    ----------
    n_rows : int
    differences : Listing
        Each measure of the first and the second model, and their difference with its interval.
    mcnemar : dict or None
        The rows with different predictions (`disagree`), the rows that only one model gets right
        (`first_only`, `second_only`), and the `p_value` of McNemar's exact test. None for numbers.
    moves : Listing
        Number of rows by leaf (or prediction) of the first and of the second model.
    rules : Listing
        Segments where the models disagree most, and which model is right there. One half of the
        rows determines them, and the other half is counted.
    rows : Listing
        Rows to look at, in which the models differ most.
    """

    n_rows: int
    differences: Listing
    mcnemar: dict[str, Any] | None
    moves: Listing
    rules: Listing
    rows: Listing
    _parts: ClassVar = ("differences", "moves", "rules", "rows")

    @property
    def verdict(self) -> str:
        """One sentence on which model is better on these rows."""
        row = self.differences.row(0)
        figure, low, high = row["figure"], row["low"], row["high"]
        rows = pluralize(self.n_rows, "row")
        if not (low > 0 or high < 0):
            return f"The {figure} of the two models does not differ clearly on {rows}."
        # Higher profit and AUC are better.
        better = "second" if (high < 0) != (figure in _HIGHER_IS_BETTER) else "first"
        return f"The {better} model has the better {figure} on {rows}."

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values, for JSON."""
        parts = {name: list(getattr(self, name)) for name in self._parts}
        return {"rows_compared": self.n_rows, "mcnemar": self.mcnemar, **parts}

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Return the comparison as one HTML page, and write it to `path` if given."""
        sections = [(getattr(self, name).title, getattr(self, name)) for name in self._parts]
        page = page_of("Comparison of two models", [self.verdict, *self._notes()], sections)
        return page if path is None else page.save(path)

    def _notes(self) -> list[str]:
        if self.mcnemar is None:
            return []
        disagree, first, second, p = self.mcnemar.values()
        return [
            f"They disagree on {disagree} of {self.n_rows} rows: the first is right in {first}, "
            f"the second in {second}; McNemar's exact test: p = {p:.3g}."
        ]

    def blocks(self) -> list[Block]:
        """Return the printed sentences and tables."""
        tables = [getattr(self, name) for name in self._parts if len(getattr(self, name))]
        printed = [block for table in tables for block in ("", *table.blocks())]
        return [self.verdict, *self._notes(), *printed]


_HIGHER_IS_BETTER: Final = ("AUC", "profit")


def compare(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    cost_matrix: Any = None,
    profit_matrix: Any = None,
    positive: Any = None,
    confidence: float = 0.95,
    random_state: int = 0,
) -> Comparison:
    """Compare two models on the same rows, which neither should have been fitted on.

    Parameters
    ----------
    a, b : fitted estimator, pipeline, callable, path of a model file, or array-like
        The first (champion) and the second (challenger); an array-like holds predictions.
    X : table
        Rows that both models accept, or a frame that contains the truth, with its name as `y`.
    y : array-like or str
    cost_matrix : array of shape (K, K) or dict, optional
        Cost of predicting class j (column) for a row of class i (row), with classes in sorted
        order, or a dict of costs by ``(truth, prediction)``, as in estimators.
    profit_matrix : array of shape (K, K), optional
        The same as profits.
    positive : label, optional
        Positive class for AUC; by default the second of two classes.
    confidence : float, default=0.95
        Confidence level of the intervals.
    random_state : int, default=0
        Seed for splitting the rows into the halves that find and count segments.

    Returns
    -------
    Comparison
        Prints; `.report("comparison.html")` writes a page.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import ceiba
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> first = ceiba.DecisionTreeClassifier(max_depth=1).fit(X[:300], y[:300])
    >>> second = ceiba.DecisionTreeClassifier(max_depth=3).fit(X[:300], y[:300])
    >>> comparison = ceiba.compare(first, second, X[300:], y[300:])
    >>> comparison.mcnemar["first_only"], comparison.mcnemar["second_only"]
    (5, 6)
    """
    from scipy.stats import binomtest

    if y is None:
        raise OptionError("y is required, because the models are compared with the truth.")
    if not (isinstance(confidence, float) and 0 < confidence < 1):
        raise OptionError(f"confidence must be a float between 0 and 1, got {confidence!r}.")
    divide_rows(0, 0, random_state)  # check the seed before the models predict
    models = open_model(a, "a"), open_model(b, "b")
    X, truth, table = read_rows(X, y)
    n = table.n_rows
    answers = [predict_with(m, X, n, name) for m, name in zip(models, "ab", strict=True)]
    kinds = {are_numbers(m, x, truth) for m, x in zip(models, answers, strict=True)}
    if len(kinds) > 1:
        raise DataError("One model predicts classes and the other numbers.")
    if is_number := kinds.pop():
        if cost_matrix is not None or profit_matrix is not None or positive is not None:
            raise OptionError("cost_matrix, profit_matrix and positive require classes.")
        truth = as_numbers(truth, "y")
        answers = [as_numbers(x, f"The answers of {m}") for m, x in zip("ab", answers, strict=True)]
        off = [x - truth for x in answers]
        figures = [
            _mean_figure("mean squared error", off[0] ** 2, off[1] ** 2),
            _mean_figure("mean absolute error", np.abs(off[0]), np.abs(off[1])),
        ]
        gap = np.abs(answers[1] - answers[0])
    else:
        known = [label for m in models for label in classes_of(m) or ()]
        for model, x, name in zip(models, answers, "ab", strict=True):
            check_labels(model, x, truth, name)
            known += x.tolist()
        labels = sorted({*truth.tolist(), *known}, key=_sort_key)
        figures = _class_figures(answers, truth, labels, cost_matrix, profit_matrix)
        figures += _probability_figures(models, X, truth, labels, positive)
        gap = answers[0] != answers[1]
    mcnemar = None
    if not is_number:
        first, second = (x == truth for x in answers)
        one, other = int((first & ~second).sum()), int((second & ~first).sum())
        p = 1.0 if one + other == 0 else float(binomtest(one, one + other).pvalue)
        counts = {"first_only": one, "second_only": other, "p_value": p}
        mcnemar = {"disagree": int(gap.sum()), **counts}
    return Comparison(
        n,
        _difference_table(figures, confidence),
        mcnemar,
        _moves(models, table, answers, truth, is_number),
        _rules(table, gap, answers, truth, is_number, random_state),
        _rows(gap, answers, truth),
    )


#: A measure: its name, the value of each model, and each row's part of the difference.
_Figure = tuple[str, float, float, Array]


def _mean_figure(name: str, first: Array, second: Array) -> _Figure:
    return name, float(first.mean()), float(second.mean()), second - first


def _class_figures(
    answers: list[Array], truth: Array, labels: list[Any], cost: Any, profit: Any
) -> list[_Figure]:
    wrong = [(x != truth).astype(float) for x in answers]
    figures = [_mean_figure("error", *wrong)]
    code = {label: k for k, label in enumerate(labels)}
    true = np.array([code[label] for label in truth.tolist()])
    given = [np.array([code[label] for label in x.tolist()]) for x in answers]
    costs = read_costs(cost, np.array(labels, dtype=object))
    for name, matrix in (("cost", costs), ("profit", _read_profits(profit, labels))):
        if matrix is not None:
            figures.append(_mean_figure(name, matrix[true, given[0]], matrix[true, given[1]]))
    return figures


def _read_profits(profit: Any, labels: list[Any]) -> Array | None:
    if profit is None:
        return None
    try:
        matrix = np.asarray(profit, float)
    except (TypeError, ValueError):
        raise OptionError("profit_matrix must hold numbers.") from None
    if matrix.shape != (len(labels),) * 2:
        raise OptionError(
            f"profit_matrix must have shape ({len(labels)}, {len(labels)}) for the classes "
            f"{labels}, got {matrix.shape}."
        )
    return matrix


def _probability_figures(
    models: tuple[Any, Any], X: Any, truth: Array, labels: list[Any], positive: Any
) -> list[_Figure]:
    found = [predict_shares(m, X, len(truth), name) for m, name in zip(models, "ab", strict=True)]
    if found[0] is None or found[1] is None:
        if positive is not None:
            raise OptionError("positive requires two models with predict_proba.")
        return []
    losses, scores = [], []
    if positive is None and len(labels) == 2:
        positive = labels[1]
    if positive is not None and positive not in labels:
        raise OptionError(f"positive must be one of {labels}, got {positive!r}.")
    for shares, classes in (found[0], found[1]):
        column = {label: k for k, label in enumerate(classes)}
        at = np.array([column.get(label, -1) for label in truth.tolist()])
        share = np.where(at >= 0, shares[np.arange(len(at)), at], 0.0)
        losses.append(-np.log(np.maximum(share, _FLOOR)))
        scores.append(shares[:, column[positive]] if positive in column else np.zeros(len(at)))
    figures = [_mean_figure("log loss", *losses)]
    is_positive = truth == positive
    if positive is not None and 0 < is_positive.sum() < len(truth):
        ones = np.ones(len(truth))
        first, second = (auc_terms(is_positive, score, ones) for score in scores)
        each = second[0] - first[0] + len(truth) * (second[1] - first[1])
        figures.append(("AUC", first[0], second[0], each))
    return figures


def _difference_table(figures: list[_Figure], confidence: float) -> Listing:
    cells = []
    for name, first, second, each in figures:
        ones = np.ones(len(each))
        if len(each) < 2:
            low, high = -np.inf, np.inf
        elif np.ptp(each) == 0:
            low = high = float(each.mean())
        elif len(each) <= _MOST_ROWS:
            low, high = bca_interval(each, ones, False, confidence)
        else:
            low, high = mean_interval(each, ones, len(each), confidence)
        cells.append((name, first, second, second - first, low, high))
    names = ("figure", "first", "second", "difference", "low", "high")
    return Listing(
        rows_to_columns(names, cells),
        title="second minus first",
        legend=f"{100 * confidence:.0f} % intervals by a paired bootstrap",
    )


def _moves(
    models: tuple[Any, Any], table: Table, answers: list[Array], truth: Array, is_number: bool
) -> Listing:
    """Count the rows by their leaf or prediction in the first and in the second model."""
    places, kind = [], "leaf"
    for model in models:
        tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
        if isinstance(tree, Tree) and tree.missing != "fractional":
            places.append(tree.apply(columns_for(tree, table)).tolist())
    if len(places) < 2:
        kind = "answer"
        if is_number:
            return Listing({}, title="rows by leaf")
        places = [x.tolist() for x in answers]
    counts: dict[Any, list[int]] = {}  # rows, and how many each model gets right
    for *pair, first, second in zip(
        *places, *((x == truth).tolist() for x in answers), strict=True
    ):
        count = counts.setdefault(tuple(pair), [0, 0, 0])
        count[0] += 1
        count[1] += first
        count[2] += second
    largest = sorted(counts.items(), key=lambda item: -item[1][0])[:_MOST_MOVES]
    cells = [(*pair, *(count[:1] if is_number else count)) for pair, count in largest]
    names = [f"{kind} of first", f"{kind} of second", "rows"]
    names += [] if is_number else ["first right", "second right"]
    return Listing(rows_to_columns(names, cells), title=f"rows by {kind}")


def _rules(
    table: Table, gap: Array, answers: list[Array], truth: Array, is_number: bool, seed: int
) -> Listing:
    """Return the segments in which the models differ most, and how often each is right."""
    figure = "difference" if is_number else "disagree"
    names = ["condition", "rows", figure, "low", "high"]
    names += ["error of first", "error of second"] if is_number else ["first right", "second right"]
    title = "where the models disagree"
    if table.n_rows < 20 or not gap.any():
        return Listing({name: [] for name in names}, title=title)
    _, _, segments = find_segments(table, gap, seed)
    cells = []
    for segment in sorted(segments, key=lambda segment: -segment.mean):
        rows = segment.rows
        if is_number:
            sides = [float(np.abs(x[rows] - truth[rows]).mean()) for x in answers]
        else:
            rows = rows[gap[rows] > 0]
            sides = [int((x[rows] == truth[rows]).sum()) for x in answers]
        figures = (len(segment.rows), segment.mean, segment.low, segment.high, *sides)
        cells.append((segment.condition, *figures))
    legend = "half of the rows found these segments, the other half is counted"
    return Listing(rows_to_columns(names, cells), title=title, legend=legend)


def _rows(gap: Array, answers: list[Array], truth: Array) -> Listing:
    n = min(_MOST_EXAMPLES, np.count_nonzero(gap))
    order = np.argsort(-gap.astype(float), kind="stable")[:n]
    columns = {"row": order, "first": answers[0][order], "second": answers[1][order]}
    return Listing(
        columns | {"truth": truth[order]},
        title="rows to look at",
        legend="rows are numbered from 0",
    )


def _sort_key(label: Any) -> tuple[str, Any]:
    return ("", label) if isinstance(label, int | float) else (type(label).__name__, label)
