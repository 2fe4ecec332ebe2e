"""Decision trees with scikit-learn's API; scikit-learn is imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba.estimators.classifier import DecisionTreeClassifier
    from ceiba.estimators.regressor import DecisionTreeRegressor
    from ceiba.estimators.survival import DecisionTreeSurvival

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "DecisionTreeSurvival"]


def __getattr__(name: str) -> Any:
    # Import on first access, so that `ceiba learn --help` does not import scikit-learn.
    if name in __all__:
        # Calls that cross a chunk of Python's stack map and unmap memory. From the module below,
        # deeper in the stack, this import would do so 10,000 times.
        import sklearn.base  # noqa: F401

        file = name.removeprefix("DecisionTree").lower()
        return getattr(import_module(f"ceiba.estimators.{file}"), name)
    raise AttributeError(f"module 'ceiba.estimators' has no attribute {name!r}")
