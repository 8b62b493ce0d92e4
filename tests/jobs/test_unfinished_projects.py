"""A project while it is imported: others work on, nobody sees it before the last step, and a kill leaves nothing."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
from functools import partial
from itertools import count

import pytest
from sqlalchemy import event, func, select, update

from app.database import Database
from app.formats.project_files import ProjectFile
from app.jobs import project_import, steps
from app.jobs.backups import problems_of
from app.jobs.project_export import export_project
from app.jobs.project_import import _Import, import_project
from app.jobs.steps import sweep
from app.jobs.turns import work_items_of
from app.models import Candidate, Judgment, MailMessage, Person, Picture, Project, RemarkResolution, now_utc
from app.services.errors import ConflictError
from app.services.judging.today import _projects
from app.services.mail import REPLIES_SETTLED, queue_mail
from app.services.projects.purging import unfinished_projects
from app.services.verification import holdings_of
from tests.benchmarks.made_projects import Shape, make_project
from tests.furniture.factories import Make
from tests.furniture.routes import ROUTES, plain
from tests.jobs.test_project_files import lines_of, make_accounts, told_of
from tests.jobs.test_publishing import everything, sweep_after_a_kill

pytestmark = pytest.mark.usefixtures("at_once")


def die_at(url, path, commits):
    """Import in a process that is killed at a commit."""
    database, done = Database(url), count()

    def die(_connection):
        if next(done) == commits:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.SHORTEST_PAUSE = steps.LONGEST_PAUSE = 0
    event.listen(database.writing_engine, "commit", die)
    import_project(database, path, joins=True)


def commits_of(database, file):
    """Import once more beside the project itself, and return with how many commits."""
    done = []

    def look(_connection):
        done.append(True)

    event.listen(database.writing_engine, "commit", look)
    import_project(database, file, slug="counted", joins=True)
    event.remove(database.writing_engine, "commit", look)
    return len(done)


# The same steps write to both databases: on PostgreSQL the ends are enough.
@pytest.mark.parametrize(
    ("database_kind", "where"),
    [
        ("sqlite", "the ends"),
        ("sqlite", "between"),
        pytest.param("postgresql", "the ends", marks=pytest.mark.postgresql),
    ],
)
@pytest.mark.thorough
def test_a_kill_at_a_commit_leaves_nothing_after_a_sweep(full, file, database, where):
    make_accounts(full, database)
    # On PostgreSQL the first is that of a lock.
    number = commits_of(full, file) + (not database.is_sqlite)
    tried = {"the ends": [0, 1, 2, number - 2, number - 1], "between": range(4, number, 8)}[where]
    before, forked = everything(database), multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload([__name__])

    def ended_at(commits):
        process = forked.Process(target=die_at, args=(database.url, file, commits))
        process.start()
        process.join(60)
        return process.exitcode

    for commits in tried:
        assert ended_at(commits) == -signal.SIGKILL
        with database.read() as session:
            assert not session.scalars(select(Project.slug).where(Project.is_complete())).all()
            assert unfinished_projects(session) or commits < 2
        sweep_after_a_kill(database)
        assert everything(database) == before
    assert len(tried) >= 3

    assert ended_at(number) == 0, "the last commit was tried"
    assert told_of(database, "there") == told_of(full, "there")


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_others_rate_and_import_between_all_steps(full, file, database, tmp_path):
    make_accounts(full, database)
    with database.write() as session:
        make = Make(session)
        own = make.project(slug="own", pool_depth=10)
        rater = make.member(own, "annotator", email="rater@example.org")
    added, mine = count(), []

    def work_on(_done, _total):
        sweep(database)
        with database.write() as session:
            make, number = Make(session), next(added)
            project = session.get_one(Project, own.id)
            query, document = make.query(project, f"q{number}"), make.document(project, f"d{number}")
            make.run(make.ranker(project, f"r{number}"), {query: [document]})
            make.person(f"Somebody {number}", email=f"s{number}@example.org")
            pooled = session.scalars(select(Candidate).where(Candidate.document_id == document.id)).one()
            rated = make.judgment(pooled, rater, number % 4)
            mine.append((rated.revision, rated.candidate_id, rated.grade))

    done = import_project(database, file, joins=True, progress=work_on)

    again = tmp_path / "again"
    export_project(database, "there", again, by_email=True)
    assert lines_of(again)[1:-1] == lines_of(file)[1:-1]
    assert told_of(database, "there") == told_of(full, "there")
    assert (done.joined, done.pseudonyms) == (10, 0)
    assert problems_of(database) == []
    assert len(mine) > 25
    with database.read() as session:
        stored = select(Judgment.revision, Judgment.candidate_id, Judgment.grade)
        its = stored.where(Judgment.project_id == own.id).order_by(Judgment.revision)
        assert [tuple(row) for row in session.execute(its)] == mine


def test_no_transaction_writes_more_rows_than_a_step_has(stored, tmp_path):
    judgments = 6_000
    shape = Shape(slug="large", queries=60, rankers=2, versions=2, returned=60, reach=80, judgments=judgments)
    make_project(stored, shape, seed=1)
    export_project(stored, "large", tmp_path / "file")
    written = []

    def begin(connection):
        written.append(-changes_of(connection))

    def commit(connection):
        written[-1] += changes_of(connection)

    event.listen(stored.writing_engine, "begin", begin)
    event.listen(stored.writing_engine, "commit", commit)

    assert import_project(stored, tmp_path / "file", slug="moved").ratings > 4 * project_import.ROWS

    assert sum(written) > 2 * judgments
    assert max(written) <= project_import.ROWS + 1
    # And the last one, which publishes, writes next to nothing.
    assert written[-1] < 10


def changes_of(connection):
    return connection.connection.dbapi_connection.total_changes


def take_the_name(session):
    session.scalars(select(Project).where(Project.slug == "here")).one().slug = "there-2"


def erase_somebody(session):
    session.scalars(select(Person).where(Person.name == "Annotator of there")).one().erased_at = now_utc()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "told", "table"),
    [(take_the_name, "already a project", "project"), (erase_somebody, "start it again", "person")],
)
def test_what_others_change_meanwhile_stops_the_publication_and_nothing_is_left(
    full, file, change, told, table
):
    before, changes = everything(full), [change]

    def work_on(done, total):
        if done == total and changes:
            changes.clear()
            with full.write() as session:
                change(session)

    with pytest.raises(ConflictError, match=told):
        import_project(full, file, slug="there-2", joins=True, progress=work_on)

    after = everything(full)
    assert [name for name in before if before[name] != after[name]] == [table]
    assert len(before[table]) == len(after[table])


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


def import_all_but_the_last_step(database, path):
    work = _Import(database, ProjectFile(path), "hidden", "Verborgen", joins=True, who={})
    for step in work.steps():
        if step.publishes:
            return
        with database.write() as session:
            step.write(session)


COMMANDS = (
    "about",
    "db check",
    "db verify",
    "project list",
    "project price there",
    "ranker list there",
    "score there",
    "token list",
    "user list",
)


@pytest.mark.thorough
def test_nobody_sees_a_project_that_is_half_imported(app, two_projects, client_of, run_command, tmp_path):
    database, there = app.extensions["touchstone"].database, two_projects.there
    with database.write() as session:
        # What the background would tell of, or work on.
        session.execute(update(Picture).values(state="waiting"))
        session.execute(update(RemarkResolution).values(replied_at=now_utc() - REPLIES_SETTLED, seen_at=None))
    path = tmp_path / "file"
    export_project(database, "there", path, by_email=True)
    visitors = [(client_of(each), each) for each in (there.annotator, two_projects.admin)]

    def today():
        with database.read() as session:
            return _projects.scalars(session, {"person": there.graders[1].id})

    def held():
        with database.read() as session:
            return holdings_of(session)

    asking = {
        (str(route), person.name): partial(_page, route, client, there.parts(person))
        for route in ROUTES
        for client, person in visitors
        if route.method == "GET"
    }
    asking |= {words: partial(_output, run_command, words) for words in COMMANDS}
    asking |= {"today": today, "held": held, "work": partial(work_items_of, database, tmp_path)}
    asking |= {"problems": partial(problems_of, database)}

    before = {name: ask() for name, ask in asking.items()}
    import_all_but_the_last_step(database, path)
    meanwhile = {name: ask() for name, ask in asking.items()}
    with database.write() as session:
        queue_mail(session)
        (hidden,) = unfinished_projects(session)
        for model, is_there in ((Picture, True), (RemarkResolution, True), (MailMessage, False)):
            assert bool(session.scalar(select(func.count()).where(model.project_id == hidden))) == is_there
        assert session.scalar(select(func.count()).select_from(MailMessage))
    sweep(database)

    assert held() == before["held"]
    assert len(before) > 200
    assert not [name for name, told in meanwhile.items() if "Verborgen" in str(told)]
    assert not [name for name, told in meanwhile.items() if "importing " in str(told)]
    others = [name for name in asking if meanwhile[name] != before[name]]
    # Some pages tell the time: they are others now as well.
    assert not [name for name in others if asking[name]() == before[name]]
    assert len(others) < 20, others


def _page(route, client, parts):
    return _told(route.ask(client, parts))


def _output(run_command, words):
    # How long it took is another time at each run.
    return re.sub(r"\(\d+\.\d s\)", "", run_command(*words.split()).output)


def _told(reply):
    return reply.status_code, plain(reply) if reply.mimetype.startswith("text/") else reply.data
