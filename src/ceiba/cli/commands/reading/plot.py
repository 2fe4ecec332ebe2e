"""``ceiba plot``: plots of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import Model, Quiet
from ceiba.errors import OptionError, did_you_mean


def plot(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="Image file: .png, .svg, .pdf.")] = Path(
        "tree.png"
    ),
    kind: Annotated[str, typer.Option(help="Kind of plot.")] = "tree",
    max_depth: Annotated[
        int | None, typer.Option(help="Depth below which nodes are folded.")
    ] = None,
    dpi: Annotated[int, typer.Option(help="Dots per inch of a .png.")] = 150,
    quiet: Quiet = False,
) -> None:
    """Draw a model.

    Example: ceiba plot weather.ceiba -o weather.svg
    """
    from ceiba import plot as pictures
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import LANG, check_out_path, remark

    opened, _ = open_model(model)
    check_out_path(out)
    picture_format(out)
    kinds = {
        "tree": pictures.plot_tree,
        "icicle": getattr(pictures, "plot_icicle", None),
        "importance": getattr(pictures, "plot_importance", None),
        "pruning": getattr(pictures, "plot_pruning", None),
    }
    draw = kinds.get(kind)
    if draw is None:
        names = ", ".join(name for name, function in kinds.items() if function is not None)
        raise OptionError(
            f"--kind {kind!r} is not supported. Allowed values: {names}.{did_you_mean(kind, kinds)}"
        )
    options: dict[str, Any] = {"lang": LANG.get()}
    if max_depth is not None and kind == "tree":
        options["max_depth"] = max_depth
    thing: Any = opened
    if kind == "pruning":
        from ceiba.prune import pruning_sequence

        thing = getattr(opened, "pruning_table_", None) or pruning_sequence(opened.tree_)
    save_figure(draw(thing, **options), out, dpi)
    remark(f"written to {out}", quiet)


def save_figure(axes: Any, out: Path, dpi: int) -> None:
    """Write the figure of some axes atomically."""
    from ceiba.tree.model_file import atomic_write

    figure = getattr(axes, "figure", None) or getattr(axes, "figure_", None)
    if figure is None:
        figure = axes.ax_.figure
    with atomic_write(out) as file:
        figure.savefig(file, format=picture_format(out), dpi=dpi, bbox_inches="tight")


def picture_format(out: Path) -> str:
    """Return the image format of a file suffix; PNG without one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ceiba.cli.commands.reading.plot import picture_format
    >>> picture_format(Path("tree.PDF")), picture_format(Path("/dev/null"))
    ('pdf', 'png')
    """
    from matplotlib.backend_bases import FigureCanvasBase

    endings = FigureCanvasBase.get_supported_filetypes()
    ending = out.suffix.lstrip(".").lower() or "png"
    if ending not in endings:
        raise OptionError(
            f"--out {out}: .{ending} is not an image format. Allowed values: "
            f"{', '.join(sorted(endings))}.{did_you_mean(ending, endings)}"
        )
    return ending
