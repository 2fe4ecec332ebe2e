"""The scores of evaluate() are those of sklearn.metrics."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import ceiba
from ceiba.errors import OptionError
from ceiba.inspection.probability_scores import probability_scores


def random_case(seed):
    """Probabilities of a few leaves, random truth, weights that may be 0."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(8, 120)), int(rng.choice([2, 2, 2, 3, 5]))
    leaves = rng.dirichlet(np.ones(n_classes), size=int(rng.integers(2, 9)))
    if rng.random() < 0.5:  # pure leaves: probabilities 0 and 1
        leaves[0] = np.eye(n_classes)[rng.integers(n_classes)]
    probability = leaves[rng.integers(len(leaves), size=n)]
    truth = rng.integers(n_classes, size=n)
    truth[:n_classes] = np.arange(n_classes)
    weight = [None, rng.integers(0, 4, n).astype(float), rng.exponential(size=n)][seed % 3]
    if weight is not None:
        weight[:n_classes] = 1.0
    return truth, probability, weight


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_scores_equal_those_of_scikit_learn_on_random_weighted_cases(first):
    for seed in range(first, first + 50):
        truth, p, weight = random_case(seed)
        n_classes = p.shape[1]
        names = [f"c{k}" for k in range(n_classes)]
        labels = list(range(n_classes))
        scores = probability_scores(truth, p, names, weight=weight)
        loss = metrics.log_loss(truth, p, sample_weight=weight, labels=labels)
        assert scores.log_loss == pytest.approx(loss, rel=1e-12)
        for k in [1] if n_classes == 2 else labels:
            own = probability_scores(truth, p, names, weight=weight, positive=names[k])
            auc = metrics.roc_auc_score(truth == k, p[:, k], sample_weight=weight)
            area = metrics.average_precision_score(truth == k, p[:, k], sample_weight=weight)
            assert own.auc == pytest.approx(auc, rel=1e-12)
            assert own.average_precision == pytest.approx(area, rel=1e-12)
            false, true, _ = metrics.roc_curve(
                truth == k, p[:, k], sample_weight=weight, drop_intermediate=False
            )
            assert own.ks == pytest.approx(np.abs(true - false).max(), rel=1e-12)
        if n_classes == 2:
            brier = metrics.brier_score_loss(truth, p[:, 1], sample_weight=weight)
        else:
            brier = metrics.brier_score_loss(truth, p, sample_weight=weight, labels=labels)
            if weight is None:
                auc = metrics.roc_auc_score(truth, p, multi_class="ovr", labels=labels)
                assert scores.auc == pytest.approx(auc, rel=1e-12)
        assert scores.brier == pytest.approx(brier, rel=1e-12)


@pytest.fixture(scope="module")
def credit():
    rng = np.random.default_rng(0)
    n = 600
    frame = {"age": rng.normal(size=n), "debt": rng.normal(size=n), "w": rng.exponential(size=n)}
    bad = frame["debt"] - frame["age"] + rng.normal(size=n) > 1
    frame["risk"] = np.where(bad, "bad", "good")
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(frame, "risk", sample_weight="w")
    return frame, model


def test_evaluate_scores_the_positive_class(credit):
    frame, model = credit
    X = {name: frame[name] for name in ("age", "debt")}
    p = model.predict_proba(X)
    for at, label in enumerate(["bad", "good"]):
        found = model.evaluate(frame, "risk", "w", positive=label).scores
        truth = frame["risk"] == label
        auc = metrics.roc_auc_score(truth, p[:, at], sample_weight=frame["w"])
        assert found.auc == pytest.approx(auc)
    assert model.evaluate(X, frame["risk"]).scores.positive == "good"
    assert model.tree_.evaluate(X, frame["risk"]).scores.positive == "good"


def test_gains_cumulate_to_all_rows_and_all_positives(credit):
    frame, model = credit
    gains = model.evaluate(frame, "risk", "w", positive="bad").scores.gains
    bad = frame["risk"] == "bad"
    assert gains["rows"].sum() == pytest.approx(frame["w"].sum())
    assert gains["positives"].sum() == pytest.approx(frame["w"][bad].sum())
    assert (gains["rows so far"][-1], gains["gain"][-1]) == (pytest.approx(1), pytest.approx(1))
    assert gains["lift so far"][-1] == pytest.approx(1)
    assert (np.diff(gains["from"]) < 0).all()
    p = model.predict_proba({name: frame[name] for name in ("age", "debt")})[:, 0]
    top = p >= gains["from"][0]
    expected = np.average(bad[top], weights=frame["w"][top])
    assert gains["rate"][0] == pytest.approx(expected)
    assert gains["lift"][0] == pytest.approx(expected / np.average(bad, weights=frame["w"]))


def test_many_scores_are_put_into_ten_bands():
    rng = np.random.default_rng(1)
    p = rng.random(1000)
    truth = (rng.random(1000) < p).astype(int)
    gains = probability_scores(truth, np.stack([1 - p, p], axis=1), ["a", "b"]).gains
    assert len(gains) == 10
    assert np.allclose(gains["rows"], 100)


def test_class_that_is_none_and_numbers_are_refused(credit):
    frame, model = credit
    with pytest.raises(OptionError, match="'baad' is not a class.*bad"):
        model.evaluate(frame, "risk", "w", positive="baad")
    regressor = ceiba.DecisionTreeRegressor().fit({"x": [1, 2]}, [1.0, 2.0])
    with pytest.raises(OptionError, match="about classes"):
        regressor.evaluate({"x": [1, 2]}, [1.0, 2.0], positive=1.0)


def test_class_that_the_model_lacks_is_scored_as_impossible():
    model = ceiba.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    scores = model.evaluate([[1], [2], [2]], ["a", "b", "c"]).scores
    assert scores.log_loss == pytest.approx(-np.log(np.finfo(float).eps) / 3, rel=1e-6)
    assert scores.brier == pytest.approx(2 / 3)


def test_one_kind_only_has_no_auc():
    model = ceiba.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    scores = model.evaluate([[1], [2]], ["a", "a"]).scores
    assert np.isnan(scores.auc)
    assert np.isnan(scores.ks)
