"""``ceiba stability``: stability of a tree under resampling."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, Model, ReadingFlags


def stability(
    model: Model,
    data: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Target column, if renamed.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column with weights.")] = None,
    resamples: Annotated[int, typer.Option(help="Number of resamples.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    rivals: Annotated[
        int | None,
        typer.Option("--rivals", help="List rival split columns of this node instead."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Plot to write (png, svg, pdf).")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Refit a model on resamples of its training rows.

    Reports how often each split is chosen again, and each leaf's prediction repeated.

    Examples
    --------
    ceiba stability weather.ceiba weather.csv

    ceiba stability weather.ceiba weather.csv --rivals 0 --plot root.png
    """
    from ceiba.cli.commands.using.evaluate import read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import LANG, answer, check_out_path, show_warnings

    show_warnings()
    check_out_path(plot, "--plot")
    opened, metadata = open_model(model)
    read_as = reading.for_model(metadata, opened.tree_)
    X, y, weights, _ = read_truth(opened, data, read_as, target, weight)
    if rivals is not None:
        result = opened.rival_columns(X, y, weights, node=rivals, random_state=seed)
        figures = result.table.to_dict()
    else:
        result = opened.stability(X, y, weights, resamples=resamples, random_state=seed)
        figures = {
            "agreement": result.agreement,
            "n_leaves": result.n_leaves,
            "nodes": result.nodes.to_dict(),
            "columns": result.columns.to_dict(),
            "leaves": result.leaves.to_dict(),
        }
    if plot is not None:
        result.plot(lang=LANG.get()).figure.savefig(plot, bbox_inches="tight")
    answer(result if rivals is None else result.table, figures, as_json)
