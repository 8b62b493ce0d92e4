"""Judgments: TREC qrels, CSV, TSV and JSON Lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from app.formats.damage import watched
from app.formats.errors import BadValueError, ProblemLog
from app.formats.faults import Faults
from app.formats.grades import GradeMap, suggested_map, table_of, value_key
from app.formats.query_texts import OtherText, QueryText
from app.formats.records import checked_rows, naming_left_out, records_of
from app.formats.repeats import Repeats
from app.formats.rows import JudgmentRow
from app.formats.schema import Format
from app.formats.sniff import guess_of
from app.formats.source import Source, Stream
from app.formats.trec import TREC_REMEDIES
from app.formats.values import grade_of, id_of, name_of, reason_of, time_of
from app.formats.writing import write_table
from app.sentences import message

# As many as a log keeps problems.
MOST_FAULTY = 100
MOST_KNOWN = 100_000
LONGEST_LABEL = 100


def read_judgments(
    stream: Stream,
    name: str,
    log: ProblemLog,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    negative: Literal["reject", "skip", "keep"] = "reject",
    grades: GradeMap | None = None,
    keeps: Callable[[JudgmentRow], bool] | None = None,
    other_text: OtherText | None = None,
) -> Iterator[JudgmentRow]:
    """Return the judgments of a file; problems go to the log, and so does the count of skipped lines.

    Negative grades are refused, skipped and counted, or kept as they stand. `grades` says what each value
    of the file is on another scale. Whether a grade is on the project's scale is not known here.
    `keeps` is asked of every sound row, in the order of the file: one that it leaves out is counted, and may
    repeat or contradict others. `other_text` is as for `keyed_records`.
    """
    source = Source(stream, name, log)
    return judgments_in(
        source, format, columns, negative=negative, grades=grades, keeps=keeps, other_text=other_text
    )


def judgments_in(
    source: Source,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    negative: Literal["reject", "skip", "keep"] = "reject",
    grades: GradeMap | None = None,
    keeps: Callable[[JudgmentRow], bool] | None = None,
    other_text: OtherText | None = None,
) -> Iterator[JudgmentRow]:
    """Yield the judgments of a source, as `read_judgments` does."""
    # Lines with another fault whose grade may be off the scale too: who knows the scale reports both.
    faulty: list[JudgmentRow] = []

    def convert(line: int, fields: dict[str, Any], _others: dict[str, Any]) -> JudgmentRow | None:
        raw = fields.get("grade")
        if grades is not None or not raw:  # most lines have a grade that is read as it is
            if why := _why_left_out(fields, grades, skips_negative=negative == "skip"):
                source.log.left_out[why] += 1
                return None
            if grades is not None and raw is not None and raw != "":
                fields = {**fields, "grade": grades.target(raw)}
        row, faults = _judgment(line, fields, negative=negative == "keep")
        if negative == "skip" and any(fault.code == "negative" for fault in faults):
            source.log.left_out["negative"] += 1
            return None
        for fault in faults:
            source.refuse(fault, line)
        if not faults:
            if keeps is None or row is None or keeps(row):
                return row
            source.log.left_out["unknown"] += 1
            return None
        if row is not None and row.grade is not None and len(faulty) < MOST_FAULTY:
            faulty.append(row)
        return None

    records = naming_left_out(
        # Who says what each value is has seen that they are ratings.
        source,
        records_of(
            source, "judgments", format, columns, is_certain=grades is not None, other_text=other_text
        ),
    )
    repeats = Repeats(
        ("query_id", "document_id", "annotator"),
        ("grade", "reason", "judged_at"),
        message("%(line)s gives this answer another rating"),
    )
    rows = checked_rows(source, records, convert, repeats)
    yield from watched(rows, source, lambda row: (row.query_id, row.document_id))
    yield from faulty


def grades_in(
    stream: Stream, format: Format | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Return the different grades of a file as they are written -> on how many lines; empty ones are none.

    Of more than 100,000 different ones some are missing: no table can show so many.
    """
    lines: dict[str, int] = {}
    written: dict[str, str] = {}
    for _, fields, _ in records_of(Source(stream, "file", ProblemLog()), "judgments", format, columns):
        raw = fields.get("grade")
        key = raw if isinstance(raw, str) and raw in lines else value_key(raw)
        if key and (key in lines or len(lines) < MOST_KNOWN) and len(key) <= LONGEST_LABEL:
            lines[key] = lines.get(key, 0) + 1
            written.setdefault(key, str(raw).strip())
    return {written[key]: count for key, count in lines.items()}


def remedy_of_grades(
    stream: Stream,
    format: Format | None,
    columns: Mapping[str, str] | None,
    *,
    low: int,
    high: int,
    scale: str,
) -> str:
    """Return what to do about grades that are none on a scale: a map of all grades of the file."""
    written = grades_in(stream, format, columns)
    shown = suggested_map(written, low, high)
    is_known = any(row.proposed is not None for row in table_of(written, low, high))
    guess = guess_of(Source(stream, "file", ProblemLog()), "judgments", format)
    if guess.format == "trec" and not is_known:
        # Columns in another order are likelier than labels that nobody knows.
        columns_first = TREC_REMEDIES["judgments"].removesuffix(".")
        return f"{columns_first}; or name the grades with --map {shown}."
    return f"Say what each grade of the file is on {scale}, such as --map {shown}."


def _why_left_out(fields: dict[str, Any], grades: GradeMap | None, *, skips_negative: bool) -> str | None:
    """Return what a line without a judgment is counted as, None for all others."""
    raw = fields.get("grade")
    is_open = raw is None or raw == ""
    has_text = "query" in fields or isinstance(fields["query_id"], QueryText)
    if is_open and has_text and not fields.get("reason"):
        return "unrated"  # files with the texts of queries list what is not rated, too
    if is_open or grades is None:
        return None
    try:
        return "mapped" if grades.target(raw) is None else None
    except BadValueError:
        if skips_negative and value_key(raw).startswith("-"):
            return "negative"
        raise


def _judgment(
    line: int, fields: dict[str, Any], *, negative: bool
) -> tuple[JudgmentRow | None, list[BadValueError]]:
    """Return the row, None without its ids, and everything that is wrong with the line."""
    faults = Faults()
    raw = fields.get("grade")
    grade = None if raw is None or raw == "" else faults.taken(grade_of, raw, negative=negative)
    reason = faults.taken(reason_of, fields.get("reason"))
    if not faults.found and grade is None and reason is None:
        faults.add("grade", "", "there is no grade", "Give a grade, or leave the line out.")
    if grade is not None and reason is not None:
        faults.add("grade", reason, "there is a grade and a reason for “can’t judge”", "Keep one.")
    query_id = faults.taken(id_of, fields["query_id"], "query id")
    document_id = faults.taken(id_of, fields["doc_id"], "document id")
    person = fields.get("annotator")
    # Other programs number people.
    annotator = faults.taken(name_of, str(person) if type(person) is int else person, "annotator")
    judged_at = faults.taken(time_of, fields.get("judged_at"))
    if query_id is None or document_id is None:
        return None, faults.found
    return JudgmentRow(query_id, document_id, annotator, grade, reason, judged_at, line), faults.found


def write_judgments(rows: Iterable[JudgmentRow], format: Format, *, data: bool = False) -> Iterator[str]:
    """Yield the lines of a table of judgments."""
    names = ("query_id", "doc_id", "annotator", "grade", "reason", "judged_at")
    cells = (
        (row.query_id, row.document_id, row.annotator, row.grade, row.reason, row.judged_at) for row in rows
    )
    return write_table(names, cells, format, data=data)
