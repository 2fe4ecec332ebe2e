"""ceiba: one decision tree that a person can read and trust.

Names are loaded at first use (PEP 562), so that ``import ceiba`` stays light: scikit-learn,
narwhals, pandas, polars and matplotlib are imported only by what needs them. A new public name is
one row in ``_HOMES`` and one line in the ``TYPE_CHECKING`` block, which shows the same names to
type checkers and editors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba import (
        criteria,
        datasets,
        edit,
        errors,
        estimators,
        export,
        families,
        grow,
        inspection,
        layout,
        listing,
        options,
        paths,
        plot,
        prune,
        report,
        rules,
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
    from ceiba.tree import Tree, load

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
    "edit",
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
    "listing",
    "load",
    "options",
    "paths",
    "plot",
    "prune",
    "report",
    "rpart",
    "rules",
    "table",
    "tree",
    "trust",
]

_ROOMS = (
    "criteria",
    "datasets",
    "edit",
    "errors",
    "estimators",
    "export",
    "families",
    "grow",
    "inspection",
    "layout",
    "listing",
    "options",
    "paths",
    "plot",
    "prune",
    "report",
    "rules",
    "table",
    "tree",
    "trust",
)

_HOMES = {
    "Surrogates": "grow",
    "Significance": "grow",
    "Multiway": "grow",
    "Lookahead": "grow",
    "Optimal": "grow",
    "GainRatio": "grow",
    "Honest": "grow",
    "MEstimate": "grow",
    "Shrinkage": "grow",
    "Chaid": "grow",
    "CeibaError": "errors",
    "CeibaWarning": "errors",
    "ChiSquare": "prune",
    "CostComplexity": "prune",
    "DataError": "errors",
    "DataTypeError": "errors",
    "DataWarning": "errors",
    "DecisionTreeClassifier": "estimators",
    "DecisionTreeRegressor": "estimators",
    "DescriptionLength": "prune",
    "ModelFileError": "errors",
    "OptionError": "errors",
    "OutputError": "errors",
    "Pessimistic": "prune",
    "ReducedError": "prune",
    "SameAnswer": "prune",
    "RuleSet": "rules",
    "SchemaError": "errors",
    "Tree": "tree",
    "TreeError": "errors",
    "c45": "families",
    "cart": "families",
    "chaid": "families",
    "describe": "inspection",
    "gain": "inspection",
    "id3": "families",
    "impurity": "inspection",
    "load": "tree",
    "rpart": "families",
}


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
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
