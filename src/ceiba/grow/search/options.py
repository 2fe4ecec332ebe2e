"""How a tree is searched for: `Lookahead` and `Optimal`, as objects with parameters by name."""

from __future__ import annotations

from typing import Literal

from ceiba.options import OptionObject, integer, nothing, number, one_of, parameter

ClassLoss = Literal["error", "gini", "entropy"]

_LOSS = (one_of("error", "gini", "entropy"), nothing)


class Lookahead(OptionObject):
    """Solve the best tree of a small depth at each node, keep its first split, go on below.

    Polynomial in rows and columns, and mostly close to the optimum. Nothing is proven.

    Parameters
    ----------
    depth : int, default=2
        Depth of the tree that is solved at each node. Each further level multiplies the time.
    penalty : float, default=0.0
        Cost per leaf, in units of risk as `ccp_alpha` is.
    loss : {"error", "gini", "entropy"}, default=None
        Classification: the loss of a leaf. None: "error", the misclassification cost under
        weights, priors and costs. Regression trees use their criterion.

    Examples
    --------
    >>> from ceiba.grow import Lookahead
    >>> Lookahead(penalty=0.01)
    Lookahead(penalty=0.01)
    """

    depth: int = parameter(integer(1), default=2)
    penalty: float = parameter(number(0.0), default=0.0)
    loss: ClassLoss | None = parameter(*_LOSS, default=None)


class Optimal(OptionObject):
    """Search for the tree of least training loss, and prove that there is no better one.

    The search always returns a tree; its certificate says how far it can be from the best.

    Parameters
    ----------
    time_limit : float, default=60.0
        Seconds after which the best tree so far is taken.
    gap : float, default=0.0
        The search may end when the objective is proven to be within this share of the optimum.
    memory_limit : float, default=1024.0
        Megabytes for sorted columns and for the cache of solved parts. A smaller cache costs time,
        never the answer.
    penalty : float, default=0.0
        Cost per leaf, in units of risk as `ccp_alpha` is.
    loss : {"error", "gini", "entropy"}, default=None
        Classification: the loss of a leaf. None: "error", the misclassification cost under
        weights, priors and costs. Regression trees use their criterion.

    Examples
    --------
    >>> from ceiba.grow import Optimal
    >>> Optimal(time_limit=10).set_params(gap=0.01)
    Optimal(time_limit=10, gap=0.01)
    """

    time_limit: float = parameter(number(0.0), default=60.0)
    gap: float = parameter(number(0.0, 1.0, "[)"), default=0.0)
    memory_limit: float = parameter(number(0.0, brackets="()"), default=1024.0)
    penalty: float = parameter(number(0.0), default=0.0)
    loss: ClassLoss | None = parameter(*_LOSS, default=None)
