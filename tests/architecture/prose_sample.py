"""Draw pieces of prose at random, for a reader to judge.

Docs, changelog, help, commits, docstrings, messages and comments.

`python -m tests.architecture.prose_sample SEED` prints 60 pieces with their places.
"""

from __future__ import annotations

import ast
import io
import random
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_SIZES = {"docs": 12, "changelog": 6, "help": 6, "commits": 6, "docstrings": 12, "errors": 12,
          "comments": 6}  # fmt: skip


def _sentences(path: Path) -> Iterator[tuple[str, str]]:
    """Yield paragraphs and list items of a Markdown file, without code and tables."""
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*] )", text):
        plain = " ".join(paragraph.split())
        if len(plain) > 40 and plain[0] not in "|#<{!:":
            yield str(path.relative_to(_ROOT)), plain


def _sources() -> list[Path]:
    return sorted((_ROOT / "src" / "ceiba").rglob("*.py"))


def _texts_of(node: ast.AST) -> str:
    """Return the text of a string or of the fixed parts of an f-string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            "{" + ast.unparse(part.value) + "}"
            if isinstance(part, ast.FormattedValue)
            else _texts_of(part)
            for part in node.values
        )
    return ""


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a source file with their lines; lines of one comment are joined."""
    blocks: list[tuple[int, list[str]]] = []
    end = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.lstrip("#: ")
        if token.type == tokenize.COMMENT and not text.startswith(("--", "type: ", "noqa")):
            line = token.start[0]
            stands_alone = token.line.lstrip().startswith("#")
            if blocks and stands_alone and line == end + 1:
                blocks[-1][1].append(text)
            else:
                blocks.append((line, [text]))
            end = line if stands_alone else 0
    for line, texts in blocks:
        comment = " ".join(texts).strip()
        if len(comment) > 25:
            yield line, comment


def _pieces() -> dict[str, list[tuple[str, str]]]:
    pieces: dict[str, list[tuple[str, str]]] = {kind: [] for kind in _SIZES}
    for path in [*sorted((_ROOT / "docs").rglob("*.md")), _ROOT / "README.md"]:
        pieces["docs"] += _sentences(path)
    pieces["changelog"] += _sentences(_ROOT / "CHANGELOG.md")
    log = ["git", "log", "--no-merges", "-60", "--format=%h%x09%s"]
    done = subprocess.run(log, cwd=_ROOT, capture_output=True, text=True, check=True)
    pieces["commits"] = [tuple(line.split("\t")) for line in done.stdout.splitlines()]  # type: ignore[misc]
    for path in _sources():
        source = path.read_text("utf-8")
        name = str(path.relative_to(_ROOT))
        is_command = "cli" in path.parts
        for node in ast.walk(ast.parse(source)):
            line = getattr(node, "lineno", 1)
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node)
                if text:
                    pieces["docstrings"].append((f"{name}:{line}", text.split("\n\n")[0]))
            elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = _texts_of(node.exc.args[0])
                if len(text) > 20:
                    pieces["errors"].append((f"{name}:{line}", text))
            elif is_command and isinstance(node, ast.keyword) and node.arg == "help":
                text = _texts_of(node.value)
                if len(text) > 10:
                    pieces["help"].append((f"{name}:{node.value.lineno}", text))
        pieces["comments"] += [(f"{name}:{line}", text) for line, text in _comments(source)]
    return pieces


if __name__ == "__main__":
    generator = random.Random(int(sys.argv[1]))
    for kind, pool in _pieces().items():
        for place, text in generator.sample(pool, min(_SIZES[kind], len(pool))):
            print(f"[{kind}] {place}\n    {text}\n")
