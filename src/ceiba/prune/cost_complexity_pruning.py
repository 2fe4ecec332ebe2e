"""Cost-complexity pruning with a given or cross-validated alpha or size.

This file also reads `prune=`: None, a name ("cv" and "1se" are short for `CostComplexity`), or a
pruning object. `cost_complexity.py` computes the sequence of one tree, `cross_validation/`
validates it, and `pruning_table.py` chooses a step.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.grow import Problem
from ceiba.listing import Listing
from ceiba.options import boolean, check_options, integer, nothing, number, one_of, parameter
from ceiba.prune.cost_complexity import PruningSequence, Risk, pruning_sequence
from ceiba.prune.cross_validation.fold_tree import SCORES, Score
from ceiba.prune.cross_validation.validate import CrossValidation, cross_validate
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.prune.pruning_table import PruningTable, Rule, choose_step, pruning_table
from ceiba.tree import Tree

_REASONS = {"min": "the least cv_risk", "1se": "the 1-SE rule"}
#: Strings that `prune=` accepts.
PRUNING_NAMES: Final = ("cv", "1se")
# Names of other pruning methods, for hints in error messages.
_CLASSES: Final = {
    "chi2": "ChiSquare()",
    "chisquare": "ChiSquare()",
    "pessimistic": "Pessimistic()",
    "c45": "Pessimistic()",
    "ebp": "Pessimistic()",
    "reducederror": "ReducedError(...)",
    "rep": "ReducedError(...)",
    "mdl": "DescriptionLength()",
    "descriptionlength": "DescriptionLength()",
    "sameanswer": "SameAnswer()",
    "costcomplexity": "CostComplexity(...)",
    "min": "CostComplexity(rule='min'), or prune='cv'",
}


class CostComplexity(Pruning):
    """Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3).

    With neither `alpha` nor `n_leaves`, cross-validation chooses the tree of the pruning sequence.
    It grows one tree per fold, and scores every step of the sequence on the held-out rows.

    Parameters
    ----------
    alpha : float, default=None
        Cost per leaf, in units of the mean risk, for pruning without cross-validation.
    n_leaves : int, default=None
        Maximum number of leaves, also for pruning without cross-validation.
    folds : int, "leave-one-out", array-like, splitter or pairs, default=10
        A number of random folds (at most one per row); one fold id per row; any splitter of
        scikit-learn; pairs of training and test rows.
    rule : {"min", "1se"}, default="min"
        "min": the tree with the least cross-validated risk, on ties the smallest. "1se": the
        smallest tree whose risk is at most one standard error above the least.
    risk : {"cost", "impurity"}, default=None
        The risk of the pruning sequence: the expected misclassification cost (or the loss), or the
        impurity, as in scikit-learn's `ccp_alpha`. Held-out rows are scored by `score`.
        None: the cost if `score` is "cost" or "error"; else the impurity, because splits that
        change no prediction do not change the cost.
    repeats : int, default=1
        Number of times that rows are assigned to folds.
    stratify : bool, default=True
        Spread the rows of each class evenly over random folds; False: as rpart does.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group are held out together.
    score : {"cost", "error", "log_loss", "brier", "auc", "concordance"}, default="cost"
        The score of held-out rows by which a size is chosen: the expected cost of the predictions
        (without costs the error), the error regardless of costs, the log loss or the Brier score of
        the probabilities, or 1 - AUC (two classes; the mean of the folds). Survival: half the
        exponential deviance ("cost"), the integrated Brier score, or 1 - Harrell's C (the mean of
        the folds). The sequence itself is that of `risk`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds. None: the seed of the problem (the estimator's `random_state`, or 0).
    keep_unpruned : bool, default=False
        Keep the unpruned tree and the held-out predictions: `unpruned_tree_` and
        `cross_validation_` of the estimator.
    verbose : bool, default=False
        Print the number of finished folds on standard error.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import CostComplexity
    >>> X, y = load_iris(return_X_y=True)
    >>> pruning = CostComplexity(folds=5, rule="1se")
    >>> model = ceiba.DecisionTreeClassifier(prune=pruning).fit(X, y)
    >>> model.get_n_leaves(), round(model.alpha_, 4)
    (3, 0.0133)
    """

    alpha: float | None = parameter(number(0.0), nothing, default=None)
    n_leaves: int | None = parameter(integer(1), nothing, default=None)
    folds: Any = parameter(default=10)
    rule: Rule = parameter(one_of("min", "1se"), default="min")
    risk: Risk | None = parameter(one_of("cost", "impurity"), nothing, default=None)
    repeats: int = parameter(integer(1), default=1)
    stratify: bool = parameter(boolean, default=True)
    groups: Any = parameter(default=None)
    score: Score = parameter(one_of(*SCORES), default="cost")
    random_state: Any = parameter(default=None)
    keep_unpruned: bool = parameter(boolean, default=False)
    verbose: bool = parameter(default=False)

    @property
    def sequence_risk(self) -> Risk:
        """The risk that defines the pruning sequence, either "cost" or "impurity"."""
        if self.risk is not None:
            return self.risk
        return "cost" if self.score in ("cost", "error") else "impurity"

    @property
    def by_folds(self) -> bool:
        """Whether cross-validation chooses the tree."""
        return self.alpha is None and self.n_leaves is None

    @property
    def needs_one_output(self) -> bool:
        """Whether trees with several outputs are rejected, because they have no single cost."""
        return self.by_folds or self.sequence_risk == "cost"

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Choose a tree of the pruning sequence by alpha, size or cross-validation."""
        self.check()
        if self.score != "cost" and not self.by_folds:
            raise OptionError(
                f"score={self.score!r} requires cross-validation, which alpha and n_leaves "
                "disable. Omit score, or omit alpha and n_leaves."
            )
        if self.alpha is not None and self.n_leaves is not None:
            raise OptionError("alpha is not supported with n_leaves. Pass only one of them.")
        if tree.n_outputs > 1 and self.alpha is None and self.n_leaves is None:
            raise OptionError(
                f"Cross-validated pruning requires a single-output target, got {tree.n_outputs} "
                "outputs. Use CostComplexity(alpha=..., risk='impurity'), or one tree per output."
            )
        sequence = pruning_sequence(tree, risk=self.sequence_risk)
        step, reason, cv = self._choose(sequence, problem)
        return Pruned(
            sequence.tree(step),
            pruning_table(sequence, step, cv=cv, reason=reason, score=self.score),
            alpha=float(sequence.alpha[step]) if self.alpha is None else float(self.alpha),
            unpruned=sequence.whole_tree if self.keep_unpruned else None,
            cross_validation=cv if self.keep_unpruned else None,
        )

    def _choose(
        self, sequence: PruningSequence, problem: Problem | None
    ) -> tuple[int, str, CrossValidation | None]:
        request = _requested_step(sequence, self.alpha, self.n_leaves)
        if request is not None:
            return *request, None
        if problem is None:
            raise OptionError(
                "CostComplexity requires the training data for cross-validation. Pass alpha or "
                "n_leaves, or pass prune=CostComplexity() to an estimator."
            )
        if not problem.table.is_whole:
            from ceiba.shards import with_targets

            problem = with_targets(problem)
        if np.count_nonzero(problem.row_weight) < 2:
            return 0, "one row cannot be cross-validated", None
        cv = cross_validate(
            sequence,
            problem,
            folds=self.folds,
            risk=self.sequence_risk,
            repeats=self.repeats,
            stratify=self.stratify,
            groups=self.groups,
            score=self.score,
            random_state=problem.options.seed if self.random_state is None else self.random_state,
            keep=self.keep_unpruned,
            verbose=bool(self.verbose),
        )
        return choose_step(cv.risk, cv.se, self.rule), _REASONS[self.rule], cv


def _requested_step(
    sequence: PruningSequence, alpha: float | None, n_leaves: int | None
) -> tuple[int, str] | None:
    """Return the step for `alpha` or `n_leaves` with the reason, or None if neither is given."""
    if alpha is not None:
        step = int(np.searchsorted(sequence.alpha, alpha, side="right")) - 1
        return step, f"alpha = {alpha!r} was requested"
    if n_leaves is not None:
        step = int(np.argmax(sequence.n_leaves <= n_leaves))
        return step, f"n_leaves = {n_leaves!r} was requested"
    return None


def choose_other_step(
    unpruned: Tree | None,
    table: Listing | None,
    alpha: float | None,
    n_leaves: int | None,
    rule: Rule | None,
) -> Pruned:
    """Choose another tree of the pruning sequence, as the estimators' method `reprune` does."""
    if unpruned is None or not isinstance(table, PruningTable):
        raise OptionError(
            "reprune requires the unpruned tree. Fit with prune=CostComplexity(keep_unpruned=True)."
        )
    choices = {"alpha": alpha, "n_leaves": n_leaves, "rule": rule}
    params = {name: value for name, value in choices.items() if value is not None}
    if len(params) != 1:
        raise OptionError(f"Pass exactly one of alpha, n_leaves and rule, got {list(params)}.")
    check_options(params, CostComplexity._allowed, "reprune")
    sequence = pruning_sequence(unpruned, risk="impurity" if "impurity" in table else "cost")
    choice = _requested_step(sequence, alpha, n_leaves)
    if choice is None:
        assert rule is not None
        choice = table.step(rule), _REASONS[rule]
    step, reason = choice
    chosen = float(sequence.alpha[step]) if alpha is None else float(alpha)
    return Pruned(sequence.tree(step), table.choosing(step, reason), alpha=chosen)


def read_pruning(prune: Any) -> Pruning | None:
    """Return the pruning object for a value of `prune=`."""
    if prune is None or isinstance(prune, Pruning):
        return prune
    if prune == "cv":
        return CostComplexity()
    if prune == "1se":
        return CostComplexity(rule="1se")
    hint = did_you_mean(prune, PRUNING_NAMES) if isinstance(prune, str) else ""
    if isinstance(prune, str):
        name = prune.lower().replace("-", "").replace("_", "").replace(" ", "")
        if name in _CLASSES:
            hint = f" Pass the object prune=ceiba.prune.{_CLASSES[name]}."
    if isinstance(prune, int | float) and not isinstance(prune, bool):
        hint = f" Pass an alpha as CostComplexity(alpha={prune!r})."
    raise OptionError(
        f"prune must be None, 'cv', '1se' or an object from ceiba.prune, got {prune!r}.{hint}"
    )


def with_groups(prune: Any, groups: Any, present: Any = None) -> Any:
    """Return a copy of the pruning object that keeps the rows of each group in one fold."""
    pruning = read_pruning(prune)
    if not isinstance(pruning, CostComplexity) or not pruning.by_folds:
        raise OptionError(
            f"groups requires pruning by cross-validation, got prune={prune!r}. Use prune='cv', "
            "'1se' or CostComplexity without alpha and n_leaves, or omit groups."
        )
    if pruning.groups is not None:
        raise OptionError("groups must be passed to fit or to CostComplexity, not to both.")
    labels = np.asarray(groups) if present is None else np.asarray(groups)[present]
    grouped = copy(pruning)
    grouped.groups = labels
    return grouped
