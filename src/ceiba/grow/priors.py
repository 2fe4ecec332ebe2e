"""Read class priors and misclassification costs, and compute how they scale class weights.

With f(k) the weighted count of class k in a node, F(k) in all data, W the sum of F, prior pi(k) and
cost C[k, j] of predicting j when the truth is k (Breiman et al. 1984, sections 4.4 and 2.4; rpart):

    q(k)     = pi(k) / (F(k) / W)                        1 without priors
    value    p(k|t) proportional to f(k) q(k)
    risk     R(t)   = min over j of sum_k f(k) q(k) C[k, j] / W
    search   class weights times pi(k) sum_j C[k, j] (altered priors), normalized, / (F(k) / W)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.grow.options import GrowOptions
from ceiba.table import Target
from ceiba.tree import Tree, divide_or_zero

Array = npt.NDArray[np.float64]
Classes = Sequence[Any] | npt.NDArray[Any]


def read_prior(prior: Any, classes: Classes) -> Array | None:
    """Read class priors from a sequence in class order or a dict by class."""
    if prior is None:
        return None
    if isinstance(prior, Mapping):
        _check_labels("class_prior", prior, prior, classes)
        absent = [label for label in _labels(classes) if label not in prior]
        if absent:
            raise OptionError(
                f"class_prior must contain a share for each of the classes {_labels(classes)}, got "
                f"none for {absent[0]!r}."
            )
        prior = [prior[label] for label in _labels(classes)]
    shares = _read_numbers("class_prior", prior)
    if shares.shape != (len(classes),):
        raise OptionError(
            f"class_prior must contain one share for each of the {len(classes)} classes "
            f"{_labels(classes)}, in this order, got shape {shares.shape}."
        )
    if (shares < 0).any() or abs(shares.sum() - 1.0) > 1e-6:
        raise OptionError(
            f"class_prior must contain non-negative shares that sum to 1, got {shares.tolist()}, "
            f"which sum to {shares.sum():.6g}."
        )
    return shares


def read_costs(costs: Any, classes: Classes) -> Array | None:
    """Return costs as a matrix with truth in rows; pairs missing from a dict cost 1."""
    if costs is None:
        return None
    n = len(classes)
    if isinstance(costs, str):
        if costs != "ordinal":
            raise OptionError(f"cost_matrix must be 'ordinal', a matrix or a dict, got {costs!r}.")
        return ordinal_costs(classes, classes)
    matrix = (
        _costs_from_pairs(costs, classes)
        if isinstance(costs, Mapping)
        else _read_numbers("cost_matrix", costs)
    )
    if matrix.shape != (n, n):
        raise OptionError(
            f"cost_matrix must have shape ({n}, {n}), with truth in rows, predictions in columns "
            f"and classes in the order {_labels(classes)}, got shape {matrix.shape}."
        )
    if (matrix < 0).any() or np.diagonal(matrix).any():
        raise OptionError(
            "cost_matrix must contain non-negative costs, and zeros on the diagonal, got "
            f"{matrix.tolist()}."
        )
    free = np.flatnonzero(~matrix.any(axis=1))
    if n > 1 and len(free):
        raise OptionError(
            f"cost_matrix must have a positive cost for each true class, got only zeros for "
            f"{_labels(classes)[int(free[0])]!r} (row {int(free[0])})."
        )
    return matrix


def ordinal_costs(classes: Classes, order: Classes) -> Array:
    """Return the costs |i - j|, which are the distances between ordered classes."""
    position = {label: i for i, label in enumerate(_labels(order))}
    rank = np.array([position[label] for label in _labels(classes)], dtype=np.float64)
    return np.abs(np.subtract.outer(rank, rank))


def class_factor(totals: Array, prior: Array | None, classes: Classes) -> Array | None:
    """Return one factor per class that scales its weighted count to its prior (None: no priors)."""
    if prior is None:
        return None
    with np.errstate(over="ignore"):
        factor = divide_or_zero(prior * totals.sum(), totals)
    invalid = np.flatnonzero(((totals <= 0) & (prior > 0)) | np.isinf(factor))
    if len(invalid):
        k = int(invalid[0])
        raise DataError(
            f"class_prior must be 0 for class {_labels(classes)[k]!r}, whose rows have a total "
            f"weight of {totals[k]:.3g}, got {prior[k]:.6g}. Set the prior to 0, or pass larger "
            "weights."
        )
    return factor


def altered_scale(totals: Array, prior: Array | None, costs: Array | None) -> Array | None:
    """Return the factor of each class's weight in the split search (None: no priors or costs)."""
    if prior is None and costs is None:
        return None
    share = totals / totals.sum()
    altered = share if prior is None else prior
    if costs is not None:
        altered = altered * costs.sum(axis=1)
    altered = altered / altered.sum()
    return divide_or_zero(altered, share)


def search_mass(tree: Tree) -> Array:
    """Return the weight of each node under the class priors, altered by the cost matrix."""
    if tree.counts is None or (tree.class_prior is None and tree.cost_matrix is None):
        return np.asarray(tree.weight)
    counts = tree.counts[:, 0, :]
    scale = altered_scale(counts[0], tree.class_prior, tree.cost_matrix)
    return np.asarray(counts @ scale)


def _costs_from_pairs(costs: Mapping[Any, Any], classes: Classes) -> Array:
    index = {label: k for k, label in enumerate(_labels(classes))}
    matrix = 1.0 - np.eye(len(index))
    for pair, cost in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError(
                f"The keys of cost_matrix must be pairs (truth, predicted), got {pair!r}."
            )
        _check_labels("cost_matrix", costs, pair, classes)
        matrix[index[pair[0]], index[pair[1]]] = _read_numbers("cost_matrix", cost)
    return matrix


def _check_labels(option: str, mapping: Mapping[Any, Any], labels: Any, classes: Classes) -> None:
    names = _labels(classes)
    by_text = {str(label): label for label in names}
    for label in labels:
        if label in names:
            continue
        hint = did_you_mean(str(label), by_text)
        if str(label) in by_text:  # the label has another type, such as "1" for 1
            renamed = {
                tuple(by_text.get(str(item), item) for item in key)
                if isinstance(key, tuple)
                else by_text.get(str(key), key): value
                for key, value in mapping.items()
            }
            hint = f" Pass {option}={renamed!r}."
        raise OptionError(
            f"{option} contains the unknown class {label!r}. Allowed values: {names}.{hint}"
        )


def _read_numbers(option: str, values: Any) -> Array:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{option} must contain numbers, got {values!r}.") from None
    if not np.isfinite(numbers).all():
        raise OptionError(f"{option} must contain finite numbers, got {values!r}.")
    return numbers


def _labels(classes: Classes) -> list[Any]:
    return list(classes.tolist() if isinstance(classes, np.ndarray) else classes)


@dataclass(frozen=True)
class ClassScales:
    """Priors, costs and the factors by which they scale class weights (None: no change)."""

    prior: Array | None = None
    costs: Array | None = None
    factor: Array | None = None
    search: Array | None = None

    def weighted_costs(self, n_classes: int) -> Array:
        """Return the cost matrix, with the row of each true class multiplied by prior / share."""
        costs = 1.0 - np.eye(n_classes) if self.costs is None else self.costs
        return costs if self.factor is None else self.factor[:, None] * costs


NO_SCALES: Final = ClassScales()


def class_scales(target: Target, options: GrowOptions, weight: Array | None) -> ClassScales:
    """Return the factors by which the priors and costs of the options scale class weights."""
    if not options.task.has_classes:
        option = "class_prior" if options.class_prior is not None else "cost_matrix"
        raise OptionError(f"{option} is not supported for {options.task}.")
    classes = target.info.classes[0]
    prior = read_prior(options.class_prior, classes)
    costs = read_costs(options.cost_matrix, classes)
    totals = target.class_totals(weight)
    return ClassScales(
        prior, costs, class_factor(totals, prior, classes), altered_scale(totals, prior, costs)
    )
