"""ID3 as textbooks describe it, on the restaurant and on small tables."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba

RESTAURANT = ceiba.datasets.load_restaurant()


def fitted():
    return ceiba.id3().fit(RESTAURANT.X, RESTAURANT.y)


def test_restaurant_asks_for_patrons_first():
    tree = fitted().tree_
    assert tree.schema.names[tree.splits.column[0]] == "Patrons"
    assert tree.gain[0] == pytest.approx(0.541, abs=5e-4)


def test_type_has_no_gain_at_the_root():
    kind = RESTAURANT.X["Type"]
    gain = ceiba.gain(kind, RESTAURANT.y, criterion="entropy", split="multiway")
    assert gain == pytest.approx(0.0, abs=1e-12)


def test_tree_is_consistent_with_all_rows():
    assert fitted().score(RESTAURANT.X, RESTAURANT.y) == 1.0


def test_empty_branch_answers_with_the_plurality_of_its_parent():
    X = {"a": ceiba.table.Levels(["x", "x", "x", "y"], ("x", "y", "z"))}
    model = ceiba.id3().fit(X, ["no", "no", "no", "yes"])
    assert model.tree_.n_leaves == 3
    assert model.predict({"a": ["z"]}).tolist() == ["no"]
    assert model.predict_proba({"a": ["z"]}).tolist() == [[0.75, 0.25]]


def test_unseen_level_gets_the_default_class_of_its_node():
    X = {"a": ["x", "x", "x", "y"]}
    model = ceiba.id3().fit(X, ["no", "no", "no", "yes"])
    assert model.predict({"a": ["never seen"]}).tolist() == ["no"]


def test_rows_that_contradict_each_other_are_answered_by_plurality():
    X = {"a": ["x", "x", "x", "y"]}
    model = ceiba.id3().fit(X, ["no", "yes", "yes", "no"])
    assert model.predict({"a": ["x", "y"]}).tolist() == ["yes", "no"]


def test_empty_branch_survives_export_and_model_file(tmp_path):
    model = fitted()
    kept = ceiba.load(model.tree_.save(tmp_path / "t.ceiba") or tmp_path / "t.ceiba")
    rows = {name: list(column) for name, column in RESTAURANT.X.items()}
    assert kept.predict(rows).tolist() == model.predict(RESTAURANT.X).tolist()
    assert kept.n_leaves == model.tree_.n_leaves


def tree_by_hand():
    """The tree that the authors of the book had in mind, over all ten columns."""
    bar = ("Bar", {"No": "No", "Yes": "Yes"})
    reservation = ("Reservation", {"No": bar, "Yes": "Yes"})
    weekend = ("FriSat", {"No": "No", "Yes": "Yes"})
    rain = ("Rain", {"No": "No", "Yes": "Yes"})
    long_wait = ("Alternate", {"No": reservation, "Yes": weekend})
    short_wait = ("Hungry", {"No": "Yes", "Yes": ("Alternate", {"No": "Yes", "Yes": rain})})
    estimate = {"0-10": "Yes", "10-30": short_wait, "30-60": long_wait, ">60": "No"}
    return ceiba.tree.build(
        ("Patrons", {"None": "No", "Some": "Yes", "Full": ("WaitEstimate", estimate)})
    )


def samples(rng, n):
    """Rows drawn at random over all ten columns of the restaurant, answered by that tree."""
    X = {name: rng.choice(column.levels, n) for name, column in RESTAURANT.X.items()}
    return X, tree_by_hand().predict(X)


@pytest.mark.slow
def test_learning_curve_of_the_hand_written_tree_rises_above_nine_tenths():
    """100 samples; for each size 20 runs that learn from so many and are tested on the others."""
    X, y = samples(np.random.default_rng(0), 100)
    right = {}
    for size in (10, 30, 50, 80, 95):
        runs = []
        for run in range(20):
            order = np.random.default_rng(run).permutation(100)
            learn, test = order[:size], order[size:]
            model = ceiba.id3()
            model.fit({name: values[learn] for name, values in X.items()}, y[learn])
            runs.append(model.score({name: values[test] for name, values in X.items()}, y[test]))
        right[size] = float(np.mean(runs))
    assert right[10] < right[50] < right[95]
    assert right[95] > 0.9
