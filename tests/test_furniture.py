"""The furniture itself: both databases are real, fresh for each test, and nobody leaves the machine."""

import socket

import pytest
from sqlalchemy import select, text

from app.models import Candidate
from app.schema import check_schema, is_current
from app.services.ledger import head_of
from tests.furniture.databases import KeptDatabase, NestedWriteError
from tests.furniture.network import LeavesTheMachineError

pytestmark = pytest.mark.everyday


def test_a_test_database_is_migrated_and_complete(database):
    assert is_current(database)
    assert check_schema(database) == []


@pytest.mark.parametrize("_round", [1, 2])
def test_each_test_has_a_database_of_its_own(database, _round):
    with database.write() as session:
        session.execute(text("INSERT INTO purge (project_id) VALUES (1)"))

    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM purge")) == 1


def test_a_write_session_inside_another_fails_instead_of_waiting(database):
    with database.write(), pytest.raises(NestedWriteError), database.write():
        pass

    with database.write() as session:
        assert session.scalar(text("SELECT 1")) == 1


@pytest.mark.postgresql
def test_a_kept_database_never_gives_a_number_again(
    postgresql_server, postgresql_command, postgresql_template
):
    # What a process keeps in memory goes by the database's address and the project's number.
    kept = KeptDatabase(postgresql_server, postgresql_command, postgresql_template)
    first = kept.name

    def give(command):
        with kept._connected() as connection:
            connection.execute(command)

    give("SELECT nextval('project_id_seq') FROM generate_series(1, 5)")
    kept.reset()
    assert kept.name == first

    give("SELECT setval('project_id_seq', 2)")
    kept.reset()
    assert kept.name != first
    kept.drop()


def test_no_test_connects_to_another_host():
    with socket.socket() as outgoing, pytest.raises(LeavesTheMachineError):
        outgoing.connect(("192.0.2.1", 80))


def test_no_test_asks_for_the_number_of_another_host():
    with pytest.raises(LeavesTheMachineError):
        socket.getaddrinfo("example.org", 80)


def test_a_made_run_is_published_pooled_and_scored(session, make):
    project = make.project()
    query, useful, useless = make.query(project), make.document(project), make.document(project)
    ranker, person = make.ranker(project), make.member(project, "annotator")

    run = make.run(ranker, {query: [useless, useful]})
    pool = session.scalars(select(Candidate).order_by(Candidate.best_rank)).all()
    make.judgment(pool[1], person, 3)

    assert run.state == "published"
    assert [candidate.document_id for candidate in pool] == [useless.id, useful.id]
    # ruler, query, run, judgment: the ledger counts them without a gap.
    assert head_of(session, project.id) == 4
