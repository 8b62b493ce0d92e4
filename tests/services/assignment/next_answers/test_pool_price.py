"""The price of a pool, said before it exists."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from app.models import Candidate, Document, Query, Ranker, Run
from app.models.judgment import Reason
from app.sentences import time_to_rate
from app.services.assignment.batch_lifecycle import decline_query
from app.services.assignment.pool_price import price_of_pool
from app.services.collection.duplicates import merge_documents
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import plan_run
from app.services.evidence.store import read_evidence
from tests.furniture.assigning import assign_best_batch
from tests.furniture.files import bring_run, corpus, file_of, run_text


def price_now(session, project, **more):
    return price_of_pool(session, read_evidence(session, project.id), project, **more)


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2, share_twice=0)
    corpus(session, project)
    return project


def test_the_sentence_names_rankers_depths_answers_and_hours(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4"})
    bring_run(session, project, "two", {"q1": "d2 d1 d5"})

    price = price_now(session, project, depths=(2, 3, 50))

    assert price.sentence == (
        "2 rankers. 3 answers wait for a first rating. 3 ratings are still needed: about 1 minute of work. "
        "The time assumes 20 seconds for each rating, the top 2 of each list and 1 rating per answer. "
        "At depth 3: 5 ratings, about 2 minutes."
    )


@pytest.mark.parametrize("has_another", [False, True])
def test_an_answer_that_nobody_here_could_judge_waits_for_no_rating(session, project, make, has_another):
    bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d4"})
    ann = make.member(project, "annotator")
    if has_another:
        make.member(project, "annotator")
    (first, *_) = session.scalars(select(Candidate).where(Candidate.in_pool).order_by(Candidate.id))
    make.judgment(first, ann, None, reason=Reason.UNCLEAR)

    price = price_now(session, project, depths=())

    if has_another:
        assert (price.chosen.unrated, price.chosen.ratings, price.chosen.passed) == (3, 3, 0)
    else:
        assert (price.chosen.unrated, price.chosen.ratings, price.chosen.passed) == (2, 2, 1)
        assert "2 answers wait for a first rating. 2 ratings are still needed" in price.sentence
        assert price.sentence.endswith(
            "1 answer could not be rated: decide it in Review, or retire its question."
        )


def test_a_question_that_nobody_here_could_judge_waits_for_no_rating(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    ann = make.member(project, "annotator")
    assigned = assign_best_batch(session, project.id, ann.id)
    decline_query(session, project.id, ann.id, assigned.batch, Reason.UNCLEAR)
    bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d4"})
    query = session.scalars(select(Query).where(Query.external_id == "q1")).one()
    rated = session.scalars(select(Candidate).where(Candidate.query_id != query.id)).one()
    make.judgment(rated, ann, 3)

    assert price_now(session, project, depths=()).sentence == (
        "1 ranker (2 versions). 2 answers could not be rated: decide them in Review, or retire their questions. "
        "All other answers have a rating. No more ratings are needed."
    )


def test_no_depth_is_priced_below_the_cutoff_of_the_score(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4"})

    assert [one.depth for one in price_now(session, project, depths=(1, 2, 3)).others] == [3]


@pytest.mark.parametrize(
    ("overlap", "share_twice", "ratings", "assumed"),
    [
        (1, 0.0, 60, "1 rating per answer."),
        (1, 0.2, 72, "1 rating per answer and a second rating for 20 % of them."),
        (1, 1.0, 120, "the top 30 of each list and that every answer is rated by two people."),
        (3, 0.2, 180, "3 ratings per answer."),
    ],
)
def test_second_ratings_are_in_the_price(session, project, overlap, share_twice, ratings, assumed):
    project.pool_depth, project.overlap, project.share_twice = 30, overlap, share_twice
    lists = {query: " ".join(f"{query}x{number}" for number in range(30)) for query in ("q1", "q2")}
    lists_file = read_run_file(file_of(run_text(lists)))
    plan = plan_run(session, project, lists_file, RunOptions(ranker="one", unknown_documents="add"))

    # With a text: one that is not stored yet has none.
    bring_run(session, project, "one", lists, unknown_documents="add")
    session.execute(update(Document).values(content_hash=b"a text"))
    price = price_now(session, project)

    assert plan.report.new_candidates == price.chosen.unrated == 60
    assert price.chosen.ratings == pytest.approx(ratings, abs=12 if share_twice and overlap == 1 else 0)
    assert assumed in price.sentence


def test_no_number_of_second_ratings_is_said_before_they_are_drawn(session, project):
    project.share_twice = 0.5
    bring_run(session, project, "one", {"q1": "d1"})
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "d4 d5"})))
    plan = plan_run(session, project, lists, RunOptions(ranker="two"))

    before = price_now(session, project, coming=plan.places_to_come(50), depths=()).sentence
    bring_run(session, project, "two", {"q1": "d2 d3", "q2": "d4 d5"})
    project.share_twice = 1.0
    drawn = price_now(session, project, depths=()).sentence

    assert "5 answers wait for a first rating. About " in before
    assert "second or later" not in before
    assert "10 ratings are still needed: about 4 minutes of work. 5 of these ratings are second" in drawn


def test_a_run_to_come_is_in_the_price_before_it_is_imported(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "zebra lion"})))
    plan = plan_run(session, project, lists, RunOptions(ranker="two", unknown_documents="add"))

    price = price_now(session, project, coming=plan.places_to_come(50))

    assert (price.rankers, price.runs, price.chosen.answers + price.chosen.textless) == (2, 2, 5)
    assert plan.report.new_candidates == 3


def test_ratings_are_an_estimate_before_it_is_drawn_which_answers_are_rated_twice(session, project):
    project.share_twice = 0.5
    bring_run(session, project, "one", {"q1": "d1 d2"})
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "d1 d2 d3"})))
    options = RunOptions(ranker="two")

    plan = plan_run(session, project, lists, options)
    before = price_now(session, project, coming=plan.places_to_come(50), depths=(2, 3))
    bring_run(session, project, "two", {"q1": "d2 d3", "q2": "d1 d2 d3"})
    after = price_now(session, project, depths=(2, 3))

    assert (before.chosen.unrated, after.chosen.unrated) == (5, 5)
    assert "5 answers wait for a first rating. About " in before.sentence
    assert "At depth 3: about " in before.sentence
    assert "5 answers wait for a first rating. About " not in after.sentence
    # Answers that are deeper than the pool are no candidates yet.
    assert "At depth 3: about " in after.sentence


@pytest.mark.parametrize("share_twice", [0, 1])
def test_ratings_are_known_before_an_import_where_nothing_is_drawn(session, project, share_twice):
    project.share_twice = share_twice
    lists = {"q1": "d1 d2", "q2": "d1"}
    plan = plan_run(session, project, read_run_file(file_of(run_text(lists))), RunOptions(ranker="one"))

    before = price_now(session, project, coming=plan.places_to_come(50), depths=())
    bring_run(session, project, "one", lists)

    assert before.sentence == price_now(session, project, depths=()).sentence


def test_a_merged_answer_to_come_is_priced_once(session, project, make):
    bring_run(session, project, "one", {"q1": "d1"})
    first, second = session.scalars(
        select(Document).where(Document.external_id.in_(("d1", "d2"))).order_by(Document.external_id)
    )
    merge_documents(session, project, [first.id, second.id])
    lists = {"q1": "d2 d3"}
    plan = plan_run(session, project, read_run_file(file_of(run_text(lists))), RunOptions(ranker="two"))

    before = price_now(session, project, coming=plan.places_to_come(50), depths=())
    bring_run(session, project, "two", lists)

    assert before.chosen.answers == price_now(session, project, depths=()).chosen.answers == 2
    assert plan.report.new_candidates == 1


def test_versions_of_one_ranker_are_told_apart_from_rankers(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    bring_run(session, project, "one", {"q1": "d3"})

    assert price_now(session, project).sentence.startswith("1 ranker (2 versions). 3 answers wait")


def test_an_answer_without_a_text_takes_no_time_and_is_named(session, project):
    bring_run(session, project, "one", {"q1": "d1 zebra"}, unknown_documents="add")

    price = price_now(session, project)

    assert (price.chosen.answers, price.chosen.textless) == (1, 1)
    assert price.sentence.endswith(" 1 text is missing, so 1 answer cannot be rated yet.")


def test_a_text_that_answers_two_questions_is_missing_once(session, project):
    bring_run(session, project, "one", {"q1": "zebra", "q2": "zebra"}, unknown_documents="add")

    price = price_now(session, project)

    assert (price.chosen.textless, price.chosen.missing_texts) == (2, 1)
    assert (
        price.sentence
        == "1 ranker. 1 text is missing, so 2 answers cannot be rated yet (one text can answer several questions)."
    )


def test_without_runs_there_is_nothing_to_rate(session, project):
    assert price_now(session, project).chosen.answers == 0


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
    assert time_to_rate(answers) == told


def test_known_answers_and_probes_are_no_rankers(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    make.session.add(manual := Ranker(project_id=project.id, name="Known answers", kind="manual", mark=9))
    make.session.flush()
    run = session.scalars(select(Run)).one()
    run.ranker_id = manual.id

    assert price_now(session, project).rankers == 0


def test_answers_to_come_that_are_rated_already_are_told_apart(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    query = session.scalars(select(Query).where(Query.external_id == "q1")).one()
    document = session.scalars(select(Document).where(Document.external_id == "d3")).one()
    outside = make.candidate(query, document, in_pool=False)
    make.judgment(outside, make.person(), 2)
    lists = read_run_file(file_of(run_text({"q1": "d2 d3", "q2": "d4"})))

    report = plan_run(session, project, lists, RunOptions(ranker="two")).report

    assert (report.new_candidates, report.rated_candidates) == (2, 1)


def test_answers_to_come_without_a_text_are_counted_and_so_are_their_texts(session, project, make):
    silent = make.document(project, "silent", title="", text="")
    queries = {query.external_id: query for query in session.scalars(select(Query))}
    make.judgment(make.candidate(queries["q1"], silent, in_pool=False), make.person(), 2)
    lists = read_run_file(file_of(run_text({"q1": "silent other", "q2": "silent other"})))

    report = plan_run(session, project, lists, RunOptions(ranker="two", unknown_documents="add")).report

    assert (report.rated_candidates, report.textless_candidates, report.missing_texts) == (1, 3, 2)


def test_what_is_rated_already_is_not_to_rate(session, project, make):
    bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d4"})
    first = session.scalars(select(Candidate).where(Candidate.project_id == project.id)).first()
    make.judgment(first, make.member(project, "annotator"), 2)

    sentence = price_now(session, project, depths=(2,)).sentence

    assert sentence.startswith(
        "1 ranker. 2 answers wait for a first rating. 2 ratings are still needed: about 1 minute"
    )
