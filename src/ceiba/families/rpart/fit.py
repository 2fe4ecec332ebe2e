"""What the estimators of rpart() share: fitting, cross-validation, and the figures that R shows.

The tree is grown without looking at cp, then collapsed by rpart's own complexities (alpha = cp
times the risk of the root; `complexity.py`), which gives the tree that rpart stops
at while growing. A poisson tree is one of rates: target events / time, weight x time.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from textwrap import fill
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.families.rpart.complexity import prune_by_cp, rpart_complexity
from ceiba.families.rpart.cross_validation import rpart_cross_validate
from ceiba.families.rpart.improvement import rpart_importance
from ceiba.families.rpart.options import (
    ONLY_FOR,
    RATES,
    RPART_OPTIONS,
    control,
    rpart_grow_options,
    shrinkage,
    with_rules,
)
from ceiba.families.rpart.rows import Array, read_rows
from ceiba.families.rpart.summary import RpartSummary, rpart_summary
from ceiba.grow import Problem
from ceiba.listing import Listing
from ceiba.options import check_options
from ceiba.prune import pruning_sequence
from ceiba.tree import Tree

_ALLOWED = {name: row.allowed for name, row in RPART_OPTIONS.items() if row.allowed}


class RpartFit:
    """What the estimators of rpart() share: fitting, and the figures that R shows."""

    method: str
    cp: float
    cost: Any
    xval: Any
    random_state: Any
    n_rows_dropped_: int
    tree_: Tree
    _last_cp: float
    _cv_risk: Array | None
    _cv_se: Array | None

    def _fit(self, X: Any, y: Any, sample_weight: Any, exposure: Any = None) -> None:
        self._check_parameters()
        problem, kept = self._problem(X, y, sample_weight, exposure)
        # Where the whole risk of a node is not worth a split, none below it is.
        options = with_rules(problem.options, min_risk_ratio=float(self.cp))
        grown = replace(problem, options=options).grow()
        tree = prune_by_cp(grown, self.cp)
        self._keep(tree)  # type: ignore[attr-defined]
        # Of a tree without splits rpart shows the cp that the best of them would have had.
        self._last_cp = self.cp if tree.n_leaves > 1 else float(rpart_complexity(grown, self.cp)[0])
        self._cv_risk = self._cv_se = None
        folds = self._folds(problem.n_rows, kept)
        if folds is not None:
            beta = _between(self.cp_table_["cp"])
            self._cv_risk, self._cv_se = self._cross_validate(problem, folds, beta)

    def _problem(
        self, X: Any, y: Any, sample_weight: Any, exposure: Any
    ) -> tuple[Problem, npt.NDArray[np.bool_]]:
        """Read the data, as rpart's rules see them, and say which rows take part."""
        rows = read_rows(
            X,
            y,
            sample_weight,
            exposure,
            method=self.method,
            categorical_features=self._given()["categorical_features"],
        )
        self.n_rows_dropped_ = rows.n_dropped
        options = rpart_grow_options(self._given())
        return Problem(rows.table, rows.target, options, rows.weight, rows.cases), rows.keep

    def _read_problem(self, X: Any, y: Any, sample_weight: Any) -> Any:
        raise OptionError(
            "A tree of rpart() is not regrown in place: its cp stop looks at the whole tree. Use "
            "tree_.set_split(...) or tree_.regrow(...), which give a new tree."
        )

    def _folds(self, n_rows: int, kept: npt.NDArray[np.bool_]) -> Any:
        """Give the folds of `xval`; None: no cross-validation. Ids may count rows left out, too."""
        if not isinstance(self.xval, Integral):
            return np.asarray(self.xval)[kept] if len(self.xval) == len(kept) else self.xval
        folds = min(int(self.xval), n_rows)
        return folds if folds > 1 else None

    def _cross_validate(self, problem: Problem, folds: Any, beta: Any) -> tuple[Array, Array]:
        return rpart_cross_validate(
            problem,
            float(self.tree_.risk[0]),
            beta,
            cp=self.cp,
            folds=folds,
            random_state=self.random_state,
            error=self._given().get("error", "deviance"),
        )

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
        """Cross-validate the fitted tree again: on other folds, at other values of cp.

        Parameters
        ----------
        X, y, sample_weight, exposure
            What the tree was fitted on.
        folds : int, array-like, splitter or pairs, default=10
            As in `ceiba.prune.cross_validate`; of the rows that were not dropped.
        cp : sequence of float, default=None
            Values of cp from large to small; None: between those of `cp_table_`, as in R.

        Returns
        -------
        Listing
            cp, relative_cv_risk and relative_cv_se (R: xerror, xstd).
        """
        problem, _ = self._problem(X, y, sample_weight, exposure)
        beta = _between(self.cp_table_["cp"]) if cp is None else np.asarray(cp, np.float64)
        risk, se = self._cross_validate(problem, folds, beta)
        return Listing(
            {"cp": beta, "relative_cv_risk": risk, "relative_cv_se": se},
            title="cross-validation",
            legend="relative_...: divided by the risk of the root (R: xerror, xstd)",
        )

    def _check_parameters(self) -> dict[str, Any]:
        given = self._given()
        check_options(given, _ALLOWED, type(self).__name__)
        return given

    def _given(self) -> dict[str, Any]:
        return {"method": self.method, **self.get_params(deep=False)}  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = False
        tags.target_tags.positive_only = self.method in RATES
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def _call(self) -> str:
        """Give the call of rpart() that this is, with what the defaults come to."""
        given = self._given()
        given["minsplit"], given["minbucket"] = control(given["minsplit"], given["minbucket"])
        silent = {"categorical_features", "n_jobs", "random_state"}
        given["shrink"] = shrinkage(given)
        silent |= {name for name, owners in ONLY_FOR.items() if self.method not in owners}
        words = [
            f"{name}={value!r}"
            for name, value in given.items()
            if name not in silent and value is not None and not hasattr(value, "shape")
        ]
        return fill(f"rpart({', '.join(words)})", 96, subsequent_indent="      ")

    def _unpruned(self) -> Any:
        from sklearn.base import clone

        return clone(self).set_params(cp=-1.0)

    @property
    def variable_importance_(self) -> dict[str, float]:
        """Importance of each column that some split or surrogate uses, in rpart's unit.

        The improvement of each split counts for its column, and, times the adjusted agreement, for
        the columns of its surrogates.
        """
        return rpart_importance(self.tree_, column_cost=self.cost)

    def summary(self) -> RpartSummary:
        """Give what R's `summary` shows: call, nested trees, importance, node by node.

        Returns
        -------
        RpartSummary
            A value that prints.

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
            call=self._call(),
            n_dropped=self.n_rows_dropped_,
            column_cost=self.cost,
            shrink=shrinkage(self._given()),
        )

    @property
    def cp_table_(self) -> Listing:
        """The trees nested in the fitted one: rpart's cptable, with the exact sequence of cp.

        Row k is the tree for cp[k] <= cp < cp[k - 1]; the last row is the fitted tree, and `cp`
        there the parameter. `relative_risk` is the risk divided by the root's (R: rel error).
        """
        # Rows that stay in an inner node do not count in R's table.
        sequence = pruning_sequence(self.tree_, count_stayed=False)
        whole = sequence.root_risk or 1.0
        alpha, leaves, risk = sequence.alpha[::-1], sequence.n_leaves[::-1], sequence.risk[::-1]
        if self.tree_.n_leaves > leaves[-1]:  # cp < 0: splits that do not lower the risk are kept
            alpha, risk = np.append(alpha, 0.0), np.append(risk, risk[-1])
            leaves = np.append(leaves, self.tree_.n_leaves)
        figures = {
            "cp": np.append(alpha[:-1] / whole, self._last_cp),
            "n_splits": leaves - 1,
            "relative_risk": risk / whole,
        }
        legend = (
            "cp: the tree of this row is the best for any cp from here up to the row above, as a "
            "share of the root's risk;\n"
            f"relative_risk: risk over that of the root ({whole:.6g} per unit of weight)"
        )
        if self._cv_risk is not None and self._cv_se is not None:
            figures["relative_cv_risk"] = self._cv_risk
            figures["relative_cv_se"] = self._cv_se
            legend += ";\nrelative_cv_risk, relative_cv_se: on held-out rows (R: xerror, xstd)"
        return Listing(figures, title="nested trees", legend=legend)


def _between(cp: Array) -> Array:
    """Give rpart's typical cp of each row of its table: between it and the row above."""
    inside = np.sqrt(np.maximum(cp[:-1] * cp[1:], 0.0))
    return np.append(10.0 * cp[:1], inside)
