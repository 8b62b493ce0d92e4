"""What could be read wrongly without a word is refused, with its place, its value and a remedy."""

from __future__ import annotations

import json

import pytest

from tests.formats.reading import read, rows_of

BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n"
SNAPSHOT = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
HITS = {"hits": [{"_id": "d1", "_score": 2.5, "matched_queries": ["q1"]}]}
FAILED = {"error": {"type": "index_not_found_exception"}, "status": 404}


def refused(kind, data, **more):
    """Return the first problem of a file as it is told."""
    _, log = read(kind, data, **more)
    assert log.problems, "it was accepted"
    return str(log.problems[0])


@pytest.mark.parametrize(
    "data",
    [
        BEIR,
        BEIR.replace("\t", ","),
        '{"query-id": "q1", "corpus-id": "d1", "score": 2}\n',
        '[{"query-id": "q1", "corpus-id": "d1", "score": 2}]',
    ],
)
def test_ratings_of_beir_are_no_run(data):
    told = refused("run", data)

    assert "these are ratings as BEIR has them, in whole numbers, not a run" in told
    assert "Import them as ratings (import qrels). If they are scores, name the format (--format" in told


def test_scores_under_the_names_of_beir_are_a_run():
    assert len(rows_of("run", BEIR.replace("\t2\n", "\t2.5\n"))) == 2
    assert len(rows_of("run", BEIR, format="tsv")) == 2
    assert len(rows_of("run", BEIR, columns={"score": "score"})) == 2
    assert len(rows_of("run", "query_id\tdoc_id\tscore\nq1\td1\t2\n")) == 1


@pytest.mark.parametrize("name", ["system", "model", "Snapshot Name"])
def test_results_of_two_rankers_are_not_one_run(name):
    told = refused("run", f"{name},query_id,doc_id,rank\nfirst,q1,d1,1\nsecond,q1,d2,2\n")

    assert "line 3: the run tag differs from 'first', the tag of the lines before: 'second'" in told
    assert told.endswith("Give one file per run.")


def test_two_snapshots_of_quepid_are_not_one_run():
    rows = f"{SNAPSHOT}May,2026-05-01,7,red shoes,d1,1\nJune,2026-06-01,7,blue hat,d2,1\n"

    assert "line 3: the run tag differs from 'May'" in refused("run", rows)
    assert len(rows_of("run", rows.replace("June", "May"))) == 2


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (FAILED, "the search of response 2 failed: 'index_not_found_exception, status 404'"),
        ({"hits": HITS, "timed_out": True}, "the search of response 2 timed out: 'timed_out: true'"),
        (
            {"hits": HITS, "_shards": {"total": 5, "failed": 1}},
            "response 2 lacks the results of shards that failed: '_shards.failed: 1'",
        ),
    ],
)
def test_a_response_that_lacks_results_is_refused(broken, told):
    good = {"hits": HITS, "timed_out": False, "_shards": {"total": 5, "failed": 0}}

    problem = refused("run", json.dumps({"responses": [good, broken]}))

    assert told in problem
    assert "Search again" in problem
    assert len(rows_of("run", json.dumps({"responses": [good]}))) == 1
    assert "response 1" in refused("run", json.dumps({"responses": [broken]}))
    assert "response 1" in refused("run", json.dumps(broken if "hits" in broken else _with_cause(broken)))


def _with_cause(answer):
    return {**answer, "error": {"root_cause": [], **answer["error"]}}


def test_failed_searches_of_an_evaluation_are_refused():
    details = {"q1": {"hits": [{"hit": {"_id": "d1"}, "rating": 3}]}}

    told = refused("run", json.dumps({"details": details, "failures": {"q2": {"error": "x"}}}))

    assert "the response lacks searches that failed: 'q2'" in told
    assert rows_of("run", json.dumps({"details": details, "failures": {}}))


def test_a_later_page_of_solr_is_no_run():
    answer = {
        "responseHeader": {"params": {"q": "red"}},
        "response": {"start": 10, "docs": [{"id": "d11", "title": "Red"}]},
    }

    told = refused("run", json.dumps(answer))

    assert "the response leaves out the first 10 results: 'start: 10'" in told
    assert "start=0" in told
    assert len(rows_of("documents", json.dumps(answer))) == 1
    answer["response"]["start"] = 0
    assert len(rows_of("run", json.dumps(answer))) == 1
    answer["responseHeader"]["partialResults"] = True
    assert "partialResults: true" in refused("run", json.dumps(answer))


@pytest.mark.parametrize(
    ("kind", "data", "line", "value"),
    [
        ("queries", "query_id;text;traffic\nq1;red shoes;1.200\nq2;blue hat;950\n", 2, "1.200"),
        ("queries", "query_id;text;weight\nq1;red shoes;950\nq2;blue hat;1.200\n", 3, "1.200"),
        ("run", "query_id;doc_id;score\nq1;d1;1.200\nq1;d2;950\n", 2, "1.200"),
        ("run", "query_id;doc_id;score\nq1;d1;1,5\nq1;d2;0.25\n", 3, "0.25"),
        ("run", "query_id;doc_id;score\nq1;d1;0.25\nq1;d2;0,1\n", 3, "0,1"),
        ("queries", "query_id;text;weight\nq1;red shoes;1,5\nq2;blue hat;1.200\n", 3, "1.200"),
    ],
)
def test_numbers_that_may_be_read_in_two_ways_are_refused(kind, data, line, value):
    _, log = read(kind, data)

    assert [(problem.line, problem.value) for problem in log.problems] == [(line, value)]
    assert str(log.problems[0].remedy) in {
        "Use one decimal mark everywhere, and no mark for thousands.",
        "Write thousands without a point, and decimals with a comma.",
    }


@pytest.mark.parametrize(
    ("kind", "data", "line", "value"),
    [
        ("queries", "query_id\ttext\ttraffic\nq1\tred shoes\t1.200\nq2\tblue hat\t950\n", 2, "1.200"),
        ("run", "query_id\tdoc_id\tscore\nq1\td1\t950\nq1\td2\t1.200\n", 3, "1.200"),
        ("judgments", "query_id\tdoc_id\tgrade\nq1\td1\t1.000\nq1\td2\t3\n", 2, "1.000"),
    ],
)
def test_numbers_between_tabs_that_may_be_read_in_two_ways_are_refused(kind, data, line, value):
    _, log = read(kind, data)

    assert [(problem.line, problem.value) for problem in log.problems] == [(line, value)]
    assert log.problems[0].remedy == "Write thousands without a point, and decimals as 1.2 or 1.20."


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("queries", "query_id\ttext\ttraffic\nq1\tred shoes\t1.200\nq2\tblue hat\t0.5\n"),
        ("run", "query_id\tdoc_id\tscore\nq1\td1\t2.125\nq1\td2\t1.200\n"),
        ("judgments", "query_id\tdoc_id\tgrade\nq1\td1\t1.000\nq1\td2\t0.000\n"),
    ],
)
def test_numbers_between_tabs_that_others_of_their_column_explain_are_read(kind, data):
    assert len(rows_of(kind, data)) == 2


@pytest.mark.parametrize(
    ("scores", "numbers"),
    [
        (("0.25", "7"), [0.25, 7]),
        (("12.345", "0.912"), [12.345, 0.912]),
        (("12.345", "11.100"), [12.345, 11.1]),
        (("1,5", "0,25"), [1.5, 0.25]),
        (("1,200", "3"), [1.2, 3]),
    ],
)
def test_numbers_beside_semicolons_that_can_be_told_are_read(scores, numbers):
    rows = rows_of(
        "run", "query_id;doc_id;score\n" + "".join(f"q1;{at};{s}\n" for at, s in enumerate(scores))
    )

    assert [row.score for row in rows] == numbers


def test_an_annotation_with_several_ratings_is_refused():
    stars = [{"type": "rating", "value": {"rating": grade}} for grade in (2, 3)]
    task = {"data": {"query_id": "q1", "doc_id": "d1"}, "annotations": [{"completed_by": 1, "result": stars}]}

    _, log = read("judgments", json.dumps([task]))

    (problem,) = log.problems
    assert (problem.value, problem.reason) == ("2, 3", "the annotation holds several ratings")
