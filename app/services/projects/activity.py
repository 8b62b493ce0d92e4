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
from app.models.judgment import CurrentJudgment, Judgment, Origin
from app.models.person import Person, PersonKind
from app.models.project import LedgerHead, Project
from app.models.ranker import PROBE_KEY, PROBES, Ranker
from app.models.run import Run
from app.sentences import Message, message, number_message

MOST = 8
RECENT = timedelta(hours=24)
COPIES = 4
"""So many copies of one event are looked through at most."""
LOOKED_AT = 1_000
"""Ledger rows of a project that are looked through for ratings: the newest."""

PROBE, BY_HAND = message("A random probe"), message("An answer added by hand")

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
        .order_by(Event.at.desc(), Event.project_id, Event.revision.desc())
        .limit(most * COPIES)
    ).all()
    # A copy of a project brings its events along, without ratings under other revisions: they happened in the
    # older one.
    first = {(event.at, event.kind): (event, actor) for event, actor in reversed(rows)}
    runs = _runs_of(session, [event for event, _ in first.values()])
    # A probe may take several runs.
    once = {_happening(event, runs["probes"]): (event, actor) for event, actor in first.values()}
    told = [
        Activity(event.project_id, event.at, WORDS[EventKind(event.kind)](event.payload | runs), actor or "")
        for event, actor in reversed(once.values())
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
    """Return the names of the runs that events are about, and which probe some are of, both by number."""
    wanted = [event.payload["run_id"] for event in events if "run_id" in event.payload]
    rows = session.execute(
        select(Run.id, Ranker.name, Run.version, Ranker.kind, Run.stats)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.id.in_(wanted))
    ).all()
    return {
        "runs": {row.id: _named(row.name, row.version, row.kind) for row in rows},
        "probes": {row.id: row.stats[PROBE_KEY]["number"] for row in rows if PROBE_KEY in row.stats},
    }


def _happening(event: Event, probes: dict[int, int]) -> tuple[int, str, bool, int]:
    """Return what tells events apart: the number of the probe that the run is of, or else the revision."""
    probe = probes.get(event.payload.get("run_id", 0))
    return event.project_id, event.kind, probe is None, event.revision if probe is None else probe


def _named(ranker: str, version: str, kind: str) -> str:
    if kind == "manual":
        return PROBE if ranker == PROBES else BY_HAND
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
            # A copy brings along what was rated in the older project.
            Judgment.received_at
            >= select(Project.created_at).where(Project.id == project_id).scalar_subquery(),
            Judgment.grade.is_not(None),
            CurrentJudgment.kind != int(Origin.ADJUDICATION),
            Person.kind == PersonKind.PERSON.value,
        )
    ).one()
    if not count:
        return None
    ratings = (
        number_message("%(num)s rating", "%(num)s ratings", count)
        if count < LOOKED_AT
        else message("%(num)s ratings or more", num=count)
    )
    people_here = number_message("%(num)s person", "%(num)s people", people)
    said = message("%(ratings)s by %(people)s in the last 24 hours", ratings=ratings, people=people_here)
    return Activity(project_id, last, said, "")


def _run(pattern: str) -> Callable[[Payload], Message]:
    return lambda payload: message(
        pattern, run=payload["runs"].get(payload["run_id"]) or message("A version")
    )


def _published(payload: Payload) -> Message:
    run = payload["runs"].get(payload["run_id"])
    if run == BY_HAND:
        return BY_HAND
    return _run(message("%(run)s drawn") if run == PROBE else message("%(run)s imported"))(payload)


def _production(payload: Payload) -> Message:
    if payload["run_id"] is None:
        return message("No version is in production any more")
    return _run(message("%(run)s marked in production"))(payload)


def _names(pattern: str, names: Callable[[Payload], Sequence[str]]) -> Callable[[Payload], Message]:
    def say(payload: Payload) -> Message:
        before, after = names(payload)
        run = payload["runs"].get(payload.get("run_id")) or message("A version")
        return message(pattern, run=run, before=before, after=after)

    return say


STATES = {
    "open": message("Rating open"),
    "paused": message("Rating paused"),
    "closed": message("Rating closed"),
    "archived": message("Project archived"),
}
WORDS: dict[EventKind, Callable[[Payload], Message]] = {
    EventKind.RUN_PUBLISHED: _published,
    EventKind.RUN_WITHDRAWN: _run(message("%(run)s withdrawn")),
    EventKind.RUN_RESTORED: _run(message("%(run)s restored")),
    EventKind.RUN_DELETED: lambda payload: message(
        "%(run)s deleted", run=f"{payload['ranker']} {payload['version']}"
    ),
    EventKind.RUN_MOVED: _names(
        message("%(run)s moved from %(before)s to %(after)s"), lambda payload: payload["names"]
    ),
    EventKind.RANKER_RENAMED: lambda payload: message(
        "Ranker %(before)s renamed to %(after)s", before=payload["before"], after=payload["after"]
    ),
    EventKind.VERSION_RENAMED: _names(
        message("%(run)s renamed from %(before)s to %(after)s"),
        lambda payload: (payload["before"], payload["after"]),
    ),
    EventKind.PRODUCTION_SET: _production,
    EventKind.QUERIES_ADDED: lambda payload: number_message(
        "%(num)s question added", "%(num)s questions added", payload["count"]
    ),
    EventKind.QUERIES_REMOVED: lambda payload: number_message(
        "%(num)s question removed", "%(num)s questions removed", payload["count"]
    ),
    EventKind.QUERIES_EDITED: lambda payload: number_message(
        "%(num)s question edited", "%(num)s questions edited", len(payload["query_ids"])
    ),
    EventKind.QUERY_RETIRED: lambda payload: number_message(
        "%(num)s question retired", "%(num)s questions retired", len(payload["query_ids"])
    ),
    EventKind.QUERY_RESTORED: lambda payload: number_message(
        "%(num)s question restored", "%(num)s questions restored", len(payload["query_ids"])
    ),
    EventKind.DOCUMENTS_ADDED: lambda payload: number_message(
        "%(num)s answer imported from %(file)s",
        "%(num)s answers imported from %(file)s",
        payload["count"],
        file=payload.get("file") or message("a file"),
    ),
    EventKind.DOCUMENTS_REMOVED: lambda payload: number_message(
        "%(num)s answer removed", "%(num)s answers removed", payload["count"]
    ),
    EventKind.DOCUMENTS_FILLED: lambda payload: number_message(
        "%(num)s missing text added", "%(num)s missing texts added", payload["count"]
    ),
    EventKind.DOCUMENTS_EDITED: lambda payload: number_message(
        "%(num)s answer edited", "%(num)s answers edited", len(payload["document_ids"])
    ),
    EventKind.DOCUMENTS_MERGED: lambda payload: number_message(
        "%(num)s answer merged into one", "%(num)s answers merged into one", len(payload["document_ids"])
    ),
    EventKind.MERGE_UNDONE: lambda _payload: message("Merge of answers undone"),
    EventKind.DOCUMENTS_KEPT_APART: lambda payload: number_message(
        "%(num)s similar answer marked as different",
        "%(num)s similar answers marked as different",
        len(payload["document_ids"]),
    ),
    EventKind.APART_UNDONE: lambda _payload: message("Similar answers no longer marked as different"),
    EventKind.JUDGMENTS_IMPORTED: lambda payload: number_message(
        "%(num)s rating imported", "%(num)s ratings imported", payload["count"]
    ),
    EventKind.JUDGMENTS_UNDONE: lambda payload: number_message(
        "%(num)s imported rating cleared", "%(num)s imported ratings cleared", payload["count"]
    ),
    EventKind.DEPTH_CHANGED: lambda payload: message("Pool depth set to %(depth)s", depth=payload["depth"]),
    EventKind.SCALE_CHANGED: lambda payload: message("Stars changed to %(scale)s", scale=payload["scale"]),
    EventKind.OVERLAP_CHANGED: lambda payload: number_message(
        "%(num)s rating per answer", "%(num)s ratings per answer", payload["overlap"]
    ),
    EventKind.STATE_CHANGED: lambda payload: (
        message("Project restored") if payload["before"] == "archived" else STATES[payload["state"]]
    ),
    EventKind.REQUESTED: lambda payload: number_message(
        "%(num)s answer requested to be rated first",
        "%(num)s answers requested to be rated first",
        payload["answers"],
    ),
    EventKind.FIELDS_CHANGED: lambda _payload: message("Other fields of answers are shown"),
    EventKind.GUIDELINES_CHANGED: lambda payload: message(
        "Guidelines changed: version %(number)s", number=payload["version"]
    ),
}
