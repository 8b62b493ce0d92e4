"""What a project holds, page by page in an order that never changes: what programs read of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Row, Select, func, literal, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event
from app.models.judgment import CurrentJudgment, Judgment, Reason
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Run
from app.models.upload import Upload
from app.services.collection.queries import CONTENT
from app.services.collection.rankers import is_unpublished, marked_run
from app.services.current_judgments import in_ledger
from app.services.exports.contents import RATINGS, select_pool
from app.services.exports.judgments import names_of_annotators
from app.services.ledger import head_of
from app.services.scoring_settings import CHOSEN, get_ruler, settings_of


@dataclass(frozen=True)
class CursorPage:
    """Some items, and the number after which the next page begins; None if there is none."""

    items: list[dict[str, Any]]
    last: int | None


def _page(
    session: Session,
    wanted: Select[*tuple[Any, ...]],
    item: Callable[[Row[*tuple[Any, ...]]], dict[str, Any]],
    after: int,
    limit: int,
) -> CursorPage:
    """Return the rows whose number, the first column, follows another."""
    number = wanted.selected_columns[0]
    # A program may name a number that no row can have.
    following = wanted.where(number > literal(after, BigInteger)).order_by(number)
    rows = session.execute(following.limit(limit + 1)).all()
    last = rows[limit - 1][0] if len(rows) > limit else None
    return CursorPage([item(row) for row in rows[:limit]], last)


def project_object(session: Session, project: Project) -> dict[str, Any]:
    """Return what a project is, and how much is in it."""
    ruler = settings_of(get_ruler(session, project.id))

    def count(column: Any, *where: Any) -> int:
        return session.scalar(select(func.count()).where(column == project.id, *where)) or 0

    return {
        "slug": project.slug,
        "name": project.name,
        "state": project.state,
        "demo": project.is_demo,
        "scale": f"{project.scale_low}-{project.scale_high}",
        "pool_depth": project.pool_depth,
        "overlap": project.overlap,
        "scoring_settings": {"name": ruler.name, "fingerprint": ruler.fingerprint}
        | {name: getattr(ruler, name) for name in CHOSEN},
        "revision": head_of(session, project.id),
        "queries": count(Query.project_id, Query.retired_revision.is_(None)),
        "documents": count(Document.project_id, Document.retired_revision.is_(None)),
        "pooled": count(Candidate.project_id, Candidate.in_pool.is_(True)),
    }


def queries_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return queries, those that are retired included."""
    wanted = select(
        Query.id, Query.external_id, Query.retired_revision, *(getattr(Query, name) for name in CONTENT)
    ).where(Query.project_id == project_id)

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        _, external_id, retired, *values = row
        return {
            "query_id": external_id,
            **dict(zip(CONTENT, values, strict=True)),
            "active": retired is None,
        }

    return _page(session, wanted, item, after, limit)


def documents_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return documents, those that are retired included."""
    names = ("title", "text", "url", "source", "extra")
    wanted = select(
        Document.id,
        Document.external_id,
        Document.retired_revision,
        *(getattr(Document, name) for name in names),
    ).where(Document.project_id == project_id)

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        _, external_id, retired, *values = row
        return {"doc_id": external_id, **dict(zip(names, values, strict=True)), "active": retired is None}

    return _page(session, wanted, item, after, limit)


def runs_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return the versions of all rankers, withdrawn ones included."""
    production = marked_run(session, project_id)
    wanted = (
        select(
            Run.id,
            Ranker.name,
            Ranker.kind,
            Run.version,
            Run.note,
            Run.state,
            Run.revision,
            Run.registered_at,
            Run.stats,
        )
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project_id, Run.state != "unpublished")
    )

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        number, ranker, kind, version, note, state, revision, at, stats = row
        return {
            "run_id": number,
            "ranker": ranker,
            "version": version,
            "kind": kind,
            "note": note,
            "state": state,
            "in_production": number == production,
            "revision": revision,
            "registered_at": at.isoformat(),
            "lines": stats.get("lines"),
            "queries": stats.get("queries"),
        }

    return _page(session, wanted, item, after, limit)


def rankers_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return rankers with the number of their versions."""
    versions = func.count(Run.id).filter(Run.state == "published")
    wanted = (
        select(Ranker.id, Ranker.name, Ranker.kind, versions)
        .join(Run, Run.ranker_id == Ranker.id, isouter=True)
        .where(Ranker.project_id == project_id, ~is_unpublished())
        .group_by(Ranker.id, Ranker.name, Ranker.kind)
    )

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        return {"ranker": row[1], "kind": row[2], "versions": row[3]}

    return _page(session, wanted, item, after, limit)


def pool_page(
    session: Session, project_id: int, after: int, limit: int, *, unrated: bool = False
) -> CursorPage:
    """Return the pairs of the pool with how many people have rated each; or only those that nobody has."""
    columns = (Candidate.id, Query.external_id, Document.external_id, Candidate.best_rank, RATINGS)
    wanted = select_pool(session, project_id, *columns, unrated=unrated)

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        return {"query_id": row[1], "doc_id": row[2], "best_rank": row[3], "ratings": row[4]}

    return _page(session, wanted, item, after, limit)


def judgments_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return what each annotator says now, oldest first."""
    names = names_of_annotators(session, project_id)
    now = CurrentJudgment
    wanted = (
        select(
            now.revision,
            Query.external_id,
            Document.external_id,
            now.annotator_id,
            now.grade,
            now.reason,
            Judgment.judged_at,
        )
        .join(Judgment, in_ledger(now))
        .join(Candidate, Candidate.id == now.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(now.project_id == project_id)
        .where(now.grade.is_not(None) | (now.reason != Reason.CLEARED))
    )

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        revision, query, document, annotator, grade, reason, at = row
        return {
            "revision": revision,
            "query_id": query,
            "doc_id": document,
            "annotator": names[annotator],
            "grade": grade,
            "reason": reason.name.lower() if reason else None,
            "judged_at": at.isoformat(),
        }

    return _page(session, wanted, item, after, limit)


def events_page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    """Return what happened besides ratings, oldest first; each has its revision."""
    wanted = select(Event.revision, Event.kind, Event.at, Event.payload).where(Event.project_id == project_id)

    def item(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        return {"revision": row[0], "kind": row[1], "at": row[2].isoformat(), "payload": row[3]}

    return _page(session, wanted, item, after, limit)


def uploads_of(
    session: Session,
    project_id: int,
    person_id: int | None,
    kinds: Collection[str],
    *,
    before: datetime | None,
    limit: int,
) -> list[Upload]:
    """Return the newest files of some kinds that somebody has brought, or that came without a person."""
    mine = (
        Upload.project_id == project_id,
        Upload.person_id == person_id,
        Upload.kind.in_(kinds),
        Upload.state != "cancelled",
        *([] if before is None else [Upload.created_at < before]),
    )
    return list(session.scalars(select(Upload).where(*mine).order_by(Upload.created_at.desc()).limit(limit)))
