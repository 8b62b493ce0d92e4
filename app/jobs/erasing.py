"""Erase a person to the last byte: the account, the free space of the database's files, and restored backups.

The list `erased` beside the database, and beside its backups, holds the random numbers of the accounts that
were erased, and nothing else: a backup made before an erasure is restored without them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.database import Database, reason_of
from app.models import Person
from app.services.accounts.erasing import (
    REWRITTEN,
    erase_person,
    is_cleaning_due,
    note_cleaning,
)
from app.services.bulk import table_of
from config import Settings

log = logging.getLogger(__name__)
LIST = "erased"
# Of these PostgreSQL rewrites the files.
TABLES = sorted(
    {table_of(model).name for model, _ in REWRITTEN}
    | {"person", "audit_entry", "open_session", "organisation_identity", "unconfirmed_password"}
)


def lists_of(settings: Settings) -> list[Path]:
    """Return the folders that keep a list of those who were erased."""
    return [folder for folder in (settings.instance_path, settings.backup_path) if folder is not None]


def erase(
    database: Database,
    folders: Iterable[Path],
    find: Callable[[Session], Person],
    *,
    actor_id: int | None = None,
) -> int:
    """Erase a person, and return how many entries of the ledger were rewritten.

    Their name is still in free space of the files until `clean`.

    Parameters
    ----------
    folders
        Where the list of those who were erased is kept.
    find
        Returns the person, who may be erased; asked in the transaction that erases them.
    """
    with database.write() as session:
        person = find(session)
        # Before the commit: restoring a backup must know of everybody who was erased.
        for folder in folders:
            _remember(folder, person.public_id)
        return len(erase_person(session, person, actor_id=actor_id).events)


def clean(database: Database) -> bool:
    """Rewrite the files if they may hold something of people who were erased; return whether all is clean.

    What is in the way now is done at the next call.
    """
    with database.read() as session:
        if not is_cleaning_due(session):
            return True
    try:
        if not database.compact(TABLES):
            return False
    except DBAPIError as error:
        log.warning("what was erased is still in free space of the database's files: %s", reason_of(error))
        return False
    with database.write() as session:
        note_cleaning(session)
    return True


def erase_again(database: Database, folders: Iterable[Path]) -> None:
    """Erase whoever was erased before, in a database that was just restored from an older backup."""
    known = {number for folder in folders for number in _remembered(folder)}
    with database.write() as session:
        here = select(Person).where(Person.erased_at.is_(None))
        for person in session.scalars(here).all():
            if person.public_id in known:
                erase_person(session, person)
    clean(database)


def _remember(folder: Path, public_id: str) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / LIST, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{public_id}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remembered(folder: Path) -> list[str]:
    with suppress(OSError):
        return (folder / LIST).read_text(encoding="ascii", errors="replace").split()
    return []
