"""Write a project into one file, from which any site makes it again with every score at every revision.

Rows are streamed from one snapshot, so memory is bounded and people rate meanwhile; kept in memory are the
numbers of the rows that others name.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Column, ColumnElement, LargeBinary, Table, func, select
from sqlalchemy.orm import Session

from app.database import Database
from app.formats.project_files import ProjectWriter
from app.jobs.backups import draft_of, sync
from app.jobs.copying import is_json, rows_of
from app.jobs.project_rows import (
    RATING_KINDS,
    TABLES,
    columns_of,
    is_revision,
    numbered_tables,
    reference_of,
    tables_of_a_project,
    with_numbers,
)
from app.jobs.steps import Progress, nothing
from app.models import Event, Person, PersonKind, Project, Run, now_utc
from app.models.base import UtcTime
from app.scoring.arrays import Ints
from app.services.accounts.erasing import REWRITTEN, pattern_of, replaced
from app.services.bulk import read_integers, table_of
from app.services.collection.pool import is_unused
from app.services.collection.rankers import is_unpublished
from app.services.errors import ConflictError
from app.services.ledger import head_of
from app.services.projects.projects import get_project
from app.services.projects.purging import belongs_to

SOMEBODY = "somebody"
# The same texts as when a person is erased.
WRITTEN_BY_PEOPLE = {(table_of(model).name, name) for model, name in REWRITTEN}
Maker = Callable[[dict[str, tuple[Any, ...]]], Sequence[Any]]
# What people are called where their names stay here; files of ratings are often named after people.
PSEUDONYMS: dict[str, str] = {PersonKind.PERSON: "Person", PersonKind.IMPORTED: "Imported ratings"}


def export_project(
    database: Database,
    slug: str,
    path: Path,
    *,
    by_email: bool = False,
    replace: bool = False,
    progress: Progress = nothing,
) -> int:
    """Write a project into a file, and return the number of the project.

    Parameters
    ----------
    by_email
        Write names and addresses of people; otherwise they are pseudonyms.
    replace
        Take the place of a file that is there already.

    :raise NotFoundError: There is no such project.
    :raise ConflictError: There is such a file already, or it cannot be written.
    """
    if path.exists() and not (replace and path.is_file()):
        raise ConflictError(f"There is already a file {path}: name another, or add --force to replace it.")
    with database.read() as session:
        project = get_project(session, slug)
        try:
            with draft_of(path) as draft:
                write_project(session, project, draft, by_email=by_email, progress=progress)
                sync(draft)
                draft.replace(path)
                sync(path.parent)
        except OSError as error:
            raise ConflictError(f"{path} cannot be written: {error.strerror or error}.") from error
        return project.id


def write_project(
    session: Session,
    project: Project,
    path: Path,
    *,
    by_email: bool,
    with_ratings: bool = True,
    progress: Progress = nothing,
) -> None:
    """Write a project into a file that nobody reads yet; progress is in rows."""
    export = _Export(session, project, by_email=by_email, with_ratings=with_ratings)
    head = {
        "slug": project.slug,
        "people": "e-mail" if by_email else "pseudonyms",
        "revision": export.numbers.revisions([head_of(session, project.id)])[0],
        "written_at": now_utc().isoformat(),
    }
    tables = tables_of_a_project(with_ratings=with_ratings)
    done, total = 0, sum(map(export.count, tables))
    with path.open("wb") as file:
        writer = ProjectWriter(file, head)
        for table in tables:
            columns = columns_of(table)
            writer.table(table.name, [column.name for column in columns])
            for rows in export.rows(table, columns):
                writer.rows(rows)
                done += len(rows)
                progress(done, total)
        writer.close()


class _Export:
    """The rows of one project, with places for numbers."""

    def __init__(self, session: Session, project: Project, *, by_email: bool, with_ratings: bool) -> None:
        self._session, self._project_id = session, project.id
        self._with_ratings = with_ratings
        self._people = self._numbers_of_people()
        self._hides_people = not by_email
        self._names = None if by_email else self._pattern_of_names()
        known = {name: self._known(TABLES[name]) for name in numbered_tables()}
        self.numbers = _Places(known, None if with_ratings else self._kept_revisions())

    def count(self, table: Table) -> int:
        """Return how many rows of a table go into the file."""
        return self._session.scalar(select(func.count()).select_from(table).where(*self._which(table))) or 0

    def rows(self, table: Table, columns: Sequence[Column[Any]]) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a table in parts."""
        makers = [self._without_names(column, self._maker(column)) for column in columns]
        names = [column.name for column in columns]
        for part in rows_of(self._session.connection(), columns, *self._which(table)):
            named = dict(zip(names, zip(*part, strict=True), strict=True))
            rows = list(zip(*(make(named) for make in makers), strict=True))
            yield _pseudonyms(rows) if self._hides_people and table.name == "person" else rows

    def _without_names(self, column: Column[Any], make: Maker) -> Maker:
        """Return what makes the same values without the names of people, where people wrote them."""
        names = self._names
        if names is None or (column.table.name, column.name) not in WRITTEN_BY_PEOPLE:
            return make
        return lambda named: [replaced(value, names, SOMEBODY) for value in make(named)]

    def _pattern_of_names(self) -> re.Pattern[str] | None:
        people = self._session.execute(select(Person.name, Person.email).where(Person.id.in_(self._people)))
        return pattern_of([word for person in people for word in person if word])

    def _which(self, table: Table) -> list[ColumnElement[bool]]:
        if table.name == "project":
            return [table.c.id == self._project_id]
        if table.name == "person":
            return [table.c.id.in_(self._people)]
        belongs = belongs_to(table, self._project_id)
        assert belongs is not None
        which = [belongs]
        if "run_id" in table.c or table.name == "run":
            # What is being imported just now is no part of the project.
            published = select(Run.id).where(Run.project_id == self._project_id, Run.state != "unpublished")
            which.append(table.c["run_id" if "run_id" in table.c else "id"].in_(published))
        # Neither is what an import left that stopped half way; a sweep removes the same.
        if table.name == "candidate":
            which.append(~is_unused())
        if table.name == "ranker":
            which.append(~is_unpublished())
        if not self._with_ratings and table.name == "event":
            which.append(Event.kind.not_in([kind.value for kind in RATING_KINDS]))
        if not self._with_ratings and table.name == "membership":
            people = select(Person.id).where(Person.kind == PersonKind.PERSON.value)
            which.append(table.c.person_id.in_(people))
        return which

    def _numbers_of_people(self) -> list[int]:
        found: set[int] = set()
        for table in tables_of_a_project(with_ratings=self._with_ratings):
            for column in columns_of(table):
                if reference_of(column) == "person":
                    wanted = select(column).where(*self._which(table), column.is_not(None)).distinct()
                    found.update(self._session.scalars(wanted))
        return sorted(found)

    def _known(self, table: Table) -> Ints:
        wanted = select(table.c.id).where(*self._which(table)).order_by(table.c.id)
        return read_integers(self._session, wanted, 1)[:, 0]

    def _kept_revisions(self) -> Ints:
        events = TABLES["event"]
        wanted = select(events.c.revision).where(*self._which(events)).order_by(events.c.revision)
        return read_integers(self._session, wanted, 1)[:, 0]

    def _maker(self, column: Column[Any]) -> Maker:
        """Return what makes the values of a column in the file from those of a part of the table."""
        name, numbers = column.name, self.numbers
        if reference := reference_of(column):
            return lambda named: numbers.of(reference, named[name])
        if is_revision(column):
            return lambda named: numbers.revisions(named[name])
        if is_json(column):
            return lambda named: [
                with_numbers(column, json.loads(value), kind, numbers)
                for value, kind in zip(named[name], named.get("kind", repeat("")), strict=False)
            ]
        if isinstance(column.type, LargeBinary):
            return lambda named: [
                None if value is None else b64encode(with_numbers(column, bytes(value), "", numbers)).decode()
                for value in named[name]
            ]
        if isinstance(column.type, UtcTime):
            return lambda named: [None if value is None else value.isoformat() for value in named[name]]
        return lambda named: named[name]


class _Places:
    """The place in the file of each row that others name, and the new number of each revision."""

    def __init__(self, known: dict[str, Ints], kept: Ints | None) -> None:
        self._known, self._kept = known, kept
        self._gone: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def of(self, table: str, values: Sequence[int | None]) -> list[int | None]:
        """Return places; what is not there any more gets a negative number of its own."""
        places = self._look_up(table, np.array([value or 0 for value in values], dtype=np.int64))
        return [None if value is None else place for value, place in zip(values, places, strict=True)]

    def packed(self, values: Ints) -> Ints:
        """Return the places of many documents."""
        return np.array(self._look_up("document", values.astype(np.int64)))

    def _look_up(self, table: str, values: Ints) -> list[int]:
        known, gone = self._known[table], self._gone[table]
        places = np.searchsorted(known, values)
        is_there = places < len(known)
        is_there[is_there] = known[places[is_there]] == values[is_there]
        found: list[int] = (places + 1).tolist()
        for at in np.flatnonzero(~is_there & (values != 0)).tolist():  # 0 stands for None
            found[at] = gone.setdefault(int(values[at]), -1 - len(gone))
        return found

    def span(self, first: int, last: int) -> list[int]:
        """Return the places of what is still there of a range; an empty range is [0, -1]."""
        known = self._known["document"]
        low, high = np.searchsorted(known, first), np.searchsorted(known, last, side="right")
        return [int(low) + 1, int(high)] if low < high else [0, -1]

    def revisions(self, values: Sequence[int | None]) -> list[int | None]:
        """Return the revisions; without ratings, those that are kept follow each other without a gap."""
        if self._kept is None:
            return list(values)
        later = np.searchsorted(self._kept, [value or 0 for value in values], side="right").tolist()
        return [None if value is None else now for value, now in zip(values, later, strict=True)]


def pseudonym_of(kind: str, name: str, number: int) -> str:
    """Return what somebody is called where their name stays here; what is no person has its own name."""
    return f"{PSEUDONYMS[kind]} {number}" if kind in PSEUDONYMS else name


def _pseudonyms(people: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return people without names and addresses; there are few, so that they are one part of the table."""
    return [
        (kind, pseudonym_of(kind, name, number), None, made)
        for number, (kind, name, _, made) in enumerate(people, 1)
    ]
