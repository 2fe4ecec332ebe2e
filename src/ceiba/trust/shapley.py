"""Exact Shapley values of a tree: the contribution of each column to each prediction.

Path-dependent (no background): at the splits of an absent column the row takes every branch, in
proportion to the branches' training weight (after priors). At the splits of a present column the
row is routed as usual, by surrogate or default if its value is missing. Interventional
(`background=`): an absent column takes its value from a background row, and the tree routes the
mixed row as usual. Lundberg et al. (2020), Nature Machine Intelligence 2.
The computation is in `cpp/core/explain`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.listing import Listing
from ceiba.table import Kind, Table
from ceiba.tree import Tree
from ceiba.tree.routing import route

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ShapleyValues:
    """Contributions of columns to the predictions of rows.

    The prediction (class probabilities, or a number) is `base_values` plus the sum of `values`
    over the columns. `numpy.asarray` returns `values`.

    Attributes
    ----------
    values : float64 array of shape (n_rows, n_columns), or (n_rows, n_columns, n_classes)
        With interactions, there is a second axis of columns: the diagonal holds the main effects,
        and each interaction is split evenly between its two cells.
    base_values : float, or float64 array of shape (n_classes,)
        Prediction when no column is known.
    names : tuple of str
        Columns.
    classes : tuple
        Class labels; empty for regression.
    interactions : bool
    """

    values: Array
    base_values: float | Array
    names: tuple[str, ...]
    classes: tuple[Any, ...]
    interactions: bool
    _table: Table
    _of_class: Any = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        kind = "interactions" if self.interactions else "values"
        classes = f", {len(self.classes)} classes" if self.classes else ""
        return f"<Shapley {kind}: {len(self)} rows, {len(self.names)} columns{classes}>"

    def of_class(self, label: Any) -> ShapleyValues:
        """Return the contributions to the probability of one class.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> model.shap_values({"x": [1]}).of_class("a").values.round(3)
        array([[0.667]])
        """
        if label not in self.classes:
            raise OptionError(
                f"label must be a class, got {label!r}. Classes: {list(self.classes)}."
            )
        k = self.classes.index(label)
        base = float(np.asarray(self.base_values)[k])
        return ShapleyValues(
            self.values[..., k], base, self.names, (), self.interactions, self._table, label
        )

    def row(self, i: int = 0) -> Listing:
        """Return the contributions for one row as a listing, in descending order of absolute value.

        A classifier has one contribution per class; select a class with `of_class`.

        Examples
        --------
        >>> import ceiba
        >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
        >>> model = ceiba.DecisionTreeRegressor().fit(X, [1.0, 1.0, 5.0, 6.0])
        >>> print(model.shap_values({"age": [44], "sex": ["f"]}).row())
        contributions to the prediction
        column  value  contribution
        age     44             1.75
        sex     f                 0
        all rows 3.25, this row 5
        """
        if self.interactions:
            raise OptionError("row() is not supported with interactions=True.")
        if not -len(self) <= i < len(self):
            raise OptionError(f"i must be from {-len(self)} to {len(self) - 1}, got {i}.")
        values = self.values[i].reshape(len(self.names), -1)
        # Print rounding errors of columns without a contribution as 0.
        values = np.where(np.abs(values) > 1e-14 * np.abs(values).max(initial=0.0), values, 0.0)
        order = np.argsort(-np.abs(values).max(axis=1), kind="stable")
        heads = [f"to {label}" for label in self.classes] or ["contribution"]
        cells = _display_values(self._table)[i]
        of = "" if self._of_class is None else f"probability of {self._of_class!r}"
        base = np.atleast_1d(self.base_values)
        base_text = ", ".join(f"{value:.4g}" for value in base)
        prediction = ", ".join(f"{value:.4g}" for value in base + values.sum(axis=0))
        return Listing(
            {
                "column": [self.names[j] for j in order],
                "value": [
                    cell if isinstance(cell, str) else "missing" if cell != cell else f"{cell:.6g}"
                    for cell in cells[order]
                ],
                **{head: values[order, k] for k, head in enumerate(heads)},
            },
            title=f"contributions to the {of or 'prediction'}",
            legend=f"all rows {base_text}, this row {prediction}",
        )

    @cached_property
    def data(self) -> Array:
        """The rows as numbers, with level codes and with NaN for missing values."""
        columns = []
        for column in self._table.columns:
            codes = np.asarray(column.values, np.float64)
            columns.append(np.where(column.missing, np.nan, codes))
        return np.column_stack(columns)

    def to_shap(self) -> Any:
        """Return a `shap.Explanation` for shap's plots; requires the package shap."""
        try:
            from shap import Explanation
        except ImportError as error:
            raise OptionError(
                "to_shap() requires the 'shap' package. Install it with: pip install shap"
            ) from error
        base = np.broadcast_to(self.base_values, (len(self), *np.shape(self.base_values)))
        return Explanation(
            values=self.values,
            base_values=np.array(base),
            data=self.data,
            display_data=_display_values(self._table),
            feature_names=list(self.names),
            output_names=[str(label) for label in self.classes] or None,
        )


def shap_values(
    tree: Tree,
    X: Any,
    *,
    background: Any = None,
    interactions: bool = False,
    n_threads: int = 1,
    leaves: npt.NDArray[Any] | None = None,
) -> ShapleyValues | tuple[ShapleyValues, ...]:
    """Return the exact Shapley value of every column for every row.

    Parameters
    ----------
    tree : Tree
        Any tree: level sets, multiway splits, missing values, surrogates, fractional rows.
    X : table
        Rows, as `predict` takes them.
    background : table, optional
        Rows from which absent columns take their values (interventional values). By default
        absent columns follow the training shares of the branches (path-dependent values).
    interactions : bool, default=False
        Split each contribution into a main effect and pairwise interactions.
    n_threads : int
        The result does not depend on it.
    leaves : array of int, optional
        Without a background: leaves whose training rows define the branch shares (default: all).

    Returns
    -------
    ShapleyValues
        Of the class probabilities, or of the value; a tuple of them for several outputs.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", 1.0, ("y <= 4", 5.0, 9.0)))
    >>> shap = ceiba.trust.shap_values(tree, {"x": [1.0, 9.0], "y": [9.0, 9.0]})
    >>> shap.base_values, shap.values.round(3).tolist()
    (5.0, [[-4.667, 0.667], [2.333, 1.667]])
    """
    from ceiba import _core

    table = route.read(tree, X)
    route.check_rows(tree, table)
    sample, weight = None, None
    if background is not None:
        sample = route.read(tree, background)
        route.check_rows(tree, sample)
        if not sample.n_rows:
            raise DataError("background must have at least one row. Pass a sample of X.")
        weight = np.full(sample.n_rows, 1.0 / sample.n_rows)
    # Probabilities sum to 1, so the contributions to the last class follow from the others.
    widths = [int(n) for n in tree.n_classes] if tree.task.has_classes else [1]
    widths *= 1 if tree.task.has_classes else tree.n_outputs
    sums_to_1 = np.allclose(tree.value.sum(axis=2), 1.0, rtol=0, atol=1e-13)
    skips_last = tree.task.has_classes and sums_to_1
    n_computed = [n - 1 if skips_last and n > 1 else n for n in widths]
    value = np.column_stack([tree.value[:, k, :n] for k, n in enumerate(n_computed)])
    flat, expected = _core.shapley(
        tree._router,
        table.core(),
        np.ascontiguousarray(value),
        _branch_shares(tree, leaves),
        None if sample is None else sample.core(),
        weight,
        interactions,
        n_threads,
    )
    if sample is not None:
        if tree.missing == "fractional":
            _, node, share = route.spread(tree, sample)
            expected = (share[:, None] * value[node]).sum(axis=0) / sample.n_rows
        else:
            expected = value[route.apply(tree, sample)].mean(axis=0)
    shape = (table.n_columns,) * (2 if interactions else 1)
    parts = flat.reshape(table.n_rows, *shape, value.shape[1])
    outputs, end = [], 0
    for k, n in enumerate(widths):
        start, end = end, end + n_computed[k]
        values, base = parts[..., start:end], expected[start:end]
        if n_computed[k] < n:
            values = np.concatenate((values, -values.sum(axis=-1, keepdims=True)), axis=-1)
            base = np.append(base, 1.0 - base.sum())
        labels = tuple(tree.target.classes[k].tolist()) if tree.task.has_classes else ()
        if not labels:
            values, base = values[..., 0], float(base[0])
        outputs.append(ShapleyValues(values, base, tree.schema.names, labels, interactions, table))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _branch_shares(tree: Tree, leaves: npt.NDArray[Any] | None = None) -> Array:
    """Return each branch's share of the weight of its node, restricted to `leaves` if given."""
    mass = tree.share if tree.class_prior is not None and tree.counts is not None else tree.weight
    if leaves is not None:
        inside = np.zeros(tree.n_nodes)
        inside[leaves] = mass[leaves]
        for node in range(tree.n_nodes - 1, 0, -1):  # children have higher ids than their parent
            inside[tree.parent[node]] += inside[node]
        mass = inside
    elif mass is tree.weight:
        return tree.branch_share
    mass = mass[tree.branch_node]
    owner = np.repeat(np.arange(tree.n_nodes), tree.n_branches)
    total = np.bincount(owner, weights=mass, minlength=tree.n_nodes)[owner]
    return np.divide(mass, total, out=tree.branch_share.copy(), where=total > 0)


def _display_values(table: Table) -> npt.NDArray[Any]:
    """Return the values of a table as an object array of numbers and level names."""
    cells = np.empty((table.n_rows, table.n_columns), dtype=object)
    for j, column in enumerate(table.columns):
        if column.info.kind == Kind.NUMERIC:
            cells[:, j] = column.values
            continue
        names = [*map(str, column.info.levels), "unseen", "missing"]
        codes = np.minimum(column.values, len(names) - 2)
        cells[:, j] = np.array(names, dtype=object)[codes]
    return cells
