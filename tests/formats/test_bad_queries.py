"""Bad files of queries: each is refused with its place, its value and a remedy, and leaves nothing."""

import json

import pytest

from tests.formats.refusing import assert_nothing_is_stored, assert_refused

LONG = "x" * 513


def lines_of(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


BAD = {
    "nothing": (b"", None, "", "the file has no lines to read"),
    "blanks": (" \n\n  \n", None, "", "the file has no lines to read"),
    "names only": (
        "query_id,text\n",
        None,
        "query_id,text",
        "there is nothing below the names of the columns",
    ),
    "no text column": ("query_id,intent\nq1,x\n", 1, "query_id, intent", "there is no column text"),
    "no id column": ("Nummer,text\n7,red\n", 1, "Nummer, text", "there is no column query_id"),
    "unknown names": ("a,b\n1,2\n", 1, "a, b", "there is no column query_id, and no column text"),
    "a name twice": ("query_id,text,text\nq1,a,b\n", 1, "text", "two columns have the same name"),
    "a title before the names": (
        "My questions\nquery_id,text\nq1,red shoes\n",
        None,
        "My questions",
        "the names of the columns are not on the first line",
    ),
    "1,001 columns": (
        ",".join(["query_id", "text"] + [f"c{n}" for n in range(999)]) + "\n",
        1,
        "query_id, text, c0, c1, c2, c3, c4, c5, ",
        "there are more than 1,000 columns",
    ),
    "no id": ("query_id,text\n,red shoes\n", 2, "", "the query id is empty"),
    "no text": ("query_id,text\nq1,\n", 2, "", "the query has no text"),
    "blanks as text": ("query_id,text\nq1,   \n", 2, "", "the query has no text"),
    "a cell too few": ("query_id,text\nq1\n", 2, "q1", "the line has 1 cell where the first line has 2"),
    "a cell too many": (
        "query_id,text\nq1,red, shoes\n",
        2,
        "q1 | red |  shoes",
        "the line has 3 cells where the first line has 2",
    ),
    "open quote": (
        'query_id,text\nq1,"red shoes\nq2,blue\n',
        2,
        'q1,"red shoes',
        "a quotation mark that opens here is never closed",
    ),
    "quote inside": (
        'query_id,text\nq1,"red "shoes"\n',
        2,
        'q1,"red "shoes"',
        "there is a quotation mark inside a cell",
    ),
    "letters behind quotes": (
        'query_id,text\nq1,"red" shoes\n',
        2,
        'q1,"red" shoes',
        "there is a quotation mark inside a cell",
    ),
    "id twice": ("query_id,text\nq1,red\nq1,blue\n", 3, "q1", "line 2 has the same id and other content"),
    "no-break space": (
        "query_id,text\nq\u00a01,red\n",
        2,
        "q\\xa01",
        "the query id begins or ends with a space, or",
    ),
    "zero width mark": (
        "query_id,text\nq\ufeff1,red\n",
        2,
        "q\\ufeff1",
        "the query id holds a control character",
    ),
    "control": ("query_id,text\nq\x071,red\n", 2, "q\\x071", "the query id holds a control character"),
    "long id": (
        f"query_id,text\n{LONG},red\n",
        2,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the query id is longer than 512 bytes",
    ),
    "weight 0": ("query_id,text,weight\nq1,red,0\n", 2, "0", "a question of weight 0 would not count"),
    "traffic 0": ("query_id,text,traffic\nq1,red,0\n", 2, "0", "a question of weight 0 would not count"),
    "weight -1": ("query_id,text,weight\nq1,red,-1\n", 2, "-1", "the weight is not above 0 and at most"),
    "weight word": ("query_id,text,weight\nq1,red,often\n", 2, "often", "the weight is not a number"),
    "weight nan": ("query_id,text,weight\nq1,red,nan\n", 2, "nan", "the weight is not a number"),
    "weight 1e13": (
        "query_id,text,weight\nq1,red,1e13\n",
        2,
        "1e13",
        "the weight is not above 0 and at most",
    ),
    "weight with thousands": (
        'query_id,text,weight\nq1,red,"1,200"\n',
        2,
        "1,200",
        "the weight is not a number",
    ),
    "long tag": (
        f"query_id,text,tags\nq1,red,{'t' * 201}\n",
        2,
        "tttttttttttttttttttttttttttttttttttttttt",
        "the tag is too long or holds control characters",
    ),
    "control in tag": (
        "query_id,text,tags\nq1,red,a\x02b\n",
        2,
        "a\\x02b",
        "the tag is too long or holds control characters",
    ),
    "NUL in text": (
        "query_id,text\nq1,re\x00d\n",
        2,
        "re\\x00d",
        "the query text holds a character that cannot be",
    ),
    "NUL in intent": (
        "query_id,text,intent\nq1,red,\x00\n",
        2,
        "\\x00",
        "the intent holds a character that cannot be",
    ),
    "latin-1": (
        "query_id,text\nq1,grün\n".encode("latin-1"),
        2,
        "q1,grün",
        "the line is not UTF-8; it looks like",
    ),
    "undefined bytes": (b"query_id,text\nq1,gr\x81n\n", 2, "q1,gr\\x81n", "the line is not UTF-8"),
    "UTF-16 without mark": (
        "query_id,text\nq1,red\n".encode("utf-16-le"),
        None,
        "",
        "the file is UTF-16 without its mark, not UTF-8",
    ),
    "UTF-32": ("query_id,text\nq1,red\n".encode("utf-32"), None, "", "the file is UTF-32, not UTF-8"),
    "half UTF-16": (
        "query_id,text\nq1,red\n".encode("utf-16")[:-1],
        None,
        "",
        "the file begins as UTF-16 and is not",
    ),
    "long line": (
        "query_id,text\nq1," + "x" * 1_000_001 + "\n",
        2,
        "q1,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the line is longer than 1 MB",
    ),
    "separator line of another separator": (
        "sep=;\nquery_id,text\nq1,red\n",
        2,
        "query_id,text",
        "there is no column query_id, and no column text",
    ),
    "CR in a row": (
        "query_id,text\nq1,red\rq2,blue\nq3,green\n",
        2,
        "q1,red\\x0dq2,blue",
        "there is a carriage return outside quotes",
    ),
    "semicolons in rows": (
        "query_id,text\nq1;red\n",
        2,
        "q1;red",
        "the line has 1 cell where the first line has 2",
    ),
    "tsv three columns no names": (
        "q1\tred\tshoes\n",
        1,
        "q1, red, shoes",
        "there is no column query_id, and no column text",
    ),
    "tsv no tab": ("q1\tred\nq2 blue\n", 2, "q2 blue", "the line has 1 cell where the first line has 2"),
    "tsv two tabs": (
        "q1\tred\nq2\tblue\tgreen\n",
        2,
        "q2 | blue | green",
        "the line has 3 cells where the first line has 2",
    ),
    "tsv no id": ("q1\tred\n\tblue\n", 2, "", "the query id is empty"),
    "tsv no text": ("q1\tred\nq2\t\n", 2, "", "the query has no text"),
    "tsv id twice": ("q1\tred\nq1\tblue\n", 2, "q1", "line 1 has the same id and other content"),
    "cut json": (
        '{"query_id": "q1", "text": "red"}\n{"query_id": "q2", "te\n',
        2,
        '{"query_id": "q2", "te',
        "the line is not JSON (at character 23)",
    ),
    "array lines": ('["q1", "red"]\n["q2","blue"]\n', 1, "q1", "the item of the array is not an object"),
    "one array line": (
        '{"query_id": "q1", "text": "red"}\n["q2","blue"]\n',
        2,
        '["q2","blue"]',
        "the line is not a JSON object",
    ),
    "key twice": (
        '{"query_id": "q1", "text": "red", "text": "blue"}\n',
        1,
        "text",
        "a key appears twice in one object",
    ),
    "NaN weight": (
        '{"query_id": "q1", "text": "red", "weight": NaN}\n',
        1,
        "NaN",
        "the value is not a number that JSON knows",
    ),
    "weight true": (
        lines_of({"query_id": "q1", "text": "red", "weight": True}),
        1,
        "True",
        "the weight is not a number",
    ),
    "weight list": (
        lines_of({"query_id": "q1", "text": "red", "weight": [1]}),
        1,
        "[1]",
        "the weight is not a number",
    ),
    "json weight 0": (
        lines_of({"query_id": "q1", "text": "red", "weight": 0}),
        1,
        "0",
        "a question of weight 0 would not count",
    ),
    "text number": (lines_of({"query_id": "q1", "text": 5}), 1, "5", "the query text is not a text"),
    "text null": (lines_of({"query_id": "q1", "text": None}), 1, "", "the query has no text"),
    "text list": (
        lines_of({"query_id": "q1", "text": ["red"]}),
        1,
        "['red']",
        "the query text is not a text",
    ),
    "id float": (lines_of({"query_id": 1.5, "text": "red"}), 1, "1.5", "the query id is not a text"),
    "id list": (lines_of({"query_id": ["q1"], "text": "red"}), 1, "['q1']", "the query id is not a text"),
    "id null": (lines_of({"query_id": None, "text": "red"}), 1, "", "the query id is empty"),
    "json no text": (
        lines_of({"query_id": "q1", "title": "red"}),
        1,
        "query_id, title",
        "the object has no field text",
    ),
    "tags number": (lines_of({"query_id": "q1", "text": "red", "tags": 5}), 1, "5", "the tag is not a text"),
    "tags of numbers": (
        lines_of({"query_id": "q1", "text": "red", "tags": [1]}),
        1,
        "1",
        "the tag is not a text",
    ),
    "tags object": (
        lines_of({"query_id": "q1", "text": "red", "tags": {"a": 1}}),
        1,
        "{'a': 1}",
        "the tag is not a text",
    ),
    "intent number": (
        lines_of({"query_id": "q1", "text": "red", "intent": 7}),
        1,
        "7",
        "the intent is not a text",
    ),
    "deep": (
        '{"query_id": "q1", "text": "red", "x": ' + "[" * 40 + "]" * 40 + "}\n",
        1,
        '{"query_id": "q1", "text": "red", "x": [',
        "the object is nested more than 32 deep",
    ),
    "spelled NUL": (
        '{"query_id": "q1", "text": "r\\u0000d"}\n',
        1,
        "r\\x00d",
        "a text holds NUL or half a character",
    ),
    "half char": (
        '{"query_id": "q1", "text": "r\\ud800d"}\n',
        1,
        "r\\ud800d",
        "a text holds NUL or half a character",
    ),
    "two objects": (
        '{"query_id": "q1", "text": "red"} {"query_id": "q2", "text": "blue"}\n',
        1,
        '{"query_id": "q1", "text": "red"} {"quer',
        "the line is not JSON (at character 35)",
    ),
    "comma at end": (
        '{"query_id": "q1", "text": "red",}\n',
        1,
        '{"query_id": "q1", "text": "red",}',
        "the line is not JSON (at character 34)",
    ),
    "python": (
        "{'query_id': 'q1', 'text': 'red'}\n",
        1,
        "{'query_id': 'q1', 'text': 'red'}",
        "the line is not JSON (at character 2)",
    ),
    "array of texts": (
        '["red shoes", "blue shoes"]',
        1,
        "red shoes",
        "the item of the array is not an object",
    ),
    "array of arrays": (
        '[["q1", "red shoes"]]',
        None,
        '[["q1", "red shoes"]]',
        "this is a JSON array of rows without names of",
    ),
    "array cut": (
        '[{"query_id": "q1", "text": "red"}, {"query_id"',
        1,
        '"red"}, {"query_id"',
        "the file is not the JSON that it begins as",
    ),
    "array not closed": (
        '[{"query_id": "q1", "text": "red"}',
        1,
        '"q1", "text": "red"}',
        "the file is not the JSON that it begins as",
    ),
    "array behind": (
        '[{"query_id": "q1", "text": "red"}]]',
        1,
        'q1", "text": "red"}]]',
        "the file is not the JSON that it begins as",
    ),
    "array number": (
        '[{"query_id": "q1", "text": "red"},\n 5]',
        2,
        "5",
        "the item of the array is not an object",
    ),
    "empty array": ("[]", None, "[]", "the file has no lines to read"),
    "empty object": ("{}", 1, "no fields", "the object has no field query_id, and no field"),
    "array second lacks": (
        '[{"query_id": "q1", "text": "red"},\n {"query_id": "q2"}]',
        2,
        "query_id",
        "the object has no field text",
    ),
    "pandas split short row": (
        json.dumps({"columns": ["query_id", "text"], "index": [0], "data": [["q1"]]}),
        1,
        "['q1']",
        "a row does not have 2 values",
    ),
    "pandas split names null": (
        json.dumps({"columns": [None, "text"], "index": [0], "data": [["q1", "a"]]}),
        1,
        "[None, 'text']",
        "a column has several names or none",
    ),
    "pandas columns weight": (
        json.dumps({"query_id": {"0": "q1"}, "text": {"0": "red"}, "weight": {"0": 0}}),
        1,
        "0",
        "a question of weight 0 would not count, in",
    ),
    "pandas index": (
        json.dumps({"0": {"query_id": "q1", "text": ""}}),
        1,
        "",
        "the query has no text, in row 1",
    ),
    "pairs": (
        json.dumps({"q1": "red shoes", "q2": "blue shoes"}),
        1,
        "q1, q2",
        "the object has no field query_id, and no field",
    ),
    "quepid case no text": (
        json.dumps({"case_name": "c", "queries": [{"query_text": "", "ratings": []}]}),
        1,
        "",
        "the text of the query is empty",
    ),
    "quepid case queries object": (
        json.dumps({"queries": {"ratings": []}}),
        1,
        "queries",
        "the object has no field query_id, and no field",
    ),
    "quepid case item text": (
        json.dumps({"queries": [{"query_text": "a", "ratings": []}, "b"]}),
        1,
        "b",
        "there is no object where the tool writes one",
    ),
    "quepid book without query": (
        json.dumps({"name": "b", "query_doc_pairs": [{"doc_id": "d1", "judgements": []}]}),
        1,
        "",
        "the text of the query is empty",
    ),
    "rre no text": (
        json.dumps({"queries": [{"placeholders": {}, "relevant_documents": {"d": {"gain": 1}}}]}),
        1,
        "",
        "the text of the query is empty",
    ),
    "rre placeholders": (
        json.dumps({"queries": [{"placeholders": "red", "relevant_documents": {"d": {"gain": 1}}}]}),
        1,
        "red",
        "there is no object where the tool writes one",
    ),
    "watson no text": (json.dumps({"queries": [{"examples": []}]}), 1, "", "the text of the query is empty"),
    "watson number": (
        json.dumps([{"natural_language_query": 7, "examples": []}]),
        1,
        "7",
        "the query text is not a text",
    ),
    "query set number": (
        json.dumps({"querySetQueries": [{"queryText": 5}]}),
        1,
        "5",
        "the query text is not a text",
    ),
    "relevance even": (
        "how do I reset it?,doc7,4\nwhat now?,doc7\n",
        1,
        "how do I reset it?, doc7, 4",
        "there is no column query_id, and no column text",
    ),
    "relevance even all": (
        "how do I reset it?,doc7\nwhat now?,doc7\n",
        1,
        "how do I reset it?, doc7",
        "there is no column query_id, and no column text",
    ),
    "relevance no question": (
        "how do I reset it?,doc7,4\n,doc7,4\n",
        2,
        "",
        "the text of the query is empty",
    ),
    "letor without document": ("3 qid:1 1:0.5\n", 1, "3 qid:1 1:0.5", "the line has no document behind #"),
    "letor no qid": (
        "3 qid:1 1:0.5 # d1 red\n3 1:0.5 # d2 red\n",
        2,
        "3 1:0.5 # d2 red",
        "the line is not GRADE qid:QUERY # DOCUMENT",
    ),
    "letor no text": ("3 qid:1 1:0.5 # d1\n", 1, "", "the query has no text"),
    "book csv short": (
        "query,docid,Ann Lee\nred,d1\n",
        2,
        "red | d1",
        "the line has 2 cells where the first line has 3",
    ),
    "topic open": ("<top>\n<num> Number: 1\n<title> red\n", 1, "<top>", "what begins here is never closed"),
    "topic no number": ("<top>\n<title> red\n</top>\n", 1, "", "the query id is empty"),
    "topic no title": (
        "<top>\n<num> Number: 1\n<desc> Description:\n about\n</top>\n",
        1,
        "",
        "the query has no text",
    ),
    "trec run": (
        "q1 Q0 d1 1 2.5 tag\n",
        None,
        "q1 Q0 d1 1 2.5 tag",
        "this is a TREC run, which does not hold queries",
    ),
    "qrels": ("q1 0 d1 3\n", None, "q1 0 d1 3", "this is a file of ratings (TREC qrels), which"),
    "html": (
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        None,
        "<!DOCTYPE html>",
        "this is HTML or XML without queries",
    ),
    "xml": (
        "<?xml version='1.0'?><questions><q>red</q></questions>\n",
        None,
        "<?xml version='1.0'?><questions><q>red</",
        "this is HTML or XML without queries",
    ),
    "prose": (
        "What are red shoes?\nWhat are blue shoes?\n",
        None,
        "What are red shoes?",
        "this does not look like any format for queries",
    ),
    "markdown": (
        "| query_id | text |\n| --- | --- |\n| q1 | red |\n",
        1,
        ", query_id, text, ",
        "several columns have no name",
    ),
    "yaml": (
        "q1: red shoes\nq2: blue shoes\n",
        None,
        "q1: red shoes",
        "this does not look like any format for queries",
    ),
    "number": ("5\n", None, "5", "this does not look like any format for queries"),
    "json text": ('"red shoes"\n', None, '"red shoes"', "this does not look like any format for queries"),
    "json null": ("null\n", None, "null", "this does not look like any format for queries"),
    "documents by name": ("doc_id,text\nd1,red\n", 1, "doc_id, text", "there is no column query_id"),
    "run csv": ("query_id,doc_id,rank\nq1,d1,1\n", 1, "query_id, doc_id, rank", "there is no column text"),
    "only a mark": (b"\xef\xbb\xbf", None, "", "the file has no lines to read"),
    "fixed width": (
        "query_id   text\nq1         red shoes\n",
        None,
        "query_id   text",
        "this does not look like any format for queries",
    ),
    "rank-eval": (
        json.dumps({"requests": [{"id": "q1", "request": {}, "ratings": []}]}),
        1,
        "",
        "the request 'q1' does not search for exactly",
    ),
    "search": (
        json.dumps({"hits": {"hits": [{"_id": "d1"}]}}),
        None,
        '{"hits": {"hits": [{"_id": "d1"}]}}',
        "this is a _search response, which does not hold",
    ),
    "label studio": (
        json.dumps([{"data": {"query": "a", "doc_id": "d"}, "annotations": [{"result": []}]}]),
        None,
        '[{"data": {"query": "a", "doc_id": "d"},',
        "this is an export of Label Studio, which does",
    ),
}


@pytest.mark.parametrize("label", BAD)
def test_a_bad_file_is_refused_with_place_value_and_remedy(label):
    assert_refused("queries", BAD[label])


def test_no_bad_file_leaves_anything(database):
    assert_nothing_is_stored(database, "queries", BAD)


def test_there_are_at_least_sixty_different_files():
    assert len({str(data) for data, *_ in BAD.values()}) == len(BAD) >= 60
