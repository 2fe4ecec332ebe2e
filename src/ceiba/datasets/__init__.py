"""Small embedded data, as plain dicts of lists."""

from ceiba.datasets.dataset import Dataset
from ceiba.datasets.iris import load_iris
from ceiba.datasets.play_tennis import load_play_tennis
from ceiba.datasets.restaurant import load_restaurant

__all__ = ["Dataset", "load_iris", "load_play_tennis", "load_restaurant"]
