"""What can be done in the studio: one small function per action, one line of Python each.

An action takes a context (the state, the data as prepared, the source) and arguments from the page,
and gives the next state. It calls the method of the model that its line shows, so that the saved
script does exactly what was done here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from ceiba import estimators  # its classes, and scikit-learn, are imported at first use
from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.script import (
    data_names,
    format_first_line,
    format_parameters,
    format_prepare_call,
)
from ceiba.studio.work.setup import Setup, check_editable, find_task
from ceiba.studio.work.source import Source
from ceiba.studio.work.splits import split_from_json, split_to_python
from ceiba.studio.work.state import State, branch_path, find_node, split_paths
from ceiba.tree import Tree

#: Options that only stop growing: the tree that is there stays valid.
_STOPPING_OPTIONS: Final = frozenset(
    {
        "max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes",
        "min_impurity_decrease", "categorical_splits",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ActionContext:
    """What an action works with."""

    source: Source
    state: State
    prepare: Callable[[Setup], Prepared]

    @property
    def tree(self) -> Tree:
        """The tree, which must be there."""
        return self.state.fitted_tree

    def check_node(self, node: Any) -> int:
        """Check the number of a node."""
        if isinstance(node, bool) or not isinstance(node, int):
            raise OptionError(f"node: got {node!r}. Pass the number of a node.")
        self.tree.node(node)
        return node

    def rows(self) -> tuple[Any, ...]:
        """Return X, y and the weights, as the methods of the model take them."""
        data = self.prepare(self.state.setup)
        return (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)

    @property
    def data_names(self) -> str:
        """The same as it is written."""
        return data_names(self.state.setup)


def begin_state(context: ActionContext, setup: Setup) -> State:
    """Return the state in which a setup begins: the root alone, or the given model."""
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
    kind = estimators.DecisionTreeClassifier if classes else estimators.DecisionTreeRegressor
    model = kind(**parameters)
    model._check_parameters()
    return model


# ---------------------------------------------------------------------- the first screen


def set_column(context: ActionContext, column: str, **change: Any) -> tuple[State, str]:
    """Set role, kind, order, monotone direction or cost of a column; the tree begins anew."""
    if not change:
        raise OptionError("set_column: give role, kind, order, monotone or cost.")
    setup = context.state.setup.with_column(context.source.table, column, **change)
    if context.source.separate_target and setup.target != context.state.setup.target:
        raise OptionError("The target was given as an array of its own; it cannot be changed.")
    return begin_state(context, setup), format_prepare_call(context.source, setup)


def set_held_out(context: ActionContext, **held_out: Any) -> tuple[State, str]:
    """Hold out a share of the rows, or judge by a file; the tree begins anew."""
    if held_out and "file" in held_out:
        _check_arguments(held_out, "file")
        context.source.resolve_path(held_out["file"])
    elif held_out:
        _check_arguments(held_out, "share", "seed")
        seed = held_out.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
            raise OptionError(f"seed: got {seed!r}. Pass a whole number of at least 0.")
        if not isinstance(held_out.get("share"), float):
            raise OptionError(f"share: got {held_out.get('share')!r}. Pass a share below 1.")
    setup = replace(context.state.setup, held_out=held_out or None)
    return begin_state(context, setup), format_prepare_call(context.source, setup)


def set_options(
    context: ActionContext, options: Any = None, class_prior: Any = ..., cost_matrix: Any = ...
) -> tuple[State, str]:
    """Set options of growing; the tree stays if they only say when growing stops."""
    old = context.state.setup
    task = find_task(old, context.source.table)
    if task is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    setup = old if options is None else old.with_options(options, task)
    if class_prior is not ...:
        setup = replace(setup, class_prior=_check_prior(class_prior))
    if cost_matrix is not ...:
        setup = replace(setup, cost_matrix=_check_costs(cost_matrix))
    if setup == old:
        raise OptionError("set_options: nothing changes.")
    same = setup.class_prior == old.class_prior and setup.cost_matrix == old.cost_matrix
    if (
        same
        and set(options or {}) <= _STOPPING_OPTIONS
        and type(context.state.model).__name__ in _CEIBA_ESTIMATORS
    ):
        model = _build_estimator(context, replace(setup, from_model=False))
        fitted = type(model).from_tree(context.tree, **model.get_params(deep=False))
        arguments = ", ".join(filter(None, ["model.tree_", format_parameters(model)]))
        line = f"model = ceiba.{type(model).__name__}.from_tree({arguments})"
        return replace(context.state.with_model(fitted, line), setup=setup), line
    state = begin_state(context, replace(setup, from_model=False))
    return state, state.first_line


def restart(context: ActionContext) -> tuple[State, str]:
    """Begin the tree anew."""
    state = begin_state(context, context.state.setup)
    if state.model is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    return state, state.first_line or "model = given"


# ---------------------------------------------------------------------- the bench


def take(context: ActionContext, node: int, split: Any) -> tuple[State, str]:
    """Split a node as given, into leaves."""
    at = branch_path(context.tree, context.check_node(node))
    question = split_from_json(split, context.tree.schema)
    model = context.state.model.set_split(node, question, *context.rows(), levels=0)
    line = f"model = model.set_split({node}, {split_to_python(question)}, {context.data_names}, levels=0)"
    return context.state.with_model(model, line, at=at, paths=[at]), line


def grow(context: ActionContext, node: int, levels: int | None = None) -> tuple[State, str]:
    """Split the leaves at and below a node."""
    context.check_node(node)
    model = context.state.model.grow_leaves(node, *context.rows(), levels=levels)
    more = "" if levels is None else f", levels={levels}"
    line = f"model = model.grow_leaves({node}, {context.data_names}{more})"
    return context.state.with_model(model, line), line


def regrow(context: ActionContext, node: int) -> tuple[State, str]:
    """Grow everything below a node anew."""
    at = branch_path(context.tree, context.check_node(node))
    model = context.state.model.regrow(node, *context.rows())
    line = f"model = model.regrow({node}, {context.data_names})"
    return context.state.with_model(model, line, at=at), line


def cut(context: ActionContext, node: int) -> tuple[State, str]:
    """Take away what is below a node."""
    at = branch_path(context.tree, context.check_node(node))
    if context.tree.is_leaf[node]:
        raise TreeError(f"Node {node} is a leaf already.")
    line = f"model = model.collapse({node})"
    return context.state.with_model(context.state.model.collapse(node), line, at=at), line


def seal(context: ActionContext, node: int, sealed: bool = True) -> tuple[State, str]:
    """Make a leaf that growing leaves alone, or let it grow again."""
    at = branch_path(context.tree, context.check_node(node))
    if not isinstance(sealed, bool):
        raise OptionError(f"sealed: got {sealed!r}. Pass true or false.")
    line = f"model = model.seal({node}{'' if sealed else ', False'})"
    return context.state.with_model(
        context.state.model.seal(node, sealed), line, at=at if sealed else None
    ), line


def forbid(context: ActionContext, node: int, columns: Any) -> tuple[State, str]:
    """Forbid columns at and below a node."""
    names = _check_columns(columns)
    context.check_node(node)
    line = f"model = model.forbid({node}, {names!r})"
    return context.state.with_model(context.state.model.forbid(node, names), line), line


def prefer(context: ActionContext, node: int, columns: Any) -> tuple[State, str]:
    """Prefer columns at and below a node."""
    names = _check_columns(columns)
    context.check_node(node)
    line = f"model = model.prefer({node}, {names!r})"
    return context.state.with_model(context.state.model.prefer(node, names), line), line


def copy(context: ActionContext, node: int, to: int) -> tuple[State, str]:
    """Ask the questions below a node below another one too."""
    context.check_node(node)
    at = branch_path(context.tree, context.check_node(to))
    model = context.state.model.copy_splits(node, to, *context.rows())
    line = f"model = model.copy_splits({node}, {to}, {context.data_names})"
    there = find_node(model.tree_, at)
    assert there is not None
    paths = split_paths(model.tree_, there)
    return context.state.with_model(model, line, at=at, paths=paths), line


def note(
    context: ActionContext, node: int, name: Any = None, note: Any = None
) -> tuple[State, str]:
    """Write a name and a note on a node."""
    context.check_node(node)
    texts = {key: text for key, text in (("name", name), ("note", note)) if text is not None}
    for key, text in texts.items():
        if isinstance(text, str) and len(text) > _MAX_NOTE_LENGTH:
            raise OptionError(
                f"{key}: {len(text)} characters; at most {_MAX_NOTE_LENGTH} are kept."
            )
    model = context.state.model.annotate(node, **texts)
    more = "".join(f", {key}={text!r}" for key, text in texts.items())
    line = f"model = model.annotate({node}{more})"
    return context.state.with_model(model, line), line


def override(
    context: ActionContext, node: int, answer: Any, reason: Any = None
) -> tuple[State, str]:
    """Set the answer of a node by hand."""
    context.check_node(node)
    labels = context.tree.target.classes
    if answer is not None and labels:
        by_text = {str(label): label for label in labels[0].tolist()}
        answer = by_text.get(str(answer), answer)
    model = context.state.model.override(node, answer, reason)
    because = "" if reason is None else f", reason={reason!r}"
    line = f"model = model.override({node}, {answer!r}{because})"
    return context.state.with_model(model, line), line


def prune(context: ActionContext, alpha: Any = None, n_leaves: Any = None) -> tuple[State, str]:
    """Take another tree of the pruning sequence."""
    if (alpha is None) == (n_leaves is None):
        raise OptionError("prune: give alpha or n_leaves.")
    name, value = ("alpha", alpha) if n_leaves is None else ("n_leaves", n_leaves)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise OptionError(f"{name}: got {value!r}. Pass a number of at least 0.")
    model = context.state.model.reprune(**{name: value}) if context.tree else None
    line = f"model = model.reprune({name}={value!r})"
    state = context.state.with_model(model, line)
    inner = frozenset(branch_path(state.tree, i) for i in state.nodes_by_hand)  # type: ignore[arg-type]
    return replace(state, by_hand=inner), line


# ---------------------------------------------------------------------- looking actions up

_CEIBA_ESTIMATORS: Final = ("DecisionTreeClassifier", "DecisionTreeRegressor")
_MAX_NOTE_LENGTH: Final = 2_000  # characters of a note

#: The actions by name.
ACTIONS: Final[dict[str, Callable[..., tuple[State, str]]]] = {
    action.__name__: action
    for action in (
        set_column, set_held_out, set_options, restart, take, grow, regrow, cut, seal, forbid,
        prefer, copy, note, override, prune,
    )
}  # fmt: skip
_signature = cache(inspect.signature)
_COLUMN_SETTINGS: Final = ("role", "kind", "order", "monotone", "cost")


def act(context: ActionContext, name: str, arguments: dict[str, Any]) -> tuple[State, str]:
    """Do an action by its name, with the arguments that the page gave."""
    action = ACTIONS.get(name)
    if action is None:
        raise OptionError(f"There is no action {name!r}.{did_you_mean(str(name), list(ACTIONS))}")
    if name == "set_column":
        _check_arguments(arguments, "column", *_COLUMN_SETTINGS)
    try:
        bound = _signature(action).bind(context, **arguments)
    except TypeError as error:
        raise OptionError(f"{name}: {error}.") from None
    try:
        return action(*bound.args, **bound.kwargs)
    except OverflowError:  # a whole number beyond float64
        raise OptionError(f"{name}: numbers must be below 1.8e308.") from None


def _check_arguments(arguments: dict[str, Any], *names: str) -> None:
    for name in arguments:
        if name not in names:
            raise OptionError(f"{name!r} is not an argument. Arguments are {', '.join(names)}.")


def _check_columns(columns: Any) -> list[str]:
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise OptionError(f"columns: got {columns!r}. Pass a list of names.")
    return columns


def _check_prior(prior: Any) -> Any:
    numbers = isinstance(prior, dict) and all(
        isinstance(share, int | float) and not isinstance(share, bool) for share in prior.values()
    )
    if prior is not None and not (numbers and prior):
        raise OptionError(f"class_prior: got {prior!r}. Pass an object of classes and shares.")
    return prior


def _check_costs(costs: Any) -> Any:
    square = isinstance(costs, list) and all(
        isinstance(row, list)
        and len(row) == len(costs)
        and all(isinstance(cost, int | float) and not isinstance(cost, bool) for cost in row)
        for row in costs
    )
    if costs is not None and not (square and costs):
        raise OptionError(f"cost_matrix: got {costs!r}. Pass as many rows of costs as classes.")
    return costs
