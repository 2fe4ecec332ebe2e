"""Base class of the decision trees, with parameters, fitting and pruning."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from operator import is_, is_not, itemgetter
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import Bunch, column_or_1d
from sklearn.utils.metadata_routing import UNUSED

from ceiba.errors import CeibaError, DataError, OptionError, did_you_mean
from ceiba.estimators.base import PRUNING_ATTRS, BaseTree, has_named_columns
from ceiba.estimators.leaves import (
    MIN_ROWS_FOR_LEAK,
    choose_strength,
    read_leaf_values,
    read_levels,
    warn_of_empty_leaves,
    warn_of_leak,
)
from ceiba.estimators.parameters import (
    PARAMETERS,
    PLAIN,
    check_params,
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
    dense_only_options,
    grow_plain,
    honest_values,
    ordinal_costs,
    refuses_missing,
    single_output_options,
    smooth,
    split_honest_rows,
)
from ceiba.options import OptionObject, is_default
from ceiba.prune import Pruned, prune_tree, pruning_path, read_pruning, with_groups
from ceiba.table import Table, Target, fit_schema, read, read_target, read_weights, recount_missing
from ceiba.table.scanning import is_beyond_memory
from ceiba.table.targets import (
    find_present_rows,
    order_as_declared,
    pop_target,
    split_target,
    take_rows,
)
from ceiba.tree import Tree
from ceiba.tree.routing import attach, n_threads

_DEFAULTS = {
    task: {name: row.default for name, row in rows.items()} for task, rows in PARAMETERS.items()
}
_VALUES = {task: itemgetter(*rows) for task, rows in PARAMETERS.items()}
#: Checked parameters and their growing options, cached by the values of all parameters.
_CHECKED: Final[dict[Any, tuple[Any, dict[str, Any], GrowOptions]]] = {}


class DecisionTree(BaseTree):
    """Base class of the decision trees; do not use it directly."""

    # Exclude arguments that apply to a single fit, such as `checkpoint`, from metadata routing.
    __metadata_request__fit: ClassVar = {
        "check_input": UNUSED, "checkpoint": UNUSED, "drop_missing_target": UNUSED
    }  # fmt: skip

    # ------------------------------------------------------------------ parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters; parameters of option objects have names such as `prune__folds`.

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
        """Set parameters; `prune__folds=5` also works if `prune` is a short form such as "1se".

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
                    f"{did_you_mean(option, names)} Valid parameters: {', '.join(names)}."
                )
        # BaseEstimator.set_params would expand all options again to check the names.
        self.__dict__.update({name: v for name, v in params.items() if "__" not in name})
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
        """Return the non-default parameters; raise an error for invalid ones."""
        params = self._non_default_params()
        if isinstance(params.get("prune"), str):
            read_pruning(params["prune"])  # raises an error with a more helpful message
        if params:
            check_params(params, self._task, type(self).__name__)
        return params

    def _read_parameters(self) -> tuple[dict[str, Any], GrowOptions | None]:
        """Return checked non-default parameters, and the growing options if they can be cached."""
        values = _VALUES[self._task](self.__dict__)
        try:
            entry = _CHECKED.get(values)
        except TypeError:  # lists and arrays are not hashable
            return self._check_parameters(), None
        if entry is not None and all(map(is_, entry[0], values)):  # 1 and True are equal keys
            return entry[1].copy(), entry[2]
        params = self._check_parameters()
        if not all(type(value) in PLAIN for value in params.values()):
            return params, None
        if len(_CHECKED) > 255:
            _CHECKED.clear()
        options = grow_options(params, self._task)
        _CHECKED[values] = values, params.copy(), options
        return params, options

    def _non_default_params(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, by name."""
        state, defaults = self.__dict__, _DEFAULTS[self._task]
        values = _VALUES[self._task](state)  # itemgetter is faster than single lookups
        changed = compress(defaults, map(is_not, values, defaults.values()))
        return {
            name: state[name] for name in changed if not is_default(state[name], defaults[name])
        }

    def __sklearn_clone__(self) -> Self:
        own_init = not hasattr(type(self).__init__, "__signature__")
        if own_init or not _CLONED_TOO.isdisjoint(self.__dict__):
            return super().__sklearn_clone__()  # type: ignore[no-any-return]
        copy = object.__new__(type(self))
        values = _VALUES[self._task](self.__dict__)
        for name, value in zip(_DEFAULTS[self._task], values, strict=True):
            shared = value is None or type(value) in PLAIN  # immutable values need no copy
            copy.__dict__[name] = value if shared else clone(value, safe=False)
        return copy

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
        """Fit a decision tree to training rows.

        Parameters
        ----------
        X : table
            numpy, scipy.sparse, pandas, polars, Arrow, dict of lists, list of dicts, list of lists;
            or tables larger than memory: files (:func:`ceiba.scan`), a dask DataFrame or Array.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), str or list of str
            Labels or numbers, or the names of the columns of X that contain them.
        sample_weight : array-like of shape (n_rows,) or str, default=None
            Weights, or the name of the column of X that contains them.
        check_input : bool, default=True
            Accepted for compatibility with scikit-learn; input is always checked.
        groups : array-like of shape (n_rows,) or str, default=None
            Groups of rows that the folds of `prune` hold out together, or the name of the column of
            X that contains them, which is then not a feature.
        checkpoint : path, default=None
            For tables larger than memory: a file to which the work is written round by round. If a
            fit is interrupted, the same call resumes it and returns the same tree.
        frequency : array-like of shape (n_rows,) or str, default=None
            Number of times that each row counts in every rule that counts rows, or the name of the
            column of X that contains it. Cannot be combined with `sample_weight`.
        drop_missing_target : bool, default=False
            Drop rows without a target; `n_rows_dropped_` is their number.

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
        for name in ("_counts_rows", "_matches_names", "n_rows_dropped_", "_present"):
            self.__dict__.pop(name, None)
        only_arrays = sample_weight is groups is checkpoint is frequency is None
        if only_arrays and type(X) is type(y) is np.ndarray and not drop_missing_target:
            params, options = self._read_parameters()
            tree = grow_plain(X, y, options) if options and params.keys() <= _PLAIN else None
            if tree is not None:
                return self._set_results(tree, Table.from_matrix(X, tree.schema))
        if is_beyond_memory(X):
            if frequency is not None or drop_missing_target:
                name = "drop_missing_target" if frequency is None else "frequency"
                raise OptionError(f"{name} requires X in memory. Omit it, or read X into memory.")
            params = self._check_parameters()
            if groups is not None:
                params = {**params, "prune": with_groups(params.get("prune"), groups)}
            from ceiba.estimators.beyond_memory import open_problem  # imports the shards

            context = open_problem(X, y, params, self._task, sample_weight, checkpoint)
            with context as problem:
                return self._set_results(*self._fit_problem(problem, params))
        if checkpoint is not None:
            raise OptionError(
                f"checkpoint={str(checkpoint)!r} is not supported for tables in memory. Omit it, "
                "or open files with ceiba.scan."
            )
        if frequency is not None and sample_weight is not None:
            raise OptionError("Pass sample_weight or frequency, not both.")
        if frequency is not None:
            self._counts_rows, sample_weight = True, frequency
        if type(X) is not np.ndarray and has_named_columns(X):
            self._matches_names = True
        problem, params = self._read_problem(X, y, sample_weight, drop_missing_target)
        present = self.__dict__.pop("_present", None)
        if groups is not None:
            params = {**params, "prune": with_groups(params.get("prune"), groups, present)}
        return self._set_results(*self._fit_problem(problem, params))

    def _fit_problem(
        self, problem: Problem, params: dict[str, Any]
    ) -> tuple[Tree, Table, Pruned | None, float | None]:
        """Fit a tree to the training data; return the arguments of `_set_results`."""
        if "min_samples_split" in params and "min_samples_leaf" in params:
            warn_of_idle_split(params, problem.n_rows)
        with np.errstate(over="ignore", invalid="ignore"):  # large targets may overflow
            tree, pruned, strength = _fit_tree(problem, params)
        if tree.honest:
            warn_of_empty_leaves(tree)
        elif problem.options.frequency_weights:
            schema = recount_missing(tree.schema, problem.table, problem.weight)
            tree = replace(tree, schema=schema)
        return tree, problem.table, pruned, strength

    def _set_results(
        self, tree: Tree, table: Table, pruned: Pruned | None = None, strength: float | None = None
    ) -> Self:
        """Set the fitted attributes, and warn of a leak."""
        self._set_fitted(tree)
        if table.n_rows >= MIN_ROWS_FOR_LEAK:
            warn_of_leak(tree, table)
        for name in PRUNING_ATTRS:  # remove results of an earlier fit
            self.__dict__.pop(name, None)
        if pruned is not None:
            results = {name: getattr(pruned, field) for name, field in _PRUNING_RESULTS.items()}
            self.__dict__.update({name: x for name, x in results.items() if x is not None})
        if strength is not None:
            self.leaf_strength_ = strength
        return self

    def _grow_on_rows(self, problem: Problem, params: dict[str, Any], rows: Any) -> Tree:
        """Fit a tree to some of the training rows, in a single thread."""
        if _AFTER_GROWING.isdisjoint(params):  # reuse the sorted columns
            return _apply_ccp_alpha(problem.grow(rows, n_jobs=1), params)
        alone = problem.take(rows)
        alone = replace(alone, options=replace(alone.options, n_jobs=1))
        return _fit_tree(alone, params)[0]

    def _read_problem(
        self, X: Any, y: Any, sample_weight: Any, drop_missing_target: bool = False, **options: Any
    ) -> tuple[Problem, dict[str, Any]]:
        """Return the training data with growing options, and the non-default parameters."""
        if options:
            raise OptionError(f"Unexpected arguments: {', '.join(options)}. Use set_params.")
        params, chosen = self._read_parameters()
        if self.__dict__.get("_counts_rows") and sample_weight is not None:
            params["frequency_weights"] = True
        if isinstance(sample_weight, str):
            X, sample_weight = split_target(X, sample_weight)
        table, target, weight = self._read_training(
            X, y, sample_weight, params, drop_missing_target
        )
        if weight is None and chosen is not None and _IN_FIT.isdisjoint(params):
            return Problem(table, target, chosen), params  # fast path for small fits
        chosen = grow_options(params, self._task)
        if params.get("class_weight") is not None:
            per_class = class_weights(params["class_weight"], target)
            weight = per_class if weight is None else weight * per_class
        if weight is not None and not weight.any():
            raise DataError(
                "All rows with a target have weight 0. Pass positive sample_weight or class_weight."
            )
        if params.get("frequency_weights") and weight is not None:
            # Reject fractions, because rounded branch counts would not sum to the node count.
            fractions = np.flatnonzero(weight != np.floor(weight))
            if len(fractions):
                row, by_class = int(fractions[0]), params.get("class_weight") is not None
                advice = (
                    "class_prior instead of class_weight" if by_class else "it as sample_weight"
                )
                raise DataError(
                    f"frequency{' times class_weight' * by_class} must contain whole numbers, got "
                    f"{weight[row]:.6g} in row {row}. Pass {advice}."
                )
        return Problem(table, target, chosen, weight), params

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any], drop_missing_target: bool
    ) -> tuple[Table, Target, npt.NDArray[np.float64] | None]:
        name, (X, y) = y if isinstance(y, str) else None, pop_target(X, y, self._task)
        as_column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
        if as_column and not self.__sklearn_tags__().target_tags.multi_output:
            y = column_or_1d(y, warn=True)
        work = X.size if isinstance(X, np.ndarray) else 0
        threads = n_threads(params.get("n_jobs"), work)
        chosen = params.get("categorical_features", "from_dtype")
        table = read(X, categorical_features=chosen, n_threads=threads)
        weight = None if sample_weight is None else read_weights(sample_weight, table.n_rows)
        if drop_missing_target:
            present = self._present = find_present_rows(y, table.n_rows)
            name = name or (label if isinstance(label := getattr(y, "name", None), str) else None)
            self.n_rows_dropped_ = int(len(present) - np.count_nonzero(present))
            if self.n_rows_dropped_:
                strict = params.get("unseen") == "error"  # X may be predicted later
                table = fit_schema(table.take(present), keep_levels=strict)
                y = take_rows(y, present)
                weight = None if weight is None else weight[present]
        # Levels that occur only in rows of zero weight count as unseen, except with unseen="error".
        if weight is not None and params.get("unseen") != "error" and not weight.all():
            table = fit_schema(table, weight > 0)
        if params.get("criterion") == "poisson":  # as in scikit-learn, first reject negative y
            check_counts(read_target(y, task=self._task).values)
        target = read_target(y, task=self._task, n_rows=table.n_rows, name=name, n_threads=threads)
        if isinstance(params.get("cost_matrix"), str) and target.info.n_outputs == 1:  # "ordinal"
            declared = order_as_declared(target, y).info.classes[0]
            params["cost_matrix"] = ordinal_costs(target.info.classes[0], declared)
        return table, target, weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        rows, target = tags.input_tags, tags.target_tags
        try:
            params, options = self._read_parameters()
            options = options or grow_options(params, self._task)
            values = options.__dict__.get("_tags")
            if values is None:  # cached, because model selection reads the tags twice per fit
                values = options.__dict__["_tags"] = _tag_values(options, params)
        except CeibaError:
            target.multi_output = False
            return tags
        target.multi_output, target.positive_only, rows.sparse, rows.allow_nan = values
        return tags

    # ------------------------------------------------------------------ pruning

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the effective alphas and leaf impurities of cost-complexity pruning.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            `ccp_alphas`, and `impurities`: the total impurity of the leaves at each alpha.
        """
        model = clone(self).set_params(ccp_alpha=0.0, prune=None)
        model.fit(X, y, sample_weight=sample_weight)
        ccp_alphas, impurities = pruning_path(model.tree_)
        return Bunch(ccp_alphas=ccp_alphas, impurities=impurities)


_PRUNING_RESULTS: Final = {
    "pruning_table_": "table", "alpha_": "alpha", "unpruned_tree_": "unpruned",
    "cross_validation_": "cross_validation",
}  # fmt: skip
_AFTER_GROWING: Final = frozenset({"prune", "leaf_values", "leaf_quantiles"})
_CLONED_TOO: Final = {"_metadata_request", "_sklearn_output_config", "_skl_callbacks"}
_IN_FIT: Final = {"class_weight", "cost_matrix"}  # parameters that `fit` combines with the data
_PLAIN: Final = {"n_jobs", "max_depth", "min_samples_leaf"}  # for which `grow_plain` suffices


def _tag_values(options: GrowOptions, params: dict[str, Any]) -> tuple[bool, bool, bool, bool]:
    """Return the tags `multi_output`, `positive_only`, `sparse` and `allow_nan`."""
    pruning = read_pruning(params.get("prune"))
    single = pruning is not None and pruning.needs_one_output
    single = single or "leaf_quantiles" in params or bool(single_output_options(options))
    positive = options.criterion == "poisson"
    return not single, positive, not dense_only_options(options), not refuses_missing(options)


def _fit_tree(problem: Problem, params: dict[str, Any]) -> tuple[Tree, Pruned | None, float | None]:
    """Grow, prune and smooth a tree; return it, the pruning result and the smoothing strength."""
    if _AFTER_GROWING.isdisjoint(params):
        return _apply_ccp_alpha(problem.grow(), params), None, None
    honest, rule = read_leaf_values(params) if "leaf_values" in params else (None, None)
    pruning, search = read_pruning(params.get("prune")), problem.options.search_method
    if (honest is not None or rule is not None) and getattr(pruning, "keep_unpruned", False):
        # Leaf values are set after pruning, so the unpruned tree would not have them.
        raise OptionError("keep_unpruned=True is not supported with leaf_values. Omit one of them.")
    if rule is not None:
        problem.options.task.is_classification("Smoothing of leaf values")
    seed, training = problem.options.seed, problem
    if honest is not None:
        structure, estimation = split_honest_rows(problem, honest.share, seed)
        training = problem.take(structure)
    pruned = None
    if pruning is None:
        tree = _apply_ccp_alpha(training.grow(), params)
    elif search is not None and search.penalty:
        raise OptionError(
            f"prune={params['prune']!r} is not supported with search={search!r}, which has a "
            "penalty. Omit prune or the penalty."
        )
    else:
        pruned = pruning.fit(training)
        tree = pruned.tree
        if search is not None and pruned.alpha is not None:
            # The optimal tree under a penalty need not be a subtree of the optimal tree without
            # one, so search again with the alpha that pruning chose as the penalty.
            chosen = clone(search, safe=False).set_params(penalty=pruned.alpha)
            tree = replace(training, options=replace(training.options, search=chosen)).grow()
    if honest is not None:
        training = problem.take(estimation)
        tree = honest_values(tree, training)
    if "leaf_quantiles" in params:
        levels = read_levels(params["leaf_quantiles"], tree.n_outputs)
        target, weight = training.target.values, training.row_weight
        tree = attach(tree, training.table, target, weight, {"quantiles": levels})
    if rule is None:
        return tree, pruned, None
    # Smooth last, because smoothing reads values of inner nodes, which pruning and honesty change.
    plain = "share" if honest is None else Honest(share=honest.share)
    of_folds = {name: value for name, value in params.items() if name != "leaf_quantiles"}

    def fit_fold(rows: Any) -> Tree:
        return _fit_tree(problem.take(rows), {**of_folds, "leaf_values": plain})[0]

    strength = choose_strength(problem, rule, fit_fold, seed)
    return smooth(tree, rule, strength), pruned, None if rule == "laplace" else strength


def _apply_ccp_alpha(tree: Tree, params: dict[str, Any]) -> Tree:
    alpha = params.get("ccp_alpha", 0.0)
    return prune_tree(tree, alpha, risk="impurity") if alpha > 0 else tree
