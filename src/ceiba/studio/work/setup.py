"""The settings of the first screen: roles and kinds of columns, options, held-out rows.

A `Setup` holds the arguments of `ceiba.prepare` and the parameters of the estimator, for the studio
and for the saved script.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ceiba.criteria import criterion_names
from ceiba.errors import DataError, OptionError
from ceiba.grow import OPTIONS
from ceiba.studio.prepare import KIND_NAMES, KINDS, as_kind, infer_task
from ceiba.table import Table, has_rare_levels, is_identifier
from ceiba.task import Task
from ceiba.tree.splits import level_text

#: Arguments of `ceiba.prepare` that a given model leaves open.
LIKE_MODEL: Final = ("weight", "held_out", "test", "seed")
#: Tables with fewer rows hold out none; their trees are cross-validated.
SMALL_TABLE: Final = 500
ROLES: Final = ("use", "ignore", "weight", "target")
#: The options that the first screen offers; a model may have others.
OFFERED_OPTIONS: Final = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes",
    "min_impurity_decrease", "missing", "unseen", "categorical_splits",
)  # fmt: skip
_NOT_EDITABLE: Final = ("leaf_values", "forced_splits", "search")


@dataclass(frozen=True)
class Setup:
    """How a table is prepared and how trees grow."""

    target: str | None = None
    task: str | None = None
    weight: str | None = None
    ignore: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, list[str]] = field(default_factory=dict)
    monotone: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    held_out: Mapping[str, Any] | None = None
    test: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    class_prior: Mapping[str, float] | None = None
    cost_matrix: list[list[float]] | None = None
    from_model: bool = False

    @classmethod
    def initial(cls, table: Table, target: str | None, **settings: Any) -> Setup:
        """Return the setup of a new workspace; identifiers and nearly unique levels are ignored."""
        if target is not None:
            table.schema.index(target)
        named = [c.name for c in table.columns if is_identifier(c) or has_rare_levels(c)]
        learned = [name for name in table.schema.names if name != target and name not in named]
        ignored = tuple(name for name in named if name != target) if learned else ()
        return cls(target=target, ignore=ignored, **settings)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `ceiba.prepare`, except held-out rows from a file."""
        arguments: dict[str, Any] = {
            "task": self.task,
            "weight": self.weight,
            "ignore": list(self.ignore),
            "kinds": dict(self.kinds),
            "orders": {name: list(levels) for name, levels in self.orders.items()},
        }
        if self.held_out is not None and "share" in self.held_out:
            arguments["held_out"] = float(self.held_out["share"])
            arguments["seed"] = int(self.held_out.get("seed", 0))
        arguments["test"] = self.test
        return {name: value for name, value in arguments.items() if value}

    def parameters(self, classes: list[Any]) -> dict[str, Any]:
        """Return the parameters of the estimator; `classes` is empty for regression."""
        params: dict[str, Any] = dict(self.options)
        left_out = {*self.ignore, self.weight, self.target}
        monotone = {
            name: direction for name, direction in self.monotone.items() if name not in left_out
        }
        costs = {name: cost for name, cost in self.costs.items() if name not in left_out}
        if monotone:
            params["monotonic_cst"] = monotone
        if costs:
            params["column_cost"] = costs
        if classes and self.class_prior is not None:
            params["class_prior"] = _key_by_label(self.class_prior, classes)
        if classes and self.cost_matrix is not None:
            params["cost_matrix"] = [[float(cost) for cost in row] for row in self.cost_matrix]
        return params

    # ------------------------------------------------------------------ changes

    def with_column(self, table: Table, column: str, **change: Any) -> Setup:
        """Set the role, kind, order of levels, monotone direction or cost of a column."""
        if not isinstance(column, str):
            raise OptionError(f"column must be the name of a column, got {column!r}.")
        table.schema.index(column)
        setup = replace(self, from_model=False)
        for name, value in change.items():
            setup = _COLUMN_SETTERS[name](setup, table, column, value)
        return setup

    def _with_role(self, table: Table, column: str, role: Any) -> Setup:
        if role not in ROLES:
            raise OptionError(f"role: got {role!r}. Allowed values: {', '.join(ROLES)}.")
        free = replace(
            self,
            ignore=tuple(name for name in self.ignore if name != column),
            weight=None if self.weight == column else self.weight,
            target=None if self.target == column else self.target,
        )
        if role == "ignore":
            return replace(free, ignore=(*free.ignore, column))
        if role == "weight":
            return replace(free, weight=column)
        if role == "target":
            # Priors and costs belong to the classes of the previous target.
            return replace(free, target=column, task=None, class_prior=None, cost_matrix=None)
        return free

    def _with_kind(self, table: Table, column: str, kind: Any) -> Setup:
        if kind not in KINDS:
            raise OptionError(f"kind: got {kind!r}. Allowed values: {', '.join(KINDS)}.")
        kinds = {name: value for name, value in self.kinds.items() if name != column}
        orders = {name: levels for name, levels in self.orders.items() if name != column}
        if as_kind(table.column(column), kind) is not table.column(column):
            kinds[column] = kind
        # Levels without an order have no direction.
        monotone = {
            n: direction
            for n, direction in self.monotone.items()
            if (n, kind) != (column, "category")
        }
        return replace(self, kinds=kinds, orders=orders, monotone=monotone)

    def _with_order(self, table: Table, column: str, order: Any) -> Setup:
        if not isinstance(order, list) or not all(isinstance(level, str) for level in order):
            raise OptionError(f"order must be a list of levels as text, got {order!r}.")
        as_kind(table.column(column), "ordered", order)
        kinds = {name: value for name, value in self.kinds.items() if name != column}
        return replace(self, kinds=kinds, orders={**self.orders, column: order})

    def _with_monotone(self, table: Table, column: str, direction: Any) -> Setup:
        if direction not in (-1, 0, 1) or isinstance(direction, bool):
            raise OptionError(f"monotone must be -1, 0 or 1, got {direction!r}.")
        if direction != 0 and self._column(table, column)["kind"] == "category":
            raise OptionError(
                f"monotone must be 0 for column {column!r}, whose levels have no order, got "
                f"{direction}. Make the column ordered, or a number."
            )
        others = {name: value for name, value in self.monotone.items() if name != column}
        return replace(
            self, monotone=others if direction == 0 else {**others, column: int(direction)}
        )

    def _with_cost(self, table: Table, column: str, cost: Any) -> Setup:
        number = isinstance(cost, int | float) and not isinstance(cost, bool)
        if not number or not 0 < cost < float("inf"):
            raise OptionError(f"cost must be a positive number, got {cost!r}.")
        others = {name: value for name, value in self.costs.items() if name != column}
        return replace(self, costs=others if cost == 1 else {**others, column: float(cost)})

    def with_options(self, options: Any, task: Task) -> Setup:
        """Set options of growing; None restores the default."""
        if not isinstance(options, dict):
            raise OptionError(f"options must be an object of names and values, got {options!r}.")
        new = dict(self.options)
        for name, value in options.items():
            if name not in OFFERED_OPTIONS:
                raise OptionError(
                    f"options: got {name!r}. Allowed values: {', '.join(OFFERED_OPTIONS)}."
                )
            new.pop(name, None)
            default = _default_value(name, task)
            if value is not None and value != default:
                new[name] = value
        return replace(self, options=new)

    # ------------------------------------------------------------------ for the page

    def columns(self, table: Table) -> list[dict[str, Any]]:
        """Return the columns with their settings."""
        return [self._column(table, name) for name in table.schema.names]

    def _column(self, table: Table, name: str) -> dict[str, Any]:
        source = table.column(name)
        role = "use"
        if name in self.ignore:
            role = "ignore"
        if name == self.weight:
            role = "weight"
        if name == self.target:
            role = "target"
        kind = (
            "ordered"
            if name in self.orders
            else self.kinds.get(name) or KIND_NAMES[source.info.kind]
        )
        converted = as_kind(source, kind, self.orders.get(name)) if kind != "number" else source
        many = converted.info.n_levels > _MAX_LEVELS
        levels = None if kind == "number" or many else list(map(level_text, converted.info.levels))
        if source.info.display in ("date", "datetime") and name not in self.kinds:
            kind = "date"
        return {
            "name": name,
            "role": role,
            "kind": kind,
            "kinds": list(KINDS),
            "levels": levels,
            "monotone": self.monotone.get(name, 0),
            "cost": self.costs.get(name, 1),
        }


_MAX_LEVELS: Final = 200  # levels that are listed on the first screen
_COLUMN_SETTERS: Final = {
    "role": Setup._with_role,
    "kind": Setup._with_kind,
    "order": Setup._with_order,
    "monotone": Setup._with_monotone,
    "cost": Setup._with_cost,
}


def find_task(setup: Setup, table: Table) -> Task | None:
    """Return the task; None without a target."""
    if setup.target is None:
        return None
    return Task(setup.task) if setup.task else infer_task(table.column(setup.target))


def _default_value(name: str, task: Task) -> Any:
    return task.lookup(OPTIONS, "The studio")[name].default


def option_values(setup: Setup, task: Task) -> dict[str, Any]:
    """Return the values of the offered options; objects as text."""
    values = {name: setup.options.get(name, _default_value(name, task)) for name in OFFERED_OPTIONS}
    plain = (str, int, float, bool, type(None))
    return {name: v if isinstance(v, plain) else repr(v) for name, v in values.items()}


def allowed_options(task: Task) -> dict[str, list[str]]:
    """Return the allowed values of the options that have a list of them."""
    return {
        "criterion": list(criterion_names(task)),
        "missing": ["learn", "majority", "surrogate", "fractional", "error"],
        "unseen": ["majority", "missing", "error", "default"],
        "categorical_splits": ["binary", "multiway"],
    }


def check_editable(parameters: Mapping[str, Any]) -> None:
    """Raise an error for parameters with which a tree cannot be edited."""
    for name in _NOT_EDITABLE:
        if parameters.get(name) not in (None, "share", "greedy"):
            raise OptionError(
                f"{name}={parameters[name]!r} is not supported in the studio. Open it with a model "
                f"without {name}."
            )


def _key_by_label(by_text: Mapping[str, float], classes: list[Any]) -> dict[Any, float]:
    labels = {level_text(label): label for label in classes}
    for text in by_text:
        if text not in labels:
            raise DataError(f"class_prior: {text!r} is not a class. Classes: {', '.join(labels)}.")
    return {labels[text]: float(share) for text, share in by_text.items()}
