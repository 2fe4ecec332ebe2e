"""DOT, Mermaid and SVG: any name is escaped, and the drawing shows the tree."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

import ceiba
from ceiba.errors import OptionError
from ceiba.export import to_dot, to_mermaid, to_svg
from ceiba.layout.text_width import measure_for_size
from ceiba.tree import Leaf, build

SVG = "{http://www.w3.org/2000/svg}"
NASTY = ["<=50K", "a&b <c>", 'say "hi"', "back\\slash", "Zürich 東京", "a|b", "x]y)", "#1;", "%"]


def nasty() -> ceiba.Tree:
    return build(("wage & <hours>", {name: f"{name}!" for name in NASTY}))


def balanced(depth: int, at: int = 1) -> object:
    if depth == 0:
        return Leaf(counts={"low": at, "high": at % 3})
    return (
        f"a column {at} <= {at}.5",
        balanced(depth - 1, 2 * at),
        balanced(depth - 1, 2 * at + 1),
    )


def svg_texts(tree: ceiba.Tree, **options: object) -> list[str]:
    root = ElementTree.fromstring(to_svg(tree, **options))  # type: ignore[arg-type]
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_svg_any_name_is_well_formed_and_shown_as_it_is() -> None:
    shown = " ".join(svg_texts(nasty()))
    assert "wage & <hours>?" in shown
    for name in NASTY:
        assert name in shown


def test_svg_has_no_script_and_loads_nothing() -> None:
    picture = to_svg(nasty())
    assert "<script" not in picture
    assert re.findall(r"(?:href|src|url)\s*[=(]", picture) == []


def test_svg_boxes_of_one_row_never_overlap() -> None:
    root = ElementTree.fromstring(to_svg(build(balanced(5))))
    boxes = [
        tuple(float(rect.get(side, "0")) for side in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
        if rect.get("rx")
    ]
    assert len(boxes) == 63
    for (x, y, w, h), (a, b, c, d) in combinations(boxes, 2):
        assert x + w <= a or a + c <= x or y + h <= b or b + d <= y


def test_svg_words_are_narrower_than_their_boxes() -> None:
    measure = measure_for_size(12.0)
    root = ElementTree.fromstring(to_svg(nasty()))
    for group in root.iter(f"{SVG}g"):
        box = next((r for r in group.findall(f"{SVG}rect") if r.get("rx")), None)
        if box is None:
            continue
        for text in group.findall(f"{SVG}text"):
            if text.get("font-weight") == "bold":
                assert measure(text.text or "", True) <= float(box.get("width", "0"))


def test_svg_small_size_folds_with_a_note() -> None:
    assert "folded" in " ".join(svg_texts(build(balanced(6)), size=(700.0, 500.0)))


def test_svg_options_show_ids_impurity_and_counts() -> None:
    shown = svg_texts(
        build(("x <= 1", {"a": 3}, {"b": 1})), node_ids=True, impurity=True, counts=True
    )
    assert {"#1  a 100%", "3 / 0", "gini 0.375"} <= set(shown)


def test_svg_too_few_colors_is_a_clear_error() -> None:
    with pytest.raises(OptionError, match="at least 2 entries"):
        to_svg(build(("x <= 1", "a", "b")), colors=["#000000"])


def test_tree_in_a_notebook_is_a_picture() -> None:
    html = build(balanced(2))._repr_html_()
    assert "<svg" in html
    assert "<script" not in html


def test_dot_labels_are_escaped() -> None:
    text = to_dot(nasty())
    assert r"""label="'say \"hi\"'" """.strip() in text
    assert r'label="back\\slash"' in text
    assert 'label="<=50K"' in text
    # Outside of quoted strings nothing but the grammar of DOT is left.
    rest = re.sub(r'"(?:\\.|[^"\\])*"', "", text)
    assert '"' not in rest
    assert "<" not in rest


def test_dot_max_depth_says_what_is_folded() -> None:
    text = to_dot(build(balanced(3)), max_depth=1)
    assert text.count("+ 6 nodes") == 2
    assert text.count("->") == 2


def test_mermaid_signs_are_character_codes() -> None:
    text = to_mermaid(nasty(), filled=False)
    for label in re.findall(r'"([^"]*)"', text):
        assert not set(label.replace("<br/>", "")) & set('<>"|[]{}')
    assert "#60;=50K" in text


@pytest.mark.parametrize("write", [to_dot, to_mermaid])
def test_drawing_has_every_node_and_edge(write) -> None:  # type: ignore[no-untyped-def]
    tree = build(balanced(3))
    text = write(tree)
    assert len(re.findall(r"->|-->", text)) == tree.n_nodes - 1
