"""The core grows the same trees on other machines: `make test-full` compares what it can run."""

from __future__ import annotations

import pytest

from tests.hardening import portable


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["32-bit", "wasm"])
def test_trees_are_those_of_this_machine(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not portable.is_present(kind):
        pytest.skip(f"{portable.TARGETS[kind].packages} is not installed")
    assert portable.main(kind) == 0
    assert "302 trees, 0 of them or of their figures differ" in capsys.readouterr().out


def test_comparison_sees_a_tree_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert portable.compare(["a 1", "b 2"], ["a 1", "b 3"], "32-bit") == 1
    assert "32-bit b 3" in capsys.readouterr().out
    assert portable.compare(["a 1"], ["a 1"], "32-bit") == 0
    assert portable.compare([], [], "32-bit") == 1


def test_comparison_leaves_out_only_figures_of_logarithms_of_another_library() -> None:
    here, there = "entropy: tree 1 gains 2 figures 3", "entropy: tree 1 gains 2 figures 4"
    assert portable.compare([here], [there], "32-bit") == 0
    assert portable.compare([here], [there], "arm64") == 1
    assert portable.compare([here], [there.replace("tree 1", "tree 5")], "32-bit") == 1
    gini = here.replace("entropy", "gini"), there.replace("entropy", "gini")
    assert portable.compare([gini[0]], [gini[1]], "wasm") == 1
