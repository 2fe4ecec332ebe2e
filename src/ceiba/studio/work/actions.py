"""What can be done in the studio: one small function per action, one line of Python each.

An action takes a desk (the state, the data as prepared, the source) and arguments from the page,
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
from ceiba.studio.work.script import first_line, parameters_text, prepare_line, rows_of
from ceiba.studio.work.setup import Setup, check_by_hand, task_in
from ceiba.studio.work.source import Source
from ceiba.studio.work.splits import in_python, read_json
from ceiba.studio.work.state import State, node_at, place_of, places_below
from ceiba.tree import Tree

#: Options that only stop growing: the tree that is there stays valid.
_STOPPING: Final = frozenset(
    {
        "max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes",
        "min_impurity_decrease", "categorical_splits",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Desk:
    """What an action works with."""

    source: Source
    state: State
    prepared: Callable[[Setup], Prepared]

    @property
    def tree(self) -> Tree:
        """The tree, which must be there."""
        return self.state.known_tree

    def node(self, node: Any) -> int:
        """Check the number of a node."""
        if isinstance(node, bool) or not isinstance(node, int):
            raise OptionError(f"node: got {node!r}. Pass the number of a node.")
        self.tree.node(node)
        return node

    def rows(self) -> tuple[Any, ...]:
        """Return X, y and the weights, as the methods of the model take them."""
        data = self.prepared(self.state.setup)
        return (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)

    @property
    def names(self) -> str:
        """The same as it is written."""
        return rows_of(self.state.setup)


def begun(desk: Desk, setup: Setup) -> State:
    """Return the state in which a setup begins: the root alone, or the given model."""
    if setup.target is None:
        return State(setup)
    if setup.from_model:
        model = desk.source.model
        check_by_hand(model.get_params(deep=False))
        desk.prepared(setup)
        return State(setup, model)
    model = _estimator(desk, setup)
    begun_desk = replace(desk, state=State(setup))
    return State(setup, model.fit_root(*begun_desk.rows()), first_line(model, setup))


def _estimator(desk: Desk, setup: Setup) -> Any:
    data = desk.prepared(setup)
    classes = data.y.info.classes[0].tolist() if data.y.info.classes else []
    parameters = setup.parameters(classes)
    check_by_hand(parameters)
    kind = estimators.DecisionTreeClassifier if classes else estimators.DecisionTreeRegressor
    model = kind(**parameters)
    model._check_parameters()
    return model


# ---------------------------------------------------------------------- the first screen


def set_column(desk: Desk, column: str, **change: Any) -> tuple[State, str]:
    """Set role, kind, order, monotone direction or cost of a column; the tree begins anew."""
    if not change:
        raise OptionError("set_column: give role, kind, order, monotone or cost.")
    setup = desk.state.setup.with_column(desk.source.table, column, **change)
    if desk.source.separate_target and setup.target != desk.state.setup.target:
        raise OptionError("The target was given as an array of its own; it cannot be changed.")
    return begun(desk, setup), prepare_line(desk.source, setup)


def set_held_out(desk: Desk, **held_out: Any) -> tuple[State, str]:
    """Hold out a share of the rows, or judge by a file; the tree begins anew."""
    if held_out and "file" in held_out:
        _only(held_out, "file")
        desk.source.path_of(held_out["file"])
    elif held_out:
        _only(held_out, "share", "seed")
        seed = held_out.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
            raise OptionError(f"seed: got {seed!r}. Pass a whole number of at least 0.")
        if not isinstance(held_out.get("share"), float):
            raise OptionError(f"share: got {held_out.get('share')!r}. Pass a share below 1.")
    setup = replace(desk.state.setup, held_out=held_out or None)
    return begun(desk, setup), prepare_line(desk.source, setup)


def set_options(
    desk: Desk, options: Any = None, class_prior: Any = ..., cost_matrix: Any = ...
) -> tuple[State, str]:
    """Set options of growing; the tree stays if they only say when growing stops."""
    old = desk.state.setup
    task = task_in(old, desk.source.table)
    if task is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    setup = old if options is None else old.with_options(options, task)
    if class_prior is not ...:
        setup = replace(setup, class_prior=_checked_prior(class_prior))
    if cost_matrix is not ...:
        setup = replace(setup, cost_matrix=_checked_costs(cost_matrix))
    if setup == old:
        raise OptionError("set_options: nothing changes.")
    same = setup.class_prior == old.class_prior and setup.cost_matrix == old.cost_matrix
    if same and set(options or {}) <= _STOPPING and type(desk.state.model).__name__ in _OWN:
        model = _estimator(desk, replace(setup, from_model=False))
        fitted = type(model).from_tree(desk.tree, **model.get_params(deep=False))
        arguments = ", ".join(filter(None, ["model.tree_", parameters_text(model)]))
        line = f"model = ceiba.{type(model).__name__}.from_tree({arguments})"
        return replace(desk.state.then(fitted, line), setup=setup), line
    state = begun(desk, replace(setup, from_model=False))
    return state, state.first


def restart(desk: Desk) -> tuple[State, str]:
    """Begin the tree anew."""
    state = begun(desk, desk.state.setup)
    if state.model is None:
        raise TreeError("There is no tree yet. Choose the target first.")
    return state, state.first or "model = given"


# ---------------------------------------------------------------------- the bench


def take(desk: Desk, node: int, split: Any) -> tuple[State, str]:
    """Split a node as given, into leaves."""
    at = place_of(desk.tree, desk.node(node))
    question = read_json(split, desk.tree.schema)
    model = desk.state.model.set_split(node, question, *desk.rows(), levels=0)
    line = f"model = model.set_split({node}, {in_python(question)}, {desk.names}, levels=0)"
    return desk.state.then(model, line, at=at, places=[at]), line


def grow(desk: Desk, node: int, levels: int | None = None) -> tuple[State, str]:
    """Split the leaves at and below a node."""
    desk.node(node)
    model = desk.state.model.grow_leaves(node, *desk.rows(), levels=levels)
    more = "" if levels is None else f", levels={levels}"
    line = f"model = model.grow_leaves({node}, {desk.names}{more})"
    return desk.state.then(model, line), line


def regrow(desk: Desk, node: int) -> tuple[State, str]:
    """Grow everything below a node anew."""
    at = place_of(desk.tree, desk.node(node))
    model = desk.state.model.regrow(node, *desk.rows())
    line = f"model = model.regrow({node}, {desk.names})"
    return desk.state.then(model, line, at=at), line


def cut(desk: Desk, node: int) -> tuple[State, str]:
    """Take away what is below a node."""
    at = place_of(desk.tree, desk.node(node))
    if desk.tree.is_leaf[node]:
        raise TreeError(f"Node {node} is a leaf already.")
    line = f"model = model.collapse({node})"
    return desk.state.then(desk.state.model.collapse(node), line, at=at), line


def seal(desk: Desk, node: int, sealed: bool = True) -> tuple[State, str]:
    """Make a leaf that growing leaves alone, or let it grow again."""
    at = place_of(desk.tree, desk.node(node))
    if not isinstance(sealed, bool):
        raise OptionError(f"sealed: got {sealed!r}. Pass true or false.")
    line = f"model = model.seal({node}{'' if sealed else ', False'})"
    return desk.state.then(
        desk.state.model.seal(node, sealed), line, at=at if sealed else None
    ), line


def forbid(desk: Desk, node: int, columns: Any) -> tuple[State, str]:
    """Forbid columns at and below a node."""
    names = _names(columns)
    desk.node(node)
    line = f"model = model.forbid({node}, {names!r})"
    return desk.state.then(desk.state.model.forbid(node, names), line), line


def prefer(desk: Desk, node: int, columns: Any) -> tuple[State, str]:
    """Prefer columns at and below a node."""
    names = _names(columns)
    desk.node(node)
    line = f"model = model.prefer({node}, {names!r})"
    return desk.state.then(desk.state.model.prefer(node, names), line), line


def copy(desk: Desk, node: int, to: int) -> tuple[State, str]:
    """Ask the questions below a node below another one too."""
    desk.node(node)
    at = place_of(desk.tree, desk.node(to))
    model = desk.state.model.copy_splits(node, to, *desk.rows())
    line = f"model = model.copy_splits({node}, {to}, {desk.names})"
    there = node_at(model.tree_, at)
    assert there is not None
    places = places_below(model.tree_, there)
    return desk.state.then(model, line, at=at, places=places), line


def note(desk: Desk, node: int, name: Any = None, note: Any = None) -> tuple[State, str]:
    """Write a name and a note on a node."""
    desk.node(node)
    texts = {key: text for key, text in (("name", name), ("note", note)) if text is not None}
    for key, text in texts.items():
        if isinstance(text, str) and len(text) > _LONGEST:
            raise OptionError(f"{key}: {len(text)} characters; at most {_LONGEST} are kept.")
    model = desk.state.model.annotate(node, **texts)
    more = "".join(f", {key}={text!r}" for key, text in texts.items())
    line = f"model = model.annotate({node}{more})"
    return desk.state.then(model, line), line


def override(desk: Desk, node: int, answer: Any, reason: Any = None) -> tuple[State, str]:
    """Set the answer of a node by hand."""
    desk.node(node)
    labels = desk.tree.target.classes
    if answer is not None and labels:
        by_text = {str(label): label for label in labels[0].tolist()}
        answer = by_text.get(str(answer), answer)
    model = desk.state.model.override(node, answer, reason)
    because = "" if reason is None else f", reason={reason!r}"
    line = f"model = model.override({node}, {answer!r}{because})"
    return desk.state.then(model, line), line


def prune(desk: Desk, alpha: Any = None, n_leaves: Any = None) -> tuple[State, str]:
    """Take another tree of the pruning sequence."""
    if (alpha is None) == (n_leaves is None):
        raise OptionError("prune: give alpha or n_leaves.")
    name, value = ("alpha", alpha) if n_leaves is None else ("n_leaves", n_leaves)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise OptionError(f"{name}: got {value!r}. Pass a number of at least 0.")
    model = desk.state.model.reprune(**{name: value}) if desk.tree else None
    line = f"model = model.reprune({name}={value!r})"
    state = desk.state.then(model, line)
    inner = frozenset(place_of(state.tree, i) for i in state.nodes_by_hand)  # type: ignore[arg-type]
    return replace(state, by_hand=inner), line


# ---------------------------------------------------------------------- looking actions up

_OWN: Final = ("DecisionTreeClassifier", "DecisionTreeRegressor")
_LONGEST: Final = 2_000  # characters of a note

#: The actions by name.
ACTIONS: Final[dict[str, Callable[..., tuple[State, str]]]] = {
    action.__name__: action
    for action in (
        set_column, set_held_out, set_options, restart, take, grow, regrow, cut, seal, forbid,
        prefer, copy, note, override, prune,
    )
}  # fmt: skip
_signature = cache(inspect.signature)
_CHANGES: Final = ("role", "kind", "order", "monotone", "cost")


def act(desk: Desk, name: str, arguments: dict[str, Any]) -> tuple[State, str]:
    """Do an action by its name, with the arguments that the page gave."""
    action = ACTIONS.get(name)
    if action is None:
        raise OptionError(f"There is no action {name!r}.{did_you_mean(str(name), list(ACTIONS))}")
    if name == "set_column":
        _only(arguments, "column", *_CHANGES)
    try:
        bound = _signature(action).bind(desk, **arguments)
    except TypeError as error:
        raise OptionError(f"{name}: {error}.") from None
    try:
        return action(*bound.args, **bound.kwargs)
    except OverflowError:  # a whole number beyond float64
        raise OptionError(f"{name}: numbers must be below 1.8e308.") from None


def _only(arguments: dict[str, Any], *names: str) -> None:
    for name in arguments:
        if name not in names:
            raise OptionError(f"{name!r} is not an argument. Arguments are {', '.join(names)}.")


def _names(columns: Any) -> list[str]:
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise OptionError(f"columns: got {columns!r}. Pass a list of names.")
    return columns


def _checked_prior(prior: Any) -> Any:
    numbers = isinstance(prior, dict) and all(
        isinstance(share, int | float) and not isinstance(share, bool) for share in prior.values()
    )
    if prior is not None and not (numbers and prior):
        raise OptionError(f"class_prior: got {prior!r}. Pass an object of classes and shares.")
    return prior


def _checked_costs(costs: Any) -> Any:
    square = isinstance(costs, list) and all(
        isinstance(row, list)
        and len(row) == len(costs)
        and all(isinstance(cost, int | float) and not isinstance(cost, bool) for cost in row)
        for row in costs
    )
    if costs is not None and not (square and costs):
        raise OptionError(f"cost_matrix: got {costs!r}. Pass as many rows of costs as classes.")
    return costs
