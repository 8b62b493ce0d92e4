"""A small file of every kind and format, to look at, fill in and try: a library's opening questions."""

from __future__ import annotations

from dataclasses import dataclass

from app.formats.schema import Format, Kind


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A file that every import page offers; all samples have the same queries and documents."""

    kind: Kind
    format: Format
    name: str
    text: str


_QUERIES_CSV = """query_id,text,intent,tags
opening,when are you open on sundays,A visitor plans a trip at the weekend.,visit
renew,how do I renew a book,A reader has a book that is due.,loans;account
"""
_QUERIES_TSV = """opening\twhen are you open on sundays
renew\thow do I renew a book
"""
_QUERIES_JSONL = """{"query_id": "opening", "text": "when are you open on sundays", "tags": ["visit"]}
{"query_id": "renew", "text": "how do I renew a book", "intent": "A reader has a book that is due."}
"""
_DOCUMENTS_CSV = """doc_id,title,text,url,source
hours-1,Opening hours,"The reading room is open on Sundays from 11 to 17.",https://library.example/hours,website
loans-4,Renewing loans,"Sign in, choose My loans and press Renew.",https://library.example/loans,website
cafe-2,The café,"The café closes half an hour before the reading room.",https://library.example/cafe,website
"""
_DOCUMENTS_TSV = """doc_id\ttitle\ttext
hours-1\tOpening hours\tThe reading room is open on Sundays from 11 to 17.
loans-4\tRenewing loans\tSign in, choose My loans and press Renew.
cafe-2\tThe café\tThe café closes half an hour before the reading room.
"""
_DOCUMENTS_JSONL = """{"doc_id": "hours-1", "title": "Opening hours", \
"text": "The reading room is open on Sundays from 11 to 17."}
{"doc_id": "loans-4", "title": "Renewing loans", "text": "Sign in, choose My loans and press Renew."}
{"doc_id": "cafe-2", "title": "The café", "text": "The café closes half an hour before the reading room."}
"""
_RUN_TREC = """opening Q0 hours-1 1 9.25 keywords
opening Q0 cafe-2 2 3.5 keywords
renew Q0 loans-4 1 7.75 keywords
renew Q0 hours-1 2 1.25 keywords
"""
_RUN_CSV = """query_id,doc_id,rank,score
opening,hours-1,1,9.25
opening,cafe-2,2,3.5
renew,loans-4,1,7.75
renew,hours-1,2,1.25
"""
_RUN_JSONL = """{"query_id": "opening", "doc_id": "hours-1", "rank": 1, "score": 9.25}
{"query_id": "opening", "doc_id": "cafe-2", "rank": 2, "score": 3.5}
{"query_id": "renew", "doc_id": "loans-4", "rank": 1, "score": 7.75}
{"query_id": "renew", "doc_id": "hours-1", "rank": 2, "score": 1.25}
"""
_QRELS = """opening 0 hours-1 3
opening 0 cafe-2 1
renew 0 loans-4 3
"""
_JUDGMENTS_CSV = """query_id,doc_id,annotator,grade,reason,judged_at
opening,hours-1,Kim,3,,2026-11-02T09:15:00Z
opening,cafe-2,Kim,1,,2026-11-02T09:15:20Z
renew,loans-4,Kim,3,,2026-11-02T09:16:00Z
renew,hours-1,Kim,,unclear,2026-11-02T09:16:30Z
"""
_JUDGMENTS_JSONL = """{"query_id": "opening", "doc_id": "hours-1", "annotator": "Kim", "grade": 3, \
"judged_at": "2026-11-02T09:15:00Z"}
{"query_id": "opening", "doc_id": "cafe-2", "annotator": "Kim", "grade": 1}
{"query_id": "renew", "doc_id": "hours-1", "annotator": "Kim", "grade": null, "reason": "unclear"}
"""


def _tabbed(text: str) -> str:
    return text.replace(",", "\t")


SAMPLES = (
    SampleFile("queries", "csv", "queries.csv", _QUERIES_CSV),
    SampleFile("queries", "tsv", "queries.tsv", _QUERIES_TSV),
    SampleFile("queries", "jsonl", "queries.jsonl", _QUERIES_JSONL),
    SampleFile("documents", "csv", "documents.csv", _DOCUMENTS_CSV),
    SampleFile("documents", "tsv", "documents.tsv", _DOCUMENTS_TSV),
    SampleFile("documents", "jsonl", "documents.jsonl", _DOCUMENTS_JSONL),
    SampleFile("run", "csv", "results.csv", _RUN_CSV),
    SampleFile("run", "trec", "results.run", _RUN_TREC),
    SampleFile("run", "tsv", "results.tsv", _tabbed(_RUN_CSV)),
    SampleFile("run", "jsonl", "results.jsonl", _RUN_JSONL),
    SampleFile("judgments", "csv", "ratings.csv", _JUDGMENTS_CSV),
    SampleFile("judgments", "trec", "ratings.qrels", _QRELS),
    SampleFile("judgments", "tsv", "ratings.tsv", _tabbed(_JUDGMENTS_CSV)),
    SampleFile("judgments", "jsonl", "ratings.jsonl", _JUDGMENTS_JSONL),
)


def samples_of(kind: Kind) -> tuple[SampleFile, ...]:
    """Return the samples of one kind."""
    return tuple(sample for sample in SAMPLES if sample.kind == kind)
