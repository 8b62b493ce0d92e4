"""Tables as pandas 3.0 wrote them with `to_json`: each text here is what it printed."""

import pytest

from app.formats.recognise import kind_of
from tests.formats.reading import found, guessed, read, rows_of

RUN = {
    "split": (
        '{"columns":["query_id","doc_id","rank","score"],"index":[0,1,2],'
        '"data":[["q1","d1",1,2.5],["q1","d2",2,1.25],["q2","d1",1,3.0]]}'
    ),
    "split without index": (
        '{"columns":["query_id","doc_id","rank","score"],'
        '"data":[["q1","d1",1,2.5],["q1","d2",2,1.25],["q2","d1",1,3.0]]}'
    ),
    "table": (
        '{"schema":{"fields":[{"name":"index","type":"integer"},{"name":"query_id","type":"string",'
        '"extDtype":"str"},{"name":"doc_id","type":"string","extDtype":"str"},{"name":"rank","type":"integer"},'
        '{"name":"score","type":"number"}],"primaryKey":["index"],"pandas_version":"1.4.0"},"data":['
        '{"index":0,"query_id":"q1","doc_id":"d1","rank":1,"score":2.5},'
        '{"index":1,"query_id":"q1","doc_id":"d2","rank":2,"score":1.25},'
        '{"index":2,"query_id":"q2","doc_id":"d1","rank":1,"score":3.0}]}'
    ),
    "table whose rows have names": (
        '{"schema":{"fields":[{"name":"query_id","type":"string","extDtype":"str"},{"name":"doc_id","type":'
        '"string","extDtype":"str"},{"name":"rank","type":"integer"},{"name":"score","type":"number"}],'
        '"primaryKey":["query_id","doc_id"],"pandas_version":"1.4.0"},"data":['
        '{"query_id":"q1","doc_id":"d1","rank":1,"score":2.5},'
        '{"query_id":"q1","doc_id":"d2","rank":2,"score":1.25},'
        '{"query_id":"q2","doc_id":"d1","rank":1,"score":3.0}]}'
    ),
    "index": (
        '{"0":{"query_id":"q1","doc_id":"d1","rank":1,"score":2.5},'
        '"1":{"query_id":"q1","doc_id":"d2","rank":2,"score":1.25},'
        '"2":{"query_id":"q2","doc_id":"d1","rank":1,"score":3.0}}'
    ),
    "columns": (
        '{"query_id":{"0":"q1","1":"q1","2":"q2"},"doc_id":{"0":"d1","1":"d2","2":"d1"},'
        '"rank":{"0":1,"1":2,"2":1},"score":{"0":2.5,"1":1.25,"2":3.0}}'
    ),
    "columns of some rows": (
        '{"query_id":{"17":"q1","18":"q1","40":"q2"},"doc_id":{"17":"d1","18":"d2","40":"d1"},'
        '"rank":{"17":1,"18":2,"40":1},"score":{"17":2.5,"18":1.25,"40":3.0}}'
    ),
    "columns after reset_index": (
        '{"index":{"0":0,"1":1,"2":2},"query_id":{"0":"q1","1":"q1","2":"q2"},'
        '"doc_id":{"0":"d1","1":"d2","2":"d1"},"score":{"0":2.5,"1":1.25,"2":3.0}}'
    ),
}
DOCUMENTS = {
    "split": '{"columns":["doc_id","text","stars"],"index":[0,1],"data":[["d1","T\\u00e4xt",1],["d2","B",2]]}',
    "index": '{"0":{"doc_id":"d1","text":"T\\u00e4xt","stars":1},"1":{"doc_id":"d2","text":"B","stars":2}}',
    "columns": '{"doc_id":{"0":"d1","1":"d2"},"text":{"0":"T\\u00e4xt","1":"B"},"stars":{"0":1,"1":2}}',
}
RATINGS = '{"query_id":{"0":"q1","1":"q1"},"doc_id":{"0":"d1","1":"d2"},"grade":{"0":1.0,"1":null}}'
ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.25), ("q2", "d1", 3.0)]


@pytest.mark.parametrize("text", RUN.values(), ids=RUN)
def test_a_run_is_read_in_every_layout_that_names_its_columns(text):
    assert guessed(text.encode(), "run").format == "pandas"
    assert [(row.query_id, row.document_id, row.score) for row in rows_of("run", text)] == ROWS


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_columns_of_documents_that_mean_nothing_here_are_kept_as_fields(text):
    rows = rows_of("documents", text)

    assert [(row.document_id, row.text, row.extra) for row in rows] == [
        ("d1", "Täxt", {"stars": 1}),
        ("d2", "B", {"stars": 2}),
    ]


@pytest.mark.parametrize("layout", ["split", "index", "columns"])
def test_its_columns_tell_of_which_kind_a_table_is(layout):
    assert kind_of(RUN[layout].encode(), "x.json") == "run"
    assert kind_of(RATINGS.encode(), "x.json") == "judgments"


def test_names_of_its_own_are_read_where_somebody_says_what_they_are():
    text = '{"Frage":{"0":"q1"},"Dok":{"0":"d1"},"Note":{"0":3}}'
    columns = {"query_id": "Frage", "doc_id": "Dok", "grade": "Note"}

    (row,) = rows_of("judgments", text, columns=columns)

    assert (row.query_id, row.document_id, row.grade) == ("q1", "d1", 3)


def test_a_problem_names_the_row():
    rows, log = read("judgments", RATINGS)

    assert len(rows) == 1
    assert str(log.problems[0]).startswith("file.txt, line 1: there is no grade, in row 2.")


def test_pairs_of_queries_and_documents_with_numbers_are_no_table():
    text = '{"301":{"17":3,"0":1},"302":{"18":0}}'

    rows = rows_of("judgments", text)

    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        ("301", "17", 3),
        ("301", "0", 1),
        ("302", "18", 0),
    ]


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
def test_values_without_names_are_refused_with_the_remedy(kind):
    _, log = read(kind, '[["q1","d1",1,2.5],["q1","d2",2,1.25]]')

    assert [problem.remedy for problem in log.problems] == [
        "Write it as an array of objects, in pandas with orient='records'."
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"columns":["query_id","doc_id","score"],"index":[0],"data":[["q1","d1"]]}', "json-shape"),
        ('{"columns":["query_id","doc_id","score"],"index":[0],"data":[5]}', "json-shape"),
        ('{"columns":["query_id","doc_id","score"],"index":[0],"data":[["q1","d1",1]', "json"),
        ('{"columns":["query_id","doc_id","score"],"index":[],"data":[]}', "empty"),
        ('{"columns":[["a","query_id"],["a","doc_id"]],"index":[0],"data":[["q1","d1"]]}', "json-shape"),
        ('{"columns":["query_id","query_id"],"index":[0],"data":[["q1","d1"]]}', "header"),
        ('{"columns":["doc_id","score"],"index":["q1"],"data":[["d1",1.0]]}', "header"),
        ('{"columns":["query_id","doc_id","score"],"index":[0],"data":[["q1","d1",NaN]]}', "json-number"),
        ('{"schema":{"fields":[],"primaryKey":7},"data":[["q1"]]}', "json-shape"),
        ('{"schema":{"fields":[]},"data":[{"query_id":"q1"}]}', "header"),
        ('{"query_id":{"0":"q1"},"doc_id":{"0":"d1"},"score":5}', "json-shape"),
        ('{"query_id":{"0":"q1"},"doc_id":{"0":"d1"},"score":{"1":5}}', "id-empty"),
        ('{"0":{"query_id":"q1","doc_id":"d1","score":1},"1":5}', "json-shape"),
        ('{"0":{"query_id":"q1","doc_id":"d1"},"1":{"query_id":"q1","doc_id":"d2"}}', "header"),
        ('{"score":{"0":3}}', "header"),
    ],
)
def test_a_broken_table_is_refused(text, code):
    assert code in [code for _, code in found("run", text)]


def test_a_file_that_is_no_table_is_refused_where_somebody_says_it_is_one():
    _, log = read("run", '{"q1":{"d1":2.5}}', "pandas")

    assert [problem.remedy for problem in log.problems] == ["Write it in pandas with orient='records'."]
