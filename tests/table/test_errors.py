"""The exception hierarchy, and "did you mean"."""

from __future__ import annotations

import pytest

from ceiba import errors
from ceiba.errors import did_you_mean


@pytest.mark.parametrize(
    "name",
    ["DataError", "DataTypeError", "SchemaError", "OptionError", "TreeError", "ModelFileError"],
)
def test_every_error_is_a_value_error(name: str) -> None:
    assert issubclass(getattr(errors, name), errors.CeibaError)
    assert issubclass(getattr(errors, name), ValueError)


def test_data_type_error_is_also_a_type_error() -> None:
    assert issubclass(errors.DataTypeError, TypeError)


def test_schema_error_is_a_data_error() -> None:
    assert issubclass(errors.SchemaError, errors.DataError)


def test_data_warning_is_a_user_warning() -> None:
    assert issubclass(errors.DataWarning, errors.CeibaWarning)
    assert issubclass(errors.CeibaWarning, UserWarning)


@pytest.mark.parametrize(
    ("name", "allowed", "hint"),
    [
        ("RAIN", ["rain", "sun"], " Did you mean 'rain'?"),
        ("max_dept", ["max_depth", "min_gain"], " Did you mean 'max_depth'?"),
        (" city", ["city"], " Did you mean 'city'?"),
        ("zzz", ["city"], ""),
        ("city", [], ""),
        (5, ["5"], ""),
        ("five", [5], ""),
    ],
)
def test_did_you_mean_offers_the_close_name(name: object, allowed: list[object], hint: str) -> None:
    assert did_you_mean(name, allowed) == hint
