"""Of which kind a file is: by its columns, and by its name where they leave a choice."""

import pytest

from app.formats.errors import ProblemLog
from app.formats.recognise import kind_of
from app.formats.samples import SAMPLES
from app.formats.sniff import guess_of
from app.formats.source import Source


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_each_sample_is_recognised_without_its_name(sample):
    assert kind_of(sample.text.encode(), "file") == sample.kind


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "id,text\n1,what\n", "queries"),
        ("answers.csv", "id,text\n1,what\n", "documents"),
        ("a.csv", "id,title,text\n1,a,b\n", "documents"),
        ("a.tsv", "q1\twhat is\nq2\tyes\n", "queries"),
        ("a.csv", "query_id,doc_id,score\nq,d,1\n", "run"),
        ("qrels.csv", "query_id,doc_id,grade,score\nq,d,1,2\n", "judgments"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n", "judgments"),
        ("a.csv", "query,document,score\nq,d,1.5\n", "run"),
        ("a.csv", "qid,pid,rank\nq,d,1\n", "run"),
        ("a.csv", "topic,document,judgment\n1,d,1\n", "judgments"),
        ("documents.csv", "id,document\n1,a text\n", "documents"),
        ("run.json", '{"q1": {"d1": 1.5}}', "run"),
        ("a.json", '{"q1": {"d1": 1, "d2": 3}}', "judgments"),
        ("a.json", '{"query_doc_pairs": [{"query_text": "a", "doc_id": "b"}]}', "judgments"),
        ("a.csv", "query,docid,Ann Lee,Bo Ray\nred shoes,d1,3.0,1\n", "judgments"),
        ("questions.csv", "query,docid,Ann Lee,Bo Ray\nred shoes,d1,3.0,1\n", "queries"),
        ("a.csv", '"red shoes","d1","4","d2",0\nblue hats\n', "judgments"),
        ("a.txt", "3 qid:q1 # d1 red shoes\n0 qid:q2 # d2 blue hats\n", "judgments"),
        ("a.txt", "<top>\n<num> Number: 401\n<title> foreign minorities\n</top>\n", "queries"),
        ("a.txt", "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>one</TEXT>\n</DOC>\n", "documents"),
        ("stars.csv", "question,answer,verdict,who\na1,d1,perfect,Mia\n", None),
        ("a.csv", "question,answer,stars\na1,d1,3\n", "judgments"),
        ("a.csv", "question_id,answer,rank\na1,d1,3\n", "run"),
        ("answers.csv", "id,answer\na1,a text\n", "documents"),
        ("a.csv", "id,question,answer\n1,how,so\n", "queries"),
        ("a.html", "<html><body>one</body></html>\n", None),
        ("a.csv", "Kennung,Inhalt\na,b\n", None),
        ("a.txt", "hello world\nthis is\n", None),
        ("a.txt", "", None),
    ],
)
def test_columns_tell_and_a_name_where_they_leave_a_choice(name, text, kind):
    assert kind_of(text.encode(), name) == kind


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("documents", "d41,Tea,one\nd42,Milk,two\nd43,Salt,three\n"),
        ("queries", "q21,Is there a kettle?\nq22,Is there tea?\n"),
        ("run", "q1;d1;1\nq1;d2;2\nq2;d3;1\n"),
    ],
)
def test_a_first_line_of_values_is_not_taken_for_names(kind, text):
    guess = guess_of(Source(text.encode(), "a.csv", ProblemLog()), kind)

    assert guess.format is None
    assert guess.refusal.reason == "the first line holds values, not names of columns"
    assert guess.refusal.remedy == "Add a line with the names of the columns above it."


@pytest.mark.parametrize("text", ["Nr 1,Text\n1,a\n2,b\n", "Frage,Antwort\n1,a\n2,b\n", "a1,b\nx,y\nz,w\n"])
def test_any_other_first_line_may_be_names(text):
    assert guess_of(Source(text.encode(), "a.csv", ProblemLog()), "documents").format == "csv"
