"""A table like the Titanic's, made of a fixed seed: people, whom a tree can tell apart."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np


def write_passengers(path: Path, n: int = 800, seed: int = 3) -> Path:
    """Write the table: numbers with gaps, categories, an ordered class, an identifier."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["female", "male"], n, p=[0.36, 0.64])
    cabin = rng.choice(["first", "second", "third"], n, p=[0.24, 0.21, 0.55])
    port = rng.choice(["C", "Q", "S", "B"], n, p=[0.19, 0.09, 0.66, 0.06])
    age = np.round(rng.gamma(6, 5, n), 0)
    fare = np.round(np.exp(rng.normal(2.4, 0.5, n)) * np.where(cabin == "first", 5, 1), 2)
    score = (
        1.9 * (sex == "female")
        + 1.0 * (cabin == "first")
        - 0.8 * (cabin == "third")
        + 1.4 * (age < 12)
        + 0.5 * np.isin(port, ["C", "B"])
        - 1.1
    )
    lived = rng.random(n) < 1 / (1 + np.exp(-score))
    gone = rng.random(n) < 0.15
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(["PassengerId", "Survived", "Class", "Sex", "Age", "Fare", "Embarked"])
        for k in range(n):
            answer = "lived" if lived[k] else "died"
            years = "" if gone[k] else f"{age[k]:g}"
            write.writerow([k + 1, answer, cabin[k], sex[k], years, fare[k], port[k]])
    return path
