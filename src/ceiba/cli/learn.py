"""``ceiba learn``: a table in, a tree out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options import AsJson, Data, Decimal, Encoding, Markers, Quiet, Separator

__all__ = ["learn"]

Names = Annotated[list[str] | None, typer.Option(show_default=False)]
_TREE = "How the tree grows"
_DATA = "How the table is read"
_PRUNE = "How large the tree is"
_SHORT = 12  # rows of a pruning table that are printed


def learn(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Where the model goes. [default: DATA.ceiba]"),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="classification or regression; found out by the target if not given."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out: a,b.", rich_help_panel=_DATA)
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Columns that hold levels.", rich_help_panel=_DATA)
    ] = None,
    numeric: Annotated[
        list[str] | None, typer.Option(help="Columns that hold numbers.", rich_help_panel=_DATA)
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option(help="Levels in order: size=S<M<L.", rich_help_panel=_DATA),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with the weight of each row.", rich_help_panel=_DATA)
    ] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    missing_marker: Markers = None,
    decimal_comma: Decimal = False,
    test_size: Annotated[
        float | None, typer.Option(help="Share of the rows kept apart to judge by.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="A file of rows to judge by.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="A known family of trees: rpart, c45, chaid, id3.", rich_help_panel=_TREE
        ),
    ] = None,
    criterion: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_depth: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_samples_split: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_samples_leaf: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_weight_fraction_leaf: Annotated[float | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_leaf_nodes: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_features: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_impurity_decrease: Annotated[float | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_bins: Annotated[
        int | None,
        typer.Option(help="Cut numbers at quantile bins only (2 to 255).", rich_help_panel=_TREE),
    ] = None,
    categorical_splits: Annotated[
        str | None, typer.Option(help="binary or multiway.", rich_help_panel=_TREE)
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="learn, majority, surrogate, fractional or error.", rich_help_panel=_TREE
        ),
    ] = None,
    unseen: Annotated[
        str | None, typer.Option(help="majority, missing or error.", rich_help_panel=_TREE)
    ] = None,
    max_surrogates: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    use_surrogate: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_competitors: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    class_weight: Annotated[
        str | None, typer.Option(help="balanced, or yes=2,no=1.", rich_help_panel=_TREE)
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(help="Shares of the classes: yes=0.1,no=0.9.", rich_help_panel=_TREE),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(help="CSV of truth, predicted, cost.", rich_help_panel=_TREE),
    ] = None,
    random_state: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    n_jobs: Annotated[int | None, typer.Option(help="Threads.", rich_help_panel=_TREE)] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Any other option of the estimator: NAME=VALUE.", rich_help_panel=_TREE
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(help="1se or cv: size by cross-validation.", rich_help_panel=_PRUNE),
    ] = None,
    ccp_alpha: Annotated[float | None, typer.Option(rich_help_panel=_PRUNE)] = None,
    hash_data: Annotated[
        bool, typer.Option("--hash-data", help="Keep the file's SHA-256 in the model.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write the interactive page.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a tree from a table and save it.

    Examples
    --------
    ceiba learn weather.csv --target RAIN --drop DATE,PRCP --prune 1se --test-size 0.3

    ceiba learn sales.parquet -t amount --categorical shop --max-depth 4 -m sales.ceiba
    """  # fmt: skip
    from ceiba.cli.kinds import names_in, ordered_in
    from ceiba.cli.reading import Reading
    from ceiba.cli.say import warn_in_words

    warn_in_words(quiet)
    options: dict[str, Any] = {
        "criterion": criterion, "max_depth": max_depth,
        "min_samples_split": _number(min_samples_split, "--min-samples-split"),
        "min_samples_leaf": _number(min_samples_leaf, "--min-samples-leaf"),
        "min_weight_fraction_leaf": min_weight_fraction_leaf, "max_leaf_nodes": max_leaf_nodes,
        "max_features": _number(max_features, "") if max_features else None,
        "min_impurity_decrease": min_impurity_decrease, "categorical_splits": categorical_splits,
        "missing": missing, "unseen": unseen, "max_surrogates": max_surrogates,
        "use_surrogate": use_surrogate, "max_competitors": max_competitors, "max_bins": max_bins,
        "random_state": random_state, "n_jobs": n_jobs, "prune": prune, "ccp_alpha": ccp_alpha,
    }  # fmt: skip
    work = _Work(
        data=data,
        target=target,
        reading=Reading.of(separator, encoding, missing_marker, decimal_comma),
        shape={
            "drop": names_in(drop),
            "categorical": names_in(categorical),
            "numeric": names_in(numeric),
            "ordered": ordered_in(ordered),
        },
        weight=weight,
        quiet=quiet,
    )
    work.read(task, advise=True)
    fitted = work.fit(recipe, options, class_weight, prior, costs, set_, test_size, random_state)
    path = model or Path(Path(data.partition("::")[0]).name.split(".")[0] + ".ceiba")
    if data == "-" and model is None:
        path = Path("model.ceiba")
    fitted.save(path, metadata=work.metadata(hash_data))
    work.tell(fitted, path, test, as_json)
    if report is not None:
        fitted.report(report)


def _number(text: str | None, option: str) -> Any:
    """Read an option that is a count or a share."""
    from ceiba.errors import OptionError

    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            if not option:
                return text
            raise OptionError(f"{option} {text!r}: a number is needed.") from None


@dataclass
class _Work:
    """The table on its way to a model."""

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
    apart: Any = None

    def read(self, task: str | None, *, advise: bool) -> None:
        """Read the table and take the target and the weights out of it."""
        from ceiba.cli.advice import advice
        from ceiba.cli.fitting import task_of
        from ceiba.cli.kinds import shape_columns
        from ceiba.cli.reading import read_table
        from ceiba.cli.say import remark
        from ceiba.errors import DataError, OptionError, did_you_mean

        frame = read_table(self.data, self.reading)
        for name in filter(None, (self.target, self.weight)):
            if name not in frame.columns:
                hint = did_you_mean(name, frame.columns)
                raise OptionError(f"There is no column {name!r} in {self.data}.{hint}")
        frame = shape_columns(frame, **self.shape)
        if self.target not in frame.columns:
            raise OptionError(f"--drop names the target {self.target!r}.")
        n = len(frame)
        frame = frame.filter(frame[self.target].is_not_null())
        if not len(frame):
            raise DataError(f"No row of {self.data} has a value in {self.target!r}.")
        self.y = frame[self.target]
        self.weights = None if self.weight is None else frame[self.weight].to_numpy()
        self.X = frame.drop([self.target, *([self.weight] if self.weight else [])])
        if not self.X.width:
            raise DataError(f"{self.data} has no column to learn from besides the target.")
        self.task = task_of(self.y, task)
        if advise and not self.quiet:
            for text in advice(self.X, self.y, self.task, n - len(frame)):
                remark(f"warning: {text}")
        if n > len(frame):
            remark(f"{n - len(frame)} rows without {self.target!r} are left out.", self.quiet)

    def answers(self, rows: Any = None) -> Any:
        """Give the target of these rows, under its name."""
        return self.y if rows is None else self.y[rows]

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
    ) -> Any:
        """Fit the estimator, to all rows or to those not kept apart."""
        from ceiba.cli.fitting import make_model, read_costs, read_pairs, read_settings, split_rows
        from ceiba.cli.kinds import as_columns

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
        rows = None
        if test_size is not None:
            rows, self.apart = split_rows(self.y, test_size, seed or 0, self.task)
        X = self.X if rows is None else self.X[rows]
        w = self.weights if rows is None or self.weights is None else self.weights[rows]
        model.fit(as_columns(X), self.answers(rows), sample_weight=w)
        return model

    def metadata(self, hash_data: bool) -> dict[str, Any]:
        """Give what is kept beside the model."""
        import hashlib

        found: dict[str, Any] = {
            "data": Path(self.data).name,
            "target": self.target,
            "missing_markers": list(self.reading.markers),
        }
        if hash_data and Path(self.data).is_file():
            with Path(self.data).open("rb") as file:
                found["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        return found

    def tell(self, model: Any, path: Path, test: str | None, as_json: bool) -> None:
        """Print the tree and how good it is."""
        from ceiba.cli.evaluate import evaluation_data, evaluation_on
        from ceiba.cli.kinds import as_columns
        from ceiba.cli.say import answer, remark

        tree = model.tree_
        rows = len(self.y) - (0 if self.apart is None else len(self.apart))
        said: dict[str, Any] = {
            "model": str(path), "task": self.task, "rows": rows, "leaves": tree.n_leaves,
            "depth": tree.depth,
        }  # fmt: skip
        lines = [tree.to_text(unicode=_can_unicode(), max_depth=6), ""]
        table = getattr(model, "pruning_table_", None)
        if table is not None:
            lines += [str(table) if len(table) <= _SHORT else str(table).splitlines()[-1], ""]
            said["pruning_table"] = table.to_dict()
        judged = None
        if self.apart is not None:
            weights = None if self.weights is None else self.weights[self.apart]
            held_out = as_columns(self.X[self.apart])
            judged = model.evaluate(held_out, self.answers(self.apart), weights)
            lines.append(f"On the {len(self.apart)} rows kept apart:")
        elif test is not None:
            judged = evaluation_on(model, test, self.reading, self.target, self.weight)
            lines.append(f"On {test}:")
        if judged is not None:
            lines += [str(judged), ""]
            said["test"] = evaluation_data(judged)
        lines[-1:] = [f"{tree.n_leaves} leaves from {rows} rows, saved in {path}"]
        if not self.quiet or as_json:
            answer("\n".join(lines), said, as_json)
        if judged is None:
            remark(
                "Nothing was kept apart to judge by: try --test-size 0.3.", self.quiet or as_json
            )


def _can_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16")
