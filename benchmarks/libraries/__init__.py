"""One file per library, all with the same few functions.

    why_absent() -> str | None          a reason if it cannot run here
    version() -> str
    prepare(data) -> form               the table in the library's format; not timed
    fit(form, settings) -> model        timed
    predict(model, form, n_rows=None)   timed; n_rows: the first rows only
    leaves(model, form) -> array        the leaf of each training row, for the fit (or None);
                                        two-dimensional: one column per class tree

A library in another language has `measure(data, settings) -> dict` instead of the last four. A
library that lacks a setting may have `why_unable(settings) -> str | None`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

LIBRARIES = {
    "ceiba": "ceiba",
    "scikit-learn": "scikit_learn",
    "scikit-learn hist": "hist_gradient_boosting",
    "sklearnex": "sklearnex",
    "LightGBM": "lightgbm",
    "LightGBM quantised": "lightgbm_quantised",
    "XGBoost": "xgboost",
    "YDF": "ydf",
    "rpart": "rpart",
    "onnxruntime": "onnxruntime",
    "tl2cgen": "tl2cgen",
    "chefboost": "chefboost",
    "Weka": "weka",
    "no estimator": "no_estimator",
}


@dataclass(frozen=True)
class Settings:
    """What a tree is grown with; each library says it in its own words."""

    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    n_threads: int = 1
    missing: str = "learn"
    max_surrogates: int = 5
    criterion: str | None = None  # None: gini or squared error
    max_bins: int | None = None  # None: exact
    recipe: str | None = None  # "c45", ...: the family of the tree, where it is not CART
    same_tree: bool = False  # predict with the tree that ceiba grew


def library(name: str) -> ModuleType:
    """Load the file of a library (which loads the library itself only when it is asked to)."""
    return import_module(f"{__name__}.{LIBRARIES[name]}")


def why_not(name: str, settings: Settings) -> str | None:
    """Return the reason if a library cannot run here with such settings."""
    runner = library(name)
    reason: str | None = runner.why_absent()
    if reason is None and hasattr(runner, "why_unable"):
        reason = runner.why_unable(settings)
    return reason


def why_not_installed(package: str) -> str | None:
    """Return the reason if a Python package cannot be imported."""
    from importlib.util import find_spec

    return None if find_spec(package) else f"{package} is not installed"
