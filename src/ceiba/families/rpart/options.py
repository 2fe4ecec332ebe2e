"""rpart's parameters: allowed values, and what they mean to the grower.

Names and defaults are those of rpart.control and of `parms` in R. What rpart does without saying
so is stated here: splits below 1e-10 of the root's gain do not count, rows of weight 0 are routed
and counted but decide nothing, a branch may be without events, a level that a node has not seen is
treated as missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from ceiba.criteria import Task
from ceiba.grow import ALLOWED, GrowOptions
from ceiba.options import Check
from ceiba.options.checks import array_like, integer, nothing, number, one_of

__all__ = ["ALLOWED_RPART", "METHODS", "Method", "control", "rpart_grow_options"]

Method = Literal["class", "anova", "poisson"]

#: The methods, and the task and criterion of each; "class" has its criterion from `split`.
METHODS: Final[Mapping[str, tuple[Task, str]]] = MappingProxyType(
    {
        "class": ("classification", ""),
        "anova": ("regression", "squared_error"),
        "poisson": ("regression", "poisson"),
    }
)

_SPLITS: Final = {"gini": "gini", "information": "entropy"}

#: What each parameter may be.
ALLOWED_RPART: Final[Mapping[str, tuple[Check, ...]]] = MappingProxyType(
    {
        "method": (one_of(*METHODS),),
        "minsplit": (integer(1), nothing),
        "minbucket": (integer(1), nothing),
        "cp": (number(-float("inf"), 1.0, "(]"),),
        "maxdepth": (integer(1),),
        "maxcompete": (integer(0),),
        "maxsurrogate": (integer(0),),
        "usesurrogate": ALLOWED["use_surrogate"],
        "surrogatestyle": ALLOWED["surrogate_style"],
        "split": (one_of(*_SPLITS),),
        "prior": ALLOWED["class_prior"],
        "loss": ALLOWED["cost_matrix"],
        "cost": ALLOWED["column_cost"],
        "shrink": (number(0.0),),
        "xval": (integer(0), array_like("an array-like of one fold id per row")),
        "categorical_features": (one_of("from_dtype"), array_like(), nothing),
        "n_jobs": ALLOWED["n_jobs"],
    }
)


def control(minsplit: int | None, minbucket: int | None) -> tuple[int, int]:
    """Give minsplit and minbucket, each from the other where only one is given.

    Examples
    --------
    >>> from ceiba.families.rpart.options import control
    >>> control(None, None), control(10, None), control(None, 5)
    ((20, 7), (10, 3), (15, 5))
    """
    if minsplit is None:
        minsplit = 20 if minbucket is None else 3 * minbucket
    return minsplit, max(1, round(minsplit / 3)) if minbucket is None else minbucket


def rpart_grow_options(given: Mapping[str, Any]) -> GrowOptions:
    """Give the options of growing that rpart's parameters mean (all but the cp stop)."""
    task, criterion = METHODS[given["method"]]
    minsplit, minbucket = control(given["minsplit"], given["minbucket"])
    return GrowOptions(
        task=task,
        criterion=criterion or _SPLITS[given["split"]],
        max_depth=given["maxdepth"],
        min_samples_split=max(2, minsplit),
        min_samples_leaf=minbucket,
        min_gain_ratio=1e-10,
        n_jobs=given["n_jobs"],
        missing="surrogate",
        unseen="missing",
        max_surrogates=given["maxsurrogate"],
        surrogate_style=given["surrogatestyle"],
        use_surrogate=given["usesurrogate"],
        max_competitors=given["maxcompete"],
        class_prior=given.get("prior"),
        cost_matrix=given.get("loss"),
        column_cost=given["cost"],
        keep_zero_weights=True,
        allow_zero_rate=True,
        shrink=float(given.get("shrink") or 0.0) if given["method"] == "poisson" else 0.0,
        like_rpart=True,
    )
