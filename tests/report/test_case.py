"""Around a case: the exact slice through it, the nearest other answer, the alpha that is copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Intervals
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import classes, model, table


def cases_of(tree: Any, n: int, seed: int) -> list[list[Any]]:
    read = read_like(table(n, seed=seed), tree.schema, match="name")
    found = []
    for row in range(n):
        cells = [column.values[row].item() for column in read.columns]
        missing = [c != c or (isinstance(c, int) and c < 0) for c in cells]
        found.append([None if gone else c for c, gone in zip(cells, missing, strict=True)])
    return found


@pytest.mark.parametrize("kind", ["surrogate", "intervals", *slow(["classes", "regression", "cv"])])
def test_slice_regions_hold_the_leaf_of_every_point_and_do_not_overlap(
    open_page: Open, kind: str
) -> None:
    tree = getattr(model(kind), "unpruned_tree_", None) or model(kind).tree_
    opened = open_page(kind)
    wrong = opened.run(
        """(cases) => {
          const r = ceibaReport, M = r.model, wrong = [];
          const inside = (s, v) => (s.codes ? s.codes.includes(v) : v > s.low && v <= s.high);
          const whole = M.steps.findIndex((s) => s.isFull);
          for (const values of cases) for (const [x, y] of [[0, 1], [1, 2], [2, 0], [0, 3]]) {
            const regions = r.slice(values, x, y, whole);
            for (const other of cases) {
              if (other[x] === null || other[y] === null) continue;
              const probe = values.slice();
              probe[x] = other[x];
              probe[y] = other[y];
              const at = regions.filter((g) => inside(g.x, probe[x]) && inside(g.y, probe[y]));
              const moves = r.predict(probe, whole).moves;
              if (at.length !== 1 || at[0].end !== moves[moves.length - 1].node)
                wrong.push([probe, at]);
            }
          }
          return wrong;
        }""",
        cases_of(tree, 25, seed=8),
    )
    assert wrong == []


@pytest.mark.slow
def test_nearest_other_answer_changes_the_answer_by_the_fewest_columns(open_page: Open) -> None:
    tree = model("classes").tree_
    opened = open_page("classes")
    found = opened.run(
        """(cases) => {
          const r = ceibaReport, M = r.model, whole = M.steps.findIndex((s) => s.isFull);
          const into = (set) => {
            if (set.codes) return [...set.codes].indexOf(1);
            return set.high < Infinity ? set.high : set.low + 1e-6;
          };
          // By trying: one value between any two cuts of a column, every level, missing.
          const tries = M.columns.name.map((_, j) => {
            if (M.columns.kind[j] !== "numeric") return [null, ...M.columns.levels[j].keys()];
            const cuts = [];
            for (let i = 0; i < M.n; i++) {
              if (M.splits.kind[i] === 1 && M.splits.column[i] === j) cuts.push(M.splits.cut[i]);
            }
            return [null, ...cuts, Math.max(...cuts) + 1];
          });
          return cases.map((values) => {
            const before = r.predict(values, whole).answer;
            const near = r.nearest(values, whole);
            const changed = values.slice();
            for (const set of near.sets) changed[set.j] = into(set);
            const single = tries.some((list, j) => list.some((v) => {
              const probe = values.slice();
              probe[j] = v;
              return r.predict(probe, whole).answer !== before;
            }));
            return { before, after: r.predict(changed, whole), near, single };
          });
        }""",
        cases_of(tree, 60, seed=9),
    )
    assert {len(one["near"]["sets"]) for one in found} >= {1}
    for one in found:
        assert one["after"]["answer"] != one["before"]
        assert one["after"]["leaf"] == one["near"]["node"]
        assert (len(one["near"]["sets"]) == 1) == one["single"]


def counterfactual(tree: Any, row: Any) -> Any:
    """Return the nearest change to any other answer; of numbers, to a larger or a smaller one."""
    if tree.task == "classification":
        found = list(tree.counterfactual(row, k=1))
    else:
        value = float(tree.predict(row)[0])
        larger, smaller = (float(np.nextafter(value, end)) for end in (np.inf, -np.inf))
        ways = ((larger, None), (None, smaller))
        found = [one for way in ways for one in tree.counterfactual(row, target=way, k=1)]
    return min(found, key=lambda one: (len(one.changes), one.distance), default=None)


@pytest.mark.parametrize(
    "kind", ["classes", "regression", *slow(["fractional", "surrogate", "stay", "cv"])]
)
def test_nearest_other_answer_is_the_counterfactual_of_python(open_page: Open, kind: str) -> None:
    tree = getattr(model(kind), "unpruned_tree_", None) or model(kind).tree_
    opened = open_page(kind)
    rows, cases = table(60, seed=11), cases_of(tree, 60, seed=11)
    near = opened.run(
        """(cases) => {
          const r = ceibaReport, whole = r.model.steps.findIndex((s) => s.isFull);
          return cases.map((values) => r.nearest(values, whole));
        }""",
        cases,
    )
    compared = 0
    read = read_like(rows, tree.schema, match="name")
    for i, page in enumerate(near):
        if kind == "fractional" and None in cases[i]:
            continue  # the page shows no other answer for a row in several leaves
        found = counterfactual(tree, read.take(np.array([i])))
        assert (page is None) == (found is None)
        if page is not None:
            compared += 1
            assert page["cost"][0] == len(found.changes)
            assert page["cost"][1] == pytest.approx(found.distance, abs=1e-9)
            names = [tree.schema.names[one["j"]] for one in page["sets"]]
            assert sorted(names) == sorted(change.column for change in found.changes)
    assert compared > 15


def test_copied_alpha_gives_the_tree_of_the_step(open_page: Open) -> None:
    fitted = model("cv")
    opened = open_page("cv")
    opened.page.click("#tab-prune")
    frame = table(500)
    steps = opened.run("() => ceibaReport.model.steps.map((s) => [s.alpha, s.leaves])")
    there = [(k, leaves) for k, (alpha, leaves) in enumerate(steps) if alpha >= 0]
    tried = there[:: max(1, len(there) // 6)]
    assert len({leaves for _, leaves in tried}) >= 5
    for k, leaves in tried:
        opened.run("(k) => ceibaReport.update({ step: k })", k)
        code = opened.page.inner_text("#prune-figures code")
        pruning = eval(code.removeprefix("prune="), {"CostComplexity": ceiba.prune.CostComplexity})
        again = ceiba.DecisionTreeClassifier(prune=pruning).fit(frame, classes(frame, 2))
        assert again.tree_.n_leaves == leaves, code
    assert fitted.unpruned_tree_.n_leaves == steps[-1][1]


def test_test_curve_of_the_chart_is_the_risk_at_every_step(open_page: Open) -> None:
    opened = open_page("cv")
    opened.page.click("#tab-prune")
    drawn = opened.run("() => document.querySelector('.line.test').getAttribute('d')")
    errors = opened.run(
        "() => ceibaReport.model.steps.map((_, k) => ceibaReport.metricsAt(k, 'test').error)"
    )
    heights = [float(part.split(",")[1]) for part in drawn[1:].split("L")]
    assert len(heights) == len(errors)
    slope, offset = np.polyfit(errors, heights, 1)
    assert slope < 0
    assert np.allclose(slope * np.array(errors) + offset, heights, rtol=0, atol=0.02)


@pytest.mark.slow
def test_node_panel_says_the_intervals_and_the_branch_of_missing_values(open_page: Open) -> None:
    tree = model("intervals").tree_
    node = next(i for i in range(tree.n_nodes) if isinstance(tree.node(i).split, Intervals))
    opened = open_page("intervals")
    opened.run("(i) => window.ceibaReport.reveal(i)", node)
    opened.page.click("#tab-node")
    shown = opened.page.inner_text("ul.branches").replace("−", "-").replace("\u2068", "")
    for branch in range(tree.node(node).split.n_branches):
        sentence = tree.node(node).split.sentence(branch, tree.schema)
        assert sentence.replace("<=", "≤").replace(">=", "≥") in shown.replace("\u2069", "")
