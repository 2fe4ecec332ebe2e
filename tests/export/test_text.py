"""The text tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import OptionError
from ceiba.export import to_text
from ceiba.export.text import format_probability
from ceiba.layout.captions import percent
from tests.tree.random_trees import random_tree


def iris() -> ceiba.Tree:
    return ceiba.tree.build(
        (
            "Petal.Length <= 2.45",
            {"setosa": 50},
            (
                "Petal.Width <= 1.75",
                {"versicolor": 49, "virginica": 5},
                {"versicolor": 1, "virginica": 45},
            ),
        ),
        target="Species",
    )


def test_text_says_split_rows_share_and_class() -> None:
    assert to_text(iris()).splitlines() == [
        "root  n=150 (100%)  setosa p=0.333",
        "├─ Petal.Length <= 2.45  n=50 (33.3%)  → setosa p=1",
        "└─ Petal.Length > 2.45  n=100 (66.7%)  versicolor p=0.5",
        "   ├─ Petal.Width <= 1.75  n=54 (36%)  → versicolor p=0.907",
        "   └─ Petal.Width > 1.75  n=46 (30.7%)  → virginica p=0.978",
    ]


def test_text_with_all_options_shows_ids_counts_and_impurity() -> None:
    text = to_text(iris(), node_ids=True, counts=True, impurity=True, unicode=False, digits=3)
    assert text.splitlines()[3] == (
        "   |- [3] Petal.Width <= 1.75  n=54 (36%)  -> versicolor p=0.907  [0 49 5]  gini 0.168"
    )


def test_text_ascii_has_no_other_characters() -> None:
    assert to_text(iris(), unicode=False, max_depth=1).isascii()


def test_text_bars_run_beside_open_branches() -> None:
    tree = ceiba.tree.build(("x <= 1", ("y <= 2", 1.0, 2.0), ("y <= 3", 3.0, 4.0)))
    assert to_text(tree).splitlines() == [
        "root",  # no rows: an answer of an inner node would be invented
        "├─ x <= 1",
        "│  ├─ y <= 2  → 1",
        "│  └─ y > 2  → 2",
        "└─ x > 1",
        "   ├─ y <= 3  → 3",
        "   └─ y > 3  → 4",
    ]


def test_text_max_depth_folds_with_a_note() -> None:
    assert to_text(iris(), max_depth=1).splitlines()[2:] == [
        "└─ Petal.Length > 2.45  n=100 (66.7%)  versicolor p=0.5",
        "   └─ … +2 leaves, 100 rows",
    ]
    assert to_text(iris(), max_depth=0).splitlines()[1] == "└─ … +3 leaves, 150 rows"


def test_text_of_level_sets_has_level_names() -> None:
    tree = ceiba.tree.build(("Patrons", {("None", "Some"): "Yes", "Full": "No"}))
    assert "├─ Patrons in {None, Some}  → Yes" in to_text(tree)
    assert "└─ Patrons = Full  → No" in to_text(tree)


def test_text_of_many_levels_counts_the_rest() -> None:
    levels = tuple(f"N{i}" for i in range(20))
    tree = ceiba.tree.build(("tail", {levels: "a", "other": "b"}))
    assert "tail in {N0, N1, +18 more}" in to_text(tree, max_levels=2)
    assert "N19}" in to_text(tree, max_levels=None)


def test_text_few_digits_never_hide_the_cut() -> None:
    tree = ceiba.tree.build(("score <= 92.5", 1.0, 2.0))
    assert "score <= 92.5" in to_text(tree, digits=1)


def test_text_close_cuts_get_more_digits() -> None:
    tree = ceiba.tree.build(("x <= 0.12345678", 1.0, ("x <= 0.12345679", 2.0, 3.0)))
    assert "x <= 0.12345678 " in to_text(tree)
    assert "x <= 0.12345679 " in to_text(tree)


def test_text_names_the_branch_of_missing_values_if_there_were_any() -> None:
    tree = iris()
    columns = tuple(replace(info, n_missing=3) for info in tree.schema.columns)
    seen = replace(tree, schema=replace(tree.schema, columns=columns))
    assert "Petal.Length > 2.45 or missing" in to_text(seen)
    assert "missing" not in to_text(tree)


def test_text_shows_class_of_least_cost() -> None:
    costs = [[0.0, 1.0], [10.0, 0.0]]
    tree = ceiba.tree.build({"well": 80, "ill": 20}, classes=["well", "ill"], cost_matrix=costs)
    assert to_text(tree) == "root  n=100 (100%)  → ill p=0.2"


def test_text_of_several_outputs_lists_each() -> None:
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [["a", "u"], ["b", "u"]])
    text = to_text(ceiba.tree.from_sklearn(model), counts=True)
    assert "→ a p=1, u p=1  [1 0][1]" in text


@given(seed=st.integers(0, 5000))
def test_text_of_random_tree_has_a_line_per_node(seed: int) -> None:
    tree = random_tree(seed)
    lines = to_text(tree, max_levels=None).splitlines()
    assert len(lines) == tree.n_nodes
    for node, line in zip(tree.nodes, lines, strict=True):
        path = node.path.sentences()
        assert (path[-1] if path else "root") in line
        assert ("→" in line) == node.is_leaf


@pytest.mark.parametrize("option", [{"max_depth": -1}, {"digits": 0}])
def test_text_wrong_option_is_refused(option: dict[str, int]) -> None:
    with pytest.raises(OptionError, match=next(iter(option))):
        to_text(iris(), **option)  # type: ignore[arg-type]


def test_percent_and_probability_never_round_to_certainty() -> None:
    assert (percent(0.9999, 1), percent(0.00001, 1), percent(0.0, 1), percent(1.0, 1)) == (
        ">99.9%", "<0.1%", "0%", "100%",
    )  # fmt: skip
    assert (format_probability(0.9999), format_probability(1e-5), format_probability(0.25)) == (
        ">0.999", "<0.001", "0.25",
    )  # fmt: skip
    assert np.isclose(float(format_probability(0.1239)), 0.124)


def test_text_min_rows_folds_light_nodes() -> None:
    lines = to_text(iris(), min_rows=101).splitlines()
    assert lines[-1] == "   └─ … +2 leaves, 100 rows"
    assert len(lines) == 4


def test_text_purity_shows_five_cells() -> None:
    lines = to_text(iris(), purity=True).splitlines()
    assert lines[0].endswith("□□□□□")
    assert lines[1].endswith("■■■■■")
    assert to_text(iris(), purity=True, unicode=False).isascii()


def test_text_colors_leave_the_words_as_they_are() -> None:
    import re

    painted = to_text(iris(), color=True)
    assert "\x1b[1;34m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == to_text(iris())


def test_text_for_rich_is_in_colours() -> None:
    from rich.text import Text

    shown = iris().__rich__()
    assert isinstance(shown, Text)
    assert shown.plain == to_text(iris())
    assert shown.spans


def test_rules_and_tree_say_the_same_of_a_cut_just_below_a_whole_number() -> None:
    below = float(np.nextafter(31.0, -np.inf))
    tree = ceiba.tree.build((f"x <= {below!r}", "a", ("x <= 40", "b", "c")))
    assert "x < 31" in tree.to_text()
    assert [one["condition"] for one in tree.rules()] == ["x < 31", "31 <= x <= 40", "x > 40"]
    assert "if x < 31 then a" in tree.export("rules").replace(" or missing", "")
    assert "if 31 <= x <= 40" in tree.export("rules")


def test_huge_numbers_are_written_short() -> None:
    tree = ceiba.tree.build(("x <= 2.5", 3.5e150, -1e16))
    assert "3.5e+150" in tree.to_text()
    assert "-1e+16" in tree.to_text()
    assert "3.5e+150" in str(tree.rules())
