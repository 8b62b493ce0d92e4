"""The ledger's tables refuse whatever is not an appended row, whoever asks, on both databases."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.models import Event, EventKind, Judgment
from app.services.ledger import head_of, record_event, take_revisions
from tests.furniture.databases import made_in
from tests.furniture.factories import Make

pytestmark = pytest.mark.everyday


@pytest.fixture
def rated(database):
    """One rating and some events, committed; return the project's number and what rates there again."""
    return made_in(database, make_rating)


def make_rating(make):
    project = make.project()
    make.judgment(make.candidate(make.query(project)), make.member(project, "annotator"), 2)
    return project.id


@pytest.mark.parametrize("table", ["judgment", "event"])
@pytest.mark.parametrize("change", ["UPDATE {} SET revision = revision + 1000", "DELETE FROM {}"])
def test_rows_are_neither_changed_nor_deleted(database, rated, table, change):
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(change.format(table)))

    with database.read() as session:
        assert session.scalar(text(f"SELECT count(*) FROM {table}")) >= 1
        assert session.scalar(text(f"SELECT max(revision) FROM {table}")) < 1000


@pytest.mark.postgresql
@pytest.mark.parametrize("table", ["judgment", "event"])
@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_tables_are_not_emptied(database, rated, table):
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(f"TRUNCATE {table} CASCADE"))


def test_a_row_is_not_put_before_others(database, rated):
    with database.read() as session:
        first = session.query(Event).filter_by(project_id=rated).order_by(Event.revision).first()

    with pytest.raises(DBAPIError), database.write() as session:
        session.add(
            Event(
                project_id=rated,
                revision=first.revision,
                kind=EventKind.RULER_SET.value,
                payload={},
            )
        )


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_replacing_a_row_is_a_deletion_too(database, rated):
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text("INSERT OR REPLACE INTO event SELECT * FROM event ORDER BY revision LIMIT 1"))


def test_only_a_purge_of_that_project_deletes(database, rated):
    with database.write() as session:
        other = Make(session).project()
        record_event(session, other.id, EventKind.STATE_CHANGED, {"before": "open", "state": "paused"})
        session.execute(text("INSERT INTO purge (project_id) VALUES (:id)"), {"id": other.id})
        other_id = other.id

    with database.write() as session:
        session.execute(text("DELETE FROM event WHERE project_id = :id"), {"id": other_id})
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text("DELETE FROM judgment WHERE project_id = :id"), {"id": rated})


@pytest.mark.parametrize("values", [{"grade": None, "reason": None}, {"grade": -101}])
def test_a_judgment_is_a_grade_or_a_reason(database, rated, values):
    with database.read() as session:
        known = session.query(Judgment).filter_by(project_id=rated).one()

    with pytest.raises((IntegrityError, DBAPIError)), database.write() as session:
        (revision,) = take_revisions(session, rated)
        fields = {
            name: getattr(known, name)
            for name in ("candidate_id", "annotator_id", "input", "judged_at", "grade")
        }
        session.add(
            Judgment(project_id=rated, revision=revision, client_uuid=b"x" * 16, **{**fields, **values})
        )


def test_the_same_device_id_of_one_annotator_is_stored_once(database, rated):
    with database.read() as session:
        known = session.query(Judgment).filter_by(project_id=rated).one()

    with pytest.raises(IntegrityError), database.write() as session:
        (revision,) = take_revisions(session, rated)
        session.add(
            Judgment(
                project_id=rated,
                revision=revision,
                candidate_id=known.candidate_id,
                annotator_id=known.annotator_id,
                client_uuid=known.client_uuid,
                input=known.input,
                judged_at=known.judged_at,
                grade=1,
            )
        )


def test_revisions_of_a_project_have_no_gap_when_somebody_fails(database, rated):
    with database.read() as session:
        before = head_of(session, rated)

    with pytest.raises(ZeroDivisionError), database.write() as session:
        take_revisions(session, rated, 5)
        1 / 0  # noqa: B018
    with database.write() as session:
        taken = take_revisions(session, rated, 3)

    assert list(taken) == [before + 1, before + 2, before + 3]
    with database.read() as session:
        assert head_of(session, rated) == before + 3
