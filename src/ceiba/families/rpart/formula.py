"""R's formulas: "Kyphosis ~ Age + Number", "y ~ .", "y ~ . - id", "Surv(time, status) ~ age".

Plain names are columns of the data, taken as they are (levels, missing values). Terms that compute
something, such as `log(x)` or `x:z`, are evaluated by formulaic, an extra (`pip install
ceiba[formula]`).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.table.readers.frames import as_frame


def read_formula(formula: str, data: Any) -> tuple[Any, Any]:
    """Return the columns and the target that a formula names in a table.

    Parameters
    ----------
    formula : str
    data : frame or dict of columns

    Returns
    -------
    X, y
        A dict of columns; the target, of "Surv(time, status)" a dict of both.

    Examples
    --------
    >>> from ceiba.families.rpart.formula import read_formula
    >>> data = {"y": [0, 1], "a": [3, 4], "id": [7, 8]}
    >>> read_formula("y ~ . - id", data)
    ({'a': [3, 4]}, [0, 1])
    """
    left, sign, right = (part.strip() for part in formula.partition("~"))
    if not sign or not left or not right:
        raise OptionError(f"{formula!r} is not a formula. Write 'target ~ a + b' or 'target ~ .'.")
    columns = _columns(data)
    survival = re.fullmatch(r"Surv\(\s*([^,]+?)\s*,\s*([^,)]+?)\s*\)", left)
    targets = list(survival.groups()) if survival else [left]
    y: Any = {name: _term(name, columns, data) for name in targets}
    y = y if survival else y[left]
    X: dict[str, Any] = {}
    for plus, term in re.findall(r"([+-]?)\s*((?:[^+\-()`]|\([^()]*\)|`[^`]*`)+)", right):
        name = term.strip().strip("`")
        names = [one for one in columns if one not in targets] if name == "." else [name]
        for one in names:
            if plus == "-":
                if one not in X and one != "1":
                    raise OptionError(f"{formula!r}: {one!r} is taken out, but was not in.")
                X.pop(one, None)
            elif one not in ("1", "0"):
                X[one] = _term(one, columns, data)
    if not X:
        raise OptionError(f"{formula!r} names no columns to split on.")
    return X, y


def _columns(data: Any) -> dict[str, Any]:
    if isinstance(data, dict):
        return data
    frame = as_frame(data)
    if frame is None:
        raise DataError(
            f"A formula names columns of a frame or of a dict. Got {type(data).__name__}."
        )
    return {name: frame[name].to_native() for name in frame.columns}


def _term(name: str, columns: dict[str, Any], data: Any) -> Any:
    if name in columns:
        return columns[name]
    if re.fullmatch(r"[A-Za-z.][\w.]*", name):
        raise DataError(
            f"The formula names {name!r}, which is no column of the data: {', '.join(columns)}."
            f"{did_you_mean(name, list(columns))}"
        )
    try:
        import pandas
        from formulaic import model_matrix
    except ImportError:
        raise OptionError(
            f"The term {name!r} is computed by formulaic. Install it: pip install ceiba[formula]; "
            "or make the column yourself."
        ) from None
    frame = pandas.DataFrame({key: np.asarray(values) for key, values in columns.items()})
    return np.asarray(model_matrix(f"0 + {name}", frame, na_action="ignore")).ravel()


def formula_or_data(X: Any, y: Any) -> tuple[Any, Any]:
    """Return the data of a formula where X is one; else X and y as they are."""
    return read_formula(X, y) if isinstance(X, str) and "~" in X else (X, y)
