"""Runs: TREC, CSV, TSV and JSON Lines, all as the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from app.formats.damage import look_at_ids
from app.formats.errors import BadValueError, ProblemLog
from app.formats.faults import Faults
from app.formats.grades import GradeMap
from app.formats.judgments import judgments_in
from app.formats.query_texts import OtherText
from app.formats.records import format_of, keyed_records, naming_left_out
from app.formats.rows import Record, RunRow
from app.formats.run_columns import ColumnBuilder, Enough, Keeps, RunColumns, TrecLines, lines_of, trec_lines
from app.formats.schema import Format, Kind
from app.formats.sniff import NO_HINT, SAMPLE_BYTES, trec_kind
from app.formats.source import Source, Stream
from app.formats.trec import NO_RANK, TrecReader
from app.formats.values import are_few, id_of, rank_of, score_of
from app.formats.writing import write_table
from app.sentences import Message, message

HIGHEST_SHARE = 100
_AS_SCORES = message(
    "The scores take few different values. If they are ratings, import the file as ratings (import qrels)."
)
Value = TypeVar("Value", int, float, str)


def read_run_columns(
    stream: Stream,
    name: str,
    log: ProblemLog,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    enough: Enough | None = None,
    keeps: Keeps | None = None,
    best: bool = False,
    other_text: OtherText | None = None,
) -> RunColumns:
    """Return the lines of a run file in any format; problems go to the log, and then it must not be used.

    `best` keeps a document that occurs twice in a list at its best place; else that is a problem.
    Where `enough` says so, the file is not read on, and the log says at which line. Lines of queries that
    `keeps` leaves out are checked one by one and are not among the columns. `other_text` is as for
    `keyed_records`.
    """
    source = Source(stream, name, log)
    guess = format_of(source, "run", format, columns)
    if guess is None:
        builder = ColumnBuilder()
    elif guess.format == "trec":
        builder, reader = ColumnBuilder(has_scores=True, keeps=keeps), TrecReader(source, "run")
        for block in reader.blocks():
            builder.take(block)
            if enough is not None and enough(builder.queries, builder.documents):
                log.stopped_at = builder.line[-1]
                break
        builder.tag = reader.tag
    else:
        records = keyed_records(source, guess, "run", columns, other_text)
        builder = _builder_of(source, records, enough, keeps)
    if not builder.line and not builder.lines_left_out:
        source.refuse_empty()
    look_at_ids(source, builder.queries, builder.documents)
    if not (format or columns):
        source.log.hint(_hint_of_ratings(builder, source.log))
    return builder.columns(source, best=best)


def lines_in(
    source: Source,
    kind: Kind,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    best: bool = False,
    grades: GradeMap | None = None,
) -> TrecLines:
    """Return the lines of a run or of ratings in any format, as `trec_lines` does.

    `grades` says what each value of a file of ratings is on another scale.
    """
    first = source.head.lstrip()[:SAMPLE_BYTES].partition(b"\n")[0].decode("utf-8", "replace")
    if not (format or columns or grades) and trec_kind([first]) == kind:
        return trec_lines(source, kind, best=best)
    guess = format_of(source, kind, format, columns, is_certain=grades is not None)
    if guess is not None and guess.format == "trec" and grades is None:
        return trec_lines(source, kind, best=best)
    if guess is None:
        builder = ColumnBuilder()
    elif kind == "run":
        builder = _builder_of(source, keyed_records(source, guess, kind, columns))
    else:
        builder = _ratings_of(source, format, columns, grades)
    if not builder.line:
        source.refuse_empty()
    if kind == "run" and not (format or columns):
        source.log.hint(_hint_of_ratings(builder, source.log))
    return lines_of(builder.columns(source, best=best))


def _hint_of_ratings(builder: ColumnBuilder, log: ProblemLog) -> Message:
    """Return what is assumed of scores that may be ratings as well; empty where something tells."""
    if any(problem.code == "score" for problem in log.problems):
        return NO_HINT  # not all of them were read
    score, rank = np.frombuffer(builder.score), np.frombuffer(builder.rank, np.intc)
    is_named = builder.tag is not None or not builder.has_scores or bool(np.any(rank != NO_RANK))
    if is_named or not len(score) or score.min() < 0 or score.max() > HIGHEST_SHARE:
        return NO_HINT
    return _AS_SCORES if are_few(len(np.unique(score)), len(score)) else NO_HINT


def _ratings_of(
    source: Source, format: Format | None, columns: Mapping[str, str] | None, grades: GradeMap | None
) -> ColumnBuilder:
    """Return ratings as a run whose scores are the grades."""
    builder = ColumnBuilder(has_scores=True, kind="judgments")
    for row in judgments_in(source, format, columns, negative="keep", grades=grades):
        if row.grade is not None:
            builder.add(row.line, row.query_id, row.document_id, None, row.grade)
    return builder


def write_run(rows: Iterable[RunRow], format: Format, *, data: bool = False) -> Iterator[str]:
    """Yield the lines of a run as a table; `write_trec_run` writes the other format."""
    names = ("query_id", "doc_id", "rank", "score")
    cells = ((row.query_id, row.document_id, row.rank, row.score) for row in rows)
    return write_table(names, cells, format, data=data)


def _builder_of(
    source: Source, records: Iterator[Record], enough: Enough | None = None, keeps: Keeps | None = None
) -> ColumnBuilder:
    builder = ColumnBuilder(keeps=keeps)
    for line, fields, _ in naming_left_out(source, records):
        try:
            _take(builder, line, fields)
        except BadValueError:
            _refuse(source, builder, line, fields)
        if enough is not None and enough(builder.queries, builder.documents):
            source.log.stopped_at = line
            break
    return builder


def _take(builder: ColumnBuilder, line: int, fields: dict[str, Any]) -> None:
    query, document, tag = fields["query_id"], fields["doc_id"], _given(_tag_of, fields.get("tag"))
    builder.check_tag(tag)
    builder.add(
        line,
        # The builder checks texts, each once; what else JSON may hold is checked here.
        query if isinstance(query, str) else id_of(query, "query id"),
        document if isinstance(document, str) else id_of(document, "document id"),
        _given(rank_of, fields.get("rank")),
        _given(score_of, fields.get("score")),
    )
    # That of a line that is refused says nothing about the others.
    builder.tag = builder.tag or tag


def _given(read: Callable[[object], Value], raw: object) -> Value | None:
    return None if raw is None or raw == "" else read(raw)


def _tag_of(raw: object) -> str:
    return id_of(raw, "run tag")


def _refuse(source: Source, builder: ColumnBuilder, line: int, fields: dict[str, Any]) -> None:
    """Look again at a line with a fault: the quick way stops at the first one."""
    faults = Faults()
    query = faults.taken(id_of, fields["query_id"], "query id")
    document = faults.taken(id_of, fields["doc_id"], "document id")
    ids = len(faults.found)
    rank = faults.taken(_given, rank_of, fields.get("rank"))
    score = faults.taken(_given, score_of, fields.get("score"))
    if len(faults.found) == ids:
        faults.taken(builder.check_order, rank, score)
    faults.taken(builder.check_tag, faults.taken(_given, _tag_of, fields.get("tag")))
    for fault in faults.found:
        source.refuse(fault, line)
    if query is not None and document is not None:
        builder.add_pair(line, query, document)
