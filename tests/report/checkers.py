"""What the assets of a page are checked for: words, styles, types by tsc, violations by axe."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.report.npm import package


def words_asked(code: str) -> set[str]:
    """Return the keys that scripts ask for by name."""
    return set(re.findall(r'\bt\("([a-z0-9_]+)"\s*[,)]', code))


def words_unused(keys: Iterable[str], code: str, built: tuple[str, ...]) -> set[str]:
    """Return the keys that no script names; `built` are the beginnings of two-part keys."""
    quoted = set(re.findall(r"[\"'`]([a-z0-9_]+)[\"'`]", code))
    assert all(f'"{start}" + ' in code for start in built)
    unused = {key for key in keys if not {key, key.removesuffix("_one")} & quoted}
    return {key for key in unused if not key.startswith(built)}


def classes_unused(style: str, code: str) -> set[str]:
    """Return the classes of a style sheet that no script names."""
    words = {word for text in re.findall(r'"([^"\n]*)"', code) for word in text.split()}
    selectors = re.sub(r"\{[^{}]*\}", "{}", style)
    return set(re.findall(r"\.([a-z][\w-]*)", selectors)) - words


def lines_cut(text: str) -> list[str]:
    """List lines in which a string goes on, or a comment begins: they could not be left out."""
    before = [part for line in text.split("\n") for part in line.split("/** ")[:-1]]
    return [line for line in text.split("\n") if line.count("`") % 2] + [
        part for part in before if part.count('"') % 2
    ]


def type_errors(files: Iterable[Path]) -> str:
    """Have modules checked by tsc: types, names that are not imported, names that are not used."""
    options = [
        *("--allowJs", "--checkJs", "--noEmit", "--target", "es2022", "--module", "es2022"),
        *("--moduleResolution", "bundler", "--moduleDetection", "force"),
        *("--lib", "es2022,dom,dom.iterable", "--noUnusedLocals"),
        *("--strict", "--noImplicitAny", "false", "--strictNullChecks", "false"),
    ]
    compiler = package("typescript") / "bin" / "tsc"
    command = ["node", str(compiler), *options, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout or done.stderr if done.returncode else ""


def axe_source() -> str:
    return (package("axe-core") / "axe.min.js").read_text("utf-8")


def violations(page: Any) -> list[str]:
    """List what axe finds, with the elements."""
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    assert len(found["passes"]) > 15  # it did look
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:120]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]
