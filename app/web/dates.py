"""Moments in UTC as the language of the page writes them; a script moves them to the reader's own zone."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache

from app.http.languages import current_language
from app.services.translations import SOURCE

DAYS_KEPT = 1000
ENGLISH = {"both": "%-d %b %Y, %H:%M UTC", "date": "%-d %b %Y", "time": "%H:%M UTC"}


def moment_in_words(moment: datetime, show: str = "both") -> str:
    """Return a moment in words; `show` is "both", "date" or "time"."""
    language = current_language()
    if language == SOURCE:
        return moment.strftime(ENGLISH[show])
    from babel.dates import format_time

    day = _day(moment.date(), language)
    if show == "date":
        return day
    time = f"{format_time(moment, 'short', locale=language)} UTC"
    return f"{day}, {time}" if show == "both" else time


# A chart writes a day beside each of its points.
@lru_cache(DAYS_KEPT)
def _day(day: date, language: str) -> str:
    from babel.dates import format_date

    return format_date(day, "medium", locale=language)
