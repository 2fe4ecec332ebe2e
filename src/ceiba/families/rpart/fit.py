"""Base class of the rpart estimators: fitting, cross-validation and R's statistics.

The tree is grown almost regardless of cp, then collapsed by rpart's complexities (alpha = cp times
the risk of the root; `complexity.py`), which gives the tree at which rpart stops while growing. A
poisson tree predicts rates: its target is events / time, and weights are multiplied by time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from textwrap import fill
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced import case_weights
from ceiba.errors import OptionError
from ceiba.estimators.base import BaseTree
from ceiba.estimators.parameters import pop_column
from ceiba.families.rpart.complexity import prune_by_cp, rpart_complexity
from ceiba.families.rpart.cross_validation import RpartFoldTree, is_complete
from ceiba.families.rpart.formula import (
    add_terms,
    left_side,
    read_columns,
    read_formula,
    read_response,
)
from ceiba.families.rpart.options import (
    METHODS_OF_OPTION,
    RATES,
    RPART_OPTIONS,
    resolve_shrink,
    resolve_sizes,
    rpart_grow_options,
    with_rpart_rules,
)
from ceiba.families.rpart.rows import Array, read_rows, scale_times, split_times_and_events
from ceiba.families.rpart.summary import (
    RpartSummary,
    rpart_importance,
    rpart_summary,
    training_facts,
)
from ceiba.grow import Problem, Surrogates
from ceiba.listing import Listing
from ceiba.options import check_options
from ceiba.prune import pruning_sequence
from ceiba.prune.cross_validation import read_folds, run_folds
from ceiba.table.targets import find_present_rows, split_target, take_rows

_ALLOWED = {name: row.allowed for name, row in RPART_OPTIONS.items() if row.allowed}


class RpartFit(BaseTree):
    """Base class of the rpart estimators, with fitting and R's statistics."""

    method: str
    cp: float
    cost: Any
    xval: Any
    random_state: Any
    _cv_risk: Array | None
    _cv_se: Array | None

    def _fit(self, X: Any, y: Any, sample_weight: Any, exposure: Any = None) -> None:
        self._check_parameters()
        self.formula_ = X if _is_formula(X) else None
        problem, present = self._build_problem(X, y, sample_weight, exposure)
        # A split gains at most its node's risk, so do not split nodes below cp * root risk.
        options = with_rpart_rules(problem.options, min_risk_ratio=float(self.cp))
        grown = replace(problem, options=options).grow()
        tree = prune_by_cp(grown, self.cp)
        self._set_fitted(tree)
        # For a tree without splits, rpart reports the complexity of the root instead of cp.
        self._last_cp = self.cp if tree.n_leaves > 1 else float(rpart_complexity(grown, self.cp)[0])
        self._training = training_facts(tree, problem, resolve_shrink(self._all_params()))
        self._cv_risk = self._cv_se = None
        folds = self.xval
        if isinstance(folds, Integral):
            folds = min(int(folds), problem.n_rows)
        elif len(folds) == len(present):  # xval includes fold ids of dropped rows
            folds = np.asarray(folds)[present]
        if not isinstance(folds, int) or folds > 1:
            beta = _between_cps(self.cp_table_["cp"])
            self._cv_risk, self._cv_se = self._cross_validate(problem, folds, beta)

    def _build_problem(
        self, X: Any, y: Any, sample_weight: Any, exposure: Any
    ) -> tuple[Problem, npt.NDArray[np.bool_]]:
        """Return the training data with rpart's options, and a mask of the rows of X in use."""
        formula, data = (X, y) if _is_formula(X) else (None, X)
        data, sample_weight = pop_column(data, sample_weight)
        data, exposure = pop_column(data, exposure)
        X, y = (data, y) if formula is None else read_formula(formula, data)
        method = self._choose_method(X, y, exposure)
        if exposure is not None and method != "poisson":
            raise OptionError(f"exposure is not supported with method={method!r}. Leave it out.")
        if exposure is None and method in RATES:
            X, y, exposure = split_times_and_events(X, y, method, _is_survival(formula, method))
        rows = read_rows(
            X,
            y,
            sample_weight,
            exposure,
            method=method,
            categorical_features=self._all_params()["categorical_features"],
        )
        self.n_rows_dropped_ = int(np.count_nonzero(~rows.keep))
        options = rpart_grow_options(self._all_params())
        return Problem(rows.table, rows.target, options, rows.weight, rows.cases), rows.keep

    def _choose_method(self, X: Any, y: Any, exposure: Any) -> str:
        return self.method

    def _read_rows(self, X: Any, check_input: bool = True) -> Any:
        """Read rows and compute the terms of the fitted formula, if there is one."""
        if self.__dict__.get("formula_") is not None and not isinstance(X, np.ndarray):
            X = add_terms(X, list(self.tree_.schema.names))
        return super()._read_rows(X, check_input)

    def _add_row_terms(self, row: Any) -> Any:
        """Add the computed terms of the fitted formula to a row that is a mapping."""
        if self.__dict__.get("formula_") is None or not isinstance(row, Mapping):
            return row
        terms = [name for name in self.tree_.schema.names if name not in row]
        columns = add_terms({name: [value] for name, value in row.items()}, terms)
        return {**row, **{name: values[0] for name, values in columns.items()}}

    def predict_one(self, row: Any) -> Any:
        """Return the prediction for a row, as `ceiba.Tree.predict_one` does."""
        return super().predict_one(self._add_row_terms(row))

    def explain(self, row: Any, *, lang: str = "en") -> Any:
        """Explain the prediction of a row, as `ceiba.Tree.explain` does."""
        return super().explain(self._add_row_terms(row), lang=lang)

    def _read_truth(self, X: Any, y: Any) -> Any:
        """Return the target, computed by the formula if y is None or is the formula's left side."""
        formula = self.__dict__.get("formula_")
        if formula is None:
            if y is None:
                raise OptionError("y is required for a model that was not fitted with a formula.")
            return split_target(X, y)[1] if isinstance(y, str) else y
        left, computed_from = left_side(formula)
        if isinstance(y, str) and y != left and y in computed_from:
            raise OptionError(
                f"y must be {left!r}, the target of the model, got {y!r}. Leave y out."
            )
        if y is None or (isinstance(y, str) and y == left):
            return read_response(formula, X)
        return split_target(X, y)[1] if isinstance(y, str) else y

    def _read_scored_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Return X, y and weights; if a formula was fitted, drop the rows without a target."""
        if self.__dict__.get("formula_") is None and y is not None:
            return X, y, sample_weight
        X, sample_weight = pop_column(X, sample_weight)
        y, time = self._read_truth(X, y), None
        if self.method in RATES:
            survival = _is_survival(self.formula_, self.method)
            _, y, time = split_times_and_events(X, y, "poisson", survival)
        keep = find_present_rows(y)
        if not keep.all():
            X = {name: take_rows(values, keep) for name, values in read_columns(X).items()}
            y = take_rows(y, keep)
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)[keep]
        if time is not None:  # rates are weighted by time, as in `fit`
            y, time = np.asarray(y, np.float64), np.asarray(time[keep], np.float64)
            time = scale_times(time, y) if self.method == "exp" else time
            y, weight = y / time, time if weight is None else weight * time
        return X, y, weight

    def evaluate(self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        """Evaluate predictions on rows with known targets (see `DecisionTreeClassifier.evaluate`).

        Parameters
        ----------
        X : table
        y : array-like or str, optional
            True target, or its column in X. Default after fitting a formula: its left side.
        sample_weight : array-like or str, optional
        **options
            by, positive, confidence.

        Returns
        -------
        ClassEvaluation, NumberEvaluation or GroupEvaluation
        """
        return super().evaluate(*self._read_scored_rows(X, y, sample_weight), **options)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier or the R2 of a regressor.

        Parameters
        ----------
        X : table
        y : array-like or str, optional
        sample_weight : array-like or str, optional

        Returns
        -------
        float
        """
        return super().score(*self._read_scored_rows(X, y, sample_weight))

    def _read_problem(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Any:
        raise OptionError(
            "rpart() models cannot be regrown, because cp depends on the whole tree. Use "
            "tree_.set_split(...) or tree_.regrow(...), which return a new tree."
        )

    def _cross_validate(self, problem: Problem, folds: Any, beta: Any) -> tuple[Array, Array]:
        """Return rpart's xerror and xstd for the values `beta` of cp."""
        root_risk = float(self.tree_.risk[0])
        per_case = root_risk * problem.row_weight.sum() / case_weights(problem).sum()
        grid = np.maximum(beta[::-1] * per_case, 0.0)
        plan = read_folds(folds, problem, stratify=False, random_state=self.random_state)
        # The fold trees need no competitors, and no surrogates if splits route every row.
        options = replace(problem.options, max_competitors=0)
        if is_complete(problem):
            options = replace(options, missing=Surrogates(keep=0))
        error = self._all_params().get("error", "deviance")
        light = replace(problem, options=options)
        work = RpartFoldTree(light, grid, cp_alpha=self.cp * per_case, error=error)
        cv = run_folds(work, [plan])
        total = root_risk if root_risk > 0 else 1.0
        return cv.risk[::-1] / total, cv.se[::-1] / total

    def cross_validate(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        exposure: Any = None,
        *,
        folds: Any = 10,
        cp: Any = None,
    ) -> Listing:
        """Cross-validate the fitted tree again with other folds or other values of cp.

        Parameters
        ----------
        X, y, sample_weight, exposure
            The training data, as in `fit`, or a formula.
        folds : int, array-like, splitter or pairs, default=10
            As in `ceiba.prune.CostComplexity`, for the rows that were not dropped.
        cp : sequence of float, default=None
            Values of cp from large to small; None: between those of `cp_table_`, as in R.

        Returns
        -------
        Listing
            cp, relative_cv_risk and relative_cv_se (R: xerror, xstd).
        """
        problem, _ = self._build_problem(X, y, sample_weight, exposure)
        beta = _between_cps(self.cp_table_["cp"]) if cp is None else np.asarray(cp, np.float64)
        risk, se = self._cross_validate(problem, folds, beta)
        return Listing(
            {"cp": beta, "relative_cv_risk": risk, "relative_cv_se": se},
            title="cross-validation",
            legend="relative_...: divided by the risk of the root (R: xerror, xstd)",
        )

    def _check_parameters(self) -> dict[str, Any]:
        params = self._all_params()
        check_options(params, _ALLOWED, type(self).__name__)
        return params

    def _all_params(self) -> dict[str, Any]:
        return {"method": self.method, **self.get_params(deep=False)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.target_tags.positive_only = self.method in RATES
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def _call_text(self) -> str:
        """Return the call of rpart() with resolved defaults as text."""
        params = self._all_params()
        sizes = ("minsplit", "minbucket")
        params.update(zip(sizes, resolve_sizes(*(params[name] for name in sizes)), strict=True))
        silent = {"categorical_features", "n_jobs", "random_state"}
        params["shrink"] = resolve_shrink(params)
        silent |= {name for name, owners in METHODS_OF_OPTION.items() if self.method not in owners}
        formula = self.__dict__.get("formula_")
        words = [repr(formula)] if formula else []
        words += [
            f"{name}={value!r}"
            for name, value in params.items()
            if name not in silent and value is not None and not hasattr(value, "shape")
        ]
        return fill(f"rpart({', '.join(words)})", 96, subsequent_indent="      ")

    @property
    def variable_importance_(self) -> dict[str, float]:
        """Importance of each column that a split or surrogate uses, in rpart's unit.

        The improvement of each split counts for its column, and, times the adjusted agreement, for
        the columns of its surrogates.
        """
        return rpart_importance(self.tree_, column_cost=self.cost)

    def summary(self) -> RpartSummary:  # type: ignore[override]
        """Return R's `summary`: the call, the nested trees, the importance and all nodes.

        Returns
        -------
        RpartSummary
            Print it to see the summary.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> model = ceiba.rpart("class", xval=0).fit(*load_iris(return_X_y=True, as_frame=True))
        >>> print(model.summary().importance)
        variable importance
        column             importance  percent
        petal width (cm)      88.9694       34
        petal length (cm)      81.345       31
        sepal length (cm)     54.0961       21
        sepal width (cm)      36.0131       14
        importance: improvement by the column's own splits, and by its surrogates times their adj; \
percent: of the sum
        """
        return rpart_summary(
            self.tree_,
            self.cp_table_,
            call=self._call_text(),
            n_dropped=self.n_rows_dropped_,
            column_cost=self.cost,
            shrink=resolve_shrink(self._all_params()),
            training=self.__dict__.get("_training", {}),
        )

    @property
    def cp_table_(self) -> Listing:
        """Table of the nested trees, like rpart's `cptable` but with exact values of cp.

        Row k is the tree for cp[k] <= cp < cp[k - 1]. The last row, the fitted tree, has the
        parameter `cp` (R's without splits). `relative_risk` is risk over the root's (R: rel error).
        """
        # As R does, ignore rows that stay in an inner node.
        sequence = pruning_sequence(self.tree_, count_stayed=False)
        total = sequence.root_risk or 1.0
        alpha, leaves, risk = sequence.alpha[::-1], sequence.n_leaves[::-1], sequence.risk[::-1]
        if self.tree_.n_leaves > leaves[-1]:  # cp < 0 keeps splits that do not lower the risk
            alpha, risk = np.append(alpha, 0.0), np.append(risk, risk[-1])
            leaves = np.append(leaves, self.tree_.n_leaves)
        figures = {
            "cp": np.append(alpha[:-1] / total, self._last_cp),
            "n_splits": leaves - 1,
            # Sums over the leaves may differ from the root's risk by rounding errors.
            "relative_risk": np.where(leaves == 1, sequence.root_risk, risk) / total,
        }
        legend = (
            "cp: the tree of this row is the best for any cp from here up to the row above, as a "
            "share of the root's risk;\n"
            f"relative_risk: risk over that of the root ({total:.6g} per unit of weight)"
        )
        if self._cv_risk is not None and self._cv_se is not None:
            figures["relative_cv_risk"] = self._cv_risk
            figures["relative_cv_se"] = self._cv_se
            legend += ";\nrelative_cv_risk, relative_cv_se: on held-out rows (R: xerror, xstd)"
        return Listing(figures, title="nested trees", legend=legend)


def _is_formula(X: Any) -> bool:
    return isinstance(X, str) and "~" in X


def _is_survival(formula: str | None, method: str) -> bool:
    """Whether the second column of a two-column target is a status, as in R's Surv."""
    return method == "exp" if formula is None else formula.lstrip().startswith("Surv")


def _between_cps(cp: Array) -> Array:
    """Return the values of cp, between those of the nested trees, that rpart cross-validates."""
    inside = np.sqrt(np.maximum(cp[:-1] * cp[1:], 0.0))
    return np.append(10.0 * cp[:1], inside)
