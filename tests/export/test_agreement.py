"""Every export, executed for real, agrees with `predict` on every row.

Rows hold values exactly at cuts and one step beside them, infinities, huge numbers, -0.0, missing
values and unseen levels; names and levels try to break out of quotes.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.export.agreement import N_ROWS, N_TREES, compare, parts, several
from tests.export.drawn_trees import draw
from tests.export.runtimes import (
    COMPILER,
    NODE,
    quoted,
    run_c,
    run_duckdb,
    run_javascript,
    run_onnx,
    run_python,
    run_sqlite,
)

# ---------------------------------------------------------------------- SQL


@parts()
def test_sqlite_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part, flat=True):
        run_sqlite(drawn)


@parts()
def test_duckdb_agrees_with_predict(part: int | None) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    for drawn in several(part, flat=True):
        run_duckdb(drawn)


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Start a server of its own; give the command that runs psql against it."""
    import getpass
    import os
    import tempfile

    result = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    tool = shutil.which("initdb") or (str(result[-1]) if result else None)
    if tool is None or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    as_user: list[str] = []
    if getpass.getuser() == "root":  # the server refuses to run as root
        if shutil.which("runuser") is None:
            pytest.skip("PostgreSQL is not installed for users other than root")
        as_user = ["runuser", "-u", "nobody", "--"]
        shutil.chown(folder, "nobody")
    bin_folder = Path(tool).parent
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    quiet: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder}
    env = {**os.environ, "HOME": str(folder)}
    data = folder / "data"
    subprocess.run(
        [*as_user, tool, "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8",
         "--locale=C.UTF-8"], env=env, **quiet,
    )  # fmt: skip
    control = [*as_user, str(bin_folder / "pg_ctl"), "-D", str(data), "-w"]
    log = str(folder / "log")
    subprocess.run([*control, "-o", options, "-l", log, "start"], env=env, **quiet)
    try:
        yield ["psql", "-h", str(folder), "-U", "tester", "-d", "postgres", "-X", "-q", "-At"]
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], env=env, **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def copy_text(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, float):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, repr(value))
    text = str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
    return text.replace("\r", "\\r")


@parts()
def test_postgresql_agrees_with_predict(part: int | None, postgres: list[str]) -> None:
    for drawn in several(part, flat=True):
        kinds = []
        for info in drawn.tree.schema.columns:
            kind = "float8" if info.is_numeric else (
                "integer" if isinstance(info.levels[0], int) else "text"
            )  # fmt: skip
            kinds.append(f"{quoted(info.name)} {kind}")
        lines = [f"DROP TABLE IF EXISTS data; CREATE TABLE data (row_id int, {', '.join(kinds)});",
                 "COPY data FROM STDIN;"]  # fmt: skip
        for i, row in enumerate(zip(*drawn.rows.values(), strict=True)):
            lines.append("\t".join([str(i), *map(copy_text, row)]))
        query = drawn.tree.export("sql", dialect="postgresql")
        lines += ["\\.", f"SELECT json_agg(q ORDER BY row_id) FROM ({query}) AS q;"]
        done = subprocess.run(
            [*postgres, "-v", "ON_ERROR_STOP=1"], input="\n".join(lines), text=True,
            capture_output=True, check=True, encoding="utf-8",
        )  # fmt: skip
        rows = json.loads(_finite(done.stdout))
        compare(drawn, [one["leaf"] for one in rows], [one["prediction"] for one in rows])


def _finite(text: str) -> str:
    """psql writes Infinity as a JSON text already; nothing to do but to join the lines."""
    return text.strip()


# ---------------------------------------------------------------------- languages


@parts()
def test_python_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part):
        run_python(drawn)


@parts()
def test_javascript_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("node is not installed")
    run_javascript(several(part), tmp_path)


@parts()
def test_c_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    if COMPILER is None:
        pytest.skip("no C compiler is installed")
    run_c(several(part), tmp_path)


# ---------------------------------------------------------------------- ONNX and PMML


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@parts()
def test_onnxruntime_agrees_with_predict(part: int | None, dtype: str) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    seeds = range(N_TREES) if part is None else range(1000 + 10 * part, 1010 + 10 * part)
    for seed in seeds:
        kinds = ("learn", "surrogate", "majority")
        rows = N_ROWS if part is None else 10_000
        run_onnx(draw(seed, rows, missing=kinds[seed % 3], float32=dtype == "float32"), dtype)


@pytest.fixture(scope="session")
def pmml_evaluator() -> Any:
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    pytest.importorskip("jpype", reason="jpype1 is not installed")
    evaluator = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    from jpmml_evaluator.jpype import JPypeBackend

    backend = JPypeBackend()
    return lambda path: evaluator.make_evaluator(str(path), backend=backend).verify()


@pytest.mark.parametrize("step", ["6h", "1D", "137s"])
def test_pmml_takes_dates_as_iso_text(step: str, pmml_evaluator: Any, tmp_path: Path) -> None:
    import pandas as pd

    times = pd.Series(pd.date_range("2024-02-27", periods=60, freq=step))
    model = ceiba.DecisionTreeClassifier().fit(pd.DataFrame({"t": times}), times.index // 7 % 2)
    model.tree_.export("pmml", tmp_path / "tree.pmml")
    style = "%Y-%m-%d" if step == "1D" else "%Y-%m-%dT%H:%M:%S"
    texts = [*times.dt.strftime(style), None]
    result = pmml_evaluator(tmp_path / "tree.pmml").evaluateAll(
        pd.DataFrame({"t": pd.Series(texts, dtype=object)})
    )
    assert result["leaf"].astype(int).tolist() == model.apply({"t": texts}).tolist()


@parts()
def test_pmml_agrees_with_predict(part: int | None, pmml_evaluator: Any, tmp_path: Path) -> None:
    import pandas as pd

    for drawn in several(part, flat=True):
        path = tmp_path / "tree.pmml"
        drawn.tree.export("pmml", path)
        frame = pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in drawn.rows.items()})
        result = pmml_evaluator(path).evaluateAll(frame)
        target = next(name for name in result.columns if name not in ("leaf",))
        predicted = result[target].tolist()
        leaf = [int(text.split(":")[0]) for text in result["leaf"]]  # "0:5": the root, asked at 5
        compare(drawn, leaf, predicted)
