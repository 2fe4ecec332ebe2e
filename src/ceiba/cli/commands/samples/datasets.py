"""``ceiba datasets``: list or write the data sets of the package."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import AsJson, Out


def datasets(
    name: Annotated[str | None, typer.Argument(help="Data set to write.", metavar="[NAME]")] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the data sets of the package with their licences, or write one as CSV.

    Example: ceiba datasets titanic -o titanic.csv
    """
    from ceiba.cli.terminal.output import answer, check_out_path, remark
    from ceiba.datasets import describe_tables, get_path, load
    from ceiba.tree.model_file import atomic_write

    check_out_path(out)
    if name is None:
        data = [_describe(load(key)) for key in describe_tables()]
        lines = [
            f"{row['name']:<15}{row['rows']:>5} rows, {len(row['columns']):>2} columns, "
            f"target {row['target']}; {row['licence']}"
            for row in data
        ]
        answer("\n".join(lines), data, as_json)
        return
    path = get_path(name)
    if as_json:
        answer("", load(name).data, True)
        return
    text = path.read_text("utf-8")
    if out is None:
        print(text, end="")
        return
    with atomic_write(out, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    remark(f"written to {out}")


def _describe(data: Any) -> dict[str, Any]:
    """Return the facts of a data set, as plain values."""
    target = data.target if isinstance(data.target, str) else " and ".join(data.target)
    return {"name": data.name, "rows": len(data.y), "columns": list(data.X), "target": target,
            "source": data.source, "licence": data.licence}  # fmt: skip
