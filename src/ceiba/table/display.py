"""Format column values as yes/no, ISO dates, durations or plain numbers."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from functools import lru_cache
from typing import Any

from ceiba.table.schema import Display

_EPOCH = datetime.datetime(1970, 1, 1)


def format_value(
    number: float, display: Display = "number", digits: int = 6, zone: str | None = None
) -> str:
    """Format a number by its display type; datetimes with a time zone include the UTC offset."""
    if number != number:
        return "missing"
    if display == "boolean" and number in (0.0, 1.0):
        return "yes" if number else "no"
    try:
        if display == "date" and number % 86400 == 0:
            return (_EPOCH + datetime.timedelta(seconds=number)).date().isoformat()
        if zone is not None:
            moment = (_EPOCH + datetime.timedelta(seconds=number)).replace(tzinfo=datetime.UTC)
            return moment.astimezone(load_zone(zone)).isoformat()
        if display in ("date", "datetime"):
            return (_EPOCH + datetime.timedelta(seconds=number)).isoformat()
        if display == "duration":
            return str(datetime.timedelta(seconds=number))
    except OverflowError:  # the date is outside the years 1 to 9999
        pass
    return f"{number:.{digits}g}"


@lru_cache(maxsize=32)
def load_zone(zone: str) -> datetime.tzinfo:
    """Return a time zone by name or offset, or UTC if it is not available on this machine."""
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d):?(\d\d)", zone)
    if offset:
        size = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return datetime.timezone(-size if offset[1] == "-" else size)
    try:
        return zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.UTC


def number_to_level(number: float, display: Display) -> Any:
    """Convert a number in a categorical column to its level: a bool, number or formatted time."""
    if display == "boolean" and number in (0.0, 1.0):
        return bool(number)
    if display == "number" or display == "boolean":
        return int(number) if number.is_integer() and abs(number) < 2**64 else number
    return format_value(number, display)
