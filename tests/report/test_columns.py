"""Columns as people have them, costs, priors, several outputs: the page says what Python says."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import CeibaError
from ceiba.report import payload
from ceiba.table.read_for_predict import read_like
from ceiba.tree.routing.trace import trace
from tests.report.browser import Open

SIZES = ["small", "middling", "large", "huge"]


def frame(n: int, seed: int = 0) -> pd.DataFrame:
    """Ordered levels, dates, times, durations, booleans, with missing values."""
    rng = np.random.default_rng(seed)
    size = rng.integers(0, 4, n)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    columns = {
        "size": pd.Categorical.from_codes(
            np.where(rng.random(n) < 0.1, -1, size), SIZES, ordered=True
        ),
        "day": pd.Series(day).where(rng.random(n) > 0.1),
        "length": pd.to_timedelta(rng.integers(1, 10**6, n), unit="s"),
        "member": rng.random(n) < 0.5,
    }
    return pd.DataFrame(columns)


def number(table: pd.DataFrame, seed: int = 1) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    late = (table["day"] > pd.Timestamp("2024-08-01")).to_numpy()
    return (
        table["size"].cat.codes.to_numpy()
        + 2.0 * late
        + 1.5 * table["member"].to_numpy()
        + table["length"].dt.total_seconds().to_numpy() / 4e5
        + rng.normal(0, 0.4, len(table))
    )


def typed_model() -> Any:
    table = frame(400)
    return ceiba.DecisionTreeRegressor(max_leaf_nodes=24).fit(table, number(table))


def plain(value: Any) -> Any:
    found = value.item()
    missing = math.isnan(found) if isinstance(found, float) else found < 0
    return None if missing else found


@pytest.mark.slow
def test_case_of_ordered_date_duration_boolean_takes_the_way_of_python(open_page: Open) -> None:
    fitted = typed_model()
    tree, rows = fitted.tree_, frame(150, seed=5)
    read = read_like(rows, tree.schema, match="name")
    cases = [[plain(column.values[row]) for column in read.columns] for row in range(150)]
    opened = open_page("typed", fitted, reports={"train": (frame(400), number(frame(400)))})
    said = opened.run(
        """(cases) => {
          const whole = ceibaReport.model.steps.findIndex((s) => s.isFull);
          return cases.map((values) => ceibaReport.predict(values, whole));
        }""",
        cases,
    )
    expected = fitted.predict(rows)
    kinds = {tree.schema.columns[j].display for j in tree.splits.column[tree.splits.kind > 0]}
    assert {"date", "duration", "boolean"} <= kinds
    for row in range(150):
        moves = [(m["node"], m["branch"], m["by"]) for m in said[row]["moves"]]
        assert moves == [(m.node, m.branch, m.by) for m in trace(tree, read, row)]
        assert said[row]["value"][0] == pytest.approx(expected[row], abs=1e-12)
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
    assert opened.errors == []


@pytest.mark.slow
def test_rule_code_of_ordered_date_duration_boolean_selects_the_rows(open_page: Open) -> None:
    fitted, rows = typed_model(), frame(120, seed=6)
    tree = fitted.tree_
    opened = open_page("typed", fitted, reports={})

    def cell(name: str, value: Any) -> Any:
        if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
            return None
        if name == "day":
            return value.to_pydatetime().date() if display["day"] == "date" else value
        return value.to_pytimedelta() if name == "length" else value

    display = {info.name: info.display for info in tree.schema.columns}
    plain_rows = [
        {name: cell(name, rows[name].iloc[k]) for name in rows.columns} for k in range(120)
    ]
    for node in range(tree.n_nodes):
        code = opened.run("(i) => ceibaReport.ruleCode(i, 'python')", node)
        chosen = [
            k
            for k, row in enumerate(plain_rows)
            if eval(code, {"datetime": datetime, "row": row})  # code of this page
        ]
        assert chosen == tree.rows(node, rows).tolist(), code


def test_case_typed_date_and_boolean_give_the_answer_of_predict(open_page: Open) -> None:
    fitted = typed_model()
    opened = open_page("typed", fitted, reports={})
    page, names = opened.page, list(fitted.tree_.schema.names)
    page.click("#tab-case")
    page.click("button.primary")
    page.fill(f"#case{names.index('day')}", "2024-09-15")
    page.select_option(f"#case{names.index('member')}", label="yes")
    page.select_option(f"#case{names.index('size')}", label="large")
    j = names.index("length")
    values = opened.run("() => ceibaReport.state.values")
    row = pd.DataFrame(
        {
            "size": pd.Categorical(["large"], SIZES, ordered=True),
            "day": [pd.Timestamp("2024-09-15")],
            "length": pd.to_timedelta([values[j]], unit="s"),
            "member": [True],
        }
    )
    shown = float(page.inner_text("#case-answer").replace(",", ""))
    assert shown == pytest.approx(fitted.predict(row)[0], rel=1e-3)


def classes(n: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(0, 0.8, n), [-0.4, 0.6])]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("cost", {"cost_matrix": [[0, 1, 5], [2, 0, 1], [9, 1, 0]]}),
        ("prior", {"class_prior": {"a": 0.6, "b": 0.3, "c": 0.1}}),
        (
            "both",
            {
                "cost_matrix": [[0, 1, 5], [2, 0, 1], [9, 1, 0]],
                "class_prior": {"a": 0.6, "b": 0.3, "c": 0.1},
            },
        ),
    ],
)
def test_costs_and_priors_answers_and_figures_are_those_of_python(
    open_page: Open, kind: str, options: dict[str, Any]
) -> None:
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=15, **options).fit(*classes(400, 0))
    X, y = classes(200, 1)
    opened = open_page(f"costs_{kind}", fitted, reports={"test": (X, y)})
    costs = np.array(options.get("cost_matrix", 1 - np.eye(3)), float)
    steps = opened.run("() => ceibaReport.model.steps.map((s) => s.alpha)")
    for k, alpha in enumerate(steps):
        tree = fitted.tree_ if alpha < 0 else fitted.tree_.prune(alpha)
        truth, said = np.searchsorted(["a", "b", "c"], y), tree.predict(X)
        shown = opened.run("(k) => ceibaReport.metricsAt(k, 'test')", k)
        assert shown["error"] == pytest.approx(np.mean(said != y), abs=1e-9)
        paid = costs[truth, np.searchsorted(["a", "b", "c"], said)]
        if "class_prior" in options:
            share = np.bincount(truth) / len(truth)
            paid = paid * (np.array([0.6, 0.3, 0.1]) / share)[truth]
        assert shown["cost"] == pytest.approx(paid.mean(), abs=1e-9)
    if alpha < 0 or k == len(steps) - 1:
        assert shown["cost"] == pytest.approx(fitted.evaluate(X, y).cost, abs=1e-9)
    whole = opened.run(
        """(rows) => {
          const whole = ceibaReport.model.steps.findIndex((s) => s.isFull);
          return rows.map((row) => ceibaReport.predict(row, whole));
        }""",
        X.tolist(),
    )
    assert [["a", "b", "c"][one["answer"]] for one in whole] == fitted.predict(X).tolist()
    probabilities = fitted.predict_proba(X)
    assert np.allclose([one["value"] for one in whole], probabilities, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_outputs_of_classes_each_has_its_page(open_page: Open) -> None:
    X, y = classes(200, 0)
    both = np.column_stack([y, np.where(X[:, 1] > 0, "up", "down")])
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=12).fit(X, both)
    X_test, y_test = classes(100, 1)
    test = (X_test, np.column_stack([y_test, np.where(X_test[:, 1] > 0, "up", "down")]))
    opened = open_page("outputs", fitted, reports={"output": 1, "test": test})
    whole = opened.run("() => ceibaReport.model.steps.findIndex((s) => s.isFull)")
    shown = opened.run("(k) => ceibaReport.metricsAt(k, 'test')", whole)
    wrong = np.mean(fitted.predict(X_test)[:, 1] != test[1][:, 1])
    assert shown["error"] == pytest.approx(wrong, abs=1e-9)
    opened.page.click("#tab-data")
    assert "2 / 2" in opened.page.inner_text("#panel")
    assert opened.errors == []


@pytest.mark.slow
def test_outputs_of_numbers_are_refused() -> None:
    fitted = ceiba.DecisionTreeRegressor().fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(CeibaError, match="Fit one tree per output"):
        payload(fitted.tree_)


@pytest.mark.slow
def test_majority_tie_an_unseen_level_goes_to_the_first_branch(open_page: Open) -> None:
    X = {"city": ["Lima"] * 4 + ["Oslo"] * 4}
    fitted = ceiba.DecisionTreeClassifier().fit(X, ["a"] * 4 + ["b"] * 4)
    assert fitted.tree_.n_rows[1:].tolist() == [4, 4]
    expected = fitted.predict({"city": ["Quito"]})[0]
    assert expected == fitted.tree_.predict({"city": ["Lima"]})[0]
    opened = open_page("tie", fitted, reports={})
    said = opened.run("() => ceibaReport.predict([2])")
    assert ["a", "b"][said["answer"]] == expected
    assert said["moves"][0]["by"] == "unseen"


@pytest.mark.slow
def test_unseen_level_gets_the_answer_of_the_root_where_the_tree_says_so(open_page: Open) -> None:
    X = {"x": [0.0] * 6 + [1.0] * 4, "city": ["Rome"] * 6 + ["Lima", "Lima", "Oslo", "Oslo"]}
    y = ["a"] * 6 + ["b", "b", "c", "c"]
    fitted = ceiba.DecisionTreeClassifier(unseen="default").fit(X, y)
    expected = fitted.predict_one({"x": 1.0, "city": "Quito"})
    assert (expected.answer, expected.leaf) == ("a", 0)
    opened = open_page("unseen_default", fitted, reports={})
    column = list(fitted.tree_.schema.names).index("city")
    case = [3, 1.0] if column == 0 else [1.0, 3]
    said = opened.run(f"() => ceibaReport.predict({case})")
    assert (["a", "b", "c"][said["answer"]], said["leaf"]) == ("a", 0)
    assert opened.errors == []


@pytest.mark.slow
def test_class_tie_the_first_class_is_said(open_page: Open) -> None:
    fitted = ceiba.DecisionTreeClassifier().fit([[1.0], [1.0]], ["b", "a"])
    opened = open_page("class_tie", fitted, reports={})
    said = opened.run("() => ceibaReport.predict([1])")
    assert ["a", "b"][said["answer"]] == fitted.predict([[1.0]])[0] == "a"
