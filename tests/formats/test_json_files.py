"""Files that are one JSON value: the documents and values of each query, and arrays of objects."""

import json

import pytest

from tests.formats.reading import found, guessed, read, rows_of

PAIRS = {"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 1}}
BAD_PAIRS = {
    "cut off": ('{"q1": {"d1": 1', (1, "json")),
    "cut off in a name": ('{"q1": {"d1": 1, "d', (1, "json")),
    "no comma": ('{"q1": {"d1": 1 "d2": 2}}', (1, "json")),
    "a comma at the end": ('{"q1": {"d1": 1,}}', (1, "json")),
    "more behind it": ('{"q1": {"d1": 1}} x', (1, "json")),
    "two objects": ('{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}', (2, "json")),
    "a list for documents": ('{"q1": {"d1": 1},\n "q2": ["d1"]}', (2, "json-shape")),
    "a number for documents": ('{"q1": {"d1": 1},\n "q2": 5}', (2, "json-shape")),
    "a text as value": ('{"q1": {"d1": 1,\n "d2": "good"}}', (2, "VALUE")),
    "a list as value": ('{"q1": {"d1": 1,\n "d2": [1]}}', (2, "VALUE")),
    "true": ('{"q1": {"d1": 1,\n "d2": true}}', (2, "VALUE")),
    "NaN": ('{"q1": {"d1": 1,\n "d2": NaN}}', (2, "json-number")),
    "1e999": ('{"q1": {"d1": 1,\n "d2": 1e999}}', (2, "json-number")),
    "a document twice": ('{"q1": {"d1": 1,\n "d1": 2}}', (2, "json-key")),
    "a query twice": ('{"q1": {"d1": 1},\n "q1": {"d2": 2}}', (2, "json-key")),
    "an empty id": ('{"q1": {"d1": 1},\n "": {"d2": 2}}', (2, "id-empty")),
    "an id with a line end": ('{"q1": {"d1": 1,\n "d\\n2": 2}}', (2, "id-space")),
    "half a character": ('{"q1": {"d1": 1,\n "d\\ud800": 2}}', (2, "json-text")),
    "a NUL": ('{"q1": {"d1": 1,\n "d\\u0000": 2}}', (2, "json-text")),
    "deep": ('{"q1": {"d1": 1,\n "d2": ' + "[" * 100_000 + "}}", (2, "json-depth")),
    "a comment": ('{"q1": {"d1": 1},\n // more\n "q2": {}}', (2, "json")),
    "single quotes": ('{"q1": {"d1": 1},\n \'q2\': {"d1": 1}}', (2, "json")),
    "no unicode": (b'{"q1": {"d1": 1},\n "q\xff": {"d1": 1}}', (2, "encoding")),
    "no queries": ("{}", (None, "empty")),
    "no documents": ('{"q1": {}}', (None, "empty")),
}
BAD_ARRAYS = {
    "cut off": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1}', (1, "json")),
    "a comma at the end": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1},\n]', (2, "json")),
    "no comma": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1}\n{}]', (2, "json")),
    "more behind it": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1}]\n[]', (2, "json")),
    "a number": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1},\n5]', (2, "json")),
    "a list": ('[["q1", "d1", 1]]', (None, "format")),
    "a list later": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": 1},\n["q1", "d2", 1]]', (2, "json")),
    "null": ("[null]", (1, "json")),
    "no document": ('[{"query_id": "q1",\n "VALUE": 1}]', (1, "header")),
    "no value": ('[{"query_id": "q1", "doc_id": "d1"}]', (1, "header")),
    "a key twice": ('[{"query_id": "q1", "query_id": "q2", "doc_id": "d1", "VALUE": 1}]', (1, "json-key")),
    "NaN": ('[{"query_id": "q1", "doc_id": "d1", "VALUE": NaN}]', (1, "json-number")),
    "a text": ('[\n{"query_id": "q1", "doc_id": "d1", "VALUE": "x"}]', (2, "VALUE")),
    "an id that is a list": ('[\n{"query_id": [1], "doc_id": "d1", "VALUE": 1}]', (2, "id-type")),
    "empty": ("[]", (None, "empty")),
    "unclosed": ("[", (1, "json")),
}


@pytest.mark.parametrize("indent", [None, 1])
def test_documents_and_values_of_each_query_are_read_as_ratings_and_as_a_run(indent):
    text = json.dumps(PAIRS, indent=indent)
    expected = [(query, document, value) for query, each in PAIRS.items() for document, value in each.items()]

    assert [(row.query_id, row.document_id, row.grade) for row in rows_of("judgments", text)] == expected
    # Whole numbers like these are rather ratings: somebody must say that they are scores.
    run = rows_of("run", text, "json-pairs")
    assert [(row.query_id, row.document_id, row.score) for row in run] == expected
    scores = json.dumps({"q1": {"d1": 12.5, "d2": 3.0}}, indent=indent)
    assert [row.score for row in rows_of("run", scores)] == [12.5, 3]
    assert "the documents of each query" in guessed(scores.encode(), "run").reason


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize("name", BAD_PAIRS)
def test_a_bad_file_of_pairs_is_refused_with_its_line(kind, name):
    data, (line, code) = BAD_PAIRS[name]
    code = {"run": "score", "judgments": "off-scale"}[kind] if code == "VALUE" else code

    assert (line, code) in found(kind, data, "json-pairs")


def test_a_problem_in_one_long_line_names_its_pair():
    _, log = read("judgments", '{"q1": {"d1": 1}, "red": {"d1": "x", "d2": 2.5}}')

    assert [problem.reason for problem in log.problems] == [
        "the grade is not a number, in 'red d1'",
        "the grade is not a whole number, in 'red d2'",
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("kind", "objects"),
    [
        (
            "run",
            [
                {"query_id": "q1", "doc_id": "d1", "score": 2.5},
                {"query_id": "q1", "doc_id": "d2", "score": 1},
            ],
        ),
        ("judgments", [{"qid": "q1", "docno": "d1", "rel": 3}, {"qid": "q2", "docno": "d1", "rel": 0}]),
        ("queries", [{"_id": "q1", "text": "red shoes"}, {"_id": "q2", "text": "[blue] {shoes}"}]),
        ("documents", [{"id": 1, "title": "Red", "year": 1999}, {"id": 2, "title": "Blue", "year": [2000]}]),
    ],
)
def test_an_array_gives_the_rows_of_json_lines(kind, objects, indent):
    lines = "".join(json.dumps(each) + "\n" for each in objects)

    assert rows_of(kind, json.dumps(objects, indent=indent)) == rows_of(kind, lines)
    assert guessed(json.dumps(objects, indent=indent).encode(), kind).columns == tuple(objects[0])


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_a_bad_array_is_refused_with_its_line(kind, name):
    data, (line, code) = BAD_ARRAYS[name]
    value, bad_value = {"run": ("score", "score"), "judgments": ("grade", "off-scale")}[kind]
    code = bad_value if code == "VALUE" else code

    assert (line, code) in found(kind, data.replace("VALUE", value))


def test_two_objects_on_one_line_that_contradict_each_other_are_refused():
    one = {"query_id": "q1", "doc_id": "d1", "grade": 3}
    rows, log = read("judgments", json.dumps([one, one, {**one, "grade": 2}]))

    assert ([row.grade for row in rows], log.left_out["repeated"]) == ([3], 1)
    assert [problem.code for problem in log.problems] == ["contradiction"]


def test_json_lines_with_objects_in_them_stay_json_lines():
    line = '{"meta": {"a": 1}, "query_id": "q1", "doc_id": "d1", "score": 1}\n'

    assert guessed(line.encode(), "run").format == "jsonl"
    assert rows_of("run", line)[0].document_id == "d1"


@pytest.mark.parametrize("indent", [None, 1])
def test_the_predictions_of_mteb_are_read_as_a_run(indent):
    text = json.dumps(
        {"mteb_model_meta": {"name": "m", "revision": "1"}, "default": {"test": PAIRS}}, indent=indent
    )

    rows, log = read("run", text)

    assert not log.total
    assert [(row.query_id, row.document_id, row.score) for row in rows] == [
        ("q1", "d1", 3.0),
        ("q1", "d2", 0.0),
        ("q2", "d1", 1.0),
    ]


@pytest.mark.parametrize(
    "parts", [{"default": {"test": PAIRS, "dev": PAIRS}}, {"en": {"test": PAIRS}, "de": {"test": PAIRS}}]
)
def test_predictions_of_several_splits_are_refused(parts):
    problems = found("run", json.dumps({"mteb_model_meta": {"name": "m"}, **parts}))

    assert problems == [(1, "json-shape")]
