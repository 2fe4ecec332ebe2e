"""c45(): the trees of C4.5 release 8 (Quinlan 1993, 1996), as Weka's J48 grows them too.

Gain ratio among the columns with at least the average gain; one branch per level, also for levels
that are not in the node; rows with a missing value go down every branch with a part of themselves;
then subtrees that save no error are collapsed and the rest is pruned by pessimistic errors, with
subtree raising.
"""

from __future__ import annotations

from typing import Any

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.grow import GainRatio, Multiway
from ceiba.prune import Pessimistic


def c45(
    *,
    min_samples_leaf: int = 2,
    confidence: float | None = 0.25,
    raising: bool = True,
    categorical_splits: str = "multiway",
    **parameters: Any,
) -> DecisionTreeClassifier:
    """Make a classifier that grows and prunes as C4.5 does.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        C4.5's and J48's M: the weight that two branches of a split need.
    confidence : float or None, default=0.25
        C4.5's CF, J48's -C: the smaller, the more is pruned. None: only collapse subtrees that
        save no error (J48's -U).
    raising : bool, default=True
        Whether a node may be replaced by its heaviest branch; False is J48's -S.
    categorical_splits : {"multiway", "binary"}, default="multiway"
        One branch per level, or one level against the rest (J48's -B).
    **parameters
        Other parameters of `DecisionTreeClassifier`.

    Returns
    -------
    DecisionTreeClassifier

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_play_tennis()
    >>> model = ceiba.c45().fit(data.X, data.y)
    >>> model.get_n_leaves(), model.tree_.depth
    (5, 2)
    """
    chosen: dict[str, Any] = {
        "criterion": GainRatio(cuts="value"),
        "min_samples_leaf": min_samples_leaf,
        "categorical_splits": (
            Multiway(empty=True) if categorical_splits == "multiway" else categorical_splits
        ),
        "missing": "fractional",
        "unseen": "missing",
        "prune": Pessimistic(
            confidence=confidence, raising=False if confidence is None else raising
        ),
    }
    return DecisionTreeClassifier(**{**chosen, **parameters})
