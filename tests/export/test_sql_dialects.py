"""SQL in the databases that need a server, and the dialects that only a parser can check here.

MariaDB and Spark run the query and must agree with `predict`. T-SQL, BigQuery, Snowflake and Oracle
are read by sqlglot, which writes them for DuckDB, where they must agree with `predict` too.
"""

from __future__ import annotations

import datetime as dt
import getpass
import math
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.export.code.sql_dialects import DIALECTS
from ceiba.table import ColumnInfo, Kind, Schema
from tests.export.agreement import compare
from tests.export.drawn_trees import Drawn, draw
from tests.export.test_formats import HOSTILE

N_TREES, N_ROWS = 12, 300
RUN_ELSEWHERE = {"ansi", "postgresql", "sqlite", "duckdb", "mysql", "spark"}
FORBIDDEN = "".join(sorted(set().union(*(d.forbidden for d in DIALECTS.values()))))
TRANSPILED = sorted(set(DIALECTS) - RUN_ELSEWHERE)


def drawn_for(seed: int, forbidden: str = "", infinities: bool = True) -> Drawn:
    """Draw a tree whose names the database can hold, and rows that it can hold."""
    kinds = ("learn", "surrogate", "majority")
    drawn = draw(seed, N_ROWS, missing=kinds[seed % 3])
    tree, rows = drawn.tree, drawn.rows
    clean = str.maketrans(dict.fromkeys(forbidden, "_"))
    columns = tuple(replace(c, name=c.name.translate(clean)) for c in tree.schema.columns)
    tree = replace(tree, schema=Schema(columns, tree.schema.target, True))
    rows = {name.translate(clean): values for name, values in rows.items()}
    if not infinities:
        rows = {
            name: [math.copysign(1.5e308, v) if v in (math.inf, -math.inf) else v for v in values]
            for name, values in rows.items()
        }
    return Drawn(tree, rows, seed)


def is_text(info: ColumnInfo) -> bool:
    return not info.is_numeric and isinstance(info.levels[0], str)


# ---------------------------------------------------------------------- MariaDB


@pytest.fixture(scope="module")
def mariadb() -> Iterator[list[str]]:
    """Start a server on a socket; return the command that runs SQL on it."""
    tools = [shutil.which(name) for name in ("mariadbd", "mariadb-install-db", "mariadb")]
    if None in tools:
        pytest.skip("MariaDB is not installed")
    server, install, client = (str(tool) for tool in tools)
    folder = Path(tempfile.mkdtemp(prefix="my", dir="/tmp"))
    user = getpass.getuser()
    own = ["--no-defaults", f"--datadir={folder}/data", f"--user={user}"]
    subprocess.run([install, *own, "--skip-test-db"], check=True, capture_output=True)
    socket = folder / "socket"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [server, *own, f"--socket={socket}", "--skip-networking", "--skip-grant-tables",
             f"--pid-file={folder}/pid"], stdout=log, stderr=log,
        )  # fmt: skip
    try:
        for _ in range(600):
            if socket.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        base = [client, "--no-defaults", f"--socket={socket}", "-N", "-B"]
        base.append("--default-character-set=utf8mb4")
        subprocess.run([*base, "-e", "CREATE DATABASE trees"], check=True, capture_output=True)
        yield [*base, "trees"]
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def mariadb_value(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"_utf8mb4 X'{value.encode().hex()}'" if isinstance(value, str) else repr(value)


def run_mariadb(client: list[str], lines: list[str]) -> list[list[str]]:
    done = subprocess.run(client, input="\n".join(lines).encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [line.split("\t") for line in done.stdout.decode().splitlines()]


@pytest.mark.parametrize("mode", ["ANSI", "NO_BACKSLASH_ESCAPES"])
def test_mariadb_agrees_with_predict(mariadb: list[str], mode: str) -> None:
    for seed in range(N_TREES):
        drawn = drawn_for(seed, infinities=False)
        kinds = [
            f"`{info.name}` {'text' if is_text(info) else 'double' if info.is_numeric else 'int'}"
            for info in drawn.tree.schema.columns
        ]
        rows = zip(range(drawn.n), *drawn.rows.values(), strict=True)
        values = ", ".join(f"({', '.join(map(mariadb_value, row))})" for row in rows)
        query = drawn.tree.export("sql", dialect="mysql")
        text = (
            drawn.tree.task == "classification" and drawn.tree.target.classes[0].dtype.kind == "U"
        )
        shown = "HEX(prediction)" if text else "prediction"
        answers = run_mariadb(
            mariadb,
            [
                "DROP TABLE IF EXISTS data;",
                f"CREATE TABLE data (row_id int, {', '.join(kinds)}) CHARACTER SET utf8mb4;",
                f"INSERT INTO data VALUES {values};",
                f"SET sql_mode = '{mode}';",
                f"SELECT leaf, {shown} FROM ({query}) AS q ORDER BY row_id;",
            ],
        )
        convert = (lambda h: bytes.fromhex(h).decode()) if text else float
        compare(drawn, [int(leaf) for leaf, _ in answers], [convert(one) for _, one in answers])


def test_mariadb_compares_strings_by_their_code_points(mariadb: list[str]) -> None:
    tree = ceiba.tree.build(("wind", {"west": "yes", "east": "no"}), target="RAIN")
    query = tree.export("sql", dialect="mysql")
    values = ["east", "EAST", "east ", "é", "west"]
    rows = ", ".join(f"({i}, {mariadb_value(v)})" for i, v in enumerate(values))
    answers = run_mariadb(
        mariadb,
        [
            "DROP TABLE IF EXISTS data;",
            "CREATE TABLE data (i int, wind text) CHARACTER SET utf8mb4;",
            f"INSERT INTO data VALUES {rows};",
            f"SELECT leaf FROM ({query}) AS q ORDER BY i;",
        ],
    )
    assert [int(leaf) for (leaf,) in answers] == tree.apply({"wind": values}).tolist()


def test_mariadb_runs_hostile_names_levels_and_classes(mariadb: list[str]) -> None:
    """Of each hostile text as column, level, class and target; every answer is that of predict."""
    rows = [*HOSTILE, "other", None]
    values = ", ".join(f"({i}, {mariadb_value(v)})" for i, v in enumerate(rows))
    for text, other in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], strict=True):
        tree = ceiba.tree.build((text, {text: other, other: text}), target=other)
        name = "`" + text.replace("`", "``") + "`"
        answers = run_mariadb(
            mariadb,
            [
                "SET sql_mode = 'ANSI';",
                "DROP TABLE IF EXISTS data;",
                f"CREATE TABLE data (i int, {name} text) CHARACTER SET utf8mb4;",
                f"INSERT INTO data VALUES {values};",
                f"SELECT HEX(prediction) FROM ({tree.export('sql', dialect='mysql')}) AS q "
                "ORDER BY i;",
                "SELECT count(*) FROM data;",
            ],
        )
        found = [bytes.fromhex(one).decode() for (one,) in answers[:-1]]
        assert (found, answers[-1]) == (tree.predict({text: rows}).tolist(), [str(len(rows))])


def test_mariadb_takes_dates_and_booleans(mariadb: list[str]) -> None:
    tree, X = dated()
    rows = ", ".join(
        f"({i}, '{day.isoformat()}', {flag})"
        for i, (day, flag) in enumerate(zip(*X.values(), strict=True))
    )
    answers = run_mariadb(
        mariadb,
        [
            "DROP TABLE IF EXISTS data;",
            "CREATE TABLE data (i int, day date, flag bool);",
            f"INSERT INTO data VALUES {rows};",
            f"SELECT leaf FROM ({tree.export('sql', dialect='mysql')}) AS q ORDER BY i;",
        ],
    )
    assert [int(leaf) for (leaf,) in answers] == tree.apply(X).tolist()


def dated() -> tuple[Any, dict[str, list[Any]]]:
    """Return a tree that asks for a date and a boolean, and its rows."""
    days = [dt.date(2024, 5, 1) + dt.timedelta(days=i) for i in range(40)]
    flags = [i % 3 == 0 for i in range(40)]
    X: dict[str, list[Any]] = {"day": days, "flag": flags}
    y = ["late" if i > 20 else "odd" if flag else "early" for i, flag in enumerate(flags)]
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    assert {tree.schema.columns[c].name for c in tree.splits.column if c >= 0} == {"day", "flag"}
    return tree, X


# ---------------------------------------------------------------------- Spark


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.sql.shuffle.partitions", "1")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.slow
def test_spark_agrees_with_predict(spark: Any) -> None:
    from pyspark.sql import types

    for seed in range(N_TREES):
        drawn = drawn_for(seed, forbidden="$")
        fields = [types.StructField("row_id", types.LongType())]
        for info in drawn.tree.schema.columns:
            kind = types.StringType() if is_text(info) else types.LongType()
            fields.append(
                types.StructField(info.name, types.DoubleType() if info.is_numeric else kind)
            )
        rows = []
        for i, row in enumerate(zip(*drawn.rows.values(), strict=True)):
            numeric = [info.is_numeric for info in drawn.tree.schema.columns]
            odd = [
                math.nan if v is None and f and i % 2 else v
                for v, f in zip(row, numeric, strict=True)
            ]
            rows.append((i, *odd))  # NaN is missing too
        spark.createDataFrame(rows, types.StructType(fields)).createOrReplaceTempView("data")
        query = drawn.tree.export("sql", dialect="spark")
        answers = spark.sql(query + "ORDER BY row_id").select("leaf", "prediction").collect()
        compare(drawn, [one["leaf"] for one in answers], [one["prediction"] for one in answers])


@pytest.mark.slow
def test_spark_leaves_dollars_in_strings_alone(spark: Any) -> None:
    tree = ceiba.tree.build(("x", {"${a}": "${b}", "$": "'$"}), target="y")
    spark.createDataFrame([("${a}",), ("$",)], "x string").createOrReplaceTempView("data")
    answers = spark.sql(tree.export("sql", dialect="spark")).collect()
    assert [one["prediction"] for one in answers] == ["${b}", "'$"]


@pytest.mark.slow
def test_spark_takes_dates_and_booleans(spark: Any) -> None:
    tree, X = dated()
    rows = list(zip(*X.values(), strict=True))
    spark.createDataFrame(rows, "day date, flag boolean").createOrReplaceTempView("data")
    answers = spark.sql(tree.export("sql", dialect="spark") + "ORDER BY day").collect()
    assert [one["leaf"] for one in answers] == tree.apply(X).tolist()


# ---------------------------------------------------------------------- by sqlglot


def exported(drawn: Drawn, dialect: str) -> str | None:
    """Return the query as sqlglot reads it; None where the database lacks numbers of the tree."""
    try:
        query = drawn.tree.export("sql", dialect=dialect)
    except TreeError as error:
        if dialect in ("tsql", "oracle") and "subnormal" in str(error):
            return None
        raise
    return without_suffixes(query, dialect)


def without_suffixes(query: str, dialect: str) -> str:
    """Write Oracle's `4.5D` as `4.5E0`: sqlglot does not know it."""
    if dialect != "oracle":
        return query
    return re.sub(r"(?<= )(-?\d[\d.]*)(e[-+]?\d+)?D\b", lambda m: m[1] + (m[2] or "E0"), query)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sqlglot_parses_every_dialect(dialect: str) -> None:
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    known = {"ansi": None, "postgresql": "postgres"}
    for seed in range(N_TREES):
        drawn = drawn_for(seed, forbidden=FORBIDDEN, infinities=False)
        query = exported(drawn, dialect)
        if query is None:
            continue
        (parsed,) = sqlglot.parse(
            query, read=known.get(dialect, dialect), error_level=sqlglot.ErrorLevel.RAISE
        )
        outer = [column.alias_or_name for column in parsed.expressions]
        assert outer[:2] == ["*", "prediction"]
        columns = {column.name for column in parsed.find_all(sqlglot.exp.Column)}
        assert columns <= {"*", "leaf", "BINARY_DOUBLE_NAN", *drawn.rows}
        assert columns & set(drawn.rows)


def for_duckdb(query: str, dialect: str) -> str:
    """Let sqlglot write a query for DuckDB; what it does not know is replaced by hand."""
    import sqlglot

    if dialect == "tsql":  # DuckDB compares code points anyway
        query = query.replace(" COLLATE Latin1_General_100_BIN2", "").replace(" + N'.'", " || N'.'")
    if dialect == "oracle":
        query = re.sub(r"(TIMESTAMP '[^'.]*)'", r"\1.000000'", query)
        query = query.replace("BINARY_DOUBLE_NAN", "CAST('NaN' AS DOUBLE PRECISION)")
    return sqlglot.transpile(query, read=dialect, write="duckdb")[0]


@pytest.mark.parametrize("dialect", TRANSPILED)
def test_transpiled_dialects_agree_with_predict_in_duckdb(dialect: str) -> None:
    pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import pyarrow as pa

    n_run = 0
    for seed in range(N_TREES):
        drawn = drawn_for(seed, forbidden=FORBIDDEN)
        query = exported(drawn, dialect)
        if query is None:
            continue
        with duckdb.connect() as base:
            base.register("data", pa.table({"row_id": range(drawn.n), **drawn.rows}))
            cursor = base.execute(for_duckdb(query, dialect) + " ORDER BY row_id")
            names = [one[0] for one in cursor.description]
            columns = dict(zip(names, zip(*cursor.fetchall(), strict=True), strict=True))
        compare(drawn, columns["leaf"], columns["prediction"])
        n_run += 1
    assert n_run >= N_TREES / 2


@pytest.mark.parametrize("dialect", [*TRANSPILED, "ansi"])
def test_dates_and_booleans_agree_in_duckdb(dialect: str) -> None:
    pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import pyarrow as pa

    tree, X = dated()
    if dialect in ("ansi", "oracle"):  # booleans are numbers there
        X_there = {**X, "flag": [int(flag) for flag in X["flag"]]}
    else:
        X_there = X
    query = without_suffixes(tree.export("sql", dialect=dialect), dialect)
    with duckdb.connect() as base:
        base.register("data", pa.table(X_there))
        text = query if dialect == "ansi" else for_duckdb(query, dialect)
        answers = base.execute(text + " ORDER BY day").fetchall()
    assert [row[2] for row in answers] == tree.apply(X).tolist()


# ---------------------------------------------------------------------- literals


def zoned_tree() -> Any:
    moments = [dt.datetime(2024, 5, 1, 12, i, tzinfo=dt.UTC) for i in range(10)]
    y = ["a"] * 5 + ["b"] * 5
    return ceiba.DecisionTreeClassifier().fit({"at": moments}, y).tree_


@pytest.mark.parametrize(
    ("dialect", "cut"),
    [
        ("tsql", "t.[at] > CAST('2024-05-01 12:04:30+00:00' AS DATETIMEOFFSET)"),
        ("bigquery", "CAST(t.`at` AS DATETIME) > DATETIME '2024-05-01 12:04:30'"),
        ("snowflake", "t.\"at\" > CAST('2024-05-01 12:04:30 +00:00' AS TIMESTAMP_TZ)"),
        ("spark", "t.`at` > TIMESTAMP '2024-05-01 12:04:30+00:00'"),
        ("oracle", "t.\"at\" > TIMESTAMP '2024-05-01 12:04:30 +00:00'"),
    ],
)
def test_times_of_a_zone_are_compared_in_utc(dialect: str, cut: str) -> None:
    assert cut in zoned_tree().export("sql", dialect=dialect)


@pytest.mark.parametrize(
    ("dialect", "name", "level", "message"),
    [
        ("oracle", "x", "", "not supported in Oracle"),
        ("oracle", 'say "hi"', "a", "Oracle does not support '\"'"),
        ("spark", "${row}", "a", r"Spark does not support '\$\{'"),
        ("bigquery", "back`tick", "a", "BigQuery does not support '`'"),
    ],
)
def test_what_a_database_cannot_hold_is_refused(
    dialect: str, name: str, level: str, message: str
) -> None:
    X = {name: [level, "b"] * 10}
    tree = ceiba.DecisionTreeClassifier().fit(X, [0, 1] * 10).tree_
    with pytest.raises(TreeError, match=message):
        tree.export("sql", dialect=dialect)


@pytest.mark.filterwarnings("ignore:Column 'x'.*levels")
def test_oracle_lists_at_most_1000_levels() -> None:
    levels = tuple(f"v{i}" for i in range(2500))
    X = {"x": list(levels) * 2}
    y = [i % 2 for i in range(2500)] * 2
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    assert tree.schema.columns[0].kind is Kind.CATEGORICAL
    lists = tree.export("sql", dialect="oracle", form="leaf").split(" IN (")[1:]
    sizes = [part.partition(")")[0].count(",") + 1 for part in lists]
    assert max(sizes) == 1000
    assert sum(sizes) >= 2500


def test_tsql_strings_keep_case_and_trailing_blanks() -> None:
    tree = ceiba.tree.build(("wind", {"west": "yes", "east": "no"}), target="RAIN")
    text = tree.export("sql", dialect="tsql", form="leaf")
    assert "(t.[wind] + N'.') COLLATE Latin1_General_100_BIN2 = N'east.'" in text


def test_numbers_are_typed_floats_in_every_dialect() -> None:
    tree = ceiba.tree.build(("x <= 0.1", "a", "b"), target="y")
    ends = {"postgresql": "0.1::float8", "spark": "0.1D", "oracle": "0.1D"}
    ends["sqlite"] = "0.1"  # REAL
    for dialect in DIALECTS:
        text = tree.export("sql", dialect=dialect, form="leaf")
        assert f"<= {ends.get(dialect, '0.1E0')} " in text, dialect
    assert np.isclose(float("0.1E0"), 0.1, rtol=0, atol=0)
