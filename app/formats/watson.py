"""IBM Watson: training queries of Discovery and questions of Retrieve and Rank, both JSON."""

from __future__ import annotations

from collections.abc import Iterator

from app.formats.groups import Group, Place, object_in, objects_in


def training(value: object, _place: Place) -> Iterator[Group]:
    """Yield a training query of Discovery."""
    query = object_in(value)
    examples = objects_in(query.get("examples"))
    pairs = [{"doc_id": each.get("document_id"), "grade": each.get("relevance")} for each in examples]
    yield Group({"query": query.get("natural_language_query")}, pairs)


def questions(value: object, _place: Place) -> Iterator[Group]:
    """Yield a question with the stars that each person gave its answers."""
    question = object_in(value)
    answers = object_in(object_in(question.get("cluster", {})).get("answers", {}))
    pairs = [
        {"doc_id": each.get("id"), "grade": each.get("ranking"), "annotator": person}
        for person, ranked in answers.items()
        for each in objects_in(ranked)
    ]
    yield Group({"query": question.get("text")}, pairs)
