"""An rpart golden as a problem: the rows used, exact weights, and rpart's method with its priors
and losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.oracle.load import Golden, TableColumn, read_csv
from tests.reference.data import Column, Data, Exact
from tests.reference.exact import exact
from tests.reference.rpart import Anova, Class, Control, Method, Poisson


@dataclass(frozen=True)
class Problem:
    golden: Golden
    columns: list[TableColumn]  # predictors, rows used only
    target: TableColumn
    exposure: list[float] | None
    weights: list[float] | None

    @classmethod
    def of(cls, golden: Golden) -> Problem:
        table = read_csv(f"{golden['dataset']}.csv", golden["dataset"])
        target = table[golden["target"]]
        dropped = set(golden.get("rows_dropped") or ())
        rows = [row for row in range(len(target.values)) if row not in dropped]
        time = golden.get("exposure")
        return cls(
            golden,
            [table[name].at(rows) for name in golden["predictors"]],
            target.at(rows),
            list(table[time].at(rows).values) if time else None,
            golden.get("weights"),
        )

    def all_rows(self) -> tuple[list[TableColumn], TableColumn, dict[str, list[float]]]:
        """Columns, target, weights and times of the whole file: the recipe drops rows itself."""
        golden = self.golden
        table = read_csv(f"{golden['dataset']}.csv", golden["dataset"])
        target, extra = table[golden["target"]], {}
        dropped, weights = set(golden.get("rows_dropped") or ()), iter(self.weights or ())
        if self.weights is not None:
            rows = range(len(target.values))
            extra["sample_weight"] = [1.0 if row in dropped else next(weights) for row in rows]
        if self.exposure is not None:
            extra["exposure"] = list(table[golden["exposure"]].values)
        return [table[name] for name in golden["predictors"]], target, extra

    def na_columns(self) -> list[TableColumn]:
        """The rows with values removed."""
        table = read_csv(self.golden["na_rows"]["file"], self.golden["dataset"])
        return [table[name] for name in self.golden["predictors"]]

    def exact_weights(self) -> tuple[Exact, ...]:
        given = self.weights or [1] * len(self.target.values)
        return tuple(exact(w) for w in given)

    def exact_data(self) -> Data:
        """The reference's view; the target of a poisson problem is the rate of each row."""
        columns = tuple(Column(c.name, c.kind, tuple(c.codes()), c.levels) for c in self.columns)
        values = [exact(v) for v in self.target_codes()]
        if self.golden["method"] == "poisson":
            values = [exact(v) / t for v, t in zip(values, self.time(), strict=True)]
            values = [exact(v) for v in values]
        return Data(columns, (tuple(values),), self.exact_weights())

    def target_codes(self) -> list[float]:
        if self.golden["method"] != "class":
            return list(self.target.values)
        classes = self.golden["classes"]
        return [classes.index(value) for value in self.target.values]

    def time(self) -> list[Exact]:
        given = self.exposure or [1] * len(self.target.values)
        return [Fraction(t) for t in given]

    def method(self) -> Method:
        golden, data = self.golden, self.exact_data()
        if golden["method"] == "anova":
            return Anova(data)
        if golden["method"] == "poisson":
            return Poisson(data, self.time(), exact(golden["shrink"]))
        prior = [exact(p) for p in golden["prior"]] if golden["prior_given"] else None
        loss = [[exact(c) for c in row] for row in golden["loss"]] if golden["loss_given"] else None
        criterion = {"gini": "gini", "information": "entropy"}[golden["split"]]
        return Class(data, len(golden["classes"]), prior, loss, criterion)

    def control(self) -> Control:
        return Control(**{name: exact(value) for name, value in self.golden["control"].items()})
