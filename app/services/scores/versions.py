"""Versions: how they are named, what each is compared with, and what changed between two.

Commands name one as `RANKER@VERSION`, a ranker alone for its newest, or `production`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.query import Query
from app.models.run import Ranking
from app.scoring.arrays import Flags, Ints
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.reading import read_rankings
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.evidence.timeline import Timeline
from app.services.scores.compare import QuestionDifference, question_differences
from app.services.scores.context import ScoringContext, unrated_by_query
from app.services.scores.question_page import Grades, list_rows, titles_of, with_ids
from app.services.scores.verdicts import PairVerdict

PRODUCTION, AGAINST = "production", "against"
NOTHING_NAMED = {
    "code": "version",
    "field": AGAINST,
    "value": None,
    "remedy": "Name a version to compare with.",
}
MOST_NAMED = 12


def version_name(run: RunFact) -> str:
    """Return the name that `find_version` takes."""
    return f"{run.ranker}@{run.version}"


def find_version(evidence: Timeline, name: str, *, withdrawn: bool = False, field: str = "version") -> int:
    """Return the place of a named version within `evidence.structure.runs`.

    `RANKER@VERSION` comes first, then `production`, then a ranker: its newest version. Both names may hold
    an @ themselves.

    Parameters
    ----------
    withdrawn
        A withdrawn version can be named too, and be a ranker's newest.
    field
        What the caller calls this name, for refusals.

    :raise NotFoundError: No version is called so; it says which there are.
    :raise InvalidError: Versions of two rankers are, as their names hold an @.
    """
    runs, active = evidence.structure.runs, set(evidence.active_runs())
    # Answers that people knew of are pooled, but no ranker returned them.
    named = [place for place, run in enumerate(runs) if run.kind == "system"]
    there = [place for place in named if withdrawn or place in active]
    exact = [place for place in there if version_name(runs[place]) == name]
    meant = {runs[place].ranker for place in there if name in {version_name(runs[place]), runs[place].ranker}}
    if len(meant) > 1:
        both = " and ".join(sorted(meant))
        raise InvalidError(
            f"{name} can mean versions of {both}: rename one of them.",
            code="ambiguous",
            field=field,
            value=name,
            remedy="Rename one of them.",
        )
    if exact:
        return exact[-1]
    if name == PRODUCTION:
        return _marked(evidence, field)
    if versions := [place for place in there if runs[place].ranker == name]:
        return versions[-1]
    gone = [place for place in named if name in {version_name(runs[place]), runs[place].ranker}]
    if gone:
        raise NotFoundError(
            f"{name} is withdrawn: restore it first, or name another version.",
            field=field,
            value=name,
            remedy="Restore it first, or name another version.",
            code="version",
        )
    raise NotFoundError(
        f"There is no version {name!r}: {_known([runs[place] for place in there], name)}.",
        field=field,
        value=name,
        remedy="Name a version as RANKER@VERSION, or a ranker for its newest one.",
        code="version",
    )


def _marked(evidence: Timeline, field: str) -> int:
    found = evidence.production_run()
    if found is None:
        raise NotFoundError(
            "No version is marked in production: mark one first, or name a version.",
            field=field,
            value=PRODUCTION,
            remedy="Mark one first, or name a version.",
            code="version",
        )
    return found


def _known(runs: list[RunFact], name: str) -> str:
    """Return which versions of the ranker that a name begins with there are, else which rankers."""
    if not runs:
        return "no ranker has one yet"
    own = {version_name(run): None for run in runs if name.startswith(f"{run.ranker}@")}
    known = list(own or {run.ranker: None for run in runs})
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"there is {', '.join(known[:MOST_NAMED])}{more}"


def baseline_of_version(evidence: Evidence, place: int, against: str | None) -> int:
    """Return the place of what a registered version is compared with.

    Parameters
    ----------
    place
        Of the version.
    against
        The name of the other one, as `find_version` takes it.

    :raise NotFoundError: There is no such version, or none before.
    :raise InvalidError: It is the version itself.
    """
    own = evidence.structure.runs[place]
    if against is not None:
        found = find_version(evidence, against, field=AGAINST)
        if found == place:
            raise InvalidError(
                f"{version_name(own)} cannot be compared with itself.",
                code="same_version",
                field=AGAINST,
                value=against,
                remedy="Name another version.",
            )
        return found
    production = evidence.production_run()
    if production is not None and production != place:
        return production
    before = [other for other in _versions(evidence, own.ranker) if other < place]
    if not before:
        raise NotFoundError(
            f"There is no version before {version_name(own)}: name another one with --against.",
            **NOTHING_NAMED,
        )
    return before[-1]


def baseline_of_file(evidence: Evidence, ranker: str | None, against: str | None, *, same: set[int]) -> int:
    """Return the place of what a file is compared with.

    Parameters
    ----------
    evidence
        Before the file.
    ranker
        Whose file it is.
    same
        The places of versions with the very lists of the file: it is not compared with itself, unless that
        is asked for or such a version is in production.

    :raise NotFoundError: There is no such version, or none to compare with.
    :raise InvalidError: Nothing says what to compare with.
    """
    if against is not None:
        return find_version(evidence, against, field=AGAINST)
    production = evidence.production_run()
    if production is not None:
        return production
    if ranker is None:
        raise InvalidError(
            "No version is marked in production: name one with --against, or name the file's ranker with "
            "--ranker.",
            **NOTHING_NAMED,
        )
    others = [place for place in _versions(evidence, ranker) if place not in same]
    if not others:
        raise NotFoundError(
            f"{ranker} has no other version, and none is marked in production: name one with --against.",
            **NOTHING_NAMED,
        )
    return others[-1]


def _versions(evidence: Evidence, ranker: str) -> list[int]:
    """Return the places of the active versions of a ranker, oldest first."""
    runs = evidence.structure.runs
    return [
        place
        for place in evidence.active_runs()
        if runs[place].kind == "system" and runs[place].ranker == ranker
    ]


DETAILED = 3
"""Questions of each kind that are told with their answers."""
MOST_OPEN = 20


@dataclass(frozen=True)
class Move:
    """One answer that is at another place now, of the top k of either version.

    Attributes
    ----------
    old, new
        Its places, counted from 1; None outside the top k.
    low, high
        Its two middle grades; None where it is not rated.
    unlisted
        Whether the version in whose top k it has no place returned fewer answers than that.
    """

    title: str
    old: int | None
    new: int | None
    low: int | None
    high: int | None
    unlisted: bool


@dataclass(frozen=True)
class QuestionChange:
    """A question whose score changed: the new version's score minus the old one's is `found.difference`.

    Attributes
    ----------
    old, new
        The scores, 0 to 1.
    moves
        The answers that moved, the highest grade first; empty where the question is not told in detail.
    unrated
        How many answers in the two lists nobody has rated.
    """

    found: QuestionDifference
    old: float
    new: float
    moves: list[Move]
    unrated: int


@dataclass(frozen=True)
class Unrated:
    """The answers in the two lists that nobody has rated.

    Attributes
    ----------
    questions
        (number, text, answers) of the questions with most of them.
    more
        How many other questions have some.
    """

    answers: int
    questions: list[tuple[int, str, int]]
    more: int


@dataclass(frozen=True)
class VersionChanges:
    """All questions that both versions are scored on, and those with unrated answers, scored or not.

    Attributes
    ----------
    better, worse
        The largest change first.
    same
        How many have the same score.
    rearranged
        Those of these with other answers, or the same ones at other places.
    identical
        Whether the two return the same answers at the same places on every question that both cover, scored
        or not.
    """

    better: list[QuestionChange]
    worse: list[QuestionChange]
    same: int
    rearranged: list[QuestionDifference]
    identical: bool
    unrated: Unrated


def version_changes(session: Session, context: ScoringContext, pair: PairVerdict) -> VersionChanges:
    """Return what changed from the second of a pair, the older version, to the first."""
    found = question_differences(session, context, pair)
    equal = _equal_lists(session, context, pair)
    ties = [one for one in found if not one.outcome]
    unrated = unrated_by_query(context, pair.rows)
    both = context.covered[list(pair.rows)].all(axis=0)
    return VersionChanges(
        better=_told(session, context, pair, [one for one in found if one.outcome > 0], unrated),
        worse=_told(session, context, pair, [one for one in found if one.outcome < 0][::-1], unrated),
        same=len(ties),
        rearranged=[one for one in ties if not equal[one.place]],
        identical=bool(equal[both].all()),
        unrated=_unrated(session, context, unrated),
    )


def _unrated(session: Session, context: ScoringContext, unrated: Ints) -> Unrated:
    structure = context.evidence.structure
    some = int(np.count_nonzero(unrated))
    places = np.argsort(-unrated, kind="stable")[: min(some, MOST_OPEN)]
    numbers = structure.query_id[places].tolist()
    rows = session.execute(select(Query.id, Query.text).where(Query.id.in_(numbers)))
    texts = {row.id: row.text for row in rows}
    return Unrated(
        answers=int(unrated.sum()),
        questions=[
            (number, texts[number], answers)
            for number, answers in zip(numbers, unrated[places].tolist(), strict=True)
        ],
        more=some - len(numbers),
    )


def _equal_lists(session: Session, context: ScoringContext, pair: PairVerdict) -> Flags:
    """Return on which queries both lists hold the same documents in the same order: bool (queries,)."""
    structure = context.evidence.structure
    documents, _ = read_rankings(
        session, (pair.first, pair.second), structure.query_id, context.board.ruler.k
    )
    return np.asarray((documents[0] == documents[1]).all(axis=1))


def _told(
    session: Session,
    context: ScoringContext,
    pair: PairVerdict,
    found: list[QuestionDifference],
    unrated: Ints,
) -> list[QuestionChange]:
    moves = _moves(session, context, pair, found[:DETAILED])
    first, second = pair.rows
    return [
        QuestionChange(
            one,
            float(context.values[second, one.place]),
            float(context.values[first, one.place]),
            moves.get(one.place, []),
            int(unrated[one.place]),
        )
        for one in found
    ]


def _moves(
    session: Session, context: ScoringContext, pair: PairVerdict, found: list[QuestionDifference]
) -> dict[int, list[Move]]:
    """Return the answers that moved, by the place of their question."""
    if not found:
        return {}
    k = context.board.ruler.k
    asked = select(Ranking.query_id, Ranking.run_id, Ranking.document_ids).where(
        Ranking.run_id.in_((pair.first.id, pair.second.id)),
        Ranking.query_id.in_([one.query_id for one in found]),
    )
    lists: dict[tuple[int, int], list[int]] = {
        (row.query_id, row.run_id): np.frombuffer(bytes(row.document_ids), dtype="<i4")[:k].tolist()
        for row in session.execute(asked)
    }
    titles = titles_of(session, {number for listed in lists.values() for number in listed})
    told = {}
    for one in found:
        grades = Grades(context.evidence, context.board, one.place)
        both = [lists.get((one.query_id, run.id), []) for run in (pair.first, pair.second)]
        named = with_ids({number: titles[number] for number in {*both[0], *both[1]} if number in titles})
        new, old = (
            {
                grades.head_of(row.document_id): row
                for row in list_rows(listed, grades, named)
                if row.repeats is None
            }
            for listed in both
        )
        moved = []
        returned = [len(lists.get((one.query_id, run.id), [])) for run in (pair.second, pair.first)]
        for head in [*new, *(head for head in old if head not in new)]:
            here, there = new.get(head), old.get(head)
            row = here or there
            ranks = (there.rank if there else None, here.rank if here else None)
            if row is not None and ranks[0] != ranks[1]:
                unlisted = any(
                    rank is None and length < k for rank, length in zip(ranks, returned, strict=True)
                )
                moved.append(Move(row.title, *ranks, row.low, row.high, unlisted))
        told[one.place] = sorted(moved, key=_by_grade)
    return told


def _by_grade(move: Move) -> float:
    return 1.0 if move.low is None or move.high is None else -(move.low + move.high)
