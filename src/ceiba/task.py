"""`Task`, a string enum of learning tasks with their properties.

A task is compared, printed and stored as its name. Code that depends on the task looks up its row
in a mapping (`Task.lookup`), or branches on `is_classification` and `is_regression`. These methods
raise an error for tasks without a row, so code that does not support a new task rejects it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal, TypeVar

from ceiba.errors import OptionError, TreeError, did_you_mean

TaskName = Literal["classification", "regression", "survival"]
#: For each task, whether it has classes, and the name of its loss.
_FACTS: Final = {
    "classification": (True, "misclassification cost"),
    "regression": (False, "squared error"),
    "survival": (False, "half deviance"),
}
_Row = TypeVar("_Row")


class Task(StrEnum):
    """The learning task of a tree: classification, regression or survival.

    Examples
    --------
    >>> from ceiba.task import Task
    >>> Task("regression") == "regression", Task.REGRESSION.has_classes
    (True, False)
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    SURVIVAL = "survival"

    def __init__(self, name: str) -> None:
        self.has_classes, self.loss = _FACTS[name]

    @classmethod
    def _missing_(cls, value: object) -> None:
        allowed = [str(task) for task in cls]
        raise OptionError(
            f"task must be one of {', '.join(map(repr, allowed))}, got {value!r}."
            f"{did_you_mean(str(value), allowed)}"
        )

    def __repr__(self) -> str:
        return repr(self.value)

    def lookup(self, rows: Mapping[Task, _Row], operation: str) -> _Row:
        """Return this task's entry in `rows`; if missing, raise an error that names `operation`."""
        if self not in rows:
            raise TreeError(f"{operation} is not supported for {self}.")
        return rows[self]

    def require(self, tasks: Iterable[Task], operation: str) -> None:
        """Raise an error if this task is not in `tasks`; `operation` names the operation."""
        self.lookup(dict.fromkeys(tasks), operation)

    def is_classification(self, operation: str) -> bool:
        """Return True for classification, False for regression; raise an error for other tasks."""
        return self.lookup(_IS_CLASSIFICATION, operation)

    def is_regression(self, operation: str) -> bool:
        """Return True for regression, False for classification; raise an error for other tasks."""
        return not self.lookup(_IS_CLASSIFICATION, operation)


_IS_CLASSIFICATION: Final = {Task.CLASSIFICATION: True, Task.REGRESSION: False}
