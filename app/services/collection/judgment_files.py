"""A file of grades: its columns and scale, checked and compared with what is there."""

from __future__ import annotations

import hashlib
import uuid
from array import array
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np
from sqlalchemy import SmallInteger, func, literal, select
from sqlalchemy.orm import Session

from app.formats.errors import FormatError, Problem, ProblemLog, in_pair
from app.formats.grades import MOST_VALUES, FoundGrade, GradeMap, table_of, value_key
from app.formats.ids import Ids
from app.formats.judgments import grades_in, read_judgments, remedy_of_grades
from app.formats.query_texts import OtherText
from app.formats.rows import JudgmentRow
from app.formats.run_columns import Enough, Keeps
from app.formats.values import OFF_SCALE
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment, Judgment, Reason
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.sentences import message
from app.services.bulk import read_columns, stream_plain
from app.services.collection.files import UNKNOWN, ImportFile
from app.services.collection.pool import pairs_of
from app.services.collection.unknown_ids import log_unknown, refuse_half_read, unknown_ids
from app.services.errors import InvalidError


@dataclass(frozen=True, kw_only=True)
class JudgmentOptions:
    """How to import judgments; blanks around the annotator's name are taken off.

    Attributes
    ----------
    annotator
        Whose they are where the file does not say; "Imported from <file>" if not given.
    replace
        Let grades of this file take the place of other grades by the same annotator.
    kind
        Who gave the grades: people whom a file speaks for (``imported``), or a machine (a click
        model, a language model), which counts only where the ruler says so. None: as the annotator's
        name is known already, else ``imported``.
    negative
        What to do with negative grades, which some collections use for "not judged".
    grades
        What each grade of the file is on the project's scale; None: they are on it.
    """

    annotator: str | None = None
    replace: bool = False
    kind: Literal["imported", "machine"] | None = None
    negative: Literal["reject", "skip"] = "reject"
    grades: GradeMap | None = None
    unknown_documents: Literal["reject", "add"] = "reject"
    unknown_queries: Literal["reject", "skip"] = "reject"

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotator", (self.annotator or "").strip() or None)


@dataclass(frozen=True, kw_only=True)
class JudgmentsImported:
    """Counts of one import of judgments.

    Attributes
    ----------
    added, unchanged, replaced
        New judgments, those that are there already, and those that take another one's place.
    declined
        New judgments that have a reason instead of a grade.
    mapped_lines, unrated_lines
        Lines left out because the map of grades says so, or because they have no grade.
    outside_pool
        Added judgments of answers that no active run returns within the depth; they count in the ideal.
    annotators
        Whose they are.
    columns_left_out
        Names of columns that hold something and are not kept.
    hints
        What the file may not mean, as sentences.
    revision
        The event of the import; None if nothing changed.
    pooled, rated
        Answers in the pool, and how many of them are rated afterwards; None where nothing was written.
    """

    added: int = 0
    unchanged: int = 0
    replaced: int = 0
    declined: int = 0
    skipped_lines: int = 0
    negative_lines: int = 0
    mapped_lines: int = 0
    unrated_lines: int = 0
    repeated: int = 0
    new_documents: int = 0
    outside_pool: int = 0
    annotators: tuple[str, ...] = ()
    columns_left_out: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    revision: int | None = None
    pooled: int | None = None
    rated: int | None = None


NO_GRADE = -1
NO_TIME = -(2**63)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAME_LENGTH = 200


@dataclass(frozen=True)
class JudgmentColumns:
    """The judgments of one file, checked by themselves; all arrays have shape (lines,).

    Attributes
    ----------
    query, document, annotator
        int32: places in `query_ids`, `document_ids` and `annotators`.
    grade
        int32: the grade, -1 where there is a reason instead.
    reason
        int32: see `app.models.Reason`, 0 for none.
    judged_at
        int64: microseconds since 1970, `NO_TIME` where none is given.
    line
        int32: where each is in the file.
    nth
        int32: which of its line's judgments it is, from 0: one line of a JSON file has many.
    """

    file: str
    file_hash: bytes
    query_ids: list[str]
    document_ids: Ids
    annotators: list[str]
    query: Ints
    document: Ints
    annotator: Ints
    grade: Ints
    reason: Ints
    judged_at: Ints
    line: Ints
    nth: Ints
    unknown_lines: int
    negative_lines: int
    mapped_lines: int
    unrated_lines: int
    repeated: int
    # What is wrong with other lines, said together with what the project lacks; such a file is never stored.
    problems: ProblemLog

    def __len__(self) -> int:
        return len(self.line)

    @property
    def has_shared_lines(self) -> bool:
        """Whether lines of the file hold several judgments."""
        return bool(self.nth.any())

    def pair(self, at: int) -> str:
        """Return the ids of a judgment's query and document."""
        return f"{self.query_ids[self.query[at]]} {self.document_ids[self.document[at]]}"

    def line_name(self, at: int) -> str:
        """Return what a judgment's line is called, with a number after the first of the same line."""
        line, nth = int(self.line[at]), int(self.nth[at])
        return f"{line}.{nth}" if nth else str(line)

    def time(self, at: int, default: datetime) -> datetime:
        """Return when a judgment was made."""
        since = int(self.judged_at[at])
        return default if since == NO_TIME else EPOCH + timedelta(microseconds=since)


class _Numbers(dict[str, int]):
    """Each text -> its number in order of appearance."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


class _Builder:
    def __init__(self, annotator: str) -> None:
        self.default = annotator
        self.queries, self.documents, self.annotators = _Numbers(), Ids(), _Numbers()
        self.columns = {
            name: array("q" if name == "judged_at" else "i")
            for name in ("query", "document", "annotator", "grade", "reason", "judged_at", "line", "nth")
        }
        self._line, self._nth = 0, 0

    def count(self, row: JudgmentRow) -> None:
        """Count a row among those of its line; also what is left out or repeats another is counted.

        So a judgment has the same name whatever else of its line the project knows.
        """
        self._nth = self._nth + 1 if row.line == self._line else 0
        self._line = row.line

    def add(self, row: JudgmentRow) -> None:
        for name, value in (
            ("nth", self._nth),
            ("query", self.queries[row.query_id]),
            ("document", self.documents.add(row.document_id)),
            ("annotator", self.annotators[row.annotator or self.default]),
            ("grade", NO_GRADE if row.grade is None else row.grade),
            ("reason", 0 if row.reason is None else Reason[row.reason.upper()]),
            ("judged_at", _microseconds(row.judged_at)),
            ("line", row.line),
        ):
            self.columns[name].append(value)


def _microseconds(moment: datetime | None) -> int:
    return NO_TIME if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


def read_judgment_file(
    file: ImportFile,
    options: JudgmentOptions,
    enough: Enough | None = None,
    keeps: Keeps | None = None,
    other_text: OtherText | None = None,
) -> JudgmentColumns:
    """Return the judgments of a file.

    Parameters
    ----------
    enough
        Says after which ids the file is not read on: then it has a problem that `log_lines` finds.
    keeps
        Says of which queries lines are kept; others are checked one by one and counted.
    other_text
        Tells which texts beside ids of queries are not theirs; see `StoredTexts`.

    :raise FormatError: Something is wrong with the file; all of it is reported.
    """
    log = ProblemLog()
    builder = _Builder(options.annotator or default_annotator(file.name))

    def is_kept(row: JudgmentRow) -> bool:
        builder.count(row)
        return keeps is None or keeps(row.query_id)

    rows = read_judgments(
        file.part,
        file.name,
        log,
        file.format,
        file.columns,
        negative=options.negative,
        grades=options.grades,
        keeps=is_kept,
        other_text=other_text,
    )
    for row in rows:
        builder.add(row)
        if enough is not None and enough(builder.queries, builder.documents):
            log.stopped_at = row.line
            break
    if not builder.queries:
        log.raise_if_any()
    return JudgmentColumns(
        file=file.name,
        file_hash=_hash_of(file, options.grades),
        query_ids=list(builder.queries),
        document_ids=builder.documents,
        annotators=list(builder.annotators),
        unknown_lines=log.left_out["unknown"],
        negative_lines=log.left_out["negative"],
        mapped_lines=log.left_out["mapped"],
        unrated_lines=log.left_out["unrated"],
        repeated=log.left_out["repeated"],
        problems=log,
        **{name: _values_of(column) for name, column in builder.columns.items()},
    )


def _values_of(column: array[int]) -> Ints:
    """Return a column; one that says the same of each line takes no memory."""
    values = np.frombuffer(column, np.dtype(column.typecode))
    first = values[:1].copy()
    return np.broadcast_to(first, len(values)) if len(values) and np.all(values == first) else values


def _hash_of(file: ImportFile, grades: GradeMap | None) -> bytes:
    """Return what makes a repeated import a no-op: the file, and how its grades are read."""
    stored = file.sha256()
    return stored if grades is None else hashlib.sha256(stored + str(grades).encode()).digest()


def default_annotator(file_name: str) -> str:
    """Return whose judgments a file holds when nobody says so."""
    return f"Imported from {Path(file_name).stem}"[:NAME_LENGTH]


NAMESPACE = uuid.UUID("5b0c8a52-94d2-4a4e-8a5f-3f7c0f6d1a27")
NOT_JUDGED = -2


@dataclass(frozen=True)
class CurrentGrades:
    """What annotators' present judgments say, by annotator and candidate.

    Attributes
    ----------
    key
        int64 (pairs,): annotator number * 2^32 + candidate number, ascending.
    grade
        int32 (pairs,): the grade, or -100 minus the reason.
    """

    key: Ints
    grade: Ints

    def at(self, key: Ints) -> Ints:
        """Return what each pair says, `NOT_JUDGED` where it says nothing."""
        if not len(self.key):
            return np.full(len(key), NOT_JUDGED, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(self.key[place] == key, self.grade[place], NOT_JUDGED)


def grade_or_reason(grade: Ints, reason: Ints) -> Ints:
    """Return grade and reason as one number."""
    return np.where(reason > 0, -100 - reason, grade)


def current_grades(session: Session, project_id: int, annotators: list[int]) -> CurrentGrades:
    """Return what some annotators of files, people or machines, say now."""
    wanted = (
        select(
            CurrentJudgment.annotator_id,
            CurrentJudgment.candidate_id,
            func.coalesce(CurrentJudgment.grade, -1),
            func.coalesce(CurrentJudgment.reason, literal(0, SmallInteger)),
        )
        .where(CurrentJudgment.project_id == project_id, CurrentJudgment.annotator_id.in_(annotators))
        .order_by(CurrentJudgment.annotator_id, CurrentJudgment.candidate_id)
    )
    annotator, candidate, grade, reason = read_columns(session, wanted, [np.int32] * 4)
    return CurrentGrades(pairs_of(annotator, candidate), grade_or_reason(grade, reason))


UUID_BYTES = 16
Uuids = np.ndarray[tuple[int], np.dtype[np.bytes_]]


def stored_uuids(session: Session, project_id: int, annotators: list[int]) -> Uuids:
    """Return the ids of all judgments that some annotators ever gave, sorted."""
    wanted = select(Judgment.client_uuid).where(
        Judgment.project_id == project_id, Judgment.annotator_id.in_(annotators)
    )
    stored = bytearray()
    for (own,) in stream_plain(session, wanted):
        stored += own
    return np.sort(uuids_of(stored))


def among(stored: Uuids, own: Uuids) -> Flags:
    """Return which ids are among sorted ones."""
    if not len(stored):
        return np.zeros(len(own), dtype=np.bool_)
    return np.asarray(stored[np.minimum(np.searchsorted(stored, own), len(stored) - 1)] == own)


def uuids_of(packed: bytes | bytearray) -> Uuids:
    """Return ids that follow one another as an array."""
    return np.frombuffer(packed, f"S{UUID_BYTES}")


def uuid_of(file_hash: bytes, line: str, undone: int) -> bytes:
    """Return the id of a line's judgment: the same file gives it again, unless it was undone meanwhile."""
    again = f":again {undone}" if undone else ""
    return uuid.uuid5(NAMESPACE, f"{file_hash.hex()}:{line}{again}").bytes


def times_undone(session: Session, project_id: int, file_hash: bytes) -> tuple[int, int]:
    """Return how often an import of this file was undone, and of any file."""
    kinds = (EventKind.JUDGMENTS_IMPORTED.value, EventKind.JUDGMENTS_UNDONE.value)
    events = session.execute(
        select(Event.revision, Event.kind, Event.payload)
        .where(Event.project_id == project_id, Event.kind.in_(kinds))
        .order_by(Event.revision)
    ).all()
    imports = {
        event.revision
        for event in events
        if event.kind == kinds[0] and event.payload.get("file_hash") == file_hash.hex()
    }
    undone = [event.payload["of"] for event in events if event.kind == kinds[1]]
    return sum(of in imports for of in undone), len(undone)


CLEARED = int(grade_or_reason(np.array([NO_GRADE]), np.array([Reason.CLEARED]))[0])


def log_lines(
    session: Session,
    project: Project,
    found: JudgmentColumns,
    options: JudgmentOptions,
    *,
    known: Flags,
    document: Ints,
) -> None:
    """Log unknown ids, unless they may be added or left out, and grades off the scale.

    Parameters
    ----------
    known
        bool (lines,): whose query the project has.
    document
        int32: the number of each document of the file, -1 for unknown ones.

    :raise ConflictError: The project got the ids while the file was read, which was given up.
    """
    log = found.problems
    if options.unknown_queries == "reject" and not known.all():
        unknown = unknown_ids(
            found.query_ids, found.query[~known], found.line[~known], on_shared_lines=found.has_shared_lines
        )
        log_unknown(session, Query, project.id, log, file=found.file, unknown=unknown)
    if options.unknown_documents == "reject":
        missing = (document == UNKNOWN)[found.document] & known
        unknown = unknown_ids(
            found.document_ids,
            found.document[missing],
            found.line[missing],
            on_shared_lines=found.has_shared_lines,
            beside=(found.query_ids, found.query[missing]),
        )
        log_unknown(session, Document, project.id, log, file=found.file, unknown=unknown)
    _log_off_scale(project, found, log)
    refuse_half_read(log)


def _log_off_scale(project: Project, found: JudgmentColumns, log: ProblemLog) -> None:
    low, high = project.scale_low, project.scale_high
    off = (found.grade != NO_GRADE) & ((found.grade < low) | (found.grade > high))
    reason = message("the grade is not on the project's scale %(low)s-%(high)s", low=low, high=high)
    for at in np.flatnonzero(off).tolist():
        told = reason
        if found.has_shared_lines and log.keeps_more:
            told = in_pair(reason, found.pair(at))
        log.add(Problem(found.file, int(found.line[at]), OFF_SCALE, str(found.grade[at]), told, ""))


def with_map(error: FormatError, file: ImportFile, project: Project) -> FormatError:
    """Return what is wrong with a file; of grades off the scale the remedy is a map of all its grades."""
    if not any(problem.code == OFF_SCALE for problem in error.problems):
        return error
    remedy = remedy_of_grades(
        file.part,
        file.format,
        file.columns,
        low=project.scale_low,
        high=project.scale_high,
        scale="the project's scale",
    )
    problems = [
        replace(problem, remedy=remedy) if problem.code == OFF_SCALE else problem
        for problem in error.problems
    ]
    return FormatError(problems, error.total, error.stopped_at, error.hints)


def grades_told(file: ImportFile, project: Project, options: JudgmentOptions) -> list[FoundGrade]:
    """Return what each grade of a file becomes, best last: as the map says, else the same grade.

    Many numbers are told together, as far as the map makes them one grade.
    """
    written = grades_in(file.part, file.format, file.columns)
    rows = table_of(written, project.scale_low, project.scale_high) if len(written) <= MOST_VALUES else []
    found = [replace(row, proposed=_becomes(row.value, options)) for row in rows]
    if rows:
        return found
    lines: Counter[int | None] = Counter()
    for value, count in written.items():
        lines[_becomes(value, options)] += count
    values = Counter(_becomes(value, options) for value in written)
    return [
        FoundGrade(f"{values[grade]:,} values", lines[grade], grade)
        for grade in sorted(values, key=lambda grade: -1 if grade is None else grade)
    ]


def _becomes(value: str, options: JudgmentOptions) -> int | None:
    key = value_key(value)
    if options.negative == "skip" and key.startswith("-"):
        return None
    return int(key) if options.grades is None else options.grades.target(value)


def refuse_map_off_scale(project: Project, grades: GradeMap | None) -> None:
    """Refuse a map whose own grades the project does not have.

    :raise InvalidError: It has such a grade.
    """
    low, high = project.scale_low, project.scale_high
    off = next((grade for grade in grades.targets if not low <= grade <= high), None) if grades else None
    if off is not None:
        raise InvalidError(
            message(
                "The map of grades has %(grade)s, which is not on the project's scale %(low)s to %(high)s.",
                grade=off,
                low=low,
                high=high,
            ),
            code="off_scale",
            field="map",
            value=str(off),
            remedy=f"Map values to grades from {low} to {high}.",
        )


def log_contradictions(found: JudgmentColumns, lines: Ints, before: Ints) -> None:
    """Log grades that contradict what the same annotator's present judgment says.

    Parameters
    ----------
    lines
        Places of the lines that say something else than before.
    before
        What each of them says now, as `CurrentGrades` tells it.
    """
    for at, grade in zip(lines.tolist(), before.tolist(), strict=True):
        if grade not in {NOT_JUDGED, CLEARED}:
            pair = found.pair(at)
            name = found.annotators[found.annotator[at]]
            reason = (
                message("'%(name)s' has judged this answer with %(grade)s before", name=name, grade=grade)
                if grade >= 0
                else message("'%(name)s' has judged this answer without a grade before", name=name)
            )
            remedy = "Replace the earlier grade with --replace, or import this one as --annotator NAME."
            problem = Problem(found.file, int(found.line[at]), "other-grade", pair, reason, remedy)
            found.problems.add(problem)
