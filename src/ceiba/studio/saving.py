"""Create the files that the studio sends: script, model, report and exports."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceiba.errors import OptionError
from ceiba.export import export, format_named
from ceiba.studio.work.script import write_script
from ceiba.studio.work.workspace import Workspace


@dataclass(frozen=True)
class OutputFile:
    """Name, media type and content of a file."""

    name: str
    type: str
    content: bytes


def make_file(workspace: Workspace, what: str, format: str | None = None) -> OutputFile:  # noqa: A002
    """Create the file `what`: "script", "model", "refit", "report" or "export" (in `format`).

    "refit" is the model with leaf values estimated from all rows.
    """
    state, source = workspace.state, workspace.source
    stem = Path(source.name.partition("::")[0]).name.split(".")[0] or "tree"
    if what == "script":
        return OutputFile(f"{stem}_tree.py", "text/x-python", write_script(source, state).encode())
    if state.model is None:
        raise OptionError("There is no tree yet. Choose the target first.")
    if what in ("model", "refit"):
        file = io.BytesIO()
        metadata = {**source.metadata, "target": state.setup.label(str(state.setup.target))}
        if what == "model":
            metadata["command"] = f"python {stem}_tree.py"  # the script of this state
        model = state.model if what == "model" else _refit(workspace)
        model.save(file, metadata=metadata)
        name = f"{stem}.ceiba" if what == "model" else f"{stem}_all_rows.ceiba"
        return OutputFile(name, "application/json", file.getvalue())
    if what == "report":
        held_out = workspace.data.held_out
        test = None if held_out is None else (held_out.X, held_out.y)
        page = state.model.report(test=test, title=source.name, lang=workspace.lang).html
        return OutputFile(f"{stem}.html", "text/html", str(page).encode("utf-8", "replace"))
    if what == "export":
        chosen = format_named(str(format))
        if not chosen.suffixes:
            raise OptionError(f"format={chosen.name!r} creates no file. Choose another format.")
        output = export(state.model.tree_, chosen.name)
        content = output if isinstance(output, bytes) else output.encode("utf-8", "replace")
        return OutputFile(f"{stem}{chosen.suffixes[0]}", "application/octet-stream", content)
    raise OptionError(f"what must be script, model, refit, report or export, got {what!r}.")


def _refit(workspace: Workspace) -> Any:
    """Return the model with leaf values estimated from training, held-out and test rows."""
    data = workspace.prepare_whole()
    return workspace.state.model.refit_leaves(data.X, data.y, sample_weight=data.weight)
