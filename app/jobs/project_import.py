"""Make a project from its file, with numbers of this database: all of it, or nothing.

It is written in short steps, so that people rate meanwhile, and nobody sees it before the last of them. What
a crash leaves is removed by `app.jobs.steps.sweep_projects`.

People are pseudonyms here, who cannot sign in, unless whoever imports says that addresses join the accounts
that have them. What counts now is formed again from the ledger, whose revisions stay as they were.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from types import NoneType
from typing import Any
from uuid import UUID, uuid4, uuid5

import numpy as np
from sqlalchemy import Column, Connection, LargeBinary, Table, bindparam, exists, func, select, update
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from app.database import Database, reason_of
from app.formats.project_files import ProjectFile
from app.jobs.copying import is_json, last_number, prepare_for_many, put_rows, rows_at_once, sequence_of
from app.jobs.project_export import pseudonym_of, write_project
from app.jobs.project_rows import (
    PLAIN_REFERENCES,
    TABLES,
    columns_of,
    numbered_tables,
    reference_of,
    tables_of_a_project,
    with_numbers,
)
from app.jobs.steps import Progress, nothing, sweep_projects, write_import
from app.models import EventKind, Judgment, Person, PersonKind, Project, Role, now_utc
from app.models.base import Coded, UtcTime
from app.scoring.arrays import Ints
from app.sentences import counted
from app.services.accounts.memberships import give_role
from app.services.accounts.people import find_person
from app.services.bulk import batches
from app.services.collection.files import ImportStep
from app.services.current_judgments import project_judgments
from app.services.errors import ConflictError, InvalidError
from app.services.ledger import head_of
from app.services.projects.projects import check_slug, get_project
from app.services.projects.purging import removal_steps
from app.services.projects.settings import restore_project
from app.services.verification import ledger_problems

# So many rows are written at a time, so that people who rate wait for less than a fifth of a second.
ROWS = 1_000
PEOPLE = 100
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
    if file.counts.get("project") != 1:
        raise _refused("it does not hold one project")
    slug = slug or str(file.head.get("slug"))
    sweep_projects(database)
    with database.read() as session:
        check_slug(session, slug)
    who = {"actor": actor_id} if network is None else {"actor": actor_id, "network": network}
    work = _Import(database, file, slug, name, joins=joins, who=who)
    return write_import(database, work, progress, lambda session, _: finish(session))


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

    The copy of an archived project is not archived. Progress is in rows, each of which is read and then
    written.

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

    def restore_and_finish(session: Session) -> None:
        if (copy := get_project(session, new)).state == "archived":
            restore_project(session, copy, actor_id=actor_id)
        finish(session)

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
        finish=restore_and_finish,
        actor_id=actor_id,
        network=network,
    )


def _refused(reason: str) -> InvalidError:
    return InvalidError(f"The project cannot be imported: {reason}. Nothing is kept.", code="not_whole")


@dataclass
class _Import:
    """The steps of one import; `result` is there after the last of them, `who` is for the audit trail."""

    database: Database
    file: ProjectFile
    slug: str
    name: str | None
    joins: bool
    who: dict[str, Any]
    result: Imported = field(init=False)

    def __post_init__(self) -> None:
        self._given = _Given(self.file.counts)
        # No address can have this one.
        self._hidden = f"importing {secrets.token_hex(8)}"
        self._project_id = 0
        # It may name queries: it is stored last.
        self._options: Any = None
        self._rows_of_people: list[dict[str, Any]] = []
        # Some people join, and some cannot sign in.
        self._joined: set[int] = set()
        self._pseudonyms: set[int] = set()
        self._roles: dict[int, Role] = {}
        # Who has rated here already: what the file says of them are other judgments.
        self._have_rated: set[int] = set()
        # What names a later row of its own table: the places of both.
        self._links: list[tuple[int, int]] = []
        self._salt = uuid4()

    @property
    def total(self) -> int:
        """The number of rows to write."""
        return sum(self.file.counts.values())

    def steps(self) -> Iterator[ImportStep]:
        """Yield the steps, each for a transaction of its own; only the last makes the project visible."""
        known = {table.name: table for table in tables_of_a_project()}
        for name, columns, rows in self.file.tables():
            if name not in known:
                raise _refused(f"its table {name!r} is unknown here, upgrade Touchstone first")
            if unknown := set(columns) - {column.name for column in columns_of(known[name])}:
                raise _refused(f"its column {min(unknown)!r} is unknown here, upgrade Touchstone first")
            try:
                for step in self._steps_of(known[name], columns, rows):
                    yield step._replace(write=partial(_write, name, step.write))
            except WRONG as error:
                raise _refused_row(name) from error
        yield from self._last_steps()

    def clean(self) -> Iterator[ImportStep]:
        """Yield the steps that remove everything if it was not published."""
        with self.database.read() as session:
            left = session.scalar(select(Project.id).where(Project.slug == self._hidden))
        if left is not None:
            yield from removal_steps(left)

    def _steps_of(self, table: Table, names: list[str], rows: Iterator[list[Any]]) -> Iterator[ImportStep]:
        if table.name == "person":
            # They are written when there is a project that they are made for.
            self._rows_of_people = [dict(zip(names, row, strict=True)) for row in rows]
            return
        columns = [column for column in table.columns if column.name != "id"]
        for count, values in self._parts(columns, names, rows):
            yield ImportStep(count, partial(self._put, columns=columns, values=values))
        if table.name == "project":
            for some in batches(self._rows_of_people, PEOPLE):
                people = partial(self._add_people, rows=some)
                yield ImportStep(len(some), partial(_write, "person", people))
        for (owner, name), target in PLAIN_REFERENCES.items():
            if owner == table.name:
                for links in batches(self._links, ROWS):
                    yield ImportStep(0, partial(self._link, column=table.c[name], to=target, links=links))

    def _last_steps(self) -> Iterator[ImportStep]:
        with self.database.read() as session:
            problems = ledger_problems(session, only=self._project_id)
            head = head_of(session, self._project_id)
        if problems:
            raise _refused("; ".join(problems).replace(self._hidden, self.slug))
        try:
            self._options = with_numbers(TABLES["project"].c.options, self._options, "", self._given)
        except WRONG as error:
            raise _refused_row("project") from error
        for first in range(1, head + 1, ROWS):
            some = range(first, min(first + ROWS, head + 1))
            yield ImportStep(0, partial(self._fold, revisions=some))
        yield ImportStep(0, self._publish, publishes=True)

    def _parts(
        self, columns: Sequence[Column[Any]], names: list[str], rows: Iterator[list[Any]]
    ) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield the rows of a table in parts: how many they are, and their columns as they are stored."""
        makers = [self._maker(column, names) for column in columns]
        place, at_once = 1, min(rows_at_once(columns), ROWS)
        while part := list(islice(rows, at_once)):
            named: Named = dict(zip(names, zip(*part, strict=True), strict=True))
            named["id"] = range(place, place + len(part))
            place += len(part)
            made = [list(make(named)) for make in makers]
            if columns[0].table.name == "ranking":
                _refuse_uneven(dict(zip((column.name for column in columns), made, strict=True)))
            yield len(part), made

    def _put(self, session: Session, columns: list[Column[Any]], values: list[list[Any]]) -> None:
        """Add a part of a table; where others name its rows, they get their numbers now."""
        connection, table = session.connection(), columns[0].table
        assert isinstance(table, Table)
        if table.name in self._given.numbers:
            numbers = self._given.take(connection, table, len(values[0]))
            columns, values = [table.c.id, *columns], [numbers, *values]
        if table.name == "project":
            prepare_for_many(connection, CACHE_KILOBYTES)
        put_rows(connection, columns, [list(zip(*values, strict=True))])
        if table.name == "project":
            self._project_id = session.scalars(select(Project.id).where(Project.slug == self._hidden)).one()

    def _add_people(self, session: Session, rows: Sequence[dict[str, Any]]) -> None:
        """Find the accounts of some people, or make pseudonyms, which the project remembers as its own."""
        place = self._given.known["person"]
        people = [self._person(session, place + at, **row) for at, row in enumerate(rows, 1)]
        made = [person for person in people if person.id is None]
        session.add_all(made)
        session.flush()
        self._pseudonyms |= {person.id for person in made if person.erased_at is not None}
        self._given.add("person", [person.id for person in people])
        project = session.get_one(Project, self._project_id)
        project.importing = [*(project.importing or ()), *(person.id for person in made)]

    def _person(
        self, session: Session, place: int, *, kind: str, name: str, email: str | None, created_at: str
    ) -> Person:
        """Return the account of somebody, or a row that is not stored yet."""
        is_person = PersonKind(kind) is PersonKind.PERSON
        if not isinstance(name, str):
            raise TypeError(name)
        person = find_person(session, email) if is_person and email and self.joins else None
        if person is not None:
            self._joined.add(person.id)
            if session.scalar(select(exists().where(Judgment.annotator_id == person.id))):
                self._have_rated.add(person.id)
            return person
        person = Person(kind=kind, name=name, created_at=datetime.fromisoformat(created_at))
        if is_person:
            # Like somebody who was erased: in no list of accounts, and without a way in. Nobody could
            # erase a name that has no address.
            person.name, person.erased_at = pseudonym_of(kind, name, place), now_utc()
        return person

    def _link(self, session: Session, column: Column[Any], to: str, links: Sequence[tuple[int, int]]) -> None:
        """Say of rows which rows they name that come after them in the file."""
        table = column.table
        assert isinstance(table, Table)
        places, targets = zip(*links, strict=True)
        numbers = zip(self._given.of(table.name, places), self._given.of(to, targets), strict=True)
        its = update(table).where(table.c.id == bindparam("its")).values({column: bindparam("other")})
        session.connection().execute(its, [{"its": number, "other": other} for number, other in numbers])

    def _fold(self, session: Session, revisions: range) -> None:
        project_judgments(session, self._project_id, revisions)

    def _publish(self, session: Session) -> None:
        """Give the project its name, its settings and its people: from now on everybody sees it.

        :raise ConflictError: Its short name was taken, or somebody was erased who was to join it.
        """
        session.info.update(self.who)
        check_slug(session, self.slug)
        for some in batches(sorted(self._joined)):
            joined = select(Person).where(Person.id.in_(some)).with_for_update(read=True)
            if any(person.erased_at is not None for person in session.scalars(joined)):
                raise ConflictError(
                    "An account was erased during this import: start it again.", code="changed_meanwhile"
                )
        project = session.get_one(Project, self._project_id)
        project.slug, project.options, project.importing = self.slug, self._options, None
        session.flush()
        for person_id, role in self._roles.items():
            give_role(session, project.id, person_id, role)
        ratings = self.file.counts.get("judgment", 0)
        self.result = Imported(self.slug, ratings, len(self._joined), len(self._pseudonyms))

    def _maker(self, column: Column[Any], names: list[str]) -> Maker:
        """Return what makes the values of a column from those of a part of the file."""
        table, name, given = column.table.name, column.name, self._given
        known: dict[tuple[str, str], Maker] = {
            (table, "id"): lambda named: given.of(table, named["id"]),
            (table, "project_id"): lambda named: [self._project_id] * len(named["id"]),
            ("project", "slug"): lambda _: [self._hidden],
            ("project", "importing"): lambda _: ["[]"],
            ("project", "options"): self._keep_options,
            ("membership", "role"): lambda named: self._parts_of_people(named, "role"),
            ("membership", "adjudicates"): lambda named: self._parts_of_people(named, "adjudicates"),
            ("judgment", "client_uuid"): self._uuids,
        }
        if self.name:
            known["project", "name"] = lambda _: [self.name]
            # A copy is made now: what is older happened in the project that it was made from.
            known["project", "created_at"] = lambda _: [_default_of(column)]
        if (table, name) in known:
            return known[table, name]
        if name not in names:
            return lambda named: [_default_of(column) for _ in named["id"]]
        if (table, name) in PLAIN_REFERENCES:
            return lambda named: self._keep_links(named["id"], named[name])
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
        roles = [Role(value) if name == "role" and value else None for value in values]
        for at, person in enumerate(people):
            if person in self._joined and name == "role":
                if role := roles[at]:
                    self._roles[person] = role
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

    def _keep_options(self, named: Named) -> list[str]:
        (self._options,) = named["options"]
        return ["{}"]

    def _keep_links(self, places: Sequence[int], targets: Sequence[int | None]) -> list[None]:
        self._links += [
            (place, other) for place, other in zip(places, targets, strict=True) if other is not None
        ]
        return [None] * len(places)


WRONG = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
"""What comes of a row that cannot be right."""


def _write(table: str, write: Callable[[Session], None], session: Session) -> None:
    """Write one step of a table.

    :raise InvalidError: A row of it cannot be right.
    """
    try:
        write(session)
    except WRONG as error:
        raise _refused_row(table) from error
    except (DataError, IntegrityError) as error:
        raise _refused(reason_of(error)) from error


def _refused_row(table: str) -> InvalidError:
    return _refused(f"a row of its table {table!r} cannot be right")


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


def _refuse_uneven(lists: dict[str, list[Any]]) -> None:
    """Refuse lists that do not have one score for each document.

    :raise ValueError: There is such a list.
    """
    for documents, scores in zip(lists["document_ids"], lists["scores"], strict=True):
        if scores is not None and len(scores) != 2 * len(documents):
            raise ValueError("scores")


def _default_of(column: Column[Any]) -> Any:
    default: Any = column.default
    if default is None:
        return None
    value = default.arg(None) if default.is_callable else default.arg
    return json.dumps(value) if is_json(column) else value


class _Given:
    """The numbers that this database gives to the rows of a file, by their places."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.numbers: dict[str, Ints] = {
            name: np.zeros(counts.get(name, 0), dtype=np.int64) for name in numbered_tables()
        }
        self.known = dict.fromkeys(self.numbers, 0)

    def add(self, table: str, numbers: Sequence[int]) -> None:
        """Note the numbers of the next rows of a table."""
        first = self.known[table]
        self.known[table] = first + len(numbers)
        self.numbers[table][first : first + len(numbers)] = numbers

    def take(self, connection: Connection, table: Table, count: int) -> list[int]:
        """Return new numbers for the next rows of a table, in growing order; they are written at once."""
        if connection.dialect.name == "postgresql":
            # Others take numbers meanwhile.
            wanted = select(func.nextval(sequence_of(table))).select_from(func.generate_series(1, count))
            numbers = sorted(connection.execute(wanted).scalars())
        else:
            last = max(last_number(connection, table), connection.scalar(select(func.max(table.c.id))) or 0)
            numbers = list(range(last + 1, last + 1 + count))
        self.add(table.name, numbers)
        return numbers

    def of(self, table: str, values: Sequence[int | None]) -> list[int | None]:
        """Return the numbers of places; what is negative names nothing, and stays.

        :raise TypeError: A place is no whole number.
        """
        if not {int, NoneType}.issuperset(map(type, values)):
            raise TypeError(table)
        places = np.array([value or 0 for value in values], dtype=np.int64)
        found = self.packed(places, table).tolist()
        return [None if value is None else number for value, number in zip(values, found, strict=True)]

    def packed(self, values: Ints, table: str = "document") -> Ints:
        """Return the numbers of many places.

        :raise LookupError: The table has no such row, or it comes later in the file.
        """
        found = values.astype(np.int64)
        is_place = values > 0
        found[is_place] = self.numbers[table][values[is_place] - 1]
        if not found[is_place].all():
            raise LookupError(table)
        return found

    def span(self, first: int, last: int) -> list[int]:
        """Return the numbers of the first and the last document of a range."""
        low, high = self.packed(np.array([first, last])).tolist()
        return [low, high]

    def revisions(self, values: Sequence[int | None]) -> list[int | None]:
        """Return the same revisions."""
        return list(values)
