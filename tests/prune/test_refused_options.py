"""Prunings that count rows refuse costs and priors instead of ignoring them."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError
from ceiba.prune import ChiSquare, DescriptionLength, Pessimistic

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("pruning", [Pessimistic(), DescriptionLength(), ChiSquare()], ids=repr)
@pytest.mark.parametrize(
    "options", [{"cost_matrix": [[0, 1], [10, 0]]}, {"class_prior": [0.9, 0.1]}], ids=str
)
def test_costs_and_priors_are_refused_by_name(pruning, options):
    model = ceiba.DecisionTreeClassifier(prune=pruning, **options)
    with pytest.raises(OptionError, match=f"{type(pruning).__name__}.*{next(iter(options))}"):
        model.fit(X, Y)
