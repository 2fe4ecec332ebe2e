"""The steps of ``ceiba learn``: read the table, warn, fit, evaluate, print, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ceiba._polars import pl
from ceiba.cli.advice import add_option_hint, describe_table, find_column, list_target_warnings
from ceiba.cli.beyond_memory import IDENTIFIERS, read_labels, with_progress
from ceiba.cli.commands.using.evaluate import (
    evaluate_file,
    evaluation_to_dict,
    format_evaluation,
    read_truth,
)
from ceiba.cli.options.estimator_from_flags import (
    infer_task,
    make_model,
    read_costs,
    read_pairs,
    read_settings,
    split_rows,
)
from ceiba.cli.terminal.output import LANG, answer, remark, spinner, tree_style
from ceiba.errors import DataError, OptionError
from ceiba.formatting import pluralize
from ceiba.table import Scan, Table, fit_schema
from ceiba.table.files import as_table, convert_columns, display_name, is_text, load_table
from ceiba.table.targets import split_survival
from ceiba.task import Task

_SHORT = 12  # rows of a pruning table that are printed
_REMARKS = 8  # remarks about columns that are printed


@dataclass
class LearnJob:
    """Table, target and options of one run of ``ceiba learn``."""

    data: str
    target: str
    reading: Any
    shape: dict[str, Any]
    weight: str | None
    quiet: bool
    keep_identifiers: bool = False
    event: str | None = None  # survival: the column of events, and the code of an observed one
    event_code: str | None = None
    X: Any = None
    y: Any = None
    weights: Any = None
    counts_rows: bool = False
    example: str | None = None
    task: Task = Task.CLASSIFICATION  # until the target is read
    source: Any = None
    train: Any = None
    test: Any = None
    n_rows: int = 0

    def read(self, task: str | None, *, advise: bool) -> None:
        """Read the table and separate the target and the weights from it."""
        loaded = load_table(self.data, self.reading)
        for text in loaded.remarks:
            remark(f"warning: {text}", self.quiet)
        self.source = {**loaded.format.to_dict(), "names": list(loaded.frame.columns)}
        frame = loaded.frame
        del loaded
        flag = "--target" if self.event is None else "--time"
        self.target = find_column(self.target, frame.columns, flag, self.data)
        if self.event is not None:
            self.event = find_column(self.event, frame.columns, "--event", self.data)
        if self.weight is not None:
            self.weight = find_column(self.weight, frame.columns, "--weight", self.data)
        frame = convert_columns(frame, **self.shape)
        if self.target not in frame.columns:
            raise OptionError(f"--drop names the target {self.target!r}.")
        self.y = frame[self.target]
        if is_text(self.data) and self.y.dtype.is_integer():  # labels are not of the smallest type
            self.y = self.y.cast(pl.Int64)
        present = self.y.is_not_null().to_numpy()
        if self.event is not None:
            present = present & frame[self.event].is_not_null().to_numpy()
            times = frame.select(self.target, self.event)
            self.y = pl.DataFrame(split_survival(None, times, self.event_code)[1])
        self.weights = None if self.weight is None else frame[self.weight].to_numpy()
        columns = frame.get_columns()
        del frame
        table = as_table(columns)
        if not present.any():
            raise DataError(f"No row of {self.data} has a value in {self.target!r}.")
        identifiers = self._review_columns(table, present, advise and not self.quiet)
        names = list(table.schema.names)
        if identifiers:
            remark(IDENTIFIERS.format(", ".join(map(repr, identifiers))), self.quiet)
        unused = {self.target, self.event, self.weight, *identifiers}
        table = table.select([j for j, name in enumerate(names) if name not in unused])
        if not table.n_columns:
            raise DataError(f"{self.data} has no column to learn from besides the target.")
        n_missing = int((~present).sum())
        if n_missing:
            table = fit_schema(table.take(present))
            self.y = self.y.filter(present)
            self.weights = None if self.weights is None else self.weights[present]
        self.X = table
        self.task = infer_task(self.y, task)
        if advise and not self.quiet and self.event is None:
            for text in list_target_warnings(self.y, self.task, n_missing):
                remark(f"warning: {text}")
        if n_missing:
            left = pluralize(n_missing, "row")
            also = "" if self.event is None else f" or {self.event!r}"
            remark(f"Left out: {left} without {self.target!r}{also}.", self.quiet)

    @property
    def target_text(self) -> str:
        """The target column, or "Surv(time, event)" with the code of the event."""
        code = "" if self.event_code is None else f" == {self.event_code}"
        return self.target if self.event is None else f"Surv({self.target}, {self.event}{code})"

    def _review_columns(self, table: Table, present: Any, aloud: bool) -> list[str]:
        """Print a description of the table and warnings; return the identifiers to drop."""
        description = describe_table(table)
        columns = tuple(
            replace(column, is_target=True, remarks=()) if column.name == self.target else column
            for column in description.columns
        )
        description = replace(description, target=self.target, columns=columns)
        if aloud:
            remark(f"{self.example or display_name(self.data)}: {description.headline()}.")
        if not present.all():
            others = [j for j, name in enumerate(table.schema.names) if name != self.target]
            description = describe_table(fit_schema(table.select(others).take(present)))
        identifiers = self.select_identifiers(
            [
                column.name
                for column in description.columns
                if column.kind == "identifier" and not column.is_target
            ],
            table.schema.names,
        )
        if aloud:
            remarks = [note for note in description.remarks if note.column not in identifiers]
            for finding in remarks[:_REMARKS]:
                remark(f"warning: {add_option_hint(finding)}")
            if len(remarks) > _REMARKS:
                more = len(remarks) - _REMARKS
                remark(f"warning: {more} more columns deserve a look: ceiba describe {self.data}")
        return identifiers

    def select_identifiers(self, identifiers: list[str], columns: Sequence[str]) -> list[str]:
        """Return the identifiers that no option names; none if no other column would be left."""
        if self.keep_identifiers:
            return []
        wanted = {self.target, self.event, self.weight, *self.shape["categorical"],
                  *self.shape["numeric"], *self.shape["ordered"]}  # fmt: skip
        chosen = [name for name in identifiers if name not in wanted]
        rest = set(columns) - {self.target, self.event, self.weight, *chosen}
        return chosen if rest else []

    def fit(
        self,
        recipe: str | None,
        options: dict[str, Any],
        class_weight: str | None,
        prior: str | None,
        costs: str | None,
        settings: list[str] | None,
        test_size: float | None,
        seed: int | None,
        keep_unpruned: bool = False,
        checkpoint: Any = None,
    ) -> Any:
        """Fit the estimator to all rows, or to those that are not held out."""
        from ceiba.progress import progress_listeners
        from ceiba.prune import read_pruning

        is_scan = isinstance(self.X, Scan)
        labels: list[Any] = []
        if self.task.has_classes and (class_weight or prior or costs):
            labels = read_labels(self.X, self.y) if is_scan else self.y.unique().to_list()
        by_class: dict[str, Any] = {}
        if class_weight == "balanced":
            by_class["class_weight"] = "balanced"
        elif class_weight is not None:
            by_class["class_weight"] = read_pairs(class_weight, "--class-weight", labels)
        if prior is not None:
            by_class["class_prior"] = read_pairs(prior, "--prior", labels)
        if costs is not None:
            ordinal = costs == "ordinal"
            by_class["cost_matrix"] = "ordinal" if ordinal else read_costs(costs, labels)
        options = options | by_class | read_settings(settings)
        keep_unpruned = keep_unpruned and not is_scan
        model = make_model(self.task, recipe, options)
        wanted = getattr(model, "prune", None)
        if (
            keep_unpruned
            and wanted is not None
            and getattr(model, "leaf_values", "share") == "share"
        ):
            # The slider of the page needs the unpruned tree.
            pruning = read_pruning(wanted)
            if pruning is not None and "keep_unpruned" in pruning.get_params():
                whole = pruning.get_params() | {"keep_unpruned": True}
                model.prune = type(pruning)(**whole)
        table, self.X = self.X, None
        y, w = self.y, self.weights
        if test_size is not None:
            rows, apart = split_rows(y, test_size, seed or 0, self.task)
            held = table.take(apart)
            table = fit_schema(table.take(rows))
            self.test = (held, y[apart], None if w is None else w[apart])
            y, w = y[rows], None if w is None else w[rows]
        self.train = (table, y)
        self.n_rows = table.n_rows
        with (
            spinner("looking at the files" if is_scan else "growing the tree", self.quiet) as show,
            progress_listeners(search=partial(_show_gap, show), folds=partial(_show_fold, show)),
        ):
            if is_scan:
                files = with_progress(table, show, self.quiet)
                model.fit(files, y, sample_weight=w, checkpoint=checkpoint)
            else:
                model.fit(table, y, **{"frequency" if self.counts_rows else "sample_weight": w})
        if keep_unpruned and wanted is not None:
            model.prune = wanted  # as the user wrote it, for the model file
        return model

    def metadata(self, hash_data: bool) -> dict[str, Any]:
        """Return the metadata of the model file."""
        import hashlib

        metadata: dict[str, Any] = {
            "data": Path(self.data).name,
            "target": self.target if self.event is None else f"Surv({self.target}, {self.event})",
            "missing_markers": list(self.reading.markers),
            "reading": self.source,
        }
        if hash_data and Path(self.data).is_file():
            with Path(self.data).open("rb") as file:
                metadata["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        return metadata

    def print_result(self, model: Any, path: Path, test: str | None, as_json: bool) -> None:
        """Print the tree, its pruning table and its evaluation."""
        tree = model.tree_
        rows = self.n_rows
        figures: dict[str, Any] = {
            "model": str(path), "task": self.task, "rows": rows, "leaves": tree.n_leaves,
            "depth": tree.depth,
        }  # fmt: skip
        lines: list[Any] = [tree.to_text(max_depth=6, **tree_style()), ""]
        if tree.certificate is not None:
            lines += [str(tree.certificate), ""]
            figures["certificate"] = tree.certificate.to_dict()
        table = getattr(model, "pruning_table_", None)
        if table is not None:
            lines += [table if len(table) <= _SHORT else table.legend.splitlines()[-1], ""]
            figures["pruning_table"] = table.to_dict()
        judged = None
        if self.test is not None:
            held, truth, weights = self.test
            judged = model.evaluate(held, truth, weights)
            lines.append(f"On {pluralize(len(truth), 'held-out row')}:")
        elif test is not None:
            judged = evaluate_file(model, test, self.reading, self.target_text, self.weight)
            lines.append(f"On {display_name(test)}:")
        if judged is not None:
            lines += [*format_evaluation(judged), ""]
            figures["test"] = evaluation_to_dict(judged)
        leaves = pluralize(tree.n_leaves, "leaf", "leaves")
        lines[-1:] = [f"{leaves} from {pluralize(rows, 'row')}, saved in {path}"]
        if not self.quiet or as_json:
            answer(lines, figures, as_json)
        if judged is None:
            hint = "--test FILE" if isinstance(self.train[0], Scan) else "--test-size 0.3"
            silent = self.quiet or as_json
            remark(f"No rows were held out to test the tree: try {hint}.", silent)

    def report(self, model: Any, path: Path, test: str | None) -> None:
        """Write the HTML report, with training and held-out rows."""
        from ceiba.report import fits_into_memory

        held_out = None
        if self.test is not None:
            held_out = (model._read_rows(self.test[0]), self.test[1])
        elif test is not None:
            held_out = read_truth(model, test, self.reading, self.target_text, None)[:2]
        train: Any = self.train
        table, y = train
        if not isinstance(table, Scan):
            if table.schema.columns != model.tree_.schema.columns:  # fitting changed kinds
                train = (model._read_rows(table), y)
        elif not fits_into_memory(table):
            train = None
            remark(
                "The report has no distributions of the training rows: they need more --memory.",
                self.quiet,
            )
        model.report(path, train=train, test=held_out, lang=LANG.get())
        remark(f"report written to {path}", self.quiet)


def _show_fold(show: Callable[[str], None], done: int, total: int) -> None:
    """Show the progress of cross-validation."""
    full = round(30 * done / total)
    show(f"cross-validating {'█' * full}{'░' * (30 - full)} fold {done} of {total}")


def _show_gap(show: Callable[[str], None], objective: float, lower: float, seconds: float) -> None:
    """Show the optimality gap of the exact search."""
    gap = 100 * (objective - lower) / objective if objective > 0 else 0.0
    state = f"{objective:.6g} so far, at least {lower:.6g}, gap {gap:.1f} %"
    show(f"searching: {state} ({seconds:.0f} s)")
