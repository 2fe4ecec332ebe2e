"""What learning from a table goes through: read it, advise, fit, judge, tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ceiba.cli.advice import advice
from ceiba.cli.commands.using.evaluate import evaluation_data, evaluation_on, truth_of
from ceiba.cli.files._polars import pl
from ceiba.cli.files.kinds import as_columns, as_table, shape_columns
from ceiba.cli.files.reading import is_text, load_table
from ceiba.cli.files.streams import shown
from ceiba.cli.first_look import column_named, described, in_option_words
from ceiba.cli.options.estimator_from_flags import (
    make_model,
    read_costs,
    read_pairs,
    read_settings,
    split_rows,
    task_of,
)
from ceiba.cli.terminal.output import answer, can_unicode, remark
from ceiba.cli.terminal.progress import busy
from ceiba.cli.terminal.screen import DIGITS, has_color, width_of
from ceiba.errors import DataError, OptionError
from ceiba.visible import counted

_SHORT = 12  # rows of a pruning table that are printed
_REMARKS = 8  # remarks about columns that are printed


@dataclass
class Learning:
    """The table on its way to a model.

    Parameters
    ----------
    data, target : str
        The table, and the column to predict.
    reading : Reading
    shape : dict
        Arguments of `shape_columns`.
    weight : str, optional
        The column with weights.
    quiet : bool

    Attributes
    ----------
    X, y, weights
        What `read` found. X is given up column by column when the model is fitted: a large table is
        in memory once.
    task : str
    train : tuple of (Table, target)
        What the model was fitted to; beyond memory, None and the rows.
    scanned : tuple of (Scan, str), optional
        What it was fitted to beyond memory.
    test : tuple of (frame, target, weights), optional
        The held-out rows.
    """

    data: str
    target: str
    reading: Any
    shape: dict[str, Any]
    weight: str | None
    quiet: bool
    X: Any = None
    y: Any = None
    weights: Any = None
    task: str = ""
    source: Any = None
    train: Any = None
    scanned: Any = None
    test: Any = None

    def read(self, task: str | None, *, advise: bool) -> None:
        """Read the table and take the target and the weights out of it."""
        loaded = load_table(self.data, self.reading)
        frame = loaded.frame
        for text in loaded.remarks:
            remark(f"warning: {text}", self.quiet)
        self.source = how_read(loaded)
        self.target = column_named(self.target, frame.columns, "--target", self.data)
        if self.weight is not None:
            self.weight = column_named(self.weight, frame.columns, "--weight", self.data)
        frame = shape_columns(frame, **self.shape)
        if self.target not in frame.columns:
            raise OptionError(f"--drop names the target {self.target!r}.")
        identifiers = self._look_at(frame) if advise and not self.quiet else []
        n = len(frame)
        present = frame[self.target].is_not_null()
        if not present.any():
            raise DataError(f"No row of {self.data} has a value in {self.target!r}.")
        if not present.all():
            columns = frame.get_columns()
            del frame
            (frame,) = _divided(columns, [present.arg_true()])
        self.y = frame[self.target]
        if is_text(self.data) and self.y.dtype.is_integer():  # not in the smallest type: labels
            self.y = self.y.cast(pl.Int64)
        self.weights = None if self.weight is None else frame[self.weight].to_numpy()
        self.X = frame.drop([self.target, *([self.weight] if self.weight else [])])
        if not self.X.width:
            raise DataError(f"{self.data} has no column to learn from besides the target.")
        self.task = task_of(self.y, task)
        if advise and not self.quiet:
            for text in advice(self.X, self.y, self.task, n - len(frame), identifiers):
                remark(f"warning: {text}")
        if n > len(frame):
            remark(
                f"Left out: {counted(n - len(frame), 'row')} without {self.target!r}.", self.quiet
            )

    def _look_at(self, frame: Any) -> list[str]:
        """Say what the table is like; give its identifiers."""
        made = described(frame)
        columns = tuple(
            replace(one, is_target=True, remarks=()) if one.name == self.target else one
            for one in made.columns
        )
        made = replace(made, target=self.target, columns=columns)
        remark(f"{shown(self.data)}: {made.headline()}.")
        if made[self.target].n_missing:
            made = described(frame.filter(frame[self.target].is_not_null()).drop(self.target))
        for one in made.remarks[:_REMARKS]:
            remark(f"warning: {in_option_words(one)}")
        if len(made.remarks) > _REMARKS:
            more = len(made.remarks) - _REMARKS
            remark(f"warning: {more} more columns deserve a look: ceiba describe {self.data}")
        return [one.name for one in made.columns if one.kind == "identifier"]

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
    ) -> Any:
        """Fit the estimator, to all rows or to those not held out."""
        from ceiba.grow import watching
        from ceiba.prune.cross_validation.progress import watching_folds

        labels = self.y.unique().to_list() if self.task == "classification" else []
        balanced = class_weight == "balanced"
        weights = None if balanced else read_pairs(class_weight, "--class-weight", labels)
        options = options | {
            "class_weight": "balanced" if balanced else weights,
            "class_prior": read_pairs(prior, "--prior", labels),
            "cost_matrix": read_costs(costs, labels),
            **read_settings(settings),
        }
        model = make_model(self.task, recipe, options)
        wanted = getattr(model, "prune", None)
        if keep_unpruned:
            _keep_unpruned(model)
        X, self.X = self.X.get_columns(), None
        y, w = self.y, self.weights
        if test_size is not None:
            rows, apart = split_rows(y, test_size, seed or 0, self.task)
            kept, held = _divided(X, [rows, apart])
            X = kept.get_columns()
            del kept
            self.test = (held, y[apart], None if w is None else w[apart])
            y, w = y[rows], None if w is None else w[rows]
        # A table has its kinds already; who chooses them otherwise gets the columns as they are.
        chosen = "categorical_features" in options
        table = as_columns(pl.DataFrame(X)) if chosen else as_table(X)
        self.train = (table, y)
        with (
            busy("growing the tree", self.quiet) as show,
            watching(_gap_line(show)),
            watching_folds(_fold_bar(show)),
        ):
            model.fit(table, y, sample_weight=w)
        if keep_unpruned and wanted is not None:
            model.set_params(prune=wanted)  # the model file has what was asked for
        return model

    def metadata(self, hash_data: bool) -> dict[str, Any]:
        """Give what is kept beside the model."""
        import hashlib

        metadata: dict[str, Any] = {
            "data": Path(self.data).name,
            "target": self.target,
            "missing_markers": list(self.reading.markers),
            "reading": self.source,
        }
        if hash_data and Path(self.data).is_file():
            with Path(self.data).open("rb") as file:
                metadata["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        return metadata

    def tell(self, model: Any, path: Path, test: str | None, as_json: bool) -> None:
        """Print the tree and how good it is."""
        tree = model.tree_
        rows = len(self.train[1])
        figures: dict[str, Any] = {
            "model": str(path), "task": self.task, "rows": rows, "leaves": tree.n_leaves,
            "depth": tree.depth,
        }  # fmt: skip
        shown = {
            "unicode": can_unicode(),
            "color": has_color(),
            "width": width_of(),
            "digits": DIGITS,
        }
        lines = [tree.to_text(max_depth=6, **shown), ""]
        if tree.certificate is not None:
            lines += [str(tree.certificate), ""]
            figures["certificate"] = tree.certificate.to_dict()
        table = getattr(model, "pruning_table_", None)
        if table is not None:
            lines += [str(table) if len(table) <= _SHORT else str(table).splitlines()[-1], ""]
            figures["pruning_table"] = table.to_dict()
        judged = None
        if self.test is not None:
            held, truth, weights = self.test
            judged = model.evaluate(as_columns(held), truth, weights)
            lines.append(f"On {counted(len(truth), 'held-out row')}:")
        elif test is not None:
            judged = evaluation_on(model, test, self.reading, self.target, self.weight)
            lines.append(f"On {test}:")
        if judged is not None:
            lines += [str(judged), ""]
            figures["test"] = evaluation_data(judged)
        leaves = counted(tree.n_leaves, "leaf", "leaves")
        lines[-1:] = [f"{leaves} from {counted(rows, 'row')}, saved in {path}"]
        if not self.quiet or as_json:
            answer("\n".join(lines), figures, as_json)
        if judged is None:
            hint = "--test-size 0.3" if self.train[0] is not None else "--test FILE"
            silent = self.quiet or as_json
            remark(f"No rows were held out to test the tree: try {hint}.", silent)

    def report(self, model: Any, path: Path, test: str | None) -> None:
        """Write the page, with the training rows and the held-out ones."""
        from ceiba.report.scanned import fits_into_memory

        held_out = None
        if self.test is not None:
            held_out = (as_columns(self.test[0]), self.test[1])
        elif test is not None:
            held_out = truth_of(model, test, self.reading, self.target, None)[:2]
        train = self.train
        if self.scanned is not None:
            train = self.scanned if fits_into_memory(self.scanned[0]) else None
            if train is None:
                remark(
                    "The report has no distributions of the training rows: they need more "
                    "--memory.",
                    self.quiet,
                )
        model.report(path, train=train, test=held_out)
        remark(f"report written to {path}", self.quiet)


def how_read(loaded: Any) -> dict[str, Any]:
    """Give how a file was read, for the model: the same columns are read so again."""
    return {
        "header": loaded.has_header,
        "names": list(loaded.frame.columns),
        "styles": {
            name: style.to_dict()
            for name, style in loaded.styles.items()
            if style.kind in ("number", "date", "datetime") and not style.is_plain
        },
    }


def _keep_unpruned(model: Any) -> None:
    """Have the whole tree kept beside the pruned one, for the slider of the page."""
    from ceiba.prune.read import read_pruning

    smoothed = getattr(model, "leaf_values", "share") != "share"
    if getattr(model, "prune", None) is None or smoothed or getattr(model, "honest", None):
        return
    pruning = read_pruning(model.prune)
    if pruning is not None and "keep_unpruned" in pruning.get_params():
        model.set_params(prune=type(pruning)(**{**pruning.get_params(), "keep_unpruned": True}))


def _divided(columns: list[Any], parts: list[Any]) -> list[Any]:
    """Give the rows of each part as a frame; each column goes as soon as it is divided."""
    pieces: list[list[Any]] = [[] for _ in parts]
    while columns:
        one = columns.pop(0)
        for rows, into in zip(parts, pieces, strict=True):
            into.append(one[rows])
    return [pl.DataFrame(into) for into in pieces]


def _fold_bar(show: Callable[[str], None]) -> Callable[[int, int], None]:
    """Give a listener of cross-validation that shows a bar."""

    def tell(done: int, total: int) -> None:
        full = round(30 * done / total)
        show(f"cross-validating {'█' * full}{'░' * (30 - full)} fold {done} of {total}")

    return tell


def _gap_line(show: Callable[[str], None]) -> Callable[[float, float, float], None]:
    """Give a listener of the exact search that shows the gap closing."""

    def tell(objective: float, lower: float, seconds: float) -> None:
        gap = 100 * (objective - lower) / objective if objective > 0 else 0.0
        state = f"{objective:.6g} so far, at least {lower:.6g}, gap {gap:.1f} %"
        show(f"searching: {state} ({seconds:.0f} s)")

    return tell
