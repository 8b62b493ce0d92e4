"""Moments in UTC as the language of the page writes them; a script moves them to the reader's own zone."""

from __future__ import annotations

from datetime import datetime

from app.http.languages import current_language
from app.services.translations import SOURCE

ENGLISH = {"both": "%-d %b %Y, %H:%M UTC", "date": "%-d %b %Y", "time": "%H:%M UTC"}


def moment_in_words(moment: datetime, show: str = "both") -> str:
    """Return a moment in words; `show` is "both", "date" or "time"."""
    language = current_language()
    if language == SOURCE:
        return moment.strftime(ENGLISH[show])
    from babel.dates import format_date, format_time

    day = format_date(moment, "medium", locale=language)
    time = f"{format_time(moment, 'short', locale=language)} UTC"
    return {"both": f"{day}, {time}", "date": day, "time": time}[show]
