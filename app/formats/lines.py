"""All lines of a run or of ratings in memory, for `score-files`."""

from __future__ import annotations

import dataclasses
import os
from contextlib import suppress
from pathlib import Path

from app.formats.errors import BadValueError, ProblemLog
from app.formats.inflate import ZIP_MAGIC
from app.formats.run_columns import TrecLines, trec_lines
from app.formats.schema import TREC_COLUMNS, Kind
from app.formats.source import Part, Source, Stream


def read_lines(stream: Stream, name: str, log: ProblemLog, kind: Kind, *, best: bool = False) -> TrecLines:
    """Return the lines of a run or of ratings in any format; see `trec_lines`."""
    part = stream if isinstance(stream, Part) else Part(stream)
    source = Source(_part_for(kind, part, name), name, log)
    first = source.head.lstrip().partition(b"\n")[0]
    if len(first.split()) == TREC_COLUMNS[kind] and not any(sign in first for sign in (b"{", b",", b"qid:")):
        return trec_lines(source, kind, best=best)
    # Loaded when needed: what knows the other formats takes longer than the scores of a small TREC file.
    from app.formats.runs import lines_in

    return lines_in(source, kind, best=best)


def _part_for(kind: Kind, part: Part, name: str) -> Part:
    """Return what of an archive of several kinds is of this kind; what is wrong with it is found later."""
    if not isinstance(part.stream, str | os.PathLike):
        return part
    with suppress(OSError, BadValueError):
        with Path(part.stream).open("rb") as file:
            if file.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
                return part
        from app.formats.recognise import members_for

        return dataclasses.replace(part, members=members_for(part.stream, name, kind))
    return part
