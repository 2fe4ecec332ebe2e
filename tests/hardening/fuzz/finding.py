"""One case of a campaign: run it, make what fails small, and keep it as a file."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hardening.fuzz import campaign

CASES = Path(__file__).resolve().parents[1] / "cases"

#: A failed case, in words: equal signatures are taken for the same fault.
Signature = str


class FindingError(AssertionError):
    """A case that fails, made small."""

    def __init__(self, name: str, seed: int, case: Any, signature: Signature, trace: str) -> None:
        super().__init__(f"{signature}\nrepeat: {command(name, seed)}")
        self.name, self.seed, self.case = name, seed, case
        self.signature, self.trace = signature, trace


def command(name: str, seed: int) -> str:
    return f"python -m tests.hardening.fuzz --campaign {name} --seed {seed}"


def run(name: str, seed: int) -> None:
    """Draw and check one case; raise what it finds."""
    module = campaign(name)
    case = module.draw(seed)
    failure = signature_of(module.check, case)
    if failure is None:
        return
    signature, trace = failure

    def fails(candidate: Any) -> bool:
        again = signature_of(module.check, candidate)
        return again is not None and again[0] == signature

    raise FindingError(name, seed, minimised(case, module.smaller, fails), signature, trace)


def signature_of(check: Callable[[Any], None], case: Any) -> tuple[Signature, str] | None:
    """What fails and where, with the trace; None if nothing does.

    The case is written and read first, so that what is kept is what was run.
    """
    try:
        check(json.loads(json.dumps(case)))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of a library is no Exception
        frames = traceback.extract_tb(error.__traceback__)
        at = frames[-1]
        ours = [frame for frame in frames if "/ceiba/" in frame.filename]
        place = ours[-1] if ours else at
        where = f"{Path(place.filename).name}:{place.name}"
        said = str(error).split("\n")[0][:100] if isinstance(error, AssertionError) else ""
        return f"{type(error).__name__} at {where} {said}".strip(), traceback.format_exc()
    return None


def minimised(
    case: Any, smaller: Callable[[Any], Any], fails: Callable[[Any], bool], seconds: float = 15.0
) -> Any:
    """Take the first simpler case that still fails, until none does or the time is up."""
    end = time.monotonic() + seconds
    shrinking = True
    while shrinking:
        shrinking = False
        for candidate in smaller(case):
            if time.monotonic() > end:
                return case
            if fails(candidate):
                case, shrinking = candidate, True
                break
    return case


def keep(name: str, seed: int, case: Any, signature: Signature) -> Path:
    """Write the case where tests/hardening/test_cases.py replays it."""
    path = CASES / f"{name}-{seed}.json"
    content = {"campaign": name, "seed": seed, "failed": signature, "case": case}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", "utf-8")
    return path


def replay(path: Path) -> None:
    """Check a kept case; raise if it fails again."""
    content = json.loads(path.read_text("utf-8"))
    campaign(content["campaign"]).check(content["case"])
