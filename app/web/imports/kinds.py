"""What can be imported, in the order that makes sense, in the words of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort

from app.formats.schema import Kind
from app.http.languages import later as _l
from app.http.languages import plainly
from app.http.project import INTENT_NAME

# These are names of other tools: a project’s own words would make them name nothing.
FORMAT_NAMES = {
    "trec": plainly("TREC"),
    "csv": plainly("CSV with a header row"),
    "tsv": plainly("TSV, separated by tabs"),
    "jsonl": plainly("JSON Lines, one object per line"),
    "json": plainly("JSON, one array of objects"),
    "json-pairs": plainly("JSON: each question with its answers and their scores or grades"),
    "pandas": plainly("Table of pandas, JSON"),
    "quepid": plainly("Quepid case, ratings or book, JSON"),
    "workbench": plainly("Search relevance workbench, JSON"),
    "rank-eval": plainly("_rank_eval request or response, JSON"),
    "search": plainly("_search or _msearch response, JSON"),
    "solr": plainly("Solr response, JSON"),
    "rre": plainly("Rated Ranking Evaluator ratings, JSON"),
    "watson": plainly("Watson training queries or questions, JSON"),
    "label-studio": plainly("Label Studio export, JSON"),
    "book-csv": plainly("Quepid book, CSV with a column for each person"),
    "relevance-csv": plainly("Retrieve and Rank relevance file, CSV without a header row"),
    "predictions": plainly("Retrieve and Rank predictions: question, answer, score"),
    "letor": plainly("LETOR or SVMlight"),
    "sgml": plainly("TREC topics or documents, SGML or XML"),
}
COLUMN_NAMES = {
    "query_id": _l("Question id"),
    "query": _l("Question id or text"),
    "doc_id": _l("Answer id"),
    "text": _l("Text"),
    "intent": INTENT_NAME,
    "tags": _l("Tags for filtering"),
    "weight": _l("Weight (for experts)"),
    "title": _l("Title"),
    "url": _l("Link"),
    "source": _l("Source"),
    "rank": _l("Place"),
    "score": _l("Score"),
    "tag": _l("Ranker"),
    "annotator": _l("Annotator"),
    "grade": _l("Rating"),
    "reason": _l("Reason for “can’t judge”"),
    "judged_at": _l("Rated at"),
}


@dataclass(frozen=True)
class KindWords:
    """How one kind of file is spoken of.

    Attributes
    ----------
    title, import_them
        On headings, and on buttons.
    what
        What such a file holds.
    named
        Whether it gets a name of its own before it goes in: a ranker's version, or whose ratings they are.
    """

    kind: Kind
    title: str
    import_them: str
    what: str
    named: bool = False


KINDS: dict[str, KindWords] = {
    words.kind: words
    for words in (
        KindWords(
            "queries",
            _l("Questions"),
            _l("Import questions"),
            _l("Each question has a text, and an id if you have one."),
        ),
        KindWords(
            "documents",
            _l("Answers"),
            _l("Import answers"),
            _l(
                "The texts that rankers choose from. Each answer has an id and, so that people can rate it, "
                "a title or a text."
            ),
        ),
        KindWords(
            "run",
            _l("Results of a ranker"),
            _l("Import results"),
            _l("The answers that one version of a ranker returns for each question, best first."),
            named=True,
        ),
        KindWords(
            "judgments",
            _l("Ratings made elsewhere"),
            _l("Import ratings"),
            _l("How good each answer is for a question, from a table or a file of another tool."),
            named=True,
        ),
    )
}


def kind_or_404(kind: str) -> KindWords:
    """Return the words of a kind; an address with another one does not exist."""
    if kind not in KINDS:
        abort(404)
    return KINDS[kind]
