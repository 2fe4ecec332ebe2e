"""R's plotcp: the cross-validated risk of the nested trees of rpart() against cp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.painting.axes import plain_axes


def plotcp(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw what R's `plotcp(fit)` draws: xerror with its standard error, by cp and size.

    Each tree stands at the geometric mean of its cp and the one above; the dashed line is one
    standard error above the least: the leftmost tree below it is the usual choice.

    Parameters
    ----------
    model : estimator of `ceiba.rpart`, fitted with cross-validation
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> model = ceiba.rpart("class").fit(*load_iris(return_X_y=True, as_frame=True))
    >>> ceiba.plot.plotcp(model).get_xlabel()
    'cp'
    """
    table = getattr(model, "cp_table_", None)
    if table is None:
        raise OptionError("plotcp draws models of ceiba.rpart; for others see plot_pruning.")
    if "relative_cv_risk" not in table:
        raise OptionError("plotcp needs cross-validated risks. Fit with xval=10.")
    cp, risk, se = table["cp"], table["relative_cv_risk"], table["relative_cv_se"]
    between = np.sqrt(cp * np.append(np.inf, cp[:-1]))
    ax = plain_axes(ax, 6.0, 4.0)
    at = np.arange(len(cp))
    ax.errorbar(at, risk, yerr=se, fmt="o-", color="0.25", ecolor="0.6", capsize=3, ms=4)
    best = int(np.argmin(risk))
    ax.axhline(risk[best] + se[best], ls="--", lw=0.8, color="0.5")
    ax.set_xticks(at, ["Inf" if not np.isfinite(c) else f"{c:.2g}" for c in between])
    ax.set_xlabel("cp")
    ax.set_ylabel("X-val relative error")
    top = ax.secondary_xaxis("top")
    top.set_xticks(at, [str(int(n) + 1) for n in table["n_splits"]])
    top.set_xlabel("size of tree")
    return ax
