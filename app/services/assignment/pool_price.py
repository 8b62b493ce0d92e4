"""What rating a pool costs, in words: the same on every page, and before a run to come is imported."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.project import Project
from app.models.ranker import Ranker
from app.models.run import Run
from app.sentences import (
    SECONDS_EACH,
    Message,
    message,
    no_text_message,
    not_rated_message,
    number_message,
    time_to_rate,
    together,
)
from app.services.assignment.cost import FinishPrice, finishing_of
from app.services.assignment.wanted import ratings_expected
from app.services.collection.pool import Places
from app.services.evidence.state import Evidence

DEPTHS = (5, 10, 20, 50)


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
        At other depths, ascending; none is below the cutoff of the score.
    share_twice
        The share of the answers that gets a second rating.
    """

    rankers: int
    runs: int
    chosen: FinishPrice
    others: tuple[FinishPrice, ...]
    share_twice: float

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
        silent = no_text_message(self.chosen.textless, self.chosen.missing_texts)
        left = left_to_rate(self.chosen, self.share_twice)
        return together(left, *map(_at_depth, self.others), silent if self.chosen.textless else "")


def _at_depth(price: FinishPrice) -> Message:
    """Return what another depth costs."""
    values = {"depth": price.depth, "time": price.time}
    if price.is_estimate:
        return number_message(
            "At depth %(depth)s: about %(num)s rating, %(time)s.",
            "At depth %(depth)s: about %(num)s ratings, %(time)s.",
            price.ratings,
            **values,
        )
    return number_message(
        "At depth %(depth)s: %(num)s rating, %(time)s.",
        "At depth %(depth)s: %(num)s ratings, %(time)s.",
        price.ratings,
        **values,
    )


def _still_needed(price: FinishPrice) -> Message:
    """Return how many ratings are needed where answers wait for one."""
    if price.is_estimate:
        return number_message(
            "About %(num)s rating is still needed: %(time)s of work.",
            "About %(num)s ratings are still needed: %(time)s of work.",
            price.ratings,
            time=price.time,
        )
    return number_message(
        "%(num)s rating is still needed: %(time)s of work.",
        "%(num)s ratings are still needed: %(time)s of work.",
        price.ratings,
        time=price.time,
    )


def left_to_rate(price: FinishPrice, share_twice: float) -> str:
    """Return what is left to rate, how long it takes and what the time assumes; empty without a text."""
    if not price.answers:
        return "" if price.textless else message("The pool has no answers yet.")
    needed = price.ratings
    stuck = not_rated_message(price.passed) if price.passed else ""
    if price.unrated:
        rated = number_message(
            "%(num)s answer waits for a first rating.",
            "%(num)s answers wait for a first rating.",
            price.unrated,
        )
        wanted = _still_needed(price)
        # How many it will be is not known before they are drawn.
        if needed > price.unrated and not price.is_estimate:
            again = number_message(
                "%(num)s of these ratings is a second or later one.",
                "%(num)s of these ratings are second or later ones.",
                needed - price.unrated,
            )
            wanted = together(wanted, again)
    else:
        rated = (
            message("All other answers have a rating.")
            if price.textless or price.passed
            else message("Every answer has a rating.")
        )
        wanted = number_message(
            "%(num)s answer is to be rated again, by a person who has not rated it: %(time)s of work.",
            "%(num)s more ratings are wanted, each from a person who has not rated that answer: "
            "%(time)s of work.",
            needed,
            time=price.time,
        )
    if not needed:
        wanted = message("No more ratings are needed.")
    assumed = time_assumes(price.depth, price.overlap, share_twice) if needed else ""
    # What nobody can rate comes first where the rest is called the others.
    said = (rated, wanted, assumed, stuck) if price.unrated else (stuck, rated, wanted, assumed)
    return together(*said)


def time_assumes(depth: int, overlap: int, share_twice: float) -> Message:
    """Return what a time to rate assumes, in words."""
    if overlap < 2 and share_twice == 1:
        return message(
            "The time assumes %(of)s seconds for each rating, the top %(depth)s of each list and that every "
            "answer is rated by two people.",
            of=SECONDS_EACH,
            depth=depth,
        )
    if overlap < 2 and share_twice:
        return message(
            "The time assumes %(of)s seconds for each rating, the top %(depth)s of each list, 1 rating per "
            "answer and a second rating for %(share)s %% of them.",
            of=SECONDS_EACH,
            depth=depth,
            share=f"{share_twice * 100:g}",
        )
    return number_message(
        "The time assumes %(of)s seconds for each rating, the top %(depth)s of each list and %(num)s rating "
        "per answer.",
        "The time assumes %(of)s seconds for each rating, the top %(depth)s of each list and %(num)s ratings "
        "per answer.",
        overlap,
        of=SECONDS_EACH,
        depth=depth,
    )


def most_of_a_ranker(project: Project, queries: int) -> Message:
    """Return what a ranker costs at most, before there is a pool."""
    answers = queries * project.pool_depth
    ratings = round(answers * ratings_expected(project, project.overlap))
    most = number_message(
        "Each ranker adds at most %(of)s answers (%(num)s question x depth %(depth)s).",
        "Each ranker adds at most %(of)s answers (%(num)s questions x depth %(depth)s).",
        queries,
        of=answers,
        depth=project.pool_depth,
    )
    time = time_to_rate(ratings)
    work = (
        message(
            "With second ratings, that is up to about %(n)s ratings, %(time)s of work.", n=ratings, time=time
        )
        if ratings > answers
        else message("That is at most %(n)s ratings, %(time)s of work.", n=ratings, time=time)
    )
    return together(most, work, time_assumes(project.pool_depth, project.overlap, project.share_twice))


def price_of_pool(
    session: Session,
    evidence: Evidence,
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
    rankers, runs = _active(session, project.id)
    if coming is not None:
        rankers, runs = rankers | {coming_ranker or 0}, runs + 1
    finishing, least = finishing_of(session, evidence, project, coming=coming), evidence.ruler_at().k
    shown = [one for one in depths if one != project.pool_depth and least <= one <= finishing.reached]
    return PoolPrice(
        rankers=len(rankers),
        runs=runs,
        chosen=finishing.at(project.pool_depth, project.overlap),
        others=tuple(finishing.at(depth, project.overlap) for depth in shown),
        share_twice=project.share_twice,
    )


def _active(session: Session, project_id: int) -> tuple[set[int], int]:
    rows = session.execute(
        select(Run.ranker_id, func.count())
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project_id, Run.state == "published", Ranker.kind == "system")
        .group_by(Run.ranker_id)
    ).all()
    return {ranker for ranker, _ in rows}, sum(count for _, count in rows)
