"""Moments in UTC as the language of the page writes them; a script moves them to the reader's own zone."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache

from babel.dates import format_date, format_time

from app.http.languages import current_language
from app.services.translations import locale_of

DAYS_KEPT = 1000


def moment_in_words(moment: datetime, show: str = "both") -> str:
    """Return a moment in words; `show` is "date", "time", "both", "seconds" or "milliseconds"."""
    if show == "date":
        return day_in_words(moment.date())
    length = "medium" if show in {"seconds", "milliseconds"} else "short"
    time = format_time(moment, length, locale=locale_of(current_language()))
    if show == "milliseconds":
        time += f".{moment.microsecond // 1000:03}"
    return f"{time} UTC" if show == "time" else f"{day_in_words(moment.date())}, {time} UTC"


def day_in_words(day: date) -> str:
    """Return a day in words."""
    return _day(day, locale_of(current_language()))


# A chart writes a day beside each of its points.
@lru_cache(DAYS_KEPT)
def _day(day: date, locale: str) -> str:
    return format_date(day, "medium", locale=locale)
