"""What changed from one version of a ranker to the next, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for
from sqlalchemy.orm import Session

from app.http.languages import translated
from app.sentences import message
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext
from app.services.scores.overview_parts import verdict_between
from app.services.scores.verdict_text import (
    change_range_sentence,
    change_title_of,
    gap_in_words,
    gap_of,
    keeping,
    names_of,
    next_step_sentence,
    signed_gap,
    verdict_word,
)
from app.services.scores.verdicts import PairVerdict
from app.services.scores.versions import Move, QuestionChange, VersionChanges, version_changes
from app.web.charts.axes import shorten
from app.web.charts.bars import share_bar
from app.web.compare.experts import Experts, experts_of
from app.web.compare.panel import VerdictPanel, verdict_panel
from app.web.numbers import decimal
from app.web.ranker_colours import ranker_colours

LONGEST = 90
MOST_MOVES = 4
MOST_LISTED = 100
"""Questions of one list; Compare has all of them, by pages."""


@dataclass(frozen=True)
class Changed:
    """One question whose score changed: `gap` and the scores agree, with one decimal where they must.

    `moves` are the first answers that moved, `more` counts the others.
    """

    text: str
    url: str
    gap: str
    old: str
    new: str
    moves: list[Move]
    more: int
    unrated: int


@dataclass(frozen=True)
class Against:
    """The same version against the one in production: the gap with its interval, the word, and its page."""

    name: str
    gap: str
    word: str
    url: str


@dataclass(frozen=True)
class ChangesPage:
    """Everything the template needs of a version that has one before it; it asks nobody anything."""

    panel: VerdictPanel
    new: RunFact
    old: RunFact
    against: Against | None
    in_production: str
    changes: VersionChanges
    better: list[Changed]
    worse: list[Changed]
    shares: list[tuple[str, float, float]]
    tone: int
    compare_url: str
    most_listed: int
    experts: Experts
    context: ScoringContext


def changes_page(session: Session, slug: str, current: ScoringContext, new: int, old: int) -> ChangesPage:
    """Return what the page of a version and the one before it shows, by their places."""
    between = verdict_between(current.evidence, new, old, current=current)
    context, pair = between.context, between.pair
    changes = version_changes(session, context, pair)
    tone = ranker_colours(current.evidence, current.board, [pair.first.ranker_id])[pair.first.ranker_id]
    production = current.evidence.production_run()
    marked = None if production is None else current.evidence.structure.runs[production].id
    keep = production == old and pair.verdict.word not in {"sure", "too early", "too close to call"}
    lines = [
        keeping(pair.second.version if keep else "", change_range_sentence(pair)),
        next_step_sentence(pair),
    ]
    panel = verdict_panel(
        session,
        slug,
        context,
        pair,
        title=_title(pair, changes),
        names=(pair.first.version, pair.second.version),
        tones=(tone, 0),
        lines=[] if changes.identical else lines,
    )
    return ChangesPage(
        panel=panel,
        new=pair.first,
        old=pair.second,
        against=None if production in {None, new, old} else _against(slug, current, new, production),
        in_production=next((run.version for run in (pair.first, pair.second) if run.id == marked), ""),
        changes=changes,
        better=[_changed(slug, one) for one in changes.better[:MOST_LISTED]],
        worse=[_changed(slug, one) for one in changes.worse[:MOST_LISTED]],
        shares=share_bar(len(changes.better), changes.same, len(changes.worse)),
        tone=tone,
        compare_url=url_for("compare.index", slug=slug, first=pair.first.id, second=pair.second.id),
        most_listed=MOST_LISTED,
        experts=experts_of(context, pair),
        context=context,
    )


def _title(pair: PairVerdict, changes: VersionChanges) -> str:
    if changes.identical:
        return message(
            "%(new)s gives the same answers as %(old)s.",
            new=f"{pair.first.ranker} {pair.first.version}",
            old=pair.second.version,
        )
    return change_title_of(pair)


def _against(slug: str, current: ScoringContext, new: int, production: int) -> Against:
    pair = verdict_between(current.evidence, new, production, current=current).pair
    return Against(
        name=names_of(current.evidence, pair.first, pair.second)[1],
        gap=translated(gap_in_words(pair)),
        word=translated(verdict_word(pair)).lower(),
        url=url_for("compare.index", slug=slug, first=pair.first.id, second=pair.second.id),
    )


def _changed(slug: str, one: QuestionChange) -> Changed:
    difference = one.found.difference
    digits = int(gap_of(one.new) - gap_of(one.old) != gap_of(difference))
    return Changed(
        text=shorten(one.found.text, LONGEST),
        url=url_for("queries.show", slug=slug, query_id=one.found.query_id),
        gap=signed_gap(difference) if gap_of(difference) else f"{'+' if difference > 0 else '−'}<1",
        old=_points(one.old, digits),
        new=_points(one.new, digits),
        moves=one.moves[:MOST_MOVES],
        more=len(one.moves) - len(one.moves[:MOST_MOVES]),
        unrated=one.unrated,
    )


def _points(score: float, digits: int) -> str:
    return decimal(f"{score * 100:.1f}") if digits else str(gap_of(score))
