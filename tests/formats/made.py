"""Files and rows made for the tests of this folder."""

import json

from hypothesis import strategies as st

from app.formats.rows import RunRow

FORMATS = ("trec", "csv", "tsv", "jsonl")
IDS = st.text(
    st.characters(
        codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"), exclude_characters="\ufeff"
    ),
    min_size=1,
    max_size=8,
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


RUNS = st.lists(
    st.tuples(IDS, IDS, st.integers(1, 2**31 - 1), NUMBERS), unique_by=lambda row: row[:2], min_size=1
).map(lambda rows: [RunRow(*row) for row in rows])


def line_of(format, query="q1", document="d2", rank="2", score="1.5"):
    """Return one line with the given raw values, written as a careless program would."""
    if format == "trec":
        return f"{query} Q0 {document} {rank} {score} tag\n"
    if format == "jsonl":
        value = {"query_id": query, "doc_id": document, "rank": rank, "score": score}
        return json.dumps(value, ensure_ascii=False) + "\n"
    if format == "csv":
        return ",".join('"' + cell.replace('"', '""') + '"' for cell in (query, document, rank, score)) + "\n"
    return f"{query}\t{document}\t{rank}\t{score}\n"


def file_of(format, middle):
    """Return a file of three lines whose second is the given one, and the line number of that."""
    header = {"csv": "query_id,doc_id,rank,score\n", "tsv": "query_id\tdoc_id\trank\tscore\n"}.get(format, "")
    data = header + line_of(format, document="d1", rank="1", score="2.5") + middle
    return data + line_of(format, document="d3", rank="3", score="0.5"), 2 + bool(header)
