"""Tables of any reader, one or many files, as a scan that is read piece by piece.

Parquet files are scanned where they are. All others go once through their reader, piece by piece,
into a temporary Parquet file, with the types that reading them as a whole would give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any

from ceiba.cli.files._polars import pl
from ceiba.cli.files.csv_file import CsvFile
from ceiba.cli.files.reading import (
    Loaded,
    Reading,
    is_text,
    load_table,
    refuse_text_options,
    without_empty_rows,
)
from ceiba.cli.files.streams import existing
from ceiba.cli.files.typed_csv import choice_of_all, typed_pieces
from ceiba.cli.terminal.progress import progress
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.table import Scan, scan
from ceiba.table.scanning.scan import read_size, scan_of, scratch_directory
from ceiba.table.scanning.spool import Spool


@dataclass
class Spooled:
    """A scan, and how its files were read."""

    scan: Scan
    loaded: Loaded = field(default_factory=lambda: Loaded(pl.DataFrame()))
    n_left_out: int = 0  # rows without a target


def sources_of(data: str) -> list[str]:
    """Give the files that a path or a pattern means, in order."""
    if Path(data).is_file() or "::" in data:
        return [data]
    return sorted(path for path in glob(data, recursive=True) if Path(path).is_file())  # noqa: PTH207


def open_scan(
    data: str, reading: Reading, target: str, memory: str | None, scratch: Any, cluster: Any
) -> Spooled:
    """Open files of any kind as a scan.

    Parameters
    ----------
    data : str
        A path or a pattern.
    reading : Reading
    target : str
        The column to predict; rows without it are left out (Parquet must have none).
    memory, scratch, cluster
        As the flags of ``ceiba learn``.
    """
    if data == "-":
        raise OptionError("--memory reads files, and - is the standard input. Write it to a file.")
    sources = sources_of(data) or [existing(data)]
    size = memory or "4GB"
    if all(source.lower().endswith((".parquet", ".pq")) for source in sources):
        refuse_text_options(data, reading)
        return Spooled(scan(list(sources), memory=size, scratch=scratch, cluster=cluster))
    if cluster is not None:
        raise OptionError(f"--cluster needs Parquet files, which its workers read. Got {data}.")
    limit = read_size(size, "memory")
    directory = scratch_directory(scratch)
    spool = Spool(directory)
    if all(map(is_text, sources)):
        loaded, left_out = _spool_csv(sources, reading, spool, target)
    else:
        loaded, left_out = _spool_typed(sources, reading, spool, target)
    made = scan_of((spool.done(data),), limit, directory)
    nameless = [name for name in made.names if name not in loaded.frame.columns]
    return Spooled(made.without(*nameless), loaded, left_out)


def _spool_csv(
    sources: Sequence[str], reading: Reading, spool: Spool, target: str
) -> tuple[Loaded, int]:
    opened: list[CsvFile] = []
    total = sum(Path(existing(one)).stat().st_size for one in sources)
    with progress("reading", total, reading.quiet) as bar:

        def files() -> Iterator[CsvFile]:
            opened.clear()
            for source in sources:
                file = CsvFile(source, reading)
                if opened and file.names != opened[0].names:
                    raise SchemaError(
                        f"{source} does not have the columns of {sources[0]}: "
                        f"{', '.join(file.names)}, not {', '.join(opened[0].names)}."
                    )
                opened.append(file)
                yield file

        def tell(_: CsvFile) -> None:
            bar(sum(file.done for file in opened))

        written = _Rows(spool, target)
        for frame in typed_pieces(files(), None):
            if frame is None:  # later rows are written in another way than the first
                spool.restart()
                written = _Rows(spool, target)
                for again in typed_pieces(files(), choice_of_all(list(files()), tell)):
                    assert again is not None
                    written.add(again)
                    tell(opened[-1])
                break
            written.add(frame)
            tell(opened[-1])
    first = opened[0]
    names = [name for name in first.names if name in written.named or not first.has_header]
    remarks = list(dict.fromkeys(text for file in opened for text in file.remarks))
    return Loaded(_nothing(names), remarks, first.styles, first.has_header), written.left_out


def _spool_typed(
    sources: Sequence[str], reading: Reading, spool: Spool, target: str
) -> tuple[Loaded, int]:
    """Write typed tables: Arrow and JSON lines in pieces, others (bounded by nature) as a whole."""
    written = _Rows(spool, target)
    loaded = None
    for source in sources:
        ending = Path(source.partition("::")[0]).suffix.lower()
        lazy: Any = {".arrow": pl.scan_ipc, ".feather": pl.scan_ipc, ".ipc": pl.scan_ipc,
                ".ndjson": pl.scan_ndjson, ".jsonl": pl.scan_ndjson}.get(ending)  # fmt: skip
        if lazy is None or "::" in source:
            loaded = load_table(source, reading)
            written.add(loaded.frame)
            continue
        refuse_text_options(source, reading)
        try:
            rows: Any = lazy(existing(source))
            for frame in rows.collect_batches(chunk_size=1 << 17, maintain_order=True):
                written.add(frame)
        except pl.exceptions.PolarsError as error:
            first = str(error).strip().split("\n")[0]
            raise DataError(f"{source}: {first}") from None
    if loaded is None:
        loaded = Loaded(_nothing(written.names))
    return loaded, written.left_out


class _Rows:
    """Frames on their way into a spool."""

    def __init__(self, spool: Spool, target: str) -> None:
        self._spool, self._target = spool, target
        self.names: list[str] = []
        self.named: set[str] = set()  # columns that have a name or a value
        self.left_out = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Write the rows of a frame that have a target."""
        frame = without_empty_rows(frame)
        self.names = frame.columns
        self.named.update(
            one.name for one in frame.get_columns()
            if not _is_made_up(one.name) or one.null_count() < len(one)
        )  # fmt: skip
        name = self._target
        if name not in frame.columns and name.isdigit() and 0 < int(name) <= frame.width:
            name = frame.columns[int(name) - 1]
        if name in frame.columns:
            present = frame[name].is_not_null()
            if not present.all():
                self.left_out += int((~present).sum())
                frame = frame.filter(present)
        texts = [c.name for c in frame.get_columns() if c.dtype in (pl.Categorical, pl.String)]
        frame = frame.with_columns(pl.col(texts).cast(pl.String)) if texts else frame
        self._spool.write(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _is_made_up(name: str) -> bool:
    return name.startswith("column_") and name[7:].isdigit()


def _nothing(names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({name: [] for name in names})
