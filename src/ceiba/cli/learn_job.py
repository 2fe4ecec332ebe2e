"""Run ``ceiba learn``: read a table, fit a tree, evaluate it and write the outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ceiba._polars import pl
from ceiba.cli.advice import add_option_hint, describe_table, find_column, list_target_warnings
from ceiba.cli.models import CHANGED_FILES
from ceiba.cli.options.estimator_from_flags import (
    infer_task,
    make_model,
    read_costs,
    read_pairs,
    read_settings,
    split_rows,
)
from ceiba.cli.rows import evaluate_file, evaluation_to_dict, format_evaluation, read_truth
from ceiba.cli.terminal.output import LANG, answer, remark, spinner, tree_style
from ceiba.errors import DataError, OptionError
from ceiba.formatting import pluralize
from ceiba.table import MIN_DISTINCT, Scan, Table, fit_schema
from ceiba.table.files import (
    as_table,
    convert_columns,
    display_name,
    is_text,
    load_table,
    open_scan,
)
from ceiba.table.targets import split_survival
from ceiba.task import Task

_SHORT = 12  # for longer pruning tables, print only the last line of the legend
_IDENTIFIERS = "Dropped identifiers: {}. Pass --keep-identifiers to keep them."
_HASHED = 1_000_000  # approximate number of values sampled per column to find identifiers
_REMARKS = 8  # maximum number of printed warnings about columns


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
    event: str | None = None  # event column, or COLUMN=CODE before the table is read
    event_code: str | None = None
    X: Any = None
    y: Any = None
    weights: Any = None
    counts_rows: bool = False
    example: str | None = None
    task: Task = Task.CLASSIFICATION  # placeholder until the target is read
    source: Any = None
    train: Any = None
    test: Any = None
    n_rows: int = 0

    def read(self, task: str | None, *, advise: bool) -> None:
        """Read the table and separate the target and the weights from it."""
        sheet = load_table(self.data, self.reading)
        for text in sheet.remarks:
            remark(f"warning: {text}", self.quiet)
        self.source = {**sheet.format.to_dict(), "names": list(sheet.frame.columns)}
        frame = sheet.frame
        del sheet
        flag = "--target" if self.event is None else "--time"
        self.target = find_column(self.target, frame.columns, flag, self.data)
        if self.event is not None:
            column, coded, code = self.event.partition("=")
            self.event = find_column(column, frame.columns, "--event", self.data)
            self.event_code = code if coded else None
        if self.weight is not None:
            self.weight = find_column(self.weight, frame.columns, "--weight", self.data)
        frame = convert_columns(frame, **self.shape)
        for name in (self.target, self.event, self.weight):
            if name is not None and name not in frame.columns:
                role = "weight" if name == self.weight else "target"
                raise OptionError(f"--drop must not contain the {role} {name!r}.")
        self.y = frame[self.target]
        if is_text(self.data) and self.y.dtype.is_integer():  # avoid overflow of labels
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
            raise DataError(f"No row in {self.data} has a value in {self.target_text!r}.")
        identifiers = self._review_columns(table, present, advise and not self.quiet)
        names = list(table.schema.names)
        if identifiers:
            remark(_IDENTIFIERS.format(", ".join(map(repr, identifiers))), self.quiet)
        unused = {self.target, self.event, self.weight, *identifiers}
        table = table.select([j for j, name in enumerate(names) if name not in unused])
        if not table.n_columns:
            raise DataError(f"{self.data} must have at least one column to split on.")
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

    def open_files(
        self,
        task: str | None,
        memory: str | None,
        scratch: Any,
        cluster: str | None,
        unusable: Mapping[str, Any],
    ) -> None:
        """Open files that may be larger than memory, and set the target and the weights."""
        for flag, value in unusable.items():
            if value:
                raise OptionError(
                    f"{flag} is not supported with --memory, --cluster or several input files."
                )
        files = open_scan(
            self.data, self.reading, memory=memory or "4GB", scratch=scratch, cluster=cluster,
            target=self.target,
        )  # fmt: skip
        for text in files.remarks:
            remark(f"warning: {text}", self.quiet)
        if files.n_left_out:
            left_out = pluralize(files.n_left_out, "row")
            remark(f"Left out: {left_out} without {self.target!r}.", self.quiet)
        table = files.scan
        names = list(table.names)
        self.source = files.format.to_dict() | {"names": names}
        self.target = find_column(self.target, names, "--target", self.data)
        drop = [find_column(name, names, "--drop", self.data) for name in self.shape["drop"]]
        if self.target in drop:
            raise OptionError(f"--drop must not contain the target {self.target!r}.")
        if self.weight is not None:
            self.weight = find_column(self.weight, names, "--weight", self.data)
        table = table.without(*drop)
        if not self.keep_identifiers:
            columns = [name for name in names if name not in drop]
            identifiers = self.select_identifiers(_find_identifiers(table, self.target), columns)
            if identifiers:
                remark(_IDENTIFIERS.format(", ".join(map(repr, identifiers))), self.quiet)
            table = table.without(*identifiers)
        head = pl.from_arrow(next(table.batches([self.target])).column(self.target))
        assert isinstance(head, pl.Series)
        self.task = infer_task(head, task)
        self.X, self.y, self.weights = table, self.target, self.weight

    @property
    def target_text(self) -> str:
        """The target as text: a column name, or "Surv(time, event)" for survival data."""
        code = "" if self.event_code is None else f" == {self.event_code}"
        return self.target if self.event is None else f"Surv({self.target}, {self.event}{code})"

    def _review_columns(self, table: Table, present: Any, aloud: bool) -> list[str]:
        """Return the identifier columns to drop, and print table size and warnings if `aloud`."""
        description = describe_table(table)
        columns = tuple(
            replace(column, is_target=True, remarks=()) if column.name == self.target else column
            for column in description.columns
        )
        description = replace(description, target=self.target, columns=columns)
        if aloud:
            remark(f"{self.example or display_name(self.data)}: {description.headline()}.")
        if not present.all():
            features = [j for j, name in enumerate(table.schema.names) if name != self.target]
            description = describe_table(fit_schema(table.select(features).take(present)))
        names = [c.name for c in description.columns if c.kind == "identifier" and not c.is_target]
        identifiers = self.select_identifiers(names, table.schema.names)
        if aloud:
            remarks = [note for note in description.remarks if note.column not in identifiers]
            for finding in remarks[:_REMARKS]:
                remark(f"warning: {add_option_hint(finding)}")
            if len(remarks) > _REMARKS:
                n_more = len(remarks) - _REMARKS
                remark(f"warning: {n_more} more warnings; see: ceiba describe {self.data}")
        return identifiers

    def select_identifiers(self, identifiers: list[str], columns: Sequence[str]) -> list[str]:
        """Return the identifiers to drop: those not named in options, if other columns remain."""
        if self.keep_identifiers:
            return []
        in_use = {self.target, self.event, self.weight, *self.shape["categorical"],
                  *self.shape["numeric"], *self.shape["ordered"]}  # fmt: skip
        chosen = [name for name in identifiers if name not in in_use]
        features = set(columns) - {self.target, self.event, self.weight, *chosen}
        return chosen if features else []

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
        """Create the estimator from the options, and fit it to all rows that are not held out."""
        from ceiba.progress import progress_listeners
        from ceiba.prune import read_pruning

        is_scan = isinstance(self.X, Scan)
        labels: list[Any] = []
        if self.task.has_classes and (class_weight or prior or costs):
            labels = _read_labels(self.X, self.y) if is_scan else self.y.unique().to_list()
        by_class: dict[str, Any] = {}
        if class_weight is not None:
            pairs = class_weight != "balanced"
            by_class["class_weight"] = (
                read_pairs(class_weight, "--class-weight", labels) if pairs else class_weight
            )
        if prior is not None:
            by_class["class_prior"] = read_pairs(prior, "--prior", labels)
        if costs is not None:
            ordinal = costs == "ordinal"
            by_class["cost_matrix"] = "ordinal" if ordinal else read_costs(costs, labels)
        options = options | by_class | read_settings(settings)
        keep_unpruned = keep_unpruned and not is_scan
        model = make_model(self.task, recipe, options)
        prune = getattr(model, "prune", None)
        has_shares = getattr(model, "leaf_values", "share") == "share"
        if keep_unpruned and prune is not None and has_shares:
            # The pruning slider of the report needs the unpruned tree.
            pruning = read_pruning(prune)
            if pruning is not None and "keep_unpruned" in pruning.get_params():
                params = pruning.get_params() | {"keep_unpruned": True}
                model.prune = type(pruning)(**params)
        table, self.X = self.X, None
        y, w = self.y, self.weights
        if test_size is not None:
            rows, apart = split_rows(y, test_size, seed or 0, self.task)
            test_rows = table.take(apart)
            table = fit_schema(table.take(rows))
            self.test = (test_rows, y[apart], None if w is None else w[apart])
            y, w = y[rows], None if w is None else w[rows]
        self.train = (table, y)
        self.n_rows = table.n_rows
        with (
            spinner("reading the files" if is_scan else "growing the tree", self.quiet) as show,
            progress_listeners(search=partial(_show_gap, show), folds=partial(_show_fold, show)),
        ):
            if is_scan:
                files = _with_progress(table, show, self.quiet)
                CHANGED_FILES.extend(filter(None, [checkpoint]))
                model.fit(files, y, sample_weight=w, checkpoint=checkpoint)
            else:
                model.fit(table, y, **{"frequency" if self.counts_rows else "sample_weight": w})
        if keep_unpruned and prune is not None:
            model.prune = prune  # restore the user's value for the model file
        return model

    def metadata(self, hash_data: bool) -> dict[str, Any]:
        """Return the metadata for the model file: data file, target, and how the file was read."""
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
            test_rows, truth, weights = self.test
            judged = model.evaluate(test_rows, truth, weights)
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
            remark(f"No rows were held out to test the tree. Try {hint}.", silent)

    def report(self, model: Any, path: Path, test: str | None) -> None:
        """Write the HTML report with the training and held-out rows."""
        from ceiba.report import fits_into_memory

        held_out = None
        if self.test is not None:
            held_out = (model._read_rows(self.test[0]), self.test[1])
        elif test is not None:
            held_out = read_truth(model, test, self.reading, self.target_text, None)[:2]
        train: Any = self.train
        table, y = train
        if not isinstance(table, Scan):
            if table.schema.columns != model.tree_.schema.columns:  # column kinds have changed
                train = (model._read_rows(table), y)
        elif not fits_into_memory(table):
            train = None
            remark(
                "The report has no distributions of the training rows. Raise --memory for them.",
                self.quiet,
            )
        model.report(path, train=train, test=held_out, lang=LANG.get())
        remark(f"report written to {path}", self.quiet)


def _show_fold(show: Callable[[str], None], done: int, total: int) -> None:
    """Show the number of finished folds of a cross-validation."""
    full = round(30 * done / total)
    show(f"cross-validating {'█' * full}{'░' * (30 - full)} fold {done} of {total}")


def _show_gap(show: Callable[[str], None], objective: float, lower: float, seconds: float) -> None:
    """Show the optimality gap of the exact search."""
    gap = 100 * (objective - lower) / objective if objective > 0 else 0.0
    state = f"{objective:.6g} so far, at least {lower:.6g}, gap {gap:.1f} %"
    show(f"searching: {state} ({seconds:.0f} s)")


def _with_progress(table: Scan, show: Callable[[str], None], quiet: bool) -> Scan:
    """Return a copy of a scan that shows progress while a tree is grown on it."""

    def watch(kind: str, words: str) -> None:
        if kind == "plan":
            remark(words, quiet)
        else:
            show(_add_bar(words, table.n_rows))

    return replace(table, watch=watch)


def _add_bar(words: str, n_rows: int) -> str:
    """Add a progress bar before a message: the share of the rows that are in finished leaves."""
    is_open = re.search(r"([\d,]+) rows open$", words)
    if is_open is None:
        return words
    full = round(20 * (1 - int(is_open[1].replace(",", "")) / n_rows))
    return f"{'█' * full}{'░' * (20 - full)} {words}"


def _find_identifiers(table: Scan, target: str) -> list[str]:
    """Return the columns that are identifiers in the first batch and in a sample of all rows."""
    head: Any = pl.from_arrow(next(table.batches(list(table.names))))
    description = describe_table(as_table(head.drop(target).get_columns()))
    names = [info.name for info in description.columns if info.kind == "identifier"]
    share = 1 + table.n_rows // _HASHED  # sampling by hash value keeps all repeats of a value
    hashes: dict[str, list[Any]] = {name: [] for name in names}
    for batch in table.batches(names) if names else ():
        for name in names:
            column: Any = pl.from_arrow(batch.column(name))
            codes = column.drop_nulls().hash()
            hashes[name].append(codes.filter(codes % share == 0))
    series = {name: pl.concat(parts) for name, parts in hashes.items()}
    return [name for name, codes in series.items() if codes.n_unique() >= MIN_DISTINCT * len(codes)]


def _read_labels(table: Scan, target: str) -> list[Any]:
    """Return the distinct values of the target column of a scan."""
    labels: set[Any] = set()
    for batch in table.batches([target]):
        labels.update(batch.column(target).unique().to_pylist())
    return list(labels)
