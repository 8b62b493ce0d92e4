"""What an import of judgments refuses: unknown ids, grades off the scale, contradictions of earlier ones.

All goes to the log of the file, so that it is said at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.formats.errors import Problem
from app.models import Document, Query, Reason
from app.services.external_ids import UNKNOWN, log_unknown
from app.services.imported_judgments.columns import NO_GRADE
from app.services.imported_judgments.comparing import NOT_JUDGED, said_by

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.formats.errors import ProblemLog
    from app.models import Project
    from app.scoring.arrays import Flags, Ints
    from app.services.imported_judgments.columns import JudgmentColumns
    from app.services.imported_judgments.options import JudgmentOptions

CLEARED = int(said_by(np.array([NO_GRADE]), np.array([Reason.CLEARED]))[0])


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
    """
    log = found.problems
    if options.unknown_queries == "reject" and not known.all():
        unknown = _unknown(found.query_ids, found.query, ~known, found.line)
        log_unknown(session, Query, project.id, log, file=found.file, unknown=unknown)
    if options.unknown_documents == "reject":
        missing = (document == UNKNOWN)[found.document] & known
        unknown = _unknown(found.document_ids, found.document, missing, found.line)
        log_unknown(session, Document, project.id, log, file=found.file, unknown=unknown)
    _log_off_scale(project, found, log)


def _unknown(ids: list[str], place: Ints, wrong: Flags, line: Ints) -> list[tuple[str, int, int]]:
    """Return (id, first line, lines) of the ids on wrong lines, in order of their lines."""
    places, lines = place[wrong], line[wrong]
    found, first, count = np.unique(places, return_index=True, return_counts=True)
    in_order = np.argsort(first, kind="stable").tolist()
    return [(ids[found[at]], int(lines[first[at]]), int(count[at])) for at in in_order]


def _log_off_scale(project: Project, found: JudgmentColumns, log: ProblemLog) -> None:
    low, high = project.scale_low, project.scale_high
    off = (found.grade != NO_GRADE) & ((found.grade < low) | (found.grade > high))
    reason = f"the grade is off the project's scale {low}-{high}"
    for at in np.flatnonzero(off).tolist():
        remedy = "Map the grades of the file to this scale."
        log.add(Problem(found.file, int(found.line[at]), "off-scale", str(found.grade[at]), reason, remedy))


def log_contradictions(found: JudgmentColumns, lines: Ints, before: Ints) -> None:
    """Log grades that contradict what the same annotator's present judgment says.

    Parameters
    ----------
    lines
        Places of the lines that say something else than before.
    before
        What each of them says now, as `comparing.Standing` tells it.
    """
    for at, said in zip(lines.tolist(), before.tolist(), strict=True):
        if said not in {NOT_JUDGED, CLEARED}:
            pair = f"{found.query_ids[found.query[at]]} {found.document_ids[found.document[at]]}"
            name = found.annotators[found.annotator[at]]
            reason = f"'{name}' has judged this answer {_told(said)} before"
            remedy = "Replace the earlier grade with --replace, or import this one as --annotator NAME."
            problem = Problem(found.file, int(found.line[at]), "other-grade", pair, reason, remedy)
            found.problems.add(problem)


def _told(said: int) -> str:
    return f"with {said}" if said >= 0 else "without a grade"
