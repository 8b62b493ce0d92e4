"""How much has been rated: per question, per ranker, per annotator, and in all."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.models.person import Membership, Person, Role
from app.scoring.arrays import Flags, Ints
from app.scoring.judged import Judged
from app.services.evidence.columns import DECLINED, roles_that_count
from app.services.evidence.state import Evidence


@dataclass(frozen=True)
class Coverage:
    """Coverage of the pool.

    Attributes
    ----------
    questions
        The numbers of the active queries, in the order of the evidence.
    pooled_each, rated_each
        The answers in the pool of each, and those of them with a rating: lists beside `questions`, as there
        are thousands of them at every rating.
    pooled, rated
        The same over all of them.
    textless, missing_texts
        The answers without a rating that have no text either: nobody can rate them; and how many texts these
        lack.
    """

    questions: list[int]
    pooled_each: list[int]
    rated_each: list[int]
    pooled: int
    rated: int
    textless: int = 0
    missing_texts: int = 0

    @property
    def percent(self) -> int:
        """How many of a hundred answers of the pool are rated, rounded: 100 only when all are."""
        if self.rated >= self.pooled:
            return 100 if self.pooled else 0
        return min(99, round(self.rated * 100 / self.pooled))

    @property
    def missing(self) -> int:
        """Return how many pool answers nobody has rated."""
        return self.pooled - self.rated

    @property
    def unfinished(self) -> int:
        """Return how many queries have an answer in the pool that nobody has rated."""
        return sum(rated < pooled for pooled, rated in zip(self.pooled_each, self.rated_each, strict=True))


def coverage_of(evidence: Evidence, judged: Judged) -> Coverage:
    """Return how much of today's pool has been rated."""
    structure = evidence.structure
    pooled, unrated = judged.pooled_counts, _unrated(evidence, judged)
    rated = pooled - unrated
    active = np.flatnonzero(evidence.active_queries())
    textless = _textless(evidence, judged)
    return Coverage(
        questions=structure.query_id[active].tolist(),
        pooled_each=pooled[active].tolist(),
        rated_each=rated[active].tolist(),
        pooled=int(pooled[active].sum()),
        rated=int(rated[active].sum()),
        textless=len(textless),
        missing_texts=len(np.unique(textless)),
    )


def finished_queries(evidence: Evidence, judged: Judged) -> Flags:
    """Return which active queries have every answer rated that some version puts within the pool depth.

    Known answers and probes, which are in the pool as well, are no ranker's. bool (queries,).
    """
    found, waiting = judged.pooled_counts, _unrated(evidence, judged)
    if (returned := _returned(evidence)) is not None:
        found, waiting = _per_query(evidence, returned), _per_query(evidence, returned & ~judged.judged)
    return np.asarray((waiting == 0) & (found > 0) & evidence.active_queries())


def _unrated(evidence: Evidence, judged: Judged) -> Ints:
    """Return how many answers in the pool of each query have no grade: int64 (queries,)."""
    if judged.ruler.unjudged != "complete":
        return judged.open_counts  # known from the rating before
    return _per_query(evidence, judged.pooled & ~judged.judged)


def _textless(evidence: Evidence, judged: Judged) -> Ints:
    """Return the documents of the answers of today's pool that have neither a rating nor a text."""
    structure = evidence.structure
    if not len(structure.without_text):
        return np.zeros(0, dtype=np.int64)
    waiting = np.flatnonzero(judged.pooled & ~judged.judged & structure.textless)
    active = evidence.active_queries().take(structure.query.take(waiting))
    return structure.document.take(waiting[active])


def _returned(evidence: Evidence) -> Flags | None:
    """Return what the versions of rankers bring into the pool: bool (candidates,), None for all of it."""
    active = evidence.active_runs()
    rankers = [place for place in active if evidence.structure.runs[place].kind == "system"]
    if len(rankers) == len(active):
        return None
    return evidence.structure.pooled_by(rankers, evidence.depth_at())


def _per_query(evidence: Evidence, indexes: Flags) -> Ints:
    """Return how many of some candidates each query has: int64 (queries,)."""
    structure = evidence.structure
    return np.bincount(structure.query.take(np.flatnonzero(indexes)), minlength=len(structure.query_id))


COUNTS = ("rated", "outside", "declined", "could_see_rankers")
KEPT_AS = "tallies"


@dataclass(frozen=True)
class _CachedTallies:
    """Tallies, and what they were counted from; valid as long as the candidates keep their places."""

    candidates: weakref.ref[Any]
    pooled: Flags
    counted: Flags
    tallies: dict[str, Ints]


def tallies_of(evidence: Evidence, pooled: Flags) -> dict[str, Ints]:
    """Return counts by the number of the annotator, each of `COUNTS` by their newest ratings.

    Ratings of a text that was edited since count no more. `rows` besides are all rows of the ledger, ratings
    or not.
    """
    kept: _CachedTallies | None = evidence.memory.kept.get(KEPT_AS)
    counted = evidence.current & np.isin(evidence.ledger.role, roles_that_count(machines=True))
    tallies = (
        _tallied(evidence, pooled, counted) if kept is None else _kept_up(evidence, pooled, counted, kept)
    )
    candidates = weakref.ref(evidence.structure.positions)
    evidence.memory.kept[KEPT_AS] = _CachedTallies(candidates, pooled, counted, tallies)
    return tallies


def _kept_up(evidence: Evidence, pooled: Flags, counted: Flags, kept: _CachedTallies) -> dict[str, Ints]:
    """Return what was counted before, without rows that stand no more, with those that came."""
    known = len(kept.counted)
    same = kept.candidates() is evidence.structure.positions and np.array_equal(kept.pooled, pooled)
    if not same or len(counted) < known:
        return _tallied(evidence, pooled, counted)
    gone = np.flatnonzero(kept.counted & ~counted[:known])
    came = np.flatnonzero(counted[:known] & ~kept.counted)
    added = np.arange(known, len(counted))
    span = int(evidence.ledger.annotator[added].max(initial=len(kept.tallies["rows"]) - 1)) + 1
    tallies = {name: _widened(counts, span) for name, counts in kept.tallies.items()}
    tallies["rows"] += np.bincount(evidence.ledger.annotator[added], minlength=span)
    more = np.concatenate((came, added[counted[added]]))
    for rows, sign in ((gone, -1), (more, 1)):
        for name, counts in _counts(evidence, pooled, rows, span).items():
            tallies[name] += sign * counts
    return tallies


def _tallied(evidence: Evidence, pooled: Flags, counted: Flags) -> dict[str, Ints]:
    rows = np.bincount(evidence.ledger.annotator, minlength=1)
    return {"rows": rows} | _counts(evidence, pooled, np.flatnonzero(counted), len(rows))


def _counts(evidence: Evidence, pooled: Flags, rows: Ints, span: int) -> dict[str, Ints]:
    """Return the counts over some rows of the ledger."""
    ledger = evidence.ledger
    rows = rows[evidence.candidate_index.take(rows) >= 0]
    grade, annotator = ledger.grade.take(rows), ledger.annotator.take(rows)
    inside, graded = pooled.take(evidence.candidate_index.take(rows)), grade >= 0
    wanted = {
        "rated": graded & inside,
        "outside": graded & ~inside,
        "declined": (grade == DECLINED) & inside,
        "could_see_rankers": graded & ~ledger.blind.take(rows),
    }
    return {
        name: np.bincount(annotator.take(np.flatnonzero(chosen)), minlength=span)
        for name, chosen in wanted.items()
    }


def _widened(counts: Ints, span: int) -> Ints:
    return np.append(counts, np.zeros(span - len(counts), dtype=counts.dtype))


@dataclass(frozen=True)
class Contributor:
    """One annotator, or a source of ratings that cannot sign in (`kind`).

    `rated` and `declined` count pool answers by their latest judgment: a grade, or "can't judge".
    """

    name: str
    kind: str
    rated: int
    declined: int
    outside: int
    could_see_rankers: int


# Built once: it is asked at every rating.
MEMBERS = (
    select(Person.id, Person.name, Person.kind, Membership.role)
    .join(Membership, Membership.person_id == Person.id)
    .where(Membership.project_id == bindparam("project"))
)


class _Named(NamedTuple):
    """Somebody who may rate: only these columns are read, as it is asked at every rating."""

    id: int
    name: str
    kind: str
    role: str | None


def contributors_of(session: Session, evidence: Evidence, pooled: Flags) -> list[Contributor]:
    """Return everybody who rated, and the annotators who have not begun, busiest first."""
    tallies = tallies_of(evidence, pooled)
    span = len(tallies["rows"])
    found = []
    for person in _people(session, evidence.project_id, np.flatnonzero(tallies["rows"]).tolist()):
        counts = {name: int(tallies[name][person.id]) if person.id < span else 0 for name in COUNTS}
        if person.role == Role.ANNOTATOR or any(counts.values()):
            found.append(Contributor(name=person.name, kind=person.kind, **counts))
    return sorted(found, key=lambda one: (-one.rated - one.outside, one.name))


def _people(session: Session, project_id: int, annotators: list[int]) -> list[_Named]:
    found = [_Named(*row) for row in session.execute(MEMBERS, {"project": project_id})]
    known = {one.id for one in found}
    # Administrators rate without a membership.
    if others := [number for number in annotators if number not in known]:
        rows = session.execute(select(Person.id, Person.name, Person.kind).where(Person.id.in_(others)))
        found += [_Named(*row, None) for row in rows]
    return found
