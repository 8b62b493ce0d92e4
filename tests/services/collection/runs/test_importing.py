"""Runs come in whole, invisible until their last step, in the order of the one tie rule."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import func, select

from app.formats.errors import FormatError
from app.jobs.steps import sweep
from app.models import Candidate, Document, Event, EventKind, Query, Ranker, Ranking, Run
from app.services.collection import pool
from app.services.collection import run_import as importing
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import RunImport, import_run, plan_run
from app.services.errors import ConflictError, InvalidError
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of, record_event
from tests.furniture.databases import made_in
from tests.furniture.files import bring_run, corpus, file_of, run_text

pytestmark = pytest.mark.everyday


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    return project


def lists_of(session, run_id):
    """Return query id -> (document ids, scores) as they are stored."""
    names = dict(session.execute(select(Document.id, Document.external_id)).all())
    rows = session.execute(
        select(Query.external_id, Ranking.document_ids, Ranking.scores)
        .join(Query, Query.id == Ranking.query_id)
        .where(Ranking.run_id == run_id)
    )
    return {
        query: (
            " ".join(names[number] for number in np.frombuffer(bytes(ids), "<i4").tolist()),
            None if scores is None else np.frombuffer(bytes(scores), "<f8").tolist(),
        )
        for query, ids, scores in rows
    }


@pytest.mark.thorough
def test_a_run_is_stored_published_and_pooled(session, project):
    done = bring_run(session, project, "BM25", {"q1": "d1 d2 d3", "q2": "d4"})

    run = session.get(Run, done.run_id)
    event = session.get(Event, (project.id, done.revision))
    assert lists_of(session, run.id) == {"q1": ("d1 d2 d3", [99, 98, 97]), "q2": ("d4", [99])}
    assert (run.state, run.version, run.tag, run.revision) == ("published", "v1", "BM25", event.revision)
    payload = {"run_id": run.id, "new_candidates": 3, "file": "file.tsv"}
    assert (event.kind, event.payload) == ("run_published", payload)
    pooled = session.execute(
        select(Candidate.best_rank, Candidate.pooled_revision).where(Candidate.in_pool.is_(True))
    ).all()
    assert sorted(pooled) == [(1, event.revision), (1, event.revision), (2, event.revision)]


def test_scores_decide_the_order_and_ids_break_ties_downwards(session, project):
    text = "q1 Q0 d1 1 5.0 t\nq1 Q0 d2 2 7.5 t\nq1 Q0 d10 3 5 t\nq1 Q0 d9 4 5 t\n"

    done = import_run(session, project, file_of(text), RunOptions(ranker="r", unknown_documents="add"))

    assert lists_of(session, done.run_id)["q1"] == ("d2 d9 d10 d1", [7.5, 5, 5, 5])
    assert (done.report.tied_lines, done.report.rank_disagreements) == (2, 1)
    assert (
        len([line for line in done.report.warnings if "have the same score as the line before" in line]) == 1
    )


def test_where_equal_scores_order_nothing_the_ranks_are_said_not_to_be_used(session, project):
    text = "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 1 t\n"

    done = import_run(session, project, file_of(text), RunOptions(ranker="r"))

    told = (
        "In 1 list of 1 the ranks do not match the scores. The scores decide, and document ids where scores are "
        "equal."
    )
    assert told in done.report.warnings


def test_ranks_decide_where_there_are_no_scores(session, project):
    text = "query_id\tdoc_id\trank\nq1\td3\t2\nq1\td1\t1\n"

    done = import_run(session, project, file_of(text), RunOptions(ranker="r"))

    assert lists_of(session, done.run_id)["q1"] == ("d1 d3", None)
    assert session.get(Run, done.run_id).stats["has_scores"] is False


def test_all_unknown_ids_are_said_together_and_nothing_is_written(session, project):
    before = head_of(session, project.id)

    with pytest.raises(FormatError) as refused:
        bring_run(session, project, "r", {"q1": "d1 d02", "1q": "d3", "q2": "d02 zebra"})

    assert [(p.line, p.value, p.code) for p in refused.value.problems] == [
        (2, "d02", "unknown-document"),
        (3, "1q", "unknown-query"),
        (5, "zebra", "unknown-document"),
    ]
    told = [str(problem) for problem in refused.value.problems]
    assert "Did you mean 'q1'?" in told[1]
    assert "used on 2 lines" in told[0]
    assert "Did you mean 'd2'?" in told[0]
    assert "Did you mean" not in told[2]
    assert session.scalar(select(func.count()).select_from(Run)) == 0
    assert head_of(session, project.id) == before


@pytest.mark.parametrize("form", ["table", "trec"])
def test_bad_lines_and_unknown_ids_are_said_together(session, project, form):
    lines = [("q1", "d1", "x"), ("qx", "d2", "y"), ("qy", "a\u00a0b", "1"), ("q1", "dx", "1")]
    head, shape = {"table": ("query_id,doc_id,score", "{},{},{}"), "trec": ("", "{} Q0 {} 1 {} t")}[form]
    text = "\n".join([head, *(shape.format(*line) for line in lines)])

    with pytest.raises(FormatError) as refused:
        import_run(session, project, file_of(text), RunOptions(ranker="r"))

    assert [(p.line, p.code) for p in refused.value.problems] == [
        (2, "score"),
        (3, "score"),
        (3, "unknown-query"),
        (4, "id-space"),
        (5, "unknown-document"),
    ]


def test_unknown_ids_of_a_run_on_one_line_name_their_query(session, project):
    text = '{"q1": {"d1": 0.9, "dx": 0.5}, "qx": {"d1": 0.1, "d2": 0.2}}'

    with pytest.raises(FormatError) as caught:
        import_run(session, project, file_of(text, "run.json"), RunOptions(ranker="r"))

    assert [(problem.value, problem.reason) for problem in caught.value.problems] == [
        ("qx", "the project has no query with this id or text (used 2 times)"),
        ("dx", "the project has no document with this id, in the query 'q1'"),
    ]


def test_unknown_queries_can_be_left_out_with_the_documents_that_only_they_name(session, project):
    lists = {"q1": "d1", "qx": "d2 zebra"}

    done = bring_run(session, project, "r", lists, unknown_queries="skip")

    assert lists_of(session, done.run_id) == {"q1": ("d1", [99])}
    assert (done.report.skipped_queries, done.report.missing_queries, done.report.lines) == (1, 1, 1)


def test_unknown_documents_can_be_added_by_name_only(session, project):
    done = bring_run(session, project, "r", {"q1": "zebra d1"}, unknown_documents="add")

    added = session.scalars(select(Document).where(Document.external_id == "zebra")).one()
    assert (added.text, added.content_hash) == ("", None)
    assert (done.report.new_documents, done.new_candidates) == (1, 2)
    assert lists_of(session, done.run_id)["q1"][0] == "zebra d1"


def test_a_run_that_answers_nothing_here_is_refused(session, project):
    with pytest.raises(InvalidError, match="answers none of the queries"):
        bring_run(session, project, "r", {"qx": "d1"}, unknown_queries="skip")


@pytest.mark.thorough
def test_the_same_file_for_the_same_ranker_is_registered_already(session, project):
    first = bring_run(session, project, "r", {"q1": "d1"})
    before = head_of(session, project.id)
    file = file_of(run_text({"q1": "d1"}, "r"))

    again = import_run(session, project, file, RunOptions(ranker="r", version="other"))
    elsewhere = import_run(session, project, file, RunOptions(ranker="s"))

    assert (again.already, again.run_id, again.version) == (True, first.run_id, "v1")
    assert (elsewhere.already, head_of(session, project.id)) == (False, before + 1)


@pytest.mark.thorough
def test_blanks_around_names_make_no_other_ranker_and_no_other_version(session, project):
    bring_run(session, project, "r", {"q1": "d1"}, version="v2")

    again = bring_run(session, project, "  r\u00a0", {"q1": "d1"}, version=" v2 ")
    counted = bring_run(session, project, "r ", {"q1": "d2"}, version="  ", note=" new words ")

    assert again.already
    assert (counted.ranker, counted.version) == ("r", "v1")
    assert session.get(Run, counted.run_id).note == "new words"
    assert session.scalars(select(Ranker.name)).all() == ["r"]
    with pytest.raises(ConflictError, match="has a version 'v2' already"):
        bring_run(session, project, " r", {"q1": "d3"}, version="v2 ")


@pytest.mark.thorough
def test_versions_are_counted_and_labels_are_used_once(session, project):
    labels = [
        bring_run(session, project, "r", {"q1": f"d{number}"}, version=version).version
        for number, version in enumerate([None, "v2", None], 1)
    ]

    assert labels == ["v1", "v2", "v3"]
    with pytest.raises(ConflictError, match="has a version 'v2' already"):
        bring_run(session, project, "r", {"q1": "d4"}, version="v2")


@pytest.mark.thorough
def test_rankers_take_marks_in_order_of_arrival(session, project):
    for number, name in enumerate(("one", "two", "one"), 1):
        bring_run(session, project, name, {"q1": f"d{number}"})

    rankers = session.execute(select(Ranker.name, Ranker.mark).order_by(Ranker.mark)).all()
    assert rankers == [("one", 1), ("two", 2)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "^Enter a name") for name in ("", "  ")),
        *((name, "A ranker is 1 to 200 characters") for name in ("x" * 201, "two\nlines")),
    ],
)
def test_a_ranker_needs_a_name_on_one_line(session, project, name, said):
    with pytest.raises(InvalidError, match=said):
        import_run(session, project, file_of(run_text({"q1": "d1"})), RunOptions(ranker=name))


@pytest.fixture
def work(database, monkeypatch):
    """Return an import of six steps on a committed project."""
    monkeypatch.setattr(importing, "LISTS_A_CHUNK", 1)
    monkeypatch.setattr(pool, "PAIRS_A_STEP", 2)
    project = made_in(database, make_started)
    lists = read_run_file(file_of(run_text({"q1": "d1 d2", "q2": "d3 zebra"})))
    options = RunOptions(ranker="new", unknown_documents="add")
    with database.read() as session:
        return RunImport(plan_run(session, project, lists, options), project.pool_depth)


def make_started(make):
    project = make.project(k=2, pool_depth=2)
    corpus(make.session, project)
    bring_run(make.session, project, "old", {"q1": "d1 d5"})
    return project


def write_all_but_the_last(database, work):
    """Write the steps up to the publication, and return that one."""
    for step in work.steps():
        if step.write == work._publish:
            return step
        with database.write() as session:
            step.write(session)
    raise AssertionError("there was no publication")


@pytest.mark.thorough
@pytest.mark.parametrize("steps_done", range(1, 7))
def test_nothing_of_a_run_is_seen_before_its_last_step_and_a_sweep_removes_it(database, work, steps_done):
    project_id = work.plan.project_id
    before = evidence_of(database, project_id)
    for step, _ in zip(work.steps(), range(steps_done), strict=False):
        with database.write() as session:
            step.write(session)

    with database.read() as session:
        assert head_of(session, project_id) == before.revision
        assert session.scalar(select(func.count()).where(Candidate.in_pool.is_(True))) == 2
    assert len(evidence_of(database, project_id).structure.runs) == 1

    sweep(database)

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Run)) == 1
        assert session.scalar(select(func.count()).select_from(Ranker)) == 1
        assert session.scalar(select(func.count()).select_from(Candidate)) == 2
        assert session.scalar(select(func.count()).select_from(Ranking)) == 1


@pytest.mark.thorough
def test_all_steps_together_do_what_one_transaction_does(database, work):
    sizes = []
    for step in work.steps():
        with database.write() as session:
            step.write(session)
        sizes.append(step.size)

    with database.read() as session:
        assert session.scalar(select(func.count()).where(Candidate.in_pool.is_(True))) == 5
    assert (work.result.new_candidates, sum(sizes), work.total) == (3, 6, 6)


@pytest.mark.thorough
def test_an_import_at_work_is_not_swept(database, work):
    with database.importing():
        with database.write() as session:
            next(work.steps()).write(session)
        sweep(database)

        with database.read() as session:
            assert session.scalar(select(func.count()).where(Run.state == "unpublished")) == 1
    sweep(database)

    with database.read() as session:
        assert session.scalar(select(func.count()).where(Run.state == "unpublished")) == 0


@pytest.mark.thorough
def test_the_same_file_that_was_quicker_through_another_door_stays_alone(database, work):
    twin = RunImport(work.plan, work.depth)
    publication = write_all_but_the_last(database, work)
    for step in twin.steps():
        with database.write() as session:
            step.write(session)
    with database.write() as session:
        publication.write(session)

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Run)) == 2
    assert (work.result.already, work.result.run_id) == (True, twin.result.run_id)


@pytest.mark.thorough
def test_an_import_stops_when_documents_were_removed_meanwhile(database, work):
    publication = write_all_but_the_last(database, work)
    with database.write() as session:
        record_event(session, work.plan.project_id, EventKind.DOCUMENTS_REMOVED, {"count": 1, "of": 3})

    with pytest.raises(ConflictError, match="start it again"), database.write() as session:
        publication.write(session)
