"""Solr: the answer to one search in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.groups import Group, Place, object_in, objects_in


def response(value: object, place: Place) -> Iterator[Group]:
    """Yield the one list of a response; its query is the parameter `q`, else the name of the file.

    :raise BadValueError: As results of a ranker it lacks some.
    """
    whole = object_in(value)
    params = object_in(object_in(whole.get("responseHeader", {})).get("params", {}))
    answer = object_in(whole.get("response"))
    found = objects_in(answer.get("docs"))
    if place.kind == "run":
        _refuse_incomplete(answer.get("start"), object_in(whole.get("responseHeader", {})))
    pairs = [
        {"doc_id": document.get("id"), "rank": rank, "document": _plain(document)}
        for rank, document in enumerate(found, 1)
    ]
    yield Group({"query": params.get("q") or place.stem}, pairs)


def _refuse_incomplete(start: object, header: dict[str, Any]) -> None:
    if isinstance(start, int) and start > 0:
        raise BadValueError(
            "incomplete",
            f"start: {start}",
            "the response leaves out the first %(n)s results",
            "Search again with start=0, and rows as large as needed.",
            n=start,
        )
    if header.get("partialResults") is True:
        raise BadValueError(
            "incomplete",
            "partialResults: true",
            "the response has only a part of the results",
            "Search again, and save the response once it is complete.",
        )


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    # Fields with several values come as lists, also where there is one.
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in document.items()
        if name not in {"id", "score", "_version_"}
    }
