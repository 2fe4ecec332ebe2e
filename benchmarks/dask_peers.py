"""One tree on a local Dask cluster: ceiba, xgboost.dask, lightgbm.dask and Spark MLlib.

    python -m benchmarks.dask_peers [--rows 1000000] [--columns 20] [--depth 8] [--workers 2]
        [--folder DIR] [--only ceiba,xgboost,lightgbm,spark]

The workers read the table of `benchmarks.beyond_memory` from Parquet. Measures the CPU time of the
worker processes (for Spark: of the JVM), including reading, and for ceiba the size of the answers
sent between workers. The other trees are approximate; that of ceiba is compared with the tree in
memory. Needs: dask, distributed, psutil; xgboost, lightgbm, pyspark and Java for the peers.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.beyond_memory import write_files


def cpu_of_process() -> float:
    """CPU seconds of this process, with all its threads and children."""
    import psutil

    me = psutil.Process()
    times = [me.cpu_times(), *(child.cpu_times() for child in me.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def worker_cpu(client: Any) -> float:
    """CPU seconds of all workers."""
    return float(sum(client.run(cpu_of_process).values()))


def fit_ceiba(client: Any, folder: str, asked: Any) -> str:
    """Fit ceiba's tree; say how much travelled and whether it is the tree in memory."""
    import numpy as np
    import pyarrow.parquet as pq

    import ceiba
    from ceiba import _core
    from ceiba.shards.homes.dask import DaskExchange

    sent: Counter[str] = Counter()
    kinds: list[str] = []
    join_rounds, real_ask = _core.join_rounds, DaskExchange.ask

    def note_kind(growers: Any) -> Any:
        kinds.append(growers[0][1].asks)
        return join_rounds(growers)

    def ask(self: Any, question: Any) -> Any:
        answer = real_ask(self, question)
        sent[kinds[-1]] += answer.nbytes
        sent["question"] += question.nbytes
        return answer

    _core.join_rounds = note_kind
    DaskExchange.ask = ask  # type: ignore[method-assign]
    scan = ceiba.scan(f"{folder}/*.parquet", cluster=client)
    model = ceiba.DecisionTreeClassifier(max_depth=asked.depth).fit(scan, "y")
    _core.join_rounds = join_rounds
    asked.after = worker_cpu(client)
    whole = ceiba.DecisionTreeClassifier(max_depth=asked.depth).fit(pq.read_table(folder), "y")
    same = model.tree_ == whole.tree_ and np.array_equal(model.tree_.counts, whole.tree_.counts)
    listed = ", ".join(f"{kind} {n / 1e6:.2f}" for kind, n in sent.items())
    return f"tree {'equal' if same else 'DIFFERENT'}; MB per worker: {listed}"


def fit_xgboost(client: Any, folder: str, asked: Any) -> str:
    """Fit one tree of XGBoost's."""
    import dask.dataframe as dd
    import xgboost.dask as xgb

    frame = dd.read_parquet(folder).persist()  # read once: y alone would have fewer partitions
    matrix = xgb.DaskDMatrix(client, frame.drop(columns="y"), frame["y"])
    options = {"max_depth": asked.depth, "eta": 1, "tree_method": "hist", "lambda": 0,
               "objective": "binary:logistic", "min_child_weight": 0}  # fmt: skip
    booster = xgb.train(client, options, matrix, num_boost_round=1)["booster"]
    return f"root cut {booster.trees_to_dataframe()['Split'][0]}"


def fit_lightgbm(client: Any, folder: str, asked: Any) -> str:
    """Fit one tree of LightGBM's."""
    import dask.dataframe as dd
    import lightgbm

    frame = dd.read_parquet(folder).persist()
    model = lightgbm.DaskLGBMClassifier(
        client=client, n_estimators=1, learning_rate=1.0, max_depth=asked.depth,
        num_leaves=2**asked.depth, min_child_samples=1, min_sum_hessian_in_leaf=0, verbose=-1,
    ).fit(frame.drop(columns="y"), frame["y"])  # fmt: skip
    dumped = model.booster_.dump_model()["tree_info"][0]["tree_structure"]
    return f"root cut {dumped['threshold']}"


def fit_spark(folder: str, asked: Any) -> tuple[float, str]:
    """Fit Spark MLlib's tree in a JVM of as many threads; give its CPU seconds."""
    import psutil
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master(f"local[{asked.workers}]").config(
        "spark.driver.memory", "6g"
    ).config("spark.ui.enabled", "false").getOrCreate()  # fmt: skip
    session.sparkContext.setLogLevel("ERROR")
    jvm = next(p for p in psutil.Process().children(recursive=True) if "java" in p.name())
    before = jvm.cpu_times()
    rows = session.read.parquet(folder)
    names = [name for name in rows.columns if name != "y"]
    table = VectorAssembler(inputCols=names, outputCol="features").transform(rows)
    learner = DecisionTreeClassifier(labelCol="y", maxDepth=asked.depth, maxBins=256)
    model = learner.fit(table.select("features", "y"))
    after = jvm.cpu_times()
    words = f"{model.numNodes} nodes"
    session.stop()
    return after.user + after.system - before.user - before.system, words


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--only", default="ceiba,xgboost,lightgbm,spark")
    asked = parser.parse_args()
    chosen = asked.only.split(",")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        write_files(Path(folder), asked.rows, asked.columns, noise=False)
        print(f"{asked.rows:,} x {asked.columns}, {asked.workers} workers", flush=True)
        from distributed import Client, LocalCluster

        for name, fit in (
            ("ceiba", fit_ceiba), ("xgboost", fit_xgboost), ("lightgbm", fit_lightgbm),
        ):  # fmt: skip
            if name not in chosen:
                continue
            with (
                LocalCluster(
                    n_workers=asked.workers, threads_per_worker=1, dashboard_address=None,
                    memory_limit=0,
                ) as cluster,
                Client(cluster) as client,
            ):  # fmt: skip
                before, wall = worker_cpu(client), time.perf_counter()
                asked.after = None
                words = fit(client, folder, asked)
                after = asked.after or worker_cpu(client)
                wall = time.perf_counter() - wall
            print(f"{name:9} {after - before:7.2f} s worker CPU, {wall:7.1f} s wall; {words}",
                  flush=True)  # fmt: skip
        if "spark" in chosen:
            cpu, words = fit_spark(folder, asked)
            print(f"spark     {cpu:7.2f} s CPU of the JVM; {words}", flush=True)


if __name__ == "__main__":
    main()
