"""The options of growing: one row each.

A field of `OptionRows` is the declaration of its option: default, allowed values, documentation,
the growers that support it and the core's name for it. The estimators' parameters, their checks and
docstrings, and the flags of the command line are made from these rows. `GrowOptions` adds what the
values mean (`grow_options.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final, Literal

from ceiba.criteria import TEST_CRITERIA, Task, criterion_names
from ceiba.grow.option_objects import (
    FORCED_SPLITS,
    Chaid,
    GainRatio,
    Multiway,
    Significance,
    Surrogates,
)
from ceiba.grow.search.options import Lookahead, Optimal
from ceiba.options import (
    Check,
    Option,
    array_like,
    boolean,
    fraction,
    instance,
    integer,
    nothing,
    number,
    one_of,
)

#: The ways to grow. "search" is the greedy search of the core; the others add rules to it
#: ("bins", "gain_ratio", "significance") or replace it ("tests": CHAID; "best": lookahead and the
#: exact search).
Grower = Literal["search", "bins", "gain_ratio", "significance", "tests", "best"]

_ALL: Final = frozenset({"search", "bins", "gain_ratio", "significance", "tests", "best"})


def _without(*growers: Grower) -> frozenset[str]:
    return _ALL - set(growers)


def _row(  # a field whose metadata is the option's row
    default: Any,
    *allowed: Check,
    kind: str,
    help: str,  # noqa: A002
    flag: Any = None,
    growers: frozenset[str] = _ALL,
    core: str | None = None,
    to_core: Callable[[Any], Any] | None = None,
) -> Any:
    made = Option("", default, allowed, kind, help, flag, growers, core, to_core)
    return field(default=default, metadata={"option": made})


def counted(limit: int | None) -> int:
    """Give a limit as the core counts: -1 is none, and 2**31 - 1 is as good as anything beyond."""
    return -1 if limit is None else min(int(limit), 2**31 - 1)


def _is_int_in(value: Any, low: int, high: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high


@dataclass(frozen=True)
class RpartRules:
    """Rules that only rpart has; `ceiba.rpart` sets them.

    Attributes
    ----------
    min_gain_ratio : float
        A split must have more than this share of the root's gain.
    shrink : float
        poisson: coefficient of variation of the rates, see `ceiba.tree.grown`; 0: no shrinking.
    use_surrogate : {0, 1, 2}
        0: surrogates are only listed, and rows with a missing value stay in the node; 1: surrogates
        decide, else the row stays; 2: else it goes with the majority.
    min_risk_ratio, min_risk : float
        A node with no more risk R(t) than this is not split: as a share of the root's risk, or as a
        sum over rows. Below 0: off.

    Notes
    -----
    These come along: rows of weight 0 are counted and routed; a poisson branch may have no events;
    a level map is no surrogate unless it errs on two rows; without any surrogates, rows with a
    missing value stay in the node while growing.
    """

    min_gain_ratio: float = 1e-10
    shrink: float = 0.0
    use_surrogate: int = 2
    min_risk_ratio: float = -1.0
    min_risk: float = -1.0


@dataclass(frozen=True, kw_only=True)
class OptionRows:
    """The options of growing, as fields; `GrowOptions` is the value that travels to the core."""

    task: Task
    criterion: Any = ""  # "": gini or squared_error, by the task; rows: CRITERION_OPTION
    splitter: str = _row(
        "best",
        one_of("best", "random"),
        kind='{"best", "random"}',
        help="The best cut of each column, or the best of one random cut per column.",
        flag=str,
        growers=_without("best", "bins", "gain_ratio", "significance", "tests"),
        core="random_splitter",
        to_core=lambda value: value == "random",
    )
    max_depth: int | None = _row(
        None,
        integer(1),
        nothing,
        kind="int",
        help="Largest depth of a leaf. None: no limit.",
        flag=int,
        core="max_depth",
        to_core=counted,
    )
    min_samples_split: int | float = _row(
        2,
        integer(2),
        fraction(0.0, 1.0, "(]"),
        kind="int or float",
        help="Rows a node needs to be split. A float is a fraction of all rows, rounded up.",
        flag=float,
        growers=_without("best"),
    )
    min_samples_leaf: int | float = _row(
        1,
        integer(1),
        fraction(0.0, 1.0, "()"),
        kind="int or float",
        help="Rows each branch of a split needs. A float is a fraction of all rows, rounded up.",
        flag=float,
    )
    min_weight_fraction_leaf: float = _row(
        0.0,
        number(0.0, 0.5, "[]"),
        kind="float",
        help="Fraction of the total weight each branch of a split needs.",
        flag=float,
        growers=_without("best"),
    )
    max_features: int | float | str | None = _row(
        None,
        integer(1),
        fraction(0.0, 1.0, "(]"),
        one_of("sqrt", "log2"),
        nothing,
        kind='int, float or {"sqrt", "log2"}',
        help="Columns tried at each node, drawn at random. None: all.",
        flag=float,
        growers=_without("best", "bins", "gain_ratio", "significance", "tests"),
    )
    max_leaf_nodes: int | None = _row(
        None,
        integer(2),
        nothing,
        kind="int",
        help="Largest number of leaves. The node whose split gains most is split first.",
        flag=int,
        growers=_without("significance", "tests"),
        core="max_leaf_nodes",
        to_core=counted,
    )
    min_impurity_decrease: float = _row(
        0.0,
        number(0.0),
        kind="float",
        help="A split must decrease the impurity of the tree by at least this much.",
        flag=float,
        growers=_without("best", "tests"),
        core="min_gain",
    )
    max_bins: int | None = _row(
        None,
        Check("an int from 2 to 255", lambda value: _is_int_in(value, 2, 255)),
        nothing,
        kind="int",
        help="Cut numeric columns only at the edges of this many quantile bins, 2 to 255, which is "
        "faster. None: the exact search.",
        flag=int,
        growers=_without("best", "gain_ratio", "tests"),
    )
    min_significance: Any = _row(
        None,
        number(0.0, 1.0, "()"),
        instance("a Significance object", Significance),
        nothing,
        kind="float or Significance",
        help="Split a node only if the p-value of a column's best split is at most this, and by "
        "the column with the smallest one. The p-values allow for the search over cuts, level sets "
        "and columns.",
        flag=float,
        growers=_without("best", "tests"),
    )
    monotonic_cst: Any = _row(
        None,
        array_like(),
        instance("a dict of column name to -1, 0 or 1", dict),
        nothing,
        kind="array-like of int or dict",
        help="For each column 1 (the prediction, or the probability of the second of two classes, "
        "never decreases with it), -1 (never increases) or 0.",
        growers=_without("best", "gain_ratio", "significance", "tests"),
    )
    n_jobs: int | None = _row(
        None,
        Check(
            "an int that is not 0",
            lambda value: (
                isinstance(value, Integral) and not isinstance(value, bool) and value != 0
            ),
        ),
        nothing,
        kind="int",
        help="Threads. None: all cores, and one for small tables. The tree does not depend on it.",
        flag=int,
    )
    missing: Any = _row(
        "learn",
        one_of("learn", "majority", "surrogate", "fractional", "error"),
        instance("a Surrogates object", Surrogates),
        kind='{"learn", "majority", "surrogate", "fractional", "error"} or Surrogates',
        help='Where rows with a missing value go. "learn": tried on both sides of each split '
        '(scikit-learn). "majority": the branch with more weight. "surrogate": where surrogate '
        'splits send them (rpart). "fractional": down every branch by its share (C4.5). "error": '
        "missing values are refused.",
        flag=str,
    )
    unseen: str = _row(
        "majority",
        one_of("majority", "missing", "error", "default"),
        kind='{"majority", "missing", "error", "default"}',
        help="What a level does that the node has not seen: go where more rows go, count as "
        'missing, be refused, or end the way with the answer of the root ("default").',
        flag=str,
    )
    categorical_splits: Any = _row(
        "binary",
        one_of("binary", "multiway"),
        instance("a Multiway object", Multiway),
        kind='{"binary", "multiway"} or Multiway',
        help="Levels go two ways, or one branch per level.",
        flag=str,
        growers=_without("best", "tests"),
    )
    max_competitors: int = _row(
        0,
        integer(0),
        kind="int",
        help="Runner-up splits kept at each node.",
        flag=int,
        growers=_without("best", "significance", "tests"),
        core="max_competitors",
        to_core=counted,
    )
    class_prior: Any = _row(
        None,
        array_like("an array-like of one share per class"),
        instance("a dict of class to share", dict),
        nothing,
        kind="array-like or dict",
        help="Class shares in the population, if those of the table differ. Not together with "
        "`class_weight`.",
        growers=_without("gain_ratio", "significance", "tests"),
    )
    cost_matrix: Any = _row(
        None,
        array_like("an array-like of shape (n_classes, n_classes)"),
        instance("a dict of (truth, predicted) to cost", dict),
        nothing,
        kind="array-like of shape (n_classes, n_classes) or dict",
        help="`cost_matrix[i, j]`: cost of predicting j when the truth is i; or "
        "`{(truth, predicted): cost}`.",
        growers=_without("gain_ratio", "significance", "tests"),
    )
    column_cost: Any = _row(
        None,
        array_like("an array-like of one cost per column"),
        instance("a dict of column name to cost", dict),
        nothing,
        kind="array-like or dict",
        help="Cost of measuring a column; its gain is divided by it.",
        growers=_without("best", "significance", "tests"),
    )
    frequency_weights: bool = _row(
        False,
        boolean,
        kind="bool",
        help="A weight of k means the row k times in every rule that counts rows.",
        growers=_without("best"),
    )
    search: Any = _row(
        "greedy",
        one_of("greedy", "lookahead", "optimal"),
        instance("a Lookahead or an Optimal object", Lookahead, Optimal),
        kind='{"greedy", "lookahead", "optimal"} or object',
        help='How the tree is searched for. "greedy": split by split. "lookahead": the first split '
        'of the best tree of depth 2, node by node. "optimal": the tree of least training loss, '
        "with a proof; needs `max_depth`.",
        flag=str,
        growers=frozenset({"search", "best"}),
    )
    forced_splits: Any = _row(
        None,
        FORCED_SPLITS,
        nothing,
        kind="str, split or tuple",
        help='Splits at the top of the tree, as they are printed: "age <= 30", or with what '
        'follows, as in `ceiba.tree.build`, `("age <= 30", None, ("city = Oslo", None, None))`; '
        "None: the tree is free there. Cross-validation and pruning see them.",
        growers=_without("best"),
    )
    seed: int = 0
    rpart: RpartRules | None = None


def _criterion_option(task: Task) -> Option:
    impurities = criterion_names(task)
    tests = tuple(name for name, of in TEST_CRITERIA.items() if of == task)
    classes = task == "classification"
    objects = (GainRatio, Chaid) if classes else (Chaid,)
    kinds = " or ".join(f"{one.__name__}" for one in objects)
    listed = ", ".join(f'"{name}"' for name in (*impurities, *tests))
    return Option(
        "criterion",
        "gini" if classes else "squared_error",
        (one_of(*impurities, *tests), instance(f"a {kinds} object", *objects)),
        f"{{{listed}}} or {kinds}",
        "What a split must improve. "
        + (
            '"log_loss" is another name of "entropy", which is in bits. "hellinger" is for rare '
            'classes. "gain_ratio" is the choice of C4.5, see `ceiba.c45`. "chi2" and '
            '"likelihood_ratio" are the tests of CHAID, see `ceiba.chaid`.'
            if classes
            else '"friedman_mse" is another name of "squared_error". "f_test" is the test of '
            "CHAID, see `ceiba.chaid`."
        ),
        flag=str,
        growers=_ALL,
    )


#: The criterion's row for each task, which has criteria of its own.
CRITERION_OPTION: Final[Mapping[Task, Option]] = MappingProxyType(
    {
        "classification": _criterion_option("classification"),
        "regression": _criterion_option("regression"),
    }
)
