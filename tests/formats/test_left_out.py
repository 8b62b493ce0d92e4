"""Columns that nothing is made of are named, and columns that somebody named are there."""

import json

import pytest

from app.formats.limits import MOST_COLUMNS
from tests.formats.reading import read, rows_of

QUERY = {"query_id": "q1", "text": "red shoes", "lang": "en", "market": "uk", "note": None}
RATING = {"query_id": "q1", "doc_id": "d1", "grade": 2, "@meta": {"created_by": "Ann", "at": {"day": 3}}}


@pytest.mark.parametrize(
    ("kind", "data", "names"),
    [
        ("queries", "query_id,text,traffic,lang,empty\nx1,red shoes,10,en,\n", ("lang",)),
        ("queries", "query_id,text,weight,traffic\nx1,red shoes,2,10\n", ("traffic",)),
        ("queries", json.dumps(QUERY), ("lang", "market", "note")),
        ("queries", json.dumps([QUERY]), ("lang", "market", "note")),
        ("queries", "x1\tred shoes\n", ()),
        ("judgments", "query_id\tdoc_id\trating\tsession\nq1\td1\t1\t77\n", ("session",)),
        ("judgments", "q1 0 d1 3\n", ()),
        ("run", "query_id,doc_id,score,size\nq1,d1,2.5,big\n", ("size",)),
        ("run", "q1 Q0 d1 1 2.5 tag\n", ()),
        ("documents", "doc_id,text,lang\nd1,a,en\n", ()),
    ],
)
def test_columns_that_are_not_kept_are_named(kind, data, names):
    _, log = read(kind, data)

    assert (log.columns_left_out, log.problems) == (names, [])


TEXTS = {"query_id": "q1", "question": "red shoes", "doc_id": "d1", "grade": 2}


@pytest.mark.parametrize(
    ("kind", "data", "names"),
    [
        ("judgments", "query_id,query,doc_id,grade\nq1,blue hats,d1,3\n", ("query (the id is used)",)),
        ("judgments", "qid\tFrage\tdocno\trel\nq1\tblue hats\td1\t3\n", ("Frage (the id is used)",)),
        ("run", "query_id,query,doc_id,rank\nq1,blue hats,d1,1\n", ("query (the id is used)",)),
        ("run", "query_id;query;x;doc_id;rank\nq1;a;1;d1;1\n", ("query (the id is used)", "x")),
        ("judgments", json.dumps(TEXTS), ("question (the id is used)",)),
        ("judgments", json.dumps([TEXTS]), ("question (the id is used)",)),
        ("judgments", "query_id,query,doc_id,grade\n,blue hats,d1,3\n", ()),
        ("judgments", "query_id,query,doc_id,grade\nq1,,d1,3\n", ()),
        ("run", "1\t7\tblue hats\tA hat.\n1\t8\tblue hats\tA cap.\n", ()),
    ],
)
def test_a_column_of_texts_beside_ids_is_named_with_what_counts(kind, data, names):
    _, log = read(kind, data)

    assert (log.columns_left_out, log.problems, log.hints) == (names, [], [])


def test_no_more_names_are_remembered_than_a_table_may_have():
    lines = (json.dumps({"query_id": f"q{at}", "text": "a", f"own{at}": 1}) for at in range(MOST_COLUMNS + 5))

    _, log = read("queries", "\n".join(lines))

    assert len(log.columns_left_out) == MOST_COLUMNS


@pytest.mark.parametrize("weight", ["0.5", "12345678.5"])
def test_traffic_is_the_weight_of_a_query(weight):
    assert rows_of("queries", f"query_id,text,traffic\nx1,red,{weight}\n")[0].weight == float(weight)
    assert rows_of("queries", f"query_id,text,traffic,weight\nx1,red,{weight},3\n")[0].weight == 3


FRAME = {"columns": list(RATING), "data": [list(RATING.values())]}


@pytest.mark.parametrize("data", [json.dumps(RATING), json.dumps([RATING]), json.dumps(FRAME)])
class TestNamedFields:
    def test_a_field_that_no_object_has_is_refused_with_those_that_exist(self, data):
        _, log = read("judgments", data, columns={"annotator": "created_by"})

        assert [(problem.code, problem.value) for problem in log.problems] == [("column", "created_by")]
        assert log.problems[0].remedy == "It has query_id, doc_id, grade, @meta."

    def test_a_field_inside_another_one_is_named_with_dots(self, data):
        (row,) = rows_of("judgments", data, columns={"annotator": "@meta.created_by"})

        assert row.annotator == "Ann"


def test_one_object_with_the_field_is_enough():
    data = '{"query_id": "q1", "text": "a"}\n{"query_id": "q2", "text": "b", "own": 3}\n'

    assert [row.weight for row in rows_of("queries", data, columns={"weight": "own"})] == [None, 3]
