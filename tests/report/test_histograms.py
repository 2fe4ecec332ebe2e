"""Histograms of splits and columns, and rival splits: against the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.report import payload
from ceiba.report.nodes import encode_splits, rounded_floats
from ceiba.report.training_rows import MAX_FIGURES, MAX_NODES
from ceiba.tree import LevelSets, SplitKind
from ceiba.tree.routing import route
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import model, training


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "regression"])
def test_split_histograms_count_the_rows_of_their_node_on_each_side(kind: str) -> None:
    tree = model(kind).tree_
    frame, y = training(kind)
    made = payload(tree, train=(frame, y))["histograms"]
    inner = np.flatnonzero(tree.splits.column >= 0)
    assert [one["node"] for one in made] == inner.tolist()
    k = 1 if kind == "regression" else 3
    labels = None if kind == "regression" else tree.target.classes[0]
    for one in made:
        node = one["node"]
        rows = tree.rows(node, frame)
        name = tree.schema.names[int(tree.splits.column[node])]
        counts = np.array(one["n"]).reshape(-1, k)
        assert counts.sum() + one.get("missing", 0) == len(rows)
        values = np.asarray(frame[name])[rows]
        if "low" not in one or tree.splits.kind[node] != SplitKind.CUT:
            continue
        cut = float(tree.splits.cut[node])
        edges = np.linspace(one["low"], one["high"], len(counts) + 1)
        at = int(np.argmin(np.abs(edges - cut)))
        assert edges[at] == pytest.approx(cut)  # no bar stands on both sides of the cut
        left = rows[values <= cut]
        assert counts[:at].sum() == len(left)
        assert one["least"] == np.nanmin(values)
        assert one["most"] == np.nanmax(values)
        if labels is not None:
            by_class = [(np.asarray(y)[left] == label).sum() for label in labels]
            assert counts[:at].sum(axis=0).tolist() == by_class


@pytest.mark.slow
def test_split_histograms_of_numbers_hold_the_quartiles_of_the_target() -> None:
    tree = model("regression").tree_
    frame, y = training("regression")
    made = payload(tree, train=(frame, y))["histograms"]
    one = next(h for h in made if "codes" in h)
    name = tree.schema.names[int(tree.splits.column[one["node"]])]
    rows = tree.rows(one["node"], frame)
    levels = tree.schema.columns[int(tree.splits.column[one["node"]])].levels
    for k, code in enumerate(one["codes"]):
        mine = np.asarray(y)[rows][[frame[name][i] == levels[code] for i in rows]]
        expected = np.quantile(mine, [0.25, 0.5, 0.75])
        assert one["quartiles"][3 * k : 3 * k + 3] == pytest.approx(expected.tolist(), rel=1e-3)


@pytest.mark.slow
def test_split_histograms_of_a_large_tree_keep_to_the_largest_nodes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = rng.integers(0, 12, 4000)
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=1200).fit(X, y).tree_
    made = payload(tree, train=(X, y))["histograms"]
    assert len(made) <= MAX_NODES
    assert sum(len(one["n"]) for one in made) <= MAX_FIGURES
    kept = {one["node"] for one in made}
    inner = np.flatnonzero(tree.splits.column >= 0)
    others = [i for i in inner if i not in kept]
    assert max(tree.n_rows[others]) <= min(tree.n_rows[list(kept)])


@pytest.mark.slow
def test_column_bars_count_every_row() -> None:
    tree = model("classes").tree_
    frame, y = training("classes")
    for j, bars in enumerate(payload(tree, train=(frame, y))["bars"]):
        name = tree.schema.names[j]
        column = frame[name]
        missing = sum(v is None or v != v for v in column)
        assert sum(bars["n"]) == len(column) - missing
        assert bars.get("missing", 0) == missing


@pytest.mark.slow
def test_column_bars_are_counted_by_class() -> None:
    tree = model("classes").tree_
    frame, y = training("classes")
    made = payload(tree, train=(frame, y))
    assert made["n_bar_classes"] == 3
    cities = made["bars"][tree.schema.index("city")]
    counts = np.reshape(cities["n"], (-1, 3))
    levels = tree.schema.columns[tree.schema.index("city")].levels
    for code, row in zip(cities["codes"], counts, strict=True):
        here = [label for city, label in zip(frame["city"], y, strict=True) if city == levels[code]]
        assert row.tolist() == [here.count(label) for label in tree.target.classes[0].tolist()]


@pytest.mark.slow
def test_rivals_searched_for_are_those_that_the_model_would_keep() -> None:
    frame, y = training("classes")
    plain = ceiba.DecisionTreeClassifier(max_depth=4).fit(frame, y)
    keeping = ceiba.DecisionTreeClassifier(max_depth=4, max_competitors=4).fit(frame, y)
    made = payload(plain.tree_, train=(frame, y))
    kept = payload(keeping.tree_, train=(frame, y))
    assert kept["rivals"] is None
    assert made["rivals"]["n"] == kept["nodes"]["competitors"]["n"]
    assert made["rivals"]["gain"] == kept["nodes"]["competitors"]["gain"]
    searched, stored = made["rivals"]["splits"], kept["nodes"]["competitors"]["splits"]
    for key in ("kind", "column", "cut", "level_code", "level_branch"):
        assert searched[key] == stored[key], key


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "regression"])
def test_rivals_are_those_of_a_search_node_by_node(kind: str) -> None:
    frame, y = training(kind)
    tree = model(kind).tree_
    made = payload(tree, train=(frame, y))["rivals"]
    table = route.read(tree, frame)
    problem = ceiba.grow.Problem.like(tree, table, y, max_depth=1, max_competitors=4)
    end = tree.apply(frame)
    gains, cuts = [], []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        inside = (end >= node) & (end < tree.subtree_end[node])
        stump = problem.grow(np.flatnonzero(inside).astype(np.uint32))
        assert made["n"][node] == len(stump.competitors.gain)
        gains += rounded_floats(stump.competitors.gain)
        cuts += encode_splits(stump.competitors.splits)["cut"]
    assert made["gain"] == gains
    assert made["splits"]["cut"] == cuts


@pytest.mark.slow
def test_rivals_of_weighted_models_are_not_guessed() -> None:
    frame, y = training("classes")
    fitted = ceiba.DecisionTreeClassifier(max_depth=3, class_weight="balanced").fit(frame, y)
    assert payload(fitted.tree_, train=(frame, y))["rivals"] is None


@pytest.mark.parametrize("kind", ["classes", *slow(["regression"])])
def test_node_tab_shows_the_histogram_with_the_cut(open_page: Open, kind: str) -> None:
    frame, y = training(kind)
    opened = open_page(f"histogram_{kind}", model(kind), reports={"train": (frame, y)})
    tree = model(kind).tree_
    cut = next(
        i
        for i in range(tree.n_nodes)
        if tree.splits.kind[i] == SplitKind.CUT
        and tree.schema.names[int(tree.splits.column[i])] == "income"
    )
    opened.run("(i) => ceibaReport.reveal(i)", cut)
    picture = opened.page.locator("#panel svg.histogram")
    assert picture.count() == 1
    found = opened.run("(i) => ceibaReport.histogramOf(i)", cut)
    words = picture.locator("text").all_text_contents()
    assert found["cutTexts"][0] in words
    assert found["ends"][1] in words
    levels = next(i for i in range(tree.n_nodes) if tree.splits.kind[i] == SplitKind.LEVELS)
    opened.run("(i) => ceibaReport.reveal(i)", levels)
    names = opened.page.locator("#panel .split-picture .bar-name").all_inner_texts()
    bars = opened.run("(i) => ceibaReport.histogramOf(i).bars.map((b) => b.name)", levels)
    assert names == bars
    assert set(names) <= {"Lima", "Oslo", "Quito", "Rome"}
    assert "Rival splits".upper() in opened.page.inner_text("#panel").upper()
    opened.page.click("#tab-data")
    assert opened.page.locator("#panel svg.spark").count() == 4
    assert opened.errors == []


@pytest.mark.slow
def test_card_zoomed_in_shows_the_histogram(open_page: Open) -> None:
    opened = open_page(
        "histogram_classes", model("classes"), reports={"train": training("classes")}
    )
    cut = opened.run(
        "() => ceibaReport.histogramOf(0).cutText || ceibaReport.histogramOf(0).bars[0].name"
    )
    words = "() => [...ceibaReport.viewSvg().querySelectorAll('text')].map((t) => t.textContent)"
    opened.run("() => ceibaReport.zoomTo(1)")
    assert cut not in opened.run(words)
    opened.run("() => { ceibaReport.zoomTo(2.1); ceibaReport.reveal(0); }")
    assert cut in opened.run(words)


@pytest.mark.slow
def test_node_without_a_histogram_says_so(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = rng.integers(0, 12, 3000)
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=1000).fit(X, y)
    opened = open_page("few_histograms", fitted, reports={"train": (X, y)})
    node = opened.run(
        "() => [...Array(ceibaReport.model.n).keys()].find("
        "(i) => !ceibaReport.model.isLeaf(i) && !ceibaReport.model.histograms.has(i))"
    )
    opened.run("(i) => ceibaReport.reveal(i)", node)
    assert "largest nodes only" in opened.page.inner_text("#panel")


def with_missing_alone() -> tuple[dict[str, list[str | None]], list[str]]:
    return {"city": ["Oslo", "Lima", "Rome", None, None, "Oslo"]}, ["a", "a", "b", "c", "c", "a"]


@pytest.mark.slow
def test_missing_levels_with_a_branch_of_their_own_have_a_bar() -> None:
    split = LevelSets("city", (("Oslo", "Lima"), ("Rome",)), missing_branch=True)
    X, y = with_missing_alone()
    tree = ceiba.tree.build((split, "a", "b", "c")).refit_leaves(X, y)
    (bars,) = payload(tree, train=(X, y))["histograms"]
    levels = tree.schema.columns[0].levels
    assert [None if code is None else levels[code] for code in bars["codes"]] == [*levels, None]
    assert "missing" not in bars
    counts = np.array(bars["n"]).reshape(-1, 3)
    assert counts.tolist() == [[2, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2]]
