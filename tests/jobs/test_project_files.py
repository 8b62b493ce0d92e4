"""A project from one site to another in a file: every row, every score at every revision, or nothing at all."""

import gzip
import hashlib
import json
import random
import sqlite3
from datetime import timedelta

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.exc import OperationalError

from app.database import Database
from app.formats.errors import FormatError
from app.jobs.backups import problems_of
from app.jobs.project_export import export_project
from app.jobs.project_import import copy_project, import_project
from app.jobs.project_rows import COMPUTED, OF_THE_SITE, RATINGS, tables_of_a_project
from app.jobs.steps import sweep
from app.models import (
    Base,
    Document,
    Event,
    EventKind,
    Judgment,
    JudgmentNote,
    Membership,
    Person,
    Project,
    Query,
    Run,
    Upload,
)
from app.models.base import now_utc
from app.services.assignment.query_assignments import assign_queries, query_assignments_of
from app.services.errors import ConflictError, InvalidError
from app.services.evidence.store import evidence_of
from app.services.exports.judgments import export_judgments
from app.services.ledger import head_of, record_event
from app.services.projects.projects import get_project
from app.services.projects.purging import belongs_to
from app.services.projects.settings import archive_project
from app.services.scores.leaderboard import leaderboard_of
from tests.benchmarks.made_projects import Shape, make_project
from tests.furniture.revisions import scores_at

pytestmark = pytest.mark.usefixtures("at_once")


def make_accounts(source, target):
    """Make an account in a database for everybody who has one in another."""
    with source.read() as there, target.write() as here:
        for person in there.scalars(select(Person).where(Person.email.is_not(None))):
            here.add(Person(name=person.name, email=person.email, created_at=person.created_at))


def lines_of(path):
    with gzip.open(path, "rb") as file:
        return file.read().splitlines(keepends=True)


def put_lines(path, lines):
    """Write a file whose last line agrees with what is before it."""
    rows = sum(line.startswith(b"[") for line in lines)
    last = {"rows": rows, "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    with gzip.open(path, "wb") as file:
        file.write(b"".join(lines) + json.dumps(last, separators=(",", ":")).encode() + b"\n")


def told_of(database, slug):
    """Return the scores of a project at all its revisions, what its overview says, and its ratings."""
    with database.read() as session:
        project = get_project(session, slug)
        head = head_of(session, project.id)
        ratings = list(export_judgments(session, project).lines)
    scores = scores_at(database, project.id, [*range(1, head, 3), head])
    answer = leaderboard_of(evidence_of(database, project.id)).answer
    return scores, answer.sentence, answer.lines, ratings


@pytest.mark.thorough
def test_what_is_exported_after_an_import_is_what_was_imported(full, file, stored, tmp_path):
    again = tmp_path / "again"
    make_accounts(full, stored)

    done = import_project(stored, file, joins=True)

    export_project(stored, "there", again, by_email=True)
    assert lines_of(again)[1:-1] == lines_of(file)[1:-1]
    assert told_of(stored, "there") == told_of(full, "there")
    assert problems_of(stored) == []
    assert (done.joined, done.pseudonyms) == (10, 0)
    with stored.read() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 0


@pytest.mark.thorough
def test_without_addresses_people_are_pseudonyms_with_no_way_in(full, file, stored, tmp_path):
    path = tmp_path / "file"
    with full.write() as session:
        note = session.scalars(select(JudgmentNote)).all()[-1]
        note.text = "Annotator of there told me so"
    export_project(full, "there", path)
    make_accounts(full, stored)

    done = import_project(stored, path, slug="elsewhere", joins=True)
    import_project(stored, file, slug="unasked")

    assert any(b'"somebody told me so"' in line for line in lines_of(path))
    assert not [line for line in lines_of(path) if b"Annotator of" in line or b"@example" in line]
    assert (done.joined, done.pseudonyms) == (0, 10)
    with stored.read() as session:
        members = session.execute(select(Person, Membership.role).join(Membership)).all()
    assert len(members) == 20
    assert {person.name for person, _ in members} == {f"Person {number}" for number in range(1, 11)}
    assert all(person.erased_at and not person.email and role is None for person, role in members)
    assert told_of(stored, "elsewhere")[:3] == told_of(full, "there")[:3]


@pytest.mark.thorough
def test_numbers_inside_settings_and_events_are_those_of_the_copy(full):
    with full.write() as session:
        project = get_project(session, "there")
        query, gone = session.scalars(select(Query).where(Query.project_id == project.id)).all()[-1], 999_999
        annotator = session.scalars(select(Person).where(Person.name == "Annotator of there")).one()
        assign_queries(session, project, annotator.id, queries=[query.external_id])
        run = session.scalars(select(Run).where(Run.project_id == project.id)).first()
        run.stats = {"probe": {"query_id": query.id}}
        record_event(
            session, project.id, EventKind.RUN_DELETED, {"run_id": gone, "ranker": "R", "version": "v"}
        )

    copy_project(full, "there", "copy")

    with full.read() as session:
        project = get_project(session, "copy")
        its = session.scalars(
            select(Query).where(Query.project_id == project.id, Query.external_id == query.external_id)
        ).one()
        assert its.id != query.id
        assert query_assignments_of(project)[annotator.id].queries == (its.id,)
        stats = session.scalars(select(Run.stats).where(Run.project_id == project.id)).all()
        assert {"probe": {"query_id": its.id}} in stats
        events = session.scalars(select(Event).where(Event.project_id == project.id)).all()
        assert [each.payload["run_id"] for each in events if each.kind == EventKind.RUN_DELETED] == [-1]
        merged = [each.payload for each in events if each.kind == EventKind.DOCUMENTS_MERGED]
        own = set(session.scalars(select(Document.id).where(Document.project_id == project.id)))
        assert merged
        assert own.issuperset(merged[0]["document_ids"])


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_any_project_moves_with_every_score_at_every_revision(stored, tmp_path, seed):
    drawn = random.Random(seed)
    shape = Shape(
        slug="drawn",
        queries=drawn.randint(9, 14),
        rankers=drawn.randint(1, 3),
        versions=drawn.randint(1, 3),
        returned=12,
        reach=15,
        judgments=drawn.randint(20, 90),
        annotators=3,
    )
    make_project(stored, shape, seed=seed)

    export_project(stored, "drawn", tmp_path / "file", by_email=True)
    import_project(stored, tmp_path / "file", slug="moved")
    copy_project(stored, "drawn", "copied")

    before = told_of(stored, "drawn")
    assert before[0]
    assert told_of(stored, "copied") == before
    # Whose ratings they are is told by pseudonyms.
    assert told_of(stored, "moved")[:3] == before[:3]
    assert problems_of(stored) == []


@pytest.mark.postgresql
def test_a_project_moves_from_sqlite_to_postgresql_and_back(full, file, postgresql_url, stored, tmp_path):
    there = Database(postgresql_url)
    make_accounts(full, there)
    import_project(there, file, joins=True)
    export_project(there, "there", tmp_path / "back", by_email=True)
    import_project(stored, tmp_path / "back")

    assert lines_of(tmp_path / "back")[1:-1] == lines_of(file)[1:-1]
    assert told_of(there, "there") == told_of(full, "there")
    assert told_of(stored, "there")[:3] == told_of(full, "there")[:3]
    with pytest.raises(ConflictError, match="already a project"):
        import_project(there, file)
    there.dispose()


def changed(lines, place, old, new):
    assert old in lines[place]
    return [*lines[:place], lines[place].replace(old, new), *lines[place + 1 :]]


def place_of(lines, table):
    """Return the place of the first row of a table."""
    return 1 + next(place for place, line in enumerate(lines) if line.startswith(b'{"table":"%s"' % table))


@pytest.mark.thorough
def test_a_file_that_is_not_whole_is_refused_whole(file, stored, tmp_path):
    # Many more are in test_bad_project_files.py.
    lines, packed = lines_of(file)[:-1], file.read_bytes()
    bad = tmp_path / "bad"
    judgment = place_of(lines, b"judgment")
    tries = {
        "Copy it again": lambda: bad.write_bytes(packed[:-30] + bytes([packed[-30] ^ 1]) + packed[-29:]),
        "cannot be read": bad.unlink,
        r"a newer version .* \(format 2\)": lambda: put_lines(
            bad, changed(lines, 0, b'"version":1', b'"version":2')
        ),
        "the ledger of there holds": lambda: put_lines(bad, lines[:judgment] + lines[judgment + 1 :]),
        "revisions only grow": lambda: put_lines(
            bad, [*lines[:judgment], lines[judgment], *lines[judgment:]]
        ),
    }

    for told, spoil in tries.items():
        spoil()
        with pytest.raises((FormatError, InvalidError, ConflictError), match=told):
            import_project(stored, bad)

    with stored.read() as session:
        for model in (Project, Person, Query, Judgment, Event):
            assert session.scalar(select(func.count()).select_from(model)) == 0
    # And nothing of them is in the way.
    import_project(stored, file)


@pytest.mark.thorough
@pytest.mark.parametrize("for_how_long", ["a moment", "good"])
def test_an_import_that_fails_at_a_write_leaves_nothing_and_can_be_done_again(
    full, file, stored, for_how_long
):
    asked, allowed, is_full_for_good = [0], [1_000_000], for_how_long == "good"

    def refuse(_connection, _cursor, statement, *_):
        if statement.lstrip().split(" ", 1)[0] in {"INSERT", "UPDATE", "DELETE"}:
            asked[0] += 1
            if asked[0] == allowed[0] + 1 or (asked[0] > allowed[0] and is_full_for_good):
                raise sqlite3.OperationalError("database or disk is full")

    event.listen(full.writing_engine, "before_cursor_execute", refuse)
    import_project(full, file, slug="counted")
    event.remove(full.writing_engine, "before_cursor_execute", refuse)
    number, before = asked[0], rows_of_all_tables(stored)
    assert number > len(tables_of_a_project()) / 2
    event.listen(stored.writing_engine, "before_cursor_execute", refuse)
    try:
        for allowed[0] in sorted({*range(0, number, 4), number - 2, number - 1}):
            asked[0] = 0
            with pytest.raises(OperationalError):
                import_project(stored, file)
            if is_full_for_good:  # nothing could be removed
                asked[0] = -1_000_000
                sweep(stored)
            assert rows_of_all_tables(stored) == before
        asked[0], allowed[0] = 0, number
        import_project(stored, file)
    finally:
        event.remove(stored.writing_engine, "before_cursor_execute", refuse)

    with stored.read() as session:
        assert get_project(session, "there")


def rows_of_all_tables(database):
    with database.read() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table))
            for table in Base.metadata.sorted_tables
        }


def test_a_copy_says_how_many_rows_were_read_and_then_written(full):
    told = []

    copy_project(full, "there", "copy", progress=lambda *how_far: told.append(how_far))

    done, totals = zip(*told, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert (done[0] > 0, done[-1]) == (True, totals[0])
    assert totals[0] // 2 in done


def test_ratings_that_a_copy_brings_are_not_told_as_given_in_it(full):
    with full.write() as session:
        get_project(session, "there").created_at = now_utc() - timedelta(days=900)

    done = copy_project(full, "there", "copied")

    assert done.ratings > 0
    with full.read() as session:
        copied = get_project(session, "copied")
        newest = session.scalar(
            select(func.max(Judgment.received_at)).where(Judgment.project_id == copied.id)
        )
        assert copied.created_at > newest


@pytest.mark.parametrize("with_ratings", [True, False])
def test_a_copy_of_an_archived_project_is_open_and_the_old_one_stays_archived(full, with_ratings):
    with full.write() as session:
        archive_project(session, get_project(session, "there"))

    copy_project(full, "there", "copied", with_ratings=with_ratings)

    assert problems_of(full) == []
    with full.read() as session:
        assert get_project(session, "copied").state == "open"
        assert get_project(session, "there").state == "archived"


@pytest.mark.thorough
def test_a_copy_without_ratings_has_the_same_runs_and_a_ledger_without_gaps(full):
    done = copy_project(full, "there", "fresh", with_ratings=False)

    assert done.ratings == 0
    assert problems_of(full) == []
    with full.read() as session:
        old, new = get_project(session, "there"), get_project(session, "fresh")
        assert new.name == "Copy of Help for there"
        roles = [
            sorted(session.scalars(select(Membership.role).where(Membership.project_id == each.id)))
            for each in (old, new)
        ]
        assert roles[0] == roles[1]
        assert session.scalar(select(func.count()).where(Judgment.project_id == new.id)) == 0
        published = session.scalar(
            select(func.count()).where(Event.project_id == new.id, Event.kind == EventKind.RUN_PUBLISHED)
        )
        assert published == 2
        (fact,) = [run for run in evidence_of(full, new.id).structure.runs if "Forward" in run.ranker]
        assert fact.revision < head_of(session, new.id)


def test_every_table_of_a_project_is_in_its_file_or_left_out_on_purpose():
    named = {table.name for table in tables_of_a_project()}

    assert named >= RATINGS
    assert not named & (COMPUTED | OF_THE_SITE)
    # A table that comes later is in the file: one with secrets in it belongs to OF_THE_SITE.
    assert len(named) == 28, sorted(named)
    assert all(belongs_to(table, 1) is not None for table in tables_of_a_project()[2:])
