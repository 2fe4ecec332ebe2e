"""Mutated model files: each is refused with `ModelFileError` or is a model that can be used.

No crash, no other exception, and no more memory than ten times the file (plus what unpacking and
the interpreter need for a file of any size).
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import io
import json
import random
import tracemalloc
from typing import Any

import pytest

import ceiba
from ceiba.errors import ModelFileError
from ceiba.estimators.model_file import restore
from ceiba.tree.model_file.document import dumps, loads
from tests.tree.random_trees import random_tree

_FLOOR = 2**18  # bytes that even an empty file may need: buffers of gzip, modules, messages

_ODD: list[Any] = [
    None, True, -1, 0, 1, 2, 7, 10**6, 2**31, 2**63, 10**30, -0.5, 0.5, 1e308, "", "x", "majority",
    [], {}, [[]], [0], {"$tuple": []}, {"$float": "nan"}, {"$object": ["Listing", {}]},
]  # fmt: skip


def mutated(rng: random.Random, text: bytes) -> bytes:
    if rng.random() < 0.4:  # bytes
        raw = bytearray(text)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(raw))
            choice = rng.randrange(4)
            if choice == 0:
                raw[at] = rng.randrange(256)
            elif choice == 1:
                raw[at] = ord(rng.choice('0123456789-.,[]{}":e'))
            elif choice == 2:
                del raw[at : at + rng.randint(1, 20)]
            else:
                raw[at:at] = raw[at : at + rng.randint(1, 20)]
        return bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.05 else raw)
    broken = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        at: Any = broken
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.85:
                at = at[key]
                continue
            choice = rng.randrange(4)
            if choice == 0:
                at[key] = copy.deepcopy(rng.choice(_ODD))
            elif choice == 1:
                del at[key]
            elif choice == 2 and isinstance(at, list):
                at.insert(key, copy.deepcopy(rng.choice([at[key], *_ODD])))
            else:
                at[key] = copy.deepcopy(at[rng.choice(keys)])
            break
    return json.dumps(broken).encode()


def texts() -> list[bytes]:
    model = ceiba.DecisionTreeClassifier(missing="surrogate", max_competitors=1)
    rows: dict[str, Any] = {
        "x": [1.0, 2.0, None, 4.0, 5.0, 6.0] * 4,
        "c": ["a", "b", "c", None, "a", "b"] * 4,
    }
    model.fit(rows, ["u", "v", "w", "u", "v", "w"] * 4)
    stored = {
        "class": "DecisionTreeClassifier",
        "parameters": {"max_depth": 3, "cost_matrix": {"$items": [[{"$tuple": ["u", "v"]}, 2]]}},
        "fitted": {"n_rows_dropped_": 0},
    }
    pruning = ceiba.CostComplexity(folds=2, keep_unpruned=True)
    kept = io.BytesIO()
    ceiba.DecisionTreeClassifier(prune=pruning, max_depth=1).fit(rows, list("uvwuvw") * 4).save(
        kept
    )
    return [
        kept.getvalue(),
        dumps(model.tree_, model=stored),
        dumps(random_tree(1, missing="surrogate", stays=True)),
        dumps(random_tree(2, task="regression", missing="fractional")),
    ]


def fuzz(n: int, seed: int, *, traced: int) -> tuple[int, int]:
    """Load mutated files; return how many were refused and how many are still models.

    The memory of every `traced`-th file is measured (tracing takes five times the time).
    """
    rng = random.Random(seed)
    originals = texts()
    for raw in originals:
        restore(loads(raw))  # imports modules, whose memory does not count
    refused = 0
    for i in range(n):
        raw = mutated(rng, rng.choice(originals))
        if rng.random() < 0.05:
            packed = bytearray(gzip.compress(raw, 1, mtime=0))
            packed[rng.randrange(len(packed))] ^= 1 << rng.randrange(8)
            raw = bytes(packed)
        if i % traced == 0:
            tracemalloc.start()
        try:
            loaded = restore(loads(raw))
        except ModelFileError:
            refused += 1
            continue
        finally:
            if i % traced == 0:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak <= 10 * len(raw) + _FLOOR, (seed, i, peak, len(raw))
        tree = loaded if isinstance(loaded, ceiba.Tree) else loaded.tree_
        if tree.missing != "error" and tree.unseen != "error":
            use(tree)
        held_out = getattr(loaded, "cross_validation_", None)
        for step in range(len(held_out)) if held_out and held_out.held_out else ():
            held_out.predictions(step)
            if held_out.classes is not None:
                held_out.class_cost(step)
    return refused, n - refused


def use(tree: ceiba.Tree) -> None:
    """Route rows through a tree that passed the checks: this must not crash."""
    rows: dict[str, Any] = {}
    for info in tree.schema.columns:
        known: list[Any] = list(info.levels) or [0.0, 2.5, -1e300, float("inf")]
        rows[info.name] = [*known[:4], None, *known[:2], *[None] * 4][:6]
    if not rows or any(len(set(map(type, values)) - {type(None)}) > 1 for values in rows.values()):
        return
    with contextlib.suppress(ceiba.DataError):
        tree.predict(rows)


def test_fuzz_mutated_files_refused_or_usable() -> None:
    refused, usable = fuzz(1_000, seed=1, traced=20)
    assert refused > 500
    assert usable > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_fuzz_a_million_mutated_files_refused_or_usable(seed: int) -> None:
    refused, usable = fuzz(10_000, seed, traced=10)
    assert refused > 5_000
    assert usable > 100
