"""The checks that ``ceiba report`` makes for its Trust tab, from the files it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ceiba._polars import pl
from ceiba.cli.commands.using.evaluate import evaluation_on, truth_of
from ceiba.errors import OptionError
from ceiba.table.files.kinds import by_schema
from ceiba.table.files.reading import batches


@dataclass(frozen=True)
class Checks:
    """What is asked for, and the files to make it from."""

    train: str | None
    data: str | None
    new: str | None
    resamples: int | None
    rivals: list[int]
    by: list[str]
    positive: str | None
    weight: str | None

    def refuse_what_has_no_rows(self) -> None:
        """Say which file is missing for what is asked."""
        fits_again = self.resamples is not None or bool(self.rivals)
        if fits_again and self.train is None:
            name = "--stability" if self.resamples is not None else "--rivals"
            raise OptionError(
                f"{name} fits the model again: give the rows it learned from, --train."
            )
        if self.by and self.data is None:
            raise OptionError("--by compares groups of held-out rows: give them with --data.")
        if self.positive is not None and not self.by:
            raise OptionError("--positive has no effect without --by.")
        if self.weight is not None and not fits_again:
            raise OptionError("--weight has no effect without --stability or --rivals.")

    def make(self, model: Any, reading: Any, target: str | None) -> dict[str, Any]:
        """Read the files and give the results as options of `model.report`."""
        made: dict[str, Any] = {}
        if self.train is not None:
            X, y, weights, _ = truth_of(model, self.train, reading, target, self.weight)
            made["train"] = (X, y)
            if self.resamples is not None:
                made["stability"] = model.stability(X, y, weights, resamples=self.resamples)
            made["rivals"] = [model.rival_columns(X, y, weights, node=node) for node in self.rivals]
        if self.data is not None:
            made["groups"] = [
                evaluation_on(model, self.data, reading, target, None, by, self.positive)
                for by in self.by
            ]
        if self.new is not None:
            made["drift"] = self._drift(model, reading, target)
        return made

    def _drift(self, model: Any, reading: Any, target: str | None) -> Any:
        """Compare new rows; their truth too, if the file holds it."""
        assert self.new is not None
        name = target or model.tree_.target.name
        rows, has_truth = [], False
        for batch in batches(self.new, reading, 250_000):
            has_truth = name in batch.columns
            if has_truth:
                break
            rows.append(by_schema(batch, model.tree_.schema))
        if has_truth:
            X, y, _, _ = truth_of(model, self.new, reading, target, None)
            return model.drift(X, y)
        return model.drift(pl.concat(rows))
