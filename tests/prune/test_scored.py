"""The size chosen by other scores than cost equals brute force over folds and steps."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import ceiba
from ceiba.errors import OptionError
from ceiba.prune import CostComplexity
from ceiba.prune.cost_complexity import pruning_sequence
from ceiba.prune.cross_validation.fold_tree import FoldTree, make_scored_fold_tree
from ceiba.prune.cross_validation.folds import read_folds
from ceiba.prune.cross_validation.validate import cross_validate

METRICS = {
    "error": lambda y, p, w: 1 - metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=w),
    "log_loss": lambda y, p, w: metrics.log_loss(
        y, p, sample_weight=w, labels=np.arange(p.shape[1])
    ),
    "brier": lambda y, p, w: metrics.brier_score_loss(
        y, p[:, 1] if p.shape[1] == 2 else p, sample_weight=w,
        **({} if p.shape[1] == 2 else {"labels": np.arange(p.shape[1])})
    ),
}  # fmt: skip


def table(n_classes, weighted, seed=0, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(-0.6, 0.6, n_classes - 1))
    return X, y, rng.integers(1, 4, n).astype(float) if weighted else None


def problem_of(model, X, y, weight):
    return model._read_problem(X, y, weight)[0]


def held_out(problem, sequence, folds):
    """The held-out probabilities at each step, by pruning each fold's tree anew."""
    grid = np.append(sequence.alpha_between, np.inf)
    p = np.zeros((len(grid), problem.n_rows, len(problem.target.info.classes[0])))
    for fold in folds:
        tree = problem.grow(fold.train)
        rows = problem.table.take(fold.test.astype(np.intp))
        for k, alpha in enumerate(grid):
            small = tree.prune(alpha) if np.isfinite(alpha) else tree.collapse(0)
            p[k, fold.test] = small.predict_proba(rows)
    return p


@pytest.mark.parametrize("score", METRICS)
@pytest.mark.parametrize(("n_classes", "weighted"), [(2, False), (2, True), (3, True)])
def test_risk_of_each_step_is_the_metric_of_the_held_out_rows(score, n_classes, weighted):
    X, y, weight = table(n_classes, weighted)
    model = ceiba.DecisionTreeClassifier(min_samples_leaf=3)
    problem = problem_of(model, X, y, weight)
    sequence = pruning_sequence(problem.grow())
    folds = read_folds(4, problem, stratify=True, groups=None, random_state=0, repeat=0)
    cv = cross_validate(sequence, problem, folds=4, score=score, random_state=0)
    p = held_out(problem, sequence, folds)
    expected = [METRICS[score](y, one, weight) for one in p]
    np.testing.assert_allclose(cv.risk, expected, rtol=1e-10)


def test_auc_is_the_mean_of_the_folds():
    X, y, weight = table(2, True, seed=3)
    problem = problem_of(ceiba.DecisionTreeClassifier(min_samples_leaf=3), X, y, weight)
    sequence = pruning_sequence(problem.grow())
    folds = read_folds(5, problem, stratify=True, groups=None, random_state=0, repeat=0)
    cv = cross_validate(sequence, problem, folds=5, score="auc", random_state=0)
    p = held_out(problem, sequence, folds)
    by_fold = np.array([
        [1 - metrics.roc_auc_score(y[f.test], one[f.test, 1], sample_weight=weight[f.test])
         for f in folds]
        for one in p
    ])  # fmt: skip
    np.testing.assert_allclose(cv.risk, by_fold.mean(axis=1), rtol=1e-10)
    np.testing.assert_allclose(cv.se, by_fold.std(axis=1, ddof=1) / np.sqrt(5), rtol=1e-9)


def test_fold_without_both_classes_does_not_count_for_auc():
    X, y, weight = table(2, False, seed=3)
    problem = problem_of(ceiba.DecisionTreeClassifier(min_samples_leaf=3), X, y, weight)
    sequence = pruning_sequence(problem.grow())
    zeros, others = np.flatnonzero(y == 0)[:10], np.arange(len(y))
    number = np.where(np.isin(others, zeros), 0, 1 + others % 3)
    cv = cross_validate(sequence, problem, folds=number, score="auc")
    folds = read_folds(number, problem, stratify=False, groups=None, random_state=0, repeat=0)
    by_fold = np.array([
        [1 - metrics.roc_auc_score(y[f.test], one[f.test, 1]) for f in folds if y[f.test].any()]
        for one in held_out(problem, sequence, folds)
    ])  # fmt: skip
    assert by_fold.shape[1] == 3
    np.testing.assert_allclose(cv.risk, by_fold.mean(axis=1), rtol=1e-10)


@pytest.mark.parametrize("score", ["cost", "log_loss", "auc"])
def test_loss_that_is_not_a_number_is_not_hidden(score, monkeypatch):
    X, y, weight = table(2, False, seed=3)
    problem = problem_of(ceiba.DecisionTreeClassifier(min_samples_leaf=3), X, y, weight)
    sequence = pruning_sequence(problem.grow())
    scored = score != "cost"
    work = type(make_scored_fold_tree(score, problem, np.array([np.inf]))) if scored else FoldTree
    plain = work.sum_losses
    monkeypatch.setattr(work, "sum_losses", lambda *given: tuple(np.nan * s for s in plain(*given)))
    cv = cross_validate(sequence, problem, folds=4, score=score, random_state=0)
    assert np.isnan(cv.risk).all()


def test_log_loss_keeps_leaves_that_error_would_prune():
    rng = np.random.default_rng(0)
    n = 4000
    X = rng.random((n, 3))
    p = 0.05 + 0.3 * X[:, 0] + 0.1 * (X[:, 1] > 0.5)  # nowhere above one half
    y = rng.random(n) < p
    leaves = {
        score: ceiba.DecisionTreeClassifier(
            min_samples_leaf=50, prune=CostComplexity(rule="1se", score=score)
        )
        .fit(X, y)
        .get_n_leaves()
        for score in ("cost", "log_loss", "brier", "auc")
    }
    assert leaves["cost"] == 1
    assert min(leaves["log_loss"], leaves["brier"]) >= 2
    assert leaves["auc"] >= 3


def test_table_names_the_score():
    X, y, _ = table(2, False)
    model = ceiba.DecisionTreeClassifier(prune=CostComplexity(score="brier")).fit(X, y)
    assert "Brier score on held-out rows" in model.pruning_table_.legend
    assert "relative_cv_risk" not in model.pruning_table_


def test_score_under_priors_weighs_classes_by_them():
    X, y, _ = table(2, False, seed=5)
    prior = [0.2, 0.8]
    model = ceiba.DecisionTreeClassifier(min_samples_leaf=3, class_prior=prior)
    problem = problem_of(model, X, y, None)
    sequence = pruning_sequence(problem.grow())
    folds = read_folds(4, problem, stratify=True, groups=None, random_state=0, repeat=0)
    cv = cross_validate(sequence, problem, folds=4, score="log_loss", random_state=0)
    p = held_out(problem, sequence, folds)
    weight = (np.array(prior) / np.bincount(y))[y]
    expected = [metrics.log_loss(y, one, sample_weight=weight) for one in p]
    np.testing.assert_allclose(cv.risk, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "f1"}, "score"),
        ({"score": "auc", "alpha": 0.1}, "requires cross-validation"),
    ],
)
def test_wrong_scores_are_refused(arguments, message):
    X, y, _ = table(2, False)
    with pytest.raises(OptionError, match=message):
        ceiba.DecisionTreeClassifier(prune=CostComplexity(**arguments)).fit(X, y)


def test_scores_that_do_not_fit_the_task_are_refused():
    X, y, _ = table(3, False)
    with pytest.raises(OptionError, match="two classes"):
        ceiba.DecisionTreeClassifier(prune=CostComplexity(score="auc")).fit(X, y)
    with pytest.raises(OptionError, match="not supported for regression"):
        ceiba.DecisionTreeRegressor(prune=CostComplexity(score="brier")).fit(X, y * 1.0)
    with pytest.raises(OptionError, match="fractional"):
        ceiba.DecisionTreeClassifier(missing="fractional", prune=CostComplexity(score="brier")).fit(
            X, y
        )
