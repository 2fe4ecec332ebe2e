"""ceiba: one decision tree that a person can read and trust.

Names are loaded at first use (PEP 562), so that ``import ceiba`` stays light: scikit-learn,
narwhals, pandas, polars and matplotlib are imported only by what needs them. A new public name goes
into `__all__`, into ``_NAMES`` with its room, and into the ``TYPE_CHECKING`` block, which shows it
to type checkers and editors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba import (
        criteria,
        datasets,
        errors,
        estimators,
        export,
        families,
        grow,
        inspection,
        layout,
        lessons,
        listing,
        options,
        paths,
        plot,
        prune,
        report,
        rules,
        studio,
        table,
        tree,
        trust,
    )
    from ceiba.errors import (
        CeibaError,
        CeibaWarning,
        DataError,
        DataTypeError,
        DataWarning,
        LeakWarning,
        ModelFileError,
        OptionError,
        OutputError,
        SchemaError,
        TreeError,
    )
    from ceiba.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from ceiba.families.c45 import c45
    from ceiba.families.cart import cart
    from ceiba.families.chaid import chaid
    from ceiba.families.id3 import id3
    from ceiba.families.rpart.rpart import rpart
    from ceiba.grow import (
        Chaid,
        GainRatio,
        Honest,
        Lookahead,
        MEstimate,
        Multiway,
        Optimal,
        Shrinkage,
        Significance,
        Surrogates,
    )
    from ceiba.inspection.describing.table import describe
    from ceiba.inspection.splitting.gain import gain
    from ceiba.inspection.splitting.impurity import impurity
    from ceiba.prune import (
        ChiSquare,
        CostComplexity,
        DescriptionLength,
        Pessimistic,
        ReducedError,
        SameAnswer,
    )
    from ceiba.rules import RuleSet
    from ceiba.studio.launch import open_studio
    from ceiba.studio.prepare import prepare
    from ceiba.table import Scan, read_file, scan
    from ceiba.tree import Tree, load, read_metadata

    __version__: str

__all__ = [
    "CeibaError",
    "CeibaWarning",
    "Chaid",
    "ChiSquare",
    "CostComplexity",
    "DataError",
    "DataTypeError",
    "DataWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DescriptionLength",
    "GainRatio",
    "Honest",
    "LeakWarning",
    "Lookahead",
    "MEstimate",
    "ModelFileError",
    "Multiway",
    "Optimal",
    "OptionError",
    "OutputError",
    "Pessimistic",
    "ReducedError",
    "RuleSet",
    "SameAnswer",
    "Scan",
    "SchemaError",
    "Shrinkage",
    "Significance",
    "Surrogates",
    "Tree",
    "TreeError",
    "__version__",
    "c45",
    "cart",
    "chaid",
    "criteria",
    "datasets",
    "describe",
    "errors",
    "estimators",
    "export",
    "families",
    "gain",
    "grow",
    "id3",
    "impurity",
    "inspection",
    "layout",
    "lessons",
    "listing",
    "load",
    "open_studio",
    "options",
    "paths",
    "plot",
    "prepare",
    "prune",
    "read_file",
    "read_metadata",
    "report",
    "rpart",
    "rules",
    "scan",
    "studio",
    "table",
    "tree",
    "trust",
]

_NAMES = {
    "errors": """CeibaError CeibaWarning DataError DataTypeError DataWarning LeakWarning
        ModelFileError OptionError OutputError SchemaError TreeError""",
    "estimators": "DecisionTreeClassifier DecisionTreeRegressor",
    "families": "c45 cart chaid id3 rpart",
    "grow": """Chaid GainRatio Honest Lookahead MEstimate Multiway Optimal Shrinkage Significance
        Surrogates""",
    "inspection": "describe gain impurity",
    "prune": "ChiSquare CostComplexity DescriptionLength Pessimistic ReducedError SameAnswer",
    "rules": "RuleSet",
    "studio": "open_studio prepare",
    "table": "Scan read_file scan",
    "tree": "Tree load read_metadata",
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}
_ROOMS = tuple(name for name in __all__ if name not in _HOMES and name != "__version__")


def __getattr__(name: str) -> Any:
    """Load a public name from its room and keep it, so that the next access is a plain lookup."""
    if name in _HOMES:
        value = getattr(import_module(f"ceiba.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"ceiba.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("ceiba")
    else:
        raise AttributeError(f"module 'ceiba' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not, and nothing that was imported on the way."""
    return sorted({*__all__, *_ROOMS, *(name for name in globals() if name.startswith("__"))})
