"""Trees that come from outside: from a model file, from scikit-learn.

Imports go upwards here, inside functions: a file may hold an estimator, or rules.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def load(path: str | os.PathLike[str] | BinaryIO | bytes) -> Any:
    """Read a model file: gives the fitted estimator that was saved, or the tree.

    What `save(metadata=...)` added is `metadata_` of the estimator; `ceiba.read_metadata` reads it
    without making the model.

    Everything in the file is checked before it is used; a file never runs code.

    Parameters
    ----------
    path : path, binary file or bytes
        Written by ``model.save(path)`` or ``tree.save(path)``.

    Returns
    -------
    DecisionTreeClassifier, DecisionTreeRegressor, another estimator of ceiba, or Tree

    Raises
    ------
    ModelFileError
        Naming the place of what is wrong in the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.ceiba")
    ...     tree.save(path)
    ...     ceiba.load(path) == tree
    True
    """
    from ceiba.tree.model_file import read

    document = read(path)
    if document.model is None:
        return document.tree
    import ceiba.families  # noqa: F401 - the file may hold one of their estimators
    from ceiba.estimators.model_file import restore

    stored = document.model.value
    if isinstance(stored, dict) and stored.get("class") == "RuleSet":
        from ceiba.rules.model_file import restore_rules

        return restore_rules(document)
    model = restore(document)
    model.metadata_ = document.metadata
    return model


def from_sklearn(model: Any) -> Tree:
    """Return the Tree of a fitted scikit-learn decision tree, exactly; see `ceiba.export`."""
    from ceiba.export.sklearn import from_sklearn as convert

    return convert(model)
