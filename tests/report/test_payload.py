"""The payload: plain, complete, versioned; the page: escaped, self-contained, small."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError
from ceiba.report import payload, report
from ceiba.report.nodes import exact_floats, rounded_floats
from ceiba.report.page import COMPRESS_ABOVE, ENTRY_WITH_TRUST, STYLES, list_modules, render_page
from ceiba.words import words
from tests.report.checkers import (
    classes_unused,
    words_asked,
    words_unused,
)
from tests.report.models import HOSTILE, held_out, model

ROOT = Path(ceiba.__file__).parent
KINDS = ["classes", "regression", "surrogate", "fractional", "cv", "intervals"]


@pytest.mark.parametrize("kind", KINDS)
def test_payload_of_each_model_is_plain_json(kind: str) -> None:
    made = payload(model(kind).tree_, test=held_out(kind))
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_payload_counts_of_test_rows_are_those_of_recount() -> None:
    fitted, (X, y) = model("classes"), held_out("classes")
    made = payload(fitted.tree_, test=(X, y))
    counts = fitted.tree_.refit_leaves(X, y).counts[:, 0].ravel()
    assert made["test"]["counts"] == counts.astype(int).tolist()


def test_payload_of_a_tree_alone_has_no_test_and_no_quantiles() -> None:
    made = payload(ceiba.tree.build(("x <= 2.5", "a", "b")))
    assert made["test"] is None
    assert made["columns"]["quantiles"] == [None]


def test_payload_of_one_output_of_several_is_that_output() -> None:
    X = [[1.0], [2.0], [3.0], [4.0]]
    fitted = ceiba.DecisionTreeClassifier().fit(X, [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]])
    assert payload(fitted.tree_, output=1)["classes"] == ["x", "y"]


@pytest.mark.parametrize("options", [{"lang": "xx"}, {"output": 3}])
def test_payload_wrong_option_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(CeibaError):
        payload(ceiba.tree.build(("x <= 2.5", "a", "b")), **options)


def test_exact_floats_come_back_to_the_bit() -> None:
    values = np.random.default_rng(0).normal(size=200) * 10.0 ** np.arange(-100, 100)
    assert np.array_equal(np.array(json.loads(json.dumps(exact_floats(values))), float), values)


def test_shown_floats_are_near_and_short() -> None:
    assert rounded_floats([1 / 3, 1e-12 / 3, 0.0, -2e9 / 3]) == [
        0.3333333,
        3.333333e-13,
        0,
        -666666700,
    ]


def test_page_hostile_names_do_not_end_the_script() -> None:
    columns = {name: [float(k), 1.0, 2.0] for k, name in enumerate(HOSTILE)}
    fitted = ceiba.DecisionTreeClassifier().fit(columns, ["a", HOSTILE[0], "b"])
    html = fitted.report(title=HOSTILE[0]).html
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<img" not in html


def test_page_policy_allows_nothing_but_its_own_code() -> None:
    html = render_page(payload(ceiba.tree.build(("x <= 2.5", "a", "b"))))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert "http:" not in html.replace("http://www.w3.org", "")
    assert "https:" not in html


def test_page_large_payload_is_packed() -> None:
    made = payload(ceiba.tree.build(("x <= 2.5", "a", "b")))
    made["parameters"] = {"filler": "x" * (COMPRESS_ABOVE + 1)}
    html = render_page(made)
    assert 'data-encoding="deflate"' in html
    assert len(html) < COMPRESS_ABOVE + 60_000


def test_page_of_iris_keeps_within_its_budget() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    fitted = ceiba.DecisionTreeClassifier(prune="1se").fit(X, y)
    assert len(fitted.report(train=(X, y), test=(X, y)).html.encode()) <= 300 * 1024


KEYS = {*words("en").section("page"), *words("en").section("trust")}


def scripts(paths: Iterable[str] = list_modules(ENTRY_WITH_TRUST)) -> str:
    return "\n".join((ROOT / path).read_text("utf-8") for path in paths)


def test_words_every_key_used_by_the_scripts_is_known() -> None:
    assert words_asked(scripts()) - KEYS == set()


BUILT = (
    *("cells_", "g_", "kind_", "m_", "proof_", "rule_missing_", "rule_unseen_", "tab_", "unit_"),
    *("unseen_", "lift_", "stake_"),
)


def test_words_and_style_classes_are_all_used_by_the_scripts() -> None:
    code = scripts()
    tasks = {"classification", "regression", "survival"}  # by the name that the payload gives
    assert words_unused(KEYS - tasks, code, BUILT) == set()
    for path in STYLES:
        assert classes_unused(scripts([path]), code) == set(), path


def test_report_is_written_whole_and_remembers_its_path(tmp_path: Path) -> None:
    made = report(ceiba.tree.build(("x <= 2.5", "a", "b")), tmp_path / "small.html")
    assert made.path is not None
    assert made.path.read_text("utf-8") == made.html
    assert [path.name for path in tmp_path.iterdir()] == ["small.html"]


def test_report_in_a_notebook_is_a_sandboxed_frame() -> None:
    shown_there = ceiba.tree.build(("x <= 2.5", "a", "b")).report()._repr_html_()
    assert shown_there.startswith("<iframe srcdoc=")
    assert "allow-same-origin" not in shown_there


def test_report_of_a_model_with_the_unpruned_tree_starts_at_the_choice() -> None:
    fitted = model("cv")
    text = fitted.report().html
    data = re.search(r'data-encoding="json">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    made = json.loads(data[1])
    assert len(made["nodes"]["parent"]) == fitted.unpruned_tree_.n_nodes
    assert made["pruning"]["start"] == fitted.alpha_
    assert made["pruning"]["cv_risk"] == pytest.approx(fitted.pruning_table_["cv_risk"].tolist())
