"""A fitted model carried by every way there is gives the answers it gave before.

Rows are asked as dicts, lists of dicts and frames of mixed types, with missing values and unseen
levels among them: each takes another way through the reading of tables.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba

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
}


def by_pickle(model: Any, folder: Path) -> Any:
    return pickle.loads(pickle.dumps(model))


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


def fitted(name: str) -> Any:
    model = MODELS[name]()
    return model.fit(
        FRAME, _RAIN if ceiba.DecisionTreeRegressor in type(model).__mro__ else CLASSES
    )


def answers(model: Any) -> list[Any]:
    """Everything that reads the schema in its own way, as plain values."""
    rows: list[Any] = [
        ROWS,
        ROWS.to_dict("list") | {"size": ROWS["size"]},
        ROWS.to_dict("records"),
    ]
    probability = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    answers: list[Any] = [getattr(model, probability)(X).tolist() for X in rows]
    answers += [model.apply(ROWS).tolist(), str(model.tree_), str(model.tree_.rules())]
    return [*answers, str(model.tree_.explain(ROWS[:5])), repr(model.get_params())]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "way", [by_pickle, by_joblib, by_cloudpickle, by_skops, by_model_file], ids=lambda f: f.__name__
)
def test_carried_model_answers_as_before(
    way: Callable[[Any, Path], Any], name: str, tmp_path: Path
) -> None:
    model = fitted(name)
    back = way(model, tmp_path)
    assert answers(back) == answers(model)
    assert back.tree_ == model.tree_
    assert all(type(c.kind) is ceiba.table.Kind for c in back.tree_.schema.columns)


def test_bare_tree_through_skops_answers_as_before(tmp_path: Path) -> None:
    tree = fitted("1se").tree_
    back = by_skops(tree, tmp_path)
    assert back == tree
    assert back.predict(ROWS).tolist() == tree.predict(ROWS).tolist()


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
