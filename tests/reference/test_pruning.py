"""Weakest links find what enumeration defines; the pruned trees are nested."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.marks import examples
from tests.reference.pruning import (
    sequence_by_enumeration,
    sequence_by_weakest_links,
    smallest_optimal,
)


@st.composite
def trees(draw, max_nodes=10):
    """A random tree, binary or multiway, whose splits never raise the risk (small whole risks: many
    ties).
    """
    children, risk, open_nodes = [[]], [draw(st.integers(0, 12))], [0]
    while open_nodes and len(children) < max_nodes:
        node = open_nodes.pop(0)
        if risk[node] == 0 or not draw(st.booleans()):
            continue
        left_over = risk[node]
        for _ in range(draw(st.integers(2, 3))):
            part = draw(st.integers(0, left_over))
            left_over -= part
            children[node].append(len(children))
            open_nodes.append(len(children))
            children.append([])
            risk.append(part)
    return children, risk


@given(trees())
@settings(max_examples=examples(60))
def test_weakest_links_equal_enumeration(tree):
    assert sequence_by_weakest_links(*tree) == sequence_by_enumeration(*tree)


@given(trees(), st.fractions(0, 8, max_denominator=6))
@settings(max_examples=examples(60))
def test_sequence_holds_the_smallest_optimal_tree_of_every_alpha(tree, alpha):
    steps = sequence_by_weakest_links(*tree)
    current = [step for step in steps if step.alpha <= alpha][-1]
    assert current.leaves == smallest_optimal(*tree, alpha)


def test_kyphosis_example_of_the_oracle_collapses_at_5_thirds():
    """Risks 17 -> (2, 15 -> (1, 11 -> (5, 4))): rpart says (17 - 14) / 2, the exact value is (17 -
    12) / 3.
    """
    children = [[1, 2], [], [3, 4], [], [5, 6], [], []]
    steps = sequence_by_weakest_links(children, [17, 2, 15, 1, 11, 5, 4])
    assert steps[-1].alpha == Fraction(5, 3)
