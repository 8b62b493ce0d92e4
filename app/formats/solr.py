"""Solr: the answer to one search in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.groups import Group, Place, object_in, objects_in


def response(value: object, place: Place) -> Iterator[Group]:
    """Yield the one list of a response; its query is the parameter `q`, else the name of the file."""
    whole = object_in(value)
    params = object_in(object_in(whole.get("responseHeader", {})).get("params", {}))
    found = objects_in(object_in(whole.get("response")).get("docs"))
    pairs = [
        {"doc_id": document.get("id"), "rank": rank, "document": _plain(document)}
        for rank, document in enumerate(found, 1)
    ]
    yield Group({"query": params.get("q") or place.stem}, pairs)


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    # Fields with several values come as lists, also where there is one.
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in document.items()
        if name not in {"id", "score", "_version_"}
    }
