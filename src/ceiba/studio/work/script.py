"""Write a Python script that rebuilds the tree from the data."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from ceiba.studio.work.setup import LIKE_MODEL, Setup
from ceiba.studio.work.source import Source
from ceiba.studio.work.state import State


def write_script(source: Source, state: State) -> str:
    """Return the Python script that rebuilds the tree of a state.

    Its function `rebuild` takes the data; running the script reads them from their file.
    """
    names = "X, y" if source.separate_target else "frame"
    if source.model is not None and state.setup.from_model:
        names = f"model, {names}"
    body = [format_prepare_call(source, state.setup)]
    if state.model is not None:
        body += [_unpack_line(state.setup), *filter(None, [state.first_line]), *state.lines]
    variable = "model" if state.model is not None else "data"
    about = f"The tree of {_escape_docstring(source.name)}, grown in the studio of ceiba"
    lines = [
        f'"""{about} {version("ceiba")}."""',
        "",
        "import ceiba",
        "",
        "",
        f"def rebuild({names}):",
        '    """Rebuild the tree step by step."""',
        *(f"    {line}" for line in body),
        f"    return {variable}",
        "",
    ]
    if source.file is not None or source.expression is not None:
        lines += ["", 'if __name__ == "__main__":', *_main_lines(source, state), ""]
    return "\n".join(lines)


def format_prepare_call(source: Source, setup: Setup) -> str:
    """Format the line that prepares the table."""
    if setup.target is None:
        return "data = ceiba.describe(frame)"
    target = "X, y" if source.separate_target else f"frame, {setup.y!r}"
    arguments = {name: repr(value) for name, value in setup.arguments().items()}
    if setup.held_out is not None and "file" in setup.held_out:
        arguments["held_out"] = format_read_call(
            source, _sibling_path(source, setup.held_out["file"])
        )
    if setup.from_model:
        arguments = {k: v for k, v in arguments.items() if k in LIKE_MODEL}
        arguments["like"] = "model"
    options = "".join(f", {name}={value}" for name, value in arguments.items())
    return f"data = ceiba.prepare({target}{options})"


def format_first_line(model: Any, setup: Setup) -> str:
    """Format the line that creates the estimator and fits the root."""
    name = type(model).__name__
    return f"model = ceiba.{name}({format_parameters(model)}).fit_root({data_names(setup)})"


def format_parameters(model: Any) -> str:
    """Format the estimator's parameters that differ from their defaults."""
    return ", ".join(f"{name}={value!r}" for name, value in model._non_default_params().items())


def data_names(setup: Setup) -> str:
    """Format the data arguments of model methods."""
    return "X, y, w" if setup.weight is not None else "X, y"


def format_read_call(source: Source, file: str) -> str:
    """Format the call that reads a file."""
    options = "".join(f", {name}={value!r}" for name, value in source.reading.items())
    return f"ceiba.read_file({file!r}{options})"


def _sibling_path(source: Source, name: str) -> str:
    """Return the path of a file in the data folder, relative if the data path is relative."""
    if source.file is None:
        return name
    return str(Path(source.file.partition("::")[0]).parent / name)


def _unpack_line(setup: Setup) -> str:
    if setup.weight is not None:
        return "X, y, w = data.X, data.y, data.weight"
    return "X, y = data.X, data.y"


def _main_lines(source: Source, state: State) -> list[str]:
    argument = source.expression or format_read_call(source, str(source.file))
    if source.model is not None and state.setup.from_model:
        argument = f"ceiba.load({source.model_file!r}), {argument}"
    attribute = ".tree_" if state.model is not None else ""
    return [f"    print(rebuild({argument}){attribute})"]


def _escape_docstring(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")
