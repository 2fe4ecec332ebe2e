"""Positions of drawn nodes: nothing overlaps, parents stand in the middle, mirrors are mirrors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceiba.layout.placing import depths, tidy


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    """Draw a random tree in pre-order (each new node hangs on the current right edge)."""
    parent, edge = [-1], [0]
    for node in range(1, draw(st.integers(1, 40))):
        keep = draw(st.integers(1, len(edge)))
        parent.append(edge[keep - 1])
        edge = [*edge[:keep], node]
    widths = draw(st.lists(st.floats(0.5, 20), min_size=len(parent), max_size=len(parent)))
    return parent, widths


@given(trees(), st.floats(0, 5))
def test_tidy_boxes_of_one_depth_are_apart(tree: tuple[list[int], list[float]], gap: float) -> None:
    parent, widths = tree
    x = tidy(parent, widths, gap=gap)
    depth = depths(parent)
    for level in set(depth):
        row = [i for i in range(len(parent)) if depth[i] == level]  # pre-order: left to right
        for i, j in pairwise(row):
            assert x[j] - x[i] >= (widths[i] + widths[j]) / 2 + gap - 1e-9


@given(trees())
def test_tidy_parent_stands_between_first_and_last_branch(
    tree: tuple[list[int], list[float]],
) -> None:
    parent, widths = tree
    x = tidy(parent, widths)
    for node in range(len(parent)):
        branches = [i for i, above in enumerate(parent) if above == node]
        if branches:
            assert x[node] == pytest.approx((x[branches[0]] + x[branches[-1]]) / 2, abs=1e-9)


@given(trees())
def test_tidy_leftmost_border_is_zero(tree: tuple[list[int], list[float]]) -> None:
    parent, widths = tree
    assert (tidy(parent, widths) - np.array(widths) / 2).min() == pytest.approx(0, abs=1e-9)


def test_tidy_symmetric_tree_is_drawn_symmetric() -> None:
    #    root with a fork, three leaves and a fork: the leaves in the middle are spread evenly
    parent = [-1, 0, 1, 1, 0, 0, 0, 0, 7, 7]
    x = tidy(parent, [2.0] * 10, gap=1.0)
    assert (x[1:8][[0, 3, 4, 5, 6]] - x[0]).tolist() == pytest.approx([-6, -3, 0, 3, 6])


def test_tidy_narrow_subtree_goes_under_its_wide_neighbour() -> None:
    parent = [-1, 0, 1, 2, 2, 0]
    x = tidy(parent, [1.0, 1.0, 1.0, 8.0, 8.0, 1.0], gap=1.0)
    assert x[5] - x[1] == pytest.approx(2.0)


def test_tidy_chain_of_100000_levels_is_done_by_loops() -> None:
    n = 100_000
    x = tidy(range(-1, n - 1), [1.0] * n)
    assert np.ptp(x) == 0


def test_tidy_one_node_stands_at_half_its_width() -> None:
    assert tidy([-1], [4.0]).tolist() == [2.0]
