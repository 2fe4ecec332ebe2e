"""The actions of the studio, each a function from a context to the next state.

An action receives the context and the arguments from the page. It returns the next state and one
line of Python, which calls the same method of the model, so that the saved script repeats it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from ceiba import estimators  # imports scikit-learn only when an estimator is used
from ceiba.errors import OptionError, TreeError
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.script import (
    data_names,
    format_first_line,
    format_parameters,
    format_prepare_call,
)
from ceiba.studio.work.setup import Setup, check_editable, find_task
from ceiba.studio.work.source import Source
from ceiba.studio.work.splits import split_from_json, value_to_python
from ceiba.studio.work.state import (
    BranchPath,
    State,
    branch_path,
    find_node,
    levels_below_leaf,
    split_paths,
)
from ceiba.task import Task
from ceiba.tree import Tree

#: Options of further growing, which can be changed without growing a new tree.
_STOPPING_OPTIONS: Final = frozenset(
    {
        "max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes",
        "min_impurity_decrease", "categorical_splits",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ActionContext:
    """The context of an action: data source, current state, and a function that prepares data."""

    source: Source
    state: State
    prepare: Callable[[Setup], Prepared]

    @property
    def tree(self) -> Tree:
        """The tree; raises an error if there is none yet."""
        return self.state.fitted_tree

    def check_node(self, node: Any) -> int:
        """Return a node id after checking that the tree contains the node."""
        if isinstance(node, bool) or not isinstance(node, int):
            raise OptionError(f"node must be an integer, got {node!r}.")
        self.tree.node(node)
        return node

    def rows(self) -> tuple[Any, ...]:
        """Return the arguments of model methods: X, y and the weights, if any."""
        data = self.prepare(self.state.setup)
        return (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)

    @property
    def data_names(self) -> str:
        """The variables of a script that contain `rows`, as text: "X, y" or "X, y, w"."""
        return data_names(self.state.setup)


def begin_state(context: ActionContext, setup: Setup) -> State:
    """Return the initial state of a setup: no tree, a tree of one node, or the given model."""
    if setup.target is None:
        return State(setup)
    if setup.from_model:
        model = context.source.model
        check_editable(model.get_params(deep=False))
        context.prepare(setup)
        return State(setup, model)
    model = _build_estimator(context, setup)
    new_context = replace(context, state=State(setup))
    return State(setup, model.fit_root(*new_context.rows()), format_first_line(model, setup))


def _build_estimator(context: ActionContext, setup: Setup) -> Any:
    data = context.prepare(setup)
    classes = data.y.info.classes[0].tolist() if data.y.info.classes else []
    parameters = setup.parameters(classes)
    check_editable(parameters)
    model = getattr(estimators, _ESTIMATORS[data.y.info.task])(**parameters)
    model._check_parameters()
    return model


# ---------------------------------------------------------------------- the first screen


def set_column(context: ActionContext, column: str, **change: Any) -> tuple[State, str]:
    """Change settings of a column (role, kind, order, cost, name, ...) and restart the tree."""
    if not change:
        raise OptionError(f"set_column requires at least one of {', '.join(_COLUMN_SETTINGS)}.")
    setup = context.state.setup.with_column(context.source.table, column, **change)
    if context.source.separate_target and setup.target != context.state.setup.target:
        raise OptionError("The target was passed separately as y and cannot be changed.")
    return begin_state(context, setup), format_prepare_call(context.source, setup)


def set_held_out(context: ActionContext, test: Any = None, **held_out: Any) -> tuple[State, str]:
    """Hold out a share of the rows or use a file for evaluation, and restart the tree.

    `test` is the share of the rows that are reserved for the final evaluation.
    """
    if held_out and "file" in held_out:
        _check_arguments(held_out, "file")
        context.source.resolve_path(held_out["file"])
    elif held_out:
        _check_arguments(held_out, "share", "seed")
        seed = held_out.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
            raise OptionError(f"seed must be an integer from 0 to 4294967295, got {seed!r}.")
        if not isinstance(held_out.get("share"), float):
            raise OptionError(f"share must be a float in (0, 1), got {held_out.get('share')!r}.")
    if test is not None and not isinstance(test, float):
        raise OptionError(f"test must be None or a float in (0, 1), got {test!r}.")
    setup = replace(context.state.setup, held_out=held_out or None, test=test)
    return begin_state(context, setup), format_prepare_call(context.source, setup)


def set_options(
    context: ActionContext, options: Any = None, class_prior: Any = ..., cost_matrix: Any = ...
) -> tuple[State, str]:
    """Set options, priors and costs; restart the tree unless they apply only to further growing."""
    old = context.state.setup
    task = find_task(old, context.source.table)
    if task is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    if not task.has_classes and (class_prior, cost_matrix) != (..., ...):
        raise OptionError(f"class_prior and cost_matrix are not supported for {task}.")
    setup = old if options is None else old.with_options(options, task)
    if class_prior is not ...:
        setup = replace(setup, class_prior=_check_prior(class_prior))
    if cost_matrix is not ...:
        setup = replace(setup, cost_matrix=_check_costs(cost_matrix))
    if setup == old:
        raise OptionError("set_options requires at least one changed option.")
    same = setup.class_prior == old.class_prior and setup.cost_matrix == old.cost_matrix
    only_stops = same and set(options or {}) <= _STOPPING_OPTIONS
    if only_stops and type(context.state.model).__name__ in _ESTIMATORS.values():
        model = _build_estimator(context, replace(setup, from_model=False))
        fitted = type(model).from_tree(context.tree, **model.get_params(deep=False))
        arguments = ", ".join(filter(None, ["model.tree_", format_parameters(model)]))
        line = f"model = ceiba.{type(model).__name__}.from_tree({arguments})"
        return replace(context.state.with_model(fitted, line), setup=setup), line
    state = begin_state(context, replace(setup, from_model=False))
    return state, state.first_line


def restart(context: ActionContext) -> tuple[State, str]:
    """Return to the first tree of the current setup."""
    state = begin_state(context, context.state.setup)
    if state.model is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    return state, state.first_line or "model = given"


# ---------------------------------------------------------------------- the tree


def take(context: ActionContext, node: int, split: Any) -> tuple[State, str]:
    """Set the split of a node, whose branches become leaves."""
    at = branch_path(context.tree, context.check_node(node))
    new_split = split_from_json(split, context.tree.schema)
    return _edit(context, "set_split", node, new_split, on_rows=True, levels=0, at=at, paths=[at])


def grow(
    context: ActionContext, node: int, levels: int | None = None, splits: Any = ()
) -> tuple[State, str]:
    """Grow the leaves at and below a node.

    `splits` lists nodes and the splits that replace those with the largest gain, in pre-order.
    """
    context.check_node(node)
    pairs = _check_splits(splits)
    state, lines = context.state, list[str]()
    if not pairs or pairs[0][0] != node or not context.tree.is_leaf[node]:
        state, line = _edit(context, "grow_leaves", node, on_rows=True, levels=levels)
        lines.append(line)
    for at, split in pairs:
        state, line = replace_split(context, state, at, split, levels)
        lines.append(line)
    return state, "\n".join(lines)


def replace_split(
    context: ActionContext, state: State, node: int, split: Any, levels: int | None
) -> tuple[State, str]:
    """Replace the split of a node, and regrow its branches up to the given number of levels."""
    branch_context = replace(context, state=state)
    path = branch_path(branch_context.tree, branch_context.check_node(node))
    if levels is not None:
        levels -= 1 + (levels_below_leaf(context.tree, path) or 0)
    new_split = split_from_json(split, branch_context.tree.schema)
    return _edit(branch_context, "set_split", node, new_split, on_rows=True, levels=levels)


def regrow(context: ActionContext, node: int) -> tuple[State, str]:
    """Regrow the subtree of a node."""
    at = branch_path(context.tree, context.check_node(node))
    return _edit(context, "regrow", node, on_rows=True, at=at)


def cut(context: ActionContext, node: int) -> tuple[State, str]:
    """Remove everything below a node."""
    at = branch_path(context.tree, context.check_node(node))
    if context.tree.is_leaf[node]:
        raise TreeError(f"Node {node} is already a leaf.")
    return _edit(context, "collapse", node, at=at)


def seal(context: ActionContext, node: int, sealed: bool = True) -> tuple[State, str]:
    """Turn a node into a leaf that is not split again, or lift this restriction."""
    at = branch_path(context.tree, context.check_node(node))
    if not isinstance(sealed, bool):
        raise OptionError(f"sealed must be true or false, got {sealed!r}.")
    return _edit(context, "seal", node, sealed, at=at if sealed else None)


def forbid(context: ActionContext, node: int, columns: Any) -> tuple[State, str]:
    """Forbid splits by some columns at and below a node."""
    return _edit(context, "forbid", context.check_node(node), _check_columns(columns))


def prefer(context: ActionContext, node: int, columns: Any) -> tuple[State, str]:
    """Prefer splits by some columns at and below a node."""
    return _edit(context, "prefer", context.check_node(node), _check_columns(columns))


def copy(context: ActionContext, node: int, to: int) -> tuple[State, str]:
    """Copy the splits at and below a node to another node."""
    context.check_node(node)
    at = branch_path(context.tree, context.check_node(to))
    state, line = _edit(context, "copy_splits", node, to, on_rows=True, at=at)
    target = find_node(state.fitted_tree, at)
    assert target is not None
    copied = split_paths(state.fitted_tree, target)
    return replace(state, by_hand=state.by_hand | set(copied)), line


def note(
    context: ActionContext, node: int, name: Any = None, note: Any = None
) -> tuple[State, str]:
    """Set the name and the note of a node."""
    for key, text in (("name", name), ("note", note)):
        if isinstance(text, str) and len(text) > _MAX_NOTE_LENGTH:
            raise OptionError(
                f"{key} must have at most {_MAX_NOTE_LENGTH} characters, got {len(text)}."
            )
    return _edit(context, "annotate", context.check_node(node), name=name, note=note)


def override(
    context: ActionContext, node: int, answer: Any, reason: Any = None
) -> tuple[State, str]:
    """Set the prediction of a node by hand."""
    context.check_node(node)
    labels = context.tree.target.classes
    if answer is not None and labels:
        by_text = {str(label): label for label in labels[0].tolist()}
        answer = by_text.get(str(answer), answer)
    return _edit(context, "override", node, answer, reason=reason)


def prune(context: ActionContext, alpha: Any = None, n_leaves: Any = None) -> tuple[State, str]:
    """Replace the tree by another tree of its pruning sequence."""
    if (alpha is None) == (n_leaves is None):
        got = f"{alpha=} and {n_leaves=}"
        raise OptionError(f"prune requires exactly one of alpha and n_leaves, got {got}.")
    name, value = ("alpha", alpha) if n_leaves is None else ("n_leaves", n_leaves)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise OptionError(f"{name} must be a non-negative number, got {value!r}.")
    state, line = _edit(context, "reprune", alpha=alpha, n_leaves=n_leaves)
    inner = frozenset(branch_path(state.fitted_tree, i) for i in state.nodes_by_hand)
    return replace(state, by_hand=inner), line


def _edit(
    context: ActionContext,
    method: str,
    *arguments: Any,
    on_rows: bool = False,
    at: BranchPath | None = None,
    paths: Iterable[BranchPath] = (),
    **options: Any,
) -> tuple[State, str]:
    """Call a method of the model; return the next state and the call as a line of Python."""
    context.check_node(0)  # fail early if there is no tree
    options = {name: value for name, value in options.items() if value is not None}
    rows = context.rows() if on_rows else ()
    model = getattr(context.state.model, method)(*arguments, *rows, **options)
    code = [value_to_python(argument) for argument in arguments]
    code += [context.data_names] if on_rows else []
    code += [f"{name}={value!r}" for name, value in options.items()]
    line = f"model = model.{method}({', '.join(code)})"
    return context.state.with_model(model, line, at=at, paths=paths), line


# ---------------------------------------------------------------------- lookup by name

_ESTIMATORS: Final = {
    Task.CLASSIFICATION: "DecisionTreeClassifier",
    Task.REGRESSION: "DecisionTreeRegressor",
    Task.SURVIVAL: "DecisionTreeSurvival",
}
_MAX_NOTE_LENGTH: Final = 2_000

#: The actions by name.
ACTIONS: Final[dict[str, Callable[..., tuple[State, str]]]] = {
    action.__name__: action
    for action in (
        set_column, set_held_out, set_options, restart, take, grow, regrow, cut, seal, forbid,
        prefer, copy, note, override, prune,
    )
}  # fmt: skip
_signature = cache(inspect.signature)
_COLUMN_SETTINGS: Final = ("role", "kind", "order", "monotone", "cost", "code", "name")


def act(context: ActionContext, name: str, arguments: dict[str, Any]) -> tuple[State, str]:
    """Run an action from `ACTIONS`, with arguments from the page."""
    if name == "set_column":
        _check_arguments(arguments, "column", *_COLUMN_SETTINGS)
    try:
        state, line = call_action(name, ACTIONS[name], context, arguments)
    except OverflowError:  # an integer is too large for float64
        raise OptionError(f"Numbers in action {name!r} must be less than 1.8e308.") from None
    return state, line


def call_action(name: str, action: Callable[..., Any], on: Any, arguments: dict[str, Any]) -> Any:
    """Call `action(on, **arguments)`; raise an error for unknown and missing arguments."""
    try:
        bound = _signature(action).bind(on, **arguments)
    except TypeError as error:
        raise OptionError(f"Invalid arguments for action {name!r}: {error}.") from None
    return action(*bound.args, **bound.kwargs)


def _check_arguments(arguments: dict[str, Any], *names: str) -> None:
    for name in arguments:
        if name not in names:
            raise OptionError(f"Unknown argument {name!r}. Allowed values: {', '.join(names)}.")


def _check_splits(splits: Any) -> list[Any]:
    pairs = isinstance(splits, list | tuple) and all(
        isinstance(pair, list) and len(pair) == 2 for pair in splits
    )
    if not pairs:
        raise OptionError(f"splits must be a list of [node, split] pairs, got {splits!r}.")
    return list(splits)


def _check_columns(columns: Any) -> list[str]:
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise OptionError(f"columns must be a list of column names, got {columns!r}.")
    return columns


def _check_prior(prior: Any) -> Any:
    numbers = isinstance(prior, dict) and all(
        isinstance(share, int | float) and not isinstance(share, bool) for share in prior.values()
    )
    if prior is not None and not (numbers and prior):
        raise OptionError(f"class_prior must map one or more classes to numbers, got {prior!r}.")
    return prior


def _check_costs(costs: Any) -> Any:
    square = isinstance(costs, list) and all(
        isinstance(row, list)
        and len(row) == len(costs)
        and all(isinstance(cost, int | float) and not isinstance(cost, bool) for cost in row)
        for row in costs
    )
    if costs is not None and not (square and costs):
        raise OptionError(f"cost_matrix must be a square list of lists of numbers, got {costs!r}.")
    return costs
