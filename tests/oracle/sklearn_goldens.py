"""scikit-learn's goldens: the same parameters, the same tree, as far as scikit-learn itself agrees
over seeds.

Only fields marked in `stable_over_seeds` are compared. scikit-learn compares features in 32-bit
floats, so its thresholds differ from midpoints in the seventh digit. `library` is any module with
the two estimators: the harness is itself tested with `sklearn.tree`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from tests.oracle.load import Golden, read_csv
from tests.oracle.report import Outcome
from tests.oracle.sklearn_ties import tied_cuts

KIND = "scikit-learn"
PART_OF_FIELD = {
    **dict.fromkeys(
        ("n_leaves", "depth", "node_count", "tree_impurity", "root_impurity"), "structure"
    ),
    **dict.fromkeys(("root_feature", "root_threshold", "children_n"), "structure"),
    "importances": "importance",
    "ccp_alphas": "pruning",
    "ccp_impurities": "pruning",
    "train_pred": "routing",
}


def problem(golden: Golden) -> tuple[np.ndarray, np.ndarray]:
    """X and y: the rows of the CSV without missing values."""
    table = read_csv(f"{golden['dataset']}.csv", golden["dataset"])
    columns = [table[name].values for name in golden["features"]]
    target = table[golden["target"]].values
    rows = [row for row in zip(*columns, target, strict=True) if None not in row]
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    return X, np.array([row[-1] for row in rows])


def estimator(golden: Golden, library: ModuleType) -> Any:
    name = "DecisionTreeClassifier" if golden["task"] == "class" else "DecisionTreeRegressor"
    # the seed matters to scikit-learn only, which draws among tied features
    return getattr(library, name)(criterion=golden["criterion"], random_state=0, **golden["params"])


def check(golden: Golden, library: ModuleType) -> Outcome:
    """Fit and compare every stable field."""
    outcome = Outcome(KIND, golden["id"])
    X, y = problem(golden)
    weight = golden.get("sample_weight")
    fitted = estimator(golden, library).fit(X, y, sample_weight=weight)
    path = partial(fitted.cost_complexity_pruning_path, X, y, sample_weight=weight)
    for name, got in figures(golden, fitted, X, path).items():
        if not golden["stable_over_seeds"].get(name, False):
            continue
        part = PART_OF_FIELD[name]
        expected = train_figure(golden) if name == "train_pred" else golden[name]
        if name == "ccp_impurities":
            got, expected = (after_each_alpha(golden["ccp_alphas"], f) for f in (got, expected))
        if same(got, expected, 1e-6 if name == "root_threshold" else 1e-9):
            outcome.parts.setdefault(part, "match")
        else:
            outcome.parts[part] = "differ"
            outcome.differences.append(f"{name} is {shown(got)} instead of {shown(expected)}")
    if outcome.differences:
        excuse_ties(outcome, golden, fitted, X, y)
    return outcome


def excuse_ties(
    outcome: Outcome, golden: Golden, fitted: Any, X: np.ndarray, y: np.ndarray
) -> None:
    """Whole-tree figures say nothing when a cut below the root is exactly tied with another."""
    if golden["task"] == "class":
        y = np.array([golden["classes"].index(label) for label in y])
    weight = golden.get("sample_weight")
    ties = list(tied_cuts(fitted, X, y, weight, golden["criterion"]))
    if ties and not any(text.startswith("root") for text in outcome.differences):
        outcome.notes = ties + outcome.differences
        outcome.differences = []
        outcome.parts = {p: "tied" if v == "differ" else v for p, v in outcome.parts.items()}


def after_each_alpha(alphas: list[float], impurities: Any) -> list[float]:
    """Nodes that collapse at one alpha do so in any order: only what is left then is compared."""
    last = [
        i
        for i in range(len(alphas))
        if i + 1 == len(alphas) or not same(alphas[i], alphas[i + 1], 1e-9)
    ]
    return [impurities[i] for i in last] if len(impurities) == len(alphas) else list(impurities)


def train_figure(golden: Golden) -> list[Any]:
    return golden["train_class"] if golden["task"] == "class" else golden["train_pred"]


def figures(golden: Golden, fitted: Any, X: np.ndarray, path: Callable[[], Any]) -> dict[str, Any]:
    tree = fitted.tree_
    leaf = np.asarray(tree.children_left) < 0
    share = np.asarray(tree.weighted_n_node_samples) / tree.weighted_n_node_samples[0]
    sons = [tree.children_left[0], tree.children_right[0]]
    predicted = fitted.predict(X)
    if golden["task"] == "class":
        predicted = [golden["classes"].index(str(label)) for label in predicted]
    steps = path()
    return {
        "n_leaves": int(leaf.sum()),
        "depth": fitted.get_depth(),
        "node_count": tree.node_count,
        "tree_impurity": float((share * tree.impurity)[leaf].sum()),
        "root_impurity": float(tree.impurity[0]),
        "root_feature": int(tree.feature[0]),
        "root_threshold": float(tree.threshold[0]),
        "children_n": [int(tree.n_node_samples[son]) for son in sons],
        "importances": fitted.feature_importances_,
        "ccp_alphas": steps.ccp_alphas,
        "ccp_impurities": steps.impurities,
        "train_pred": predicted,
    }


def same(got: Any, expected: Any, rtol: float) -> bool:
    a, b = np.atleast_1d(np.asarray(got, float)), np.atleast_1d(np.asarray(expected, float))
    return a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=1e-9)


def shown(value: Any) -> str:
    text = str(np.round(value, 12).tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) < 90 else f"{text[:87]}..."
