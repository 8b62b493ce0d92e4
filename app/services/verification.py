"""Whether a database is whole: its file, its ledger without gaps, and what counts now as the ledger says.

Asked of the live database at each start and by `db verify`, and of every backup and copy before it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Integer, and_, case, func, literal, or_, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.models.event import Event
from app.models.judgment import CurrentJudgment, Judgment
from app.models.project import LedgerHead, Project
from app.sentences import counted
from app.services.bulk import table_of
from app.services.current_judgments import KEY, REST, newest_judgments

MOST_NAMED = 10
# The quick form looks at so many of a project's newest revisions, of so many projects.
NEWEST = 500
PROJECTS = 200


@dataclass(frozen=True)
class Holdings:
    """How much a database holds."""

    projects: int
    judgments: int
    events: int

    @property
    def sentence(self) -> str:
        """Return it in words."""
        return (
            f"{counted(self.projects, 'project')}, {counted(self.judgments, 'rating')} and "
            f"{counted(self.events, 'other entry', 'other entries')} of the ledger"
        )


def holdings_of(session: Session) -> Holdings:
    """Return how much the database holds; what is still being imported is not counted."""
    unfinished = session.scalars(select(Project.id).where(~Project.is_complete())).all()

    def count(column: InstrumentedAttribute[int]) -> int:
        wanted = select(func.count()).select_from(column.parent)
        if unfinished:
            wanted = wanted.where(column.not_in(unfinished))
        return session.scalar(wanted) or 0

    return Holdings(count(Project.id), count(Judgment.project_id), count(Event.project_id))


def file_problems(session: Session) -> list[str]:
    """Return what is wrong with the pages and references of an SQLite file; PostgreSQL minds its own."""
    if session.get_bind().dialect.name != "sqlite":
        return []
    found = session.execute(text(f"PRAGMA integrity_check({MOST_NAMED})")).scalars().all()
    if found != ["ok"]:
        return [f"the file is damaged: {' '.join(str(line).split())}" for line in found]
    loose = session.execute(
        text('SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2')
    )
    return [
        f"{counted(count, 'row')} of {table} name rows of {parent} that are missing"
        for table, parent, count in loose
    ]


def ledger_problems(session: Session, *, is_quick: bool = False, only: int | None = None) -> list[str]:
    """Return which projects' ledgers do not hold every revision up to their head once.

    The quick form looks at the newest revisions only; `only` names the one project that is looked at, also
    while it is still being imported.
    """
    problems = []
    for project_id, slug, head in _heads(session, is_quick=is_quick, only=only):
        if head is None:
            problems.append(f"the project {slug} has no ledger")
            continue
        first = max(head - NEWEST, 0) if is_quick else 0
        present, last = _present(session, project_id, first)
        if present != head - first or (last or 0) != head:
            wanted = f"the last {head - first:,}" if first else f"{head:,}"
            problems.append(
                f"the ledger of {slug} holds {present:,} of {wanted} entries, the newest at {last or 0:,}"
            )
    return problems


def _heads(session: Session, *, is_quick: bool, only: int | None = None) -> list[tuple[int, str, int | None]]:
    """Return the number, short name and newest revision of projects, the newest projects first."""
    wanted = (
        select(Project.id, Project.slug, LedgerHead.revision)
        .join(LedgerHead, LedgerHead.project_id == Project.id, isouter=True)
        .where(Project.is_complete() if only is None else Project.id == only)
        .order_by(Project.id.desc())
    )
    rows = session.execute(wanted.limit(PROJECTS) if is_quick else wanted).all()
    return [(row.id, row.slug, row.revision) for row in rows]


def _present(session: Session, project_id: int, first: int) -> tuple[int, int | None]:
    """Return how many different revisions after `first` a ledger holds, and the last of them."""
    count, last = 0, None
    for model in (Judgment, Event):
        found, newest = session.execute(
            select(func.count(), func.max(model.revision)).where(
                model.project_id == project_id, model.revision > first
            )
        ).one()
        count, last = count + found, max(last or 0, newest or 0)
    # A revision is a judgment or an event: one that is both stands for one that is missing.
    both = (
        select(func.count())
        .select_from(Event)
        .join(Judgment, and_(Judgment.project_id == Event.project_id, Judgment.revision == Event.revision))
    )
    return count - (
        session.scalar(both.where(Event.project_id == project_id, Event.revision > first)) or 0
    ), last


def current_problems(session: Session, *, is_quick: bool = False) -> list[str]:
    """Return in which projects what counts now is not what the ledger says; `db rebuild` makes it so.

    The quick form looks at the newest judgments only.
    """
    problems = []
    for project_id, slug, head in _heads(session, is_quick=is_quick):
        first = max((head or 0) - NEWEST, 0) if is_quick else 0
        folded, differing = _differing(session, project_id, first)
        if first == 0:
            stored = select(func.count()).where(CurrentJudgment.project_id == project_id)
            differing = max(differing, abs((session.scalar(stored) or 0) - folded))
        if differing:
            problems.append(
                f"{counted(differing, 'current rating')} of {slug} "
                f"{'is' if differing == 1 else 'are'} not what the ledger says: "
                "run `flask --app app db rebuild`"
            )
    return problems


def _differing(session: Session, project_id: int, first: int) -> tuple[int, int]:
    """Return how many judgments after `first` are the newest of their kind, and how many not stored so."""
    fold = newest_judgments(Judgment.project_id == project_id, Judgment.revision > first).subquery()
    current = table_of(CurrentJudgment)
    is_its = and_(*(current.c[name] == fold.c[name] for name in KEY))
    differs = or_(*(current.c[name].is_distinct_from(fold.c[name]) for name in REST))
    wrong = func.coalesce(func.sum(case((differs, 1), else_=literal(0, Integer))), 0)
    folded, differing = session.execute(
        select(func.count(), wrong).select_from(fold.outerjoin(current, is_its))
    ).one()
    return int(folded), int(differing)
