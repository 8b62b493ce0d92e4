"""Judgments and qrels, streamed in fixed memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from app.formats.exported import By, form_of
from app.formats.judgments import write_judgments
from app.formats.qrels_files import QrelsFormat, RatedQuery, write_rated
from app.formats.quepid_files import write_book
from app.formats.rows import JudgmentRow
from app.formats.schema import FORMATS, is_known
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Judgment, Origin, Reason
from app.models.person import Person, PersonKind
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.scoring.consensus import consensus_of
from app.sentences import counted
from app.services.bulk import STREAM, stream
from app.services.collection.pool import merged_documents
from app.services.current_judgments import RATING, in_ledger, newest_judgments
from app.services.exports.tables import Export, refuse_blanks_in_ids
from app.services.exports.texts import TEXTS_AT_ONCE, refuse_equal_texts
from app.services.judging.own_ratings import given_at
from app.services.scoring_settings import ScoringSettings, get_ruler, settings_of


class ExportedJudgment(NamedTuple):
    """One judgment as it is in the ledger."""

    revision: int
    candidate_id: int
    query: str
    document: str
    annotator_id: int
    grade: int | None
    reason: Reason | None
    role: Origin
    judged_at: datetime


def judgments_now(
    session: Session,
    project_id: int,
    *,
    only_active: bool = False,
    only_blind: bool = False,
    machines: bool = False,
) -> Iterator[list[ExportedJudgment]]:
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
    kinds = (RATING, Origin.ADJUDICATION, *((Origin.MACHINE,) if machines else ()))
    return _answers(session, _wanted(project_id, kinds, only_active=only_active, only_blind=only_blind))


def _answers(
    session: Session, wanted: Select[*tuple[Any, ...]], at_once: int = STREAM
) -> Iterator[list[ExportedJudgment]]:
    rows = stream(session, wanted, at_once)
    for _, answer in groupby(map(ExportedJudgment._make, rows), key=lambda one: one.candidate_id):
        yield list(answer)


def _wanted(
    project_id: int,
    kinds: tuple[int, ...],
    *,
    only_active: bool = False,
    only_blind: bool = False,
    by_text: bool = False,
) -> Select[*tuple[Any, ...]]:
    # Who may see rankers today may have rated blind before: then that rating counts, and the ledger has it.
    blind = newest_judgments(Judgment.project_id == project_id, Judgment.blind.is_(True))
    now = aliased(CurrentJudgment, blind.subquery(), adapt_on_names=True) if only_blind else CurrentJudgment
    wanted = (
        select(
            now.revision,
            now.candidate_id,
            Query.text if by_text else Query.external_id,
            Document.external_id,
            now.annotator_id,
            now.grade,
            now.reason,
            now.role,
            given_at(Judgment),
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
            # Few projects have any: found by who they are, not by reading all ratings.
            CurrentJudgment.annotator_id.in_(select(Person.id).where(Person.kind == PersonKind.MACHINE)),
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


def merged_answers(
    answers: Iterator[list[ExportedJudgment]], heads: dict[str, str]
) -> Iterator[list[ExportedJudgment]]:
    """Yield the answers with merged documents as one, under the id of the one that represents them.

    Of what an annotator says of several of them the newest counts.

    Parameters
    ----------
    answers
        Query by query.
    heads
        The id of what represents each merged document, by its own id.
    """
    for _, of_query in groupby(answers, key=lambda answer: answer[0].query):
        together: dict[str, list[ExportedJudgment]] = {}
        for answer in of_query:
            name = heads.get(answer[0].document, answer[0].document)
            together.setdefault(name, []).extend(answer)
        for name, judgments in together.items():
            newest: dict[tuple[int, bool], ExportedJudgment] = {}
            for one in sorted(judgments, key=lambda one: one.revision):
                key = (one.annotator_id, one.role == Origin.ADJUDICATION)
                newest.pop(key, None)
                newest[key] = one._replace(document=name)
            yield list(newest.values())


NOTES = (
    "Only current ratings are included.",
    "Ratings that were cleared, replaced or given to an older text are left out.",
)


_KINDS: dict[By, int] = {"people": RATING, "machines": Origin.MACHINE}


def export_judgments(
    session: Session, project: Project, *, by: By = "people", format: str = "csv", data: bool = False
) -> Export:
    """Return the judgments that count now, of people or of machines, as `import judgments` reads them back.

    Parameters
    ----------
    format
        One of `FORMS["ratings"]`.
    data
        Write a CSV with every text exactly as it is, also one that a spreadsheet would run as a formula.

    :raise InvalidError: The format cannot hold a question of the project.
    """
    form = form_of("ratings", format)
    names = names_of_annotators(session, project.id)
    notes = [*NOTES]
    if by == "people":
        notes += left_out_machines(session, project.id)
    else:
        notes += ["Only ratings by machines are included.", "Import them back with --kind machine."]
    if form.by_text:
        refuse_equal_texts(session, project.id)
        given = _wanted(project.id, (_KINDS[by],), only_active=True, by_text=True)
        columns = _book_columns(session, project.id, by, names)
        return Export(
            write_book(columns, _book_pairs(session, given, names), data=data),
            (*notes, form.lost, *_strange_columns(columns)),
        )
    rows = _rows(_answers(session, _wanted(project.id, (_KINDS[by],))), names)
    return Export(write_judgments(rows, form.format, data=data), tuple(notes))


def _rows(answers: Iterator[list[ExportedJudgment]], names: dict[int, str]) -> Iterator[JudgmentRow]:
    for answer in answers:
        for judgment in answer:
            if judgment.reason == Reason.CLEARED:
                continue
            yield JudgmentRow(
                query_id=judgment.query,
                document_id=judgment.document,
                annotator=names[judgment.annotator_id],
                grade=judgment.grade,
                reason=judgment.reason.name.lower() if judgment.reason else None,
                judged_at=judgment.judged_at,
            )


def _book_columns(session: Session, project_id: int, by: By, names: dict[int, str]) -> list[str]:
    """Return the names of those who have rated an answer of an active question."""
    rated = (
        select(CurrentJudgment.annotator_id)
        .join(Candidate, Candidate.id == CurrentJudgment.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .where(
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.kind == _KINDS[by],
            CurrentJudgment.grade.is_not(None),
            Query.retired_revision.is_(None),
        )
        .distinct()
    )
    return [names[number] for number in sorted(session.scalars(rated))]


def _book_pairs(
    session: Session, given: Select[*tuple[Any, ...]], names: dict[int, str]
) -> Iterator[tuple[str, str, dict[str, int]]]:
    for answer in _answers(session, given, TEXTS_AT_ONCE):
        grades = {names[one.annotator_id]: one.grade for one in answer if one.grade is not None}
        if grades:
            yield answer[0].query, answer[0].document, grades


def _strange_columns(names: list[str]) -> tuple[str, ...]:
    """Return a sentence about annotators whose names an import takes for those of other columns."""
    strange = [name for name in names if any(is_known(name, kind) for kind in FORMATS)]
    told = f"Other files have columns called {', '.join(strange)}: import the book with --format book-csv."
    return (told,) if strange else ()


def names_of_annotators(session: Session, project_id: int) -> dict[int, str]:
    """Return the name of everybody who judged, by number; equal names are numbered."""
    judged = select(Judgment.annotator_id).where(Judgment.project_id == project_id).distinct()
    people = session.execute(select(Person.id, Person.name).where(Person.id.in_(judged)).order_by(Person.id))
    met: Counter[str] = Counter()
    names: dict[int, str] = {}
    for number, name in people:
        met[name] += 1
        names[number] = name if met[name] == 1 else f"{name} ({met[name]})"
    return names


Middle = Literal["lower", "upper"]

# Those of the largest exports take 10 MB, with a dozen ratings each.
ANSWERS_AT_ONCE = 1_000


def export_qrels(
    session: Session,
    project: Project,
    *,
    middle: Middle = "lower",
    format: str = "trec",
    data: bool = False,
) -> Export:
    """Return the project's qrels under its present ruler: active queries, current grades.

    Parameters
    ----------
    middle
        Which of the two middle grades is written where the consensus lies between them.
    format
        One of `FORMS["qrels"]`.
    data
        Of a CSV: see `write_table`.

    :raise InvalidError: The format cannot hold an id or a question of the project.
    """
    form = form_of("qrels", format)
    if form.format == "trec":
        refuse_blanks_in_ids(session, project.id)
    if form.by_text:
        refuse_equal_texts(session, project.id)
    texts = _texts(session, project.id) if form.by_text or form.format == "rank-eval" else {}
    ruler = settings_of(get_ruler(session, project.id))
    answers = judgments_now(
        session, project.id, only_active=True, only_blind=ruler.only_blind, machines=ruler.machines
    )
    heads = _heads(session, project.id)
    if heads:
        answers = merged_answers(answers, heads)
    other = "upper" if middle == "lower" else "lower"
    between = f"If the {ruler.consensus} is between two grades, the {middle} one is written"
    notes = [f"{between} (--middle {other} for the other)."]
    if ruler.only_blind:
        notes.append("Ratings by people who could see rankers are left out, as the scoring settings say.")
    if ruler.machines:
        notes.append("Ratings by machines count, as the scoring settings say.")
    else:
        notes += left_out_machines(session, project.id, only_active=True)
    if heads:
        merged = counted(len(heads), "document is", "documents are")
        notes.append(f"{merged} merged with another document and written under the id of that one.")
    if form.lost:
        notes.append(form.lost)
    grades = groupby(_grades(answers, ruler, middle), key=itemgetter(0))
    rated = (
        RatedQuery(query, texts.get(query, ""), [(document, grade) for _, document, grade in of_query])
        for query, of_query in grades
    )
    written = write_rated(rated, cast("QrelsFormat", format), project.slug, ruler.k, data=data)
    return Export(written, tuple(notes))


def _texts(session: Session, project_id: int) -> dict[str, str]:
    """Return the text of each active query by its id."""
    wanted = select(Query.external_id, Query.text).where(
        Query.project_id == project_id, Query.retired_revision.is_(None)
    )
    return {row.external_id: row.text for row in session.execute(wanted)}


def _heads(session: Session, project_id: int) -> dict[str, str]:
    """Return the id of what represents each merged document, by its own id."""
    heads = merged_documents(session, project_id)
    wanted = select(Document.id, Document.external_id).where(Document.id.in_({*heads, *heads.values()}))
    names = {row.id: row.external_id for row in session.execute(wanted)}
    return {names[number]: names[head] for number, head in heads.items()}


def _grades(
    answers: Iterator[list[ExportedJudgment]], ruler: ScoringSettings, middle: Middle
) -> Iterator[tuple[str, str, int]]:
    while some := list(islice(answers, ANSWERS_AT_ONCE)):
        counts, adjudicated = _counts(some, ruler)
        consensus = consensus_of(counts, ruler.consensus, adjudicated)  # type: ignore[arg-type]
        columns = consensus.low if middle == "lower" else consensus.high
        for answer, column in zip(some, columns.tolist(), strict=True):
            if column >= 0:
                yield answer[0].query, answer[0].document, column + ruler.scale_low


def _counts(answers: list[list[ExportedJudgment]], ruler: ScoringSettings) -> tuple[Ints, Ints]:
    """Return how many annotators gave each grade, and the column that an adjudicator chose, -1 for none."""
    counts = np.zeros((len(answers), ruler.scale_high - ruler.scale_low + 1), dtype=np.int32)
    adjudicated = np.full(len(answers), -1, dtype=np.int64)
    for at, answer in enumerate(answers):
        for judgment in answer:
            column = -1 if judgment.grade is None else judgment.grade - ruler.scale_low
            if judgment.role == Origin.ADJUDICATION:
                adjudicated[at] = column
            elif column >= 0:
                counts[at, column] += 1
    return counts, adjudicated
