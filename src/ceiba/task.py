"""Define `Task`, a string enum of learning tasks with a few facts about each.

A task compares, prints and is stored as its name. Code that depends on the task looks its row up in
a table (`Task.lookup`), or branches on `is_classification` and `is_regression`. All raise an error
for unsupported tasks, so a new task is rejected wherever it has no row yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal, TypeVar

from ceiba.errors import OptionError, TreeError, did_you_mean

#: The spelling of tasks in arguments.
TaskName = Literal["classification", "regression", "survival"]
#: Whether a task has classes, and the name of its loss.
_FACTS: Final = {
    "classification": (True, "misclassification cost"),
    "regression": (False, "squared error"),
    "survival": (False, "half deviance"),
}
_Row = TypeVar("_Row")


class Task(StrEnum):
    """The learning task of a tree.

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
        #: Whether predictions are classes, and node values class shares; and the loss name.
        self.has_classes, self.loss = _FACTS[name]

    @classmethod
    def _missing_(cls, value: object) -> None:
        allowed = [str(task) for task in cls]
        raise OptionError(
            f"task must be {' or '.join(map(repr, allowed))}, got {value!r}."
            f"{did_you_mean(str(value), allowed)}"
        )

    def __repr__(self) -> str:
        return repr(self.value)

    def lookup(self, rows: Mapping[Task, _Row], what: str) -> _Row:
        """Return the row of this task, or raise an error that names `what`."""
        if self not in rows:
            raise TreeError(f"{what} is not supported for {self}.")
        return rows[self]

    def require(self, tasks: Iterable[Task], what: str) -> None:
        """Raise an error if this task is not in `tasks`; `what` names the operation."""
        self.lookup(dict.fromkeys(tasks), what)

    def is_classification(self, what: str) -> bool:
        """Whether this is classification; tasks other than regression raise an error."""
        return self.lookup(_IS_CLASSIFICATION, what)

    def is_regression(self, what: str) -> bool:
        """Whether this is regression; tasks other than classification raise an error."""
        return not self.lookup(_IS_CLASSIFICATION, what)


_IS_CLASSIFICATION: Final = {Task.CLASSIFICATION: True, Task.REGRESSION: False}
