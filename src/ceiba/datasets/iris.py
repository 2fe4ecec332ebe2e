"""Fisher's iris flowers, from the copy that scikit-learn ships (imported at first use).

R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7 (1936)
179-188.
"""

from __future__ import annotations

from ceiba.datasets.dataset import Dataset

_NAMES = ("sepal length", "sepal width", "petal length", "petal width")


def load_iris() -> Dataset:
    """Return the iris table: 150 rows, 4 numeric columns (cm), target ``species``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> iris = load_iris()
    >>> list(iris.X)
    ['sepal length', 'sepal width', 'petal length', 'petal width']
    >>> iris.y[0], iris.X["petal length"][0]
    ('setosa', 1.4)
    """
    from sklearn.datasets import load_iris as load

    bunch = load()
    X = {name: bunch.data[:, j].tolist() for j, name in enumerate(_NAMES)}
    y = [str(bunch.target_names[code]) for code in bunch.target]
    return Dataset("iris", X, y, "species", "Fisher (1936)")
