"""Compute the responses of all server routes for one workspace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import Any, Final

from ceiba.errors import CeibaError, OptionError
from ceiba.studio.analysis.column import describe_column
from ceiba.studio.analysis.compare import compare_states
from ceiba.studio.analysis.growing import choose_splits
from ceiba.studio.analysis.lessons import check_answer, is_answered, lesson_steps
from ceiba.studio.analysis.node_analysis import NodeAnalysis, NodeRowCache
from ceiba.studio.analysis.preview import find_further_cut, preview_split
from ceiba.studio.analysis.rivals import compute_p_values, find_rivals, hide_splits
from ceiba.studio.analysis.scores import CancelledError
from ceiba.studio.analysis.state import describe_columns, description_key, state_to_json
from ceiba.studio.analysis.trail import Trail
from ceiba.studio.prepare import Prepared
from ceiba.studio.validations import ValidationRuns
from ceiba.studio.work.state import State
from ceiba.studio.work.workspace import StaleError, Workspace

#: Name of the automatically grown tree in requests for comparisons and cross-validations.
AUTOMATIC: Final = "@automatic"
_SECONDS_BETWEEN: Final = 0.1  # minimum time between progress messages


class LessonError(CeibaError):
    """Exception raised if statistics are requested in a lesson before the first answer."""


class Service:
    """The responses to all requests about one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._is_beginning = not workspace.has_root  # set to False by `warm_up`
        self.closed = threading.Event()
        self._row_cache: tuple[Prepared, NodeRowCache] | None = None
        self._warning_cache: dict[Any, Any] = {}
        self._describe_locks = {False: threading.Lock(), True: threading.Lock()}
        self._descriptions: dict[bool, tuple[str, dict[str, Any]]] = {}
        self._cache: tuple[Any, dict[Any, Any]] = (None, {})
        self._trail = Trail()
        self._stop_growing = threading.Event()
        self._automatic: tuple[Any, State] | None = None
        self.validations = ValidationRuns(workspace)
        self._lock = workspace.lock

    # ------------------------------------------------------------------ the state

    def state(self) -> dict[str, Any]:
        """Return the state of the page, without a tree while the root is being fitted."""
        if self._is_beginning and not self.workspace.has_root:
            return state_to_json(self.workspace, State(self.workspace.start), None, {})
        with self._lock:  # all parts of the state must have the same revision
            return self._cached("state", self._state)

    def _state(self) -> dict[str, Any]:
        state = self.workspace.state
        analysis = None if state.model is None else self.analysis(state)
        answer = state_to_json(self.workspace, state, analysis, self._warning_cache)
        if analysis is not None:
            self._add_validation(answer, analysis)
            answer["trail"] = self._trail.points(self.workspace, analysis, answer["figures"])
        return answer

    def _add_validation(self, answer: dict[str, Any], analysis: NodeAnalysis) -> None:
        """Add the cross-validated scores of the tree, or of the last tree that has such scores."""
        workspace = self.workspace
        if workspace.lesson is None:
            self.validations.run_small(analysis)
        current = workspace.find_validation(analysis.state)
        last = current or next(reversed(workspace.validations), None)
        if last is None:
            return
        figures = {name: value for name, value in last.figures.items() if name != "curve"}
        answer["figures"]["cross_validated"] = {**figures, "current": last is current}
        pruning = answer["tree"] and answer["tree"]["pruning"]
        if last is current and pruning and last.figures["curve"]:
            pruning |= last.figures["curve"]

    def act(self, body: dict[str, Any]) -> dict[str, Any]:
        """Run an action and return the new state."""
        for name in body:
            if name not in ("action", "arguments", "revision"):
                raise OptionError(f"Unknown field {name!r}. Fields: action, arguments, revision.")
        if body.get("action") in ("answer", "record_validation"):
            paths = "/api/lesson (answer) or /api/cross-validation (record_validation)"
            raise OptionError(f"Action {body['action']!r} must use another address: {paths}.")
        arguments = body.get("arguments")
        if body.get("action") == "grow" and self.workspace.lesson is None:
            try:
                arguments = self._choose_splits(arguments)
            except CancelledError:
                return self.state()
        self.workspace.act(body.get("action"), arguments, body.get("revision"))
        return self.state()

    def _choose_splits(self, arguments: Any) -> Any:
        """Add the splits from `choose_splits` to the arguments of the action `grow`."""
        state = self.workspace.state
        if state.model is None or not isinstance(arguments, dict) or "splits" in arguments:
            return arguments
        context = self.workspace.context(state)
        node = context.check_node(arguments.get("node"))
        stop = self._stop_growing = threading.Event()
        sent = begun = monotonic()

        def report(done: int, total: int) -> None:
            nonlocal sent
            if stop.is_set():
                raise CancelledError
            if monotonic() - sent > _SECONDS_BETWEEN:
                sent = monotonic()
                self.workspace.notify({"type": "growing", "done": done, "total": total})

        try:
            splits = choose_splits(self.analysis(), context, node, arguments.get("levels"), report)
        finally:
            if sent > begun:
                self.workspace.notify({"type": "growing", "done": 0, "total": 0})
        return {**arguments, "splits": splits} if splits else arguments

    def stop_growing(self) -> dict[str, Any]:
        """Stop growing, and leave the tree unchanged."""
        self._stop_growing.set()
        return {}

    def warm_up(self) -> None:
        """Compute the first screen while the browser starts."""
        with suppress(CeibaError):  # the first request of the page repeats the error
            self.columns()
        with suppress(CeibaError):
            self.analysis()
        self._is_beginning = False
        with suppress(CeibaError):
            self.state()

    def columns(self, whole: bool = False) -> dict[str, Any]:
        """Describe the columns under the current settings, from a sample or the whole table."""
        setup, table = self.workspace.setup, self.workspace.source.table
        key = description_key(setup)
        # The lock prevents two tabs from describing the table twice.
        with self._describe_locks[whole]:
            cached = self._descriptions.get(whole)
            if cached is None or cached[0] != key:
                cached = (key, describe_columns(table, setup, whole=whole))
                self._descriptions[whole] = cached
        return cached[1]

    # ------------------------------------------------------------------ nodes

    def analysis(self, state: State | None = None) -> NodeAnalysis:
        """Return the analysis of a state (default: the current state)."""
        state = self.workspace.state if state is None else state
        with self._lock:
            data = self.workspace.prepare(state.setup) if state.setup.target else None
            if data is None:
                raise OptionError("There is no tree yet. Choose the target first.")
            if self._row_cache is None or self._row_cache[0] is not data:
                self._row_cache = (data, NodeRowCache(data.X.n_rows))
            return NodeAnalysis(state, data, self._row_cache[1])

    def query_node(
        self,
        what: str,
        node: int,
        revision: int | None,
        query: Callable[[NodeAnalysis, int], dict[str, Any]],
    ) -> dict[str, Any]:
        """Run a query about a node; a lesson may reject the query before the student answers."""
        with self._lock:
            now, analysis = self.workspace.revision, self.analysis()
        if revision is not None and revision != now:
            raise StaleError(f"Revision {revision} of the tree is outdated. Reload the page.")
        analysis.check(node)
        if what != "rivals" and not is_answered(self.workspace, analysis, node):
            raise LessonError("Choose the best split for this node first.")
        return {"revision": now, **query(analysis, node)}

    def rivals(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return each column's best split at a node; lessons hide the splits before the answer."""
        listing = self._cached(
            ("rivals", node),
            lambda: self.query_node("rivals", node, revision, self._find_rivals),
            revision,
        )
        analysis = self.analysis()
        if is_answered(self.workspace, analysis, node):
            return listing
        return hide_splits(listing, analysis.problem.table.schema.names)

    def _find_rivals(self, analysis: NodeAnalysis, node: int) -> dict[str, Any]:
        """Return the best split of every column; lessons rank them by gain, as textbooks do."""
        return find_rivals(analysis, node, by_gain=self.workspace.lesson is not None)

    def p_values(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return the p-values at a node that require permutations."""
        return self._cached(
            ("p", node),
            lambda: self.query_node("p-values", node, revision, compute_p_values),
            revision,
        )

    def column(self, node: int, name: str, revision: int | None = None) -> dict[str, Any]:
        """Describe one column at a node."""

        def query() -> dict[str, Any]:
            return self.query_node(
                "column", node, revision, lambda b, i: describe_column(b, i, name)
            )

        return self._cached(("column", node, name), query, revision)

    def preview(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return the effect of a split without applying it."""
        split, revision = body.get("split"), body.get("revision")
        return self.query_node("preview", node, revision, lambda b, i: preview_split(b, i, split))

    def further_cut(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Find the best cut to add to the cuts of a column in the request body."""
        revision = body.get("revision")
        return self.query_node(
            "further cut", node, revision, lambda b, i: find_further_cut(b, i, body)
        )

    # ------------------------------------------------------------------ trees

    def compare(self, a: str, b: str, lang: str = "en") -> dict[str, Any]:
        """Compare two trees: snapshots, the current tree or the tree that `fit` grows."""
        sides = [self._find_state(name) for name in (a, b)]
        if any(side.model is None for side in sides):
            raise OptionError("There is no tree yet. Choose the target first.")
        validations = [self.workspace.find_validation(side) for side in sides]
        first, second = (
            NodeAnalysis(s, self.workspace.prepare(s.setup), NodeRowCache(1)) for s in sides
        )
        runs = [v for v in validations if v is not None and v.losses is not None]
        validated = None
        if len(runs) == len(sides):
            validated = (runs[0].answers, runs[1].answers), (runs[0].losses, runs[1].losses)
        result = compare_states(first, second, validated, lang)
        for name, validation in zip("ab", validations, strict=True):
            figures = None if validation is None else validation.figures
            result[name]["figures"]["cross_validated"] = figures
        result["a"]["name"], result["b"]["name"] = a, b
        return result

    def _find_state(self, name: str) -> State:
        """Return a snapshot, the current state, or the tree that `fit` grows."""
        if name != AUTOMATIC or self.workspace.state.model is None:
            return self.workspace.find_state(name)
        from sklearn.base import clone

        state, data = self.workspace.state, self.workspace.data
        if self._automatic is None or self._automatic[0] != state.setup:
            rows = (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)
            fitted = replace(state, model=clone(state.model).fit(*rows), by_hand=frozenset())
            self._automatic = (state.setup, fitted)
        return self._automatic[1]

    def validate(self, body: dict[str, Any]) -> dict[str, Any]:
        """Start a cross-validation of the current tree or of named snapshots."""
        names = body.get("trees", [""])
        if not isinstance(names, list) or not 1 <= len(names) <= 2:
            raise OptionError(f"trees must be a list of 1 or 2 snapshot names, got {names!r}.")
        analyses = [self.analysis(self._find_state(str(name))) for name in names]
        return self.validations.start(analyses, body.get("folds", 10))

    # ------------------------------------------------------------------ lessons

    def lesson(self, node: int, column: str, measure: str, lang: str) -> dict[str, Any]:
        """Return the steps that compute a measure of a column's best split at a node."""
        return self.query_node(
            "lesson", node, None, lambda b, i: lesson_steps(b, i, column, measure, lang)
        )

    def answer(self, node: int, column: Any) -> dict[str, Any]:
        """Record the answer of a student, and return whether it is correct."""
        analysis = self.analysis()
        analysis.check(node)
        verdict = check_answer(analysis, node, column)
        self.workspace.act("answer", {"node": node, "column": column})
        return verdict

    def close(self) -> dict[str, Any]:
        """Close the studio, so that `run` returns the model."""
        self.validations.cancel()
        self.workspace.notify({"type": "closed"})
        self.closed.set()
        return {"closed": True}

    # ------------------------------------------------------------------ inside

    def _cached(
        self, key: Any, make: Callable[[], dict[str, Any]], revision: int | None = None
    ) -> dict[str, Any]:
        """Return the result of `make`, cached until the tree changes or a cross-validation ends."""
        with self._lock:
            version = (self.workspace.revision, len(self.workspace.validations))
            if revision is not None and revision != version[0]:
                raise StaleError(f"Revision {revision} of the tree is outdated. Reload the page.")
            if self._cache[0] != version:
                self._cache = (version, {})
            cache = self._cache[1]
        if key not in cache:  # no lock here, because p-values can be slow
            result = make()
            if result.get("revision", version[0]) != version[0]:
                return result
            cache[key] = result
        answer: dict[str, Any] = cache[key]
        return answer
