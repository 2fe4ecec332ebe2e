"""The survival tree that the tests of texts, plots, exports and pages share."""

from __future__ import annotations

from typing import Any

import pytest

import ceiba

from .cases import simulate


@pytest.fixture(scope="session")
def frame() -> dict[str, Any]:
    return simulate(300, 0)


@pytest.fixture(scope="session")
def model(frame: dict[str, Any]) -> Any:
    model = ceiba.DecisionTreeSurvival(max_depth=2, min_samples_leaf=20)
    return model.fit(frame, ("weeks", "died"))
