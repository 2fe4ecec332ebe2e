"""Sparse matrices give the tree of the dense table, node for node, whatever the options.

`make test` takes 60 random tables, `make test-full` 500.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.errors import DataError, OptionError
from ceiba.families import RpartClassifier
from ceiba.table import read

CLASS_CRITERIA = ("gini", "entropy", "log_loss", "error", "twoing", "hellinger")
NUMBER_CRITERIA = ("squared_error", "friedman_mse", "poisson", "absolute_error")
FORMS = (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix)
SEEDS = [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 500))]


def draw_table(rng: np.random.Generator) -> npt.NDArray[Any]:
    """Draw a table of mostly zeros: counts, signed whole numbers, or numbers of many digits."""
    n, k = int(rng.integers(4, 150)), int(rng.integers(1, 25))
    stored = rng.random((n, k)) < rng.uniform(0.02, 0.7)
    kind = rng.integers(4)
    if kind == 0:
        values = rng.integers(1, 4, (n, k)).astype(float)
    elif kind == 1:
        values = rng.integers(-3, 4, (n, k)).astype(float)
    elif kind == 2:
        values = rng.normal(size=(n, k))
    else:
        values = np.ones((n, k))
    X = np.where(stored, values, 0.0)
    if rng.random() < 0.3:
        X[:, int(rng.integers(k))] = rng.normal(size=n)  # a dense column
    return X.astype(np.float32) if rng.random() < 0.2 else X


def draw_model(rng: np.random.Generator, n: int, k: int) -> tuple[Any, Any, Any]:
    """Draw an estimator, a target and weights."""
    options: dict[str, Any] = {"max_depth": int(rng.integers(1, 12)), "random_state": 0}
    options["min_samples_leaf"] = int(rng.integers(1, 4))
    options["n_jobs"] = int(rng.integers(1, 3))
    if rng.random() < 0.2:
        options["max_leaf_nodes"] = int(rng.integers(2, 10))
    if rng.random() < 0.2:
        options["max_features"] = int(rng.integers(1, k + 1))
    if rng.random() < 0.1:
        options["splitter"] = "random"
    weight = None
    if rng.random() < 0.4:
        weight = rng.integers(0, 4, n) + 0.0 if rng.random() < 0.5 else rng.random(n) + 0.01
        weight[0] = 1.0
    many = rng.random() < 0.15
    if rng.random() < 0.6:
        classes = int(rng.integers(2, 5))
        y = rng.integers(classes, size=(n, 2) if many else n)
        criterion = "gini" if many else rng.choice(CLASS_CRITERIA)
        return DecisionTreeClassifier(criterion=str(criterion), **options), y, weight
    y = rng.integers(0, 5, (n, 2) if many else n) + 0.0
    if rng.random() < 0.5:
        y = y + rng.random(y.shape)
    y[0] += 1.0
    criterion = "squared_error" if many else rng.choice(NUMBER_CRITERIA)
    if rng.random() < 0.2 and criterion != "absolute_error" and not many:
        options["monotonic_cst"] = rng.integers(-1, 2, k).tolist()
    return DecisionTreeRegressor(criterion=str(criterion), **options), y, weight


def assert_same(sparse: Any, dense: Any) -> None:
    for name in ("parent", "default_branch", "n_rows"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name), err_msg=name)
    for name in ("kind", "column", "cut"):
        pair = getattr(sparse.splits, name), getattr(dense.splits, name)
        np.testing.assert_array_equal(*pair, err_msg=name)
    for name in ("weight", "impurity", "value"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name), err_msg=name)
    np.testing.assert_allclose(sparse.gain, dense.gain, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_is_that_of_the_dense_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = draw_table(rng)
    model, y, weight = draw_model(rng, *X.shape)
    made = FORMS[seed % len(FORMS)](X)
    if seed % 5 == 0 and (np.rint(X) == X).all():
        made = made.astype(np.int64)
    dense = model.fit(X, y, sample_weight=weight)
    tree, expected = dense.tree_, dense.predict(X)
    sparse = model.fit(made, y, sample_weight=weight)
    assert_same(sparse.tree_, tree)
    other = FORMS[(seed + 1) % len(FORMS)](X)
    np.testing.assert_array_equal(sparse.predict(other), expected)
    np.testing.assert_array_equal(sparse.apply(made), tree.apply(X))


def draw_counted(rng: np.random.Generator) -> tuple[npt.NDArray[Any], Any]:
    """Draw few distinct numbers and two classes: large nodes are counted, not sorted."""
    n, k = int(rng.integers(30, 400)), int(rng.integers(2, 20))
    values = rng.choice([[1.0, 1.0, 2.0, 5.0], [-2.0, -0.5, 1.0, 3.0], [1.0] * 4, [-1.0] * 4])
    X = rng.choice(values, (n, k)) * (rng.random((n, k)) < rng.uniform(0.1, 0.6))
    if rng.random() < 0.3:
        X[:, 0] = rng.choice([1.0, 2.0], n)  # no zeros
    if rng.random() < 0.3:
        X[:, -1] = X[:, 0]  # tied columns
    n_slots = sum(np.unique(column[column != 0]).size for column in X.T)
    assert 2 * n_slots <= np.count_nonzero(X)
    return X, ((X[:, 1] + rng.normal(size=n)) > 0.5).astype(int)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("seed", range(10))
def test_counted_numbers_give_the_dense_tree(seed: int, criterion: str) -> None:
    rng = np.random.default_rng(1000 + seed)
    X, y = draw_counted(rng)
    options: dict[str, Any] = {"criterion": criterion, "n_jobs": 1 + seed % 2}
    options["min_samples_leaf"] = int(rng.integers(1, 6))
    if seed % 3 == 0:
        options["max_leaf_nodes"] = int(rng.integers(3, 20))
    if seed % 4 == 0:
        options["monotonic_cst"] = rng.integers(-1, 2, X.shape[1]).tolist()
    model = DecisionTreeClassifier(**options)
    dense = model.fit(X, y).tree_
    for form in FORMS[:2]:
        sparse = model.fit(form(X), y)
        assert_same(sparse.tree_, dense)
        np.testing.assert_array_equal(sparse.apply(form(X)), dense.apply(X))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"])
def test_every_format_of_scipy_is_read(form: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (40, 6)) * (rng.random((40, 6)) < 0.4)
    y = rng.integers(2, size=40)
    for make in (sp.coo_array, sp.coo_matrix):
        model = DecisionTreeClassifier().fit(make(X).asformat(form), y)
        assert_same(model.tree_, DecisionTreeClassifier().fit(X, y).tree_)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int32, np.float32, np.longdouble])
def test_every_type_of_number_is_read(dtype: Any) -> None:
    X = (np.random.default_rng(1).random((30, 4)) < 0.3).astype(dtype)
    y = X[:, 2].astype(int)
    model = DecisionTreeClassifier().fit(sp.csr_array(X), y)
    assert_same(model.tree_, DecisionTreeClassifier().fit(X, y).tree_)


def test_duplicates_explicit_zeros_and_unsorted_indices_are_handled() -> None:
    data, column, start = [1.0, 2.0, 0.0, 3.0, 1.0], [2, 0, 1, 1, 1], [0, 2, 3, 5]
    X = sp.csr_matrix((data, column, start), shape=(3, 3))
    y = [0, 1, 1]
    model = DecisionTreeClassifier().fit(X, y)
    assert_same(model.tree_, DecisionTreeClassifier().fit(X.toarray(), y).tree_)
    np.testing.assert_array_equal(X.data, data)  # the caller's matrix is left alone


def test_pruning_by_cross_validation_gives_the_dense_tree() -> None:
    rng = np.random.default_rng(5)
    X = rng.poisson(0.3, (300, 12)).astype(float)
    y = (X[:, 3] + rng.random(300) > 1).astype(int)
    dense = DecisionTreeClassifier(prune="cv", random_state=0).fit(X, y)
    sparse = DecisionTreeClassifier(prune="cv", random_state=0).fit(sp.csr_array(X), y)
    assert_same(sparse.tree_, dense.tree_)
    assert sparse.alpha_ == dense.alpha_


def test_text_pipeline_of_habit() -> None:
    texts = ["rain and wind", "sun", "rain", "sun and heat", "wind", "heat"] * 5
    y = ["wet", "dry", "wet", "dry", "wet", "dry"] * 5
    model = make_pipeline(CountVectorizer(), DecisionTreeClassifier()).fit(texts, y)
    assert model.score(texts, y) == 1.0
    assert model.predict(["rain today"]).tolist() == ["wet"]


def test_one_hot_pipeline_of_habit() -> None:
    X = [["a", "x"], ["b", "y"], ["a", "y"], ["c", "x"]] * 5
    y = [1.0, 2.0, 1.0, 4.0] * 5
    sparse = make_pipeline(OneHotEncoder(sparse_output=True), DecisionTreeRegressor()).fit(X, y)
    dense = make_pipeline(OneHotEncoder(sparse_output=False), DecisionTreeRegressor()).fit(X, y)
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(X))
    assert_same(sparse[-1].tree_, dense[-1].tree_)


def test_the_matrix_is_neither_copied_nor_made_dense() -> None:
    X = sp.random_array((1000, 50), density=0.01, format="csr", rng=0)
    table = read(X)
    assert table.sparse is X
    assert table.matrix is None
    assert table.column("x3").values.tolist() == X.toarray()[:, 3].tolist()


def test_ranges_of_columns_are_those_of_the_dense_table() -> None:
    X = np.array([[1.0, 0.0, -2.0], [2.0, 0.0, 3.0], [1.5, 0.0, 0.0]])
    dense, sparse = read(X).schema.columns, read(sp.csc_array(X)).schema.columns
    assert sparse == dense


def test_missing_values_are_refused_when_fitting_and_routed_when_predicting() -> None:
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0], [0.0, 1.0]])
    gap = X.copy()
    gap[2, 0] = np.nan
    with pytest.raises(DataError, match=r"'x0' has 1 missing value.*X\.toarray\(\)"):
        DecisionTreeClassifier().fit(sp.csr_array(gap), [0, 1, 0, 1])
    model = DecisionTreeClassifier().fit(sp.csr_array(X), [0, 1, 0, 1])
    assert model.predict(sp.csr_array(gap)).tolist() == model.predict(gap).tolist()


def test_infinities_are_refused_when_fitting() -> None:
    X = sp.csr_array([[1.0, np.inf], [0.0, 2.0]])
    with pytest.raises(DataError, match="infinity.*'x1'"):
        DecisionTreeClassifier().fit(X, [0, 1])


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "gain_ratio"},
        {"criterion": "chi2"},
        {"missing": "surrogate"},
        {"missing": "fractional"},
        {"max_bins": 16},
        {"min_significance": 0.05},
        {"search": "optimal", "max_depth": 2},
    ],
    ids=lambda options: "-".join(options),
)
def test_what_needs_a_dense_table_is_refused(options: dict[str, Any]) -> None:
    X, y = sp.csr_array(np.eye(20)), [0, 1] * 10
    model = DecisionTreeClassifier(**options)
    with pytest.raises(OptionError, match=r"not supported for sparse X.*X\.toarray\(\)"):
        model.fit(X, y)
    assert not model.__sklearn_tags__().input_tags.sparse


def test_rpart_refuses_sparse_tables() -> None:
    message = r"^ceiba.rpart is not .* sparse X\. Pass X.toarray\(\) .* or use a DecisionTree class"
    with pytest.raises(OptionError, match=message):
        RpartClassifier().fit(sp.csr_array(np.eye(20)), [0, 1] * 10)
