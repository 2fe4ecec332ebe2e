"""Survival in the studio: rivals by log-rank, figures by concordance, script and journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError, OptionError
from ceiba.studio.launch import initial_setup, open_workspace
from ceiba.studio.service import Service
from ceiba.studio.work.script import write_script
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from ceiba.survival import SurvivalCurve, concordance
from ceiba.table import read
from tests.studio.test_script import rebuilt

LUNG = ceiba.datasets.load_lung()


def lung(path: Path | None = None, **parameters: Any) -> Workspace:
    source = Source("lung", read(LUNG.data))
    return open_workspace(source, initial_setup(source, LUNG.target, parameters), path, "en", None)


def chi_square(time: Any, event: Any, left: Any) -> float:
    """Return the log-rank chi-square of two groups, by its definition."""
    excess = variance = 0.0
    for moment in np.unique(time[event > 0]):
        at_risk, happened = time >= moment, (time == moment) & (event > 0)
        n, d, share = at_risk.sum(), happened.sum(), (at_risk & left).sum() / at_risk.sum()
        excess += (happened & left).sum() - d * share
        variance += d * share * (1 - share) * (n - d) / max(n - 1, 1)
    return float(excess**2 / variance)


def test_rivals_curves_and_previews_are_those_of_the_log_rank_test() -> None:
    workspace = lung()
    service = Service(workspace)
    data = workspace.data
    time, event = data.y.values.T
    listing = service.rivals(0)
    assert listing["criterion"] == "logrank"
    for column, cut, missing in (("age", 60.5, {}), ("karnofsky_patient", 65.0, {"missing": 1})):
        left = data.X.column(column).values <= cut
        answer = service.preview(0, {"split": {"column": column, "cut": cut, **missing}})
        assert 2 * len(time) * answer["gain"] == pytest.approx(chi_square(time, event, left))
        curve = SurvivalCurve.from_rows(time[left], event[left])
        assert answer["branches"][0]["curve"]["median"][0] == curve.median().value
    curve = service.column(0, "age")["curve"]
    ages = data.X.column("age").values
    for cut, gain in list(zip(curve["cut"], curve["gain"], strict=True))[::7]:
        assert 2 * len(time) * gain == pytest.approx(chi_square(time, event, ages <= cut))
    best = next(rival for rival in listing["rivals"] if rival["column"] == "age")
    assert max(curve["gain"]) == pytest.approx(best["gain"])


def test_order_has_a_line_of_chance_and_growing_takes_the_first() -> None:
    service = Service(lung())
    listed = service.rivals(0)["rivals"]
    gains = {rival["column"]: rival["gain"] for rival in listed}
    assert max(gains, key=lambda name: gains[name]) == "weight_loss"  # 17 rows, by chance
    assert next(r for r in listed if r["column"] == "weight_loss")["by_chance"]
    service.act({"action": "grow", "arguments": {"node": 0, "levels": 1}})
    split = service.workspace.state.fitted_tree.node(0).split
    assert split is not None
    assert split.column == listed[0]["column"]


def test_figures_are_concordance_cross_validated_within_folds() -> None:
    service = Service(lung())
    root = service.state()["figures"]["cross_validated"]
    assert root["concordance"] == 0.5  # risks of two folds are not compared
    state = service.act({"action": "grow", "arguments": {"node": 0, "levels": None}})
    figures, model = state["figures"], service.workspace.state.model
    data = service.workspace.data
    ranked = concordance(*data.y.values.T, model.predict(data.X))
    assert figures["train"]["concordance"] == pytest.approx(ranked.value)
    spread = float(np.sqrt((ranked.contributions**2).sum()))
    assert figures["train"]["se"] == pytest.approx(spread)
    assert figures["cross_validated"]["concordance"] < figures["train"]["concordance"]
    assert state["tree"]["pruning"]["cv_risk"] is not None


def test_held_out_rows_have_the_share_of_events_and_judge_trees() -> None:
    service = Service(lung())
    service.act({"action": "set_held_out", "arguments": {"share": 0.25}})
    service.act({"action": "grow", "arguments": {"node": 0, "levels": None}})
    data = service.workspace.data
    assert data.held_out is not None
    shares = [part.y.values[:, 1].mean() for part in (data, data.held_out)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    verdict = service.compare("", "@automatic")["verdict"]
    assert verdict["rows"] == "held_out"
    answer = service.preview(0, {"split": {"column": "age", "cut": 60.5}})
    assert answer["held_out"][0]["curve"]["events"] > 0


def test_script_and_journal_give_the_identical_tree(tmp_path: Path) -> None:
    path = tmp_path / "lung.studio"
    workspace = lung(path)
    for name, arguments in (
        ("take", {"node": 0, "split": "age <= 60"}),
        ("grow", {"node": 2, "levels": None}),
        ("cut", {"node": 3}),
        ("set_options", {"options": {"min_events_leaf": 10}}),
        ("prune", {"n_leaves": 2}),
    ):
        workspace.act(name, arguments)
    tree = workspace.state.tree
    assert rebuilt(workspace, LUNG.data).tree_ == tree
    assert workspace.journal is not None
    workspace.journal.close()
    source = Source("lung", read(LUNG.data))
    again = open_workspace(source, initial_setup(source, None, {}), path, "en", None)
    assert again.state.tree == tree
    assert again.journal is not None
    again.journal.close()


def test_roles_of_time_and_event_and_codes_that_are_not_0_and_1() -> None:
    frame = {name: list(LUNG.data[name]) for name in LUNG.data}
    frame["died"] = ["dead" if died else "alive" for died in frame["died"]]
    source = Source("lung", read(frame))
    workspace = Workspace(source, initial_setup(source, "time", {}))
    workspace.act("set_column", {"column": "died", "role": "event"})
    assert workspace.setup.event_code == "dead"
    assert workspace.state.fitted_tree.target.name == "Surv(time, died == dead)"
    n_events = workspace.data.y.values[:, 1].sum()
    assert n_events == 165
    workspace.act("set_column", {"column": "died", "code": "alive"})
    assert workspace.data.y.values[:, 1].sum() == 228 - 165
    workspace.act("set_column", {"column": "died", "role": "ignore"})
    assert workspace.state.fitted_tree.task == "regression"


@pytest.mark.parametrize(
    ("codes", "event"),
    [(("alive", "dead"), "dead"), (("alive", "dead"), "alive"), ((0, 1), 0), ((False, True), True)],
)
def test_a_fitted_model_brings_the_code_of_its_event(codes: Any, event: Any) -> None:
    frame = {name: list(LUNG.data[name]) for name in LUNG.data}
    frame["died"] = [codes[int(died)] for died in frame["died"]]
    happened = [died == event for died in frame["died"]]
    model = ceiba.DecisionTreeSurvival(max_depth=2).fit(frame, LUNG.target, event=event)
    data = ceiba.prepare(frame, LUNG.target, held_out=frame, like=model)
    assert data.held_out is not None
    for part in (data, data.held_out):
        assert part.y.values[:, 1].tolist() == happened
    assert ceiba.prepare(frame, LUNG.target, event=codes[0], like=model).y.values[
        :, 1
    ].tolist() == [died == codes[0] for died in frame["died"]]
    source = Source("lung", read(frame), model=model)
    workspace = Workspace(source, initial_setup(source, LUNG.target, {}))
    workspace.act("cut", {"node": 0})
    assert workspace.data.y.values[:, 1].tolist() == happened
    names: dict[str, Any] = {}
    exec(write_script(workspace.source, workspace.state), names)
    assert names["rebuild"](model, frame).tree_ == workspace.state.tree
    workspace.act("set_column", {"column": "age", "role": "ignore"})  # without like
    assert workspace.data.y.values[:, 1].tolist() == happened


def test_what_survival_does_not_have_is_refused_by_name() -> None:
    workspace = lung()
    with pytest.raises(CeibaError, match="not supported for survival"):
        workspace.act("override", {"node": 0, "answer": 2.0})
    with pytest.raises(OptionError, match="Lessons are not supported for survival"):
        initial_setup(workspace.source, LUNG.target, {}, lesson=True)
    with pytest.raises(CeibaError, match="cost_matrix"):
        workspace.act("set_options", {"cost_matrix": [[0, 1], [1, 0]]})
    with pytest.raises(OptionError, match="requires two columns"):
        ceiba.prepare(LUNG.data, "time", task="survival")
