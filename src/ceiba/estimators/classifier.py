"""The classification tree behind scikit-learn's API."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.metadata_routing import UNUSED

from ceiba.criteria import Task
from ceiba.estimators.base import BaseTree
from ceiba.tree.routing import route

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """A classification tree: every parameter of scikit-learn's, the same tree, and more.

    Tables come as they are: numpy, pandas, polars, Arrow, dict of lists; strings and categories
    are split by level sets; missing values are a choice. Ties go to the first column, then the
    lowest cut, so a tree needs no seed.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error", "twoing", "gain_ratio", "chi2", \
"likelihood_ratio"}, default="gini"
        What a split lowers; "log_loss" is another name of "entropy", which is in bits.
        "gain_ratio": C4.5's choice, see `ceiba.c45` and docs/families.md. "chi2" and
        "likelihood_ratio": CHAID's tests of merged levels, see `ceiba.chaid`.
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
    class_weight : dict, list of dict or "balanced", default=None
        Weight of each class, times the weight of the row.
    ccp_alpha : non-negative float, default=0.0
        Cost per leaf, in impurity, of scikit-learn's cost-complexity pruning.
    monotonic_cst : array-like of int or dict, default=None
        For each column 1 (probability of the second class rises), -1 (falls) or 0. Two classes.
    n_jobs : int, default=None
        Threads. None: all cores, and one for small tables; the tree does not depend on it.
    categorical_features : "from_dtype", list or mask, default="from_dtype"
        Columns that hold levels; by default strings, categories, enums.
    categorical_splits : {"binary", "multiway"}, default="binary"
        Levels go two ways, or one branch per level.
    empty_branches : bool, default=False
        With one branch per level: whether levels that are not in the node get one too. It is a
        leaf that answers as its parent does.
    cuts : {"midpoint", "value"}, default="midpoint"
        With "gain_ratio": a cut is the middle between two values of the node, or the largest
        value of the whole column that is not above it (C4.5, which does not part numbers that
        are closer than 1e-5).
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
    class_prior : array-like or dict, default=None
        Shares of the classes in the world, if the table does not show them. Not together with
        `class_weight`.
    cost_matrix : array-like of shape (n_classes, n_classes) or dict, default=None
        `cost_matrix[i, j]`: cost of truth i predicted as j; or `{(truth, predicted): cost}`.
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
    classes_ : ndarray of shape (n_classes,) or list of ndarray
    n_classes_ : int or ndarray
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
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> model.get_n_leaves(), round(model.score(X, y), 2)
    (3, 0.96)
    """

    __metadata_request__predict_proba: ClassVar = {"check_input": UNUSED}

    _task: ClassVar[Task] = "classification"

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
        max_bins: int | None = None,
        min_significance: float | None = None,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        categorical_features: Any = "from_dtype",
        categorical_splits: str = "binary",
        empty_branches: bool = False,
        cuts: str = "midpoint",
        missing: str = "learn",
        unseen: str = "majority",
        max_surrogates: int = 5,
        surrogate_style: int = 0,
        use_surrogate: int = 2,
        max_competitors: int = 0,
        class_prior: Any = None,
        cost_matrix: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs
        self.max_bins = max_bins
        self.min_significance = min_significance
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.categorical_features = categorical_features
        self.categorical_splits = categorical_splits
        self.empty_branches = empty_branches
        self.cuts = cuts
        self.missing = missing
        self.unseen = unseen
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.use_surrogate = use_surrogate
        self.max_competitors = max_competitors
        self.class_prior = class_prior
        self.cost_matrix = cost_matrix
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
            Labels; or the name of the column of X that holds them.
        sample_weight : array-like of shape (n_rows,), default=None
        check_input : bool, default=True
            Kept for scikit-learn's callers; rows are read fast in any case.

        Returns
        -------
        self

        Examples
        --------
        >>> import ceiba
        >>> frame = {"clouds": [8, 7, 1, 0], "RAIN": ["yes", "yes", "no", "no"]}
        >>> ceiba.DecisionTreeClassifier().fit(frame, "RAIN").predict({"clouds": [2]})
        array(['no'], dtype='<U3')
        """
        self._fit(X, y, sample_weight)
        classes = self.tree_.target.classes
        self.classes_: Any = classes[0] if len(classes) == 1 else list(classes)
        sizes = [len(labels) for labels in classes]
        self.n_classes_: Any = sizes[0] if len(sizes) == 1 else np.array(sizes, dtype=np.intp)
        return self

    def predict_proba(
        self, X: Any, check_input: bool = True
    ) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """Give the class probabilities of each row (after priors).

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or list of n_outputs such arrays
        """
        tree = self._fitted()
        table = self._rows(X, check_input)
        return route.predict_proba(tree, table, n_threads=self._threads(table))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """Give the logarithms of the class probabilities of each row.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or list of n_outputs such arrays
        """
        proba = self.predict_proba(X)
        # The logarithm of 0 is -inf and meant so.
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in proba] if isinstance(proba, list) else np.log(proba)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        return tags
