"""A copy on the other kind of database: every row, every number, and every score at every revision."""

import os
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from app.database import Database, path_of, take_file
from app.jobs.backups import problems_of
from app.jobs.copying import copy_database
from app.models import Base, EventKind, Person, Project, now_utc
from app.services.errors import ConflictError
from app.services.ledger import head_of, record_event
from tests.benchmarks.made_projects import Shape, make_project
from tests.furniture.every_table import fill_every_table
from tests.furniture.revisions import scores_at

SMALL = Shape(queries=12, rankers=3, versions=2, returned=20, reach=30, judgments=400, annotators=4)


def rows_of(database):
    """Return every row of every table, as Python sees them."""
    with database.read() as session:
        return {
            table.name: session.execute(select(table).order_by(*table.primary_key.columns)).all()
            for table in Base.metadata.sorted_tables
        }


def scores_of(database, project_id):
    """Return the scores of a project at every tenth revision."""
    with database.read() as session:
        head = head_of(session, project_id)
    return scores_at(database, project_id, [*range(10, head, 10), head])


@pytest.fixture
def opened():
    made = []

    def opened(url):
        made.append(Database(url))
        return made[-1]

    yield opened
    for database in made:
        database.dispose()


@pytest.fixture
def source(stored):
    with stored.write() as session:
        fill_every_table(session)
        # The newest of a kind is gone: its number is still given to no other.
        gone = Person(name="Gone", email="gone@example.org")
        session.add(gone)
        session.flush()
        session.delete(gone)
        project = session.scalars(select(Project)).one()
        awkward = {"file": 'tab\t "quote" \\ back\n é 漢 \u2028 \\N', "deep": [1.1, None, {"a": 0.1 + 0.2}]}
        record_event(
            session, project.id, EventKind.QUERIES_ADDED, awkward, at=now_utc() + timedelta(microseconds=7)
        )
    return stored


@pytest.mark.thorough
def test_a_copy_on_sqlite_has_every_row(source, opened, tmp_path):
    url = f"sqlite:///{tmp_path / 'copy' / 'copy.sqlite3'}"

    held = copy_database(source, url)

    copy = opened(url)
    assert rows_of(copy) == rows_of(source)
    assert held.judgments == 9
    assert problems_of(copy) == []


@pytest.mark.thorough
def test_the_next_number_in_a_copy_is_the_next_one_of_the_source(source, opened, tmp_path):
    url = f"sqlite:///{tmp_path / 'copy.sqlite3'}"
    copy_database(source, url)

    numbers = []
    for database in (source, opened(url)):
        with database.write() as session:
            person = Person(name="New", email="new@example.org")
            session.add(person)
            session.flush()
            numbers.append(person.id)

    assert numbers[0] == numbers[1]


@pytest.mark.thorough
def test_nothing_is_copied_over_anything_or_while_a_server_runs(source, tmp_path, stored):
    url = f"sqlite:///{tmp_path / 'copy.sqlite3'}"
    copy_database(source, url)

    with pytest.raises(ConflictError, match=r"is not empty: its table \w+ has rows"):
        copy_database(source, url)
    with pytest.raises(ConflictError, match="name another"):
        copy_database(source, source.url)
    lock = take_file(path_of(source.url))
    with pytest.raises(ConflictError, match="is served by"):
        copy_database(source, f"sqlite:///{tmp_path / 'another.sqlite3'}")
    os.close(lock)


@pytest.mark.thorough
def test_a_copy_that_failed_half_way_is_empty_and_is_made_again(source, opened, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'copy.sqlite3'}"
    with monkeypatch.context() as broken:
        broken.setattr("app.jobs.copying._go_on_numbering", lambda *_words: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            copy_database(source, url)
    with opened(url).read() as session:
        assert session.scalar(text("SELECT count(*) FROM judgment")) == 0

    copy_database(source, url)

    assert rows_of(opened(url)) == rows_of(source)


@pytest.mark.thorough
def test_the_command_says_what_was_copied_and_what_to_do(run_command, making, tmp_path):
    with making() as make:
        fill_every_table(make.session)

    done = run_command("db", "copy", f"sqlite:///{tmp_path / 'copy.sqlite3'}")
    wrong = run_command("db", "copy", "mysql://somewhere")

    assert done.exit_code == 0
    assert done.output.startswith("Copied and checked: 1 project, 9 ratings and ")
    assert wrong.exit_code == 2
    assert "Invalid value for URL: It cannot be read: use postgresql://" in wrong.output


@pytest.mark.postgresql
def test_to_postgresql_and_back_every_row_number_and_score_is_the_same(
    source, opened, postgresql_url, tmp_path
):
    made = make_project(source, SMALL)

    copy_database(source, postgresql_url)
    there = opened(postgresql_url)
    copy_database(there, f"sqlite:///{tmp_path / 'back.sqlite3'}")
    back = opened(f"sqlite:///{tmp_path / 'back.sqlite3'}")

    assert rows_of(there) == rows_of(source)
    assert rows_of(back) == rows_of(source)
    scores = scores_of(source, made.project_id)
    assert len(scores) > 100
    assert scores_of(there, made.project_id) == scores
    assert scores_of(back, made.project_id) == scores
    numbers = []
    for database in (source, there, back):
        with database.write() as session:
            # A row of each table whose numbers count up.
            person = Person(name="New", email="new@example.org")
            session.add(person)
            session.flush()
            record_event(session, made.project_id, EventKind.QUERIES_ADDED, {"count": 0})
            numbers.append((person.id, head_of(session, made.project_id)))
    assert len(set(numbers)) == 1


@pytest.mark.postgresql
def test_what_postgresql_cannot_hold_is_refused_in_one_sentence_and_nothing_is_kept(
    source, opened, postgresql_url
):
    with source.write() as session:
        session.execute(text("UPDATE person SET name = 'nul' || char(0) || 'nul'"))

    with pytest.raises(ConflictError, match=r"^Nothing is kept, person is refused: "):
        copy_database(source, postgresql_url)

    with opened(postgresql_url).read() as session:
        assert session.scalar(text("SELECT count(*) FROM person")) == 0
