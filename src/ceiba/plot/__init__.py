"""Plot trees with matplotlib (``pip install ceiba[plot]``)."""

from __future__ import annotations

from ceiba.plot.curves import plot_impurity, plot_learning_curve, plotcp
from ceiba.plot.icicle import plot_icicle
from ceiba.plot.importance import plot_importance
from ceiba.plot.path import plot_path
from ceiba.plot.prediction import plot_prediction
from ceiba.plot.pruning import plot_pruning
from ceiba.plot.regions import plot_regions
from ceiba.plot.stability import plot_rival_columns, plot_stability
from ceiba.plot.survival import plot_survival
from ceiba.plot.tree import plot_tree

__all__ = [
    "plot_icicle",
    "plot_importance",
    "plot_impurity",
    "plot_learning_curve",
    "plot_path",
    "plot_prediction",
    "plot_pruning",
    "plot_regions",
    "plot_rival_columns",
    "plot_stability",
    "plot_survival",
    "plot_tree",
    "plotcp",
]
