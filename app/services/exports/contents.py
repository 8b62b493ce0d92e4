"""What a project is made of, as tables: questions, answers, the pool, notes and flags."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Select, case, exists, func, or_, select
from sqlalchemy.orm import Session

from app.formats.errors import FormatError
from app.formats.exported import FileForm, form_of
from app.formats.quepid_files import BookPair, write_needs, write_open_book, write_ratings
from app.formats.schema import Format, Table
from app.formats.workbench_files import write_query_set
from app.formats.writing import Cell, json_line, write_table
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Judgment, Origin
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.models.remark_resolution import RemarkResolution
from app.sentences import counted, message
from app.services.bulk import stream
from app.services.current_judgments import RATING, in_ledger
from app.services.errors import InvalidError
from app.services.exports.judgments import names_of_annotators
from app.services.exports.tables import Export
from app.services.exports.texts import TEXTS_AT_ONCE, refuse_equal_texts
from app.services.judging.inbox import RemarkFilter, is_resolved, remarks, select_remarks
from app.services.scoring_settings import get_ruler

Rows = Callable[[], Iterable[Sequence[Cell]]]

SPLIT_TAGS = "Some tags hold a semicolon: the import takes each for two. JSON Lines keep them."
AS_TEXTS = "Numbers and lists in your own columns become texts. JSON Lines keep them."
QUERY_COLUMNS = ("query_id", "text", "intent", "tags", "weight")
DOCUMENT_COLUMNS = ("doc_id", "title", "text", "url", "source")


def export_queries(session: Session, project: Project, *, format: str = "csv", data: bool = False) -> Export:
    """Return the active questions as `import queries` reads them back; see `write_table` for `data`.

    Parameters
    ----------
    format
        One of `FORMS["queries"]`.

    :raise InvalidError: The format cannot hold a text, or tells two questions apart by their texts alone.
    """
    form = form_of("queries", format)
    wanted = (
        select(Query.external_id, Query.text, Query.intent, Query.tags, Query.weight)
        .where(Query.project_id == project.id, Query.retired_revision.is_(None))
        .order_by(Query.id)
    )

    def rows() -> Iterator[tuple[Cell, ...]]:
        for query, text, intent, tags, weight in stream(session, wanted, TEXTS_AT_ONCE):
            # JSON has lists; in one cell of another table the import separates tags by semicolons.
            yield query, text, intent, tags if format == "jsonl" else ";".join(tags), weight

    left_out = session.scalar(
        select(func.count()).where(Query.project_id == project.id, Query.retired_revision.is_not(None))
    )
    notes = []
    if left_out:
        notes.append(f"{counted(left_out, 'retired question is', 'retired questions are')} left out.")
    if not form.by_text:
        is_split = form.format != "jsonl" and any(
            ";" in tag for _, _, _, tags, _ in stream(session, wanted, TEXTS_AT_ONCE) for tag in tags
        )
        notes += [SPLIT_TAGS] if is_split else []
        return _table(QUERY_COLUMNS, rows, form.format, data=data, notes=tuple(notes))
    refuse_equal_texts(session, project.id)
    texts = ((text, intent) for _, text, intent, *_ in stream(session, wanted, TEXTS_AT_ONCE))
    lines = (
        write_query_set(project.slug, (text for text, _ in texts))
        if form.format == "workbench"
        else write_needs(texts, data=data)
    )
    return Export(lines, (*notes, form.lost))


def export_documents(
    session: Session, project: Project, *, format: Table = "csv", data: bool = False
) -> Export:
    """Return the answers with the columns that came with them, for `import documents` to read back.

    :raise InvalidError: A TSV cannot hold a text, or an own column has the name of another.
    """
    of_project = (Document.project_id == project.id, Document.retired_revision.is_(None))
    own = {
        name: None
        for (extra,) in stream(session, select(Document.extra).where(*of_project).order_by(Document.id))
        for name in extra
    }
    taken = next((name for name in DOCUMENT_COLUMNS if name in own), None)
    if taken:
        raise InvalidError(
            message(
                "A column of your own is called “%(name)s”, as is one that every file of answers has. "
                "Read the answers over the API instead.",
                name=taken,
            ),
            code="cannot_hold",
            field="column",
            value=taken,
            remedy="Read the JSON lists instead.",
        )
    wanted = (
        select(*(getattr(Document, name) for name in ("external_id", *DOCUMENT_COLUMNS[1:], "extra")))
        .where(*of_project)
        .order_by(Document.id)
    )

    def rows() -> Iterator[tuple[Cell, ...]]:
        for *values, extra in stream(session, wanted, TEXTS_AT_ONCE):
            yield *values, *(_cell(extra.get(name)) for name in own)

    if format == "jsonl":
        # Each object has its own columns alone, as it had when it came.
        lines = (
            json_line(dict(zip(DOCUMENT_COLUMNS, values, strict=True)) | extra)
            for *values, extra in stream(session, wanted, TEXTS_AT_ONCE)
        )
        return Export(lines, ())
    return _table((*DOCUMENT_COLUMNS, *own), rows, format, data=data, notes=(AS_TEXTS,) if own else ())


POOL_COLUMNS = ("query_id", "doc_id", "ratings")
UNRATED_COLUMNS = ("query_id", "query", "doc_id", "title", "text", "grade")


def export_pool(
    session: Session, project: Project, *, unrated: bool = False, format: str = "csv", data: bool = False
) -> Export:
    """Return the pairs of the pool with how many people have rated each; nothing in it names a ranker.

    Parameters
    ----------
    unrated
        Only those that nobody has rated. A table has their texts and an empty grade: `import judgments` reads
        the lines whose grade was filled in.
    format
        One of `FORMS["pool"]`. Those of Quepid have no ratings: all of their pairs are to be rated.

    :raise InvalidError: The format cannot hold a text, or tells two questions apart by their texts alone.
    """
    form = form_of("pool", format)
    # Not by place, nor in the order in which rankers brought them.
    order = (Candidate.query_id, Document.external_id)
    if form.by_text:
        refuse_equal_texts(session, project.id)
        return Export(_for_quepid(session, project, form, order, unrated=unrated, data=data), (form.lost,))
    if unrated:
        texts = (Query.external_id, Query.text, Document.external_id, Document.title, Document.text)
        wanted = select_pool(session, project.id, *texts, unrated=True).order_by(*order)
        return _table(
            UNRATED_COLUMNS,
            lambda: ((*row, None) for row in stream(session, wanted, TEXTS_AT_ONCE)),
            form.format,
            data=data,
            notes=(
                "Fill in the grades, and import the file as ratings: lines without a grade are left out.",
                "If ids begin with =, +, - or @, export it with --data, or as exact text.",
            ),
        )
    pairs = select_pool(session, project.id, Query.external_id, Document.external_id, RATINGS).order_by(
        *order
    )
    return _table(POOL_COLUMNS, lambda: stream(session, pairs), form.format, data=data)


def _for_quepid(
    session: Session, project: Project, form: FileForm, order: Sequence[Any], *, unrated: bool, data: bool
) -> Iterator[str]:
    """Return the pairs of the pool as ratings that are left open, or as a book without judgments."""
    if form.format == "quepid":
        texts = (Query.text, Query.intent, Document.external_id, Document.title, Document.text)
        wanted = select_pool(session, project.id, *texts, unrated=unrated).order_by(*order)
        pairs = (
            BookPair(query, intent, document, {"title": title, "text": text})
            for query, intent, document, title, text in stream(session, wanted, TEXTS_AT_ONCE)
        )
        words = {
            grade: words["word"] for grade, words in zip(project.grades, project.grade_words, strict=True)
        }
        return write_open_book(project.name, words, pairs)
    named = select_pool(session, project.id, Query.text, Document.external_id, unrated=unrated).order_by(
        *order
    )
    return write_ratings(((*pair, None) for pair in stream(session, named, TEXTS_AT_ONCE)), data=data)


_IS_GRADED = (CurrentJudgment.candidate_id == Candidate.id, CurrentJudgment.grade.is_not(None))
_IS_RATING = (*_IS_GRADED, CurrentJudgment.kind == RATING)
# No rating changes what was decided.
_IS_SETTLED = (*_IS_GRADED, CurrentJudgment.kind.in_((RATING, int(Origin.ADJUDICATION))))
RATINGS = select(func.count()).select_from(CurrentJudgment).where(*_IS_RATING).scalar_subquery()


def select_pool(
    session: Session, project_id: int, *columns: Any, unrated: bool = False
) -> Select[*tuple[Any, ...]]:
    """Return a statement over the pairs of the pool; or only over those that nobody has rated or decided.

    A rating that the scoring settings leave out is none.
    """
    wanted = (
        select(*columns)
        .select_from(Candidate)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.project_id == project_id,
            Candidate.in_pool.is_(True),
            Query.retired_revision.is_(None),
        )
    )
    if not unrated:
        return wanted
    settled = exists().where(*_IS_SETTLED)
    if get_ruler(session, project_id).only_blind:
        counts = or_(Judgment.blind, Judgment.role == Origin.ADJUDICATION)
        settled = settled.where(exists().where(in_ledger(CurrentJudgment), counts).correlate(CurrentJudgment))
    return wanted.where(~settled)


NO_REASONS = "Notes and reports only: “can’t judge” is in `export judgments`."
REMARK_COLUMNS = (
    "kind",
    "query_id",
    "doc_id",
    "annotator",
    "said_at",
    "text",
    "state",
    "reply",
    "replied_at",
)


def export_remarks(
    session: Session, project: Project, *, format: Table = "csv", data: bool = False
) -> Export:
    """Return notes and flags, oldest first: who said what and when, and what was replied.

    :raise InvalidError: A TSV cannot hold a text.
    """
    names = names_of_annotators(session, project.id)
    remark = remarks(project.id)
    columns = (
        remark.c.kind,
        Query.external_id,
        Document.external_id,
        remark.c.person_id,
        Person.name,
        remark.c.said_at,
        remark.c.text,
        case((is_resolved(remark), "resolved"), else_="open"),
        RemarkResolution.reply,
        RemarkResolution.replied_at,
    )
    wanted = (
        select_remarks(remark, project.id, RemarkFilter(), *columns)
        .join(Query, Query.id == remark.c.query_id)
        .outerjoin(Candidate, Candidate.id == remark.c.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .where(remark.c.kind.in_(("note", "flag")))
        .order_by(remark.c.said_at, remark.c.source, remark.c.number)
    )

    def rows() -> Iterator[tuple[Cell, ...]]:
        for kind, query, document, person, name, *said in stream(session, wanted, TEXTS_AT_ONCE):
            yield kind, query, document, names.get(person, name), *said

    return _table(REMARK_COLUMNS, rows, format, data=data, notes=(NO_REASONS,))


def _cell(value: Any) -> Cell:
    """Return an own value as one cell: text as it is, all else as it is written in JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(
    names: Sequence[str], rows: Rows, format: Format, *, data: bool, notes: tuple[str, ...] = ()
) -> Export:
    """Return a table; texts that a TSV cannot hold are refused before its first line.

    :raise InvalidError: There is such a text.
    """
    if format == "tsv":
        try:
            for _line in write_table(names, rows(), format):
                pass
        except FormatError as error:
            raise InvalidError(
                "TSV separates cells by tabs and lines by line ends, and a text of these contains one: "
                "choose another format.",
                code="cannot_hold",
                field="format",
                value=format,
                remedy="Choose csv or jsonl.",
            ) from error
    return Export(write_table(names, rows(), format, data=data), notes)
