"""Compute learning curves, that is, scores by number of training rows.

For each size and repeat, rows are shuffled, a clone of the model (any scikit-learn estimator) is
fitted on the first of them and scored on the rest, or on given test rows. The curve is the mean
over the repeats; the band is between two quantiles of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.listing import Listing
from ceiba.table import Table, fit_schema
from ceiba.table.targets import pop_target
from ceiba.task import Task

_SEED: Final = 0
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LearningCurve:
    """Scores of a model by number of training rows.

    Attributes
    ----------
    sizes : int array of shape (n_sizes,)
    scores : float array of shape (n_sizes, repeats)
    metric : str
        Name of the score.
    band : float
        Share of the repeats inside the band.

    Examples
    --------
    >>> from ceiba.inspection import LearningCurve
    >>> import numpy as np
    >>> LearningCurve(np.array([5]), np.array([[0.5, 1.0]]), "accuracy").mean
    array([0.75])
    """

    sizes: npt.NDArray[np.int64]
    scores: Array
    metric: str
    band: float = 0.9

    @property
    def mean(self) -> Array:
        """The mean score for each training size."""
        return np.asarray(self.scores.mean(axis=1))

    @property
    def low(self) -> Array:
        """The lower end of the score band for each training size."""
        return np.asarray(np.quantile(self.scores, (1 - self.band) / 2, axis=1))

    @property
    def high(self) -> Array:
        """The upper end of the score band for each training size."""
        return np.asarray(np.quantile(self.scores, (1 + self.band) / 2, axis=1))

    def table(self) -> Listing:
        """Return size, mean, low and high as a table."""
        figures = {"size": self.sizes, "mean": self.mean, "low": self.low, "high": self.high}
        repeats = self.scores.shape[1]
        legend = f"mean of {repeats} repeats; low, high: the middle {100 * self.band:g} % of them"
        return Listing(figures, title=f"learning curve: {self.metric}", legend=legend)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 20,
    test: tuple[Any, Any] | None = None,
    metric: str | Callable[[Any, Any, Any], float] | None = None,
    band: float = 0.9,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: int | None = None,
) -> LearningCurve:
    """Measure the score of a model for increasing numbers of training rows.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn estimator; clones of it are fitted.
    X, y : table and target
        numpy, pandas, polars, Arrow, dict of lists or list of dicts; y may be the name of a column.
    sizes : sequence of int, optional
        Numbers of training rows; by default about 10 sizes up to 9/10 of the rows.
    repeats : int, default=20
        Shuffles per size.
    test : (X, y), optional
        Rows to score on; by default the rows that were not used for training.
    metric : str or callable, optional
        Name of a scikit-learn scorer, or `metric(estimator, X, y)`; by default the estimator's own
        score.
    band : float, default=0.9
        Share of the repeats inside the band.
    n_jobs : int, optional
        Processes (joblib); the result does not depend on it.
    progress : bool, default=False
        Show a progress bar on standard error.
    random_state : int, optional
        None is the fixed seed 0.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import learning_curve
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> X, y = tree.sample(200, random_state=1)
    >>> curve = learning_curve(ceiba.DecisionTreeClassifier(), X, y, sizes=[5, 150], repeats=3)
    >>> bool(curve.mean[1] > 0.95)
    True
    """
    from sklearn.base import clone

    survival = hasattr(estimator, "predict_survival_function")
    X, y = pop_target(X, y, Task.SURVIVAL if survival else None)
    if repeats < 1:
        raise OptionError(f"repeats must be at least 1, got {repeats}.")
    n = len(next(iter(y.values())) if isinstance(y, dict) else y)
    chosen = _check_sizes(sizes, n, test is not None)
    score, name = _find_scorer(estimator, metric)
    seed = _SEED if random_state is None else random_state
    cells = [(int(size), repeat) for size in chosen for repeat in range(repeats)]

    def score_cell(size: int, repeat: int) -> float:
        order = np.random.default_rng([seed, size, repeat]).permutation(n)
        learn, test_rows = order[:size], order[size:]
        rows = test if test is not None else (take_rows(X, test_rows), take_rows(y, test_rows))
        model = clone(estimator).fit(take_rows(X, learn), take_rows(y, learn))
        return float(model.score(*rows) if score is None else score(model, *rows))

    measured = []
    for score_of_cell in _score_cells(score_cell, cells, n_jobs):
        measured.append(score_of_cell)
        if progress:
            n_blocks = 30 * len(measured) // len(cells)
            bar = f"{'█' * n_blocks}{'·' * (30 - n_blocks)} {len(measured)}/{len(cells)}"
            end = "\n" if len(measured) == len(cells) else ""
            print(f"\rlearning curve {bar}", end=end, file=sys.stderr, flush=True)
    scores = np.array(measured, np.float64).reshape(len(chosen), repeats)
    return LearningCurve(np.asarray(chosen, np.int64), scores, name, band)


def take_rows(X: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Return the selected rows of a table as a table of the same type."""
    if isinstance(X, dict):
        return {name: take_rows(values, rows) for name, values in X.items()}
    if isinstance(X, Table):
        return fit_schema(X.take(rows))
    if isinstance(X, list | tuple):
        return [X[i] for i in rows.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and type(X).__module__.startswith("pyarrow"):
        return X.take(rows)
    return X[rows]


def _check_sizes(sizes: Sequence[int] | None, n: int, all_may_learn: bool) -> list[int]:
    largest_size = n if all_may_learn else n - 1
    if sizes is None:
        largest = max(1, largest_size if all_may_learn else (9 * n) // 10)
        return sorted(
            {max(2, round(largest * k / 10)) for k in range(1, 11)} & set(range(largest_size + 1))
        )
    chosen = [int(size) for size in sizes]
    if not chosen or min(chosen) < 1 or max(chosen) > largest_size:
        raise DataError(
            f"sizes must contain integers from 1 to {largest_size}, got {chosen} for {n} rows."
            + ("" if all_may_learn else " Pass test= to train on all rows.")
        )
    return chosen


def _find_scorer(estimator: Any, metric: Any) -> tuple[Any, str]:
    if metric is None:
        from sklearn.base import is_classifier

        if hasattr(estimator, "predict_survival_function"):
            return None, "Harrell's C"
        return None, "accuracy" if is_classifier(estimator) else "R²"
    if callable(metric):
        return metric, getattr(metric, "__name__", "score")
    from sklearn.metrics import get_scorer

    return get_scorer(metric), str(metric)


def _score_cells(
    score_cell: Callable[[int, int], float], cells: list[tuple[int, int]], n_jobs: int | None
) -> Iterator[float]:
    if n_jobs in (None, 1):
        return (score_cell(*cell) for cell in cells)
    from joblib import Parallel, delayed

    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(score_cell)(*cell) for cell in cells
    )
    return iter(work)
