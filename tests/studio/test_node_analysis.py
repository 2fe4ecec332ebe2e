"""What the studio says of nodes: rivals, previews, doubts, cross-validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

import ceiba
from ceiba.inspection import split_table
from ceiba.studio.analysis import rivals as rivals_module
from ceiba.studio.analysis.node_analysis import NodeAnalysis, NodeRowCache
from ceiba.studio.analysis.preview import preview_split
from ceiba.studio.analysis.rivals import find_rivals
from ceiba.studio.analysis.scores import cross_validate, refit_fold, score_tree
from ceiba.studio.analysis.warnings import check_against_best, compare_held_out
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.service import Service
from ceiba.studio.work.setup import Setup
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from tests.studio.random_work import frame, opened, random_action, work


def analyze(workspace: Workspace) -> NodeAnalysis:
    return NodeAnalysis(workspace.state, workspace.data, NodeRowCache(workspace.data.X.n_rows))


def workspace_on(data: dict[str, Any], target: str, **options: Any) -> Workspace:
    table, name = read_whole_table(data, target)
    return Workspace(Source("data", table), Setup.initial(table, name, options=options))


@pytest.mark.parametrize(
    ("target", "criterion"), [("buys", "entropy"), ("amount", "squared_error")]
)
def test_rivals_of_the_root_are_those_of_split_table(target: str, criterion: str) -> None:
    data = {name: values for name, values in frame(4).items() if name != "gappy"}
    workspace = workspace_on(data, target, criterion=criterion)
    workspace.act("set_options", {"options": {"min_samples_leaf": None, "max_depth": 9}})
    listed = find_rivals(analyze(workspace), 0, by_gain=True)["rivals"]
    expected = split_table(data, target, criterion)
    assert [one["column"] for one in listed] == expected["column"].tolist()
    assert [one["split"] for one in listed] == expected["split"].tolist()
    np.testing.assert_allclose([one["gain"] for one in listed], expected["gain"])
    sizes = [tuple(b["n_rows"] for b in one["branches"]) for one in listed]
    assert sizes == expected["sizes"].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_rivals_below_are_those_of_the_rows_there(seed: int) -> None:
    data = {name: values for name, values in frame(seed).items() if name != "gappy"}
    workspace = workspace_on(data, "buys")
    workspace.act("take", {"node": 0, "split": "count <= 2"})
    inside = [k for k, count in enumerate(data["count"]) if count <= 2]
    part = {name: [values[k] for k in inside] for name, values in data.items()}
    expected = split_table(part, "buys")
    listed = find_rivals(analyze(workspace), 1)["rivals"]
    gains = {one["column"]: one["gain"] for one in listed if one["gain"] is not None}
    for row in expected:
        if row["gain"] > 0:
            assert gains[row["column"]] == pytest.approx(row["gain"])


def test_rivals_of_many_cells_lead_with_the_exact_best(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = {f"x{j}": rng.normal(size=4000).tolist() for j in range(5)}
    data = {**X, "y": (np.array(X["x3"]) + rng.normal(size=4000) > 0.2).astype(int).tolist()}
    analysis = analyze(workspace_on(data, "y"))
    exact = find_rivals(analysis, 0)["rivals"]
    monkeypatch.setattr(rivals_module, "MAX_CELLS", 1000)
    coarse = find_rivals(analysis, 0)["rivals"]
    assert coarse[0]["exact"]
    assert not coarse[1]["exact"]
    assert {key: coarse[0][key] for key in ("column", "split", "gain")} == {
        key: exact[0][key] for key in ("column", "split", "gain")
    }
    best = {one["column"]: one["gain"] for one in exact}
    assert {one["column"] for one in coarse} == set(best)
    assert all(one["gain"] <= best[one["column"]] + 1e-12 for one in coarse)
    assert coarse[1]["gain"] > 0.5 * best[coarse[1]["column"]]


@pytest.mark.parametrize("seed", range(6))
def test_preview_says_what_taking_the_split_gives(seed: int) -> None:
    """Also with gaps, weights, priors, surrogates and parted rows."""
    options: list[dict[str, Any]] = [
        {}, {"missing": "majority"}, {"missing": "surrogate"}, {"missing": "fractional"},
        {"criterion": "entropy"}, {"criterion": "twoing"},
    ]  # fmt: skip
    workspace = opened(seed, **options[seed])
    if seed == 4:
        workspace.act("set_column", {"column": "w", "role": "weight"})
        workspace.act("set_options", {"class_prior": {"no": 0.7, "yes": 0.3}})
    rng = np.random.default_rng(seed)
    compared = 0
    while compared < 12:
        name, arguments = random_action(rng, workspace)
        if name != "take":
            continue
        node = arguments["node"]
        try:
            seen = preview_split(analyze(workspace), node, arguments["split"])
            workspace.act("take", arguments)
        except ceiba.CeibaError:
            continue
        tree = workspace.state.tree
        assert tree is not None
        below = tree.branch_node[slice(*tree.branch_start[node : node + 2].tolist())]
        assert seen["gain"] == pytest.approx(float(tree.gain[node]), abs=1e-9)
        if options[seed].get("missing") != "fractional":
            assert [b["n_rows"] for b in seen["branches"]] == tree.n_rows[below].tolist()
        compared += 1


def test_places_are_found_again_after_changes_elsewhere() -> None:
    workspace = opened(2)
    rng = np.random.default_rng(2)
    places = NodeRowCache(workspace.data.X.n_rows)
    for _ in range(15):
        work(workspace, rng, 1)
        places = (
            places
            if len(workspace.data.X) == places._max_rows // 3
            else NodeRowCache(len(workspace.data.X))
        )
        analysis = NodeAnalysis(workspace.state, workspace.data, places)
        fresh = analyze(workspace)
        for node in range(analysis.tree.n_nodes):
            if analysis.tree.n_rows[node]:
                assert np.array_equal(analysis.at(node).rows, fresh.at(node).rows)
        if workspace.steps and workspace.steps[-1].action.startswith("set_"):
            places = NodeRowCache(len(workspace.data.X))


def test_figures_are_those_of_evaluate() -> None:
    workspace = opened(5)
    workspace.act("set_held_out", {"share": 0.4})
    workspace.act("grow", {"node": 0, "levels": 2})
    made, data = score_tree(analyze(workspace)), workspace.data
    assert data.held_out is not None
    for part, rows in (("train", data), ("held_out", data.held_out)):
        labels = rows.y.info.classes[0][rows.y.values[:, 0]]
        judged = workspace.state.model.evaluate(rows.X, labels)
        assert made[part]["error"] == pytest.approx(judged.error)
        likely = workspace.state.model.predict_proba(rows.X)
        assert made[part]["log_loss"] == pytest.approx(log_loss(labels, np.maximum(likely, 1e-15)))


def noise(rng: np.random.Generator, n: int = 300) -> NodeAnalysis:
    """One column that matters, split by hand where it matters; five that do not."""
    x = rng.integers(0, 2, n)
    y = np.where(rng.random(n) < 0.2 + 0.4 * x, 1, 0)
    data = {"x": x.astype(float).tolist(), "y": y.tolist()}
    data |= {f"z{j}": rng.normal(size=n).tolist() for j in range(5)}
    workspace = workspace_on(data, "y")
    workspace.act("take", {"node": 0, "split": {"column": "x", "cut": 0.5}})
    return analyze(workspace)


def test_right_split_made_by_hand_is_seldom_called_worse() -> None:
    """Noise columns offer hundreds of cuts; the best of them must not count against ours."""
    warned = sum(
        check_against_best(noise(np.random.default_rng(seed)), 0) is not None for seed in range(60)
    )
    assert warned <= 4


@pytest.mark.slow
def test_right_split_made_by_hand_is_called_worse_in_few_of_1000() -> None:
    warned = sum(
        check_against_best(noise(np.random.default_rng(seed)), 0) is not None
        for seed in range(1000)
    )
    assert warned <= 40


def test_plainly_worse_split_is_called_worse() -> None:
    for seed in range(10):
        analysis = noise(np.random.default_rng(seed), 600)
        model = analysis.state.model.set_split(
            0, "z0 <= 0", analysis.data.X, analysis.data.y, levels=0
        )
        found = check_against_best(replace(analysis, state=replace(analysis.state, model=model)), 0)
        assert found is not None
        assert found["best"].startswith("x <=")


def test_warnings_follow_the_rules_of_ancestors_and_the_options() -> None:
    """A cached warning must not outlive the rules and options that it was computed with."""
    rng = np.random.default_rng(1)
    x, z = (np.arange(600) % 5 == 0).astype(int), rng.normal(size=600)
    y = np.where(rng.random(600) < 0.1 + 0.8 * x, 1, 0)
    data = {"x": x.tolist(), "z": z.tolist(), "w": rng.normal(size=600).tolist(), "y": y.tolist()}
    workspace = workspace_on(data, "y")
    service = Service(workspace)
    workspace.act("take", {"node": 0, "split": "z <= 0"})
    workspace.act("take", {"node": 1, "split": "w <= 0"})

    def worse() -> set[int]:
        return {w["node"] for w in service.state()["warnings"] if w["code"] == "worse_than_best"}

    assert worse() == {0, 1}
    workspace.act("set_options", {"options": {"min_samples_leaf": 200}})  # x has 120 rows of 1
    assert worse() == set()
    workspace.act("set_options", {"options": {"min_samples_leaf": None}})
    assert worse() == {0, 1}
    workspace.act("forbid", {"node": 0, "columns": ["x"]})
    assert worse() == set()


def test_held_out_rows_of_the_same_kind_seldom_disagree() -> None:
    disagreed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        data = {"x": rng.normal(size=400).tolist(), "y": rng.integers(0, 2, 400).tolist()}
        workspace = workspace_on(data, "y")
        workspace.act("set_held_out", {"share": 0.5, "seed": seed})
        workspace.act("take", {"node": 0, "split": "x <= 0"})
        disagreed += bool(compare_held_out(analyze(workspace)))
    assert disagreed <= 8  # 5 %, and chance


def test_held_out_rows_of_another_kind_disagree() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    y = (x + rng.normal(scale=0.3, size=600) > 0).astype(int)
    table, name = read_whole_table({"x": x.tolist(), "y": y.tolist()}, "y")
    other = {"x": x.tolist(), "y": (1 - y).tolist()}
    start = Setup.initial(table, name, held_out={"given": True})
    workspace = Workspace(Source("data", table, held_out=other), start)
    workspace.act("take", {"node": 0, "split": "x <= 0"})
    assert {one["node"] for one in compare_held_out(analyze(workspace))} == {1, 2}


def test_fold_tree_of_all_rows_is_the_tree() -> None:
    for seed in range(6):
        workspace = opened(seed, ["buys", "amount"][seed % 2])
        workspace.act("take", {"node": 0, "split": "city = Oslo"})
        workspace.act("grow", {"node": 0, "levels": 2})
        analysis = analyze(workspace)
        every = np.arange(analysis.problem.n_rows, dtype=np.uint32)
        assert refit_fold(analysis.tree, [0], analysis.problem, every) == analysis.tree


def test_cross_validation_of_a_grown_tree_is_that_of_growing() -> None:
    workspace = opened(6)
    workspace.act("set_column", {"column": "gappy", "role": "ignore"})
    workspace.act("grow", {"node": 0, "levels": 2})
    analysis = analyze(workspace)
    scores, *_ = cross_validate(analysis, 5, lambda done, total: None, lambda: False)
    from ceiba.prune.cross_validation.folds import read_folds

    labels = analysis.data.y.info.classes[0][analysis.data.y.values[:, 0]]
    wrong = 0
    for fold in read_folds(5, analysis.problem):
        model = ceiba.DecisionTreeClassifier(max_depth=2)
        model.fit(analysis.data.X.take(fold.train), labels[fold.train])
        wrong += int((model.predict(analysis.data.X.take(fold.test)) != labels[fold.test]).sum())
    assert scores["error"] == pytest.approx(wrong / len(labels))


@pytest.mark.parametrize("costs", [None, [[0, 1], [5, 0]]])
def test_figures_under_priors_weigh_classes_not_rows(costs: Any) -> None:
    workspace = opened(0)
    workspace.act("set_held_out", {"share": 0.3})
    labels = sorted(set(map(str, frame(0)["buys"])))
    prior = dict(zip(labels, (0.9, 0.1), strict=True))
    workspace.act("set_options", {"options": {}, "class_prior": prior, "cost_matrix": costs})
    workspace.act("grow", {"node": 0, "levels": 2})
    made = score_tree(analyze(workspace))
    tree, matrix = workspace.state.tree, np.array(costs or [[0, 1], [1, 0]], float)
    assert tree is not None
    assert workspace.data.held_out is not None
    for name, data in (("train", workspace.data), ("held_out", workspace.data.held_out)):
        truth, said = data.y.values[:, 0], tree.answer[tree.apply(data.X)]
        risk = [matrix[k, said[truth == k]].mean() for k in (0, 1)]
        key = "error" if costs is None else "cost"
        assert made[name][key] == pytest.approx(0.9 * risk[0] + 0.1 * risk[1])
        spread = np.concatenate(
            [
                (p / (truth == k).sum()) * (matrix[k, said[truth == k]] - made[name][key])
                for k, p in enumerate((0.9, 0.1))
            ]
        )
        assert made[name]["se"] == pytest.approx(np.sqrt((spread**2).sum()))
