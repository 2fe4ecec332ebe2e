"""`Task`: what a tree learns, with the facts that the rooms ask of it.

A task is a str, its name: it compares, prints and is stored as "classification". What a room does
differently for each task stands in tables with a row per task, or behind a question that knows two
tasks; both refuse any other task by name. Adding a task opens nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal, TypeVar

from ceiba.errors import CeibaError, OptionError, did_you_mean

#: A task as users write it.
TaskName = Literal["classification", "regression"]
#: Of each task: whether it has classes, and its loss.
_FACTS: Final = {
    "classification": (True, "misclassification cost"),
    "regression": (False, "squared error"),
}
_Row = TypeVar("_Row")


class Task(StrEnum):
    """What a tree learns.

    Examples
    --------
    >>> from ceiba.task import Task
    >>> Task("regression") == "regression", Task.REGRESSION.has_classes
    (True, False)
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"

    def __init__(self, name: str) -> None:
        #: Whether an answer is a class and a value holds shares of classes, not one number;
        #: and the loss of a wrong answer, in words.
        self.has_classes, self.loss = _FACTS[name]

    @classmethod
    def _missing_(cls, value: object) -> None:
        allowed = [str(task) for task in cls]
        raise OptionError(
            f"task={value!r} is not supported. Allowed: {', '.join(map(repr, allowed))}."
            f"{did_you_mean(str(value), allowed)}"
        )

    def __repr__(self) -> str:
        return repr(self.value)

    def lookup(self, rows: Mapping[Task, _Row], what: str) -> _Row:
        """Return the row of this task; without one, `what` is not supported for it."""
        if self not in rows:
            raise CeibaError(f"{what} is not supported for {self}.")
        return rows[self]

    def require(self, tasks: Iterable[Task], what: str) -> None:
        """Raise an error that names this task unless `what` supports it."""
        self.lookup(dict.fromkeys(tasks), what)

    def is_classification(self, what: str) -> bool:
        """Whether this is classification and not regression; `what` supports no other task."""
        return self.lookup(_IS_CLASSIFICATION, what)

    def is_regression(self, what: str) -> bool:
        """Whether this is regression and not classification; `what` supports no other task."""
        return not self.lookup(_IS_CLASSIFICATION, what)


_IS_CLASSIFICATION: Final = {Task.CLASSIFICATION: True, Task.REGRESSION: False}
