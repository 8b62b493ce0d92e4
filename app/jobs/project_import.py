"""Make a project from its file, with numbers of this database: all of it in one transaction, or nothing.

People are pseudonyms here, who cannot sign in, unless whoever imports says that addresses join the accounts
that have them. What counts now is formed again from the ledger, whose revisions stay as they were.
"""

from __future__ import annotations

import json
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, repeat
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import numpy as np
from sqlalchemy import Column, Connection, LargeBinary, Table, exists, func, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from app.database import Database, reason_of
from app.formats.project_files import ProjectFile
from app.jobs.copying import is_json, last_number, prepare_for_many, put_rows, rows_at_once, sequence_of
from app.jobs.project_export import pseudonym_of, write_project
from app.jobs.project_rows import (
    TABLES,
    columns_of,
    numbered_tables,
    reference_of,
    tables_of_a_project,
    with_numbers,
)
from app.jobs.steps import Progress, nothing
from app.models import EventKind, Judgment, Person, PersonKind, Role, now_utc
from app.models.base import Coded, UtcTime
from app.scoring.arrays import Ints
from app.sentences import counted
from app.services.accounts.memberships import give_role
from app.services.accounts.people import find_person
from app.services.current_judgments import project_judgments
from app.services.errors import InvalidError
from app.services.ledger import head_of
from app.services.projects.projects import check_slug, get_project
from app.services.verification import ledger_problems

# How many numbers are asked of PostgreSQL at a time.
RESERVED = 50_000
CACHE_KILOBYTES = 24 * 1024
Named = dict[str, Sequence[Any]]
Maker = Callable[[Named], Sequence[Any]]


@dataclass(frozen=True)
class Imported:
    """What was imported: ratings, and how many people joined an account or became pseudonyms."""

    slug: str
    ratings: int
    joined: int
    pseudonyms: int

    @property
    def sentence(self) -> str:
        """Return it in words, and how somebody gets to see it."""
        counts = ((self.ratings, "rating"), (self.joined, "account"), (self.pseudonyms, "pseudonym"))
        held = [counted(count, noun) for count, noun in counts if count]
        told = f"{self.slug}: {', '.join(held) or 'no rating'}."
        if self.joined:
            return told
        return f"{told} Give it an owner: `flask --app app project set {self.slug} --owner EMAIL`."


def import_project(
    database: Database,
    path: Path,
    *,
    slug: str | None = None,
    name: str | None = None,
    joins: bool = False,
    progress: Progress = nothing,
    actor_id: int | None = None,
    network: str | None = None,
    finish: Callable[[Session], None] = lambda _session: None,
) -> Imported:
    """Make the project of a file; progress is in rows.

    Parameters
    ----------
    slug, name
        Others than in the file.
    joins
        Whether people whose addresses have an account here become that account, with their roles.
    actor_id, network
        Who did it, and from where, for the audit trail.
    finish
        Done last, in the same transaction.

    :raise FormatError: The file is not whole, or of a newer version.
    :raise InvalidError: Something in it cannot be right.
    :raise ConflictError: The short name is taken.
    """
    file = ProjectFile(path)
    slug = slug or str(file.head.get("slug"))
    try:
        with database.write() as session:
            session.info["actor"] = actor_id
            if network is not None:
                session.info["network"] = network
            check_slug(session, slug)
            done = _Import(session, file, slug, name, joins=joins, progress=progress).run()
            finish(session)
            return done
    except (DataError, IntegrityError) as error:
        raise _refused(reason_of(error)) from error


def copy_project(
    database: Database,
    slug: str,
    new: str,
    *,
    name: str | None = None,
    with_ratings: bool = True,
    progress: Progress = nothing,
    actor_id: int | None = None,
    network: str | None = None,
) -> Imported:
    """Make a second project of one, with the same people, through a file that is gone afterwards.

    Progress is in rows, each of which is read and then written.

    Parameters
    ----------
    actor_id, network
        Who did it, and from where, for the audit trail.

    :raise NotFoundError: There is no such project.
    :raise ConflictError: The new short name is taken.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        return copy_through(
            Path(folder) / "project",
            database,
            slug,
            new,
            name=name,
            with_ratings=with_ratings,
            progress=progress,
            actor_id=actor_id,
            network=network,
        )


def copy_through(
    file: Path,
    database: Database,
    slug: str,
    new: str,
    *,
    name: str | None = None,
    with_ratings: bool = True,
    progress: Progress = nothing,
    finish: Callable[[Session], None] = lambda _session: None,
    actor_id: int | None = None,
    network: str | None = None,
) -> Imported:
    """Do what `copy_project` does through a file of the caller's, and `finish` with the copy."""
    with database.read() as session:
        project = get_project(session, slug)
        check_slug(session, new)
        name = name or f"Copy of {project.name}"[:200]
        write_project(
            session,
            project,
            file,
            by_email=True,
            with_ratings=with_ratings,
            progress=lambda done, total: progress(done, 2 * total),
        )
    return import_project(
        database,
        file,
        slug=new,
        name=name,
        joins=True,
        progress=lambda done, total: progress(total + done, 2 * total),
        finish=finish,
        actor_id=actor_id,
        network=network,
    )


def _refused(reason: str) -> InvalidError:
    return InvalidError(f"The project cannot be imported: {reason}. Nothing is kept.", code="not_whole")


class _Import:
    """One import, in one transaction."""

    def __init__(
        self,
        session: Session,
        file: ProjectFile,
        slug: str,
        name: str | None,
        *,
        joins: bool,
        progress: Progress,
    ) -> None:
        self._session, self._file, self._progress = session, file, progress
        self._done, self._total = 0, sum(file.counts.values())
        self._slug, self._name, self._joins = slug, name, joins
        self._connection = session.connection()
        self._given = _Given()
        self._project_id = 0
        # The numbers of people in the order of the file: some join, and some cannot sign in.
        self._people: list[int] = []
        self._joined: set[int] = set()
        self._pseudonyms: set[int] = set()
        self._roles: dict[int, Role] = {}
        # Who has rated here already: what the file says of them are other judgments.
        self._have_rated: set[int] = set()
        self._salt = uuid4()

    def run(self) -> Imported:
        """Add everything, and check what came of it."""
        prepare_for_many(self._connection, CACHE_KILOBYTES)
        for name in numbered_tables() - {"person"}:
            self._given.reserve(self._connection, TABLES[name], self._file.counts.get(name, 0))
        known = {table.name: table for table in tables_of_a_project()}
        for name, columns, rows in self._file.tables():
            if name not in known:
                raise _refused(f"its table {name!r} is unknown here, upgrade Touchstone first")
            try:
                self._put(known[name], columns, rows)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise _refused(f"a row of its table {name!r} cannot be right") from error
        return self._finish()

    def _put(self, table: Table, names: list[str], rows: Iterator[list[Any]]) -> None:
        if unknown := set(names) - {column.name for column in columns_of(table)}:
            raise _refused(f"its column {min(unknown)!r} is unknown here, upgrade Touchstone first")
        if table.name == "person":
            for row in rows:
                self._add_person(**dict(zip(names, row, strict=True)))
            self._done += len(self._people)
            self._given.numbers["person"] = np.array(self._people, dtype=np.int64)
            return
        columns = [each for each in table.columns if each.name != "id" or table.name in self._given.numbers]
        put_rows(self._connection, columns, self._parts(columns, names, rows))
        if table.name == "project":
            self._project_id = get_project(self._session, self._slug).id

    def _parts(
        self, columns: Sequence[Column[Any]], names: list[str], rows: Iterator[list[Any]]
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a table as they are stored, in parts."""
        makers = [self._maker(column, names) for column in columns]
        place = 1
        while part := list(islice(rows, rows_at_once(columns))):
            named: Named = dict(zip(names, zip(*part, strict=True), strict=True))
            named["id"] = range(place, place + len(part))
            place += len(part)
            yield list(zip(*(make(named) for make in makers), strict=True))
            self._done += len(part)
            self._progress(self._done, self._total)

    def _add_person(self, *, kind: str, name: str, email: str | None, created_at: str) -> None:
        is_person = PersonKind(kind) is PersonKind.PERSON
        person = find_person(self._session, email) if is_person and email and self._joins else None
        if person is None:
            person = Person(kind=kind, name=name, created_at=datetime.fromisoformat(created_at))
            if is_person:
                # Like somebody who was erased: in no list of accounts, and without a way in. Nobody could
                # erase a name that has no address.
                person.name, person.erased_at = pseudonym_of(kind, name, len(self._people) + 1), now_utc()
            self._session.add(person)
            self._session.flush()
            self._pseudonyms |= {person.id} if is_person else set()
        else:
            self._joined.add(person.id)
            if self._session.scalar(select(exists().where(Judgment.annotator_id == person.id))):
                self._have_rated.add(person.id)
        self._people.append(person.id)

    def _maker(self, column: Column[Any], names: list[str]) -> Maker:
        """Return what makes the values of a column from those of a part of the file."""
        table, name, given = column.table.name, column.name, self._given
        known: dict[tuple[str, str], Maker] = {
            (table, "id"): lambda named: given.of(table, named["id"]),
            (table, "project_id"): lambda named: [self._project_id] * len(named["id"]),
            ("project", "slug"): lambda _: [self._slug],
            ("membership", "role"): lambda named: self._parts_of_people(named, "role"),
            ("membership", "adjudicates"): lambda named: self._parts_of_people(named, "adjudicates"),
            ("judgment", "client_uuid"): self._uuids,
        }
        if self._name:
            known["project", "name"] = lambda _: [self._name]
        if (table, name) in known:
            return known[table, name]
        if name not in names:
            return lambda named: [_default_of(column) for _ in named["id"]]
        if reference := reference_of(column):
            return lambda named: given.of(reference, named[name])
        read = _reader_of(column, given)
        return lambda named: [
            None if value is None else read(value, kind)
            for value, kind in zip(named[name], named.get("kind", repeat("")), strict=False)
        ]

    def _parts_of_people(self, named: Named, name: str) -> list[Any]:
        """Return a column of memberships. Those who join get their roles last, in the audit trail too."""
        people = self._given.of("person", named["person_id"])
        values = list(named[name])
        for at, person in enumerate(people):
            if person in self._joined and name == "role":
                if values[at]:
                    self._roles[person] = Role(values[at])
                values[at] = None
            elif person in self._pseudonyms:
                values[at] = None if name == "role" else False
        return values

    def _uuids(self, named: Named) -> list[bytes]:
        people = self._given.of("person", named["annotator_id"])
        stored = [b64decode(value, validate=True) for value in named["client_uuid"]]
        return [
            uuid5(self._salt, UUID(bytes=value).hex).bytes if person in self._have_rated else value
            for person, value in zip(people, stored, strict=True)
        ]

    def _finish(self) -> Imported:
        session, project_id = self._session, self._project_id
        if not project_id:
            raise _refused("it holds no project")
        if problems := ledger_problems(session, only=project_id):
            raise _refused("; ".join(problems))
        project_judgments(session, project_id, range(1, head_of(session, project_id) + 1))
        for person_id, role in self._roles.items():
            give_role(session, project_id, person_id, role)
        ratings = self._file.counts.get("judgment", 0)
        return Imported(self._slug, ratings, len(self._joined), len(self._pseudonyms))


def _reader_of(column: Column[Any], given: _Given) -> Callable[[Any, str], Any]:
    """Return what makes the value of a column from that of the file and the kind of the row."""
    if is_json(column):
        return lambda value, kind: json.dumps(with_numbers(column, value, kind, given))
    if isinstance(column.type, LargeBinary):
        return lambda value, kind: with_numbers(column, b64decode(value, validate=True), kind, given)
    if isinstance(column.type, UtcTime):
        return lambda value, _kind: datetime.fromisoformat(value)
    wanted: type = column.type.python_type
    kinds: Callable[[Any], object] | None = None
    if isinstance(column.type, Coded):
        wanted, kinds = int, column.type.kind
    elif (column.table.name, column.name) == ("event", "kind"):
        kinds = EventKind

    def read(value: Any, _kind: str) -> Any:
        if kinds is not None:
            kinds(value)
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise TypeError(value)
        return value

    return read


def _default_of(column: Column[Any]) -> Any:
    default: Any = column.default
    if default is None:
        return None
    value = default.arg(None) if default.is_callable else default.arg
    return json.dumps(value) if is_json(column) else value


class _Given:
    """The numbers that this database gives to the rows of a file, by their places."""

    def __init__(self) -> None:
        self.numbers: dict[str, Ints] = {}

    def reserve(self, connection: Connection, table: Table, count: int) -> None:
        """Take as many numbers as a table has rows, in growing order."""
        if connection.dialect.name == "postgresql":
            # Others take numbers meanwhile.
            wanted = select(func.nextval(sequence_of(table))).select_from(func.generate_series(1, count))
            found = connection.execute(wanted, execution_options={"yield_per": RESERVED}).scalars()
            self.numbers[table.name] = np.sort(np.fromiter(found, dtype=np.int64))
            return
        last = max(last_number(connection, table), connection.scalar(select(func.max(table.c.id))) or 0)
        self.numbers[table.name] = np.arange(last + 1, last + 1 + count)

    def of(self, table: str, values: Sequence[int | None]) -> list[int | None]:
        """Return the numbers of places; what is negative names nothing, and stays."""
        places = np.array([value or 0 for value in values], dtype=np.int64)
        found = self.packed(places, table).tolist()
        return [None if value is None else number for value, number in zip(values, found, strict=True)]

    def packed(self, values: Ints, table: str = "document") -> Ints:
        """Return the numbers of many places.

        :raise IndexError: The table has no such row.
        """
        found = values.astype(np.int64)
        is_place = values > 0
        found[is_place] = self.numbers[table][values[is_place] - 1]
        return found

    def span(self, first: int, last: int) -> list[int]:
        """Return the numbers of the first and the last document of a range."""
        low, high = self.packed(np.array([first, last])).tolist()
        return [low, high]

    def revisions(self, values: Sequence[int | None]) -> list[int | None]:
        """Return the same revisions."""
        return list(values)
