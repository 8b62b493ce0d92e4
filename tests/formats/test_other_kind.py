"""A run that is offered as ratings, and ratings as a run, are called what they are."""

from __future__ import annotations

import pytest

from tests.formats.reading import read

RUN = {
    "csv": "qid,docno,rank,score,query\nq1,d1,0,1.5,how\n",
    "jsonl": '{"qid": "q1", "docno": "d1", "rank": 0, "score": 1.5}\n',
}
RATINGS = {
    "csv": ",qid,docno,label\n0,q1,d1,2\n1,q1,d2,0\n",
    "jsonl": '{"qid": "q1", "docno": "d1", "label": 2}\n',
}


def first_problem(kind, text, **more):
    _, log = read(kind, text, **more)
    return (
        (log.problems[0].code, str(log.problems[0].reason), str(log.problems[0].remedy))
        if log.total
        else None
    )


@pytest.mark.parametrize("shape", RUN)
def test_a_run_is_no_ratings(shape):
    assert first_problem("judgments", RUN[shape]) == (
        "header",
        "these are the columns of a run, without grade",
        "Import the file as results of a ranker (import run), or choose which column is which.",
    )


@pytest.mark.parametrize("shape", RATINGS)
def test_ratings_are_no_run(shape):
    assert first_problem("run", RATINGS[shape]) == (
        "header",
        "these are the columns of ratings, without rank or score",
        "Import the file as ratings (import judgments), or choose which column is which.",
    )


def test_a_score_that_is_named_as_the_grade_is_one():
    text = "qid,docno,rank,score\nq1,d1,0,2\n"

    assert first_problem("judgments", text, columns={"grade": "score"}) is None


def test_the_ratings_of_beir_are_ratings():
    assert first_problem("judgments", "query-id\tcorpus-id\tscore\nq1\td1\t2\n") is None


def test_a_run_of_ms_marco_is_no_ratings():
    code, reason, remedy = first_problem("judgments", "1048585\t7187158\t1\n1048585\t7187157\t2\n")

    assert code == "header"
    assert reason == "the first line names no columns, and three columns of numbers are a run of MS MARCO"
    assert remedy.startswith("Import the file as results of a ranker (import run), or give ratings")
