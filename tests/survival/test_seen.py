"""Texts, rules, summaries, plots and pages of survival trees state events and medians."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError, OptionError
from ceiba.report import payload
from ceiba.survival import SurvivalCurve

TARGET = ("weeks", "died")


def structured(frame: dict[str, Any]) -> Any:
    rows = list(zip(frame["died"], frame["weeks"], strict=True))
    return np.array(rows, dtype=[("died", bool), ("weeks", float)])


def curve_of(model: Any, frame: dict[str, Any], node: int) -> SurvivalCurve:
    rows = model.rows(node, frame)
    return SurvivalCurve.from_rows(frame["weeks"][rows], frame["died"][rows])


def test_text_of_tree_states_events_and_median(model: Any, frame: dict[str, Any]) -> None:
    lines = model.to_text(node_ids=True).splitlines()
    for node, line in enumerate(lines):
        curve = curve_of(model, frame, node)
        assert f"n={curve.n:g} " in line
        assert f"events={curve.n_events:g}  median={curve.median().value:.4g}" in line


def test_rules_have_the_median_and_its_interval(model: Any, frame: dict[str, Any]) -> None:
    table = model.rules()
    for row in table:
        curve = curve_of(model, frame, row["leaf"])
        assert (row["median"], row["low"], row["high"]) == pytest.approx(curve.median())
        assert row["events"] == curve.n_events
    assert "then risk" in table.to_text()
    assert "relative risk" in table.legend


def test_rules_of_few_events_say_not_reached() -> None:
    rows = {"x": [1, 2, 3, 7, 8, 9], "t": [1, 2, 3, 5, 6, 7], "e": [1, 1, 1, 1, 0, 0]}
    model = ceiba.DecisionTreeSurvival(max_depth=1, min_samples_leaf=3).fit(rows, ("t", "e"))
    assert "median=not reached" in model.to_text()
    assert "mediana=no alcanzada" in model.to_text(lang="es")
    assert "mediana=não alcançada" in model.rules(lang="pt").to_text()
    sql = model.export("sql")
    assert "THEN NULL" in sql


def test_name_of_a_structured_target_has_the_time_first(frame: dict[str, Any]) -> None:
    X = {"age": frame["age"]}
    model = ceiba.DecisionTreeSurvival(max_depth=1).fit(X, structured(frame))
    assert model.tree_.target.name == "Surv(weeks, died)"


def test_summary_names_task_events_and_median(model: Any) -> None:
    text = str(model.summary())
    assert "survival times" in text
    assert "events" in text
    assert "exponential deviance" in text


def test_plot_tree_draws_the_curves_of_leaves(model: Any) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    plain = len(ceiba.plot.plot_tree(ceiba.tree.build(("x <= 2.5", "a", "b"))).lines)
    ax = ceiba.plot.plot_tree(model)
    assert len(ax.lines) >= plain + 3 * model.tree_.n_leaves
    assert any("dashed: all rows" in text.get_text() for text in ax.texts)
    leaf = int(model.tree_.leaves[0])
    texts = [text.get_text() for text in ax.texts]
    value = f"risk {model.tree_.value[leaf, 0, 0]:.4g}"
    assert value in texts


def test_plot_survival_draws_curves_bands_and_rows_at_risk(
    model: Any, frame: dict[str, Any]
) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    ax = ceiba.plot.plot_survival(model)
    leaves = model.tree_.leaves.tolist()
    assert len(ax.lines) == len(leaves) == len(ax.collections)
    node = max(leaves, key=lambda leaf: model.tree_.value[leaf, 0, 0])
    curve = curve_of(model, frame, node)
    x, y = ax.lines[0].get_data()
    assert np.allclose(curve(x), y)
    assert f"{curve.n:g}" in [text.get_text() for text in ax.texts]
    assert len(ceiba.plot.plot_survival(model, nodes=[0], bands=False).collections) == 0


def test_plot_survival_of_other_trees_is_refused(model: Any) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.raises(CeibaError, match="plot_survival is not supported for classification"):
        ceiba.plot.plot_survival(ceiba.tree.build(("x <= 2.5", "a", "b")))
    with pytest.raises(OptionError, match="nodes must contain 1 to 12"):
        ceiba.plot.plot_survival(model, nodes=[])


def test_payload_has_a_curve_per_node(model: Any, frame: dict[str, Any]) -> None:
    page = payload(model.tree_, train=(frame, TARGET), test=(frame, TARGET))
    for node, entry in enumerate(page["survival"]["nodes"]):
        curve = curve_of(model, frame, node)
        assert entry["events"] == curve.n_events
        assert curve(entry["time"]) == pytest.approx(entry["survival"], abs=1e-5)
        assert entry["median"][0] == pytest.approx(curve.median().value, rel=1e-5)
    assert page["pruning"]["unit"] == "deviance"
    assert page["test"]["n_rows"][0] == 300
    assert payload(ceiba.tree.build(("x <= 2.5", "a", "b")))["survival"] is None


def test_shapley_values_add_up_to_the_relative_risk(model: Any, frame: dict[str, Any]) -> None:
    rows = {name: values[:20] for name, values in frame.items()}
    found = model.shap_values(rows)
    total = found.values.sum(axis=1) + found.base_values
    assert total == pytest.approx(model.predict(rows))


def test_permutation_importance_is_a_loss_of_concordance(model: Any, frame: dict[str, Any]) -> None:
    table = model.importance_table(frame, TARGET, random_state=0)
    loss = dict(zip(table["column"], table["permutation"], strict=True))
    assert loss["noise"] == 0.0  # not in the tree
    assert min(loss["age"], loss["stage"]) > 0.01
    assert "loss of Harrell's C" in table.legend
    assert "heldout_gain" not in table


def test_explanation_ends_in_the_risk_of_the_leaf(model: Any, frame: dict[str, Any]) -> None:
    rows = {name: values[:1] for name, values in frame.items()}
    found = model.explain(rows)
    assert found.answer == model.predict(rows)[0]
    assert "=> risk " in str(found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, f: m.rival_columns(f, TARGET), "rival columns is not supported"),
        (lambda m, f: m.drift(f, structured(f)), "Drift of leaves is not supported"),
        (lambda m, _: m.export("sklearn"), "format='sklearn' is not supported"),
        (lambda m, f: m.studio(f, TARGET), "The studio is not supported"),
        (lambda m, f: ceiba.compare(m, m, f, TARGET), "Auditing a model is not supported"),
        (lambda m, f: ceiba.mimic(m, f), "Auditing a model is not supported"),
    ],
)
def test_unsupported_methods_are_refused_by_name(
    model: Any, frame: dict[str, Any], call: Any, message: str
) -> None:
    with pytest.raises(CeibaError, match=message):
        call(model, frame)
