"""Wins, ties and losses question by question, each with the link to its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import url_for

from app.services.comparison import QuestionDifference, question_differences, reason_for
from app.web.charts import (
    BarChart,
    Difference,
    ShareBar,
    difference_bars,
    difference_outlines,
    share_bar,
)
from app.web.charts.labels import shorten

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.comparison import Basis, PairVerdict

MOST_BARS = 200
"""Beyond so many each is too thin to be chosen: they are drawn as one shape, the list leads to questions."""
PAGE = 100
MOST_HELPED = 3
LONGEST = 90


@dataclass(frozen=True)
class Listed:
    """One question in a list: `points` is the size of its difference, in words, `reason` may be empty."""

    text: str
    url: str
    points: str
    winner: int
    reason: str = ""


@dataclass(frozen=True)
class Questions:
    """All questions of a comparison, counted, drawn and listed.

    Attributes
    ----------
    wins, ties, losses
        From the first version's side.
    wide, narrow
        One bar for each question, in order.
    linked
        Whether the bars lead to their questions.
    page, pages
        The page of the list, and how many there are.
    listed
        The questions of that page of the list, largest win first.
    helps
        Where the first helps most, and where the second does.
    """

    wins: int
    ties: int
    losses: int
    shares: ShareBar
    wide: BarChart
    narrow: BarChart
    linked: bool
    page: int
    pages: int
    listed: list[Listed]
    helps: tuple[list[Listed], list[Listed]]


def questions_of(
    session: Session, slug: str, basis: Basis, pair: PairVerdict, names: tuple[str, str], *, page: int = 1
) -> Questions:
    """Return the questions of a comparison, and a page of their list."""
    found = question_differences(session, basis, pair)
    wins = [one for one in found if one.outcome > 0]
    losses = [one for one in found if one.outcome < 0]
    ties = [one for one in found if not one.outcome]
    wide, narrow = _charts(slug, found, names)
    pages = -(-len(found) // PAGE) or 1
    page = min(max(page, 1), pages)
    return Questions(
        wins=len(wins),
        ties=len(ties),
        losses=len(losses),
        shares=share_bar(len(wins), len(ties), len(losses)),
        wide=wide,
        narrow=narrow,
        linked=len(found) <= MOST_BARS,
        page=page,
        pages=pages,
        listed=[_listed(slug, one) for one in found[(page - 1) * PAGE : page * PAGE]],
        helps=(
            _helped(slug, basis, pair, names, wins[:MOST_HELPED]),
            _helped(slug, basis, pair, names, losses[::-1][:MOST_HELPED]),
        ),
    )


def _charts(slug: str, found: list[QuestionDifference], names: tuple[str, str]) -> tuple[BarChart, BarChart]:
    if len(found) > MOST_BARS:
        points = [one.difference * 100 for one in found]
        return difference_outlines(points), difference_outlines(points, width=340, height=260)
    bars = [Difference(shorten(one.text, LONGEST), one.difference * 100, _url(slug, one)) for one in found]
    return difference_bars(bars, *names), difference_bars(bars, *names, width=340, height=260)


def _helped(
    slug: str, basis: Basis, pair: PairVerdict, names: tuple[str, str], found: list[QuestionDifference]
) -> list[Listed]:
    return [_listed(slug, one, reason_for(basis, pair, one.place, names)) for one in found]


def _listed(slug: str, one: QuestionDifference, reason: str = "") -> Listed:
    whole = int(abs(one.difference) * 100 + 0.5)
    points = str(whole) if whole else "less than 1"
    return Listed(shorten(one.text, LONGEST), _url(slug, one), points, one.outcome, reason)


def _url(slug: str, one: QuestionDifference) -> str:
    return url_for("queries.show", slug=slug, query_id=one.query_id)
