"""The judgments that count now, streamed answer by answer in fixed memory."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from app.models import Candidate, CurrentJudgment, Document, Judgment, Origin, Query, Reason
from app.services.bulk import stream
from app.services.current_judgments import RATING, in_ledger, newest_judgments
from app.services.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


class Said(NamedTuple):
    """One judgment as it stands in the ledger."""

    revision: int
    candidate_id: int
    query: str
    document: str
    annotator_id: int
    grade: int | None
    reason: Reason | None
    role: Origin
    judged_at: datetime


def standing_judgments(
    session: Session,
    project_id: int,
    *,
    only_active: bool = False,
    only_blind: bool = False,
    machines: bool = False,
) -> Iterator[list[Said]]:
    """Yield for every judged answer what each annotator says now, and adjudications, oldest first.

    An annotator's newest judgment counts alone, also where it clears the one before; judgments of a
    document that was edited since do not count.

    Parameters
    ----------
    only_active
        Leave retired queries out.
    only_blind
        Leave out ratings by people who could see rankers.
    machines
        Count what machines say.
    """
    rows = stream(
        session, _wanted(project_id, only_active=only_active, only_blind=only_blind, machines=machines)
    )
    for _, said in groupby(map(Said._make, rows), key=lambda said: said.candidate_id):
        yield list(said)


def _wanted(
    project_id: int, *, only_active: bool, only_blind: bool, machines: bool
) -> Select[*tuple[Any, ...]]:
    kinds = (RATING, Origin.ADJUDICATION, *((Origin.MACHINE,) if machines else ()))
    # Who may see rankers today may have rated blind before: then that rating counts, and the ledger has it.
    blind = newest_judgments(Judgment.project_id == project_id, Judgment.blind.is_(True))
    now = aliased(CurrentJudgment, blind.subquery(), adapt_on_names=True) if only_blind else CurrentJudgment
    wanted = (
        select(
            now.revision,
            now.candidate_id,
            Query.external_id,
            Document.external_id,
            now.annotator_id,
            now.grade,
            now.reason,
            now.role,
            Judgment.judged_at,
        )
        .select_from(now)
        .join(Judgment, in_ledger(now))
        .join(Candidate, Candidate.id == now.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(now.project_id == project_id, now.kind.in_(kinds))
        .order_by(Candidate.query_id, Candidate.document_id, now.revision)
    )
    return wanted.where(Query.retired_revision.is_(None)) if only_active else wanted


def count_machine_ratings(session: Session, project_id: int, *, only_active: bool = False) -> int:
    """Return how many answers machines have rated, each machine for itself."""
    rated = (
        select(func.count())
        .select_from(CurrentJudgment)
        .join(Candidate, Candidate.id == CurrentJudgment.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .where(
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.kind == Origin.MACHINE,
            CurrentJudgment.grade.is_not(None),
        )
    )
    if only_active:
        rated = rated.where(Query.retired_revision.is_(None))
    return session.scalar(rated) or 0


def left_out_machines(session: Session, project_id: int, *, only_active: bool = False) -> tuple[str, ...]:
    """Return a sentence about the machine ratings that an export leaves out, if it leaves any out."""
    count = count_machine_ratings(session, project_id, only_active=only_active)
    left = "is left out" if count == 1 else "are left out"
    return (f"{counted(count, 'rating')} by machines {left}.",) if count else ()


def merged_answers(answers: Iterator[list[Said]], heads: dict[str, str]) -> Iterator[list[Said]]:
    """Yield the answers with merged documents as one, under the id of the one that stands for them.

    Of what an annotator says of several of them the newest counts.

    Parameters
    ----------
    answers
        Query by query.
    heads
        The id of what stands for each merged document, by its own id.
    """
    for _, of_query in groupby(answers, key=lambda answer: answer[0].query):
        together: dict[str, list[Said]] = {}
        for answer in of_query:
            name = heads.get(answer[0].document, answer[0].document)
            together.setdefault(name, []).extend(answer)
        for name, said in together.items():
            newest: dict[tuple[int, bool], Said] = {}
            for one in sorted(said, key=lambda one: one.revision):
                key = (one.annotator_id, one.role == Origin.ADJUDICATION)
                newest.pop(key, None)
                newest[key] = one._replace(document=name)
            yield list(newest.values())
