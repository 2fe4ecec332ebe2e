"""Growing without cp and collapsing afterwards, rpart's way, is growing with cp."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.oracle.load import golden
from tests.oracle.rpart_problem import Problem
from tests.reference.exact import precise
from tests.reference.rpart import Grower
from tests.reference.rpart_cp import rpart_complexity

NAMES = [
    "HouseVotes84__usesur1_style1_max1",  # here the exact weakest links give another tree
    "airquality__temp_anova_default",
    "car_test_frame__anova_default",
    "cu_summary__gini_default",
    "cu_summary__prior_gini",
    "kyphosis__info_default",
    "stagec__usesur0",
]


@precise
def kept_nodes(problem):
    """Node numbers after growing everything and one pass of collapses."""
    control = problem.control()
    root = Grower(problem.method(), replace(control, cp=-1000)).fit()
    nodes, stack = [], [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(node.sons or ())
    nodes.sort(key=lambda node: node.number)
    at = {node.number: i for i, node in enumerate(nodes)}
    sons = [node.sons and tuple(at[son.number] for son in node.sons) for node in nodes]
    alpha = Fraction(control.cp) * nodes[0].risk
    complexity = rpart_complexity(sons, [node.risk for node in nodes], alpha)
    return {
        node.number
        for node in nodes
        if node.number == 1 or complexity[at[node.number // 2]] > alpha
    }


@pytest.mark.parametrize("name", NAMES)
def test_collapsing_afterwards_gives_the_tree_of_rpart(name, oracle_folder):
    expected = golden("rpart", name)
    assert kept_nodes(Problem.of(expected)) == {node["node"] for node in expected["nodes"]}
