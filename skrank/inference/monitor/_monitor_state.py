"""Days of a monitor, and the state that continues it.

A day has one text, in whichever type and spelling it is given. A state must be of the
same monitor, and as it was written.
"""

from __future__ import annotations

import datetime
import math
import re
import zlib
from calendar import monthrange
from collections.abc import Mapping, Sequence
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from skrank._utils._checks import invalid, is_real, is_whole, real_number
from skrank._utils._columns import plain_value
from skrank._utils._text import brief
from skrank.ranking._input import MISSING

#: Version of the entries of a state and of their meaning.
_SCHEMA = 2
#: Entries of a state with a number for each day: what a day is, and all.
OF_VALUES = ("values", "n_samples", "n_targets")
OF_DAYS = ("labels", "log10_evidences", *OF_VALUES)
#: Entries of a state beside the version and the settings of the monitor.
_ENTRIES = (*OF_DAYS, "logs", "n_counted")
# sign, whole number, and decimals, without zeros at both ends
_NUMBER = re.compile(r"([+-]?)0*(?=\d|\.\d)(\d*)(?:\.(\d*?)0*)?", re.ASCII)
# time of a day, and what is left out: the time zone, and the end of a period
_TIME = (
    r"(?:[T ](?P<minute>\d\d:\d\d)(?P<second>:\d\d)?(?:\.(?P<part>\d*?)0*)?"
    r"(?:Z|[+-]\d\d(?::?\d\d)?)?)?(?:/\d{4}-\d\d.*)?"
)
_DATES = [
    re.compile(one + _TIME, re.ASCII | re.IGNORECASE)
    for one in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?:(?P=mark)(?P<day>\d\d?))?",
        r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})",
        r"(?P<year>(?!0000)\d{4})-?W(?P<week>\d\d?)(?:-?(?P<day>[1-7]))?",
    )
]
# dates whose order of day and month, or whose century, is not known
_UNCLEAR = re.compile(r"\d\d?([-/.])\d\d?\1(\d{4}|\d\d)([T ]\d.*)?", re.ASCII)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(T.*)?", re.ASCII)


def day_text(label: Any, name: str) -> str:
    """Return the text of a day, which is the same in every type and spelling.

    A time zone is left out: the day is that which is written. A month, a week or
    another period is its first day.
    """
    if isinstance(label, np.datetime64):
        label = label.astype("M8[us]").item()  # nanoseconds would be a number
    label = plain_value(label)
    label = getattr(label, "start_time", label)  # of a Period of pandas
    text = ""
    if isinstance(label, str):
        text = label.strip()
    elif isinstance(label, datetime.date):
        text = label.isoformat()
    elif is_whole(label):
        text = str(int(label))
    elif is_real(label) and math.isfinite(label):
        text = f"{Decimal(str(real_number(label))):f}"
    if text in (*MISSING, "NaT"):
        raise invalid(name, "be a number, a date or a text, none missing", brief(label))
    if number := _NUMBER.fullmatch(text):
        sign, whole, part = number.groups("")
        found = (whole or "0") + f".{part}" * (part != "")
        return "-" * (sign == "-" and found != "0") + found
    dates = [date for one in _DATES if (date := one.fullmatch(text))]
    found = text if not _UNCLEAR.fullmatch(text) else ""
    if dates:
        found = _date_text(dates[0].groupdict(""))
    if not found:
        rule = "be dates that exist with the year first, as '2026-01-31', or 31.01.2026"
        raise invalid(name, rule, brief(text))
    return found


def _date_text(found: Mapping[str, str]) -> str:
    """Return the text of a date by its parts, and none if there is no such date."""
    year, day = int(found["year"]), int(found["day"] or 1)
    if week := int(found.get("week", 0)):
        if week > datetime.date(year, 12, 28).isocalendar().week:
            return ""
        text = datetime.date.fromisocalendar(year, week, day).isoformat()
    else:
        month = int(found.get("month", 0))
        if not (1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
            return ""
        text = f"{year:04}-{month:02}-{day:02}"
    time = f"T{found['minute']}{found['second'] or ':00'}"
    time += f".{found['part']}" * (found["part"] != "")
    return f"{text}{time * (time not in ('T:00', 'T00:00:00'))}"


def is_number(text: str) -> bool:
    """Return whether the text of a day is a number."""
    return _NUMBER.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether the text of a day is a date."""
    return _ISO.fullmatch(text) is not None


def is_before(day: str, other: str) -> bool:
    """Return whether a day is before another one, by numbers or by dates."""
    if is_number(day) and is_number(other):
        return Fraction(day) < Fraction(other)
    return is_date(day) and is_date(other) and day < other


def in_order(days: Sequence[str], name: str, before: Sequence[str]) -> list[int]:
    """Return the order of days by their texts, which are of one kind, as those before.

    Other texts than numbers and dates have no order that is known.
    """
    every = [*before[:1], *days]
    kinds = ["number" if is_number(one) else "date" * is_date(one) for one in every]
    for one, kind in zip(every, kinds, strict=True):
        if kind != kinds[0]:
            rule = "contain days of one kind: numbers, dates as '2026-01-31', or others"
            raise invalid(name, rule, f"{brief(one)} beside {brief(every[0])}")
    if len(days) > 1 and not kinds[0]:
        rule = "be numbers, dates, or texts as '2026-01-31', whose order is known"
        advice = "Or give the days to `update`, one after another."
        raise invalid(name, rule, brief(days[0]), advice)
    keys: Any = [*map(Fraction, days)] if kinds[0] == "number" else days
    return sorted(range(len(days)), key=keys.__getitem__)


def as_state(settings: dict[str, Any], **entries: Any) -> dict[str, Any]:
    """Return a state for JSON, with a checksum of all that it holds."""
    state = {"schema": _SCHEMA, **deepcopy(settings), **entries}
    return {**state, "checksum": _checksum(state)}


def check_state(state: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a state of the monitor with these settings.

    The checksum tells whether anything was changed, lost or moved: entries of other
    days, numbers that are not finite, sums that do not fit their terms. Names that no
    state has are ignored.
    """
    if not isinstance(state, Mapping):
        raise _refused(brief(state))
    for name in ("schema", *settings, *_ENTRIES, "checksum"):
        if name not in state:
            raise _refused(f"a state without {name!r}, as of another version")
    for name, value in {"schema": _SCHEMA, **settings}.items():
        if repr(_exact(state[name])) != repr(_exact(value)):
            got = f"`state[{name!r}]` = {brief(state[name])} in place of {brief(value)}"
            raise _refused(got)
    entries = {name: state[name] for name in _ENTRIES}
    expected = _checksum({"schema": _SCHEMA, **settings, **entries})
    if repr(_exact(state["checksum"])) != repr(_exact(expected)):
        raise _refused("a `state` that was modified: its checksum does not match")
    return entries


def _checksum(state: Mapping[str, Any]) -> int:
    """Return a sum over the names and values of a state, up to their JSON spelling."""
    return zlib.crc32(repr(sorted(_exact([*state.items()]))).encode())


def _exact(value: Any) -> Any:
    """Return a value in which equal numbers, and lists and tuples, print the same."""
    if isinstance(value, list | tuple):
        return [*map(_exact, value)]
    return real_number(value) + 0.0 if is_real(value) else value  # -0.0 is 0.0


def _refused(got: str) -> ValueError:
    rule = "be the result or the state of this monitor"
    return invalid("previous", rule, got)
