"""What all pruning objects share: an object such as `CostComplexity(folds=5)` is a `prune=`."""

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
    """Refuse trees with a cost matrix or class priors, which this pruning would ignore."""
    named = [name for name in ("cost_matrix", "class_prior") if getattr(tree, name) is not None]
    if named:
        raise OptionError(
            f"{pruning} {why} and takes no account of {' and '.join(named)}, with which this tree "
            "was grown. Use CostComplexity or ReducedError, or weight the rows instead "
            "(class_weight)."
        )


@dataclass(frozen=True, eq=False)
class Pruned:
    """What a pruning made of a tree.

    Attributes
    ----------
    tree : Tree
        The pruned tree.
    table : Listing, optional
        What was looked at: steps of a pruning sequence, or nodes with their tests.
    alpha : float, optional
        The chosen cost per leaf (cost-complexity pruning).
    unpruned : Tree, optional
        The tree before, if it was to be kept.
    cross_validation : CrossValidation, optional
        The held-out figures and predictions, if they were to be kept.
    """

    tree: Tree
    table: Listing | None = None
    alpha: float | None = None
    unpruned: Tree | None = None
    cross_validation: CrossValidation | None = None


class Pruning(OptionObject, ABC):
    """Base of the pruning objects; not for direct use."""

    @property
    def needs_one_output(self) -> bool:
        """Whether a tree of several outputs is refused."""
        return True

    @abstractmethod
    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune a tree; `problem` is what it was grown on, for prunings that need the data."""

    def fit(self, problem: Problem) -> Pruned:
        """Grow a tree and prune it."""
        return self.prune(problem.grow(), problem)
