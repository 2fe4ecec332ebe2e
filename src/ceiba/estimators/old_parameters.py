"""Parameters of model files written before options became objects, under today's names.

Files of version 1 and 2 hold `max_surrogates`, `cuts`, `alpha_split` and their like as parameters
of the estimator; today they belong to `missing`, `criterion` and `categorical_splits`.
"""

from __future__ import annotations

from typing import Any, Final

from ceiba.grow import Chaid, GainRatio, Multiway, Surrogates

#: Names that estimators no longer have.
OLD_NAMES: Final = (
    "max_surrogates", "surrogate_style", "use_surrogate", "cuts", "alpha_merge", "alpha_split",
    "empty_branches",
)  # fmt: skip


def with_todays_names(given: dict[str, Any]) -> dict[str, Any]:
    """Give the parameters of an old model file under today's names.

    Examples
    --------
    >>> from ceiba.estimators.old_parameters import with_todays_names
    >>> with_todays_names({"missing": "surrogate", "max_surrogates": 3, "cuts": "midpoint"})
    {'missing': Surrogates(keep=3)}
    """
    old = {name: given.pop(name) for name in OLD_NAMES if name in given}
    if given.get("missing") == "surrogate":
        used = old.get("use_surrogate", 2)
        given["missing"] = Surrogates(
            keep=old.get("max_surrogates", 5) if used else 0,
            otherwise="majority" if used == 2 else "stay",
            agreement="both" if old.get("surrogate_style") else "all",
        )
    criterion = given.get("criterion")
    if criterion == "gain_ratio":
        given["criterion"] = GainRatio(cuts=old.get("cuts", "midpoint"))
    elif criterion in ("chi2", "likelihood_ratio", "f_test"):
        given["criterion"] = Chaid(
            test=criterion,
            merge=old.get("alpha_merge", 0.05),
            split=old.get("alpha_split", 0.05),
            bins=given.pop("max_bins", None) or 10,
        )
    if given.get("categorical_splits") == "multiway" and old.get("empty_branches"):
        given["categorical_splits"] = Multiway(empty=True)
    return given
