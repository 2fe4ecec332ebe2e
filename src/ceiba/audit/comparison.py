"""Compare two models on the same rows: paired differences and segments of disagreement.

A difference is the mean over rows of the second model's contribution minus the first one's (for AUC
its linear part, DeLong et al. 1988). Intervals: BCa (Efron 1987), above 5,000 rows Student's.
McNemar's exact test compares the rows that only one of the two models gets right.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
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
from ceiba.table import Table, read_weights
from ceiba.tree import Tree

Array = npt.NDArray[Any]
_MOST_ROWS: Final = 5_000  # with more rows, Student's interval replaces the slower BCa interval
_MOST_MOVES: Final = 50
_MOST_EXAMPLES: Final = 10
_FLOOR: Final = 1e-15  # smallest probability in the log loss
_HIGHER_IS_BETTER: Final = ("AUC", "profit")


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
        Number of rows by leaf (or prediction) of both models; at most 50 pairs, unequal ones first.
    rules : Listing
        Segments, sorted by disagreement, and how many of the rows in disagreement each model gets
        right. One half of the rows determines the segments, and the other half is counted.
    rows : Listing
        At most ten rows in which the models differ most.
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
        """A sentence that states which model is better on these rows, judged by costs if given."""
        names = self.differences["figure"].tolist()
        row = self.differences.row(names.index("cost") if "cost" in names else 0)
        figure, low, high = row["figure"], row["low"], row["high"]
        rows = pluralize(self.n_rows, "row")
        if not (low > 0 or high < 0):
            return f"The {figure} of the two models does not differ clearly on {rows}."
        # For these metrics, higher is better; for all other metrics, lower is better.
        better = "second" if (high < 0) != (figure in _HIGHER_IS_BETTER) else "first"
        return f"The {better} model has the better {figure} on {rows}."

    def to_dict(self) -> dict[str, Any]:
        """Return all results as a dict, for JSON."""
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
        if not disagree:
            return ["They have equal predictions."]
        return [
            f"They disagree on {disagree} of {self.n_rows} rows: the first is right on {first} of "
            f"these, the second on {second}. McNemar's exact test: p = {p:.3g}."
        ]

    def blocks(self) -> list[Block]:
        """Return the sentences and tables to print."""
        tables = [getattr(self, name) for name in self._parts if len(getattr(self, name))]
        printed = [block for table in tables for block in ("", *table.blocks())]
        return [self.verdict, *self._notes(), *printed]


def compare(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
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
    sample_weight : array-like, optional
        Weights of the rows in the differences. Counts of rows are not weighted.
    cost_matrix : array of shape (K, K) or dict, optional
        Cost of predicting class j (column) for a row of class i (row), with classes in sorted
        order, or a dict of costs by ``(truth, prediction)``, as in estimators. By default the costs
        of the trees; none if the trees have different costs.
    profit_matrix : array of shape (K, K), optional
        Profit of predicting class j (column) for a row of class i (row).
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
    if y is None:
        raise OptionError("y is required to compute the errors of the models.")
    if not (isinstance(confidence, float) and 0 < confidence < 1):
        raise OptionError(f"confidence must be a float between 0 and 1, got {confidence!r}.")
    divide_rows(0, 0, random_state)  # raise an error for an invalid seed before the models predict
    models = open_model(a, "a"), open_model(b, "b")
    X, truth, table = read_rows(X, y)
    n = table.n_rows
    weight = read_weights(sample_weight, n)
    weight = np.ones(n) if weight is None else weight
    answers = [predict_with(m, X, n, name) for m, name in zip(models, "ab", strict=True)]
    kinds = {are_numbers(m, x, truth) for m, x in zip(models, answers, strict=True)}
    if len(kinds) > 1:
        raise DataError("Models a and b must both predict classes, or both predict numbers.")
    if is_number := kinds.pop():
        if cost_matrix is not None or profit_matrix is not None or positive is not None:
            raise OptionError("cost_matrix, profit_matrix and positive require classifiers.")
        truth = as_numbers(truth, "y")
        answers = [as_numbers(x, f"Predictions of {m}") for m, x in zip("ab", answers, strict=True)]
        off = [x - truth for x in answers]
        figures = [
            mean_figure("mean squared error", off[0] ** 2, off[1] ** 2, weight),
            mean_figure("mean absolute error", np.abs(off[0]), np.abs(off[1]), weight),
        ]
    else:
        all_labels = [label for m in models for label in classes_of(m) or ()]
        for model, x, name in zip(models, answers, "ab", strict=True):
            check_labels(model, x, truth, name)
            all_labels += x.tolist()
        labels = sorted({*truth.tolist(), *all_labels}, key=_sort_key)
        costs = _tree_costs(models) if cost_matrix is None else cost_matrix
        figures = _class_figures(answers, truth, labels, costs, profit_matrix, weight)
        figures += _probability_figures(models, X, truth, labels, positive, weight)
    return compare_predictions(
        table,
        (answers[0], answers[1]),
        truth,
        not is_number,
        figures,
        weight,
        leaf_ids=_leaf_ids(models, table),
        confidence=confidence,
        random_state=random_state,
    )


def compare_predictions(
    table: Table,
    answers: tuple[Array, Array],
    truth: Array | None,
    has_classes: bool,
    figures: list[Figure],
    weight: Array,
    *,
    leaf_ids: tuple[Array, Array] | None = None,
    confidence: float = 0.95,
    random_state: int = 0,
    lang: str = "en",
) -> Comparison:
    """Compare two models by their predictions; `truth` is None for a survival target."""
    gap = answers[0] != answers[1] if has_classes else np.abs(answers[1] - answers[0])
    order = np.argsort(-gap.astype(float), kind="stable")
    order = order[: min(_MOST_EXAMPLES, np.count_nonzero(gap))]
    rows = {"row": order, "first": answers[0][order], "second": answers[1][order]}
    if truth is not None:
        rows["truth"] = truth[order]
    return Comparison(
        table.n_rows,
        _difference_table(figures, weight, confidence),
        _test_mcnemar(answers, truth) if truth is not None and has_classes else None,
        count_moves(leaf_ids, answers, truth, has_classes),
        _rules(table, gap, answers, truth, has_classes, random_state, lang),
        Listing(rows, title="rows that differ most", legend="rows are numbered from 0"),
    )


def _test_mcnemar(answers: tuple[Array, Array], truth: Array) -> dict[str, Any]:
    from scipy.stats import binomtest

    first, second = (x == truth for x in answers)
    only = int((first & ~second).sum()), int((second & ~first).sum())
    p = float(binomtest(only[0], sum(only)).pvalue) if any(only) else 1.0
    n_different = int((answers[0] != answers[1]).sum())
    counts = {"first_only": only[0], "second_only": only[1]}
    return {"disagree": n_different, **counts, "p_value": p}


#: A metric: its name, its value for each of the two models, and the difference for each row.
Figure = tuple[str, float, float, Array]


def mean_figure(name: str, first: Array, second: Array, weight: Array) -> Figure:
    """Compare two models by a metric that is a weighted mean of one value per row."""
    share = weight / weight.sum()
    return name, float(share @ first), float(share @ second), second - first


def _class_figures(
    answers: list[Array], truth: Array, labels: list[Any], cost: Any, profit: Any, weight: Array
) -> list[Figure]:
    wrong = [(x != truth).astype(float) for x in answers]
    figures = [mean_figure("error", wrong[0], wrong[1], weight)]
    code = {label: k for k, label in enumerate(labels)}
    true, *predicted = (np.array([code[label] for label in x.tolist()]) for x in (truth, *answers))
    costs = read_costs(cost, np.array(labels, dtype=object))
    for name, matrix in (("cost", costs), ("profit", _read_profits(profit, labels))):
        if matrix is not None:
            first, second = (matrix[true, codes] for codes in predicted)
            figures.append(mean_figure(name, first, second, weight))
    return figures


def _tree_costs(models: tuple[Any, Any]) -> dict[Any, float] | None:
    """Return the trees' misclassification costs, or None if there are none or they differ."""
    costs = []
    for tree in (getattr(model, "tree_", model) for model in models):
        if isinstance(tree, Tree) and tree.cost_matrix is not None:
            pairs = product(tree.target.classes[0].tolist(), repeat=2)
            costs.append(dict(zip(pairs, tree.cost_matrix.ravel().tolist(), strict=True)))
    return costs[0] if costs and costs[0] == costs[-1] else None


def _read_profits(profit: Any, labels: list[Any]) -> Array | None:
    if profit is None:
        return None
    try:
        matrix = np.asarray(profit, float)
    except (TypeError, ValueError):
        raise OptionError(f"profit_matrix must contain only numbers, got {profit!r}.") from None
    if matrix.shape != (len(labels),) * 2:
        raise OptionError(
            f"profit_matrix must have shape ({len(labels)}, {len(labels)}) for the classes "
            f"{labels}, got {matrix.shape}."
        )
    return matrix


def _probability_figures(
    models: tuple[Any, Any], X: Any, truth: Array, labels: list[Any], positive: Any, weight: Array
) -> list[Figure]:
    results = [predict_shares(m, X, len(truth), name) for m, name in zip(models, "ab", strict=True)]
    if results[0] is None or results[1] is None:
        if positive is not None:
            raise OptionError("positive requires two models with predict_proba and classes_.")
        return []
    losses, scores = [], []
    if positive is None and len(labels) == 2:
        positive = labels[1]
    if positive is not None and positive not in labels:
        raise OptionError(f"positive must be one of {labels}, got {positive!r}.")
    for shares, classes in (results[0], results[1]):
        column = {label: k for k, label in enumerate(classes)}
        at = np.array([column.get(label, -1) for label in truth.tolist()])
        share = np.where(at >= 0, shares[np.arange(len(at)), at], 0.0)
        losses.append(-np.log(np.maximum(share, _FLOOR)))
        scores.append(shares[:, column[positive]] if positive in column else np.zeros(len(at)))
    figures = [mean_figure("log loss", losses[0], losses[1], weight)]
    is_positive = truth == positive
    if positive is not None and weight[is_positive].any() and weight[~is_positive].any():
        first, second = (auc_terms(is_positive, score, weight) for score in scores)
        each = second[0] - first[0] + weight.sum() * (second[1] - first[1])
        figures.append(("AUC", first[0], second[0], each))
    return figures


def _difference_table(figures: list[Figure], weight: Array, confidence: float) -> Listing:
    cells = []
    positive = weight > 0
    weight = weight[positive]
    for name, first, second, differences in figures:
        each = differences[positive]
        if len(each) < 2:
            low, high = -np.inf, np.inf
        elif np.ptp(each) == 0:
            low = high = float(each[0])
        elif len(each) <= _MOST_ROWS:
            low, high = bca_interval(each, weight, False, confidence)
        else:
            low, high = mean_interval(each, weight, len(each), confidence)
        cells.append((name, first, second, second - first, low, high))
    names = ("figure", "first", "second", "difference", "low", "high")
    return Listing(
        rows_to_columns(names, cells),
        title="second minus first",
        legend=f"{100 * confidence:.0f} % intervals, paired by row",
    )


def _leaf_ids(models: tuple[Any, Any], table: Table) -> tuple[Array, Array] | None:
    """Return each row's leaf in both models, or None if a model may not have one leaf per row."""
    trees = [getattr(model, "tree_", model) for model in models]
    if not all(isinstance(tree, Tree) and tree.missing != "fractional" for tree in trees):
        return None
    first, second = (np.asarray(tree.apply(columns_for(tree, table))) for tree in trees)
    return first, second


def count_moves(
    leaf_ids: tuple[Array, Array] | None,
    answers: tuple[Array, Array],
    truth: Array | None,
    has_classes: bool,
) -> Listing:
    """Count the rows of each pair of leaves or predictions; return at most 50 pairs."""
    kind = "prediction" if leaf_ids is None else "leaf"
    if leaf_ids is None and not has_classes:
        return Listing({}, title="rows by leaf")
    pairs = [x.tolist() for x in (answers if leaf_ids is None else leaf_ids)]
    hits = [(x == truth).tolist() for x in answers]
    counts: dict[Any, list[int]] = {}  # numbers of rows and of correct predictions by model
    is_same = (answers[0] == answers[1]).tolist()
    for same, *pair, first, second in zip(is_same, *pairs, *hits, strict=True):
        count = counts.setdefault((same, *pair), [0, 0, 0])
        count[0] += 1
        count[1] += first
        count[2] += second
    largest = sorted(counts.items(), key=lambda item: (item[0][0], -item[1][0]))[:_MOST_MOVES]
    cells = [(*key[1:], *(count if has_classes else count[:1])) for key, count in largest]
    names = [f"{kind} of first", f"{kind} of second", "rows"]
    names += ["first right", "second right"] if has_classes else []
    legend = f"{len(cells)} of {len(counts)} pairs" if len(cells) < len(counts) else ""
    return Listing(rows_to_columns(names, cells), title=f"rows by {kind}", legend=legend)


def _rules(
    table: Table,
    gap: Array,
    answers: tuple[Array, Array],
    truth: Array | None,
    has_classes: bool,
    seed: int,
    lang: str,
) -> Listing:
    """List the segments of rows in which the two models differ most."""
    names = ["condition", "rows", "disagree" if has_classes else "difference", "low", "high"]
    right = ["first right", "second right"]
    names += right if has_classes else ["error of first", "error of second"]
    title = "where the models disagree"
    if truth is None or table.n_rows < 20 or not gap.any():
        return Listing({name: [] for name in names}, title=title)
    _, _, segments = find_segments(table, gap, seed, lang)
    cells = []
    for segment in segments:
        rows = segment.rows
        if has_classes:
            rows = rows[gap[rows] > 0]
            sides = [(x[rows] == truth[rows]).sum().item() for x in answers]
        else:
            sides = [np.abs(x[rows] - truth[rows]).mean().item() for x in answers]
        figures = (len(segment.rows), segment.mean, segment.low, segment.high, *sides)
        cells.append((segment.condition, *figures))
    legend = "half of the rows found these segments, the other half is counted"
    return Listing(rows_to_columns(names, cells), title=title, legend=legend)


def _sort_key(label: Any) -> tuple[str, Any]:
    return ("", label) if isinstance(label, int | float) else (type(label).__name__, label)
