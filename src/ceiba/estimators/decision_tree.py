"""From parameters to a tree: parameters -> problem -> grow -> prune -> `tree_`.

The path from `fit` to the core is short: fitting iris spends microseconds here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from operator import is_not, itemgetter
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import Bunch, column_or_1d
from sklearn.utils.metadata_routing import UNUSED

from ceiba.errors import CeibaError, DataError, OptionError, did_you_mean
from ceiba.estimators.base import BaseTree, is_by_name
from ceiba.estimators.beyond_memory import is_in_pieces, open_problem
from ceiba.estimators.leaves import (
    FEWEST_ROWS,
    chosen_strength,
    read_leaf_values,
    refuse_unpruned,
    warn_of_empty_leaves,
    warn_of_leak,
)
from ceiba.estimators.parameters import (
    PARAMETERS,
    check_stated,
    class_weights,
    expand,
    grow_options,
    warn_of_idle_split,
)
from ceiba.grow import (
    GrowOptions,
    Honest,
    Problem,
    check_counts,
    honest_parts,
    honest_values,
    needs_dense,
    needs_one_output,
    needs_present,
    smooth,
)
from ceiba.options import OptionObject, is_same
from ceiba.prune import Pruned, Pruning, prune_tree, pruning_path, read_pruning, with_groups
from ceiba.table import (
    Table,
    Target,
    described,
    read,
    read_target,
    read_weights,
    with_missing_counted,
)
from ceiba.table.targets import is_named_target, present_rows, split_target, take_rows
from ceiba.tree import Tree
from ceiba.tree.routing import n_threads

_DEFAULTS = {
    task: {name: row.default for name, row in rows.items()} for task, rows in PARAMETERS.items()
}
_VALUES = {task: itemgetter(*rows) for task, rows in PARAMETERS.items()}


class DecisionTree(BaseTree):
    """What the classifier and the regressor share; not for direct use."""

    # Not for pipelines to pass around: a checkpoint is of one fit.
    __metadata_request__fit: ClassVar = {
        "check_input": UNUSED, "checkpoint": UNUSED, "drop_missing_target": UNUSED
    }  # fmt: skip

    # ------------------------------------------------------------------ parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters; those of option objects, or of their short forms, as `prune__folds`.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for name, value in list(params.items()):
                nested = expand(name, value)
                if isinstance(nested, OptionObject):
                    inner = nested.get_params().items()
                    params.update((f"{name}__{key}", setting) for key, setting in inner)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `prune__folds=5` works with the short form `prune="1se"` too.

        Parameters
        ----------
        **params

        Returns
        -------
        self
        """
        names = self._get_param_names()
        for name in params:
            option = name.partition("__")[0]
            if option not in names:
                raise OptionError(
                    f"Invalid parameter {option!r} for {type(self).__name__}."
                    f"{did_you_mean(option, names)} Its parameters are {', '.join(names)}."
                )
        plain = {name: value for name, value in params.items() if "__" not in name}
        super().set_params(**plain)
        for name, value in params.items():
            outer, nested, inner = name.partition("__")
            if not nested:
                continue
            holder = expand(outer, self.__dict__.get(outer))
            if not isinstance(holder, OptionObject):
                raise OptionError(
                    f"{outer}={self.__dict__.get(outer)!r} has no parameter {inner!r}. Set {outer} "
                    "to an option object first."
                )
            setattr(self, outer, holder.set_params(**{inner: value}))
        return self

    def _check_parameters(self) -> dict[str, Any]:
        """Refuse wrong parameters; give those that are not at their default."""
        params = self._stated()
        if isinstance(params.get("prune"), str):
            read_pruning(params["prune"])  # says which class to use
        check_stated(params, self._task, type(self).__name__)
        return params

    def _stated(self) -> dict[str, Any]:
        """Return the parameters that are not at their default, by name."""
        mine, defaults = self.__dict__, _DEFAULTS[self._task]
        values = _VALUES[self._task](mine)  # in a third of the time of asking one by one
        changed = compress(defaults, map(is_not, values, defaults.values()))
        return {name: mine[name] for name in changed if not is_same(mine[name], defaults[name])}

    # ------------------------------------------------------------------ fit

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        check_input: bool = True,
        groups: Any = None,
        checkpoint: Any = None,
        frequency: Any = None,
        drop_missing_target: bool = False,
    ) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            numpy, scipy.sparse, pandas, polars, Arrow, dict of lists, list of dicts, list of lists;
            or what need not fit into memory: files (:func:`ceiba.scan`), a dask DataFrame or Array.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), str or list of str
            Labels or numbers; or the name of the column of X that holds them, or several names.
        sample_weight : array-like of shape (n_rows,) or str, default=None
            Weights, or the column of X that holds them.
        check_input : bool, default=True
            Accepted for scikit-learn's callers; input is checked in any case.
        groups : array-like of shape (n_rows,) or str, default=None
            Rows of one group are held out together by the folds of `prune`; or their column of X,
            which is not learned from.
        checkpoint : path, default=None
            With a table beyond memory: a file to which the work is written round by round. If a
            fit ends before its tree is done, the same call resumes it; the tree is the same.
        frequency : array-like of shape (n_rows,) or str, default=None
            How many times each row counts, in every rule that counts rows; or the column of X that
            holds it. Instead of `sample_weight`.
        drop_missing_target : bool, default=False
            Leave out rows without a target and count them in `n_rows_dropped_`.

        Returns
        -------
        self

        Examples
        --------
        >>> import ceiba
        >>> frame = {"clouds": [8, 7, 1, 0], "RAIN": ["yes", "yes", "no", "no"]}
        >>> ceiba.DecisionTreeClassifier().fit(frame, "RAIN").predict({"clouds": [2]})
        array(['no'], dtype='<U3')
        >>> ages, heights = {"age": [2, 3, 30, 31]}, [85.0, 87.0, 170.0, 172.0]
        >>> ceiba.DecisionTreeRegressor(max_depth=1).fit(ages, heights).predict({"age": [40]})
        array([171.])
        """
        if isinstance(groups, str):
            X, groups = split_target(X, groups)
        for name in ("_counts_rows", "_matches_names"):
            self.__dict__.pop(name, None)
        if type(X) is not np.ndarray and not isinstance(X, Table) and is_in_pieces(X):
            if frequency is not None or drop_missing_target:
                name = "drop_missing_target" if frequency is None else "frequency"
                raise OptionError(f"{name} is not supported for tables beyond memory.")
            params = self._check_parameters()
            if groups is not None:
                params = {**params, "prune": with_groups(params.get("prune"), groups)}
            opened = open_problem(X, y, params, self._task, sample_weight, checkpoint)
            with opened as problem:
                return self._learn(problem, params)
        if checkpoint is not None:
            raise OptionError(
                f"checkpoint={str(checkpoint)!r} is for tables beyond memory, and X is in memory. "
                "Leave it out, or open files with ceiba.scan."
            )
        if frequency is not None and sample_weight is not None:
            raise OptionError("Pass sample_weight or frequency, not both.")
        if frequency is not None:
            self._counts_rows, sample_weight = True, frequency
        if type(X) is not np.ndarray and is_by_name(X):
            self._matches_names = True
        problem, params = self._read_problem(X, y, sample_weight, drop_missing_target)
        present = self.__dict__.pop("_present", None)
        if groups is not None:
            params = {**params, "prune": with_groups(params.get("prune"), groups, present)}
        return self._learn(problem, params)

    def _learn(self, problem: Problem, params: dict[str, Any]) -> Self:
        """Grow and prune the tree of a problem, and keep what is fitted."""
        n_rows = problem.n_rows
        if "min_samples_split" in params and "min_samples_leaf" in params:
            warn_of_idle_split(params, n_rows)
        with np.errstate(over="ignore", invalid="ignore"):  # beyond float64 lies infinity
            tree, pruned, strength = _made(problem, params)
        if tree.honest:
            warn_of_empty_leaves(tree)
        elif problem.options.frequency_weights:
            schema = with_missing_counted(tree.schema, problem.table, problem.weight)
            tree = replace(tree, schema=schema)
        self._keep(tree)
        if n_rows >= FEWEST_ROWS:
            warn_of_leak(tree, problem.table)
        mine = self.__dict__
        for name in (*_LEFT_BY_PRUNING, "leaf_strength_"):  # of an earlier fit
            mine.pop(name, None)
        if pruned is not None:
            left = {name: getattr(pruned, part) for name, part in _LEFT_BY_PRUNING.items()}
            mine.update({name: value for name, value in left.items() if value is not None})
        if strength is not None:
            self.leaf_strength_ = strength
        return self

    def _tree_of(self, problem: Problem, params: dict[str, Any], rows: Any) -> Tree:
        """Grow and prune a tree of some rows of a problem, as `fit` would; in one thread."""
        if _AFTER_GROWING.isdisjoint(params):  # on one table: what the core prepared is shared
            return _shortened(problem.grow(rows, n_jobs=1), params)
        alone = problem.take(rows)
        alone = replace(alone, options=replace(alone.options, n_jobs=1))
        return _made(alone, params)[0]

    def _read_problem(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        drop_missing_target: bool = False,
        **options: Any,
    ) -> tuple[Problem, dict[str, Any]]:
        """Return data and options of growing, and the parameters not at their default."""
        if options:
            raise OptionError(
                f"An estimator grows by its parameters, got {', '.join(options)} besides. "
                "Use set_params(...)."
            )
        params = self._check_parameters()
        if self.__dict__.get("_counts_rows") and sample_weight is not None:
            params["frequency_weights"] = True
        if isinstance(sample_weight, str):
            X, sample_weight = split_target(X, sample_weight)
        table, target, weight = self._read_training(
            X, y, sample_weight, params, drop_missing_target
        )
        chosen = grow_options(params, self._task)
        if not params and weight is None:  # the common case, and a small fit takes microseconds
            return Problem(table, target, chosen, weight), params
        if params.get("class_weight") is not None:
            per_class = class_weights(params["class_weight"], target)
            weight = per_class if weight is None else weight * per_class
        if weight is not None and not weight.any():
            raise DataError(
                "No row counts: those that have a target have sample_weight 0, or class_weight 0. "
                "Give one of them a positive weight."
            )
        if params.get("frequency_weights") and weight is not None:
            # A part of a row would give nodes other numbers of rows than their parts have.
            parts = np.flatnonzero(weight != np.floor(weight))
            if len(parts):
                row, by_class = int(parts[0]), params.get("class_weight") is not None
                way_out = (
                    "class_prior instead of class_weight" if by_class else "others as sample_weight"
                )
                raise DataError(
                    f"frequency must hold whole numbers, got {weight[row]:.6g} in row {row}"
                    f"{' with class_weight' * by_class}. Pass {way_out}."
                )
        return Problem(table, target, chosen, weight), params

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any], drop_missing_target: bool
    ) -> tuple[Table, Target, npt.NDArray[np.float64] | None]:
        name = None
        if is_named_target(X, y):
            name, (X, y) = y if isinstance(y, str) else None, split_target(X, y)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not self._takes_many_outputs():
            y = column_or_1d(y, warn=True)
        work = X.size if isinstance(X, np.ndarray) else 0
        threads = n_threads(params.get("n_jobs"), work)
        chosen = params.get("categorical_features", "from_dtype")
        table = read(X, categorical_features=chosen, n_threads=threads)
        weight = None if sample_weight is None else read_weights(sample_weight, table.n_rows)
        self.__dict__.pop("n_rows_dropped_", None)
        self.__dict__.pop("_present", None)
        if drop_missing_target:
            present = present_rows(y)
            name = name or (label if isinstance(label := getattr(y, "name", None), str) else None)
            self.n_rows_dropped_ = int(len(present) - np.count_nonzero(present))
            self._present = present
            if self.n_rows_dropped_:
                if table.n_rows != len(present):
                    raise DataError(
                        "Found input variables with inconsistent numbers of samples: "
                        f"[{table.n_rows}, {len(present)}]. X has {table.n_rows} rows, y has "
                        f"{len(present)}; every row needs one target, or None."
                    )
                strict = params.get("unseen") == "error"  # a model takes the rows it was given
                table = described(table.take(present), keep_levels=strict)
                y = take_rows(y, present)
                weight = None if weight is None else weight[present]
        # A level that only rows of weight 0 have is unseen then, which must not be an error.
        if weight is not None and params.get("unseen") != "error" and not weight.all():
            table = described(table, weight > 0)
        if params.get("criterion") == "poisson":  # before lengths are compared, as scikit-learn
            check_counts(read_target(y, task=self._task).values)
        target = read_target(y, task=self._task, n_rows=table.n_rows, name=name, n_threads=threads)
        return table, target, weight

    def _takes_many_outputs(self) -> bool:
        options, pruning = self._asked()
        if options is None:
            return False
        return not needs_one_output(options) and (pruning is None or not pruning.needs_one_output)

    def _asked(self) -> tuple[GrowOptions | None, Pruning | None]:
        """Return options of growing and the pruning; None where `fit` would refuse them."""
        params = self._stated()
        try:
            return grow_options(params, self._task), read_pruning(params.get("prune"))
        except CeibaError:
            return None, None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        options, _ = self._asked()
        if options is not None:
            tags.input_tags.sparse = not needs_dense(options)
            tags.input_tags.allow_nan = not needs_present(options)
            tags.target_tags.positive_only = options.criterion == "poisson"
        return tags

    # ------------------------------------------------------------------ pruning

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow a tree and give the alphas at which `ccp_alpha` would shorten it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            `ccp_alphas`, and `impurities`: the impurity of the leaves at each.
        """
        model = self._unpruned().fit(X, y, sample_weight=sample_weight)
        ccp_alphas, impurities = pruning_path(model.tree_)
        return Bunch(ccp_alphas=ccp_alphas, impurities=impurities)

    def _unpruned(self) -> Any:
        """Return an unfitted copy that grows the whole tree."""
        return clone(self).set_params(ccp_alpha=0.0, prune=None)


_LEFT_BY_PRUNING: Final = {
    "pruning_table_": "table",
    "alpha_": "alpha",
    "unpruned_tree_": "unpruned",
    "cross_validation_": "cross_validation",
}
_AFTER_GROWING: Final = frozenset({"prune", "leaf_values"})


def _made(problem: Problem, params: dict[str, Any]) -> tuple[Tree, Pruned | None, float | None]:
    """Grow, prune, and give the leaves their values: tree, what pruning left, strength."""
    if _AFTER_GROWING.isdisjoint(params):
        tree = problem.grow()
        return _shortened(tree, params) if params else tree, None, None
    honest, rule = read_leaf_values(params) if "leaf_values" in params else (None, None)
    pruning, search = read_pruning(params.get("prune")), problem.options.searched
    if honest is not None or rule is not None:
        refuse_unpruned(pruning)
    seed, structure, estimation = problem.options.seed, problem, None
    if honest is not None:
        structure, estimation = map(problem.take, honest_parts(problem, honest.share, seed))
    pruned = None
    if pruning is None:
        tree = _shortened(structure.grow(), params)
    elif search is not None and search.penalty:
        raise OptionError(
            f"search={search!r} has a penalty, and prune={params['prune']!r} chooses one. Pass one "
            "of them."
        )
    else:
        pruned = pruning.fit(structure)
        tree = pruned.tree
        if search is not None and pruned.alpha is not None:
            # A searched tree is searched for again, with the penalty that pruning chose.
            chosen = clone(search, safe=False).set_params(penalty=pruned.alpha)
            options = replace(structure.options, search=chosen)
            tree = replace(structure, options=options).grow()
    if estimation is not None:
        tree = honest_values(tree, estimation)
    # Smoothing comes last: it reads the values of inner nodes, which pruning and honesty change.
    if rule is None:
        return tree, pruned, None
    plain = "share" if honest is None else Honest(share=honest.share)

    def fold_tree(rows: Any) -> Tree:
        return _made(problem.take(rows), {**params, "leaf_values": plain})[0]

    strength = chosen_strength(problem, rule, fold_tree, seed)
    return smooth(tree, rule, strength), pruned, None if rule == "laplace" else strength


def _shortened(tree: Tree, params: dict[str, Any]) -> Tree:
    alpha = params.get("ccp_alpha", 0.0)
    return prune_tree(tree, alpha, risk="impurity") if alpha > 0 else tree
