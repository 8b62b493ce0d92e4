"""Bad files of ratings: each is refused with its place, its value and a remedy, and leaves nothing."""

import json

import pytest

from tests.formats.refusing import assert_nothing_is_stored, assert_refused, read_as_offered

LONG = "x" * 513


def lines_of(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


NAMES = "query_id,doc_id,grade\n"

BAD = {
    "nothing": (b"", None, "", "the file has no lines to read"),
    "trec three": ("q1 0 d1 3\nq1 0 d2\n", 2, "q1 0 d2", "the line has 3 columns, not 4"),
    "trec five": ("q1 0 d1 3\nq1 0 d2 3 x\n", 2, "q1 0 d2 3 x", "the line has 5 columns, not 4"),
    "trec blank in id": ("q1 0 d1 3\nq1 0 d 2 3\n", 2, "q1 0 d 2 3", "the line has 5 columns, not 4"),
    "trec negative": ("q1 0 d1 3\nq1 0 d2 -1\n", 2, "-1", "the grade is negative"),
    "trec half": ("q1 0 d1 3\nq1 0 d2 0.5\n", 2, "0.5", "the grade is not a whole number"),
    "trec word": ("q1 0 d1 3\nq1 0 d2 good\n", 2, "good", "the grade is not a number"),
    "trec nan": ("q1 0 d1 3\nq1 0 d2 nan\n", 2, "nan", "the grade is not a number"),
    "trec twice": ("q1 0 d1 3\nq1 0 d1 2\n", 2, "q1 d1", "line 1 gives this answer another rating"),
    "trec commas": ("q1 0 d1 3\nq1,0,d2,3\n", 2, "q1,0,d2,3", "the line has 1 column, not 4"),
    "trec nbsp": (
        "q1 0 d1 3\nq1\u00a00 0 d2 3\n",
        2,
        "q1\\xa00",
        "the query id begins or ends with a space, or",
    ),
    "trec latin": (
        "q1 0 d1 3\nq1 0 dü 3\n".encode("latin-1"),
        2,
        "q1 0 dü 3",
        "the line is not UTF-8; it looks like",
    ),
    "trec no unicode": (b"q1 0 d1 3\nq1 0 d\xff\x81 3\n", 2, "q1 0 d\\xff\\x81 3", "the line is not UTF-8"),
    "trec header": (
        "query iter doc rel\nq1 0 d1 3\n",
        1,
        "query iter doc rel",
        "the first line names the columns",
    ),
    "trec long id": (
        f"q1 0 d1 3\nq1 0 {LONG} 3\n",
        2,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the document id is longer than 512 bytes",
    ),
    "trec control": ("q1 0 d1 3\nq1 0 d\x07 3\n", 2, "d\\x07", "the document id holds a control character"),
    "trec beyond": ("q1 0 d1 3\nq1 0 d2 1000001\n", 2, "1000001", "the grade is beyond 1,000,000"),
    "names only": (NAMES, None, "query_id,doc_id,grade", "there is nothing below the names of the columns"),
    "no grade column": (
        "query_id,doc_id\nq1,d1\n",
        1,
        "query_id, doc_id",
        "there is no column grade",
    ),
    "no query column": ("doc_id,grade\nd1,2\n", 1, "doc_id, grade", "there is no column query_id or query"),
    "no doc column": ("query_id,grade\nq1,2\n", 1, "query_id, grade", "there is no column doc_id"),
    "unknown names": ("a,b,c\n1,2,x\n", 1, "a, b, c", "there is no column query_id or query, and no"),
    "a name twice": (
        "query_id,doc_id,grade,grade\nq1,d1,1,2\n",
        1,
        "grade",
        "two columns have the same name",
    ),
    "no query": (NAMES + ",d1,2\n", 2, "", "the query id is empty"),
    "no doc": (NAMES + "q1,,2\n", 2, "", "the document id is empty"),
    "no grade": (NAMES + "q1,d1,\n", 2, "", "there is no grade"),
    "grade and reason": (
        "query_id,doc_id,grade,reason\nq1,d1,2,unclear\n",
        2,
        "unclear",
        "there is a grade and a reason for “can’t judge”",
    ),
    "reason unknown": (
        "query_id,doc_id,grade,reason\nq1,d1,,tired\n",
        2,
        "tired",
        "this is not a reason for “can’t judge”",
    ),
    "half": (NAMES + "q1,d1,2.5\n", 2, "2.5", "the grade is not a whole number"),
    "decimal comma": (NAMES + 'q1,d1,"2,0"\n', 2, "2,0", "the grade is not a number"),
    "semicolon half": ("query_id;doc_id;grade\nq1;d1;1,5\n", 2, "1.5", "the grade is not a whole number"),
    "word": (NAMES + "q1,d1,Exact\n", 2, "Exact", "the grade is not a number"),
    "negative": (NAMES + "q1,d1,-1\n", 2, "-1", "the grade is negative"),
    "exponent": (NAMES + "q1,d1,1e9\n", 2, "1e9", "the grade is beyond 1,000,000"),
    "hex": (NAMES + "q1,d1,0x1\n", 2, "0x1", "the grade is not a number"),
    "arabic": (NAMES + "q1,d1,٣\n", 2, "٣", "the grade is not a number"),
    "underscore": (NAMES + "q1,d1,1_0\n", 2, "1_0", "the grade is not a number"),
    "twice": (NAMES + "q1,d1,2\nq1,d1,3\n", 3, "q1 d1", "line 2 gives this answer another rating"),
    "twice one person": (
        "query_id,doc_id,annotator,grade\nq1,d1,Kim,2\nq1,d1,Kim,3\n",
        3,
        "q1 d1 Kim",
        "line 2 gives this answer another rating",
    ),
    "time": (
        "query_id,doc_id,grade,judged_at\nq1,d1,2,yesterday\n",
        2,
        "yesterday",
        "the time is not a date and time",
    ),
    "time 13 month": (
        "query_id,doc_id,grade,judged_at\nq1,d1,2,2026-13-01\n",
        2,
        "2026-13-01",
        "the time is not a date and time",
    ),
    "time number": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": 2, "judged_at": 1700000000}),
        1,
        "1700000000",
        "the time is not a date and time",
    ),
    "long name": (
        f"query_id,doc_id,annotator,grade\nq1,d1,{'k' * 201},2\n",
        2,
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
        "the annotator is too long or holds control",
    ),
    "control name": (
        "query_id,doc_id,annotator,grade\nq1,d1,K\x02m,2\n",
        2,
        "K\\x02m",
        "the annotator is too long or holds control",
    ),
    "few": (NAMES + "q1,d1\n", 2, "q1 | d1", "the line has 2 cells where the first line has 3"),
    "many": (
        NAMES + "q1,d1,2,good\n",
        2,
        "q1 | d1 | 2 | good",
        "the line has 4 cells where the first line has 3",
    ),
    "open quote": (
        NAMES + 'q1,"d1,2\nq1,d2,1\n',
        2,
        'q1,"d1,2',
        "a quotation mark that opens here is never closed",
    ),
    "quote inside": (
        NAMES + 'q1,d"1,2\nq1,"d"2,1\n',
        3,
        'q1,"d"2,1',
        "there is a quotation mark inside a cell",
    ),
    "latin": ((NAMES + "q1,dé,2\n").encode("latin-1"), 2, "q1,dé,2", "the line is not UTF-8; it looks like"),
    "utf16": (
        (NAMES + "q1,d1,2\n").encode("utf-16-le"),
        None,
        "",
        "the file is UTF-16 without its mark, not UTF-8",
    ),
    "CR": (
        NAMES + "q1,d1,2\rq1,d2,2\nq1,d3,1\n",
        2,
        "q1,d1,2\\x0dq1,d2,2",
        "there is a carriage return outside quotes",
    ),
    "newline id": (NAMES + 'q1,"d\n1",2\n', 2, "d\\x0a1", "the document id begins or ends with a space, or"),
    "semicolons": (NAMES + "q1;d1;2\n", 2, "q1;d1;2", "the line has 1 cell where the first line has 3"),
    "tsv few": (
        "query_id\tdoc_id\tgrade\nq1\td1\n",
        2,
        "q1 | d1",
        "the line has 2 cells where the first line has 3",
    ),
    "tsv quotes": ('query_id\tdoc_id\tgrade\nq1\td1\t"2"\n', 2, '"2"', "the grade is not a number"),
    "json cut": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": 2}) + '{"query_id": "q1", "doc',
        2,
        '{"query_id": "q1", "doc',
        "the line is not JSON (at character 20)",
    ),
    "json true": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": True}),
        1,
        "True",
        "the grade is not a number",
    ),
    "json list": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": [2]}),
        1,
        "[2]",
        "the grade is not a number",
    ),
    "json null": (lines_of({"query_id": "q1", "doc_id": "d1", "grade": None}), 1, "", "there is no grade"),
    "json NaN": (
        '{"query_id":"q1","doc_id":"d1","grade":NaN}\n',
        1,
        "NaN",
        "the value is not a number that JSON knows",
    ),
    "json half": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": 2.5}),
        1,
        "2.5",
        "the grade is not a whole number",
    ),
    "json id float": (
        lines_of({"query_id": "q1", "doc_id": 1.5, "grade": 2}),
        1,
        "1.5",
        "the document id is not a text",
    ),
    "json id null": (
        lines_of({"query_id": "q1", "doc_id": None, "grade": 2}),
        1,
        "",
        "the document id is empty",
    ),
    "json annotator list": (
        lines_of({"query_id": "q1", "doc_id": "d1", "grade": 2, "annotator": ["a"]}),
        1,
        "['a']",
        "the annotator is not a text",
    ),
    "json no grade": (
        lines_of({"query_id": "q1", "doc_id": "d1", "likes": 2}),
        1,
        "query_id, doc_id, likes",
        "the object has no field grade",
    ),
    "json key twice": (
        '{"query_id":"q1","doc_id":"d1","grade":2,"grade":3}\n',
        1,
        "grade",
        "a key appears twice in one object",
    ),
    "json array": ('["q1","d1",2]\n', 1, "q1", "the item of the array is not an object"),
    "array number": (
        '[{"query_id":"q1","doc_id":"d1","grade":2},\n 7]',
        2,
        "7",
        "the item of the array is not an object",
    ),
    "array cut": (
        '[{"query_id":"q1","doc_id":"d1","grade":2},',
        1,
        'id":"d1","grade":2},',
        "the file is not the JSON that it begins as",
    ),
    "empty array": ("[]", None, "[]", "the file has no lines to read"),
    "empty object": ("{}", 1, "no fields", "the object has no field query_id or query, and"),
    "pairs half": (
        '{"q1": {"d1": 2.5}}',
        None,
        '{"q1": {"d1": 2.5}}',
        "these are scores of a run, as ranx writes them,",
    ),
    "pairs word": ('{"q1": {"d1": "good"}}', 1, "good", "the grade is not a number, in 'q1 d1'"),
    "pairs list": (
        '{"q1": {"d1": 2}, "q2": ["d1"]}',
        1,
        "['d1']",
        "the query has no object of documents, in the",
    ),
    "pairs null": ('{"q1": {"d1": 2, "d2": null}}', 1, "", "there is no grade, in 'q1 d2'"),
    "pairs twice": ('{"q1": {"d1": 2, "d1": 3}}', 1, "d1", "an object has this key twice, in the query 'q1'"),
    "pairs query twice": ('{"q1": {"d1": 2}, "q1": {"d2": 3}}', 1, "q1", "an object has this key twice"),
    "pairs long": (
        json.dumps({"q1": {LONG: 2}}),
        1,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "the document id is longer than 512 bytes, in",
    ),
    "pairs cut": (
        '{"q1": {"d1": 2}, "q2": {"d1"',
        1,
        'd1": 2}, "q2": {"d1"',
        "the file is not the JSON that it begins as",
    ),
    "pairs negative": ('{"q1": {"d1": -2}}', 1, "-2", "the grade is negative, in 'q1 d1'"),
    "pairs empty id": ('{"q1": {"": 2}}', 1, "", "the document id is empty, in the query 'q1'"),
    "pairs empty": ('{"q1": {}}', None, '{"q1": {}}', "the file has no lines to read"),
    "pairs behind": (
        '{"q1": {"d1": 2}} {"q2": {"d1": 2}}',
        1,
        '{"q1": {"d1": 2}} {"q2": {"d1": 2}}',
        "the file is not the JSON that it begins as",
    ),
    "pairs run floats": (
        '{"q1": {"d1": 12.5, "d2": 7.25}, "q2": {"d3": 0.125}}',
        None,
        '{"q1": {"d1": 12.5, "d2": 7.25}, "q2": {',
        "these are scores of a run, as ranx writes them,",
    ),
    "pandas short": (
        json.dumps({"columns": ["query_id", "doc_id", "grade"], "index": [0], "data": [["q1", "d1"]]}),
        1,
        "['q1', 'd1']",
        "a row does not have 3 values",
    ),
    "pandas null": (
        json.dumps({"query_id": {"0": "q1"}, "doc_id": {"0": "d1"}, "grade": {"0": None}}),
        1,
        "",
        "there is no grade, in row 1",
    ),
    "pandas values": (
        '[["q1","d1",2]]',
        None,
        '[["q1","d1",2]]',
        "this is a JSON array of rows without names of",
    ),
    "quepid number": (
        json.dumps({"queries": [{"query_text": "a", "ratings": {"d1": "good"}}]}),
        1,
        "good",
        "the grade is not a number",
    ),
    "quepid ratings text": (
        json.dumps({"queries": [{"query_text": "a", "ratings": "d1"}]}),
        1,
        "d1",
        "there is no list where the tool writes one",
    ),
    "quepid no query": (
        json.dumps({"queries": [{"ratings": {"d1": 2}}]}),
        1,
        "",
        "the text of the query is empty",
    ),
    "quepid book two": (
        json.dumps(
            {
                "query_doc_pairs": [
                    {
                        "query_text": "a",
                        "doc_id": "d1",
                        "judgements": [
                            {"rating": 1, "user_email": "k@x"},
                            {"rating": 2, "user_email": "k@x"},
                        ],
                    }
                ]
            }
        ),
        1,
        "a d1 k@x",
        "line 1 gives this answer another rating",
    ),
    "workbench rating": (
        json.dumps({"judgmentRatings": [{"query": "a", "ratings": [{"docId": "d1", "rating": "high"}]}]}),
        1,
        "high",
        "the grade is not a number",
    ),
    "workbench no doc": (
        json.dumps({"judgmentRatings": [{"query": "a", "ratings": [{"rating": "1.0"}]}]}),
        1,
        "",
        "the document id is empty",
    ),
    "workbench object": (
        json.dumps({"judgmentRatings": [{"query": "a", "ratings": {"d1": 1}}]}),
        1,
        "{'d1': 1}",
        "there is no list where the tool writes one",
    ),
    "workbench set": (
        json.dumps({"querySetQueries": [{"queryText": "a"}]}),
        None,
        '{"querySetQueries": [{"queryText": "a"}]',
        "this is a query set of the search relevance",
    ),
    "rank eval twice": (
        json.dumps(
            {"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1}, {"_id": "d1", "rating": 2}]}]}
        ),
        1,
        "q1 d1",
        "line 1 gives this answer another rating",
    ),
    "rank eval no id": (
        json.dumps({"requests": [{"ratings": [{"_id": "d1", "rating": 1}]}]}),
        1,
        "",
        "the text of the query is empty",
    ),
    "rre gain": (
        json.dumps(
            {"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"d1": {"gain": "much"}}}]}
        ),
        1,
        "much",
        "the grade is not a number",
    ),
    "rre list of grade": (
        json.dumps({"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"3": [1.5]}}]}),
        1,
        "1.5",
        "the document id is not a text",
    ),
    "rre no documents": (
        json.dumps({"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": 7}]}),
        1,
        "7",
        "there is no object where the tool writes one",
    ),
    "discovery": (
        json.dumps({"natural_language_query": "a", "examples": [{"document_id": "d1", "relevance": "yes!"}]}),
        1,
        "yes!",
        "the grade is not a number",
    ),
    "rr questions": (
        json.dumps([{"text": "a", "cluster": {"answers": {"k@x": [{"id": "d1", "ranking": "****"}]}}}]),
        1,
        "****",
        "the grade is not a number",
    ),
    "relevance even": (
        '"how?",d1,4\n"what?",d1,4,d2\n',
        2,
        "what? | d1 | 4 | d2",
        "the line has 4 cells, and an answer without a",
    ),
    "relevance even first": (
        '"how?",d1,4,d2\n"what?",d1,4\n',
        1,
        "how? | d1 | 4 | d2",
        "the line has 4 cells, and an answer without a",
    ),
    "relevance even all": (
        '"how?",d1,4,d2\n"what?",d1\n',
        1,
        "how?, d1, 4, d2",
        "there is no column query_id or query, and no",
    ),
    "relevance label": (
        '"how?",d1,4\n"what?",d1,good\n',
        1,
        "how?, d1, 4",
        "there is no column query_id or query, and no",
    ),
    "relevance twice": ('"how?",d1,4,d1,2\n', 1, "how? d1", "line 1 gives this answer another rating"),
    "relevance no answer": ('"how?",d1,4\n"what?",,4\n', 2, "", "the document id is empty"),
    "letor grade": ("3 qid:1 # d1 a\nx qid:1 # d2 a\n", 2, "x", "the grade is not a number"),
    "letor no doc": (
        "3 qid:1 # d1 a\n3 qid:1 1:0.5\n",
        2,
        "3 qid:1 1:0.5",
        "the line has no document behind #",
    ),
    "letor twice": (
        "3 qid:1 # d1 a\n2 qid:1 # d1 a\n",
        2,
        "a d1",
        "line 1 gives this answer another rating",
    ),
    "letor order": (
        "3 qid:1 # d1 a\nqid:1 3 # d2 a\n",
        2,
        "qid:1 3 # d2 a",
        "the line is not GRADE qid:QUERY # DOCUMENT",
    ),
    "book half": ("query,docid,Kim\nred,d1,2.5\n", 2, "2.5", "the grade is not a whole number"),
    "book short": (
        "query,docid,Kim,Bo\nred,d1,2\n",
        2,
        "red | d1 | 2",
        "the line has 3 cells where the first line has 4",
    ),
    "book no doc": ("query,docid,Kim\nred,,2\n", 2, "", "the document id is empty"),
    "label studio": (
        json.dumps(
            [
                {
                    "data": {"query": "a", "doc_id": "d1"},
                    "annotations": [{"completed_by": 1, "result": [{"value": {"choices": ["Good"]}}]}],
                }
            ]
        ),
        1,
        "Good",
        "the grade is not a number",
    ),
    "label studio data": (
        json.dumps([{"data": "a", "annotations": [{"completed_by": 1, "result": []}]}]),
        1,
        "a",
        "there is no object where the tool writes one",
    ),
    "topics": (
        "<top>\n<num> 1\n<title> red\n</top>\n",
        None,
        "<top>",
        "this is TREC topics, which does not hold ratings",
    ),
    "html": (
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        None,
        "<!DOCTYPE html>",
        "this is HTML or XML without ratings",
    ),
    "prose": (
        "The reading room is open.\nIt closes.\n",
        1,
        "The reading room is open.",
        "the line has 5 columns, not 4",
    ),
    "trec run": (
        "q1 Q0 d1 1 2.5 tag\n",
        None,
        "q1 Q0 d1 1 2.5 tag",
        "this is a TREC run, not a file of ratings",
    ),
    "csv run": (
        "query_id,doc_id,rank,score\nq1,d1,1,2.5\n",
        1,
        "query_id, doc_id, rank, score",
        "these are the columns of a run, without grade",
    ),
    "msmarco run": ("7\t12\t1\n7\t13\t2\n", 1, "7, 12, 1", "the first line names no columns, and three"),
    "rr predictions": (
        "q1 a7 0.9 0.8\nq1 a8 0.7 0.6\n",
        None,
        "q1 a7 0.9 0.8",
        "these are predictions of IBM Retrieve and Rank:",
    ),
    "rr predictions 3": (
        "q1 a7 0.9\nq1 a8 0.7\n",
        None,
        "q1 a7 0.9",
        "these are predictions of IBM Retrieve and Rank:",
    ),
    "rr predictions header": (
        "qid aid rank_score confidence\nq1 a7 0.9 0.8\n",
        None,
        "qid aid rank_score confidence",
        "these are predictions of IBM Retrieve and Rank:",
    ),
    "solr": (
        json.dumps({"response": {"docs": [{"id": "d1"}]}}),
        None,
        '{"response": {"docs": [{"id": "d1"}]}}',
        "this is a Solr response, which does not hold",
    ),
    "queries": (
        "query_id,text\nq1,red\n",
        1,
        "query_id, text",
        "there is no column doc_id, and no column grade",
    ),
    "documents": (
        "doc_id,title,text\nd1,a,b\n",
        1,
        "doc_id, title, text",
        "there is no column query_id or query, and no",
    ),
    "markdown": (
        "| query_id | doc_id | grade |\n|---|---|---|\n| q1 | d1 | 2 |\n",
        1,
        ", query_id, doc_id, grade, ",
        "several columns have no name",
    ),
    "features": (
        "question_id,answer_id,f1,f2\nq1,a1,0.5,0.2\n",
        1,
        "question_id, answer_id, f1, f2",
        "there is no column grade",
    ),
}


@pytest.mark.parametrize("label", BAD)
def test_a_bad_file_is_refused_with_place_value_and_remedy(label):
    assert_refused("judgments", BAD[label])


@pytest.mark.thorough
def test_no_bad_file_leaves_anything(database):
    assert_nothing_is_stored(database, "judgments", BAD)


def test_there_are_at_least_sixty_different_files():
    assert len({str(data) for data, *_ in BAD.values()}) == len(BAD) >= 60


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"details": {"q1": {"hits": [{"hit": {"_id": "d1"}, "rating": None}]}}}),
        json.dumps(
            [
                {
                    "data": {"query": "a", "doc_id": "d1"},
                    "annotations": [{"completed_by": 1, "result": [{"value": {"choices": ["a", "b"]}}]}],
                }
            ]
        ),
        "query,docid,rating\nred shoes,d1,\n",
    ],
    ids=["a response without ratings", "two choices", "a list of what to rate"],
)
def test_lines_without_a_rating_are_left_out_and_counted(data):
    rows, log = read_as_offered("judgments", data)

    assert (rows, log.total, dict(log.left_out)) == ([], 0, {"unrated": 1})
