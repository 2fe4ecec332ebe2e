"""GrowOptions: allowed values, error messages, and scikit-learn's spellings."""

from __future__ import annotations

import math
import os

import pytest

from ceiba.errors import CeibaError, OptionError
from ceiba.grow.core_grower import resolve_max_features, resolve_min_leaf, resolve_min_split
from ceiba.grow.options import GrowOptions
from ceiba.options import ParameterError
from ceiba.tree.routing import threads as threads_module
from ceiba.tree.routing.threads import n_threads

WRONG = [
    ("task", "ranking"),
    ("criterion", "ginni"),
    ("splitter", "worst"),
    ("max_depth", 0),
    ("max_depth", 2.0),
    ("max_depth", True),
    ("min_samples_split", 1),
    ("min_samples_split", 0.0),
    ("min_samples_split", 1.5),
    ("min_samples_leaf", 0),
    ("min_samples_leaf", 1.0),
    ("min_weight_fraction_leaf", 0.6),
    ("min_weight_fraction_leaf", -0.1),
    ("max_features", 0),
    ("max_features", 1.5),
    ("max_features", "all"),
    ("max_leaf_nodes", 1),
    ("min_impurity_decrease", -1e-9),
    ("min_impurity_decrease", float("nan")),
    ("monotonic_cst", "rising"),
    ("seed", -1),
    ("n_jobs", 0),
    ("n_jobs", 1.5),
    ("missing", "ignore"),
    ("unseen", "drop"),
    ("categorical_splits", "ternary"),
    ("max_competitors", -1),
    ("class_prior", 0.5),
    ("cost_matrix", 1),
    ("column_cost", 2.0),
    ("frequency_weights", 1),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_option_is_refused_with_name_allowed_and_got(name, value):
    with pytest.raises(ParameterError) as caught:
        GrowOptions(**{"task": "classification", name: value})
    message = str(caught.value)
    assert message.startswith(f"The '{name}' parameter of GrowOptions must be ")
    assert f"Got {value!r} instead." in message


def test_parameter_error_is_what_scikit_learn_and_ceiba_users_catch():
    assert issubclass(ParameterError, OptionError)
    assert issubclass(ParameterError, CeibaError)
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, TypeError)


def test_misspelt_word_gets_a_hint():
    with pytest.raises(ParameterError, match="Did you mean 'surrogate'"):
        GrowOptions(task="classification", missing="surogate")


def test_criterion_of_the_other_task_is_refused():
    with pytest.raises(ParameterError, match="criterion"):
        GrowOptions(task="regression", criterion="gini")


@pytest.mark.parametrize(
    ("task", "criterion"), [("classification", "gini"), ("regression", "squared_error")]
)
def test_criterion_by_default_goes_with_the_task(task, criterion):
    assert GrowOptions(task=task).criterion == criterion


def test_options_are_frozen():
    options = GrowOptions(task="classification")
    with pytest.raises(AttributeError):
        options.max_depth = 3


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (0.1, 15), (0.001, 1), (0.0101, 2)])
def test_min_leaf_fraction_is_rounded_up(value, expected):
    assert resolve_min_leaf(value, 150) == expected


@pytest.mark.parametrize(
    ("value", "leaf", "expected"), [(2, 1, 2), (2, 5, 10), (1.0, 1, 150), (0.001, 1, 2)]
)
def test_min_split_is_at_least_two_leaves(value, leaf, expected):
    assert resolve_min_split(value, leaf, 150) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, 30), (7, 7), (1.0, 30), (0.5, 15), (0.01, 1), ("sqrt", 5), ("log2", 4)],
)
def test_max_features_follows_scikit_learn(value, expected):
    assert resolve_max_features(value, 30) == expected


def test_max_features_of_one_column_is_one():
    assert resolve_max_features("log2", 1) == 1


def test_threads_of_small_work_are_one():
    assert n_threads(8, work=1000) == 1


def test_threads_none_are_all_cores(monkeypatch):
    monkeypatch.setattr(threads_module, "n_cores", lambda: 6)
    big = 10**9
    assert [n_threads(n, big) for n in (None, -1, -2, -9, 3)] == [6, 6, 5, 1, 3]


@pytest.mark.parametrize("n_jobs", [None, -1, 6])
def test_threads_grow_with_the_work(monkeypatch, n_jobs):
    monkeypatch.setattr(threads_module, "n_cores", lambda: 6)
    assert [n_threads(n_jobs, work) for work in (39_999, 40_000, 120_000, 10**6)] == [1, 2, 4, 6]


def test_threads_are_at_most_n_jobs():
    assert [n_threads(3, work) for work in (39_999, 40_000, 120_000, 10**6)] == [1, 2, 3, 3]


def test_threads_of_several_tasks_grow_with_their_number():
    assert [n_threads(50, 40_000, n_tasks) for n_tasks in (1, 5, 100)] == [2, 10, 50]
    assert n_threads(50, 39_999, n_tasks=5) == 1


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        ("0::/\n", {"cpu.max": "250000 100000\n"}, 2.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("0::/a/b\n", {"a/cpu.max": "50000 100000\n", "a/b/cpu.max": "max 100000\n"}, 0.5),
        ("0::/../../host\n", {"cpu.max": "300000 100000\n"}, 3),
        (
            "5:cpuset:/\n4:cpu,cpuacct:/pod\n1:name=systemd:/\n0::/\n",
            {"cpu/pod/cpu.cfs_quota_us": "400000\n", "cpu/pod/cpu.cfs_period_us": "200000\n"},
            2,
        ),
        (
            "4:cpu,cpuacct:/\n",
            {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
            math.inf,
        ),
        ("0::/\n", {"cpu.max": "\n"}, math.inf),
        ("no group\n", {"cpu.max": "100000\n"}, math.inf),
    ],
    ids=["v2", "v2 free", "v2 nested", "v2 of the host", "v1", "v1 free", "empty", "malformed"],
)
def test_quota_is_the_lowest_of_the_control_groups(tmp_path, groups, files, quota):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert threads_module.cpu_quota(tmp_path) == quota


def test_without_control_groups_there_is_no_quota(tmp_path):
    assert threads_module.cpu_quota(tmp_path) == math.inf


@pytest.mark.parametrize(
    ("quota", "cores"), [(0.1, 1), (1.0, 1), (1.5, 2), (3.0, 3), (math.inf, 8)]
)
def test_cores_are_limited_by_the_quota(monkeypatch, quota, cores):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name in ("process_cpu_count", "cpu_count"):
        monkeypatch.setattr(os, name, lambda: 8, raising=False)
    monkeypatch.setattr(threads_module, "cpu_quota", lambda: quota)
    assert threads_module.n_cores() == cores


def test_cores_are_limited_by_omp_num_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads_module.n_cores() == 1


def test_cores_ignore_a_malformed_limit(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    free = threads_module.n_cores()
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")
    assert threads_module.n_cores() == free
