"""Trees about as good as the best: for each first question the best tree, if it is close enough.

Two trees that part the training rows alike count as one. The list shows how much of a small tree is
the data's word and how much is chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.combinations import check_combinations
from ceiba.grow.search.find import SearchState, run_search, tree_of
from ceiba.grow.search.options import Optimal
from ceiba.table import Table
from ceiba.tree import Tree

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem


@dataclass(frozen=True)
class Alternative:
    """One tree near the best.

    Attributes
    ----------
    tree : Tree
    objective : float
    question : str
        What its root asks.
    agreement : float
        Share of training rows that it answers as the best tree does (regression: the squared
        correlation of the two answers).
    """

    tree: Tree
    objective: float
    question: str
    agreement: float


@dataclass(frozen=True)
class Alternatives(Sequence[Alternative]):
    """Trees near the best, best first.

    Attributes
    ----------
    trees : tuple of Alternative
    complete : bool
        Whether these are all; False: there are more than asked for, the time was up, or a column
        has too many levels to try all sets of them.
    """

    trees: tuple[Alternative, ...]
    complete: bool

    def __len__(self) -> int:
        return len(self.trees)

    @overload
    def __getitem__(self, index: int) -> Alternative: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Alternative, ...]: ...
    def __getitem__(self, index: int | slice) -> Alternative | tuple[Alternative, ...]:
        return self.trees[index]

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.trees)

    def __str__(self) -> str:
        lines = ["objective  agreement  first question"]
        lines += [f"{a.objective:9.6g}  {a.agreement:9.3f}  {a.question}" for a in self.trees]
        if not self.complete:
            lines.append("... and perhaps more")
        return "\n".join(lines)


def find_alternatives(problem: Problem, *, within: float = 0.01, k: int = 50) -> Alternatives:
    """List trees within the same limits whose objective is close to the best one's.

    Parameters
    ----------
    problem : Problem
        Its options must ask for `Optimal`.
    within : float, default=0.01
        Trees cost at most this share more than the best.
    k : int, default=50
        The most trees to list.

    Returns
    -------
    Alternatives
        The best tree first.

    Examples
    --------
    >>> from ceiba.grow import GrowOptions, Problem
    >>> from ceiba.grow.search.alternatives import find_alternatives
    >>> from ceiba.table import read, read_target
    >>> table = read({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 0.0, 1.0, 2.0]})
    >>> target = read_target(["no", "no", "yes", "no"], task="classification", n_rows=4)
    >>> options = GrowOptions(task="classification", max_depth=1, search="optimal")
    >>> print(find_alternatives(Problem(table, target, options), within=0.5))
    objective  agreement  first question
            1      1.000  none: a leaf
            1      1.000  a <= 0.5
            1      1.000  b <= 1.5
    """
    if not within >= 0 or k < 1:
        raise OptionError(
            f"within must be at least 0 and k at least 1. Got within={within!r}, k={k!r}."
        )
    if not isinstance(problem.options.searched, Optimal):
        raise OptionError(
            "Alternatives come from the exact search. Use search='optimal'. "
            f"Got search={problem.options.search!r}."
        )
    check_combinations(problem.table, problem.target, problem.options, problem.weight)
    state = SearchState.of(problem, None)
    state.request.within = float(within)
    state.request.gap = 0.0  # what is close to the best can only be known with the best
    state.request.n_alternatives = k - 1
    out = run_search(state)
    trees = [tree_of(state, questions) for questions in (out["best"], *out["alternatives"])]
    answers = [_answers(tree, problem.table) for tree in trees]
    listed = tuple(
        Alternative(tree, state.objective(tree), _question(tree), _agreement(answers[0], own))
        for tree, own in zip(trees, answers, strict=True)
    )
    return Alternatives(listed, out["all_alternatives"] and out["exact_levels"])


def _question(tree: Tree) -> str:
    return "none: a leaf" if tree.n_nodes == 1 else tree.root.sentence(0)


def _answers(tree: Tree, table: Table) -> npt.NDArray[Any]:
    by_node = tree.answer if tree.task.has_classes else tree.value[:, 0, :]
    answers: npt.NDArray[Any] = np.asarray(by_node).reshape(tree.n_nodes, -1)[:, 0]
    return answers[tree.apply(table)]


def _agreement(best: npt.NDArray[Any], own: npt.NDArray[Any]) -> float:
    if best.dtype.kind != "f":
        return float((best == own).mean())
    if np.ptp(best) == 0 or np.ptp(own) == 0:
        return float(np.array_equal(best, own))
    return float(np.corrcoef(best, own)[0, 1] ** 2)
