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
from ceiba.studio.answers.bench import Bench, Places
from ceiba.studio.answers.column import column, some_rows
from ceiba.studio.answers.compare import compare
from ceiba.studio.answers.figures import CancelledError, cross_validated
from ceiba.studio.answers.lessons import answered, lesson_answer, lesson_steps
from ceiba.studio.answers.preview import further_cut, preview
from ceiba.studio.answers.rivals import hidden, p_values, rivals
from ceiba.studio.answers.state import described_by, description, state_json
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.state import State
from ceiba.studio.work.workspace import StaleError, Workspace

#: In a comparison: the tree as `fit` grows it.
AUTOMATIC: Final = "@automatic"


class LessonError(CeibaError):
    """The learner has to answer first."""


class _Run:
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
        self._beginning = not workspace.is_begun  # until `warm_up` has tried to fit the root
        self.closed = threading.Event()
        self._places: tuple[Prepared, Places] | None = None
        self._doubts: dict[Any, Any] = {}
        self._describing = {False: threading.Lock(), True: threading.Lock()}
        self._described: dict[bool, tuple[str, dict[str, Any]]] = {}
        self._kept: tuple[Any, dict[Any, Any]] = (None, {})
        self._run: _Run | None = None
        self._validated: list[tuple[State, dict[str, Any]]] = []
        self._lock = workspace.lock

    # ------------------------------------------------------------------ the state

    def state(self) -> dict[str, Any]:
        """Return all that the page shows of the workspace; there is no tree while it begins."""
        if self._beginning and not self.workspace.is_begun:
            return state_json(self.workspace, State(self.workspace.start), None, {})
        with self._lock:  # what is shown belongs together
            return self._once("state", self._state)

    def _state(self) -> dict[str, Any]:
        state = self.workspace.state
        bench = None if state.model is None else self.bench(state)
        answer = state_json(self.workspace, state, bench, self._doubts)
        if answer["figures"] is not None:
            last = None
            if self._validated:
                of, figures = self._validated[-1]
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
            self.bench()
        self._beginning = False
        with suppress(CeibaError):
            self.state()

    def columns(self, whole: bool = False) -> dict[str, Any]:
        """Describe the columns of the table as set up, by some of the rows or by all of them."""
        setup, table = self.workspace.setup, self.workspace.source.table
        key = described_by(setup)
        with self._describing[whole]:  # two tabs do not describe one table twice
            cached = self._described.get(whole)
            if cached is None or cached[0] != key:
                cached = (key, description(table, setup, whole=whole))
                self._described[whole] = cached
        return cached[1]

    # ------------------------------------------------------------------ nodes

    def bench(self, state: State | None = None) -> Bench:
        """Return the tree with its data."""
        state = self.workspace.state if state is None else state
        with self._lock:
            data = self.workspace.prepared(state.setup) if state.setup.target else None
            if data is None:
                raise OptionError("There is no tree yet. Choose the target first.")
            if self._places is None or self._places[0] is not data:
                self._places = (data, Places(data.X.n_rows))
            return Bench(state, data, self._places[1])

    def of_node(
        self,
        what: str,
        node: int,
        revision: int | None,
        ask: Callable[[Bench, int], dict[str, Any]],
    ) -> dict[str, Any]:
        """Ask about a node of the tree as it is; a lesson first waits for the learner's answer."""
        with self._lock:
            now, bench = self.workspace.revision, self.bench()
        if revision is not None and revision != now:
            raise StaleError("The tree has changed meanwhile. Read the state again.")
        bench.check(node)
        if what != "rivals" and not answered(self.workspace, bench, node):
            raise LessonError("Answer first: which question is best?")
        return {"revision": now, **ask(bench, node)}

    def rivals(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return the best split of every column at a node."""
        listing = self._once(
            ("rivals", node), lambda: self.of_node("rivals", node, revision, rivals), revision
        )
        bench = self.bench()
        if answered(self.workspace, bench, node):
            return listing
        return hidden(listing, bench.problem.table.schema.names)

    def p_values(self, node: int, revision: int | None = None) -> dict[str, Any]:
        """Return the p-values that take a while."""
        return self._once(
            ("p", node), lambda: self.of_node("p-values", node, revision, p_values), revision
        )

    def column(self, node: int, name: str, revision: int | None = None) -> dict[str, Any]:
        """Return what is drawn of one column at a node."""

        def ask() -> dict[str, Any]:
            return self.of_node("column", node, revision, lambda b, i: column(b, i, name))

        return self._once(("column", node, name), ask, revision)

    def preview(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return what a split would do."""
        split, revision = body.get("split"), body.get("revision")
        return self.of_node("preview", node, revision, lambda b, i: preview(b, i, split))

    def further_cut(self, node: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return the best cut of a column besides those that are given."""
        revision = body.get("revision")
        return self.of_node("further cut", node, revision, lambda b, i: further_cut(b, i, body))

    def rows(self, node: int, limit: int) -> dict[str, Any]:
        """Return some rows of a node."""
        return self.of_node("rows", node, None, lambda b, i: some_rows(b, i, limit))

    # ------------------------------------------------------------------ trees

    def compare(self, a: str, b: str) -> dict[str, Any]:
        """Compare two snapshots, or one with the tree as it is."""
        sides = [self._named(name) for name in (a, b)]
        if any(side.model is None for side in sides):
            raise OptionError("There is no tree yet. Choose the target first.")
        result = compare(*(Bench(s, self.workspace.prepared(s.setup), Places(1)) for s in sides))
        result["a"]["name"], result["b"]["name"] = a, b
        return result

    def _named(self, name: str) -> State:
        """Return a snapshot, or the tree that the same options grow by themselves."""
        if name != AUTOMATIC or self.workspace.state.model is None:
            return self.workspace.state_named(name)
        state: State = self._once("automatic", self._automatic)["state"]
        return state

    def _automatic(self) -> dict[str, Any]:
        from sklearn.base import clone

        state, data = self.workspace.state, self.workspace.data
        rows = (data.X, data.y) if data.weight is None else (data.X, data.y, data.weight)
        return {"state": replace(state, model=clone(state.model).fit(*rows))}

    def validate(self, folds: Any) -> dict[str, Any]:
        """Begin a cross-validation in the background."""
        if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= 100:
            raise OptionError(f"folds: got {folds!r}. Pass a whole number from 2 to 100.")
        bench = self.bench()
        with self._lock:
            if self._run is not None:
                raise OptionError("A cross-validation is running. Cancel it first.")
            self._run = run = _Run(folds)
        threading.Thread(target=self._validate, args=(bench, run), daemon=True).start()
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
            self._tell_of_run("cancelled")
        return {"running": False}

    def _validate(self, bench: Bench, run: _Run) -> None:
        def progress(done: int, total: int) -> None:
            run.done = done
            if self._run is run:
                self.workspace.tell({"type": "progress", "done": done, "total": total})

        try:
            figures = cross_validated(bench, run.total, progress, run.cancelled.is_set)
        except CancelledError:
            return
        except Exception as error:  # whatever it is, the page must not wait for ever
            self._ended(run, "failed", text=str(error))
            return
        self._ended(run, "cross_validated", figures=(bench.state, figures))

    def _ended(self, run: _Run, how: str, *, figures: Any = None, text: str = "") -> None:
        """Keep what a run gave, unless it was cancelled at the last moment."""
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            if figures is not None:
                self._validated.append(figures)
        self._tell_of_run(how, text)

    def _tell_of_run(self, how: str, text: str = "") -> None:
        self.workspace.tell({"type": how, "text": text, "revision": self.workspace.revision})

    # ------------------------------------------------------------------ lessons

    def lesson(self, node: int, column: str, measure: str, lang: str) -> dict[str, Any]:
        """Return a computation step by step."""
        return self.of_node(
            "lesson", node, None, lambda b, i: lesson_steps(b, i, column, measure, lang)
        )

    def answer(self, node: int, column: Any) -> dict[str, Any]:
        """Take the learner's answer, and say whether it is right."""
        bench = self.bench()
        bench.check(node)
        verdict = lesson_answer(bench, node, column)
        self.workspace.act("answer", {"node": node, "column": column})
        return verdict

    def close(self) -> dict[str, Any]:
        """End the work: whoever waits for the model gets it."""
        self.cancel()
        self.workspace.tell({"type": "closed"})
        self.closed.set()
        return {"closed": True}

    # ------------------------------------------------------------------ inside

    def _once(
        self, key: Any, make: Callable[[], dict[str, Any]], revision: int | None = None
    ) -> dict[str, Any]:
        """Return an answer that is kept until the tree changes."""
        with self._lock:
            of = (self.workspace.revision, len(self._validated))
            if revision is not None and revision != of[0]:
                raise StaleError("The tree has changed meanwhile. Read the state again.")
            if self._kept[0] != of:
                self._kept = (of, {})
            cache = self._kept[1]
        if key not in cache:  # made without the lock: a drag does not wait for slow p-values
            result = make()
            if result.get("revision", of[0]) != of[0]:
                return result
            cache[key] = result
        answer: dict[str, Any] = cache[key]
        return answer
