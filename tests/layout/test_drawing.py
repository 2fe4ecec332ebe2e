"""Folding and captions: what is shown, and what it says."""

from __future__ import annotations

import pytest

from ceiba.layout.captions import caption, edge_labels, percent, question
from ceiba.layout.drawing import Sheet, draw
from ceiba.layout.folding import fold_tree
from ceiba.tree import Leaf, build


def width(text: str, bold: bool) -> float:
    return (6.0 if bold else 5.0) * len(text)


def test_fold_max_depth_zero_shows_the_root_alone() -> None:
    shown = fold_tree([-1, 0, 1, 1, 0], max_depth=0)
    assert (shown.nodes, shown.hidden) == ((0,), (4,))


def test_fold_nothing_asked_hides_nothing() -> None:
    shown = fold_tree([-1, 0, 1, 1, 0])
    assert shown.n_hidden == 0
    assert shown.parent == (-1, 0, 1, 1, 0)


def test_fold_light_root_is_still_unfolded() -> None:
    assert fold_tree([-1, 0, 0], weight=[1, 1, 0], min_weight=5).nodes == (0, 1, 2)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.0001, "<1%"), (0.994, "99%"), (0.999999, ">99%"), (1.0, "100%")],
)
def test_percent_rounds_to_0_and_100_only_when_exact(share: float, text: str) -> None:
    assert percent(share) == text


def test_question_of_single_levels_names_the_column_and_edges_the_levels() -> None:
    tree = build(("Bar", {"No": "a", "Yes": "b"}))
    assert question(tree, 0) == "Bar?"
    assert edge_labels(tree, 0) == ("No", "Yes")


def test_question_of_a_missing_split_reads_as_a_sentence() -> None:
    tree = build(("income is missing", "a", "b"))
    assert "income is" in question(tree, 0)
    assert set(edge_labels(tree, 0)) == {"yes", "no"}


def test_caption_of_a_tree_without_rows_has_no_counts_of_rows() -> None:
    assert caption(build(("x <= 1", "a", "b")), 1, leaf=True).lines == ()


def test_draw_long_names_are_wrapped_not_cut() -> None:
    name = "the level of something measured in the morning"
    box = draw(build((f"{name} <= 1.5", "a", "b")), width, Sheet()).boxes[0]
    assert " ".join(box.head) == f"{name} ≤ 1.5"
    assert len(box.head) > 1


def test_draw_sign_stays_with_its_number() -> None:
    box = draw(build(("abcdefghijklmnopqrst <= 1.25", "a", "b")), width, Sheet()).boxes[0]
    assert box.head == ("abcdefghijklmnopqrst", "≤ 1.25")


def test_draw_rows_do_not_touch() -> None:
    tree = build(("x <= 1", ("y <= 2", Leaf(1.0, rows=2), 2.0), ("z <= 3", 3.0, 4.0)))
    boxes = draw(tree, width, Sheet()).boxes
    for box in boxes[1:]:
        above = boxes[box.parent]
        assert above.bottom < box.top - Sheet().line_height
