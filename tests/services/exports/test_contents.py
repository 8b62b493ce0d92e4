"""What a project is made of goes out as tables that its imports read back."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Flag, Judgment, JudgmentNote, Origin, Person, Query
from app.services.collection.documents import import_documents
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries
from app.services.errors import InvalidError
from app.services.exports.contents import export_documents, export_pool, export_queries, export_remarks
from app.services.projects.settings import change_ruler
from tests.furniture.files import bring_run, corpus, file_of, import_judgments

TABLES = ["csv", "tsv", "jsonl"]
QUERIES = [
    {"query_id": "=1", "text": ' red shoes, 5" ', "intent": "to buy", "tags": ["shop", "red"], "weight": 2.5},
    {"query_id": "q 2", "text": "blau; grün"},
]
DOCUMENTS = [
    {"doc_id": "d1", "title": "=Tap", "text": 'A "b", c', "url": "https://example.org/1", "price": "5"},
    {"doc_id": "d2", "text": "Nüsse", "source": "blog", "Title": "own"},
    {"doc_id": "d3", "title": "No text"},
]


def lines_of(rows):
    return file_of("".join(f"{json.dumps(row)}\n" for row in rows), "rows.jsonl")


def written(export):
    return "".join(export.lines)


@pytest.mark.parametrize("format", TABLES)
def test_questions_come_back(session, make, format):
    first, second = make.project(), make.project()
    import_queries(session, first, lines_of(QUERIES))
    retired = make.query(first, "retired")
    retired.retired_revision = retired.added_revision

    export = export_queries(session, first, format=format, data=True)
    import_queries(session, second, file_of(written(export), f"q.{format}"))

    def stored(project):
        columns = (Query.external_id, Query.text, Query.intent, Query.tags, Query.weight)
        return session.execute(
            select(*columns).where(Query.project_id == project.id, Query.retired_revision.is_(None))
        ).all()

    assert stored(second) == stored(first)
    assert len(stored(first)) == 2
    assert export.notes == ("1 retired question is left out.",)


@pytest.mark.parametrize("format", TABLES)
def test_answers_come_back_with_their_own_columns(session, make, format):
    own = [{"sizes": [1, 2]}, {}, {}] if format == "jsonl" else [{}, {}, {}]
    first, second = make.project(), make.project()
    import_documents(session, first, lines_of(one | more for one, more in zip(DOCUMENTS, own, strict=True)))

    text = written(export_documents(session, first, format=format, data=True))
    import_documents(session, second, file_of(text, f"d.{format}"))

    def stored(project):
        names = ("external_id", "title", "text", "url", "source", "extra", "content_hash")
        wanted = select(*(getattr(Document, name) for name in names))
        return session.execute(wanted.where(Document.project_id == project.id)).all()

    assert stored(second) == stored(first)
    assert len(stored(first)) == 3


@pytest.mark.parametrize("format", TABLES)
def test_what_a_table_changes_is_said_before_it_is_written(session, make, format):
    project = make.project()
    import_queries(session, project, lines_of([{"query_id": "q1", "text": "a", "tags": ["b;c"]}]))
    import_documents(session, project, lines_of([{"doc_id": "d1", "text": "b", "stock": 3}]))

    notes = (
        *export_queries(session, project, format=format).notes,
        *export_documents(session, project, format=format).notes,
    )

    assert [note.partition(":")[0].partition(" become")[0] for note in notes] == (
        [] if format == "jsonl" else ["Some tags hold a semicolon", "Numbers and lists in your own columns"]
    )


def test_what_a_table_cannot_hold_is_refused_before_its_first_line(session, make):
    lines, named = make.project(), make.project()
    make.document(lines, text="one\ntwo")
    make.document(named, extra={"title": "of its own"})

    with pytest.raises(InvalidError, match="choose another format"):
        export_documents(session, lines, format="tsv")
    with pytest.raises(InvalidError, match="A column of your own is called “title”"):
        export_documents(session, named)
    assert '"one\ntwo"' in written(export_documents(session, lines, data=True))


@pytest.mark.thorough
@pytest.mark.parametrize("format", TABLES)
def test_unrated_pairs_come_back_as_ratings_where_a_grade_was_filled_in(session, make, format):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "Secret", {"q1": "d2 d1", "q2": "d3"})
    import_judgments(session, project, file_of("q1 0 d1 3\n"), JudgmentOptions())

    pool = written(export_pool(session, project, data=True))
    text = written(export_pool(session, project, unrated=True, format=format, data=True))
    ends = {"csv": ("screw 2.,", "screw 2.,2"), "tsv": ("screw 2.\t", "screw 2.\t2"), "jsonl": ("null", "2")}
    filled = file_of(text.replace(*ends[format], 1), f"filled.{format}")
    done = import_judgments(session, project, filled, JudgmentOptions(annotator="Ada"))

    assert pool.splitlines() == ["query_id,doc_id,ratings", "q1,d1,1", "q1,d2,0", "q2,d3,0"]
    assert "Turn screw 3." in text
    assert "How do I mend part 2?" in text
    assert "Secret" not in text
    assert done.unrated_lines == 1
    ada = select(Judgment.grade).join(Person, Person.id == Judgment.annotator_id).where(Person.name == "Ada")
    assert session.scalars(ada).all() == [2]
    assert written(export_pool(session, project, data=True)).splitlines()[2] == "q1,d2,1"


def test_a_pair_that_was_decided_is_not_among_the_unrated_ones(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "Secret", {"q1": "d2 d1", "q2": "d3"})
    candidates = session.scalars(
        select(Candidate).where(Candidate.project_id == project.id).order_by(Candidate.id)
    ).all()
    make.judgment(candidates[0], make.member(project, "owner"), 2, role=Origin.ADJUDICATION)

    unrated = written(export_pool(session, project, unrated=True, data=True)).splitlines()[1:]

    assert len(unrated) == len(candidates) - 1 == 2
    make.judgment(candidates[1], make.member(project, "owner", name="Olga"), 1, blind=False)
    assert len(written(export_pool(session, project, unrated=True, data=True)).splitlines()[1:]) == 1
    # A rating that the scores leave out is asked for again; what was decided is not.
    change_ruler(session, project, {"only_blind": True})
    assert written(export_pool(session, project, unrated=True, data=True)).splitlines()[1:] == unrated


def test_notes_and_flags_say_whose_they_are_and_what_of(session, make):
    project = make.project()
    ada = make.member(project, "annotator", name="Ada")
    candidate = make.candidate(make.query(project, "qa"), make.document(project, "da"))
    about = {"project_id": project.id, "candidate_id": candidate.id}
    make._added(JudgmentNote(**about, annotator_id=ada.id, text="Which\npart?"))
    for state in ("withdrawn", "resolved"):
        of_query = {"project_id": project.id, "query_id": candidate.query_id}
        make._added(Flag(**of_query, person_id=ada.id, state=state))

    rows = [json.loads(line) for line in export_remarks(session, project, format="jsonl").lines]

    kept = ("kind", "query_id", "doc_id", "annotator", "text", "state")
    assert [tuple(row[name] for name in kept) for row in rows] == [
        ("note", "qa", "da", "Ada", "Which\npart?", "open"),
        ("flag", "qa", None, "Ada", "", "resolved"),
    ]
