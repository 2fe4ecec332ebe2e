"""A fitted model carried by every way there is equals what it was before, field by field.

Rows are asked as dicts, lists of dicts and frames of mixed types, with missing values and unseen
levels among them: each takes another way through the reading of tables.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from tests.interop.fields import differences

_RNG = np.random.default_rng(5)
_N = 120
COLUMNS: dict[str, list[Any]] = {
    "clouds": [None if one < 1 else float(one) for one in _RNG.integers(0, 9, _N)],
    "wind": [["west", "east", "north", None][one] for one in _RNG.integers(0, 4, _N)],
    "day": list(np.datetime64("2024-01-01") + _RNG.integers(0, 300, _N)),
    "size": pd.Categorical(
        [["S", "M", "L"][one] for one in _RNG.integers(0, 3, _N)], ["S", "M", "L"], ordered=True
    ),
}
FRAME = pd.DataFrame(COLUMNS)
_RAIN = (FRAME.clouds.fillna(4) + 3 * (FRAME.wind == "west") + _RNG.normal(0, 2, _N)).to_numpy()
CLASSES = np.where(_RAIN > 6, "yes", np.where(_RAIN > 4, "maybe", "no"))
ROWS = FRAME.assign(wind=["south", *COLUMNS["wind"][1:]])

MODELS: dict[str, Callable[[], Any]] = {
    "plain": lambda: ceiba.DecisionTreeClassifier(max_competitors=2),
    "1se": lambda: ceiba.DecisionTreeClassifier(prune="1se", missing="surrogate"),
    "tested": lambda: ceiba.DecisionTreeClassifier(min_significance=0.05),
    "reduced": lambda: ceiba.DecisionTreeClassifier(prune=ceiba.ReducedError()),
    "chi2": lambda: ceiba.DecisionTreeClassifier(prune=ceiba.prune.ChiSquare()),
    "cart": lambda: ceiba.cart(),
    "rpart": lambda: ceiba.rpart(),
    "c45": lambda: ceiba.c45(),
    "id3": lambda: ceiba.id3(),
    "chaid": lambda: ceiba.chaid(),
    "regressor": lambda: ceiba.DecisionTreeRegressor(prune="cv", missing="surrogate"),
    "multiway": lambda: ceiba.DecisionTreeRegressor(missing="fractional", max_depth=4),
    "optimal": lambda: ceiba.DecisionTreeClassifier(search="optimal", max_depth=2),
    "lookahead": lambda: ceiba.DecisionTreeRegressor(search="lookahead", max_depth=3),
    "honest": lambda: ceiba.DecisionTreeClassifier(
        leaf_values=ceiba.Honest(values="shrinkage"), min_samples_leaf=15
    ),
    "smooth": lambda: ceiba.DecisionTreeRegressor(leaf_values=ceiba.MEstimate()),
    "unpruned": lambda: ceiba.DecisionTreeClassifier(prune=ceiba.ReducedError(keep_unpruned=True)),
    "held out": lambda: ceiba.DecisionTreeClassifier(
        prune=ceiba.CostComplexity(folds=3, keep_unpruned=True),
        cost_matrix={("yes", "no"): 5.0},
    ),
    "held-out numbers": lambda: ceiba.DecisionTreeRegressor(
        prune=ceiba.CostComplexity(folds=3, repeats=2, keep_unpruned=True), missing="fractional"
    ),
    "dropped": lambda: ceiba.DecisionTreeClassifier(max_depth=3),
    "costs": lambda: ceiba.DecisionTreeClassifier(
        cost_matrix={("yes", "no"): 5.0}, class_prior={"yes": 0.2, "no": 0.3, "maybe": 0.5}
    ),
    "monotone": lambda: ceiba.DecisionTreeRegressor(monotonic_cst={"clouds": 1, "size": -1}),
    "forced": lambda: ceiba.DecisionTreeClassifier(forced_splits="wind in {west, east}"),
    "outputs": lambda: ceiba.DecisionTreeRegressor(max_depth=3),
    "labels": lambda: ceiba.DecisionTreeClassifier(max_depth=3),
    "notes": lambda: ceiba.DecisionTreeClassifier(max_depth=3),
    "proven note": lambda: ceiba.DecisionTreeClassifier(search="optimal", max_depth=2),
    "set by hand": lambda: ceiba.DecisionTreeRegressor(max_depth=3),
    "attached": lambda: ceiba.DecisionTreeRegressor(max_depth=3),
    "quantiles": lambda: ceiba.DecisionTreeRegressor(max_depth=3, leaf_quantiles=(0.1, 0.9)),
    "exp": lambda: ceiba.rpart("exp", xval=3),
}


def annotated(model: Any) -> Any:
    return model.annotate(1, name="low", note="policy 7")


def attached(model: Any) -> Any:
    """Attach what the files write differently: nodes without numbers, NaN."""
    start = [0, *[2] * model.tree_.n_nodes]
    numbers = {"curve": ceiba.tree.Attachment(start, [0.1, np.nan])}
    return model._with_tree(replace(model.tree_, attachments=numbers))


EDITS: dict[str, Callable[[Any], Any]] = {
    "notes": lambda model: annotated(model).override(2, "no", reason="too few"),
    "proven note": annotated,
    "attached": attached,
    "set by hand": lambda model: annotated(model).override(2, 3.5, reason="too few"),
}
TARGETS: dict[str, Any] = {
    "outputs": np.stack([_RAIN, -(_RAIN**2)], axis=1),
    "labels": np.stack([CLASSES, np.where(_RAIN > 5, "wet", "dry")], axis=1),
    "dropped": [None if one == "maybe" else one for one in CLASSES],
    "exp": np.stack([np.exp(_RAIN / 9), _RAIN > 4], axis=1),
}
CERTIFIED = {"optimal", "lookahead", "proven note"}


def by_pickle(model: Any, folder: Path) -> Any:
    return pickle.loads(pickle.dumps(model))


def by_deepcopy(model: Any, folder: Path) -> Any:
    return copy.deepcopy(model)


def by_joblib(model: Any, folder: Path) -> Any:
    import joblib

    joblib.dump(model, folder / "m")
    return joblib.load(folder / "m", mmap_mode="r")


def by_cloudpickle(model: Any, folder: Path) -> Any:
    import cloudpickle

    return cloudpickle.loads(cloudpickle.dumps(model))


def by_skops(model: Any, folder: Path) -> Any:
    import skops.io

    skops.io.dump(model, folder / "m.skops")
    types = skops.io.get_untrusted_types(file=folder / "m.skops")
    assert all(name.startswith("ceiba.") for name in types)  # as docs/interop.md promises
    return skops.io.load(folder / "m.skops", trusted=types)


def by_model_file(model: Any, folder: Path) -> Any:
    model.save(folder / "m.ceiba")
    return ceiba.load(folder / "m.ceiba")


WAYS = [by_pickle, by_deepcopy, by_joblib, by_cloudpickle, by_skops, by_model_file]


@cache
def fitted(name: str) -> Any:
    model = MODELS[name]()
    y = TARGETS.get(name, _RAIN if isinstance(model, ceiba.DecisionTreeRegressor) else CLASSES)
    model.fit(FRAME, y, **({"drop_missing_target": True} if name == "dropped" else {}))
    return EDITS.get(name, lambda same: same)(model)


def answers(model: Any) -> list[Any]:
    """Everything that reads the schema in its own way, as plain values."""
    rows: list[Any] = [
        ROWS,
        ROWS.to_dict("list") | {"size": ROWS["size"]},
        ROWS.to_dict("records"),
    ]
    probability = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    answers: list[Any] = [
        [np.asarray(y).tolist() for y in getattr(model, probability)(X)] for X in rows
    ]
    answers += [model.apply(ROWS).tolist(), str(model.tree_), str(model.tree_.rules())]
    return [*answers, str(model.tree_.explain(ROWS[:5])), repr(model.get_params())]


@cache
def first_answers(name: str) -> list[Any]:
    return answers(fitted(name))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__)
def test_carried_model_answers_as_before(
    way: Callable[[Any, Path], Any], name: str, tmp_path: Path
) -> None:
    model = fitted(name)
    back = way(model, tmp_path)
    assert differences(model, back) == []
    assert answers(back) == first_answers(name)
    assert back.tree_ == model.tree_
    assert all(type(c.kind) is ceiba.table.Kind for c in back.tree_.schema.columns)
    assert back.tree_.task is model.tree_.task


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__)
def test_carried_tree_is_equal(way: Callable[[Any, Path], Any], name: str, tmp_path: Path) -> None:
    tree = fitted(name).tree_
    assert (tree.certificate is not None) == (name in CERTIFIED)
    back = way(tree, tmp_path)
    assert differences(tree, back) == []
    assert back == tree
    assert back.predict(ROWS).tolist() == tree.predict(ROWS).tolist()


def test_certificate_is_part_of_what_makes_trees_equal() -> None:
    tree = fitted("optimal").tree_
    assert tree != tree.with_certificate(None)
    other = ceiba.grow.Certificate(**{**tree.certificate.to_dict(), "lower_bound": -1.0})
    assert tree != tree.with_certificate(other)
    assert tree.collapse(1).certificate is None
    assert tree.override(1, "yes").certificate is None


def test_model_logged_to_mlflow_answers_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow.sklearn", reason="mlflow is not installed")
    import skops.io

    model = fitted("plain")
    types = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    mlflow.save_model(
        model, tmp_path / "m", serialization_format="skops", skops_trusted_types=types
    )
    assert answers(mlflow.load_model(str(tmp_path / "m"))) == answers(model)
