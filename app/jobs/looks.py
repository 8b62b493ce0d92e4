"""Looks as doors take them: whoever reads first after a milestone was reached records it.

Nothing here is on the path of a rating. The test is worked out before the write session opens, which then
holds the ledger's head for two inserts; people who read or rate meanwhile wait for no arithmetic.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy.exc import OperationalError

from app.services.comparison import Basis, basis_of, find_due, record_due
from app.services.evidence import evidence_of

if TYPE_CHECKING:
    from app.database import Database
    from app.services.comparison import DueWork

log = logging.getLogger(__name__)


def take_due_look(database: Database, project_id: int) -> Basis:
    """Return the scores of the current runs, after recording the look that was due, if one was.

    Raises
    ------
    NotFoundError
        There is no such project.
    """
    basis = basis_of(evidence_of(database, project_id))
    due = find_due(basis)
    if due is None or not _record(database, due):
        return basis
    return basis_of(evidence_of(database, project_id))


def _record(database: Database, due: DueWork) -> bool:
    try:
        with database.write() as session:
            return record_due(session, due)
    except OperationalError as error:
        # A database that is busy or may only be read costs the page nothing: the next reader records it.
        log.warning("a look could not be recorded: %s", error.orig)
        return False
