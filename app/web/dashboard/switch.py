"""The switch of the overview: another measure, or the questions of one tag."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from flask import url_for

from app.services.overview import (
    Leaderboard,
    OtherView,
    leaderboard_of,
    measure_of,
    offered_measures,
    other_board,
    other_view,
    tagged_queries,
    tags_of,
)
from app.web.dashboard.choice import Choice
from app.web.dashboard.history_card import HistoryCard, history_card
from app.web.dashboard.score_rows import ScoreRows, other_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.measures import Asked
    from app.services.comparison import Basis

LONGEST = 200


@dataclass(frozen=True)
class Switch:
    """What can be chosen, and what is.

    Attributes
    ----------
    usual
        The project's own measure.
    asked, tag
        What is chosen; None and empty for the usual view.
    unknown
        A measure of the address that is none.
    """

    usual: str
    measures: list[str]
    tags: list[str]
    asked: Asked | None
    tag: str
    unknown: str

    @property
    def measure(self) -> str:
        """The label of the chosen measure; empty for the project's own."""
        return self.asked.label if self.asked else ""

    @property
    def title(self) -> str:
        """What is shown, in short."""
        return f"{self.measure or self.usual}{f', {self.tag}' if self.tag else ''}"

    @property
    def is_usual(self) -> bool:
        """Whether nothing is chosen."""
        return self.asked is None and not self.tag


@dataclass(frozen=True)
class OtherPage:
    """The overview in another measure, or on the questions of a tag."""

    standing: Leaderboard
    view: OtherView
    shown: ScoreRows
    history: HistoryCard
    switch: Switch

    @property
    def title(self) -> str:
        """What the page shows."""
        what = self.switch.measure or self.switch.usual
        return f"Scores in {what}{f' for “{self.switch.tag}”' if self.switch.tag else ''}"


def switch_of(session: Session, basis: Basis, arguments: Mapping[str, str]) -> Switch:
    """Return what an address asks for; what it says wrongly is as if it were not said."""
    ruler = basis.board.ruler
    usual = basis.board.headline.replace("nDCG", "NDCG")
    named = arguments.get("measure", "").strip()[:LONGEST]
    asked = measure_of(named) if named else None
    if asked is not None and asked.label.lower() == usual.lower():
        asked = None
    measures = offered_measures(ruler.k)
    if asked is not None and asked.label.lower() not in {one.lower() for one in measures}:
        measures = [*measures, asked.label]
    tags = tags_of(session, basis.evidence)
    tag = arguments.get("tag", "")
    unknown = named if named and measure_of(named) is None else ""
    return Switch(usual, measures, tags, asked, tag if tag in tags else "", unknown)


def other_page(session: Session, project: Project, basis: Basis, switch: Switch) -> OtherPage:
    """Return the page of a choice that is not the usual one."""
    evidence = basis.evidence
    standing = leaderboard_of(evidence, basis)
    asked = switch.asked or measure_of(basis.board.headline)
    if asked is None:
        raise ValueError("the project's own measure is a measure")
    queries = tagged_queries(session, evidence, switch.tag) if switch.tag else None
    view = other_view(session, evidence, standing, asked, queries)
    return OtherPage(
        standing=standing,
        view=view,
        shown=other_rows(standing, project.slug, view),
        history=history_card(
            session,
            evidence,
            standing,
            Choice(),
            partial(url_for, "dashboard.overview", slug=project.slug),
            scored=lambda places: other_board(session, evidence, places, asked, queries),
        ),
        switch=switch,
    )
