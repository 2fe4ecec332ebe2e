"""Survival trees: targets of every form, refusals by name, curves of nodes, pruning."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ceiba
from ceiba import CostComplexity, DecisionTreeSurvival
from ceiba.survival import SurvivalCurve, concordance
from ceiba.tree import censoring_curve, node_curve
from tests.marks import slow


@pytest.fixture(scope="module")
def trial() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    n = 400
    frame = pd.DataFrame({"age": rng.integers(30, 80, n), "dose": rng.normal(size=n).round(2)})
    frame["site"] = rng.choice(["north", "south", "west"], n)
    time = rng.exponential(np.exp(0.05 * (55 - frame["age"])) * np.where(frame["dose"] > 0, 2, 1))
    limit = rng.exponential(2.0, n)
    frame["weeks"] = np.minimum(time, limit).round(2)
    frame["died"] = (time <= limit).astype(int)
    return frame


def columns(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["age", "dose", "site"]]


def targets(frame: pd.DataFrame) -> dict[str, Any]:
    weeks, died = frame["weeks"].to_numpy(), frame["died"].to_numpy()
    record = np.array(list(zip(died == 1, weeks, strict=True)), dtype=[("e", "?"), ("t", "<f8")])
    return {
        "structured": record,
        "array": np.stack([weeks, died], axis=1),
        "pandas": frame[["weeks", "died"]],
        "polars": pl.DataFrame({"weeks": weeks, "died": died == 1}),
        "arrow": pa.table({"weeks": weeks, "died": died}),
        "dict": {"weeks": weeks.tolist(), "died": died.tolist()},
        "list": list(zip(weeks.tolist(), died.tolist(), strict=True)),
    }


KINDS = ("structured", "array", "pandas", "polars", "arrow", "dict", "list")


@pytest.mark.parametrize("kind", KINDS)
def test_targets_of_every_form_grow_the_same_tree(trial: pd.DataFrame, kind: str) -> None:
    model = DecisionTreeSurvival(max_depth=3)
    named = model.fit(trial, ("weeks", "died")).tree_
    tree = model.fit(columns(trial), targets(trial)[kind]).tree_
    assert tree.splits == named.splits
    assert tree.attachments == named.attachments
    assert (tree.value == named.value).all()
    assert named.target.name == "Surv(weeks, died)"


def test_surv_takes_the_codes_of_r(trial: pd.DataFrame) -> None:
    model = DecisionTreeSurvival(max_depth=2)
    expected = model.fit(trial, "Surv(weeks, died)").tree_
    coded = trial.assign(died=trial["died"] + 1)
    assert model.fit(coded, "Surv(weeks, died)").tree_ == expected
    for tree in (
        model.fit(coded, "Surv(weeks, died == 2)").tree_,
        model.fit(coded, ("weeks", "died"), event=2).tree_,
    ):
        assert (tree.value == expected.value).all()
        assert tree.target.name == "Surv(weeks, died == 2)"
    with pytest.raises(ceiba.DataError, match=r"got 1, 2\. .*event=2\.$"):
        model.fit(coded, ("weeks", "died"))
    words = trial.assign(died=np.where(trial["died"] == 1, "dead", "alive"))
    named = model.fit(words, ("weeks", "died"), event="dead")
    assert (named.tree_.value == expected.value).all()
    assert named.score(words, named.tree_.target.name) == model.score(trial, "Surv(weeks, died)")
    with pytest.raises(ceiba.DataError, match="event='gone' does not occur among the events"):
        model.fit(words, ("weeks", "died"), event="gone")


def test_one_column_means_that_all_events_are_observed(trial: pd.DataFrame) -> None:
    model = DecisionTreeSurvival(max_depth=2)
    both = np.stack([trial["weeks"], np.ones(len(trial))], axis=1)
    alone = model.fit(columns(trial), trial["weeks"]).tree_
    assert (alone.value == model.fit(columns(trial), both).tree_.value).all()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[1.0, 1], [-2.0, 1], [3.0, 0]], "Times must be at least 0, got -2 in row 1"),
        ([[1.0, 0], [2.0, 0], [3.0, 0]], "must have an observed event"),
        ([[1.0, 0], [2.0, 1], [3.0, 2]], "Competing risks are not supported"),
        ([[0.0, 1, 1], [0.0, 2, 1], [1.0, 2, 1]], "Left truncation"),
        ([[1.0, 1], [np.nan, 1], [3.0, 0]], "contains NaN"),
        ([[1.0, 1], [np.inf, 1], [3.0, 0]], "infinity"),
        (np.array([1, 2, 3], "m8[D]"), "Times must be numeric"),
        (["a", "b", "c"], "Times must be numeric"),
        ("Surv(start, stop, event)", "time-varying columns are not supported"),
        ("Surv(time, time2, type='interval')", "interval censoring"),
    ],
)
def test_targets_that_cannot_be_learned_are_refused_by_name(y: Any, message: str) -> None:
    with pytest.raises(ceiba.CeibaError, match=message):
        DecisionTreeSurvival().fit({"x": [1, 2, 3]}, y)


def test_missing_targets_are_dropped(trial: pd.DataFrame) -> None:
    holes = trial.copy()
    holes.loc[3, "weeks"] = np.nan
    holes["died"] = holes["died"].astype(float)
    holes.loc[7, "died"] = np.nan
    model = DecisionTreeSurvival(max_depth=2)
    tree = model.fit(holes, ("weeks", "died"), drop_missing_target=True).tree_
    assert model.n_rows_dropped_ == 2
    assert (tree.value == model.fit(holes.drop([3, 7]), ("weeks", "died")).tree_.value).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "fractional"}, "missing='fractional' is not supported for survival trees"),
        ({"categorical_splits": "multiway"}, "not supported with criterion='logrank'"),
        ({"leaf_values": "laplace"}, "Smoothing of leaf values is not supported for survival"),
        ({"prune": ceiba.ChiSquare()}, "chi-square|not supported for survival"),
        ({"prune": CostComplexity(score="auc")}, "score='auc' is not supported for survival"),
    ],
)
def test_options_are_refused_by_name(
    trial: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ceiba.CeibaError, match=message):
        DecisionTreeSurvival(**options).fit(trial, ("weeks", "died"))


def test_zero_weight_rows_change_nothing(trial: pd.DataFrame) -> None:
    early = trial[:20].assign(weeks=np.linspace(0.0001, 0.001, 20), died=1)
    frame = pd.concat([early, trial], ignore_index=True)
    weight = np.append(np.zeros(20), np.ones(len(trial)))
    model = DecisionTreeSurvival(criterion="exponential", max_depth=3)
    found = model.fit(frame, ("weeks", "died"), sample_weight=weight).tree_
    expected = model.fit(trial, ("weeks", "died")).tree_
    assert np.array_equal(found.value, expected.value)
    assert np.array_equal(found.risk, expected.risk)


def test_monotone_leaves_without_events_have_a_hazard_above_0(trial: pd.DataFrame) -> None:
    frame = trial.assign(died=trial["died"] * (trial["age"] > 45))
    model = DecisionTreeSurvival(criterion="exponential", monotonic_cst={"age": 1})
    assert model.fit(frame, ("weeks", "died")).tree_.value.min() > 0
    model.set_params(prune="cv").fit(frame, ("weeks", "died"))
    assert np.isfinite(model.pruning_table_["cv_risk"]).all()


def test_regrown_branches_keep_interaction_limits() -> None:
    rng = np.random.default_rng(0)
    age, dose = rng.integers(0, 2, 600) + rng.normal(0, 0.01, 600), rng.normal(size=600)
    time = rng.exponential(np.where(age > 0.5, 9, 1) * np.where(dose > 0, 4, 1))
    frame = pd.DataFrame({"age": age, "dose": dose, "weeks": time, "died": 1})
    model = DecisionTreeSurvival(max_depth=3, interaction_cst=[["age"], ["dose"]])
    tree = model.fit(frame, ("weeks", "died")).tree_
    regrown = model.regrow(1, frame, ("weeks", "died")).tree_
    assert np.array_equal(regrown.splits.column, tree.splits.column)
    assert regrown.value == pytest.approx(tree.value)


@pytest.mark.parametrize("leaf_values", ["share", "honest"])
@pytest.mark.parametrize("criterion", ["logrank", "exponential"])
def test_nodes_have_the_curves_of_their_rows(
    trial: pd.DataFrame, criterion: str, leaf_values: str
) -> None:
    model = DecisionTreeSurvival(
        criterion=criterion, max_depth=3, min_samples_leaf=15, leaf_values=leaf_values
    )
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(trial)).astype(float)
    tree = model.fit(trial, ("weeks", "died"), sample_weight=weight).tree_
    passed = model.decision_path(columns(trial)).toarray().astype(bool)
    time, event = trial["weeks"].to_numpy(), trial["died"].to_numpy()
    if leaf_values == "honest":
        assert tree.weight[0] < weight.sum()
        assert node_curve(tree, 0).n == tree.weight[0]
        return
    for node in range(tree.n_nodes):
        here = passed[:, node]
        expected = SurvivalCurve.from_rows(time[here], event[here], weight[here])
        curve = node_curve(tree, node)
        grid = np.linspace(0, time.max(), 40)
        np.testing.assert_allclose(curve(grid), expected(grid), rtol=1e-12)
        assert curve.time[-1] == time[here].max()
        assert curve.n_events == event[here] @ weight[here]
        # The relative hazard: events over scaled time, shrunk by one event.
        events = float(event[here] @ weight[here])
        assert tree.value[node, 0, 0] * (_scaled(trial, weight)[here] @ weight[here] + 1) == (
            pytest.approx(events + 1)
        )
    censoring = SurvivalCurve.of_censoring(time, event, weight)
    np.testing.assert_allclose(censoring_curve(tree)(grid), censoring(grid), rtol=1e-12)


def _scaled(frame: pd.DataFrame, weight: Any) -> Any:
    from ceiba.table.targets import HazardTarget

    return HazardTarget(frame[["weeks", "died"]].to_numpy(float), weight).time


def test_zero_times_are_learned() -> None:
    frame = {"x": [1, 1, 1, 2, 2, 2], "time": [0, 0, 1, 3, 4, 5], "died": [1, 0, 1, 1, 0, 1]}
    model = DecisionTreeSurvival(criterion="exponential").fit(frame, ("time", "died"))
    risk = model.predict({"x": [1, 2]})
    assert np.isfinite(risk).all()
    assert risk[0] > risk[1]
    assert node_curve(model.tree_, 0)([0.0]).tolist() == pytest.approx([5 / 6])


def test_predictions_come_from_the_leaf(trial: pd.DataFrame) -> None:
    model = DecisionTreeSurvival(max_depth=3).fit(trial, ("weeks", "died"))
    X, leaf = columns(trial), model.apply(columns(trial))
    assert model.predict(X).tolist() == model.tree_.value[leaf, 0, 0].tolist()
    table = model.predict_survival_function(X, return_array=True)
    assert table.shape == (len(trial), len(model.unique_times_))
    function = model.predict_survival_function(X)[5]
    assert function(model.unique_times_).tolist() == table[5].tolist()
    hazard = model.predict_cumulative_hazard_function(X)[5]
    curve = node_curve(model.tree_, int(leaf[5]))
    assert hazard(1.0) == curve.cumulative_hazard(1.0)
    assert model.predict_median(X)[5] == curve.median().value
    assert model.predict_quantiles(X, [0.1, 0.9])[5].tolist() == [
        curve.quantile(0.1).value,
        curve.quantile(0.9).value,
    ]
    for horizon in (None, 2.0):
        end = trial["weeks"].max() if horizon is None else horizon
        mean = model.predict_restricted_mean(X, horizon)[5]
        assert mean == pytest.approx(
            SurvivalCurve.from_rows(trial["weeks"][leaf == leaf[5]], trial["died"][leaf == leaf[5]])
            .restricted_mean(end)
            .value
        )
    risk = model.predict(X)
    expected = concordance(trial["weeks"], trial["died"], risk).value
    assert model.score(trial, ("weeks", "died")) == expected > 0.6


def test_models_survive_every_way_of_saving(trial: pd.DataFrame, tmp_path: Path) -> None:
    model = DecisionTreeSurvival(prune=CostComplexity(keep_unpruned=True), random_state=1)
    model.fit(trial, ("weeks", "died"))
    model.save(tmp_path / "model.ceiba")
    for other in (ceiba.load(tmp_path / "model.ceiba"), pickle.loads(pickle.dumps(model))):
        assert isinstance(other, DecisionTreeSurvival)
        assert other.tree_ == model.tree_
        assert other.unpruned_tree_ == model.unpruned_tree_
        assert other.predict_median(columns(trial)).tolist() == (
            model.predict_median(columns(trial)).tolist()
        )
    smaller = model.reprune(n_leaves=2)
    assert node_curve(smaller.tree_, 1).n == smaller.tree_.weight[1]


@pytest.mark.parametrize("score", ["cost", "brier", "concordance"])
@pytest.mark.parametrize("rule", ["min", *slow(["1se"])])
def test_size_is_chosen_by_cross_validation(trial: pd.DataFrame, score: Any, rule: Any) -> None:
    pruning = CostComplexity(score=score, rule=rule, folds=5)
    model = DecisionTreeSurvival(prune=pruning).fit(trial, ("weeks", "died"))
    table = model.pruning_table_
    risk, chosen = table["cv_risk"], table.chosen_step
    if rule == "min":
        assert risk[chosen] == risk.min()
    else:
        best = int(np.argmin(risk))
        assert risk[chosen] <= risk[best] + table["cv_se"][best]
    assert 2 <= model.get_n_leaves() < 60


def test_held_out_deviance_is_that_of_its_definition(trial: pd.DataFrame) -> None:
    """One fold by hand: the deviance of held-out rows about the hazards of the other rows' tree."""
    ids = np.arange(len(trial)) % 2
    pruning = CostComplexity(folds=ids, keep_unpruned=True)
    model = DecisionTreeSurvival(max_depth=2, min_samples_leaf=20, prune=pruning)
    model.fit(trial, ("weeks", "died"))
    scaled, died = _scaled(trial, None), trial["died"].to_numpy()
    mean = died.sum() / scaled.sum()
    assert mean == pytest.approx(1.0)
    loss = 0.0
    for fold in (0, 1):  # the last step: roots alone
        train, test = ids != fold, ids == fold
        d, t = died[train].sum(), scaled[train].sum()
        hazard = (d + 1) / (t + t / d)
        e, s = died[test], scaled[test]
        loss += float((-np.log(s) * e - e * np.log(hazard) - e + s * hazard).sum())
    assert model.pruning_table_["cv_risk"][-1] == pytest.approx(loss / len(trial))


def test_edits_keep_working(trial: pd.DataFrame) -> None:
    X, y = columns(trial), targets(trial)["array"]
    model = DecisionTreeSurvival(max_depth=2).fit(X, y)
    assert model.regrow(0, X, y).tree_.splits == model.tree_.splits
    by_hand = model.fit_root(X, y).set_split(0, "age <= 50", X, y, levels=0)
    assert by_hand.tree_.n_leaves == 2
    again = model.refit_leaves(X, y).tree_
    np.testing.assert_allclose(again.value, model.tree_.value, rtol=1e-12)
    assert again.attachments == model.tree_.attachments


@pytest.mark.parametrize("y", [("weeks", "died"), "Surv(weeks, died)"])
def test_methods_take_the_names_of_target_columns(trial: pd.DataFrame, y: Any) -> None:
    X, array = columns(trial), targets(trial)["array"]
    model = DecisionTreeSurvival(max_depth=2).fit(X, array)
    half = slice(0, 200)
    assert (
        model.refit_leaves(trial[half], y).tree_ == model.refit_leaves(X[half], array[half]).tree_
    )
    assert model.regrow(0, trial, y).tree_.splits == model.tree_.splits
    assert model.card(test=(trial, y)).to_markdown() == model.card(test=(X, array)).to_markdown()
    named, plain = (
        ceiba.inspection.learning_curve(model, *data, sizes=[100, 200], repeats=2).scores
        for data in ((trial, y), (X, array))
    )
    assert named.tolist() == plain.tolist()
    with pytest.raises(ceiba.TreeError, match="Drift of leaves is not supported for survival"):
        model.drift(trial, y)


@pytest.mark.parametrize("seed", range(4))
def test_significance_finds_the_signal_and_nothing_in_noise(trial: pd.DataFrame, seed: int) -> None:
    model = DecisionTreeSurvival(min_significance=0.01)
    assert model.fit(trial, ("weeks", "died")).get_n_leaves() > 1
    shuffled = trial.copy()
    order = np.random.default_rng([5, seed]).permutation(len(trial))
    shuffled[["weeks", "died"]] = trial[["weeks", "died"]].to_numpy()[order]
    assert model.fit(shuffled, ("weeks", "died")).get_n_leaves() == 1
