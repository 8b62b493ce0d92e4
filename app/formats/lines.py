"""All lines of a run or of ratings in memory, for `score-files`."""

from __future__ import annotations

from app.formats.errors import ProblemLog
from app.formats.run_columns import TrecLines, trec_lines
from app.formats.schema import TREC_COLUMNS, Kind
from app.formats.source import Source, Stream


def read_lines(stream: Stream, name: str, log: ProblemLog, kind: Kind, *, best: bool = False) -> TrecLines:
    """Return the lines of a run or of ratings in any format; see `trec_lines`."""
    source = Source(stream, name, log)
    first = source.head.lstrip().partition(b"\n")[0]
    if len(first.split()) == TREC_COLUMNS[kind] and not any(sign in first for sign in (b"{", b",", b"qid:")):
        return trec_lines(source, kind, best=best)
    # Loaded when needed: what knows the other formats takes longer than the scores of a small TREC file.
    from app.formats.runs import lines_in

    return lines_in(source, kind, best=best)
