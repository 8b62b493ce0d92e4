"""Wins, ties and losses question by question, each with the link to its page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flask import url_for
from sqlalchemy.orm import Session

from app.http.languages import gettext as _
from app.http.languages import ngettext, translated
from app.scoring.intervals import mean_interval
from app.services.pages import Page, page_of
from app.services.scores.compare import QuestionDifference, question_differences, reason_for
from app.services.scores.context import ScoringContext, unrated_by_query
from app.services.scores.verdict_text import concentration_of, gap_of, with_ends
from app.services.scores.verdicts import PairVerdict
from app.web.charts.axes import shorten
from app.web.charts.bars import (
    BarChart,
    Difference,
    difference_bars,
    difference_outlines,
    share_bar,
)

MOST_BARS = 200
"""More bars are too thin to be clicked: they are drawn as one shape, and the list links to questions."""
EACH = 100
MOST_HELPED = 3
LONGEST = 90


@dataclass(frozen=True)
class ListedQuestion:
    """One question in a list.

    Attributes
    ----------
    points
        The size of its difference, in words.
    winner
        1: the first is better; -1: the second; 0: neither.
    unrated
        How many answers of the two nobody has rated: the one that is worse here may be better than it seems.
    reason
        Why, from a closed list; may be empty.
    """

    text: str
    url: str
    points: str
    winner: int
    unrated: int
    reason: str = ""


@dataclass(frozen=True)
class Heaviest:
    """The question that makes up much of the lead, and what the gap is without it.

    `first` says whether its bar is the first; else it is the last.
    """

    text: str
    url: str
    first: bool


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
    listed
        The questions of that page of the list, largest win first.
    helps
        Where the first leads most, and where the second does.
    heaviest
        The question that carries the lead, where one does.
    """

    wins: int
    ties: int
    losses: int
    shares: list[tuple[str, float, float]]
    wide: BarChart
    narrow: BarChart
    linked: bool
    page: Page
    listed: list[ListedQuestion]
    helps: tuple[list[ListedQuestion], list[ListedQuestion]]
    heaviest: Heaviest | None


def questions_of(
    session: Session,
    slug: str,
    context: ScoringContext,
    pair: PairVerdict,
    names: tuple[str, str],
    *,
    page: int = 1,
) -> Questions:
    """Return the questions of a comparison, and a page of their list."""
    found = question_differences(session, context, pair)
    wins = [one for one in found if one.outcome > 0]
    losses = [one for one in found if one.outcome < 0]
    ties = [one for one in found if not one.outcome]
    unrated = unrated_by_query(context, pair.rows).tolist()
    wide, narrow = _charts(slug, found, names, unrated)
    shown = page_of(len(found), page, EACH)

    def helps(some: list[QuestionDifference]) -> list[ListedQuestion]:
        return [
            _listed(slug, one, unrated[one.place], translated(reason_for(context, pair, one.place, names)))
            for one in some[:MOST_HELPED]
        ]

    return Questions(
        wins=len(wins),
        ties=len(ties),
        losses=len(losses),
        shares=share_bar(len(wins), len(ties), len(losses)),
        wide=wide,
        narrow=narrow,
        linked=len(found) <= MOST_BARS,
        page=shown,
        listed=[_listed(slug, one, unrated[one.place]) for one in found[shown.rows]],
        helps=(helps(wins), helps(losses[::-1])),
        heaviest=_heaviest(slug, context, pair, names),
    )


def _charts(
    slug: str, found: list[QuestionDifference], names: tuple[str, str], unrated: list[int]
) -> tuple[BarChart, BarChart]:
    if len(found) > MOST_BARS:
        points = [one.difference * 100 for one in found]
        return difference_outlines(points), difference_outlines(points, width=340, height=260)
    bars = [
        Difference(
            shorten(one.text, LONGEST),
            one.difference * 100,
            _url(slug, one),
            ngettext("%(num)s answer unrated", "%(num)s answers unrated", unrated[one.place])
            if unrated[one.place]
            else "",
        )
        for one in found
    ]
    return difference_bars(bars, *names), difference_bars(bars, *names, width=340, height=260)


def _heaviest(
    slug: str, context: ScoringContext, pair: PairVerdict, names: tuple[str, str]
) -> Heaviest | None:
    heavy = concentration_of(context, pair)
    if heavy is None:
        return None
    others = np.flatnonzero(pair.queries)
    others = others[others != heavy.place]
    is_second = pair.verdict.leads < 0
    name = names[is_second]
    first, second = pair.rows[::-1] if is_second else pair.rows
    rest = mean_interval(context.values[first, others] - context.values[second, others], clip=None)
    without = translated(with_ends(rest.mean, rest.low, rest.high))
    return Heaviest(
        _("Lead of %(name)s without its best question: %(gap)s", name=name, gap=without),
        url_for("queries.show", slug=slug, query_id=int(context.evidence.structure.query_id[heavy.place])),
        first=pair.verdict.leads < 0,
    )


def _listed(slug: str, one: QuestionDifference, unrated: int, reason: str = "") -> ListedQuestion:
    points = str(abs(gap_of(one.difference))) if gap_of(one.difference) else _("less than 1")
    return ListedQuestion(shorten(one.text, LONGEST), _url(slug, one), points, one.outcome, unrated, reason)


def _url(slug: str, one: QuestionDifference) -> str:
    return url_for("queries.show", slug=slug, query_id=one.query_id)
