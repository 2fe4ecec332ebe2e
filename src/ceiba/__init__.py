"""ceiba: one decision tree that a person can read and trust.

Names are loaded on first access (PEP 562), so that ``import ceiba`` stays light: scikit-learn,
narwhals, pandas, polars and matplotlib are imported only when they are needed. Add a new public
name to ``_NAMES`` under its package, and to the ``TYPE_CHECKING`` block, which shows it to type
checkers and editors (``as`` marks a re-export).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ceiba import audit as audit
    from ceiba import criteria as criteria
    from ceiba import datasets as datasets
    from ceiba import errors as errors
    from ceiba import estimators as estimators
    from ceiba import export as export
    from ceiba import families as families
    from ceiba import grow as grow
    from ceiba import inspection as inspection
    from ceiba import lessons as lessons
    from ceiba import listing as listing
    from ceiba import plot as plot
    from ceiba import prune as prune
    from ceiba import report as report
    from ceiba import rules as rules
    from ceiba import studio as studio
    from ceiba import survival as survival
    from ceiba import table as table
    from ceiba import tree as tree
    from ceiba import trust as trust
    from ceiba.audit import analyze_errors as analyze_errors
    from ceiba.audit import compare as compare
    from ceiba.audit import mimic as mimic
    from ceiba.errors import CeibaError as CeibaError
    from ceiba.errors import CeibaWarning as CeibaWarning
    from ceiba.errors import DataError as DataError
    from ceiba.errors import DataTypeError as DataTypeError
    from ceiba.errors import DataWarning as DataWarning
    from ceiba.errors import LeakWarning as LeakWarning
    from ceiba.errors import ModelFileError as ModelFileError
    from ceiba.errors import OptionError as OptionError
    from ceiba.errors import OutputError as OutputError
    from ceiba.errors import SchemaError as SchemaError
    from ceiba.errors import TreeError as TreeError
    from ceiba.estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from ceiba.estimators import DecisionTreeRegressor as DecisionTreeRegressor
    from ceiba.estimators import DecisionTreeSurvival as DecisionTreeSurvival
    from ceiba.families.presets import c45 as c45
    from ceiba.families.presets import cart as cart
    from ceiba.families.presets import chaid as chaid
    from ceiba.families.presets import id3 as id3
    from ceiba.families.rpart.estimators import rpart as rpart
    from ceiba.grow import Chaid as Chaid
    from ceiba.grow import GainRatio as GainRatio
    from ceiba.grow import Honest as Honest
    from ceiba.grow import Lookahead as Lookahead
    from ceiba.grow import MEstimate as MEstimate
    from ceiba.grow import Multiway as Multiway
    from ceiba.grow import Optimal as Optimal
    from ceiba.grow import Quantile as Quantile
    from ceiba.grow import Shrinkage as Shrinkage
    from ceiba.grow import Significance as Significance
    from ceiba.grow import Surrogates as Surrogates
    from ceiba.inspection.describing.table import describe as describe
    from ceiba.inspection.splitting.division import gain as gain
    from ceiba.inspection.splitting.impurity import impurity as impurity
    from ceiba.prune import ChiSquare as ChiSquare
    from ceiba.prune import CostComplexity as CostComplexity
    from ceiba.prune import DescriptionLength as DescriptionLength
    from ceiba.prune import Pessimistic as Pessimistic
    from ceiba.prune import ReducedError as ReducedError
    from ceiba.prune import SameAnswer as SameAnswer
    from ceiba.rules import RuleSet as RuleSet
    from ceiba.studio.launch import open_studio as open_studio
    from ceiba.studio.prepare import prepare as prepare
    from ceiba.table import Scan as Scan
    from ceiba.table import read_file as read_file
    from ceiba.table import scan as scan
    from ceiba.tree import Tree as Tree
    from ceiba.tree import load as load
    from ceiba.tree import read_metadata as read_metadata

    __version__: str

_NAMES = {  # public names by the module that exports them
    "audit": "analyze_errors compare mimic",
    "criteria": "",
    "datasets": "",
    "errors": """CeibaError CeibaWarning DataError DataTypeError DataWarning LeakWarning
        ModelFileError OptionError OutputError SchemaError TreeError""",
    "estimators": "DecisionTreeClassifier DecisionTreeRegressor DecisionTreeSurvival",
    "export": "",
    "families": "c45 cart chaid id3 rpart",
    "grow": """Chaid GainRatio Honest Lookahead MEstimate Multiway Optimal Quantile Shrinkage
        Significance Surrogates""",
    "inspection": "describe gain impurity",
    "lessons": "",
    "listing": "",
    "plot": "",
    "prune": "ChiSquare CostComplexity DescriptionLength Pessimistic ReducedError SameAnswer",
    "report": "",
    "rules": "RuleSet",
    "studio": "open_studio prepare",
    "survival": "",
    "table": "Scan read_file scan",
    "tree": "Tree load read_metadata",
    "trust": "",
}
_ROOMS = tuple(_NAMES)
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *_ROOMS, *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first access, and cache it."""
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
    """Return all public names, including those that are not imported yet."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
