"""Pruning table: all steps of a sequence with their risks and the chosen step.

The figures of R's `printcp` in ceiba's units, with a legend. One row per nested tree, the largest
first. alpha is in units of the mean risk; cp and the relative columns are divided by R(root).
"""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.prune.cost_complexity import PruningSequence, steps_of_leaves, sums_by_step
from ceiba.prune.cross_validation.validate import CrossValidation
from ceiba.tree import Tree

Rule = Literal["min", "1se"]
Array = npt.NDArray[np.float64]

# Equal risks may differ in the last bits if their losses were summed in a different order.
_NOISE: Final = 1e-12

_LOSSES: Final = {
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
    "poisson": "half the mean Poisson deviance",
    "logrank": "half the mean exponential deviance",
    "exponential": "half the mean exponential deviance",
}
_SCORES: Final = {
    "error": "share of wrong predictions",
    "log_loss": "log loss",
    "brier": "Brier score",
    "auc": "1 - AUC, mean of the folds,",
    "concordance": "1 - Harrell's C, mean of the folds,",
}


class PruningTable(Listing):
    """The steps of a pruning sequence as a table, with a mark at the chosen step.

    Columns: `alpha`, `cp`, `n_leaves`, `n_splits`, `risk`; after cross-validation `cv_risk`,
    `cv_se`, after several repeats `cv_sd`; `relative_risk` and so on: divided by R(root); `chosen`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(prune="1se").fit(X, y)
    >>> table = model.pruning_table_
    >>> table["n_leaves"].tolist(), table.chosen_step
    ([9, 7, 4, 3, 2, 1], 3)
    >>> table.step("min")
    1
    """

    __slots__ = ()

    @property
    def chosen_step(self) -> int:
        """The row index of the chosen step."""
        return int(np.flatnonzero(self["chosen"])[0])

    def choosing(self, step: int, reason: str = "") -> PruningTable:
        """Return the table with a different chosen step."""
        figures = {name: self[name] for name in self.columns}
        figures["chosen"] = np.arange(len(self)) == step
        about, _, _ = self.legend.rpartition("\n")
        legend = "\n".join([about, _choice_text(figures, step, reason)])
        return PruningTable(figures, title=self.title, legend=legend)

    def step(self, rule: Rule) -> int:
        """Return the row index of the step that the rule "min" or "1se" chooses."""
        if "cv_risk" not in self:
            raise OptionError("This table has no cross-validated risks. Fit with prune='cv'.")
        return choose_step(self["cv_risk"], self["cv_se"], rule)


def choose_step(risk: npt.NDArray[Any], se: npt.NDArray[Any], rule: Rule) -> int:
    """Return the step that a rule chooses from a sequence of trees that ends with the root."""
    # "min" chooses the smallest tree with the lowest risk, and "1se" the smallest tree whose risk
    # is at most one standard error higher (Breiman et al. 1984, section 3.4.3).
    least = float(risk.min())
    best = int(np.flatnonzero(risk <= least + _NOISE * abs(least))[-1])
    if rule == "min":
        return best
    limit = least + float(se[best])
    return int(np.flatnonzero(risk <= limit + _NOISE * abs(limit))[-1])


def pruning_table(
    sequence: PruningSequence,
    step: int,
    *,
    cv: CrossValidation | None = None,
    reason: str = "",
    score: str = "cost",
) -> PruningTable:
    """Return the table of a pruning sequence, with cross-validated risks if `cv` is given."""
    tree = sequence.whole_tree
    figures: dict[str, npt.NDArray[Any]] = {
        "alpha": sequence.alpha,
        "cp": sequence.cp,
        "n_leaves": sequence.n_leaves,
        "n_splits": sequence.n_splits,
    }
    root = float(tree.risk[0])
    if sequence.kind == "impurity":
        figures["impurity"] = sequence.risk
    if np.isfinite(root):  # NaN with several class outputs; infinite on overflow
        figures["risk"] = sequence.risk
        if sequence.kind == "impurity":
            born, dies = steps_of_leaves(tree, sequence.alpha, sequence.node_alpha)
            figures["risk"] = sums_by_step(born, dies, tree.risk, len(sequence))
        if cv is not None:
            figures |= {"cv_risk": cv.risk, "cv_se": cv.se}
            figures |= {"cv_sd": cv.sd} if cv.n_repeats > 1 else {}
        figures |= {
            f"relative_{name}": figures[name] / (root if root > 0 else 1.0)
            for name in (("risk", "cv_risk", "cv_se") if score == "cost" else ("risk",))
            if name in figures
        }
    figures["chosen"] = np.arange(len(sequence)) == step
    title = "cost-complexity pruning"
    if cv is not None:
        times = "" if cv.n_repeats == 1 else f", {cv.n_repeats} times"
        title += f", {cv.n_folds}-fold cross-validation{times}"
    return PruningTable(
        figures, title=title, legend=_legend(tree, sequence, figures, root, step, cv, reason, score)
    )


def risk_unit(tree: Tree, kind: str) -> str:
    """Return the unit of a tree's risk as text, such as "mean cost"."""
    if kind == "impurity":
        return f"mean impurity ({tree.criterion})"
    if not tree.task.has_classes:
        return _LOSSES.get(tree.criterion, f"mean pinball loss, {tree.criterion}")
    unit = "share of misclassified weight" if tree.cost_matrix is None else "mean cost"
    return unit if tree.class_prior is None else f"prior-weighted {unit}"


def _legend(
    tree: Tree,
    sequence: PruningSequence,
    figures: dict[str, npt.NDArray[Any]],
    root: float,
    step: int,
    cv: CrossValidation | None,
    reason: str,
    score: str,
) -> str:
    unit, kind = risk_unit(tree, "cost"), risk_unit(tree, sequence.kind)
    lines = [
        f"alpha: cost per leaf, in the unit of the {kind}; the tree of a row is the best one from "
        "its alpha up to the next",
        f"cp: alpha / R(root), R(root) = {sequence.root_risk:.6g}",
    ]
    if "risk" in figures:
        about = f"risk: R(T), {unit}, on the training rows"
        if cv is not None:
            of = f" {_SCORES[score]}" if score in _SCORES else ""
            about += f"; cv_risk, cv_se:{of} on held-out rows, with its standard error"
            if cv.n_repeats > 1:
                about += "; cv_sd: standard deviation between repeats"
        lines += [about, f"relative_...: divided by the risk of the root, {root:.6g}"]
    return "\n".join([*lines, _choice_text(figures, step, reason)])


def _choice_text(figures: dict[str, npt.NDArray[Any]], step: int, reason: str) -> str:
    """Return the last line of the legend, which describes the chosen step."""
    leaves = int(figures["n_leaves"][step])
    return (
        f"chosen: alpha {figures['alpha'][step]:.6g}, {leaves} "
        f"{'leaf' if leaves == 1 else 'leaves'}{f' ({reason})' if reason else ''}"
    )
