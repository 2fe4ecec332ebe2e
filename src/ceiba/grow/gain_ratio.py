"""What `criterion="gain_ratio"` (C4.5) can and cannot be combined with.

Its search (`cpp/core/split/ratio`) judges the columns of a node against each other, with
C4.5's own rules for sizes: `min_samples_leaf` is C4.5's M, the weight that two branches need; a cut
needs on each side the larger of M and min(25, a tenth of the weight per class).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ceiba.errors import OptionError

if TYPE_CHECKING:
    from ceiba.grow.options import GrowOptions
    from ceiba.table import Table, Target

__all__ = ["SLACK", "check_gain_ratio"]

#: Weights this close are equal: parts of rows with missing values do not add up exactly.
SLACK: Final = 1e-6

_ALONE: Final = (
    ("splitter", "best", "tries every cut"),
    ("max_features", None, "compares all columns with their average"),
    ("monotonic_cst", None, "does not know monotone constraints"),
    ("class_prior", None, "does not know priors; weight the rows instead"),
    ("cost_matrix", None, "does not know costs; weight the rows instead"),
    ("keep_zero_weights", False, "leaves rows of weight 0 out"),
)


def check_gain_ratio(table: Table, target: Target, options: GrowOptions) -> None:
    """Refuse what the gain ratio cannot do."""
    for name, allowed, why in _ALONE:
        given = getattr(options, name)
        if given is not allowed and not (isinstance(given, str) and given == allowed):
            raise OptionError(f"criterion='gain_ratio' {why}: {name}={given!r} has no meaning.")
    if target.info.n_outputs > 1:
        raise OptionError(
            f"criterion='gain_ratio' needs a target with one output; this one has "
            f"{target.info.n_outputs}. Use criterion='entropy', or fit one tree per output."
        )
    if options.missing == "learn":
        for column in table.columns:
            if column.missing.any():
                raise OptionError(
                    f"Column {column.info.name!r} has missing values, and criterion='gain_ratio' "
                    "counts them as a branch of their own: missing='learn' has nothing to try. "
                    "Use missing='fractional' (C4.5) or missing='majority'."
                )
