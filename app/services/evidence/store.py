"""The evidence of this process: one per project, caught up by reading only what is newer.

Head and rows come from one snapshot. The rows read must be exactly as many as the head moved; otherwise
the evidence is thrown away and read again.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext

from sqlalchemy.orm import Session

from app.database import Database
from app.models.project import Project
from app.services.errors import NotFoundError
from app.services.evidence.columns import Ledger, read_ledger
from app.services.evidence.reading import read_events, read_structure
from app.services.evidence.state import Evidence, HistoryCache
from app.services.evidence.structure import EventFact, Structure
from app.services.ledger import QUIET, REWRITING, head_of

_guard = threading.Lock()
_locks: dict[tuple[str, int], threading.Lock] = {}
_held: dict[tuple[str, int], Evidence] = {}


def evidence_of(database: Database, project_id: int, *, fresh: Session | None = None) -> Evidence:
    """Return the project's evidence at its newest revision.

    Parameters
    ----------
    fresh
        A read session in which nothing was read yet: what is read in it later is of the same moment.

    :raise NotFoundError: There is no such project.
    """
    key = (database.url, project_id)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock, nullcontext(fresh) if fresh else database.read() as session:
        held = _held.get(key)
        evidence = _caught_up(session, held) if held else read_evidence(session, project_id)
        _held[key] = evidence
    return evidence


def read_evidence(session: Session, project_id: int) -> Evidence:
    """Return the evidence of a session's snapshot, kept nowhere."""
    project = session.get(Project, project_id)
    if project is None:
        raise NotFoundError("There is no such project.")
    head = head_of(session, project_id)
    structure = read_structure(session, project)
    return _assembled(project_id, head, structure, read_ledger(session, project_id, head=head))


def _assembled(
    project_id: int, head: int, structure: Structure, ledger: Ledger, memory: HistoryCache | None = None
) -> Evidence:
    candidate_index = structure.indexes_of(ledger.candidate)
    return Evidence(project_id, head, structure, ledger, candidate_index, memory or HistoryCache())


def _caught_up(session: Session, held: Evidence) -> Evidence:
    project_id = held.project_id
    head = head_of(session, project_id)
    if head == held.revision:
        return held
    more = read_ledger(session, project_id, head=head, after=held.revision)
    missing = head - held.revision - len(more)
    events = read_events(session, project_id, after=held.revision) if missing else ()
    rewritten = any(event.kind in REWRITING for event in events)
    if rewritten or len(events) != missing:
        return read_evidence(session, project_id)
    if any(event.kind not in QUIET for event in events):
        # Runs, queries or texts moved: the arrays are laid out again, the judgments read are kept.
        project = session.get_one(Project, project_id)
        structure = read_structure(session, project)
        return _assembled(project_id, head, structure, held.ledger.extended(more), held.memory)
    candidate_index = held.structure.indexes_of(more.candidate)
    if len(more) and candidate_index.min() < 0:
        return read_evidence(session, project_id)
    return held.grown(head, _with_events(held.structure, events), more, candidate_index)


def _with_events(structure: Structure, events: tuple[EventFact, ...]) -> Structure:
    if not events:
        return structure
    return Structure(
        **{name: getattr(structure, name) for name in Structure.__annotations__ if name != "events"},
        events=structure.events + events,
    )
