"""What is said about questions, texts and coverage, on a project whose answers are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.models import EventKind
from app.services.quality.health import (
    FEWEST_ANSWERS,
    QuestionHealth,
    RankerHealth,
    TextHealth,
    edited_answers,
    question_health,
    ranker_health,
    text_health,
    textless_documents,
)
from app.services.scores.context import scoring_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


def questions_of(evidence: Evidence) -> QuestionHealth:
    return question_health(evidence, scoring_context(evidence).board)


def texts_of(small: Small, evidence: Evidence) -> TextHealth:
    with small.database.read() as session:
        return text_health(session, evidence, scoring_context(evidence).board)


def names(evidence: Evidence, places: object) -> list[str]:
    return [evidence.structure.query_name[place] for place in places]


@pytest.mark.parametrize(
    ("weighted", "provisional", "only_wide"), [(1.0, True, True), (0.9, True, False), (1.0, False, False)]
)
def test_a_range_is_the_reason_only_where_enough_is_rated(
    small: Small, evidence_now: Callable[[], Evidence], weighted: float, provisional: bool, only_wide: bool
) -> None:
    run = evidence_now().structure.runs[0]

    found = RankerHealth(run, 21, 96, 98, weighted, provisional)

    assert found.is_only_wide is only_wide


def test_questions_stand_in_the_state_that_their_ratings_give_them(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        small.queries += [make.query(small.project, name) for name in ("qc", "qd")]
        small.queries.append(make.query(small.project, "retired"))
        make.run(small.rankers[0], dict.fromkeys(small.queries[2:], small.documents[:3]))
    small.event(EventKind.QUERY_RETIRED, {"query_ids": [small.queries[4].id]})
    small.rate(0, 0, 1)
    for document in range(4):
        small.rate(1, document, 0)
    small.rate(2, 0, 0)

    evidence = evidence_now()
    found = questions_of(evidence)

    assert (found.active, found.answered, found.without) == (4, 1, 3)
    assert names(evidence, found.none_found) == ["qb"]
    assert names(evidence, found.unknown) == ["qc", "qd"]
    assert names(evidence, found.weak) == []


def test_a_question_with_one_grade_is_named_from_five_answers_on(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        small.documents.append(make.document(small.project, "d5"))
        make.candidate(small.queries[0], small.documents[4], in_pool=False)
        make.candidate(small.queries[1], small.documents[4], in_pool=False)
    for document in range(FEWEST_ANSWERS - 1):
        small.rate(0, document, 2)
        small.rate(1, document, 2)
    assert questions_of(evidence_now()).enough == 0
    small.rate(0, 4, 2)
    small.rate(1, 4, 3)

    evidence = evidence_now()
    found = questions_of(evidence)
    assert (found.enough, names(evidence, found.one_level)) == (2, ["qa"])

    # A second annotator's 3 makes one answer 2-3: no longer one grade.
    small.rate(0, 4, 3, annotator=small.member("annotator"))
    assert len(questions_of(evidence_now()).one_level) == 0


def test_edited_texts_wait_until_they_are_rated_again(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 2)
    small.rate(1, 0, 2)
    small.rate(0, 1, 2)
    assert texts_of(small, evidence_now()).edited == 0
    small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id, small.documents[3].id]})
    small.rate(1, 0, 1)

    evidence = evidence_now()
    found = texts_of(small, evidence)

    assert (found.edited, found.outdated, len(found.waiting), found.again) == (2, 2, 1, 1)
    with small.database.read() as session:
        (one,) = edited_answers(session, evidence, found.waiting)
    assert (one.query_id, one.external_id) == (small.queries[0].id, "d1")


def test_answers_without_a_text_are_counted_once_and_where_they_stand(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        silent = make.document(small.project, "silent", title="", text="")
        make.document(small.project, "unpooled", title="", text="")
        make.candidate(small.queries[0], silent)
        make.candidate(small.queries[1], silent)

    found = texts_of(small, evidence_now())

    assert found.textless == 1
    with small.database.read() as session:
        (one,) = textless_documents(session, small.project.id, first=0, most=10)
    assert (one.external_id, one.questions, one.query) == ("silent", 2, small.queries[0].text)


def test_coverage_is_that_of_the_engine(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 3)
    small.rate(0, 2, 1)
    evidence = evidence_now()
    context = scoring_context(evidence)

    first, second = ranker_health(context)

    # Each returns two answers to both questions; one of its answers is rated.
    assert (first.scored, first.rated, first.answers, first.missing) == (1, 1, 4, 3)
    assert (second.rated, second.answers) == (1, 4)
    # The first of two places weighs 1, the second 1/log2(3) = .631.
    assert first.weighted == pytest.approx(1 / 1.6309297535714573)
    assert first.provisional


def test_without_a_score_nothing_is_said(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    for one in ranker_health(scoring_context(evidence_now())):
        assert (one.scored, one.rated, one.weighted, one.provisional) == (0, 0, None, False)
