"""Show a tree in the terminal, with the statistics of the current node on the right.

Textual's tree widget implements navigation and folding. This module adds labels, the search and
the path of a row, which is expanded and marked.
"""

from __future__ import annotations

from typing import Any, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Header, Input, Static
from textual.widgets import Tree as Outline
from textual.widgets.tree import TreeNode

from ceiba.formatting import escape_control, pluralize
from ceiba.inspection import explain
from ceiba.layout import percent
from ceiba.table import Table
from ceiba.tree import Tree
from ceiba.tree.splits import level_text, number_text

_OPEN: Final = 2  # number of tree levels that are initially expanded
_COLORS: Final = ("blue", "red", "green", "yellow", "cyan", "magenta")
_BAR: Final = 20
_KEYS: Final = (
    ("slash", "search", "Search"),
    ("n", "next", "Next"),
    ("right_square_bracket", "row(1)", "Next row"),
    ("left_square_bracket", "row(-1)", "Previous row"),
    ("e", "unfold", "Expand all"),
    ("c", "fold", "Collapse all"),
    ("q", "quit", "Quit"),
)


class TreeViewer(App[None]):
    """A terminal application that shows a tree, the statistics of nodes and the paths of rows."""

    CSS = """
    #outline { width: 3fr; }
    #side { width: 2fr; border-left: solid $accent; padding: 0 1; }
    #search { dock: bottom; display: none; }
    #search.shown { display: block; }
    """

    def __init__(
        self, tree: Tree, table: Table | None = None, row: int = 0, title: str = "ceiba"
    ) -> None:
        super().__init__()
        for key, action, words in _KEYS:
            self.bind(key, action, description=words)
        self.model, self.table, self.row = tree, table, row
        self.title = title
        self.search_text = ""
        self.row_path: set[int] = set()
        self.items: list[TreeNode[int]] = []

    def compose(self) -> ComposeResult:
        """Create the widgets of the app."""
        yield Header()
        with Horizontal():
            outline: Outline[int] = Outline(self._label(0), data=0, id="outline")
            outline.show_root = True
            yield outline
            with VerticalScroll(id="side"):
                yield Static(id="figures")
        hint = "Search: a column, a level, a class, #node"
        yield Input(placeholder=hint, id="search")
        yield Footer()

    def on_mount(self) -> None:
        """Show the tree and, if there is a table, the path of the current row."""
        tree = self.model
        outline = self._outline
        self.items = [outline.root]
        for node in range(1, tree.n_nodes):  # parents come before their children
            above = self.items[int(tree.parent[node])]
            leaf = bool(tree.is_leaf[node])
            self.items.append(above.add(self._label(node), data=node, allow_expand=not leaf))
        for node, item in enumerate(self.items):
            if int(tree.node_depth[node]) < _OPEN:
                item.expand()
        outline.focus()
        if self.table is not None:
            self._follow()
        else:
            self._go_to(0)

    @property
    def _outline(self) -> Outline[int]:
        return self.query_one("#outline", Outline)

    # ------------------------------------------------------------------ words

    def _label(self, node: int) -> Text:
        tree = self.model
        parts = Text()
        if node in self.row_path:
            parts.append("● ", style="bold yellow")
        sentence = "root" if not node else self._sentence(node)
        parts.append(escape_control(sentence, one_line=True))
        if tree.n_rows[0]:
            parts.append(f"  n={tree.n_rows[node]}", style="dim")
        style = f"bold {self._color(node)}" if tree.is_leaf[node] else self._color(node)
        arrow = "→ " if tree.is_leaf[node] else ""
        parts.append(f"  {arrow}{escape_control(self._answer(node), one_line=True)}", style=style)
        return parts

    def _sentence(self, node: int) -> str:
        tree = self.model
        parent = int(tree.parent[node])
        split = tree.splits.split(parent, tree.schema)
        assert split is not None
        return split.sentence(int(tree.branch_index[node]), tree.schema, max_levels=6)

    def _color(self, node: int) -> str:
        if not self.model.task.has_classes or self.model.n_outputs > 1:
            return ""
        return _COLORS[int(self.model.answer[node]) % len(_COLORS)]

    def _answer(self, node: int) -> str:
        label = self.model.node(node).label
        return number_text(label, 4) if isinstance(label, float) else str(label)

    def _figures(self, node: int) -> Text:
        """Format the statistics of a node."""
        tree = self.model
        text = Text()
        kind = "Leaf" if tree.is_leaf[node] else "Node"
        text.append(f"{kind} {node}\n", style="bold")
        if tree.n_rows[0]:
            rows = pluralize(int(tree.n_rows[node]), "row")
            share = percent(float(tree.share[node]), 1)
            by = "" if tree.class_prior is None else ", prior-weighted"
            text.append(f"{rows}, {share} of all{by}\n")
        text.append("prediction ")
        text.append(f"{escape_control(self._answer(node), one_line=True)}\n\n", style="bold")
        if tree.task.has_classes and tree.n_outputs == 1:
            self._add_shares(node, text)
        text.append(f"{tree.criterion} {number_text(float(tree.impurity[node]), 4)}\n")
        text.append(f"depth {tree.node_depth[node]}\n")
        split = tree.splits.split(node, tree.schema)
        if split is not None:
            text.append("\nsplit ")
            asked = escape_control(split.sentence(0, tree.schema, max_levels=12), one_line=True)
            text.append(f"{asked}\n", style="bold")
            text.append(f"gain {number_text(float(tree.gain[node]), 4)}\n")
            n_leaves = int(tree.is_leaf[node : int(tree.subtree_end[node])].sum())
            text.append(f"{pluralize(n_leaves, 'leaf', 'leaves')} below\n")
        if self.table is not None:
            explanation = explain(tree, self.table, self.row)
            text.append(f"\nRow {self.row + 1}\n", style="bold yellow")
            text.append(escape_control(str(explanation)))
        return text

    def _add_shares(self, node: int, text: Text) -> None:
        if self.model.class_prior is not None:
            text.append("prior-weighted probabilities:\n")
        labels = self.model.target.classes[0].tolist()
        longest = min(max(len(level_text(label)) for label in labels), 16)
        for k, label in enumerate(labels):
            share = float(self.model.value[node, 0, k])
            name = escape_control(level_text(label), one_line=True)[:longest]
            text.append(f"{name:<{longest}} ")
            text.append("█" * round(_BAR * share), style=_COLORS[k % len(_COLORS)])
            text.append(f" {percent(share, 1)}\n")
        text.append("\n")

    # ------------------------------------------------------------------ moves

    def on_tree_node_highlighted(self, event: Outline.NodeHighlighted[int]) -> None:
        """Show the statistics of the node under the cursor."""
        if event.node.data is not None:
            self.query_one("#figures", Static).update(self._figures(event.node.data))

    def _go_to(self, node: int) -> None:
        """Expand the path to a node and move the cursor there."""
        above = int(self.model.parent[node])
        while above >= 0:
            self.items[above].expand()
            above = int(self.model.parent[above])
        item = self.items[node]
        self.call_after_refresh(self._outline.move_cursor, item)
        self.query_one("#figures", Static).update(self._figures(node))

    def action_unfold(self) -> None:
        """Expand all nodes of the tree."""
        self._outline.root.expand_all()

    def action_fold(self) -> None:
        """Collapse all nodes except the root."""
        for child in self._outline.root.children:
            child.collapse_all()

    def action_search(self) -> None:
        """Show the search box."""
        box = self.query_one("#search", Input)
        box.add_class("shown")
        box.value = ""
        box.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search for the entered text and move the cursor to the first match."""
        self.search_text = event.value.strip()
        event.input.remove_class("shown")
        self._outline.focus()
        self._find(0)

    def action_next(self) -> None:
        """Move the cursor to the next match of the search."""
        at = self._outline.cursor_node
        self._find((at.data or 0) + 1 if at is not None else 0)

    def _find(self, start: int) -> None:
        text, n = self.search_text.casefold(), self.model.n_nodes
        if not text:
            return
        if text.startswith("#") and text[1:].isdigit() and int(text[1:]) < n:
            self._go_to(int(text[1:]))
            return
        for k in range(n):
            node = (start + k) % n
            if text in self._label(node).plain.casefold():
                self._go_to(node)
                return
        self.notify(f"Not found: {self.search_text!r}.", severity="warning")

    def action_row(self, step: int) -> None:
        """Show the path of the row that is `step` rows ahead."""
        if self.table is None:
            self.notify("Pass a table to follow its rows: ceiba view MODEL DATA")
            return
        self.row = (self.row + step) % self.table.n_rows
        self._follow()

    def _follow(self) -> None:
        """Mark the path of the current row and move the cursor to its leaf."""
        explanation: Any = explain(self.model, self.table, self.row)  # type: ignore[arg-type]
        before = self.row_path
        self.row_path = {step.node for step in explanation.steps} | {explanation.leaf}
        for node in before | self.row_path:
            self.items[node].set_label(self._label(node))
        self.sub_title = f"row {self.row + 1}"
        self._go_to(explanation.leaf)
