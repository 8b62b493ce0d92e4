"""Bad files of documents: each is refused with its place, its value and a remedy, and leaves nothing."""

import json

import pytest

from tests.formats.refusing import assert_nothing_is_stored, assert_refused

LONG = "x" * 513


def lines_of(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


HIT = {"_id": "d1", "_source": {"title": "Red"}, "matched_queries": ["red"]}

BAD = {
    "nothing": (b"", None, "", "the file has no lines to read"),
    "names only": (
        "doc_id,title,text\n",
        None,
        "doc_id,title,text",
        "there is nothing below the names of the columns",
    ),
    "no id column": ("title,text\nRed,shoes\n", 1, "title, text", "there is no column doc_id"),
    "no text column": ("doc_id,url\nd1,http://a\n", 1, "doc_id, url", "there is no column text or title"),
    "unknown names": ("a,b\n1,2\n", 1, "a, b", "there is no column doc_id, and no column text"),
    "a name twice": ("doc_id,text,text\nd1,a,b\n", 1, "text", "two columns have the same name"),
    "two unnamed": ("doc_id,text,,\nd1,a,,\n", 1, "doc_id, text, , ", "several columns have no name"),
    "two ids of one name": ("doc_id,doc_id,text\nd1,d2,a\n", 1, "doc_id", "two columns have the same name"),
    "title first": (
        "Our answers\ndoc_id,text\nd1,red\n",
        None,
        "Our answers",
        "the names of the columns are not on the first line",
    ),
    "1,001 columns": (
        ",".join(["doc_id", "text"] + [f"c{n}" for n in range(999)]) + "\n",
        1,
        "doc_id, text, c0, c1, c2, c3, c4, c5, c6",
        "there are more than 1,000 columns",
    ),
    "1,001 columns of objects": (
        lines_of(
            {"doc_id": "d1", "text": "red"} | {f"c{n}": 1 for n in range(600)},
            {"doc_id": "d2", "text": "red"} | {f"c{n}": 1 for n in range(400, 1001)},
        ),
        2,
        "c1000, c600, c601, c602, c603",
        "there are more than 1,000 columns",
    ),
    "no id": ("doc_id,text\n,red\n", 2, "", "the document id is empty"),
    "id blanks": ("doc_id,text\n  ,red\n", 2, "", "the document id is empty"),
    "cell few": (
        "doc_id,title,text\nd1,red\n",
        2,
        "d1 | red",
        "the line has 2 cells where the first line has 3",
    ),
    "cell many": (
        "doc_id,text\nd1,Sign in, then renew\n",
        2,
        "d1 | Sign in |  then renew",
        "the line has 3 cells where the first line has 2",
    ),
    "line end unquoted": (
        "doc_id,text\nd1,first line\nsecond line\n",
        3,
        "second line",
        "the line has 1 cell where the first line has 2",
    ),
    "open quote": (
        'doc_id,text\nd1,"red shoes\nd2,blue\n',
        2,
        'd1,"red shoes',
        "a quotation mark that opens here is never closed",
    ),
    "open quote long": (
        'doc_id,text\nd1,"' + "red\n" * 300_000,
        2,
        'd1,"red',
        "a quotation mark that opens here is never closed",
    ),
    "quote inside": (
        'doc_id,text\nd1,"a "red" shoe"\n',
        2,
        'd1,"a "red" shoe"',
        "there is a quotation mark inside a cell",
    ),
    "quote backslash": (
        'doc_id,text\nd1,"a \\"red\\" shoe"\n',
        2,
        'd1,"a \\"red\\" shoe"',
        "there is a quotation mark inside a cell",
    ),
    "id twice": ("doc_id,text\nd1,red\nd1,blue\n", 3, "d1", "line 2 has the same id and other content"),
    "id twice other column": (
        "doc_id,text,lang\nd1,red,en\nd1,red,de\n",
        3,
        "d1",
        "line 2 has the same id and other content",
    ),
    "nbsp id": (
        "doc_id,text\nd\u00a01,red\n",
        2,
        "d\\xa01",
        "the document id begins or ends with a space, or",
    ),
    "tab in id": (
        'doc_id,text\n"d\t1",red\n',
        2,
        "d\\x091",
        "the document id begins or ends with a space, or",
    ),
    "newline in id": (
        'doc_id,text\n"d\n1",red\n',
        2,
        "d\\x0a1",
        "the document id begins or ends with a space, or",
    ),
    "id control": ("doc_id,text\nd\x1b1,red\n", 2, "d\\x1b1", "the document id holds a control character"),
    "long id": (
        f"doc_id,text\n{LONG},red\n",
        2,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the document id is longer than 512 bytes",
    ),
    "long id two bytes": (
        f"doc_id,text\n{'é' * 257},red\n",
        2,
        "éééééééééééééééééééééééééééééééééééééééé",
        "the document id is longer than 512 bytes",
    ),
    "NUL in text": (
        "doc_id,text\nd1,re\x00d\n",
        2,
        "re\\x00d",
        "the text holds a character that cannot be stored",
    ),
    "NUL in title": ("doc_id,title\nd1,\x00\n", 2, "\\x00", "the title holds a character that cannot be"),
    "NUL in own": (
        "doc_id,text,lang\nd1,a,e\x00n\n",
        2,
        "e\\x00n",
        "the lang holds a character that cannot be stored",
    ),
    "NUL in name": (
        "doc_id,text,la\x00ng\nd1,a,en\n",
        2,
        "la\\x00ng",
        "the name of a column holds a character that",
    ),
    "latin-1": (
        "doc_id,text\nd1,Straße\n".encode("latin-1"),
        2,
        "d1,Straße",
        "the line is not UTF-8; it looks like",
    ),
    "mac roman": (
        "doc_id,text\nd1,grün\n".encode("mac-roman"),
        2,
        "d1,grŸn",
        "the line is not UTF-8; it looks like",
    ),
    "utf-7 bytes c0": (b"doc_id,text\nd1,a\xc0\x80b\n", 2, "d1,aÀ€b", "the line is not UTF-8; it looks like"),
    "surrogate bytes": (
        b"doc_id,text\nd1,a\xed\xa0\x80b\n",
        2,
        "d1,aí\\xa0€b",
        "the line is not UTF-8; it looks like",
    ),
    "utf-16 no mark be": (
        "doc_id,text\nd1,red\n".encode("utf-16-be"),
        None,
        "",
        "the file is UTF-16 without its mark, not UTF-8",
    ),
    "utf-32": (
        "doc_id,text\nd1,red\n".encode("utf-32-be"),
        None,
        "",
        "the file is UTF-32 without its mark, not UTF-8",
    ),
    "half utf-16": (
        "doc_id,text\nd1,red\n".encode("utf-16")[:-1],
        None,
        "",
        "the file begins as UTF-16 and is not",
    ),
    "shift-jis": (
        "doc_id,text\nd1,日本語の本\n".encode("shift-jis"),
        2,
        "d1,“ú–{Œê‚Ì–{",
        "the line is not UTF-8; it looks like",
    ),
    "long line": (
        "doc_id,text\nd1," + "x" * 1_000_001 + "\n",
        2,
        "d1,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the line is longer than 1 MB",
    ),
    "CR in row": (
        "doc_id,text\nd1,red\rblue\nd2,green\n",
        2,
        "d1,red\\x0dblue",
        "there is a carriage return outside quotes",
    ),
    "semicolons": ("doc_id,text\nd1;red\n", 2, "d1;red", "the line has 1 cell where the first line has 2"),
    "tsv few": (
        "doc_id\ttitle\ttext\nd1\tred\n",
        2,
        "d1 | red",
        "the line has 2 cells where the first line has 3",
    ),
    "tsv many": (
        "doc_id\ttext\nd1\tred\tshoes\n",
        2,
        "d1 | red | shoes",
        "the line has 3 cells where the first line has 2",
    ),
    "tsv line end": (
        "doc_id\ttext\nd1\tfirst\nsecond\n",
        3,
        "second",
        "the line has 1 cell where the first line has 2",
    ),
    "tsv no names": (
        "one\tred shoes\ntwo\tblue shoes\n",
        1,
        "one, red shoes",
        "there is no column doc_id, and no column text",
    ),
    "tsv no names not numbers": (
        "d1\tred\tshoes\n",
        1,
        "d1, red, shoes",
        "there is no column doc_id, and no column text",
    ),
    "msmarco gap": (
        "7\tred shoes\n8 blue shoes\n",
        2,
        "8 blue shoes",
        "the line has 1 cell where the first line has 2",
    ),
    "tsv no id": ("doc_id\ttext\n\tred\n", 2, "", "the document id is empty"),
    "json cut": (
        '{"doc_id": "d1", "text": "red"}\n{"doc_id": "d2", "te\n',
        2,
        '{"doc_id": "d2", "te',
        "the line is not JSON (at character 21)",
    ),
    "json array line": (
        '{"doc_id": "d1", "text": "red"}\n["d2", "blue"]\n',
        2,
        '["d2", "blue"]',
        "the line is not a JSON object",
    ),
    "json key twice": (
        '{"doc_id": "d1", "text": "red", "text": "blue"}\n',
        1,
        "text",
        "a key appears twice in one object",
    ),
    "json deep key twice": (
        '{"doc_id": "d1", "text": "red", "x": {"a": 1, "a": 2}}\n',
        1,
        "a",
        "a key appears twice in one object",
    ),
    "json NaN": (
        '{"doc_id": "d1", "text": "red", "price": NaN}\n',
        1,
        "NaN",
        "the value is not a number that JSON knows",
    ),
    "json Infinity": (
        '{"doc_id": "d1", "text": "red", "price": -Infinity}\n',
        1,
        "-Infinity",
        "the value is not a number that JSON knows",
    ),
    "json huge": ('{"doc_id": "d1", "text": "red", "price": 1e999}\n', 1, "1e999", "the number is too large"),
    "json 5000 digits": (
        '{"doc_id": "d1", "text": "red", "price": ' + "1" * 5000 + "}\n",
        1,
        '{"doc_id": "d1", "text": "red", "price":',
        "a number has too many digits",
    ),
    "json text number": (lines_of({"doc_id": "d1", "text": 5}), 1, "5", "the text is not a text"),
    "json title list": (
        lines_of({"doc_id": "d1", "title": ["a"], "text": "b"}),
        1,
        "['a']",
        "the title is not a text",
    ),
    "json url number": (lines_of({"doc_id": "d1", "text": "b", "url": 7}), 1, "7", "the url is not a text"),
    "json source object": (
        lines_of({"doc_id": "d1", "text": "b", "source": {"a": 1}}),
        1,
        "{'a': 1}",
        "the source is not a text",
    ),
    "json id float": (lines_of({"doc_id": 1.5, "text": "b"}), 1, "1.5", "the document id is not a text"),
    "json id true": (lines_of({"doc_id": True, "text": "b"}), 1, "True", "the document id is not a text"),
    "json id list": (lines_of({"doc_id": ["d1"], "text": "b"}), 1, "['d1']", "the document id is not a text"),
    "json id null": (lines_of({"doc_id": None, "text": "b"}), 1, "", "the document id is empty"),
    "json no id": (lines_of({"title": "a", "text": "b"}), 1, "title, text", "the object has no field doc_id"),
    "json one lacks what others call otherwise": (
        lines_of({"id": "d1", "text": "b"}, {"text": "c", "colour": "red"}),
        2,
        "text, colour",
        "the object has no field id",
    ),
    "json no text": (
        lines_of({"doc_id": "d1", "body": "b"}),
        1,
        "doc_id, body",
        "the object has no field text or title",
    ),
    "json second lacks": (
        lines_of({"doc_id": "d1", "text": "b"}, {"doc_id": "d2"}),
        2,
        "doc_id",
        "the object has no field text or title",
    ),
    "json deep": (
        '{"doc_id": "d1", "text": "red", "x": ' + "[" * 40 + "]" * 40 + "}\n",
        1,
        '{"doc_id": "d1", "text": "red", "x": [[[',
        "the object is nested more than 32 deep",
    ),
    "json NUL": (
        '{"doc_id": "d1", "text": "r\\u0000d"}\n',
        1,
        "r\\x00d",
        "a text holds NUL or half a character",
    ),
    "json half char own": (
        '{"doc_id": "d1", "text": "red", "x": "\\ud800"}\n',
        1,
        "\\ud800",
        "a text holds NUL or half a character",
    ),
    "json half char key": (
        '{"doc_id": "d1", "text": "red", "\\udc00": "x"}\n',
        1,
        "\\udc00",
        "a text holds NUL or half a character",
    ),
    "json two objects": (
        '{"doc_id": "d1", "text": "a"} {"doc_id": "d2", "text": "b"}\n',
        1,
        '{"doc_id": "d1", "text": "a"} {"doc_id":',
        "the line is not JSON (at character 31)",
    ),
    "json commas between lines": (
        '{"doc_id": "d1", "text": "a"},\n{"doc_id": "d2", "text": "b"}\n',
        1,
        '{"doc_id": "d1", "text": "a"},',
        "the line is not JSON (at character 30)",
    ),
    "python": (
        "{'doc_id': 'd1', 'text': 'a'}\n",
        1,
        "{'doc_id': 'd1', 'text': 'a'}",
        "the line is not JSON (at character 2)",
    ),
    "pretty jsonl": (
        json.dumps({"doc_id": "d1", "text": "a"}, indent=1)
        + "\n"
        + json.dumps({"doc_id": "d2", "text": "b"}, indent=1)
        + "\n",
        1,
        "{",
        "the line is not JSON (at character 2)",
    ),
    "array cut": (
        '[{"doc_id": "d1", "text": "a"}, {"doc_id"',
        1,
        'xt": "a"}, {"doc_id"',
        "the file is not the JSON that it begins as",
    ),
    "array number": (
        '[{"doc_id": "d1", "text": "a"},\n 5]',
        2,
        "5",
        "the item of the array is not an object",
    ),
    "array texts": ('["red shoes"]', 1, "red shoes", "the item of the array is not an object"),
    "array arrays": (
        '[["d1", "red"]]',
        None,
        '[["d1", "red"]]',
        "this is a JSON array of rows without names of",
    ),
    "array twice": (
        '[{"doc_id": "d1", "text": "a"},\n {"doc_id": "d1", "text": "b"}]',
        2,
        "d1",
        "line 1 has the same id and other content",
    ),
    "array no closing": (
        '[{"doc_id": "d1", "text": "a"}',
        1,
        ': "d1", "text": "a"}',
        "the file is not the JSON that it begins as",
    ),
    "array behind": (
        '[{"doc_id": "d1", "text": "a"}] x',
        1,
        '"d1", "text": "a"}] x',
        "the file is not the JSON that it begins as",
    ),
    "empty array": ("[]", None, "[]", "the file has no lines to read"),
    "empty object": ("{}", 1, "no fields", "the object has no field doc_id, and no field"),
    "wrapped": (
        json.dumps({"documents": [{"doc_id": "d1", "text": "a"}]}),
        1,
        "documents",
        "the object has no field doc_id, and no field",
    ),
    "pandas split short": (
        json.dumps({"columns": ["doc_id", "text"], "index": [0], "data": [["d1"]]}),
        1,
        "['d1']",
        "a row does not have 2 values",
    ),
    "pandas table row": (
        json.dumps({"schema": {"fields": [{"name": "doc_id"}, {"name": "text"}]}, "data": ["x"]}),
        1,
        "x",
        "this is not a table as pandas writes it",
    ),
    "pandas columns id": (
        json.dumps({"doc_id": {"0": None}, "text": {"0": "a"}}),
        1,
        "",
        "the document id is empty, in row 1",
    ),
    "pandas index cut": (
        '{"0":{"doc_id":"d1","text":"a"},"1":{"doc_id"',
        1,
        '":"a"},"1":{"doc_id"',
        "the file is not the JSON that it begins as",
    ),
    "search no ids": (
        json.dumps({"hits": {"hits": [{"_source": {"title": "Red"}}]}}),
        1,
        "",
        "the document id is empty",
    ),
    "search no source": (
        json.dumps({"hits": {"hits": [{"_id": "d1"}]}}),
        1,
        "doc_id",
        "the object has no field text or title",
    ),
    "search hits object": (
        json.dumps({"hits": {"hits": {"_id": "d1"}}}),
        1,
        "{'_id': 'd1'}",
        "there is no list where the tool writes one",
    ),
    "search title number": (
        json.dumps({"hits": {"hits": [{"_id": "d1", "_source": {"title": 5}}]}}),
        1,
        "5",
        "the title is not a text",
    ),
    "search empty": (
        json.dumps({"hits": {"hits": []}}),
        None,
        '{"hits": {"hits": []}}',
        "the file has no lines to read",
    ),
    "solr no docs": (
        json.dumps({"response": {"docs": []}}),
        None,
        '{"response": {"docs": []}}',
        "the file has no lines to read",
    ),
    "solr no id": (json.dumps({"response": {"docs": [{"title": "Red"}]}}), 1, "", "the document id is empty"),
    "solr doc text": (
        json.dumps({"response": {"docs": ["d1"]}}),
        1,
        "d1",
        "there is no object where the tool writes one",
    ),
    "quepid book no fields": (
        json.dumps({"query_doc_pairs": [{"query_text": "a", "doc_id": "d1", "judgements": []}]}),
        1,
        "doc_id",
        "the object has no field text or title",
    ),
    "label studio no doc": (
        json.dumps([{"data": {"query": "a", "text": "b"}, "annotations": [{"result": []}]}]),
        1,
        "query, text",
        "the data of the task does not name its question",
    ),
    "label studio twice": (
        json.dumps(
            [
                {"data": {"query": "a", "doc_id": "d1", "text": "b"}, "annotations": [{"result": []}]},
                {"data": {"query": "a", "doc_id": "d1", "text": "c"}, "annotations": [{"result": []}]},
            ]
        ),
        1,
        "d1",
        "line 1 has the same id and other content",
    ),
    "doc open": ("<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>red\n", 1, "<DOC>", "what begins here is never closed"),
    "doc no number": ("<DOC>\n<TEXT>red</TEXT>\n</DOC>\n", 1, "", "the document id is empty"),
    "doc twice": (
        "<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>a</TEXT>\n</DOC>\n<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>b</TEXT>\n</DOC>\n",
        5,
        "d1",
        "line 1 has the same id and other content",
    ),
    "doc long": (
        "<DOC>\n<DOCNO>d1</DOCNO>\n" + ("<TEXT>" + "red " * 30_000 + "</TEXT>\n") * 40 + "</DOC>\n",
        1,
        "<DOC>",
        "what begins here is longer than 4 MB",
    ),
    "topics": (
        "<top>\n<num> 1\n<title> red\n</top>\n",
        None,
        "<top>",
        "this is TREC topics, which does not hold",
    ),
    "rss": (
        "<?xml version='1.0'?><rss><item>red</item></rss>\n",
        None,
        "<?xml version='1.0'?><rss><item>red</ite",
        "this is HTML or XML without documents",
    ),
    "trec run": (
        "q1 Q0 d1 1 2.5 tag\n",
        None,
        "q1 Q0 d1 1 2.5 tag",
        "this is a TREC run, which does not hold",
    ),
    "qrels": ("q1 0 d1 3\n", None, "q1 0 d1 3", "this is a file of ratings (TREC qrels), which"),
    "html": (
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        None,
        "<!DOCTYPE html>",
        "this is HTML or XML without documents",
    ),
    "prose": (
        "The reading room is open on Sundays.\nIt closes at 17.\n",
        None,
        "The reading room is open on Sundays.",
        "this does not look like any format for documents",
    ),
    "markdown": (
        "| doc_id | text |\n| --- | --- |\n| d1 | red |\n",
        1,
        ", doc_id, text, ",
        "several columns have no name",
    ),
    "yaml": (
        "- doc_id: d1\n  text: red\n",
        None,
        "- doc_id: d1",
        "this does not look like any format for documents",
    ),
    "queries csv": ("query_id,text\nq1,red\n", 1, "query_id, text", "there is no column doc_id"),
    "qrels csv": (
        "query_id,doc_id,grade\nq1,d1,2\n",
        1,
        "query_id, doc_id, grade",
        "there is no column text or title",
    ),
    "quepid case": (
        json.dumps({"queries": [{"query_text": "a", "ratings": []}]}),
        None,
        '{"queries": [{"query_text": "a", "rating',
        "this is a Quepid case, which does not hold",
    ),
    "rank eval": (
        json.dumps({"requests": [{"id": "q1", "ratings": []}]}),
        None,
        '{"requests": [{"id": "q1", "ratings": []',
        "this is a _rank_eval request, which does not",
    ),
    "pairs": (
        json.dumps({"q1": {"d1": 3}}),
        None,
        '{"q1": {"d1": 3}}',
        "this is a JSON object of numbers by query and",
    ),
    "python code": (
        "import os\nprint('hello')\n",
        None,
        "import os",
        "this does not look like any format for documents",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("label", BAD)
def test_a_bad_file_is_refused_with_place_value_and_remedy(label):
    assert_refused("documents", BAD[label])


@pytest.mark.thorough
def test_no_bad_file_leaves_anything(database):
    assert_nothing_is_stored(database, "documents", BAD)


def test_there_are_at_least_sixty_different_files():
    assert len({str(data) for data, *_ in BAD.values()}) == len(BAD) >= 60
