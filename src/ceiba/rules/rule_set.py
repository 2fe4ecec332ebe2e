"""A classifier that consists of general rules derived from a tree.

Rules are sorted by confidence, (right + 1) / (covered + 2), and the first one that covers a row
predicts its class, so rules may overlap. Rows that no rule covers get the default class, the most
frequent among such training rows. `generalise.py` derives the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import column_or_1d

from ceiba.errors import DataTypeError, OptionError, did_you_mean
from ceiba.families import c45
from ceiba.grow import Problem
from ceiba.paths import Condition
from ceiba.rules.generalise import candidate_rules, select_rules
from ceiba.table import Table, read_like
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GeneralRule:
    """A general rule of a `RuleSet`: a condition and the class that it predicts.

    Attributes
    ----------
    condition : Condition
        The condition on a row; `condition.select(X)` and `condition.python()` evaluate it.
    value : object
        The class.
    cover : float
        Training weight that satisfies the condition.
    errors : float
        Training weight of other classes that satisfies the condition.
    confidence : float
        (cover - errors + 1) / (cover + 2).
    lift : float
        Confidence over the share of the class in the training rows.
    n_tests : int
        Number of tests of the path that the rule keeps.
    """

    condition: Condition
    value: Any
    cover: float
    errors: float
    confidence: float
    lift: float
    n_tests: int

    def __str__(self) -> str:
        wrong = f"/{self.errors:g}" if self.errors else ""
        return (
            f"{self.condition}  (cover {self.cover:g}{wrong}, lift {self.lift:.2f}) -> "
            f"{self.value} [{self.confidence:.3f}]"
        )


class RuleSet(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that consists of general rules, as in C4.5 and C5.0.

    Parameters
    ----------
    estimator : classifier with a `tree_`, default=None
        Grows the tree whose paths are generalized. Default: `ceiba.c45()`.
    confidence : float, default=0.25
        C4.5's CF in the pessimistic error of a rule: the smaller, the more general the rules.

    Attributes
    ----------
    rules_ : list of GeneralRule
        In order of evaluation.
    default_ : object
        The class of rows that no rule covers.
    classes_ : ndarray
    tree_ : Tree
        The tree that the rules are derived from.
    n_tests_ : int
        Tests in all rules.
    n_path_tests_ : int
        Tests on all paths of the tree, for comparison.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> rules = ceiba.RuleSet().fit(X, y)
    >>> rules.n_tests_ < rules.n_path_tests_, round(rules.score(X, y), 2)
    (True, 0.98)
    """

    def __init__(self, estimator: Any = None, *, confidence: float = 0.25) -> None:
        self.estimator = estimator
        self.confidence = confidence

    @classmethod
    def from_tree(
        cls, tree: Any, X: Any, y: Any, *, sample_weight: Any = None, confidence: float = 0.25
    ) -> Self:
        """Fit a rule set by generalizing the paths of an existing tree to rules.

        Parameters
        ----------
        tree : Tree or fitted classifier
        X, y, sample_weight
            The training data of the tree.
        confidence : float, default=0.25

        Returns
        -------
        RuleSet
        """
        rules = cls(confidence=confidence)
        source = getattr(tree, "tree_", tree)
        if not isinstance(source, Tree):
            hint = " Fit it first." if hasattr(tree, "fit") and source is tree else ""
            raise DataTypeError(
                "RuleSet.from_tree requires a Tree or a fitted ceiba classifier, got "
                f"{tree!r}.{hint}"
            )
        rules._fit_rules(source, X, y, sample_weight)
        return rules

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree and generalize its paths to rules.

        Parameters
        ----------
        X, y, sample_weight
            As in `DecisionTreeClassifier.fit`.

        Returns
        -------
        self
        """
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        model = c45() if self.estimator is None else clone(self.estimator)
        model.fit(X, y, sample_weight=sample_weight)
        self._fit_rules(model.tree_, X, y, sample_weight)
        return self

    def _fit_rules(self, tree: Tree, X: Any, y: Any, sample_weight: Any) -> None:
        if not tree.task.has_classes or tree.n_outputs > 1:
            raise OptionError(
                f"RuleSet requires a single-output classification tree, got a {tree.task} tree "
                f"with {tree.n_outputs} output(s)."
            )
        if not 0 < self.confidence <= 0.5:
            raise OptionError(f"confidence must be in (0, 0.5], got {self.confidence!r}.")
        # Rules cannot cover fractions of rows, so missing values take the default branch.
        if tree.missing == "fractional":
            tree = replace(tree, missing="majority")
        problem = Problem.like(tree, X, y, sample_weight)
        codes, weight = problem.target.values[:, 0].astype(np.intp), problem.row_weight
        classes = tree.target.classes[0]
        candidates = candidate_rules(tree, problem.table, codes, weight, self.confidence)
        drafts, default = select_rules(candidates, codes, weight, len(classes))
        share = np.bincount(codes, weights=weight, minlength=len(classes)) / weight.sum()
        rules = [
            GeneralRule(
                draft.condition,
                classes[draft.answer],
                draft.weight,
                draft.errors,
                draft.confidence,
                draft.confidence / float(share[draft.answer]),
                len(draft.tests),
            )
            for draft in drafts
        ]
        # The number of tests on a path is the depth of its leaf.
        self._set_fitted(tree, rules, default, share, int(tree.node_depth[tree.leaves].sum()))

    def _set_fitted(
        self, tree: Tree, rules: list[GeneralRule], default: int, share: Array, n_path_tests: int
    ) -> None:
        self.tree_, self.classes_ = tree, tree.target.classes[0]
        self.n_features_in_ = len(tree.schema.columns)
        if tree.schema.named:
            self.feature_names_in_ = np.array(tree.schema.names, dtype=object)
        self.rules_, self.default_ = rules, self.classes_[default]
        self.n_tests_ = sum(rule.n_tests for rule in rules)
        self.n_path_tests_ = n_path_tests
        self._share, self._default = share, default

    # ------------------------------------------------------------------ predict

    def rules_for(self, label: Any) -> list[GeneralRule]:
        """Return the rules of one class, by descending confidence."""
        if label not in self.classes_:
            labels = ", ".join(map(str, self.classes_.tolist()))
            raise OptionError(f"label must be a class, got {label!r}. Classes: {labels}.")
        return [rule for rule in self.rules_ if rule.value == label]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the first rule that covers each row, or the default class."""
        first_rule = self._first_rule(X)
        labels = [*(rule.value for rule in self.rules_), self.default_]
        return np.array(labels, dtype=self.classes_.dtype)[first_rule]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities based on the confidence of each row's first covering rule."""
        first_rule = self._first_rule(X)
        share: Array = self._share
        index_of = {label: k for k, label in enumerate(self.classes_.tolist())}
        table = np.zeros((len(self.rules_) + 1, len(share)))
        for i, rule in enumerate(self.rules_):
            k = index_of[to_python_label(rule.value)]
            other_shares = np.where(np.arange(len(share)) == k, 0.0, share)
            total = other_shares.sum()
            table[i] = other_shares / total * (1 - rule.confidence) if total > 0 else 0.0
            table[i, k] = rule.confidence if total > 0 else 1.0
        table[-1] = share
        if share[self._default] < share.max():  # the default class must be the most probable
            table[-1] = 0.5 * share + 0.5 * (np.arange(len(share)) == self._default)
        return np.asarray(table[first_rule])

    def _first_rule(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the index of the first rule that covers each row, or `len(rules_)` for none."""
        self._refuse_unfitted()
        schema = self.tree_.schema
        table = X if isinstance(X, Table) else read_like(X, schema, owner="RuleSet")
        first_rule = np.full(table.n_rows, len(self.rules_), np.intp)
        for i in range(len(self.rules_) - 1, -1, -1):
            first_rule[self.rules_[i].condition.select(table)] = i
        return first_rule

    def save(
        self, path: Any, *, metadata: Mapping[str, Any] | None = None, compress: bool | None = None
    ) -> None:
        """Save the rules and their tree, but not `estimator`, in a file for `ceiba.load`.

        Parameters
        ----------
        path : path or binary file
        metadata : mapping, optional
        compress : bool, optional

        Examples
        --------
        >>> import io
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4] * 5}, ["a", "a", "b", "b"] * 5
        >>> rules, file = ceiba.RuleSet().fit(X, y), io.BytesIO()
        >>> rules.save(file)
        >>> str(ceiba.load(file.getvalue())) == str(rules)
        True
        """
        from ceiba.rules.model_file import save_rules

        self._refuse_unfitted()
        save_rules(self, path, metadata, compress)

    def export(self, format: str, **options: Any) -> str:  # noqa: A002
        """Return the rules as text or as a program; the first rule that holds predicts the class.

        Parameters
        ----------
        format : {"python", "sql", "text"}
        **options
            sql: `dialect`.

        Returns
        -------
        str

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4] * 5}, ["a", "a", "b", "b"] * 5
        >>> module = {}
        >>> exec(ceiba.RuleSet().fit(X, y).export("python"), module)
        >>> module["predict"]({"x": 9})
        'b'
        """
        self._refuse_unfitted()
        if format not in RULE_FORMATS:
            formats = list(RULE_FORMATS)
            raise OptionError(
                f"Unknown format {format!r}. Allowed values: {', '.join(formats)}."
                f"{did_you_mean(str(format), formats)}"
            )
        try:
            text: str = RULE_FORMATS[format](self, **options)
        except TypeError as error:
            reason = str(error).rpartition("() ")[2]  # drop the name of the private function
            raise OptionError(f"Cannot export rules as {format!r}: {reason}.") from None
        return text

    def _refuse_unfitted(self) -> None:
        if not hasattr(self, "rules_"):
            raise NotFittedError(
                "This RuleSet instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def __str__(self) -> str:
        if not hasattr(self, "rules_"):
            return repr(self)
        lines = [f"Rule {i}: {rule}" for i, rule in enumerate(self.rules_, 1)]
        return "\n".join([*lines, f"Default: {self.default_}"])


def to_python_label(label: Any) -> Any:
    """Convert a numpy scalar to a Python value; return other labels unchanged."""
    return label.item() if isinstance(label, np.generic) else label


# ---------------------------------------------------------------------- as programs


def _to_python(rules: RuleSet) -> str:
    lines = [
        '"""predict(row) returns the class of a row, a dict of values by column name.',
        "",
        "None or NaN is missing. Generated by ceiba; no dependencies.",
        '"""',
        "",
        "import datetime",
        "",
        "",
        "def predict(row):",
    ]
    for number, rule in enumerate(rules.rules_, 1):
        lines += [
            f"    # Rule {number}: confidence {rule.confidence:.3f}",
            f"    if {rule.condition.python('row')}:",
            f"        return {to_python_label(rule.value)!a}",
        ]
    return "\n".join([*lines, f"    return {to_python_label(rules.default_)!a}", ""])


def _to_sql(rules: RuleSet, dialect: str = "duckdb") -> str:
    from ceiba.export.code import conditions_case

    conditions = dict(enumerate(rule.condition for rule in rules.rules_))
    answers = {i: to_python_label(rule.value) for i, rule in enumerate(rules.rules_)}
    default = to_python_label(rules.default_)
    return conditions_case(rules.tree_, conditions, answers, default, dialect)


#: Functions that write a RuleSet in each format of `RuleSet.export`, by name of the format.
RULE_FORMATS: Final = {"text": lambda rules: f"{rules}\n", "python": _to_python, "sql": _to_sql}
