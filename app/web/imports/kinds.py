"""What can be imported, in the order that makes sense, in the words of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort

from app.formats.schema import Kind

FORMAT_NAMES = {
    "trec": "TREC",
    "csv": "CSV with a header row",
    "tsv": "TSV, separated by tabs",
    "jsonl": "JSON Lines, one object per line",
    "json": "JSON, one array of objects",
    "json-pairs": "JSON: each question with its answers and their scores or grades",
    "quepid": "Quepid case, ratings or book, JSON",
    "workbench": "Search relevance workbench judgments, JSON",
    "rank-eval": "_rank_eval request or response, JSON",
    "search": "_search or _msearch response, JSON",
    "solr": "Solr response, JSON",
    "rre": "Rated Ranking Evaluator ratings, JSON",
    "watson": "Watson training queries or questions, JSON",
    "label-studio": "Label Studio export, JSON",
    "book-csv": "Quepid book, CSV with a column for each person",
    "relevance-csv": "Retrieve and Rank relevance file, CSV without a header row",
    "letor": "LETOR or SVMlight",
    "sgml": "TREC topics or documents, SGML or XML",
}
COLUMN_NAMES = {
    "query_id": "Question id",
    "query": "Question",
    "doc_id": "Answer id",
    "text": "Text",
    "intent": "What the person wants",
    "tags": "Tags",
    "weight": "Weight",
    "title": "Title",
    "url": "Link",
    "source": "Source",
    "rank": "Place",
    "score": "Score",
    "tag": "Ranker",
    "annotator": "Annotator",
    "grade": "Rating",
    "reason": "Reason",
    "judged_at": "Rated at",
}


@dataclass(frozen=True)
class KindWords:
    """How one kind of file is spoken of.

    Attributes
    ----------
    title, many
        On buttons and headings, and in a sentence.
    what
        What such a file holds.
    named
        Whether it gets a name of its own before it goes in: a ranker's version, or whose ratings they are.
    """

    kind: Kind
    title: str
    many: str
    what: str
    named: bool = False

    @property
    def steps(self) -> list[str]:
        """The names of the steps."""
        return ["Choose", "Check", *(["Name it"] if self.named else []), "Done"]


KINDS: dict[str, KindWords] = {
    words.kind: words
    for words in (
        KindWords("queries", "Questions", "questions", "Each question has an id and a text."),
        KindWords(
            "documents",
            "Answers",
            "answers",
            "The texts that rankers choose from. Each answer has an id, and a title or a text.",
        ),
        KindWords(
            "run",
            "Results of a ranker",
            "results",
            "The answers that one version of a ranker returns for each question, best first.",
            named=True,
        ),
        KindWords(
            "judgments",
            "Ratings made elsewhere",
            "ratings",
            "TREC qrels, a table, or a file of another tool.",
            named=True,
        ),
    )
}


def kind_or_404(kind: str) -> KindWords:
    """Return the words of a kind; an address with another one does not exist."""
    if kind not in KINDS:
        abort(404)
    return KINDS[kind]
