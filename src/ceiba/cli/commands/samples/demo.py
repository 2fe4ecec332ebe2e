"""``ceiba demo``: two small tables, two trees, a plot and a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ceiba.datasets import Dataset
    from ceiba.estimators import DecisionTreeClassifier


def demo(
    out: Annotated[Path, typer.Option(help="Directory of plot and report.")] = Path("out"),
) -> None:
    """Learn two small trees, print them, draw one and write its report.

    Example: ceiba demo --out first_look
    """
    from ceiba.cli.terminal.output import render
    from ceiba.datasets import load_iris, load_restaurant
    from ceiba.estimators import DecisionTreeClassifier
    from ceiba.prune import CostComplexity

    restaurant, iris = load_restaurant(), load_iris()
    _print_heading("To wait for a table or not: 12 rows of Russell and Norvig")
    _show_gains(restaurant)
    model = DecisionTreeClassifier(criterion="entropy", categorical_splits="multiway")
    _fit_and_print(model, restaurant.X, restaurant.y)
    print(f"accuracy {_format_accuracy(model, restaurant.X, restaurant.y)}")

    _print_heading("Iris: 100 flowers to learn from, 50 to judge by")
    out.mkdir(parents=True, exist_ok=True)
    seen, test = _split_every_third(iris)
    model = DecisionTreeClassifier(prune=CostComplexity(rule="1se", keep_unpruned=True))
    _fit_and_print(model, *seen)
    print("How big should it be? Ten-fold cross-validation of every size:\n")
    print(f"{render(model.pruning_table_)}\n")
    print(f"on the 50 flowers it has not seen: accuracy {_format_accuracy(model, *test)}")

    print(f"\n{_draw_tree(model, out)}")
    path = out / "iris_report.html"
    model.report(path, train=seen, test=test, title="Iris")
    print(f"\nThe interactive report (open it in a browser):\n{path}")


def _print_heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def _show_gains(data: Dataset) -> None:
    """Print the information gain of each column, as the book computes it."""
    from ceiba.inspection import split_table

    table = split_table(data.X, data.y, "entropy", categorical_splits="multiway")
    print("What one question tells, in bits (one branch per answer):")
    for column, gain in zip(table["column"], table["gain"], strict=True):
        print(f"  {column:<13}{gain:6.3f}  {'#' * round(40 * gain)}")
    print()


def _fit_and_print(model: DecisionTreeClassifier, X: dict[str, list[Any]], y: list[Any]) -> None:
    from ceiba.cli.terminal.output import tree_style

    model.fit(X, y)
    print(model.tree_.to_text(**tree_style()))
    print()


def _format_accuracy(model: DecisionTreeClassifier, X: dict[str, list[Any]], y: list[Any]) -> str:
    """Return the accuracy and that of the most frequent class."""
    from ceiba.inspection import ClassEvaluation

    result = model.evaluate(X, y)
    assert isinstance(result, ClassEvaluation)
    return f"{result.accuracy:.3f}, always {result.baseline!r} {1 - result.baseline_error:.3f}"


def _split_every_third(
    data: Dataset,
) -> tuple[tuple[dict[str, list[Any]], list[Any]], tuple[dict[str, list[Any]], list[Any]]]:
    """Hold out rows 0, 3, 6, ...; iris is sorted by class, so all classes are held out."""
    n = len(data.y)
    groups = ([i for i in range(n) if i % 3], list(range(0, n, 3)))
    seen, test = (
        ({name: [c[i] for i in rows] for name, c in data.X.items()}, [data.y[i] for i in rows])
        for rows in groups
    )
    return seen, test


def _draw_tree(model: DecisionTreeClassifier, out: Path) -> str:
    """Draw the tree; return the path of the file, or which package is missing."""
    from ceiba.plot import plot_tree

    try:
        figure = plot_tree(model).get_figure(root=True)
    except ImportError as error:
        return str(error)
    assert figure is not None
    path = out / "iris_tree.png"
    figure.savefig(path, dpi=150)
    return f"The tree as a picture:\n{path}"
