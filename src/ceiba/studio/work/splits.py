"""Convert splits between JSON objects, text conditions and Python code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ceiba.errors import CeibaError, OptionError
from ceiba.table import Schema
from ceiba.tree import Cut, Intervals, LevelSets, Presence
from ceiba.tree.splits import ALL_DIGITS, Split, level_text, parse_split


def split_from_json(form: Any, schema: Schema) -> Any:
    """Convert JSON to an argument of `set_split`: a text condition if possible, else a split."""
    if isinstance(form, str):
        return form
    if not isinstance(form, dict) or not isinstance(form.get("column"), str):
        raise OptionError(f'split must be a condition or a dict with a key "column", got {form!r}.')
    info = schema.columns[schema.index(form["column"])]
    split = _parse_split(form, info)
    missing = form.get("missing")
    if missing is not None and (isinstance(missing, bool) or not isinstance(missing, int)):
        raise OptionError(f"missing must be a branch number, got {missing!r}.")
    sentence = _format_sentence(split, schema, missing)
    if sentence is not None:
        return sentence
    if missing is not None:
        raise OptionError(f'"missing" is not supported for the split {form!r}. Omit it.')
    return split


def split_to_json(split: Split, schema: Schema) -> dict[str, Any]:
    """Return a split as a JSON object."""
    if isinstance(split, Cut):
        return {"column": split.column, "cut": split.cut}
    if isinstance(split, Intervals):
        alone = {"missing_branch": True} if split.missing_branch else {}
        return {"column": split.column, "cuts": list(split.cuts), **alone}
    if isinstance(split, Presence):
        return {"column": split.column, "presence": True}
    codes = schema.columns[schema.index(split.column)].codes
    return {
        "column": split.column,
        "branches": [[codes[level] for level in group] for group in split.branches],
    }


def value_to_python(value: Any) -> str:
    """Format an argument of a model's method as Python code."""
    return f"ceiba.tree.{value!r}" if isinstance(value, Split) else repr(value)


def _parse_split(form: dict[str, Any], info: Any) -> Split:
    column = info.name
    if "cut" in form:
        return Cut(column, _parse_number(form["cut"]))
    if "cuts" in form:
        numbers = parse_cuts(form["cuts"])
        alone = form.get("missing_branch") is True
        is_cut = len(numbers) + alone < 2
        return Cut(column, numbers[0]) if is_cut else Intervals(column, numbers, alone)
    if form.get("presence") is True:
        return Presence(column)
    if "branches" in form:
        groups = _check_groups(form["branches"])
        return LevelSets(column, tuple(_find_levels(group, info) for group in groups))
    raise OptionError(
        f'split must have one of the keys "cut", "cuts", "branches" and "presence", got {form!r}.'
    )


def parse_cuts(cuts: Any) -> tuple[float, ...]:
    """Check a list of cuts and return it as numbers."""
    if not isinstance(cuts, list) or not 1 <= len(cuts) <= 1000:
        raise OptionError(f"cuts must be a list of 1 to 1000 numbers, got {cuts!r}.")
    return tuple(_parse_number(cut) for cut in cuts)


def _parse_number(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not abs(value) < float("inf"):
        raise OptionError(f"Cuts must be finite numbers, got {value!r}.")
    return float(value)


def _check_groups(groups: Any) -> list[list[Any]]:
    lists = isinstance(groups, list) and all(isinstance(group, list) and group for group in groups)
    if not lists or not groups:
        raise OptionError(f"branches must be non-empty lists of level codes, got {groups!r}.")
    flat = [code for group in groups for code in group]
    if len(set(map(str, flat))) < len(flat):
        raise OptionError(f"branches must contain each level code at most once, got {groups!r}.")
    return list(groups)


def _find_levels(group: list[Any], info: Any) -> tuple[Any, ...]:
    for code in group:
        is_integer = isinstance(code, int) and not isinstance(code, bool)
        if not is_integer or not 0 <= code < info.n_levels:
            raise OptionError(
                f"branches must contain only level codes of {info.name!r} (0 to "
                f"{info.n_levels - 1}), got {code!r}."
            )
    return tuple(info.levels[code] for code in group)


def _format_sentence(split: Split, schema: Schema, missing: int | None) -> str | None:
    """Return a text condition from which `parse_split` restores this split, or None."""
    for parts in _spellings(split, schema):
        if missing is not None:
            last = max(len(parts), 2) - 1
            if not 0 <= missing <= last:
                raise OptionError(f"missing must be a branch from 0 to {last}, got {missing}.")
            if missing >= len(parts):
                continue
            parts[missing] += " or missing"
        text = " | ".join(parts)
        try:
            read = parse_split(text, {info.name: info for info in schema.columns})
        except CeibaError:
            continue
        if read.split == split and read.missing == missing:
            return text
    return None


def _spellings(split: Split, schema: Schema) -> list[list[str]]:
    """Return ways to write a split as a list of branch conditions, shortest first."""
    name = split.column
    if isinstance(split, Presence):
        return [[f"{name} is present", f"{name} is missing"]]
    if isinstance(split, LevelSets):
        groups = [[level_text(level) for level in group] for group in split.branches]
        sentences = [
            f"{name} = {group[0]}" if len(group) == 1 else f"{name} in {{{', '.join(group)}}}"
            for group in groups
        ]
        return [sentences]
    spellings = []
    exact = replace(split, digits=ALL_DIGITS)
    for display_schema in (schema, None):  # first write dates as text, then as numbers
        sentences = [exact.sentence(branch, display_schema) for branch in range(split.n_branches)]
        spellings += [sentences[:1], sentences] if isinstance(split, Cut) else [sentences]
    return spellings
