"""What can be done with a fitted tree can be done with its estimator, by the same methods."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba.errors import OptionError
from ceiba.tree import Attachment
from ceiba.tree.derived import SklearnAttributes
from ceiba.tree.methods import TreeMethods

mpl.use("Agg")
X, Y = load_iris(return_X_y=True, as_frame=True)
ROW = X.iloc[70].to_dict()
MODEL = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, Y)
PAIRS = Attachment(2 * np.arange(MODEL.tree_.n_nodes + 1), np.arange(2.0 * MODEL.tree_.n_nodes))
MODEL = MODEL._with_tree(replace(MODEL.tree_, attachments={"quantiles": PAIRS}))
GROW = {"max_depth": 3}  # a bare tree does not remember its stopping rules

READ: dict[str, Callable[[Any], Any]] = {
    "to_text": lambda m: m.to_text(),
    "to_svg": lambda m: m.to_svg(),
    "plot": lambda m: [text.get_text() for text in m.plot().texts],
    "path": lambda m: str(m.path(4)),
    "rules": lambda m: str(m.rules()),
    "formula": lambda m: str(m.formula(1)),
    "summary": lambda m: str(m.summary()),
    "importance": lambda m: m.importance().tolist(),
    "importance_table": lambda m: str(m.importance_table(X, Y)),
    "split_tests": lambda m: str(m.split_tests()),
    "expected_costs": lambda m: str(m.expected_costs(2)),
    "weakest_links": lambda m: str(m.weakest_links()),
    "pruning_sequence": lambda m: str(m.pruning_sequence()),
    "routing": lambda m: str(m.routing()),
    "predict_one": lambda m: m.predict_one(ROW),
    "explain": lambda m: str(m.explain(ROW)),
    "evaluate": lambda m: str(m.evaluate(X, Y)),
    "predict_quantiles": lambda m: m.predict_quantiles(X).tolist(),
    "rows": lambda m: m.rows(2, X).tolist(),
    "sample": lambda m: m.sample(9)[1].tolist(),
    "shap_values": lambda m: m.shap_values(X).values.tolist(),
    "counterfactual": lambda m: str(m.counterfactual(ROW)),
    "reasons": lambda m: str(m.reasons(X.iloc[70:75])),
    "card": lambda m: str(m.card(test=(X, Y)).sections["Calibration"]),
    "drift": lambda m: str(m.drift(X, Y)),
    "export": lambda m: m.export("sql"),
    "to_sklearn": lambda m: m.to_sklearn().predict(X).tolist(),
    "input_schema": lambda m: m.input_schema(),
}
#: Trees that other trees and models are made of: the options are those of the bare tree.
EDITS: dict[str, Callable[..., Any]] = {
    "collapse": lambda m, **_: m.collapse(2),
    "set_split": lambda m, **how: m.set_split(0, "petal width (cm) <= 1", X, Y, **how),
    "regrow": lambda m, **how: m.collapse(2).regrow(2, X, Y, **how),
    "grow_leaves": lambda m, **how: m.collapse(2).grow_leaves(0, X, Y, levels=1, **how),
    "copy_splits": lambda m, **how: m.collapse(6).copy_splits(3, 6, X, Y, **how),
    "refit_leaves": lambda m, **_: m.refit_leaves(X[:90], Y[:90]),
    "annotate": lambda m, **_: m.annotate(1, name="small"),
    "override": lambda m, **_: m.override(1, 2, "because"),
    "forbid": lambda m, **_: m.forbid(0, "petal width (cm)"),
    "prefer": lambda m, **_: m.prefer(0, "petal width (cm)"),
    "seal": lambda m, **_: m.seal(2),
}
ELSEWHERE = {"show", "report", "save", "studio", "stability", "rival_columns"}


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_every_shared_method_is_compared_below() -> None:
    assert public(TreeMethods) == {*READ, *EDITS, *ELSEWHERE}


@pytest.mark.parametrize("name", READ)
def test_method_of_a_model_returns_what_that_of_its_tree_returns(name: str) -> None:
    assert READ[name](MODEL) == READ[name](MODEL.tree_)


@pytest.mark.parametrize("name", EDITS)
def test_edit_of_a_model_makes_a_model_around_the_edited_tree(name: str) -> None:
    before = MODEL.tree_
    edited = EDITS[name](MODEL)
    assert isinstance(edited, ceiba.DecisionTreeClassifier)
    assert edited is not MODEL
    assert MODEL.tree_ is before
    assert edited.tree_ == EDITS[name](before, **GROW)
    assert edited.tree_ != before or name in ("regrow", "grow_leaves")


def test_trials_of_a_model_equal_those_of_its_tree(capsys: pytest.CaptureFixture[str]) -> None:
    for one, how in ((MODEL, {}), (MODEL.tree_, GROW)):
        one.show()
        print(one.stability(X, Y, resamples=5, **how))
        print(one.rival_columns(X, Y, folds=3, **how))
        print("</html>" in one.report().html)
        print("----")
    of_model, of_tree, _ = capsys.readouterr().out.split("----\n")
    assert of_model == of_tree


def test_saved_model_is_a_model_and_a_saved_tree_is_a_tree() -> None:
    for one in (MODEL, MODEL.tree_):
        file = io.BytesIO()
        one.save(file)
        again = ceiba.load(file.getvalue())
        assert type(again) is type(one)
        assert np.array_equal(again.predict(X), one.predict(X))


def test_options_of_growing_given_to_a_model_are_refused() -> None:
    with pytest.raises(OptionError, match="Unexpected arguments: max_depth"):
        MODEL.regrow(2, X, Y, max_depth=9)


def test_methods_are_plain_python_with_a_runnable_example() -> None:
    for name in public(TreeMethods):
        method = inspect.getattr_static(TreeMethods, name)
        assert inspect.isfunction(method), name
        assert ">>> " in (method.__doc__ or ""), name


def test_tree_has_at_most_60_public_attributes_of_its_own_after_use() -> None:
    tree = ceiba.DecisionTreeClassifier().fit(X, Y).tree_
    for name in public(type(tree)):
        getattr(tree, name)
    theirs = {name for name in vars(SklearnAttributes) if not name.startswith("_")}
    theirs |= {"value", "impurity", "n_leaves", "n_outputs", "predict", "apply", "decision_path"}
    own = {name for name in dir(tree) if not name.startswith("_")} - public(TreeMethods) - theirs
    assert len(own) <= 60, sorted(own)
    assert own.isdisjoint({"later", "stand_ins", "part_ending", "link_table", "certified"})
