"""Base class and result of pruning objects such as `CostComplexity(folds=5)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.listing import Listing
from ceiba.options import OptionObject
from ceiba.prune.cross_validation.validate import CrossValidation
from ceiba.tree import Tree


def refuse_costs_and_priors(tree: Tree, pruning: str, why: str) -> None:
    """Raise an error for a cost matrix or class priors, which the pruning method would ignore."""
    names = [name for name in ("cost_matrix", "class_prior") if getattr(tree, name) is not None]
    if names:
        raise OptionError(
            f"{pruning} {why} and would ignore {' and '.join(names)}. Use CostComplexity "
            "or ReducedError, or pass class_weight instead."
        )


@dataclass(frozen=True, eq=False)
class Pruned:
    """Result of pruning: the pruned tree, and its pruning table, alpha and cross-validation.

    Attributes
    ----------
    tree : Tree
        The pruned tree.
    table : Listing, optional
        The steps of a pruning sequence, the tested nodes, or the sizes before and after pruning.
    alpha : float, optional
        The chosen cost per leaf (cost-complexity pruning).
    unpruned : Tree, optional
        The unpruned tree, with `keep_unpruned`.
    cross_validation : CrossValidation, optional
        The held-out risks and predictions, with `keep_unpruned`.
    """

    tree: Tree
    table: Listing | None = None
    alpha: float | None = None
    unpruned: Tree | None = None
    cross_validation: CrossValidation | None = None


class Pruning(OptionObject, ABC):
    """Abstract base class of pruning objects."""

    @property
    def needs_one_output(self) -> bool:
        """Whether pruning raises an error for trees with several outputs."""
        return True

    @abstractmethod
    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune a tree; `problem` contains the training data, which some methods require."""

    def fit(self, problem: Problem) -> Pruned:
        """Grow a tree on the training rows of `problem`, and prune it."""
        return self.prune(problem.grow(), problem)
