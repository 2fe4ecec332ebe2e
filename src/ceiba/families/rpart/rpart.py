"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

See docs/rpart.md for what agrees with R to the last digit and what deliberately does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Unpack, overload

from ceiba.errors import OptionError, did_you_mean
from ceiba.families.rpart.by_target import Rpart
from ceiba.families.rpart.estimators import RpartClassifier, RpartRegressor
from ceiba.families.rpart.options import METHODS, ONLY_FOR, RPART_OPTIONS, Method, RpartParameters
from ceiba.options import check_options
from ceiba.options.checks import nothing, one_of

_OF_GROUP: Final = {
    "control": ("minsplit", "minbucket", "cp", "maxdepth", "maxcompete", "maxsurrogate",
                "usesurrogate", "surrogatestyle", "xval"),
    "parms": ("split", "prior", "loss", "shrink", "error"),
}  # fmt: skip


@overload
def rpart(
    method: Literal["class"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartClassifier: ...
@overload
def rpart(
    method: Literal["anova", "poisson", "exp"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartRegressor: ...
@overload
def rpart(
    method: None = None,
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Rpart: ...
def rpart(
    method: Method | None = None,
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Rpart | RpartClassifier | RpartRegressor:
    """Give an estimator that grows trees as R's rpart does.

    Parameters
    ----------
    method : {"class", "anova", "poisson", "exp"}, default=None
        Classification, regression, rates of events (`fit(..., exposure=)`), or survival (y: time
        and status). None: `fit` takes it from the target, as R does: numbers mean "anova", texts,
        categories and booleans "class", observation times (`exposure`) "poisson".
    control, parms : mapping, optional
        The same parameters grouped as in R: `control={"cp": 0.001}`, `parms={"split":
        "information"}`; R's `parms={"method": "sqrt"}` is `error="sqrt"`.
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
    for group, given in (("control", control), ("parms", parms)):
        for word, value in (given or {}).items():
            name = "error" if (group, word) == ("parms", "method") else word
            if name in parameters:
                raise OptionError(f"{name} is given twice: in {group} and as a parameter.")
            if name not in _OF_GROUP[group]:
                raise OptionError(
                    f"{group} has no {name!r}. It has {', '.join(_OF_GROUP[group])}."
                    f"{did_you_mean(name, _OF_GROUP[group])}"
                )
            parameters[name] = value  # type: ignore[literal-required]
    allowed = {"method": (one_of(*METHODS), nothing), "xval": RPART_OPTIONS["xval"].allowed}
    check_options({"method": method, **parameters}, allowed, "rpart")
    if method is None:
        return Rpart(**parameters)
    for name, owner in ONLY_FOR.items():
        if name in parameters and method not in owner:
            raise OptionError(
                f"{name} is a parameter of method={owner[0]!r}; method={method!r} has none. Leave "
                "it out."
            )
    if method == "class":
        return RpartClassifier(**parameters)
    return RpartRegressor(method=method, **parameters)
