"""What moves, deletes or renames a version changes the past that is told: nothing kept of it may stay."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from app.models import Ranker, Run
from app.services.collection.rankers import move_run, rename_ranker, rename_version
from app.services.collection.withdrawal import delete_run
from app.services.evidence.store import evidence_of
from app.services.scores.history import Moment, history_as_of
from tests.furniture.evidence import forget_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from tests.services.conftest import Small

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

Change = tuple[type, "Callable[[Session, object], object]"]
CHANGES: dict[str, Change] = {
    "a moved version": (Run, lambda session, run: move_run(session, run, "First")),
    "a version moved to a new ranker": (Run, lambda session, run: move_run(session, run, "New", new=True)),
    "a deleted version": (Run, delete_run),
    "a renamed version": (Run, lambda session, run: rename_version(session, run, "other")),
    "a renamed ranker": (Ranker, lambda session, ranker: rename_ranker(session, ranker, "Other")),
}


def told(small: Small, revisions: list[int]) -> dict[tuple[int, str, str], list[tuple[object, ...]]]:
    """Return every point of the history, by ranker."""
    evidence = evidence_of(small.database, small.project.id)
    history = history_as_of(evidence, [Moment(revision, NOON) for revision in revisions])
    return {
        (ranker, points[0].run.ranker, points[-1].run.version): [
            (one.moment.revision, one.score, one.low, one.high, one.scored, one.judged) for one in points
        ]
        for ranker, points in history.points.items()
    }


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("named", CHANGES)
def test_what_was_kept_of_the_past_is_what_is_worked_out_anew(small: Small, named: str) -> None:
    model, change = CHANGES[named]
    small.rate(0, 0, 3)
    small.rate(1, 1, 2)
    # It is older than the third question, and so narrows what all others are compared on.
    narrow = small.run("Narrow", {small.queries[0]: small.documents[1:3]})
    with small.making() as make:
        small.queries.append(make.query(small.project, "qc"))
    for ranker in small.rankers:
        small.run(ranker, dict.fromkeys(small.queries, small.documents[:2]))
    small.rate(2, 0, 1)
    small.rate(0, 2, 1)
    revisions = list(range(1, evidence_of(small.database, small.project.id).revision + 1))
    before = told(small, revisions)

    with small.database.write() as session:
        number = narrow.id if model is Run else narrow.ranker_id
        change(session, session.get_one(model, number))
    kept = told(small, revisions)
    forget_evidence(small.database, small.project.id)

    assert kept == told(small, revisions)
    assert kept != before
