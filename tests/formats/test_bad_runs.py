"""Bad runs that nobody said the format of: each is refused with its place, its value and a remedy."""

import json

import pytest

from tests.formats.bad_runs import BAD_LINES
from tests.formats.made import FORMATS, file_of
from tests.formats.reading import assert_is_a_clear_sentence
from tests.formats.refusing import assert_nothing_is_stored, assert_refused, read_as_offered

LONG = "x" * 513


def lines_of(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


BAD = {
    "trec five": ("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5\n", 2, "q1 Q0 d2 2 1.5", "the line has 5 columns, not 6"),
    "trec tags": (
        "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 u\n",
        2,
        "u",
        "the run tag differs from 't', the tag of the",
    ),
    "csv two systems": (
        "query_id,doc_id,score,system\nq1,d1,2,a\nq1,d2,1,b\n",
        3,
        "b",
        "the run tag differs from 'a', the tag of the",
    ),
    "csv two systems same docs": (
        "query_id,doc_id,score,system\nq1,d1,2,a\nq1,d1,1,b\n",
        3,
        "b",
        "the run tag differs from 'a', the tag of the",
    ),
    "csv two runs": (
        "query_id,doc_id,rank,run\nq1,d1,1,a\nq2,d1,1,b\n",
        3,
        "b",
        "the run tag differs from 'a', the tag of the",
    ),
    "json two systems": (
        lines_of(
            {"query_id": "q1", "doc_id": "d1", "rank": 1, "tag": "a"},
            {"query_id": "q1", "doc_id": "d2", "rank": 2, "tag": "b"},
        ),
        2,
        "b",
        "the run tag differs from 'a', the tag of the",
    ),
    "rr predictions": (
        "q1 a7 0.9 0.8\nq1 a7 0.7 0.6\n",
        2,
        "q1 a7",
        "the query has this document already, on line 1",
    ),
    "rr predictions header": (
        "qid aid rank_score confidence\nq1 a7 0.9 0.8\nq1 a7 0.7 0.6\n",
        3,
        "q1 a7",
        "the query has this document already, on line 2",
    ),
    "rr predictions 3": (
        "q1 a7 0.9\n" * 60 + "q1 a8 0.7 0.6 0.5\n",
        61,
        "q1 a8 0.7 0.6 0.5",
        "the line has 5 columns, not 4",
    ),
    "pairs ints": (
        '{"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}',
        None,
        '{"q1": {"d1": 3, "d2": 0}, "q2": {"d3": ',
        "these are ratings as ranx and pytrec_eval take",
    ),
    "pairs long": (
        json.dumps({"q1": {LONG: 2.5}}),
        1,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the document id is longer than 512 bytes, in",
    ),
    "pairs word": ('{"q1": {"d1": 2.5, "d2": "x"}}', 1, "x", "the score is not a number, in 'q1 d2'"),
    "pairs null": ('{"q1": {"d1": 2.5, "d2": null}}', 1, "", "the line has no score where the lines before"),
    "request": (
        json.dumps({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1}]}]}),
        None,
        '{"requests": [{"id": "q1", "ratings": [{',
        "this is a _rank_eval request, which does not",
    ),
    "qrels": ("q1 0 d1 3\n", None, "q1 0 d1 3", "this is a file of ratings (TREC qrels), not a"),
    "qrels csv": (
        "query_id,doc_id,grade\nq1,d1,2\n",
        1,
        "query_id, doc_id, grade",
        "these are the columns of ratings, without rank",
    ),
    "queries": (
        "query_id,text\nq1,red\n",
        1,
        "query_id, text",
        "there is no column doc_id, and no column rank",
    ),
    "documents": ("doc_id,text\nd1,red\n", 1, "doc_id, text", "there is no column query_id or query, and no"),
    "prose": (
        "The reading room is open.\nIt closes.\n",
        1,
        "The reading room is open.",
        "the line has 5 columns, not 6",
    ),
    "html": (
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        None,
        "<!DOCTYPE html>",
        "this is HTML or XML without results of a ranker",
    ),
    "topics": (
        "<top>\n<num> 1\n<title> red\n</top>\n",
        None,
        "<top>",
        "this is TREC topics, which does not hold",
    ),
    "msearch": (
        json.dumps({"responses": [{"hits": {"hits": [{"_id": "d1"}]}}]}),
        1,
        "",
        "the response does not say which query it answers",
    ),
    "quepid case": (
        json.dumps({"queries": [{"query_text": "a", "ratings": {"d1": 2}}]}),
        None,
        '{"queries": [{"query_text": "a", "rating',
        "this is a Quepid case, which does not hold",
    ),
    "details rating": (
        json.dumps({"details": {"q1": {"hits": [{"hit": {}, "rating": 1}]}}}),
        1,
        "",
        "the document id is empty",
    ),
    "relevance": (
        '"how?",d1,4\n"what?",d1,4\n',
        1,
        "how?, d1, 4",
        "there is no column query_id or query, and no",
    ),
    "mteb two": (
        json.dumps(
            {"mteb_model_meta": {"m": 1}, "default": {"test": {"q": {"d": 1}}, "dev": {"q": {"d": 1}}}}
        ),
        1,
        "dev",
        "the file has predictions for several subsets or",
    ),
    "markdown": (
        "| query_id | doc_id | rank |\n|---|---|---|\n| q1 | d1 | 2 |\n",
        1,
        ", query_id, doc_id, rank, ",
        "several columns have no name",
    ),
}


def with_a_bad_line(format, bad):
    """Return a run whose second line is bad, and the number of that line."""
    data, line = file_of(format, "@@@")
    return data.encode().replace(b"@@@", bad if isinstance(bad, bytes) else bad.encode()), line


BAD_LINE = {
    f"{name} {label}": with_a_bad_line(name, bad)
    for name in FORMATS
    for label, (bad, _) in BAD_LINES[name].items()
}


@pytest.mark.parametrize("label", BAD)
def test_a_bad_file_is_refused_with_place_value_and_remedy(label):
    assert_refused("run", BAD[label])


@pytest.mark.parametrize("label", BAD_LINE)
def test_a_bad_line_is_refused_whose_format_nobody_said(label):
    data, line = BAD_LINE[label]

    _, log = read_as_offered("run", data)

    assert {problem.line for problem in log.problems} == {line}
    for problem in log.problems:
        assert_is_a_clear_sentence(problem)


@pytest.mark.thorough
def test_no_bad_file_leaves_anything(database):
    assert_nothing_is_stored(database, "run", BAD | BAD_LINE)


def test_there_are_at_least_sixty_different_files():
    assert len({str(data) for data, *_ in [*BAD.values(), *BAD_LINE.values()]}) >= 60 + len(BAD)


def test_the_tag_of_a_table_is_that_of_the_run():
    rows, log = read_as_offered("run", "query_id,doc_id,score,system\nq1,d1,2,a\nq1,d2,1,a\n")

    assert (len(rows), log.total, log.columns_left_out) == (2, 0, ())
