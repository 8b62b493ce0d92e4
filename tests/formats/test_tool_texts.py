"""Texts that other tools write: LETOR, wide tables, TREC's SGML and tables without names."""

import pytest

from tests.formats.reading import found, guessed, read, rows_of

LETOR = "# qid:2: blue hat\n3 qid:1 # d1 red shoes\n0 qid:2 1:0.5 2:-1e-3 # d2\n"
BOOK = 'query,docid,"Lee, Ann",Bo Ray\nred shoes,d1,3.0,\nred shoes,d2,1,2\nblue hat,d1,,\n'
RELEVANCE = '"how, why?", "d7", "3", "d9",0\nquestion without labels\nwhat, d1, 2\n'
TOPICS = """<top>
<num> Number: 301
<title> Red &amp; blue
<desc> Description:
What is red?
<narr> Narrative:
Shoes.
</top>
<top><num>302</num><title>hat</title></top>
"""
XML_TOPICS = '<?xml version="1.0"?>\n<topics>\n<topic number="1">\n<query>red</query>\n<question>what is red</question>\n</topic>\n</topics>\n'
DOCUMENTS = """<DOC>
<DOCNO> d1 </DOCNO>
<HEADLINE>Red &lt;shoes&gt;</HEADLINE>
<AUTHOR>kim</AUTHOR>
<TEXT>
<P>One.</P>
Two.
</TEXT>
</DOC>
<doc><docno>d2</docno><text>Blue.</text></doc>
"""
BAD = {
    "letor without a document": ("judgments", "3 qid:1 1:0.5 # d1\n3 qid:1 1:0.5\n", (2, "letor")),
    "letor with an empty comment": ("judgments", "3 qid:1 # d1\n3 qid:1 # \n", (2, "letor")),
    "letor without a query": ("judgments", "3 qid:1 # d1\n3 1:0.5 # d1\n", (2, "letor")),
    "letor with half a grade": ("judgments", "3 qid:1 # d1\n2.5 qid:1 # d2\n", (2, "off-scale")),
    "letor with two grades": ("judgments", "3 qid:1 # d1\n2 qid:1 # d1\n", (2, "contradiction")),
    "letor as a run": ("run", "3 qid:1 # d1\n", (None, "format")),
    "letor without texts as queries": ("queries", "3 qid:1 # d1\n", (1, "text")),
    "a book with a short line": ("judgments", BOOK + "a,d1,2\n", (5, "columns")),
    "a book with a grade of words": ("judgments", BOOK + "a,d1,good,\n", (5, "off-scale")),
    "a book without a document": ("judgments", BOOK + "a,,2,\n", (5, "id-empty")),
    "a book with open quotes": ("judgments", BOOK + '"a,d1,2,\n', (5, "csv")),
    "an answer without a label": ("judgments", RELEVANCE + "a,d1\n", (4, "columns")),
    "a label of words": ("judgments", "a,d1,1\n" * 60 + "b,d1,good\n", (61, "off-scale")),
    "an answer twice": ("judgments", "a,d1,1,d1,2\n", (1, "contradiction")),
    "an open topic": ("queries", TOPICS + "<top>\n<num>303\n", (10, "sgml")),
    "a topic without a number": ("queries", "<top>\n<title>x\n</top>\n", (1, "id-empty")),
    "a topic without a text": ("queries", "<top>\n<num>1\n</top>\n", (1, "text")),
    "a document without a number": ("documents", "<DOC>\n<TEXT>x</TEXT>\n</DOC>\n", (1, "id-empty")),
    "an open document": ("documents", DOCUMENTS + "<DOC>\n<DOCNO>d3</DOCNO>\n", (11, "sgml")),
    "a document twice": (
        "documents",
        DOCUMENTS + "<DOC><DOCNO>d1</DOCNO><TEXT>y</TEXT></DOC>\n",
        (11, "contradiction"),
    ),
    "an unnamed run with a rank of words": ("run", "1\t7\t1\n1\t8\tx\n", (2, "rank")),
    "an unnamed table with a short line": ("documents", "1\tone\n2\n", (2, "columns")),
}


def test_letor_is_read_with_the_texts_in_its_comments():
    rows = rows_of("judgments", LETOR)

    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        ("red shoes", "d1", 3),
        ("blue hat", "d2", 0),
    ]
    assert [row.text for row in rows_of("queries", LETOR)] == ["red shoes", "blue hat"]
    (plain,) = rows_of("judgments", "2 qid:10 1:0.1 2:0.0 #docid = GX029-35 inc = 1 prob = 0.1\n")
    assert (plain.query_id, plain.document_id, plain.grade) == ("10", "GX029-35", 2)


def test_each_column_of_a_book_is_an_annotator():
    rows, log = read("judgments", BOOK)

    assert [(row.query_id, row.document_id, row.annotator, row.grade) for row in rows] == [
        ("red shoes", "d1", "Lee, Ann", 3),
        ("red shoes", "d2", "Lee, Ann", 1),
        ("red shoes", "d2", "Bo Ray", 2),
    ]
    assert log.left_out == {"unrated": 1}
    assert "a column of ratings for each person" in guessed(BOOK.encode(), "judgments").reason
    assert guessed(b"query,docid,rating,notes\na,d,1,x\n", "judgments").format == "csv"


def test_people_without_a_name_in_a_book_are_different_ones():
    book = "query,docid,Anonymous,Anonymous,Anonymous 2,Anonymous\nred,d1,3.0,1.0,0,3\nblue,d2,,2,,2\n"

    rows, log = read("judgments", book)

    assert not log.problems
    assert not log.left_out
    assert [(row.document_id, row.annotator, row.grade) for row in rows] == [
        ("d1", "Anonymous", 3),
        ("d1", "Anonymous 3", 1),
        ("d1", "Anonymous 2", 0),
        ("d1", "Anonymous 4", 3),
        ("d2", "Anonymous 3", 2),
        ("d2", "Anonymous 4", 2),
    ]


def test_columns_of_a_book_without_any_name_are_different_people():
    rows = rows_of("judgments", "query,docid,,\nred,d1,3,1\n", "book-csv")

    assert [(row.annotator, row.grade) for row in rows] == [(None, 3), ("Anonymous 2", 1)]


def test_questions_with_answers_and_labels_are_read():
    rows, log = read("judgments", RELEVANCE)

    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        ("how, why?", "d7", 3),
        ("how, why?", "d9", 0),
        ("what", "d1", 2),
    ]
    assert log.left_out == {"unrated": 1}
    assert len(rows_of("queries", RELEVANCE)) == 3


def test_topics_and_documents_of_trec_are_read():
    topics, documents = rows_of("queries", TOPICS), rows_of("documents", DOCUMENTS)

    assert [(row.query_id, row.text, row.intent) for row in topics] == [
        ("301", "Red & blue", "What is red?\n\nShoes."),
        ("302", "hat", None),
    ]
    (open_tag,) = rows_of("documents", "<DOC><p><DOCNO>d3</DOCNO><br><TEXT>a<b>c</TEXT></DOC>")
    assert (open_tag.document_id, open_tag.text) == ("d3", "a c")
    assert [(row.query_id, row.text, row.intent) for row in rows_of("queries", XML_TOPICS)] == [
        ("1", "red", "what is red")
    ]
    assert [(row.document_id, row.title, row.text, row.extra) for row in documents] == [
        ("d1", "Red <shoes>", "One. \nTwo.", {"author": "kim"}),
        ("d2", "", "Blue.", {}),
    ]


@pytest.mark.parametrize(
    ("kind", "line", "values"),
    [
        ("documents", "7\tSome text.\n", ["7", "Some text."]),
        ("documents", "1\t7\tasked\tSome text.\n", ["7", "Some text."]),
        ("queries", "1\t7\tasked\tSome text.\n", ["1", "asked"]),
        ("run", "1\t7\t1\n", ["1", "7", 1]),
    ],
)
def test_tables_without_names_are_known_by_their_numbers(kind, line, values):
    (row,) = rows_of(kind, line)
    names = {"documents": ("document_id", "text"), "queries": ("query_id", "text")}

    assert [getattr(row, name) for name in names.get(kind, ("query_id", "document_id", "rank"))] == values
    assert not getattr(row, "extra", None)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_text_of_a_tool_is_refused_with_its_line(name):
    kind, text, problem = BAD[name]

    assert problem in found(kind, text)
