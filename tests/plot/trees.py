"""Trees of every kind to draw, made from seeds alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import ceiba

Rows = tuple[Any, Any, Any]  # model or tree, X, y


def iris() -> Rows:
    data = ceiba.datasets.load_iris()
    return ceiba.DecisionTreeClassifier(max_depth=3).fit(data.X, data.y), data.X, data.y


def breast_cancer() -> Rows:
    data = load_breast_cancer(as_frame=True)
    y = np.array(["malignant", "benign"])[data.target]
    return ceiba.DecisionTreeClassifier(max_leaf_nodes=22).fit(data.data, y), data.data, y


def carseats() -> Rows:
    """Sales of child seats: numbers and categories, in the manner of ISLR's Carseats."""
    rng = np.random.default_rng(7)
    n = 400
    X = pd.DataFrame(
        {
            "ShelveLoc": rng.choice(["Bad", "Good", "Medium"], n, p=[0.24, 0.21, 0.55]),
            "Price": rng.normal(116, 24, n).round(),
            "Income": rng.integers(21, 120, n),
            "Advertising": np.maximum(rng.integers(-12, 20, n), 0),
            "US": rng.choice(["No", "Yes"], n, p=[0.35, 0.65]),
        }
    )
    shelf = X["ShelveLoc"].map({"Bad": -2.0, "Medium": 0.0, "Good": 2.7})
    sales = 7.2 + shelf - 0.055 * (X["Price"] - 116) + 0.11 * X["Advertising"]
    y = np.where(sales + rng.normal(0, 1.2, n) > 8, "Yes", "No")
    return ceiba.DecisionTreeClassifier(max_leaf_nodes=8, min_samples_leaf=8).fit(X, y), X, y


def hitters() -> Rows:
    """Log salary by years and hits, in the manner of ISLR's Hitters."""
    rng = np.random.default_rng(3)
    n = 263
    years, hits = rng.integers(1, 24, n), rng.integers(20, 220, n)
    X = pd.DataFrame({"Years": years, "Hits": hits, "Walks": rng.integers(0, 105, n)})
    base = np.where(years < 4.5, 5.0 + 0.002 * hits, 5.9 + 0.004 * hits)
    y = base + rng.normal(0, 0.45, n)
    return ceiba.DecisionTreeRegressor(max_leaf_nodes=6, min_samples_leaf=10).fit(X, y), X, y


def multiway() -> Rows:
    data = ceiba.datasets.load_restaurant()
    full = ("Hungry", {"No": "No", "Yes": ("Fri/Sat", {"No": "No", "Yes": "Yes"})})
    tree = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": full}))
    rows = {**data.X, "Fri/Sat": data.X[next(n for n in data.X if n.lower().startswith("fri"))]}
    return tree.refit_leaves(rows, data.y), rows, data.y


def surrogates() -> Rows:
    """A tree with missing values, routed by surrogate splits."""
    rng = np.random.default_rng(5)
    n = 300
    height = rng.normal(170, 10, n)
    X = pd.DataFrame({"height": height, "weight": 0.9 * height - 85 + rng.normal(0, 6, n)})
    X["age"] = rng.integers(18, 80, n).astype(float)
    y = np.where((height > 172) ^ (X["age"] > 65), "tall", "short")
    X = X.mask(rng.random(X.shape) < 0.15)
    return ceiba.rpart(xval=0, cp=0.02).fit(X, y), X, y


def large(n_leaves: int = 500) -> Rows:
    rng = np.random.default_rng(11)
    n = 8000
    X = pd.DataFrame(rng.random((n, 6)), columns=["age", "gain", "hours", "loss", "score", "rate"])
    p = 1 / (1 + np.exp(-8 * (X["age"] - 0.5) - 6 * (X["gain"] - 0.6) * (X["hours"] > 0.4)))
    y = np.where(rng.random(n) < p, ">50K", "<=50K")
    return ceiba.DecisionTreeClassifier(max_leaf_nodes=n_leaves).fit(X, y), X, y
