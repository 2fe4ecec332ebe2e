"""Shards on a Dask cluster: partitions of a dask DataFrame become shards where they are.

Shards are results of pure tasks, not actors: a shard that is lost with its worker is made again
from its partition, and the next round tells it the whole way. A round travels as the result of a
task (what is scattered has no lineage and cannot be made again). Tasks ask to run where their shard
is, and may run elsewhere: a task that insists would wait for a dead worker for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from ceiba.criteria import Task
from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards.exchange import two_as_one
from ceiba.grow.shards.first_pass import (
    SAMPLE,
    UNWEIGHTED,
    FirstPass,
    PieceLook,
    Weighting,
    join,
    look_at,
    sample_numbers,
    settle,
)
from ceiba.grow.shards.layout import ShardLayout
from ceiba.grow.shards.second_pass import Seen, agree, fill, weighed
from ceiba.grow.shards.shard import Shard, ShardArrays, empty_arrays, named_arrays
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_supported
from ceiba.grow.shards.together import Words
from ceiba.table import Schema

_RETRIES: Final = 10
_SAMPLE_ROWS: Final = 512  # of a partition


def is_dask_frame(X: Any) -> bool:
    """Tell whether a table is a dask DataFrame, without importing dask.

    Examples
    --------
    >>> from ceiba.grow.shards.on_dask import is_dask_frame
    >>> is_dask_frame({"x": [1.0]})
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(
        X, "map_partitions"
    )


class DaskExchange:
    """Shards that are results on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    shards : list of futures
    """

    def __init__(self, client: Any, shards: list[Any]) -> None:
        self._client = client
        self._shards = shards

    def ask(self, question: Words) -> Words:
        """Ask all shards the same round; give their answers as one."""
        client = self._client
        sent = client.submit(_as_it_is, question, pure=False, retries=_RETRIES)
        holders = client.who_has(self._shards)
        answers = []
        for shard in self._shards:
            where = holders.get(shard.key) or None
            place = {"workers": list(where), "allow_other_workers": True} if where else {}
            answers.append(
                client.submit(_answer, shard, sent, pure=False, retries=_RETRIES, **place)
            )
        while len(answers) > 1:
            pairs = [answers[k : k + 2] for k in range(0, len(answers), 2)]
            answers = [
                client.submit(two_as_one, *pair, pure=False, retries=_RETRIES)
                if len(pair) == 2
                else pair[0]
                for pair in pairs
            ]
        answer: Words = answers[0].result()
        return np.array(answer)  # what came over the network may be read-only

    def each(self, work: Any, given: Sequence[Any]) -> list[Any]:
        """Do some work on every shard, each with what is given to it; results in their order."""
        results: list[Any] = self._client.gather(self._submitted(work, given))
        return results

    def change(self, work: Any, given: Sequence[Any]) -> None:
        """Put what some work makes of every shard in its place."""
        self._shards = self._submitted(work, given)

    def _submitted(self, work: Any, given: Sequence[Any]) -> list[Any]:
        return [
            self._client.submit(work, shard, one, pure=False, retries=_RETRIES)
            for shard, one in zip(self._shards, given, strict=True)
        ]


def _as_it_is(question: Words) -> Words:
    return question


def _answer(shard: Shard, question: Words) -> Words:
    return shard.answer(np.array(question))


@contextmanager
def opened(
    frame: Any, target: str, options: GrowOptions, weighting: Weighting = UNWEIGHTED
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Turn a dask DataFrame into shards that live as long as the `with` block.

    Parameters
    ----------
    frame : dask DataFrame
    target : str
        The column to predict.
    options : GrowOptions
    weighting : Weighting
    """
    check_supported(options)
    client = _client()
    names = [str(name) for name in frame.columns]
    if target not in names:
        raise SchemaError(
            f"There is no column {target!r} to use as the target.{did_you_mean(target, names)}"
        )
    names.remove(target)
    for name in weighting.columns:
        if name not in names:
            raise SchemaError(f"There is no column {name!r} with weights.")
        names.remove(name)
    if not names:
        raise DataError(f"The frame has no column to learn from besides {target!r}.")
    numbers = [name for name in names if _is_number(frame.dtypes[name])]
    single = frozenset(n for n in numbers if str(frame.dtypes[n]).lower().startswith("float32"))
    parts = client.compute(frame.to_delayed(), retries=_RETRIES)

    def submit(work: Any, *args: Any) -> Any:
        return client.submit(work, *args, pure=False, retries=_RETRIES)

    about = target, options.task, weighting.column, options.unseen == "error"
    looks = [submit(_look, part, names, numbers, about) for part in parts]
    seen: list[tuple[PieceLook, Any]] = client.gather(looks)
    n_rows = [look.n_rows for look, _ in seen]
    if not sum(n_rows):
        raise DataError("The frame has no rows.")
    whole = join([look for look, _ in seen])
    found = settle(whole, names, _sample(seen), single, (target, options), weighting)
    made = [submit(_arrays, part, n, found, target) for part, n in zip(parts, n_rows, strict=True)]
    ranges: list[Seen] = client.gather([submit(_second, one) for one in made])
    schema, layout = agree(found, ranges, options)
    shards = [submit(_shard, one, schema, layout, k) for k, one in enumerate(made)]
    del parts, looks, made  # made again if a shard is lost
    weight = weighed(found, ranges)
    totals = found.totals if weight is None else weight.per_class
    yield (
        ShardedTable(
            schema,
            sum(n_rows),
            layout,
            DaskExchange(client, shards),
            weighed=weight,
            shard_rows=n_rows,
        ),
        ShardedTarget(found.target, totals, found.units),
    )


def _client() -> Any:
    try:
        from distributed import default_client
    except ImportError as error:
        raise ImportError(
            "A dask DataFrame needs the package distributed. Install it with: "
            "pip install ceiba[dask]"
        ) from error
    try:
        return default_client()  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise DataError(
            "A dask DataFrame is learned from on a cluster, and there is no client. Make one: "
            "`from dask.distributed import Client; Client()` uses the cores of this machine."
        ) from error


def _is_number(dtype: Any) -> bool:
    from pandas.api.types import is_numeric_dtype

    return bool(is_numeric_dtype(dtype))


# --- on the workers


def _look(
    frame: Any,
    names: Sequence[str],
    numbers: Sequence[str],
    about: tuple[str, Task, str | None, bool],
) -> tuple[PieceLook, Any]:
    if not len(frame):
        return PieceLook(), None
    others = [name for name in names if name not in numbers]
    target, task, weight, keep_levels = about
    wanted = [*others, target, *([] if weight is None else [weight])]
    look = look_at([frame[wanted]], target, task, weight, keep_levels=keep_levels)
    binned = [*numbers, *(info.name for info in look.infos.values() if info.kind != "categorical")]
    if not binned:
        return look, None
    rows = frame[binned].iloc[:: max(1, len(frame) // _SAMPLE_ROWS)]
    return look, sample_numbers([rows], binned)


def _arrays(frame: Any, n_rows: int, found: FirstPass, target: str) -> tuple[ShardArrays, Seen]:
    classes = found.target.task == "classification"
    shapes = empty_arrays(
        found.schema, n_rows, found.single, classes=classes, weighted=found.weights is not None
    )
    arrays = named_arrays(
        {name: np.empty(shape, dtype) for name, (dtype, shape) in shapes.items()},
        len(found.schema.columns),
    )
    return arrays, fill(arrays, [frame] if len(frame) else [], found, target)


def _second(pair: tuple[ShardArrays, Seen]) -> Seen:
    return pair[1]


def _shard(pair: tuple[ShardArrays, Seen], schema: Schema, layout: ShardLayout, k: int) -> Shard:
    return Shard(pair[0], schema, layout, k)


def _sample(seen: Sequence[tuple[PieceLook, Any]]) -> tuple[Schema, dict[str, Any]]:
    """Join the samples of all partitions, and keep about `SAMPLE` values of each column."""
    samples = [sample for _, sample in seen if sample is not None]
    if not samples:
        return Schema(()), {}
    values: dict[str, Any] = {}
    for name in samples[0][1]:
        joined = np.concatenate([numbers[name] for _, numbers in samples])
        values[name] = joined[:: max(1, len(joined) // SAMPLE)].copy()
    return samples[0][0], values
