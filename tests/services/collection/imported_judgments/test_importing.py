"""Judgments of a file become ledger rows of a source that never signs in, once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select

from app.formats.errors import FormatError
from app.models import (
    Candidate,
    CurrentJudgment,
    Document,
    Event,
    Judgment,
    Membership,
    Origin,
    Person,
    Reason,
)
from app.services import current_judgments
from app.services.collection import judgment_import
from app.services.collection.documents import import_documents
from app.services.collection.import_undo import undo_import
from app.services.collection.judgment_files import JudgmentOptions, read_judgment_file
from app.services.collection.judgment_import import prepare_judgments
from app.services.current_judgments import rebuild_current_judgments
from app.services.errors import InvalidError
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of, import_judgments

QRELS = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d6 1\n"


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d3"})
    return project


@pytest.fixture
def bring(session, project):
    def bring(text, name="qrels.txt", **options):
        return import_judgments(session, project, file_of(text, name), JudgmentOptions(**options))

    return bring


def judgments_of(session, project):
    return session.scalars(
        select(Judgment).where(Judgment.project_id == project.id).order_by(Judgment.revision)
    ).all()


def test_qrels_become_judgments_of_one_source_and_then_an_event(session, project, bring):
    before = head_of(session, project.id)

    done = bring(QRELS)

    rows = judgments_of(session, project)
    person = session.get(Person, rows[0].annotator_id)
    event = session.get(Event, (project.id, done.revision))
    assert [(row.revision, row.grade, row.reason) for row in rows] == [
        (before + 1, 3, None),
        (before + 2, 0, None),
        (before + 3, 1, None),
    ]
    assert (done.revision, head_of(session, project.id)) == (before + 4, before + 4)
    assert (event.kind, event.payload["count"], event.payload["annotator_ids"]) == (
        "judgments_imported",
        3,
        [person.id],
    )
    assert (person.kind, person.name, person.email) == ("imported", "Imported from qrels", None)
    membership = session.get(Membership, (person.id, project.id))
    assert (membership.role, membership.saw_rankers) == ("annotator", False)


def test_judged_answers_outside_the_pool_become_candidates_that_are_not_dealt(session, project, bring):
    done = bring(QRELS)

    outside = session.scalars(
        select(Candidate).join(Document).where(Document.external_id == "d6", Candidate.in_pool.is_(False))
    ).one()
    assert (done.outside_pool, outside.best_rank) == (1, 0)


def test_the_same_file_again_changes_nothing(session, project, bring):
    bring(QRELS)
    before = head_of(session, project.id)

    again = bring(QRELS)
    elsewhere = bring(QRELS + "\n", name="qrels.txt")

    assert (again.added, again.unchanged, again.revision) == (0, 3, None)
    assert (elsewhere.added, elsewhere.unchanged) == (0, 3)
    assert head_of(session, project.id) == before


def test_a_name_of_its_own_makes_another_annotator(session, project, bring):
    bring(QRELS)

    done = bring("q1 0 d1 1\n", annotator=" Kim ")

    names = session.scalars(select(Person.name).where(Person.kind == "imported").order_by(Person.id)).all()
    assert (done.added, names) == (1, ["Imported from qrels", "Kim"])


def test_everything_wrong_is_said_together_and_nothing_is_written(session, project, bring):
    before = head_of(session, project.id)

    with pytest.raises(FormatError) as refused:
        bring("q1 0 d1 3\nqx 0 d1 3\nq1 0 dx 3\nq1 0 d2 4\n")

    assert [(p.line, p.code, p.value) for p in refused.value.problems] == [
        (2, "unknown-query", "qx"),
        (3, "unknown-document", "dx"),
        (4, "off-scale", "4"),
    ]
    assert head_of(session, project.id) == before
    assert session.scalar(select(func.count()).where(Person.kind == "imported")) == 0


def test_contradictions_are_said_with_everything_else(session, project, bring):
    bring(QRELS)

    with pytest.raises(FormatError) as refused:
        bring("q1 0 d1 2\nq1 0 d2 x\nq1 0 dx 1\n")

    assert [(p.line, p.code) for p in refused.value.problems] == [
        (1, "other-grade"),
        (2, "off-scale"),
        (3, "unknown-document"),
    ]


def test_unknown_ids_can_be_left_out_or_added(session, project, bring):
    done = bring("q1 0 dx 3\nqx 0 d1 3\n", unknown_queries="skip", unknown_documents="add")

    added = session.scalars(select(Document).where(Document.external_id == "dx")).one()
    assert (done.added, done.skipped_lines, done.new_documents, added.content_hash) == (1, 1, 1, None)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        (
            '{"q1": {"d1": 9, "dx": 1}, "q2": {"dx": 2}, "qx": {"d1": 1, "d2": 1}}',
            "the project has no query with this id or text (used 2 times)",
        ),
        (
            (
                '[{"qid": "q1", "docid": "d1", "rel": 9}, {"qid": "q1", "docid": "dx", "rel": 1}, '
                '{"qid": "q2", "docid": "dx", "rel": 1}, '
                '{"qid": "qx", "docid": "d1", "rel": 1}, {"qid": "qx", "docid": "d2", "rel": 1}]'
            ),
            "the project has no query with this id (used 2 times)",
        ),
    ],
)
def test_problems_of_a_file_on_one_line_name_the_pair(bring, text, unknown):
    with pytest.raises(FormatError) as caught:
        bring(text, "qrels.json")

    assert [(problem.line, problem.value, problem.reason) for problem in caught.value.problems] == [
        (1, "qx", unknown),
        (1, "dx", "the project has no document with this id, in the query 'q1' (used 2 times)"),
        (1, "9", "the grade is not on the project's scale 0-3, in 'q1 d1'"),
    ]


@pytest.mark.thorough
def test_negative_grades_are_refused_or_left_out(project, bring):
    with pytest.raises(FormatError, match="--negative skip"):
        bring("q1 0 d1 -1\nq1 0 d2 2\n")

    done = bring("q1 0 d1 -1\nq1 0 d2 2\n", negative="skip")

    assert (done.added, done.negative_lines) == (1, 1)


def test_another_grade_by_the_same_source_is_refused_unless_it_may_replace(session, project, bring):
    bring(QRELS)
    other = "q1 0 d1 2\nq1 0 d2 0\n"

    with pytest.raises(FormatError, match="has judged this answer with 3 before: 'q1 d1'"):
        bring(other)
    done = bring(other, replace=True)

    assert (done.replaced, done.added, done.unchanged) == (1, 0, 1)
    assert [row.grade for row in judgments_of(session, project)] == [3, 0, 1, 2]


def test_grades_of_a_scale_that_is_not_mapped_yet_contradict_nothing(bring):
    bring(QRELS)

    with pytest.raises(FormatError) as caught:
        bring("q1 0 d1 5\nq1 0 d2 2\n")

    assert [problem.code for problem in caught.value.problems] == ["off-scale"]
    assert caught.value.total == 1


def test_tables_name_annotators_reasons_and_times(session, project, bring):
    done = bring(
        "query_id,doc_id,annotator,grade,reason,judged_at\n"
        "q1,d1,Kim,3,,2026-11-02T09:15:00Z\n"
        "q1,d1,Lee,,unclear,\n"
        "q1,d2,,2,,2026-11-02T10:15:00+01:00\n",
        name="ratings.csv",
    )

    rows = judgments_of(session, project)
    names = [session.get(Person, row.annotator_id).name for row in rows]
    assert done.annotators == ("Kim", "Lee", "Imported from ratings")
    assert names == ["Kim", "Lee", "Imported from ratings"]
    assert [(row.grade, row.reason) for row in rows] == [(3, None), (None, Reason.UNCLEAR), (2, None)]
    assert [rows[0].judged_at, rows[2].judged_at] == [datetime(2026, 11, 2, 9, 15, tzinfo=UTC)] * 2


def test_a_source_judges_an_edited_document_anew(session, project, bring):
    bring(QRELS)
    edit = file_of("doc_id\ttext\nd1\tAnother text altogether.\n")
    import_documents(session, project, edit, replace=True)

    done = bring("q1 0 d1 1\nq1 0 d2 0\n")

    assert (done.added, done.replaced, done.unchanged) == (1, 0, 1)


def test_sources_of_the_same_name_in_two_projects_are_two(session, project, bring, make):
    other = make.project()
    corpus(session, other)
    bring(QRELS)

    import_judgments(session, other, file_of(QRELS, "qrels.txt"), JudgmentOptions())

    assert session.scalar(select(func.count()).where(Person.kind == "imported")) == 2


def test_the_check_writes_nothing(session, project):
    before = head_of(session, project.id)
    options = JudgmentOptions()

    work = prepare_judgments(session, project, read_judgment_file(file_of(QRELS, "q.txt"), options), options)

    assert (work.result.added, work.result.outside_pool) == (3, 1)
    assert head_of(session, project.id) == before
    assert session.scalar(select(func.count()).where(Person.kind == "imported")) == 0


def test_nothing_counts_before_the_last_step(database):
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
        bring_run(session, project, "one", {"q1": "d1 d2"})
    options = JudgmentOptions(unknown_documents="add")
    found = read_judgment_file(file_of("q1 0 d1 3\nq1 0 dx 1\n"), options)
    with database.read() as session:
        work = prepare_judgments(session, project, found, options)
    counted = []
    for step in work.steps():
        with database.write() as session:
            step.write(session)
        counted.append(len(evidence_of(database, project.id).ledger))

    assert counted == [0, 0, 2]
    assert work.result.added == 2


def test_a_machine_is_kept_apart_and_remembered_by_its_name(session, project, bring):
    bring(QRELS, annotator="A model", kind="machine")

    person = session.scalars(select(Person).where(Person.name == "A model")).one()
    assert person.kind == "machine"
    assert {judgment.role for judgment in judgments_of(session, project)} == {Origin.MACHINE}
    again = bring(QRELS, "other.txt", annotator="A model")
    assert (again.added, again.unchanged) == (0, 3)


@pytest.mark.parametrize(
    ("first", "then"), [("machine", "imported"), ("imported", "machine"), (None, "machine")]
)
def test_ratings_never_change_sides_by_an_import(session, project, bring, first, then):
    bring(QRELS, annotator="Somebody", kind=first)
    before = head_of(session, project.id)

    with pytest.raises(InvalidError, match="give this file's annotator another name"):
        bring("q2 0 d6 2\n", annotator="Somebody", kind=then)

    assert head_of(session, project.id) == before


def test_an_undone_machine_says_nothing_any_more(session, project, bring):
    done = bring(QRELS, annotator="A model", kind="machine")
    event = session.get_one(Event, (project.id, done.revision))

    undo_import(session, project, event.revision)

    rows = judgments_of(session, project)
    assert [(row.grade, row.role) for row in rows[3:]] == [(None, Origin.MACHINE)] * 3


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 2, 50])
def test_in_parts_of_any_size_the_same_is_kept_replaced_and_refused(
    session, project, bring, monkeypatch, size
):
    monkeypatch.setattr(judgment_import, "LINES_A_PART", size)
    monkeypatch.setattr(current_judgments, "AT_ONCE", size)
    bring(QRELS, annotator="one")
    changed = QRELS.replace("d1 3", "d1 2").replace("d6 1", "d6 2") + "q2 0 d3 1\n"

    with pytest.raises(FormatError) as refused:
        bring(changed, annotator="one")
    done = bring(changed, annotator="one", replace=True)
    again = bring(changed, annotator="one")
    before = now_of(session)
    rebuild_current_judgments(session)

    assert [problem.line for problem in refused.value.problems] == [1, 3]
    assert (done.added, done.replaced, done.unchanged, done.outside_pool) == (1, 2, 1, 1)
    assert (again.added, again.replaced, again.unchanged) == (0, 0, 4)
    assert sorted(grade for _, grade in before) == [0, 1, 2, 2]
    assert now_of(session) == before


def now_of(session):
    """Return what counts now: each candidate and its grade."""
    return sorted(
        tuple(row) for row in session.execute(select(CurrentJudgment.candidate_id, CurrentJudgment.grade))
    )


SAME = (
    "10 of these ratings are the same as those of “Imported from first”. If the same people gave them, "
    "they count twice."
)
RATED = "“Imported from {}” has already rated {} of these answers. Both ratings count."


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("again", "told"),
    [
        (
            [1] * 12,
            SAME,
        ),
        ([1] * 9 + [2], RATED.format("first", 10)),
        ([1], RATED.format("first", 1)),
    ],
)
def test_a_file_that_repeats_another_ones_ratings_is_told_so(bring, again, told):
    def qrels(grades):
        return "".join(f"q1 0 e{number} {grade}\n" for number, grade in enumerate(grades))

    first = bring(qrels([1] * 10), name="first.txt", unknown_documents="add")
    assert first.hints == ()
    by_a_machine = bring(qrels(again), name="machine.txt", unknown_documents="add", kind="machine")
    assert by_a_machine.hints == (), "what a machine says counts only once it is allowed"

    second = bring(qrels(again), name="second.txt", unknown_documents="add")

    assert told in second.hints
    # Under the same name nothing is doubled: only what the other source alone has rated is told.
    again_first = bring(
        qrels([1] * 11), name="third.txt", unknown_documents="add", annotator="Imported from first"
    )
    assert again_first.unchanged == 10
    assert again_first.hints == ((RATED.format("second", 1),) if len(again) > 10 else ())


@pytest.mark.parametrize("known", [True, False])
def test_whether_others_rated_the_same_answers_does_not_depend_on_who_is_new(bring, known):
    bring("q1 0 d1 1\nq1 0 d2 1\n", name="first.txt")
    if known:
        bring("q2 0 d1 1\n", name="kim.txt", annotator="Kim")
    rows = "query_id,doc_id,annotator,grade,reason\nq1,d1,Kim,2,\nq1,d2,Kim,,unclear\n"

    done = bring(rows, name="more.csv")

    assert done.hints == (RATED.format("first", 1),)
