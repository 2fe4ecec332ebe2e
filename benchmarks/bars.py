"""All races and their bars (targets of the project), in the order of the table.

Slow libraries run fewer times. A bar on training impurity means "equal or better", with a tolerance
of 1e-5 for cuts between neighbours that scikit-learn, in float32, considers equal.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.growth import CURVES
from benchmarks.libraries import LIBRARIES, Settings
from benchmarks.problems import PROBLEMS
from benchmarks.races import Action, Bar, Contender, Race, depth_name

SUBSETS = {
    "quick": "a bit of everything on small tables, three minutes; verdicts that need no size",
    "numbers": "numeric columns: tall, wide, integers, covertype, absolute error; threads, memory",
    "missing": "a fifth of the cells missing, surrogate splits",
    "categories": "columns of up to 5,000 levels",
    "predict": "predictions for a million rows and for one",
    "small": "iris and breast cancer: fit, predict, model selection; the import",
    "families": "C4.5 against Weka and chefboost; ID3, C4.5 and CHAID on thousands of levels",
    "growth": "growth curves in rows, columns, classes, levels and depth",
    "real": "real data sets from CEIBA_DATA",
    "full": "all of the above",
}

BINS = 255
EQUAL = 1e-5
# Two approximate trees with different bin edges: neither is better everywhere.
NEARLY = 1e-3
MEGABYTE = 10**6


def _race(name: str, subsets: str, contenders: dict[str, Contender], *bars: Bar) -> Race:
    return Race(name, frozenset([*subsets.split(), "full"]), contenders, bars)


def _also_quick(subset: str, quick: bool) -> str:
    return f"quick {subset}" if quick else subset


def _settings(depth: int | None) -> Settings:
    return Settings(max_depth=depth, min_samples_leaf=50)


#: Goals of benchmarks.threads: how many times as fast 16 threads are as one, and as LightGBM's 16.
SCALING = {
    "exact": 8, "any depth": 8, "regression": 8, "regression, any depth": 8, "max_bins": 8,
    "missing": 7, "categories": 7,
}  # fmt: skip
AGAINST_LIGHTGBM = {"exact": 5, "regression": 3}

#: Goals of benchmarks.prediction: how many times as long as with plain cuts a row may take.
PREDICTION = {
    "categories of 20 levels": 1.5, "multiway categories": 3, "CHAID, intervals": 3,
    "surrogates, a fifth of the cells missing": 3,
}  # fmt: skip


# ---------------------------------------------------------------------------------- numbers


def _exact(problem: str, depth: int | None, speed: float, subsets: str) -> Race:
    """Numbers against scikit-learn, and a second thread against the first."""
    one = _settings(depth)
    # It needs most of a minute for a tree of any depth: twice on the first table, then once.
    theirs = 2 if depth or problem == "classes" else 1
    return _race(
        f"{PROBLEMS[problem].about}, {depth_name(depth)}",
        subsets,
        {
            "ceiba": Contender("ceiba", problem, settings=one, repeats=5),
            "ceiba, 2 threads": Contender(
                "ceiba", problem, settings=replace(one, n_threads=2), repeats=5
            ),
            "scikit-learn": Contender("scikit-learn", problem, settings=one, repeats=theirs),
        },
        Bar("speed", "ceiba", "scikit-learn", speed),
        Bar("impurity", "ceiba", "scikit-learn", EQUAL),
        Bar("memory", "ceiba", limit=2.5),
        Bar("speed", "ceiba, 2 threads", "ceiba", 1.25, clock="wall"),
        Bar("memory", "ceiba, 2 threads", limit=2.5),
    )


def _with_rivals(race: Race, fast: float, ydf: float | None = None, slow: bool = False) -> Race:
    """Add single trees of the boosting libraries and, with `slow`, all other libraries that can."""
    first = race.contenders["ceiba"]
    names = {"LightGBM": 2, "XGBoost hist": 2}
    names |= {name: 2 for name in ("YDF", "sklearnex", "scikit-learn hist") if slow}
    names |= {name: 1 for name in ("LightGBM quantised", "XGBoost exact", "rpart") if slow}
    bars = [Bar("speed", "ceiba", name, fast) for name in ("LightGBM", "XGBoost hist")]
    bars += [Bar("speed", "ceiba", name, ydf if name == "YDF" else None) for name in [*names][2:]]
    bars += [Bar("impurity", "ceiba", name, EQUAL) for name in names]
    rivals = {name: replace(_named(name, first), repeats=many) for name, many in names.items()}
    return replace(race, contenders=race.contenders | rivals, bars=(*race.bars, *bars))


def _named(name: str, like: Contender) -> Contender:
    """Return a rival with the table and the settings of a contender ("XGBoost hist" has bins)."""
    library, _, method = (name, "", "") if name in LIBRARIES else name.partition(" ")
    bins = BINS if method == "hist" else None
    return replace(like, library=library, settings=replace(like.settings, max_bins=bins))


def _with_histogram(race: Race, speed: float, fast: float | None) -> Race:
    """Add growing by histograms, against the same rivals."""
    first = race.contenders["ceiba"]
    key = "ceiba, 255 bins"
    ours = replace(first, settings=replace(first.settings, max_bins=BINS))
    bars = [
        Bar("speed", key, "scikit-learn", speed),
        Bar("impurity", key, "scikit-learn"),
        *(Bar("speed", key, name, fast) for name in ("LightGBM", "XGBoost hist")),
        *(Bar("impurity", key, name, NEARLY) for name in ("LightGBM", "XGBoost hist")),
        Bar("memory", key, limit=2.5),
    ]
    contenders = {"ceiba": first, key: ours, **race.contenders}
    return replace(race, contenders=contenders, bars=(*race.bars, *bars))


def _missing(depth: int | None, speed: float | None, subsets: str) -> Race:
    """A fifth of the cells missing: against scikit-learn (with a bar), and against none missing."""
    ours = Contender("ceiba", "classes_nan", settings=_settings(depth), repeats=3)
    contenders = {"ceiba": ours, "ceiba, complete": replace(ours, problem="classes")}
    bars = [Bar("slowdown", "ceiba", "ceiba, complete", 1.5), Bar("memory", "ceiba", limit=2.5)]
    if speed is not None:
        contenders["scikit-learn"] = replace(ours, library="scikit-learn", repeats=2)
        bars.insert(0, Bar("speed", "ceiba", "scikit-learn", speed))
        bars.insert(1, Bar("impurity", "ceiba", "scikit-learn", EQUAL))
    name = f"{PROBLEMS['classes_nan'].about}, {depth_name(depth)}"
    return _race(name, subsets, contenders, *bars)


def _wide(problem: str, speed: float, *rivals: str) -> Race:
    """Few rows, many columns, grown to pure leaves."""
    ours = Contender("ceiba", problem, repeats=5)
    contenders = {"ceiba": ours, "scikit-learn": replace(ours, library="scikit-learn", repeats=2)}
    contenders |= {name: replace(_named(name, ours), repeats=1) for name in rivals}
    return _race(
        f"{PROBLEMS[problem].about}, full tree",
        "numbers",
        contenders,
        Bar("speed", "ceiba", "scikit-learn", speed),
        Bar("impurity", "ceiba", "scikit-learn", EQUAL),
        Bar("extra", "ceiba", limit=250 * MEGABYTE),
        *(Bar("speed", "ceiba", name) for name in rivals),
    )


# ---------------------------------------------------------------------------------- categories


def _categorical(problem: str, speed: float, *rivals: tuple[str, float | None]) -> Race:
    """Level sets against LightGBM without its limits, and others as is (limit: seconds)."""
    ours = Contender("ceiba", problem, settings=Settings(min_samples_leaf=50), repeats=3)
    contenders = {"ceiba": ours, "LightGBM": replace(ours, library="LightGBM", repeats=2)}
    bars = [Bar("speed", "ceiba", "LightGBM", speed), Bar("impurity", "ceiba", "LightGBM", 0.0)]
    for name, limit in rivals:
        contenders[name] = replace(_named(name, ours), repeats=1, limit=limit)
        bars.append(Bar("speed", "ceiba", name, 20 if name == "YDF" else None))
        bars.append(Bar("impurity", "ceiba", name))
    name = f"{PROBLEMS[problem].about}, any depth"
    return _race(name, _also_quick("categories", problem == "categorical"), contenders, *bars)


# ---------------------------------------------------------------------------------- small, predict


def _small(problem: str, action: Action, speed: float, *rivals: str, quick: bool = False) -> Race:
    """Small tables and single rows, default settings: the cost of everything but the search."""
    ours = Contender("ceiba", problem, action, repeats=3)
    contenders = {"ceiba": ours, "scikit-learn": replace(ours, library="scikit-learn")}
    contenders |= {name: replace(_named(name, ours), repeats=2) for name in rivals}
    return _race(
        f"{PROBLEMS[problem].about}, {action}",
        _also_quick("small", quick),
        contenders,
        Bar("speed", "ceiba", "scikit-learn", speed),
        *(Bar("speed", "ceiba", name) for name in rivals),
    )


def _selection(problem: str, action: Action, speed: float | None, own: float | None) -> Race:
    """Model selection, against scikit-learn's tree and against scikit-learn's own work."""
    ours = Contender("ceiba", problem, action, repeats=3)
    names = ("scikit-learn", "no estimator")
    return _race(
        f"{PROBLEMS[problem].about}, {action}",
        _also_quick("small", problem == "iris"),
        {"ceiba": ours} | {name: replace(ours, library=name) for name in names},
        Bar("speed", "ceiba", "scikit-learn", speed),
        Bar("slowdown", "ceiba", "no estimator", own),
    )


def _c45(
    problem: str, limit: float, weka: float | None = None, chefboost: float | None = None
) -> Race:
    """The other family: C4.5 with its pruning, as J48 grows it."""
    ours = Contender("ceiba", problem, settings=Settings(min_samples_leaf=2, recipe="c45"))
    return _race(
        f"{PROBLEMS[problem].about}, C4.5",
        _also_quick("families", problem == "iris"),
        {
            "ceiba": replace(ours, repeats=5),
            "Weka": replace(ours, library="Weka"),
            "chefboost": replace(ours, library="chefboost", repeats=1, limit=limit),
        },
        Bar("speed", "ceiba", "Weka", weka),
        Bar("speed", "ceiba", "chefboost", chefboost),
    )


def _family(problem: str, recipe: str, leaf: int, seconds: float) -> Race:
    """A family that few others have, on a table with a column of very many levels."""
    settings = Settings(min_samples_leaf=leaf, recipe=recipe)
    return _race(
        f"{PROBLEMS[problem].about}, {recipe}",
        "families",
        {"ceiba": Contender("ceiba", problem, settings=settings, repeats=2)},
        Bar("seconds", "ceiba", limit=seconds),
    )


def _predict(
    action: Action, speed: float | None, onnx: float | None, problem: str = "classes"
) -> Race:
    """The same tree for all: scikit-learn and onnxruntime get the one that ceiba grew."""
    same = replace(_settings(None), same_tree=True)
    ours = Contender("ceiba", problem, action, settings=same, repeats=3)
    names = ["scikit-learn", "onnxruntime"]
    if (problem, action) == ("classes", "predict"):
        names.append("tl2cgen")  # compiling its tree takes about a minute
    return _race(
        f"{PROBLEMS[problem].about}, any depth, {action}",
        _also_quick("predict", (problem, action) == ("classes", "predict")),
        {"ceiba": ours} | {name: replace(ours, library=name) for name in names},
        Bar("speed", "ceiba", "scikit-learn", speed),
        Bar("speed", "ceiba", "onnxruntime", onnx),
        *(Bar("speed", "ceiba", name) for name in names[2:]),
    )


def _real(
    problem: str, *rivals: str, limit: float, fast: float | None = None, quick: bool = False
) -> Race:
    """A real data set, whole tree, at least 50 rows in a leaf; `fast` is the bar for LightGBM."""
    ours = Contender("ceiba", problem, settings=_settings(None))
    contenders = {"ceiba": ours}
    contenders |= {name: replace(_named(name, ours), repeats=1, limit=limit) for name in rivals}
    bars = []
    for rival in rivals:
        bars.append(Bar("speed", "ceiba", rival, fast if rival == "LightGBM" else None))
        bars.append(Bar("impurity", "ceiba", rival))
    name = f"{PROBLEMS[problem].about}, {depth_name(None)}"
    return _race(name, _also_quick("real", quick), contenders, *bars)


# ---------------------------------------------------------------------------------- all

_SURROGATES = Settings(
    max_depth=8, min_samples_split=100, min_samples_leaf=50, missing="surrogate", max_surrogates=5
)
_ABSOLUTE = Settings(max_depth=8, min_samples_leaf=50, criterion="absolute_error")

RACES: tuple[Race, ...] = (
    _with_histogram(
        _with_rivals(_exact("classes", 8, 60, "quick numbers"), 4, ydf=20, slow=True), 100, 7
    ),
    _with_histogram(_with_rivals(_exact("classes", None, 55, "numbers"), 4), 70, None),
    _exact("classes_float64", 8, 45, "numbers"),
    _exact("classes_float64", None, 28, "numbers"),
    _exact("regression", 8, 50, "quick numbers"),
    _exact("regression", None, 22, "numbers"),
    _exact("integers", 8, 24, "quick numbers"),
    _exact("integers", None, 20, "numbers"),
    _exact("int64", 8, 50, "numbers"),
    _race(
        f"{PROBLEMS['covertype'].about}, full tree",
        "numbers real",
        {
            "ceiba": Contender("ceiba", "covertype"),
            "scikit-learn": Contender("scikit-learn", "covertype", repeats=2),
        },
        Bar("speed", "ceiba", "scikit-learn", 25),
        Bar("impurity", "ceiba", "scikit-learn", EQUAL),
        Bar("memory", "ceiba", limit=2.5),
    ),
    _missing(8, 40, "quick missing"),
    _missing(None, None, "missing"),
    _race(
        f"{PROBLEMS['absolute_error'].about}, depth 8",
        "numbers",
        {
            "ceiba": Contender("ceiba", "absolute_error", settings=_ABSOLUTE),
            "scikit-learn": Contender(
                "scikit-learn", "absolute_error", settings=_ABSOLUTE, repeats=2
            ),
        },
        Bar("speed", "ceiba", "scikit-learn", 7),
        Bar("impurity", "ceiba", "scikit-learn", EQUAL),
    ),
    _wide("wide", 15, "XGBoost exact", "YDF", "rpart"),
    _wide("wide_regression", 5, "XGBoost exact", "YDF"),
    _categorical("categorical", 2, ("XGBoost hist", 60.0), ("scikit-learn", 60.0), ("YDF", 40.0)),
    _categorical("categorical_5", 3, ("XGBoost hist", 60.0), ("scikit-learn", 60.0)),
    _predict("predict", 8, 2.5),
    _predict("predict", 8, None, "classes_columns"),
    _predict("predict", 8, None, "classes_float64"),
    _predict("predict", 8, None, "classes_float64_columns"),
    _predict("predict one row", 30, None),
    _small("iris", "fit", 25, "LightGBM", "XGBoost exact", "YDF", "rpart", quick=True),
    _small("breast_cancer", "fit", 9, "LightGBM", "XGBoost exact", "YDF", "rpart"),
    _small("iris", "predict", 1),
    _small("iris", "predict one row", 8, "LightGBM", "XGBoost exact", "YDF", quick=True),
    _small("breast_cancer", "predict", 1),
    _small("breast_cancer", "predict one row", 8),
    _selection("iris", "cross_val_score", None, 1.2),
    _selection("iris", "GridSearchCV", None, 1.2),
    _selection("breast_cancer", "cross_val_score", 8, None),
    _selection("breast_cancer", "GridSearchCV", None, None),
    *CURVES,
    _race(
        f"{PROBLEMS['surrogates'].about}, 5 surrogates, depth 8",
        "quick missing",
        {
            "ceiba": Contender("ceiba", "surrogates", settings=_SURROGATES, repeats=5),
            "rpart": Contender("rpart", "surrogates", settings=_SURROGATES, repeats=3),
        },
        Bar("speed", "ceiba", "rpart", 4),
        Bar("impurity", "ceiba", "rpart", EQUAL),
    ),
    _race(
        f"{PROBLEMS['large_category'].about}, the root's split",
        "quick categories",
        {"ceiba": Contender("ceiba", "large_category", settings=Settings(max_depth=1), repeats=5)},
        Bar("seconds", "ceiba", limit=0.05),
    ),
    _race(
        "import, without scikit-learn's own, and the help of the command line",
        "quick small",
        {
            "import ceiba": Contender("ceiba", "iris", "import", repeats=5),
            "its estimators": Contender("ceiba estimators", "iris", "import", repeats=5),
            "ceiba --help": Contender("ceiba --help", "iris", "import", repeats=5),
        },
        Bar("seconds", "import ceiba", limit=0.15),
        Bar("seconds", "its estimators", limit=0.15),
        Bar("seconds", "ceiba --help", limit=0.3),
    ),
    _real(
        "adult", "scikit-learn", "LightGBM", "XGBoost hist", "YDF", limit=20.0, fast=3, quick=True
    ),
    _real("flights", "LightGBM", "XGBoost hist", "YDF", limit=20.0),
    _real("routes", "LightGBM", limit=20.0, fast=2),
    _c45("iris", 10.0, weka=1 / 3),
    _c45("breast_cancer", 20.0),
    _c45("adult", 120.0, weka=10, chefboost=100),
    _family("late_flights", "id3", 1, 10.0),
    _family("late_flights", "c45", 2, 10.0),
    _family("late_flights", "chaid", 7, 10.0),
    _family("flights", "chaid", 7, 30.0),
)


def races(*subsets: str) -> list[Race]:
    """List the races of some subsets, in the order of the table."""
    return [race for race in RACES if race.subsets.intersection(subsets)]
