"""The routes: what the page asks, and what it gets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.studio.launch import initial_setup
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from tests.marks import slow
from tests.studio.random_work import frame, opened
from tests.studio.serving import HOST, Talk, client

pytest.importorskip("starlette")


@pytest.fixture
def talk() -> Talk:
    return Talk(opened(0))


def test_state_has_the_tree_in_the_form_of_the_report(talk: Talk) -> None:
    state = talk.act("grow", node=0, levels=2)
    assert state["revision"] == 1
    tree = state["tree"]
    assert tree["version"] == 1
    assert tree["nodes"]["parent"][0] == -1
    assert len(tree["nodes"]["parent"]) == len(tree["nodes"]["n_rows"])
    assert state["log"][0]["line"] == "model = model.grow_leaves(0, X, y, levels=2)"
    assert state["figures"]["train"]["n_rows"] == 90
    assert {one["name"] for one in state["setup"]["columns"]} == set(frame(0))
    assert talk.get("/api/state") == state


def test_columns_are_those_of_describe(talk: Talk) -> None:
    made = talk.get("/api/columns")
    expected = ceiba.describe(frame(0), "buys").to_dict()
    assert [one["name"] for one in made["columns"]] == [one["name"] for one in expected["columns"]]
    assert made["columns"][3]["missing"] == expected["columns"][3]["missing"]
    talk.act("set_column", column="size", order=["S", "M", "L"])
    sizes = next(one for one in talk.get("/api/columns")["columns"] if one["name"] == "size")
    assert sizes["kind"] == "ordered"
    assert [level for level, _ in sizes["levels"]] == ["S", "M", "L"]


def test_rival_taken_is_what_the_preview_said(talk: Talk) -> None:
    rivals = talk.get("/api/node/0/rivals")["rivals"]
    order = [(one["by_chance"], one["chance_gain"] - one["gain"]) for one in rivals]
    assert order == sorted(order)
    for rival in rivals:
        seen = talk.post("/api/node/0/preview", split=rival["given"])
        assert seen["gain"] == pytest.approx(rival["gain"], abs=1e-12)
        assert [b["n_rows"] for b in seen["branches"]] == [b["n_rows"] for b in rival["branches"]]
        state = talk.act("take", node=0, split=rival["given"])
        nodes = state["tree"]["nodes"]
        assert nodes["n_rows"][1:] == [b["n_rows"] for b in seen["branches"]]
        assert nodes["gain"][0] == pytest.approx(rival["gain"], abs=1e-6)
        assert state["by_hand"] == [0]
        again = talk.get("/api/node/0/rivals")["rivals"]
        assert [r["column"] for r in again if r["current"]] == [rival["column"]]
        talk.act("undo")


def test_column_has_histogram_curve_and_levels(talk: Talk) -> None:
    made = talk.get("/api/node/0/column/count")
    best = max(made["curve"]["gain"])
    rival = next(r for r in talk.get("/api/node/0/rivals")["rivals"] if r["column"] == "count")
    assert best == pytest.approx(rival["gain"])
    assert sum(made["histogram"]["n"]) == 90
    city = talk.get("/api/node/0/column/city")
    assert city["curve"] is None
    assert sum(level["n_rows"] for level in city["levels"]) == 90
    assert talk.client.get("/api/node/0/column/nobody").status_code == 404


def test_pending_p_values_arrive(talk: Talk) -> None:
    rivals = talk.get("/api/node/0/rivals")["rivals"]
    pending = {one["column"] for one in rivals if one["p_bound"] == "pending"}
    made = talk.get("/api/node/0/p-values")["p_values"]
    assert set(made) >= pending  # small nodes list them at once
    assert all(0 < one["p_value"] <= 1 for one in made.values())
    assert {one["p_bound"] for one in made.values()} <= {"exact", "at most", "at least"}


def test_rules_notes_and_copies_are_in_the_state(talk: Talk) -> None:
    talk.act("take", node=0, split="city = Oslo")
    state = talk.act("forbid", node=1, columns=["gappy"])
    assert state["rules"] == [{"node": 1, "forbid": ["gappy"], "prefer": [], "sealed": False}]
    talk.act("take", node=2, split="count <= 2")
    state = talk.act("copy", node=2, to=1)
    assert state["tree"]["nodes"]["splits"]["column"].count(4) == 2
    state = talk.act("note", node=0, note="the committee's wish")
    texts = [note["text"] for note in state["tree"]["nodes"]["notes"]]
    assert any("committee" in text for text in texts)
    rivals = talk.get("/api/node/1/rivals")["rivals"]
    assert [one["column"] for one in rivals if one["forbidden"]] == ["gappy"]


def test_compare_counts_the_rows_that_change_their_answer(talk: Talk) -> None:
    talk.act("set_held_out", share=0.3)
    talk.act("snapshot", name="root")
    talk.act("grow", node=0)
    made = talk.get("/api/compare?a=root&b=")
    assert made["rows"] == "held_out"
    assert made["n_changed"] == sum(one["n_rows"] for one in made["changed"])
    error = [made[side]["figures"]["held_out"]["error"] for side in "ab"]
    verdict, n = made["verdict"], made["n_rows"]
    assert verdict["errors"] == [round(rate * n) for rate in error]
    assert verdict["difference"] == (verdict["errors"][1] - verdict["errors"][0]) / n
    assert talk.client.get("/api/compare?a=root&b=nobody").status_code == 400


def test_comparison_on_held_out_rows_equals_that_of_two_models(talk: Talk) -> None:
    talk.act("set_held_out", share=0.3)
    talk.act("snapshot", name="root")
    talk.act("grow", node=0)
    state, held_out = talk.workspace.state, talk.workspace.data.held_out
    assert state.tree is not None
    assert held_out is not None
    classes = state.tree.target.classes[0]
    expected = ceiba.compare(
        state.tree.collapse(0), state.tree, held_out.X, classes[held_out.y.values[:, 0]]
    )
    verdict = talk.get("/api/compare?a=root&b=")["verdict"]
    error = expected.differences.row(0)
    assert error["figure"] == "error"
    for key in ("difference", "low", "high"):
        assert verdict[key] == pytest.approx(error[key]), key
    assert verdict["mcnemar"] == expected.mcnemar
    assert verdict["rules"] == list(expected.rules)


def test_trees_with_equally_many_errors_are_the_same(talk: Talk) -> None:
    talk.act("set_held_out", share=0.3)
    talk.act("grow", node=0, levels=2)
    talk.act("snapshot", name="kept")
    verdict = talk.get("/api/compare?a=kept&b=")["verdict"]
    assert verdict["better"] is None
    assert verdict["difference"] == 0


def test_no_verdict_on_training_rows_until_both_are_cross_validated(talk: Talk) -> None:
    heard: list[dict[str, Any]] = []
    talk.workspace.listeners.append(heard.append)
    talk.act("grow", node=0, levels=1)
    made = talk.get("/api/compare?a=&b=@automatic")
    assert made["rows"] == "train"
    assert made["verdict"] is None
    talk.post("/api/cross-validation", folds=10, trees=["", "@automatic"])
    _until(lambda: heard and heard[-1]["type"] == "cross_validated")
    assert [one["total"] for one in heard if one["type"] == "progress"] == [20] * 20
    made = talk.get("/api/compare?a=&b=@automatic")
    assert made["verdict"]["rows"] == "cross_validated"
    rates = [made[side]["figures"]["cross_validated"]["error"] for side in "ab"]
    errors = [round(rate * made["n_rows"]) for rate in rates]
    assert made["verdict"]["errors"] == errors
    mcnemar = made["verdict"]["mcnemar"]
    assert errors[1] - errors[0] == mcnemar["first_only"] - mcnemar["second_only"]


def test_split_by_hand_is_told_from_the_best_one_of_its_column(talk: Talk) -> None:
    best = next(r for r in talk.get("/api/node/0/rivals")["rivals"] if r["column"] == "count")
    for cut in range(5):
        state = talk.act("take", node=0, split={"column": "count", "cut": cut + 0.5})
        listing = talk.get("/api/node/0/rivals")
        current = [r["column"] for r in listing["rivals"] if r["current"]]
        if cut + 0.5 == best["given"]["cut"]:
            assert current == ["count"]
            assert listing["in_tree"] is None
        else:
            assert current == []
            assert listing["in_tree"]["given"] == {"column": "count", "cut": cut + 0.5}
            assert listing["in_tree"]["gain"] == pytest.approx(state["tree"]["nodes"]["gain"][0])


def test_cross_validation_runs_tells_and_can_be_cancelled() -> None:
    workspace = opened(0)
    talk = Talk(workspace)
    talk.act("set_held_out", share=0.3)  # small tables without held-out rows need no button
    talk.act("grow", node=0, levels=2)
    heard: list[dict[str, Any]] = []
    workspace.listeners.append(heard.append)
    assert talk.post("/api/cross-validation", folds=5)["running"]
    _until(lambda: heard and heard[-1]["type"] == "cross_validated")
    assert [one["done"] for one in heard if one["type"] == "progress"] == [1, 2, 3, 4, 5]
    made = talk.get("/api/state")["figures"]["cross_validated"]
    assert made["current"]
    assert 0 <= made["error"] <= 1
    talk.act("cut", node=0)
    assert not talk.get("/api/state")["figures"]["cross_validated"]["current"]
    talk.act("undo")
    talk.post("/api/cross-validation", folds=80)
    assert talk.client.delete("/api/cross-validation").json() == {"running": False}
    _until(lambda: heard[-1]["type"] in ("cancelled", "cross_validated"))
    assert heard[-1]["type"] == "cancelled"


def _until(is_true: Any) -> None:
    for _ in range(600):
        if is_true():
            return
        time.sleep(0.05)
    raise AssertionError("it took too long")


def test_several_tabs_hear_of_every_change() -> None:
    with client(opened(0)) as both:
        address = f"/api/changes?token={'t' * 43}"
        own = {"Host": HOST}
        with (
            both.websocket_connect(address, headers=own) as one,
            both.websocket_connect(address, headers=own) as other,
        ):
            both.post("/api/action", json={"action": "grow", "arguments": {"node": 0, "levels": 1}})
            message = {"type": "state", "revision": 1}
            assert one.receive_json() == message
            assert other.receive_json() == message


def test_stale_requests_get_409(talk: Talk) -> None:
    talk.act("grow", node=0, levels=1)
    assert talk.client.get("/api/node/0/rivals?revision=0").status_code == 409
    body = {"split": "city = Oslo", "revision": 0}
    assert talk.client.post("/api/node/0/preview", json=body).status_code == 409
    stale = {"action": "cut", "arguments": {"node": 0}, "revision": 0}
    assert talk.client.post("/api/action", json=stale).status_code == 409


def test_downloads_are_the_files(talk: Talk, tmp_path: Path) -> None:
    talk.act("grow", node=0, levels=2)
    script = talk.client.get("/api/download/script")
    assert "attachment" in script.headers["content-disposition"]
    names: dict[str, Any] = {}
    exec(script.text, names)
    tree = names["rebuild"](frame(0)).tree_
    file = tmp_path / "a.ceiba"
    file.write_bytes(talk.client.get("/api/download/model").content)
    assert ceiba.load(file).tree_ == tree
    assert "<html" in talk.client.get("/api/download/report").text
    for one in talk.get("/api/state")["exports"]:
        made = talk.client.get(f"/api/download/export?format={one['name']}")
        assert made.status_code == 200 or "onnx" in one["name"], made.text
    assert talk.client.get("/api/download/export?format=nonsense").status_code == 400
    assert talk.client.get("/api/download/secrets").status_code == 400


def test_held_out_file_of_the_folder_is_read(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    from ceiba.cli.options.shared_options import ReadingFlags
    from ceiba.cli.studio_job import open_table

    pl.DataFrame(frame(0)).write_csv(tmp_path / "train.csv")
    pl.DataFrame(frame(1)).write_csv(tmp_path / "test.csv")
    source, name = open_table(str(tmp_path / "train.csv"), "buys", ReadingFlags(), None)
    talk = Talk(Workspace(source, initial_setup(source, name, {})))
    assert talk.get("/api/files") == {"files": ["test.csv", "train.csv"]}
    state = talk.act("set_held_out", file="test.csv")
    assert state["setup"]["n_held_out"] == 90
    assert state["tree"]["test"]["n_rows"] == [90]
    outside = tmp_path.parent / "outside.csv"
    outside.write_text("x\n1\n")
    (tmp_path / "link.csv").symlink_to(outside)
    bad = ("link.csv", "../test.csv", "/etc/b.csv", "..", ".hidden", "c\\d", "", 7, None, "x" * 300)
    for name in bad:
        refused = {"action": "set_held_out", "arguments": {"file": name}}
        assert talk.client.post("/api/action", json=refused).status_code == 400, name


def test_no_target_yet_then_one_is_chosen() -> None:
    table, _ = read_whole_table(frame(0), "buys")
    source = Source("a", table)
    talk = Talk(Workspace(source, initial_setup(source, None, {})))
    assert talk.get("/api/state")["tree"] is None
    assert talk.get("/api/columns")["target"] is None
    assert talk.client.get("/api/node/0/rivals").status_code == 400
    state = talk.act("set_column", column="amount", role="target")
    assert state["setup"]["task"] == "regression"
    assert state["tree"]["task"] == "regression"
    rivals = talk.get("/api/node/0/rivals")["rivals"]
    assert rivals[0]["branches"][0]["mean"] is not None


def test_close_gives_the_model_back() -> None:
    talk = Talk(opened(0))
    assert talk.post("/api/close") == {"closed": True}


@pytest.mark.parametrize("seed", [2, *slow([3, 4])])
def test_every_action_is_answered_with_a_state(seed: int) -> None:
    """Rows of many nodes are asked for, more than are kept."""
    from ceiba.errors import CeibaError
    from ceiba.studio.service import Service
    from tests.studio.random_work import random_action

    rng = np.random.default_rng(seed)
    service = Service(opened(seed))
    for _ in range(70):
        name, arguments = random_action(rng, service.workspace)
        try:
            state = service.act({"action": name, "arguments": arguments})
        except CeibaError:
            continue
        assert state["revision"] == service.workspace.revision


@pytest.mark.parametrize("seed", range(3))
def test_random_questions_never_break_the_server(seed: int) -> None:
    """Whatever was done before, every question about every node has an answer."""
    from tests.studio.random_work import work

    rng = np.random.default_rng(seed)
    workspace = opened(seed, ["buys", "amount", "buys"][seed])
    work(workspace, rng, 12)
    talk = Talk(workspace)
    state = talk.get("/api/state")
    for node in range(min(len(state["tree"]["nodes"]["parent"]), 8)):
        for rival in talk.get(f"/api/node/{node}/rivals")["rivals"][:3]:
            talk.get(f"/api/node/{node}/column/{rival['column']}")
            if rival["given"] is not None:
                talk.post(f"/api/node/{node}/preview", split=rival["given"])
        talk.get(f"/api/node/{node}/p-values")


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 0.4], [-99.0], [99.0]])
def test_further_cut_is_the_best_of_all_by_trial(cuts: list[float]) -> None:
    rng = np.random.default_rng(len(cuts))
    x = rng.normal(size=80).round(1)
    y = np.where((np.abs(x) > 0.7) ^ (rng.random(80) < 0.15), "a", "b")
    table, target = read_whole_table({"x": x, "y": y}, "y")
    source = Source("made up", table)
    talk = Talk(Workspace(source, initial_setup(source, target, {})))
    cut = talk.post("/api/node/0/further-cut", column="x", cuts=cuts)["cut"]

    def gain(more: float) -> float:
        given = {"column": "x", "cuts": sorted([*cuts, more])}
        seen: float = talk.post("/api/node/0/preview", split=given)["gain"]
        return seen

    values = np.unique(x)
    middles = [float(m) for m in (values[1:] + values[:-1]) / 2 if m not in cuts]
    assert gain(cut) == pytest.approx(max(map(gain, middles)), abs=1e-12)


def test_further_cut_of_levels_or_where_nothing_is_left(talk: Talk) -> None:
    refused = talk.client.post("/api/node/0/further-cut", json={"column": "city", "cuts": [1]})
    assert refused.status_code == 400
    source = Source("made up", read_whole_table({"x": [1.0, 2.0], "y": ["a", "b"]}, "y")[0])
    two = Talk(Workspace(source, initial_setup(source, "y", {})))
    assert two.post("/api/node/0/further-cut", column="x", cuts=[1.5])["cut"] is None


def test_large_table_is_described_by_a_sample_first_and_says_so(
    monkeypatch: pytest.MonkeyPatch, talk: Talk
) -> None:
    from ceiba.studio.analysis import state

    monkeypatch.setattr(state, "_MAX_ROWS", 20)
    sample, whole = talk.get("/api/columns"), talk.get("/api/columns?rows=all")
    assert (sample["n_described"], sample["n_rows"]) == (20, 90)
    assert (whole["n_described"], whole["n_rows"]) == (90, 90)
    own = {key: value for key, value in whole.items() if key != "n_described"}
    assert own == ceiba.describe(frame(0), "buys").to_dict()
    talk.act("set_column", column="city", role="ignore")
    assert talk.get("/api/columns?rows=all") == whole  # nothing that it depends on has changed
