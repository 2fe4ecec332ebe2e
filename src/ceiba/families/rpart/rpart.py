"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

See docs/rpart.md for what agrees with R to the last digit and what deliberately does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Unpack, cast, overload

from ceiba.errors import OptionError, did_you_mean
from ceiba.estimators.weights import pop_column
from ceiba.families.rpart.estimators import (
    Rpart,
    RpartClassifier,
    RpartRegressor,
    method_of_target,
)
from ceiba.families.rpart.formula import read_formula
from ceiba.families.rpart.options import METHODS, ONLY_FOR, RPART_OPTIONS, Method, RpartParameters
from ceiba.options import check_options, nothing, one_of

_OF_GROUP: Final = {
    "control": ("minsplit", "minbucket", "cp", "maxdepth", "maxcompete", "maxsurrogate",
                "usesurrogate", "surrogatestyle", "xval"),
    "parms": ("split", "prior", "loss", "shrink", "error"),
}  # fmt: skip


@overload
def rpart(
    formula: Literal["class"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartClassifier: ...
@overload
def rpart(
    formula: Literal["anova", "poisson", "exp"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartRegressor: ...
@overload
def rpart(
    formula: str | None = None,
    data: Any = None,
    *,
    method: Method | None = None,
    weights: Any = None,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Any: ...
def rpart(
    formula: str | None = None,
    data: Any = None,
    *,
    method: Method | None = None,
    weights: Any = None,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Any:
    """Return an estimator that grows trees as R's rpart does; with a formula and data, fitted.

    Parameters
    ----------
    formula : str, optional
        The method, or a formula such as "y ~ a + b" with its data.
    data : frame or dict of columns, optional
        The data of the formula: the estimator is fitted to them.
    method : {"class", "anova", "poisson", "exp"}, default=None
        Classification, regression, rates of events (`fit(..., exposure=)`), or survival (y: time
        and status). None: from the target, as R does: numbers mean "anova", texts, categories and
        booleans "class", `Surv(time, status)` "exp", observation times (`exposure`) "poisson".
    weights : array-like or str, optional
        With a formula: the weights of the rows, or their column in the data.
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
        By the method; `Rpart`, without one, takes it from the target of each fit.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.rpart("class", minsplit=2, loss={("ill", "well"): 10})
    RpartClassifier(loss={('ill', 'well'): 10}, minsplit=2)
    >>> ceiba.rpart("z ~ x", {"x": range(40), "z": [i // 20 for i in range(40)]}).method
    'anova'
    """
    if formula is not None and "~" not in formula:
        if method is not None:
            raise OptionError(f"method is given twice: {formula!r} and {method!r}.")
        formula, method = None, cast("Method", formula)
    if (formula is None) != (data is None):
        got = "a formula without data" if data is None else "data without a formula"
        raise OptionError(f"rpart() got {got}. Write rpart('y ~ a + b', data).")
    if formula is None and weights is not None:
        raise OptionError("weights belong to data. Pass sample_weight to fit.")
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
    if method is None and formula is not None:
        rest, _ = pop_column(data, weights)
        method = method_of_target(*read_formula(formula, rest))
    for name, owner in ONLY_FOR.items():
        if name in parameters and method is not None and method not in owner:
            raise OptionError(
                f"{name} is a parameter of method={owner[0]!r}; method={method!r} has none. Leave "
                "it out."
            )
    model: Any
    if method is None:
        model = Rpart(**parameters)
    elif method == "class":
        model = RpartClassifier(**parameters)
    else:
        model = RpartRegressor(method=method, **parameters)
    return model if formula is None else model.fit(formula, data, sample_weight=weights)
