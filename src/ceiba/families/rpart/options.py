"""Parameters of rpart, and functions that derive growing options from them.

Names and defaults are those of rpart.control and of `parms` in R. Undocumented rules of rpart are
in `RpartRules`; an unseen level is treated as missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal

from ceiba.estimators.parameters import PARAMETERS
from ceiba.grow import OPTIONS, GrowOptions, RpartRules, Surrogates
from ceiba.options import Check, Option, array_like, integer, nothing, number, one_of
from ceiba.task import Task

Method = Literal["class", "anova", "poisson", "exp"]

#: The task and criterion of each method. The criterion of "class" depends on `split`.
METHODS: Final[Mapping[str, tuple[Task, str]]] = MappingProxyType(
    {
        "class": (Task.CLASSIFICATION, ""),
        "anova": (Task.REGRESSION, "squared_error"),
        "poisson": (Task.REGRESSION, "poisson"),
        "exp": (Task.REGRESSION, "poisson"),
    }
)

#: Methods that predict events per unit of time.
RATES: Final = ("poisson", "exp")

_SPLITS: Final = {"gini": "gini", "information": "entropy"}


def _one_of_ints(*values: int) -> Check:
    words = ", ".join(map(str, values[:-1])) + f" or {values[-1]}"
    return Check(words, lambda value: isinstance(value, int) and value in values)


_GROW: Final = OPTIONS[Task.CLASSIFICATION]

_ROWS: Final = (
    Option(
        "minsplit",
        None,
        (integer(1), nothing),
        "int",
        "Rows a node needs to be split. None: 20, or 3 * minbucket if that is given.",
    ),
    Option(
        "minbucket",
        None,
        (integer(1), nothing),
        "int",
        "Rows each branch needs. None: minsplit / 3, rounded.",
    ),
    Option(
        "cp",
        0.01,
        (number(-float("inf"), 1.0, "(]"),),
        "float",
        "Complexity: a split must lower the risk by this share of the root's risk. 0 keeps every "
        "split that lowers it at all, a negative number all splits.",
    ),
    Option("maxdepth", 30, (integer(1),), "int", "Largest depth of a leaf."),
    Option("maxcompete", 4, (integer(0),), "int", "Competitors (runner-up splits) kept per node."),
    Option("maxsurrogate", 5, (integer(0),), "int", "Surrogate splits kept per node."),
    Option(
        "usesurrogate",
        2,
        (_one_of_ints(0, 1, 2),),
        "{0, 1, 2}",
        "Rows with a missing value stay in the node (0); follow surrogates, else stay (1), or else "
        "go with the majority (2).",
    ),
    Option(
        "surrogatestyle",
        0,
        (_one_of_ints(0, 1),),
        "{0, 1}",
        "Agreement counted over all rows the split places (0), or those with both values (1).",
    ),
    Option(
        "split",
        "gini",
        (one_of(*_SPLITS),),
        '{"gini", "information"}',
        '"class": the impurity; "information" is entropy.',
    ),
    Option(
        "prior",
        None,
        _GROW["class_prior"].allowed,
        "array-like or dict",
        '"class": class shares in the population, in class order. None: those of the table.',
    ),
    Option(
        "loss",
        None,
        _GROW["cost_matrix"].allowed,
        "array-like of shape (n_classes, n_classes) or dict",
        '"class": `loss[i, j]` is the cost of predicting j when the truth is i.',
    ),
    Option(
        "shrink",
        None,
        (number(0.0), nothing),
        "float",
        '"poisson": coefficient of variation of the rates. Smaller values shrink the rates of '
        'leaves more towards the overall rate; 0: no shrinking. None: 1, or 0 with `error="sqrt"`.',
    ),
    Option(
        "error",
        "deviance",
        (one_of("deviance", "sqrt"),),
        '{"deviance", "sqrt"}',
        '"poisson": error of held-out rows, the deviance or (sqrt(events) - sqrt(rate x time))^2 '
        "(R: `method` in `parms`).",
    ),
    Option(
        "cost",
        None,
        _GROW["column_cost"].allowed,
        "array-like or dict",
        "Cost of measuring each column; its gain is divided by it.",
    ),
    Option(
        "xval",
        10,
        (integer(0), array_like("an array-like of one fold id per row")),
        "int or array-like of fold ids",
        "Folds of cross-validation; 0: none.",
    ),
    Option(
        "random_state",
        None,
        (),
        "int, RandomState instance or None",
        "Seed of the folds. None is the fixed seed 0.",
    ),
    PARAMETERS[Task.CLASSIFICATION]["categorical_features"],
    _GROW["n_jobs"],
)

RPART_OPTIONS: Final = MappingProxyType({row.name: row for row in _ROWS})

#: Parameters that only some methods accept.
METHODS_OF_OPTION: Final = MappingProxyType(
    {"split": ("class",), "prior": ("class",), "loss": ("class",), "shrink": RATES, "error": RATES}
)


def resolve_sizes(minsplit: int | None, minbucket: int | None) -> tuple[int, int]:
    """Return minsplit and minbucket, with R's defaults for those that are None."""
    if minsplit is None:
        minsplit = 20 if minbucket is None else 3 * minbucket
    return minsplit, max(1, round(minsplit / 3)) if minbucket is None else minbucket


def resolve_shrink(params: Mapping[str, Any]) -> float:
    """Return the coefficient of variation of the prior on rates, or 0 for no shrinkage."""
    if params["method"] not in RATES:
        return 0.0
    if params.get("shrink") is None:
        return 0.0 if params.get("error") == "sqrt" else 1.0
    return float(params["shrink"])


def rpart_grow_options(params: Mapping[str, Any]) -> GrowOptions:
    """Return the growing options that rpart's parameters imply (except cp)."""
    task, criterion = METHODS[params["method"]]
    minsplit, minbucket = resolve_sizes(params["minsplit"], params["minbucket"])
    return GrowOptions(
        task=task,
        criterion=criterion or _SPLITS[params["split"]],
        max_depth=params["maxdepth"],
        min_samples_split=max(2, minsplit),
        min_samples_leaf=minbucket,
        n_jobs=params["n_jobs"],
        missing=Surrogates(
            keep=params["maxsurrogate"], agreement="both" if params["surrogatestyle"] else "all"
        ),
        unseen="missing",
        max_competitors=params["maxcompete"],
        class_prior=params.get("prior"),
        cost_matrix=params.get("loss"),
        column_cost=params["cost"],
        rpart=RpartRules(shrink=resolve_shrink(params), use_surrogate=params["usesurrogate"]),
    )


def with_rpart_rules(options: GrowOptions, **rules: Any) -> GrowOptions:
    """Return a copy of the growing options with some of rpart's rules changed."""
    assert options.rpart is not None
    return replace(options, rpart=replace(options.rpart, **rules))
