"""``ceiba prune``: list the pruning sequence of a model, or write a pruned model."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.options.shared_options import AsJson, Model, Out
from ceiba.errors import OptionError
from ceiba.formatting import pluralize


def prune(
    model: Model,
    alpha: Annotated[
        float | None, typer.Option(help="Cost per leaf, in units of the mean risk.")
    ] = None,
    leaves: Annotated[int | None, typer.Option(help="Largest number of leaves.")] = None,
    risk: Annotated[str, typer.Option(help="Risk that alpha is compared with.")] = "cost",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the pruning sequence of a model, or write one of its trees as a model.

    Examples
    --------
    ceiba prune weather.ceiba

    ceiba prune weather.ceiba --leaves 6 -o small.ceiba
    """
    from ceiba.cli.models import open_model, save_model
    from ceiba.cli.terminal.output import answer, check_out_path, remark, tree_style
    from ceiba.estimators.model_file import replace_tree
    from ceiba.prune import prune_tree, pruning_sequence

    opened, metadata = open_model(model)
    check_out_path(out)
    tree = opened.tree_
    if risk not in ("cost", "impurity"):
        raise OptionError(f"--risk must be cost or impurity, got {risk!r}.")
    kind: str = risk
    if alpha is None and leaves is None:
        steps = pruning_sequence(tree, risk=kind)  # type: ignore[arg-type]
        answer(steps.listing(), steps.listing().to_dict(), as_json)
        return
    if alpha is not None and leaves is not None:
        raise OptionError("Pass --alpha or --leaves, not both.")
    if alpha is None:
        steps = pruning_sequence(tree, risk=kind)  # type: ignore[arg-type]
        fits = [a for a, n in zip(steps.alpha, steps.n_leaves, strict=True) if n <= (leaves or 0)]
        if not fits:
            raise OptionError(f"--leaves must be at least 1, got {leaves}.")
        alpha = float(fits[0])
    smaller = prune_tree(tree, alpha, risk=kind)  # type: ignore[arg-type]
    figures = {"alpha": alpha, "leaves": smaller.n_leaves, "before": tree.n_leaves}
    before, after = (pluralize(version.n_leaves, "leaf", "leaves") for version in (tree, smaller))
    text = f"{before} -> {after} at alpha {alpha:.6g}"
    if out is not None:
        remark(save_model(replace_tree(opened, smaller), out, metadata))
        text += f", saved in {out}"
        figures["model"] = str(out)
    else:
        text = f"{smaller.to_text(max_depth=6, **tree_style())}\n{text}; keep it with --out"
    answer(text, figures, as_json)
