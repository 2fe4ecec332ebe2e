"""Convert a Tree to a fitted scikit-learn estimator, and back.

scikit-learn rounds X to float32 and compares it with a float64 threshold: `float32(x) <= t`.

- To scikit-learn, the threshold is the cut c: every x that float32 represents is compared as in
  ceiba. Other x may be rounded to the other side of a cut.
- From scikit-learn, the cut is the largest float64 whose float32 rounding is <= t, so that
  `x <= cut` for any float64 x equals scikit-learn's comparison after rounding. With f the largest
  float32 <= t and g the next one, that is the midpoint of f and g if it rounds down to f (ties go
  to even), else the float64 before it.

An infinite threshold is scikit-learn's split of present against missing values. The estimator is
built by `sklearn.tree._tree.Tree.__setstate__`, from the arrays of a pickle (scikit-learn 1.6 to
1.9).
"""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np

from ceiba import _core
from ceiba.errors import CeibaWarning, TreeError
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.task import Task
from ceiba.tree import Array, Tree
from ceiba.tree.construct import branches_from_parents, expand_intervals
from ceiba.tree.splits import SplitKind, SplitTable

_CLASS_CRITERIA: Final = ("gini", "entropy", "log_loss")
_NUMBER_CRITERIA: Final = ("squared_error", "absolute_error", "poisson")


def to_sklearn(tree: Tree) -> Any:
    """Convert a tree to a fitted scikit-learn estimator with the same predictions.

    Supports trees of numeric columns (cuts, and present against missing); intervals become a chain
    of cuts, because scikit-learn's nodes have two branches. Predictions are equal for X that
    float32 can represent, because scikit-learn rounds X to float32; missing values follow the
    default branch. `plot_tree`, `export_text` and `shap` accept the estimator. A criterion unknown
    to scikit-learn is replaced by its default. A cost matrix is not supported (with a warning): the
    estimator predicts the most probable class.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor

    Raises
    ------
    TreeError
        If the tree splits on levels, or has columns that are not numeric.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", 1.0, 3.0))
    >>> import pandas as pd
    >>> tree.to_sklearn().predict(pd.DataFrame({"x": [2.0, 3.0]}))
    array([1., 3.])
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree as SklearnTree

    tree = expand_intervals(tree)
    _check_convertible(tree)
    n_classes = np.asarray(tree.n_classes, np.intp)
    inner = SklearnTree(tree.n_features, n_classes, tree.n_outputs)
    inner.__setstate__(_state(tree, inner))
    if tree.task.is_classification("Export to scikit-learn"):
        criterion = tree.criterion if tree.criterion in _CLASS_CRITERIA else "gini"
        model = DecisionTreeClassifier(criterion=criterion)
        single_output = tree.n_outputs == 1
        model.classes_ = tree.target.classes[0] if single_output else list(tree.target.classes)
        model.n_classes_ = n_classes[0] if single_output else n_classes
    else:
        criterion = tree.criterion if tree.criterion in _NUMBER_CRITERIA else "squared_error"
        model = DecisionTreeRegressor(criterion=criterion)
    model.n_features_in_ = tree.n_features
    model.n_outputs_ = tree.n_outputs
    model.max_features_ = tree.n_features
    if tree.schema.named:
        model.feature_names_in_ = np.array(tree.schema.names, dtype=object)
    model.tree_ = inner
    return model


def _check_convertible(tree: Tree) -> None:
    """Raise an error for unsupported trees, and warn if scikit-learn may predict differently."""
    if not tree.is_binary or np.any(tree.splits.kind == SplitKind.LEVELS):
        raise TreeError(
            "to_sklearn: scikit-learn supports only binary numeric cuts. Encode categorical "
            "columns as numbers, and refit without multiway splits."
        )
    for info in tree.schema.columns:
        if info.kind != Kind.NUMERIC:
            raise TreeError(
                f"to_sklearn: columns must be numeric, but {info.name!r} is {info.kind}. Encode it "
                "as numbers and refit."
            )
    if tree.cost_matrix is not None:
        warnings.warn(
            "to_sklearn: cost_matrix is not supported by scikit-learn. The estimator predicts the "
            "most probable class, not the class with the least expected cost.",
            CeibaWarning,
            stacklevel=3,
        )
    stays = bool(np.any((tree.default_branch < 0) & ~tree.is_leaf))
    differs = tree.missing in ("surrogate", "fractional") or stays
    if differs and any(info.n_missing for info in tree.schema.columns):
        warnings.warn(
            f"to_sklearn: missing={tree.missing!r} is not supported by scikit-learn. The estimator "
            "sends missing values to the default branch. Rows without missing values are "
            "not affected.",
            CeibaWarning,
            stacklevel=3,
        )


def _state(tree: Tree, inner: Any) -> dict[str, Any]:
    """Return the tree as the state that `__setstate__` of scikit-learn's Tree expects."""
    nodes = np.zeros(tree.n_nodes, dtype=inner.__getstate__()["nodes"].dtype)
    columns = {
        "left_child": tree.children_left,
        "right_child": tree.children_right,
        "feature": tree.feature,
        "threshold": tree.threshold,
        "impurity": tree.impurity,
        "n_node_samples": tree.n_rows,
        "weighted_n_node_samples": tree.weight,
        "missing_go_to_left": tree.missing_go_to_left,
    }
    unknown = set(nodes.dtype.names or ()) - set(columns)
    if unknown:
        raise TreeError(
            f"to_sklearn: this version of scikit-learn is not supported (unknown node fields "
            f"{sorted(unknown)}). Supported versions: 1.6 to 1.9."
        )
    for name, values in columns.items():
        nodes[name] = values
    return {
        "max_depth": tree.depth,
        "node_count": tree.n_nodes,
        "nodes": nodes,
        "values": np.array(tree.value, dtype=np.float64, order="C"),
    }


def from_sklearn(model: Any) -> Tree:
    """Convert a fitted scikit-learn decision tree to an equivalent Tree.

    Predictions equal those of the model for every float64 X: each cut is moved to the boundary at
    which float32 rounding crosses scikit-learn's threshold.

    Parameters
    ----------
    model : fitted DecisionTreeClassifier, DecisionTreeRegressor or their Extra variants
        Also one tree of a forest (`forest.estimators_[0]`).

    Returns
    -------
    Tree
        With `missing="learn"`; nodes are renumbered in pre-order (they differ from scikit-learn's
        only for trees grown with `max_leaf_nodes`).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import ceiba
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> print(ceiba.tree.from_sklearn(model))
    root  n=3 (100%)  b p=0.667
    ├─ x0 <= 1.5  n=1 (33.3%)  → a p=1
    └─ x0 > 1.5  n=2 (66.7%)  → b p=1
    """
    from sklearn.base import is_classifier
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "tree_")
    inner = model.tree_
    order, parent = _preorder(inner.children_left, inner.children_right)
    classification = bool(is_classifier(model))
    splits, default = _splits(inner, order)
    weight = inner.weighted_n_node_samples[order]
    value = inner.value[order]
    if classification:
        # scikit-learn before 1.3 stores class counts instead of probabilities.
        value = value / value.sum(axis=2, keepdims=True)
    impurity = inner.impurity[order]
    left, right = inner.children_left[order], inner.children_right[order]
    below = sum(inner.weighted_n_node_samples[c] * inner.impurity[c] for c in (left, right))
    share = weight / weight[0]
    if not classification:
        risk = share * impurity
    elif value.shape[1] > 1:
        risk = np.full(len(value), np.nan)
    else:
        risk = share * (1.0 - value[:, 0, :].max(axis=1))
    start, nodes = branches_from_parents(parent)
    criterion = str(model.criterion)
    return Tree(
        schema=_schema(model, inner, classification),
        parent=parent,
        branch_start=start,
        branch_node=nodes,
        splits=splits,
        default_branch=default,
        n_rows=inner.n_node_samples[order],
        weight=weight,
        impurity=impurity,
        gain=np.where(left < 0, 0.0, impurity - below / weight),
        value=value,
        counts=value * weight[:, None, None] if classification else None,
        risk=risk,
        sent_default=np.zeros(len(order), np.int64),
        criterion={"log_loss": "entropy", "friedman_mse": "squared_error"}.get(
            criterion, criterion
        ),
        missing="learn",
    )


def rounding_cut(threshold: Array) -> Array:
    """Return the largest float64 whose float32 rounding is <= threshold."""
    threshold = np.asarray(threshold, np.float64)
    with np.errstate(over="ignore"):
        near = threshold.astype(np.float32)
        low = np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near)
        high = np.nextafter(low, np.float32(np.inf))
        # Numbers round to infinity as if 2^128 were the float32 after the largest one.
        below = np.where(np.isinf(low), -(2.0**128), low.astype(np.float64))
        above = np.where(np.isinf(high), 2.0**128, high.astype(np.float64))
        middle = below + (above - below) / 2
        rounds_down = middle.astype(np.float32) <= threshold
    return np.where(rounds_down, middle, np.nextafter(middle, -np.inf))


def _preorder(left: Array, right: Array) -> tuple[Array, Array]:
    """Return scikit-learn's node ids in pre-order, and the parents in the new numbering."""
    first, second = left.tolist(), right.tolist()
    order: list[int] = []
    parent: list[int] = []
    waiting = [(0, -1)]
    while waiting:
        node, above = waiting.pop()
        new = len(order)
        order.append(node)
        parent.append(above)
        if first[node] >= 0:
            waiting.append((second[node], new))
            waiting.append((first[node], new))
    return np.array(order), np.array(parent, np.int32)


def _splits(inner: Any, order: Array) -> tuple[SplitTable, Array]:
    leaf = inner.children_left[order] < 0
    threshold = inner.threshold[order]
    presence = ~leaf & np.isposinf(threshold)
    is_cut = ~leaf & ~presence
    n = len(order)
    cut = np.full(n, np.nan)
    cut[is_cut] = rounding_cut(threshold[is_cut])
    none = np.zeros(0, np.int32)
    # scikit-learn rounds X to float32, so a printed cut must only separate float32 neighbors.
    above = cut[is_cut].astype(np.float32)
    above = np.where(above <= cut[is_cut], np.nextafter(above, np.float32(np.inf)), above)
    below = np.nextafter(above, np.float32(-np.inf)).astype(np.float64)
    digits = np.zeros(n, np.int8)
    digits[is_cut] = np.asarray(_core.gap_digits(cut[is_cut], below, above.astype(np.float64)))
    splits = SplitTable(
        kind=np.where(leaf, SplitKind.NONE, np.where(presence, SplitKind.PRESENCE, SplitKind.CUT)),
        column=np.where(leaf, -1, inner.feature[order]),
        cut=cut,
        low_branch=np.zeros(n),
        level_start=np.zeros(n + 1),
        level_code=none,
        level_branch=none,
        digits=digits,
    )
    # A split that tests for missing values sends them to branch 1, its default branch.
    goes_left = (inner.missing_go_to_left[order] != 0) & ~presence
    return splits, np.where(leaf, -1, np.where(goes_left, 0, 1)).astype(np.int32)


def _schema(model: Any, inner: Any, classification: bool) -> Schema:
    names = getattr(model, "feature_names_in_", None)
    named = names is not None
    if names is None:
        names = [f"x{j}" for j in range(inner.n_features)]
    columns = tuple(ColumnInfo(name=str(name), kind=Kind.NUMERIC) for name in names)
    classes: tuple[Array, ...] = ()
    if classification:
        label_arrays = model.classes_ if inner.n_outputs > 1 else [model.classes_]
        classes = tuple(np.asarray(labels) for labels in label_arrays)
    task = Task.CLASSIFICATION if classification else Task.REGRESSION
    target = TargetInfo(name=None, task=task, classes=classes, n_outputs=int(inner.n_outputs))
    return Schema(columns=columns, target=target, named=named)
