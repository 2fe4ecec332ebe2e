"""Parameters by name, for type checkers and editors; written by `make stubs`."""

from typing import Any, TypedDict

class RpartParameters(TypedDict, total=False):
    minsplit: int | None
    minbucket: int | None
    cp: float
    maxdepth: int
    maxcompete: int
    maxsurrogate: int
    usesurrogate: int
    surrogatestyle: int
    split: str
    prior: Any
    loss: Any
    shrink: float | None
    error: str
    cost: Any
    xval: Any
    random_state: Any
    categorical_features: Any
    n_jobs: int | None
