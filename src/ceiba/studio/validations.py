"""Cross-validate trees in the background, with progress and cancellation."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from ceiba.errors import CeibaError, OptionError
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.scores import CancelledError, cross_validate
from ceiba.studio.work.setup import SMALL_TABLE
from ceiba.studio.work.workspace import Validation, Workspace

_FOLDS: Final = 10


class _Run:
    """A running cross-validation, which ends after the current fold when canceled."""

    def __init__(self, total: int) -> None:
        self.done, self.total = 0, total
        self.cancelled = threading.Event()

    def status(self) -> dict[str, Any]:
        """Return the progress of the run."""
        return {"running": True, "done": self.done, "total": self.total}


class ValidationRuns:
    """The cross-validations of one workspace, at most one of which runs in the background."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._run: _Run | None = None
        self._lock = workspace.lock

    def start(self, analyses: Sequence[NodeAnalysis], folds: Any) -> dict[str, Any]:
        """Start a cross-validation of some trees in the background."""
        if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= 100:
            raise OptionError(f"folds must be an integer from 2 to 100, got {folds!r}.")
        with self._lock:
            if self._run is not None:
                raise OptionError("A cross-validation is already running. Cancel it first.")
            self._run = run = _Run(folds * len(analyses))
        threading.Thread(target=self._validate, args=(analyses, folds, run), daemon=True).start()
        return run.status()

    def run_small(self, analysis: NodeAnalysis) -> None:
        """Cross-validate a tree once if its table is small and has no held-out rows."""
        is_small = analysis.data.held_out is None and analysis.data.X.n_rows < SMALL_TABLE
        if is_small and self.workspace.find_validation(analysis.state) is None:
            with suppress(CeibaError):  # the table has too few rows for the folds
                result = cross_validate(analysis, _FOLDS, lambda *_: None, lambda: False)
                self.workspace.validations.append(Validation(analysis.state, *result))

    def status(self) -> dict[str, Any]:
        """Return the progress of the cross-validation."""
        run = self._run
        return {"running": False} if run is None else run.status()

    def cancel(self) -> dict[str, Any]:
        """Cancel the cross-validation, whose thread ends after the current fold."""
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run.cancelled.set()
            self._notify("cancelled")
        return {"running": False}

    def _validate(self, analyses: Sequence[NodeAnalysis], folds: int, run: _Run) -> None:
        def progress(done: int, total: int) -> None:
            run.done += 1
            if self._run is run:
                self.workspace.notify({"type": "progress", "done": run.done, "total": run.total})

        try:
            results = [
                Validation(a.state, *cross_validate(a, folds, progress, run.cancelled.is_set))
                for a in analyses
            ]
        except CancelledError:
            return
        except Exception as error:  # notify the page, which waits for a result
            self._finish(run, "failed", text=str(error))
            return
        self._finish(run, "cross_validated", results)

    def _finish(
        self, run: _Run, outcome: str, results: Sequence[Validation] = (), text: str = ""
    ) -> None:
        """Store the results of a run and notify the page, unless the run was canceled."""
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            for validation in results:
                self.workspace.record_validation(validation)
        self._notify(outcome, text)

    def _notify(self, outcome: str, text: str = "") -> None:
        self.workspace.notify({"type": outcome, "text": text, "revision": self.workspace.revision})
