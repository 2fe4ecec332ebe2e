"""A table with numbers, texts, gaps and two targets, in memory and in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pd = pytest.importorskip("pandas")


def frame_of(n: int) -> Any:
    rng = np.random.default_rng(0)
    single = rng.normal(size=n).astype("float32")
    letters = rng.choice(["x", "y", "zz"], n).astype(object)
    letters[rng.random(n) < 0.05] = None
    signal_ = single + (letters == "x") + rng.normal(size=n)
    return pd.DataFrame(
        {
            "single": single,
            "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "letters": letters,
            "integer": rng.integers(0, 400, n),
            "label": np.where(signal_ > 0.5, "yes", "no"),
            "number": signal_ * 3,
        }
    )


def files_of(frame: Any, folder: Path, n: int = 3) -> str:
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), n)):
        frame.iloc[rows].to_parquet(folder / f"part{k}.parquet", row_group_size=100)
    return str(folder / "*.parquet")
