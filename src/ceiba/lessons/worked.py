"""Which cell of which lesson computes which worked figure of the teaching documents."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from ceiba.lessons.run import Finished
from ceiba.lessons.source import CONTENT


@dataclass(frozen=True)
class Worked:
    """A figure by its id (keys joined by ``/``), with the lesson and the cell that computes it."""

    id: str
    lesson: int
    cell: str
    expression: str

    def value(self, finished: Finished, **known: Any) -> Any:
        """Evaluate the figure in the lesson that ran."""
        return eval(self.expression, {**finished.values[self.cell], **known})


def worked_figures() -> list[Worked]:
    """Read the list of the worked figures."""
    groups = tomllib.loads((CONTENT / "worked.toml").read_text("utf-8"))
    return [
        Worked(f"{group}/{name}", *entry)
        for group, entries in groups.items()
        for name, entry in entries.items()
    ]
