"""``ceiba datasets``: list or write the embedded data sets."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import AsJson, Out
from ceiba.errors import OptionError, did_you_mean


def datasets(
    name: Annotated[str | None, typer.Argument(help="Data set to write.", metavar="[NAME]")] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the embedded data sets, or write one as CSV.

    Example: ceiba datasets iris -o iris.csv
    """
    from ceiba import datasets as room
    from ceiba.cli.terminal.output import answer, check_out_path, remark
    from ceiba.tree.model_file import atomic_write

    check_out_path(out)
    loaders: dict[str, Any] = {
        loader.removeprefix("load_"): getattr(room, loader)
        for loader in room.__all__
        if loader.startswith("load_")
    }
    if name is None:
        loaded = {key: load() for key, load in loaders.items()}
        lines = [
            f"{key:<14}{len(sample.y):>5} rows, {len(sample.X):>2} columns, target {sample.target}"
            for key, sample in loaded.items()
        ]
        data = [
            {
                "name": key,
                "rows": len(sample.y),
                "columns": list(sample.X),
                "target": sample.target,
            }
            for key, sample in loaded.items()
        ]
        answer("\n".join(lines), data, as_json)
        return
    if name not in loaders:
        hint = did_you_mean(name, loaders)
        raise OptionError(f"{name!r} is not a data set. Allowed: {', '.join(loaders)}.{hint}")
    columns = loaders[name]().data
    if as_json:
        answer("", columns, True)
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    if out is None:
        print(text.getvalue(), end="")
        return
    with atomic_write(out, "w", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())
    remark(f"written to {out}")
