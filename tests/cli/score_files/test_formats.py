"""Files of every format score as their TREC counterparts."""

from __future__ import annotations

import json
import zipfile

import pytest

from app.formats.errors import FormatError

GRADES = {"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}
LISTS = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 5.0, "d3": 4.0}}
HITS = {query: [{"hit": {"_id": document}} for document in found] for query, found in LISTS.items()}


def lines(shape, values):
    return "".join(
        shape.format(q=query, d=document, v=value, n=place)
        for query, of in values.items()
        for place, (document, value) in enumerate(of.items(), 1)
    )


RATINGS = {
    "pairs": json.dumps(GRADES),
    "quepid": "query,docid,rating\n" + lines("{q},{d},{v}\n", GRADES),
    "letor": lines("{v} qid:{q} # {d}\n", GRADES),
    "table": "query_id\tdoc_id\tgrade\n" + lines("{q}\t{d}\t{v}\n", GRADES),
}
RUNS = {
    "pairs": json.dumps(LISTS),
    "ranks": "query,docid,position\n" + lines("{q},{d},{n}\n", LISTS),
    "rank-eval": json.dumps({"details": {query: {"hits": hits} for query, hits in HITS.items()}}),
    "lines": lines('{{"query_id": "{q}", "doc_id": "{d}", "score": {v}}}\n', LISTS),
}


@pytest.mark.parametrize(("ratings", "run"), list(zip(RATINGS, RUNS, strict=True)))
def test_a_file_of_any_format_scores_as_trec(files, ratings, run):
    expected = files.score(files.qrels(GRADES), files.run("r", LISTS))

    found = files.score(files.text("ratings", RATINGS[ratings]), files.text("r.any", RUNS[run]))

    assert found.runs[0].measures == expected.runs[0].measures
    assert found.per_query(0, ["nDCG@10"]) == expected.per_query(0, ["nDCG@10"])


def test_ratings_of_several_people_are_refused(files):
    ratings = files.text("r", "query_id,doc_id,annotator,grade\nq1,d1,Kim,1\nq1,d2,Lee,2\n")

    with pytest.raises(FormatError, match=r"ratings by 2 people.*: 'Kim, Lee'\. Import it into a project"):
        files.score(ratings, files.run("r", LISTS))


def test_windows_1252_and_archives_are_read_as_imports_read_them(files):
    expected = files.score(files.qrels({"fähre": {"d1": 1}}), files.run("r", {"fähre": {"d1": 1.0}}))
    packed = files.folder / "all.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.txt", "fähre Q0 d1 1 1.0 r\n".encode("cp1252"))
        archive.writestr("qrels.tsv", "query-id\tcorpus-id\tscore\nfähre\td1\t1\n".encode("cp1252"))

    found = files.score(packed, packed, encoding="windows-1252")

    assert found.runs[0].measures == expected.runs[0].measures
    with pytest.raises(FormatError, match="give --encoding windows-1252"):
        files.score(packed, packed)
