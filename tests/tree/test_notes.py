"""Names, notes and predictions set by hand: kept by every edit and shown wherever the tree is."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.errors import ModelFileError, OptionError, TreeError
from ceiba.tree import check
from ceiba.tree.model_file.document import dumps, loads


@pytest.fixture(scope="module")
def data():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def tree(data):
    return ceiba.DecisionTreeClassifier(max_depth=3).fit(*data).tree_


@pytest.fixture(scope="module")
def noted(tree):
    first = tree.annotate(1, name="small petals", note="see page 7")
    return first.override(4, 2, reason="policy */ <b>")


def test_old_tree_is_not_changed(data):
    tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(*data).tree_
    before = pickle.dumps(tree)
    tree.annotate(0, name="top").override(1, 2)
    assert pickle.dumps(tree) == before


def test_overridden_answer_is_predicted_and_probabilities_stay(data, tree, noted):
    X, _ = data
    leaf = tree.apply(X)
    assert (noted.predict(X)[leaf == 4] == 2).all()
    assert (noted.predict(X)[leaf != 4] == tree.predict(X)[leaf != 4]).all()
    np.testing.assert_array_equal(noted.predict_proba(X), tree.predict_proba(X))
    assert noted.node(4).note.before == 1
    assert check(noted) is None


def test_risk_is_that_of_the_answers_given(data, noted):
    X, y = data
    assert noted.tree_risk == pytest.approx((noted.predict(X) != y).mean())


def test_taking_the_answer_back_gives_the_tree_before(tree, noted):
    back = noted.override(4, None).annotate(1, name="", note="")
    np.testing.assert_allclose(back.risk, tree.risk, atol=1e-15)
    assert replace(back, risk=tree.risk) == tree


def test_regression_answer_is_a_number_with_its_risk():
    X, y = load_diabetes(return_X_y=True)
    tree = ceiba.DecisionTreeRegressor(max_depth=2).fit(X, y).tree_
    leaf = int(tree.leaves[1])
    changed = tree.override(leaf, 100, reason="cap")
    assert set(changed.predict(X)[changed.apply(X) == leaf]) == {100.0}
    assert changed.tree_risk == pytest.approx(((changed.predict(X) - y) ** 2).mean())
    assert changed.override(leaf, 90.0).override(leaf, None).value.tolist() == tree.value.tolist()
    again = changed.refit_leaves(X[:200], y[:200])
    assert again.value[leaf, 0, 0] == 100.0
    assert again.node(leaf).note.before == pytest.approx(
        tree.refit_leaves(X[:200], y[:200]).value[leaf, 0, 0]
    )


def test_notes_go_with_their_nodes(data, noted):
    X, y = data
    collapsed = noted.collapse(2)
    assert collapsed.notes == {1: noted.notes[1]}
    assert noted.collapse(5).notes == noted.notes
    assert noted.prune(0.0).notes[1] == noted.notes[1]
    grown = noted.set_split(1, "sepal length (cm) <= 5", X, y, max_depth=2)
    assert grown.notes[1] == replace(noted.notes[1], answer=None, before=None, reason=None)
    (moved,) = (node for node, note in grown.notes.items() if note.reason == "policy */ <b>")
    assert grown.node(moved).path.sentences() == noted.node(4).path.sentences()
    assert noted.refit_leaves(X, y).notes == noted.notes


def test_file_keeps_notes(noted):
    assert loads(dumps(noted)).tree == noted


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"node": 4', b'"node": 400', "notes"),
        (b'"answer": 2', b'"answer": 7', "not a class"),
        (b'"name": "small petals"', b'"name": 3', "string"),
        (b'"node": 4', b'"node": 1', "twice"),
    ],
)
def test_damaged_notes_are_refused(noted, old, new, message):
    raw = dumps(noted)
    assert old in raw
    with pytest.raises(ModelFileError, match=message):
        loads(raw.replace(old, new))


def test_notes_are_shown_everywhere(data, noted):
    texts = {
        "text": noted.to_text(),
        "rules": noted.rules().to_text(),
        "explain": str(noted.explain(data[0].iloc[[0, 60]])[1]),
        **{
            name: noted.export(name)
            for name in ("rules", "sql", "python", "c", "javascript", "pmml", "json", "dot",
                         "mermaid", "svg")
        },
        "report": noted.report().html,
    }  # fmt: skip
    for name, text in texts.items():
        plain = text.replace("* /", "*/").replace("&lt;", "<").replace("&gt;", ">")
        plain = plain.replace("\\u003c", "<").replace("\\u003e", ">")
        assert "policy" in plain, name
        if name != "explain":
            assert "see page 7" in " ".join(plain.split()) or name in ("svg", "dot"), name


def test_exported_programs_with_notes_still_answer(data, noted):
    X, _ = data
    module: dict = {}
    exec(noted.export("python"), module)
    rows = X.to_dict("records")
    assert [module["predict"](row) for row in rows] == noted.predict(X).tolist()


def test_wrong_notes_are_refused(tree):
    with pytest.raises(TreeError, match="does not exist"):
        tree.annotate(99, name="x")
    with pytest.raises(OptionError, match="must be a string"):
        tree.annotate(0, name=3)
    with pytest.raises(OptionError, match="must be a class, got 9"):
        tree.override(1, 9)
    with pytest.raises(OptionError, match="requires a name"):
        tree.annotate(0)
    with pytest.raises(OptionError, match="reason='x' requires an answer"):
        tree.override(1, None, reason="x")
    fractional = ceiba.DecisionTreeClassifier(missing="fractional").fit([[1], [2]], ["a", "b"])
    with pytest.raises(OptionError, match="fractional"):
        fractional.tree_.override(1, "b")
