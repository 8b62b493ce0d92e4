"""What happened lately in some projects, newest first: their events in words, and how much was rated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment, Judgment
from app.models.person import Person, PersonKind
from app.models.project import LedgerHead
from app.models.ranker import PROBES, Ranker
from app.models.run import Run
from app.services.sentences import counted

MOST = 8
RECENT = timedelta(hours=24)
LOOKED_AT = 1_000
"""Ledger rows of a project that are looked through for ratings: the newest."""

Payload = dict[str, Any]


@dataclass(frozen=True)
class Activity:
    """Something that happened; `actor` is who did it, empty where nobody in particular did."""

    project_id: int
    at: datetime
    text: str
    actor: str


def activity_of(session: Session, project_ids: Sequence[int], *, most: int = MOST) -> list[Activity]:
    """Return the newest events of some projects. It names rankers: it is not for annotators."""
    if not project_ids:
        return []
    rows = session.execute(
        select(Event, Person.name)
        .join(Person, Person.id == Event.actor_id, isouter=True)
        .where(Event.project_id.in_(project_ids), Event.kind.in_([kind.value for kind in WORDS]))
        .order_by(Event.at.desc(), Event.revision.desc())
        .limit(most)
    ).all()
    runs = _runs_of(session, [event for event, _ in rows])
    told = [
        Activity(event.project_id, event.at, WORDS[EventKind(event.kind)](event.payload | runs), actor or "")
        for event, actor in rows
    ]
    told += [found for number in project_ids if (found := _ratings_of(session, number))]
    return sorted(told, key=lambda one: one.at, reverse=True)[:most]


def moved_last(session: Session, project_ids: Sequence[int], most: int) -> set[int]:
    """Return those projects, at most `most`, whose ledgers moved last; those with an empty one come last."""
    if len(project_ids) <= most:
        return set(project_ids)
    moved: dict[int, datetime] = {}
    for table, at in ((Event, Event.at), (Judgment, Judgment.received_at)):
        rows = session.execute(
            select(table.project_id, at)
            .join(
                LedgerHead,
                (LedgerHead.project_id == table.project_id) & (LedgerHead.revision == table.revision),
            )
            .where(table.project_id.in_(project_ids))
        )
        moved |= {row.project_id: row[1] for row in rows}
    still = [number for number in project_ids if number not in moved]
    order = sorted(moved, key=lambda number: (moved[number], number), reverse=True)
    return {*[*order, *still][:most]}


def _runs_of(session: Session, events: Sequence[Event]) -> dict[str, Any]:
    """Return the names of the runs that events are about, by number."""
    wanted = [event.payload["run_id"] for event in events if "run_id" in event.payload]
    rows = session.execute(
        select(Run.id, Ranker.name, Run.version, Ranker.kind)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.id.in_(wanted))
    )
    return {"runs": {row.id: _named(row.name, row.version, row.kind) for row in rows}}


def _named(ranker: str, version: str, kind: str) -> str:
    if kind == "manual":
        return "A random probe" if ranker == PROBES else "An answer added by hand"
    return f"{ranker} {version}"


def _ratings_of(session: Session, project_id: int) -> Activity | None:
    """Return how many current ratings of people are of the last day, among the newest rows of the ledger."""
    newest = select(LedgerHead.revision).where(LedgerHead.project_id == project_id).scalar_subquery()
    count, people, last = session.execute(
        select(func.count(), func.count(Judgment.annotator_id.distinct()), func.max(Judgment.received_at))
        .join(
            CurrentJudgment,
            (CurrentJudgment.candidate_id == Judgment.candidate_id)
            & (CurrentJudgment.annotator_id == Judgment.annotator_id)
            & (CurrentJudgment.revision == Judgment.revision),
        )
        .join(Person, Person.id == Judgment.annotator_id)
        .where(
            Judgment.project_id == project_id,
            Judgment.revision > newest - LOOKED_AT,
            Judgment.received_at >= now_utc() - RECENT,
            Judgment.grade.is_not(None),
            Person.kind == PersonKind.PERSON.value,
        )
    ).one()
    if not count:
        return None
    more = " or more" if count >= LOOKED_AT else ""
    by = counted(people, "person", "people")
    return Activity(project_id, last, f"{counted(count, 'rating')}{more} by {by} in the last 24 hours", "")


def _run(what: str) -> Callable[[Payload], str]:
    def say(payload: Payload) -> str:
        name = payload["runs"].get(payload["run_id"])
        return f"{name or 'A run'} {what}"

    return say


def _production(payload: Payload) -> str:
    if payload["run_id"] is None:
        return "No version is in production any more"
    return _run("marked in production")(payload)


def _count(one: str, what: str) -> Callable[[Payload], str]:
    return lambda payload: f"{counted(payload['count'], one)} {what}"


def _list(name: str, one: str, what: str) -> Callable[[Payload], str]:
    return lambda payload: f"{counted(len(payload[name]), one)} {what}"


WORDS: dict[EventKind, Callable[[Payload], str]] = {
    EventKind.RUN_PUBLISHED: _run("imported"),
    EventKind.RUN_WITHDRAWN: _run("withdrawn"),
    EventKind.RUN_RESTORED: _run("restored"),
    EventKind.RUN_DELETED: lambda payload: f"{payload['ranker']} {payload['version']} deleted",
    EventKind.RUN_MOVED: lambda payload: (
        f"{_run('moved')(payload)} from {payload['names'][0]} to {payload['names'][1]}"
    ),
    EventKind.RANKER_RENAMED: lambda payload: f"Ranker {payload['before']} renamed to {payload['after']}",
    EventKind.VERSION_RENAMED: lambda payload: (
        f"{_run('renamed')(payload)} from {payload['before']} to {payload['after']}"
    ),
    EventKind.PRODUCTION_SET: _production,
    EventKind.QUERIES_ADDED: _count("question", "added"),
    EventKind.QUERIES_REMOVED: _count("question", "removed"),
    EventKind.QUERIES_EDITED: _list("query_ids", "question", "edited"),
    EventKind.QUERY_RETIRED: _list("query_ids", "question", "retired"),
    EventKind.QUERY_RESTORED: _list("query_ids", "question", "restored"),
    EventKind.DOCUMENTS_ADDED: _count("answer", "added"),
    EventKind.DOCUMENTS_REMOVED: _count("answer", "removed"),
    EventKind.DOCUMENTS_EDITED: _list("document_ids", "answer", "edited"),
    EventKind.DOCUMENTS_MERGED: _list("document_ids", "answer", "merged into one"),
    EventKind.MERGE_UNDONE: lambda _payload: "Merge of answers undone",
    EventKind.DOCUMENTS_KEPT_APART: _list("document_ids", "similar answer", "marked as different"),
    EventKind.APART_UNDONE: lambda _payload: "Similar answers no longer marked as different",
    EventKind.JUDGMENTS_IMPORTED: _count("rating", "imported"),
    EventKind.JUDGMENTS_UNDONE: _count("imported rating", "removed"),
    EventKind.DEPTH_CHANGED: lambda payload: f"Pool depth set to {payload['depth']}",
    EventKind.SCALE_CHANGED: lambda payload: f"Stars changed to {payload['scale']}",
    EventKind.OVERLAP_CHANGED: lambda payload: f"{counted(payload['overlap'], 'rating')} per answer",
    EventKind.STATE_CHANGED: lambda payload: (
        f"Rating {payload['state']}" if payload["state"] != "archived" else "Project archived"
    ),
    EventKind.REQUESTED: lambda payload: (
        f"{counted(payload['answers'], 'answer')} requested to be rated first"
    ),
    EventKind.FIELDS_CHANGED: lambda _payload: "Other fields of answers are shown",
    EventKind.GUIDELINES_CHANGED: lambda payload: f"Guidelines changed: version {payload['version']}",
}
