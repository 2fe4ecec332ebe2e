"""Fast paths of growing state what they serve; everything else goes to the general search.

Every option of the core is set to a value that is not its default, one at a time. The fast path for
small tables, and the search over bins, must then grow the tree of the general search: an option
that one of them does not know makes it step aside. An option without a row in OPTIONS fails the
first test, so none is added without a thought for the fast paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ceiba import _core
from tests.grow.test_engines import REFERENCE

OPTIONS: dict[str, Any] = {
    "allow_zero_rate": True,
    "approximate": None,  # asks for another tree: cuts at bin edges only
    "class_cost": [0.0, 3.0, 1.0, 0.0],
    "class_scale": [1.0, 3.0],
    "column_cost": [1.0, 0.1, 5.0, 1.0],
    "cuts_at_values": True,
    "empty_branches": True,
    "high": 0.4,
    "interactions": [[0, 1], [1, 2, 3]],
    "like_rpart": True,
    "low": 0.3,
    "max_bins": None,  # decides where bins lie, and with that nothing in an exact tree
    "max_competitors": 2,
    "max_depth": 2,
    "max_features": 2,
    "max_interaction": 1,
    "max_leaf_nodes": 6,
    "max_surrogates": 3,
    "min_branch": 20.0,
    "min_events_leaf": 5.0,
    "min_gain": 0.01,
    "min_gain_ratio": 0.3,
    "min_risk": 20.0,
    "min_risk_ratio": 0.3,
    "min_samples_leaf": 30,
    "min_samples_split": 200,
    "min_weight_leaf": 25.0,
    "min_weight_split": 150.0,
    "monotonic": [1, 0, -1, 0],
    "multiway": True,
    "n_threads": 2,
    "prior_events": 1.0,
    "quantile": [9, 1],
    "random_splitter": True,
    "seed": 7,
    "small_node": 50,
    "small_tables": None,  # what is tested
    "surrogate_style": 1,
    "use_surrogate": 0,
    "weights_count_rows": True,
    "zoom_rows": 50,
}
#: What must come with an option for it to matter.
WITH = {"seed": {"max_features": 2}, "class_cost": {"min_risk_ratio": 0.3}}


def grown(n: int, option: str, missing: float = 0.0, **fast: Any) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)).round(2)
    y = ((X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)) > 0).astype(np.int32)
    X[rng.random(X.shape) < missing] = np.nan
    columns = _core.Columns.from_matrix(X)
    core = _core.GrowOptions()
    for name, value in {option: OPTIONS[option], **WITH.get(option, {}), **fast}.items():
        setattr(core, name, value)
    tree = _core.grow_classes(columns, y.reshape(-1, 1), [2], None, core)
    return dict(flat(tree.views()))


def flat(views: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in views.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{name}.")
        else:
            yield path + name, value


def differences(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    assert a.keys() == b.keys()
    return [name for name in a if not np.array_equal(a[name], b[name], equal_nan=True)]


def test_every_option_of_the_core_is_tried() -> None:
    own = {n for n in dir(_core.GrowOptions) if not n.startswith(("_", "set_"))}
    assert own == set(OPTIONS)


TRIED = [name for name, value in OPTIONS.items() if value is not None]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("option", TRIED)
def test_small_grower_knows_the_option_or_steps_aside(option: str, missing: float) -> None:
    fast = grown(400, option, missing)
    general = grown(400, option, missing, small_tables=False)
    assert differences(fast, general) == []


@pytest.mark.parametrize("option", [name for name in TRIED if name != "small_node"])
def test_bins_know_the_option_or_step_aside(option: str) -> None:
    fast = grown(3000, option, small_node=2, small_tables=False)
    general = grown(3000, option, small_node=REFERENCE, small_tables=False)
    assert differences(fast, general) == []


@pytest.mark.parametrize("option", ["max_competitors", "max_features", "random_splitter"])
def test_option_that_no_fast_path_knows_changes_the_tree(option: str) -> None:
    """Otherwise the tests above could not fail by it."""
    assert differences(grown(400, option), grown(400, "n_threads"))
