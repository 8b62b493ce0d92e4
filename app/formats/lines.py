"""All lines of a run or of ratings in memory, for `score-files`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.formats.errors import BadValueError, ProblemLog
from app.formats.inflate import ZIP_MAGIC
from app.formats.run_columns import TrecLines, trec_lines
from app.formats.schema import TREC_COLUMNS, Format, Kind
from app.formats.source import Part, Source, Stream
from app.formats.values import OFF_SCALE

if TYPE_CHECKING:
    from app.formats.grades import GradeMap


@dataclass(frozen=True)
class Reading:
    """What somebody said of how to read a file; see `read_judgments`."""

    format: Format | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    grades: GradeMap | None = None


GUESSED = Reading()


def read_lines(
    stream: Stream,
    name: str,
    log: ProblemLog,
    kind: Kind,
    *,
    best: bool = False,
    how: Reading = GUESSED,
) -> TrecLines:
    """Return the lines of a run or of ratings in any format; see `trec_lines`."""
    part = _part_of(stream, name, kind, how)
    source = Source(part, name, log)
    first = source.head.lstrip().partition(b"\n")[0]
    is_plain = not (how.format or how.columns or how.grades)
    looks_plain = len(first.split()) == TREC_COLUMNS[kind] and first.count(b"\t") in {
        0,
        TREC_COLUMNS[kind] - 1,
    }
    if is_plain and looks_plain and not any(sign in first for sign in (b"{", b",", b"qid:")):
        before = log.total, len(log.problems)
        found = trec_lines(source, kind, best=best)
        if log.total > before[0]:
            _name_other(source, kind, before)
        return found
    # Loaded when needed: what knows the other formats takes longer than the scores of a small TREC file.
    from app.formats.runs import lines_in

    return lines_in(source, kind, how.format, how.columns, best=best, grades=how.grades)


def offer_map(stream: Stream, name: str, log: ProblemLog, how: Reading, *, low: int, high: int) -> None:
    """Give the grades of a file that are none the remedy of a map from all its values to a scale."""
    if not any(problem.code == OFF_SCALE for problem in log.problems):
        return
    from app.formats.judgments import remedy_of_grades

    part = _part_of(stream, name, "judgments", how)
    remedy = remedy_of_grades(part, how.format, how.columns, low=low, high=high, scale="the scale")
    log.problems = [
        dataclasses.replace(problem, remedy=remedy) if problem.code == OFF_SCALE else problem
        for problem in log.problems
    ]


def _part_of(stream: Stream, name: str, kind: Kind, how: Reading) -> Part:
    part = stream if isinstance(stream, Part) else Part(stream)
    return dataclasses.replace(part, members=how.members) if how.members else _part_for(kind, part, name)


def _name_other(source: Source, kind: Kind, before: tuple[int, int]) -> None:
    """Say of a file with problems what it is, where it is of another kind, instead of what its lines lack."""
    from app.formats.sniff import guess_of

    guess, log = guess_of(source, kind), source.log
    if guess.refusal is not None:
        log.total = before[0]
        del log.problems[before[1] :]
        source.refuse(guess.refusal, None)


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
