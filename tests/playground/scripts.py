"""Run the scripts of the playground in node: the same texts that the page contains."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ceiba.report.page import _read, _strip_source, list_modules

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import playground  # noqa: E402

#: node 20 decodes Windows-1252 as Latin-1 (nodejs/node#56542); browsers do not.
_DECODER = """
const Decoder = TextDecoder;
globalThis.TextDecoder = class extends Decoder {
  decode(bytes) {
    const text = super.decode(bytes);
    const marks = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
    if (this.encoding !== "windows-1252") return text;
    return text.replace(/[\x80-\x9f]/g, (c) => marks[c.charCodeAt(0) - 128]);
  }
};
"""
#: Read the questions of a test, answer them one by one, and print the answers.
_LOOP = """
(async () => {
  const fs = require("fs"), answers = [];
  for (const question of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
    try {
      answers.push({ result: await answer(question, fs) });
    } catch (error) {
      answers.push({ error: error.key || String(error.stack), values: error.values });
    }
  }
  const finite = (_, v) => (typeof v === "number" && !Number.isFinite(v) ? null : v);
  fs.writeFileSync(process.argv[3], JSON.stringify(answers, finite));
})();
"""
_READ = """
async function answer({ path, options }, fs) {
  const text = await readText(new Blob([fs.readFileSync(path)]), options.encoding || "");
  const { columns } = readTable(text, options, RULES, () => {});
  return columns.map((column) => ({ ...column, values: [...column.values] }));
}
"""
_WORK = """
async function answer({ action, path, ...given }, fs) {
  const about = { rules: RULES, limits: LIMITS, version: "0" };
  if (action === "start") Object.assign(given, about, { wasm: fs.readFileSync(path) });
  if (action === "time") {
    const spent = Array.from({ length: given.repeats }, () => {
      const { user, system } = process.cpuUsage();
      growTree(work.session, given.options);
      return process.cpuUsage().user + process.cpuUsage().system - user - system;
    });
    return { least: Math.min(...spent) / 1e6 };
  }
  if (action === "widen") {
    const { columns } = work.table;
    work.table.columns = [...Array(given.times).fill(columns[0]), columns[1]];
    return {};
  }
  if (action === "read" && path) given.file = new Blob([fs.readFileSync(path)]);
  const stages = [], begun = process.cpuUsage();
  const result = await ACTIONS[action](given, (stage, done) => stages.push(`${stage} ${done}`));
  const { user, system } = process.cpuUsage(begun);
  return { ...result, stages, seconds_cpu: (user + system) / 1e6 };
}
"""


def read_files(folder: Path, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Read files by the page's reader."""
    return _run(folder, "csv.js", _READ, questions)


def work(folder: Path, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Have the worker do some work; the core is started first."""
    need_core()
    start = {"action": "start", "path": str(playground.BUILD / "ceiba.wasm")}
    return _run(folder, "worker.js", _WORK, [start, *questions], glue=True)[1:]


def need_core() -> None:
    """Skip the test if the core is not compiled for the browser."""
    if not playground.is_built():
        pytest.skip("WebAssembly is not built: run `make wasm` (needs emscripten)")


def _run(
    folder: Path, entry: str, code: str, questions: list[dict[str, Any]], *, glue: bool = False
) -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    modules = list_modules(f"{playground.FOLDER}/{entry}")
    parts = [
        f'"use strict";\nglobalThis.self = globalThis;{_DECODER}',
        (playground.BUILD / "ceiba.js").read_text("utf-8") if glue else "",
        *(_strip_source(_read(path)) for path in modules),
        f"const RULES = {json.dumps(playground.reader_rules())};",
        f"const LIMITS = {json.dumps(playground.payload_limits())};",
        code,
        _LOOP,
    ]
    script, asked, told = (folder / name for name in ("script.cjs", "asked.json", "told.json"))
    script.write_text("\n".join(parts), encoding="utf-8")
    asked.write_text(json.dumps(questions), encoding="utf-8")
    command = [node, str(script), str(asked), str(told)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    answers: list[dict[str, Any]] = json.loads(told.read_text("utf-8"))
    return answers
