"""Certificate of a tree search: its objective, a lower bound and why the search ended.

objective = sum over training rows of the loss + penalty x total weight x leaves. The loss is the
misclassification cost (errors if nothing is weighted), gini, entropy, squared or absolute
error. No tree within the limits of depth, leaves and leaf size has an objective below
`lower_bound`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

Status = Literal["proven", "gap", "time", "interrupted", "lookahead"]

_STOP_REASONS: Final = {
    "gap": "The search ended because it reached the requested gap.",
    "time": "The search ended at its time limit, after {seconds:.3g} s.",
    "interrupted": "The search was interrupted after {seconds:.3g} s.",
    "lookahead": "The tree was found by lookahead, which proves no bound.",
}
UNITS: Final = {
    "error": "errors",
    "cost": "misclassification cost",
    "gini": "gini impurity",
    "entropy": "entropy",
    "squared_error": "squared error",
    "absolute_error": "absolute error",
}


@dataclass(frozen=True)
class Certificate:
    """Certificate of a tree found by search, with its objective and a proven lower bound.

    Attributes
    ----------
    objective : float
        Training loss of the tree, summed over rows, plus penalty x total weight x leaves.
    lower_bound : float
        No tree within the same limits has an objective below this bound.
    status : {"proven", "gap", "time", "interrupted", "lookahead"}
        Whether the tree is proven optimal, or why the search ended early.
    loss : str
        The loss that is summed.
    max_depth : int or None
        Depth limit of the search.
    penalty : float
        Cost per leaf in the unit of the objective.
    n_leaves : int
        Leaves of the tree.
    all_level_sets : bool
        Whether all level sets were tried. If a categorical column has too many levels, the bound
        holds for trees that use the documented candidate sets only.
    nodes : int
        Number of cuts evaluated.
    seconds : float
        Wall time of the search.

    Examples
    --------
    >>> from ceiba.grow import Certificate
    >>> print(Certificate(objective=41, lower_bound=41, status="proven", max_depth=3))
    No tree of depth 3 has fewer than 41 errors on these rows; this one has 41.
    """

    objective: float
    lower_bound: float
    status: Status
    loss: str = "error"
    max_depth: int | None = None
    penalty: float = 0.0
    n_leaves: int = 1
    all_level_sets: bool = True
    # The search effort is not compared, because it may differ between equal trees.
    nodes: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def proven(self) -> bool:
        """Whether it is proven that no tree within the limits has a smaller objective."""
        return self.status == "proven"

    @property
    def gap(self) -> float:
        """Largest possible improvement by another tree, as a fraction of the objective."""
        if self.objective <= 0:
            return 0.0
        return max(0.0, (self.objective - self.lower_bound) / self.objective)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the certificate as a JSON-serializable dict.

        Examples
        --------
        >>> from ceiba.grow import Certificate
        >>> Certificate(objective=3, lower_bound=2, status="time").to_dict()["lower_bound"]
        2
        """
        return asdict(self)

    def __str__(self) -> str:
        trees = "No tree" if self.max_depth is None else f"No tree of depth {self.max_depth}"
        less = "fewer than" if self.loss == "error" and not self.penalty else "less than"
        unknown = self.lower_bound <= 0 and not self.proven  # every loss is at least 0
        if unknown:
            text = f"This tree has {self._amount(self.objective)} {self._unit} on these rows."
            if self.status != "lookahead":
                text += " The largest possible improvement is unknown."
        else:
            text = (
                f"{trees} has {less} {self._amount(self.lower_bound)} {self._unit} on these rows; "
                f"this one has {self._amount(self.objective)}."
            )
        if not self.proven:
            if not unknown:
                text += f" The gap is {100 * self.gap:.2g} %."
            text += " " + _STOP_REASONS[self.status].format(seconds=self.seconds)
        if not self.all_level_sets:
            text += (
                " Only candidate sets of levels were tried for columns with many levels. "
                "The bound holds for trees that use these sets."
            )
        return text

    @property
    def _unit(self) -> str:
        unit = UNITS[self.loss]
        amount = self.lower_bound if self.lower_bound > 0 or self.proven else self.objective
        if self.loss == "error" and amount == 1 and not self.penalty:
            unit = "error"
        return f"{unit} + {self._amount(self.penalty)} per leaf" if self.penalty else unit

    def _amount(self, value: float) -> str:
        if self.loss == "error" and float(value).is_integer():
            return str(int(value))
        return f"{value:.6g}"
