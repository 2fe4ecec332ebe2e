"""The regression tree behind scikit-learn's API."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import RegressorMixin

from ceiba.criteria import Task
from ceiba.estimators.base import BaseTree

__all__ = ["DecisionTreeRegressor"]


class DecisionTreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """A regression tree: every parameter of scikit-learn's, the same tree, and more.

    Tables come as they are: numpy, pandas, polars, Arrow, dict of lists; strings and categories
    are split by level sets; missing values are a choice. Ties go to the first column, then the
    lowest cut, so a tree needs no seed.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse", "f_test"}, \
            default="squared_error"
        What a split lowers: variance (leaves hold the mean), distance from the median (leaves hold
        the median), or Poisson deviance. "friedman_mse" is another name of "squared_error".
        "f_test": CHAID's test of merged levels, see `ceiba.chaid`.
    splitter : {"best", "random"}, default="best"
        The best cut of each column, or the best of one random cut per column.
    max_depth : int, default=None
        Most questions between the root and a leaf.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split; a float is a fraction of all rows, rounded up.
    min_samples_leaf : int or float, default=1
        Rows that each branch of a split needs; a float is a fraction of all rows, rounded up.
    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that each branch of a split needs.
    max_features : int, float or {"sqrt", "log2"}, default=None
        Columns tried at each node, drawn at random; None: all.
    random_state : int, RandomState instance or None, default=None
        Seed for `max_features` and `splitter="random"`. None is the fixed seed 0: two fits give
        the same tree.
    max_leaf_nodes : int, default=None
        Grow the most promising node first until there are so many leaves.
    min_impurity_decrease : float, default=0.0
        Split only if it lowers the impurity of the tree by at least this much.
    max_bins : int, default=None
        None: the exact search, every cut is considered. 2 to 255: numeric columns are cut only at
        the edges of that many quantile bins, which is faster (see the page on the engine).
    min_significance : float, default=None
        Split a node only if the p-value of a column's best split is at most this, and by the
        column with the smallest one. The p-values allow for the search over the column and, by
        Bonferroni, over the columns: columns of many levels are not favoured.
    alpha_merge, alpha_split : float, default=0.05
        Growing by tests (CHAID): two categories are merged while the p-value of their difference
        is above the first; a node is split while the adjusted p-value of its best column is at
        most the second.
    ccp_alpha : non-negative float, default=0.0
        Cost per leaf, in impurity, of scikit-learn's cost-complexity pruning.
    monotonic_cst : array-like of int or dict, default=None
        For each column 1 (the prediction rises), -1 (falls) or 0.
    n_jobs : int, default=None
        Threads. None: all cores, and one for small tables; the tree does not depend on it.
    categorical_features : "from_dtype", list or mask, default="from_dtype"
        Columns that hold levels; by default strings, categories, enums.
    categorical_splits : {"binary", "multiway"}, default="binary"
        Levels go two ways, or one branch per level.
    missing : {"learn", "majority", "surrogate", "fractional", "error"}, default="learn"
        "learn": missing values are tried on both sides of each split (scikit-learn);
        "surrogate": stand-in splits decide (rpart); "majority": the branch with more weight;
        "fractional": down every branch by its share (C4.5).
    unseen : {"majority", "missing", "error"}, default="majority"
        What a level does that the node has not seen.
    max_surrogates : int, default=5
        Stand-in splits kept at each node (with `missing="surrogate"`).
    surrogate_style : {0, 1}, default=0
        Agreement counted over all rows the split places (0) or those with both values (1).
    use_surrogate : {0, 1, 2}, default=2
        0: rows with a missing value stay in the node; 1: surrogates, else stay; 2: surrogates,
        else the branch with more weight.
    max_competitors : int, default=0
        Runner-up splits kept at each node.
    column_cost : array-like or dict, default=None
        Cost of asking for a column; its gain is divided by it.
    prune : {"cv", "1se"} or pruning object, default=None
        The choice of the tree's size. "cv": the least cross-validated risk; "1se": the smallest
        tree within one standard error of it; or an object of `ceiba.prune`, such as
        `CostComplexity(folds=5, rule="1se")`. None: as it grew.
    frequency_weights : bool, default=False
        Whether a weight of k means the row k times in every rule that counts rows.
    drop_missing_target : bool, default=False
        Leave out rows without a target instead of refusing them.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree; print it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when X has names.
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features_in_,)
    n_rows_dropped_ : int
        Rows left out by `drop_missing_target`.
    pruning_table_ : Listing
        With `prune`: the steps of the pruning sequence (or the tests) and the choice.
    alpha_ : float
        With cost-complexity pruning: the chosen cost per leaf.
    unpruned_tree_, cross_validation_ : Tree, CrossValidation
        With `keep_unpruned=True` in the pruning object.

    Examples
    --------
    >>> import numpy as np
    >>> import ceiba
    >>> x = np.linspace(-5, 5, 100)
    >>> y = np.sin(x) + 0.3 * np.cos(3 * x)
    >>> model = ceiba.DecisionTreeRegressor(max_depth=3).fit(x.reshape(-1, 1), y)
    >>> model.get_n_leaves(), round(float(model.predict([[-4.5]])[0]), 3)
    (8, 1.088)
    """

    _task: ClassVar[Task] = "regression"

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
        max_bins: int | None = None,
        min_significance: float | None = None,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        categorical_features: Any = "from_dtype",
        categorical_splits: str = "binary",
        missing: str = "learn",
        unseen: str = "majority",
        max_surrogates: int = 5,
        surrogate_style: int = 0,
        use_surrogate: int = 2,
        max_competitors: int = 0,
        column_cost: Any = None,
        prune: Any = None,
        frequency_weights: bool = False,
        drop_missing_target: bool = False,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs
        self.max_bins = max_bins
        self.min_significance = min_significance
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.categorical_features = categorical_features
        self.categorical_splits = categorical_splits
        self.missing = missing
        self.unseen = unseen
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.use_surrogate = use_surrogate
        self.max_competitors = max_competitors
        self.column_cost = column_cost
        self.prune = prune
        self.frequency_weights = frequency_weights
        self.drop_missing_target = drop_missing_target

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), or str
            Numbers; or the name of the column of X that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
        check_input : bool, default=True
            Kept for scikit-learn's callers; rows are read fast in any case.

        Returns
        -------
        self

        Examples
        --------
        >>> import ceiba
        >>> frame = {"age": [2, 3, 30, 31], "height": [85.0, 87.0, 170.0, 172.0]}
        >>> ceiba.DecisionTreeRegressor(max_depth=1).fit(frame, "height").predict({"age": [40]})
        array([171.])
        """
        self._fit(X, y, sample_weight)
        return self
