"""Random labelled data from a tree: the restaurant of the teaching documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError

YES_NO = ["Yes", "No"]
LEVELS = {
    "Alternate": YES_NO,
    "Hungry": YES_NO,
    "Bar": YES_NO,
    "FriSat": YES_NO,
    "Patrons": ["None", "Some", "Full"],
    "Price": ["$", "$$", "$$$"],
    "Rain": YES_NO,
    "Reservation": YES_NO,
    "Type": ["French", "Italian", "Thai", "Burger"],
    "WaitEstimate": ["0-10", "10-30", "30-60", ">60"],
}


def restaurant() -> ceiba.Tree:
    bar = ("Bar", {"No": "No", "Yes": "Yes"})
    reservation = ("Reservation", {"No": bar, "Yes": "Yes"})
    friday = ("FriSat", {"No": "No", "Yes": "Yes"})
    rain = ("Rain", {"No": "No", "Yes": "Yes"})
    hungry = ("Hungry", {"No": "Yes", "Yes": ("Alternate", {"No": "Yes", "Yes": rain})})
    wait = (
        "WaitEstimate",
        {
            ">60": "No",
            "30-60": ("Alternate", {"No": reservation, "Yes": friday}),
            "10-30": hungry,
            "0-10": "Yes",
        },
    )
    literal = ("Patrons", {"None": "No", "Some": "Yes", "Full": wait})
    return ceiba.tree.build(literal, levels=LEVELS, target="WillWait")


def by_hand(x: dict[str, str]) -> str:
    """The tree of the document as plain conditions."""
    if x["Patrons"] != "Full":
        return "Yes" if x["Patrons"] == "Some" else "No"
    if x["WaitEstimate"] in (">60", "0-10"):
        return "Yes" if x["WaitEstimate"] == "0-10" else "No"
    if x["WaitEstimate"] == "30-60":
        if x["Alternate"] == "Yes":
            return x["FriSat"]
        return "Yes" if x["Reservation"] == "Yes" else x["Bar"]
    if x["Hungry"] == "No" or x["Alternate"] == "No":
        return "Yes"
    return x["Rain"]


def test_sample_restaurant_labels_as_the_document_does() -> None:
    X, y = restaurant().sample(500, random_state=7)
    assert list(X) == list(LEVELS)
    rows = [dict(zip(X, values, strict=True)) for values in zip(*X.values(), strict=True)]
    assert y.tolist() == [by_hand(row) for row in rows]


def test_sample_draws_every_level_about_evenly() -> None:
    X, _ = restaurant().sample(6000, random_state=0)
    for name, levels in LEVELS.items():
        for level in levels:
            assert np.mean(X[name] == level) == pytest.approx(1 / len(levels), abs=0.03)


def test_sample_no_random_state_is_a_fixed_seed() -> None:
    first, second = restaurant().sample(20), restaurant().sample(20, random_state=0)
    assert all((first[0][name] == second[0][name]).all() for name in LEVELS)
    other, _ = restaurant().sample(20, random_state=1)
    assert any((first[0][name] != other[name]).any() for name in LEVELS)


@pytest.mark.parametrize(
    "state", [3, np.random.default_rng(3), np.random.RandomState(3)], ids=["int", "new", "old"]
)
def test_sample_random_state_of_any_kind_is_accepted(state: object) -> None:
    X, y = restaurant().sample(5, random_state=state)
    assert len(y) == len(X["Bar"]) == 5


def test_sample_numeric_column_reaches_every_branch() -> None:
    tree = ceiba.tree.build(("x <= 10", "a", ("x <= 20", "b", ("y <= -5", "c", "d"))))
    X, y = tree.sample(300)
    assert set(y.tolist()) == {"a", "b", "c", "d"}
    assert X["x"].min() >= 0
    assert X["x"].max() <= 30


def test_sample_numeric_column_with_range_stays_inside() -> None:
    tree = ceiba.tree.build(("x <= 3", 1.0, 2.0), ranges={"x": (2.0, 4.0), "unused": (5.0, 6.0)})
    X, y = tree.sample(200)
    assert 2 <= X["x"].min() < 3 < X["x"].max() <= 4
    assert 5 <= X["unused"].min() <= X["unused"].max() <= 6
    assert y.tolist() == np.where(X["x"] <= 3, 1.0, 2.0).tolist()


def test_sample_presence_split_gets_missing_rows() -> None:
    tree = ceiba.tree.build(("x is missing", "gone", ("c is missing", "no c", "all")),
                            levels={"c": ["u", "v"]})  # fmt: skip
    _, y = tree.sample(100)
    assert set(y.tolist()) == {"gone", "no c", "all"}


def test_sample_numpy_container_is_a_matrix() -> None:
    X, _ = ceiba.tree.build(("x <= 3", 1.0, ("y <= 1", 2.0, 3.0))).sample(7, container="numpy")
    assert X.shape == (7, 2)
    assert X.dtype == np.float64


@pytest.mark.parametrize(
    ("display", "dtype"),
    [("date", "M8[D]"), ("datetime", "M8[us]"), ("duration", "m8[us]"), ("boolean", "bool")],
)
def test_sample_column_comes_as_it_is_shown(display: str, dtype: str) -> None:
    cut = 0.5 if display == "boolean" else 1.7e9
    tree = ceiba.tree.build((f"when <= {cut}", "before", "after"))
    info = replace(tree.schema.columns[0], display=display)
    tree = replace(tree, schema=replace(tree.schema, columns=(info,)))
    X, y = tree.sample(40)
    assert X["when"].dtype == np.dtype(dtype)
    assert set(y.tolist()) == {"before", "after"}
    assert tree.predict(X).tolist() == y.tolist()


def test_sample_no_rows_gives_none() -> None:
    X, y = restaurant().sample(0)
    assert len(y) == len(X["Bar"]) == 0


def test_sample_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="-1"):
        restaurant().sample(-1)
    with pytest.raises(OptionError, match="pandas"):
        restaurant().sample(3, container="excel")  # type: ignore[arg-type]
