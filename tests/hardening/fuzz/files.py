"""Mutated model files: refused with `ModelFileError`, or a model that can be used.

The worker that runs this campaign has little memory and little time for each file.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import ceiba
from ceiba.errors import ModelFileError
from tests.model_file.test_fuzz import mutated, texts, use

_PER_CASE = 20  # files of one seed


@cache
def _texts() -> list[bytes]:
    """Files to mutate, without the date in them: a seed gives the same bytes on any day."""
    return [json.dumps({**json.loads(text), "written": {}}).encode() for text in texts()]


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    files = []
    for _ in range(_PER_CASE):
        raw = rng.choice(_texts())
        for _ in range(rng.choice([1, 1, 2, 4])):
            raw = mutated(rng, raw) if raw.startswith(b"{") and _is_json(raw) else raw
        if rng.random() < 0.1:
            packed = bytearray(gzip.compress(raw, 1, mtime=0))
            if rng.random() < 0.7:
                packed[rng.randrange(len(packed))] ^= 1 << rng.randrange(8)
            raw = bytes(packed)
        files.append(base64.b64encode(raw).decode())
    return {"files": files}


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def check(case: dict[str, Any]) -> None:
    for text in case["files"]:
        try:
            model = ceiba.load(base64.b64decode(text))
        except ModelFileError:
            continue
        tree = model if isinstance(model, ceiba.Tree) else model.tree_
        if tree.missing != "error" and tree.unseen != "error":
            use(tree)


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if len(case["files"]) > 1:
        for text in case["files"]:
            yield {"files": [text]}
