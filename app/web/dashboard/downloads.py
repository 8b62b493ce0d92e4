"""The history as files: the chart as it is drawn, and the numbers behind it."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from flask import Response, render_template, request

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.services.comparison import basis_of
from app.services.evidence import evidence_of
from app.services.exports import export_history
from app.services.overview import leaderboard_of
from app.web.charts.paint import painted
from app.web.dashboard import blueprint
from app.web.dashboard.choice import choice_from
from app.web.dashboard.history_card import HistoryCard, history_card
from app.web.dashboard.page import page_of

if TYPE_CHECKING:
    from app.services.rulers import RulerValues

EVENT_HEIGHT = 18
LINE_LENGTH = 105
MEANINGS = {
    "today": "Same ratings: every version with today’s ratings",
    "then": "As we saw it: the ratings, versions and settings of each moment",
    "growth": "As ratings came in: one version, inside what unrated answers could change",
}


@blueprint.get("/p/<slug>/overview/history.svg")
@allow(Access.READ)
def history_svg(slug: str) -> Response:
    """Return the chart as a drawing that needs nothing else."""
    card, ruler, revision = _card(slug)
    place = current_place()
    drawing = render_template(
        "dashboard/history.svg",
        card=card,
        project=place.project,
        meaning=MEANINGS[card.choice.view],
        measure=f"{ruler.name}, settings {ruler.fingerprint[:12]}, revision {revision}",
        line=EVENT_HEIGHT,
        paint=painted,
        unnamed=_unnamed(card),
    )
    return _attachment(drawing, slug, "svg", "image/svg+xml")


@blueprint.get("/p/<slug>/overview/history.csv")
@allow(Access.READ)
def history_csv(slug: str) -> Response:
    """Return the points of the chart as a table."""
    card, _, _ = _card(slug)
    is_demo = current_place().project.is_demo
    return _attachment("".join(export_history(card.history, is_demo=is_demo).lines), slug, "csv", "text/csv")


def _card(slug: str) -> tuple[HistoryCard, RulerValues, int]:
    """Return the card that the address asks for, with the ruler and the revision of its numbers."""
    project_id = current_place().project.id
    close_read_session()
    evidence = evidence_of(database(), project_id)
    standing = leaderboard_of(evidence, basis_of(evidence))
    card = history_card(read_session(), evidence, standing, choice_from(request.args), page_of(slug))
    return card, evidence.ruler_at(), evidence.revision


def _unnamed(card: HistoryCard) -> list[str]:
    """Return lines that name what has no name beside its line; a file has no table behind it."""
    names = [f"{head.name} {head.now}" for head in card.chart.heads if not head.named]
    return wrap(f"In grey: {', '.join(names)}", LINE_LENGTH) if names else []


def _attachment(body: str, slug: str, ending: str, mimetype: str) -> Response:
    response = Response(body, mimetype=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-history.{ending}"'
    return response
