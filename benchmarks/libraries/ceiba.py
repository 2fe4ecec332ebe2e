"""ceiba, as a user calls it: the estimators on a numpy matrix or a pandas frame."""

from __future__ import annotations

from importlib.metadata import version as installed
from inspect import signature
from typing import Any

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.tables import Data

# Settings that are passed on only where they were asked for: recipes and older commits do without.
WHEN_ASKED = ("criterion", "max_bins")


def why_absent() -> str | None:
    return why_not_installed("ceiba")


def why_unable(settings: Settings) -> str | None:
    import ceiba

    known = signature(ceiba.DecisionTreeClassifier).parameters
    asked = [name for name in WHEN_ASKED if getattr(settings, name) is not None]
    absent = [name for name in asked if name not in known]
    return f"this ceiba has no {absent[0]}" if absent else None


def version() -> str:
    return installed("ceiba")


def prepare(data: Data) -> Data:
    return data


def fit(data: Data, settings: Settings) -> Any:
    import ceiba

    asked = {name: getattr(settings, name) for name in WHEN_ASKED}
    options = {name: value for name, value in asked.items() if value is not None}
    options |= {"min_samples_leaf": settings.min_samples_leaf, "n_jobs": settings.n_threads}
    if settings.recipe is not None:
        if settings.recipe in ("cart", "chaid"):  # the others classify
            options["task"] = data.task
        return getattr(ceiba, settings.recipe)(**options).fit(data.X, data.y)
    kind = (
        ceiba.DecisionTreeClassifier
        if data.task == "classification"
        else ceiba.DecisionTreeRegressor
    )
    model = kind(
        max_depth=settings.max_depth,
        min_samples_split=settings.min_samples_split,
        **_missing(settings),
        **options,
    )
    return model.fit(data.X, data.y)


def _missing(settings: Settings) -> dict[str, Any]:
    """Return the parameters for missing values, of this ceiba or of one before `Surrogates`."""
    import ceiba

    if settings.missing == "surrogate" and hasattr(ceiba, "Surrogates"):
        return {"missing": ceiba.Surrogates(keep=settings.max_surrogates)}
    if settings.missing == "surrogate":
        return {"missing": "surrogate", "max_surrogates": settings.max_surrogates}
    return {"missing": settings.missing}


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    return model.apply(data.X)
