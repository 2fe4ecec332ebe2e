"""What `max_bins` can and cannot be combined with.

With `max_bins` the numeric columns are cut only at the edges of that many bins, placed at quantiles
of the (weighted) rows; a column with no more different values than bins loses nothing. The search
over bins (`cpp/core/split/bins/bounded_finder.hpp`) needs a criterion that follows from counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ceiba import _core
from ceiba.errors import OptionError

if TYPE_CHECKING:
    from ceiba.grow.options import GrowOptions
    from ceiba.table import Target

__all__ = ["check_bins"]

_ALLOWED: Final = (
    ("criterion", (*_core.counted_criteria(), "log_loss")),
    ("missing", ("learn", "majority", "error")),
    ("splitter", ("best",)),
    ("max_features", (None,)),
    ("max_competitors", (0,)),
    ("keep_zero_weights", (False,)),
)


def check_bins(target: Target, options: GrowOptions) -> None:
    """Refuse what growing by bins cannot do."""
    for name, allowed in _ALLOWED:
        given = getattr(options, name)
        if given not in allowed:
            words = " or ".join(repr(value) for value in allowed)
            raise OptionError(
                f"max_bins={options.max_bins} works with {name}={words}; got {given!r}. "
                "Leave max_bins=None for the exact search, which has no such limit."
            )
    if target.info.n_outputs > 1:
        raise OptionError(
            f"max_bins={options.max_bins} needs a target with one output; this one has "
            f"{target.info.n_outputs}. Leave max_bins=None, or fit one tree per output."
        )
