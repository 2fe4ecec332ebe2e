"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

See docs/rpart.md for what agrees with R to the last digit and what deliberately does not.
"""

from __future__ import annotations

from typing import Literal, Unpack, overload

from ceiba.errors import OptionError
from ceiba.families.rpart.by_target import Rpart
from ceiba.families.rpart.estimators import RpartClassifier, RpartRegressor
from ceiba.families.rpart.options import METHODS, ONLY_FOR, RPART_OPTIONS, Method, RpartParameters
from ceiba.options import check_options
from ceiba.options.checks import nothing, one_of


@overload
def rpart(method: Literal["class"], **parameters: Unpack[RpartParameters]) -> RpartClassifier: ...
@overload
def rpart(
    method: Literal["anova", "poisson"], **parameters: Unpack[RpartParameters]
) -> RpartRegressor: ...
@overload
def rpart(method: None = None, **parameters: Unpack[RpartParameters]) -> Rpart: ...
def rpart(
    method: Method | None = None, **parameters: Unpack[RpartParameters]
) -> Rpart | RpartClassifier | RpartRegressor:
    """Give an estimator that grows trees as R's rpart does.

    Parameters
    ----------
    method : {"class", "anova", "poisson"}, default=None
        Classification, regression, or rates of events (`fit(..., exposure=)`). None: `fit` takes it
        from the target, as R does: numbers mean "anova", texts, categories and booleans "class",
        observation times (`exposure`) "poisson".
    **parameters
        Those of R's rpart.control and `parms`, with R's defaults: `cp`, `minsplit`, `minbucket`,
        `maxdepth`, `maxcompete`, `maxsurrogate`, `usesurrogate`, `surrogatestyle`, `xval`, `cost`;
        for "class" `split`, `prior`, `loss`; for "poisson" `shrink`, `error`. See
        `RpartClassifier`.

    Returns
    -------
    Rpart, RpartClassifier or RpartRegressor
        Not fitted.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.rpart("class", minsplit=2, loss={("ill", "well"): 10})
    RpartClassifier(loss={('ill', 'well'): 10}, minsplit=2)
    """
    allowed = {"method": (one_of(*METHODS), nothing), "xval": RPART_OPTIONS["xval"].allowed}
    check_options({"method": method, **parameters}, allowed, "rpart")
    if method is None:
        return Rpart(**parameters)
    for name, owner in ONLY_FOR.items():
        if name in parameters and owner != method:
            raise OptionError(
                f"{name} is a parameter of method={owner!r}; method={method!r} has none. Leave it "
                "out."
            )
    if method == "class":
        return RpartClassifier(**parameters)
    return RpartRegressor(method=method, **parameters)
