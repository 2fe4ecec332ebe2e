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

from ceiba.errors import OptionError
from ceiba.prune.cross_validation.folds import read_folds
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
        ([(np.arange(5), np.array([200]))], "row 200; there are 120 rows"),
        ([(np.arange(5), np.array([], int))], "needs test rows"),
        ([(np.array([1, 1]), np.array([2]))], "training row twice"),
    ],
)
def test_wrong_folds_are_refused(data, folds, message):
    with pytest.raises(OptionError, match=message):
        read_folds(folds, data)


def test_there_are_never_more_folds_than_rows_or_groups(data):
    assert len(read_folds(121, data)) == 120
    assert len(read_folds(5, data, groups=np.arange(120) % 3)) == 3


def test_given_folds_cannot_be_repeated(data):
    with pytest.raises(OptionError, match="repeats needs a number of folds"):
        read_folds(np.arange(120) % 3, data, repeat=1)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True])
def test_wrong_random_state_is_refused(data, seed):
    with pytest.raises(OptionError, match="random_state must be"):
        read_folds(5, data, random_state=seed)
