"""`flask score`: what was asked for and nothing else, as a table or as one JSON object."""

from __future__ import annotations

import json

import pytest

QUERIES = "q1\tflat tyre\nq2\twobbly wheel\n"
DOCUMENTS = "doc_id,title,text\nd1,Tyres,Mend it.\nd2,Wheels,True it.\n"
RUN = "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8.5 bm25\nq2 Q0 d1 1 8.5 bm25\nq2 Q0 d2 2 7.5 bm25\n"
QRELS = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 0\nq2 0 d2 3\n"


@pytest.fixture
def score(run_command, tmp_path):
    """Return what scores a project of two queries and gives the output."""
    run_command("project", "create", "p", "--name", "P", "--scale", "0-3", "--k", 2)
    for kind, text in (("queries", QUERIES), ("documents", DOCUMENTS), ("run", RUN), ("qrels", QRELS)):
        path = tmp_path / f"{kind}.txt"
        path.write_text(text)
        ranker = ("--ranker", "BM25") if kind == "run" else ()
        assert run_command("import", kind, "p", path, *ranker).exit_code == 0

    def score(*options):
        result = run_command("score", "p", *options)
        assert result.exit_code == 0, result.output
        return result.output

    return score


@pytest.mark.parametrize(
    ("asked", "labels"), [("", ["nDCG@2"]), ("P@1 RR", ["P@1", "RR"]), ("P@1 judged@2", ["P@1", "judged@2"])]
)
def test_the_object_holds_the_measures_that_were_asked_for(score, asked, labels):
    (ranker,) = json.loads(score("--json", "--per-query", "--measures", asked))["rankers"]

    assert list(ranker["measures"]) == [label for label in labels if not label.startswith("judged")]
    assert {query: list(values) for query, values in ranker["per_query"].items()} == {
        "q1": labels,
        "q2": labels,
    }
    assert ranker["judged"]["judged@2"] == 1


def test_the_values_of_every_query_are_a_table_too(score):
    told = score("--per-query", "--measures", "P@1 RR").splitlines()

    assert [line.split() for line in told[-3:]] == [
        ["ranker", "version", "query", "P@1", "RR"],
        ["BM25", "v1", "q1", "1.0000", "1.0000"],
        ["BM25", "v1", "q2", "0.0000", "0.5000"],
    ]
    assert "q1" not in score("--measures", "P@1 RR")
