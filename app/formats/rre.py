"""The Rated Ranking Evaluator: ratings in topics and groups of queries, any of which may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.groups import Group, Place, object_in, objects_in


def ratings(value: object, _place: Place) -> Iterator[Group]:
    """Yield every query of a file; documents that it names itself go before those of its group."""
    yield from _level(object_in(value), {}, "")


def _level(value: dict[str, Any], documents: object, intent: str) -> Iterator[Group]:
    documents = value.get("relevant_documents", documents)
    intent = value.get("description", value.get("name", intent))
    for name in ("topics", "query_groups"):
        for inner in objects_in(value.get(name)):
            yield from _level(inner, documents, intent)
    for query in objects_in(value.get("queries")):
        placeholders = object_in(query.get("placeholders", {}))
        text = placeholders.get("$query", next(iter(placeholders.values()), None))
        own = query.get("relevant_documents", documents)
        yield Group({"query": text} | ({"intent": intent} if intent else {}), list(_pairs(own)))


def _pairs(documents: object) -> Iterator[dict[str, Any]]:
    """Yield the documents of any shape: each with its gain, each gain with a list of them, or a list."""
    if isinstance(documents, list):
        for each in objects_in(documents):
            yield {"doc_id": each.get("document_id"), "grade": each.get("gain", each.get("rating"))}
        return
    for name, value in object_in(documents).items():
        if isinstance(value, list):
            yield from ({"doc_id": document, "grade": name} for document in value)
        elif isinstance(value, dict):
            yield {"doc_id": name, "grade": value.get("gain", value.get("rating"))}
        else:
            yield {"doc_id": name, "grade": value}
