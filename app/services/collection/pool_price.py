"""What rating a pool costs, said before it exists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Run
from app.scoring.arrays import Flags, Ints
from app.sentences import (
    SECONDS_EACH,
    Message,
    message,
    no_text_message,
    number_message,
    time_to_rate,
    together,
)
from app.services.bulk import batches, read_integers
from app.services.collection.pool import Places, pairs_of, pool_places, with_merged
from app.services.current_judgments import is_graded

DEPTHS = (5, 10, 20, 50)


@dataclass(frozen=True)
class DepthPrice:
    """A pool of one depth: how many answers without a rating, and how many ratings each of them is to get.

    `textless` are those of the answers that have no text: nobody can rate them, so they take no time.
    """

    depth: int
    answers: int
    each: int = 1
    textless: int = 0

    @property
    def time(self) -> Message:
        """How long all ratings take, in words."""
        return time_to_rate((self.answers - self.textless) * self.each)

    @property
    def count(self) -> Message:
        """How many answers, in words: not all that the project has, and once for each question."""
        return number_message("%(num)s answer to rate", "%(num)s answers to rate", self.answers)


@dataclass(frozen=True)
class PoolPrice:
    """The price of a project's pool at its depth and at others.

    Attributes
    ----------
    rankers
        How many rankers have an active run, the one to come included; known answers and probes are none.
    chosen
        At the project's depth.
    others
        At other depths, ascending.
    included
        Which ratings beyond the first of each answer the times hold, or leave out, in words; empty where
        there are none.
    """

    rankers: int
    runs: int
    chosen: DepthPrice
    others: tuple[DepthPrice, ...]
    included: str

    @property
    def sentence(self) -> str:
        """The price as one sentence, with what the pool is made of."""
        lists = number_message("%(num)s ranker.", "%(num)s rankers.", self.rankers)
        if self.runs != self.rankers:
            lists = number_message(
                "%(num)s ranker (%(of)s versions).",
                "%(num)s rankers (%(of)s versions).",
                self.rankers,
                of=self.runs,
            )
        return together(lists, self.answers)

    @property
    def answers(self) -> str:
        """The price without the number of rankers: it is not known before a file is said to be of one."""
        textless, depth, answers = self.chosen.textless, self.chosen.depth, self.chosen.count
        if textless and textless == self.chosen.answers:
            found = message("Depth %(depth)s: %(answers)s.", depth=depth, answers=answers)
            return together(found, no_text_message(textless))
        first = message(
            "Depth %(depth)s: %(answers)s, %(time)s for one person at %(of)s seconds each%(included)s.",
            depth=depth,
            answers=answers,
            time=self.chosen.time,
            of=SECONDS_EACH,
            included=self.included if self.chosen.answers else "",
        )
        more = (
            message(
                "Depth %(depth)s: %(answers)s, %(time)s.", depth=one.depth, answers=one.count, time=one.time
            )
            for one in self.others
        )
        return together(first, *more, no_text_message(textless) if textless else "")


def price_of_pool(
    session: Session,
    project: Project,
    *,
    coming: Places | None = None,
    coming_ranker: int | None = None,
    depths: tuple[int, ...] = DEPTHS,
) -> PoolPrice:
    """Return what the pool of the active runs costs, with the top documents of a run to come.

    Parameters
    ----------
    coming
        The places of a run that is not published yet, at least as deep as the deepest depth asked for.
    coming_ranker
        The number of its ranker, None for a new one.
    """
    deepest = max(*depths, project.pool_depth)
    places = pool_places(session, project.id, deepest)
    rankers, runs = _active(session, project.id)
    if coming is not None:
        places = places.joined(coming.only(coming.rank <= deepest))
        rankers, runs = rankers | {coming_ranker or 0}, runs + 1
    places = with_merged(session, project.id, places)
    reached, silent = int(places.rank.max(initial=0)), without_text(session, project.id, places.document)
    rated = np.isin(places.key, _rated_pairs(session, project.id))
    shown = [depth for depth in depths if depth != project.pool_depth and depth <= reached]
    return PoolPrice(
        rankers=len(rankers),
        runs=runs,
        chosen=_price(project, places.only(~rated), silent[~rated], project.pool_depth),
        others=tuple(_price(project, places.only(~rated), silent[~rated], depth) for depth in shown),
        included=more_ratings(project),
    )


def _rated_pairs(session: Session, project_id: int) -> Ints:
    """Return the pairs that somebody has graded, under the documents that represent merged ones."""
    columns = (Candidate.query_id, Candidate.document_id)
    rows = read_integers(session, select(*columns).where(Candidate.project_id == project_id, is_graded()), 2)
    key = np.unique(pairs_of(rows[:, 0], rows[:, 1]))
    return with_merged(session, project_id, Places(key, np.ones(len(key), dtype=np.int16))).key


def ratings_each(project: Project) -> int:
    """Return how many ratings every answer is to get; second ratings of a share come on top.

    So the same number of answers takes the same time everywhere.
    """
    return project.overlap


def more_ratings(project: Project) -> str:
    """Return which ratings beyond the first a time holds or leaves out, as the end of a sentence."""
    if project.overlap >= 2:
        return message(", %(n)s ratings for each answer", n=project.overlap)
    if project.share_twice > 0:
        return message(
            ", without the second rating that about %(share)s %% of them get",
            share=f"{project.share_twice * 100:g}",
        )
    return ""


def _price(project: Project, places: Places, silent: Flags, depth: int) -> DepthPrice:
    held = places.rank <= depth
    return DepthPrice(
        depth, int(np.count_nonzero(held)), ratings_each(project), int(np.count_nonzero(held & silent))
    )


def without_text(session: Session, project_id: int, document: Ints) -> Flags:
    """Return which of some documents have no text; one that is not stored yet has none."""
    mine = Document.project_id == project_id
    empty = session.scalars(select(Document.id).where(mine, Document.content_hash.is_(None))).all()
    newest = session.scalar(select(func.max(Document.id)).where(mine)) or 0
    return np.isin(document, np.array(empty, dtype=np.int64)) | (document > newest)


def _active(session: Session, project_id: int) -> tuple[set[int], int]:
    rows = session.execute(
        select(Run.ranker_id, func.count())
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project_id, Run.state == "published", Ranker.kind == "system")
        .group_by(Run.ranker_id)
    ).all()
    return {ranker for ranker, _ in rows}, sum(count for _, count in rows)


class PoolRated(NamedTuple):
    """Answers in the pool, and those of them that somebody has graded."""

    pooled: int
    rated: int


def pool_rated(session: Session, project_id: int) -> PoolRated:
    """Return how many answers of active queries are in the pool, and how many of them are rated."""
    pooled = (
        select(func.count())
        .select_from(Candidate)
        .join(Query, Query.id == Candidate.query_id)
        .where(Candidate.project_id == project_id, Candidate.in_pool.is_(True))
        .where(Query.retired_revision.is_(None))
    )
    return PoolRated(session.scalar(pooled) or 0, session.scalar(pooled.where(is_graded())) or 0)


def count_rated(session: Session, candidate_ids: Sequence[int]) -> int:
    """Return how many of some answers somebody has graded."""
    graded = select(func.count()).select_from(Candidate).where(is_graded())
    return sum(session.scalar(graded.where(Candidate.id.in_(some))) or 0 for some in batches(candidate_ids))
