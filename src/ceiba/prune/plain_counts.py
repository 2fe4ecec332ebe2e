"""Prunings that count rows: they cannot weigh classes, so costs and priors are refused."""

from __future__ import annotations

from ceiba.errors import OptionError
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
