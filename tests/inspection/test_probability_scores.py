"""The scores of evaluate() are those of sklearn.metrics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import ceiba
from ceiba.errors import DataError, DataWarning, OptionError
from ceiba.inspection.intervals import wilson
from ceiba.inspection.probability_scores import probability_scores
from tests.marks import slow


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


@pytest.mark.parametrize("first", [0, *slow(range(50, 500, 50))])
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
    with pytest.raises(OptionError, match="must be a class, got 'baad'.*bad"):
        model.evaluate(frame, "risk", "w", positive="baad")
    regressor = ceiba.DecisionTreeRegressor().fit({"x": [1, 2]}, [1.0, 2.0])
    with pytest.raises(OptionError, match="not supported for regression"):
        regressor.evaluate({"x": [1, 2]}, [1.0, 2.0], positive=1.0)


def test_class_that_the_model_lacks_is_scored_as_impossible():
    model = ceiba.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    with pytest.warns(DataWarning, match=r"in 1 row of 3.*'c' \(1 row\).*'a', 'b'"):
        scores = model.evaluate([[1], [2], [2]], ["a", "b", "c"]).scores
    assert scores.log_loss == pytest.approx(-np.log(np.finfo(float).eps) / 3, rel=1e-6)
    assert scores.brier == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("known", "seen", "hint"),
    [
        ("aabb", "AABB", "Did you mean 'a' for 'A'?"),
        (["<=50K", ">50K"], ["<=50K.", ">50K."], "Did you mean '>50K' for '>50K.'?"),
        ([1, 0], ["1", "0"], "Did you mean 1 (int) for '1'?"),
        (["1", "0"], [1, 0], "Did you mean '1' (str) for 1?"),
        ("ab", "xy", "got only 'x' (1 row), 'y' (1 row). Classes of the model: 'a', 'b'."),
    ],
)
def test_labels_of_which_none_is_known_are_refused(known, seen, hint):
    X = np.arange(len(known), dtype=float)[:, None]
    model = ceiba.DecisionTreeClassifier().fit(X, list(known))
    with pytest.raises(DataError, match="y must contain at least one class of the model") as caught:
        model.evaluate(X, list(seen))
    assert hint in str(caught.value)


def test_one_kind_only_has_no_auc():
    model = ceiba.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    scores = model.evaluate([[1], [2]], ["a", "a"]).scores
    assert np.isnan(scores.auc)
    assert np.isnan(scores.ks)


# ---------------------------------------------------------------------- intervals


def test_interval_of_the_auc_is_that_of_delong_and_of_repeated_rows():
    """Against pairs of rows, one by one; without skewness the interval is Student's."""
    rng = np.random.default_rng(3)
    truth, score = rng.integers(0, 2, 80), rng.integers(0, 6, 80) / 5
    p = np.stack([1 - score, score], 1)
    found = probability_scores(truth, p, ["a", "b"])
    wins = np.array(
        [[(s > r) + 0.5 * (s == r) for r in score[truth == 0]] for s in score[truth == 1]]
    )
    each = [wins.mean(axis=axis) - wins.mean() for axis in (0, 1)]
    spread = np.sqrt(sum((part**2).sum() / len(part) ** 2 for part in each))
    fewest = min(map(len, each))
    k = sum(((part / len(part) / spread) ** 3).sum() for part in each)
    low, high = found.auc_interval
    for bound, t in ((low, 1), (high, -1)):
        x = (wins.mean() - bound) / spread / np.sqrt(fewest / (fewest - 1))
        far = 1 + 1.5 * k**2 if t * k < 0 else 1.0
        cubic = x + k * x**2 / 3 + k**2 * x**3 / 27 + k / 6
        assert cubic == pytest.approx(t * far * stats.t.ppf(0.975, fewest - 1))
    often = rng.integers(1, 4, 80)
    again = probability_scores(np.repeat(truth, often), np.repeat(p, often, axis=0), ["a", "b"])
    counted = probability_scores(truth, p, ["a", "b"], weight=often * 1.0, frequency_weights=True)
    for name in ("auc_interval", "brier_interval", "log_loss_interval"):
        assert getattr(counted, name) == pytest.approx(getattr(again, name)), name


def test_surprised_rows_without_weight_change_no_figure():
    p = np.array([[1.0, 0.0], [0.3, 0.7], [0.6, 0.4], [1.0, 0.0]])
    truth, weight = np.array([0, 1, 1, 1]), np.array([1.0, 2.0, 1.0, 0.0])
    scores = probability_scores(truth, p, ["a", "b"], weight=weight)
    rest = probability_scores(truth[:3], p[:3], ["a", "b"], weight=weight[:3])
    for name in ("brier_interval", "log_loss_interval"):
        assert getattr(scores, name) == pytest.approx(getattr(rest, name))


def test_perfect_scores_are_not_certain():
    truth = np.arange(60) % 3
    scores = probability_scores(truth, np.eye(3)[truth], list("abc"))
    assert scores.auc == 1
    assert scores.auc_interval[0] == pytest.approx(wilson(1.0, 20)[0])
    assert scores.brier_interval == pytest.approx((0, 2 * wilson(0.0, 60)[1]))
    assert scores.log_loss_interval[1] == pytest.approx(36.04 * wilson(0.0, 60)[1], rel=1e-3)
    assert scores.approximate
    assert "approximate 95 % intervals" in str(scores)


LEAVES = {  # share of rows, true probabilities, probabilities that the tree states
    "two classes": ([0.3, 0.2, 0.2, 0.3], [0.1, 0.3, 0.6, 0.9], None),
    "well separated": ([0.45, 0.1, 0.05, 0.4], [0.03, 0.3, 0.7, 0.96], None),
    "rare class": ([0.7, 0.2, 0.1], [0.02, 0.1, 0.4], None),
    "pure leaves": ([0.5, 0.2, 0.3], [0.02, 0.5, 0.98], [0.0, 0.5, 1.0]),
    "three classes": (
        [0.3, 0.2, 0.25, 0.25],
        [[0.8, 0.1, 0.1], [0.4, 0.3, 0.3], [0.1, 0.7, 0.2], [0.05, 0.15, 0.8]],
        None,
    ),
}


def score_coverage(name, n, weighted, runs):
    """Coverage of the three intervals, and the share of runs that call them approximate."""
    share, true, stated = (None if v is None else np.asarray(v) for v in LEAVES[name])
    true, stated = (
        v if v.ndim == 2 else np.stack([1 - v, v], 1)
        for v in (true, true if stated is None else stated)
    )
    n_classes = true.shape[1]
    kinds = [1] if n_classes == 2 else range(n_classes)
    # The figures of endless rows: one row per leaf and class, weighted.
    leaf, label = (v.ravel() for v in np.indices(true.shape))
    whole = probability_scores(
        label, stated[leaf], list(kinds) if n_classes > 2 else [0, 1],
        weight=(share[:, None] * true).ravel(),
    )  # fmt: skip
    rng, held, called = np.random.default_rng(n), [], []
    for _ in range(runs):
        leaf = rng.choice(len(share), n, p=share)
        label = (rng.random(n)[:, None] > np.cumsum(true, 1)[leaf]).sum(axis=1)
        weight = rng.exponential(size=n) if weighted else None
        found = probability_scores(label, stated[leaf], list(range(n_classes)), weight=weight)
        held.append(
            [
                low <= getattr(whole, figure) <= high
                for figure in ("auc", "brier", "log_loss")
                for low, high in [getattr(found, f"{figure}_interval")]
            ]
        )
        called.append(found.approximate)
    return np.mean(held, axis=0), float(np.mean(called))


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("n", [200, 800])
def test_intervals_of_scores_cover_92_to_98(name, n, weighted):
    rates, called = score_coverage(name, n, weighted, 3000)
    shown = ", ".join(f"{100 * rate:.1f}" for rate in rates)
    print(f"| {name}{', weighted' * weighted} | {n} | {shown} % | {called:.0%} approximate |")
    if called < 0.1:
        assert 0.90 <= rates.min() <= rates.max() <= 0.985


def test_intervals_of_scores_cover_in_a_short_run():
    rates, _ = score_coverage("three classes", 200, True, 300)
    assert rates.min() >= 0.92
