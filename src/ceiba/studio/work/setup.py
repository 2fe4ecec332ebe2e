"""Settings on the first screen of the studio: column roles and kinds, options, held-out rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from ceiba.criteria import criterion_names
from ceiba.errors import DataError, OptionError
from ceiba.grow import OPTIONS
from ceiba.studio.prepare import KIND_NAMES, KINDS, as_kind, infer_task, read_labels
from ceiba.table import Column, Table, has_rare_levels, is_identifier
from ceiba.task import Task
from ceiba.tree.splits import level_text

#: Arguments of `ceiba.prepare` that are supported with `like` (a fitted model).
LIKE_MODEL: Final = ("weight", "event", "held_out", "test", "seed")
#: Smaller tables have no held-out rows: their trees are cross-validated.
SMALL_TABLE: Final = 500
ROLES: Final = ("use", "ignore", "weight", "target", "event")
#: The options that can be set on the first screen of the studio.
OFFERED_OPTIONS: Final = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes",
    "min_impurity_decrease", "missing", "unseen", "categorical_splits", "min_events_leaf",
)  # fmt: skip
_NOT_EDITABLE: Final = ("leaf_values", "forced_splits", "search")


@dataclass(frozen=True)
class Setup:
    """The settings for preparing a table and growing trees."""

    target: str | None = None
    event: str | None = None  # event column if the target is a survival time
    event_code: str | None = None  # value that marks an event; None if it is 1 or True
    task: str | None = None
    weight: str | None = None
    ignore: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, list[str]] = field(default_factory=dict)
    monotone: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)  # new column names by old name
    held_out: Mapping[str, Any] | None = None
    test: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    class_prior: Mapping[str, float] | None = None
    cost_matrix: list[list[float]] | None = None
    from_model: bool = False

    @classmethod
    def initial(cls, table: Table, target: str | None, **settings: Any) -> Setup:
        """Return a setup that ignores identifiers and columns with rare levels if others remain."""
        if target is not None:
            table.schema.index(target)
        named = [c.name for c in table.columns if is_identifier(c) or has_rare_levels(c)]
        answer = (target, settings.get("event"))
        learned = [name for name in table.schema.names if name not in (*answer, *named)]
        ignored = tuple(name for name in named if name not in answer) if learned else ()
        return cls(target=target, ignore=ignored, **settings)

    @property
    def y(self) -> Any:
        """The argument `y` of `ceiba.prepare`: a column, or the columns of time and event."""
        return self.target if self.event is None else (self.target, self.event)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `ceiba.prepare`, except X, y, `like` and held-out tables."""
        arguments: dict[str, Any] = {
            "task": self.task,
            "weight": self.weight,
            "event": self.event_code,
            "ignore": list(self.ignore),
            "kinds": dict(self.kinds),
            "orders": {name: list(levels) for name, levels in self.orders.items()},
            "rename": dict(self.names),
        }
        if self.held_out is not None and "share" in self.held_out:
            arguments["held_out"] = float(self.held_out["share"])
            arguments["seed"] = int(self.held_out.get("seed", 0))
        arguments["test"] = self.test
        return {name: value for name, value in arguments.items() if value}

    def parameters(self, classes: list[Any]) -> dict[str, Any]:
        """Return the parameters of the estimator; `classes` is empty if the target has none."""
        params: dict[str, Any] = dict(self.options)
        left_out = {*self.ignore, self.weight, self.target, self.event}
        limits = {"monotonic_cst": self.monotone, "column_cost": self.costs}
        for option, by_column in limits.items():
            used = {self.label(k): v for k, v in by_column.items() if k not in left_out}
            if used:
                params[option] = used
        if classes and self.class_prior is not None:
            params["class_prior"] = _key_by_label(self.class_prior, classes)
        if classes and self.cost_matrix is not None:
            params["cost_matrix"] = [[float(cost) for cost in row] for row in self.cost_matrix]
        return params

    def label(self, column: str) -> str:
        """Return the name of a column after renaming."""
        return self.names.get(column, column)

    # ------------------------------------------------------------------ changes

    def with_column(self, table: Table, column: str, **change: Any) -> Setup:
        """Return a setup with changed settings of a column."""
        if not isinstance(column, str):
            raise OptionError(f"column must be the name of a column, got {column!r}.")
        table.schema.index(column)
        setup = replace(self, from_model=False)
        for name, value in change.items():
            setup = _COLUMN_SETTERS[name](setup, table, column, value)
        return setup

    def _with_role(self, table: Table, column: str, role: Any) -> Setup:
        if role not in ROLES:
            raise OptionError(f"Unknown role {role!r}. Allowed values: {', '.join(ROLES)}.")
        free = replace(
            self,
            ignore=tuple(name for name in self.ignore if name != column),
            weight=None if self.weight == column else self.weight,
            target=None if self.target == column else self.target,
            event=None if self.event == column else self.event,
            event_code=None if self.event == column else self.event_code,
        )
        if role == "ignore":
            return replace(free, ignore=(*free.ignore, column))
        if role == "weight":
            return replace(free, weight=column)
        if role == "target":
            # Priors and costs belong to the classes of the previous target.
            return replace(free, target=column, task=None, class_prior=None, cost_matrix=None)
        if role == "event":
            free = replace(free, task=None, class_prior=None, cost_matrix=None)
            return replace(free, event=column, event_code=default_event(table.column(column)))
        return free

    def _with_code(self, table: Table, column: str, code: Any) -> Setup:
        if column != self.event or code not in event_levels(table.column(column)):
            raise OptionError(f"code must be a value of the event column, got {code!r}.")
        return replace(self, event_code=code)

    def _with_name(self, table: Table, column: str, name: Any) -> Setup:
        if not isinstance(name, str) or not 0 < len(name.strip()) <= _MAX_NAME_LENGTH:
            raise OptionError(
                f"name must be a string of 1 to {_MAX_NAME_LENGTH} characters, got {name!r:.50}."
            )
        other_names = {old: new for old, new in self.names.items() if old != column}
        names = other_names if name.strip() == column else {**other_names, column: name.strip()}
        column_names = [names.get(other, other) for other in table.schema.names if other != column]
        if name.strip() in column_names:
            raise OptionError(f"Another column is already called {name.strip()!r}.")
        return replace(self, names=names)

    def _with_kind(self, table: Table, column: str, kind: Any) -> Setup:
        if kind not in KINDS:
            raise OptionError(f"Unknown kind {kind!r}. Allowed values: {', '.join(KINDS)}.")
        kinds = {name: value for name, value in self.kinds.items() if name != column}
        orders = {name: levels for name, levels in self.orders.items() if name != column}
        if as_kind(table.column(column), kind) is not table.column(column):
            kinds[column] = kind
        # Unordered levels have no monotone direction.
        monotone = {
            n: direction
            for n, direction in self.monotone.items()
            if (n, kind) != (column, "category")
        }
        return replace(self, kinds=kinds, orders=orders, monotone=monotone)

    def _with_order(self, table: Table, column: str, order: Any) -> Setup:
        if not isinstance(order, list) or not all(isinstance(level, str) for level in order):
            raise OptionError(f"order must be a list of level names, got {order!r}.")
        as_kind(table.column(column), "ordered", order)
        kinds = {name: value for name, value in self.kinds.items() if name != column}
        return replace(self, kinds=kinds, orders={**self.orders, column: order})

    def _with_monotone(self, table: Table, column: str, direction: Any) -> Setup:
        if direction not in (-1, 0, 1) or isinstance(direction, bool):
            raise OptionError(f"monotone must be -1, 0 or 1, got {direction!r}.")
        if direction != 0 and self._column(table, column)["kind"] == "category":
            raise OptionError(
                f"monotone must be 0 for column {column!r}, whose levels have no order, got "
                f"{direction}. Set its kind to ordered or number."
            )
        monotone = {name: value for name, value in self.monotone.items() if name != column}
        return replace(
            self, monotone=monotone if direction == 0 else {**monotone, column: int(direction)}
        )

    def _with_cost(self, table: Table, column: str, cost: Any) -> Setup:
        number = isinstance(cost, int | float) and not isinstance(cost, bool)
        if not number or not 0 < cost < float("inf"):
            raise OptionError(f"cost must be a positive finite number, got {cost!r}.")
        costs = {name: value for name, value in self.costs.items() if name != column}
        return replace(self, costs=costs if cost == 1 else {**costs, column: float(cost)})

    def with_options(self, options: Any, task: Task) -> Setup:
        """Return a setup with changed growing options, where None restores a default."""
        if not isinstance(options, dict):
            raise OptionError(f"options must be an object of names and values, got {options!r}.")
        new, offered = dict(self.options), _offered_options(task)
        for name, value in options.items():
            if name not in offered:
                raise OptionError(f"Unknown option {name!r}. Allowed values: {', '.join(offered)}.")
            new.pop(name, None)
            if value is not None and value != OPTIONS[task][name].default:
                new[name] = value
        return replace(self, options=new)

    # ------------------------------------------------------------------ for the page

    def columns(self, table: Table) -> list[dict[str, Any]]:
        """Return the columns with their settings."""
        return [self._column(table, name) for name in table.schema.names]

    def _column(self, table: Table, name: str) -> dict[str, Any]:
        source = table.column(name)
        roles = {self.weight: "weight", self.target: "target", self.event: "event"}
        role = roles.get(name, "ignore" if name in self.ignore else "use")
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
            "label": self.label(name),
            "unnamed": _DEFAULT_NAME.fullmatch(name) is not None,
            "role": role,
            "kind": kind,
            "kinds": list(KINDS),
            "levels": levels,
            "monotone": self.monotone.get(name, 0),
            "cost": self.costs.get(name, 1),
            "codes": event_levels(source) if role == "event" and self.event_code else None,
        }


_DEFAULT_NAME: Final = re.compile(r"column_\d+")  # default names in files without a header
_MAX_NAME_LENGTH: Final = 200
_MAX_LEVELS: Final = 200  # maximum number of levels listed on the first screen
_COLUMN_SETTERS: Final = {
    "role": Setup._with_role,
    "kind": Setup._with_kind,
    "order": Setup._with_order,
    "monotone": Setup._with_monotone,
    "cost": Setup._with_cost,
    "code": Setup._with_code,
    "name": Setup._with_name,
}


def find_task(setup: Setup, table: Table) -> Task | None:
    """Return the task, or None if no target is chosen."""
    if setup.target is None:
        return None
    if setup.event is not None:
        return Task.SURVIVAL
    return Task(setup.task) if setup.task else infer_task(table.column(setup.target))


def event_levels(column: Column) -> list[str]:
    """Return up to three values of an event column as text."""
    labels = np.unique(read_labels(column, np.flatnonzero(~column.missing)).astype(str))
    return [str(label) for label in labels[:3]]


def default_event(column: Column) -> str | None:
    """Return the default event code: the last level, or None if events are 0 and 1 or booleans."""
    levels = event_levels(column)
    return None if set(levels) <= {"0", "1", "False", "True"} else levels[-1]


def _offered_options(task: Task) -> list[str]:
    return [name for name in OFFERED_OPTIONS if name in OPTIONS[task]]


def option_values(setup: Setup, task: Task) -> dict[str, Any]:
    """Return the values of the options on the first screen, with objects converted to text."""
    names = _offered_options(task)
    values = {name: setup.options.get(name, OPTIONS[task][name].default) for name in names}
    plain = (str, int, float, bool, type(None))
    return {name: v if isinstance(v, plain) else repr(v) for name, v in values.items()}


def allowed_options(task: Task) -> dict[str, list[str]]:
    """Return the allowed values of options that have a fixed list."""
    return {
        "criterion": list(criterion_names(task)),
        "missing": ["learn", "majority", "surrogate", "error"]
        + ([] if task is Task.SURVIVAL else ["fractional"]),
        "unseen": ["majority", "missing", "error", "default"],
        "categorical_splits": ["binary", "multiway"],
    }


def check_editable(parameters: Mapping[str, Any]) -> None:
    """Raise an error for parameters that the studio does not support."""
    for name in _NOT_EDITABLE:
        if parameters.get(name) not in (None, "share", "greedy"):
            raise OptionError(
                f"{name}={parameters[name]!r} is not supported in the studio. Use its default."
            )


def _key_by_label(by_text: Mapping[str, float], classes: list[Any]) -> dict[Any, float]:
    labels = {level_text(label): label for label in classes}
    for text in by_text:
        if text not in labels:
            raise DataError(f"Unknown class {text!r} in class_prior. Classes: {', '.join(labels)}.")
    return {labels[text]: float(share) for text, share in by_text.items()}
