"""Numbers as experts read them, for templates: a page calls these at every rating, and macros are slower."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from markupsafe import Markup

from app.http.languages import current_language
from app.http.languages import gettext as _
from app.scoring.intervals import MeanInterval
from app.services.scores.verdict_text import printed_score
from app.services.translations import SOURCE

LEAST_P = 0.0001


def decimal(number: str) -> str:
    """Return an English number with the decimal sign of the page's language."""
    return number.replace(".", _decimal_sign(current_language())) if "." in number else number


@cache
def _decimal_sign(language: str) -> str:
    from babel.numbers import get_decimal_symbol

    return "." if language == SOURCE else get_decimal_symbol(language)


def shown_score(score: float | None) -> str:
    """Return a score from 0 to 100 as pages show it; a dash without one."""
    return decimal(printed_score(score, 1))


def plain(value: float | None, digits: int = 3) -> str:
    """Return a number, or a dash where there is none."""
    return "–" if value is None else decimal(f"{value:.{digits}f}")


def chance(p: float | None) -> str:
    """Return a P to four decimals with its sign of equality; it is never 0."""
    if p is None:
        return "–"
    return decimal(f"= {p:.4f}" if p >= LEAST_P else f"< {LEAST_P}")


def signed(value: float | None, digits: int = 3) -> str:
    """Return a difference with its sign, a real minus included; rounded to 0 it has none."""
    if value is None:
        return "–"
    text = f"{value:+.{digits}f}"
    text = decimal(text[1:] if not float(text) else text.replace("-", "−"))
    return Markup(f'<span class="ltr nowrap">{text}</span>')  # noqa: S704 - a number


def between(low: float | None, high: float | None, write: Callable[[float | None], str] = plain) -> str:
    """Return an interval, or one number where both ends are written alike."""
    if low is None:
        return "–"
    ends = write(low), write(high)
    if ends[0] == ends[1]:
        return ends[0]
    return Markup(_("%(low)s to %(high)s", low=ends[0], high=ends[1]))  # noqa: S704 - two numbers


def spread(interval: MeanInterval, write: Callable[[float | None], str] = plain) -> str:
    """Return a score's interval; a dash where it has no width: all questions have one score."""
    return "–" if interval.low == interval.high else between(interval.low, interval.high, write)
