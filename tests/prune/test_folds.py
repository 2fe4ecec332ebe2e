"""Folds: by number, by id, by splitter, by pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    TimeSeriesSplit,
)

from ceiba import _core
from ceiba.errors import OptionError
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune.cross_validation.folds import read_folds
from ceiba.table import read, read_target
from tests.prune.tables import problem


@pytest.fixture(scope="module")
def data():
    return problem({"max_depth": 2})


def ids_of(folds, n=120):
    ids = np.full(n, -1)
    for v, fold in enumerate(folds):
        assert (ids[fold.test] == -1).all()
        ids[fold.test] = v
    return ids


def test_number_of_folds_deals_out_every_row_once(data):
    folds = read_folds(7, data)
    ids = ids_of(folds)
    assert (ids >= 0).all()
    sizes = np.bincount(ids)
    assert sizes.max() - sizes.min() <= 1
    for fold in folds:
        assert sorted([*fold.train.tolist(), *fold.test.tolist()]) == list(range(120))


def test_classes_are_spread_evenly(data):
    ids = ids_of(read_folds(5, data))
    for k in range(3):
        counts = np.bincount(ids[data.target.values[:, 0] == k], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_without_stratification_rows_are_dealt_out_regardless_of_class(data):
    assert (
        ids_of(read_folds(5, data, stratify=False)).tolist() != ids_of(read_folds(5, data)).tolist()
    )


def test_no_random_state_is_seed_0(data):
    a, b = ids_of(read_folds(5, data)), ids_of(read_folds(5, data, random_state=0))
    assert a.tolist() == b.tolist()
    assert a.tolist() != ids_of(read_folds(5, data, random_state=1)).tolist()


def test_repeats_differ(data):
    a, b = (ids_of(read_folds(5, data, repeat=r)) for r in (0, 1))
    assert a.tolist() != b.tolist()


def test_generator_draws_new_folds_each_time(data):
    rng = np.random.RandomState(0)
    a, b = (ids_of(read_folds(5, data, random_state=rng)) for _ in range(2))
    assert a.tolist() != b.tolist()


def test_groups_stay_together_and_sizes_are_near(data):
    groups = np.repeat(np.arange(30), 4)
    ids = ids_of(read_folds(5, data, groups=groups))
    assert all(len(set(ids[groups == g])) == 1 for g in range(30))
    assert np.bincount(ids).tolist() == [24] * 5


def test_labels_of_any_kind_are_fold_ids(data):
    labels = np.array(["p", "q", "r"])[np.arange(120) % 3]
    assert ids_of(read_folds(labels, data)).tolist() == (np.arange(120) % 3).tolist()
    assert ids_of(read_folds(list(labels), data)).tolist() == (np.arange(120) % 3).tolist()


@pytest.mark.parametrize("name", ["leave-one-out", "loo"])
def test_leave_one_out_holds_out_each_row(data, name):
    assert [fold.test.tolist() for fold in read_folds(name, data)] == [[i] for i in range(120)]


def test_leave_one_group_out_with_groups(data):
    folds = read_folds("leave-one-out", data, groups=np.arange(120) % 4)
    assert len(folds) == 4


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(4, shuffle=True, random_state=1),
        StratifiedKFold(3),
        LeaveOneOut(),
        TimeSeriesSplit(4),
        GroupKFold(3),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_splitters_of_scikit_learn_are_followed(data, splitter):
    groups = np.arange(120) // 10 if isinstance(splitter, GroupKFold) else None
    expected = list(splitter.split(np.zeros((120, 1)), data.target.values[:, 0], groups))
    folds = read_folds(splitter, data, groups=groups)
    for fold, (train, test) in zip(folds, expected, strict=True):
        assert fold.train.tolist() == sorted(train.tolist())
        assert fold.test.tolist() == test.tolist()


def test_pairs_of_rows_and_masks_are_taken(data):
    mask = np.arange(120) < 100
    (fold,) = read_folds([(mask, ~mask)], data)
    assert fold.train.tolist() == list(range(100))
    assert fold.test.tolist() == list(range(100, 120))


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (1, "at least 2"),
        (True, "folds must be"),
        (2.5, "folds must be"),
        ("ten", "folds must be"),
        (None, "folds must be"),
        ([0, 1], "one id for each of the 120 rows"),
        (np.zeros(120), "at least 2 different ids"),
        ([(np.arange(5), np.array([200]))], "from 0 to 119, got 200"),
        ([(np.arange(5), np.array([], int))], "test rows of a fold must be row numbers"),
        ([(np.array([1, 1]), np.array([2]))], "Training rows of a fold must be distinct"),
    ],
)
def test_wrong_folds_are_refused(data, folds, message):
    with pytest.raises(OptionError, match=message):
        read_folds(folds, data)


def test_there_are_never_more_folds_than_rows_or_groups(data):
    assert len(read_folds(121, data)) == 120
    assert len(read_folds(5, data, groups=np.arange(120) % 3)) == 3


def test_given_folds_cannot_be_repeated(data):
    with pytest.raises(OptionError, match="repeats requires random folds"):
        read_folds(np.arange(120) % 3, data, repeat=1)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True])
def test_wrong_random_state_is_refused(data, seed):
    with pytest.raises(OptionError, match="random_state must be"):
        read_folds(5, data, random_state=seed)


STRATA = np.random.default_rng(0).integers(0, 5, 1003).astype(np.uint32)


@pytest.mark.parametrize("n_folds", [2, 3, 10, 1003])
@pytest.mark.parametrize("strata", [None, STRATA], ids=["plain", "strata"])
def test_dealt_folds_differ_by_at_most_one_row_in_each_stratum(n_folds, strata):
    fold = _core.deal_folds(1003, n_folds, 7, strata=strata)
    for rows in [fold, *(fold[strata == s] for s in range(5) if strata is not None)]:
        sizes = np.bincount(rows, minlength=n_folds)
        assert len(sizes) == n_folds
        assert sizes.max() - sizes.min() <= 1


def test_dealt_folds_are_those_of_their_seed_repeat_and_strata():
    deals = [
        _core.deal_folds(1003, 5, seed, repeat, strata=strata).tolist()
        for strata in (None, STRATA)
        for seed in (0, 1, 2**64 - 1)
        for repeat in (0, 1)
    ]
    assert len({tuple(deal) for deal in deals}) == len(deals)
    assert deals[0] == _core.deal_folds(1003, 5, 0).tolist()


def test_dealt_folds_are_independent_of_row_order_and_of_each_other():
    # Correlation of held-out sets with neighbours, with the row number and with another repeat.
    n = 20_000
    a, b = (_core.deal_folds(n, 2, 3, repeat).astype(float) for repeat in (0, 1))
    for other in (b, np.roll(a, 1), np.roll(a, 2), np.arange(n) % 2, np.arange(n) < n / 2):
        assert abs(np.corrcoef(a, other)[0, 1]) < 4 / np.sqrt(n)


def test_pairs_of_rows_share_a_fold_as_often_as_chance_says():
    deals = np.array([_core.deal_folds(12, 3, seed) for seed in range(4000)])
    together = (deals[:, :, None] == deals[:, None, :]).mean(axis=0)
    # 3 of the other 11 rows are in the same fold of 4.
    assert np.abs(together[~np.eye(12, dtype=bool)] - 3 / 11).max() < 0.035
    shares = np.array([(deals == fold).mean(axis=0) for fold in range(3)])
    assert np.abs(shares - 1 / 3).max() < 0.035


def test_dealt_groups_are_whole_and_fill_the_emptiest_fold():
    sizes = np.array([9, 7, 5, 5, 3, 1, 1, 1])
    groups = np.repeat(np.arange(8), sizes).astype(np.uint32)
    deals = set()
    for seed in range(50):
        fold = _core.deal_folds(len(groups), 3, seed, groups=groups)
        of_group = [set(fold[groups == g].tolist()) for g in range(8)]
        assert all(len(own) == 1 for own in of_group)
        assert np.bincount(fold).tolist() in ([11, 11, 10], [11, 10, 11], [10, 11, 11])
        deals.add(tuple(fold.tolist()))
    assert len(deals) > 1  # groups of one size change places


@pytest.mark.parametrize(
    ("n_folds", "extra", "message"),
    [
        (1, {}, "n_folds must be at least 2, got 1"),
        (1004, {}, r"at most the number of rows \(1003\), got 1004"),
        (6, {"groups": STRATA}, r"at most the number of groups \(5\), got 6"),
        (2, {"groups": STRATA, "strata": STRATA}, "strata or groups, not both"),
        (2, {"strata": STRATA[:9]}, "inconsistent lengths"),
    ],
)
def test_deals_that_cannot_be_are_rejected(n_folds, extra, message):
    with pytest.raises(ValueError, match=message):
        _core.deal_folds(1003, n_folds, 0, **extra)


def test_two_outputs_are_spread_by_their_pairs():
    rng = np.random.default_rng(1)
    target = read_target(rng.integers(0, 3, (90, 2)), task="classification")
    two = Problem(read(rng.normal(size=(90, 2))), target, GrowOptions(task="classification"))
    ids = ids_of(read_folds(3, two), 90)
    pairs = target.values[:, 0] * 3 + target.values[:, 1]
    for pair in range(9):
        counts = np.bincount(ids[pairs == pair], minlength=3)
        assert counts.max() - counts.min() <= 1
