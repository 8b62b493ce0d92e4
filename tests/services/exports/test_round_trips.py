"""import(export(x)) = x for every format that can hold x."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.formats.exported import names_of
from app.models import Judgment, Person, Ranking, Run
from app.models.ranker import PROBES
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.collection.withdrawal import withdraw_run
from app.services.errors import InvalidError, NotFoundError
from app.services.exports.judgments import export_judgments, export_qrels
from app.services.exports.runs import active_run_facts, export_runs
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of, get_run, import_judgments
from tests.furniture.properties import tried

SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
DOCUMENTS = [f"d{number}" for number in range(1, 7)]
scores = st.floats(allow_nan=False, allow_infinity=False, width=64)
lists = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=1),
    min_size=1,
)
pairs = st.tuples(
    st.sampled_from(["q1", "q2"]),
    st.sampled_from(DOCUMENTS),
    st.sampled_from(["Kim", "=Lee", 'A "B", C', "Zoë"]),
)
given_grades = st.dictionaries(
    pairs, st.sampled_from([0, 1, 2, 3, "unclear", "harmful"]), min_size=1, max_size=8
)


def project_in(session):
    project = Make(session).project(k=2, pool_depth=2)
    corpus(session, project)
    return project


def rankings_of(session, run_id):
    rows = session.execute(
        select(Ranking.query_id, Ranking.document_ids, Ranking.scores).where(Ranking.run_id == run_id)
    )
    return {query: (bytes(ids), None if scores is None else bytes(scores)) for query, ids, scores in rows}


@pytest.mark.parametrize("format", ["trec", "csv", "tsv", "jsonl"])
@given(lists=lists)
@settings(max_examples=tried(8), suppress_health_check=SLOW)
def test_a_run_comes_back_to_the_last_bit(session, format, lists):
    project = project_in(session)
    text = "".join(
        f"{query} Q0 {document} 1 {score!r} t\n"
        for query, scored in lists.items()
        for document, score in scored.items()
    )
    first = import_run(session, project, file_of(text), RunOptions(ranker="first"))

    (fact,) = active_run_facts(session, project)
    written = "".join(export_runs(session, [fact], format, data=True).lines)
    again = import_run(session, project, file_of(written, format=format), RunOptions(ranker="second"))

    assert rankings_of(session, again.run_id) == rankings_of(session, first.run_id)


def test_a_run_without_scores_comes_back_from_a_table_and_trec_says_what_it_writes(session, make):
    project = project_in(session)
    table = "query_id\tdoc_id\trank\nq1\td3\t1\nq1\td1\t2\n"
    first = import_run(session, project, file_of(table), RunOptions(ranker="first"))
    facts = active_run_facts(session, project)

    for kind in ("csv", "trec"):
        export = export_runs(session, facts, kind, data=True)
        written = file_of("".join(export.lines), format=kind)
        again = import_run(session, project, written, RunOptions(ranker=kind))
        (before,), (after,) = (rankings_of(session, run).values() for run in (first.run_id, again.run_id))
        assert before[0] == after[0]
        assert (after[1] is None) is (kind == "csv")
        assert any("TREC needs scores" in note for note in export.notes) is (kind == "trec")
        assert any("The ranker is left out" in note for note in export.notes) is (kind == "csv")


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
@given(message=given_grades)
@settings(max_examples=tried(8), suppress_health_check=SLOW)
def test_judgments_come_back_with_annotators_reasons_and_times(session, format, message):
    def standing(project):
        rows = session.execute(
            select(Judgment, Person.name)
            .join(Person, Person.id == Judgment.annotator_id)
            .where(Judgment.project_id == project.id)
        )
        return {
            (rows_of[project.id][row.candidate_id], name, row.grade, row.reason, row.judged_at)
            for row, name in rows
        }

    projects = [project_in(session), project_in(session)]
    lines = [
        {"query_id": query, "doc_id": document, "annotator": annotator}
        | ({"grade": says} if isinstance(says, int) else {"reason": says, "grade": None})
        for (query, document, annotator), says in message.items()
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    import_judgments(session, projects[0], file_of(text, "j.jsonl"), JudgmentOptions())

    written = "".join(export_judgments(session, projects[0], format=format, data=True).lines)
    import_judgments(session, projects[1], file_of(written, format=format), JudgmentOptions())

    rows_of = {project.id: names_of_candidates(session, project) for project in projects}
    assert standing(projects[1]) == standing(projects[0])
    assert "".join(export_judgments(session, projects[1], format=format, data=True).lines) == written


def names_of_candidates(session, project):
    from app.models import Candidate, Document, Query

    rows = session.execute(
        select(Candidate.id, Query.external_id, Document.external_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project.id)
    )
    return {number: (query, document) for number, query, document in rows}


def test_the_newest_active_version_of_each_ranker_is_meant(session):
    project = project_in(session)
    for ranker, documents in (("b", "d1"), ("a", "d2"), ("b", "d3"), ("a", "d4")):
        bring_run(session, project, ranker, {"q1": documents})
    withdraw_run(session, get_run(session, "a", "v2"))

    def labels(**chosen):
        return [f"{fact.ranker} {fact.version}" for fact in active_run_facts(session, project, **chosen)]

    assert labels() == ["b v2", "a v1"]
    assert labels(all_versions=True) == ["b v1", "b v2", "a v1"]
    assert labels(ranker="b", version="v1") == ["b v1"]
    with pytest.raises(NotFoundError):
        labels(ranker="a", version="v2")


def test_what_was_put_into_the_pool_by_hand_is_no_result_of_a_ranker(session):
    project = project_in(session)
    bring_run(session, project, "a", {"q1": "d1"})
    bring_run(session, project, PROBES, {"q1": "d2"}, kind="manual")

    facts = active_run_facts(session, project, all_versions=True)

    assert [fact.ranker for fact in facts] == ["a"]
    assert [fact.ranker for fact in active_run_facts(session, project, ranker=PROBES)] == [PROBES]


def test_several_runs_share_a_trec_file_and_never_a_table(session):
    project = project_in(session)
    for ranker in ("Full text", "b"):
        bring_run(session, project, ranker, {"q1": "d1"})
    facts = active_run_facts(session, project)

    export = export_runs(session, facts)

    assert [line.split()[-1] for line in export.lines] == ["Full-text", "b"]
    assert len(export.notes) == 2
    with pytest.raises(InvalidError, match="do not fit in one csv file"):
        export_runs(session, facts, "csv")


def test_unpublished_runs_are_not_exported(session):
    project = project_in(session)
    bring_run(session, project, "a", {"q1": "d1"})
    session.add(
        Run(
            project_id=project.id,
            ranker_id=session.scalars(select(Run.ranker_id)).one(),
            version="importing x",
            file_hash=b"x" * 32,
        )
    )
    session.flush()

    assert len(active_run_facts(session, project, all_versions=True)) == 1


@pytest.mark.parametrize("format", names_of("qrels"))
def test_one_rating_for_each_answer_comes_back_from_the_file_of_every_tool(session, format):
    project, other = project_in(session), project_in(session)
    import_judgments(session, project, file_of("q2 0 d3 2\nq1 0 d1 3\nq1 0 d2 0\n"), JudgmentOptions())
    written = "".join(export_qrels(session, project, format=format).lines)

    import_judgments(session, other, file_of(written), JudgmentOptions())

    assert list(export_qrels(session, other).lines) == list(export_qrels(session, project).lines)
    assert len(list(export_qrels(session, other).lines)) == 3


def test_a_format_that_knows_questions_by_their_texts_refuses_two_with_one_text(session, make):
    project = make.project()
    for name in ("q1", "q2"):
        make.query(project, name, text="red shoes")

    with pytest.raises(InvalidError, match="2 questions have the text “red shoes”"):
        export_qrels(session, project, format="quepid")
