"""Prune splits that are not significant by a chi-square or F test.

From the bottom up, nodes whose branches are all leaves are tested for independence of class and
branch with the chi-square test, or the F test for numbers (Quinlan 1986, Induction of decision
trees, section 6). A node that is not significant becomes a leaf, and its parent may be tested next.
`independence.py` handles small counts; `search_p_values.py` corrects for the search over splits.

The significance level applies to each node, so a large tree of noise may keep a split and all nodes
above it. Lower `significance` for deep trees, or prune by cross-validation.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.grow.significance import Correction, Method, SplitTest, TestResult
from ceiba.listing import Listing
from ceiba.options import boolean, integer, number, one_of, parameter
from ceiba.prune.pruning import Pruned, Pruning, refuse_costs_and_priors
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

Rows = npt.NDArray[np.intp]
_STATISTIC: Final = {Task.CLASSIFICATION: "chi-square", Task.REGRESSION: "F"}


def chi_square(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    significance: float = 0.05,
    correction: Correction = "bonferroni",
    p_value: Method = "auto",
    frequency_weights: bool = False,
) -> Tree:
    """Collapse splits that are not significant, from the bottom up.

    Parameters
    ----------
    tree : Tree
    X, y : table and target
        The rows that the tree was grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional
        Zero-weight rows are omitted. Other weights count only with frequency_weights=True.
    significance, correction, p_value
        As in `ChiSquare`.
    frequency_weights : bool, default=False
        Whether a row of weight k counts as k rows.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> import ceiba
    >>> from ceiba.prune import chi_square
    >>> rng = np.random.default_rng(0)
    >>> X, y = {"noise": rng.choice(list("abcdefgh"), 400)}, rng.choice(["no", "yes"], 400)
    >>> tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    >>> tree.n_leaves, chi_square(tree, X, y).n_leaves
    (8, 1)
    """
    problem = Problem.like(tree, X, y, sample_weight, frequency_weights=frequency_weights)
    pruning = ChiSquare(significance=significance, correction=correction, p_value=p_value)
    return pruning.prune(tree, problem).tree


class ChiSquare(Pruning):
    """Chi-square pruning (Quinlan 1986), with the F test for regression.

    Parameters
    ----------
    significance : float, default=0.05
        A split is kept if its p-value is at most this.
    correction : {"bonferroni", "search", "none"}, default="bonferroni"
        "search": the p-value is corrected for the search over level sets or cuts of the column;
        "bonferroni": also multiplied by the number of columns; "none": the plain test of the
        branches, as in textbooks.
    p_value : {"auto", "asymptotic", "monte_carlo"}, default="auto"
        "auto": from the chi-square distribution where counts are large, else exact or by Monte
        Carlo.
    n_draws : int, default=1999
        Maximum number of Monte Carlo draws (more if the significance level requires them).
    random_state : int, default=0
        Seed of the Monte Carlo draws.
    keep_unpruned : bool, default=False

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import ChiSquare
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(prune=ChiSquare()).fit(X, y)
    >>> model.get_n_leaves()
    4
    """

    significance: float = parameter(number(0.0, 1.0, "()"), default=0.05)
    correction: Correction = parameter(one_of("bonferroni", "search", "none"), default="bonferroni")
    p_value: Method = parameter(one_of("auto", "asymptotic", "monte_carlo"), default="auto")
    n_draws: int = parameter(integer(1), default=1999)
    random_state: int = parameter(integer(0), default=0)
    keep_unpruned: bool = parameter(boolean, default=False)

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Test nodes from the bottom up and collapse those that are not significant."""
        self.check()
        if problem is None:
            raise OptionError(
                "ChiSquare requires the training data. Use chi_square(tree, X, y), or pass "
                "prune=ChiSquare() to an estimator."
            )
        if tree.n_outputs > 1:
            raise OptionError(
                f"ChiSquare requires a single-output target, got {tree.n_outputs} outputs. Fit one "
                "tree per output."
            )
        refuse_costs_and_priors(tree, "ChiSquare", "tests row counts")
        test = SplitTest(
            tree,
            problem,
            self.correction,
            self.p_value,
            self.significance,
            self.n_draws,
            self.random_state,
            # The Bonferroni correction counts the non-constant columns.
            max(sum(bool((c.values != c.values[:1]).any()) for c in problem.table.columns), 1),
        )
        tests, keeps = _test_bottom_up(tree, problem, test, self.significance)
        collapsed = [node for node in tests if not keeps[node]]
        return Pruned(
            tree.collapse(np.array(collapsed, np.intp)),
            _listing(tree, tests, keeps, self.significance),
            unpruned=tree if self.keep_unpruned else None,
        )


def _test_bottom_up(
    tree: Tree, problem: Problem, test: SplitTest, significance: float
) -> tuple[dict[int, TestResult], npt.NDArray[np.bool_]]:
    """Test the split of every node whose branches are leaves or have been pruned to leaves."""
    rows, end = np.arange(problem.n_rows), route.apply(tree, problem.table)
    if problem.weight is not None:
        rows, end = rows[problem.weight > 0], end[problem.weight > 0]
    order = np.argsort(end, kind="stable")
    rows, end = rows[order], end[order]  # in pre-order, the rows of each subtree are consecutive
    keeps = ~tree.is_leaf
    tests: dict[int, TestResult] = {}
    for node in np.flatnonzero(keeps)[::-1].tolist():
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        if not keeps[below].any():
            first, last = np.searchsorted(end, (node, tree.subtree_end[node]))
            tests[node] = test(node, rows[first:last])
            keeps[node] = tests[node].p_value <= significance
    return tests, keeps


def _listing(
    tree: Tree, tests: dict[int, TestResult], keeps: npt.NDArray[np.bool_], significance: float
) -> Listing:
    nodes = sorted(tests)
    names = tree.schema.names
    figures: dict[str, Any] = {
        "node": np.array(nodes, np.int64),
        "column": [names[int(tree.splits.column[i])] for i in nodes],
        "statistic": np.array([tests[i].statistic for i in nodes], np.float64),
        "df": [tests[i].df[0] if len(tests[i].df) == 1 else tests[i].df for i in nodes],
        "p_value": np.array([tests[i].p_value for i in nodes], np.float64),
        "p_value_by": [tests[i].method for i in nodes],
        "kept": np.array([bool(keeps[i]) for i in nodes], bool),
    }
    statistic = tree.task.lookup(_STATISTIC, "Chi-square pruning")
    legend = (
        "node: number in the unpruned tree; a node is tested if all its branches are leaves or "
        f"become leaves\nstatistic: {statistic}; a split is kept if p_value <= {significance:g}"
    )
    return Listing(figures, title="chi-square pruning", legend=legend)
