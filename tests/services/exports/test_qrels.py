"""Qrels are the consensus that scores are computed from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.models import Candidate, Document, EventKind, Origin, Query, Reason
from app.services.collection.documents import import_documents
from app.services.collection.queries import retire_queries
from app.services.evidence.state import consensus_at
from app.services.evidence.store import evidence_of
from app.services.exports.judgments import export_judgments, export_qrels
from app.services.ledger import record_event
from app.services.projects.settings import change_ruler
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of
from tests.furniture.properties import tried


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=3)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d1"})
    return project


@pytest.fixture
def rate(session, project, make):
    people = {name: make.member(project, "annotator", name=name) for name in ("Ada", "Bo", "Cy")}

    def rate(document, name, grade, query="q1", **values):
        candidate = session.scalars(
            select(Candidate)
            .join(Document, Document.id == Candidate.document_id)
            .join(Query, Query.id == Candidate.query_id)
            .where(Document.external_id == document, Query.external_id == query)
        ).one()
        return make.judgment(candidate, people[name], grade, **values)

    return rate


def lines_of(session, project, **options):
    return [line.strip() for line in export_qrels(session, project, **options).lines]


def test_a_midpoint_is_written_lower_or_upper_and_the_export_says_which(session, project, rate):
    rate("d1", "Ada", 1)
    rate("d1", "Bo", 3)
    rate("d2", "Ada", 2)

    assert lines_of(session, project) == ["q1 0 d1 1", "q1 0 d2 2"]
    assert lines_of(session, project, middle="upper") == ["q1 0 d1 3", "q1 0 d2 2"]
    assert "the lower one is written" in export_qrels(session, project).notes[0]


def test_only_what_counts_is_written(session, project, rate):
    rate("d1", "Ada", 3)
    rate("d1", "Ada", 1)
    rate("d2", "Ada", 2)
    rate("d2", "Ada", None, reason=Reason.CLEARED)
    rate("d3", "Ada", 2, role=Origin.REPEAT)
    rate("d1", "Bo", 2, query="q2")
    retire_queries(session, project, ["q2"])

    assert lines_of(session, project) == ["q1 0 d1 1"]


def test_grades_of_an_older_text_are_left_out(session, project, rate):
    rate("d1", "Ada", 3)
    rate("d1", "Bo", 3)
    import_documents(session, project, file_of("doc_id\ttext\nd1\tQuite another text.\n"), replace=True)
    rate("d1", "Bo", 1)

    assert lines_of(session, project) == ["q1 0 d1 1"]
    assert len(list(export_judgments(session, project).lines)) == 2


def test_an_adjudication_decides_alone(session, project, rate):
    rate("d1", "Ada", 0)
    rate("d1", "Bo", 1)
    rate("d1", "Cy", 3, role=Origin.ADJUDICATION)

    assert lines_of(session, project) == ["q1 0 d1 3"]


def test_ratings_by_people_who_could_see_rankers_follow_the_ruler(session, project, rate):
    rate("d1", "Ada", 3, blind=False)
    rate("d2", "Bo", 1)
    change_ruler(session, project, {"only_blind": True})

    assert lines_of(session, project) == ["q1 0 d2 1"]
    assert "left out" in export_qrels(session, project).notes[1]


ratings = st.lists(
    st.tuples(
        st.sampled_from(["d1", "d2", "d3"]),
        st.integers(0, 2),
        st.sampled_from([0, 1, 2, 3, Reason.CLEARED, Reason.UNCLEAR]),
        st.sampled_from([Origin.PLANNED, *Origin]),
        st.booleans(),
    ),
    max_size=12,
)


@given(ratings=ratings, rule=st.sampled_from(["median", "mean", "majority"]), only_blind=st.booleans())
@settings(
    max_examples=tried(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_qrels_are_the_consensus_of_the_evidence(database, ratings, rule, only_blind):
    with database.write() as session:
        make = Make(session)
        project = make.project(k=2, pool_depth=3)
        corpus(session, project)
        bring_run(session, project, "one", {"q1": "d1 d2 d3"})
        people = [make.member(project, "annotator") for _ in range(3)]
        names = {
            name: candidate
            for candidate, name in session.execute(
                select(Candidate, Document.external_id)
                .join(Document, Document.id == Candidate.document_id)
                .where(Candidate.project_id == project.id)
            )
        }
        for document, person, says, role, blind in ratings:
            reason = says if isinstance(says, Reason) else None
            grade = None if reason else int(says)
            make.judgment(names[document], people[person], grade, reason=reason, role=role, blind=blind)
        change_ruler(session, project, {"consensus": rule, "only_blind": only_blind})
        record_event(session, project.id, EventKind.GUIDELINES_CHANGED, {"version": 1})

    evidence = evidence_of(database, project.id)
    consensus = consensus_at(evidence, evidence.ruler_at())
    with database.read() as session:
        external = dict(session.execute(select(Document.id, Document.external_id)).all())
        written = lines_of(session, project)
        upper = lines_of(session, project, middle="upper")
    judged = np.flatnonzero(consensus.judged)
    for lines, grades in ((written, consensus.low), (upper, consensus.high)):
        assert sorted(lines) == sorted(
            f"q1 0 {external[evidence.structure.document[at]]} {grades[at]}" for at in judged
        )
