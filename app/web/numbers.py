"""Numbers as experts read them, for templates: a page calls these at every rating, and macros are slower."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

LEAST_P = 0.0001


def plain(value: float | None, digits: int = 3) -> str:
    """Return a number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def chance(p: float | None) -> str:
    """Return a P to four decimals with its sign of equality; it is never 0."""
    if p is None:
        return "–"
    return f"= {p:.4f}" if p >= LEAST_P else f"< {LEAST_P}"


def signed(value: float | None, digits: int = 3) -> str:
    """Return a difference with its sign, a real minus included; rounded to 0 it has none."""
    if value is None:
        return "–"
    text = f"{value:+.{digits}f}"
    text = text[1:] if not float(text) else text.replace("-", "−")
    return Markup(f'<span class="ltr nowrap">{text}</span>')  # noqa: S704 - a number


def between(low: float | None, high: float | None, write: Callable[[float | None], str] = plain) -> str:
    """Return an interval, or one number where both ends are written alike."""
    if low is None:
        return "–"
    ends = write(low), write(high)
    return ends[0] if ends[0] == ends[1] else Markup(f"{ends[0]} to {ends[1]}")  # noqa: S704 - two numbers
