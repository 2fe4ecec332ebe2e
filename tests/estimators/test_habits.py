"""Habits of scikit-learn users: targets, weights and groups by name; warnings in fit, once."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import DataWarning, LeakWarning, OptionError


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 240
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "z": rng.normal(size=n),
            "w": rng.integers(1, 4, n).astype(float),
            "who": np.repeat(np.arange(24), 10),
            "y": np.where(x + rng.normal(size=n) > 0, "yes", "no"),
            "number": x * 2 + rng.normal(size=n),
            "more": x - rng.normal(size=n),
        }
    )


def test_weights_and_target_by_name(frame):
    part = frame[["x", "z", "w", "y"]]
    named = ceiba.DecisionTreeClassifier(max_depth=3).fit(part, "y", sample_weight="w")
    plain = ceiba.DecisionTreeClassifier(max_depth=3).fit(
        part[["x", "z"]], part["y"], sample_weight=part["w"]
    )
    assert named.tree_ == plain.tree_
    assert named.score(part, "y", sample_weight="w") == plain.score(
        part[["x", "z"]], part["y"], part["w"]
    )


def test_several_targets_by_name_are_kept(frame, tmp_path):
    part = frame[["x", "z", "number", "more"]]
    model = ceiba.DecisionTreeRegressor(max_depth=2).fit(part, ["number", "more"])
    assert model.tree_.target.outputs == ("number", "more")
    plain = ceiba.DecisionTreeRegressor(max_depth=2).fit(
        part[["x", "z"]], part[["number", "more"]].to_numpy()
    )
    assert (model.predict(part[["x", "z"]]) == plain.predict(part[["x", "z"]])).all()
    assert model.score(part, ["number", "more"]) == pytest.approx(
        plain.score(part[["x", "z"]], part[["number", "more"]])
    )
    of_frame = ceiba.DecisionTreeRegressor(max_depth=2).fit(
        part[["x", "z"]], part[["number", "more"]]
    )
    assert of_frame.tree_.target.outputs == ("number", "more")
    model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").tree_ == model.tree_


def test_list_of_labels_is_no_list_of_names():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    model = ceiba.DecisionTreeClassifier().fit(X, ["a", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2


def test_groups_are_held_out_together(frame):
    X, y, who = frame[["x", "z"]], frame["y"], frame["who"]
    pruning = ceiba.CostComplexity(folds=4, keep_unpruned=True)
    given = ceiba.CostComplexity(folds=4, keep_unpruned=True, groups=who.to_numpy())
    by_fit = ceiba.DecisionTreeClassifier(prune=pruning).fit(X, y, groups=who)
    by_name = ceiba.DecisionTreeClassifier(prune=pruning).fit(
        frame[["x", "z", "who", "y"]], "y", groups="who"
    )
    by_object = ceiba.DecisionTreeClassifier(prune=given).fit(X, y)
    plain = ceiba.DecisionTreeClassifier(prune=pruning).fit(X, y)
    risk = [m.pruning_table_["cv_risk"].tolist() for m in (by_fit, by_name, by_object, plain)]
    assert risk[0] == risk[1] == risk[2] != risk[3]
    assert pruning.groups is None
    assert by_name.feature_names_in_.tolist() == ["x", "z"]


def test_groups_follow_rows_that_are_left_out(frame):
    X, who = frame[["x", "z"]], frame["who"]
    y = frame["y"].astype(object).where(frame.index % 7 > 0, None)
    kept = y.notna()
    pruning = ceiba.CostComplexity(folds=4)
    model = ceiba.DecisionTreeClassifier(prune=pruning)
    other = ceiba.DecisionTreeClassifier(prune=pruning)
    model.fit(X, y, groups=who, drop_missing_target=True)
    other.fit(X[kept], y[kept], groups=who[kept])
    assert model.pruning_table_ == other.pruning_table_


@pytest.mark.parametrize("prune", [None, ceiba.Pessimistic(), ceiba.CostComplexity(alpha=0.1)])
def test_groups_without_folds_are_refused(frame, prune):
    with pytest.raises(OptionError, match="groups requires pruning by cross-validation"):
        ceiba.DecisionTreeClassifier(prune=prune).fit(frame[["x"]], frame["y"], groups=frame["who"])


def test_leak_is_told_once_by_fit(frame):
    X = frame[["z", "x"]].assign(code=np.where(frame["y"] == "yes", 1, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ceiba.DecisionTreeClassifier(prune="cv").fit(X, frame["y"])
    leaks = [one for one in caught if one.category is LeakWarning]
    assert len(leaks) == 1
    assert "Column 'code' alone decides 'y'" in str(leaks[0].message)
    assert leaks[0].filename == __file__
    with pytest.warns(LeakWarning, match="'number'"):
        ceiba.DecisionTreeRegressor().fit(
            frame[["number"]], np.where(frame["number"] > 0, 5.0, 1.0)
        )


def test_no_leak_is_told_of_honest_columns_and_small_tables(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ceiba.DecisionTreeClassifier().fit(frame[["x", "z"]], frame["y"])
        ceiba.DecisionTreeClassifier().fit([[1], [2], [3], [4]] * 20, [0, 0, 1, 1] * 20)


@pytest.mark.parametrize("largest", [1e153, 1e200, 1e307])
def test_squares_beyond_float64_are_no_share_of_a_risk(frame, largest):
    rng = np.random.default_rng(1)
    y = np.sign(frame["x"]) + 0.01 * rng.normal(size=len(frame))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ceiba.DecisionTreeRegressor(min_samples_leaf=60).fit(frame[["x"]], y * largest)
    assert not [
        one for one in caught if "nan" in str(one.message) or "overflow" in str(one.message)
    ]


def test_many_levels_and_dates_as_texts_are_told(frame):
    rng = np.random.default_rng(0)
    y = rng.random(6000) < 0.5
    planes = [f"N{i}" for i in rng.integers(0, 2000, 6000)]
    with pytest.warns(DataWarning, match="'tail'.*levels in 6000 rows.*Group the levels"):
        ceiba.DecisionTreeClassifier(max_depth=2).fit({"tail": planes}, y)
    times = [f"2024-01-{i:02}T{j:02}:00" for i, j in rng.integers(1, 24, (6000, 2))]
    with pytest.warns(DataWarning, match="'when'.*dates read as strings"):
        ceiba.DecisionTreeClassifier(max_depth=2).fit({"when": times}, y)


def test_dir_lists_public_names_only():
    code = "import ceiba; print(*[name for name in dir(ceiba) if not name.startswith('__')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = set(done.stdout.split())
    assert names == {name for name in ceiba.__all__ if not name.startswith("__")}
    assert not names & {"Any", "TYPE_CHECKING", "annotations", "import_module"}


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.interval_range(0, 24)),
        pd.Series([[1], [2]] * 12),
    ],
    ids=["interval", "list"],
)
def test_types_that_are_not_read_are_refused_by_column(column):
    with pytest.raises(TypeError, match="Column 'c'"):
        ceiba.DecisionTreeClassifier().fit(pd.DataFrame({"c": column}), [0, 1] * 12)
