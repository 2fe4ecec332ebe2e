"""The Trust tab and the contributions of a case: what the page shows is what Python computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError
from ceiba.prune import CostComplexity
from ceiba.report import payload
from ceiba.table.read_for_predict import read_like
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import answer, classes, held_out, model, table, training
from tests.report.test_case import cases_of

CHECKS: dict[str, dict[str, Any]] = {}


def checks(kind: str) -> dict[str, Any]:
    """Make all checks of a model, once."""
    if kind not in CHECKS:
        fitted, (X, y), (Z, z) = model(kind), training(kind), held_out(kind)
        older = {name: values[Z["age"] > 40] for name, values in Z.items()}
        CHECKS[kind] = {
            "train": (X, y),
            "test": (Z, z),
            "stability": fitted.stability(X, y, resamples=12),
            "rivals": fitted.rival_columns(X, y, folds=3),
            "groups": fitted.evaluate(Z, z, by="city"),
            "drift": fitted.drift(older, np.asarray(z)[Z["age"] > 40]),
        }
    return CHECKS[kind]


def percents(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"([\d.]+)%", text)]


# ---------------------------------------------------------------------- Shapley values


def prior_model() -> Any:
    frame = table(500)
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=12, class_prior=[0.8, 0.2])
    return tree.fit(frame, classes(frame, 2))


@pytest.mark.parametrize(
    "kind", ["classes", "fractional", *slow(["regression", "surrogate", "stay", "cv", "prior"])]
)
def test_contributions_in_the_page_equal_those_of_python(open_page: Open, kind: str) -> None:
    fitted = prior_model() if kind == "prior" else model(kind)
    opened = open_page(f"{kind}_shapley", fitted, reports={})
    tree = getattr(fitted, "unpruned_tree_", fitted.tree_)
    frame = table(40, seed=21)
    frame["city"][::9] = "Atlantis"  # a level not seen when fitting
    rows = read_like(frame, tree.schema, match="name")
    steps = opened.run("() => ceibaReport.model.steps.map((s) => s.alpha)")
    cases = cases_of(tree, 40, seed=21)
    city = list(tree.schema.names).index("city")
    for case in cases[::9]:
        case[city] = 4  # one past the last level
    for step in sorted({len(steps) - 1, len(steps) // 2}):
        shown = tree if steps[step] < 0 else tree.prune(steps[step])
        why = shown.shap_values(rows)
        for k in range(shown.value.shape[2] if shown.task == "classification" else 1):
            said = opened.run(
                "([cases, k, step]) => cases.map((v) => ceibaReport.shapley(v, k, step))",
                [cases, k, step],
            )
            values = why.values[..., k] if shown.task == "classification" else why.values
            base = np.atleast_1d(why.base_values)[k]
            assert np.abs(values).max() > 0.01
            np.testing.assert_allclose([one["parts"] for one in said], values, rtol=0, atol=1e-9)
            np.testing.assert_allclose([one["base"] for one in said], base, rtol=0, atol=1e-9)


def test_contributions_of_a_case_are_shown_and_add_up(open_page: Open) -> None:
    opened = open_page("classes")
    opened.start_case()
    lines = opened.page.locator("#case-shares .shap-row").all_inner_texts()
    assert lines[0].startswith("All rows: ")
    assert lines[-1].startswith("This case: ")
    parts = [
        float(found[1].replace("−", "-"))
        for line in lines[1:-1]
        if (found := re.search(r"([+−][\d.]+) points", line))
    ]
    assert len(parts) == len(lines) - 2 > 1
    first, last = percents(lines[0])[0], percents(lines[-1])[0]
    assert first + sum(parts) == pytest.approx(last, abs=0.06 * len(lines))


# ---------------------------------------------------------------------- the tab


@pytest.mark.parametrize("kind", ["cv", *slow(["classes", "regression"])])
def test_tab_shows_every_check_that_was_given(open_page: Open, kind: str) -> None:
    opened = open_page(f"{kind}_trust", model(kind), reports=checks(kind))
    page = opened.page
    page.click("#tab-trust")
    heads = page.locator("#panel h3").all_inner_texts()
    expected = ["stability", "candidate columns for the root", "by group: city", "drift"]
    assert [head.lower() for head in heads] == expected
    found = checks(kind)["stability"]
    said = page.inner_text("#panel .stability-said")
    assert "the 12 resampled trees have" in said
    if kind != "regression":
        assert percents(said)[0] == pytest.approx(100 * found.agreement, abs=0.051)
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")
    assert "⟦" not in page.inner_text("#panel")
    assert opened.errors == []
    assert opened.outside() == []


@pytest.mark.slow
def test_tab_is_absent_without_checks_and_so_is_its_script(open_page: Open) -> None:
    opened = open_page("classes")
    assert opened.page.locator("#tab-trust").count() == 0
    plain, full = (
        model("classes").report(**options).html for options in ({}, {"drift": drifted()})
    )
    assert "trustPanel(){" not in plain
    assert "trustPanel(){" in full


def drifted() -> Any:
    return model("classes").drift(table(50, seed=3))


@pytest.mark.slow
def test_tab_of_one_check_shows_that_alone(open_page: Open) -> None:
    opened = open_page("one_check", model("classes"), reports={"drift": drifted()})
    opened.page.click("#tab-trust")
    assert opened.page.locator("#panel h3").all_inner_texts() == ["DRIFT"]


@pytest.mark.slow
def test_node_says_how_often_its_split_is_chosen_again(open_page: Open) -> None:
    opened = open_page("cv_trust", model("cv"), reports=checks("cv"))
    found = checks("cv")["stability"]
    for row in found.nodes:
        opened.run(
            """(number) => {
              const r = ceibaReport, n = r.model.n;
              for (let i = 0; i < n; i++) if (r.displayNumber(i) === number) return r.reveal(i);
            }""",
            row["node"],
        )
        said = opened.page.inner_text("#panel")
        text = re.search(r"Of 12 resampled trees, (\d+)% .* and (\d+)% also split", said)
        assert text is not None
        assert int(text[1]) == round(100 * row["reached"])
        assert int(text[2]) == round(100 * row["chosen"])


def test_groups_are_drawn_with_figures_of_python(open_page: Open) -> None:
    opened = open_page("cv_trust", model("cv"), reports=checks("cv"))
    opened.page.click("#tab-trust")
    found = checks("cv")["groups"]
    rows = opened.page.locator(".groups .whisker-row").all_inner_texts()
    errors = [row for row in found.figures if row["figure"] == "error"]
    assert len(rows) == len(found.figures["figure"])
    for line, row in zip(rows, errors, strict=False):
        assert line.startswith(row["group"])
        assert percents(line)[0] == pytest.approx(100 * row["value"], abs=0.051)


@pytest.mark.slow
def test_drift_shows_shares_then_and_now_of_python(open_page: Open) -> None:
    opened = open_page("classes_trust", model("classes"), reports=checks("classes"))
    opened.page.click("#tab-trust")
    found = checks("classes")["drift"]
    assert found.flagged
    assert "The change starts at" in opened.page.inner_text("#panel .drift-said")
    lines = opened.page.locator(".both-list").first.locator(".both-line").all_inner_texts()
    rows = sorted(found.branches, key=lambda row: row["branch"])
    assert len(lines) == min(len(rows), 40)
    if len(rows) <= 40:
        for line, row in zip(lines, rows, strict=True):
            then, now = percents(line)[-2:]
            assert then == pytest.approx(100 * row["share then"], abs=0.051)
            assert now == pytest.approx(100 * row["share now"], abs=0.051)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["pt", *slow(["en", "es"])])
def test_tab_knows_its_words_in_every_language(open_page: Open, lang: str) -> None:
    reports = checks("regression") | {"lang": lang}
    opened = open_page(f"trust_{lang}", model("regression"), reports=reports)
    opened.page.click("#tab-trust")
    opened.page.evaluate(
        "() => document.querySelectorAll('details').forEach((d) => (d.open = true))"
    )
    text = opened.page.inner_text("#panel")
    assert "⟦" not in text
    assert "undefined" not in text
    assert "NaN" not in text


# ---------------------------------------------------------------------- what is refused


@pytest.mark.slow
def test_checks_of_another_tree_or_of_no_check_are_refused() -> None:
    frame = table(500)
    other = ceiba.DecisionTreeRegressor(max_depth=2).fit(
        {"noise": frame["noise"], "age": frame["age"]}, answer(frame)
    )
    fitted = model("regression")
    rows = {"noise": frame["noise"], "age": frame["age"]}
    with pytest.raises(
        OptionError, match="stability must be computed with the model of the report"
    ):
        fitted.report(stability=other.stability(rows, answer(frame), resamples=2))
    with pytest.raises(OptionError, match=r"drift must be the result of model\.drift"):
        fitted.report(drift=3)
    with pytest.raises(OptionError, match="stability must be a single result, got 2"):
        fitted.report(stability=[checks("regression")["stability"]] * 2)


@pytest.mark.slow
def test_places_in_the_unpruned_tree_have_the_split_of_the_fitted_one() -> None:
    frame = table(500)
    pruning = CostComplexity(folds=4, rule="1se", keep_unpruned=True)
    y = classes(frame, 2)
    fitted = ceiba.DecisionTreeClassifier(prune=pruning).fit(frame, y)
    own, whole = fitted.tree_, fitted.unpruned_tree_
    assert whole.n_nodes > own.n_nodes
    inner = int(np.flatnonzero(~own.is_leaf)[-1])
    made = payload(
        whole,
        stability=fitted.stability(frame, y, resamples=3),
        rivals=fitted.rival_columns(frame, y, node=inner, folds=2),
    )["trust"]
    for i, w in zip(np.flatnonzero(~own.is_leaf), made["stability"]["nodes"]["node"], strict=True):
        assert own.splits.column[i] == whole.splits.column[w]
        assert own.splits.cut[i] == whole.splits.cut[w] or np.isnan(own.splits.cut[i])
        assert own.n_rows[i] == whole.n_rows[w]
    assert whole.n_rows[made["rivals"][0]["node"]] == own.n_rows[inner]
