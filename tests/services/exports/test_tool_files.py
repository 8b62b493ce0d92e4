"""What goes out for other tools comes back into a project, in every form that is said to come back."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.formats.exported import FORMS
from app.models import Candidate, Document, Judgment, Origin, Person, Query, Ranking
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries, retire_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.errors import InvalidError
from app.services.exports.contents import export_pool, export_queries
from app.services.exports.judgments import export_judgments
from app.services.exports.runs import active_run_facts, export_runs
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of, import_judgments
from tests.furniture.properties import tried

SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
DOCUMENTS = [f"d{number}" for number in range(1, 7)]
lists = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(
        st.sampled_from(DOCUMENTS), st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1
    ),
    min_size=1,
)
grades = st.dictionaries(
    st.tuples(
        st.sampled_from(["q1", "q2"]),
        st.sampled_from(DOCUMENTS),
        st.sampled_from(["Kim", "=Lee", 'A "B", C', "Zoë"]),
    ),
    st.integers(0, 3),
    min_size=1,
    max_size=8,
)


def project_in(session):
    project = Make(session).project(k=2, pool_depth=2)
    corpus(session, project)
    return project


def written(export):
    return "".join(export.lines)


def rankings_of(session, run_id):
    wanted = select(Ranking.query_id, Ranking.document_ids, Ranking.scores).where(Ranking.run_id == run_id)
    return {row.query_id: (bytes(row.document_ids), row.scores) for row in session.execute(wanted)}


@pytest.mark.thorough
@pytest.mark.parametrize("format", ["json-pairs", "quepid"])
@given(lists=lists)
@settings(max_examples=tried(8), suppress_health_check=SLOW)
def test_a_run_comes_back_as_far_as_the_file_can_hold_it(session, format, lists):
    project = project_in(session)
    text = "".join(
        f"{query} Q0 {document} 1 {score!r} t\n"
        for query, scored in lists.items()
        for document, score in scored.items()
    )
    first = import_run(session, project, file_of(text), RunOptions(ranker="first"))

    (fact,) = active_run_facts(session, project)
    export = export_runs(session, [fact], format, data=True)
    # Scores that are whole and small look like ratings.
    named = {"format": format} if format == "json-pairs" else {}
    again = import_run(session, project, file_of(written(export), **named), RunOptions(ranker="second"))

    before, after = rankings_of(session, first.run_id), rankings_of(session, again.run_id)
    assert {query: ids for query, (ids, _) in after.items()} == {
        query: ids for query, (ids, _) in before.items()
    }
    if format == "json-pairs":
        assert {query: bytes(scores) for query, (_, scores) in after.items()} == {
            query: bytes(scores) for query, (_, scores) in before.items()
        }
    else:
        assert {scores for _, scores in after.values()} == {None}
    assert export.notes == tuple(form.lost for form in FORMS["results"] if form.name == format)


def test_a_snapshot_leaves_retired_questions_out_and_says_so(session):
    project = project_in(session)
    bring_run(session, project, "One", {"q1": "d2 d1", "q2": "d3"})
    retire_queries(session, project, ["q2"])

    export = export_runs(session, active_run_facts(session, project), "quepid", data=True)

    rows = list(csv.DictReader(io.StringIO(written(export))))
    assert [
        (row["Snapshot Name"], row["Query Text"], row["Doc ID"], row["Doc Position"]) for row in rows
    ] == [
        ("One v1", "How do I mend part 1?", "d2", "1"),
        ("One v1", "How do I mend part 1?", "d1", "2"),
    ]
    assert "retired questions" in export.notes[0]


@pytest.mark.parametrize("format", ["quepid", "workbench"])
def test_questions_come_back_by_their_texts(session, make, format):
    first, second = make.project(), make.project()
    rows = [("q1", "=red shoes", "to buy"), ("q2", "blau; grün", "")]
    text = "".join(
        json.dumps({"query_id": name, "text": text, "intent": intent}) + "\n" for name, text, intent in rows
    )
    import_queries(session, first, file_of(text, "q.jsonl"))

    file = file_of(written(export_queries(session, first, format=format, data=True)))
    again = import_queries(session, first, file)
    import_queries(session, second, file)

    # In the project that they come from they are known.
    assert (again.added, again.unchanged) == (0, 2)
    stored = session.execute(
        select(Query.text, Query.intent).where(Query.project_id == second.id).order_by(Query.id)
    )
    assert stored.all() == [(text, intent if format == "quepid" else "") for _, text, intent in rows]


@given(given_grades=grades)
@settings(max_examples=tried(8), suppress_health_check=SLOW)
def test_ratings_of_several_people_come_back_from_a_book(session, given_grades):
    projects = [project_in(session), project_in(session)]
    lines = [
        {"query_id": query, "doc_id": document, "annotator": annotator, "grade": grade}
        for (query, document, annotator), grade in given_grades.items()
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    import_judgments(session, projects[0], file_of(text, "j.jsonl"), JudgmentOptions())

    book = written(export_judgments(session, projects[0], format="quepid", data=True))
    import_judgments(session, projects[1], file_of(book), JudgmentOptions())

    assert ratings_in(session, projects[1]) == given_grades


def test_people_without_a_name_come_back_from_a_book(session):
    projects = [project_in(session), project_in(session)]
    book = "query,docid,Anonymous,Anonymous\nHow do I mend part 1?,d1,3,1\nHow do I mend part 1?,d2,,2\n"
    import_judgments(session, projects[0], file_of(book), JudgmentOptions())

    again = written(export_judgments(session, projects[0], format="quepid", data=True))
    import_judgments(session, projects[1], file_of(again), JudgmentOptions())

    assert again.startswith("query,docid,Anonymous,Anonymous 2\n")
    assert ratings_in(session, projects[1]) == ratings_in(session, projects[0])
    assert {
        (document, name): grade for (_, document, name), grade in ratings_in(session, projects[1]).items()
    } == {
        ("d1", "Anonymous"): 3,
        ("d1", "Anonymous 2"): 1,
        ("d2", "Anonymous 2"): 2,
    }


def ratings_in(session, project):
    rows = session.execute(
        select(Query.external_id, Document.external_id, Person.name, Judgment.grade)
        .select_from(Judgment)
        .join(Person, Person.id == Judgment.annotator_id)
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Judgment.project_id == project.id)
    )
    return {tuple(key): grade for *key, grade in rows}


def test_a_book_has_no_column_for_who_rated_nothing_and_no_line_without_a_rating(session, make):
    project = project_in(session)
    rows = "query_id,doc_id,annotator,grade,reason\nq1,d1,Kim,2,\nq1,d2,Kim,,unclear\nq1,d1,Lee,,unclear\n"
    import_judgments(session, project, file_of(rows, "j.csv"), JudgmentOptions())

    export = export_judgments(session, project, format="quepid", data=True)

    assert written(export).splitlines() == ["query,docid,Kim", "How do I mend part 1?,d1,2"]
    assert any("reasons for “can’t judge” are left out" in note for note in export.notes)


def test_a_book_says_when_the_name_of_an_annotator_is_that_of_a_column(session):
    project, other = project_in(session), project_in(session)
    rows = "query_id,doc_id,annotator,grade\nq1,d1,Rating,2\n"
    import_judgments(session, project, file_of(rows, "j.csv"), JudgmentOptions())

    export = export_judgments(session, project, format="quepid", data=True)
    import_judgments(session, other, file_of(written(export), format="book-csv"), JudgmentOptions())

    assert export.notes[-1].endswith("called Rating: import the book with --format book-csv.")
    assert ratings_in(session, other) == {("q1", "d1", "Rating"): 2}


@pytest.mark.thorough
@pytest.mark.parametrize("format", [form.name for form in FORMS["ratings"]])
def test_ratings_of_machines_go_out_and_come_back_apart_from_those_of_people(session, format):
    project, other = project_in(session), project_in(session)
    for kind, name in (("machine", "Robot"), ("imported", "Kim")):
        rows = f"query_id,doc_id,annotator,grade\nq1,d1,{name},2\n"
        import_judgments(session, project, file_of(rows, f"{name}.csv"), JudgmentOptions(kind=kind))

    people = written(export_judgments(session, project, format=format, data=True))
    export = export_judgments(session, project, by="machines", format=format, data=True)
    machines = written(export)
    import_judgments(
        session,
        other,
        file_of(machines, format="jsonl" if format == "jsonl" else None),
        JudgmentOptions(kind="machine"),
    )

    assert ("Robot" in people, "Kim" in people) == (False, True)
    assert ("Robot" in machines, "Kim" in machines) == (True, False)
    roles = select(Judgment.role, Judgment.grade).where(Judgment.project_id == other.id)
    assert session.execute(roles).all() == [(Origin.MACHINE, 2)]
    assert "Import them back with --kind machine." in export.notes


@pytest.mark.thorough
@pytest.mark.parametrize("unrated", [True, False])
@pytest.mark.parametrize("format", ["quepid", "quepid-book"])
def test_the_pool_goes_to_quepid_without_ratings_and_comes_back_with_them(session, format, unrated):
    project = project_in(session)
    bring_run(session, project, "Secret", {"q1": "d2 d1", "q2": "d3"})
    import_judgments(session, project, file_of("q1 0 d1 3\n"), JudgmentOptions())

    text = written(export_pool(session, project, unrated=unrated, format=format, data=True))
    if format == "quepid":
        filled = text.replace(",d2,", ",d2,2")
    else:
        book = json.loads(text)
        (pair,) = (pair for pair in book["query_doc_pairs"] if pair["doc_id"] == "d2")
        pair["judgements"] = [{"rating": 2.0, "user_email": "ada@example.org"}]
        filled = json.dumps(book)
        assert pair["document_fields"]["text"] == "Turn screw 2."
    done = import_judgments(
        session,
        project,
        file_of(filled),
        JudgmentOptions(annotator="ada@example.org" if format == "quepid" else None),
    )

    assert "Secret" not in text
    assert ("d1" in text) is not unrated
    assert (done.added, done.unrated_lines) == (1, 1 if unrated else 2)
    assert ratings_in(session, project)["q1", "d2", "ada@example.org"] == 2


@pytest.mark.parametrize(
    "export",
    [
        lambda session, project, form: export_queries(session, project, format=form),
        lambda session, project, form: export_pool(session, project, format=form),
        lambda session, project, form: export_judgments(session, project, format=form),
        lambda session, project, form: export_runs(session, active_run_facts(session, project), form),
    ],
)
def test_what_names_questions_by_their_texts_refuses_two_that_look_the_same(session, export):
    project = Make(session).project(k=2, pool_depth=2)
    rows = [{"query_id": "q1", "text": "red shoes"}, {"query_id": "q2", "text": "red shoes "}]
    import_queries(session, project, file_of("".join(f"{json.dumps(row)}\n" for row in rows), "q.jsonl"))
    Make(session).document(project, "d1")
    bring_run(session, project, "One", {"q1": "d1"})

    with pytest.raises(InvalidError, match="2 questions have the text “red shoes”"):
        export(session, project, "quepid")
    retire_queries(session, project, ["q2"])
    assert list(export(session, project, "quepid").lines)
