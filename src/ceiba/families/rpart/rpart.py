"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

See docs/rpart.md for what agrees with R to the last digit and what deliberately does not.
"""

from __future__ import annotations

from typing import Unpack

from ceiba.errors import OptionError
from ceiba.families.rpart.estimators import RpartClassifier, RpartRegressor
from ceiba.families.rpart.options import METHODS, ONLY_FOR, RPART_OPTIONS, Method, RpartParameters
from ceiba.options import check_options
from ceiba.options.checks import one_of


def rpart(
    method: Method = "class", **parameters: Unpack[RpartParameters]
) -> RpartClassifier | RpartRegressor:
    """Give an estimator that grows trees as R's rpart does.

    Parameters
    ----------
    method : {"class", "anova", "poisson"}, default="class"
        Classification, regression, or rates of events (`fit(..., exposure=)`).
    **parameters
        Those of R's rpart.control and `parms`, with R's defaults: `cp`, `minsplit`, `minbucket`,
        `maxdepth`, `maxcompete`, `maxsurrogate`, `usesurrogate`, `surrogatestyle`, `xval`, `cost`;
        for "class" `split`, `prior`, `loss`; for "poisson" `shrink`. See `RpartClassifier`.

    Returns
    -------
    RpartClassifier or RpartRegressor
        Not fitted.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.rpart("class", minsplit=2, loss={("ill", "well"): 10})
    RpartClassifier(loss={('ill', 'well'): 10}, minsplit=2)
    """
    allowed = {"method": (one_of(*METHODS),), "xval": RPART_OPTIONS["xval"].allowed}
    check_options({"method": method, **parameters}, allowed, "rpart")
    for name, owner in ONLY_FOR.items():
        if name in parameters and owner != method:
            raise OptionError(
                f"{name} is a parameter of method={owner!r}; method={method!r} has none. Leave it "
                "out."
            )
    if method == "class":
        return RpartClassifier(**parameters)
    return RpartRegressor(method=method, **parameters)
