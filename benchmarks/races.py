"""Who runs what, and the bar that is asked of it.

A race is one workload and its contenders, measured in turns (a, b, c, a, b, c, ...), so that a busy
minute of the machine hits all of them. A bar holds at the race's full size only; smaller runs show
the figure without a verdict. One thread is judged by CPU time, several by wall time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from benchmarks.libraries import Settings
from benchmarks.problems import PROBLEMS

Action = Literal["fit", "predict", "predict one row", "import"]
Clock = Literal["cpu", "wall"]
What = Literal["speed", "slowdown", "impurity", "memory", "seconds"]


@dataclass(frozen=True)
class Contender:
    """One library doing one thing to one table, `repeats` times, each in a fresh process."""

    library: str
    problem: str
    action: Action = "fit"
    settings: Settings = field(default_factory=Settings)
    repeats: int = 3
    limit: float | None = None  # CPU seconds; longer than this counts as "at least this"


@dataclass(frozen=True)
class Bar:
    """A figure made of the race's contenders (by key), and the limit asked of it.

    speed: time of `against` / time of `ours`, at least; slowdown: the inverse, at most;
    impurity: relative excess of the training impurity of `ours`, at most;
    memory: extra peak / float64 size of X, at most; seconds: time of `ours`, at most.
    """

    what: What
    ours: str
    against: str | None = None
    limit: float | None = None
    clock: Clock = "cpu"


@dataclass(frozen=True)
class Race:
    """One workload; `{rows}` in its name stands for the size of its table."""

    name: str
    subsets: frozenset[str]
    contenders: dict[str, Contender]
    bars: tuple[Bar, ...]
    judged: bool = True

    def cut(self, most_rows: int, most_repeats: int) -> Race:
        """Give the race on smaller tables and with fewer repeats; bars hold for whole tables."""
        sizes = [PROBLEMS[one.problem].rows for one in self.contenders.values()]
        return replace(
            self,
            name=self.name.format(rows=f"{min(most_rows, max(sizes)):,}"),
            contenders={
                key: replace(one, repeats=min(one.repeats, most_repeats))
                for key, one in self.contenders.items()
            },
            judged=max(sizes) <= most_rows,
        )


def _numeric(problem: str, depth: int | None, speed: float) -> Race:
    """Numbers only, against scikit-learn (and LightGBM, which has no bar here)."""
    one = Settings(max_depth=depth, min_samples_leaf=50)
    two = replace(one, n_threads=2)
    return Race(
        f"{PROBLEMS[problem].about}, {_depth(depth)}",
        frozenset({"quick", "issue2", "full"}),
        {
            "ceiba": Contender("ceiba", problem, settings=one, repeats=5),
            "ceiba, 2 threads": Contender("ceiba", problem, settings=two, repeats=5),
            "scikit-learn": Contender("scikit-learn", problem, settings=one, repeats=3),
            "LightGBM": Contender("LightGBM", problem, settings=one, repeats=3),
        },
        (
            Bar("speed", "ceiba", "scikit-learn", speed),
            Bar("impurity", "ceiba", "scikit-learn", 1e-5),
            Bar("memory", "ceiba", limit=2.5),
            Bar("speed", "ceiba, 2 threads", "ceiba", 1.25, clock="wall"),
            Bar("memory", "ceiba, 2 threads", limit=2.5),
            Bar("speed", "ceiba", "LightGBM"),
            Bar("impurity", "ceiba", "LightGBM"),
        ),
    )


def _small(problem: str, action: Action, speed: float, *subsets: str) -> Race:
    """Small tables and single rows, default settings: the cost of everything but the search."""
    return Race(
        f"{PROBLEMS[problem].about}, {action}",
        frozenset({"issue2", "full", *subsets}),
        {
            "ceiba": Contender("ceiba", problem, action, repeats=5),
            "scikit-learn": Contender("scikit-learn", problem, action, repeats=5),
        },
        (Bar("speed", "ceiba", "scikit-learn", speed),),
    )


def _missing(depth: int | None, *subsets: str) -> Race:
    settings = Settings(max_depth=depth, min_samples_leaf=50)
    return Race(
        f"{PROBLEMS['classes_nan'].about}, {_depth(depth)}",
        frozenset({"issue3", "full", *subsets}),
        {
            "ceiba, missing": Contender("ceiba", "classes_nan", settings=settings, repeats=5),
            "ceiba, complete": Contender("ceiba", "classes", settings=settings, repeats=5),
        },
        (
            Bar("slowdown", "ceiba, missing", "ceiba, complete", 1.5),
            Bar("memory", "ceiba, missing", limit=2.5),
        ),
    )


def _against(problem: str, *rivals: str, subset: str = "full", limit: float | None = None) -> Race:
    """A table of the world, whole tree, at least 50 rows in a leaf; no bar."""
    settings = Settings(min_samples_leaf=50)
    contenders = {
        name: Contender(name, problem, settings=settings, limit=None if name == "ceiba" else limit)
        for name in ("ceiba", *rivals)
    }
    bars = [Bar(what, "ceiba", rival) for rival in rivals for what in ("speed", "impurity")]
    return Race(
        f"{PROBLEMS[problem].about}, {_depth(None)}",
        frozenset({subset, "full"}),
        contenders,
        tuple(bars),
    )


def _depth(depth: int | None) -> str:
    return "any depth" if depth is None else f"depth {depth}"


_SURROGATES = Settings(
    max_depth=8, min_samples_split=100, min_samples_leaf=50, missing="surrogate", max_surrogates=5
)
_CATEGORICAL = Settings(min_samples_leaf=50)

RACES: tuple[Race, ...] = (
    _numeric("classes", 8, speed=10),
    _numeric("classes", None, speed=8),
    _numeric("regression", 8, speed=10),
    _numeric("regression", None, speed=6),
    _small("iris", "fit", 1, "quick"),
    _small("iris", "predict", 1, "quick"),
    _small("iris", "predict one row", 2, "quick"),
    _small("breast_cancer", "fit", 1, "quick"),
    _small("breast_cancer", "predict", 1),
    _small("breast_cancer", "predict one row", 2),
    Race(
        "import, without scikit-learn's own",
        frozenset({"quick", "issue2", "full"}),
        {
            "import ceiba": Contender("ceiba", "iris", "import", repeats=5),
            "its estimators": Contender("ceiba estimators", "iris", "import", repeats=5),
        },
        (
            Bar("seconds", "import ceiba", limit=0.15),
            Bar("seconds", "its estimators", limit=0.15),
        ),
    ),
    Race(
        f"{PROBLEMS['categorical'].about}, any depth",
        frozenset({"quick", "issue3", "full"}),
        {
            "ceiba": Contender("ceiba", "categorical", settings=_CATEGORICAL, repeats=3),
            # 20x is a matter of minutes: once is enough, and beyond the limit it is a bound.
            "YDF": Contender("YDF", "categorical", settings=_CATEGORICAL, repeats=1, limit=200.0),
        },
        (Bar("speed", "ceiba", "YDF", 20), Bar("impurity", "ceiba", "YDF")),
    ),
    _missing(8, "quick"),
    _missing(None),
    Race(
        f"{PROBLEMS['surrogates'].about}, 5 surrogates, depth 8",
        frozenset({"quick", "issue3", "full"}),
        {
            "ceiba": Contender("ceiba", "surrogates", settings=_SURROGATES, repeats=5),
            "rpart": Contender("rpart", "surrogates", settings=_SURROGATES, repeats=3),
        },
        (Bar("speed", "ceiba", "rpart", 4), Bar("impurity", "ceiba", "rpart", 1e-5)),
    ),
    Race(
        f"{PROBLEMS['large_category'].about}, the root's split",
        frozenset({"quick", "issue3", "full"}),
        {"ceiba": Contender("ceiba", "large_category", settings=Settings(max_depth=1), repeats=5)},
        (Bar("seconds", "ceiba", limit=0.05),),
    ),
    _against("adult", "YDF", subset="quick", limit=20.0),
    _against("covertype", "scikit-learn", "LightGBM"),
    _against("flights", "YDF", limit=200.0),
)

SUBSETS = ("quick", "issue2", "issue3", "full")


def races(subset: str) -> list[Race]:
    """List the races of a subset, in the order of the table."""
    return [race for race in RACES if subset in race.subsets]
