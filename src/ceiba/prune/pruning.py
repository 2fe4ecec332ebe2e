"""What all pruning objects share: parameters by name, as scikit-learn reads and sets them.

An object such as `CostComplexity(folds=5)` says how to prune; estimators take it as `prune=`. It
has `get_params` and `set_params`, so that `clone`, grid search (`prune__folds`) and pipelines treat
it as they treat an estimator; scikit-learn itself is not imported here.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.options.checks import Check, check_options

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem
    from ceiba.listing import Listing
    from ceiba.prune.cross_validation.validate import CrossValidation
    from ceiba.tree import Tree

__all__ = ["Pruned", "Pruning"]


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


class Pruning(ABC):
    """Base of the pruning objects; not for direct use."""

    _allowed: ClassVar[Mapping[str, tuple[Check, ...]]] = {}

    @abstractmethod
    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune a tree; `problem` is what it was grown on, for prunings that need the data."""

    def fit(self, problem: Problem) -> Pruned:
        """Grow a tree and prune it."""
        return self.prune(problem.grow(), problem)

    # ------------------------------------------------------------------ parameters

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        names = self._names()
        for name, value in params.items():
            if name not in names:
                raise OptionError(
                    f"{type(self).__name__} has no parameter {name!r}; it has "
                    f"{', '.join(names)}.{did_you_mean(name, names)}"
                )
            setattr(self, name, value)
        return self

    def _check(self) -> None:
        """Refuse wrong values, when they are used (set_params must be free to set them)."""
        check_options(self.get_params(), self._allowed, type(self).__name__)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        stated = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not _same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(stated)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


def _same(a: Any, b: Any) -> bool:
    """Compare parameters, of which some are arrays and some have no equality."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    return type(a) is type(b) and bool(a == b)
