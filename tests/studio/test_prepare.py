"""Tables made ready: kinds, orders, weights, held-out rows, tables read like a model's."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError
from tests.studio.random_work import frame


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_all_libraries_give_the_same_tree(library: str) -> None:
    frames = pytest.importorskip(library)
    settings = {"ignore": ["w"], "kinds": {"count": "category"}, "held_out": 0.3, "seed": 5}
    expected = ceiba.prepare(frame(0), "buys", **settings)
    made = ceiba.prepare(frames.DataFrame(frame(0)), "buys", **settings)
    models = [ceiba.DecisionTreeClassifier().fit(one.X, one.y) for one in (expected, made)]
    assert models[0].tree_ == models[1].tree_
    assert made.held_out is not None
    assert expected.held_out is not None
    assert len(made.held_out.y) == len(expected.held_out.y) == 27


def test_labels_keep_their_types() -> None:
    x = list(range(6))
    for y, labels in (
        ([1, 2, 1, 2, 1, 2], [1, 2]),
        ([True, False] * 3, [False, True]),
        (["a", "b"] * 3, ["a", "b"]),
    ):
        made = ceiba.prepare({"x": x, "y": y}, "y").y.info.classes[0].tolist()
        assert made == labels
        assert type(made[0]) is type(labels[0])
    assert ceiba.prepare({"x": x, "y": [0.5, 1.5] * 3}, "y").y.info.task == "regression"
    assert ceiba.prepare({"x": x}, np.array([3, 4] * 3)).y.info.classes[0].tolist() == [3, 4]


def test_rows_without_target_are_left_out() -> None:
    made = ceiba.prepare({"x": [1, 2, 3], "y": ["a", None, "b"]}, "y")
    assert made.n_left_out == 1
    assert made.X.columns[0].values.tolist() == [1.0, 3.0]


def test_held_out_table_is_read_as_the_training_rows() -> None:
    settings = {"kinds": {"count": "category"}, "orders": {"size": ["S", "M", "L"]}}
    other = {**frame(1), "size": ["XXL"] * 90}
    made = ceiba.prepare(frame(0), "buys", held_out=other, **settings)
    assert made.held_out is not None
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(made.X, made.y)
    assert len(model.predict(made.held_out.X)) == 90
    sizes = made.held_out.X.column("size")
    assert sizes.unseen.all()


def test_like_reads_by_the_schema_of_a_model() -> None:
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(frame(0), "buys")
    made = ceiba.prepare(frame(0), "buys", like=model)
    assert model.regrow(0, made.X, made.y).tree_ == model.tree_
    with pytest.raises(CeibaError, match="like"):
        ceiba.prepare(frame(0), "buys", like=model, ignore=["w"])


@pytest.mark.parametrize(
    "settings",
    [
        {"kinds": {"city": "number"}},
        {"kinds": {"city": "colour"}},
        {"kinds": {"nobody": "number"}},
        {"orders": {"size": ["S", "M"]}},
        {"orders": {"size": ["S", "M", "M", "L"]}},
        {"ignore": ["buys"]},
        {"ignore": ["x <= 1", "city", "size", "gappy", "count", "w", "amount"]},
        {"weight": "city"},
        {"weight": "gappy"},
        {"held_out": 1.5},
        {"held_out": 0.0001},
        {"task": "regression"},
    ],
    ids=range(12),
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CeibaError):
        ceiba.prepare(frame(0), "buys", **settings)  # type: ignore[arg-type]


def test_read_file_refuses_an_option_that_it_does_not_have() -> None:
    with pytest.raises(CeibaError, match="separator"):
        ceiba.read_file("a.csv", seperator=";")
    with pytest.raises(CeibaError, match="^`separator` must be one character or 'tab', got 'ab'"):
        ceiba.read_file("a.csv", separator="ab")
