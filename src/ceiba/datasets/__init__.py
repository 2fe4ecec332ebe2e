"""Functions that load the small data sets bundled with ceiba."""

from ceiba.datasets.loaders import (
    Dataset,
    load_bike_sharing,
    load_german_credit,
    load_iris,
    load_lung,
    load_play_tennis,
    load_restaurant,
    load_titanic,
)
from ceiba.datasets.loaders import describe_tables as describe_tables
from ceiba.datasets.loaders import get_path as get_path
from ceiba.datasets.loaders import load as load

__all__ = [
    "Dataset",
    "load_bike_sharing",
    "load_german_credit",
    "load_iris",
    "load_lung",
    "load_play_tennis",
    "load_restaurant",
    "load_titanic",
]
