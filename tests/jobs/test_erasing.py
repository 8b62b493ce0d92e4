"""A person who was erased: nowhere in the files, while every rating and every score stays."""

import multiprocessing
import os
import signal
from dataclasses import replace
from itertools import count

import pytest
from sqlalchemy import Engine, event, func, select, text, update
from sqlalchemy.exc import DBAPIError

from app.database import Database
from app.jobs.backups import back_up, restore
from app.jobs.erasing import clean, erase, lists_of
from app.models import (
    AdjudicationView,
    ApiReply,
    ApiToken,
    AuditEntry,
    AuditKind,
    Base,
    Bookmark,
    Erasure,
    Event,
    EventKind,
    Flag,
    Guideline,
    Invitation,
    Judgment,
    JudgmentNote,
    Membership,
    Person,
    Project,
    RemarkResolution,
    Role,
    SharedLink,
    Upload,
    now_utc,
)
from app.services.accounts.audit import record
from app.services.accounts.erasing import REWRITTEN, get_erasable, is_cleaning_due, mentions_of
from app.services.accounts.invitations import invite, issue_reset
from app.services.accounts.sharing import share
from app.services.accounts.sign_in import network_of, record_failure
from app.services.bulk import table_of
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import record_event
from tests.furniture.factories import Make, making_in
from tests.jobs.test_publishing import everything

NAME, EMAIL, NOTE = "Zoë Quillfeather", "zoe.quillfeather@example.org", "marginalia of hers 77"
HASH = "argon2-of-quillfeather"
TRACES = [NAME, "Quillfeather", EMAIL, "zoe.quill", NOTE, HASH, "Quillfeather".lower()]


@pytest.fixture
def zoe(database):
    """Make somebody who has left traces in every place, and return who and how every rating was."""
    with making_in(database)() as make:
        person = _with_traces(make)
        return person.id


def _with_traces(make: Make) -> Person:
    session = make.session
    project = make.project(slug="traced")
    owner = make.member(project, "owner", name="Owner", email="owner@example.org")
    zoe = make.member(project, "annotator", name=NAME, email=EMAIL, password_hash=HASH)
    zoe.preferences = {"device": f"{NAME}'s laptop"}
    candidate = make.candidate(make.query(project))
    make.judgment(candidate, zoe, 2)
    base = {"project_id": project.id, "candidate_id": candidate.id}
    session.add_all(
        [
            JudgmentNote(**base, annotator_id=zoe.id, text=NOTE),
            Flag(**base, person_id=zoe.id, query_id=candidate.query_id, text=NOTE),
            AdjudicationView(**base, person_id=zoe.id, note=NOTE),
            AdjudicationView(**base, person_id=owner.id, note=f"ask {NAME} again"),
            RemarkResolution(
                **base,
                kind="note",
                person_id=zoe.id,
                query_id=candidate.query_id,
                said_at=now_utc(),
                reply=f"Thank you, {NAME}",
                actor_id=owner.id,
            ),
            Bookmark(project_id=project.id, revision=1, label=f"{NAME} joined"),
            Upload(
                project_id=project.id,
                person_id=zoe.id,
                kind="judgments",
                file_name=f"{NAME}.csv",
                size=1,
                sha256=b"\1" * 32,
                report={"look": [[NAME, 3]]},
                expires_at=now_utc(),
            ),
        ]
    )
    for actor, file in ((zoe, f"{NAME} of {EMAIL}.csv"), (owner, "plain.csv")):
        record_event(
            session,
            project.id,
            EventKind.QUERIES_ADDED,
            {"count": 1, "file": file, "list": [{"deep": file}]},
            actor_id=actor.id,
        )
    invite(session, project_id=project.id, role=Role.ANNOTATOR, email=EMAIL, note=NAME)
    invite(
        session, project_id=project.id, role=Role.ANNOTATOR, note=f"for {NAME.upper()}", created_by=owner.id
    )
    invite(session, project_id=project.id, role=Role.OWNER, note=NOTE, created_by=zoe.id)
    issue_reset(session, zoe)
    share(session, project.id, days=3, note=NOTE, created_by=zoe.id)
    session.info["network"] = "192.0.2.1"
    record(session, AuditKind.SIGNED_IN, person_id=zoe.id, actor_id=zoe.id, by="password")
    session.info["network"] = ""
    token = ApiToken(token_hash=b"t" * 32, ending="abcd", name=f"{NAME}'s", person_id=zoe.id, scopes="runs")
    session.add(token)
    session.flush()
    session.add(
        ApiReply(
            token_id=token.id, key_hash=b"k" * 32, request_hash=b"r" * 32, body={"by": NAME, "none": None}
        )
    )
    record_failure(session, EMAIL, network_of("192.0.2.1"))
    session.flush()
    return zoe


def erase_her(database, *folders, actor_id=None):
    return erase(database, folders, lambda session: get_erasable(session, EMAIL), actor_id=actor_id)


def ledger_of(database):
    with database.read() as session:
        judgments = session.execute(select(Judgment.__table__).order_by(Judgment.revision)).all()
        events = session.execute(
            select(Event.project_id, Event.revision, Event.kind, Event.actor_id, Event.at).order_by(
                Event.revision
            )
        )
        return judgments, events.all()


@pytest.mark.thorough
def test_what_says_who_she_was_is_gone_and_what_she_rated_stays(database, zoe):
    before = ledger_of(database)

    rewritten = erase_her(database)

    assert rewritten == 1
    assert ledger_of(database) == before
    with database.read() as session:
        person = session.get_one(Person, zoe)
        erasure = session.scalars(select(Erasure)).one()
        assert (person.name, person.email, person.password_hash, person.preferences) == (
            f"Erased person {erasure.id}",
            None,
            None,
            {},
        )
        assert person.erased_at is not None
        assert person.session_epoch > 0
        assert (erasure.person_id, erasure.actor_id, erasure.is_open, len(erasure.events)) == (
            zoe,
            None,
            False,
            1,
        )
        assert session.scalars(select(JudgmentNote)).all() == []
        trail = {entry.kind: entry.network for entry in session.scalars(select(AuditEntry))}
        assert (trail["signed_in"], trail["account_erased"]) == ("", "")
        assert session.scalars(select(ApiToken.revoked_at)).one() is not None
        assert session.scalar(select(Membership.role).where(Membership.person_id == zoe)) is None
        assert mentions_of(session, TRACES) == {}
        links = session.scalars(select(Invitation)).all()
        assert {link.note for link in links} == {"", f"for Erased person {erasure.id}"}
        assert all(link.revoked_at for link in links if link.created_by == zoe)
        assert session.scalars(select(SharedLink.revoked_at)).one() is not None
        file = session.scalar(select(Event.payload).where(Event.actor_id == zoe))
        assert file["file"] == f"Erased person {erasure.id} of Erased person {erasure.id}.csv"
        assert session.scalars(select(Upload.state)).one() == "cancelled"


def test_the_ledger_refuses_every_other_change_even_while_somebody_is_erased(database, zoe):
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(update(Event).values(payload={}))
    for change in ({"kind": "state_changed"}, {"revision": 4000}, {"actor_id": None}, {"at": now_utc()}):
        with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
            session.add(Erasure(person_id=zoe, is_open=True))
            session.flush()
            session.execute(update(Event).where(Event.actor_id == zoe).values(**change))
    for change in ({"kind": "signed_out"}, {"network": "other"}, {"details": {"a": 1}}):
        with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
            session.add(Erasure(person_id=zoe, is_open=True))
            session.flush()
            session.execute(update(AuditEntry).values(**change))
    for statement in ("UPDATE judgment SET grade = 1", "DELETE FROM event", "DELETE FROM judgment"):
        with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
            session.add(Erasure(person_id=zoe, is_open=True))
            session.flush()
            session.execute(text(statement))


def test_what_failed_half_way_has_erased_nothing(database, zoe, monkeypatch):
    monkeypatch.setattr("app.services.accounts.erasing._rewrite", lambda *_words: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        erase_her(database)

    with database.read() as session:
        assert session.get_one(Person, zoe).name == NAME
        assert session.scalar(select(func.count()).select_from(Erasure)) == 0


def die_at(url, folder, statement):
    """Erase her, and rewrite the files, in a process that is killed at a statement."""
    database, done = Database(url), count()

    def die(*_):
        if next(done) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    erase_her(database, folder)
    clean(database)


@pytest.mark.thorough
def test_killed_at_a_statement_it_has_erased_all_or_nothing(database, zoe, tmp_path):
    before, forked = everything(database), multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload([__name__])
    killed = 0
    for statement in count(0, 10):
        process = forked.Process(target=die_at, args=(database.url, tmp_path, statement))
        process.start()
        process.join(60)
        with database.read() as session:
            is_erased = session.get_one(Person, zoe).erased_at is not None
        if is_erased:
            break
        assert process.exitcode == -signal.SIGKILL
        assert everything(database) == before
        killed += 1

    assert killed > 1
    assert clean(database)
    with database.read() as session:
        assert mentions_of(session, TRACES) == {}
        assert not is_cleaning_due(session)


def test_nobody_is_erased_twice_and_nobody_unknown(database, zoe):
    erase_her(database)

    with pytest.raises(NotFoundError):
        erase_her(database)


def test_the_last_owner_and_the_last_administrator_stay(database, zoe):
    with making_in(database)() as make:
        make.person(email="root@example.org", is_admin=True, password_hash="x")

    with database.write() as session:
        with pytest.raises(ConflictError, match="needs an owner"):
            get_erasable(session, "owner@example.org")
        with pytest.raises(ConflictError, match="the only administrator"):
            get_erasable(session, "root@example.org")


def test_a_name_of_one_word_is_not_taken_out_of_other_words(database):
    with making_in(database)() as make:
        project = make.project()
        make.member(project, "annotator", name="Ada", email="a@example.org")
        record_event(
            make.session, project.id, EventKind.QUERIES_ADDED, {"count": 1, "file": "Ada-002 a@example.org"}
        )

    erase(database, [], lambda session: get_erasable(session, "a@example.org"))

    with database.read() as session:
        (pseudonym,) = session.scalars(select(Person.name).where(Person.erased_at.is_not(None)))
        assert f"Ada-002 {pseudonym}" in [one.get("file") for one in session.scalars(select(Event.payload))]


def bytes_in(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def traces_in(content):
    spelled = {form for word in TRACES for form in (word.encode(), word.encode("utf-16-le"))}
    return [each for each in spelled if each in content]


@pytest.fixture
def traced(stored):
    with making_in(stored)() as make:
        _with_traces(make)
    # Long enough for pages to be split, freed and used again.
    for number in range(60):
        with making_in(stored)() as make:
            make.person(f"Somebody {number}", preferences={"long": "x" * 900})
    return stored


def test_no_byte_of_her_is_left_in_the_database_and_in_backups_made_afterwards(traced, settings, tmp_path):
    assert traces_in(bytes_in(settings.instance_path))
    settings = replace(settings, backup_path=tmp_path / "backups")

    erase_her(traced, *lists_of(settings))
    assert clean(traced)
    back_up(traced, settings.backup_path / "after.sqlite3")

    assert traces_in(bytes_in(settings.instance_path)) == []
    assert traces_in(bytes_in(settings.backup_path)) == []
    with traced.read() as session:
        assert session.scalars(select(Erasure.cleaned_at)).one() is not None


@pytest.mark.thorough
def test_what_is_in_the_way_of_cleaning_is_waited_for_and_tried_again(traced, settings, monkeypatch):
    monkeypatch.setattr("app.database.COMPACT_SECONDS", 0)
    with traced.read() as session:
        session.scalar(select(Person.id))
        erase_her(traced)
        assert not clean(traced)

    assert clean(traced)
    assert traces_in(bytes_in(settings.instance_path)) == []
    assert clean(traced)


@pytest.mark.thorough
def test_a_backup_from_before_is_restored_without_her(traced, settings, tmp_path):
    settings = replace(settings, backup_path=tmp_path / "kept")
    file = tmp_path / "before.sqlite3"
    back_up(traced, file)
    erase_her(traced, *lists_of(settings))
    traced.dispose()
    for path in settings.instance_path.glob("touchstone.sqlite3*"):
        path.unlink()

    restore(settings, file)

    assert (
        traces_in(b"".join(path.read_bytes() for path in settings.instance_path.glob("touchstone.*"))) == []
    )
    with traced.read() as session:
        assert session.scalar(select(func.count()).where(Person.erased_at.is_not(None))) == 1


@pytest.mark.postgresql
def test_no_byte_of_her_is_left_in_the_files_of_postgresql(postgresql_url):
    database = Database(postgresql_url)
    with making_in(database)() as make:
        _with_traces(make)
        # As the server does by itself: the statistics of its planner hold values of columns.
        make.session.execute(text("ANALYZE"))
    erase_her(database)

    assert clean(database)

    with database.write() as session:
        files = session.execute(
            text("SELECT relname, pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't')")
        ).all()
        session.execute(text("CHECKPOINT"))
        read = "SELECT pg_read_binary_file(:path, 0, 1000000000, true)"
        left = {
            name: traces_in(bytes(session.scalar(text(read), {"path": path}) or b"")) for name, path in files
        }
    assert {name: found for name, found in left.items() if found} == {}
    database.dispose()


@pytest.mark.thorough
def test_the_command_asks_and_says_what_is_left(run_command, making):
    with making() as make:
        _with_traces(make)
        project = make.session.scalars(select(Project)).one()
        make.session.add(Guideline(project_id=project.id, version=9, markdown=f"Ask {NAME}."))

    kept = run_command("user", "erase", EMAIL)
    erased = run_command("user", "erase", EMAIL, "--yes")
    again = run_command("user", "erase", EMAIL, "--yes")

    assert kept.exit_code == 1
    assert erased.exit_code == 0
    assert erased.output.splitlines() == [
        "Erased. 1 entry of the ledger named them.",
        "Texts that still hold the name or address, for you to decide about: guideline (1).",
        "Backups made before still hold their data: delete them.",
    ]
    assert (again.exit_code, again.output) == (1, f"Error: There is no account for {EMAIL}.\n")


# Tables that name people, and hold texts which say nothing about them, or whose rows are deleted with them.
NOTHING_PERSONAL = {
    "adjudication_request",
    "assignment",
    "audit_entry",
    "current_judgment",
    "disclosure",
    "erasure",
    "gold",
    "guideline",
    "judgment",
    "mail_message",
    "membership",
    "open_session",
    "organisation_identity",
    "project_copy",
    "request",
    "unconfirmed_password",
}


def test_of_every_table_that_names_people_it_is_known_what_is_erased():
    naming = {
        table.name
        for table in Base.metadata.sorted_tables
        if any(key.column.table.name == "person" for key in table.foreign_keys)
    }

    # A new table stands here, or in REWRITTEN, once `erase_person` deals with what it holds.
    assert naming - {table_of(model).name for model, _ in REWRITTEN} == NOTHING_PERSONAL
