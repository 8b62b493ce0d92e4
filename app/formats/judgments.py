"""Judgments: TREC qrels, CSV, TSV and JSON Lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from app.formats.errors import BadValueError
from app.formats.records import checked_rows, records_of
from app.formats.repeats import Repeats
from app.formats.rows import JudgmentRow
from app.formats.source import Source
from app.formats.values import grade_of, id_of, name_of, reason_of, time_of
from app.formats.writing import write_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from app.formats.errors import ProblemLog
    from app.formats.schema import Format
    from app.formats.source import Stream


def read_judgments(
    stream: Stream,
    name: str,
    log: ProblemLog,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    negative: Literal["reject", "skip", "keep"] = "reject",
) -> Iterator[JudgmentRow]:
    """Yield the judgments of a file; problems go to the log, and so does the count of skipped lines.

    Negative grades are refused, skipped and counted, or kept as they stand. Whether a grade is on the
    project's scale is not known here.
    """
    source = Source(stream, name, log)

    def convert(line: int, fields: dict[str, Any], _others: dict[str, Any]) -> JudgmentRow | None:
        try:
            return _judgment(line, fields, negative=negative == "keep")
        except BadValueError as error:
            if error.code != "negative" or negative == "reject":
                raise
            log.left_out["negative"] += 1
            return None

    records = records_of(source, "judgments", format, columns)
    repeats = Repeats(("query_id", "document_id", "annotator"), ("grade", "reason", "judged_at"))
    yield from checked_rows(source, records, convert, repeats)


def _judgment(line: int, fields: dict[str, Any], *, negative: bool) -> JudgmentRow:
    raw = fields.get("grade")
    grade = None if raw is None or raw == "" else grade_of(raw, negative=negative)
    reason = reason_of(fields.get("reason"))
    if grade is None and reason is None:
        raise BadValueError("grade", "", "there is no grade", "Give a grade, or a reason why there is none.")
    if grade is not None and reason is not None:
        raise BadValueError("grade", reason, "there is a grade and a reason for having none", "Keep one.")
    return JudgmentRow(
        query_id=id_of(fields["query_id"], "query id"),
        document_id=id_of(fields["doc_id"], "document id"),
        annotator=name_of(fields.get("annotator"), "annotator"),
        grade=grade,
        reason=reason,
        judged_at=time_of(fields.get("judged_at")),
        line=line,
    )


def write_judgments(
    rows: Iterable[JudgmentRow], format: Format, *, spreadsheet: bool = False
) -> Iterator[str]:
    """Yield the lines of a table of judgments."""
    names = ("query_id", "doc_id", "annotator", "grade", "reason", "judged_at")
    cells = (
        (row.query_id, row.document_id, row.annotator, row.grade, row.reason, row.judged_at) for row in rows
    )
    return write_table(names, cells, format, spreadsheet=spreadsheet)
