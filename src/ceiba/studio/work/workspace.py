"""The workspace that all browser tabs share: history, snapshots and journal.

States are immutable, so undo moves back in a list. Changing the workspace requires its lock;
reading does not. Every change is an action, including undo and snapshots, and is written to the
journal before it is acknowledged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ceiba.errors import CeibaError, OptionError, OutputError, TreeError, did_you_mean
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.actions import ACTIONS, ActionContext, act, begin_state, call_action
from ceiba.studio.work.journal import Journal
from ceiba.studio.work.setup import Setup
from ceiba.studio.work.source import Source
from ceiba.studio.work.state import BranchPath, State, branch_path

_MAX_SNAPSHOTS: Final = 200


class StaleError(CeibaError):
    """Exception raised if the tree has changed since the page read it."""


@dataclass(frozen=True, eq=False)
class HistoryEntry:
    """An action, its line of Python and the state after it."""

    action: str
    line: str
    node: int | None
    state: State


@dataclass(frozen=True, eq=False)
class Validation:
    """The cross-validated scores, predictions and losses of a state."""

    state: State
    figures: dict[str, Any]
    answers: Any = None
    losses: Any = None


@dataclass(eq=False)
class Workspace:
    """The data, the history and the snapshots of one session."""

    source: Source
    start: Setup
    journal: Journal | None = None
    lang: str = "en"
    lesson: str | None = None
    defer_root: bool = False
    revision: int = 0
    resumed: dict[str, Any] | None = None
    remarks: list[str] = field(default_factory=list)
    not_replayed: str | None = None
    steps: list[HistoryEntry] = field(default_factory=list)
    position: int = 0
    snapshots: dict[str, State] = field(default_factory=dict)
    lesson_answers: dict[BranchPath, str] = field(default_factory=dict)
    validations: list[Validation] = field(default_factory=list)
    opened_test: HistoryEntry | None = None
    listeners: list[Callable[[dict[str, Any]], None]] = field(default_factory=list)
    lock: Any = field(default_factory=threading.RLock)
    _first_state: State | None = None
    _data: tuple[Any, Prepared] | None = None

    def __post_init__(self) -> None:
        if not self.defer_root or self.source.model is not None:
            self._fit_root()
        elif self.start.target is not None:
            self.prepare(self.start)  # report errors about the target before the page opens
        if self.journal is not None:
            self.remarks += self.journal.remarks
            if self.journal.actions:
                self._replay(self.journal)

    def _fit_root(self) -> State:
        """Return the state before all actions; the first call fits its root."""
        with self.lock:
            if self._first_state is None:
                self._first_state = begin_state(self.context(State(self.start)), self.start)
            return self._first_state

    # ------------------------------------------------------------------ reading

    @property
    def has_root(self) -> bool:
        """Whether the root has been fitted."""
        return self._first_state is not None

    @property
    def state(self) -> State:
        """The state after the last action, or the first state."""
        if self.position:
            return self.steps[self.position - 1].state
        return self._first_state or self._fit_root()

    @property
    def setup(self) -> Setup:
        """The current setup, available before the root is fitted."""
        return self.state.setup if self.has_root else self.start

    def prepare(self, setup: Setup) -> Prepared:
        """Return the prepared table of a setup, and cache it."""
        key = (setup.y, repr(setup.arguments()), repr(setup.held_out), setup.from_model)
        cached = self._data
        if cached is None or cached[0] != key:
            self._data = cached = (key, self.source.prepare(setup))
        return cached[1]

    def prepare_whole(self) -> Prepared:
        """Prepare the table without separating held-out or test rows."""
        return self.source.prepare(replace(self.state.setup, held_out=None, test=None))

    @property
    def data(self) -> Prepared:
        """The prepared table of the current setup."""
        return self.prepare(self.state.setup)

    def find_state(self, name: str) -> State:
        """Return a snapshot by name, or the current state for an empty name."""
        if not name:
            return self.state
        if name not in self.snapshots:
            raise TreeError(
                f"Snapshot not found: {name!r}.{did_you_mean(name, list(self.snapshots))}"
            )
        return self.snapshots[name]

    @property
    def first_state(self) -> State:
        """The state before the first action."""
        return self._fit_root()

    def find_validation(self, state: State) -> Validation | None:
        """Return the last cross-validation of a state, or None if there is none."""
        matches = (v for v in reversed(self.validations) if v.state.model is state.model)
        return next(matches, None)

    # ------------------------------------------------------------------ changing

    def act(self, name: Any, arguments: Any = None, revision: int | None = None) -> None:
        """Change the state by an action, write the action to the journal, and notify all tabs."""
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise OptionError("action must be a string, and arguments must be an object.")
        with self.lock:
            if revision is not None and revision != self.revision:
                raise StaleError(f"Revision {revision} of the tree is outdated. Reload the page.")
            if name == "continue_in_copy":
                self._continue_in_copy(arguments)
            else:
                self._apply_and_record(name, arguments)
            self.revision += 1
        self.notify({"type": "state", "revision": self.revision})

    def record_validation(self, validation: Validation) -> None:
        """Store cross-validated scores; log them in the journal if the tree is in the history."""
        with self.lock:
            states = [self._fit_root(), *(entry.state for entry in self.steps)]
            at = next((k for k, state in enumerate(states) if state is validation.state), None)
            if at is not None and self.not_replayed is None:
                arguments = {"step": at, "figures": validation.figures}
                self._apply_and_record("record_validation", arguments)
                self.validations.pop()
                self.revision += 1
            self.validations.append(validation)

    def notify(self, message: dict[str, Any]) -> None:
        """Send a message to all browser tabs that show the workspace."""
        for listener in list(self.listeners):
            listener(message)

    def _apply_and_record(self, name: str, arguments: dict[str, Any]) -> None:
        """Run an action and write it to the journal, or change nothing if either fails."""
        if self.not_replayed is not None:
            raise OutputError(f"The action cannot be saved. {self.remarks[-1]}")
        before = list(self.steps), self.position, dict(self.snapshots), dict(self.lesson_answers)
        n_validations, last_test = len(self.validations), self.opened_test
        self._apply(name, arguments)
        if self.journal is not None:
            try:
                self.journal.write(name, arguments)
            except CeibaError:
                self.steps, self.position, self.snapshots, self.lesson_answers = before
                del self.validations[n_validations:]
                self.opened_test = last_test
                raise

    def _apply(self, name: str, arguments: dict[str, Any]) -> None:
        method = _WORKSPACE_ACTIONS.get(name)
        if method is not None:
            call_action(name, method, self, arguments)
            return
        if name not in ACTIONS:
            names = [*ACTIONS, *_WORKSPACE_ACTIONS]
            raise OptionError(f"Unknown action {name!r}.{did_you_mean(name, names)}")
        state, line = act(self.context(self.state), name, arguments)
        node = arguments.get("node")
        self._append_entry(HistoryEntry(name, line, node if isinstance(node, int) else None, state))

    def _append_entry(self, step: HistoryEntry) -> None:
        del self.steps[self.position :]
        self.steps.append(step)
        self.position += 1

    def _undo(self, *, steps: Any = 1) -> None:
        n = _check_count(steps)
        if n > self.position:
            raise TreeError(f"steps must be at most {self.position} (all past actions), got {n}.")
        self.position -= n

    def _redo(self, *, steps: Any = 1) -> None:
        n, undone = _check_count(steps), len(self.steps) - self.position
        if n > undone:
            raise TreeError(f"steps must be at most {undone} (all undone actions), got {n}.")
        self.position += n

    def _snapshot(self, *, name: Any) -> None:
        if not isinstance(name, str) or not 0 < len(name.strip()) <= 100:
            raise OptionError(f"name must be a string of 1 to 100 characters, got {name!r}.")
        if len(self.snapshots) >= _MAX_SNAPSHOTS and name not in self.snapshots:
            raise OptionError(f"There can be at most {_MAX_SNAPSHOTS} snapshots. Delete one first.")
        self.snapshots[name] = self.state

    def _find_snapshot(self, name: Any) -> State:
        if not isinstance(name, str) or not name:
            raise OptionError(f"name must be the name of a snapshot, got {name!r}.")
        return self.find_state(name)

    def _restore(self, *, name: Any) -> None:
        state = self._find_snapshot(name)
        self._append_entry(HistoryEntry("restore", f"model = snapshots[{name!r}]", None, state))

    def _forget(self, *, name: Any) -> None:
        self._find_snapshot(name)
        del self.snapshots[name]

    def _answer(self, *, node: Any, column: Any) -> None:
        context = self.context(self.state)
        path = branch_path(context.tree, context.check_node(node))
        context.tree.schema.index(str(column))
        self.lesson_answers[path] = str(column)

    def _open_test(self) -> None:
        """Use the test rows for the final evaluation, which is possible only once."""
        if self.opened_test is not None:
            raise TreeError("The test rows can be used only once, and were already used.")
        if self.state.model is None or self.data.test is None:
            raise TreeError("open_test requires a tree, and test rows chosen on the first screen.")
        line = "model.evaluate(data.test.X, data.test.y)"
        self.opened_test = HistoryEntry("open_test", line, None, self.state)

    def _record_validation(self, *, step: Any, figures: Any) -> None:
        states = [self._fit_root(), *(entry.state for entry in self.steps)]
        is_step = isinstance(step, int) and 0 <= step < len(states)
        if not is_step or not isinstance(figures, dict):
            raise OptionError(
                f"step must be an integer from 0 to {len(states) - 1}, and figures must be a dict, "
                f"got {step!r} and {figures!r}."
            )
        self.validations.append(Validation(states[step], figures))

    # ------------------------------------------------------------------ inside

    def context(self, state: State) -> ActionContext:
        """Return the context of an action on a state."""
        return ActionContext(self.source, state, self.prepare)

    def _replay(self, journal: Journal) -> None:
        """Replay the actions of the journal, up to the first action that fails."""
        for entry in journal.actions:
            try:
                self._apply(entry["action"], entry["arguments"])
            except CeibaError as error:
                self.not_replayed = (
                    f"Action {self.revision + 1} of {len(journal.actions)} in {journal.path.name} "
                    f"cannot be replayed: {error}"
                )
                self.remarks.append(
                    f"{self.not_replayed} To save new actions, remove the cause and restart, or "
                    "continue without the remaining actions, which are saved in a copy."
                )
                break
            self.revision += 1
        self.resumed = {"actions": self.revision, "saved": journal.saved}

    def _continue_in_copy(self, arguments: dict[str, Any]) -> None:
        """Copy the workspace file, and drop the actions that were not replayed."""
        if self.not_replayed is None or self.journal is None or arguments:
            raise OptionError("continue_in_copy takes no arguments and requires a failed replay.")
        copy = self.journal.keep_first(self.revision)
        self.remarks[-1] = f"{self.not_replayed} All actions are saved in {copy.name}."
        self.not_replayed = None


_WORKSPACE_ACTIONS: Final[dict[str, Callable[..., None]]] = {
    "undo": Workspace._undo,
    "redo": Workspace._redo,
    "snapshot": Workspace._snapshot,
    "restore": Workspace._restore,
    "forget": Workspace._forget,
    "answer": Workspace._answer,
    "record_validation": Workspace._record_validation,
    "open_test": Workspace._open_test,
}


def _check_count(steps: Any) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise OptionError(f"steps must be a positive integer, got {steps!r}.")
    return steps
