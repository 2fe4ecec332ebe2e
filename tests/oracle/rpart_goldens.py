"""rpart's goldens: `ceiba.rpart(...)` on the same rows, judged by the oracle's own `compare`.

The parts: structure (nodes, splits, improve, competitors, risks, probabilities), surrogates,
pruning, importance, routing (training rows and rows with values removed), cross-validation. Where
`predict` and growing differ in rpart itself, the golden says so and training rows are held against
its `predict`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tests.oracle.load import Golden, TableColumn, comparison, frame
from tests.oracle.report import Outcome
from tests.oracle.rpart_candidate import Conversion
from tests.oracle.rpart_problem import Problem

KIND = "rpart"


@dataclass(frozen=True)
class Fitted:
    """What the comparison needs of a fit: the tree's arrays and where rows end."""

    tree: Any
    apply: Callable[[Sequence[TableColumn]], Sequence[int]]
    pruning: dict[str, list[Any]] | None = None
    cptable: dict[str, list[float]] | None = None
    importance: dict[str, float] | None = None
    cv: dict[str, list[float]] | None = None


def fit_ceiba(problem: Problem, library: ModuleType) -> Fitted:
    """Fit the recipe with the golden's settings."""
    golden = problem.golden
    options: dict[str, Any] = dict(golden["control"], xval=0)
    if golden["method"] == "class":
        options["split"] = golden["split"]
        options["prior"] = golden["prior"] if golden["prior_given"] else None
        options["loss"] = golden["loss"] if golden["loss_given"] else None
    if golden["method"] == "poisson":
        options["shrink"] = golden["shrink"]
        options["error"] = golden.get("poisson_error", "deviance")
    if golden.get("cost"):
        options["cost"] = golden["cost"]
    model = library.rpart(golden["method"], **options)
    columns, target, extra = problem.all_rows()
    y = frame([target])[golden["target"]]
    model.fit(frame(columns), y, **extra)
    return Fitted(
        model.tree_,
        lambda columns: model.tree_.apply(frame(list(columns))),
        pruning=exact_pruning(model.tree_),
        cptable=cptable(model),
        importance=dict(model.variable_importance_),
        cv=cross_validation(golden, model, frame(columns), y, extra) if "cv" in golden else None,
    )


def cross_validation(golden: Golden, model: Any, X: Any, y: Any, extra: Any) -> dict[str, Any]:
    """The golden's folds, tried at the golden's values of cp."""
    cv = golden["cv"]
    table = model.cross_validate(X, y, folds=cv["folds"], cp=cv["beta"], **extra)
    names = {"xerror": "relative_cv_risk", "xstd": "relative_cv_se"}
    return {name: table[own].tolist() for name, own in names.items()}


def cptable(model: Any) -> dict[str, list[float]]:
    """The recipe's own table, under rpart's names."""
    table = model.cp_table_
    names = {"CP": "cp", "nsplit": "n_splits", "rel_error": "relative_risk"}
    return {name: table[own].tolist() for name, own in names.items()}


def exact_pruning(tree: Any) -> dict[str, list[Any]] | None:
    """The sequence in the golden's layout: from the root to the tree itself, scaled by the root's
    risk.
    """
    try:
        from ceiba.prune.cost_complexity import pruning_sequence
    except ImportError:
        return None
    # rpart leaves out of R(T) the rows that stay in an inner node
    steps = pruning_sequence(tree, risk="cost", count_stayed=False)
    alpha, leaves, risk = (list(part) for part in (steps.alpha, steps.n_leaves, steps.risk))
    if tree.n_leaves > leaves[0]:  # splits that do not lower the risk are still there
        alpha, leaves, risk = [0.0, *alpha], [tree.n_leaves, *leaves], [risk[0], *risk]
    whole = steps.root_risk or 1.0
    return {
        "nsplit": [int(n) - 1 for n in leaves[::-1]],
        "rel_error": [float(r) / whole for r in risk[::-1]],
        "alpha_at_which_it_collapses": [None, *(float(a) / whole for a in alpha[:0:-1])],
    }


def check(golden: Golden, fit: Callable[[Problem], Fitted]) -> Outcome:
    """Fit, convert, compare, and sort what differs into parts."""
    outcome, problem = Outcome(KIND, golden["id"]), Problem.of(golden)
    fitted = fit(problem)
    conversion = Conversion(golden, fitted.tree, problem.columns, problem.method())
    candidate = conversion.candidate()
    candidate["train_node"] = conversion.numbers_of(fitted.apply(problem.columns))
    candidate["na_rows"] = {"node": conversion.numbers_of(fitted.apply(problem.na_columns()))}
    optional = {
        "exact_pruning": fitted.pruning,
        "cptable": fitted.cptable,
        "variable_importance": fitted.importance,
        "cv": fitted.cv,
    }
    candidate |= {name: value for name, value in optional.items() if value is not None}
    expected = golden
    if "train_node_by_predict" in golden:
        expected = {**golden, "train_node": golden["train_node_by_predict"]}
    outcome.differences, outcome.notes = comparison()(expected, candidate)
    outcome.parts = parts_of(outcome, golden, candidate)
    return outcome


def part_of(difference: str) -> str:
    if "surrogate" in difference:
        return "surrogates"
    starts = {"pruning": "pruning", "cptable": "pruning", "cv": "cross-validation"}
    starts |= {"importance": "importance", "train_node": "routing", "na_rows": "routing"}
    word = difference.replace(":", " ").split()[0]
    return starts.get(word, "structure")


def parts_of(outcome: Outcome, golden: Golden, candidate: dict[str, Any]) -> dict[str, Any]:
    """The verdict on each part; whole-tree figures behind another tied choice are `tied`."""
    given = {
        "structure": True,
        "surrogates": any("surrogates" in node for node in candidate["nodes"]),
        "pruning": "exact_pruning" in candidate,
        "cross-validation": "cv" in candidate,
        "importance": "variable_importance" in candidate,
        "routing": True,
    }
    in_golden = {
        "surrogates": any("surrogates" in node for node in golden["nodes"]),
        "pruning": "exact_pruning" in golden,
        "cross-validation": "cv" in golden,
        "importance": "variable_importance" in golden,
    }
    differing = {part_of(text) for text in outcome.differences}
    cut_short = "whole-tree figures not compared" in outcome.notes
    result: dict[str, Any] = {}
    for part, is_given in given.items():
        if part in differing:
            result[part] = "differ"
        elif not in_golden.get(part, True):
            continue
        elif not is_given:
            result[part] = "not built"
        else:
            whole_tree = part not in ("structure", "surrogates")
            result[part] = "tied" if cut_short and whole_tree else "match"
    return result
