"""The search over bins against the presorted search: the same tree, node for node.

`small_node` decides from which size on a node is searched by bins. Set to the size of the table and
more, everything is sorted (the reference); set to 2, with few bins, every node goes through bounds,
fetching and exact scans, on tables that the reference does in no time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ceiba
from ceiba import _core
from tests.marks import slow

REFERENCE = 10**9
CASES = 150
CRITERIA = _core.counted_criteria()


def grown(case: dict[str, Any], small_node: int, **options: Any) -> dict[str, Any]:
    """Grow a tree; small parts by the general grower too, unless `small_tables` is set."""
    core = _core.GrowOptions()
    core.small_node = small_node
    core.small_tables = False
    core.set_criterion(case["criterion"])
    core.set_missing(case["missing"])
    for name, value in {**case["options"], **options}.items():
        setattr(core, name, value)
    y = case["y"].reshape(-1, 1)
    if case["n_classes"]:
        tree = _core.grow_classes(case["columns"], y, [case["n_classes"]], case["weight"], core)
    else:
        tree = _core.grow_numbers(case["columns"], y, case["weight"], core)
    return dict(tree.views())


def differences(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    names = ["parent", "default_branch", "n_rows", "weight", "impurity", "gain", "value"]
    names += ["sent_default"]
    pairs = [(name, a[name], b[name]) for name in names]
    pairs += [(name, a["splits"][name], b["splits"][name]) for name in a["splits"]]
    return [name for name, x, y in pairs if not np.array_equal(x, y, equal_nan=True)]


def numbers(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    x = rng.normal(size=n)
    kind = rng.integers(0, 6)
    if kind == 0:
        x = np.round(x * 2)  # lossless bins
    elif kind == 1:
        x = np.round(x * 200)  # more values than bins, many of them repeated
    elif kind == 2:
        x = np.exp(x * 8)  # a long tail
    elif kind == 3:
        x[rng.random(n) < rng.random()] = 0.0  # one value nearly everywhere
    if rng.random() < 0.1:
        x[rng.random(n) < 0.02] = rng.choice([np.inf, -np.inf])
    return x


def random_case(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(60, 2500)), int(rng.integers(1, 7))
    criterion = str(rng.choice(CRITERIA))
    regression = criterion in ("squared_error", "poisson")
    n_classes = 0 if regression else int(rng.choice([2, 2, 3, 5, 8]))
    X = np.column_stack([numbers(rng, n) for _ in range(d)])
    if rng.random() < 0.4:
        X[rng.random(X.shape) < rng.choice([0.02, 0.3])] = np.nan
    X = X.astype(np.float32 if rng.random() < 0.4 else np.float64)
    calm = np.nan_to_num(X.astype(float), posinf=3, neginf=-3).clip(-5, 5)
    z = calm[:, 0] * rng.random() + np.sin(3 * calm[:, -1])
    z = z + rng.normal(size=n) * rng.choice([0.01, 0.5, 3])
    y: npt.NDArray[Any]
    if n_classes:
        y = np.floor(np.argsort(np.argsort(z)) / n * n_classes).astype(np.int32)
    elif criterion == "poisson":
        y = rng.poisson(np.exp(np.clip(z, -3, 2))).astype(float)
    else:
        y = np.round(z, 1) if rng.random() < 0.4 else z * rng.choice([1, 1e6, 1e-6]) + 1e5
    weight = None
    if rng.random() < 0.45:
        weights = (rng.integers(1, 4, n), rng.random(n) + 0.01, np.exp(rng.normal(size=n) * 6))
        weight = weights[rng.integers(0, 3)].astype(float)
    options: dict[str, Any] = {
        "min_samples_leaf": int(rng.choice([1, 1, 5, 20])),
        "max_depth": int(rng.choice([-1, 3, 6])),
    }
    columns = _core.Columns.from_matrix(X)
    n_columns = d
    if rng.random() < 0.4:
        for n_levels in (3, int(rng.integers(2, 300))):
            codes = rng.integers(-1 if rng.random() < 0.5 else 0, n_levels, n).astype(np.int32)
            columns.add_levels(codes, n_levels, bool(rng.random() < 0.3))
            n_columns += 1
    if rng.random() < 0.25 and n_classes in (0, 2) and criterion not in ("entropy", "hellinger"):
        signs = [int(v) for v in rng.integers(-1, 2, d)]
        options["monotonic"] = signs + [0] * (n_columns - d)
    if rng.random() < 0.2 and weight is not None:
        options["min_weight_leaf"] = float(weight.sum() * 0.02)
    if n_classes and rng.random() < 0.15:
        options["class_scale"] = [float(v) for v in rng.random(n_classes) + 0.1]
    if rng.random() < 0.1:
        options["max_leaf_nodes"] = int(rng.integers(2, 30))
    if rng.random() < 0.1:
        options["column_cost"] = [float(v) for v in rng.choice([1.0, 1.5], n_columns)]
    return {
        "keep": X,
        "columns": columns,
        "y": y,
        "n_classes": n_classes,
        "weight": weight,
        "criterion": criterion,
        "missing": str(rng.choice(["learn", "learn", "majority"])),
        "options": options,
    }


@pytest.mark.parametrize("first", range(0, CASES, 10))
def test_bins_random_tables_grow_the_tree_of_the_sorted_search(first: int) -> None:
    for seed in range(first, first + 10):
        case, rng = random_case(seed), np.random.default_rng(seed)
        bins = {"max_bins": int(rng.choice([2, 4, 16, 255]))}
        by_bins = grown(case, int(rng.choice([2, 2, 10, 60])), **bins)
        assert differences(grown(case, REFERENCE), by_bins) == [], f"seed {seed}"


@pytest.mark.slow
def test_bins_thousands_of_tables_grow_the_tree_of_the_sorted_search() -> None:
    for seed in range(1000, 6000):
        case, rng = random_case(seed), np.random.default_rng(seed)
        bins = {"max_bins": int(rng.choice([2, 4, 16, 255]))}
        by_bins = grown(case, int(rng.choice([2, 2, 10, 60])), **bins)
        assert differences(grown(case, REFERENCE), by_bins) == [], f"seed {seed}"


def large_case(criterion: str, dtype: Any, n: int = 30_000) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, 6))
    X[:, 4] = np.round(X[:, 4] * 20)
    X[rng.random(n) < 0.2, 5] = np.nan
    z = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * rng.normal(size=n)
    X = np.ascontiguousarray(X.astype(dtype))
    n_classes = {"gini": 3, "entropy": 2, "error": 2, "hellinger": 3}.get(criterion, 0)
    y: npt.NDArray[Any] = z
    if n_classes:
        y = np.digitize(z, [-0.5, 0.8][: n_classes - 1]).astype(np.int32)
    elif criterion == "poisson":
        y = rng.poisson(np.exp(z.clip(-3, 2))).astype(float)
    return {
        "keep": X,
        "columns": _core.Columns.from_matrix(X),
        "y": y,
        "n_classes": n_classes,
        "weight": None,
        "criterion": criterion,
        "missing": "learn",
        "options": {"min_samples_leaf": 5},
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_bins_large_table_same_tree_for_engines_and_threads(criterion: str, dtype: Any) -> None:
    # Trees by error peel off a few rows at a time: their time grows with the square of the rows.
    case = large_case(criterion, dtype, n=3_000 if criterion == "error" else 12_000)
    reference = grown(case, REFERENCE)
    assert differences(reference, grown(case, 500)) == []
    assert differences(reference, grown(case, 500, n_threads=3)) == []


def one_hot_case(seed: int, n: int = 6_000, n_classes: int = 3) -> dict[str, Any]:
    """Two one-hot coded columns of levels among numbers; each member has values of its own."""
    rng = np.random.default_rng(seed)
    columns, z = [rng.normal(size=n), np.round(rng.normal(size=n) * 3)], rng.normal(size=n)
    for n_levels in (5, 40):
        level = np.minimum(rng.geometric(3 / n_levels, n) - 1, n_levels)  # the last has no column
        for k in range(n_levels):
            common, rare = rng.choice([0.0, 1.0, -2.5, 7.0], 2, replace=False)
            columns.append(np.where(level == k, rare, common))
        z += rng.normal(size=n_levels + 1)[level]
    columns += [rng.integers(0, 2, n), np.full(n, 3.0), rng.integers(0, 2, n)]
    X = np.column_stack(columns).astype(rng.choice([np.float32, np.float64]))
    X = np.asarray(X[:, rng.permutation(X.shape[1])], order=rng.choice(["C", "F"]))
    z = z + X[:, 0]
    y: npt.NDArray[Any] = z
    if n_classes:
        y = np.floor(np.argsort(np.argsort(z)) / n * n_classes).astype(np.int32)
    return {
        "keep": X,
        "columns": _core.Columns.from_matrix(X),
        "y": y,
        "n_classes": n_classes,
        "weight": None,
        "criterion": "gini" if n_classes else "squared_error",
        "missing": "learn",
        "options": {"min_samples_leaf": int(rng.choice([1, 7]))},
    }


@pytest.mark.parametrize(
    ("n_classes", "small_tables"),
    [(0, False), (2, False), (2, True), (3, False), (3, True), (9, True)],
)
@pytest.mark.parametrize("seed", [0, *slow([1, 2])])
def test_bins_one_hot_columns_grow_the_same_tree(
    seed: int, n_classes: int, small_tables: bool
) -> None:
    case = one_hot_case(seed, n_classes=n_classes)
    reference = grown(case, REFERENCE)
    for small_node in (50, 700, 2048):
        tree = grown(case, small_node, small_tables=small_tables)
        assert differences(reference, tree) == []
    case["weight"] = np.random.default_rng(seed).integers(1, 4, len(case["y"])).astype(float)
    assert differences(grown(case, REFERENCE), grown(case, 300)) == []


@pytest.mark.parametrize("value", [7.5, np.nan, np.inf], ids=["third", "missing", "infinite"])
def test_bins_one_hot_columns_with_a_rare_exception_grow_the_same_tree(value: float) -> None:
    # A sample of 2,048 rows proposes what may share a byte; most of these exceptions are not in it.
    case = one_hot_case(5, n=12_000)
    X, rng = case["keep"].copy(), np.random.default_rng(8)
    two_valued = [c for c in range(X.shape[1]) if len(np.unique(X[:, c])) == 2]
    for c in two_valued[::4]:
        X[rng.integers(0, len(X)), c] = value
    case.update(keep=X, columns=_core.Columns.from_matrix(X))
    reference = grown(case, REFERENCE)
    assert differences(reference, grown(case, 2048, small_tables=True)) == []
    assert differences(reference, grown(case, 2048, small_tables=True, n_threads=2)) == []


def test_bins_one_hot_columns_that_meet_in_one_row_grow_the_same_tree() -> None:
    case = one_hot_case(6, n=14_000)
    X = case["keep"].copy()
    rare = {}
    for c in range(X.shape[1]):
        values, counts = np.unique(X[:, c], return_counts=True)
        if len(values) == 2:
            rare[c] = values[np.argmin(counts)]
    X[12_345, list(rare)] = list(rare.values())  # all of them at once
    case.update(keep=X, columns=_core.Columns.from_matrix(X))
    assert differences(grown(case, REFERENCE), grown(case, 2048, small_tables=True)) == []


@pytest.mark.parametrize("value", [1.0, -3.0, 0.5, 300.0, np.nan])
def test_bins_small_integers_that_the_sample_misses_grow_the_same_tree(value: float) -> None:
    # Integers from 0 to 254 get their bins in advance; `value` may have none.
    rng = np.random.default_rng(11)
    n = 12_000
    X = np.asfortranarray(np.minimum(rng.geometric(0.04, (n, 3)) - 1.0, 254.0))
    X[rng.integers(0, n), 1] = value
    z = np.nan_to_num(X) @ [1.0, 1.0, -0.5] + 9 * rng.normal(size=n)
    case = {
        "columns": _core.Columns.from_matrix(X),
        "y": z.clip(0, 59).astype(np.int32) // 20,
        "n_classes": 3,
        "weight": None,
        "criterion": "gini",
        "missing": "learn",
        "options": {},
    }
    assert differences(grown(case, REFERENCE), grown(case, 2048, small_tables=True)) == []
    case.update(y=z, n_classes=0, criterion="squared_error", options={"min_samples_leaf": 5})
    assert differences(grown(case, REFERENCE), grown(case, 300, n_threads=2)) == []


@pytest.mark.parametrize("exception", [None, 5_000.0, -90_000.0, 0.5, np.nan, np.inf])
@pytest.mark.parametrize(("dtype", "order"), [("float64", "F"), ("float32", "C"), ("int64", "C")])
def test_bins_small_integers_are_counted_one_by_one_and_grow_the_same_tree(
    dtype: str, order: Any, exception: float | None
) -> None:
    # Each row stores its integer if all are in a small range; few exceptions are in the sample.
    rng = np.random.default_rng(12)
    n, spans = 12_000, (300, 2_500, 8_000, 70)
    X = np.column_stack([rng.integers(-span // 3, span, n) for span in spans]).astype(float)
    X[:, 1] += 2.0**20
    for c in (0, 1):
        if exception is not None:
            X[rng.integers(0, n, 2), c] = exception
    if dtype == "int64":
        X = np.nan_to_num(np.floor(X), posinf=3)
    X = np.asarray(X.astype(dtype), order=order)
    z = np.nan_to_num(X[:, :3].astype(float), posinf=0) @ [0.01, 0.001, -0.0005]
    z = z - np.median(z) + 2 * np.sin(X[:, 3] / 9.0) + rng.normal(size=n)
    case = {
        "keep": X,
        "columns": _core.Columns.from_matrix(X),
        "n_classes": 0,
        "weight": None,
        "missing": "learn",
        "options": {"min_samples_leaf": 3},
    }
    for criterion, n_classes in (("gini", 2), ("gini", 4), ("squared_error", 0)):
        y: npt.NDArray[Any] = z
        if n_classes:
            y = np.digitize(z, [-1.0, 0.5, 2.0][: n_classes - 1]).astype(np.int32)
        case.update(y=y, n_classes=n_classes, criterion=criterion)
        reference = grown(case, REFERENCE)
        for small_node in (40, 2_048):
            assert differences(reference, grown(case, small_node, small_tables=True)) == []
        assert differences(reference, grown(case, 300, n_threads=2)) == []
    case.update(weight=rng.integers(1, 5, n) / 2, missing="majority")
    assert differences(grown(case, REFERENCE), grown(case, 300)) == []


@pytest.mark.parametrize("low", [-2_000, -100, 0])
@pytest.mark.parametrize("value", [np.nextafter(4.0, 0.0), np.float32(3.99995), 3.0 + 1e-15])
def test_bins_values_next_to_an_integer_are_no_integers(low: int, value: Any) -> None:
    # The sample misses most of these rows. The difference to `low` may round to an integer.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.integers(low, abs(low) or 4_000, 12_000).astype(np.asarray(value).dtype)
        x[rng.integers(0, len(x), 3)] = value
        X = x[:, None]
        model = ceiba.DecisionTreeClassifier().fit(X, x == value)
        assert model.score(X, x == value) == 1.0
        tree = model.tree_
        assert np.array_equal(np.bincount(model.apply(X))[tree.is_leaf], tree.n_rows[tree.is_leaf])


def test_bins_mirrored_columns_are_tied_however_far_weights_are_apart() -> None:
    # One side's sums are rounded otherwise than the other's here, even in three doubles.
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.choice([0.0, 5.0], 1000)
        z = 0.1 * rng.normal(size=1000)
        X = np.column_stack([z, x, 5.0 - x])
        case = large_case("squared_error", np.float64, 1000)
        case.update(keep=X, columns=_core.Columns.from_matrix(X), y=1e5 + x + rng.normal(size=1000))
        case.update(weight=np.exp(rng.normal(size=1000) * 6), options={"max_depth": 1})
        trees = [grown(case, REFERENCE), grown(case, 10)]
        assert differences(*trees) == [], f"seed {seed}"
        assert trees[1]["splits"]["column"][0] != 2, f"seed {seed}"


@pytest.mark.parametrize("approximate", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_small_subtrees_equal_those_of_the_general_grower(
    n_threads: int, missing: float, approximate: bool
) -> None:
    for n_classes in (2, 3):
        case = large_case("gini", np.float32)
        case.update(n_classes=n_classes, y=np.minimum(case["y"], n_classes - 1))
        holes = np.random.default_rng(n_classes).random(case["keep"].shape) < missing
        case["keep"][:, 5] = 0.0
        case["keep"][holes] = np.nan
        case["columns"] = _core.Columns.from_matrix(case["keep"])
        options = {"approximate": approximate, "n_threads": n_threads}
        general = grown(case, 900, **options)
        assert differences(general, grown(case, 900, small_tables=True, **options)) == []
        deep = {"max_depth": 9, "min_samples_split": 30, "min_gain": 1e-4, **options}
        assert (
            differences(grown(case, 900, **deep), grown(case, 900, small_tables=True, **deep)) == []
        )


def test_bins_pure_noise_falls_back_to_sorting_and_grows_the_same_tree() -> None:
    case = large_case("squared_error", np.float64)
    case["y"] = np.random.default_rng(0).normal(size=len(case["y"]))
    case["options"] = {"max_depth": 4}
    assert differences(grown(case, REFERENCE), grown(case, 500)) == []


def test_max_bins_few_values_loses_nothing() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 100, size=(5000, 5)).astype(float)
    case = large_case("squared_error", np.float64, 5000)
    case.update(keep=X, columns=_core.Columns.from_matrix(X), y=X[:, 0] + rng.normal(size=5000))
    exact = grown(case, REFERENCE)
    assert differences(exact, grown(case, 200, approximate=True)) == []


def test_max_bins_cuts_lie_at_edges_that_part_the_rows_as_when_growing() -> None:
    case = large_case("squared_error", np.float64)
    case["missing"] = "majority"
    tree = grown(case, 500, approximate=True, max_bins=16)
    cuts = {
        (c, x)
        for c, x, kind in zip(
            tree["splits"]["column"], tree["splits"]["cut"], tree["splits"]["kind"], strict=True
        )
        if kind == 1
    }
    assert len({x for c, x in cuts if c == 0}) <= 15
    column, cut = int(tree["splits"]["column"][0]), float(tree["splits"]["cut"][0])
    left = int(tree["branch_node"][0])
    assert tree["n_rows"][left] == np.count_nonzero(case["keep"][:, column] <= cut)


def test_max_bins_training_error_close_to_the_exact_tree() -> None:
    case = large_case("squared_error", np.float64)
    case["options"] = {"max_depth": 6, "min_samples_leaf": 20}

    def risk(tree: dict[str, Any]) -> float:
        leaf = np.diff(tree["branch_start"]) == 0
        return float((tree["weight"] * tree["impurity"])[leaf].sum())

    exact, binned = risk(grown(case, REFERENCE)), risk(grown(case, 500, approximate=True))
    assert exact < binned < 1.02 * exact
