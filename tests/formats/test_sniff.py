import gzip
import json

import pytest

from app.formats.errors import ProblemLog
from app.formats.sniff import guess_of
from app.formats.source import Source
from tests.formats.reading import guessed

RUN = "".join(f"q1 Q0 d{at} {at} {-at} tag\n" for at in range(100))


@pytest.mark.parametrize(
    ("kind", "data", "format", "words"),
    [
        ("run", RUN, "trec", "Looks like a TREC run: 6 columns on each of the first 50 lines."),
        ("run", RUN.replace(" ", "\t"), "trec", "TREC run"),
        ("run", RUN.replace("d7 ", "d7,x "), "trec", "each of the first"),
        ("run", RUN.replace("d7 ", "d 7 "), "trec", "6 columns on 49 of the first 50 lines"),
        ("run", "query_id,doc_id,score\nq1,d1,2\n", "csv", "3 columns separated by commas"),
        ("run", "qid;docid;rank\nq1;d1;2\n", "csv", "separated by semicolons"),
        ("run", "query_id\tdoc_id\tscore\nq1\td1\t2\n", "tsv", "separated by tabs"),
        ("run", '{"query_id": "q1", "doc_id": "d1", "score": 1}\n', "jsonl", "JSON Lines"),
        ("run", "a,b,c\n1,2,3\n", "csv", "names in the first line"),
        ("judgments", "q1 0 d1 3\nq1 0 d2 1\n", "trec", "TREC qrels file: 4 columns"),
        ("judgments", "query,docid,rating\n", "csv", "CSV"),
        ("queries", "q1\tred shoes\n", "tsv", "no names, so they are read as id and text"),
        ("queries", "query_id\ttext\nq1\tred shoes\n", "tsv", "names in the first line"),
        ("queries", "1\tid\n2\tb\n", "tsv", "no names"),
        ("queries", 'query_id,"text"\n', "csv", "CSV"),
        ("documents", '{"doc_id": "d1", "text": "a\\nb"}', "jsonl", "JSON Lines"),
        ("documents", "\ufeffdoc_id,text\r\n", "csv", "2 columns"),
        ("documents", '[{"doc_id": "d1"}]', "json", "one JSON array"),
        ("documents", "once upon a time\n", None, "No format was recognised."),
        ("documents", "", None, "empty"),
    ],
)
def test_the_format_is_guessed_and_said_aloud(kind, data, format, words):
    guess = guessed(data.encode(), kind)

    assert guess.format == format
    assert words in guess.reason
    assert guess.reason[0].isupper()
    assert guess.reason.endswith(".")


def test_the_columns_of_a_table_are_found():
    assert guessed(b'query_id;"my, text" ;x\n', "queries").columns == ("query_id", "my, text", "x")
    assert guessed(b'{"doc_id": "a", "year": 1}', "documents").columns == ("doc_id", "year")


def test_a_header_of_own_names_is_a_header_if_the_caller_expects_them():
    source = Source(b"Nummer\tFrage\n1\twas\n", "x", ProblemLog())

    assert not guess_of(source, "queries").has_header
    assert guess_of(source, "queries", None, {"query_id": "Nummer", "text": "Frage"}).has_header


def test_a_packed_file_is_looked_into():
    assert guessed(gzip.compress(RUN.encode()), "run").format == "trec"


def test_the_beginning_of_a_file_is_enough():
    assert guessed(RUN.encode()[:300], "run").format == "trec"


def test_another_encoding_is_said():
    assert guessed("q1\tgrün\n".encode("latin-1"), "queries").encoding == "Some lines are not UTF-8."
    assert guessed("q1\tgrün\n".encode(), "queries").encoding == "Read as UTF-8."


def test_a_path_is_looked_into(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"doc_id": "d"}))

    assert guessed(path, "documents").format == "jsonl"
