"""The price of a pool, said before it exists."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from app.models import Candidate, Document, Query, Ranker, Run
from app.services.collection.pool_price import DepthPrice, price_of_pool
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import plan_run
from tests.furniture.files import bring_run, corpus, file_of, run_text


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    return project


def test_the_sentence_names_rankers_depths_answers_and_hours(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4"})
    bring_run(session, project, "two", {"q1": "d2 d1 d5"})

    price = price_of_pool(session, project, depths=(1, 2, 3, 50))

    assert price.sentence == (
        "2 rankers. Depth 2: 3 answers to rate, about 1 minute for one person at 20 seconds each. "
        "Depth 1: 3 answers to rate, about 1 minute. Depth 3: 5 answers to rate, about 2 minutes."
    )


@pytest.mark.parametrize(
    ("overlap", "share_twice", "chosen", "other"),
    [
        (1, 0.0, "about 20 minutes for one person at 20 seconds each", "about 10 minutes"),
        (
            1,
            0.2,
            (
                "about 20 minutes for one person at 20 seconds each, "
                "without the second rating that about 20 % of them get"
            ),
            "about 10 minutes",
        ),
        (
            3,
            0.2,
            "about 60 minutes for one person at 20 seconds each, 3 ratings for each answer",
            "about 30 minutes",
        ),
    ],
)
def test_the_same_answers_take_the_same_time_whatever_share_is_rated_twice(
    session, project, overlap, share_twice, chosen, other
):
    project.pool_depth, project.overlap, project.share_twice = 30, overlap, share_twice
    lists = {query: " ".join(f"{query}x{number}" for number in range(30)) for query in ("q1", "q2")}
    bring_run(session, project, "one", lists, unknown_documents="add")
    session.execute(update(Document).values(content_hash=b"a text"))

    sentence = price_of_pool(session, project, depths=(15,)).sentence

    assert (
        sentence
        == f"1 ranker. Depth 30: 60 answers to rate, {chosen}. Depth 15: 30 answers to rate, {other}."
    )


def test_a_run_to_come_is_in_the_price_before_it_is_imported(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "zebra lion"})))
    plan = plan_run(session, project, lists, RunOptions(ranker="two", unknown_documents="add"))

    price = price_of_pool(session, project, coming=plan.places_to_come(50))

    assert (price.rankers, price.runs, price.chosen.answers) == (2, 2, 5)
    assert plan.report.new_candidates == 3


def test_versions_of_one_ranker_are_told_apart_from_rankers(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    bring_run(session, project, "one", {"q1": "d3"})

    assert price_of_pool(session, project).sentence.startswith("1 ranker (2 versions). Depth 2: 3 answers")


def test_an_answer_without_a_text_takes_no_time_and_is_named(session, project):
    bring_run(session, project, "one", {"q1": "d1 zebra"}, unknown_documents="add")

    price = price_of_pool(session, project)

    assert (price.chosen.answers, price.chosen.textless) == (2, 1)
    assert price.sentence.endswith(" 1 answer has no text, so nobody can rate it.")


def test_without_runs_there_is_nothing_to_rate(session, project):
    assert price_of_pool(session, project).chosen.answers == 0


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (0, "0 minutes"),
        (1, "about 1 minute"),
        (9, "about 3 minutes"),
        (179, "about 60 minutes"),
        (270, "about 2 hours"),
        (9_765, "about 54 hours"),
    ],
)
def test_time_is_said_in_words(answers, told):
    assert DepthPrice(10, answers).time == told


def test_known_answers_and_probes_are_no_rankers(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    make.session.add(manual := Ranker(project_id=project.id, name="Known answers", kind="manual", mark=9))
    make.session.flush()
    run = session.scalars(select(Run)).one()
    run.ranker_id = manual.id

    assert price_of_pool(session, project).rankers == 0


def test_answers_to_come_that_are_rated_already_are_told_apart(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    query = session.scalars(select(Query).where(Query.external_id == "q1")).one()
    document = session.scalars(select(Document).where(Document.external_id == "d3")).one()
    outside = make.candidate(query, document, in_pool=False)
    make.judgment(outside, make.person(), 2)
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "d4"})))

    report = plan_run(session, project, lists, RunOptions(ranker="two")).report

    assert (report.new_candidates, report.rated_candidates) == (2, 1)


def test_what_is_rated_already_is_not_to_rate(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d4"})
    first = session.scalars(select(Candidate).where(Candidate.project_id == project.id)).first()
    make.judgment(first, make.member(project, "annotator"), 2)

    sentence = price_of_pool(session, project, depths=(2,)).sentence

    assert sentence.startswith("1 ranker. Depth 2: 2 answers to rate, about 1 minute")
