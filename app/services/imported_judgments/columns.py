"""A file of judgments in columns: every id and name once, numbers in arrays."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.formats.errors import ProblemLog
from app.formats.judgments import read_judgments
from app.models import Reason

if TYPE_CHECKING:
    from app.formats.rows import JudgmentRow
    from app.scoring.arrays import Ints
    from app.services.import_file import ImportFile
    from app.services.imported_judgments.options import JudgmentOptions

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
        int32: the grade, -1 where a reason stands instead.
    reason
        int32: see `app.models.Reason`, 0 for none.
    judged_at
        int64: microseconds since 1970, `NO_TIME` where nothing is said.
    line
        int32: where each stands in the file.
    """

    file: str
    file_hash: bytes
    query_ids: list[str]
    document_ids: list[str]
    annotators: list[str]
    query: Ints
    document: Ints
    annotator: Ints
    grade: Ints
    reason: Ints
    judged_at: Ints
    line: Ints
    negative_lines: int
    repeated: int
    # What is wrong with other lines, said together with what the project lacks; such a file is never stored.
    problems: ProblemLog

    def __len__(self) -> int:
        return len(self.line)

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
        self.queries, self.documents, self.annotators = _Numbers(), _Numbers(), _Numbers()
        self.columns = {
            name: array("q")
            for name in ("query", "document", "annotator", "grade", "reason", "judged_at", "line")
        }

    def add(self, row: JudgmentRow) -> None:
        for name, value in (
            ("query", self.queries[row.query_id]),
            ("document", self.documents[row.document_id]),
            ("annotator", self.annotators[row.annotator or self.default]),
            ("grade", NO_GRADE if row.grade is None else row.grade),
            ("reason", 0 if row.reason is None else Reason[row.reason.upper()]),
            ("judged_at", _microseconds(row.judged_at)),
            ("line", row.line),
        ):
            self.columns[name].append(value)


def _microseconds(moment: datetime | None) -> int:
    return NO_TIME if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


def read_judgment_file(file: ImportFile, options: JudgmentOptions) -> JudgmentColumns:
    """Return the judgments of a file.

    Raises
    ------
    FormatError
        Something is wrong with the file; all of it is said.
    """
    log = ProblemLog()
    builder = _Builder(options.annotator or default_annotator(file.name))
    rows = read_judgments(file.content, file.name, log, file.format, file.columns, negative=options.negative)
    for row in rows:
        builder.add(row)
    if not builder.queries:
        log.raise_if_any()
    return JudgmentColumns(
        file=file.name,
        file_hash=file.sha256(),
        query_ids=list(builder.queries),
        document_ids=list(builder.documents),
        annotators=list(builder.annotators),
        negative_lines=log.left_out["negative"],
        repeated=log.left_out["repeated"],
        problems=log,
        **{name: np.frombuffer(column, dtype=np.int64) for name, column in builder.columns.items()},
    )


def default_annotator(file_name: str) -> str:
    """Return whose judgments a file holds when nobody says so."""
    return f"Imported from {Path(file_name).stem}"[:NAME_LENGTH]
