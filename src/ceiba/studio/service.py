"""The service: what the routes answer, from the workspace and the rooms of `answers`.

Nothing is kept in modules: a service belongs to one workspace. Answers that depend on the tree
alone are kept until it changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from ceiba.errors import CeibaError, OptionError
from ceiba.studio.analysis.column import describe_column, sample_rows
from ceiba.studio.analysis.compare import compare_states
from ceiba.studio.analysis.lessons import check_answer, is_answered, lesson_steps
from ceiba.studio.analysis.node_analysis import NodeAnalysis, NodeRowCache
from ceiba.studio.analysis.preview import find_further_cut, preview_split
from ceiba.studio.analysis.rivals import compute_p_values, find_rivals, hide_splits
from ceiba.studio.analysis.scores import CancelledError, cross_validate
from ceiba.studio.analysis.state import describe_columns, description_key, state_to_json
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.state import State
from ceiba.studio.work.workspace import StaleError, Workspace

#: In a comparison: the tree as `fit` grows it.
AUTOMATIC: Final = "@automatic"


class LessonError(CeibaError):
    """The learner has to answer first."""


class _CrossValidation:
    """A cross-validation under way; one that was cancelled ends after its present fold."""

    def __init__(self, total: int) -> None:
        self.done, self.total = 0, total
        self.cancelled = threading.Event()

    def status(self) -> dict[str, Any]:
        """Return how far it is."""
        return {"running": True, "done": self.done, "total": self.total}


class Service:
    """Answers to all questions about one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._is_beginning = not workspace.has_root  # until `warm_up` has tried to fit the root
        self.closed = threading.Event()
        self._row_cache: tuple[Prepared, NodeRowCache] | None = None
        self._warning_cache: dict[Any, Any] = {}
        self._describe_locks = {False: threading.Lock(), True: threading.Lock()}
        self._descriptions: dict[bool, tuple[str, dict[str, Any]]] = {}
        self._cache: tuple[Any, dict[Any, Any]] = (None, {})
        self._run: _CrossValidation | None = None
        self._validations: list[tuple[State, dict[str, Any]]] = []
        self._lock = workspace.lock

    # ------------------------------------------------------------------ the state

    def state(self) -> dict[str, Any]:
        """Return all that the page shows of the workspace; there is no tree while it begins."""
        if self._is_beginning and not self.workspace.has_root:
            return state_to_json(self.workspace, State(self.workspace.start), None, {})
        with self._lock:  # what is shown belongs together
            return self._cached("state", self._state)

    def _state(self) -> dict[str, Any]:
        state = self.workspace.state
        analysis = None if state.model is None else self.analysis(state)
        answer = state_to_json(self.workspace, state, analysis, self._warning_cache)
        if answer["figures"] is not None:
            last = None
            if self._validations:
                of, figures = self._validations[-1]
                last = {**figures, "current": of.model is state.model}
            answer["figures"]["cross_validated"] = last
        return answer

    def act(self, body: dict[str, Any]) -> dict[str, Any]:
        """Do an action, and return the new state."""
        for name in body:
            if name not in ("action", "arguments", "revision"):
                raise OptionError(f"{name!r} is not a field of an action.")
        if body.get("action") == "answer":
            raise OptionError("A lesson is answered at /api/lesson.")
        self.workspace.act(body.get("action"), body.get("arguments"), body.get("revision"))
        return self.state()

    def warm_up(self) -> None:
        """Compute the first screen while the browser starts."""
        with suppress(CeibaError):  # said when the page asks
            self.columns()
        with suppress(CeibaError):
            self.analysis()
        self._is_beginning = False
        with suppress(CeibaError):
            self.state()

    def columns(self, whole: bool = False) -> dict[str, Any]:
        """Describe the columns of the table as set up, by some of the rows or by all of them."""
        setup, table = self.workspace.setup, self.workspace.source.table
        key = description_key(setup)
        with self._describe_locks[whole]:  # two tabs do not describe one table twice
            cached = self._descriptions.get(whole)
            if cached is None or cached[0] != key:
                cached = (key, describe_columns(table, setup, whole=whole))
                self._descriptions[whole] = cached
        return cached[1]

    # ------------------------------------------------------------------ nodes

    def analysis(self, state: State | None = None) -> NodeAnalysis:
        """Return the tree with its data."""
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
        """Ask about a node of the tree as it is; a lesson first waits for the learner's answer."""
        with self._lock:
            now, analysis = self.workspace.revision, self.analysis()
        if revision is not None and revision != now:
            raise StaleError("The tree has changed meanwhile. Read the state again.")
        analysis.check(node)
        if what != "rivals" and not is_answered(self.workspace, analysis, node):
            raise LessonError("Answer first: which question is best?")
        return {"revision": now, **query(analysis, node)}

    def rivals(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return the best split of every column at a node."""
        listing = self._cached(
            ("rivals", node),
            lambda: self.query_node("rivals", node, revision, find_rivals),
            revision,
        )
        analysis = self.analysis()
        if is_answered(self.workspace, analysis, node):
            return listing
        return hide_splits(listing, analysis.problem.table.schema.names)

    def p_values(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return the p-values that take a while."""
        return self._cached(
            ("p", node),
            lambda: self.query_node("p-values", node, revision, compute_p_values),
            revision,
        )

    def column(self, node: int, name: str, revision: int | None = None) -> dict[str, Any]:
        """Return what is drawn of one column at a node."""

        def query() -> dict[str, Any]:
            return self.query_node(
                "column", node, revision, lambda b, i: describe_column(b, i, name)
            )

        return self._cached(("column", node, name), query, revision)

    def preview(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return what a split would do."""
        split, revision = body.get("split"), body.get("revision")
        return self.query_node("preview", node, revision, lambda b, i: preview_split(b, i, split))

    def further_cut(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return the best cut of a column besides those that are given."""
        revision = body.get("revision")
        return self.query_node(
            "further cut", node, revision, lambda b, i: find_further_cut(b, i, body)
        )

    def rows(self, node: int, limit: int) -> dict[str, Any]:
        """Return some rows of a node."""
        return self.query_node("rows", node, None, lambda b, i: sample_rows(b, i, limit))

    # ------------------------------------------------------------------ trees

    def compare(self, a: str, b: str) -> dict[str, Any]:
        """Compare two snapshots, or one with the tree as it is."""
        sides = [self._find_state(name) for name in (a, b)]
        if any(side.model is None for side in sides):
            raise OptionError("There is no tree yet. Choose the target first.")
        result = compare_states(
            *(NodeAnalysis(s, self.workspace.prepare(s.setup), NodeRowCache(1)) for s in sides)
        )
        result["a"]["name"], result["b"]["name"] = a, b
        return result

    def _find_state(self, name: str) -> State:
        """Return a snapshot, or the tree that the same options grow by themselves."""
        if name != AUTOMATIC or self.workspace.state.model is None:
            return self.workspace.find_state(name)
        state: State = self._cached("automatic", self._fit_automatic)["state"]
        return state

    def _fit_automatic(self) -> dict[str, Any]:
        from sklearn.base import clone

        state, data = self.workspace.state, self.workspace.data
        rows = (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)
        return {"state": replace(state, model=clone(state.model).fit(*rows))}

    def validate(self, folds: Any) -> dict[str, Any]:
        """Begin a cross-validation in the background."""
        if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= 100:
            raise OptionError(f"folds: got {folds!r}. Pass a whole number from 2 to 100.")
        analysis = self.analysis()
        with self._lock:
            if self._run is not None:
                raise OptionError("A cross-validation is running. Cancel it first.")
            self._run = run = _CrossValidation(folds)
        threading.Thread(target=self._validate, args=(analysis, run), daemon=True).start()
        return run.status()

    def validation(self) -> dict[str, Any]:
        """Return how far the cross-validation is."""
        run = self._run
        return {"running": False} if run is None else run.status()

    def cancel(self) -> dict[str, Any]:
        """Stop the cross-validation: at once for the tabs, after its present fold for the work."""
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run.cancelled.set()
            self._notify_run("cancelled")
        return {"running": False}

    def _validate(self, analysis: NodeAnalysis, run: _CrossValidation) -> None:
        def progress(done: int, total: int) -> None:
            run.done = done
            if self._run is run:
                self.workspace.notify({"type": "progress", "done": done, "total": total})

        try:
            figures = cross_validate(analysis, run.total, progress, run.cancelled.is_set)
        except CancelledError:
            return
        except Exception as error:  # whatever it is, the page must not wait for ever
            self._finish_run(run, "failed", text=str(error))
            return
        self._finish_run(run, "cross_validated", figures=(analysis.state, figures))

    def _finish_run(
        self, run: _CrossValidation, outcome: str, *, figures: Any = None, text: str = ""
    ) -> None:
        """Keep what a run gave, unless it was cancelled at the last moment."""
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            if figures is not None:
                self._validations.append(figures)
        self._notify_run(outcome, text)

    def _notify_run(self, outcome: str, text: str = "") -> None:
        self.workspace.notify({"type": outcome, "text": text, "revision": self.workspace.revision})

    # ------------------------------------------------------------------ lessons

    def lesson(self, node: int, column: str, measure: str, lang: str) -> dict[str, Any]:
        """Return a computation step by step."""
        return self.query_node(
            "lesson", node, None, lambda b, i: lesson_steps(b, i, column, measure, lang)
        )

    def answer(self, node: int, column: Any) -> dict[str, Any]:
        """Take the learner's answer, and say whether it is right."""
        analysis = self.analysis()
        analysis.check(node)
        verdict = check_answer(analysis, node, column)
        self.workspace.act("answer", {"node": node, "column": column})
        return verdict

    def close(self) -> dict[str, Any]:
        """End the work: whoever waits for the model gets it."""
        self.cancel()
        self.workspace.notify({"type": "closed"})
        self.closed.set()
        return {"closed": True}

    # ------------------------------------------------------------------ inside

    def _cached(
        self, key: Any, make: Callable[[], dict[str, Any]], revision: int | None = None
    ) -> dict[str, Any]:
        """Return an answer that is kept until the tree changes."""
        with self._lock:
            of = (self.workspace.revision, len(self._validations))
            if revision is not None and revision != of[0]:
                raise StaleError("The tree has changed meanwhile. Read the state again.")
            if self._cache[0] != of:
                self._cache = (of, {})
            cache = self._cache[1]
        if key not in cache:  # made without the lock: a drag does not wait for slow p-values
            result = make()
            if result.get("revision", of[0]) != of[0]:
                return result
            cache[key] = result
        answer: dict[str, Any] = cache[key]
        return answer
