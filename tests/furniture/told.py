"""What clients were told, beside the ledger: nothing lost, nothing doubled, nothing out of order."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import Candidate, Event, Judgment, Origin
from app.services.assignment.wanted import WIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from app.models import Project
    from tests.furniture.annotators import Told


def differences(session: Session, project: Project, told: dict[int, Told]) -> list[str]:
    """Return a sentence for each thing that clients were told and the ledger does not say, or the reverse."""
    rows = session.execute(
        select(
            Judgment.annotator_id,
            Judgment.client_uuid,
            Candidate.public_id,
            Judgment.grade,
            Judgment.revision,
            Judgment.role,
            Judgment.candidate_id,
        )
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .where(Judgment.project_id == project.id)
        .order_by(Judgment.revision)
    ).all()
    events = session.scalars(select(Event.revision).where(Event.project_id == project.id)).all()
    stored = defaultdict(list)
    for row in rows:
        stored[row.annotator_id].append((bytes(row.client_uuid), row.public_id, row.grade))
    found = [
        message
        for person in told.keys() | stored.keys()
        for message in _differ(told.get(person), stored[person])
    ]
    found += [f"annotator {person}: {message}" for person, one in told.items() for message in one.errors]
    revisions = sorted([row.revision for row in rows] + list(events))
    if revisions != list(range(1, len(revisions) + 1)):
        found.append("the ledger's revisions have a gap or a double")
    return found + _overshoot(project, rows)


def _overshoot(project: Project, rows: Sequence[Row[Any]]) -> list[str]:
    """Tell of answers with more planned ratings than are wanted: one more where two grades lie far apart."""
    planned, grades = defaultdict(set), defaultdict(set)
    for row in rows:
        grades[row.candidate_id].add(row.grade)
        if row.role is Origin.PLANNED:
            planned[row.candidate_id].add(row.annotator_id)
    return [
        f"an answer has {len(people)} planned annotators, {project.overlap} are wanted"
        for candidate, people in planned.items()
        if len(people) > project.overlap + (max(grades[candidate]) - min(grades[candidate]) >= WIDE)
    ]


def _differ(told: Told | None, stored: list[tuple[bytes, str, int | None]]) -> list[str]:
    if told is None:
        return [f"{len(stored)} ratings of somebody who sent none"]
    found = []
    if stored and stored[-1][0] == told.unanswered:
        stored = stored[:-1]
    numbers = Counter(number for number, _, _ in stored)
    if doubled := [number for number, times in numbers.items() if times > 1]:
        found.append(f"{len(doubled)} ratings are stored twice")
    if lost := [one for one in told.ratings if one not in set(stored)]:
        found.append(f"{len(lost)} acknowledged ratings are lost or hold something else")
    if not found and stored != told.ratings:
        found.append("ratings are stored in another order, or more than were acknowledged")
    return found
