"""The service of docs/serving.md, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ceiba

PAGE = Path(__file__).resolve().parents[2] / "docs" / "serving.md"


@pytest.mark.filterwarnings("ignore:Using `httpx`")
def test_service_of_the_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from fastapi.testclient import TestClient

    frame = {"income": [10, 15, 40, 50], "city": ["Oslo", "Lima"] * 2, "y": list("nnyy")}
    ceiba.DecisionTreeClassifier().fit(frame, "y").save(tmp_path / "loans.ceiba")
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8")
    program = re.search(r"```python\n(from fastapi.*?)```", page, re.DOTALL)
    assert program is not None
    service: dict[str, object] = {}
    exec(program[1], service)
    client = TestClient(service["app"])  # type: ignore[arg-type]
    assert client.get("/schema").json()["properties"]["income"]["type"] == ["number", "null"]
    answered = client.post("/predict", json={"income": 12, "city": "Oslo"}).json()
    assert answered == {"answer": "n", "probability": {"n": 1.0, "y": 0.0}, "leaf": 1}
    assert client.post("/predict", json={"income": "many", "city": "Oslo"}).status_code == 422
    assert client.post("/reasons?target=maybe", json={"income": 12}).status_code == 422
    reasons = client.post("/reasons?target=y", json={"income": 12, "city": "Oslo"}).json()
    assert [reason["column"] for reason in reasons] == ["income"]
