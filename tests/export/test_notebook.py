"""What notebooks show: well-formed, escaped, small for any tree, the parameters below."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context

import ceiba
from ceiba.export.drawings.notebook import MAX_NODES, to_notebook
from tests.tree.random_trees import random_tree

VOID = {"input", "br", "link", "meta", "img"}


class Outline(HTMLParser):
    """Keeps the stack of open elements and counts what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("seed", range(6))
def test_notebook_of_random_trees_is_well_formed_and_unfolds_every_inner_node(seed: int) -> None:
    tree = random_tree(seed, n_inner=10)
    seen = outline(to_notebook(tree)).seen
    assert seen["svg"] == 1
    assert seen["details"] == 2 + int((~tree.is_leaf).sum())


def test_notebook_names_are_escaped() -> None:
    page = to_notebook(ceiba.tree.build(("<script>", {"<b>": "a & b", "</details>": "<i>"})))
    assert outline(page).seen.get("script", 0) == 0


def test_notebook_of_a_large_tree_stays_small_and_says_so() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((20_000, 4))
    model = ceiba.DecisionTreeClassifier().fit(x, rng.integers(0, 2, 20_000))
    assert model.tree_.n_nodes > 5000
    page = to_notebook(model.tree_)
    assert len(page) < 200_000
    assert outline(page).seen["details"] <= 2 + MAX_NODES
    assert "The lightest nodes are not listed" in page


def test_fitted_estimator_shows_its_tree_and_the_parameters_below() -> None:
    iris = ceiba.datasets.load_iris()
    model = ceiba.DecisionTreeClassifier(max_depth=2)
    assert "<svg" not in model._repr_mimebundle_()["text/html"].split("</style>")[-1]
    shown = model.fit(iris.X, iris.y)._repr_mimebundle_()["text/html"]
    assert outline(shown).seen == outline(model._repr_html_()).seen
    assert shown.index("petal") < shown.index("Parameters") < shown.index("max_depth")
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_single_leaf_shows_without_a_list() -> None:
    assert outline(ceiba.tree.build({"a": 3})._repr_html_()).seen["details"] == 1
