"""The programs and commands of docs/beyond_memory.md run on stand-ins for files and cluster."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ok
from tests.estimators.on_dask.frames import frame_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "beyond_memory.md"


@pytest.mark.slow
def test_blocks_of_the_page_run(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = frame_of(400).drop(columns="number").rename(columns={"label": "clicked"})
    for name in ("big", "scratch"):
        (tmp_path / name).mkdir()
    for part in range(2):
        frame[part::2].to_parquet(tmp_path / "big" / f"{part}.parquet")
    stand_ins = {
        "tcp://scheduler:8786": client.scheduler.address,
        "s3://bucket/big/": str(tmp_path / "big"),
        "/shared/": f"{tmp_path}/",
        "/fast/disk": str(tmp_path / "scratch"),
    }
    text = PAGE.read_text("utf-8")
    for written, real in stand_ins.items():
        assert written in text
        text = text.replace(written, real)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```(python|console)\n(.*?)```", text, re.S)
    for kind, block in blocks:
        if kind == "python":
            exec(block, names)
        for line in block.splitlines() if kind == "console" else ():
            ok(*shlex.split(line.removeprefix("$ ceiba ")), cwd=tmp_path)
    assert len(blocks) >= 7
    assert names["model"].n_features_in_ == len(frame.columns) - 1
    names["client"].close()
